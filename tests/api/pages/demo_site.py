"""A demo that runs in a process of its own, as `make demo` starts it, for pictures and for the tour."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
from playwright.sync_api import Page

from infra.demo import PASSWORD
from tests.api.processes import environment, free_port

COMMAND = [sys.executable, "-c", "from api.cli.main import main; main()"]
START_SECONDS = 300
ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def running_demo(folder: Path, port: int | None = None) -> Iterator[str]:
    """Its address, once it answers; ended as by Ctrl-C."""
    port = port or free_port()
    command = [*COMMAND, "demo", "--data-dir", str(folder), "--port", str(port)]
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _answers(url):
            assert process.poll() is None, "the demo ended"
            assert time.monotonic() < deadline, "the demo did not start"
            time.sleep(0.2)
        yield url
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(60)


def _answers(url: str) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"{url}/healthz", timeout=5).status_code == 200
    return False


def roundledger(folder: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=environment(ROUNDLEDGER_DATA_DIR=str(folder), PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
    )


def sign_in(page: Page, url: str, staff_id: str) -> None:
    page.context.clear_cookies()
    page.goto(f"{url}/sign-in")
    page.get_by_label("Staff id").fill(staff_id)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda address: "/sign-in" not in address)  # home, or the own table


__all__ = ["roundledger", "running_demo", "sign_in"]

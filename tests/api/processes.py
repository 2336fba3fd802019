"""The service as a process of its own."""

from __future__ import annotations

import errno
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from tests.api.service import of_service

SERVE = [sys.executable, "-c", "import typer; from api.cli.operations.serve import serve; typer.run(serve)"]
PATIENCE_SECONDS = 120.0


def free_port() -> int:
    """One that stays free until it is served on: below those that the system gives to whoever connects somewhere."""
    while True:
        port = _PORTS.randrange(15_000, 32_000)
        with socket.socket() as found, suppress(OSError):
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(("127.0.0.1", port))
            return port


_PORTS = random.SystemRandom()  # no two processes that run tests get the same series


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ROUNDLEDGER_")}
    return {**kept, **more}


@contextmanager
def serving(
    url: str, port: int, *options: str, log: Path | None = None, **more: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Logged in to the embedded server as the service's role; `log`: where what it says goes, nowhere without it."""
    command = [*SERVE, "--port", str(port), "--database-url", of_service(url), *options]
    with open(os.devnull if log is None else log, "ab") as said:
        # Or a key, and the code for the first admin, would be put into somebody's home.
        settings = environment(**{"ROUNDLEDGER_SEAL": "false", "ROUNDLEDGER_SETUP_CODE": "for a test", **more})
        process = subprocess.Popen(command, env=settings, stdout=said, stderr=said)
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not _answers(port):
            assert process.poll() is None, "the service ended"
            assert time.monotonic() < deadline, "the service did not start"
            time.sleep(0.1)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE_SECONDS)


def until_gone(port: int) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED:
                return True
        time.sleep(0.1)
    return False


def _answers(port: int) -> bool:
    with suppress(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=5)
        return True
    return False

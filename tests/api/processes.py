"""The service as a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

SERVE = [sys.executable, "-c", "import typer; from api.serve_command import serve; typer.run(serve)"]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ROUNDLEDGER_")}
    return {**kept, **more}


@contextmanager
def serving(
    url: str, port: int, *options: str, log: Path | None = None, **more: str
) -> Iterator[subprocess.Popen[bytes]]:
    """`log`: where what it says goes; nowhere without it."""
    command = [*SERVE, "--port", str(port), "--database-url", url, *options]
    with open(os.devnull if log is None else log, "ab") as said:
        settings = environment(**{"ROUNDLEDGER_SEAL": "false", **more})  # or a key would be made in somebody's home
        process = subprocess.Popen(command, env=settings, stdout=said, stderr=said)
    try:
        for _ in range(600):
            try:
                httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=1)
                break
            except httpx.TransportError:
                assert process.poll() is None, "the service ended"
                time.sleep(0.1)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)


def until_gone(port: int) -> bool:
    for _ in range(50):
        try:
            httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=1)
        except httpx.TransportError:
            return True
        time.sleep(0.1)
    return False

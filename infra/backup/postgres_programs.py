"""Running PostgreSQL's client programs against a server, without a password on the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from infra.embedded.binaries import find_in_wheel

RIGHT_NEEDED = "The login needs the right to replicate: ALTER ROLE … REPLICATION, and a line in pg_hba.conf."

SUMMARIES_NEEDED = "Set summarize_wal = on in postgresql.conf, reload, and take a full backup first."


PR_SET_PDEATHSIG = 1
ENDED_WITH_PARENT = f"""
import ctypes, os, sys
ctypes.CDLL(None).prctl({PR_SET_PDEATHSIG}, {signal.SIGTERM.value})
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


class ProgramFailed(Exception):
    """One of PostgreSQL's programs failed; the message is its own."""


def command(program: str, *options: str) -> list[str]:
    return [str(find_in_wheel() / "bin" / program), *options]


def ends_with_us(arguments: list[str]) -> list[str]:
    """Return a command whose process is ended by the kernel if ours is killed. Only Linux can."""
    if sys.platform != "linux":
        return arguments
    return [sys.executable, "-I", "-S", "-c", ENDED_WITH_PARENT, str(os.getpid()), *arguments]


def run(program: str, *options: str, database_url: str | None = None) -> None:
    arguments, environment = list(options), dict(os.environ)
    if database_url is not None:
        connection, environment = connection_of(database_url)
        arguments += connection
    done = subprocess.run(
        command(program, *arguments), env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise ProgramFailed(reason_of(program, done.stderr or done.stdout))


def connection_of(database_url: str) -> tuple[list[str], dict[str, str]]:
    """Return options and environment for a program that connects. Passwords go into the environment: everybody can list
    options."""
    parts = conninfo_to_dict(database_url)
    password = parts.pop("password", None)
    environment = {**os.environ, **({} if password is None else {"PGPASSWORD": str(password)})}
    return ["--no-password", "--dbname", make_conninfo("", **parts)], environment


def reason_of(program: str, output: str) -> str:
    """Return why a program failed, from what it printed, with what to do about it."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line or "FATAL:" in line]
    reason = (errors or lines or ["it was ended from outside"])[0].removeprefix(f"{program}: ").removeprefix("error: ")
    if "WAL summarization" in reason:
        return f"{reason}. {SUMMARIES_NEEDED}"
    if "pg_hba.conf" in reason or "replication" in reason:
        return f"{reason} {RIGHT_NEEDED}"
    return f"{program} failed: {reason}"

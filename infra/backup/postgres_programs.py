"""Running PostgreSQL's client programs against a server, without a password on the command line."""

from __future__ import annotations

import os
import subprocess

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from infra.embedded.binaries import find_in_wheel

RIGHT_NEEDED = "The login needs the right to replicate: ALTER ROLE … REPLICATION, and a line in pg_hba.conf."

SUMMARIES_NEEDED = "Set summarize_wal = on in postgresql.conf, reload, and take a full backup first."


class ProgramFailed(Exception):
    """One of PostgreSQL's programs failed; the message is its own."""


def command(program: str, *options: str) -> list[str]:
    return [str(find_in_wheel() / "bin" / program), *options]


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

"""Promoting a standby."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import psycopg

from infra.embedded import embedded_postgres
from infra.embedded.binaries import find_in_wheel
from infra.embedded.shared_server import SharedServer
from infra.standby.replica import FOLLOWING, PRIMARY, Primary, StandbyRefused, check_ledger, mark_superseded
from infra.store.event_rows import LAST_POSITION


class Promoted(NamedTuple):
    last_position: int
    log_size: int


def promote(home: Path, patience_seconds: int = 60) -> Promoted:
    """Let a standby take over. Its primary must be gone: if its folder is here, it is closed for good."""
    check_ledger(home)
    with embedded_postgres(home) as url, psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT pg_is_in_recovery(), current_setting('primary_conninfo')").fetchone()
        assert row is not None
        if not row[0]:
            raise StandbyRefused(f"{home} is not a standby but a primary: there is nothing to promote.")
        _check_gone(str(row[1]))
        _fence(home, url)
        row = connection.execute("SELECT pg_promote(true, %s)", [patience_seconds]).fetchone()
        if row is None or not row[0]:
            raise StandbyRefused(f"PostgreSQL has not promoted the standby within {patience_seconds} seconds.")
        for setting in FOLLOWING:
            connection.execute(f"ALTER SYSTEM RESET {setting}".encode())
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("CHECKPOINT")
        row = connection.execute(
            f"SELECT ({LAST_POSITION}), "
            "coalesce((SELECT size FROM roundledger.log_checkpoints ORDER BY number DESC LIMIT 1), 0)"
        ).fetchone()
        assert row is not None
    (home / PRIMARY).unlink(missing_ok=True)
    return Promoted(*row)


def _check_gone(primary: str) -> None:
    try:
        psycopg.connect(primary, dbname="postgres", connect_timeout=5).close()
    except psycopg.OperationalError as error:
        if "the database system is" not in str(error):  # starting, or recovering from a crash
            return
    raise StandbyRefused("The primary still answers. Stop its service first: two primaries would be two ledgers.")


def _fence(home: Path, url: str) -> None:
    file = home / PRIMARY
    if not file.exists():
        return
    old = Path(file.read_text().strip())
    if (old / "pgdata").is_dir():
        with SharedServer(old, find_in_wheel()).closed() as server:
            mark_superseded(server.home, Primary(url, home))

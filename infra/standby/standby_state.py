"""What a primary knows of its standby. Every login may ask."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import psycopg

from infra.standby import SLOT
from infra.store.database import Cursor, Database

# The restart position of a physical slot is what the standby last reported as flushed.
STATE = (
    "SELECT active, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), restart_lsn)::int8, restart_lsn IS NOT NULL, "
    "current_setting('synchronous_standby_names') <> '' "
    "FROM pg_replication_slots WHERE slot_name = %s AND NOT pg_is_in_recovery()"
)
FLUSHED = (
    "SELECT restart_lsn >= %s::pg_lsn FROM pg_replication_slots WHERE slot_name = %s AND restart_lsn IS NOT NULL "
    "UNION ALL SELECT false FROM pg_replication_slots WHERE slot_name = %s AND restart_lsn IS NULL"
)

# Slots are named like the server that receives through them.
AWAITED = (
    "SELECT slot_name::text FROM pg_replication_slots WHERE NOT active AND NOT pg_is_in_recovery() "
    "AND position(slot_name IN current_setting('synchronous_standby_names')) > 0 ORDER BY slot_name LIMIT 1"
)


class StandbyState(NamedTuple):
    connected: bool
    behind_bytes: int  # of the write-ahead log
    waited_for: bool  # whether commits wait for it

    def warnings(self) -> list[str]:
        """Return warnings for people who look after the service."""
        if self.connected:
            return [] if self.waited_for else ["The standby is catching up: commits do not wait for it yet."]
        if self.waited_for:
            return ["The standby is away, and nothing is stored until it is back."]
        return ["The standby is away. What is stored now is on one server only, and is not sealed."]


def standby_state(cursor: Cursor) -> StandbyState | None:
    """Return the state; None if no standby is expected, and on a standby."""
    row = cursor.execute(STATE, [SLOT]).fetchone()
    if row is None:
        return None
    active, behind, placed, waited_for = row
    return StandbyState(active, behind if placed else 0, waited_for)


def is_standby_folder(data_dir: Path) -> bool:
    """Return whether the server of a data folder is a standby, without asking it."""
    return (data_dir / "pgdata" / "standby.signal").exists()


def is_standby(database_url: str) -> bool:
    """Return whether this server is a standby, and so read-only."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        row = connection.execute("SELECT pg_is_in_recovery()").fetchone()
    assert row is not None
    return bool(row[0])


def awaited(cursor: Cursor) -> str | None:
    """Return whom commits wait for although they are away, a standby or a receiver of backups: nothing is stored."""
    row = cursor.execute(AWAITED).fetchone()
    return None if row is None else str(row[0])


def flush_position(database: Database) -> str:
    """Return a position by which everything visible now is in the primary's log on disk."""
    ((position,),) = database.rows("SELECT pg_current_wal_flush_lsn()::text")
    return str(position)


def has_flushed(database: Database, position: str) -> bool:
    """Return whether the standby has flushed that; True if none is expected."""
    return all(row[0] for row in database.rows(FLUSHED, [position, SLOT, SLOT]))

"""Who looked at what."""

from __future__ import annotations

import logging
from typing import Any

from infra.store.database import Database

logger = logging.getLogger(__name__)


class Looks:
    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, by: str, role: str, what: str, subject: str, request_id: str) -> None:
        self._database.write(
            "INSERT INTO roundledger.reads (by, role, what, subject, request_id) VALUES (%s, %s, %s, %s, %s)",
            [by, role, what, subject, request_id],
        )

    def after(self, number: int, limit: int) -> list[dict[str, Any]]:
        """Return reads in order, after the one with that number."""
        rows = self._database.rows(
            "SELECT read_id, read_at, by, role, what, subject, request_id FROM roundledger.reads "
            "WHERE read_id > %s ORDER BY read_id LIMIT %s",
            [number, limit],
        )
        names = ("number", "at", "by", "role", "what", "subject", "request_id")
        return [dict(zip(names, (row[0], row[1].isoformat(), *row[2:]), strict=True)) for row in rows]


class LoggedLooks(Looks):
    """Writes reads to the process log where nothing can be stored: on a standby."""

    def record(self, by: str, role: str, what: str, subject: str, request_id: str) -> None:
        fields = {"by": by, "role": role, "what": what, "subject": subject, "request_id": request_id}
        logger.info("Read on a standby", extra={"fields": fields})

"""The property's own clock for people who read: moments of the ledger as its clocks showed them, with the offset."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from msgspec import Struct

from domain.moments import told, told_after
from infra.database import Cursor, Database
from projections.applier import gaming_days
from projections.gaming_days import GamingDays
from projections.runner import connect

STORED_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))")


class PropertyClock(Struct, frozen=True):
    days: GamingDays

    def local(self, at: datetime | str) -> datetime:
        return self.days.local(datetime.fromisoformat(at) if isinstance(at, str) else at)

    def moment(self, at: datetime | str) -> str:
        return told(self.local(at))

    def after(self, first: datetime, at: datetime) -> str:
        return told_after(self.local(first), self.local(at))

    def at_ms(self, at_ms: int) -> datetime:
        return self.local(datetime.fromtimestamp(at_ms / 1000, UTC))

    def words(self, text: str) -> str:
        """Words of the ledger, in which moments stand as it stores them, with those of the property instead."""
        return STORED_MOMENT.sub(lambda found: self.moment(found[0]), text)

    def zone(self, at: datetime) -> str:
        return self.days.zone_of(round(at.timestamp() * 1000)).key


def clock_of(database: Database) -> PropertyClock:
    """Where nothing has been projected yet, nobody has set gaming days, and the default holds."""

    def read(cursor: Cursor) -> GamingDays:
        made = cursor.execute("SELECT to_regclass('projections.gaming_days') IS NOT NULL").fetchone()
        return gaming_days(cursor) if made == (True,) else GamingDays()

    return PropertyClock(database.read(read))


def clock_at(database_url: str) -> PropertyClock:
    """Where reports have been made."""
    with connect(database_url) as connection:
        return PropertyClock(gaming_days(connection))

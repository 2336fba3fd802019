"""The property's clock: times of the ledger as its clocks showed them, with the offset."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from msgspec import Struct

from domain.moments import format_later_moment, format_moment
from infra.store.database import Database
from projections.calendar.gaming_day_settings import gaming_days, gaming_days_or_default
from projections.calendar.gaming_days import GamingDays
from projections.engine.connection import connect

STORED_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))")


class PropertyClock(Struct, frozen=True):
    days: GamingDays

    def local(self, at: datetime | str) -> datetime:
        return self.days.local(datetime.fromisoformat(at) if isinstance(at, str) else at)

    def moment(self, at: datetime | str) -> str:
        return format_moment(self.local(at))

    def after(self, first: datetime, at: datetime) -> str:
        return format_later_moment(self.local(first), self.local(at))

    def at_ms(self, at_ms: int) -> datetime:
        return self.local(datetime.fromtimestamp(at_ms / 1000, UTC))

    def words(self, text: str) -> str:
        """Return a text of the ledger with its times by the property's clock."""
        return STORED_MOMENT.sub(lambda found: self.moment(found[0]), text)

    def zone(self, at: datetime) -> str:
        return self.days.zone_of(round(at.timestamp() * 1000)).key


def clock_of(database: Database) -> PropertyClock:
    """Return the clock, with defaults if nothing has been projected and so no gaming days set."""
    return PropertyClock(database.read(gaming_days_or_default))


def clock_at(database_url: str) -> PropertyClock:
    """Return the clock of a database with projections."""
    with connect(database_url) as connection:
        return PropertyClock(gaming_days(connection))

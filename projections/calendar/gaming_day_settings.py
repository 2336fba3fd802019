"""The stored settings of gaming days: each divides the property's time from one gaming day on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

import msgspec
import psycopg

from infra.store.database import Cursor
from projections.calendar.gaming_days import DEFAULT, Calendar, GamingDays, Shift, check
from projections.engine.storage import Connection


def gaming_days(connection: Connection | Cursor) -> GamingDays:
    """Return the gaming days as set in this database."""
    rows = connection.execute("SELECT from_day, time_zone, shifts FROM projections.gaming_days").fetchall()
    return GamingDays(_calendar(*row) for row in rows)


def gaming_days_or_default(connection: Connection | Cursor) -> GamingDays:
    """Return the gaming days, or the default if nothing has been projected and so nothing set."""
    row = connection.execute("SELECT to_regclass('projections.gaming_days')").fetchone()
    return GamingDays() if row is None or row[0] is None else gaming_days(connection)


def gaming_days_set(connection: Connection) -> list[dict[str, Any]]:
    """Return every setting with its first day; the default comes first."""
    rows = connection.execute(
        "SELECT from_day, time_zone, shifts, set_by, set_at FROM projections.gaming_days ORDER BY from_day"
    ).fetchall()
    stored = [
        _described(_calendar(*setting), setting[0].isoformat(), set_by, set_at.isoformat(timespec="seconds"))
        for *setting, set_by, set_at in rows
    ]
    return [_described(DEFAULT), *stored]


def _described(
    calendar: Calendar, from_day: str | None = None, set_by: str | None = None, set_at: str | None = None
) -> dict[str, Any]:
    shifts = [f"{shift.name}={shift.start:%H:%M}" for shift in calendar.shifts]
    return {"from": from_day, "time_zone": calendar.time_zone, "shifts": shifts, "set_by": set_by, "set_at": set_at}


def set_gaming_days(connection: Connection, calendar: Calendar, by: str, now: datetime) -> None:
    """Set gaming days from a future day on, once: rounds keep the shift they were assigned to."""
    check(calendar)
    today = gaming_days(connection).of(round(now.timestamp() * 1000)).day
    if calendar.from_day <= today:
        raise ValueError(f"Gaming days change from a future day on; today is {today}.")
    shifts = msgspec.json.encode([(shift.name, f"{shift.start:%H:%M}") for shift in calendar.shifts]).decode()
    try:
        connection.execute(
            "INSERT INTO projections.gaming_days (from_day, time_zone, shifts, set_by) VALUES (%s, %s, %s, %s)",
            [calendar.from_day, calendar.time_zone, shifts, by],
        )
    except psycopg.errors.UniqueViolation:
        raise ValueError(f"Gaming days are already set from {calendar.from_day} on, and what is set stays.") from None


def _calendar(from_day: date, time_zone: str, shifts: str) -> Calendar:
    pairs: Iterable[tuple[str, str]] = msgspec.json.decode(shifts, type=list[tuple[str, str]])
    starts = tuple(Shift(name, datetime.strptime(start, "%H:%M").time()) for name, start in pairs)
    return Calendar(from_day, time_zone, starts)

"""Applies events to the tables of projections, page by page, each page and its position in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from infra.database import Cursor
from infra.recorder import LedgerRecorder
from projections import storage
from projections.feed import Feed
from projections.fold import Fold
from projections.gaming_days import DEFAULT, Calendar, GamingDays, Shift, check
from projections.projection import Projection
from projections.storage import LIVE, Connection, Writer

PAGE = 4_000  # events of a transaction at most


class Stale(Exception):
    """The tables were made by another version of the program: they must be rebuilt."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"The tables of {' and '.join(names)} were made by another version of the program: "
            f"run `roundledger rebuild {' '.join(names)}`."
        )
        self.names = names


class MovedOn(Exception):
    """Somebody else has applied events, or swapped in a rebuilt table, since the page was read."""


class Applier:
    """For one connection, whose session holds the locks that keep others away."""

    def __init__(
        self,
        connection: Connection,
        recorder: LedgerRecorder,
        projections: Sequence[type[Projection]],
        place: str = LIVE,
        page: int = PAGE,
    ) -> None:
        self._connection = connection
        self._feed = Feed(recorder)
        self._projections = {projection.name: projection for projection in projections}
        self._place = place
        self._page = page
        self._writer = Writer(place)
        self._fold: Fold | None = None
        self._folded: frozenset[str] = frozenset()
        self._settings = 0  # of gaming days, which are only ever added to

    def begin(self) -> None:
        """Make the tables and indexes that are not there; tables of another version are Stale."""
        with self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", [storage.TABLES_LOCK])
            there = {name: print_ for name, _, print_, _ in self._rows()}
            prints = {name: projection.fingerprint() for name, projection in self._projections.items()}
            if stale := [name for name in prints if there.get(name, prints[name]) != prints[name]]:
                raise Stale(stale)
            for name, projection in self._projections.items():
                if name not in there:
                    storage.create(self._connection, self._place, projection.tables)
                    self._connection.execute(
                        "INSERT INTO projections.positions (name, place, position, fingerprint) VALUES (%s, %s, 0, %s)",
                        [name, self._place, projection.fingerprint()],
                    )
            if self._place == LIVE:
                tables = [table for projection in self._projections.values() for table in projection.tables]
                storage.create_missing_indexes(self._connection, LIVE, tables)

    def positions(self) -> dict[str, int]:
        return {name: position for name, position, _, _ in self._rows()}

    def _rows(self) -> list[tuple[Any, ...]]:
        return self._connection.execute(
            "SELECT name, position, fingerprint, (SELECT count(*) FROM projections.gaming_days)"
            " FROM projections.positions WHERE place = %s AND name = ANY(%s)",
            [self._place, list(self._projections)],
        ).fetchall()

    def step(self, upto: int | None = None) -> int:
        """Apply the next page to those that are furthest behind; how many positions that were, 0 at the end."""
        rows = self._rows()
        positions: dict[str, int] = {name: position for name, position, _, _ in rows}
        settings = rows[0][3]
        if settings != self._settings:
            self._fold, self._settings = None, settings  # days to come are divided otherwise from now on
        after = min(positions.values())
        behind = frozenset(name for name, position in positions.items() if position == after)
        ahead = [position for position in positions.values() if position > after]
        stop = min([*ahead, *([] if upto is None else [upto])], default=None)
        page, position = self._feed.page(after, self._page, stop)
        if position == after:
            return 0
        fold = self._fold_of(behind)
        try:
            fold.take_in(page)
            with self._connection.transaction():
                self._advance(behind, after, position)
                fold.write(self._connection, self._writer)
        except BaseException:
            self._fold = None  # what it has at hand may be ahead of what is stored
            raise
        return position - after

    def catch_up(self, upto: int | None = None) -> int:
        """Until there is nothing more to apply; how many positions that were."""
        applied = 0
        while done := self.step(upto):
            applied += done
        return applied

    def _fold_of(self, names: frozenset[str]) -> Fold:
        if self._fold is None or self._folded != names:
            wanted = [projection for name, projection in self._projections.items() if name in names]
            self._fold, self._folded = Fold(wanted, self._feed, gaming_days(self._connection)), names
        return self._fold

    def _advance(self, names: frozenset[str], after: int, position: int) -> None:
        """First of all in the transaction, so that whoever else moves these projections waits here."""
        moved = self._connection.execute(
            "UPDATE projections.positions SET position = %s, updated_at = now() "
            "WHERE place = %s AND name = ANY(%s) AND position = %s",
            [position, self._place, list(names), after],
        ).rowcount
        if moved != len(names):
            raise MovedOn(f"{', '.join(sorted(names))} are no longer at position {after}")


# ---- gaming days


def gaming_days(connection: Connection | Cursor) -> GamingDays:
    rows = connection.execute("SELECT from_day, time_zone, shifts FROM projections.gaming_days").fetchall()
    return GamingDays(_calendar(*row) for row in rows)


def gaming_days_or_default(cursor: Connection | Cursor) -> GamingDays:
    """Also where nothing has been projected yet, and so nothing set."""
    row = cursor.execute("SELECT to_regclass('projections.gaming_days')").fetchone()
    return GamingDays() if row is None or row[0] is None else gaming_days(cursor)


def gaming_days_set(connection: Connection) -> list[dict[str, Any]]:
    """Every setting with the day it holds from, the default first, which holds until another does."""
    rows = connection.execute(
        "SELECT from_day, time_zone, shifts, set_by, set_at FROM projections.gaming_days ORDER BY from_day"
    ).fetchall()
    first = {"from": None, "time_zone": DEFAULT.time_zone, "shifts": _told(DEFAULT), "set_by": None, "set_at": None}
    return [
        first,
        *(
            {
                "from": from_day.isoformat(),
                "time_zone": time_zone,
                "shifts": _told(_calendar(from_day, time_zone, shifts)),
                "set_by": set_by,
                "set_at": set_at.isoformat(timespec="seconds"),
            }
            for from_day, time_zone, shifts, set_by, set_at in rows
        ),
    ]


def _told(calendar: Calendar) -> list[str]:
    return [f"{shift.name}={shift.start:%H:%M}" for shift in calendar.shifts]


def set_gaming_days(connection: Connection, calendar: Calendar, by: str, now: datetime) -> None:
    """From a day to come on: rounds that have been put into their shift stay there."""
    check(calendar)
    today = gaming_days(connection).of(round(now.timestamp() * 1000)).day
    if calendar.from_day <= today:
        raise ValueError(f"Gaming days change from a day to come on; today is {today}.")
    shifts = msgspec.json.encode([(shift.name, f"{shift.start:%H:%M}") for shift in calendar.shifts]).decode()
    connection.execute(
        "INSERT INTO projections.gaming_days (from_day, time_zone, shifts, set_by) VALUES (%s, %s, %s, %s)",
        [calendar.from_day, calendar.time_zone, shifts, by],
    )


def _calendar(from_day: Any, time_zone: str, shifts: str) -> Calendar:
    pairs: Iterable[tuple[str, str]] = msgspec.json.decode(shifts, type=list[tuple[str, str]])
    starts = tuple(Shift(name, datetime.strptime(start, "%H:%M").time()) for name, start in pairs)
    return Calendar(from_day, time_zone, starts)

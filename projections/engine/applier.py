"""Applies events to the tables of projections page by page, each page and its position in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from infra.store import tracing
from infra.store.recorder import LedgerRecorder
from projections.calendar.gaming_day_settings import gaming_days
from projections.engine import storage
from projections.engine.event_feed import Feed
from projections.engine.fold import Fold
from projections.engine.projection import Projection
from projections.engine.storage import LIVE, Connection, Writer

PAGE = 4_000  # events per transaction at most


class Stale(Exception):
    """The tables were made by another version of the program and must be rebuilt."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"The tables of {' and '.join(names)} were made by another version of the program: "
            f"run `roundledger rebuild {' '.join(names)}`."
        )
        self.names = names


class MovedOn(Exception):
    """Somebody else has applied events, or swapped in a rebuilt table, since the page was read."""


class _Position(NamedTuple):
    name: str
    position: int
    fingerprint: str
    settings: int  # the number of gaming-day settings


class Applier:
    """Applies events on one connection, whose session holds the locks that keep others away."""

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
        """Create missing tables and indexes; raises Stale for tables of another version."""
        with self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", [storage.TABLES_LOCK])
            there = {row.name: row.fingerprint for row in self._rows()}
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
        return {row.name: row.position for row in self._rows()}

    def _rows(self) -> list[_Position]:
        rows = self._connection.execute(
            "SELECT name, position, fingerprint, (SELECT count(*) FROM projections.gaming_days)"
            " FROM projections.positions WHERE place = %s AND name = ANY(%s)",
            [self._place, list(self._projections)],
        ).fetchall()
        return list(map(_Position._make, rows))

    def step(self, upto: int | None = None) -> int:
        """Apply the next page to those furthest behind; return the number of positions applied, 0 at the end."""
        rows = self._rows()
        positions = {row.name: row.position for row in rows}
        settings = rows[0].settings
        if settings != self._settings:
            self._fold, self._settings = None, settings  # future days are divided differently from now on
        after = min(positions.values())
        behind = frozenset(name for name, position in positions.items() if position == after)
        ahead = [position for position in positions.values() if position > after]
        stop = min([*ahead, *([] if upto is None else [upto])], default=None)
        page, position = self._feed.page(after, self._page, stop)
        if position == after:
            return 0
        fold = self._fold_of(behind)
        try:
            with tracing.span("project", links=tracing.links_to(after, position), events=len(page)):
                fold.take_in(page)
                with self._connection.transaction():
                    self._advance(behind, after, position)
                    fold.write(self._connection, self._writer)
        except BaseException:
            self._fold = None  # the cache may be ahead of what is stored
            raise
        return position - after

    def catch_up(self, upto: int | None = None) -> int:
        """Apply pages until there are no more; return the number of positions applied."""
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
        """Update positions first in the transaction, so that others who advance these projections wait here."""
        moved = self._connection.execute(
            "UPDATE projections.positions SET position = %s, updated_at = now() "
            "WHERE place = %s AND name = ANY(%s) AND position = %s",
            [position, self._place, list(names), after],
        ).rowcount
        if moved != len(names):
            raise MovedOn(f"{', '.join(sorted(names))} are no longer at position {after}")

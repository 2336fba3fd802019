"""Checks the projections' tables against the events: they are computed again and compared row by row.

A projection's position and rows are read in one database snapshot. Almost all events are folded before that snapshot is
taken: rows that are updated repeatedly would keep all earlier versions while its transaction is open, and each update
would take longer than the last. A projection without tables is not compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, LiteralString, NamedTuple

from msgspec import Struct
from psycopg.sql import SQL, Composed, Identifier

from domain.audit.findings import Finding
from domain.money import money
from domain.round.replay import IMPOSSIBLE
from infra.schema.migrator import READER_ROLE
from infra.store.recorder import LedgerRecorder
from projections.audit.checks.closing_check import closed_otherwise
from projections.audit.checks.round_check import UNREADABLE
from projections.calendar.gaming_day_settings import gaming_days, gaming_days_set
from projections.engine import storage
from projections.engine.connection import connect
from projections.engine.event_feed import Feed
from projections.engine.fold import Fold
from projections.engine.projection import Projection
from projections.engine.storage import LIVE, TEMPORARY, Connection, Writer
from projections.engine.table import Table
from projections.models.registry import ALL

FETCHED = 1_000  # differing rows at a time
NOT_ZERO: LiteralString = (
    "SELECT position, min(source), min(round), sum(debit) - sum(credit) FROM projections.journal "
    "GROUP BY position HAVING sum(debit) <> sum(credit) ORDER BY position"
)
Moved = Callable[[int], None]


class Comparison(Struct):
    """The projections' positions, furthest behind first, and how many rows were compared."""

    positions: dict[str, int] = {}
    rows: int = 0
    findings: list[Finding] = []


def comparable(database_url: str) -> tuple[list[str], list[str]]:
    """Return the projections whose tables have the current shape, and those that cannot be compared until they are
    rebuilt: tables of an earlier shape, or an unknown position."""
    with connect(database_url) as connection:
        row = connection.execute("SELECT to_regclass('projections.positions')").fetchone()
        if row is None or row[0] is None:
            return [], []
        statement: LiteralString = "SELECT name, fingerprint FROM projections.positions WHERE place = %s"
        stored: dict[str, str] = dict(connection.execute(statement, [LIVE]).fetchall())
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [LIVE]).fetchall()
    made = {table for (table,) in rows}
    todays = [name for name in ALL if stored.get(name) == ALL[name].fingerprint()]
    known = (name for name in ALL if name in stored or any(table.name in made for table in ALL[name].tables))
    return todays, [name for name in known if name not in todays]


def _positions(connection: Connection, names: Sequence[str]) -> dict[str, int]:
    rows = connection.execute(
        "SELECT name, position, fingerprint FROM projections.positions WHERE place = %s", [LIVE]
    ).fetchall()
    found = {name: position for name, position, fingerprint in rows if fingerprint == _fingerprint(name)}
    return {name: found[name] for name in names if name in found}


def _fingerprint(name: str) -> str | None:
    return ALL[name].fingerprint() if name in ALL else None


def compare(database_url: str, names: Sequence[str], moved: Moved | None = None) -> Comparison:
    """Compare projections; `moved` is called with the number of events of each folded page."""
    compared = Comparison()
    with (
        LedgerRecorder(database_url, role=READER_ROLE, connections_at_most=2) as recorder,
        connect(database_url) as connection,
    ):
        again = _FoldedAgain(connection, recorder, moved)
        try:
            try:
                compared.positions = _positions(connection, names)
                again.fold_to(compared.positions)
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
                compared.positions = _positions(connection, names)
                again.fold_to(compared.positions)
            except (*UNREADABLE, *IMPOSSIBLE) as error:
                compared.findings.append(_cannot_fold_again(compared.positions, error))
                return compared
            for name in compared.positions:
                for table in ALL[name].tables:
                    compared.rows += _count(connection, table)
                    compared.findings += _differences(connection, ALL[name], table)
            if "journal" in compared.positions:
                compared.findings += _not_zero(connection)
                compared.findings += closed_otherwise(connection, recorder, compared.positions["journal"])
        finally:
            connection.execute("ROLLBACK")
    return compared


class _Group(NamedTuple):
    """Projections at the same position: all of them, unless one was rebuilt alone."""

    names: frozenset[str]
    position: int
    fold: Fold


class _FoldedAgain:
    """The projections' tables recomputed from events, as temporary tables of a connection."""

    def __init__(self, connection: Connection, recorder: LedgerRecorder, moved: Moved | None) -> None:
        connection.execute("SET temp_buffers = '32MB'")
        self._connection, self._feed, self._moved = connection, Feed(recorder), moved
        self._groups: list[_Group] = []
        self._calendars: list[dict[str, Any]] = []

    def fold_to(self, positions: dict[str, int]) -> None:
        """Fold from the current position, or from the beginning if that does not lead there."""
        if not self._groups or not self._leads_to(positions):
            self._begin(positions)
        for at, group in enumerate(self._groups):
            upto = positions[next(iter(group.names))]
            group.fold.fold_all(
                self._connection, Writer(TEMPORARY), upto=upto, progress=self._moved, after=group.position
            )
            self._groups[at] = group._replace(position=upto)

    def _leads_to(self, positions: dict[str, int]) -> bool:
        """Return False if a projection was rebuilt meanwhile and is no longer at its group's position, or gaming days
        were set."""
        to = [{positions.get(name, -1) for name in group.names} for group in self._groups]
        onward = all(
            len(ends) == 1 and min(ends) >= group.position for ends, group in zip(to, self._groups, strict=True)
        )
        known = frozenset[str]().union(*(group.names for group in self._groups))
        return onward and known == positions.keys() and self._calendars == gaming_days_set(self._connection)

    def _begin(self, positions: dict[str, int]) -> None:
        connection = self._connection
        self._groups, self._calendars = [], gaming_days_set(connection)
        for upto in sorted(set(positions.values())):
            projections = [ALL[name] for name, position in positions.items() if position == upto]
            for projection in projections:
                storage.drop(connection, TEMPORARY, projection.tables)
                storage.create(connection, TEMPORARY, projection.tables)
            names = frozenset(projection.name for projection in projections)
            self._groups.append(_Group(names, 0, Fold(projections, self._feed, gaming_days(connection))))


def _cannot_fold_again(positions: dict[str, int], error: Exception) -> Finding:
    names = ", ".join(positions)
    what = f"The events, as they are stored, no longer lead to rows of {names}: {type(error).__name__}: {error}"
    return Finding("projection", what, stream=f"projections/{next(iter(positions), '')}")


def _count(connection: Connection, table: Table) -> int:
    row = connection.execute(SQL("SELECT count(*) FROM {}").format(Identifier(LIVE, table.name))).fetchone()
    return 0 if row is None else int(row[0])


def _differing(table: Table) -> Composed:
    stored, expected = (SQL(", ").join(Identifier(side, name) for name in table.columns) for side in ("s", "e"))
    key = SQL(" AND ").join(SQL("s.{0} = e.{0}").format(Identifier(name)) for name in table.key)
    return SQL(
        "SELECT {stored}, {expected} FROM {live} s FULL JOIN {again} e ON {key} "
        "WHERE ROW({stored}) IS DISTINCT FROM ROW({expected})"
    ).format(
        stored=stored,
        expected=expected,
        live=Identifier(LIVE, table.name),
        again=Identifier(TEMPORARY, table.name),
        key=key,
    )


def _differences(connection: Connection, projection: type[Projection], table: Table) -> Iterator[Finding]:
    names = list(table.columns)
    width = len(names)
    cursor = connection.execute(_differing(table))
    while rows := cursor.fetchmany(FETCHED):
        for row in rows:
            stored = dict(zip(names, row[:width], strict=True))
            expected = dict(zip(names, row[width:], strict=True))
            yield _difference(projection.name, table, stored, expected)


def _difference(name: str, table: Table, stored: dict[str, Any], expected: dict[str, Any]) -> Finding:
    gone, extra = stored[table.key[0]] is None, expected[table.key[0]] is None
    known = expected if gone else stored
    key = ", ".join(f"{column} {known[column]}" for column in table.key)
    figures: tuple[str | None, str | None] = (None, None)
    if gone:
        what = f"In {table.name} the row of {key} is missing."
        figures = (_row(table, expected), None)
    elif extra:
        what = f"In {table.name} there is a row of {key}, and no event leads to it."
        figures = (None, _row(table, stored))
    else:
        names = [column for column in table.columns if stored[column] != expected[column]]
        mine = ", ".join(f"{column} {_value(table, column, expected[column])}" for column in names)
        theirs = ", ".join(f"{column} {_value(table, column, stored[column])}" for column in names)
        what = f"In {table.name}, in the row of {key}, the events make it {mine}; stored is {theirs}."
        figures = (mine, theirs)
    return Finding(
        "projection",
        what,
        round=known.get("round"),
        table=known.get("table_id"),
        bettor=known.get("bettor"),
        expected=figures[0],
        found=figures[1],
        stream=f"projections/{name}",
        position=known.get("position"),
    )


def _row(table: Table, row: dict[str, Any]) -> str:
    return ", ".join(f"{column} {_value(table, column, value)}" for column, value in row.items() if value is not None)


NO_MONEY = frozenset({"position", "rounds", "tips", "fees_count", "changes", "bank_seat"})


def _value(table: Table, column: str, value: Any) -> str:
    is_money = table.columns[column].startswith("bigint") and column not in NO_MONEY and isinstance(value, int)
    return money(value) if is_money else str(value)


def _not_zero(connection: Connection) -> Iterator[Finding]:
    for position, source, round_, over in connection.execute(NOT_ZERO).fetchall():
        what = f"The entries of {source} at position {position} do not sum to zero: {money(int(over))} is left over."
        found = money(int(over))
        yield Finding("journal", what, round=round_, expected="0.00", found=found, position=position)

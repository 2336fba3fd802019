"""Searches rounds among the projected hands, newest first, page by page.

A page continues after the last row of the one before (its time and its id), so that new rounds do not move it. Every
search walks an index in that order: of all rounds, of a table's, of a bettor's, or of the few that are voided, short,
corrected, noted or late.
"""

from __future__ import annotations

import csv
import io
from datetime import date, datetime
from typing import Any, LiteralString

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from infra.access.callers import Caller
from projections.views.blindness import table_of_round
from projections.views.books import Books
from projections.views.named_rows import Row, filters_set, select, shown
from projections.views.paging import cursor_at, read_cursor

MOST_EXPORTED = 10_000
PAGE_EXPORTED = 500
AMOUNTS = frozenset({"action", "wagered", "paid", "collected", "shortfall", "fee"})
COLUMNS: LiteralString = (
    "round, table_id, ruleset, opened_at, ended_at, gaming_day, shift, status, player_dealer, seats, bettors, "
    "dealer_hand, made, outcomes, action, wagered, paid, collected, shortfall, fee, waived, voided, corrected, notes, "
    "late, disputed, dealer"
)
SHOWN: LiteralString = "h." + COLUMNS.replace(", ", ", h.")
CONDITIONS: dict[str, LiteralString] = {
    "table": "h.table_id = %(table)s",
    "bettor": "b.bettor = %(bettor)s",
    "seat": "%(seat)s = ANY(h.seats)",
    "since": "h.opened_at >= %(since)s",
    "until": "h.opened_at < %(until)s",
    "day": "h.gaming_day = %(day)s",
    "shift": "h.shift = %(shift)s",
    "ruleset": "h.ruleset = %(ruleset)s",
    "status": "h.status = %(status)s",
    "outcome": "h.outcomes @> ARRAY[%(outcome)s::text]",
    "made": "(h.made @> ARRAY[%(made)s::text] OR h.dealer_hand = %(made)s)",
    "least": "h.wagered >= %(least)s",
    "most": "h.wagered <= %(most)s",
    "dealer": "coalesce(h.dealer, 'nobody') = %(dealer)s",
    "player_dealer": "h.player_dealer = %(player_dealer)s",
    "after": "(h.opened_at, h.round) < (%(after_at)s, %(after_round)s)",
    "before": "(h.opened_at, h.round) > (%(before_at)s, %(before_round)s)",
}
# For one bettor: their own seats and outcomes count, and the index of their rounds is walked.
OF_A_BETTOR: dict[str, LiteralString] = {
    "seat": "%(seat)s = ANY(b.seats)",
    "since": "b.opened_at >= %(since)s",
    "until": "b.opened_at < %(until)s",
    "outcome": "b.outcomes @> ARRAY[%(outcome)s::text]",
    "after": "(b.opened_at, b.round) < (%(after_at)s, %(after_round)s)",
    "before": "(b.opened_at, b.round) > (%(before_at)s, %(before_round)s)",
}
# Written out, not compared with a value, so that the planner sees that a partial index fits.
FLAGS: dict[str, dict[bool, LiteralString]] = {
    "shortfall": {True: "h.shortfall > 0", False: "h.shortfall <= 0"},
    "voided": {True: "h.status = 'void'", False: "h.status <> 'void'"},
    "corrected": {True: "h.corrected > 0", False: "h.corrected <= 0"},
    "noted": {True: "h.notes > 0", False: "h.notes <= 0"},
    "late": {True: "h.late", False: "NOT h.late"},
    "disputed": {True: "h.disputed > 0", False: "h.disputed <= 0"},
    "waived": {True: "h.waived IS NOT NULL", False: "h.waived IS NULL"},
}


class RoundFilter(Struct, frozen=True):
    """Amounts are cents. `after` is the last row of the page before; `before` walks back from a row.

    With a bettor, `seat` and `outcome` are theirs; without one, `outcome` is that of any wager, at `seat` if given.
    """

    table: str | None = None
    bettor: str | None = None
    seat: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    day: date | None = None
    shift: str | None = None
    ruleset: str | None = None
    status: str | None = None
    outcome: str | None = None
    made: str | None = None
    least: int | None = None
    most: int | None = None
    shortfall: bool | None = None
    voided: bool | None = None
    corrected: bool | None = None
    noted: bool | None = None
    late: bool | None = None
    disputed: bool | None = None
    waived: bool | None = None
    dealer: str | None = None
    player_dealer: str | None = None
    after: tuple[datetime | None, str] | None = None
    before: tuple[datetime | None, str] | None = None


def find_rounds(books: Books, caller: Caller, wanted: RoundFilter, limit: int, asked: str) -> Row:
    """`asked` is what is recorded of the look."""
    statement, values = statement_for(_of_own_table(caller, wanted))
    books.bring_up_to_date("hands")
    found = select(books.database, statement, {**values, "limit": limit + 1})
    books.record_look(caller, "search", asked)
    page = found[:limit]
    return {
        "rounds": [_shown(row) for row in page],
        "cursor": cursor_at(page[-1]["opened_at"], page[-1]["round"]) if len(found) > limit else None,
    }


def export_rounds(books: Books, caller: Caller, wanted: RoundFilter, format_: str, asked: str) -> bytes:
    """All rounds of a search as a file, newest first, as far as a file can sensibly go."""
    rows: list[Row] = []
    cursor: str | None = None
    while len(rows) < MOST_EXPORTED:
        found = find_rounds(books, caller, replace(wanted, after=read_cursor(cursor)), PAGE_EXPORTED, asked)
        rows += found["rounds"]
        cursor = found["cursor"]
        if cursor is None:
            break
    books.record_look(caller, f"export as {format_}", asked)
    if format_ == "json":
        return msgspec.json.encode({"rounds": rows})
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(rows[0] if rows else ["round"])
    writer.writerows([" ".join(map(str, it)) if isinstance(it, list) else it for it in row.values()] for row in rows)
    return file.getvalue().encode()


def find_neighbours(books: Books, caller: Caller, wanted: RoundFilter, round_id: str) -> dict[str, str | None]:
    """The rounds just after and just before one in time, among those that a search finds."""
    wanted, here = _of_own_table(caller, wanted), (None, round_id)
    for table in table_of_round(books.ledger, round_id) or ():
        caller.check_table(table)
    books.bring_up_to_date("hands")
    newer, newer_values = statement_for(replace(wanted, before=here), "'newer', h.round")
    older, older_values = statement_for(replace(wanted, after=here), "'older', h.round")
    statement: LiteralString = f"({newer}) UNION ALL ({older})"
    for unknown in ("%(before_at)s", "%(after_at)s"):
        statement = statement.replace(unknown, "(SELECT opened_at FROM projections.hands WHERE round = %(here)s)")
    found = dict(books.database.rows(statement, {**newer_values, **older_values, "here": round_id, "limit": 1}))
    return {"newer": found.get("newer"), "older": found.get("older")}


def _of_own_table(caller: Caller, wanted: RoundFilter) -> RoundFilter:
    if caller.role != "terminal":
        return wanted
    wanted = replace(wanted, table=wanted.table or caller.table)
    caller.check_table(wanted.table)
    return wanted


def _shown(row: Row) -> Row:
    return {**shown(row, AMOUNTS), "outcomes": [outcome for outcome in row["outcomes"] if "/" not in outcome]}


def statement_for(wanted: RoundFilter, columns: LiteralString = SHOWN) -> tuple[LiteralString, dict[str, Any]]:
    values = filters_set(wanted)
    of_a_bettor = wanted.bettor is not None
    conditions = [FLAGS[name][value] for name, value in values.items() if name in FLAGS]
    shapes = {**CONDITIONS, **(OF_A_BETTOR if of_a_bettor else {})}
    conditions += [shapes[name] for name in values if name in shapes]
    statement: LiteralString = f"SELECT {columns} FROM projections.hands h"
    if of_a_bettor:
        statement += " JOIN projections.hands_bettors b ON b.round = h.round"
    if conditions:
        statement += " WHERE " + " AND ".join(conditions)
    along: LiteralString = "b" if of_a_bettor else "h"
    way: LiteralString = "DESC" if wanted.before is None else "ASC"
    statement += f" ORDER BY {along}.opened_at {way}, {along}.round {way} LIMIT %(limit)s"
    for name in ("after", "before"):
        if name in values:
            values[f"{name}_at"], values[f"{name}_round"] = values.pop(name)
    if wanted.outcome is not None and wanted.seat is not None:
        values["outcome"] = f"{wanted.seat}/{wanted.outcome}"
    return statement, values

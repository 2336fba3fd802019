"""Looking for rounds among the projected hands, newest first, page by page.

A page goes on from the last row of the one before (its time and its id), so that rounds which come in the meantime move
nothing. Every search walks an index in that order: of all rounds, of a table's, of a bettor's, or of the few that are
voided, short, corrected, noted or late. The tables belong to `projections.hands`; here they are only asked.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, LiteralString

from msgspec import Struct
from msgspec.structs import replace

from infra.database import Database

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
# The same where a bettor is asked for: his own seats and outcomes count, and the walk is along his own rounds.
OF_A_BETTOR: dict[str, LiteralString] = {
    "seat": "%(seat)s = ANY(b.seats)",
    "since": "b.opened_at >= %(since)s",
    "until": "b.opened_at < %(until)s",
    "outcome": "b.outcomes @> ARRAY[%(outcome)s::text]",
    "after": "(b.opened_at, b.round) < (%(after_at)s, %(after_round)s)",
    "before": "(b.opened_at, b.round) > (%(before_at)s, %(before_round)s)",
}
# Written out, not compared with a value, so that the index of the few that are so can be seen to fit.
FLAGS: dict[str, dict[bool, LiteralString]] = {
    "shortfall": {True: "h.shortfall > 0", False: "h.shortfall <= 0"},
    "voided": {True: "h.status = 'void'", False: "h.status <> 'void'"},
    "corrected": {True: "h.corrected > 0", False: "h.corrected <= 0"},
    "noted": {True: "h.notes > 0", False: "h.notes <= 0"},
    "late": {True: "h.late", False: "NOT h.late"},
    "disputed": {True: "h.disputed > 0", False: "h.disputed <= 0"},
    "waived": {True: "h.waived IS NOT NULL", False: "h.waived IS NULL"},
}


class Wanted(Struct, frozen=True):
    """What is looked for; amounts are cents. `after` is the last row that was seen; `before` walks back from it.

    With a bettor, `seat` and `outcome` are his; without one, `outcome` is that of any wager, at `seat` if it is given.
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


def neighbours(database: Database, wanted: Wanted, round_id: str) -> tuple[str | None, str | None]:
    """The rounds just after and just before one in time, among those that are looked for; when that one was opened is
    looked up on the way."""
    here = (None, round_id)
    newer, newer_values = statement_for(replace(wanted, before=here), "'newer', h.round")
    older, older_values = statement_for(replace(wanted, after=here), "'older', h.round")
    statement: LiteralString = f"({newer}) UNION ALL ({older})"
    for unknown in ("%(before_at)s", "%(after_at)s"):
        statement = statement.replace(unknown, "(SELECT opened_at FROM projections.hands WHERE round = %(here)s)")
    values = {**newer_values, **older_values, "here": round_id, "limit": 1}
    found: dict[str, str] = dict(database.read(lambda cursor: cursor.execute(statement, values).fetchall()))
    return found.get("newer"), found.get("older")


def search(database: Database, wanted: Wanted, limit: int) -> list[dict[str, Any]]:
    statement, values = statement_for(wanted)
    rows = database.read(lambda cursor: cursor.execute(statement, {**values, "limit": limit}).fetchall())
    names = COLUMNS.split(", ")
    return [dict(zip(names, row, strict=True)) for row in rows]


def statement_for(wanted: Wanted, columns: LiteralString = SHOWN) -> tuple[LiteralString, dict[str, Any]]:
    values = {name: value for name in Wanted.__struct_fields__ if (value := getattr(wanted, name)) is not None}
    of_a_bettor = wanted.bettor is not None
    said = [FLAGS[name][value] for name, value in values.items() if name in FLAGS]
    shapes = {**CONDITIONS, **(OF_A_BETTOR if of_a_bettor else {})}
    said += [shapes[name] for name in values if name in shapes]
    statement: LiteralString = f"SELECT {columns} FROM projections.hands h"
    if of_a_bettor:
        statement += " JOIN projections.hands_bettors b ON b.round = h.round"
    if said:
        statement += " WHERE " + " AND ".join(said)
    along: LiteralString = "b" if of_a_bettor else "h"
    way: LiteralString = "DESC" if wanted.before is None else "ASC"
    statement += f" ORDER BY {along}.opened_at {way}, {along}.round {way} LIMIT %(limit)s"
    for name in ("after", "before"):
        if name in values:
            values[f"{name}_at"], values[f"{name}_round"] = values.pop(name)
    if wanted.outcome is not None and wanted.seat is not None:
        values["outcome"] = f"{wanted.seat}/{wanted.outcome}"
    return statement, values

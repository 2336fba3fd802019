"""Looking for rounds among the projected hands, newest first, page by page.

A page goes on from the last row of the one before (its time and its id), so that rounds which come in the meantime move
nothing. The table belongs to `projections.hands`; here it is only asked.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, LiteralString

from msgspec import Struct

from infra.database import Database

COLUMNS: LiteralString = (
    "round, table_id, ruleset, opened_at, ended_at, gaming_day, shift, status, player_dealer, seats, bettors, "
    "dealer_hand, made, action, wagered, paid, collected, shortfall, fee, waived, voided, corrected, notes"
)
CONDITIONS: dict[str, LiteralString] = {
    "table": "table_id = %(table)s",
    "bettor": "round IN (SELECT round FROM projections.hands_bettors WHERE bettor = %(bettor)s)",
    "seat": "%(seat)s = ANY(seats)",
    "since": "opened_at >= %(since)s",
    "until": "opened_at < %(until)s",
    "day": "gaming_day = %(day)s",
    "shift": "shift = %(shift)s",
    "ruleset": "ruleset = %(ruleset)s",
    "status": "status = %(status)s",
    "made": "(%(made)s = ANY(made) OR dealer_hand = %(made)s)",
    "least": "wagered >= %(least)s",
    "most": "wagered <= %(most)s",
    "shortfall": "(shortfall > 0) = %(shortfall)s",
    "voided": "(status = 'void') = %(voided)s",
    "corrected": "(corrected > 0) = %(corrected)s",
    "noted": "(notes > 0) = %(noted)s",
    "after": "(opened_at, round) < (%(after_at)s, %(after_round)s)",
}


class Wanted(Struct, frozen=True):
    """What is looked for; amounts are cents. `after` is the last row that was seen."""

    table: str | None = None
    bettor: str | None = None
    seat: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    day: date | None = None
    shift: str | None = None
    ruleset: str | None = None
    status: str | None = None
    made: str | None = None
    least: int | None = None
    most: int | None = None
    shortfall: bool | None = None
    voided: bool | None = None
    corrected: bool | None = None
    noted: bool | None = None
    after: tuple[datetime, str] | None = None


def search(database: Database, wanted: Wanted, limit: int) -> list[dict[str, Any]]:
    asked = {name: value for name in Wanted.__struct_fields__ if (value := getattr(wanted, name)) is not None}
    statement: LiteralString = f"SELECT {COLUMNS} FROM projections.hands"
    if asked:
        statement += " WHERE " + " AND ".join(CONDITIONS[name] for name in asked)
    statement += " ORDER BY opened_at DESC, round DESC LIMIT %(limit)s"
    values: dict[str, Any] = {**asked, "limit": limit}
    if wanted.after is not None:
        values["after_at"], values["after_round"] = values.pop("after")
    rows = database.read(lambda cursor: cursor.execute(statement, values).fetchall())
    names = COLUMNS.split(", ")
    return [dict(zip(names, row, strict=True)) for row in rows]

"""Every table as it is now: session, round in play, what is on the layout, and what the bank may have to pay."""

from __future__ import annotations

import time
from typing import Any

from domain.money import money
from domain.view.streets import streets_of
from domain.view.table_view import on_layout
from infra.aggregates.open_rounds import OpenRound
from projections.queries.floor import on_the_floor
from projections.views.books import Books

FLAGS = ("short", "voided", "corrected", "noted")


def floor_now(books: Books) -> dict[str, Any]:
    books.bring_up_to_date("tables", "collections")
    books.clock.refresh()
    now = books.clock.now()
    rows = on_the_floor(books.database, now)
    seen = books.open_rounds.look([row["round"] for row in rows if row["round"] is not None and row["open"]])
    return {
        "gaming_day": now.day.isoformat(),
        "shift": now.shift,
        "at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "tables": [_table(books, row, seen.get(row["round"])) for row in rows],
    }


def _table(books: Books, row: dict[str, Any], seen: OpenRound | None) -> dict[str, Any]:
    names = ("table", "session", "ruleset", "open", "box", "dealer", "players", "rounds", "rounds_in_shift")
    return {
        **{name: row[name] for name in names},
        "opened_at": row["opened_at"].isoformat(),
        "fees": money(row["fees"]),
        "flags": {name: row[name] for name in FLAGS},
        "round": None if seen is None else _round_now(books, row, seen),
    }


def _round_now(books: Books, row: dict[str, Any], seen: OpenRound) -> dict[str, Any]:
    """A round up to one of its versions never looks otherwise, and most tables have not moved since the last look."""
    return books.floor_rounds.get((row["round"], seen.version), lambda: _round(row, seen))


def _round(row: dict[str, Any], seen: OpenRound) -> dict[str, Any]:
    """The last round. Before no more bets its exposure is not known; a house bank has no wager to hold it against."""
    round_, wagered = seen.round, on_layout(seen.round)
    street = streets_of(round_.game, seen.events)[-1].name
    closed = round_.seats is not None
    bank = None
    if round_.bank is not None:
        bank = {
            "bettor": round_.bank.bettor,
            "seat": round_.bank.seat,
            "turn": round_.opened.turn,
            "wager": money(round_.bank.wager),
        }
    return {
        "id": row["round"],
        "version": seen.version,
        "status": round_.status,
        "street": street,
        "opened_at": row["round_at"].isoformat(),
        "bank": bank,
        "button": round_.button,
        "seats": len(wagered),
        "on_layout": money(sum(wagered.values())),
        "action": money(round_.action) if closed else None,
        "liability": money(round_.liability) if closed else None,
        "fee": None if round_.fee is None else money(round_.fee.amount),
        "paid": money(round_.paid),
        "collected": money(round_.collected),
    }

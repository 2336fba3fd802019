"""Every table as it is now: session, round in play, wagers on the layout, and what the bank may have to pay."""

from __future__ import annotations

import time
from datetime import date
from typing import Any, LiteralString

from domain.money import money
from domain.view.streets import streets_of
from domain.view.table_view import on_layout
from infra.access.callers import Caller
from infra.aggregates.open_rounds import OpenRound
from infra.ledger.feed import FeedReader
from projections.views.named_rows import select
from projections.views.read_side import ReadSide

# Fees and counts are of one shift, found by the keys of their tables.
ON_THE_FLOOR: LiteralString = """
SELECT t.table_id AS "table", t.session, t.opened_at, t.ruleset, t.open, t.box, t.dealer, t.players, t.rounds,
    t.round, t.round_at, t.round_status, t.player_dealer, t.bank_seat, t.turn,
    coalesce((SELECT sum(c.fees - c.waived) FROM projections.collections c
        WHERE c.gaming_day = %(day)s AND c.shift = %(shift)s AND c.table_id = t.table_id), 0)::bigint AS fees,
    coalesce(s.rounds, 0) AS rounds_in_shift, coalesce(s.voided, 0) AS voided, coalesce(s.short, 0) AS short,
    coalesce(s.corrected, 0) AS corrected, coalesce(s.noted, 0) AS noted
FROM projections.tables t
LEFT JOIN projections.tables_shifts s
    ON s.gaming_day = %(day)s AND s.shift = %(shift)s AND s.table_id = t.table_id
ORDER BY t.open DESC, t.table_id
"""
LATEST_DAY: LiteralString = (
    "SELECT least((SELECT max(gaming_day) FROM projections.inventory),"
    " (SELECT max(gaming_day) FROM projections.journal_tray_counts)) AS day"
)
FLAGS = ("short", "voided", "corrected", "noted")


def listen(read_side: ReadSide, caller: Caller, table: str | None, after: int) -> FeedReader:
    """Return what happens at a table, or at every one, after an event. The listener is recorded."""
    read_side.record_look(caller, "feed", f"{table or 'every table'} after {after}")
    return FeedReader(read_side.ledger)


def floor_now(read_side: ReadSide) -> dict[str, Any]:
    read_side.bring_up_to_date("tables", "collections")
    read_side.clock.refresh()
    now = read_side.clock.now()
    rows = select(read_side.database, ON_THE_FLOOR, now._asdict())  # open tables first
    seen = read_side.open_rounds.look([row["round"] for row in rows if row["round"] is not None and row["open"]])
    return {
        "gaming_day": now.day.isoformat(),
        "shift": now.shift,
        "at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "tables": [_table(read_side, row, seen.get(row["round"])) for row in rows],
    }


def _table(read_side: ReadSide, row: dict[str, Any], seen: OpenRound | None) -> dict[str, Any]:
    names = ("table", "session", "ruleset", "open", "box", "dealer", "players", "rounds", "rounds_in_shift")
    return {
        **{name: row[name] for name in names},
        "opened_at": row["opened_at"].isoformat(),
        "fees": money(row["fees"]),
        "flags": {name: row[name] for name in FLAGS},
        "round": None if seen is None else _round_now(read_side, row, seen),
    }


def _round_now(read_side: ReadSide, row: dict[str, Any], seen: OpenRound) -> dict[str, Any]:
    """Return the round as shown, cached by version: most tables have not changed since the last look."""
    return read_side.floor_rounds.get((row["round"], seen.version), lambda: _round(row, seen))


def _round(row: dict[str, Any], seen: OpenRound) -> dict[str, Any]:
    """Return the last round. Its exposure is unknown before bets close; a house bank has no wager to compare it
    with."""
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


def any_table(read_side: ReadSide) -> bool:
    """Return whether a table was ever opened."""
    read_side.bring_up_to_date("tables")
    return bool(read_side.database.rows("SELECT FROM projections.tables LIMIT 1"))


def latest_tray_day(read_side: ReadSide) -> date | None:
    """Return the last gaming day with both stretches and counts of trays, if any."""
    day: date | None = read_side.database.rows(LATEST_DAY)[0][0]
    return day

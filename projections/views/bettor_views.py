"""Bettors and player-dealers: lists of them, a bankroll over time, and how somebody banked turn by turn."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from domain.money import money
from infra.access.callers import Caller
from infra.store.database import Database
from projections.queries import bettors
from projections.views.books import Books, NotFound

AMOUNTS = frozenset(
    {
        *("wagered", "won", "lost", "fees", "net", "buy_ins", "cash_outs"),
        *("wager", "action", "liability", "paid", "collected", "shortfall", "change"),
    }
)


def find_bettors(books: Books, caller: Caller, like: str, after: str, limit: int, asked: str) -> dict[str, Any]:
    """`asked` is what is recorded of the look."""
    books.bring_up_to_date("bankroll")
    return _page(books, caller, "bettors", bettors.bettors, like, after, limit, asked)


def find_player_dealers(books: Books, caller: Caller, like: str, after: str, limit: int, asked: str) -> dict[str, Any]:
    books.bring_up_to_date("exposure")
    return _page(books, caller, "player_dealers", bettors.player_dealers, like, after, limit, asked)


def _page(
    books: Books,
    caller: Caller,
    what: str,
    ask: Callable[[Database, str, str, int], list[dict[str, Any]]],
    like: str,
    after: str,
    limit: int,
    asked: str,
) -> dict[str, Any]:
    found = ask(books.database, like, after, limit + 1)
    books.record_look(caller, what.replace("_", " "), asked)
    page = [_shown(row) for row in found[:limit]]
    return {what: page, "cursor": page[-1]["bettor"] if len(found) > limit else None}


def bankroll_for(books: Books, caller: Caller, bettor: str, last_days: int, limit: int) -> dict[str, Any]:
    books.bring_up_to_date("bankroll", "journal")
    found = bettors.bankroll(books.database, bettor, last_days, limit + 1)
    if found is None:
        raise NotFound(f"Nobody has played as {bettor}.")
    books.record_look(caller, "bankroll", bettor)
    since = found.total["last_day"] - timedelta(days=last_days - 1)
    before = held = sum(row["moved"] for row in found.held if row["gaming_day"] < since)
    ends = []
    for row in found.held:
        if row["gaming_day"] >= since:
            held += row["moved"]
            ends.append({"gaming_day": row["gaming_day"].isoformat(), "net": money(held)})
    moves = []
    for row in reversed(found.moves[-limit:]):
        moves.append({**_shown(row), "net": money(held)})
        if row["what"] not in ("buy-in", "cash-out"):
            held -= row["change"]
    return {
        **_shown(found.total),
        "days": [_shown(day) for day in found.days],
        "since": since.isoformat(),
        "before": money(before),
        "ends": ends,
        "moves": moves[::-1],
        "more": len(found.moves) > limit,
        "chips": [_shown(row) for row in found.chips[-limit:]],
    }


def banking_for(books: Books, caller: Caller, bettor: str, before: datetime | None, limit: int) -> dict[str, Any]:
    books.bring_up_to_date("exposure", "rotation")
    found = bettors.banked(books.database, bettor, before, limit + 1)
    if found is None:
        raise NotFound(f"{bettor} has not banked.")
    books.record_look(caller, "banking", bettor)
    sums, rounds = found
    cursor = rounds[limit - 1]["at"].astimezone(UTC).isoformat() if len(rounds) > limit else None
    return {**_shown(sums), "turns": _turns(rounds[:limit]), "cursor": cursor}


def _turns(rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rounds in a row at one table are a turn; a first round begins one. What a page cuts off is in the next one."""
    turns: list[list[dict[str, Any]]] = []
    at_table: dict[str, list[dict[str, Any]]] = {}
    for row in rounds:
        turn = at_table.get(row["table_id"])
        if turn is None or (turn[-1]["turn"] or 1) == 1:  # the one that comes later in time began its turn
            turn = at_table[row["table_id"]] = []
            turns.append(turn)
        turn.append(row)
    return [_turn(turn) for turn in turns]


def _turn(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    sums = {name: money(sum([row[name] for row in rounds])) for name in ("paid", "collected", "net", "shortfall")}
    shown = [_shown(row) for row in rounds]
    first = shown[-1]
    return {"table": first["table"], "at": first["at"], "seat": first["seat"], "rounds": shown, **sums}


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    shown = {}
    for name, value in row.items():
        if name in AMOUNTS:
            value = None if value is None else money(value)
        elif isinstance(value, date):
            value = _day_or_moment(value)
        shown["table" if name == "table_id" else name] = value
    return shown


def _day_or_moment(value: date) -> str:
    return (value.astimezone(UTC) if isinstance(value, datetime) else value).isoformat()

"""Bettors and player-dealers: lists of them, a bankroll over time, and how somebody banked turn by turn."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from starlette.responses import Response

from api.service import shapes
from api.service.operations import ID, Answer, Call, Operation, Param, answer
from api.service.problems import Problem
from api.service.reports import ID_SCHEMA, MOMENT_SCHEMA, READERS, read_matching, read_moment_of
from api.service.rounds import read_number, record_look
from domain.money import money
from infra.database import Database
from projections import people

BANKROLLS = frozenset(role for role, names in READERS.items() if "bankroll" in names)
BANKING = frozenset(role for role, names in READERS.items() if {"exposure", "rotation"} <= names)
PAGE = {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}
MOVES = {"type": "integer", "minimum": 1, "maximum": people.MOST_MOVES, "default": people.MOST_MOVES}
DAYS = {"type": "integer", "minimum": 1, "maximum": people.MOST_DAYS, "default": 7}
AMOUNTS = frozenset(
    {
        *("wagered", "won", "lost", "fees", "net", "buy_ins", "cash_outs"),
        *("wager", "action", "liability", "paid", "collected", "shortfall", "change"),
    }
)


async def find_bettors(call: Call) -> Response:
    return await _listed(call, "bettors", "bankroll", people.bettors)


async def find_player_dealers(call: Call) -> Response:
    return await _listed(call, "player_dealers", "exposure", people.player_dealers)


async def _listed(
    call: Call, what: str, projection: str, ask: Callable[[Database, str, str, int], list[dict[str, Any]]]
) -> Response:
    like, after = (read_matching(call, name, ID.pattern) or "" for name in ("like", "after"))
    limit = read_number(call, "limit", PAGE) or int(str(PAGE["default"]))

    def look() -> dict[str, Any]:
        call.service.projecting.bring_up_to_date(projection)
        found = ask(_database(call), like, after, limit + 1)
        record_look(call, what.replace("_", " "), call.request.url.query[:500])
        page = [_shown(row) for row in found[:limit]]
        return {what: page, "cursor": page[-1]["bettor"] if len(found) > limit else None}

    return answer(await call.in_thread(look))


async def get_bankroll(call: Call) -> Response:
    return answer(await call.in_thread(bankroll_for, call))


def bankroll_for(call: Call) -> dict[str, Any]:
    bettor, last_days = call.id("bettor"), read_number(call, "days", DAYS) or int(str(DAYS["default"]))
    limit = read_number(call, "limit", MOVES) or people.MOST_MOVES
    call.service.projecting.bring_up_to_date("bankroll", "journal")
    found = people.bankroll(_database(call), bettor, last_days, limit + 1)
    if found is None:
        raise Problem("not_found", f"Nobody has played as {bettor}.")
    record_look(call, "bankroll", bettor)
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


async def get_banking(call: Call) -> Response:
    return answer(await call.in_thread(banking_for, call))


def banking_for(call: Call) -> dict[str, Any]:
    bettor, before = call.id("bettor"), read_moment_of(call, "before")
    limit = read_number(call, "limit", PAGE) or int(str(PAGE["default"]))
    call.service.projecting.bring_up_to_date("exposure", "rotation")
    found = people.banked(_database(call), bettor, before, limit + 1)
    if found is None:
        raise Problem("not_found", f"{bettor} has not banked.")
    record_look(call, "banking", bettor)
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


# ---- plain values


def _database(call: Call) -> Database:
    return call.service.ledger.events.recorder.database


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


# ---- declared

_SUMS = {
    "rounds": 40, "wagered": "1250.00", "won": "610.00", "lost": "655.00", "fees": "0.00", "net": "-45.00",
    "buy_ins": "500.00", "cash_outs": "455.00",
}  # fmt: skip
_BETTOR = {"bettor": "p-1", "kind": "patron", **_SUMS, "last_day": "2026-03-08"}
_MOVED = {
    "at": "2026-03-08T20:16:40.007000+00:00", "source": "r-0001", "round": "r-0001", "table": "t1", "what": "settled",
    "change": "100.00",
}  # fmt: skip
_MOVE = {**_MOVED, "net": "-45.00"}
_BANKROLL = {
    **_BETTOR, "days": [{"gaming_day": "2026-03-08", **_SUMS}], "since": "2026-03-02", "before": "-145.00",
    "ends": [{"gaming_day": "2026-03-08", "net": "-45.00"}], "moves": [_MOVE], "more": False,
    "chips": [{**_MOVED, "round": None, "source": "t1/1/3", "what": "buy-in", "change": "500.00"}],
}  # fmt: skip
_BANKED = {
    "bettor": "tp-1", "rounds": 20, "settled": 19, "action": "4100.00", "liability": "12625.00", "paid": "900.00",
    "collected": "1350.00", "net": "450.00", "short_rounds": 1, "shortfall": "25.00",
    "last_at": "2026-03-08T20:15:30.000000+00:00",
}  # fmt: skip
_ROUND = {
    "round": "r-0001", "table": "t1", "at": "2026-03-08T20:15:30.000000+00:00", "status": "settled", "seat": 3,
    "turn": 1, "breach": None, "wager": "1000.00", "action": "50.00", "liability": "12625.00", "paid": "100.00",
    "collected": "0.00", "net": "-100.00", "shortfall": "0.00",
}  # fmt: skip
_TURN = {
    "table": "t1", "at": "2026-03-08T20:15:30.000000+00:00", "seat": 3, "rounds": [_ROUND], "paid": "100.00",
    "collected": "0.00", "net": "-100.00", "shortfall": "0.00",
}  # fmt: skip
_PAGING = (
    Param("like", ID_SCHEMA, "Only ids that begin so."),
    Param("after", ID_SCHEMA, "Only ids after this one."),
    Param("limit", PAGE, "How many a page has at most."),
)

OPERATIONS = (
    Operation(
        "GET",
        "/v1/bettors",
        "findBettors",
        "bettors",
        "Bettors with their bankrolls, by id",
        find_bettors,
        {200: Answer(shapes.BettorsFound, {"bettors": [_BETTOR], "cursor": None}, "A page of them.")},
        BANKROLLS,
        params=_PAGING,
    ),
    Operation(
        "GET",
        "/v1/bettors/{bettor}/bankroll",
        "getBankroll",
        "bettors",
        "A bettor's bankroll, day by day and move by move",
        get_bankroll,
        {200: Answer(shapes.BankrollShown, _BANKROLL, "His bankroll.")},
        BANKROLLS,
        "In whatever part he played. Moves are those of his last gaming days, as many as `days` says.",
        params=(
            Param("days", DAYS, "The gaming days, up to his last one, whose moves are told."),
            Param("limit", MOVES, "How many moves are told at most, the last ones; and how many times chips moved."),
        ),
    ),
    Operation(
        "GET",
        "/v1/player-dealers",
        "findPlayerDealers",
        "bettors",
        "Who has banked, and what came of it, by id",
        find_player_dealers,
        {200: Answer(shapes.PlayerDealersFound, {"player_dealers": [_BANKED], "cursor": None}, "A page of them.")},
        BANKING,
        params=_PAGING,
    ),
    Operation(
        "GET",
        "/v1/bettors/{bettor}/banking",
        "getBanking",
        "bettors",
        "How a player-dealer banked, turn by turn",
        get_banking,
        {200: Answer(shapes.Banking, {**_BANKED, "turns": [_TURN], "cursor": None}, "His turns, the last one first.")},
        BANKING,
        "What he put up, what he could have had to pay, what he paid and collected, and what was not covered.",
        params=(
            Param("before", MOMENT_SCHEMA, "Only rounds whose bets were closed before then."),
            Param("limit", PAGE, "How many rounds a page has at most."),
        ),
        problems=("bad_choice",),
    ),
)

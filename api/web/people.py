"""People under their ids: bettors with their bankrolls over time, player-dealers with their turns."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

from api.service.bettors import BANKING, BANKROLLS, banking_for, bankroll_for
from api.service.operations import Call
from api.service.problems import Problem
from api.web.page import Page, View
from api.web.rendering import Clock
from api.web.visit import Visit
from domain.money import cents
from projections import pictures

SPANS = ("1", "7", "30", "366")
# What the pictures are drawn with, as the pages call it in both themes.
COLOURS = {pictures.INK: "var(--text)", pictures.FAINT: "var(--line)", pictures.PAPER: "var(--panel)"}
ROUNDS_A_PAGE = "15"
MOVES_SHOWN = 10
MOVES_DRAWN = 60  # one by one; where there are more, a bankroll is drawn day by day


async def show_list(visit: Visit) -> View:
    """Bettors, or those who bank; whoever may see only one of the two gets that."""
    parts = [part for part, operation in PARTS.items() if visit.may(operation)]
    part = visit.query("of") or parts[0]
    if part not in parts:
        raise Problem("forbidden" if part in PARTS else "not_found", "There is no such list for you.")
    like = (visit.query("like") or "").strip().lower()
    found = await visit.ask(PARTS[part], query={"like": like or None, "after": visit.query("after")})
    key = "bettors" if part == "bettors" else "player_dealers"
    data = {
        "of": part,
        "parts": parts,
        "like": like,
        "people": found[key],
        "first": visit.query("after") is None,
        "next": None if found["cursor"] is None else f"/people?{_query(of=part, like=like, after=found['cursor'])}",
    }
    return View(data, title="People")


PARTS = {"bettors": "findBettors", "banking": "findPlayerDealers"}


def _query(**asked: str) -> str:
    return urlencode({name: value for name, value in asked.items() if value})


async def show_one(visit: Visit) -> View:
    bettor, days = visit.id("bettor"), visit.query("days") or "7"
    if days not in SPANS:
        raise Problem("bad_document", f"`days` is one of {', '.join(SPANS)}.")
    bankroll, banking, drawn = await visit.in_thread(_looked_at, visit, bettor, days)
    data = {
        "bettor": bettor,
        "days": days,
        "spans": SPANS,
        "bankroll": bankroll,
        "chips": [] if bankroll is None else bankroll["chips"][-MOVES_SHOWN:],
        "moves": [] if bankroll is None else bankroll["moves"][: -MOVES_SHOWN - 1 : -1],
        "banking": banking,
        "pictures": drawn,
        "may_search": visit.may("findRounds"),
    }
    return View(data, title=bettor, crumbs=(("People", "/people"),))


CHIPS = ("buy-in", "cash-out")


def _looked_at(visit: Visit, bettor: str, days: str) -> tuple[Any, Any, dict[str, str | None]]:
    """His bankroll, how he banked, and pictures of both; one of the two may not be there."""
    # The twin in JSON has them all.
    limit = None if visit.query("format") == "json" else str(MOVES_DRAWN)
    bankroll = _if_there(visit, bankroll_for, "getBankroll", bettor, {"days": days, "limit": limit})
    turns = {"limit": ROUNDS_A_PAGE, "before": visit.query("before")}
    banking = _if_there(visit, banking_for, "getBanking", bettor, turns)
    if bankroll is None and banking is None:
        raise Problem("not_found", f"Nobody has played as {bettor}.")
    return bankroll, banking, _pictures(visit, bettor, bankroll, banking)


def _if_there(
    visit: Visit, look: Callable[[Call], Any], operation: str, bettor: str, query: dict[str, str | None]
) -> Any:
    """What the operation answers; None for somebody who may not see it, and for a bettor who has none of it."""
    if not visit.may(operation):
        return None
    try:
        return look(visit.call(operation, {"bettor": bettor}, query=query))
    except Problem as problem:
        if problem.code != "not_found":
            raise
        return None


def _pictures(visit: Visit, bettor: str, bankroll: Any, banking: Any) -> dict[str, str | None]:
    clock = visit.service.site.clock
    clock.refresh()
    drawn: dict[str, str | None] = {"bankroll": None, "banking": None}
    if bankroll is not None:
        moves = _day_by_day(clock, bankroll) if bankroll["more"] else _move_by_move(clock, bankroll)
        drawn["bankroll"] = _themed(pictures.bankroll(bettor, moves, _signed(bankroll["before"])))
    if banking is not None:
        rounds = [{**row, "player_dealer": bettor} for turn in banking["turns"] for row in turn["rounds"]]
        drawn["banking"] = _themed(pictures.exposure(rounds[::-1]))
    return drawn


def _move_by_move(clock: Clock, bankroll: Any) -> list[tuple[datetime, int]]:
    moves = [one for one in bankroll["moves"] if one["what"] not in CHIPS]
    return [(clock.local(one["at"]), _signed(one["change"])) for one in moves]


def _day_by_day(clock: Clock, bankroll: Any) -> list[tuple[datetime, int]]:
    """What each gaming day changed, at its end."""
    nets = [_signed(amount) for amount in (bankroll["before"], *(day["net"] for day in bankroll["ends"]))]
    ends = [clock.end_of(date.fromisoformat(day["gaming_day"])) for day in bankroll["ends"]]
    return [(end, after - before) for end, (before, after) in zip(ends, pairwise(nets), strict=True)]


def _signed(amount: str) -> int:
    return -cents(amount[1:]) if amount.startswith("-") else cents(amount)


def _themed(picture: bytes) -> str:
    text = picture.decode()
    for fixed, named in COLOURS.items():
        text = text.replace(f'"{fixed}"', f'"{named}"')
    return text


PAGES = (
    Page("/people", "people", "People", "people.html", show_list, BANKROLLS | BANKING, nav="People"),
    Page("/people/{bettor}", "person", "Bettor", "person.html", show_one, BANKROLLS | BANKING, section="people"),
)

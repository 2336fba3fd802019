"""People by id: bettors with their bankrolls over time, player-dealers with their turns."""

from collections.abc import Callable
from datetime import date, datetime
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlencode

from fastapi import Query, Request, Response, Security

from api.pages import dependencies
from api.pages.forms import PageQuery, TypedId, texts
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address
from api.pages.responses import render, wants_json
from api.service import roles
from api.service.admission import ServiceOf, path_id
from api.service.fields import AsOf, Id
from domain.money import cents
from infra.access.callers import Caller, Forbidden
from projections.calendar.live_clock import LiveClock
from projections.export import charts
from projections.views.bettor_views import MOST_MOVES, banking_for, bankroll_for, find_bettors, find_player_dealers
from projections.views.read_side import NotFound, ReadSide

router = page_router()
PATH = "/people"
SECTION = "people"
Seeing = Annotated[Caller, Security(dependencies.caller, scopes=roles.PEOPLE)]
Span = Literal["1", "7", "30", "366"]
PEOPLE_A_PAGE = 50
ROUNDS_A_PAGE = 15
MOVES_SHOWN = 10
MOVES_DRAWN = 60  # single moves; with more, a bankroll is drawn day by day
CHIPS = ("buy-in", "cash-out")


class PeopleQuery(PageQuery):
    of: Literal["bettors", "banking"] | None = None
    like: TypedId | None = None
    after: Id | None = None


@router.get(PATH)
async def show_people(
    request: Request, service: ServiceOf, caller: Seeing, asked: Annotated[PeopleQuery, Query()]
) -> Response:
    """Show bettors, or those who bank; people who may see only one of the two get that."""
    parts = [part for part, may in (("bettors", roles.BANKROLLS), ("banking", roles.BANKING)) if caller.may(may)]
    part = asked.of or parts[0]
    if part not in parts:
        raise Forbidden("That list is not for you.")
    find, key = (find_bettors, "bettors") if part == "bettors" else (find_player_dealers, "player_dealers")
    page = asked.like or "", asked.after or "", PEOPLE_A_PAGE
    found = await service.run(find, service.read_side, caller, *page, urlencode(texts(asked)))
    data = {
        "of": part,
        "parts": parts,
        "like": asked.like or "",
        "people": found[key],
        "first": asked.after is None,
        "next": found["cursor"] and address(PATH, {"of": part, "like": asked.like, "after": found["cursor"]}),
    }
    return await render(request, "people.html", data, title="People", section=SECTION)


# ---- one of them


class PersonQuery(PageQuery):
    days: Span = "7"
    before: AsOf | None = None


@router.get(f"{PATH}/{{bettor}}")
async def show_person(
    request: Request,
    service: ServiceOf,
    caller: Seeing,
    bettor: Annotated[str, path_id("p-1", "The bettor's id.")],
    asked: Annotated[PersonQuery, Query()],
) -> Response:
    moves = MOST_MOVES if wants_json(request) else MOVES_DRAWN  # the JSON twin has them all
    bankroll, banking, pictures = await service.run(_looked_at, service.read_side, caller, bettor, asked, moves)
    data = {
        "bettor": bettor,
        "days": asked.days,
        "spans": get_args(Span),
        "bankroll": bankroll,
        "chips": [] if bankroll is None else bankroll["chips"][-MOVES_SHOWN:],
        "moves": [] if bankroll is None else bankroll["moves"][: -MOVES_SHOWN - 1 : -1],
        "banking": banking,
        "pictures": pictures,
        "may_search": caller.may(roles.SEEING),
    }
    return await render(request, "person.html", data, title=bettor, section=SECTION, crumbs=(("People", PATH),))


def _looked_at(
    read_side: ReadSide, caller: Caller, bettor: str, asked: PersonQuery, moves: int
) -> tuple[Any, Any, dict[str, str | None]]:
    """Return their bankroll, how they banked, and charts of both; one of the two may be missing."""
    bankroll = banking = None
    if caller.may(roles.BANKROLLS):
        bankroll = _if_there(lambda: bankroll_for(read_side, caller, bettor, int(asked.days), moves))
    if caller.may(roles.BANKING):
        banking = _if_there(lambda: banking_for(read_side, caller, bettor, asked.before, ROUNDS_A_PAGE))
    if bankroll is None and banking is None:
        raise NotFound(f"Nobody has played as {bettor}.")
    return bankroll, banking, _pictures(read_side.clock, bettor, bankroll, banking)


def _if_there(look: Callable[[], Any]) -> Any:
    try:
        return look()
    except NotFound:
        return None


def _pictures(clock: LiveClock, bettor: str, bankroll: Any, banking: Any) -> dict[str, str | None]:
    clock.refresh()
    drawn: dict[str, str | None] = {"bankroll": None, "banking": None}
    if bankroll is not None:
        moves = _day_by_day(clock, bankroll) if bankroll["more"] else _move_by_move(clock, bankroll)
        drawn["bankroll"] = charts.bankroll(bettor, moves, _signed(bankroll["before"])).decode()
    if banking is not None:
        rounds = [{**row, "player_dealer": bettor} for turn in banking["turns"] for row in turn["rounds"]]
        drawn["banking"] = charts.exposure(rounds[::-1]).decode()
    return drawn


def _move_by_move(clock: LiveClock, bankroll: Any) -> list[tuple[datetime, int]]:
    moves = [one for one in bankroll["moves"] if one["what"] not in CHIPS]
    return [(clock.local(one["at"]), _signed(one["change"])) for one in moves]


def _day_by_day(clock: LiveClock, bankroll: Any) -> list[tuple[datetime, int]]:
    """Return what each gaming day changed, at its end."""
    nets = [_signed(amount) for amount in (bankroll["before"], *(day["net"] for day in bankroll["ends"]))]
    ends = [clock.end_of(date.fromisoformat(day["gaming_day"])) for day in bankroll["ends"]]
    return [(end, after - before) for end, (before, after) in zip(ends, pairwise(nets), strict=True)]


def _signed(amount: str) -> int:
    return -cents(amount[1:]) if amount.startswith("-") else cents(amount)

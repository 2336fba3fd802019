"""Hands: rounds found by every filter that the search has, page by page; their addresses carry the search along."""

from typing import Annotated, Literal, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import searching_caller
from api.pages.forms import LocalMoment, PageQuery, Typed, on_the_clock, texts
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address
from api.pages.responses import attached, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import Cursor, Flag, GamingDay, Id, Money, Number, RulesetName, Word
from domain.money import cents, money
from domain.round.events import Outcome
from domain.rules.description import titles
from infra.access.callers import Caller
from projections.views.paging import read_cursor
from projections.views.rounds.round_search import RoundFilter, export_rounds, find_rounds

router = page_router()
files = APIRouter(include_in_schema=False)  # what is refused here is no page with a form
PATH = "/hands"
FLAGS = {
    "shortfall": "Bank fell short",
    "voided": "Voided",
    "corrected": "Corrected",
    "noted": "Noted by the floor",
    "late": "Entered late",
    "disputed": "Disputed",
    "waived": "Fee waived",
}
Status = Literal["open", "settled", "void"]
ALWAYS_SHOWN = frozenset({"table", "bettor", "day", "ruleset", "made"})
MADE = (
    "royal flush", "straight flush", "four of a kind", "full house", "flush", "straight", "three of a kind", "two pair",
    "pair", "high card", "mini royal", "pure 21.5", "bust",
)  # fmt: skip
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
PAGE_SHOWN = 25
Searching = Annotated[Caller, Security(searching_caller, scopes=roles.SEEING)]


class HandsFilters(PageQuery):
    table: Id | None = None
    bettor: Id | None = None
    seat: Annotated[Number, Field(ge=1, le=9)] | None = None
    day: GamingDay | None = None
    shift: Word | None = None
    since: LocalMoment | None = Field(None, alias="from")
    until: LocalMoment | None = Field(None, alias="to")
    ruleset: RulesetName | None = None
    status: Status | None = None
    outcome: Outcome | None = None
    made: Word | None = None
    least: Annotated[Money, Typed] | None = None
    most: Annotated[Money, Typed] | None = None
    player_dealer: Id | None = None
    dealer: Id | None = None
    shortfall: Flag | None = None
    voided: Flag | None = None
    corrected: Flag | None = None
    noted: Flag | None = None
    late: Flag | None = None
    disputed: Flag | None = None
    waived: Flag | None = None

    def wanted(self, cursor: str | None = None) -> RoundFilter:
        filters = self.model_dump(include=set(HandsFilters.model_fields))
        amounts = {name: None if filters[name] is None else cents(filters[name]) for name in ("least", "most")}
        return RoundFilter(**{**filters, **amounts}, after=read_cursor(cursor))


class HandsAsked(HandsFilters):
    cursor: Cursor | None = None


@router.get(PATH)
async def show_hands(
    request: Request, service: ServiceOf, caller: Searching, asked: Annotated[HandsAsked, Query()]
) -> Response:
    asked = await on_the_clock(service, asked)
    narrowed = texts(asked, "cursor")
    search = urlencode(narrowed)
    found = await service.run(find_rounds, service.books, caller, asked.wanted(asked.cursor), PAGE_SHOWN, search)
    refused = getattr(request.state, "refused", None) is not None
    data = {
        "rounds": [{**row, "net": money(cents(row["collected"]) - cents(row["paid"]))} for row in found["rounds"]],
        "asked": narrowed,
        "search": search,
        "older": found["cursor"] and address(PATH, narrowed, cursor=found["cursor"]),
        "first": asked.cursor is None,
        "more_filters": refused or any(name not in ALWAYS_SHOWN for name in narrowed),
        "choices": {
            "rulesets": titles(await service.run(service.ledger.rulebook.book)),
            "statuses": list(get_args(Status)),
            "outcomes": [(outcome, outcome.replace("_", " ")) for outcome in get_args(Outcome)],
            "made": list(MADE),
            "shifts": service.clock.shifts(),
            "flags": list(FLAGS.items()),
        },
    }
    return await render(request, "hands.html", data, title="Hands", section="hands")


# ---- files


class ExportAsked(HandsFilters):
    format: Literal["csv", "json"] = "csv"


@files.get(f"{PATH}/export")
async def export_hands(service: ServiceOf, caller: Searching, asked: Annotated[ExportAsked, Query()]) -> Response:
    """All rounds of a search, newest first, as far as a file can sensibly go; that somebody took them is recorded."""
    asked = await on_the_clock(service, asked)
    search = urlencode(texts(asked, "format"))
    body = await service.run(export_rounds, service.books, caller, asked.wanted(), asked.format, search)
    return attached(body, MEDIA_TYPES[asked.format], f"hands.{asked.format}")

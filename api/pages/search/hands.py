"""Hands: rounds found by every filter of the search, page by page; their addresses include the search."""

from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import searching_caller
from api.pages.forms import LocalMoment, PageQuery, Typed, TypedId, on_the_clock, texts
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address
from api.pages.responses import attached, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import (
    Cursor,
    Money,
    PositiveMoney,
    SignedMoney,
)
from api.service.round_filters import RoundFilters
from domain.money import cents, money
from domain.round.events import Outcome
from domain.round.state import RoundStatus
from domain.rules.description.contents import titles
from infra.access.callers import Caller, Forbidden
from infra.access.saved_searches import SavedSearches
from projections.views.paging import Cursor as Place
from projections.views.read_side import ReadSide
from projections.views.search.finder import find_things
from projections.views.search.round_filter import (
    PARTS_OF_DAY,
    WEEKDAYS,
    Order,
    RoundFilter,
    filter_of,
)
from projections.views.search.round_search import MOST_ROUGHLY_COUNTED, count_roughly, export_rounds, find_rounds

router = page_router()
files = APIRouter(include_in_schema=False)  # a refusal here is not a page with a form
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
ALWAYS_SHOWN = frozenset(
    {"table", "bettor", "day", "weekday", "part_of_day", "happened", "also", "lost_about", "won_about", "round", "sort"}
)
HAPPENED = {
    "split": "split",
    "double": "doubled",
    "insurance": "took insurance",
    "surrender": "surrendered",
    "raise": "raised, on any street",
    "raise preflop": "raised before the flop",
    "raise flop": "raised on the flop",
    "raise river": "raised on the river",
    "check": "checked",
    "play": "played",
    "fold": "folded",
    "hit": "hit",
    "stand": "stood",
    "shortfall": "not paid in full",
    "void": "round voided",
}
# What the form calls a filter without which something would be found.
NAMES = {
    "round": "the round's id", "table": "the table", "bettor": "the bettor", "seat": "the seat",
    "day": "the gaming day", "weekday": "the weekday", "part_of_day": "the time of day", "clock_from": "the clock",
    "clock_to": "the clock", "from": "the first time", "to": "the last time", "ruleset": "the rule set",
    "happened": "what happened", "also": "what also happened", "made": "the hand made", "lost_about": "the loss",
    "won_about": "the win", "net_least": "the least net", "net_most": "the most net", "least": "the least wagered",
    "most": "the most wagered",
}  # fmt: skip
ORDERS: dict[Order, str] = {
    "newest": "newest first",
    "oldest": "oldest first",
    "wagered": "most wagered",
    "won": "biggest win",
    "lost": "biggest loss",
}
MADE = (
    "royal flush", "straight flush", "four of a kind", "full house", "flush", "straight", "three of a kind", "two pair",
    "pair", "high card", "mini royal", "pure 21.5", "bust",
)  # fmt: skip
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
PAGE_SHOWN = 25
MOST_NARROWER = 8
MOST_SAVED = 8
MOST_SIMILAR = 8
COMPLETED = frozenset({"table", "bettor", "player_dealer", "dealer"})  # ids of which somebody may type the beginning
WORTH_NARROWING = 6  # rounds
Searching = Annotated[Caller, Security(searching_caller, scopes=roles.SEEING)]


class HandsFilters(PageQuery, RoundFilters):
    """The filters of programs, with times by the property's clock, and ids and amounts as people type them."""

    round: TypedId | None = None
    table: TypedId | None = None
    bettor: TypedId | None = None
    dealer: TypedId | None = None
    player_dealer: TypedId | None = None
    since: LocalMoment | None = Field(None, alias="from")
    until: LocalMoment | None = Field(None, alias="to")
    lost_about: Annotated[PositiveMoney, Typed] | None = None
    won_about: Annotated[PositiveMoney, Typed] | None = None
    net_least: Annotated[SignedMoney, Typed] | None = None
    net_most: Annotated[SignedMoney, Typed] | None = None
    least: Annotated[Money, Typed] | None = None
    most: Annotated[Money, Typed] | None = None
    sort: Order | None = None

    def wanted(self, cursor: str | None = None) -> RoundFilter:
        filters = self.model_dump(include=set(RoundFilters.model_fields))
        wanted = filter_of(filters, sort=self.sort or "newest")
        return wanted.after_cursor(None if cursor is None else Place.read(cursor))


class HandsQuery(HandsFilters):
    cursor: Cursor | None = None


@router.get(PATH)
async def show_hands(
    request: Request, service: ServiceOf, caller: Searching, asked: Annotated[HandsQuery, Query()]
) -> Response:
    asked = await on_the_clock(service, asked)
    narrowed = texts(asked, "cursor")
    search = urlencode(narrowed)
    found = await service.run(
        partial(find_rounds, counted=bool(narrowed)),
        *(service.read_side, caller, asked.wanted(asked.cursor), PAGE_SHOWN, search),
    )
    data = {
        "rounds": [{**row, "net": money(cents(row["collected"]) - cents(row["paid"]))} for row in found["rounds"]],
        "counts": found["counts"],
        "asked": narrowed,
        "search": search,
        "saved": await service.run(_saved, service.saved_searches, caller),
        "saving_roles": roles.READING,
        "older": found["cursor"] and address(PATH, narrowed, cursor=found["cursor"]),
        "first": asked.cursor is None,
        "of_somebody": asked.wanted().of_somebody,
        "narrower": _narrower(narrowed, found["counts"]),
        "wider": [],
        "similar": [],
        "most_counted": MOST_ROUGHLY_COUNTED,
        "more_filters": sum(name not in ALWAYS_SHOWN for name in narrowed),
        "choices": {
            "rulesets": titles(await service.run(service.ledger.rulebook.book)),
            "statuses": list(get_args(RoundStatus)),
            "outcomes": [(outcome, outcome.replace("_", " ")) for outcome in get_args(Outcome)],
            "made": list(MADE),
            "shifts": service.clock.shifts(),
            "flags": list(FLAGS.items()),
            "weekdays": [(day, day.capitalize()) for day in WEEKDAYS],
            "parts_of_day": [
                (part, f"{part}, {since // 60} to {until // 60} h") for part, (since, until) in PARTS_OF_DAY.items()
            ],
            "happened": list(HAPPENED.items()),
            "orders": list(ORDERS.items()),
        },
    }
    if narrowed and not found["rounds"]:
        data["wider"] = await service.run(_wider, service.read_side, caller, asked, narrowed)
        data["similar"] = await service.run(_similar, service.read_side, caller, narrowed)
    return await render(request, "hands.html", data, title="Hands", section="hands")


def _saved(searches: SavedSearches, caller: Caller) -> list[dict[str, Any]]:
    found = searches.seen_by(caller)[:MOST_SAVED]
    return [{"name": one.name, "search": one.search, "address": f"{PATH}?{one.search}"} for one in found]


def _narrower(asked: dict[str, str], counts: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return addresses of the same search with one more filter, and how many rounds each finds."""
    if counts is None or counts["rounds"] < WORTH_NARROWING:
        return []
    without = {name: value for name, value in asked.items() if name != "cursor"}
    free = next((name for name in ("happened", "also") if name not in asked), None)
    chosen = {asked.get("happened"), asked.get("also")}
    kinds = (
        ("What happened", free, {what: n for what, n in counts["happened"].items() if what not in chosen}),
        ("Table", "table", counts["tables"]),
        ("Gaming day", "day", counts["days"]),
    )
    found = []
    for title, name, values in kinds:
        if name is None or name in asked or len(values) < (1 if name == free else 2):
            continue
        most = sorted(values.items(), key=lambda one: (-one[1], one[0]))[:MOST_NARROWER]
        links = [
            {
                "value": value,
                "words": HAPPENED.get(value, value),
                "rounds": rounds,
                "address": address(PATH, without, **{name: value}),
            }
            for value, rounds in most
        ]
        found.append({"title": title, "name": name, "links": links})
    return found


def _wider(read_side: ReadSide, caller: Caller, asked: HandsFilters, narrowed: dict[str, str]) -> list[dict[str, Any]]:
    """Return, if nothing is found, the filters without any one of which something is, and how many rounds that
    finds."""
    found = []
    fields = {field.alias or name: name for name, field in HandsFilters.model_fields.items()}
    for name in narrowed:
        if name == "sort":
            continue
        without = asked.model_copy(update={fields[name]: None})
        with suppress(Forbidden):  # people who may count boxes may see their table, and not all
            if rounds := count_roughly(read_side, caller, without.wanted()):
                words = NAMES.get(name, FLAGS.get(name, name).lower())
                found.append(
                    {"name": name, "words": words, "rounds": rounds, "address": address(PATH, texts(without, "cursor"))}
                )
    return sorted(found, key=lambda one: one["rounds"])


def _similar(read_side: ReadSide, caller: Caller, narrowed: dict[str, str]) -> list[dict[str, Any]]:
    """Return the same search with the ids that begin like one that was typed, if nothing has that very id."""
    found = []
    for name in narrowed:
        if name not in COMPLETED or not caller.may(roles.FOUND[name]):
            continue
        things = find_things(read_side, caller, narrowed[name], [name], MOST_SIMILAR)
        ids = [thing["id"] for thing in things]
        if narrowed[name] not in ids:
            found += [{"id": id_, "address": address(PATH, {**narrowed, name: id_})} for id_ in ids]
    return found


# ---- files


class ExportQuery(HandsFilters):
    format: Literal["csv", "json"] = "csv"


@files.get(f"{PATH}/export")
async def export_hands(service: ServiceOf, caller: Searching, asked: Annotated[ExportQuery, Query()]) -> Response:
    """Export all rounds of a search, newest first, as far as a file can sensibly go; the export is recorded."""
    asked = await on_the_clock(service, asked)
    search = urlencode(texts(asked, "format"))
    body = await service.run(export_rounds, service.read_side, caller, asked.wanted(), asked.format, search)
    return attached(body, MEDIA_TYPES[asked.format], f"hands.{asked.format}")

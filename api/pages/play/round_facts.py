"""Facts stated about rounds: supervisors, decks, misdeals, hands held up; with forms to state them."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Form, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import Command, plain_caller, searching_caller
from api.pages.forms import FormModel, PageQuery, texts
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import About, ServiceOf, check_tables
from api.service.fields import GamingDay, Id, Text
from domain.errors import BadChoice
from domain.floor.table_sessions import DeckColour
from domain.regulation.round_facts import MisdealOutcome
from infra.access.callers import Caller
from projections.reports.report import Filters
from projections.views.blindness import check_sight_of_round, table_of_round
from projections.views.read_side import ReadSide
from projections.views.report_views import first_sections

router = page_router()
PATH = "/facts"
MOST_ROWS = 50
SECTIONS = {
    "jackpots": "Progressive wins and supervisors",
    "decks-seen": "Decks as dealers saw them",
    "misdeals": "Misdeals that were noticed",
    "hands-held": "Hands held face up until paid",
}
Reading = Annotated[Caller, Security(searching_caller, scopes=roles.READING)]
Stating = Annotated[Caller, Security(plain_caller, scopes=roles.FLOOR)]


class FactsQuery(PageQuery):
    table: Id | None = None
    gaming_day: GamingDay | None = None
    round: Id | None = None


@router.get(PATH)
@router.get(f"{PATH}/supervisor")
@router.get(f"{PATH}/deck")
@router.get(f"{PATH}/misdeal")
@router.get(f"{PATH}/hands")
async def show_facts(
    request: Request, service: ServiceOf, caller: Reading, asked: Annotated[FactsQuery, Query()]
) -> Response:
    data = {
        "asked": texts(asked),
        "sections": await service.run(_sections, service.read_side, caller, asked),
        "may_state": caller.may(roles.FLOOR),
    }
    crumbs = (("Disputes", "/disputes"),)
    return await render(request, "facts.html", data, title="Facts about rounds", section="disputes", crumbs=crumbs)


def _sections(read_side: ReadSide, caller: Caller, asked: FactsQuery) -> list[dict[str, Any]]:
    filters = Filters(table=asked.table, gaming_day=asked.gaming_day, round=asked.round)
    shown = {name: (title, filters) for name, title in SECTIONS.items()}
    return first_sections(read_side, caller, shown, MOST_ROWS, urlencode(texts(asked)))


async def _check(request: Request, caller: Caller, round_id: str) -> None:
    """A form names its round in a field: people who may count boxes are not told whether it is stored."""
    about = About(lambda service, *_: table_of_round(service.ledger, round_id), check_sight_of_round)
    await check_tables(request, caller, about)


class SupervisorForm(FormModel):
    round: Id
    supervisor: Id


@router.post(f"{PATH}/supervisor")
async def call_supervisor(
    request: Request, service: ServiceOf, caller: Stating, form: Annotated[SupervisorForm, Form()], writing: Command
) -> Response:
    await _check(request, caller, form.round)
    await writing.store(
        lambda receipt: service.ledger.call_supervisor(form.round, form.supervisor, writing.actor, receipt)
    )
    return go(request, f"{PATH}?round={form.round}", f"{form.supervisor} was called for round {form.round}.")


class DeckForm(FormModel):
    round: Id
    colour: DeckColour


@router.post(f"{PATH}/deck")
async def see_deck(
    request: Request, service: ServiceOf, caller: Stating, form: Annotated[DeckForm, Form()], writing: Command
) -> Response:
    await _check(request, caller, form.round)
    await writing.store(lambda receipt: service.ledger.see_deck(form.round, form.colour, writing.actor, receipt))
    return go(request, f"{PATH}?round={form.round}", f"Round {form.round} was dealt from the {form.colour} deck.")


class MisdealForm(FormModel):
    round: Id
    place: Text
    expected: Annotated[int, Field(ge=0, le=52)]
    found: Annotated[int, Field(ge=0, le=52)]
    outcome: MisdealOutcome
    note: Text


@router.post(f"{PATH}/misdeal")
async def notice_misdeal(
    request: Request, service: ServiceOf, caller: Stating, form: Annotated[MisdealForm, Form()], writing: Command
) -> Response:
    await _check(request, caller, form.round)
    said = form.place, form.expected, form.found, form.outcome, form.note
    await writing.store(lambda receipt: service.ledger.notice_misdeal(form.round, *said, writing.actor, receipt))
    return go(request, f"{PATH}?round={form.round}", f"The misdeal of round {form.round} is stored.")


class HandsForm(FormModel):
    round: Id
    seats: Text


@router.post(f"{PATH}/hands")
async def hold_hands(
    request: Request, service: ServiceOf, caller: Stating, form: Annotated[HandsForm, Form()], writing: Command
) -> Response:
    await _check(request, caller, form.round)
    words = form.seats.replace(",", " ").split()
    if not all(word.isascii() and word.isdecimal() and len(word) < 3 for word in words):
        raise BadChoice("Seats are their numbers, like 1, 3.")
    seats = [int(word) for word in words]
    await writing.store(lambda receipt: service.ledger.hold_hands(form.round, seats, writing.actor, receipt))
    return go(request, f"{PATH}?round={form.round}", f"The hands of round {form.round} were held until they were paid.")

"""The register of proposition players and whom they banked for; with forms to register, end, name and erase."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Form, Query, Request, Response, Security

from api.pages.dependencies import Command, caller, plain_caller
from api.pages.forms import FormModel, PageQuery, texts
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, Id, Text
from infra.access.callers import Caller
from infra.ledger.regulation.proposition_players import names_of
from projections.reports.report import Filters
from projections.views.read_side import ReadSide
from projections.views.report_views import first_sections

router = page_router()
PATH = "/propositions"
MOST_ROWS = 200
Reading = Annotated[Caller, Security(caller, scopes=roles.READING)]
Registering = Annotated[Caller, Security(plain_caller, scopes=roles.ADOPTING)]


class PropositionsQuery(PageQuery):
    first: GamingDay | None = None
    last: GamingDay | None = None


@router.get(PATH)
@router.get(f"{PATH}/end")
@router.get(f"{PATH}/name")
async def show_propositions(
    request: Request, service: ServiceOf, caller: Reading, asked: Annotated[PropositionsQuery, Query()]
) -> Response:
    data = {
        "asked": texts(asked),
        "sections": await service.run(_sections, service.read_side, caller, asked),
        "names": await service.run(names_of, service.read_side.database),
        "may_register": caller.may(roles.ADOPTING),
    }
    crumbs = (("Rules", "/rules"),)
    return await render(request, "propositions.html", data, title="Proposition players", section="rules", crumbs=crumbs)


def _sections(read_side: ReadSide, caller: Caller, asked: PropositionsQuery) -> list[dict[str, Any]]:
    filters = Filters(first=asked.first, last=asked.last)
    shown = {
        "proposition-players": ("Register", filters),
        "proposition-banks": ("Who banked for which company", filters),
    }
    return first_sections(read_side, caller, shown, MOST_ROWS, urlencode(texts(asked)))


class RegisterForm(FormModel):
    bettor: Id
    company: Text
    registration: Text
    first_day: GamingDay
    last_day: GamingDay | None = None


@router.post(PATH)
async def register(
    request: Request, service: ServiceOf, caller: Registering, form: Annotated[RegisterForm, Form()], writing: Command
) -> Response:
    said = form.company, form.registration, form.first_day, form.last_day
    await writing.store(lambda receipt: service.ledger.register_proposition(form.bettor, *said, writing.actor, receipt))
    return go(request, PATH, f"{form.bettor} plays for {form.company} from {form.first_day} on.")


class PlayerEndForm(FormModel):
    bettor: Id
    last_day: GamingDay


@router.post(f"{PATH}/end")
async def end(
    request: Request,
    service: ServiceOf,
    caller: Registering,
    form: Annotated[PlayerEndForm, Form()],
    writing: Command,
) -> Response:
    await writing.store(
        lambda receipt: service.ledger.end_proposition(form.bettor, form.last_day, writing.actor, receipt)
    )
    return go(request, PATH, f"The registration of {form.bettor} ends with {form.last_day}.")


class PlayerNameForm(FormModel):
    bettor: Id
    name: Text | None = None


@router.post(f"{PATH}/name")
async def name(
    request: Request, service: ServiceOf, caller: Registering, form: Annotated[PlayerNameForm, Form()]
) -> Response:
    """Set the name; an empty one erases it."""
    if form.name is None:
        await service.run(service.ledger.erase_name, form.bettor)
        return go(request, PATH, f"The name of {form.bettor} is erased.")
    await service.run(service.ledger.name_proposition, form.bettor, form.name, caller.by)
    return go(request, PATH, f"The name of {form.bettor} is kept.")

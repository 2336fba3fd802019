"""Cash at the cage: a buy-in or a cash-out, and the cash log of a gaming day."""

from typing import Annotated

import msgspec
from fastapi import Form, Query, Request, Response, Security

from api.pages.dependencies import Command, caller, plain_caller
from api.pages.forms import FormModel, PageQuery, Typed
from api.pages.page_route import page_router
from api.pages.rendering.addresses import exports, neighbouring_days
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, Id, PositiveMoney, Text
from api.service.idempotency import Answer
from domain.books.cash import Marked, Way
from domain.money import cents, dollars
from infra.access.callers import Caller
from infra.ledger.books.cash import name_patron
from projections.views.books.cash_views import CashMoved, cash_shown, moved_shown, take_cash

router = page_router()
PATH = "/cash"
NAME = f"{PATH}/name"
SECTION = "cash"
FORMATS = ("csv", "xlsx", "pdf", "json")


class CashQuery(PageQuery):
    gaming_day: GamingDay | None = None


class CashForm(FormModel):
    way: Way
    bettor: Id | None = None
    description: Text | None = None
    amount: Annotated[PositiveMoney, Typed]
    means: Marked


class PatronNameForm(FormModel):
    patron: Id
    name: Text


@router.get(PATH)
@router.get(NAME)
async def show_cash(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(caller, scopes=roles.CASH)],
    asked: Annotated[CashQuery, Query()],
) -> Response:
    today = service.clock.now().day
    day = asked.gaming_day or today
    found = await service.run(cash_shown, service.read_side, caller, day)
    data = {
        **found,
        **neighbouring_days(PATH, {}, day, today),
        "may_take": caller.may(roles.CAGE),
        "may_name": caller.may(roles.NAMING_PATRONS),
        "exports": exports("cash-log", FORMATS, {"gaming_day": day.isoformat()}),
    }
    return await render(request, "cash.html", data, title="Cash", section=SECTION)


@router.post(PATH)
async def take(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.CAGE)],
    form: Annotated[CashForm, Form()],
    writing: Command,
) -> Response:
    def answer(moved: CashMoved) -> Answer:
        return Answer(200, msgspec.json.encode(moved_shown(moved)))

    move = form.way, form.bettor, form.description, cents(form.amount), form.means
    done = await writing.store(lambda receipt: take_cash(service.read_side, *move, writing.actor, receipt), answer)
    moved = msgspec.json.decode(done.body)
    what = "buy-in" if form.way == "in" else "cash-out"
    stored = f"The {what} of {moved['bettor']} is stored: {dollars(cents(form.amount))}, {form.means}."
    return go(request, PATH, f"{stored} {moved['alert']}" if moved["alert"] else stored)


@router.post(NAME)
async def name(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.NAMING_PATRONS)],
    form: Annotated[PatronNameForm, Form()],
) -> Response:
    await service.run(name_patron, service.ledger, form.patron, form.name, caller.by)
    return go(request, PATH, f"It is noted who {form.patron} is.")

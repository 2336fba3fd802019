"""Closing a gaming day or a month on a page: what it lacks, with links, its balances, and two signatures."""

from typing import Annotated

from fastapi import Depends, Form, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import Command, caller, plain_caller, second_person
from api.pages.forms import FormModel, PageQuery
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf
from api.service.fields import Id, Text
from infra.access.callers import Caller
from projections.closing.closing_views import PERIOD_PATTERN, closing_shown, period_of, periods_of

router = page_router()
PATH = "/close"
Closing = Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)]
Second = Annotated[SecondPerson, Depends(second_person(*roles.CLOSING))]
PeriodName = Annotated[str, Field(pattern=PERIOD_PATTERN)]


class CloseQuery(PageQuery):
    period: PeriodName | None = None


class CloseForm(FormModel):
    period: PeriodName
    explanation: Text | None = None
    second_person: Id


class ReopenForm(FormModel):
    period: PeriodName
    reason: Text
    second_person: Id


@router.get(PATH)
@router.get(f"{PATH}/reopen")
async def show_close(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(caller, scopes=roles.BOOKS)],
    asked: Annotated[CloseQuery, Query()],
) -> Response:
    refused = getattr(request.state, "refused", None)
    sent = None if refused is None else refused.sent.get("period")
    name = asked.period or sent or service.clock.now().day.isoformat()
    found = await service.run(closing_shown, service.books, caller, name)
    period = period_of(name)
    data = {
        **found,
        "month": f"{period.first:%Y-%m}",
        "is_month": period.is_month,
        "may_close": caller.may(roles.ACCOUNTING),
        "uncounted": any(one["explains"] for one in found["missing"]),
        "complete": all(one["explains"] for one in found["missing"]),
    }
    title = f"Month {period.first:%B %Y}" if period.is_month else f"Close {period.first:%d %b %Y}"
    crumbs = (("Days", f"/days?gaming_day={period.first}"),)
    return await render(request, "close.html", data, title=title, section="days", crumbs=crumbs)


@router.post(PATH)
async def close(
    request: Request,
    service: ServiceOf,
    caller: Closing,
    form: Annotated[CloseForm, Form()],
    writing: Command,
    second: Second,
) -> Response:
    period = period_of(form.period)
    await service.once(
        writing.once,
        lambda receipt: periods_of(service.books).close(
            period, form.explanation, second.signed(form.second_person), writing.actor, receipt
        ),
    )
    return go(request, f"{PATH}?period={period.name}", f"{period.name} is closed.")


@router.post(f"{PATH}/reopen")
async def reopen(
    request: Request,
    service: ServiceOf,
    caller: Closing,
    form: Annotated[ReopenForm, Form()],
    writing: Command,
    second: Second,
) -> Response:
    period = period_of(form.period)
    await service.once(
        writing.once,
        lambda receipt: periods_of(service.books).reopen(
            period, form.reason, second.signed(form.second_person), writing.actor, receipt
        ),
    )
    return go(request, f"{PATH}?period={period.name}", f"{period.name} is open again.")

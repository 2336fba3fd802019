"""Closing a gaming day or a month on a page: what it lacks, with links, its balances, and two signatures."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import Depends, Form, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import Command, SecondSigner, caller, plain_caller
from api.pages.forms import FormModel, PageQuery
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf
from api.service.fields import Id, Text
from infra.access.callers import Caller
from projections.reports.report import total_of
from projections.views.books.closing_views import PERIOD_PATTERN, Period, closing_shown, period_of, periods_of

router = page_router()
PATH = "/close"
DAY = timedelta(days=1)
SIDES = ("debit", "credit", "balance")
Closing = Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)]
Second = Annotated[SecondPerson, Depends(SecondSigner(*roles.CLOSING))]
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
    today = service.clock.now().day
    name = asked.period or sent or today.isoformat()
    found = await service.run(closing_shown, service.read_side, caller, name)
    period = period_of(name)
    data = {
        **found,
        "by_kind": _by_kind(found["balances"]),
        "before": _period_address(period, period.first - DAY, today),
        "after": _period_address(period, period.last + DAY, today),
        "month": f"{period.first:%Y-%m}",
        "first": period.first.isoformat(),
        "last": period.last.isoformat(),
        "is_month": period.is_month,
        "may_close": caller.may(roles.ACCOUNTING),
        "uncounted": any(one["explains"] for one in found["missing"]),
        "complete": all(one["explains"] for one in found["missing"]),
    }
    title = f"Closing of {period.first:{'%B %Y' if period.is_month else '%d %b %Y'}}"
    crumbs = (("Days", f"/days?gaming_day={period.first}"),)
    return await render(request, "close.html", data, title=title, section="days", crumbs=crumbs)


def _period_address(period: Period, day: date, today: date) -> str | None:
    """Return the address of the day or the month that this day is of, if it has begun."""
    return None if day > today else f"{PATH}?period={day:{'%Y-%m' if period.is_month else '%Y-%m-%d'}}"


def _by_kind(balances: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add up the accounts that are of one kind, such as those of all boxes."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for one in balances:
        kinds.setdefault(one["account"].partition(":")[0], []).append(one)
    return [
        {"kind": kind, "accounts": len(rows), **{name: total_of(row[name] for row in rows) for name in SIDES}}
        for kind, rows in kinds.items()
    ]


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
    await writing.store(
        lambda receipt: periods_of(service.read_side).close(
            period, form.explanation, second.signed(form.second_person), writing.actor, receipt
        )
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
    await writing.store(
        lambda receipt: periods_of(service.read_side).reopen(
            period, form.reason, second.signed(form.second_person), writing.actor, receipt
        )
    )
    return go(request, f"{PATH}?period={period.name}", f"{period.name} is open again.")

"""A gaming day for accounting software: its lines, the entries behind them, its exports, and the chart of accounts."""

from typing import Annotated, Any

import msgspec
from fastapi import Form, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import Command, caller, plain_caller
from api.pages.forms import FormModel, PageQuery
from api.pages.page_route import page_router
from api.pages.rendering.addresses import neighbouring_days
from api.pages.responses import attached, go, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, OneOf, Text
from api.service.idempotency import Answer
from domain.books.chart_of_accounts import starter
from domain.books.exports import PROGRAMS
from infra.access.callers import Caller
from infra.ledger.books.charts import keep_chart
from projections.views.books.journal_views import (
    ExportedDay,
    chart_shown,
    entries_for,
    export_day,
    export_shown,
    journal_shown,
)
from projections.views.read_side import NotFound

router = page_router()
PATH = "/journals"
CHART = f"{PATH}/chart"
MOST_ENTRIES = 200
WORDS = {name: name for name in PROGRAMS} | {"csv": "CSV", "quickbooks": "QuickBooks Online", "xero": "Xero"}


class JournalQuery(PageQuery):
    gaming_day: GamingDay | None = None
    code: Text | None = None


class ExportForm(FormModel):
    gaming_day: GamingDay
    program: Annotated[str, OneOf(PROGRAMS)]


class ChartForm(FormModel):
    text: Annotated[str, Field(max_length=100_000)]


@router.get(PATH)
@router.get(CHART)
async def show_journal(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(caller, scopes=roles.BOOKS)],
    asked: Annotated[JournalQuery, Query()],
) -> Response:
    today = service.clock.now().day
    day = asked.gaming_day or today
    found = await service.run(journal_shown, service.read_side, caller, day)
    behind = None
    if asked.code is not None and found["refusal"] is None:
        behind = await service.run(entries_for, service.read_side, caller, day, asked.code, MOST_ENTRIES)
    data: dict[str, Any] = {
        **found,
        **neighbouring_days(PATH, {}, day, today),
        "behind": behind,
        "chart": await service.run(_chart, service.read_side),
        "starter": starter(),
        "programs": list(WORDS.items()),
        "may_export": caller.may(roles.ACCOUNTING),
    }
    crumbs = (("Days", f"/days?gaming_day={day}"),)
    title = f"Journal of {day:%d %b %Y}"
    return await render(request, "journals.html", data, title=title, section="days", crumbs=crumbs)


@router.post(PATH)
async def export(
    service: ServiceOf,
    caller: Annotated[Caller, Security(caller, scopes=roles.ACCOUNTING)],
    form: Annotated[ExportForm, Form()],
    writing: Command,
) -> Response:
    """Return the file itself; the page lists it the next time."""

    def answer(exported: ExportedDay) -> Answer:
        return Answer(200, msgspec.json.encode(export_shown(exported)))

    made = await writing.store(
        lambda receipt: export_day(service.read_side, form.gaming_day, form.program, writing.actor, receipt), answer
    )
    file = msgspec.json.decode(made.body)
    media_type = "text/csv" if file["name"].endswith(".csv") else "text/plain"
    return attached(file["file"].encode(), media_type, file["name"])


@router.post(CHART)
async def keep(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)],
    form: Annotated[ChartForm, Form()],
    writing: Command,
) -> Response:
    text = form.text.replace("\r\n", "\n").rstrip("\n") + "\n"
    await writing.store(lambda receipt: keep_chart(service.ledger, text, writing.actor, receipt))
    return go(request, PATH, "The chart of accounts is kept.")


def _chart(read_side: Any) -> dict[str, Any] | None:
    try:
        return chart_shown(read_side)
    except NotFound:
        return None

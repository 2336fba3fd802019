"""The journal in the property's own accounts: the chart, a day's entry, what is behind it, and its export."""

from typing import Annotated, Any

from fastapi import Path, Query, Response, Security

from api.http.answers import plain, respond
from api.http.dependencies import Command, caller, plain_caller
from api.http.problems import problems, stored
from api.http.resource import resource
from api.http.schemas.books import journals as schemas
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay
from infra.access.callers import Caller
from infra.ledger.books.charts import keep_chart
from projections.views.books import journal_views

router = resource("journals")
Reading = Annotated[Caller, Security(caller, scopes=roles.BOOKS)]
Accounting = Annotated[Caller, Security(caller, scopes=roles.ACCOUNTING)]
Day = Annotated[GamingDay, Path(description="The gaming day.", examples=["2026-09-21"])]


@router.get("/chart", response_model=schemas.ChartOut)
async def get_chart(service: ServiceOf, caller: Annotated[Caller, Security(plain_caller, scopes=roles.BOOKS)]) -> Any:
    """The property's chart of accounts: where each account of the journal belongs in its books."""
    return await service.run(journal_views.chart_shown, service.read_side)


@router.put("/chart", response_model=schemas.ChartStored, responses=stored("The chart.", "conflict"))
async def put_chart(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)],
    body: schemas.ChartIn,
    writing: Command,
) -> Response:
    """Give the chart of accounts that exports use from now on."""
    return respond(
        await writing.store(
            lambda receipt: keep_chart(service.ledger, body.text, writing.actor, receipt),
            plain(lambda kept: {"text": kept.text}),
        )
    )


@router.get("/journals/{day}", response_model=schemas.DayJournalOut)
async def get_day_journal(service: ServiceOf, caller: Reading, day: Day) -> Any:
    """A gaming day as one entry in the property's own accounts, and when it was exported."""
    return await service.run(journal_views.journal_with_sources, service.read_side, caller, day)


@router.get("/journals/{day}/entries", response_model=schemas.EntriesBehind)
async def get_entries_behind(
    service: ServiceOf, caller: Reading, day: Day, asked: Annotated[schemas.BehindFilters, Query()]
) -> Any:
    """The entries, each with its round, that a line of the day adds up."""
    return await service.run(journal_views.entries_for, service.read_side, caller, day, asked.code, asked.limit)


@router.post(
    "/journals/{day}/exports",
    response_model=schemas.JournalExportOut,
    responses={**stored("The file.", "conflict"), **problems("bad_choice")},
)
async def export_journal(
    service: ServiceOf, caller: Accounting, day: Day, body: schemas.JournalExportIn, writing: Command
) -> Response:
    """Write a gaming day for accounting software. Every export is recorded, and `notice` reports one before it."""
    return respond(
        await writing.store(
            lambda receipt: journal_views.export_day(service.read_side, day, body.format, writing.actor, receipt),
            plain(journal_views.export_shown),
        )
    )

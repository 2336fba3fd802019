"""Reports in the formats of the command line, fees, a gaming day or a shift on one sheet, and what waits."""

from typing import Annotated, Any, Literal

from fastapi import Path, Query, Request, Response, Security

from api.http import dependencies
from api.http.answers import attached, encoded
from api.http.dependencies import plain_caller, searching_caller
from api.http.examples import EXAMPLES
from api.http.problems import answers, problems
from api.http.resource import resource
from api.http.schemas.reports import (
    FeeFilters,
    FeesOut,
    HomeOut,
    InspectionFilters,
    InspectionOut,
    ReportFilters,
    SummaryFilters,
    SummaryOut,
)
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import OneOf
from infra.access.callers import Caller
from projections.reports.report import Filters
from projections.views.home.first_page import first_page_for
from projections.views.report_views import FORMATS, NAMES, report_file
from projections.views.summary_views import (
    day_sheet_for,
    day_summary_for,
    fees_for,
    inspection_for,
    inspection_sheet_for,
)

router = resource("reports")
FILES: dict[str, Any] = {
    media_type: {"schema": {"type": "string"}} for media_type in FORMATS.values() if media_type != FORMATS["json"]
}
ROWS: dict[str, Any] = {FORMATS["json"]: {"examples": {"bankroll": {"value": EXAMPLES["report"]}}}}


@router.get(
    "/reports/{name}",
    response_model=list[dict[str, Any]],
    responses={
        **problems("bad_choice"),
        **answers(200, "Its rows, or the same in another format.", content={**ROWS, **FILES}),
    },
)
async def get_report(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(searching_caller, scopes=roles.REPORTS)],
    name: Annotated[str, OneOf(NAMES), Path(description="Which report.", examples=["bankroll"])],
    asked: Annotated[ReportFilters, Query()],
) -> Response:
    """A report.

    Today's rows come from the projections; with `as_of`, `from` or `to` they are computed from the events."""
    format_ = asked.format
    body = await service.run(report_file, service.read_side, caller, name, asked.filters(), format_, request.url.query)
    if format_ == "json":
        return Response(body, media_type=FORMATS["json"])
    return attached(body, FORMATS[format_], f"{name}.{format_}")


@router.get("/fees", response_model=FeesOut, response_model_exclude_unset=True, responses=problems("bad_choice"))
async def get_fees(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(searching_caller, scopes=roles.COLLECTIONS)],
    asked: Annotated[FeeFilters, Query()],
) -> Response:
    """Collection fees by day, shift, table and tier: the same fees totalled in several ways.

    Over the last seven days with fees, or from `first` to `last`; the report `collections` has single rows."""
    wanted = Filters(**asked.model_dump())
    return encoded(await service.run(fees_for, service.read_side, caller, wanted, request.url.query))


@router.get(
    "/summaries/{name}",
    response_model=SummaryOut,
    responses={
        **problems("bad_choice"),
        **answers(
            200,
            "Totals and what they are made of.",
            content={"application/pdf": {"schema": {"type": "string"}}},
        ),
    },
)
async def get_summary(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.BOOKS)],
    name: Annotated[Literal["day", "shift"], Path(description="Which summary.", examples=["day"])],
    asked: Annotated[SummaryFilters, Query()],
) -> Response:
    """The summary of a gaming day or a shift.

    Of the named day, or the shift of it; by default the current one."""
    filters = Filters(**asked.model_dump(exclude={"format"}))
    if asked.format == "pdf":
        sheet = await service.run(day_sheet_for, service.read_side, caller, name, filters, request.url.query)
        return attached(sheet, "application/pdf", f"{name}.pdf")
    return encoded(await service.run(day_summary_for, service.read_side, caller, name, filters, request.url.query))


@router.get("/home", response_model=HomeOut)
async def get_home(
    service: ServiceOf, caller: Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
) -> Response:
    """What waits for the caller, and the figures of the last gaming day, compared with the day and the week before.

    People who may count boxes get no figures, and nothing that follows from play, while a box has not been counted."""
    return encoded(await service.run(first_page_for, service.read_side, caller))


@router.get(
    "/inspection",
    response_model=InspectionOut,
    responses={
        **problems("bad_choice"),
        **answers(
            200,
            "What an inspector asks for.",
            content={"application/pdf": {"schema": {"type": "string"}}},
        ),
    },
)
async def get_inspection(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.BOOKS)],
    asked: Annotated[InspectionFilters, Query()],
) -> Response:
    """What an inspector asks of a range of gaming days.

    Rule sets in force with their approvals, postings, the rotation, fees against the schedule, voids and waivers,
    decks, jackpots, banks of proposition players, disputes, and the integrity of the record. By default the current
    day."""
    filters = Filters(**asked.model_dump(exclude={"format"}))
    if asked.format == "pdf":
        sheet = await service.run(inspection_sheet_for, service.read_side, caller, filters, request.url.query)
        return attached(sheet, "application/pdf", "inspection.pdf")
    return encoded(await service.run(inspection_for, service.read_side, caller, filters, request.url.query))

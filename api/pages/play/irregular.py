"""Irregularities: payments that differ, contradictions of hidden cards, card frequencies, shortfalls, voids and
waivers, each row leading to its hands."""

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response, Security
from pydantic import Field

from api.pages import dependencies
from api.pages.forms import PageQuery, texts
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address, sorting
from api.pages.rendering.descriptions import descriptions
from api.pages.responses import attached, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, Id, OneOf, SortColumn
from infra.access.callers import Caller
from projections.reports.report import Filters
from projections.reports.report_list import report_named
from projections.views import report_views
from projections.views.report_views import first_rows

router = page_router()
files = APIRouter(include_in_schema=False)  # what is refused here is no page with a form
PATH = "/irregular"
Reading = Annotated[Caller, Security(dependencies.caller, scopes=roles.READING)]
REPORTS = {
    "irregular-payments": "Payments that differ",
    "hidden-card-contradictions": "Hidden cards",
    "take-backs-by-dealer": "Take-backs by dealer",
    "take-backs": "Take-backs",
    "card-frequencies": "Card frequencies",
    "shortfalls": "Shortfalls",
    "voids": "Voids",
    "waivers": "Waivers",
}
WHAT = descriptions("irregularities")
FIRST = next(iter(REPORTS))
FORMATS = ("csv", "xlsx", "pdf")
ROWS_SHOWN = 25  # by default
LEFT_OUT = frozenset(
    {
        "hand",
        "step",
        "degrees",
        "decks",
        "gaming_day",
        "shift",
        "reported_by",
        "ruleset",
        "wager",
        "most_seen",
        "least_seen",
    }
)  # on the page; the files have every column


class IrregularFilters(PageQuery):
    table: Id | None = None
    gaming_day: GamingDay | None = None
    dealer: Id | None = None
    sort: SortColumn | None = None

    def filters(self) -> Filters:
        return Filters(table=self.table, gaming_day=self.gaming_day, dealer=self.dealer, sort=self.sort)


class IrregularQuery(IrregularFilters):
    report: Annotated[str, OneOf(REPORTS)] = FIRST
    rows: Literal["all"] | None = None


class ReportFileQuery(IrregularFilters):
    report: Annotated[str, OneOf(REPORTS)] = FIRST
    as_: Annotated[str, OneOf(report_views.FORMATS)] = Field("csv", alias="as")


@router.get(PATH)
async def show_irregular(
    request: Request, service: ServiceOf, caller: Reading, asked: Annotated[IrregularQuery, Query()]
) -> Response:
    name, report, narrowed = asked.report, report_named(asked.report), texts(asked, "report", "rows")
    at_most = None if asked.rows else ROWS_SHOWN
    recorded = urlencode(narrowed)
    rows, more = await service.run(first_rows, service.read_side, caller, name, asked.filters(), at_most, recorded)
    data = {
        "report": name,
        "reports": list(REPORTS.items()),
        "what": WHAT[name],
        "asked": narrowed,
        "filters": [key for key in IrregularFilters.model_fields if key in report.filters],
        "columns": [
            {"name": column, "kind": kind} for column, kind in report.columns.items() if column not in LEFT_OUT
        ],
        "rows": rows,
        "sorting": sorting(PATH, {"report": name, **narrowed}, report) if more or asked.sort else None,
        "totals": None if more or len(rows) < 2 else report.total(rows),
        "all_rows": address(PATH, {"report": name, **narrowed, "rows": "all"}) if more else None,
        "formats": FORMATS,
    }
    crumbs = (("Disputes", "/disputes"),)
    return await render(request, "irregular.html", data, title=REPORTS[name], section="disputes", crumbs=crumbs)


@files.get(f"{PATH}/file")
async def irregular_file(service: ServiceOf, caller: Reading, asked: Annotated[ReportFileQuery, Query()]) -> Response:
    """Return the same as a file."""
    recorded = urlencode(texts(asked, "report"))
    body = await service.run(
        report_views.report_file, service.read_side, caller, asked.report, asked.filters(), asked.as_, recorded
    )
    return attached(body, report_views.FORMATS[asked.as_], f"{asked.report}.{asked.as_}")

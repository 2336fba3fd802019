"""Every report with its purpose, rows, and files."""

from collections.abc import Collection
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Path, Query, Request, Response, Security
from msgspec.structs import replace
from pydantic import Field

from api.pages.dependencies import plain_caller, searching_caller
from api.pages.forms import LocalMoment, PageQuery, TypedId, on_the_clock, texts
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address, exports, sorting
from api.pages.rendering.descriptions import descriptions
from api.pages.responses import render
from api.service import roles
from api.service.admission import EVERY_TABLE, ServiceOf, check_tables
from api.service.fields import GamingDay, OneOf, SortColumn, Word, matching
from infra.access.callers import Caller
from projections.export import charts
from projections.reports.report import CHOSEN, Filters
from projections.reports.report_list import KINDS, REPORTS, STATUSES
from projections.views.floor.box_views import last_box
from projections.views.read_side import NotFound, ReadSide
from projections.views.report_views import LEDGER_FILES, first_rows, readers_of

router = page_router()
PATH = "/reports"
SECTION = "reports"
MOST_ROWS = 200
CELLS = 600  # rows of a page at first, fewer if there are many columns
FEWEST_ROWS = 25
WHAT_FOR = descriptions("reports")


def readable(caller: Caller) -> list[str]:
    return [name for name in REPORTS if caller.may(readers_of(name))]


def formats_of(name: str, asked: Collection[str]) -> tuple[str, ...]:
    """Return the formats it can be downloaded in; a chart of a bankroll is of one bettor."""
    formats = ["json", "csv", "xlsx", "pdf"]
    if name in charts.CHARTS and (name != "bankroll" or "bettor" in asked):
        formats.append("svg")
    if name == "journal":
        formats += sorted(LEDGER_FILES)
    return tuple(formats)


@router.get(PATH)
async def show_reports(
    request: Request, caller: Annotated[Caller, Security(plain_caller, scopes=roles.REPORTS)]
) -> Response:
    data = {
        "reports": [
            {
                "name": name,
                "what_for": WHAT_FOR[name],
                "columns": list(REPORTS[name].columns),
                "address": f"{PATH}/{name}",
                "exports": exports(name, formats_of(name, ()), {}),
            }
            for name in readable(caller)
        ],
        "summaries": caller.may(roles.BOOKS),
    }
    return await render(request, "reports.html", data, title="Reports", section=SECTION)


# ---- one of them


class ReportQuery(PageQuery):
    """The query of any report; each uses some of it."""

    table: TypedId | None = None
    bettor: TypedId | None = None
    gaming_day: GamingDay | None = None
    first: GamingDay | None = None
    last: GamingDay | None = None
    shift: Word | None = None
    box: TypedId | None = None
    account: Annotated[str, matching(r"^[^\x00-\x1f]{1,200}$", "is the name of an account")] | None = None
    dealer: TypedId | None = None
    kind: Annotated[str, OneOf(KINDS)] | None = None
    status: Annotated[str, OneOf(STATUSES)] | None = None
    round: TypedId | None = None
    moment: LocalMoment | None = None
    as_of: LocalMoment | None = None
    since: LocalMoment | None = Field(None, alias="from")
    until: LocalMoment | None = Field(None, alias="to")
    rows: Literal["200"] | None = None
    sort: SortColumn | None = None


@router.get(f"{PATH}/{{name}}")
async def show_report(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(searching_caller, scopes=roles.REPORTS)],
    name: Annotated[str, Path()],
    asked: Annotated[ReportQuery, Query()],
) -> Response:
    if name not in readable(caller):
        raise NotFound(f"There is no report {name} for the role {caller.role}.")
    report = REPORTS[name]
    if "table" not in report.filters:  # then it is about every table, whichever was asked for
        await check_tables(request, caller, EVERY_TABLE)
    fields = [field for field in CHOSEN if field in report.filters]
    others = {field: None for field in CHOSEN if field not in report.filters}
    asked = (await on_the_clock(service, asked)).model_copy(update=others)
    at_most = MOST_ROWS if asked.rows else min(max(CELLS // len(report.columns), FEWEST_ROWS), MOST_ROWS)
    asked, rows, cut = await service.run(_rows, service.read_side, caller, name, asked, at_most)
    narrowed = texts(asked, "rows")
    formats = formats_of(name, narrowed)
    data = {
        "name": name,
        "what_for": WHAT_FOR[name],
        "fields": fields,
        "asked": narrowed,
        "columns": [{"name": column, "kind": kind} for column, kind in report.columns.items()],
        "rows": rows,
        "cut": cut,
        "more": address(f"{PATH}/{name}", narrowed, rows=MOST_ROWS) if cut and at_most < MOST_ROWS else None,
        "sorting": sorting(f"{PATH}/{name}", texts(asked), report) if cut or asked.sort else None,
        "totals": None if cut or len(rows) < 2 else report.total(rows),
        "exports": exports(name, formats, narrowed),
        "picture": address(f"/v1/reports/{name}", narrowed, format="svg") if "svg" in formats else None,
    }
    title = name.replace("-", " ").capitalize()
    return await render(request, "report.html", data, title=title, section=SECTION, crumbs=(("Reports", PATH),))


def _rows(
    read_side: ReadSide, caller: Caller, name: str, asked: ReportQuery, at_most: int
) -> tuple[ReportQuery, list[dict[str, Any]], bool]:
    filters = Filters(**asked.model_dump(exclude={"rows"}))
    if name == "slips" and filters.box is None and not filters.on_the_past:
        # Slips are of one box; by default one that was removed recently.
        read_side.bring_up_to_date("drops")
        box = last_box(read_side, filters.table)
        asked, filters = asked.model_copy(update={"box": box}), replace(filters, box=box)
    rows, cut = first_rows(read_side, caller, name, filters, at_most, urlencode(texts(asked)))
    return asked, rows, cut

"""The inspection of a range of gaming days on one page; each row leads to its rounds."""

from datetime import date
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query, Request, Response, Security

from api.pages import dependencies
from api.pages.forms import PageQuery, texts
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address
from api.pages.responses import render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, Id
from infra.access.callers import Caller
from projections.reports.inspection import SECTIONS
from projections.reports.report import Filters
from projections.views.summary_views import inspection_for

router = page_router()
PATH = "/inspection"
ROWS_OF_A_SECTION = 10


class InspectionQuery(PageQuery):
    first: GamingDay | None = None
    last: GamingDay | None = None
    table: Id | None = None
    rows: Literal["all"] | None = None


@router.get(PATH)
async def show_inspection(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.BOOKS)],
    asked: Annotated[InspectionQuery, Query()],
) -> Response:
    limit = None if asked.rows else ROWS_OF_A_SECTION
    filters = Filters(first=asked.first, last=asked.last, table=asked.table, limit=limit)
    found = await service.run(inspection_for, service.read_side, caller, filters, urlencode(texts(asked)))
    query = {**texts(asked, "rows"), "first": found["first"], "last": found["last"]}
    data = {
        "asked": query,
        "totals": found["totals"],
        "sections": [
            {
                "name": key,
                "title": title,
                "columns": [
                    {"name": column, "kind": report.columns[column]}
                    for column in (*columns, *(("hands",) if "hands" in report.columns else ()))
                ],
                "rows": found[key],
                "left_out": found["left_out"][key],
            }
            for key, (title, report, columns) in SECTIONS.items()
        ],
        "integrity": found["integrity"],
        "everything": address(PATH, query, rows="all"),
        "sheet": address("/v1/inspection", query, format="pdf"),
    }
    first, last = (f"{date.fromisoformat(found[name]):%d %b %Y}" for name in ("first", "last"))
    title = f"Inspection, {first}" + ("" if first == last else f" to {last}")
    crumbs = (("Reports", "/reports"),)
    return await render(request, "inspection.html", data, title=title, section="reports", crumbs=crumbs)

"""A gaming day or a shift on one page, with its sheet to print and sign."""

from datetime import date
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query, Request, Response, Security

from api.pages import dependencies
from api.pages.forms import LocalMoment, PageQuery, TypedId, on_the_clock, texts
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address, neighbouring_days
from api.pages.responses import render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, Word
from infra.access.callers import Caller
from projections.reports.day_summary import SECTIONS
from projections.reports.report import Filters
from projections.views.summary_views import day_summary_for

router = page_router()
PATH = "/days"
ROWS_OF_A_SECTION = 10  # a busy day has thousands of shortfalls; all of them are a click away, and on the sheet


class DayQuery(PageQuery):
    gaming_day: GamingDay | None = None
    shift: Word | None = None
    table: TypedId | None = None
    as_of: LocalMoment | None = None
    rows: Literal["all"] | None = None


@router.get(PATH)
async def show_day(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.BOOKS)],
    asked: Annotated[DayQuery, Query()],
) -> Response:
    asked = await on_the_clock(service, asked)
    if asked.gaming_day is None:
        asked = asked.model_copy(update={"shift": None})
    name = "day" if asked.shift is None else "shift"
    limit = None if asked.rows else ROWS_OF_A_SECTION
    filters = Filters(**asked.model_dump(exclude={"rows"}), limit=limit)
    found = await service.run(day_summary_for, service.read_side, caller, name, filters, urlencode(texts(asked)))
    narrowed = texts(asked, "rows")
    day, today = date.fromisoformat(found["gaming_day"]), service.clock.now().day
    query = {**narrowed, "gaming_day": day}
    data = {
        "gaming_day": found["gaming_day"],
        "shift": found["shift"],
        "asked": narrowed,
        "totals": found["totals"],
        "sections": [
            {
                "name": key,
                "title": title,
                "columns": [{"name": column, "kind": report.columns[column]} for column in columns],
                "rows": found[key],
                "left_out": found["left_out"][key],
                "totals": None if found["left_out"][key] or len(found[key]) < 2 else report.total(found[key]),
            }
            for key, (title, report, columns) in SECTIONS.items()
        ],
        **neighbouring_days(PATH, {**query, "shift": None}, day, today),
        "whole": address(PATH, query, shift=None),
        "shifts": [{"shift": shift, "address": address(PATH, query, shift=shift)} for shift in found["shifts"]],
        "everything": address(PATH, query, rows="all"),
        "sheet": address(f"/v1/summaries/{name}", query, format="pdf"),
    }
    title = f"Gaming day {day:%d %b %Y}" + (f", {found['shift']} shift" if found["shift"] else "")
    return await render(request, "days.html", data, title=title, section="days")

"""Collection fees by day, shift, table and tier, each leading to details and finally to the hands."""

from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Query, Request, Response, Security

from api.pages.dependencies import searching_caller
from api.pages.forms import LocalMoment, PageQuery, TypedId, on_the_clock, texts
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address, addresses, exports
from api.pages.responses import render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, Word
from infra.access.callers import Caller
from projections.reports.report import Filters
from projections.views.read_side import ReadSide
from projections.views.report_views import first_rows
from projections.views.summary_views import fees_for

router = page_router()
PATH = "/collections"
ROWS_SHOWN = 40  # rows of a day, by default
FORMATS = ("csv", "xlsx", "pdf", "json", "svg")


class CollectionsQuery(PageQuery):
    first: GamingDay | None = None
    last: GamingDay | None = None
    table: TypedId | None = None
    shift: Word | None = None
    as_of: LocalMoment | None = None
    rows: Literal["all"] | None = None


@router.get(PATH)
async def show_collections(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(searching_caller, scopes=roles.COLLECTIONS)],
    asked: Annotated[CollectionsQuery, Query()],
) -> Response:
    asked = await on_the_clock(service, asked)
    found, rows, cut = await service.run(_fees, service.read_side, caller, asked)
    narrowed = texts(asked, "rows")
    query = {**narrowed, "first": found["first"], "last": found["last"]}
    data = {
        **found,
        "asked": narrowed,
        "rows": rows,
        "all_rows": address(PATH, query, rows="all") if cut else None,
        "exports": exports("collections", FORMATS, query),
        "days": {
            row["gaming_day"]: address(PATH, query, first=row["gaming_day"], last=row["gaming_day"])
            for row in found["by_day"]
        },
        "shifts": addresses(PATH, query, "shift", [row["shift"] for row in found["by_shift"]]),
        "shift_names": service.clock.shifts(),
        "tables": addresses(PATH, query, "table", [row["table"] for row in found["by_table"]]),
    }
    return await render(request, "collections.html", data, title="Collections", section="collections")


def _fees(
    read_side: ReadSide, caller: Caller, asked: CollectionsQuery
) -> tuple[dict[str, Any], list[Any] | None, bool]:
    """Return the fees, and for a single day its rows too."""
    narrowed, recorded = asked.model_dump(exclude={"rows"}), urlencode(texts(asked))
    found = fees_for(read_side, caller, Filters(**narrowed), recorded)
    if found["first"] != found["last"]:
        return found, None, False
    day = date.fromisoformat(found["first"])
    filters = Filters(**{**narrowed, "first": day, "last": day})
    return found, *first_rows(read_side, caller, "collections", filters, None if asked.rows else ROWS_SHOWN, recorded)

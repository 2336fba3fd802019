"""Collection fees by day, shift, table and tier, each leading to a narrower look and at last to the hands."""

from __future__ import annotations

from typing import Any

from api.service.blindness import table_asked_for
from api.service.fees import READING
from api.web.asked import address, addresses, asked_for, exports, first_rows
from api.web.page import Page, View
from api.web.visit import Visit

PATH = "/collections"
ROWS_SHOWN = 40  # of a day, unless somebody asks for all
FORMATS = ("csv", "xlsx", "pdf", "json", "svg")


async def show(visit: Visit) -> View:
    asked = await asked_for(visit, "first", "last", "table", "shift", "as_of")
    found = await visit.ask("getFees", query=asked)
    query = {**asked, "first": found["first"], "last": found["last"]}
    one_day = found["first"] == found["last"]
    rows: list[Any] | None = None
    cut = False
    if one_day:
        at_most = None if visit.query("rows") == "all" else ROWS_SHOWN
        rows, cut = await first_rows(visit, "collections", query, at_most)
    return View(
        {
            **found,
            "asked": asked,
            "rows": rows,
            "all_rows": address(PATH, query, rows="all") if cut else None,
            "exports": exports("collections", FORMATS, query),
            "days": {
                row["gaming_day"]: address(PATH, query, first=row["gaming_day"], last=row["gaming_day"])
                for row in found["by_day"]
            },
            "shifts": addresses(PATH, query, "shift", [row["shift"] for row in found["by_shift"]]),
            "shift_names": visit.service.site.clock.shifts(),
            "tables": addresses(PATH, query, "table", [row["table"] for row in found["by_table"]]),
        }
    )


PAGES = (
    Page(
        PATH, "collections", "Collections", "collections.html", show, READING, nav="Collections", about=table_asked_for
    ),
)

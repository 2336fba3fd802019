"""Collection fees by day, shift, table and tier, each leading to a narrower look and at last to the hands."""

from __future__ import annotations

from api.service.fees import READING
from api.web.asked import address, asked_for, exports
from api.web.page import Page, View
from api.web.visit import Visit

PATH = "/collections"
FORMATS = ("csv", "xlsx", "pdf", "json", "svg")


async def show(visit: Visit) -> View:
    asked = await asked_for(visit, "first", "last", "table", "shift", "as_of")
    found = await visit.ask("getFees", query=asked)
    query = {**asked, "first": found["first"], "last": found["last"]}
    one_day = found["first"] == found["last"]
    rows = None
    if one_day:
        rows = await visit.ask("getReport", {"name": "collections"}, query=query)
    return View(
        {
            **found,
            "asked": asked,
            "rows": rows,
            "exports": exports("collections", FORMATS, query),
            "days": {
                row["gaming_day"]: address(PATH, query, first=row["gaming_day"], last=row["gaming_day"])
                for row in found["by_day"]
            },
            "shifts": {row["shift"]: address(PATH, query, shift=row["shift"]) for row in found["by_shift"]},
            "tables": {row["table"]: address(PATH, query, table=row["table"]) for row in found["by_table"]},
        }
    )


PAGES = (Page(PATH, "collections", "Collections", "collections.html", show, READING, nav="Collections"),)

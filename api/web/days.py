"""A gaming day or a shift on one page, with its sheet to print and sign."""

from __future__ import annotations

from datetime import date, timedelta

from api.web.asked import address, asked_for
from api.web.page import Page, View
from api.web.visit import Visit
from projections.summary import SECTIONS

PATH = "/days"
DAY = timedelta(days=1)
READING = frozenset({"accounting", "auditor"})
ROWS_OF_A_SECTION = 10  # a busy day has thousands of shortfalls; the whole is a click away, and on the sheet


async def show(visit: Visit) -> View:
    asked = await asked_for(visit, "gaming_day", "shift", "table", "as_of")
    if "gaming_day" not in asked:
        asked.pop("shift", None)
    name = "shift" if "shift" in asked else "day"
    rows = None if visit.query("rows") == "all" else ROWS_OF_A_SECTION
    found = await visit.ask("getSummary", {"name": name}, query={**asked, "limit": None if rows is None else str(rows)})
    day = date.fromisoformat(found["gaming_day"])
    today = visit.service.site.clock.now().day
    query = {**asked, "gaming_day": day}
    sections = [
        {
            "name": key,
            "title": title,
            "columns": [{"name": column, "kind": report.columns[column]} for column in columns],
            "rows": found[key],
            "left_out": found["left_out"][key],
        }
        for key, (title, report, columns) in SECTIONS.items()
    ]
    return View(
        {
            "gaming_day": found["gaming_day"],
            "shift": found["shift"],
            "asked": asked,
            "totals": found["totals"],
            "sections": sections,
            "before": address(PATH, query, gaming_day=day - DAY, shift=None) if day > date.min else None,
            "after": address(PATH, query, gaming_day=day + DAY, shift=None) if day < today else None,
            "whole": address(PATH, query, shift=None),
            "shifts": [{"shift": shift, "address": address(PATH, query, shift=shift)} for shift in found["shifts"]],
            "everything": address(PATH, query, rows="all"),
            "sheet": address(f"/v1/summaries/{name}", query, format="pdf"),
        },
        title=f"Gaming day {day:%d %b %Y}" + (f", {found['shift']} shift" if found["shift"] else ""),
    )


PAGES = (Page(PATH, "days", "Days", "days.html", show, READING, nav="Days"),)

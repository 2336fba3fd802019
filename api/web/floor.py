"""The floor: every table as it is now. Where the visitor may hear the feed, the page follows it."""

from __future__ import annotations

from api.web.page import Page, View
from api.web.visit import Visit
from domain.money import cents, money
from infra.feed import SHOWN

SEEING = frozenset({"floor", "accounting", "auditor"})


async def show(visit: Visit) -> View:
    floor = await visit.ask("listTables")
    tables = floor["tables"]
    in_play = [one for one in tables if one["round"] is not None and one["round"]["status"] == "open"]
    data = {
        **floor,
        "totals": {
            "open": sum(one["open"] for one in tables),
            "in_play": len(in_play),
            "on_layout": money(sum(cents(one["round"]["on_layout"]) for one in in_play)),
            "fees": money(sum(cents(one["fees"]) for one in tables)),
        },
        "follows": visit.may("floorFeed"),
        "topics": sorted(SHOWN),
    }
    return View(data)


PAGES = (Page("/floor", "floor", "Floor", "floor.html", show, SEEING, nav="Floor"),)

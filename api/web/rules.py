"""Rule sets to read: every figure with its clause, and every decision with its reason."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from api.service.blindness import no_table
from api.web.page import ANYBODY, Page, View
from api.web.visit import Visit
from domain.rulebook import FAMILY_NAMES

CRUMBS = (("Rules", "/rules"),)
MODES = {"shuffler": "from a shuffler", "shoe": "from a shoe", "hand": "by hand"}
TO = {"seats": "each seat", "dealer": "the dealer's hand", "board": "the board"}
STREETS = ("first", "after the first decisions", "after the second decisions")
ORDERS = {
    "player-dealer-left": "clockwise from the player-dealer's left",
    "house-dealer-left": "clockwise from the house dealer's left",
    "highest-first": "from right to left, the highest seat first",
    "lowest-first": "from left to right, the lowest seat first",
    "action-button": "clockwise from the action button",
}
ROTATIONS = {
    "strict": "after two rounds in a row somebody else banks",
    "offered": "after two rounds in a row it is offered to every other player",
}


async def show_all(visit: Visit) -> View:
    found = await visit.ask("listRulesets")
    return View({"rulesets": found["rulesets"], "families": FAMILY_NAMES})


async def show_one(visit: Visit) -> View:
    query = {"version": visit.query("version")}
    ruleset = await visit.ask("getRuleset", {"ruleset": visit.id("ruleset")}, query=query)
    data = {
        "ruleset": ruleset,
        "family": FAMILY_NAMES[ruleset["family"]],
        "paytables": side_by_side(ruleset["paytables"]),
        "words": _words(),
    }
    return View(data, title=ruleset["title"], crumbs=CRUMBS)


@lru_cache
def _words() -> dict[str, Any]:
    return {"modes": MODES, "to": TO, "streets": STREETS, "orders": ORDERS, "rotations": ROTATIONS}


def side_by_side(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The pay tables of one spot stand side by side: a gaming table uses one of them."""
    found = []
    for spot in dict.fromkeys(table["spot"] for table in tables):
        of_spot = [table for table in tables if table["spot"] == spot]
        hands = list(of_spot[0]["pays"])
        rows = [{"hand": hand, "pays": [table["pays"].get(hand) for table in of_spot]} for hand in hands]
        found.append({"spot": spot, "tables": of_spot, "rows": rows})
    return found


PAGES = (
    Page("/rules", "rules", "Rules", "rules.html", show_all, ANYBODY, nav="Rules", about=no_table),
    Page(
        "/rules/{ruleset}", "rule set", "Rule set", "ruleset.html", show_one, ANYBODY, section="rules", about=no_table
    ),
)

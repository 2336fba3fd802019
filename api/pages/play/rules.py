"""Rule sets: every figure with its clause, and every decision with its reason."""

from typing import Annotated, Any

from fastapi import Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import plain_caller
from api.pages.forms import PageQuery
from api.pages.page_route import page_router
from api.pages.responses import render
from api.service import roles
from api.service.admission import ServiceOf, path_id
from domain.games.registry import GAMES
from domain.rules.description.contents import adoption_document
from domain.rules.description.wording import rotation_words
from infra.access.callers import Caller
from projections.views.rule_views import contents_of, rules_shown

router = page_router()
Anybody = Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
RulesetId = Annotated[str, path_id("uth-house", "The rule set's id.")]
SECTION = "rules"
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
WORDS = {"modes": MODES, "to": TO, "streets": STREETS, "orders": ORDERS}


@router.get("/rules")
async def show_rulesets(request: Request, service: ServiceOf, caller: Anybody) -> Response:
    book = await service.run(service.ledger.rulebook.book)
    data = {
        "rulesets": rules_shown(book),
        "families": {family: game.title for family, game in GAMES.items()},
        "may_adopt": caller.may(roles.ADOPTING),
        "may_read": caller.may(roles.READING),
        "adopted": {one.event.content_hash for one in book.adoptions()},
    }
    return await render(request, "rules.html", data, title="Rules", section=SECTION)


class RulesetQuery(PageQuery):
    version: Annotated[int, Field(ge=1, le=9999)] | None = None


@router.get("/rules/{ruleset}")
async def show_ruleset(
    request: Request,
    service: ServiceOf,
    caller: Anybody,
    ruleset: RulesetId,
    asked: Annotated[RulesetQuery, Query()],
) -> Response:
    book = await service.run(service.ledger.rulebook.book)
    found = contents_of(book, ruleset, asked.version)
    data = {
        "ruleset": found,
        "family": GAMES[found["family"]].title,
        "paytables": side_by_side(found["paytables"]),
        "words": WORDS,
        "rotation": rotation_words(found["rotation"], found["rotation_rounds"]) if found["rotation"] else None,
        "may_adopt": caller.may(roles.ADOPTING),
        "adoptions": [adoption_document(adoption) for adoption in book.adoptions(ruleset)],
    }
    return await render(request, "ruleset.html", data, title=found["title"], section=SECTION, crumbs=CRUMBS)


def side_by_side(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the pay tables of each spot in columns: a gaming table uses one of them."""
    found = []
    for spot in dict.fromkeys(table["spot"] for table in tables):
        of_spot = [table for table in tables if table["spot"] == spot]
        hands = max((list(table["pays"]) for table in of_spot), key=len)
        rows = [{"hand": hand, "pays": [table["pays"].get(hand) for table in of_spot]} for hand in hands]
        found.append({"spot": spot, "tables": of_spot, "rows": rows})
    return found

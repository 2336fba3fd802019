"""The search box of every page: straight to what was asked for, or to what it may have been."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Query, Request, Response, Security

from api.pages.dependencies import plain_caller
from api.pages.forms import PageQuery
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address
from api.pages.rendering.navigation import entries_for
from api.pages.responses import go, render, wants_json
from api.service import roles
from api.service.admission import ServiceOf
from infra.access.callers import Caller
from projections.views.search.finder import find_things

router = page_router()
PATH = "/find"
MOST_OF_A_KIND = 12
LONGEST = 60
# Where each kind leads, and what it is called there.
LEADS = {
    "round": (("Round", "/rounds/{}"),),
    "table": (("Table: its hands", "/hands?table={}"),),
    "bettor": (("Bettor", "/people/{}"), ("Bettor: their hands", "/hands?bettor={}")),
    "player_dealer": (("Player-dealer: hands banked", "/hands?player_dealer={}"),),
    "dealer": (("Dealer: hands dealt", "/hands?dealer={}"),),
    "dispute": (("Dispute", "/disputes/{}"),),
    "box": (("Drop box", "/drop/{}"),),
    "ruleset": (("Rule set", "/rules/{}"),),
    "staff": (("Staff", "/staff/{}"),),
    "day": (("Gaming day: hands", "/hands?day={}"), ("Gaming day: summary", "/days?gaming_day={}")),
}
ROLES = {"/hands": roles.SEEING, "/people": roles.PEOPLE, "/days": roles.BOOKS}


class FindPageQuery(PageQuery):
    q: str = ""


@router.get(PATH)
async def find(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)],
    asked: Annotated[FindPageQuery, Query()],
) -> Response:
    """An id that is exactly that of one thing, or the only thing there is, is gone to at once."""
    text = asked.q.replace("\0", "")[:LONGEST]
    kinds = [kind for kind, may in roles.FOUND.items() if caller.may(may)]
    found = await service.run(find_things, service.read_side, caller, text, kinds, MOST_OF_A_KIND)
    found.sort(key=lambda thing: thing["kind"] == "round")  # tables and boxes are few, rounds many
    leads = [*_pages(caller, text), *(lead for thing in found for lead in _leads(caller, thing))]
    straight = _straight(leads, text)
    if sum(thing["kind"] == "round" for thing in found) == MOST_OF_A_KIND:
        rest = {"what": "Every round that begins so", "id": text.strip().lower(), "note": ""}
        leads.append({**rest, "address": address("/hands", {"round": rest["id"]})})
    if straight is not None and not wants_json(request):
        return go(request, straight["address"])
    return await render(request, "find.html", {"asked": text, "found": leads}, title="Find", section="find")


def _pages(caller: Caller, text: str) -> list[dict[str, Any]]:
    wanted = text.strip().lower()
    pages = [entry for entry in entries_for(caller) if wanted and entry.nav.lower().startswith(wanted)]
    return [{"what": "Page", "id": entry.nav, "note": "", "address": entry.path} for entry in pages]


def _leads(caller: Caller, thing: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"what": what, "id": thing["id"], "note": thing["note"], "address": path.format(quote(thing["id"]))}
        for what, path in LEADS[thing["kind"]]
        if caller.may(ROLES.get(path.partition("?")[0].replace("/{}", ""), roles.ANYBODY))
    ]


def _straight(leads: list[dict[str, Any]], text: str) -> dict[str, Any] | None:
    """The first place that an exact id leads to, if it names one thing; or the only place."""
    exact = [lead for lead in leads if lead["id"].lower() == text.strip().lower()]
    if exact and len({lead["what"].partition(":")[0] for lead in exact}) == 1:
        return exact[0]
    return leads[0] if len(leads) == 1 else None

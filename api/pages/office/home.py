"""The first page: what waits for the visitor, the figures of the last gaming day, and all their pages."""

from typing import Annotated, Any

import msgspec
from fastapi import Request, Response, Security

from api.pages.dependencies import plain_caller
from api.pages.page_route import page_router
from api.pages.rendering.descriptions import descriptions
from api.pages.rendering.navigation import entries_for, further_for
from api.pages.responses import render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.state import Service
from infra.access.callers import Caller
from projections.views.floor.floor_views import any_table
from projections.views.home.first_page import first_page_for

router = page_router()
WHAT_FOR = descriptions("pages")


@router.get("/")
async def show_home(
    request: Request, service: ServiceOf, caller: Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
) -> Response:
    found, begin = await service.run(_found, service, caller)
    pages = [
        {
            "name": entry.name,
            "title": entry.nav,
            "address": entry.path,
            "what_for": WHAT_FOR[entry.name],
            "further": [{"title": one.nav, "address": one.path} for one in further_for(caller, entry.name)],
        }
        for entry in entries_for(caller)
        if entry.name != "home"
    ]
    data = {**found, "begin": begin, "pages": pages}
    return await render(request, "home.html", data, title="Home", section="home")


def _found(service: Service, caller: Caller) -> tuple[dict[str, Any], str | None]:
    found = msgspec.to_builtins(first_page_for(service.read_side, caller))
    return found, _begin(service, caller, found["figures"])


def _begin(service: Service, caller: Caller, figures: dict[str, Any] | None) -> str | None:
    """Return the first steps in a new ledger: people, then a table; None once both exist."""
    if caller.role == "admin":
        return "people" if all(one.parts == ("admin",) for one in service.people.everybody()) else None
    if figures is None:
        return None  # they see no tables
    played = any(one["of_day"] for one in figures["figures"] if one["name"] == "rounds")
    if played or any_table(service.read_side):
        return None
    return "table" if caller.may(roles.PLAYING) else "wait"

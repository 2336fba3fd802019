"""The floor: every table as it is now. The page follows the feed if the visitor may read it."""

from typing import Annotated

from fastapi import Request, Response, Security

from api.pages import dependencies
from api.pages.page_route import page_router
from api.pages.responses import render
from api.service import roles
from api.service.admission import ServiceOf
from domain.money import cents, money
from infra.access.callers import Caller
from infra.ledger.feed import SHOWN
from projections.views.floor.floor_views import floor_now

router = page_router()


@router.get("/floor")
async def show_floor(
    request: Request, service: ServiceOf, caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.READING)]
) -> Response:
    floor = await service.run(floor_now, service.read_side)
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
        "follows": caller.may(roles.LISTENING_TO_ALL),
        "topics": sorted(SHOWN),
    }
    return await render(request, "floor.html", data, title="Floor", section="floor")

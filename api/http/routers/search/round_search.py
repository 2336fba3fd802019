"""Rounds found by what is remembered of them, their neighbours, and anything by an id, a name or a date."""

from functools import partial
from typing import Annotated, Any

from fastapi import Query, Request, Security

from api.http import dependencies
from api.http.problems import problems
from api.http.resource import resource
from api.http.schemas.search import round_search as schemas
from api.service import roles
from api.service.admission import RoundId, ServiceOf
from api.service.round_filters import RoundFilters
from infra.access.callers import Caller
from projections.views.paging import Cursor
from projections.views.search import round_search
from projections.views.search.finder import find_things
from projections.views.search.round_filter import RoundFilter, filter_of

router = resource("rounds")


@router.get("/rounds", response_model=schemas.FoundRoundsOut, responses=problems("bad_choice"))
async def find_rounds(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.searching_caller, scopes=roles.SEEING)],
    asked: Annotated[schemas.RoundSearch, Query()],
) -> Any:
    """Search rounds, newest first unless `sort` says otherwise."""
    wanted = _wanted(asked, sort=asked.sort)
    after = None if asked.cursor is None else Cursor.read(asked.cursor)
    return await service.run(
        partial(round_search.find_rounds, counted=asked.counts),
        *(service.read_side, caller, wanted.after_cursor(after), asked.limit, request.url.query),
    )


@router.get("/rounds/{round}/neighbours", response_model=schemas.NeighboursOut, responses=problems("bad_choice"))
async def find_neighbours(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.neighbour_caller, scopes=roles.SEEING)],
    round: RoundId,
    asked: Annotated[RoundFilters, Query()],
) -> Any:
    """The rounds just after and just before one, among those that a search finds; null at either end."""
    return await service.run(round_search.find_neighbours, service.read_side, caller, _wanted(asked), round)


def _wanted(asked: RoundFilters, **more: Any) -> RoundFilter:
    return filter_of(asked.model_dump(include=set(RoundFilters.model_fields)), **more)


@router.get("/find", response_model=schemas.FoundThingsOut)
async def find(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.plain_caller, scopes=roles.ANYBODY)],
    asked: Annotated[schemas.FindQuery, Query()],
) -> Any:
    """What an id begins with, or what a name has, among all that the caller may look at; and gaming days."""
    kinds = [kind for kind, may in roles.FOUND.items() if caller.may(may) and asked.kind in (None, kind)]
    return {"things": await service.run(find_things, service.read_side, caller, asked.q, kinds, asked.limit)}

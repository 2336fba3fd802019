"""Searches of rounds that people save under a name, for themselves or for everybody of a role."""

from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode

from fastapi import Path, Security
from pydantic import ValidationError

from api.http import dependencies
from api.http.problems import problems
from api.http.resource import resource
from api.http.schemas.search import saved_searches as schemas
from api.http.schemas.search.round_search import RoundSearch
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import refusals
from api.service.problems import Problem
from api.service.round_filters import RoundFilters
from infra.access.callers import Caller
from infra.access.saved_searches import search_shown

router = resource("rounds")
Searching = Annotated[Caller, Security(dependencies.plain_caller, scopes=roles.SEEING)]
KEPT = frozenset({field.alias or name for name, field in RoundFilters.model_fields.items()} | {"sort"})


@router.get("/searches", response_model=schemas.SavedSearchesOut)
async def list_searches(service: ServiceOf, caller: Searching) -> Any:
    """Searches that the caller has saved, and those that others share with their role, by name."""
    return {"searches": [search_shown(one) for one in await service.run(service.saved_searches.seen_by, caller)]}


@router.post(
    "/searches",
    response_model=schemas.SavedSearchOut,
    status_code=201,
    responses=problems("bad_document", "bad_choice", "too_large", "unsupported_media_type"),
)
async def save_search(service: ServiceOf, caller: Searching, body: schemas.SavedSearchIn) -> Any:
    """Save a search under a name. What is no filter of `GET /v1/rounds` is left out."""
    search = _filters(body.search)
    saved = await service.run(service.saved_searches.save, caller, body.name, search, body.shared_with)
    return search_shown(saved)


@router.delete("/searches/{number}", response_model=schemas.SavedSearchesOut)
async def delete_search(
    service: ServiceOf, caller: Searching, number: Annotated[int, Path(ge=1, le=2**62, examples=[1])]
) -> Any:
    """Delete a search: of the caller's own, or one shared with their role by somebody who no longer works here."""
    await service.run(service.saved_searches.delete, caller, number)
    return await list_searches(service, caller)


def _filters(query: str) -> str:
    """The query as it is kept: filters that the search understands, without pages and counts."""
    asked = {name: value for name, value in parse_qsl(query) if name in KEPT}
    try:
        RoundSearch.model_validate(asked)
    except ValidationError as error:
        found = refusals({**one, "loc": ("query", *one["loc"])} for one in error.errors())
        raise Problem("bad_document", " ".join(found.values())) from None
    return urlencode(asked)

"""Finding anything by an id, a name or a date."""

from typing import Annotated, Any

from fastapi import Query, Security

from api.http.dependencies import plain_caller
from api.http.resource import resource
from api.http.schemas import rounds as schemas
from api.service import roles
from api.service.admission import ServiceOf
from infra.access.callers import Caller
from projections.views.search.finder import find_things

router = resource("find")


@router.get("/find", response_model=schemas.FoundThingsOut)
async def find(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)],
    asked: Annotated[schemas.FindAsked, Query()],
) -> Any:
    """What an id begins with, or what a name has, among all that the caller may look at; and gaming days."""
    kinds = [kind for kind, may in roles.FOUND.items() if caller.may(may) and asked.kind in (None, kind)]
    return {"things": await service.run(find_things, service.books, caller, asked.q, kinds, asked.limit)}

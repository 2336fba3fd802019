"""Legal holds: everything about a round or a dispute is kept until the hold is lifted."""

from typing import Annotated, Any

from fastapi import Query, Security

from api.http import dependencies
from api.http.problems import problems
from api.http.resource import resource
from api.http.schemas import holds as schemas
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import Flag
from infra.access.callers import Caller
from infra.housekeeping.holds import hold_shown

router = resource("holds")
Holding = Annotated[Caller, Security(dependencies.caller, scopes=roles.HOLDING)]
CHANGES = problems("conflict", "bad_choice", "too_large", "unsupported_media_type")


@router.get("/holds", response_model=schemas.HoldsOut)
async def list_holds(
    service: ServiceOf,
    caller: Holding,
    lifted: Annotated[
        Flag, Query(description="Every entry instead: also holds that were lifted, and who did.")
    ] = False,
) -> Any:
    """Legal holds in force, oldest first."""
    found = await service.run(service.holds.history if lifted else service.holds.in_force)
    return {"holds": [hold_shown(hold) for hold in found]}


@router.post("/holds", response_model=schemas.HoldsOut, status_code=201, responses=CHANGES)
async def place_hold(service: ServiceOf, caller: Holding, body: schemas.HoldIn) -> Any:
    """Keep everything about a round or a dispute, whatever its retention.

    A hold on a dispute is placed on its round as well. A person places it, not a machine.
    """
    await service.run(service.signatures.check_person, caller)
    placed = await service.run(service.holds.place, body.kind, body.subject, body.reason, caller.by)
    return {"holds": [hold_shown(hold) for hold in placed]}


@router.post("/holds/lifts", response_model=schemas.HoldOut, status_code=201, responses=CHANGES)
async def lift_hold(service: ServiceOf, caller: Holding, body: schemas.HoldIn) -> Any:
    """Lift a hold: retention applies again. A person lifts it, not a machine."""
    await service.run(service.signatures.check_person, caller)
    return hold_shown(await service.run(service.holds.lift, body.kind, body.subject, body.reason, caller.by))

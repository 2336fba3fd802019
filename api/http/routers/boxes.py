"""Drop boxes: on tables, counted blind, signed off; and progressive meters."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Response, Security

from api.http.answers import plain, respond
from api.http.dependencies import Command, SecondSigner, SignedCommand, plain_caller
from api.http.problems import problems, stored
from api.http.resource import resource
from api.http.schemas import boxes as schemas
from api.service import roles
from api.service.admission import BoxId, SecondPerson, ServiceOf
from api.service.fields import ID_PATTERN
from domain.floor.drop_boxes import DropBox
from domain.money import cents
from domain.rules.terms import Meter
from infra.access.callers import Caller
from infra.ledger.floor import Floor
from infra.ledger.ledger import CommandReceipt
from projections.views.blindness import sight_of
from projections.views.floor import box_views as boxes
from projections.views.floor.box_views import BoxFilter
from projections.views.floor.meter_views import existing_meter, meter_shown
from projections.views.paging import read_cursor
from projections.views.read_side import ReadSide

router = resource("boxes")
CountRoom = Annotated[Caller, Security(plain_caller, scopes=roles.COUNT_ROOM)]
MeterId = Annotated[str, Path(pattern=ID_PATTERN, description="The meter's id.", examples=["meter-t1"])]
BOX = stored("The box, as far as the caller may know it.", "conflict")
METER = stored("The meter.", "conflict")


@router.get("/boxes", response_model=schemas.BoxesOut, responses=problems("bad_choice"))
async def list_boxes(service: ServiceOf, caller: CountRoom, asked: Annotated[schemas.BoxFilters, Query()]) -> Any:
    """Drop boxes, last installed first.

    Accounting and auditors see what a box should hold at any time, and what was counted once two counts agree; others
    see both once the box has been signed off. People who may count see neither while a box of that table has no agreed
    count."""
    wanted = BoxFilter(asked.table, asked.gaming_day, asked.shift, after=read_cursor(asked.cursor))
    return await service.run(boxes.list_boxes, service.read_side, caller, wanted, asked.status, asked.limit)


@router.get("/boxes/{box}", response_model=schemas.BoxOut)
async def get_box(service: ServiceOf, caller: CountRoom, box: BoxId) -> Any:
    """A drop box, as far as the caller may know it."""
    return await service.run(boxes.get_box, service.read_side, caller, box)


@router.get("/boxes/{box}/history", response_model=schemas.BoxHistory)
async def get_box_history(service: ServiceOf, caller: CountRoom, box: BoxId) -> Any:
    """The history of a drop box, from its table to its signature, without single fees.

    Counts by denomination are shown to accounting once two of them agree; those who counted see their own."""
    tolerance = service.settings.count_tolerance_cents
    return await service.run(boxes.box_history, service.read_side, caller, box, tolerance)


class BoxChange:
    """A command on a drop box, signed by a person; answered with the box, as far as the caller may see it."""

    def __init__(self, caller: Annotated[Caller, Security(plain_caller)], box: BoxId, writing: SignedCommand) -> None:
        self._caller, self._writing = caller, writing
        self.box, self.actor = box, writing.actor

    async def store(self, change: Callable[[Floor], DropBox]) -> Response:
        return await self.store_by(lambda read_side, receipt: change(Floor(read_side.ledger, receipt)))

    async def store_by(self, change: Callable[[ReadSide, CommandReceipt], DropBox]) -> Response:
        service = self._writing.service

        def command(receipt: CommandReceipt) -> DropBox:
            boxes.existing_box(service.read_side, self.box)
            return change(service.read_side, receipt)

        # Checked first: once the command is stored, nothing may withhold its answer.
        sight = await service.run(sight_of, service.read_side, self._caller)
        return respond(await self._writing.store(command, plain(lambda found: boxes.box_shown(found, sight))))


@router.post("/boxes/{box}/counts", response_model=schemas.BoxOut, responses=BOX)
async def count_box(
    change: Annotated[BoxChange, Security(BoxChange, scopes=roles.COUNTING)], body: schemas.CountIn
) -> Response:
    """Count a box that was taken off its table, blind.

    Two people count each box; a third one if they differ."""
    pieces = {cents(value): number for value, number in body.pieces.items()}
    return await change.store(lambda floor: floor.count_box(change.box, pieces, change.actor))


@router.post("/boxes/{box}/reconciliation", response_model=schemas.BoxOut, responses=BOX)
async def reconcile_box(
    service: ServiceOf,
    change: Annotated[BoxChange, Security(BoxChange, scopes=roles.ACCOUNTING)],
    body: schemas.ReconciliationIn,
) -> Response:
    """Sign off a counted box.

    By somebody who did not count; a difference needs an explanation.
    """
    tolerance = service.settings.count_tolerance_cents
    return await change.store(lambda floor: floor.reconcile_box(change.box, change.actor, tolerance, body.explanation))


@router.get("/meters/{meter}", response_model=schemas.MeterOut, tags=["meters"])
async def get_meter(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=["terminal", "floor", "cage", "accounting", "auditor"])],
    meter: MeterId,
) -> Any:
    """A progressive meter."""
    return meter_shown(await service.run(existing_meter, service.ledger, meter))


@router.post("/meters/{meter}/adjustments", response_model=schemas.MeterOut, tags=["meters"], responses=METER)
async def adjust_meter(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)],
    meter: MeterId,
    body: schemas.AdjustmentIn,
    writing: Command,
    second: Annotated[SecondPerson, Depends(SecondSigner("floor", "cage", "accounting"))],
) -> Response:
    """Adjust a progressive meter.

    By two different people.
    """

    def command(receipt: CommandReceipt) -> Meter:
        signed = second.signed(body.second_person)
        existing_meter(service.ledger, meter)
        figures = cents(body.shown), cents(body.reserve)
        return Floor(service.ledger, receipt).adjust_meter(meter, *figures, body.reason, signed, writing.actor)

    return respond(await writing.store(command, plain(meter_shown)))

"""Count machines: how their files are read, and boxes counted by a file."""

from typing import Annotated, Any

from fastapi import Path, Response, Security

from api.http.answers import plain, respond
from api.http.dependencies import Command, plain_caller
from api.http.problems import problems, stored
from api.http.resource import resource
from api.http.routers.boxes import BOX, BoxChange
from api.http.schemas import boxes
from api.http.schemas.books import machines as schemas
from api.service import roles
from api.service.admission import BoxId, ServiceOf
from api.service.fields import Id
from infra.access.callers import Caller
from infra.ledger.books.machines import keep_machine
from projections.views.floor.machine_counts import count_from_file, file_shown, machines_shown

router = resource("machines")
MachineName = Annotated[Id, Path(description="The machine.", examples=["counter-1"])]


@router.get("/machines", response_model=schemas.MachinesOut)
async def list_machines(
    service: ServiceOf, caller: Annotated[Caller, Security(plain_caller, scopes=roles.COUNT_ROOM)]
) -> Any:
    """Count machines, and how their files are read."""
    return {"machines": await service.run(machines_shown, service.ledger)}


@router.put("/machines/{machine}", response_model=schemas.MachineStored, responses=stored("The machine.", "conflict"))
async def put_machine(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)],
    machine: MachineName,
    body: schemas.MachineIn,
    writing: Command,
) -> Response:
    """Say how the files of a machine are read from now on."""
    return respond(
        await writing.store(
            lambda receipt: keep_machine(service.ledger, machine, body.text, writing.actor, receipt),
            plain(lambda kept: {"machine": kept.machine, "text": kept.text}),
        )
    )


@router.post(
    "/boxes/{box}/counts/file/preview",
    response_model=schemas.FileCountOut,
    responses=problems("bad_choice", "conflict"),
)
async def preview_machine_count(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.COUNTING)],
    box: BoxId,
    body: schemas.FileIn,
) -> Any:
    """What a machine's file says of a box. Nothing is stored."""
    return await service.run(file_shown, service.read_side, caller, box, body.machine, body.file)


@router.post("/boxes/{box}/counts/file", response_model=boxes.BoxOut, responses=BOX)
async def count_box_by_machine(
    change: Annotated[BoxChange, Security(BoxChange, scopes=roles.COUNTING)], body: schemas.FileIn
) -> Response:
    """Count a box blind by the file of a count machine.

    It is one of the two counts; the other one is typed by somebody else. The file's hash is kept with the figures.
    """
    return await change.store_by(
        lambda read_side, receipt: count_from_file(
            read_side, change.box, body.machine, body.file, change.actor, receipt
        )
    )

"""Count machines: how their files are read, and counting a box by a file."""

from typing import Annotated, Any, Literal

from fastapi import Form, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import Command, SignedCommand, plain_caller
from api.pages.forms import FormModel
from api.pages.page_route import page_router
from api.pages.pieces import lines
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import BoxId, ServiceOf
from api.service.fields import FileContent, Id
from domain.books.count_machines import starter
from infra.access.callers import Caller
from infra.ledger.books.machines import keep_machine
from projections.views.floor.box_views import get_box
from projections.views.floor.machine_counts import count_from_file, file_shown, machines_shown

router = page_router()
PATH = "/machines"
SECTION = "drop"
DROP = ("Drop", "/drop")
Counter = Annotated[Caller, Security(plain_caller, scopes=roles.COUNTING)]


class MachineForm(FormModel):
    machine: Id
    text: Annotated[str, Field(max_length=20_000)]


@router.get(PATH)
async def show_machines(
    request: Request, service: ServiceOf, caller: Annotated[Caller, Security(plain_caller, scopes=roles.COUNT_ROOM)]
) -> Response:
    data = {
        "machines": await service.run(machines_shown, service.ledger),
        "starter": starter(),
        "may_keep": caller.may(roles.ACCOUNTING),
    }
    return await render(request, "machines.html", data, title="Count machines", section=SECTION, crumbs=(DROP,))


@router.post(PATH)
async def keep(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)],
    form: Annotated[MachineForm, Form()],
    writing: Command,
) -> Response:
    text = form.text.replace("\r\n", "\n").rstrip("\n") + "\n"
    await writing.store(lambda receipt: keep_machine(service.ledger, form.machine, text, writing.actor, receipt))
    return go(request, PATH, f"The files of {form.machine} are read like this from now on.")


# ---- counting


class FileForm(FormModel):
    """`file` is filled in by the page's script, in Base64."""

    machine: Id
    file: FileContent
    step: Literal["store"] | None = None  # without it, what the file says is shown first


@router.get("/drop/{box}/count/file")
async def show_count(request: Request, service: ServiceOf, caller: Counter, box: BoxId) -> Response:
    return await _page(request, service, caller, box)


async def _page(
    request: Request, service: ServiceOf, caller: Caller, box: str, to_confirm: dict[str, Any] | None = None
) -> Response:
    machines = await service.run(machines_shown, service.ledger)
    data = {
        "box": await service.run(get_box, service.read_side, caller, box),
        "machines": [machine["machine"] for machine in machines],
        "to_confirm": to_confirm,
        "lines": None if to_confirm is None else lines(to_confirm["pieces"]),
    }
    crumbs = (DROP, (f"Count box {box}", f"/drop/{box}/count"))
    title = f"Count box {box} by a file"
    return await render(request, "count_file.html", data, title=title, section=SECTION, crumbs=crumbs)


@router.post("/drop/{box}/count/file")
async def count(
    request: Request,
    service: ServiceOf,
    caller: Counter,
    box: BoxId,
    form: Annotated[FileForm, Form()],
    writing: SignedCommand,
) -> Response:
    """Store the count. It can never be changed, so it is shown for confirmation first."""
    found = await service.run(file_shown, service.read_side, caller, box, form.machine, form.file)
    if form.step is None:
        sent = (await request.form())["file"]
        return await _page(request, service, caller, box, {**found, "machine": form.machine, "file": sent})
    await writing.store(
        lambda receipt: count_from_file(service.read_side, box, form.machine, form.file, writing.actor, receipt)
    )
    return go(request, "/drop?status=removed", f"Your count of box {box} is stored: ${float(found['total']):,.2f}.")

"""The cage: fills and credits to issue, the list of slips, and forms to request, issue and void one."""

from typing import Annotated, Literal

from fastapi import Depends, Form, Path, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import Command, SecondSigner, SignedCommand, plain_caller
from api.pages.forms import FormModel, PageQuery, TypedId, texts
from api.pages.page_route import page_router
from api.pages.pieces import TRAY, PiecesForm, lines
from api.pages.rendering.addresses import address, exports
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf
from api.service.fields import GamingDay, Id, Text
from domain.books.slips import KINDS, MovedKind, Slip, SlipKind, Status, name_of
from infra.access.callers import Caller
from infra.ledger.books.slips import Slips
from projections.views.books.slip_views import SlipFilter, list_slips, open_trays, slip_for

router = page_router()
PATH = "/cage"
SECTION = "cage"
CRUMBS = (("Cage", PATH),)
SLIPS_OF_A_PAGE = 25
MOST_WAITING = 100
FORMATS = ("csv", "xlsx", "pdf", "json")
Reading = Annotated[Caller, Security(plain_caller, scopes=roles.SLIPS)]
Asking = Annotated[Caller, Security(plain_caller, scopes=roles.FLOOR)]
Issuing = Annotated[Caller, Security(plain_caller, scopes=roles.CAGE)]
Voiding = Annotated[Caller, Security(plain_caller, scopes=roles.VOIDING)]
Second = Annotated[SecondPerson, Depends(SecondSigner(*roles.VOIDING))]
SlipNumber = Annotated[int, Path(ge=1, le=2_000_000_000)]


class CageQuery(PageQuery):
    status: Status | None = None
    kind: SlipKind | None = None
    table: TypedId | None = None
    gaming_day: GamingDay | None = None
    before: Annotated[int, Field(ge=1, le=2_000_000_000)] | None = None


@router.get(PATH)
async def show_cage(
    request: Request, service: ServiceOf, caller: Reading, asked: Annotated[CageQuery, Query()]
) -> Response:
    wanted = SlipFilter(asked.status, asked.kind, asked.table, asked.gaming_day, asked.before)
    waiting = await service.run(list_slips, service.read_side, caller, SlipFilter("requested"), MOST_WAITING)
    found = await service.run(list_slips, service.read_side, caller, wanted, SLIPS_OF_A_PAGE)
    narrowed = texts(asked, "before")
    reported = {name: narrowed[name] for name in narrowed}
    data = {
        "waiting": waiting["slips"][::-1],
        "slips": found["slips"],
        "asked": narrowed,
        "kinds": list(KINDS),
        "more": found["before"] and address(PATH, narrowed, before=found["before"]),
        "may_ask": caller.may(roles.FLOOR),
        "may_issue": caller.may(roles.CAGE),
        "exports": exports("slip-numbers", FORMATS, reported) if caller.may(roles.BOOKS) else [],
    }
    return await render(request, "cage.html", data, title="Cage", section=SECTION)


# ---- asking; before the pages of one slip, whose address it could be


class AskForm(PiecesForm):
    kind: MovedKind
    table: Id


@router.get(f"{PATH}/request")
async def show_request(request: Request, service: ServiceOf, caller: Asking) -> Response:
    data = {"tables": await service.run(open_trays, service.read_side), "denominations": list(TRAY)}
    title = "Ask for a fill or a credit"
    return await render(request, "slip_request.html", data, title=title, section=SECTION, crumbs=CRUMBS)


@router.post(f"{PATH}/request")
async def ask(
    request: Request, service: ServiceOf, caller: Asking, form: Annotated[AskForm, Form()], writing: SignedCommand
) -> Response:
    pieces = form.in_cents()
    await writing.store(
        lambda receipt: Slips(service.ledger, receipt).request(form.kind, form.table, pieces, writing.actor)
    )
    return go(request, PATH, f"The cage has been asked for a {form.kind} of table {form.table}.")


# ---- one slip


@router.get(f"{PATH}/{{number}}")
async def show_slip(request: Request, service: ServiceOf, caller: Reading, number: SlipNumber) -> Response:
    return await _slip_page(request, service, caller, number, None)


async def _slip_page(
    request: Request, service: ServiceOf, caller: Caller, number: int, doing: Literal["issue", "void"] | None
) -> Response:
    slip = await service.run(slip_for, service.read_side, caller, number)
    waits, moves = slip["status"] == "requested", slip["kind"] in ("fill", "credit")
    data = {
        "slip": slip,
        "lines": None if slip["pieces"] is None else lines(slip["pieces"]),
        "doing": doing,
        "denominations": list(TRAY),
        "may_issue": waits and moves and caller.may(roles.CAGE),
        "may_void": moves and slip["status"] != "void" and caller.may(roles.VOIDING),
        "paper": f"/v1/slips/{number}/paper",
    }
    title = f"{slip['kind'].capitalize()} {slip['name']}"
    return await render(request, "slip.html", data, title=title, section=SECTION, crumbs=CRUMBS)


class IssueForm(PiecesForm):
    """Pieces are filled in only if they differ from those requested."""

    second_person: Id


@router.get(f"{PATH}/{{number}}/issue")
async def show_issue(request: Request, service: ServiceOf, caller: Issuing, number: SlipNumber) -> Response:
    return await _slip_page(request, service, caller, number, "issue")


@router.post(f"{PATH}/{{number}}/issue")
async def issue(
    request: Request,
    service: ServiceOf,
    caller: Issuing,
    number: SlipNumber,
    form: Annotated[IssueForm, Form()],
    writing: Command,
    second: Second,
) -> Response:
    pieces = form.in_cents() or None

    def issued(slips: Slips) -> Slip:
        return slips.issue(number, second.signed(form.second_person), writing.actor, pieces)

    await writing.store(lambda receipt: issued(Slips(service.ledger, receipt)))
    return go(request, f"{PATH}/{number}", f"Slip {name_of(number)} is issued. Print it in two parts.")


class VoidForm(FormModel):
    reason: Text
    second_person: Id


@router.get(f"{PATH}/{{number}}/void")
async def show_void(request: Request, service: ServiceOf, caller: Voiding, number: SlipNumber) -> Response:
    return await _slip_page(request, service, caller, number, "void")


@router.post(f"{PATH}/{{number}}/void")
async def void(
    request: Request,
    service: ServiceOf,
    caller: Voiding,
    number: SlipNumber,
    form: Annotated[VoidForm, Form()],
    writing: Command,
    second: Second,
) -> Response:
    def voided(slips: Slips) -> Slip:
        return slips.void(number, form.reason, second.signed(form.second_person), writing.actor)

    await writing.store(lambda receipt: voided(Slips(service.ledger, receipt)))
    return go(request, f"{PATH}/{number}", f"Slip {name_of(number)} is void.")

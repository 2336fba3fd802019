"""Numbered slips: fills and credits requested, issued and voided, trays counted by denomination, and their papers."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Response, Security

from api.http.answers import attached, plain, respond
from api.http.dependencies import Command, SecondSigner, SignedCommand, plain_caller
from api.http.problems import answers, problems, stored
from api.http.resource import resource
from api.http.schemas.books import slips as schemas
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf
from domain.books.slips import Slip, name_of
from domain.money import cents
from infra.access.callers import Caller
from infra.ledger.books.slips import Slips
from infra.ledger.ledger import CommandReceipt
from projections.views.books.slip_views import SlipFilter, list_slips, slip_for, slip_paper, slip_shown

router = resource("slips")
PDF = "application/pdf"
Reading = Annotated[Caller, Security(plain_caller, scopes=roles.SLIPS)]
Number = Annotated[int, Path(ge=1, le=2_000_000_000, description="The number of the slip.", examples=[1])]
AFTER = stored("The slip after it.", "conflict", "out_of_turn", "bad_choice")
NUMBERED = stored("The slip, with its number.", "conflict", "out_of_turn", "bad_choice", status=201)


class SlipChange:
    """A command on slips: answered with the slip after it."""

    def __init__(self, caller: Annotated[Caller, Security(plain_caller)], writing: Command) -> None:
        self._caller, self._writing = caller, writing
        self.actor = writing.actor

    async def store(self, change: Callable[[Slips], Slip], status: int = 200) -> Response:
        def command(receipt: CommandReceipt) -> Slip:
            return change(Slips(self._writing.service.ledger, receipt))

        answer = plain(lambda slip: slip_shown(slip, self._caller), status)
        return respond(await self._writing.store(command, answer))


FloorOnly = Annotated[SlipChange, Security(SlipChange, scopes=roles.FLOOR)]
CageOnly = Annotated[SlipChange, Security(SlipChange, scopes=roles.CAGE)]
FloorOrCage = Annotated[SlipChange, Security(SlipChange, scopes=roles.VOIDING)]


@router.get("/slips", response_model=schemas.SlipsOut, responses=problems("bad_choice"))
async def list_all_slips(service: ServiceOf, caller: Reading, asked: Annotated[schemas.SlipFilters, Query()]) -> Any:
    """Slips, the highest number first. The report `slip-numbers` names missing numbers, too."""
    wanted = SlipFilter(asked.status, asked.kind, asked.table, asked.gaming_day, asked.before)
    return await service.run(list_slips, service.read_side, caller, wanted, asked.limit)


@router.post("/slips", response_model=schemas.SlipOut, status_code=201, responses=NUMBERED)
async def request_slip(change: FloorOnly, body: schemas.SlipIn, _: SignedCommand) -> Response:
    """Ask the cage for a fill or a credit of a house-banked table's tray.

    It has its number from now on. No chips move before the cage issues it.
    """
    pieces = _in_cents(body.pieces)
    return await change.store(lambda slips: slips.request(body.kind, body.table, pieces, change.actor), 201)


@router.post("/slips/counts", response_model=schemas.SlipOut, status_code=201, responses=NUMBERED)
async def count_tray_by_pieces(
    change: FloorOnly,
    body: schemas.SlipCountIn,
    second: Annotated[SecondPerson, Depends(SecondSigner(*roles.TRAY_COUNTING))],
) -> Response:
    """Count a house-banked table's tray by denomination, by two different people: an opener or a closer."""
    pieces = _in_cents(body.pieces)

    def counted(slips: Slips) -> Slip:
        signed = second.signed(body.second_person)
        return slips.count_tray(body.table, body.when, pieces, signed, change.actor)

    return await change.store(counted, 201)


@router.get("/slips/{number:int}", response_model=schemas.SlipDetails)
async def get_slip(service: ServiceOf, caller: Reading, number: Number) -> Any:
    """A slip with its pieces, who signed it, and when."""
    return await service.run(slip_for, service.read_side, caller, number)


@router.get(
    "/slips/{number:int}/paper",
    response_class=Response,
    responses=answers(
        200, "Its two parts, for the cage and for the table.", content={PDF: {"schema": {"type": "string"}}}
    ),
)
async def get_slip_paper(service: ServiceOf, caller: Reading, number: Number) -> Response:
    """The slip as a PDF, in two parts to cut."""
    return attached(
        await service.run(slip_paper, service.read_side, caller, number), PDF, f"slip-{name_of(number)}.pdf"
    )


@router.post("/slips/{number:int}/issue", response_model=schemas.SlipOut, responses=AFTER)
async def issue_slip(
    change: CageOnly,
    number: Number,
    body: schemas.SlipIssueIn,
    second: Annotated[SecondPerson, Depends(SecondSigner(*roles.VOIDING))],
) -> Response:
    """Issue a fill or a credit that was asked for: the chips move.

    The cashier and the second person sign, and neither of them asked for it.
    """
    pieces = None if body.pieces is None else _in_cents(body.pieces)

    def issued(slips: Slips) -> Slip:
        return slips.issue(number, second.signed(body.second_person), change.actor, pieces)

    return await change.store(issued)


@router.post("/slips/{number:int}/void", response_model=schemas.SlipOut, responses=AFTER)
async def void_slip(
    change: FloorOrCage,
    number: Number,
    body: schemas.SlipVoidIn,
    second: Annotated[SecondPerson, Depends(SecondSigner(*roles.VOIDING))],
) -> Response:
    """Void a fill or a credit, by two different people and with a reason.

    What an issued one moved goes back, as long as the tray was not counted since.
    """

    def voided(slips: Slips) -> Slip:
        return slips.void(number, body.reason, second.signed(body.second_person), change.actor)

    return await change.store(voided)


def _in_cents(pieces: dict[str, int]) -> dict[int, int]:
    return {cents(worth): number for worth, number in pieces.items()}

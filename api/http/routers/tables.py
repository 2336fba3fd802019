"""Tables: sessions opened and closed, who sits where, chips bought and cashed, the tray, the box; and the floor."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import Body, Depends, Path, Response, Security

from api.http import dependencies
from api.http.answers import encoded, plain, respond
from api.http.dependencies import Command, plain_caller, second_person
from api.http.problems import answers, writes
from api.http.resource import resource
from api.http.schemas.boxes import SwapIn
from api.http.schemas.tables import (
    ChipsIn,
    DealerIn,
    FloorOut,
    NothingIn,
    SeatIn,
    SessionIn,
    SessionOut,
    TrayCountIn,
    TrayIn,
)
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf, TableId
from api.service.idempotency import Answer, Writing, carry_out
from api.service.state import Service
from domain.floor.table_sessions import ChipsBought, ChipsCashed, TableSession, TrayCredited, TrayFilled
from domain.money import cents
from domain.rules.terms import NO_TERMS, TermsDocument
from infra.access.callers import Caller
from infra.ledger.floor import Floor
from infra.ledger.ledger import CommandReceipt
from projections.views.floor_views import floor_now
from projections.views.session_views import is_blind, latest_session, session_shown

router = resource("tables")
SESSION = answers(200, "The table's session.", "Idempotent-Replayed")
AtTable = Annotated[Caller, Security(plain_caller, scopes=roles.PLAYING)]
SeatNumber = Annotated[int, Path(ge=1, le=9, description="The seat's number.", examples=[5])]


async def _change(
    service: Service,
    caller: Caller,
    table: str,
    writing: Writing,
    change: Callable[[Floor], TableSession],
    status: int = 200,
) -> Response:
    caller.check_table(table)

    def command(receipt: CommandReceipt) -> TableSession:
        return change(Floor(service.ledger, receipt))

    def carried_out() -> Answer:
        # Who may see what is asked first: once the command is stored, nothing shall keep its answer away.
        blind = is_blind(service.books, caller, table)
        answer = plain(lambda session: session_shown(session, blind), status)
        return carry_out(service.ledger, writing.once, command, answer)

    return respond(service.count(await service.run(carried_out)))


@router.get("/tables", operation_id="listTables", response_model=FloorOut)
async def list_tables(
    service: ServiceOf, caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.READING)]
) -> Response:
    """Every table as it is now, the open ones first; fees and flags of the present shift."""
    return encoded(await service.run(floor_now, service.books))


@router.get("/tables/{table}", operation_id="getTable", response_model=SessionOut)
async def get_table(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=["terminal", "floor", "cage", "accounting", "auditor"])],
    table: TableId,
) -> Any:
    """The table's latest session."""
    caller.check_table(table)
    return await service.run(latest_session, service.books, caller, table)


@router.post(
    "/tables/{table}/sessions",
    operation_id="openSession",
    response_model=SessionOut,
    status_code=201,
    responses={
        **writes("unknown_ruleset", "bad_terms", "conflict"),
        **answers(201, "The table's session.", "Idempotent-Replayed"),
    },
)
async def open_session(
    service: ServiceOf, caller: AtTable, table: TableId, body: SessionIn, writing: Command
) -> Response:
    """Open a table. Its rule set and terms hold for every round until it is closed."""
    terms = NO_TERMS
    if body.terms is not None:
        terms = msgspec.convert(body.terms.model_dump(exclude_unset=True), TermsDocument)
    players = {int(seat): bettor for seat, bettor in (body.players or {}).items()}
    return await _change(
        *(service, caller, table, writing),
        lambda floor: floor.open_session(table, body.ruleset, terms, players, writing.actor, body.box),
        201,
    )


@router.post(
    "/tables/{table}/sessions/current/close",
    operation_id="closeSession",
    response_model=SessionOut,
    responses={**writes("conflict"), **SESSION},
)
async def close_session(
    service: ServiceOf,
    caller: AtTable,
    table: TableId,
    writing: Command,
    body: Annotated[NothingIn | None, Body()] = None,
) -> Response:
    """Close a table, between rounds."""
    return await _change(service, caller, table, writing, lambda floor: floor.close_session(table, writing.actor))


@router.put(
    "/tables/{table}/seats/{seat}",
    operation_id="takeSeat",
    response_model=SessionOut,
    responses={**writes("conflict"), **SESSION},
)
async def take_seat(
    service: ServiceOf, caller: AtTable, table: TableId, seat: SeatNumber, body: SeatIn, writing: Command
) -> Response:
    """Seat a player."""
    return await _change(
        service, caller, table, writing, lambda floor: floor.take_seat(table, seat, body.bettor, writing.actor)
    )


@router.delete(
    "/tables/{table}/seats/{seat}",
    operation_id="leaveSeat",
    response_model=SessionOut,
    responses={**writes("conflict"), **SESSION},
)
async def leave_seat(
    service: ServiceOf, caller: AtTable, table: TableId, seat: SeatNumber, writing: Command
) -> Response:
    """A player leaves their seat."""
    return await _change(service, caller, table, writing, lambda floor: floor.leave_seat(table, seat, writing.actor))


@router.post(
    "/tables/{table}/dealer",
    operation_id="tapIn",
    response_model=SessionOut,
    responses={**writes("conflict"), **SESSION},
)
async def tap_in(service: ServiceOf, caller: AtTable, table: TableId, body: DealerIn, writing: Command) -> Response:
    """A dealer taps in, or out, between rounds.

    A round's dealer is whoever was tapped in when it opened; null where nobody takes over.
    """
    return await _change(service, caller, table, writing, lambda floor: floor.tap_in(table, body.dealer, writing.actor))


@router.post(
    "/tables/{table}/chips",
    operation_id="moveChips",
    response_model=SessionOut,
    responses={**writes("conflict"), **SESSION},
)
async def move_chips(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=["terminal", "floor", "cage"])],
    table: TableId,
    body: ChipsIn,
    writing: Command,
) -> Response:
    """A buy-in or a cash-out."""
    kind = ChipsBought if body.kind == "buy_in" else ChipsCashed
    event = kind(body.bettor, cents(body.amount))
    return await _change(service, caller, table, writing, lambda floor: floor.move_chips(table, event, writing.actor))


@router.post(
    "/tables/{table}/tray",
    operation_id="moveTray",
    response_model=SessionOut,
    responses={**writes("conflict"), **SESSION},
)
async def move_tray(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.CAGE)],
    table: TableId,
    body: TrayIn,
    writing: Command,
) -> Response:
    """A fill or a credit of a house-banked table's tray."""
    kind = TrayFilled if body.kind == "fill" else TrayCredited
    event = kind(cents(body.amount), body.slip)
    return await _change(service, caller, table, writing, lambda floor: floor.move_chips(table, event, writing.actor))


@router.post(
    "/tables/{table}/tray/count",
    operation_id="countTray",
    response_model=SessionOut,
    responses={**writes("conflict"), **SESSION},
)
async def count_tray(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.FLOOR)],
    table: TableId,
    body: TrayCountIn,
    writing: Command,
) -> Response:
    """An opening or closing count of a house-banked table's tray.

    Between rounds, opening and closing in turn; the inventory report compares the two with the ledger's own win.
    """
    return await _change(
        *(service, caller, table, writing),
        lambda floor: floor.count_tray(table, cents(body.amount), body.when, writing.actor),
    )


@router.post(
    "/tables/{table}/box",
    operation_id="swapBox",
    response_model=SessionOut,
    tags=["boxes"],
    responses={**writes("conflict"), **SESSION},
)
async def swap_box(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.FLOOR)],
    table: TableId,
    body: SwapIn,
    writing: Command,
    second: Annotated[SecondPerson, Depends(second_person("floor", "cage", "counter", "accounting"))],
) -> Response:
    """Take the full drop box off a table and put an empty one on.

    By two different people; every drop has a box id of its own.
    """
    return await _change(
        *(service, caller, table, writing),
        lambda floor: floor.swap_box(table, body.new_box, body.seal, second.signed(body.second_person), writing.actor),
    )

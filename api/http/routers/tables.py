"""Tables: sessions, seats, chips, the tray, the box; and the floor."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import Body, Depends, Path, Response, Security

from api.http import dependencies
from api.http.answers import encoded, plain, respond
from api.http.dependencies import Command, SecondSigner, plain_caller
from api.http.problems import stored
from api.http.resource import resource
from api.http.schemas import tables
from api.http.schemas.boxes import SwapIn
from api.http.schemas.rounds import RoundOut
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf, TableId
from api.service.idempotency import round_answer
from domain.floor.table_sessions import ChipsBought, ChipsCashed, TableSession
from domain.money import cents
from domain.rules.ruleset import MOST_SEATS
from domain.rules.terms import NO_TERMS, TermsDocument
from infra.access.callers import Caller
from infra.ledger.floor import Floor
from infra.ledger.ledger import CommandReceipt, StoredRound
from projections.views.books.cash_views import alert_at_table
from projections.views.floor.floor_views import floor_now
from projections.views.floor.session_views import is_blind, latest_session, session_shown
from projections.views.read_side import ReadSide

router = resource("tables")
SESSION = stored("The table's session.", "conflict")
DEALT = stored("The round after it.", "conflict", headers=("ETag",))
OPENED = stored("The table's session.", "unknown_ruleset", "bad_terms", "conflict", status=201)
SeatNumber = Annotated[int, Path(ge=1, le=MOST_SEATS, description="The seat's number.", examples=[5])]


class TableChange:
    """A command at a table; answered with the table's session after it."""

    def __init__(self, caller: Annotated[Caller, Security(plain_caller)], table: TableId, writing: Command) -> None:
        caller.check_table(table)
        self._caller, self._writing = caller, writing
        self.table, self.actor = table, writing.actor

    async def store(
        self,
        change: Callable[[Floor], TableSession],
        status: int = 200,
        also: Callable[[ReadSide], dict[str, Any]] | None = None,
    ) -> Response:
        """Store a change; `also` is what else its answer says, from before the change."""
        service = self._writing.service

        def command(receipt: CommandReceipt) -> TableSession:
            return change(Floor(service.ledger, receipt))

        # Checked first: once the command is stored, nothing may withhold its answer.
        blind = await service.run(is_blind, service.read_side, self._caller, self.table)
        more = {} if also is None else await service.run(also, service.read_side)
        answer = plain(lambda session: {**session_shown(session, blind), **more}, status)
        return respond(await self._writing.store(command, answer))


Playing = Annotated[TableChange, Security(TableChange, scopes=roles.PLAYING)]
FloorOnly = Annotated[TableChange, Security(TableChange, scopes=roles.FLOOR)]


@router.get("/tables", response_model=tables.FloorOut)
async def list_tables(
    service: ServiceOf, caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.READING)]
) -> Response:
    """Every table as it is now, open ones first; fees and flags of the current shift."""
    return encoded(await service.run(floor_now, service.read_side))


@router.get("/tables/{table}", response_model=tables.SessionOut)
async def get_table(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=["terminal", "floor", "cage", "accounting", "auditor"])],
    table: TableId,
) -> Any:
    """The table's latest session."""
    caller.check_table(table)
    return await service.run(latest_session, service.read_side, caller, table)


@router.post("/tables/{table}/sessions", response_model=tables.SessionOut, status_code=201, responses=OPENED)
async def open_session(change: Playing, body: tables.SessionIn) -> Response:
    """Open a table. Its rule set and terms apply to every round until it is closed."""
    terms = NO_TERMS
    if body.terms is not None:
        terms = msgspec.convert(body.terms.model_dump(exclude_unset=True), TermsDocument)
    players = {int(seat): bettor for seat, bettor in (body.players or {}).items()}
    return await change.store(
        lambda floor: floor.open_session(change.table, body.ruleset, terms, players, change.actor, body.box), 201
    )


@router.post("/tables/{table}/sessions/current/close", response_model=tables.SessionOut, responses=SESSION)
async def close_session(change: Playing, body: Annotated[tables.NothingIn | None, Body()] = None) -> Response:
    """Close a table, between rounds."""
    return await change.store(lambda floor: floor.close_session(change.table, change.actor))


@router.put("/tables/{table}/seats/{seat}", response_model=tables.SessionOut, responses=SESSION)
async def take_seat(change: Playing, seat: SeatNumber, body: tables.SeatIn) -> Response:
    """Seat a player."""
    return await change.store(lambda floor: floor.take_seat(change.table, seat, body.bettor, change.actor))


@router.delete("/tables/{table}/seats/{seat}", response_model=tables.SessionOut, responses=SESSION)
async def leave_seat(change: Playing, seat: SeatNumber) -> Response:
    """A player leaves their seat."""
    return await change.store(lambda floor: floor.leave_seat(change.table, seat, change.actor))


@router.post("/tables/{table}/cards", response_model=RoundOut, responses=DEALT)
async def deal_cards(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.table_caller, scopes=roles.PLAYING)],
    table: TableId,
    body: tables.CardsIn,
    writing: Command,
) -> Response:
    """Deal packets of cards as a shoe or shuffler reads them, in order.

    Each goes where the next cards of the table's open round go; all of them are dealt or none. A packet that is dealt
    face down stays hidden from everybody: its cards are sealed. Send an `Idempotency-Key` with each request, so that a
    retry deals nothing twice."""

    def command(receipt: CommandReceipt) -> StoredRound:
        return service.play.deal(
            *(caller, table, body.packets, writing.actor, receipt),
            writing.check_key_is_new,
        )

    return respond(await writing.store(command, round_answer))


@router.post("/tables/{table}/dealer", response_model=tables.SessionOut, responses=SESSION)
async def tap_in(change: Playing, body: tables.DealerIn) -> Response:
    """Tap a dealer in, or out, between rounds.

    A round's dealer is the one tapped in when it opened; null if nobody takes over."""
    return await change.store(lambda floor: floor.tap_in(change.table, body.dealer, change.actor))


@router.post("/tables/{table}/chips", response_model=tables.ChipsMovedOut, responses=SESSION)
async def move_chips(
    change: Annotated[TableChange, Security(TableChange, scopes=["terminal", "floor", "cage"])], body: tables.ChipsIn
) -> Response:
    """A buy-in or a cash-out. `alert` says where the day's cash has to be logged or reported."""
    kind = ChipsBought if body.kind == "buy_in" else ChipsCashed
    moved = kind(body.bettor, cents(body.amount), body.means or "unknown")
    return await change.store(
        lambda floor: floor.move_chips(change.table, moved, change.actor),
        also=lambda read_side: {"alert": alert_at_table(read_side, moved, change.actor)},
    )


@router.post("/tables/{table}/box", response_model=tables.SessionOut, tags=["boxes"], responses=SESSION)
async def swap_box(
    change: FloorOnly,
    body: SwapIn,
    second: Annotated[SecondPerson, Depends(SecondSigner("floor", "cage", "counter", "accounting"))],
) -> Response:
    """Take the full drop box off a table and put an empty one on.

    By two different people; every drop has a box id of its own."""

    def swapped(floor: Floor) -> TableSession:
        signed = second.signed(body.second_person)
        return floor.swap_box(change.table, body.new_box, body.seal, signed, change.actor)

    return await change.store(swapped)

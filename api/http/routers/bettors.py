"""Bettors and player-dealers: the register, bankrolls over time, and how somebody banked turn by turn."""

from typing import Annotated, Any

from fastapi import Query, Request, Response, Security

from api.http.answers import plain, respond
from api.http.dependencies import Command, caller, plain_caller
from api.http.problems import problems, stored
from api.http.resource import resource
from api.http.schemas import bettors as schemas
from api.service import roles
from api.service.admission import ServiceOf, path_id
from infra.access.callers import Caller
from infra.ledger.floor import Floor
from projections.views import bettor_views

router = resource("bettors")
BettorId = Annotated[str, path_id("p-1", "The bettor's id.")]
Bankrolls = Annotated[Caller, Security(caller, scopes=roles.BANKROLLS)]
Banking = Annotated[Caller, Security(caller, scopes=roles.BANKING)]


@router.put("/bettors/{bettor}", response_model=schemas.BettorOut, responses=stored("Registered.", "conflict"))
async def register_bettor(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.APPEALS)],
    bettor: BettorId,
    body: schemas.BettorIn,
    writing: Command,
) -> Response:
    """Register a bettor as a patron or a proposition player."""
    registered = plain(lambda _: {"bettor": bettor, "kind": body.kind})
    return respond(
        await writing.store(
            lambda receipt: Floor(service.ledger, receipt).register_bettor(bettor, body.kind, writing.actor), registered
        )
    )


@router.get("/bettors", response_model=schemas.BettorsOut)
async def find_bettors(
    request: Request, service: ServiceOf, caller: Bankrolls, asked: Annotated[schemas.BettorFilters, Query()]
) -> Any:
    """Bettors with their bankrolls, by id."""
    page = asked.like or "", asked.after or "", asked.limit
    return await service.run(bettor_views.find_bettors, service.read_side, caller, *page, request.url.query)


@router.get("/bettors/{bettor}/bankroll", response_model=schemas.BankrollOut)
async def get_bankroll(
    service: ServiceOf, caller: Bankrolls, bettor: BettorId, asked: Annotated[schemas.BankrollFilters, Query()]
) -> Any:
    """A bettor's bankroll, day by day and move by move.

    As a player and as the bank. Moves are those of their last gaming days, as many as `days` says."""
    return await service.run(bettor_views.bankroll_for, service.read_side, caller, bettor, asked.days, asked.limit)


@router.get("/player-dealers", response_model=schemas.PlayerDealersOut)
async def find_player_dealers(
    request: Request, service: ServiceOf, caller: Banking, asked: Annotated[schemas.BettorFilters, Query()]
) -> Any:
    """Who has banked, and with what result, by id."""
    page = asked.like or "", asked.after or "", asked.limit
    return await service.run(bettor_views.find_player_dealers, service.read_side, caller, *page, request.url.query)


@router.get("/bettors/{bettor}/banking", response_model=schemas.BankingOut, responses=problems("bad_choice"))
async def get_banking(
    service: ServiceOf, caller: Banking, bettor: BettorId, asked: Annotated[schemas.BankingFilters, Query()]
) -> Any:
    """How a player-dealer banked, turn by turn, the last one first.

    What they put up, what they could have had to pay, what they paid and collected, and what was not covered.
    """
    return await service.run(bettor_views.banking_for, service.read_side, caller, bettor, asked.before, asked.limit)

"""Bettors and player-dealers: the register, bankrolls over time, and how somebody banked turn by turn."""

from typing import Annotated, Any

from fastapi import Query, Request, Response, Security

from api.http.answers import plain, respond
from api.http.dependencies import Command, caller, plain_caller
from api.http.problems import answers, problems, writes
from api.http.resource import resource
from api.http.schemas.bettors import (
    BankingFilters,
    BankingOut,
    BankrollFilters,
    BankrollOut,
    BettorFilters,
    BettorIn,
    BettorOut,
    BettorsOut,
    PlayerDealersOut,
)
from api.service import roles
from api.service.admission import ServiceOf, path_id
from infra.access.callers import Caller
from infra.ledger.floor import Floor
from projections.views.bettor_views import banking_for, bankroll_for, find_bettors, find_player_dealers

router = resource("bettors")
BettorId = Annotated[str, path_id("p-1", "The bettor's id.")]
Bankrolls = Annotated[Caller, Security(caller, scopes=roles.BANKROLLS)]
Banking = Annotated[Caller, Security(caller, scopes=roles.BANKING)]


@router.put(
    "/bettors/{bettor}",
    operation_id="registerBettor",
    response_model=BettorOut,
    responses={**writes("conflict"), **answers(200, "Registered.", "Idempotent-Replayed")},
)
async def register_bettor(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.APPEALS)],
    bettor: BettorId,
    body: BettorIn,
    writing: Command,
) -> Response:
    """Say whether a bettor is a patron or a proposition player."""
    registered = plain(lambda _: {"bettor": bettor, "kind": body.kind})
    return respond(
        await service.once(
            writing.once,
            lambda receipt: Floor(service.ledger, receipt).register_bettor(bettor, body.kind, writing.actor),
            registered,
        )
    )


@router.get("/bettors", operation_id="findBettors", response_model=BettorsOut)
async def list_bettors(
    request: Request, service: ServiceOf, caller: Bankrolls, asked: Annotated[BettorFilters, Query()]
) -> Any:
    """Bettors with their bankrolls, by id."""
    page = asked.like or "", asked.after or "", asked.limit
    return await service.run(find_bettors, service.books, caller, *page, request.url.query)


@router.get("/bettors/{bettor}/bankroll", operation_id="getBankroll", response_model=BankrollOut)
async def get_bankroll(
    service: ServiceOf, caller: Bankrolls, bettor: BettorId, asked: Annotated[BankrollFilters, Query()]
) -> Any:
    """A bettor's bankroll, day by day and move by move.

    In whatever part they played. Moves are those of their last gaming days, as many as `days` says.
    """
    return await service.run(bankroll_for, service.books, caller, bettor, asked.days, asked.limit)


@router.get("/player-dealers", operation_id="findPlayerDealers", response_model=PlayerDealersOut)
async def list_player_dealers(
    request: Request, service: ServiceOf, caller: Banking, asked: Annotated[BettorFilters, Query()]
) -> Any:
    """Who has banked, and what came of it, by id."""
    page = asked.like or "", asked.after or "", asked.limit
    return await service.run(find_player_dealers, service.books, caller, *page, request.url.query)


@router.get(
    "/bettors/{bettor}/banking",
    operation_id="getBanking",
    response_model=BankingOut,
    responses=problems("bad_choice"),
)
async def get_banking(
    service: ServiceOf, caller: Banking, bettor: BettorId, asked: Annotated[BankingFilters, Query()]
) -> Any:
    """How a player-dealer banked, turn by turn, the last one first.

    What they put up, what they could have had to pay, what they paid and collected, and what was not covered.
    """
    return await service.run(banking_for, service.books, caller, bettor, asked.before, asked.limit)

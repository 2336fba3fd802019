"""Gaming days and months: what they lack, closing them, opening them again."""

from typing import Annotated, Any

from fastapi import Depends, Path, Response, Security

from api.http.answers import plain, respond
from api.http.dependencies import Command, SecondSigner, caller, plain_caller
from api.http.problems import problems, stored
from api.http.resource import resource
from api.http.schemas.books.closings import PeriodChanged, PeriodCloseIn, PeriodOut, PeriodReopenIn
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf
from api.service.problems import Problem
from api.service.state import Writing
from domain.books.closings import ClosingEvent
from infra.access.callers import Caller
from infra.ledger.ledger import Actor, CommandReceipt
from projections.views.books.closing_views import (
    PERIOD_PATTERN,
    closing_shown,
    outcome_shown,
    period_of,
    periods_of,
)

router = resource("closings")
Closing = Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)]
Second = Annotated[SecondPerson, Depends(SecondSigner(*roles.CLOSING))]
PeriodName = Annotated[
    str,
    Path(pattern=PERIOD_PATTERN, description="A gaming day, or a month as YYYY-MM.", examples=["2026-09-21"]),
]
CHANGED = stored("What was decided.", "conflict", "out_of_turn", "bad_choice")


@router.get("/closings/{period}", response_model=PeriodOut, responses=problems("bad_choice"))
async def get_closing(
    service: ServiceOf, caller: Annotated[Caller, Security(caller, scopes=roles.BOOKS)], period: PeriodName
) -> Any:
    """A gaming day or a month: what it lacks before it can be closed, its balances, and who decided what on it."""
    return await service.run(closing_shown, service.read_side, caller, period)


@router.post("/closings/{period}", response_model=PeriodChanged, responses=CHANGED)
async def close_period(
    service: ServiceOf, caller: Closing, period: PeriodName, body: PeriodCloseIn, writing: Command, second: Second
) -> Response:
    """Close a gaming day, or a month whose days are closed, by two different people.

    From then on no money report of it changes: what is recorded later and concerns it is posted on the next open day.
    """
    named = period_of(period)

    def command(receipt: CommandReceipt) -> ClosingEvent:
        signed = second.signed(body.second_person)
        periods = periods_of(service.read_side)
        return periods.close(named, body.explanation, signed, _now(writing), receipt)

    return respond(await writing.store(command, plain(lambda event: outcome_shown(named, event))))


@router.post("/closings/{period}/reopening", response_model=PeriodChanged, responses=CHANGED)
async def reopen_period(
    service: ServiceOf, caller: Closing, period: PeriodName, body: PeriodReopenIn, writing: Command, second: Second
) -> Response:
    """Open a closed gaming day or month again, by two different people, for a reason.

    What was posted elsewhere meanwhile stays there.
    """
    named = period_of(period)

    def command(receipt: CommandReceipt) -> ClosingEvent:
        signed = second.signed(body.second_person)
        return periods_of(service.read_side).reopen(named, body.reason, signed, _now(writing), receipt)

    return respond(await writing.store(command, plain(lambda event: outcome_shown(named, event))))


def _now(writing: Writing) -> Actor:
    if writing.actor.dated:
        raise Problem("bad_choice", "Books are closed and reopened now: Happened-At is left out.")
    return writing.actor

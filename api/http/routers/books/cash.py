"""Cash at the cage: buy-ins and cash-outs, the cash log, its thresholds, and who patrons are."""

from typing import Annotated, Any

from fastapi import Query, Response, Security

from api.http.answers import plain, respond
from api.http.dependencies import Command, caller, plain_caller
from api.http.problems import kept, stored
from api.http.resource import resource
from api.http.schemas.books import cash as schemas
from api.service import roles
from api.service.admission import ServiceOf, path_id
from domain.money import cents, money
from infra.access.callers import Caller
from infra.ledger.books.cash import erase_patron, name_patron, set_thresholds
from projections.views.books import cash_views

router = resource("cash")
Cage = Annotated[Caller, Security(plain_caller, scopes=roles.CAGE)]
Naming = Annotated[Caller, Security(plain_caller, scopes=roles.NAMING_PATRONS)]
Patron = Annotated[str, path_id("p-1", "The patron's id.")]


@router.get("/cash", response_model=schemas.CashDayOut)
async def get_cash_log(
    service: ServiceOf,
    caller: Annotated[Caller, Security(caller, scopes=roles.CASH)],
    asked: Annotated[schemas.CashFilters, Query()],
) -> Any:
    """Cash in and out of a gaming day by patron, at tables and at the cage together, and what it asks for."""
    day = asked.gaming_day or service.clock.now().day
    return await service.run(cash_views.cash_shown, service.read_side, caller, day)


@router.post("/cash", response_model=schemas.CashMovedOut, responses=stored("What was stored.", "conflict"))
async def take_cash(service: ServiceOf, caller: Cage, body: schemas.CashIn, writing: Command) -> Response:
    """A buy-in or a cash-out at the cage. `alert` says where the day's cash has to be logged or reported."""
    move = body.way, body.bettor, body.description, cents(body.amount), body.means
    return respond(
        await writing.store(
            lambda receipt: cash_views.take_cash(service.read_side, *move, writing.actor, receipt),
            plain(cash_views.moved_shown),
        )
    )


@router.put("/cash/thresholds", response_model=schemas.ThresholdsIn, responses=stored("As they are now.", "conflict"))
async def put_thresholds(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)],
    body: schemas.ThresholdsIn,
    writing: Command,
) -> Response:
    """Set from which amounts cash is logged and reported, from this gaming day on."""
    return respond(
        await writing.store(
            lambda receipt: set_thresholds(
                service.ledger, cents(body.log_from), cents(body.report_over), writing.actor, receipt
            ),
            plain(lambda kept: {"log_from": money(kept.log), "report_over": money(kept.report)}),
        )
    )


# Without a key: a name set again changes nothing, and a receipt would keep one that is to be erased.


@router.put(
    "/cash/patrons/{bettor}/name", response_model=schemas.PatronNameOut, responses=kept("The name.", "bad_choice")
)
async def put_patron_name(service: ServiceOf, caller: Naming, bettor: Patron, body: schemas.PatronNameIn) -> Any:
    """Say who a patron is, apart from the record."""
    await service.run(name_patron, service.ledger, bettor, body.name, caller.by)
    return {"bettor": bettor, "name": body.name}


@router.delete(
    "/cash/patrons/{bettor}/name", response_model=schemas.PatronNameOut, responses=kept("That no name is kept.")
)
async def delete_patron_name(service: ServiceOf, caller: Naming, bettor: Patron) -> Any:
    """Erase who a patron is. The record keeps the id and the amounts."""
    await service.run(erase_patron, service.ledger, bettor)
    return {"bettor": bettor, "name": None}

"""`roundledger cash`: buy-ins and cash-outs at the cage, the thresholds of the cash log, and who patrons are."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli.terminal.database import By, actor, on_ledger
from api.cli.terminal.errors import fail

if TYPE_CHECKING:
    from infra.ledger.ledger import Ledger

app = typer.Typer(help="Cash at the cage. `report cash-log` prints the log.", no_args_is_help=True)
Amount = Annotated[str, typer.Argument(metavar="AMOUNT", help="With two decimals.")]
Patron = Annotated[str, typer.Argument(metavar="PATRON", help="Their id.")]


@app.command("move")
@on_ledger
def move(
    ledger: "Ledger",
    way: Annotated[Literal["in", "out"], typer.Argument(help="Chips bought, or chips cashed.")],
    patron: Patron,
    amount: Amount,
    means: Annotated[Literal["cash", "chips", "other"], typer.Option(help="What they gave or got.")],
    by: By = None,
) -> None:
    """Store a buy-in or a cash-out at the cage."""
    from domain.books.cash import BoughtIn, CashedOut
    from infra.ledger.books.cash import move_cash

    event = (BoughtIn if way == "in" else CashedOut)(patron, _cents(amount), means)
    move_cash(ledger, event, actor(by))
    typer.echo(f"The {'buy-in' if way == 'in' else 'cash-out'} of {patron} is stored.", err=True)


@app.command("thresholds")
@on_ledger
def thresholds(
    ledger: "Ledger",
    log_from: Annotated[str, typer.Option(metavar="AMOUNT", help="Cash of a day is logged from this amount on.")],
    report_over: Annotated[str, typer.Option(metavar="AMOUNT", help="It is reported over this amount.")],
    by: By = None,
) -> None:
    """Set from which amounts cash is logged and reported, from this gaming day on."""
    from infra.ledger.books.cash import set_thresholds

    set_thresholds(ledger, _cents(log_from), _cents(report_over), actor(by))


@app.command("erase")
@on_ledger
def erase(ledger: "Ledger", patron: Patron) -> None:
    """Erase the name or description of a patron. The record keeps the id and the amounts."""
    from domain.errors import Refusal
    from infra.ledger.books.cash import erase_patron

    try:
        erase_patron(ledger, patron)
    except Refusal as refusal:
        fail(refusal.detail)


def _cents(text: str) -> int:
    import re

    from domain.money import MONEY_PATTERN, cents

    if not re.fullmatch(MONEY_PATTERN, text) or not cents(text):
        fail(f"{text!r} is not an amount with two decimals")
    return cents(text)

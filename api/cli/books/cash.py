"""`roundledger cash`: buy-ins and cash-outs at the cage, the thresholds of the cash log, and who patrons are."""

from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.reports import bring_up_to_date
from api.cli.terminal.database import By, on_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.signing import FromInput, one_signs
from domain.books.cash import Marked, Way

if TYPE_CHECKING:
    from infra.ledger.ledger import Ledger

app = typer.Typer(help="Cash at the cage. `report cash-log` prints the log.", no_args_is_help=True)
Amount = Annotated[str, typer.Argument(metavar="AMOUNT", help="With two decimals.")]
Patron = Annotated[str, typer.Argument(metavar="PATRON", help="Their id.")]


@app.command("move")
@on_ledger
def move(
    ledger: "Ledger",
    way: Annotated[Way, typer.Argument(help="Chips bought, or chips cashed.")],
    amount: Amount,
    means: Annotated[Marked, typer.Option(help="What they gave or got.")],
    patron: Annotated[str | None, typer.Option(metavar="ID", help="The patron's id.", show_default=False)] = None,
    description: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Of somebody whom nobody knows.", show_default=False)
    ] = None,
    by: By = None,
    password_stdin: FromInput = False,
) -> None:
    """Store a buy-in or a cash-out at the cage, and say where the day's cash has to be logged or reported."""
    from api.service import roles
    from infra.ledger.books.cash import unknown_patron
    from projections.calendar.property_clock import clock_of
    from projections.views.books.cash_views import store_cash

    if (patron is None) == (description is None):
        fail("name the patron with --patron, or describe somebody whom nobody knows with --description")
    cents = _cents(amount)
    who = one_signs(ledger, by, password_stdin, roles.CAGE)
    day = clock_of(ledger.database).days.of(who.at_ms).day
    move = day, way, patron or unknown_patron(), description, cents, means
    moved = store_cash(ledger, lambda: bring_up_to_date(ledger.database.url, "cash_log"), *move, who)
    typer.echo(f"The {'buy-in' if way == 'in' else 'cash-out'} of {moved.bettor} is stored.")
    if moved.alert is not None:
        typer.echo(f"roundledger: {moved.alert}", err=True)


@app.command("thresholds")
@on_ledger
def thresholds(
    ledger: "Ledger",
    log_from: Annotated[str, typer.Option(metavar="AMOUNT", help="Cash of a day is logged from this amount on.")],
    report_over: Annotated[str, typer.Option(metavar="AMOUNT", help="It is reported over this amount.")],
    by: By = None,
    password_stdin: FromInput = False,
) -> None:
    """Set from which amounts cash is logged and reported, from this gaming day on."""
    from api.service import roles
    from infra.ledger.books.cash import set_thresholds

    amounts = _cents(log_from), _cents(report_over)
    set_thresholds(ledger, *amounts, one_signs(ledger, by, password_stdin, roles.ACCOUNTING))
    typer.echo(f"Cash is logged from {log_from} on and reported over {report_over}.", err=True)


@app.command("erase")
@on_ledger
def erase(ledger: "Ledger", patron: Patron, by: By = None, password_stdin: FromInput = False) -> None:
    """Erase the name or description of a patron. The record keeps the id and the amounts."""
    from api.service import roles
    from infra.ledger.books.cash import erase_patron

    one_signs(ledger, by, password_stdin, roles.NAMING_PATRONS)
    erase_patron(ledger, patron)
    typer.echo(f"What was kept of {patron} apart from the record is erased.", err=True)


def _cents(text: str) -> int:
    import re

    from domain.money import MONEY_PATTERN, cents

    if not re.fullmatch(MONEY_PATTERN, text) or not cents(text):
        fail(f"{text!r} is not an amount with two decimals")
    return cents(text)

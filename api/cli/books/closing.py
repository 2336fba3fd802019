"""`roundledger close`: what a gaming day or a month lacks, closing it by two people, and reopening it."""

from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.reports import bring_up_to_date
from api.cli.terminal.database import By, on_ledger
from api.cli.terminal.output import print_json
from api.cli.terminal.signing import FromInput, SecondPerson, two_sign

if TYPE_CHECKING:
    from infra.ledger.ledger import Ledger
    from projections.views.books.closing_views import Periods

app = typer.Typer(help="Close gaming days and months, so that their reports stay as they are.", no_args_is_help=True)
PeriodName = Annotated[str, typer.Argument(metavar="PERIOD", help="A gaming day, 2026-09-21, or a month, 2026-09.")]


@app.command("status")
@on_ledger
def status(ledger: "Ledger", period: PeriodName) -> None:
    """Print what it lacks, its balances and who decided what, as JSON."""
    from projections.views.books.closing_views import period_of

    print_json(_periods(ledger).shown(period_of(period)))


@app.command("sign")
@on_ledger
def sign(
    ledger: "Ledger",
    period: PeriodName,
    second: SecondPerson = None,
    explanation: Annotated[
        str | None, typer.Option(help="Why trays were not counted, where they cannot be any more.")
    ] = None,
    by: By = None,
    password_stdin: FromInput = False,
) -> None:
    """Close it, by two people. What is recorded later and concerns it is posted on the next open day."""
    from api.service import roles
    from projections.views.books.closing_views import period_of

    who, second_person = two_sign(ledger, by, second, password_stdin, roles.ACCOUNTING, roles.CLOSING)
    event = _periods(ledger).close(period_of(period), explanation, second_person, who)
    typer.echo(f"{period} is closed. Digest of its balances: {getattr(event, 'digest', '')}")


@app.command("reopen")
@on_ledger
def reopen(
    ledger: "Ledger",
    period: PeriodName,
    reason: Annotated[str, typer.Option(help="Why, in one line.")],
    second: SecondPerson = None,
    by: By = None,
    password_stdin: FromInput = False,
) -> None:
    """Reopen it, by two people. What was posted elsewhere meanwhile stays there."""
    from api.service import roles
    from projections.views.books.closing_views import period_of

    who, second_person = two_sign(ledger, by, second, password_stdin, roles.ACCOUNTING, roles.CLOSING)
    _periods(ledger).reopen(period_of(period), reason, second_person, who)
    typer.echo(f"{period} is open again.")


def _periods(ledger: "Ledger") -> "Periods":
    from projections.calendar.property_clock import clock_of
    from projections.closing.day_closing import DayClosing
    from projections.views.books.closing_views import Periods

    url = ledger.database.url
    days = clock_of(ledger.database).days
    return Periods(DayClosing(ledger, lambda *names: bring_up_to_date(url, *names), days), ledger)

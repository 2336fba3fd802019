"""`roundledger close`: what a gaming day or a month lacks, closing it by two people, and reopening it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.reports import bring_up_to_date
from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.signing import FromInput, Passwords, SecondPerson, two_signed

if TYPE_CHECKING:
    from infra.ledger.ledger import Actor, Ledger
    from projections.closing.closing_views import Periods

app = typer.Typer(help="Close gaming days and months, so that their reports stay as they are.", no_args_is_help=True)
PeriodName = Annotated[str, typer.Argument(metavar="PERIOD", help="A gaming day, 2026-09-21, or a month, 2026-09.")]


@app.command("status")
def status(period: PeriodName, database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Print what it lacks, its balances and who decided what, as JSON."""
    from projections.closing.closing_views import period_of

    with open_ledger(database_url, data_dir) as ledger, _refusing(ledger) as periods:
        typer.echo(json.dumps(periods.shown(period_of(period)), ensure_ascii=False, indent=2))


@app.command("sign")
def sign(
    period: PeriodName,
    second: SecondPerson = None,
    explanation: Annotated[
        str | None, typer.Option(help="Why trays were not counted, where they cannot be any more.")
    ] = None,
    by: By = None,
    password_stdin: FromInput = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Close it, by two people. What is recorded later and concerns it is posted on the next open day."""
    from projections.closing.closing_views import period_of

    with open_ledger(database_url, data_dir) as ledger, _refusing(ledger) as periods:
        who, second_person = _signed(ledger, by, second, password_stdin)
        event = periods.close(period_of(period), explanation, second_person, who)
    typer.echo(f"{period} is closed. Digest of its balances: {getattr(event, 'digest', '')}")


@app.command("reopen")
def reopen(
    period: PeriodName,
    reason: Annotated[str, typer.Option(help="Why, in one line.")],
    second: SecondPerson = None,
    by: By = None,
    password_stdin: FromInput = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Reopen it, by two people. What was posted elsewhere meanwhile stays there."""
    from projections.closing.closing_views import period_of

    with open_ledger(database_url, data_dir) as ledger, _refusing(ledger) as periods:
        who, second_person = _signed(ledger, by, second, password_stdin)
        periods.reopen(period_of(period), reason, second_person, who)
    typer.echo(f"{period} is open again.")


@contextmanager
def _refusing(ledger: "Ledger") -> "Iterator[Periods]":
    """Turn a refusal into one sentence and exit code 2."""
    from domain.errors import Refusal
    from infra.access.callers import Forbidden
    from projections.calendar.property_clock import clock_of
    from projections.closing.closing_views import Periods
    from projections.closing.day_closing import DayClosing

    url = ledger.database.url
    days = clock_of(ledger.database).days
    try:
        yield Periods(DayClosing(ledger, lambda *names: bring_up_to_date(url, *names), days), ledger)
    except Refusal as refusal:
        fail(refusal.detail)
    except Forbidden as refusal:
        fail(str(refusal))


def _signed(ledger: "Ledger", by: str | None, second: str | None, password_stdin: bool) -> "tuple[Actor, str]":
    """Return both signers, who authenticate unless the staff register is empty."""
    from api.service import roles

    if second is None:
        fail("two people sign this: --second names the other one")
    if not ledger.staff.any():
        return actor(by), second
    first, other = two_signed(ledger, Passwords(password_stdin), by, second, roles.ACCOUNTING, roles.CLOSING)
    return actor(first), other

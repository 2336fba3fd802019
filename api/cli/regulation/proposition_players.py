"""`roundledger proposition`: the register of proposition players, and their names, which can be erased.

`roundledger report proposition-players` and `proposition-banks` print it."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from infra.ledger.ledger import Ledger

app = typer.Typer(help="The register of proposition players.", no_args_is_help=True)
Bettor = Annotated[str, typer.Argument(metavar="BETTOR", help="The bettor's id.")]
LastDay = Annotated[datetime, typer.Option("--last-day", formats=["%Y-%m-%d"], help="The last gaming day.")]


@app.command("register")
def register(
    bettor: Bettor,
    company: Annotated[str, typer.Option(help="For which company they play.")],
    registration: Annotated[str, typer.Option(metavar="NUMBER", help="Their registration number.")],
    first_day: Annotated[datetime, typer.Option(formats=["%Y-%m-%d"], help="The first gaming day.")],
    last_day: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The last one, if known.")] = None,
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Register a proposition player for a company."""
    days = first_day.date(), None if last_day is None else last_day.date()
    _do(
        lambda ledger: ledger.register_proposition(bettor, company, registration, *days, actor(by)),
        database_url,
        data_dir,
    )
    typer.echo(f"{bettor} plays for {company} from {days[0]} on.")


@app.command("end")
def end(
    bettor: Bettor,
    last_day: LastDay,
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """End the last registration of a proposition player with a day."""
    _do(lambda ledger: ledger.end_proposition(bettor, last_day.date(), actor(by)), database_url, data_dir)
    typer.echo(f"The registration of {bettor} ends with {last_day.date()}.")


@app.command("name")
def name(
    bettor: Bettor,
    called: Annotated[str, typer.Argument(metavar="NAME", help="What the person is called.")],
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Store a proposition player's name, separately from the record."""
    _do(lambda ledger: ledger.name_proposition(bettor, called, actor(by)), database_url, data_dir)
    typer.echo(f"The name of {bettor} is kept.")


@app.command("erase")
def erase(bettor: Bettor, by: By = None, database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Erase a proposition player's name; the record keeps the id and the company."""
    _do(lambda ledger: ledger.erase_name(bettor, actor(by)), database_url, data_dir)
    typer.echo(f"The name of {bettor} is erased.")


def _do(change: "Callable[[Ledger], object]", database_url: str | None, data_dir: "Path | None") -> None:
    from domain.errors import Refusal

    with open_ledger(database_url, data_dir) as ledger:
        try:
            change(ledger)
        except Refusal as refusal:
            fail(refusal.detail)

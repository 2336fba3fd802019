"""`roundledger proposition`: the register of proposition players, and their names, which can be erased.

`roundledger report proposition-players` and `proposition-banks` print it."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, actor, on_ledger

if TYPE_CHECKING:
    from infra.ledger.ledger import Ledger

app = typer.Typer(help="The register of proposition players.", no_args_is_help=True)
Bettor = Annotated[str, typer.Argument(metavar="BETTOR", help="The bettor's id.")]
LastDay = Annotated[datetime, typer.Option("--last-day", formats=["%Y-%m-%d"], help="The last gaming day.")]


@app.command("register")
@on_ledger
def register(
    ledger: "Ledger",
    bettor: Bettor,
    company: Annotated[str, typer.Option(help="For which company they play.")],
    registration: Annotated[str, typer.Option(metavar="NUMBER", help="Their registration number.")],
    first_day: Annotated[datetime, typer.Option(formats=["%Y-%m-%d"], help="The first gaming day.")],
    last_day: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The last one, if known.")] = None,
    by: By = None,
) -> None:
    """Register a proposition player for a company."""
    days = first_day.date(), None if last_day is None else last_day.date()
    ledger.register_proposition(bettor, company, registration, *days, actor(by))
    typer.echo(f"{bettor} plays for {company} from {days[0]} on.")


@app.command("end")
@on_ledger
def end(
    ledger: "Ledger",
    bettor: Bettor,
    last_day: LastDay,
    by: By = None,
) -> None:
    """End the last registration of a proposition player with a day."""
    ledger.end_proposition(bettor, last_day.date(), actor(by))
    typer.echo(f"The registration of {bettor} ends with {last_day.date()}.")


@app.command("name")
@on_ledger
def name(
    ledger: "Ledger",
    bettor: Bettor,
    called: Annotated[str, typer.Argument(metavar="NAME", help="What the person is called.")],
    by: By = None,
) -> None:
    """Store a proposition player's name, separately from the record."""
    ledger.name_proposition(bettor, called, actor(by).by)
    typer.echo(f"The name of {bettor} is kept.")


@app.command("erase")
@on_ledger
def erase(ledger: "Ledger", bettor: Bettor, by: By = None) -> None:
    """Erase a proposition player's name; the record keeps the id and the company."""
    ledger.erase_name(bettor)
    typer.echo(f"The name of {bettor} is erased.")

"""`roundledger explain`: why a result is outside the range that chance explains."""

from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.reports import bring_up_to_date
from api.cli.terminal.database import By, actor, on_ledger
from api.cli.terminal.time_options import day

if TYPE_CHECKING:
    from infra.ledger.ledger import Ledger


@on_ledger
def explain(
    ledger: "Ledger",
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The table's id.")],
    game: Annotated[str, typer.Argument(metavar="GAME", help="The rule set's id.")],
    spot: Annotated[str, typer.Argument(metavar="SPOT", help="Of the wagers, as statistics-by-wager has it: trips…")],
    first: Annotated[str, typer.Option(metavar="DATE", help="The first gaming day.")],
    last: Annotated[str, typer.Option(metavar="DATE", help="The last one.")],
    text: Annotated[str, typer.Option(metavar="WORDS", help="The explanation; it stays in the ledger.")],
    by: By = None,
) -> None:
    """Explain a result of statistics-by-wager, with its figures. `report statistics-explanations` lists them."""
    from projections.statistics.explanation import Question

    question = Question(table, game, spot, day(first, "--first"), day(last, "--last"))
    database = ledger.events.recorder.database
    bring_up_to_date(database.url, "statistics")
    ledger.explain_result(question.explained(database, text), actor(by))
    typer.echo(f"The result of {spot} at table {table} is explained.", err=True)

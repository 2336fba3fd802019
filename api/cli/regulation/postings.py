"""`roundledger posting`: what the property chose, what tables post, and what they are designated for.

`roundledger report postings`, `designations` and `choices` print them."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, actor, on_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.time_options import moment_ms

if TYPE_CHECKING:
    from domain.rules.terms import TermsDocument
    from infra.ledger.ledger import Ledger

app = typer.Typer(help="What tables post, and what the property offers of a rule set.", no_args_is_help=True)
Table = Annotated[str, typer.Argument(metavar="TABLE", help="The table's id.")]
RulesetId = Annotated[str, typer.Argument(metavar="RULESET", help="The rule set's id.")]


@app.command("choose")
@on_ledger
def choose(
    ledger: "Ledger",
    ruleset: RulesetId,
    trips: Annotated[str | None, typer.Option(metavar="TABLE", help="The one pay table for trips.")] = None,
    schedule: Annotated[
        list[int] | None, typer.Option(metavar="N", help="A schedule that is offered; may be repeated.")
    ] = None,
    limits: Annotated[
        list[str] | None, typer.Option(metavar="SPOT=LOW-HIGH", help="As in ante=5.00-500.00; may be repeated.")
    ] = None,
    notice: Annotated[int, typer.Option(metavar="MINUTES", help="Between a posting and its beginning.")] = 0,
    by: By = None,
) -> None:
    """Choose what the whole property offers of a rule set, from now on; what is left out is left to each table."""

    widest = dict(_limits(text) for text in limits or [])
    schedules = tuple(schedule) if schedule else None
    ledger.choose_terms(ruleset, trips, schedules, widest, notice, actor(by))
    typer.echo(f"The choice for {ruleset} is stored.")


@app.command("post")
@on_ledger
def post(
    ledger: "Ledger",
    table: Table,
    ruleset: RulesetId,
    terms: Annotated[
        str, typer.Option(metavar="JSON", help='As a session has them: {"schedule": 1, "limits": {...}}.')
    ] = "{}",
    begins: Annotated[str | None, typer.Option("--from", metavar="TIME", help="ISO 8601; now by default.")] = None,
    by: By = None,
) -> None:
    """Post rates and limits at a table; they apply until the next posting begins."""

    given = _terms(terms)
    posting = ledger.post_terms(table, ruleset, given, moment_ms(begins, "--from"), actor(by))
    typer.echo(f"Table {table} posts {json.dumps(posting.posted.terms)} of {ruleset}.")


@app.command("remove")
@on_ledger
def remove(
    ledger: "Ledger",
    table: Table,
    ends: Annotated[str | None, typer.Option("--from", metavar="TIME", help="ISO 8601; now by default.")] = None,
    by: By = None,
) -> None:
    """Take down what a table has posted, with nothing in its place."""

    ledger.take_down(table, moment_ms(ends, "--from"), actor(by))
    typer.echo(f"What table {table} has posted ends.")


@app.command("designate")
@on_ledger
def designate(
    ledger: "Ledger",
    table: Table,
    ruleset: RulesetId,
    box: Annotated[str, typer.Option(help="How its drop box is labelled.")],
    inscription: Annotated[str, typer.Option(help="What the layout says.")],
    placard: Annotated[str, typer.Option(help="What the placard says.")],
    by: By = None,
) -> None:
    """Designate a table for a game, with its box, inscription and placard."""

    ledger.designate_table(table, ruleset, box, inscription, placard, actor(by))
    typer.echo(f"Table {table} is designated for {ruleset}.")


def _terms(text: str) -> "TermsDocument":
    import msgspec

    from domain.rules.terms import TermsDocument

    try:
        return msgspec.json.decode(text, type=TermsDocument)
    except msgspec.MsgspecError as error:
        fail(f"--terms is a JSON object with terms: {error}")


def _limits(text: str) -> tuple[str, tuple[str, str]]:
    spot, _, between = text.partition("=")
    low, _, high = between.partition("-")
    if not (spot and low and high):
        fail(f"--limits is a spot with its limits like ante=5.00-500.00, not {text!r}")
    return spot, (low, high)

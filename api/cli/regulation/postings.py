"""`roundledger posting`: what the property chose, what tables post, and what they are designated for.

`roundledger report postings`, `designations` and `choices` print them."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.time_options import moment_ms

if TYPE_CHECKING:
    from domain.rules.terms import TermsDocument

app = typer.Typer(help="What tables post, and what the property offers of a rule set.", no_args_is_help=True)
Table = Annotated[str, typer.Argument(metavar="TABLE", help="The table's id.")]
RulesetId = Annotated[str, typer.Argument(metavar="RULESET", help="The rule set's id.")]


@app.command("choose")
def choose(
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
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Choose what the whole property offers of a rule set, from now on; what is left out is left to each table."""
    from domain.errors import Refusal

    widest = dict(_limits(text) for text in limits or [])
    schedules = tuple(schedule) if schedule else None
    with open_ledger(database_url, data_dir) as ledger:
        try:
            ledger.choose_terms(ruleset, trips, schedules, widest, notice, actor(by))
        except Refusal as refusal:
            fail(refusal.detail)
    typer.echo(f"The choice for {ruleset} is stored.")


@app.command("post")
def post(
    table: Table,
    ruleset: RulesetId,
    terms: Annotated[
        str, typer.Option(metavar="JSON", help='As a session has them: {"schedule": 1, "limits": {...}}.')
    ] = "{}",
    begins: Annotated[str | None, typer.Option("--from", metavar="TIME", help="ISO 8601; now by default.")] = None,
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Post rates and limits at a table; they apply until the next posting begins."""
    from domain.errors import Refusal

    given = _terms(terms)
    with open_ledger(database_url, data_dir) as ledger:
        try:
            posting = ledger.post_terms(table, ruleset, given, moment_ms(begins, "--from"), actor(by))
        except Refusal as refusal:
            fail(refusal.detail)
    typer.echo(f"Table {table} posts {json.dumps(posting.posted.terms)} of {ruleset}.")


@app.command("remove")
def remove(
    table: Table,
    ends: Annotated[str | None, typer.Option("--from", metavar="TIME", help="ISO 8601; now by default.")] = None,
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Take down what a table has posted, with nothing in its place."""
    from domain.errors import Refusal

    with open_ledger(database_url, data_dir) as ledger:
        try:
            ledger.take_down(table, moment_ms(ends, "--from"), actor(by))
        except Refusal as refusal:
            fail(refusal.detail)
    typer.echo(f"What table {table} has posted ends.")


@app.command("designate")
def designate(
    table: Table,
    ruleset: RulesetId,
    box: Annotated[str, typer.Option(help="How its drop box is labelled.")],
    inscription: Annotated[str, typer.Option(help="What the layout says.")],
    placard: Annotated[str, typer.Option(help="What the placard says.")],
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Designate a table for a game, with its box, inscription and placard."""
    from domain.errors import Refusal

    with open_ledger(database_url, data_dir) as ledger:
        try:
            ledger.designate_table(table, ruleset, box, inscription, placard, actor(by))
        except Refusal as refusal:
            fail(refusal.detail)
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

"""`roundledger rules`: which rule sets there are, what they say, how they differ; checking and trying new ones."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.audit import BettorOption, Processes, Since, TableOption, Until, auditable, scope_of
from api.cli.terminal.database import DatabaseUrl, DataDir
from api.cli.terminal.errors import fail, nothing_unforeseen
from api.cli.terminal.output import AsJson, Into
from api.cli.terminal.rule_trial import print_trial, trial_document
from api.cli.whatif import OutputFormat, show

if TYPE_CHECKING:
    from domain.rules.ruleset import RuleSet

app = typer.Typer(help="List, show, compare, check and try rule sets.", invoke_without_command=True)


@app.callback()
def list_rules(context: typer.Context, as_json: AsJson = False) -> None:
    """List, show, compare, check and try rule sets."""
    context.obj = as_json  # `rules --json show ID` means the same as `rules show ID --json`
    if context.invoked_subcommand is not None:
        return
    from domain.rules.description import dates, summary
    from domain.rules.rulesets import ids, load

    every = [load(id) for id in ids()]
    if as_json:
        _print_json([summary(rules) for rules in every])
        return

    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("rule set", "game", "bank", "seats", "version", "in force"):
        table.add_column(heading, no_wrap=heading != "game")
    for rules in every:
        version = str(rules.version)
        table.add_row(rules.id, rules.game.title, rules.bank, str(rules.seats), version, dates(rules))
    Console().print(table)


RulesetId = Annotated[str, typer.Argument(metavar="ID", help="The rule set's id, as `roundledger rules` lists it.")]
Version = Annotated[int | None, typer.Option(metavar="N", help="Another version than the newest.")]


@app.command("show")
def show_rules(context: typer.Context, ruleset: RulesetId, version: Version = None, as_json: AsJson = False) -> None:
    """Print one rule set: pay tables, fees, dealing, order of settlement, clauses and decisions."""
    from domain.rules.description import contents, markdown

    rules = _load(ruleset, version)
    if as_json or context.obj:
        _print_json(contents(rules))
        return

    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(markdown(rules)))


@app.command("figures")
def list_figures(context: typer.Context, ruleset: RulesetId, version: Version = None, as_json: AsJson = False) -> None:
    """List every figure of a rule set by the name that `whatif --set` knows it by."""
    from domain.rules.description import contents

    figures: Any = contents(_load(ruleset, version))["figures"]
    if as_json or context.obj:
        _print_json(figures)
        return
    for figure in figures:
        typer.echo(f"{figure['place']} = {json.dumps(figure['value'], ensure_ascii=False)}")


Source = Annotated[str, typer.Argument(metavar="FILE", help="A rule-set file, or the id of a rule set that ships.")]


@app.command("diff")
def compare(
    context: typer.Context,
    before: Annotated[str, typer.Argument(metavar="A", help="A file, ID or ID:VERSION to begin with.")],
    after: Annotated[str, typer.Argument(metavar="B", help="What to compare with it.")],
    other: Annotated[int | None, typer.Argument(metavar="[N]", help="`diff ID N N` compares two versions.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show which figures and clauses of two rule sets differ, and whom that concerns."""
    from domain.rules.description import differences

    if other is not None:
        before, after = f"{before}:{after}", f"{before}:{other}"
    found = differences(_source(before), _source(after))
    if as_json or context.obj:
        _print_json([{**difference._asdict(), "concerns": difference.concerns} for difference in found])
        return
    if not found:
        typer.echo("No figure and no clause differs.")
    for difference in found:
        typer.echo(f"{difference.what} {difference.name}")
        for sign, text in (("-", difference.before), ("+", difference.after)):
            if text is not None:
                typer.echo(f"  {sign} {text}")
        typer.echo(f"  concerns {difference.concerns}")


@app.command("check")
def check(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A rule-set file.")],
    as_json: AsJson = False,
) -> None:
    """Report every mistake in a rule-set file with its line; exit code 1 if there is one."""
    from domain.rules.loader import mistakes

    found = mistakes(_text(file), file.name)
    if as_json or context.obj:
        _print_json([{"file": error.file, "line": error.line, "message": error.message} for error in found])
    elif found:
        for error in found:
            typer.echo(str(error))
    else:
        typer.echo(f"{file.name}: no mistakes.")
    raise typer.Exit(1 if found else 0)


@app.command("new")
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, named after its rule set: ID.toml.")],
    like: Annotated[str, typer.Option("--from", metavar="ID", help="The rule set to begin with.")],
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The first day in force; tomorrow if left out.")
    ] = None,
) -> None:
    """Begin a rule set of your own with the text of another."""
    from domain.errors import BadDocument
    from domain.rules.new_file import new_text

    first_day = since.date() if since is not None else datetime.now(UTC).date() + timedelta(days=1)
    try:
        text = new_text(_load(like, None), file.stem, first_day)
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except BadDocument as error:
        fail(error.detail)
    except FileExistsError:
        fail(f"{file} already exists; nothing was written.")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}.")
    typer.echo(f"Wrote {file}. Change it, then run `roundledger rules check {file}`.")


@app.command("test")
def try_out(
    context: typer.Context,
    source: Source,
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds to simulate.")] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rounds.")] = 1,
    meter: Annotated[str | None, typer.Option(metavar="AMOUNT", help="What a progressive meter shows.")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate rounds under a rule set, check the laws of money in each, and print exact house edges."""
    from infra.simulation.trial import trial

    rules, shown = _source(source), _meter(meter)
    edges = list(rules.game.house_edges(rules))
    found = trial(rules, rounds, seed)
    if as_json or context.obj:
        _print_json(trial_document(found, edges, shown))
    else:
        print_trial(found, edges, shown)
    raise typer.Exit(1 if found.broken else 0)


@app.command("try")
@nothing_unforeseen("the rounds could not be settled otherwise")
def try_on_history(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A rule-set file.")],
    of: Annotated[
        str | None, typer.Option(metavar="ID", help="The rule set of the rounds, if the file's is another one.")
    ] = None,
    since: Since = None,
    until: Until = None,
    table: TableOption = None,
    bettor: BettorOption = None,
    processes: Processes = None,
    output: OutputFormat = "table",
    into: Into = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Settle past rounds under a rule-set file and show what would have changed; nothing is stored."""
    from api.cli.terminal.progress import progress_with_rate
    from domain.disputes.whatif import RuleChanges
    from projections.audit.whatif_history import what_if

    rules = _source(str(file))
    scope = scope_of(since, until, table, of or rules.id, bettor)
    with auditable(database_url, data_dir) as url, progress_with_rate("Settling otherwise") as progress:
        found = what_if(url, scope, RuleChanges(file=(file.name, rules.text)), progress, processes)
    show(found.document(), output, into)


def _meter(amount: str | None) -> int | None:
    from domain.errors import BadDocument
    from domain.money import positive_cents

    if amount is None:
        return None
    try:
        return positive_cents(amount)
    except BadDocument as error:
        fail(error.detail)


def _source(name: str) -> RuleSet:
    """A file by its path, or a rule set by its id, with a version after a colon."""
    from domain.rules.loader import mistakes, parse

    if name.endswith(".toml"):
        text, file = _text(Path(name)), Path(name).name
        if found := mistakes(text, file):
            for error in found:
                typer.echo(str(error), err=True)
            raise typer.Exit(2)
        return parse(text, file)
    id, _, version = name.partition(":")
    if version and not version.isdigit():
        fail(f"{version!r} is no version of a rule set: it is a number.")
    return _load(id, int(version) if version else None)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}.")
    except UnicodeDecodeError:
        fail(f"{file} is not a text in UTF-8.")


def _load(ruleset: str, version: int | None) -> RuleSet:
    from domain.errors import UnknownRuleset
    from domain.rules.rulesets import load

    try:
        return load(ruleset, version)
    except UnknownRuleset as error:
        fail(error.detail)


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))

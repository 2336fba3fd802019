"""`roundledger rules`: which rule sets there are, what one of them says, and how its versions differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from domain.rules.ruleset import RuleSet

app = typer.Typer(help="List the rule sets, or show one of them.", invoke_without_command=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@app.callback()
def list_rules(context: typer.Context, as_json: AsJson = False) -> None:
    """List the rule sets, or show one of them."""
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


@app.command("diff")
def compare_versions(
    context: typer.Context,
    ruleset: RulesetId,
    before: Annotated[int, typer.Argument(metavar="A", help="The version to begin with.")],
    after: Annotated[int, typer.Argument(metavar="B", help="The version to compare with it.")],
    as_json: AsJson = False,
) -> None:
    """Show which figures and clauses of two versions differ."""
    from domain.rules.description import differences

    found = differences(_load(ruleset, before), _load(ruleset, after))
    if as_json or context.obj:
        _print_json([difference._asdict() for difference in found])
        return
    if not found:
        typer.echo("No figure and no clause differs.")
    for difference in found:
        typer.echo(f"{difference.what} {difference.name}")
        for sign, text in (("-", difference.before), ("+", difference.after)):
            if text is not None:
                typer.echo(f"  {sign} {text}")


def _load(ruleset: str, version: int | None) -> RuleSet:
    from domain.errors import UnknownRuleset
    from domain.rules.rulesets import load

    try:
        return load(ruleset, version)
    except UnknownRuleset as error:
        typer.echo(f"roundledger: {error.detail}", err=True)
        raise typer.Exit(2) from None


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))

"""`roundledger rules`: which rule sets there are, and what one of them says."""

from __future__ import annotations

import json
from typing import Annotated

import typer

app = typer.Typer(help="List the rule sets, or show one of them.", invoke_without_command=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@app.callback()
def list_rules(context: typer.Context, as_json: AsJson = False) -> None:
    """List the rule sets, or show one of them."""
    context.obj = as_json  # `rules --json show ID` means the same as `rules show ID --json`
    if context.invoked_subcommand is not None:
        return
    from domain.rulebook import FAMILY_NAMES, dates, summary
    from domain.rulesets import ids, load

    every = [load(id) for id in ids()]
    if as_json:
        _print_json([summary(rules) for rules in every])
        return

    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("rule set", "game", "bank", "seats", "in force"):
        table.add_column(heading, no_wrap=heading != "game")
    for rules in every:
        table.add_row(rules.id, FAMILY_NAMES[rules.family], rules.bank, str(rules.seats), dates(rules))
    Console().print(table)


@app.command("show")
def show_rules(
    context: typer.Context,
    ruleset: Annotated[str, typer.Argument(metavar="ID", help="The rule set's id, as `roundledger rules` lists it.")],
    as_json: AsJson = False,
) -> None:
    """Print one rule set: pay tables, fees, dealing, order of settlement, clauses and decisions."""
    from domain.errors import UnknownRuleset
    from domain.rulebook import contents, markdown
    from domain.rulesets import load

    try:
        rules = load(ruleset)
    except UnknownRuleset as error:
        typer.echo(f"roundledger: {error.detail}", err=True)
        raise typer.Exit(2) from None
    if as_json or context.obj:
        _print_json(contents(rules))
        return

    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(markdown(rules)))


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))

"""The command line, `roundledger`.

A command imports what it needs inside its own function: `--help` and `--version` should not wait for a database driver
or a web framework to load."""

from typing import Annotated

import typer

from api.cli import disputes, log, people, property_name, rules
from api.cli.adjudicate import adjudicate
from api.cli.audit import archive, audit
from api.cli.books import cash, closing, machines, slips
from api.cli.day_journal import chart_app, journal
from api.cli.demo import demo
from api.cli.evidence import evidence, verify
from api.cli.ledger import migrate, record, replay
from api.cli.operations import backup, housekeeping, standby
from api.cli.operations.client import client
from api.cli.operations.doctor import doctor
from api.cli.operations.serve import config, serve, tokens
from api.cli.operations.upgrade import upgrade
from api.cli.regulation import explanations, postings, proposition_players, round_facts
from api.cli.reports import follow, gaming_days_app, rebuild, report
from api.cli.simulate import simulate
from api.cli.whatif import whatif

app = typer.Typer(
    name="roundledger",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # it would print local variables, and so bets and ids, into logs
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"roundledger {version('roundledger')}")
        raise typer.Exit


@app.callback()
def roundledger(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """An event-sourced ledger for rounds of casino table games."""


for command in (
    *(demo, serve, adjudicate, simulate, record, replay, report, audit, archive, evidence, verify),
    *(
        whatif,
        journal,
        explanations.explain,
        log.witness,
        rebuild,
        follow,
        migrate,
        config,
        client,
        backup.restore,
        upgrade,
        doctor,
        housekeeping.housekeeping,
    ),
):
    app.command()(command)
app.add_typer(rules.app, name="rules")
app.add_typer(tokens, name="token")
app.add_typer(people.app, name="people")
app.add_typer(gaming_days_app, name="gaming-days")
app.add_typer(property_name.app, name="property")
app.add_typer(closing.app, name="close")
app.add_typer(chart_app, name="chart")
app.add_typer(slips.app, name="slip")
app.add_typer(machines.app, name="machine")
app.add_typer(cash.app, name="cash")
app.add_typer(disputes.app, name="dispute")
app.add_typer(disputes.dealers, name="dealer")
app.add_typer(postings.app, name="posting")
app.add_typer(round_facts.app, name="fact")
app.add_typer(proposition_players.app, name="proposition")
app.add_typer(log.app, name="log")
app.add_typer(backup.app, name="backup")
app.add_typer(housekeeping.holds, name="hold")
app.add_typer(standby.app, name="standby")


def main() -> None:
    app()

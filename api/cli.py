"""The command line, `roundledger`.

A command imports what it needs inside its own function: `--help` and `--version` should not wait for a
database driver or a web framework to load.
"""

from typing import Annotated

import typer

from api import dispute_commands, log_commands, people_commands, rules_command
from api.audit_commands import archive, audit
from api.demo_command import demo
from api.evidence_commands import evidence, verify
from api.ledger_commands import migrate, record, replay
from api.play_commands import adjudicate
from api.report_commands import follow, gaming_days_app, rebuild, report
from api.serve_command import config, serve, tokens
from api.simulate_command import simulate
from api.whatif_command import whatif

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
    *(whatif, log_commands.witness, rebuild, follow, migrate, config),
):
    app.command()(command)
app.add_typer(rules_command.app, name="rules")
app.add_typer(tokens, name="token")
app.add_typer(people_commands.app, name="people")
app.add_typer(gaming_days_app, name="gaming-days")
app.add_typer(dispute_commands.app, name="dispute")
app.add_typer(dispute_commands.dealers, name="dealer")
app.add_typer(log_commands.app, name="log")


def main() -> None:
    app()

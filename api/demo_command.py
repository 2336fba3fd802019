"""`roundledger demo`: a simulated floor on all seven rule sets over an embedded PostgreSQL, with nothing to set up."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.database import DataDir, open_ledger

if TYPE_CHECKING:
    from infra.simulation.days import Floor

SECONDS_BETWEEN_ROUNDS = 2.0


def demo(
    data_dir: DataDir = None,
    rounds: Annotated[
        int | None,
        typer.Option(min=0, help="How many more rounds each game plays; without it, until Ctrl-C.", show_default=False),
    ] = None,
) -> None:
    """Play a floor of all seven rule sets into a ledger of its own and go on playing until Ctrl-C.

    The second start is quick and keeps what is there.
    """
    from infra.embedded import default_data_dir
    from infra.simulation.days import Floor

    folder = data_dir or default_data_dir() / "demo"
    typer.echo(f"The demo's ledger is in {folder}.")
    with open_ledger(None, folder) as ledger:
        floor = Floor(ledger)
        _fill(floor)
        _invite(ledger, folder)
        try:
            _play_on(floor, rounds)
        except KeyboardInterrupt:
            typer.echo("\nThe floor is closed. Everything that was played stays in the ledger.")


def _fill(floor: "Floor") -> None:
    from api.progress import progress_of
    from infra.simulation import days

    if not floor.has_past():
        total = days.DAYS * days.ROUNDS_A_DAY * days.TABLES * 7
        for _ in progress_of(floor.play_past(time.time_ns() // 1_000_000), total, "Playing the last days"):
            pass
    else:
        floor.skip_past()


def _invite(ledger: Any, folder: Path) -> None:
    round_id = "p215-casino-club-s1-t1-000002"
    where = f"--data-dir {folder}"
    typer.echo("Look around from another terminal:")
    for command in (f"replay {round_id}", "report bankroll", "report collections", "report journal --format csv"):
        typer.echo(f"  {Path(sys.argv[0]).name} {command} {where}")


def _play_on(floor: "Floor", rounds: int | None) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    played = 0
    while rounds is None or played < rounds:
        results = floor.play_on(time.time_ns() // 1_000_000)
        played += 1
        table = Table("game", "round", "status", "action", "paid", "collected", box=None, pad_edge=False)
        for ruleset, result in results.items():
            bank, exposure = result["bank"] or {}, result["exposure"] or {}
            figures = (exposure.get("action", ""), bank.get("paid", ""), bank.get("collected", ""))
            table.add_row(ruleset, result["id"], result["status"], *figures)
        console.print(table)
        if rounds is None or played < rounds:
            time.sleep(SECONDS_BETWEEN_ROUNDS)

"""`roundledger demo`: a simulated floor on all seven rule sets over an embedded PostgreSQL, with nothing to set up."""

import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.database import DataDir, open_database

if TYPE_CHECKING:
    from infra.simulation.days import Floor

SECONDS_BETWEEN_ROUNDS = 2.0
A_ROUND = "p215-casino-club-s1-t1-000002"


def demo(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where the service listens, on loopback.")] = 8000,
    data_dir: DataDir = None,
    rounds: Annotated[
        int | None,
        typer.Option(min=0, help="Play so many more rounds of each game and stop, without the service."),
    ] = None,
) -> None:
    """Play a floor of all seven rule sets into a ledger of its own, serve it, and go on playing until Ctrl-C.

    The second start is quick and keeps what is there.
    """
    from infra.embedded import default_data_dir
    from infra.ledger import Ledger
    from infra.simulation.days import Floor

    folder = data_dir or default_data_dir() / "demo"
    typer.echo(f"The demo's ledger is in {folder}.")
    with open_database(None, folder) as url:
        ledger = Ledger(url)
        try:
            floor = Floor(ledger)
            _fill(floor)
            if rounds is not None:
                for _ in range(rounds):
                    _play(floor)
                return
            _invite(folder, port)
            _serve(floor, url, port)
        finally:
            ledger.close()
    typer.echo("The floor is closed. Everything that was played stays in the ledger.")


def _fill(floor: "Floor") -> None:
    from api.progress import progress_of
    from infra.simulation import days

    if floor.has_past():
        floor.skip_past()
        return
    total = days.DAYS * days.ROUNDS_A_DAY * days.TABLES * 7
    for _ in progress_of(floor.play_past(time.time_ns() // 1_000_000), total, "Playing the last days"):
        pass


def _play(floor: "Floor") -> None:
    results = floor.play_on(time.time_ns() // 1_000_000)
    for ruleset, result in results.items():
        typer.echo(f"{ruleset:17} {result['id']:32} {result['status']}")


def _invite(folder: Path, port: int) -> None:
    typer.echo(f"The service answers on http://127.0.0.1:{port}; /openapi.json there says what it can do.")
    typer.echo("Look around from another terminal:")
    for command in (f"replay {A_ROUND}", "report bankroll", "report collections", "report drops"):
        typer.echo(f"  {sys.argv[0]} {command} --data-dir {folder}")
    typer.echo("Ctrl-C ends it.")


def _serve(floor: "Floor", database_url: str, port: int) -> None:
    """The service in this thread, the floor in another: rounds go on while somebody looks."""
    from api.service.serving import run
    from api.service.settings import read_settings

    closing = threading.Event()

    def play_on() -> None:
        while not closing.wait(SECONDS_BETWEEN_ROUNDS):
            floor.play_on(time.time_ns() // 1_000_000)

    players = threading.Thread(target=play_on, name="roundledger-demo")
    players.start()
    try:
        run(database_url, "127.0.0.1", port, 1, read_settings())
    except KeyboardInterrupt:
        pass
    finally:
        closing.set()
        players.join()

"""`roundledger demo`: a simulated floor with a past and a present on an embedded PostgreSQL, without setup."""

import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.terminal.database import DataDir, disk_of, open_database
from api.cli.terminal.errors import fail

if TYPE_CHECKING:
    from api.service.settings import Settings
    from infra.ledger.ledger import Ledger

HOST = "127.0.0.1"
USUAL_PORT = 8000
PORTS_TRIED = 20
A_ROUND = "p215-1-000010"  # a pair that was split into four hands


def demo(
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, show_default=False, help="The port; by default 8000 or the next free one."),
    ] = None,
    data_dir: DataDir = None,
    days: Annotated[int, typer.Option(min=1, max=30, help="How many past gaming days to simulate.")] = 3,
    rounds_a_day: Annotated[int, typer.Option(min=1, max=1000, help="Rounds per table and day.")] = 40,
    build_only: Annotated[bool, typer.Option("--build-only", help="Build the past and stop.")] = False,
) -> None:
    """Run a simulated floor with all seven rule sets: past days, live tables and the pages, until Ctrl-C.

    The first start builds the past. Later starts are quick and keep the data.
    """
    from infra.embedded import default_data_dir
    from infra.ledger.ledger import Ledger

    listens = None if build_only else _free_port(port)
    folder = data_dir or default_data_dir() / "demo"
    typer.echo(f"The demo's ledger is in {folder}.")
    with open_database(None, folder) as url:
        ledger = Ledger(url, disk_of(None, folder))
        try:
            _build(ledger, url, folder, days, rounds_a_day)
            if listens is not None:
                _invite(folder, listens)
                _serve(ledger, url, folder, listens)
        finally:
            ledger.close()
    typer.echo("The floor is closed. Everything that was played stays in the ledger.")


def _free_port(wanted: int | None) -> int:
    """Return the default port or the next free one; a port given by the user is used or refused."""
    for port in [wanted] if wanted is not None else range(USUAL_PORT, USUAL_PORT + PORTS_TRIED):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
                return port
            except OSError:
                continue
    fail(f"port {wanted or USUAL_PORT} of {HOST} is in use: name another one with --port")


def _build(ledger: "Ledger", url: str, folder: Path, days: int, rounds_a_day: int) -> None:
    """Build what is missing of the past; an interrupted build continues where it stopped."""
    from api.cli.terminal.progress import progress_of
    from infra.demo import Past, Plan, let_in, name_the_property
    from infra.log.keys import default_folder
    from infra.log.sealer import seal_now
    from projections.engine.applier import Stale
    from projections.engine.rebuild import rebuild
    from projections.engine.runner import Runner

    plan = Plan(days, rounds_a_day)
    past = Past(ledger, plan)
    if not past.is_complete:
        typer.echo("Playing the last days; this is done once.")
        for _ in progress_of(past.make(_first_day_ms(days)), plan.rounds, "Playing the last days"):
            pass
    let_in(ledger)
    name_the_property(ledger)
    try:
        with Runner(url) as runner:
            runner.catch_up()
    except Stale:  # another version of the program made them
        rebuild(url)
    seal_now(url, default_folder(folder))
    _close_first_day(ledger, url)


def _close_first_day(ledger: "Ledger", url: str) -> None:
    """Close the first day of several, whose boxes are all signed off. A day that lacks something stays open."""
    from api.cli.reports import bring_up_to_date
    from domain.errors import OutOfTurn
    from infra.aggregates.stored_closings import stored_closings
    from infra.demo.roster import ACCOUNTING, SECOND_FLOOR
    from infra.ledger.ledger import Actor
    from projections.calendar.property_clock import clock_of
    from projections.closing.day_closing import DayClosing

    days = [day for (day,) in ledger.database.rows("SELECT DISTINCT gaming_day FROM projections.hands ORDER BY 1")]
    now_ms = time.time_ns() // 1_000_000
    if len(days) < 2 or stored_closings(ledger.events).entries:
        return
    closing = DayClosing(ledger, lambda *names: bring_up_to_date(url, *names), clock_of(ledger.database).days)
    try:
        closing.close(days[0], None, SECOND_FLOOR, Actor(ACCOUNTING, now_ms))
    except OutOfTurn as refusal:
        typer.echo(f"The first day is not closed: {refusal.detail}", err=True)


def _first_day_ms(days: int) -> int:
    """Return the start of the first of a number of gaming days that have ended."""
    from datetime import datetime, timedelta

    from projections.calendar.gaming_days import DEFAULT, GamingDays

    now_ms = time.time_ns() // 1_000_000
    first = GamingDays().of(now_ms).day - timedelta(days=days)
    start = datetime.combine(first, DEFAULT.shifts[0].start, DEFAULT.zone)
    return int(start.timestamp()) * 1000


def _invite(folder: Path, port: int) -> None:
    from infra.demo import PASSWORD, PEOPLE

    typer.echo(f"\n  The floor is open:  http://{HOST}:{port}/\n")
    typer.echo(f"  Sign in with the password {PASSWORD} as")
    shown: dict[str, list[str]] = {}
    for staff_id, part in PEOPLE.items():
        shown.setdefault(part, []).append(staff_id)
    for part, people in shown.items():
        typer.echo(f"    {people[0]:12}{part:20}{'also ' + ', '.join(people[1:]) if people[1:] else ''}".rstrip())
    typer.echo(f"\n  A hand to replay:   http://{HOST}:{port}/rounds/{A_ROUND}")
    typer.echo("\n  From another terminal:")
    for command in (f"replay {A_ROUND}", "report drops", "report bankroll"):
        typer.echo(f"    {sys.argv[0]} {command} --data-dir {folder}")
    typer.echo("\n  Ctrl-C closes it.")


def _serve(ledger: "Ledger", database_url: str, folder: Path, port: int) -> None:
    """Run the service in this thread and the floor in another."""
    from api.service.server import run
    from api.service.settings import read_settings
    from infra.demo import key_file
    from infra.log.keys import FOLDER_VARIABLE, default_folder

    os.environ.setdefault(FOLDER_VARIABLE, str(default_folder(folder)))
    os.environ["ROUNDLEDGER_TOKEN_KEY_FILE"] = str(key_file(folder))
    os.environ.setdefault("ROUNDLEDGER_LOG_FORMAT", "text")
    _hush()
    settings = read_settings()
    closing = threading.Event()
    shoe = {"base_url": f"http://{HOST}:{port}", "headers": _bearer(settings)}
    players = threading.Thread(target=_play_on, args=(ledger, shoe, closing), name="roundledger-demo")
    players.start()
    try:
        run(database_url, HOST, port, 1, settings)
    except KeyboardInterrupt:
        pass
    finally:
        closing.set()
        players.join()


def _hush() -> None:
    """Turn the access log off, so that the printed instructions stay in sight."""
    import logging

    for name in ("roundledger.requests", "uvicorn.error", "httpx"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _bearer(settings: "Settings") -> dict[str, str]:
    """Return the header of the machine that deals at the practice table, as `token create` makes it."""
    from api.service.identity.tokens import make_token
    from api.service.settings import secret_of
    from infra.demo.card_reader import READER
    from infra.demo.roster import SHOE_TABLE

    token, _ = make_token(str(secret_of(settings.token_key)), settings, READER, "terminal", SHOE_TABLE, days=30)
    return {"Authorization": f"Bearer {token}"}


def _play_on(ledger: "Ledger", shoe: dict[str, Any], closing: threading.Event) -> None:
    import httpx

    from infra.demo import LiveFloor

    with httpx.Client(**shoe) as service:
        floor = LiveFloor(ledger, service, time.strftime("%m%d-%H%M%S", time.gmtime()))
        while not closing.wait(floor.go_on()):
            pass
        floor.finish()

"""`roundledger standby`: a second server that receives every commit and takes over when the first one is lost."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import DatabaseUrl, DataDir, check_address, ledger_folder
from api.cli.terminal.errors import fail, first_line

if TYPE_CHECKING:
    from infra.standby.replica import Primary

app = typer.Typer(no_args_is_help=True, help="A second server that has every commit and can take over.")

StandbyDir = Annotated[Path, typer.Argument(metavar="DIR", help="The standby's data folder.")]


@app.command()
def create(
    into: StandbyDir,
    without_keys: Annotated[
        bool,
        typer.Option(
            "--without-keys", help="Do not copy the log's private key, which sealing needs after it takes over."
        ),
    ] = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Create a standby in an empty folder, from the primary that --data-dir or --database-url names.

    With --database-url, the login needs the rights to replicate and to change settings (superuser).
    """
    from infra.standby.replica import create as create_standby

    with _explained(), _primary(database_url, data_dir) as primary:
        create_standby(primary, into, with_keys=not without_keys)
    typer.echo(f"Made a standby in {into}. Start it with `roundledger standby run {into}`, and keep it running.")


@app.command()
def run(folder: StandbyDir) -> None:
    """Run a standby until interrupted. From its first connection on, commits on the primary wait for it."""
    from infra.embedded import embedded_postgres
    from infra.standby.replica import StandbyRefused, check_ledger, primary_of
    from infra.standby.standby_state import is_standby
    from infra.standby.standby_watch import watching

    stop = threading.Event()
    with _explained():
        check_ledger(folder)
    with _explained(), embedded_postgres(folder) as url:
        if not is_standby(url):
            raise StandbyRefused(f"{folder} is not a standby but a primary: start it with `roundledger serve`.")
        primary = primary_of(folder)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        typer.echo(f"roundledger: the standby in {folder} runs until Ctrl-C", err=True)
        if primary is None:
            stop.wait()
        else:
            with watching(primary.url, "wait"):
                stop.wait()


@app.command()
def promote(folder: StandbyDir) -> None:
    """Let a standby take over. Refused while its primary answers; the primary's folder, if it is here, is closed."""
    from infra.standby.promotion import promote as take_over

    with _explained():
        promoted = take_over(folder)
    typer.echo(
        f"The ledger goes on in {folder}: {promoted.last_position:,} positions, {promoted.log_size:,} events sealed. "
        f"Start the service with --data-dir {folder}."
    )


@app.command()
def rejoin(folder: StandbyDir, database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Turn the old primary's folder into the standby of the new primary, which --data-dir names.

    What only the old primary had is undone; none of it was ever acknowledged.
    """
    from infra.standby.replica import rejoin as rejoin_standby

    with _explained(), _primary(database_url, data_dir) as primary:
        rejoin_standby(folder, primary)
    typer.echo(f"{folder} is the standby now. Start it with `roundledger standby run {folder}`.")


@app.command()
def remove(database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Stop the primary from expecting a standby. Commits no longer wait."""
    from infra.standby.replica import remove as remove_standby

    with _explained(), _primary(database_url, data_dir) as primary:
        removed = remove_standby(primary.url)
    typer.echo("The primary expects no standby any more." if removed else "The primary expects no standby.")


@app.command()
def status(database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Show the state of a primary's standby. The exit code is 1 if one is expected and away."""
    import psycopg

    from infra.standby.standby_state import is_standby, standby_state

    with _explained(), _primary(database_url, data_dir) as primary:
        if is_standby(primary.url):
            typer.echo("This is a standby.")
            return
        with psycopg.connect(primary.url, autocommit=True) as connection:
            state = standby_state(connection.cursor())
    if state is None:
        typer.echo("No standby is expected.")
        return
    waits = "commits wait for it" if state.waited_for else "commits do not wait for it"
    typer.echo(f"{'Connected' if state.connected else 'Away'}, {state.behind_bytes:,} bytes behind; {waits}.")
    if not state.connected:
        raise typer.Exit(1)


# ---- what the commands share


@contextmanager
def _primary(database_url: str | None, data_dir: Path | None) -> "Iterator[Primary]":
    """Yield the primary with the administrator's rights: the embedded server, or the one that was given."""
    from infra.embedded import embedded_postgres
    from infra.standby.replica import Primary

    if database_url is not None:
        check_address(database_url)
        yield Primary(database_url, None)
        return
    folder = ledger_folder(data_dir)
    with embedded_postgres(folder) as url:
        yield Primary(url, folder)


@contextmanager
def _explained() -> Iterator[None]:
    import psycopg

    from infra.backup.postgres_programs import ProgramFailed
    from infra.embedded import EmbeddedPostgresError
    from infra.standby.replica import StandbyRefused

    try:
        yield
    except (StandbyRefused, ProgramFailed, EmbeddedPostgresError) as error:
        fail(first_line(error))
    except psycopg.OperationalError as error:
        fail(f"the database does not answer: {first_line(error)}")
    except psycopg.errors.InsufficientPrivilege as error:
        fail(f"the login has too few rights: {first_line(error)}")
    except OSError as error:
        fail(f"{error.filename or 'the disk'}: {os.strerror(error.errno or 0)}")

"""The database of a command: the one that was named, or the embedded PostgreSQL."""

import getpass
import inspect
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.terminal.errors import database_failed, fail, is_read_only

if TYPE_CHECKING:
    from api.service.settings import Settings
    from infra.health.disk_space import DiskReserve
    from infra.ledger.ledger import Actor, Ledger

DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database-url",
        envvar="ROUNDLEDGER_DATABASE_URL",
        show_default=False,
        help="PostgreSQL 15 or later; by default the embedded server is started.",
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        envvar="ROUNDLEDGER_DATA_DIR",
        show_default=False,
        help="The embedded PostgreSQL's folder; by default a folder in your home.",
    ),
]
By = Annotated[
    str | None, typer.Option("--by", show_default=False, help="The staff id that is recorded; your login by default.")
]


@contextmanager
def open_database(database_url: str | None, data_dir: Path | None) -> Iterator[str]:
    """Yield the URL of a database whose schema is up to date, or exit with code 2 and advice.

    The embedded database is ours alone and is migrated here; any other is migrated by `roundledger migrate`. Commands
    on the embedded one log in as the service's role: the administrator's rights are for migrating only."""
    import psycopg

    from infra.embedded import EmbeddedPostgresError, as_service, default_data_dir, embedded_postgres
    from infra.schema.migrator import MigrationRefused, migrate, pending
    from infra.standby.standby_state import is_standby_folder
    from infra.store.errors import DATABASE_ERRORS, NotRecording

    try:
        if database_url is not None:
            check_address(database_url)
            if outstanding := pending(database_url):
                fail(f"the database lacks {', '.join(outstanding)}: run `roundledger migrate` first")
            yield database_url
            return
        with embedded_postgres(data_dir or default_data_dir()) as url:
            if not is_standby_folder(data_dir or default_data_dir()):
                migrate(url)
            elif outstanding := pending(as_service(url)):
                fail(f"the standby lacks {', '.join(outstanding)}: use this release on the primary first")
            yield as_service(url)
    except (EmbeddedPostgresError, MigrationRefused, NotRecording) as error:
        fail(str(error))
    except psycopg.OperationalError as error:
        database_failed(error)
    except DATABASE_ERRORS as error:
        if is_read_only(error):
            database_failed(error)
        raise


def ledger_folder(data_dir: Path | None) -> Path:
    """Return the embedded server's folder, or fail if it has no ledger, because starting it would make a new one."""
    from infra.embedded import default_data_dir

    folder = data_dir or default_data_dir()
    if not (folder / "pgdata").is_dir():
        fail(f"there is no ledger in {folder}: name its folder with --data-dir")
    return folder


def check_address(database_url: str) -> None:
    """Refuse what is not an address. It is not repeated, because it may contain a password."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(database_url)
    except psycopg.ProgrammingError:
        fail("--database-url must be an address like postgresql://user@host:5432/name")


@contextmanager
def open_ledger(database_url: str | None, data_dir: Path | None) -> "Iterator[Ledger]":
    """Open the ledger; whatever it refuses is one sentence with its clause, and exit code 2."""
    from infra.ledger.ledger import Ledger
    from infra.standby.standby_state import awaited

    with open_database(database_url, data_dir) as url:
        ledger = Ledger(url, disk_of(database_url, data_dir), read_settings().adopted_rules_only)
        try:
            if (away := ledger.database.read(awaited)) is not None:
                typer.echo(
                    f"roundledger: commits wait for {away}, which is away: nothing is stored until it is back", err=True
                )
            yield ledger
        except Exception as error:
            refused(ledger, error)
            raise
        finally:
            ledger.close()


def refused(ledger: "Ledger", error: Exception) -> None:
    """Say what the ledger refused. Anything else is not said here."""
    from api.service.problems import REFUSALS
    from domain.errors import Refusal
    from projections.calendar.property_clock import clock_of

    if isinstance(error, Refusal):
        clause = f" ({error.clause})" if error.clause else ""
        fail(f"{clock_of(ledger.database).words(error.detail)}{clause}")
    if isinstance(error, REFUSALS):
        fail(str(error))


def on_ledger(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with options that say which ledger it is for; it is given the ledger, opened."""

    @wraps(command)
    def run(*, database_url: str | None, data_dir: Path | None, **given: Any) -> None:
        with open_ledger(database_url, data_dir) as ledger:
            command(ledger, **given)

    annotations = {name: kind for name, kind in command.__annotations__.items() if name != "ledger"}
    command.__annotations__ = annotations
    _, *own = inspect.signature(command, eval_str=True).parameters.values()
    which = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in (("database_url", DatabaseUrl), ("data_dir", DataDir))
    ]
    given = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    run.__signature__ = inspect.Signature([*given, *which])  # type: ignore[attr-defined]
    run.__annotations__ = {**annotations, "database_url": DatabaseUrl, "data_dir": DataDir}
    return run


def disk_of(database_url: str | None, data_dir: Path | None) -> "DiskReserve | None":
    """Return the disk on which recording leaves a reserve: the embedded server's, or the one that was set."""
    from infra.embedded import default_data_dir

    return read_settings().disk(None if database_url is not None else data_dir or default_data_dir())


def read_settings() -> "Settings":
    from api.service import settings

    try:
        return settings.read_settings()
    except settings.BadSetting as error:
        fail(str(error))


def actor(by: str | None) -> "Actor":
    """Return who runs the command, now."""
    from infra.ledger.ledger import Actor

    return Actor(by or _login(), time.time_ns() // 1_000_000)


def _login() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    return re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-")[:40] or "unknown"

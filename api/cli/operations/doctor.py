"""`roundledger doctor`: checks an installation and says what to do."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import DatabaseUrl, DataDir, check_address, read_settings
from api.cli.terminal.errors import first_line, nothing_unforeseen
from api.cli.terminal.output import console

if TYPE_CHECKING:
    from api.service.settings import Settings
    from infra.health.check_result import Check

FAULTS_EXIT = 1
LABELS = {"ok": ("ok", "green"), "warning": ("warn", "yellow"), "fault": ("FAULT", "red")}


@nothing_unforeseen("the installation could not be checked")
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    backups: Annotated[
        Path | None,
        typer.Option(metavar="DIR", show_default=False, help="Of backups; ROUNDLEDGER_BACKUP_FOLDER by default."),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Check this installation and say what to do: programs, folders, disk, clock, keys, backups, rights, events.

    Nothing is changed. The exit code is 1 if something is wrong, and 0 if there are only warnings.
    """
    from infra.health.check_result import worst

    settings = read_settings()
    if database_url is not None:
        check_address(database_url)
    found = list(_checks(settings, backups or settings.backup_folder, database_url, data_dir))
    if as_json:
        import msgspec

        typer.echo(msgspec.json.encode({"status": worst(found), "checks": found}))
    else:
        _print(found)
    if worst(found) == "fault":
        raise typer.Exit(FAULTS_EXIT)


def _checks(
    settings: "Settings", backups: Path | None, database_url: str | None, data_dir: Path | None
) -> "Iterator[Check]":
    import psycopg

    from infra.embedded import EmbeddedPostgresError, as_service, default_data_dir, embedded_postgres
    from infra.health import machine_checks
    from infra.health.check_result import fault
    from infra.log.keys import default_folder
    from infra.schema.migrator import MigrationRefused
    from infra.store.errors import DATABASE_ERRORS

    embedded = None if database_url is not None else data_dir or default_data_dir()
    yield machine_checks.programs()
    if embedded is not None:
        folder = machine_checks.folder(embedded)
        yield folder
        if folder.state == "fault":
            return  # starting the server there would fail, or create a new ledger
    yield machine_checks.disk(settings.disk(embedded))
    yield machine_checks.backup(backups, embedded)
    yield from machine_checks.secret_files(
        file
        for file in (settings.token_key_file, settings.metrics_token_file, settings.oidc_client_secret_file)
        if file is not None
    )
    key_folder = settings.log_keys or default_folder(data_dir)
    try:
        if embedded is None:
            yield from _database_checks(str(database_url), key_folder)
            return
        with embedded_postgres(embedded) as url:
            yield from _database_checks(as_service(url), key_folder)
    except (EmbeddedPostgresError, MigrationRefused) as error:
        yield fault("database", str(error), "Correct that, and run `roundledger doctor` again.")
    except (psycopg.Error, *DATABASE_ERRORS) as error:
        said = f"The database does not answer: {first_line(error)}."
        yield fault("database", said, "Start it, or correct --database-url.")


def _database_checks(url: str, key_folder: Path) -> "Iterator[Check]":
    from infra.health import database_checks, machine_checks
    from infra.health.check_result import fault, ok
    from infra.log.stored_log import LogReader
    from infra.schema.migrator import pending
    from infra.store.database import Database

    if outstanding := pending(url):
        yield fault("migrations", f"The database lacks {', '.join(outstanding)}.", "Run `roundledger migrate`.")
        return
    yield ok("migrations", "The schema is up to date.")
    database = Database(url, connections_at_most=3, patience_seconds=5.0)
    try:
        yield from database_checks.checks_of(database)
        yield machine_checks.keys(LogReader(database), key_folder)
        yield _reports(url)
    finally:
        database.close()


def _reports(url: str) -> "Check":
    from infra.health.check_result import ok, warning
    from projections.engine.connection import connect
    from projections.engine.lag import lag
    from projections.models.registry import ALL

    with connect(url) as connection:
        behind = lag(connection, list(ALL))
    if behind.seconds > 60:
        said = f"The reports lack {behind.events:,} events; the oldest is {behind.seconds:,.0f} seconds old."
        return warning("reports", said, "Start `roundledger serve` or `follow`, or run `roundledger rebuild`.")
    if behind.events:
        return ok("reports", f"The reports are about to include the last {behind.events:,} events.")
    return ok("reports", "The reports are up to date.")


def _print(checks: "list[Check]") -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    for _ in range(3):
        table.add_column()
    for check in checks:
        label, colour = LABELS[check.state]
        said = escape(check.found) + (f"\n[bold]{escape(check.advice)}[/bold]" if check.advice else "")
        table.add_row(f"[{colour}]{label}[/{colour}]", check.name, said)
    console().print(table)

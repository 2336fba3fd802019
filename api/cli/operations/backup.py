"""`roundledger backup` and `restore`: verified copies of the whole ledger."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from api.cli.log import read_checkpoint
from api.cli.terminal.database import DatabaseUrl, DataDir, check_address, ledger_folder
from api.cli.terminal.errors import fail, first_line, nothing_unforeseen
from api.cli.terminal.files import read_text
from api.cli.terminal.time_options import moment

if TYPE_CHECKING:
    from infra.backup.backup_folder import BackupFolder
    from infra.backup.manifest import Manifest
    from infra.backup.restore import Restored
    from infra.log.restored_log import Published

PASSPHRASE_VARIABLE = "ROUNDLEDGER_BACKUP_PASSPHRASE"
DAMAGED_EXIT = 1
MOST_FINDINGS = 100


class DefaultCommand(TyperGroup):
    """Makes `backup TARGET` short for `backup create TARGET`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["create", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=DefaultCommand, no_args_is_help=True, help="Back up the ledger; verify and list backups.")

Target = Annotated[Path, typer.Argument(metavar="TARGET", help="The folder that backups are kept in.")]
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        show_default=False,
        help=f"A file with the passphrase of the log's keys in the backup; or set {PASSPHRASE_VARIABLE}.",
    ),
]
WithoutKeys = Annotated[
    bool, typer.Option("--without-keys", help="Leave out the log's private keys; keep them safe elsewhere.")
]


@app.command()
def create(
    target: Target,
    incremental: Annotated[
        bool, typer.Option("--incremental", help="Only what has changed since the newest backup (PostgreSQL 17).")
    ] = False,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="Then receive the write-ahead log until interrupted, so that at most a second is lost.",
        ),
    ] = False,
    keep: Annotated[
        int | None, typer.Option(min=1, show_default=False, help="Remove all but this many full backups afterwards.")
    ] = None,
    passphrase_file: PassphraseFile = None,
    without_keys: WithoutKeys = False,
    keys: Annotated[
        Path | None,
        typer.Option("--keys", envvar="ROUNDLEDGER_LOG_KEYS", show_default=False, help="The folder of private keys."),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Copy the whole database server while it runs.

    The log's private keys are encrypted with a passphrase, or left out with --without-keys. With --database-url, the
    login needs the replication right.
    """
    from infra.backup.backup_folder import BackupFolder
    from infra.backup.create import KeyChoice, create_backup, follow_wal, keep_wal
    from infra.embedded import default_data_dir
    from infra.log.keys import default_folder

    if database_url is None and target.resolve().is_relative_to((data_dir or default_data_dir()).resolve()):
        fail(f"{target} is in the ledger's own folder, and would be lost with it: name a folder on another disk")
    folder = keys or default_folder(data_dir)
    passphrase = None if without_keys else _passphrase(passphrase_file)
    if passphrase is None and not without_keys and any(folder.glob("*.key")):
        fail(f"the log's private keys are in {folder}: give --passphrase-file FILE to encrypt them, or --without-keys")
    backups = BackupFolder(target)
    with _explained(), _server(database_url, data_dir) as url:
        if follow:
            keep_wal(url)
        made = create_backup(url, backups, KeyChoice(folder, passphrase), incremental=incremental)
        typer.echo(f"{made.name}: {_described(made.manifest)}")
        if made.manifest.log.checkpoint is not None and made.manifest.keys == "none":
            typer.echo(
                f"roundledger: no key of the log is in {folder}; keep it safe, or name its folder: --keys", err=True
            )
        if keep is not None:
            for name in backups.prune(keep):
                typer.echo(f"{name}: removed")
        if follow:
            typer.echo("roundledger: receiving the write-ahead log until Ctrl-C", err=True)
            follow_wal(url, backups, _until_interrupted)
            typer.echo(
                "roundledger: stopped. All that was received can be restored; the server keeps what follows until the "
                "next `backup --follow`.",
                err=True,
            )


@app.command()
def unfollow(database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Give up `--follow`: the server no longer keeps the write-ahead log for it, which would fill its disk."""
    from infra.backup.create import stop_keeping_wal

    with _explained(), _server(database_url, data_dir) as url:
        kept = stop_keeping_wal(url)
    typer.echo("The server keeps nothing for `backup --follow` any more." if kept else "The server keeps nothing.")


@app.command("list")
def list_backups(
    target: Target,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: a JSON object per line.")] = False,
) -> None:
    """List the backups in a folder, the oldest first.

    The exit code is 1 if there is no such folder or a manifest is damaged.
    """
    import msgspec

    from infra.backup.backup_folder import BackupFolder
    from infra.backup.manifest import BadBackup, read_manifest

    with _explained():
        folders, damaged = BackupFolder(target).folders(), False
        if not folders:
            typer.echo(f"roundledger: {BackupFolder(target).says_none()}", err=True)
        for folder in folders:
            try:
                manifest = read_manifest(folder)
            except BadBackup as error:
                typer.echo(f"roundledger: {error}", err=True)
                damaged = True
                continue
            if as_json:
                fields = msgspec.to_builtins(manifest)
                about = {name: value for name, value in fields.items() if name not in ("files", "format")}
                line = {"name": folder.name, "bytes": manifest.bytes, **about}
                sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
            else:
                typer.echo(f"{folder.name}: {_described(manifest)}")
    if damaged or not target.is_dir():
        raise typer.Exit(DAMAGED_EXIT)


@app.command()
@nothing_unforeseen("the backup could not be checked")
def verify(
    target: Target,
    every: Annotated[bool, typer.Option("--all", help="Every backup, not only what the newest one needs.")] = False,
) -> None:
    """Compare every file of the newest backup with its manifest, and the log received since with its hashes.

    The exit code is 1 if anything differs.
    """
    from api.cli.terminal.progress import counting
    from infra.backup.backup_folder import BackupFolder
    from infra.backup.manifest import BadBackup
    from infra.backup.published_log import check_noted
    from infra.backup.received_wal import check_received, received_files
    from infra.backup.restore import check_backups

    folder = BackupFolder(target)
    try:
        newest = folder.newest()
        backups = folder.backups() if every else folder.chain_of(newest)
        with counting(sum(one.manifest.bytes for one in backups), "Verifying") as report:
            wrong = check_backups(backups, report)
        wrong += check_received(folder.wal, backups[-1], every=every)
        wrong += check_noted(folder.wal)
    except BadBackup as error:
        wrong = [str(error)]
        backups = []
    for what in wrong:
        typer.echo(what)
    if wrong:
        raise typer.Exit(DAMAGED_EXIT)
    names = f"{len(backups)} backups" if every and len(backups) > 1 else " and ".join(one.name for one in backups)
    received = len(received_files(folder.wal, backups[-1].manifest.first_wal))
    files = "1 file" if received == 1 else f"{received:,} files"
    log = f", and {files} of the log received since" if received else ""
    typer.echo(f"Complete and unchanged: {names}{log}.")


@nothing_unforeseen("the backup could not be restored")
def restore(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="A folder of backups, or one full backup.")],
    into: Annotated[Path, typer.Option("--into", metavar="DIR", help="The data folder to create.")],
    to_time: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Restore this moment instead of the newest one.", show_default=False),
    ] = None,
    checkpoints: Annotated[
        list[Path] | None,
        typer.Option("--checkpoint", metavar="FILE", help="A checkpoint of the log that was kept elsewhere."),
    ] = None,
    passphrase_file: PassphraseFile = None,
    without_keys: WithoutKeys = False,
) -> None:
    """Restore a backup as the data folder of an embedded server, and audit it before it is used.

    Published events that are missing here are listed. The exit code is 1 if the audit finds anything.
    """
    from api.cli.terminal.progress import counting
    from infra.backup.backup_folder import BackupFolder
    from infra.backup.published_log import noted
    from infra.backup.restore import restore as restore_backup
    from infra.log.restored_log import Published

    backups, until = BackupFolder(source), moment(to_time, "--to-time")
    passphrase = None if without_keys else _passphrase(passphrase_file)
    published = [Published.of_witness(read_checkpoint(file)) for file in checkpoints or []]
    clean = False

    def audit(url: str, restored: "Restored") -> None:
        nonlocal clean
        typer.echo(
            f"Restored {restored.backup.name} into {into}: {restored.log_size + restored.unsealed:,} events, "
            f"the last one recorded at {_moment(restored.last_recorded_at)}."
        )
        clean = _audited(url, published)
        if (lacking := _lacking_key(restored, into)) is not None:
            typer.echo(lacking)

    with _explained():
        if passphrase is None and not without_keys and backups.newest(until).manifest.keys == "encrypted":
            fail("the backup has the log's private keys: give --passphrase-file FILE, or --without-keys")
        published += _published(backups)
        total = sum(one.manifest.bytes for one in backups.chain_of(backups.newest(until)))
        with counting(total, "Verifying") as report:
            restore_backup(backups, into, to_time=until, passphrase=passphrase, report=report, audit=audit)
    if published and not checkpoints and noted(backups.wal) is None:
        typer.echo(
            "What was published after the backup is not known here. If a witness has a later checkpoint, restore again "
            "with --checkpoint FILE before the service starts: it would sign other events under the same name."
        )
    if not clean:
        raise typer.Exit(DAMAGED_EXIT)
    typer.echo(f"Start the service with --data-dir {into}.")


def _lacking_key(restored: "Restored", into: Path) -> str | None:
    """Return what to do if the log's private key has not come back."""
    about = restored.backup.manifest
    if about.log.checkpoint is None or any((into / "keys").glob("*.key")):
        return None
    why = {
        "encrypted": "it was not to be restored",
        "left out": "it was left out of the backup",
        "none": "it was not where the backup looked for it",
    }
    return (
        f"The log's private key is not here: {why[about.keys]}. Put it into {into / 'keys'} before the service starts; "
        "nothing is sealed without it. If it is lost, `roundledger log key rotate --lost` makes another."
    )


def _audited(url: str, published: "list[Published]") -> bool:
    """Migrate and audit what was restored. A published checkpoint that it does not reach is stored for the sealer."""
    from infra.embedded import as_service
    from infra.log.restored_log import lost_events, remember_published
    from infra.schema.migrator import migrate
    from projections.audit.run import Audit

    migrate(url)
    found: list[str] = []
    lost = lost_events(url, published)
    if lost is not None:
        remember_published(url, lost.published.checkpoint)
        typer.echo(lost.sentence())
    outside = [one.checkpoint for one in published]
    reached = [one for one in outside if lost is None or one.size <= lost.restored]
    summary = Audit(as_service(url), outside=reached, report=lambda finding: found.append(finding.what)).run()
    for what in found[:MOST_FINDINGS]:
        typer.echo(what)
    typer.echo(f"Audit: {summary.rounds:,} rounds, {summary.findings:,} findings.")
    return summary.clean


def _published(backups: "BackupFolder") -> "Iterator[Published]":
    """Return what every backup knew of the log, including backups later than the restored one, and the receiver."""
    from infra.backup.published_log import noted
    from infra.log.checkpoints import parse_checkpoint
    from infra.log.restored_log import Published

    for state in (*(one.manifest.log for one in backups.backups()), noted(backups.wal)):
        if state is not None and state.checkpoint is not None:
            yield Published(parse_checkpoint(state.checkpoint), state.sealed_at)


# ---- what the commands share


@contextmanager
def _server(database_url: str | None, data_dir: Path | None) -> Iterator[str]:
    """Yield the administrator's address of the embedded server, or the one that was given."""
    from infra.embedded import embedded_postgres
    from infra.schema.migrator import pending

    if database_url is not None:
        check_address(database_url)
        yield database_url
        return
    folder = ledger_folder(data_dir)
    with embedded_postgres(folder) as url:
        if pending(url):
            fail(f"{folder} has no ledger of this release: start the service there once")
        yield url


@contextmanager
def _explained() -> Iterator[None]:
    import psycopg

    from infra.backup.key_box import WrongPassphrase
    from infra.backup.manifest import BadBackup
    from infra.backup.postgres_programs import ProgramFailed
    from infra.embedded import EmbeddedPostgresError
    from infra.schema.migrator import MigrationRefused

    try:
        yield
    except (BadBackup, ProgramFailed, WrongPassphrase, EmbeddedPostgresError, MigrationRefused) as error:
        fail(first_line(error))
    except psycopg.OperationalError as error:
        fail(f"the database does not answer: {first_line(error)}")
    except OSError as error:
        fail(f"{error.filename or 'the disk'}: {error.strerror}")


def _passphrase(file: Path | None) -> str | None:
    if file is None:
        return os.environ.get(PASSPHRASE_VARIABLE) or None
    return read_text(file).rstrip("\n")


def _described(about: "Manifest") -> str:
    size = f"{about.bytes / 1_000_000:,.1f} MB"
    log = f"log of {about.log.size:,} events" if about.log.checkpoint else "nothing sealed"
    after = "" if about.parent is None else f", continues {about.parent}"
    return f"{about.kind}, {size}, finished {_moment(about.finished_at)}, {log}, keys {about.keys}{after}"


def _moment(at: datetime | None) -> str:
    return "no time" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _until_interrupted(receiver: "subprocess.Popen[bytes]") -> None:
    def stop(*_: object) -> None:
        receiver.terminate()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    if receiver.wait() not in (0, -signal.SIGTERM):
        fail("the write-ahead log is not being received any more; start `backup --follow` again")

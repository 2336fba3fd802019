"""The files of the database: created once, checked at every start."""

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from infra.embedded import programs, server_user
from infra.embedded.binaries import POSTGRES_MAJOR
from infra.embedded.server_errors import EmbeddedPostgresError

# One call for a thousand files: on a busy machine, an fsync of each takes seconds.
SYNC_METHOD = "syncfs" if sys.platform == "linux" else "fsync"
# Written once into postgresql.conf, where an operator may change them. Durability settings (fsync, full_page_writes,
# synchronous_commit) keep PostgreSQL's defaults: on.
SETTINGS = (
    "max_connections=100",
    "shared_buffers=128MB",
    "checkpoint_timeout=15min",  # fewer full-page images; max_wal_size still bounds what recovery replays
    "max_wal_size=1GB",
    f"recovery_init_sync_method={SYNC_METHOD}",
    "io_method=sync",  # a ledger appends and reads cached pages, so it needs no read-ahead processes
    "max_logical_replication_workers=0",
    "client_connection_check_interval=5s",  # releases a killed client's locks even while its statement runs
    "log_checkpoints=off",
    "log_line_prefix=%m [%p] ",
    *(["wal_sync_method=fsync_writethrough"] if sys.platform == "darwin" else []),  # its fsync stops at the drive
)
SUPERSEDED = "superseded"  # a file that names the folder where the ledger continues
RESTORING = "restoring"  # a file that exists until a restore is audited
SERVICE = "roundledger_service"  # the role that the ledger's programs log in as
# Who may connect: the user who owns this folder, as administrator to migrate and as the service for everything else,
# identified by the operating system. Other roles need a password.
HBA = """\
# Written at every start of the server.
local all "postgres" {owner}
local replication "postgres" {owner}
local all "{service}" {owner}
local all all scram-sha-256
"""
IDENT = """\
# Written at every start of the server.
ledger "{user}" "postgres"
ledger "{user}" "{service}"
"""
TOO_OPEN = stat.S_IWGRP | stat.S_IRWXO  # its group may read it, as backup programs do
INSIDE = ("global", "base", "pg_wal")  # folders that PostgreSQL must own as well
OPTIONS = (
    "--encoding=UTF8",
    "--locale=C",
    "--data-checksums",
    "--username=postgres",
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-clean",  # we do, once the cause is known: a full disk must not be cleaned first
    "--no-instructions",
    *(f"--set={setting}" for setting in SETTINGS),
)


def create(pgdata: Path, *, initdb: Path, log: Path, lock: int, uid: int | None) -> None:
    """Create the database in another folder and rename it, so that it is complete and on disk, or absent."""
    for leftover in pgdata.parent.glob(f"{pgdata.name}.new-*"):
        shutil.rmtree(leftover)
    builder = server_user.initdb_uid(uid)
    new = Path(tempfile.mkdtemp(prefix=f"{pgdata.name}.new-", dir=pgdata.parent))
    since = programs.log_size(log)

    def run_initdb(*options: str, uid: int | None) -> None:
        command = [str(initdb), "-D", server_user.data_argument(new, uid), *options]
        if programs.run(command, cwd=new, log=log, lock=lock, uid=uid) != 0:
            raise programs.failure("could not create its database", log, since)

    try:
        if builder is not None:
            server_user.give(new, builder)
        run_initdb(*OPTIONS, "--no-sync", uid=builder)
        if uid is not None:
            server_user.give(new, uid)
        run_initdb("--sync-only", f"--sync-method={SYNC_METHOD}", uid=uid)
        new.rename(pgdata)
        os.truncate(log, since)  # initdb's output is only useful if it failed
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    sync_folder(pgdata.parent)


def before_upgrade() -> str:
    """Return the name of the old database folder after an upgrade to this release's PostgreSQL."""
    return f"pgdata.before-{POSTGRES_MAJOR}"


def check_open(home: Path) -> None:
    """Refuse a folder whose ledger continues elsewhere, or that is not complete."""
    superseded = home / SUPERSEDED
    if superseded.exists():
        raise EmbeddedPostgresError(
            f"The ledger in {home} was continued in {superseded.read_text().strip()}, where its standby was "
            "promoted. Bring this folder back as the new standby with `roundledger standby rejoin`."
        )
    if (home / RESTORING).exists():
        raise EmbeddedPostgresError(
            f"A restore into {home} was interrupted, and it was not audited. Run `roundledger restore` again."
        )
    if not (home / "pgdata").exists() and (home / before_upgrade()).exists():
        raise EmbeddedPostgresError(
            f"An upgrade of {home} was interrupted. Run `roundledger upgrade --data-dir {home}` again."
        )


def check(pgdata: Path, uid: int | None) -> None:
    try:
        major = (pgdata / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        raise EmbeddedPostgresError(
            f"{pgdata} contains no PostgreSQL database. Restore it from a backup, or move it away to start empty."
        ) from None
    if major != str(POSTGRES_MAJOR):
        is_older = not major.isdigit() or int(major) < POSTGRES_MAJOR
        do = f"Run `roundledger upgrade --data-dir {pgdata.parent}`" if is_older else "Use the release that wrote it"
        raise EmbeddedPostgresError(
            f"{pgdata} was written by PostgreSQL {major}, and this release brings {POSTGRES_MAJOR}. {do}, or choose "
            "another folder with ROUNDLEDGER_DATA_DIR."
        )
    if uid is not None and pgdata.stat().st_uid != uid:
        server_user.give(pgdata, uid)  # root restored it from a backup without owners
    check_access(pgdata, os.geteuid() if uid is None else uid)


def check_access(pgdata: Path, uid: int) -> None:
    """Refuse a folder that PostgreSQL would not start in; it would only say so in its log."""
    found = pgdata.stat()
    if found.st_uid != uid:
        raise EmbeddedPostgresError(
            f"{pgdata} belongs to user id {found.st_uid}, and PostgreSQL would run as user id {uid}. Give it back with "
            f"`chown -R {uid} {pgdata}`, or run as its owner."
        )
    for name in INSIDE:
        part = pgdata / name
        if part.exists() and part.stat().st_uid != uid:
            raise EmbeddedPostgresError(
                f"{part} belongs to user id {part.stat().st_uid}, and the folder it is in to user id {uid}. Give all "
                f"of it one owner with `chown -R {uid} {pgdata}`."
            )
    mode = stat.S_IMODE(found.st_mode)
    if mode & TOO_OPEN:
        raise EmbeddedPostgresError(
            f"{pgdata} is open to other users (mode {mode:04o}), and PostgreSQL does not start in such a folder. Close "
            f"it with `chmod 0700 {pgdata}`."
        )
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        raise EmbeddedPostgresError(
            f"{pgdata} is closed to its own owner (mode {mode:04o}). Open it with `chmod 0700 {pgdata}`."
        )


def write_access(pgdata: Path, user: str | None, uid: int | None) -> None:
    """Write who may connect. Done at every start, for databases of earlier releases and folders that changed owner.

    A user without an account has no name to authenticate by; then only the folder's permissions protect it. The server
    that runs for root has none: as a standby it connects to its primary."""
    owner = "trust" if user is None or uid is not None else "peer map=ledger"
    _write(pgdata / "pg_hba.conf", HBA.format(owner=owner, service=SERVICE), uid)
    _write(pgdata / "pg_ident.conf", IDENT.format(user=user or "", service=SERVICE), uid)


def _write(file: Path, text: str, uid: int | None) -> None:
    if file.exists() and file.read_text() == text:
        return
    new = file.with_name(f"{file.name}.new")
    new.write_text(text)
    new.chmod(0o600)
    if uid is not None:
        os.chown(new, uid, uid)
    new.replace(file)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

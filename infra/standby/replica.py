"""The data folder of a standby: copied from its primary, or made from a former primary."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from infra.backup.postgres_programs import run
from infra.embedded import locks, programs, server_user
from infra.embedded.binaries import POSTGRES_MAJOR, find_in_wheel
from infra.embedded.data_folder import SUPERSEDED
from infra.embedded.server import Server
from infra.embedded.shared_server import SharedServer
from infra.embedded.sockets import SOCKET
from infra.standby import SLOT

PRIMARY = "primary_folder"  # a file with the folder of an embedded primary
REWINDING = "rewinding"  # a file that exists while the database is neither in its old nor in its new state
NEW = "pgdata.new-standby"
KEYS = "keys"
KEPT_WAL = "1GB"  # on both: a returning primary needs the log since the two diverged
UNFINISHED = {NEW, KEYS, PRIMARY}  # what a killed attempt leaves
FOLLOWING = ("primary_conninfo", "primary_slot_name", "synchronous_standby_names")


class StandbyRefused(Exception):
    """A refused operation on a standby or primary; the message says what to do instead."""


class Primary(NamedTuple):
    """`folder` is that of an embedded server, None for any other."""

    url: str
    folder: Path | None


def check_ledger(folder: Path) -> None:
    """Refuse a folder without a ledger: starting a server there would create a new one."""
    if not (folder / "pgdata").is_dir():
        raise StandbyRefused(f"{folder} has no ledger. Make a standby in it with `roundledger standby create`.")


# ---- creating


def create(primary: Primary, into: Path, *, with_keys: bool) -> None:
    """Copy the running primary into an empty folder. From then on it keeps what the standby lacks."""
    if into.exists() and any(one.name not in UNFINISHED for one in into.iterdir()):
        raise StandbyRefused(f"{into} is not empty. Make the standby in a new folder; nothing is overwritten.")
    with psycopg.connect(primary.url, autocommit=True) as connection:
        _check_primary(connection)
        _reserve_slot(connection)
        connection.execute(f"ALTER SYSTEM SET wal_keep_size = '{KEPT_WAL}'".encode())
        connection.execute("SELECT pg_reload_conf()")
    into.mkdir(mode=0o700, parents=True, exist_ok=True)
    home = into.resolve()
    new = home / NEW
    shutil.rmtree(new, ignore_errors=True)
    options = ["--pgdata", str(new), "--checkpoint=fast", "--wal-method=stream", f"--slot={SLOT}", "--no-sync"]
    run("pg_basebackup", *options, database_url=primary.url)
    new.chmod(0o700)
    if with_keys and primary.folder is not None and (primary.folder / KEYS).is_dir():
        shutil.copytree(primary.folder / KEYS, home / KEYS, dirs_exist_ok=True)
    if primary.folder is not None:
        _open_folders(home, primary.folder, new)
    _follow(new, primary)
    _note_primary(home, primary)
    os.sync()
    new.rename(home / "pgdata")
    os.sync()


def _check_primary(connection: psycopg.Connection) -> None:
    row = connection.execute("SELECT pg_is_in_recovery(), current_setting('server_version_num')::int").fetchone()
    assert row is not None
    if row[0]:
        raise StandbyRefused("That server is a standby itself; name its primary.")
    if row[1] // 10_000 != POSTGRES_MAJOR:
        raise StandbyRefused(f"The primary is PostgreSQL {row[1] // 10_000}, and a standby here is {POSTGRES_MAJOR}.")


def _reserve_slot(connection: psycopg.Connection) -> None:
    """Reserve the replication slot. One left by a killed attempt is reused; one in use is not."""
    row = connection.execute("SELECT active FROM pg_replication_slots WHERE slot_name = %s", [SLOT]).fetchone()
    if row is not None and row[0]:
        raise StandbyRefused("The primary has a standby. Take that one away first with `roundledger standby remove`.")
    if row is not None:
        connection.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
    connection.execute("SELECT pg_create_physical_replication_slot(%s, true)", [SLOT])


def _follow(pgdata: Path, primary: Primary) -> None:
    """Configure the server in this folder to follow the primary, and to wait for nobody if it takes over."""
    parts = {name: value for name, value in conninfo_to_dict(primary.url).items() if name != "dbname"}
    settings = {
        "primary_conninfo": make_conninfo("", **{**parts, "application_name": SLOT}),
        "primary_slot_name": SLOT,
        "synchronous_standby_names": "",
    }
    file = pgdata / "postgresql.auto.conf"
    kept = [line for line in file.read_text().splitlines() if line.partition(" ")[0] not in FOLLOWING]
    lines = [f"{name} = {_quoted(value)}" for name, value in settings.items()]
    file.write_text("\n".join([*kept, *lines]) + "\n")
    signal = pgdata / "standby.signal"
    signal.touch(0o600)
    owner = pgdata.stat()
    os.chown(signal, owner.st_uid, owner.st_gid)


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _note_primary(home: Path, primary: Primary) -> None:
    file = home / PRIMARY
    file.unlink(missing_ok=True)
    if primary.folder is not None:
        file.write_text(f"{primary.folder.resolve()}\n")


def _open_folders(home: Path, primary: Path, new: Path) -> None:
    """Let root's servers reach both folders: they run under the same user id without an account."""
    owner = (primary / "pgdata").stat().st_uid
    if os.geteuid() != 0 or owner == 0:
        return
    for folder in (home, primary.resolve()):
        if not all(parent.stat().st_mode & 0o001 for parent in folder.parents):
            raise StandbyRefused(
                f"PostgreSQL does not run as root, and its own user cannot reach {folder}. Run as a normal user, or "
                "choose folders whose parents everybody may enter."
            )
        folder.chmod(0o711)  # nothing in it but the server's own folder can be read by others
    server_user.give(new, owner)


# ---- rejoining


def rejoin(old: Path, primary: Primary) -> None:
    """Make a former primary the standby of the server that took over. What it wrote beyond that is undone (pg_rewind).
    Until this is done, the folder says that its ledger continues elsewhere."""
    with psycopg.connect(primary.url, autocommit=True) as connection:
        _check_primary(connection)
    if not (old / "pgdata").is_dir():
        raise StandbyRefused(f"{old} has no database.")
    with SharedServer(old, find_in_wheel()).closed() as server:
        mark_superseded(server.home, primary)
        if (server.home / REWINDING).exists():
            raise StandbyRefused(
                f"{old} was being rewound, and that was interrupted: it can no longer be used. Make a new "
                "standby in an empty folder with `roundledger standby create`."
            )
        server.recover()  # it may have been killed, and only a stopped server can be rewound
        _remove_socket(server.pgdata)
        if primary.folder is not None:
            _open_folders(server.home, primary.folder, server.pgdata)
            _remove_socket(primary.folder / "pgdata")
        with psycopg.connect(primary.url, autocommit=True) as connection:
            _reserve_slot(connection)
            connection.execute("CHECKPOINT")  # so that its files name the current timeline
        (server.home / REWINDING).touch()
        os.sync()
        _rewind(server, primary)
        _follow(server.pgdata, primary)
        _note_primary(server.home, primary)
        os.sync()
        (server.home / REWINDING).unlink()
        (server.home / SUPERSEDED).unlink()


def _rewind(server: Server, primary: Primary) -> None:
    since = programs.log_size(server.log)
    source = make_conninfo(primary.url, dbname=conninfo_to_dict(primary.url).get("dbname") or "postgres")
    options = ["--target-pgdata", str(server.pgdata), "--source-server", source, "--no-ensure-shutdown"]
    command = [str(server.bin / "pg_rewind"), *options]
    lock = locks.try_alone(server.lock)
    if lock is None:
        raise StandbyRefused(f"A server still runs in {server.home}.")
    with locks.kept_from_children(lock):
        done = programs.run(command, cwd=server.pgdata, log=server.log, lock=lock, uid=server.uid)
    if done != 0:
        why = programs.failure("could not be rewound", server.log, since)
        raise StandbyRefused(f"{why} If it cannot be mended, make a new standby in an empty folder.")


def _remove_socket(pgdata: Path) -> None:
    """Remove the socket where version 0.2.0 had it: pg_rewind copies files only, and stops at anything else."""
    for name in (SOCKET, f"{SOCKET}.lock"):
        (pgdata / name).unlink(missing_ok=True)


def mark_superseded(home: Path, primary: Primary) -> None:
    """Prevent the server in this folder from starting: two primaries would be two ledgers."""
    where = "another server" if primary.folder is None else str(primary.folder.resolve())
    (home / SUPERSEDED).write_text(f"{where}\n")
    os.sync()


# ---- in use


def primary_of(home: Path) -> Primary | None:
    """Return the folder of a standby's embedded primary; None for another kind of primary."""
    file = home / PRIMARY
    if not file.exists():
        return None
    folder = Path(file.read_text().strip())
    return Primary(SharedServer(folder, find_in_wheel()).url(), folder) if folder.is_dir() else None


def remove(primary_url: str) -> bool:
    """Let the primary expect no standby any more: it keeps nothing for it, and commits wait for nobody."""
    with psycopg.connect(primary_url, autocommit=True) as connection:
        _check_primary(connection)
        for setting in ("synchronous_standby_names", "wal_keep_size"):
            connection.execute(f"ALTER SYSTEM RESET {setting}".encode())
        connection.execute("SELECT pg_reload_conf()")
        row = connection.execute(
            "SELECT active, active_pid FROM pg_replication_slots WHERE slot_name = %s", [SLOT]
        ).fetchone()
        if row is None:
            return False
        if row[0]:
            raise StandbyRefused("The standby is connected: stop it first.")
        connection.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
    return True

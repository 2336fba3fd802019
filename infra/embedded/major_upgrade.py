"""Upgrading a data folder to the PostgreSQL of this release.

Everything happens on a copy. The old folder is not changed; it is renamed at the end, and kept.

    upgrade.partial    the copy in progress; removed by the next attempt
    pgdata.upgraded    complete, not yet in its place
    pgdata.before-18   the old folder"""

import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from infra.embedded import data_folder, programs, server_user
from infra.embedded.binaries import POSTGRES_MAJOR, find_in_wheel, major_of, readable_by_anyone
from infra.embedded.server import Server
from infra.embedded.server_errors import EmbeddedPostgresError
from infra.embedded.shared_server import SharedServer

WORK = "upgrade.partial"
DONE = "pgdata.upgraded"
TRUST = "local all all trust\n"  # in a folder that only its user may enter
TOO_CLOSED = 0o001
NEW_DATABASE_BYTES = 64 << 20  # what initdb makes, and a segment of its write-ahead log


def written_by(home: Path) -> int | None:
    """Return the major version that wrote the database of a data folder; None if there is none."""
    try:
        return int((home / "pgdata" / "PG_VERSION").read_text())
    except FileNotFoundError:
        return None


def upgrade(home: Path, old_install: Path | None = None, say: Callable[[str], None] = lambda what: None) -> Path:
    """Upgrade the database, which nobody may use meanwhile; return the folder of the old one."""
    shared = SharedServer(home, find_in_wheel())
    with shared.closed() as server:
        home = server.home
        _end_orphans(home / WORK)
        shutil.rmtree(home / WORK, ignore_errors=True)
        kept = home / data_folder.before_upgrade()
        if written_by(home) is None and (home / DONE).is_dir() and kept.is_dir():
            _finish(home)  # the last step of an interrupted upgrade
            return kept
        major = _check(home, kept)
        shutil.rmtree(home / DONE, ignore_errors=True)
        old = _programs(major, old_install, server.uid)
        _check_space(server.pgdata)
        say(f"Copying the database of PostgreSQL {major}.")
        _Upgrade(server, old).run(say)
        server.pgdata.rename(kept)
        _finish(home)
    return kept


def _end_orphans(work: Path) -> None:
    """End servers that a killed upgrade started on its copy."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink().is_relative_to(work) and "postgres" in (process / "exe").readlink().name:
                os.kill(int(process.name), signal.SIGKILL)


def _check(home: Path, kept: Path) -> int:
    major = written_by(home)
    if major is None:
        raise EmbeddedPostgresError(f"{home} has no database.")
    if major == POSTGRES_MAJOR:
        raise EmbeddedPostgresError(f"{home} is of PostgreSQL {major}, as this release is: there is nothing to do.")
    if major > POSTGRES_MAJOR:
        raise EmbeddedPostgresError(f"{home} was written by PostgreSQL {major}, which is newer than {POSTGRES_MAJOR}.")
    if kept.exists():
        raise EmbeddedPostgresError(f"{kept} is there from an earlier upgrade. Move it away first.")
    return major


def _check_space(pgdata: Path) -> None:
    """Refuse before anything is copied, because a copy that fills the disk stops everything else on it."""
    needed = NEW_DATABASE_BYTES + sum(file.lstat().st_size for file in pgdata.rglob("*"))
    free = shutil.disk_usage(pgdata).free
    if free < needed:
        raise EmbeddedPostgresError(
            f"The upgrade works on a copy, which needs {needed >> 20:,} MiB, and {free >> 20:,} MiB are free at "
            f"{pgdata.parent}. Free some space and run it again."
        )


def _finish(home: Path) -> None:
    (home / DONE).rename(home / "pgdata")
    os.sync()
    shutil.rmtree(home / WORK, ignore_errors=True)


def _programs(major: int, install: Path | None, uid: int | None) -> Path:
    """Return the folder of the old version's programs."""
    if install is None:
        try:
            install = find_in_wheel(major)
        except EmbeddedPostgresError as error:
            raise EmbeddedPostgresError(
                f"{error} Install PostgreSQL {major} and name its folder (the one with bin in it) with --old-install."
            ) from None
        return (install if uid is None else readable_by_anyone(install)) / "bin"
    if not (install / "bin" / "postgres").exists():
        raise EmbeddedPostgresError(f"{install} has no bin/postgres.")
    found = major_of(install)
    if found is not None and found != major:
        raise EmbeddedPostgresError(f"{install} is PostgreSQL {found}, and the database is of {major}.")
    return install / "bin"


class _Upgrade:
    """Runs the steps as a user with an account, which initdb and pg_upgrade require."""

    def __init__(self, server: Server, old_programs: Path) -> None:
        self._server, self._old_programs = server, old_programs
        self._uid = server_user.initdb_uid(server.uid)
        self._work = server.home / WORK
        self._since = programs.log_size(server.log)

    def run(self, say: Callable[[str], None]) -> None:
        old, new = self._work / "old", self._work / "new"
        self._work.mkdir(mode=0o700)
        if self._uid is not None:
            self._open_parents()
        shutil.copytree(self._server.pgdata, old, symlinks=True)
        for name in ("postmaster.pid", "standby.signal", "recovery.signal"):
            (old / name).unlink(missing_ok=True)
        (old / "pg_hba.conf").write_text(TRUST)
        new.mkdir(mode=0o700)
        if self._uid is not None:
            server_user.give(self._work, self._uid)
        # A killed server recovers first, and stops at the end of its input: pg_upgrade needs a clean shutdown.
        self._do("recover", str(self._old_programs / "postgres"), "--single", "-D", str(old), "template1")
        say(f"Moving it to PostgreSQL {POSTGRES_MAJOR}.")
        self._do("make a new database", str(self._server.bin / "initdb"), "-D", str(new), *data_folder.OPTIONS, "-N")
        folders = ["-b", str(self._old_programs), "-B", str(self._server.bin), "-d", str(old), "-D", str(new)]
        options = ["-s", str(self._work), "-U", "postgres", "--link", "--no-sync"]  # both are of this copy
        self._do("move to the new version", str(self._server.bin / "pg_upgrade"), *folders, *options)
        if self._server.uid is not None:
            server_user.give(new, self._server.uid)
        os.sync()
        new.rename(self._server.home / DONE)
        os.sync()

    def _open_parents(self) -> None:
        """Let PostgreSQL's user reach the copy, which root keeps from everybody else."""
        home = self._server.home
        if not all(parent.stat().st_mode & TOO_CLOSED for parent in home.parents):
            raise EmbeddedPostgresError(
                f"PostgreSQL does not run as root, and its own user cannot reach {home}. Run as a normal user, or move "
                "the folder to where everybody may enter its parents."
            )
        home.chmod(0o711)  # nothing in it but the server's own folders can be read by others

    def _do(self, what: str, *command: str) -> None:
        held = os.open(self._work, os.O_RDONLY)  # programs run with a lock; nobody waits for this one
        try:
            done = programs.run(command, cwd=self._work, log=self._server.log, lock=held, uid=self._uid)
        finally:
            os.close(held)
        if done != 0:
            raise programs.failure(f"could not {what}", self._server.log, self._since)

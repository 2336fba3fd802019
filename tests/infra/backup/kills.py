"""Backups and restores killed at random moments, with all that they started; then the next one is run to its end.

python -m tests.infra.backup.kills --kills 20
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psycopg

from infra.backup.backup_folder import BackupFolder
from infra.backup.create import KeyChoice, create_backup
from infra.backup.restore import check_backups, restore
from infra.embedded import EmbeddedPostgresError, as_service, embedded_postgres
from infra.schema.migrator import migrate
from tests.sealed_ledger import record_rounds

ROOT = Path(__file__).resolve().parents[3]
BACKUP = """
import sys
from pathlib import Path
from infra.backup.backup_folder import BackupFolder
from infra.backup.create import KeyChoice, create_backup
print("ready", flush=True)
create_backup(sys.argv[1], BackupFolder(Path(sys.argv[2])), KeyChoice(Path(sys.argv[2]), None))
"""
RESTORE = """
import sys
from pathlib import Path
from infra.backup.backup_folder import BackupFolder
from infra.backup.restore import restore
print("ready", flush=True)
restore(BackupFolder(Path(sys.argv[1])), Path(sys.argv[2]))
"""


class Figures(NamedTuple):
    kills: int
    finished: int  # which were done before they were killed: a backup is when it has its name
    told: int  # starts of a folder that was not finished, refused with what to do
    lost: int


def kill_backups(root: Path, kills: int, dice: random.Random) -> Figures:
    target = BackupFolder(root / "backups")
    with embedded_postgres(root / "data") as url:
        migrate(url)
        record_rounds(as_service(url), "uth-casino-club", 2)
        began = time.monotonic()
        create_backup(url, target, KeyChoice(root / "keys", None))
        longest = time.monotonic() - began
        ended = 0
        for _ in range(kills):
            ended += not killed(BACKUP, [url, str(target.path)], target.path, dice.random() * longest)
        finished = len(target.backups()) - 1
        create_backup(url, target, KeyChoice(root / "keys", None))
    lost = len(check_backups(target.backups())) + max(0, ended - finished) + len(list(target.path.glob("*.partial")))
    return Figures(kills, finished, 0, lost)


def kill_restores(root: Path, kills: int, dice: random.Random) -> Figures:
    target = BackupFolder(root / "backups")
    with embedded_postgres(root / "data") as url:
        migrate(url)
        record_rounds(as_service(url), "uth-casino-club", 2)
        create_backup(url, target, KeyChoice(root / "keys", None))
        stored = events(url)
    began = time.monotonic()
    restore(target, root / "timed")
    longest = time.monotonic() - began
    finished = told = lost = 0
    for number in range(kills):
        into = root / f"killed-{number}"
        if killed(RESTORE, [str(target.path), str(into)], into, dice.random() * longest):
            if (into / "pgdata").exists():
                told += starts_are_refused(into)
            restore(target, into)
        else:
            finished += 1
        with embedded_postgres(into) as url:
            lost += stored - events(url)
        shutil.rmtree(into)
    return Figures(kills, finished, told, lost)


def starts_are_refused(into: Path) -> bool:
    try:
        with embedded_postgres(into):
            return False
    except EmbeddedPostgresError as error:
        return "Run `roundledger restore` again" in str(error)


def events(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM roundledger.events").fetchone()
    assert row is not None
    return int(row[0])


def killed(program: str, arguments: list[str], folder: Path, after_seconds: float) -> bool:
    """Start it and kill it with what it started in the folder; False if it was done before."""
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            assert process.wait(after_seconds) == 0
            return False
        process.kill()
        for one in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words, place = (one / "cmdline").read_bytes(), os.readlink(one / "cwd")
                if os.fsencode(folder) in words or place.startswith(str(folder)):
                    os.kill(int(one.name), signal.SIGKILL)
        process.wait()
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for kill in (kill_backups, kill_restores):
        with tempfile.TemporaryDirectory() as folder:
            print(kill.__name__, kill(Path(folder), given.kills, random.Random(given.seed)), flush=True)


if __name__ == "__main__":
    main()

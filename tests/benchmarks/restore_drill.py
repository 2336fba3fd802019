"""A restore drill: a store is filled under load while it is backed up and followed, its folder is deleted, and it is
brought back from the backups alone, to the newest moment and to one in between.

    python -m tests.benchmarks.restore_drill --rounds 20000
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from infra.backup.backup_folder import BackupFolder
from infra.backup.create import KeyChoice, create_backup, follow_wal
from infra.backup.restore import restore
from infra.embedded import as_service, embedded_postgres
from infra.ledger.ledger import Actor, Ledger
from infra.log.checkpoints import Checkpoint
from infra.log.sealer import Sealer
from infra.log.stored_log import LogReader
from infra.schema.migrator import migrate
from infra.simulation import documents
from infra.store.database import Database
from projections.audit.run import Audit
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from tests.projections.simulated_floor import everything

PASSPHRASE = "a passphrase for a drill"
RULESETS = ("uth-house", "tcp-casino-club", "p215-casino-club", "uth-casino-club")
START_MS = 1_790_000_000_000


def play(url: str, ruleset: str, rounds: int, recorded: list[int]) -> None:
    with closing(Ledger(url)) as ledger:
        for number, line in enumerate(islice(documents(ruleset, 5, 4), rounds)):
            result = ledger.record(msgspec.json.decode(line), Actor("d-1", START_MS + number * 30_000))
            assert result["error"] is None, result["error"]
            recorded.append(result["events"])


def drill(root: Path, rounds: int) -> dict[str, Any]:
    target, data, keys = BackupFolder(root / "backups"), root / "data", root / "data" / "keys"
    figures: dict[str, Any] = {"rounds": rounds}
    with embedded_postgres(data) as admin:
        migrate(admin)
        url, stop, recorded = as_service(admin), threading.Event(), list[int]()
        players = [
            threading.Thread(target=play, args=(url, id_, rounds // len(RULESETS), recorded)) for id_ in RULESETS
        ]
        began = time.monotonic()
        for player in players:
            player.start()
        while len(recorded) < rounds // 4:
            time.sleep(0.2)
        seal(url, keys)  # a backup has the key only once there is one
        timed = time.monotonic()
        create_backup(admin, target, KeyChoice(keys, PASSPHRASE))
        figures["backup_s"] = round(time.monotonic() - timed, 1)
        follower = threading.Thread(target=follow_wal, args=(admin, target, lambda receiver: stop.wait()))
        follower.start()
        while len(recorded) < rounds // 2:
            time.sleep(0.2)
        seal(url, keys)
        middle, at_middle = datetime.now(UTC), latest(url)
        create_backup(admin, target, KeyChoice(keys, PASSPHRASE), incremental=True)
        for player in players:
            player.join()
        figures["recording_s"] = round(time.monotonic() - began, 1)
        seal(url, keys)
        with Runner(url) as runner:
            runner.catch_up()
        at_end, events = latest(url), count(admin)
        wait_for_receiver(admin)
        stop.set()
        follower.join()
    shutil.rmtree(data)
    for name, moment, known in (("newest", None, at_end), ("between", middle, at_middle)):
        figures[name] = brought_back(target, root / name, moment, known)
    assert figures["newest"]["events"] == events
    assert figures["between"]["events"] < events
    return figures


def brought_back(target: BackupFolder, into: Path, moment: datetime | None, known: Checkpoint) -> dict[str, Any]:
    """Audited against the checkpoint that was known then; the figures of its reports equal those of a rebuild."""
    began = time.monotonic()
    restore(target, into, to_time=moment, passphrase=PASSPHRASE)
    restored_s = time.monotonic() - began
    with embedded_postgres(into) as admin:
        url = as_service(admin)
        with Runner(url) as runner:
            runner.catch_up()
        summary = Audit(url, outside=[known]).run()
        assert summary.clean, f"{summary.findings} findings"
        assert latest(url).size >= known.size
        before = everything(admin)
        rebuild(url)
        assert everything(admin) == before
        seal(url, into / "keys")  # under its old key and name
        return {"restore_s": round(restored_s, 1), "audit_s": round(summary.seconds, 1), "events": count(admin)}


def seal(url: str, keys: Path) -> None:
    with Sealer(url, keys) as sealer:
        sealer.seal()


def latest(url: str) -> Checkpoint:
    with closing(Database(url)) as database:
        found = LogReader(database).latest()
    assert found is not None
    return found.parsed()


def count(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM roundledger.events").fetchone()
    assert row is not None
    return int(row[0])


def wait_for_receiver(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        flushed = "SELECT bool_and(flush_lsn >= pg_current_wal_flush_lsn()) FROM pg_stat_replication"
        while connection.execute(flushed).fetchone() != (True,):
            time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(drill(Path(folder), given.rounds))


if __name__ == "__main__":
    main()

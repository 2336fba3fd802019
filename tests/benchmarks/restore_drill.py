"""A restore drill: a store is filled under load while it is backed up and followed, its folder is deleted, and it is
brought back from the backups alone, to the newest moment and to one in between, with the commands of the guide.

    python -m tests.benchmarks.restore_drill --rounds 100000
"""

from __future__ import annotations

import argparse
import random
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
import pytest
from psycopg.sql import SQL, Identifier
from typer.testing import CliRunner

from api.cli.main import app
from infra.backup.backup_folder import BackupFolder
from infra.backup.create import KeyChoice, create_backup, follow_wal, keep_wal
from infra.embedded import as_service, embedded_postgres
from infra.ledger.ledger import Actor, Ledger
from infra.log.checkpoints import Checkpoint
from infra.log.proofs import Nodes, consistency
from infra.log.sealer import BrokenLog, Sealer
from infra.log.stored_log import LogReader
from infra.log.witness import Witness
from infra.schema.migrator import migrate
from infra.simulation import documents
from infra.store.database import Database
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.models.registry import ALL

PASSPHRASE = "a passphrase for a drill"
RULESETS = ("uth-house", "tcp-casino-club", "p215-casino-club", "uth-casino-club")
START_MS = 1_790_000_000_000
FLIPPED = 40  # files of the backup in which one bit is turned over
DIGEST = SQL("SELECT count(*), sum(hashtextextended(t::text, 1)), sum(hashtextextended(t::text, 2)) FROM {} t")


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
        until(recorded, rounds // 4)
        seal(url, keys)  # a backup has the key only once there is one
        timed = time.monotonic()
        keep_wal(admin)
        create_backup(admin, target, KeyChoice(keys, PASSPHRASE))
        figures["backup_s"] = round(time.monotonic() - timed, 1)
        follower = threading.Thread(target=follow_wal, args=(admin, target, lambda receiver: stop.wait()))
        follower.start()
        until(recorded, rounds // 2)
        seal(url, keys)
        witness_looks(url, witnesses(root)[1])
        middle, in_between = datetime.now(UTC), latest(url)
        create_backup(admin, target, KeyChoice(keys, PASSPHRASE), incremental=True)
        for player in players:
            player.join()
        figures["recording_s"] = round(time.monotonic() - began, 1)
        seal(url, keys)
        witness_looks(url, witnesses(root)[0])
        with Runner(url) as runner:
            runner.catch_up()
        at_end, events, reports = latest(url), count(admin), digests(admin)
        wait_for_receiver(admin)
        stop.set()
        follower.join()
    shutil.rmtree(data)
    (root / "published").write_text(at_end.text(), encoding="utf-8")
    command("backup", "verify", str(target.path), "--all")
    figures["newest"] = newest = brought_back(root, "newest", at_end)
    assert (newest["events"], newest["reports"]) == (events, reports)
    figures["between"] = between = brought_back(root, "between", in_between, middle)
    assert in_between.size <= between["events"] < events
    figures["flipped"] = flipped_bits(target)
    return figures


def until(recorded: list[int], rounds: int) -> None:
    while len(recorded) < rounds:
        time.sleep(0.2)


def brought_back(root: Path, name: str, known: Checkpoint, moment: datetime | None = None) -> dict[str, Any]:
    """Audited by `restore` against what was published; its reports equal a rebuild's, and the witness goes on."""
    into, began = root / name, time.monotonic()
    to_time = [] if moment is None else ["--to-time", moment.isoformat()]
    said = command(
        "restore", str(root / "backups"), "--into", str(into), *to_time, "--checkpoint", str(root / "published")
    )
    restored_s = time.monotonic() - began
    assert ", 0 findings." in said, said
    assert ("are missing" in said) == (moment is not None), said
    with embedded_postgres(into) as admin:
        url = as_service(admin)
        with Runner(url) as runner:
            runner.catch_up()
        assert latest(url).size >= known.size
        before = digests(admin)
        rebuild(url)
        assert digests(admin) == before, "the reports are not those of a rebuild"
        events = count(admin)
    if moment is not None:
        goes_on_under_a_new_name(into)
    with embedded_postgres(into) as admin:
        seal(as_service(admin), into / "keys")
        told = [witness_looks(as_service(admin), shutil.copytree(one, into / one.name)) for one in witnesses(root)]
    assert [what is not None for what in told] == [moment is not None] * 2, told
    shutil.rmtree(into)
    return {"restore_and_audit_s": round(restored_s, 1), "events": events, "reports": before, "witness": told}


def witnesses(root: Path) -> list[Path]:
    """One who saw everything, and one who has not looked since the moment in between."""
    return [root / "witness", root / "witness-between"]


def goes_on_under_a_new_name(into: Path) -> None:
    """What was published after that moment is lost, so nothing is sealed until two people say so."""
    with embedded_postgres(into) as admin, pytest.raises(BrokenLog, match="log succeed"):
        seal(as_service(admin), into / "keys")
    people = ["--by", "ops-ann", "--second", "ops-ben"]
    command("log", "succeed", "--reason", "A drill.", *people, "--data-dir", str(into))


def flipped_bits(target: BackupFolder) -> int:
    """One in each of some files, of the received log too; every one of them is named."""
    dice, names = random.Random(19), list[str]()
    files = sorted(path for path in target.path.rglob("*") if path.is_file() and path.stat().st_size)
    received = [path for path in files if path.parent == target.wal]
    for path in {*dice.sample(files, FLIPPED), *dice.sample(received, min(4, len(received)))}:
        if path.suffix == ".json":  # a manifest that cannot be read leaves nothing to compare with
            continue
        with path.open("r+b") as file:
            at = dice.randrange(path.stat().st_size)
            file.seek(at)
            (byte,) = file.read(1)
            file.seek(at)
            file.write(bytes([byte ^ 1 << dice.randrange(8)]))
        names.append(path.name.removesuffix(".sha256").removesuffix(".partial"))
    said = command("backup", "verify", str(target.path), "--all", exit_code=1)
    assert not (missed := [name for name in names if name not in said]), missed
    return len(names)


def command(*arguments: str, exit_code: int = 0) -> str:
    done = CliRunner().invoke(app, arguments, env={"ROUNDLEDGER_BACKUP_PASSPHRASE": PASSPHRASE})
    assert done.exit_code == exit_code, f"{arguments}: {done.output[-2_000:]} {done.exception!r}"
    return done.output


def seal(url: str, keys: Path) -> None:
    with Sealer(url, keys) as sealer:
        sealer.seal()


def latest(url: str) -> Checkpoint:
    with closing(Database(url)) as database:
        found = LogReader(database).latest()
    assert found is not None
    return found.parsed()


def witness_looks(url: str, folder: Path) -> str | None:
    """It refuses a log that is not what it has seen before, grown; what it says of one that was continued."""
    witness = Witness(folder, "witness.example/drill")
    with closing(Database(url)) as database:
        log = LogReader(database)
        seen = log.latest()
        assert seen is not None
        cosigned = witness.look(
            seen.note,
            lambda old_size, size: consistency(Nodes(log, size), old_size, size),
            int(time.time()),
            offered=log.keys(),
        )
    return witness.accepted_succession(cosigned)


def digests(url: str) -> dict[str, Any]:
    """Of every report table, whatever the order of its rows."""
    with psycopg.connect(url) as connection:
        return {
            table.name: connection.execute(DIGEST.format(Identifier("projections", table.name))).fetchone()
            for name in ALL
            for table in ALL[name].tables
        }


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
        figures = drill(Path(folder), given.rounds)
    for name in ("newest", "between"):
        figures[name]["reports"] = sum(rows for rows, *_ in figures[name]["reports"].values())
    print(figures)


if __name__ == "__main__":
    main()

"""A backup is complete or absent, any changed bit shows, and what it brings back is what was there."""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import msgspec
import psycopg
import pytest

from infra.backup import create, key_box, published_log
from infra.backup.backup_folder import DATA, Backup, BackupFolder
from infra.backup.create import KeyChoice, create_backup, follow_wal, keep_wal
from infra.backup.manifest import NAME, BadBackup, read_manifest
from infra.backup.postgres_programs import reason_of
from infra.backup.received_wal import check_received
from infra.backup.restore import check_backups, restore
from infra.embedded import EmbeddedPostgresError, as_service, embedded_postgres
from infra.schema.migrator import migrate
from tests.infra.backup.kills import Figures, kill_backups, kill_restores
from tests.sealed_ledger import record_rounds, seal

PASSPHRASE = "a long passphrase"


class Property(NamedTuple):
    """A ledger that was backed up in full, recorded more, was backed up incrementally, and recorded more."""

    backups: BackupFolder
    full: Backup
    incremental: Backup
    middle: datetime  # after the incremental backup, before the last rounds
    events: dict[str, int]  # how many there were at each of these moments


def count(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM roundledger.events").fetchone()
    assert row is not None
    return int(row[0])


def received(url: str, wait_until: Callable[[str], bool]) -> None:
    """Until the receiver has flushed all that was written."""
    while True:
        with psycopg.connect(url, autocommit=True) as connection:
            row = connection.execute(
                "SELECT coalesce(bool_and(flush_lsn >= pg_current_wal_flush_lsn()), false) FROM pg_stat_replication"
            ).fetchone()
        if row is not None and row[0]:
            return
        assert wait_until("the receiver")


def write_segment(admin: str) -> None:
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("SELECT pg_logical_emit_message(false, 'test', 'something')")
        connection.execute("SELECT pg_switch_wal()")


def as_if_it_had_a_standby(pgdata: Path) -> None:
    """So that a copy would wait for ever for one that it does not have, or be one itself. Nothing reads this now."""
    (pgdata / "standby.signal").touch()
    for name in ("postgresql.conf", "postgresql.auto.conf"):
        with (pgdata / name).open("a") as settings:
            settings.write("synchronous_standby_names = 'somebody'\n")


@pytest.fixture(scope="module")
def lost_property(tmp_path_factory: pytest.TempPathFactory) -> Property:
    """The original is gone, its backups are what is left."""
    home = tmp_path_factory.mktemp("property")
    target, keys, data = BackupFolder(home / "backups"), home / "data" / "keys", home / "data"
    events = {}
    deadline = time.monotonic() + 120

    def patience(what: str) -> bool:
        time.sleep(0.05)
        return time.monotonic() < deadline

    with embedded_postgres(data) as admin:
        migrate(admin)
        url = as_service(admin)
        record_rounds(url, "uth-casino-club", 4)
        seal(url, keys)
        events["full"] = count(url)
        as_if_it_had_a_standby(data / "pgdata")
        keep_wal(admin)
        full = create_backup(admin, target, KeyChoice(keys, PASSPHRASE))
        for _ in range(2):  # segments are full before anybody receives them
            write_segment(admin)
        stop = threading.Event()
        follower = threading.Thread(target=follow_wal, args=(admin, target, lambda receiver: stop.wait()))
        follower.start()
        try:
            record_rounds(url, "tcp-casino-club", 4)
            seal(url, keys)
            events["incremental"] = count(url)
            incremental = create_backup(admin, target, KeyChoice(keys, PASSPHRASE), incremental=True)
            record_rounds(url, "p215-casino-club", 2)
            events["middle"] = count(url)
            with psycopg.connect(url) as connection:
                row = connection.execute("SELECT clock_timestamp()").fetchone()
                assert row is not None
                middle = row[0]
            record_rounds(url, "uth-house", 3)
            seal(url, keys)
            events["end"] = count(url)
            received(admin, patience)
        finally:
            stop.set()
            follower.join()
    shutil.rmtree(data)
    return Property(target, full, incremental, middle, events)


def restored_events(into: Path) -> int:
    with embedded_postgres(into) as url:
        return count(url)


def test_the_newest_moment_comes_back_with_its_keys(lost_property: Property, tmp_path: Path):
    restored = restore(lost_property.backups, tmp_path / "data", passphrase=PASSPHRASE)
    assert restored.backup.name == lost_property.incremental.name
    assert restored_events(tmp_path / "data") == lost_property.events["end"]
    assert restored.log_size == lost_property.events["end"]
    (key,) = (tmp_path / "data" / "keys").glob("*.key")
    assert key.stat().st_mode & 0o077 == 0
    with embedded_postgres(tmp_path / "data") as admin:
        assert record_rounds(as_service(admin), "uth-bgc", 1)
        assert seal(as_service(admin), tmp_path / "data" / "keys") > 0


def test_a_moment_in_between_comes_back(lost_property: Property, tmp_path: Path):
    restore(lost_property.backups, tmp_path / "data", to_time=lost_property.middle)
    assert restored_events(tmp_path / "data") == lost_property.events["middle"]
    assert not (tmp_path / "data" / "keys").exists()


def test_what_is_written_between_a_backup_and_its_receiver_is_received(lost_property: Property):
    assert check_received(lost_property.backups.wal, lost_property.full) == []


def test_a_backup_alone_comes_back_as_it_was(lost_property: Property, tmp_path: Path):
    alone = tmp_path / "carried"
    shutil.copytree(lost_property.full.folder, alone)
    restore(BackupFolder(alone), tmp_path / "data")
    assert restored_events(tmp_path / "data") == lost_property.events["full"]


def test_guards_and_roles_come_back(lost_property: Property, tmp_path: Path):
    restore(lost_property.backups, tmp_path / "data")
    with embedded_postgres(tmp_path / "data") as admin:
        for url, refusal in ((as_service(admin), psycopg.errors.InsufficientPrivilege), (admin, psycopg.errors.Error)):
            with psycopg.connect(url) as connection, pytest.raises(refusal):
                connection.execute("DELETE FROM roundledger.events")


def test_the_receiver_notes_how_far_the_log_was_published(lost_property: Property):
    """A restore to the moment in between must know of what was sealed after it."""
    noted = published_log.noted(lost_property.backups.wal)
    assert noted is not None
    assert noted.size == lost_property.events["end"]


def test_a_changed_note_of_what_was_published_is_named(lost_property: Property, tmp_path: Path):
    shutil.copy(lost_property.backups.wal / published_log.NAME, tmp_path)
    assert published_log.check_noted(tmp_path) == []
    for at in range(0, (tmp_path / published_log.NAME).stat().st_size, 7):
        flip(tmp_path / published_log.NAME, at)
        (wrong,) = published_log.check_noted(tmp_path)
        assert f"{published_log.NAME} is not as it was written." in wrong
        flip(tmp_path / published_log.NAME, at)


def test_a_time_that_was_not_reached_is_refused(lost_property: Property, tmp_path: Path):
    now = datetime.now(UTC)
    with pytest.raises(BadBackup, match=r"is in the future\. Without --to-time the newest moment is restored"):
        restore(lost_property.backups, tmp_path / "data", to_time=now + timedelta(hours=1))
    assert not (tmp_path / "data").exists()
    with pytest.raises(BadBackup, match=r"Nothing was received from after .*\. Without --to-time"):
        restore(lost_property.backups, tmp_path / "data", to_time=now)
    with (
        pytest.raises(EmbeddedPostgresError, match="Run `roundledger restore` again"),
        embedded_postgres(tmp_path / "data"),
    ):
        pass


@pytest.mark.parametrize(
    ("printed", "advice"),
    [
        ("pg_basebackup: error: could not initiate base backup: ERROR:  incremental backups cannot be taken unless WAL "
         "summarization is enabled", "Set summarize_wal = on"),
        ('pg_basebackup: error: FATAL:  no pg_hba.conf entry for replication connection from host "[local]"',
         "ALTER ROLE … REPLICATION"),
    ],
)  # fmt: skip
def test_what_a_server_of_ones_own_lacks_is_explained(printed: str, advice: str):
    assert advice in reason_of("pg_basebackup", f"{printed}\npg_basebackup: removing data directory\n")


def test_a_server_without_incremental_backups_explains_itself(lost_property: Property):
    """Before version 17."""
    state = create.ServerState(160_004, "1", 0, None, lost_property.full.manifest.log)
    with pytest.raises(BadBackup, match="need PostgreSQL 17 or later on the server"):
        create.parent_of(lost_property.backups, state)


def test_a_passphrase_that_is_too_short_is_refused_before_anything_is_copied(tmp_path: Path):
    with pytest.raises(key_box.WrongPassphrase, match="at least 12 characters"):
        create_backup("postgresql://127.0.0.1:1/none", BackupFolder(tmp_path / "b"), KeyChoice(tmp_path, "short"))
    assert not (tmp_path / "b").exists()


def test_a_time_before_the_first_backup_is_refused(lost_property: Property, tmp_path: Path):
    before = lost_property.full.manifest.finished_at - timedelta(seconds=1)
    with pytest.raises(BadBackup, match="The first backup was finished at"):
        restore(lost_property.backups, tmp_path / "data", to_time=before)
    assert not (tmp_path / "data").exists()


def test_a_folder_with_anything_in_it_is_not_overwritten(lost_property: Property, tmp_path: Path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(BadBackup, match="is not empty"):
        restore(lost_property.backups, tmp_path)
    assert (tmp_path / "mine").read_text() == "mine"


def test_what_does_not_fit_is_refused_before_it_is_copied(
    lost_property: Property, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1 << 20))
    with pytest.raises(BadBackup, match=r"ledger needs \d+ MiB, and 1 MiB are free at .*data"):
        restore(lost_property.backups, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_a_wrong_passphrase_leaves_nothing(lost_property: Property, tmp_path: Path):
    with pytest.raises(key_box.WrongPassphrase):
        restore(lost_property.backups, tmp_path / "data", passphrase="another passphrase")
    assert not (tmp_path / "data").exists()


@pytest.fixture
def damaged(lost_property: Property, tmp_path: Path) -> Backup:
    """A copy of the full backup for somebody to damage."""
    folder = tmp_path / lost_property.full.name
    shutil.copytree(lost_property.full.folder, folder)
    return Backup(folder, read_manifest(folder))


def flip(path: Path, at: int, bit: int = 1) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        (byte,) = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ bit]))


@pytest.mark.parametrize("where", ["data", "wal", "keys", "backup_manifest"])
def test_one_flipped_bit_is_named(damaged: Backup, where: str, tmp_path: Path):
    files = {
        "data": max((damaged.data / "base").rglob("*"), key=lambda path: path.stat().st_size if path.is_file() else 0),
        "wal": next(path for path in (damaged.data / "pg_wal").iterdir() if path.is_file()),
        "keys": damaged.folder / key_box.NAME,
        "backup_manifest": damaged.data / "backup_manifest",
    }
    path = files[where]
    flip(path, path.stat().st_size - 1)
    name = path.relative_to(damaged.folder).as_posix()
    assert check_backups([damaged]) == [f"{damaged.name}: {name} is not as it was written."]
    with pytest.raises(BadBackup, match="The backup is damaged"):
        restore(BackupFolder(damaged.folder), tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_a_flipped_bit_of_any_file_is_named(damaged: Backup):
    """One in each, at a random place."""
    dice, flipped = random.Random(64), set()
    for name, entry in damaged.manifest.files.items():
        if entry.size:
            flip(damaged.folder / name, dice.randrange(entry.size), 1 << dice.randrange(8))
            flipped.add(f"{damaged.name}: {name} is not as it was written.")
    assert len(flipped) > 500
    assert set(check_backups([damaged])) == flipped


def test_a_flipped_bit_in_the_received_log_is_named_and_not_restored(lost_property: Property, tmp_path: Path):
    copy = BackupFolder(shutil.copytree(lost_property.backups.path, tmp_path / "backups"))
    segment = sorted(copy.wal.glob("*.partial"))[-1]
    assert check_received(copy.wal, copy.newest(), every=True) == []
    flip(segment, 1_000)
    assert check_received(copy.wal, copy.newest()) == [f"wal/{segment.name} is not as it was received."]
    with pytest.raises(BadBackup, match=f"The log that was received is damaged. wal/{segment.name} is not as"):
        restore(copy, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_any_flipped_bit_of_the_manifest_is_found(damaged: Backup):
    manifest = damaged.folder / NAME
    content = manifest.read_bytes()
    for at in range(0, len(content), 1 + len(content) // 200):
        changed = bytes([content[at] ^ 1])
        manifest.write_bytes(content[:at] + changed + content[at + 1 :])
        with pytest.raises(BadBackup):
            read_manifest(damaged.folder)
    manifest.write_text('{"format": 2, "kind": "of another shape"}')
    with pytest.raises(BadBackup, match="was written by a newer release of roundledger"):
        read_manifest(damaged.folder)


def test_missing_and_added_files_are_named(damaged: Backup):
    (damaged.data / "PG_VERSION").unlink()
    (damaged.data / "base" / "added").write_text("")
    assert check_backups([damaged]) == [
        f"{damaged.name}: {DATA}/base/added is not in the manifest.",
        f"{damaged.name}: {DATA}/PG_VERSION is missing.",
    ]


def test_an_incremental_backup_without_its_parent_is_refused(lost_property: Property, tmp_path: Path):
    folder = tmp_path / "backups" / lost_property.incremental.name
    shutil.copytree(lost_property.incremental.folder, folder)
    with pytest.raises(BadBackup, match=f"continues {lost_property.full.name}, which is not in"):
        restore(BackupFolder(tmp_path / "backups"), tmp_path / "data")


def test_a_backup_of_another_version_of_postgresql_explains_itself(damaged: Backup, tmp_path: Path):
    msgspec.structs.replace(damaged.manifest, postgresql=150_020).sealed().write(damaged.folder)
    with pytest.raises(BadBackup, match="of a server of PostgreSQL 15, and this release brings 18"):
        restore(BackupFolder(damaged.folder), tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_old_backups_and_the_log_that_only_they_need_are_removed(lost_property: Property, tmp_path: Path):
    copy = tmp_path / "backups"
    shutil.copytree(lost_property.backups.path, copy)
    folder = BackupFolder(copy)
    assert folder.prune(1) == []
    with embedded_postgres(tmp_path / "data") as admin:
        migrate(admin)
        newest = create_backup(admin, folder, KeyChoice(tmp_path / "keys", None))
    assert folder.prune(1) == [lost_property.full.name, lost_property.incremental.name]
    assert [one.name for one in folder.backups()] == [newest.name]
    assert all(segment.name[8:24] >= newest.manifest.first_wal[8:] for segment in folder.wal.iterdir())


def test_an_incremental_backup_of_another_server_is_refused(lost_property: Property, tmp_path: Path):
    with embedded_postgres(tmp_path / "data") as admin:
        migrate(admin)
        with pytest.raises(BadBackup, match="is of another server"):
            create_backup(admin, lost_property.backups, KeyChoice(tmp_path / "keys", None), incremental=True)
    assert len(lost_property.backups.backups()) == 2


@pytest.mark.parametrize(("kill", "kills"), [(kill_backups, 4), (kill_restores, 3)])
def test_killed_at_any_moment_nothing_is_lost_and_the_next_one_works(
    kill: Callable[[Path, int, random.Random], Figures], kills: int, tmp_path: Path
):
    figures = kill(tmp_path, kills, random.Random(kills))
    assert (figures.kills, figures.lost) == (kills, 0)

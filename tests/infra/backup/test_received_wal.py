"""Gaps, torn segments and changed bits in the write-ahead log that was received are found."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from infra.backup.backup_folder import Backup
from infra.backup.received_wal import WalHashes, check_received

WHOLE = 16 << 20
OWN = "0000000100000000000000FD"  # in the backup itself
RECEIVED = ("0000000100000000000000FE", "0000000100000000000000FF", "000000010000000100000000")
CURRENT = "000000020000000100000001.partial"  # after a standby took over


def fill(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).touch()
        os.truncate(folder / name, WHOLE)
    return folder


@pytest.fixture
def backup(tmp_path: Path) -> Backup:
    fill(tmp_path / "backup" / "data" / "pg_wal", OWN)
    manifest: Any = SimpleNamespace(first_wal=OWN)
    return Backup(tmp_path / "backup", manifest)


@pytest.fixture
def wal(tmp_path: Path) -> Path:
    older = "000000010000000000000003"  # which the backup does not need
    folder = fill(tmp_path / "wal", older, *RECEIVED, CURRENT)
    (folder / "00000002.history").touch()
    return folder


def test_a_log_that_is_complete_or_was_never_received_is_in_order(wal: Path, backup: Backup):
    assert check_received(wal, backup) == []
    assert check_received(wal / "none", backup) == []


@pytest.mark.parametrize("gone", [RECEIVED[:1], RECEIVED[:2], RECEIVED[1:2], RECEIVED[1:]])
def test_a_gap_is_named_by_the_segment_after_it(wal: Path, backup: Backup, gone: tuple[str, ...]):
    for name in gone:
        (wal / name).unlink()
    after = (*RECEIVED, CURRENT)[RECEIVED.index(gone[-1]) + 1]
    assert check_received(wal, backup) == [f"wal: the log has a gap before {after}; missing segments: {len(gone)}."]


def test_a_torn_segment_is_named(wal: Path, backup: Backup):
    os.truncate(wal / RECEIVED[1], 4096)
    assert check_received(wal, backup) == [f"wal/{RECEIVED[1]}: 4,096 bytes instead of 16,777,216."]
    for name in (*RECEIVED, CURRENT):
        os.truncate(wal / name, 4096)
    assert check_received(wal, backup) == ["wal: no segment is whole; the largest has 4,096 bytes."]


def flip(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        (byte,) = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ 4]))


@pytest.mark.parametrize("name", [RECEIVED[0], CURRENT, "00000002.history"])
def test_after_the_receiver_has_ended_any_changed_bit_is_found(wal: Path, backup: Backup, name: str):
    (wal / "00000002.history").write_text("1\t0/FF000000\tno recovery target specified\n")
    WalHashes(wal).look(ended=True)
    assert check_received(wal, backup) == []
    flip(wal / name, (wal / name).stat().st_size - 1)
    assert check_received(wal, backup) == [f"wal/{name} is not as it was received."]


def test_a_changed_hash_is_found_too(wal: Path, backup: Backup):
    WalHashes(wal).look(ended=True)
    hashed = wal / f"{RECEIVED[1]}.sha256"
    for at in (0, 63, 64, 65, hashed.stat().st_size - 1):
        flip(hashed, at)
        assert check_received(wal, backup) == [f"wal/{RECEIVED[1]} is not as it was received."]
        flip(hashed, at)


def test_of_a_segment_that_is_being_received_what_has_come_is_compared(wal: Path, backup: Backup):
    hashes, current = WalHashes(wal), wal / CURRENT

    def receive(at: int) -> None:
        with current.open("r+b") as file:
            file.seek(at)
            file.write(b"written since" * 100)

    for at in (0, 1_300, 2_600):
        receive(at)
        hashes.look()  # of this look nothing is known before the next: it may be in the middle of a write
        assert check_received(wal, backup) == []
    receive(3_900)
    assert check_received(wal, backup) == []
    flip(current, 2_000)
    assert check_received(wal, backup) == [f"wal/{CURRENT} is not as it was received."]
    flip(current, 2_000)
    hashes.look(ended=True)
    again = WalHashes(wal)  # a receiver that goes on with it
    receive(5_200)
    assert check_received(wal, backup) == []
    current.rename(complete := wal / CURRENT.removesuffix(".partial"))
    again.look()
    flip(complete, WHOLE - 1)
    assert check_received(wal, backup) == [f"wal/{complete.name} is not as it was received."]


def test_older_segments_are_compared_if_everything_is(wal: Path, backup: Backup):
    WalHashes(wal).look(ended=True)
    flip(wal / "000000010000000000000003", 5)
    assert check_received(wal, backup) == []
    assert check_received(wal, backup, every=True) == ["wal/000000010000000000000003 is not as it was received."]

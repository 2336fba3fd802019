"""Gaps and torn segments in the write-ahead log that was received are found."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from infra.backup.backup_folder import Backup
from infra.backup.received_wal import check_received

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

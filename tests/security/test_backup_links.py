"""A backup is what is in its folder: a link in it, put there by somebody else, is reported and never followed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.backup.manifest import BadBackup, LogState, Manifest, differences, file_entries


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    folder = tmp_path / "backup"
    (folder / "data" / "base").mkdir(parents=True)
    (folder / "data" / "base" / "1").write_text("rows")
    return folder


def manifest_of(folder: Path) -> Manifest:
    at = datetime(2026, 11, 18, tzinfo=UTC)
    return Manifest(
        kind="full",
        parent=None,
        started_at=at,
        finished_at=at,
        roundledger="0.2.0",
        postgresql=180_004,
        system="1",
        first_wal="0",
        last_position=0,
        last_recorded_at=None,
        log=LogState(log_id="x", size=0, checkpoint=None, sealed_at=None),
        keys="none",
        files=file_entries(folder),
    ).sealed()


def test_a_folder_that_leads_elsewhere_is_reported(backup: Path, tmp_path: Path):
    manifest = manifest_of(backup)
    assert differences(backup, manifest) == []
    (backup / "data" / "pg_tblspc").symlink_to(tmp_path, target_is_directory=True)
    assert differences(backup, manifest) == ["data/pg_tblspc is not in the manifest."]
    with pytest.raises(BadBackup, match="is a link"):
        file_entries(backup)


def test_a_file_that_was_replaced_by_a_link_to_the_same_is_reported(backup: Path, tmp_path: Path):
    manifest, file = manifest_of(backup), backup / "data" / "base" / "1"
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert differences(backup, manifest) == ["data/base/1 is a link, which a backup never contains."]

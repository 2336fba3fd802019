"""Promise: an archive from somebody else makes us read nothing outside its folder, and write nothing outside ours."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from domain.audit.findings import Finding
from projections.archive.archive_audit import ArchiveAudit
from projections.archive.manifest import FORM, NAME, ArchivedFile, BadArchive, Manifest, read_manifest
from projections.archive.writer import FLOOR, folder_name
from projections.audit.run import Summary

ROWS = 3


def archive_naming(folder: Path, path: str, content: bytes) -> Path:
    """An archive of one file, whose hash in the manifest is right."""
    folder.mkdir()
    file = ArchivedFile(path, "rounds", "2026-03-08", "t1", ROWS, 1, sha256(content).hexdigest())
    manifest = Manifest(FORM, "main", ROWS, True, None, None, 0, None, [file])
    (folder / NAME).write_bytes(msgspec.json.encode(manifest))
    return folder


@pytest.mark.parametrize("path", ["../secret", "a/../../secret", "/etc/passwd", "", ".", "..", "..\\secret", "a\0b"])
def test_a_manifest_that_names_a_file_elsewhere_is_refused(tmp_path: Path, path: str):
    (tmp_path / "secret").write_bytes(b"another's")
    folder = archive_naming(tmp_path / "archive", path, b"another's")
    with pytest.raises(BadArchive, match="not in that folder"):
        read_manifest(folder)


def test_a_link_that_leads_elsewhere_is_not_read(tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"another's")
    folder = archive_naming(tmp_path / "archive", "linked.parquet", b"another's")
    (folder / "linked.parquet").symlink_to(secret)
    found: list[Finding] = []
    summary: Summary = ArchiveAudit(folder, processes=1, report=found.append).run()
    assert summary.findings == 1
    assert "a link to a place outside the archive" in found[0].what


@pytest.mark.parametrize("table", [None, "", "../../escape", "/etc", "t1/../..", "T1", "a" * 41])
def test_an_event_does_not_choose_where_an_archive_is_written(table: str | None):
    assert folder_name(table) == FLOOR
    assert folder_name("t-1") == "t-1"

"""Archives: what is in them, that the same is found over them as over the store, and that altered ones are found."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from distributed import LocalCluster
from typer.testing import CliRunner

from api.cli.audit import archive, audit
from domain.audit.findings import Finding
from domain.cards import DECK
from domain.disputes.whatif import RuleChanges
from infra.log.checkpoints import parse_checkpoint, sign
from infra.log.keys import new_signer
from projections.archive.archive_audit import ArchiveAudit
from projections.archive.archive_whatif import archive_what_if
from projections.archive.manifest import CHECKPOINT, LEAVES, NAME, BadArchive, read_manifest
from projections.archive.writer import NotAnArchive, write_archive
from projections.audit.run import Audit
from projections.audit.scope import Scope
from projections.audit.whatif_history import what_if
from tests.domain.stored_rounds import cards_in
from tests.recorded_floor import Spoiler

app = typer.Typer()
app.command()(audit)
app.command()(archive)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments])


def found_in(folder: Path, **options: Any) -> list[Finding]:
    found: list[Finding] = []
    ArchiveAudit(folder, report=found.append, **{"processes": 1, **options}).run()
    return found


@pytest.fixture(scope="session")
def written(clean_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive") / "archive"
    write_archive(clean_url, folder, "north-hall")
    return folder


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "archive"))


def test_an_archive_is_partitioned_and_holds_every_event_once(written: Path, clean_url: str):
    manifest = read_manifest(written)
    assert manifest.property == "north-hall"
    assert all(
        file.path.startswith(f"property=north-hall/gaming_day={file.gaming_day}/table={file.table}/")
        for file in manifest.files
    )
    assert len({file.gaming_day for file in manifest.files}) > 1
    summary = Audit(clean_url, processes=1, without=("projections",)).run()
    assert sum(file.rows for file in manifest.files) == summary.events
    assert sum(file.rounds for file in manifest.files) == summary.rounds
    positions = [row for file in manifest.files for row in _column(written / file.path, "position")]
    assert len(set(positions)) == len(positions)


def _column(path: Path, name: str) -> list[Any]:
    found: list[Any] = pq.ParquetFile(path).read([name]).column(name).to_pylist()
    return found


def test_nothing_is_found_in_an_archive_of_a_clean_ledger(written: Path):
    found: list[Finding] = []
    summary = ArchiveAudit(written, processes=1, report=found.append).run()
    assert found == []
    assert {check.name: check.done for check in summary.checks} == {
        "rounds": True,
        "floor": True,
        "projections": False,
        "log": True,
        "trail": False,
    }


def test_cards_that_were_never_turned_over_are_in_no_archive(written: Path):
    """A folded hand of r-5 is named nowhere in its events."""
    (path,) = [file.path for file in read_manifest(written).files if file.table == "t-9" and file.kind == "rounds"]
    text = b"".join(_column(written / path, "state")).decode()
    assert not cards_in(text) & {"3c", "3d"}
    assert cards_in(text) < set(DECK)


def test_the_same_is_found_over_an_archive_as_over_the_store(url: str, tmp_path: Path):
    with Spoiler(url) as spoiler:
        for name in ("r-1", "r-5", "r-30"):
            position, _, _, state = spoiler.round(name, "round.fee_taken.v1")[0]
            state[0][1] += 100
            spoiler.write(position, state)
    write_archive(url, tmp_path / "archive")
    in_store: list[Finding] = []
    Audit(url, processes=1, without=("projections",), report=in_store.append).run()
    in_archive = found_in(tmp_path / "archive")
    expected = sorted((finding.kind, finding.round or "", finding.position or 0) for finding in in_store)
    assert sorted((finding.kind, finding.round or "", finding.position or 0) for finding in in_archive) == expected
    assert {kind for kind, _, _ in expected} >= {"fee", "drop", "row_changed", "dispute"}


def test_dask_finds_the_same_as_processes(copy: Path):
    _rewrite(copy, "t-1", lambda rows: [_with_state(row, b'"seat-1"', b'"seat-9"') for row in rows])
    alone = found_in(copy)
    assert alone
    any_port = {"dashboard_address": "127.0.0.1:0"}  # its own pages, even without a dashboard; 8787 may be in use
    with LocalCluster(n_workers=2, processes=False, dashboard_address=None, scheduler_kwargs=any_port) as cluster:
        on_cluster = found_in(copy, scheduler=cluster.scheduler_address)
    assert on_cluster == alone


def test_processes_find_the_same_as_one(copy: Path):
    _rewrite(copy, "t-1", lambda rows: [_with_state(row, b'"seat-1"', b'"seat-9"') for row in rows])
    assert found_in(copy, processes=2) == found_in(copy)


# ---- altered


def _with_state(row: dict[str, Any], old: bytes, new: bytes) -> dict[str, Any]:
    return {**row, "state": row["state"].replace(old, new)}


def _rewrite(folder: Path, table: str, change: Any) -> None:
    """Somebody changes the rounds of a table, and the manifest with them, so that the hashes of files agree."""
    manifest = read_manifest(folder)
    files = []
    for file in manifest.files:
        if file.table == table and file.kind == "rounds":
            path = folder / file.path
            rows = change(pq.ParquetFile(path).read().to_pylist())
            pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(path)), path)
            file = msgspec.structs.replace(file, rows=len(rows), sha256=sha256(path.read_bytes()).hexdigest())
        files.append(file)
    (folder / NAME).write_bytes(msgspec.json.encode(msgspec.structs.replace(manifest, files=files)))


def test_a_byte_of_a_file_that_changed_is_found(copy: Path):
    path = next(file.path for file in read_manifest(copy).files if file.table == "t-1")
    content = bytearray((copy / path).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / path).write_bytes(content)
    assert "archive" in {finding.kind for finding in found_in(copy)}


def test_a_file_that_is_gone_is_found(copy: Path):
    path = next(file.path for file in read_manifest(copy).files if file.table == "t-1" and file.kind == "rounds")
    (copy / path).unlink()
    assert "archive" in {finding.kind for finding in found_in(copy)}


def test_changed_and_deleted_rows_are_found_even_where_the_manifest_was_changed_with_them(copy: Path):
    _rewrite(copy, "t-1", lambda rows: [_with_state(row, b'"d-1"', b'"d-2"') for row in rows])
    assert "row_changed" in {finding.kind for finding in found_in(copy)}
    _rewrite(copy, "t-3", lambda rows: [])
    assert "archive" in {finding.kind for finding in found_in(copy)}


def test_hashes_that_were_changed_with_the_rows_do_not_make_the_signed_root(copy: Path):
    leaves = bytearray((copy / LEAVES).read_bytes())
    leaves[5] ^= 1
    (copy / LEAVES).write_bytes(leaves)
    assert {finding.kind for finding in found_in(copy)} == {"row_changed", "history_rewritten"}


def test_a_checkpoint_that_somebody_else_signed_is_found(copy: Path):
    kept = parse_checkpoint((copy / CHECKPOINT).read_text(encoding="utf-8"))
    forged = sign(kept.origin, kept.size, kept.root, [new_signer(kept.origin)])
    (copy / CHECKPOINT).write_text(forged.text(), encoding="utf-8")
    assert {finding.kind for finding in found_in(copy)} == {"signature_broken"}


def test_a_checkpoint_kept_outside_anchors_an_archive(copy: Path):
    kept = parse_checkpoint((copy / CHECKPOINT).read_text(encoding="utf-8"))
    assert found_in(copy, outside=[kept]) == []
    other = kept._replace(root=bytes(32))
    assert {finding.kind for finding in found_in(copy, outside=[other])} == {"fork"}
    longer = kept._replace(size=kept.size + 1)
    assert {finding.kind for finding in found_in(copy, outside=[longer])} == {"tree_shorter"}


# ---- as a command


def test_writing_again_replaces_an_archive_and_nothing_else(clean_url: str, tmp_path: Path):
    folder = tmp_path / "archive"
    for _ in range(2):
        answered = run("archive", str(folder), "--database-url", clean_url)
        assert answered.exit_code == 0, answered.output
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]
    other = tmp_path / "letters"
    other.mkdir()
    (other / "letter.txt").write_text("Dear Sir", encoding="utf-8")
    refused = run("archive", str(other), "--database-url", clean_url)
    assert refused.exit_code == 2
    assert (other / "letter.txt").exists()
    with pytest.raises(NotAnArchive):
        write_archive(clean_url, other)
    refused = run("archive", str(other / "letter.txt"), "--database-url", clean_url)
    assert refused.exit_code == 2
    assert "letter.txt is a file, and an archive is a folder" in refused.stderr


def test_the_rounds_of_a_time_can_be_archived_and_audited(clean_url: str, tmp_path: Path):
    folder = tmp_path / "day"
    day = ("--from", "2026-09-21T00:00:00+00:00", "--to", "2026-09-22T00:00:00+00:00")
    assert run("archive", str(folder), *day, "--database-url", clean_url).exit_code == 0
    manifest = read_manifest(folder)
    assert not manifest.whole
    assert {file.kind for file in manifest.files} == {"rounds"}
    answered = run("audit", "--archive", str(folder), "--processes", "1")
    assert answered.exit_code == 0, answered.output
    assert "the archive has only rounds of a time" in answered.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["audit", "--archive", "/nowhere"], "/nowhere is not an archive"),
        (["audit", "--scheduler", "tcp://127.0.0.1:1"], "--scheduler needs --archive"),
        (["archive", "/tmp/x", "--property", "North Hall"], "--property is a name"),
    ],
)
def test_what_cannot_be_done_is_exit_code_2(arguments: list[str], expected: str):
    answered = run(*arguments)
    assert answered.exit_code == 2
    assert expected in answered.stderr


def test_filters_and_a_folder_that_is_no_archive(written: Path, tmp_path: Path):
    summary = ArchiveAudit(written, Scope(table="t-1"), processes=1).run()
    assert 0 < summary.rounds < 10
    (tmp_path / NAME).write_text("{}", encoding="utf-8")
    with pytest.raises(BadArchive):
        read_manifest(tmp_path)


# ---- what-if


def test_an_archive_is_settled_otherwise_as_its_database_is(written: Path, clean_url: str):
    scope, changes = Scope(ruleset="uth-casino-club"), RuleChanges(coverage="separate-limits")
    in_database = what_if(clean_url, scope, changes, processes=1).document()
    assert in_database["total"]["rounds"] > 0
    assert archive_what_if(written, scope, changes, processes=1).document() == in_database
    any_port = {"dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=2, processes=False, dashboard_address=None, scheduler_kwargs=any_port) as cluster:
        on_cluster = archive_what_if(written, scope, changes, scheduler=cluster.scheduler_address)
    assert on_cluster.document() == in_database

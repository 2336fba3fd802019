"""Recording stops before the disk is full, says so, and resumes by itself once there is space."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from infra.health import disk_space
from infra.health.disk_space import DiskNearlyFull, DiskReserve
from infra.ledger.ledger import Actor, Ledger
from tests.api.service import open_service

SESSION = {"ruleset": "uth-house", "terms": {"trips": "UTH-04"}}


@pytest.fixture(autouse=True)
def _asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_space, "ASKED_AGAIN_SECONDS", 0.0)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four mebibytes."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(tmp_path)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def recorded(ledger: Ledger, round_id: str) -> None:
    document = {"round": round_id, "table": f"t-{round_id}", "ruleset": "uth-house", "actions": []}
    ledger.record(document, Actor("dealer-1", 0))


def test_recording_stops_at_the_reserve_and_goes_on_after_space_is_freed(url: str, tmp_path: Path):
    free = [2000]
    ledger = Ledger(url, DiskReserve(tmp_path, 1000, free_bytes=lambda folder: free[0]))
    try:
        recorded(ledger, "r-1")
        free[0] = 999
        with pytest.raises(DiskNearlyFull, match="The database's disk is nearly full"):
            recorded(ledger, "r-2")
        assert ledger.entries("r-2") == []
        assert ledger.entries("r-1"), "reading goes on"
        free[0] = 1000
        recorded(ledger, "r-2")
        assert ledger.entries("r-2")
    finally:
        ledger.close()


def test_a_folder_that_cannot_be_reached_stops_nothing(url: str, tmp_path: Path):
    ledger = Ledger(url, DiskReserve(tmp_path / "gone", 1000))
    try:
        recorded(ledger, "r-1")
        assert ledger.entries("r-1")
    finally:
        ledger.close()


def test_the_disk_is_asked_once_a_second_at_most(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.undo()
    asked: list[Path] = []

    def free(folder: Path) -> int:
        asked.append(folder)
        return 1

    reserve = DiskReserve(tmp_path, 0, free_bytes=free)
    monkeypatch.setattr("time.monotonic", lambda: 5.0)
    for _ in range(100):
        reserve.check()
    assert len(asked) == 1


def test_the_service_on_a_disk_that_fills_up(url: str, small_disk: Path):
    with open_service(url, disk_folder=small_disk, disk_reserve_mib=2) as client:
        assert client.post("/v1/tables/t1/sessions", json=SESSION).status_code == 201
        assert client.get("/readyz").status_code == 200
        filling = small_disk / "somebody-elses"
        filling.write_bytes(os.urandom(3 << 20))
        answer = client.post("/v1/tables/t2/sessions", json=SESSION)
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert "nearly full: 1 MiB are free, and recording stops below 2 MiB" in answer.json()["detail"]
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["writes"]) == (503, False)
        assert any("nearly full" in warning for warning in ready.json()["warnings"])
        shown = re.search(r"^roundledger_disk_free_bytes (\S+)$", client.get("/metrics").text, re.MULTILINE)
        assert shown is not None
        assert float(shown[1]) == 1 << 20
        filling.unlink()
        assert client.post("/v1/tables/t2/sessions", json=SESSION).status_code == 201
        assert client.get("/readyz").status_code == 200


def test_a_command_says_so_in_a_sentence(url: str, tmp_path: Path):
    file = tmp_path / "rounds.jsonl"
    file.write_text('{"round": "r-cli", "table": "t-cli", "ruleset": "uth-house", "actions": []}\n', encoding="utf-8")
    full = {"ROUNDLEDGER_DISK_FOLDER": str(tmp_path), "ROUNDLEDGER_DISK_RESERVE_MIB": str(1 << 40)}
    done = CliRunner().invoke(app, ["record", str(file), "--database-url", url], env=full)
    assert done.exit_code == 2
    assert "roundledger: The database's disk is nearly full" in done.stderr
    assert "Traceback" not in done.stderr
    assert CliRunner().invoke(app, ["record", str(file), "--database-url", url]).exit_code == 0

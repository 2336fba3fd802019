"""The commands as somebody types them: log, evidence, verify and witness, with their exit codes and words."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from api.cli.main import app
from tests.api.processes import environment
from tests.sealed_ledger import SEED, log_of, record_rounds

COMMAND = Path(sys.executable).with_name("roundledger")
ROUND = f"uth-casino-club-s{SEED}-t1-000001"
Run = Callable[..., Result]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """An empty folder to run commands in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def url(copy: Callable[[], str]) -> str:
    """Of a copy of the sealed ledger."""
    return copy()


@pytest.fixture
def run(tmp_path: Path, keys: Path, url: str, work: Path) -> Run:
    """On that ledger, with its key."""
    own = tmp_path / "keys"
    shutil.copytree(keys, own)
    given = {"ROUNDLEDGER_DATABASE_URL": url, "ROUNDLEDGER_LOG_KEYS": str(own)}

    def run(*arguments: str) -> Result:
        with chdir(work):
            return CliRunner().invoke(app, arguments, env=given)

    return run


def test_evidence_of_a_round_and_its_verification(run: Run, work: Path):
    made = run("evidence", ROUND)
    assert (made.exit_code, made.stdout) == (0, f"{ROUND}.zip\n"), made.stderr
    bundle, key = work / f"{ROUND}.zip", run("log", "key", "show").stdout.strip()
    checked = run("verify", bundle.name, "--key", key)
    assert checked.exit_code == 0, checked.stdout
    assert "The bundle holds." in checked.stdout
    assert "NOT TRUSTED" not in checked.stdout
    assert "NOT TRUSTED YET" in run("verify", bundle.name).stdout
    first = bundle.read_bytes()
    assert run("evidence", ROUND).exit_code == 0
    assert bundle.read_bytes() == first, "the same input gives the same bytes"
    bundle.write_bytes(first[:50_000] + bytes([first[50_000] ^ 1]) + first[50_001:])
    changed = run("verify", bundle.name, "--key", key)
    assert changed.exit_code == 1
    assert changed.stdout.startswith("WRONG  ")
    bundle.write_bytes(b"X" + first[1:])
    assert run("verify", bundle.name).exit_code == 1, "a damaged bundle is one still"
    bundle.write_bytes(b"Dear Sir")
    letter = run("verify", bundle.name)
    assert (letter.exit_code, letter.stdout) == (2, "")
    assert "is not a zip, and so not an evidence bundle" in letter.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("evidence", "no-such-round"), "There is no round no-such-round"),
        (("verify", "nowhere.zip"), "nowhere.zip cannot be read"),
        (("verify", "nowhere.zip", "--key", "nonsense"), "cannot be read"),
        (("log", "checkpoint", "--since", "999999"), "fewer than 999999"),
        (("log", "key", "create"), "already has a key"),
        (("log", "key", "rotate", "--lost"), "it is not lost"),
        (("witness", "nowhere"), "nowhere cannot be read"),
        (("witness", "http://127.0.0.1:9"), "does not answer"),
        (("evidence", ROUND, "--checkpoint", "nowhere"), "nowhere cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(run: Run, arguments: tuple[str, ...], says: str):
    done = run(*arguments)
    assert done.exit_code == 2
    assert says in done.stderr


def test_sealing_rotating_and_a_witness_that_looks_on(run: Run, url: str, work: Path):
    (work / "first").write_text(run("log", "checkpoint").stdout)
    keys = run("log", "key", "show").stdout.strip()
    assert run("witness", "first").exit_code == 1, "it knows no key"
    seen = run("witness", "first", "--key", keys)
    assert seen.exit_code == 0, seen.stderr
    assert len(re.findall("^— ", seen.stdout, re.MULTILINE)) == 2

    record_rounds(url, "uth-house", 1)
    sealed = run("log", "seal", "--once")
    assert sealed.exit_code == 0
    assert "events sealed" in sealed.stderr
    assert "Ctrl-C" not in sealed.stderr, "it has ended"
    rotated = run("log", "key", "rotate")
    assert rotated.stdout.strip() not in keys
    assert run("log", "key", "show").stdout.splitlines() == [rotated.stdout.strip(), keys]
    assert run("log", "key", "show", "--pem").stdout.startswith("-----BEGIN PUBLIC KEY-----")

    (work / "second").write_text(run("log", "checkpoint").stdout)
    unproved = run("witness", "second")
    assert (unproved.exit_code, "unproved" in unproved.stderr) == (1, True)
    size = (work / "first").read_text().splitlines()[1]
    (work / "proof").write_text(run("log", "checkpoint", "--since", size).stdout)
    assert run("witness", "second", "--proof", "proof").exit_code == 0
    shorter = run("witness", "first")
    assert (shorter.exit_code, "refused: shorter" in shorter.stderr) == (1, True)

    (work / "cosigned").write_text(run("witness", "second").stdout)
    assert run("evidence", ROUND, "--checkpoint", "cosigned").exit_code == 0
    assert run("verify", f"{ROUND}.zip", "--checkpoint", "cosigned", "--key", keys).exit_code == 0


def test_a_bundle_verifies_without_a_database_or_a_home(run: Run, work: Path):
    """As on a machine that has only the program: no address, no data folder, nothing to write to."""
    assert run("evidence", ROUND).exit_code == 0
    nowhere = {"ROUNDLEDGER_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none", "HOME": "/nonexistent"}
    command = [str(COMMAND), "verify", f"{ROUND}.zip"]
    assert subprocess.run(command, cwd=work, env=environment(**nowhere), capture_output=True).returncode == 0


def test_the_log_of_a_ledger_without_events(new_ledger: Callable[[], str], tmp_path: Path):
    url = new_ledger()

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(
            app, arguments, env={"ROUNDLEDGER_DATABASE_URL": url, "ROUNDLEDGER_LOG_KEYS": str(tmp_path)}
        )

    assert "nothing has been sealed yet" in run("log", "checkpoint").stderr
    assert run("log", "key", "create", "--origin", "casino.example/floor").stdout.startswith("casino.example/floor+")
    assert run("log", "seal", "--once").exit_code == 0
    assert run("log", "checkpoint").exit_code == 2
    with log_of(url) as log:
        assert log.size() == 0

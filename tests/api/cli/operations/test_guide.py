"""The commands of docs/operations.md, run as they are there, on folders of the test's own."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from infra.embedded import as_service, embedded_postgres
from infra.schema.migrator import migrate
from tests.sealed_ledger import record_rounds, seal
from tests.test_documented_commands import commands_in

# Which need a second server, an older one or a lost log: the tests that run them.
ELSEWHERE = {
    "standby": "tests/infra/standby/failover.py and test_standby.py",
    "serve": "tests/infra/standby/failover.py",
    "upgrade": "tests/infra/embedded/test_major_upgrade.py",
    "log succeed": "tests/api/cli/operations/test_backup.py",
    "restore --to-time": "tests/infra/backup/test_backup.py",
}
FOLLOW = [sys.executable, "-c", "from api.cli.main import main; main()"]


def elsewhere(words: list[str]) -> bool:
    return any(set(name.split()) <= set(words) for name in ELSEWHERE)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A ledger with sealed rounds, which commands use by default."""
    for name in [name for name in os.environ if name.startswith("ROUNDLEDGER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ROUNDLEDGER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ROUNDLEDGER_BACKUP_PASSPHRASE", "a long passphrase")
    with embedded_postgres(tmp_path / "data") as admin:
        migrate(admin)
        (round_id,) = record_rounds(as_service(admin), "uth-house", 1)
        seal(as_service(admin), tmp_path / "data" / "keys")
        (tmp_path / "round").write_text(round_id)
        yield tmp_path


def follow(words: list[str], wal: Path) -> None:
    """Until something is received; then it is interrupted, as by Ctrl-C."""
    with subprocess.Popen([*FOLLOW, *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        while process.poll() is None and not list(wal.glob("*.partial")):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 0, said
    assert "receiving the write-ahead log until Ctrl-C" in said


def test_every_command_of_the_guide_works(home: Path, project_root: Path):
    guide = (project_root / "docs" / "operations.md").read_text(encoding="utf-8")
    commands = list(commands_in(guide))
    places = {"/backups": str(home / "backups"), "/srv/roundledger": str(home / "restored")}
    places["r-0001"] = (home / "round").read_text()
    ran = 0
    for words in commands:
        if elsewhere(words):
            continue
        own = [places.get(word, word) for word in words]
        if "--follow" in own:
            follow(own, home / "backups" / "wal")
        else:
            done = CliRunner().invoke(app, own)
            assert done.exit_code == 0, f"{shlex.join(own)}: {done.output}"
        ran += 1
    assert ran == sum(not elsewhere(words) for words in commands) == 15
    for name in ELSEWHERE:
        assert any(set(name.split()) <= set(words) for words in commands), f"the guide no longer has {name}"

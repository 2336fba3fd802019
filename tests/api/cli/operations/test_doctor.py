"""`roundledger doctor`: each thing that is wrong is named, with what to do about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner, Result

from api.cli.main import app
from infra.embedded import as_service, embedded_postgres
from infra.health import machine_checks
from infra.health.disk_space import DiskReserve
from infra.schema.migrator import migrate
from tests.api.service import of_service
from tests.databases import new_database
from tests.sealed_ledger import log_of, record_rounds, seal

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in ("DATABASE_URL", "DATA_DIR", "LOG_KEYS", "BACKUP_FOLDER", "DISK_FOLDER"):
        monkeypatch.delenv(f"ROUNDLEDGER_{name}", raising=False)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an embedded ledger in `data`, a backup of it in `backups`, all in order."""
    home = tmp_path_factory.mktemp("installation")
    with embedded_postgres(home / "data") as admin:
        migrate(admin)
        record_rounds(as_service(admin), "uth-house", 3)
        seal(as_service(admin), home / "data" / "keys")
        for command in (["rebuild"], ["audit"], ["backup", str(home / "backups"), "--without-keys"]):
            done = CliRunner().invoke(app, [*command, "--data-dir", str(home / "data")])
            assert done.exit_code == 0, done.output
    return home


@pytest.fixture
def sealed(url: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a database with rounds that are sealed; its key is in `keys`."""
    monkeypatch.setenv("ROUNDLEDGER_LOG_KEYS", str(tmp_path / "keys"))
    record_rounds(of_service(url), "uth-house", 3)
    seal(of_service(url), tmp_path / "keys")
    return url


def checks(done: Result) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_an_installation_in_order(home: Path, run: Run):
    done = run("doctor", "--json", "--data-dir", home / "data", "--backups", home / "backups")
    assert done.exit_code == 0, done.output
    assert {name for name, check in checks(done).items() if check["state"] != "ok"} == {"backup"}
    assert "on the same disk as the database" in checks(done)["backup"]["found"]
    names = {"programs", "data folder", "disk", "backup", "migrations", "server", "schema and rights", "login", "clock"}
    assert names | {"newest events", "sealing", "standby", "audit", "log key", "reports"} <= checks(done).keys()


def test_for_people_it_says_the_same(home: Path, run: Run):
    done = run("doctor", "--data-dir", home / "data")
    assert done.exit_code == 0
    assert "No folder of backups is known." in done.stdout
    assert "Set ROUNDLEDGER_BACKUP_FOLDER." in done.stdout


def test_a_folder_that_does_not_exist_is_not_made(run: Run, tmp_path: Path):
    done = run("doctor", "--json", "--data-dir", tmp_path / "none")
    assert done.exit_code == 1
    assert checks(done)["data folder"]["state"] == "fault"
    assert not (tmp_path / "none").exists()


def test_a_database_that_is_open_to_others(home: Path, run: Run):
    (home / "data" / "pgdata").chmod(0o777)
    try:
        done = run("doctor", "--json", "--data-dir", home / "data")
    finally:
        (home / "data" / "pgdata").chmod(0o700)
    assert done.exit_code == 1
    assert "open to other users" in checks(done)["data folder"]["found"]


def test_a_database_that_does_not_answer(run: Run):
    done = run("doctor", "--json", "--database-url", "postgresql://127.0.0.1:1/none")
    assert done.exit_code == 1
    assert "does not answer" in checks(done)["database"]["found"]


def test_a_database_without_migrations(server_url: str, run: Run):
    with new_database(server_url) as empty:
        done = run("doctor", "--json", "--database-url", empty)
    assert done.exit_code == 1
    assert checks(done)["migrations"]["advice"] == "Run `roundledger migrate`."


def test_an_event_that_was_changed(sealed: str, run: Run):
    with psycopg.connect(sealed, autocommit=True) as administrator:
        administrator.execute("ALTER TABLE roundledger.events DISABLE TRIGGER events_stay")
        administrator.execute("UPDATE roundledger.events SET state = state || ' ' WHERE position = 5")
        administrator.execute("ALTER TABLE roundledger.events ENABLE ALWAYS TRIGGER events_stay")
    done = run("doctor", "--json", "--database-url", of_service(sealed))
    assert done.exit_code == 1
    assert "position 5 is not as it was sealed" in checks(done)["newest events"]["found"]


def test_a_trigger_that_is_off_and_a_right_that_was_granted(sealed: str, run: Run):
    with psycopg.connect(sealed, autocommit=True) as administrator:
        administrator.execute("ALTER TABLE roundledger.events DISABLE TRIGGER events_stay")
        administrator.execute("GRANT DELETE ON roundledger.events TO roundledger_service")
    done = run("doctor", "--json", "--database-url", of_service(sealed))
    assert done.exit_code == 1
    assert "events_stay" in checks(done)["schema and rights"]["found"]


def test_a_login_that_could_change_the_record_is_a_warning(sealed: str, run: Run):
    done = run("doctor", "--json", "--database-url", sealed)
    assert checks(done)["login"]["state"] == "warning"


def test_somebody_with_roles_that_must_not_be_combined(sealed: str, run: Run):
    with psycopg.connect(sealed, autocommit=True) as administrator:
        administrator.execute(
            "INSERT INTO roundledger.people (staff_id, name, parts, password) VALUES ('eve', 'Eve', %s, '')",
            [["admin", "cage"]],
        )
    done = run("doctor", "--json", "--database-url", of_service(sealed))
    assert done.exit_code == 1
    assert "eve: Nobody has both admin and cage" in checks(done)["separation of roles"]["found"]


def test_keys(sealed: str, run: Run, tmp_path: Path):
    with log_of(of_service(sealed)) as log:
        log_id = log.log_id()
    file = tmp_path / "keys" / f"log-{log_id.hex[:12]}.key"
    file.chmod(0o644)
    assert "can be read by people other than its owner" in _key_check(run, sealed)["found"]
    file.chmod(0o600)
    assert _key_check(run, sealed)["state"] == "ok"
    file.rename(tmp_path / "put-aside")
    assert "is not at" in _key_check(run, sealed)["found"]


def _key_check(run: Run, url: str) -> dict[str, Any]:
    return checks(run("doctor", "--json", "--database-url", of_service(url)))["log key"]


def test_secret_files(tmp_path: Path):
    closed, open_ = tmp_path / "closed", tmp_path / "open"
    for file, mode in ((closed, 0o600), (open_, 0o644)):
        file.write_text("a secret")
        file.chmod(mode)
    found = list(machine_checks.secret_files([closed, open_, tmp_path / "none"]))
    assert [check.state for check in found] == ["ok", "fault", "fault"]


def test_old_backups(home: Path, tmp_path: Path):
    now = datetime.now(UTC)
    for later, state in ((0, "ok"), (30, "warning"), (24 * 8, "fault")):
        assert machine_checks.backup(home / "backups", now=now + timedelta(hours=later)).state == state
    assert machine_checks.backup(home / "backups", Path("/proc"), now).state == "ok", "another disk"
    assert machine_checks.backup(tmp_path).found == f"There is no backup in {tmp_path}."


def test_the_disk(tmp_path: Path):
    for free, state in ((4000, "ok"), (3999, "warning"), (999, "fault")):
        assert machine_checks.disk(DiskReserve(tmp_path, 1000, free_bytes={tmp_path: free}.__getitem__)).state == state
    assert machine_checks.disk(DiskReserve(tmp_path / "none", 1000)).state == "fault"


def test_a_standby_that_is_waited_for_and_away(sealed: str, run: Run):
    from infra.health import database_checks

    class Told:
        """A server whose commits wait for somebody."""

        def rows(self, *_: Any) -> list[tuple[Any, ...]]:
            return [(180000, "18", True, False, "standby", self.connected, self.idle)]

        connected = 0
        idle: tuple[str, ...] = ()

    told: Any = Told()
    assert database_checks.replication(told).state == "fault"
    told.connected = 1
    assert database_checks.replication(told).state == "ok"
    told.idle = ("roundledger_backup", "other")
    idle = database_checks.replication(told)
    assert "roundledger_backup and other" in idle.found
    assert idle.advice is not None
    assert idle.advice.endswith("full: `roundledger backup unfollow` and drop the slot other.")
    told.idle = ("standby",)  # somebody else is connected
    assert database_checks.replication(told).state == "fault"

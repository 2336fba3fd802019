"""`backup`, `restore` and `log succeed` as an operator types them, with their exit codes and words."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from typer.testing import CliRunner, Result

from api.cli.main import app
from domain.books.cash import BoughtIn
from infra.access.callers import Caller
from infra.access.saved_searches import SavedSearches
from infra.access.staff import StaffMember
from infra.backup import create
from infra.backup.backup_folder import BackupFolder
from infra.backup.published_log import write_note
from infra.embedded import as_service, embedded_postgres
from infra.ledger.books.cash import move_cash, name_patron
from infra.ledger.books.slips import Slips
from infra.ledger.ledger import Actor, Ledger
from infra.log.checkpoints import sign
from infra.log.keys import new_signer
from infra.log.sealer import Sealer
from infra.log.succession import Succession
from infra.schema.migrator import migrate
from tests.databases import PATIENCE_SECONDS
from tests.sealed_ledger import AT_MS, SEED, log_of, record_rounds, seal

TABLE = f"uth-house-s{SEED}-t1"
PASSPHRASE = "a long passphrase"
COMMAND = [sys.executable, "-c", "from api.cli.main import main; main()"]
Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in ("ROUNDLEDGER_DATABASE_URL", "ROUNDLEDGER_DATA_DIR", "ROUNDLEDGER_LOG_KEYS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROUNDLEDGER_BACKUP_PASSPHRASE", PASSPHRASE)

    def invoke(*arguments: object, passwords: tuple[str, ...] = ()) -> Result:
        typed = "".join(f"{password}\n" for password in passwords)
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=typed)

    return invoke


def checks(done: Result) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def register(data: Path, people: dict[str, str]) -> None:
    """Put people on the staff register, each with one role and a password of their own."""
    with embedded_postgres(data) as admin, closing(Ledger(as_service(admin))) as ledger:
        for staff_id, role in people.items():
            ledger.staff.add(StaffMember(staff_id, staff_id, (role,)), PASSPHRASE, staff_id)


def keep_books(url: str, table: str) -> None:
    """What a ledger has besides rounds: a slip, cash, a description of a patron, a saved search."""
    with closing(Ledger(url)) as ledger:
        who = Actor("cage-1", AT_MS + 86_400_000)
        Slips(ledger).request("fill", table, {100_00: 20}, who)
        move_cash(ledger, BoughtIn("p-9", 9_000_00, "cash"), who)
        name_patron(ledger, "p-9", "Red hat", "cage-1")
        SavedSearches(ledger.database).save(Caller("aud-1", "auditor"), "Short", "shortfall=true", None)


def tables_of(data: Path) -> dict[str, Any]:
    """How many rows each table of the ledger has, and a hash of them; without who connected."""
    with embedded_postgres(data) as admin, psycopg.connect(admin) as connection:
        names = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'roundledger'::regnamespace AND relkind = 'r'"
        ).fetchall()
        counts = "SELECT count(*), sum(hashtext(t::text)) FROM roundledger.{} t"
        rows = {name: connection.execute(counts.format(name).encode()).fetchone() for (name,) in names}
    return {name: counted for name, counted in rows.items() if name != "seal_sessions"}


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`backups` has two full backups of a ledger, `data` is that ledger, `key` the public key of its log."""
    home = tmp_path_factory.mktemp("operator")
    with embedded_postgres(home / "data") as admin, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROUNDLEDGER_BACKUP_PASSPHRASE", PASSPHRASE)
        migrate(admin)
        for rounds, name in ((3, "first"), (4, "second")):
            record_rounds(as_service(admin), "uth-house" if name == "first" else "tcp-casino-club", rounds)
            if name == "second":
                keep_books(as_service(admin), TABLE)
            seal(as_service(admin), home / "data" / "keys")
            with log_of(as_service(admin)) as log:
                latest = log.latest()
                assert latest is not None
                (home / name).write_text(latest.note)
                (home / "key").write_text(log.keys()[-1].text())
            made = CliRunner().invoke(app, ["backup", str(home / "backups"), "--data-dir", str(home / "data")])
            assert made.exit_code == 0, made.output
    return home


def test_keys_are_encrypted_or_left_out_but_never_forgotten(
    backed_up: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("ROUNDLEDGER_BACKUP_PASSPHRASE")
    refused = run("backup", tmp_path, "--data-dir", backed_up / "data")
    assert refused.exit_code == 2
    assert "give --passphrase-file FILE to encrypt them, or --without-keys" in refused.output
    made = run("backup", tmp_path / "b", "--data-dir", backed_up / "data", "--without-keys")
    assert made.exit_code == 0, made.output
    assert "keys left out" in made.output


def test_backups_are_listed_and_verified(backed_up: Path, run: Run):
    lines = run("backup", "list", backed_up / "backups").output.splitlines()
    assert [line.split(": ")[1].split(",")[0] for line in lines] == ["full", "full"]
    listed = [json.loads(line) for line in run("backup", "list", backed_up / "backups", "--json").output.splitlines()]
    assert listed[0]["log"]["checkpoint"] == (backed_up / "first").read_text()
    verified = run("backup", "verify", backed_up / "backups", "--all")
    assert (verified.exit_code, verified.output) == (0, "Complete and unchanged: 2 backups.\n")


def test_a_folder_without_backups_and_one_without_a_ledger_explain_themselves(run: Run, tmp_path: Path):
    for command in (["list"], ["verify"], ["verify", "--all"]):
        empty = run("backup", *command, tmp_path / "none")
        assert (empty.exit_code, "here is no backup in" in empty.output) == (1, True)
    for arguments in (["backup", tmp_path / "backups"], ["housekeeping"], ["backup", "unfollow"]):
        refused = run(*arguments, "--data-dir", tmp_path / "none")
        assert (refused.exit_code, "there is no ledger in" in refused.output) == (2, True)
    assert not (tmp_path / "none").exists()


def test_where_a_backup_cannot_go_is_said_before_anything_is_made(backed_up: Path, run: Run, tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    inside = backed_up / "data" / "pgdata" / "backups"
    for target, options, why in (
        (inside, (), "is in the ledger's own folder"),
        (tmp_path / "file", (), "is a file. Name a folder."),
        (tmp_path / "new", ("--incremental",), "Take a full one first, without --incremental."),
    ):
        refused = run("backup", target, *options, "--data-dir", backed_up / "data")
        assert (refused.exit_code, why in refused.output) == (2, True), refused.output
    assert not inside.exists()


def test_a_damaged_manifest_does_not_hide_the_other_backups(backed_up: Path, run: Run, tmp_path: Path):
    older, newer = (backup.folder for backup in BackupFolder(backed_up / "backups").backups())
    shutil.copytree(newer, tmp_path / "backups" / newer.name)
    (tmp_path / "backups" / older.name).mkdir()
    (tmp_path / "backups" / older.name / "manifest.json").write_text("{")
    aside = f"The manifest of {older.name} cannot be read. Move it to another folder to use the other backups."
    listed = run("backup", "list", tmp_path / "backups")
    assert (listed.exit_code, aside in listed.output, f"{newer.name}: full" in listed.output) == (1, True, True)
    assert aside in run("restore", tmp_path / "backups", "--into", tmp_path / "data").output
    (tmp_path / "backups" / older.name).rename(tmp_path / older.name)
    assert run("backup", "verify", tmp_path / "backups").exit_code == 0


def until(connection: psycopg.Connection, condition: LiteralString) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while connection.execute(condition).fetchone() is None:
        assert time.monotonic() < deadline, condition
        time.sleep(0.05)


def test_one_receiver_at_a_time_and_none_outlives_its_command(
    backed_up: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    at = ("--data-dir", backed_up / "data")
    words = [*COMMAND, "backup", tmp_path / "first", "--follow", *at]
    with embedded_postgres(backed_up / "data") as admin, psycopg.connect(admin, autocommit=True) as connection:
        first = subprocess.Popen([str(word) for word in words], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            until(connection, "SELECT 1 FROM pg_replication_slots WHERE active")
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'roundledger_backup'")
            connection.execute("SELECT pg_reload_conf()")
            until(connection, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
            monkeypatch.setattr(create, "RECEIVER_ENDS_SECONDS", 0.0)
            second = run("backup", tmp_path / "second", "--follow", *at)
            assert (second.exit_code, "Another `backup --follow` is receiving" in second.output) == (2, True)
            assert not (tmp_path / "second").exists()
        finally:
            first.kill()
            first.wait()
        until(connection, "SELECT 1 FROM pg_replication_slots WHERE NOT active")
        said = run("hold", "list", *at).output
        assert "commits wait for roundledger_backup, which is away: nothing is stored until it is back" in said
        connection.execute("ALTER SYSTEM RESET synchronous_standby_names")
        connection.execute("SELECT pg_reload_conf()")
        given_up = run("backup", "unfollow", *at)
        assert given_up.output == "The server keeps nothing for `backup --follow` any more.\n"
        assert run("backup", "unfollow", *at).output == "The server keeps nothing.\n"


def test_a_damaged_backup_is_named_and_not_restored(backed_up: Path, run: Run, tmp_path: Path):
    shutil.copytree(backed_up / "backups", tmp_path / "backups")
    newest = max(path for path in (tmp_path / "backups").iterdir() if path.is_dir())
    (newest / "data" / "PG_VERSION").write_text("17\n")
    verified = run("backup", "verify", tmp_path / "backups")
    assert verified.exit_code == 1
    assert f"{newest.name}: data/PG_VERSION is not as it was written." in verified.output
    restored = run("restore", tmp_path / "backups", "--into", tmp_path / "data")
    assert restored.exit_code == 2
    assert "The backup is damaged." in restored.output
    assert not (tmp_path / "data").exists()


def test_what_is_restored_is_audited_and_goes_on(backed_up: Path, run: Run, tmp_path: Path):
    restored = run("restore", backed_up / "backups", "--into", tmp_path / "data")
    assert restored.exit_code == 0, restored.output
    assert "Audit: 7 rounds, 0 findings." in restored.output
    assert "What was published after the backup is not known here." in restored.output
    tables = tables_of(backed_up / "data")
    assert tables_of(tmp_path / "data") == tables
    assert {"patron_names", "saved_searches", "sealed_cards"} <= {name for name, (rows, _) in tables.items() if rows}
    sealed = run("log", "seal", "--once", "--data-dir", tmp_path / "data")
    assert sealed.exit_code == 0, sealed.output


@pytest.mark.parametrize("keys_kept", [True, False])
def test_a_log_that_lost_published_events_continues_under_a_new_name(
    backed_up: Path, run: Run, tmp_path: Path, keys_kept: bool
):
    # a witness has seen the log at its first size
    witness, data = tmp_path / "witness", tmp_path / "data"
    seen = run("witness", backed_up / "first", "--folder", witness, "--key", backed_up / "key")
    assert seen.exit_code == 0, seen.output
    first_size, second_size = (int((backed_up / name).read_text().splitlines()[1]) for name in ("first", "second"))

    # the newer backup is gone; only its checkpoint is known, from the witness
    older = tmp_path / "backups"
    first, second = BackupFolder(backed_up / "backups").backups()
    shutil.copytree(first.folder, older / "full")
    if keys_kept:  # the receiver of the log noted it
        (older / "wal").mkdir()
        write_note(older / "wal", second.manifest.log)
        options: tuple[str | Path, ...] = ()
        assert second.manifest.log.sealed_at is not None
        at = f" at {second.manifest.log.sealed_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    else:
        options, at = ("--without-keys", "--checkpoint", backed_up / "second"), ""
    restored = run("restore", older, "--into", data, *options)
    assert restored.exit_code == 0, restored.output
    last = f"the last one recorded at {first.manifest.last_recorded_at:%Y-%m-%d %H:%M:%S} UTC"
    assert (
        f"A checkpoint of {second_size:,} events was published{at}, and {first_size:,} were restored, {last}: "
        f"{second_size - first_size:,} are missing." in restored.output
    )
    assert "is not known here" not in restored.output
    assert ("The log's private key is not here: it was not to be restored." in restored.output) is not keys_kept

    # nothing is signed under the old name
    with embedded_postgres(data) as admin:
        record_rounds(as_service(admin), "uth-bgc", 1)
    refused = run("log", "seal", "--once", "--data-dir", data)
    assert refused.exit_code == 2
    assert "a checkpoint of" in refused.output
    assert checks(run("doctor", "--json", "--data-dir", data))["sealing"]["state"] == "fault"
    said = ("log", "succeed", "--reason", "The disk failed.", "--by", "ops-1", "--data-dir", data)
    alone = run(*said, "--second", "ops-1")
    assert (alone.exit_code, "Two different people" in alone.output) == (2, True)

    # two people continue it, on the record; they prove who they are if there is a staff register
    if keys_kept:
        register(data, {"ops-1": "admin", "ops-2": "auditor", "ops-3": "floor"})
        for second_person, passwords, refusal in (
            ("ops-2", (PASSPHRASE, "not the password"), "ops-2 has to sign, too"),
            ("ops-2", ("not the password", PASSPHRASE), "ops-1 has to sign, too"),
            ("ops-3", (PASSPHRASE, PASSPHRASE), "ops-3 needs the role"),
            ("ops-1", (PASSPHRASE, PASSPHRASE), "Two different people are needed."),
        ):
            refused = run(*said, "--second", second_person, "--password-stdin", passwords=passwords)
            assert (refused.exit_code, refusal) == (2, refusal if refusal in refused.output else refused.output)
    said_by_both = (*said, "--second", "ops-2", *(["--password-stdin"] if keys_kept else []))
    passwords = (PASSPHRASE, PASSPHRASE)
    continued = run(*said_by_both, passwords=passwords)
    assert continued.exit_code == 0, continued.output
    new_key = continued.output.strip()
    assert "/succession-1+" in new_key
    again = run(*said_by_both, passwords=passwords)
    assert (again.exit_code, "lacks nothing" in again.output) == (2, True)
    with embedded_postgres(data) as admin:
        record_rounds(as_service(admin), "uth-sd", 1)
        assert seal(as_service(admin), data / "keys") > 0
    # the last name's longer checkpoint is no fork: an audit says what happened, a checkpoint that was reached agrees
    audited = run("audit", "--data-dir", data, "--processes", 1, "--checkpoint", backed_up / "first")
    assert audited.exit_code == 0, audited.output
    audited = run("audit", "--data-dir", data, "--processes", 1, "--checkpoint", backed_up / "second")
    words = " ".join(audited.output.split())
    assert f"restored with {first_size} and continued under the name" in words
    assert "The reason given: The disk failed." in words
    assert (audited.exit_code, "1 finding:" in words, "fork" in words) == (1, True, False)

    # the witness recognises the log by its key, and accepts the new name with the reason; else it needs the new key
    checkpoint, proof = tmp_path / "checkpoint", tmp_path / "proof"
    checkpoint.write_text(run("log", "checkpoint", "--data-dir", data).stdout)
    proof.write_text(run("log", "checkpoint", "--since", first_size, "--data-dir", data).stdout)
    look = ("witness", checkpoint, "--folder", witness, "--proof", proof)
    accepted = run(*look)
    if not keys_kept:
        assert (accepted.exit_code, "unknown_key" in accepted.output) == (1, True)
        accepted = run(*look, "--key", new_key)
    assert accepted.exit_code == 0, accepted.output
    lost = "of those that we saw, 0 are lost or no longer proven. The reason given: The disk failed."
    assert f"from {first_size} events; {lost}" in accepted.output

    # and from then on the new name is a log like any other
    with embedded_postgres(data) as admin:
        record_rounds(as_service(admin), "uth-casino-club", 1)
        with Sealer(as_service(admin), data / "keys") as sealer:
            size = sealer.size
            assert sealer.seal() > 0
    checkpoint.write_text(run("log", "checkpoint", "--data-dir", data).stdout)
    proof.write_text(run("log", "checkpoint", "--since", size, "--data-dir", data).stdout)
    later = run(*look)
    assert later.exit_code == 0, later.output


def test_a_false_succession_is_a_fork(backed_up: Path, run: Run, tmp_path: Path):
    """Somebody else's log that calls itself the successor is refused: its key is not the one that the witness knows."""
    assert run("witness", backed_up / "first", "--folder", tmp_path / "w", "--key", backed_up / "key").exit_code == 0
    origin, size = (backed_up / "first").read_text().splitlines()[:2]
    succession = Succession(origin, int(size), int(size) + 5, "None.")
    stranger = new_signer(succession.new_name)
    forged = sign(succession.new_name, int(size) + 1, bytes(32), [stranger], succession.lines())
    (tmp_path / "forged").write_text(forged.text())
    refused = run("witness", tmp_path / "forged", "--folder", tmp_path / "w")
    assert (refused.exit_code, "unknown_key" in refused.output) == (1, True)

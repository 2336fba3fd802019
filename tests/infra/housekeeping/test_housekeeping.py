"""Housekeeping: what has passed its retention goes, is recorded, and stays provable; nothing else can be removed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from typer.testing import CliRunner

from api.cli.main import app
from api.service.settings import Settings
from domain.audit.findings import Finding
from domain.errors import BadChoice, Conflict
from infra.access.sessions import Sessions
from infra.access.staff import Staff
from infra.housekeeping.holds import Holds, UnknownSubject
from infra.housekeeping.housekeeper import Housekeeping, Removed, tidy
from infra.housekeeping.retention import COVERED, LEAST_DAYS, Retention
from infra.ledger.audit_runs import AuditRuns
from infra.ledger.books.cash import erase_patron, name_patron
from infra.ledger.ledger import Ledger
from infra.log.sealer import Sealer
from infra.log.stored_log import LogReader
from infra.store.appender import Receipt
from infra.store.database import Database
from infra.trail.looks import Looks
from infra.trail.trail import Digests
from infra.trail.trail_audit import TrailAudit
from projections.audit.run import Audit
from tests.api.service import of_service
from tests.databases import migrated_database, new_database
from tests.tables_in_play import ACTOR, bank_round, new_table

SERVICE = "roundledger_service"
PASSWORD = "a long enough one"
YEARS_MS = 8 * 366 * 86_400_000
AGED = {
    "receipts": ("recorded_at",),
    "reads": ("read_at",),
    "sign_ins": ("tried_at",),
    "sessions": ("began_at", "seen_at", "ended_at"),
    "session_changes": ("changed_at",),
    "audits": ("started_at", "ended_at", "heard_at"),
    "log_checkpoints": ("sealed_at",),
}
ROUND = "r-old"


@pytest.fixture(scope="module")
def original(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A ledger with a trail of eight years ago under two digests, and another of today."""
    keys = tmp_path_factory.mktemp("keys")
    with migrated_database(server_url) as url:
        ledger = Ledger(url)
        try:
            Staff(ledger.database).add_admin("ada", "Ada", PASSWORD)
            table = new_table()
            ledger.record({**bank_round(table), "round": ROUND}, ACTOR)
            with Sealer(url, keys) as sealer:
                cookie = _leave(ledger, "old", sealer)
                _age(url)
                _digest(url, YEARS_MS)
                # In the same session: it is covered by two digests.
                Sessions(ledger.database).sign_out(cookie)
                _age(url)
                _digest(url, YEARS_MS - 3_600_000)
                _leave(ledger, "new", sealer)
        finally:
            ledger.close()
        _digest(url, 0)
        yield url


def _leave(ledger: Ledger, mark: str, sealer: Sealer) -> str:
    database = ledger.database
    for subject in (ROUND, f"r-{mark}-2"):
        Looks(database).record("oli", "auditor", "round", subject, f"q-{mark}")
    audits = AuditRuns(database)
    audits.start(f"a-{mark}", "oli", "{}")
    audits.add(f"a-{mark}", "finding", 1, ['{"kind": "line"}'])
    audits.add(f"a-{mark}", "note", 1, ['{"kind": "wording"}'])
    audits.end(f"a-{mark}", "done", "{}")
    for number in range(4):
        receipt = Receipt(f"{mark}-{number}", b"", json.dumps([201, f"r-{mark}-{number}", 1, None]).encode())
        ledger.record_round({**bank_round(new_table()), "round": f"r-{mark}-{number}"}, ACTOR, receipt)
        sealer.seal()
    return Sessions(database).sign_in("ada", PASSWORD, "10.0.0.1")


def _age(url: str) -> None:
    """What was not aged yet: all within one hour, eight years ago."""
    with psycopg.connect(url, autocommit=True) as administrator:
        administrator.execute("SET session_replication_role = replica")
        for table, columns in AGED.items():
            administrator.execute(f"ALTER TABLE roundledger.{table} DISABLE TRIGGER ALL".encode())
            for column in columns:
                aged = f"date_trunc('hour', {column} - interval '8 years') + interval '1 minute'"
                recent = f"{column} > now() - interval '1 day'"
                administrator.execute(f"UPDATE roundledger.{table} SET {column} = {aged} WHERE {recent}".encode())
            administrator.execute(f"ALTER TABLE roundledger.{table} ENABLE TRIGGER ALL".encode())
            rows = administrator.execute(
                "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal",
                [f"roundledger.{table}"],
            ).fetchall()
            for (name,) in rows:
                administrator.execute(f"ALTER TABLE roundledger.{table} ENABLE ALWAYS TRIGGER {name}".encode())


def _digest(url: str, ago_ms: int) -> None:
    with Digests(url) as digests:
        digests.take("oli", time.time_ns() // 1_000_000 - ago_ms)


@pytest.fixture
def url(server_url: str, original: str) -> Iterator[str]:
    with new_database(server_url, str(conninfo_to_dict(original)["dbname"])) as url:
        yield url


def findings(url: str) -> list[str]:
    """Of the trail, without what the test itself did to triggers when it set the clock back."""
    return [finding.what for finding in TrailAudit().findings(url) if finding.kind != "trigger"]


def tidied(url: str, retention: Retention | None = None) -> dict[str, int]:
    removed: dict[str, int] = {}
    for step in tidy(of_service(url), retention or Retention(), "ada"):
        removed[step.kind] = removed.get(step.kind, 0) + step.rows
    return removed


def rows(url: str, statement: str) -> list[Any]:
    with psycopg.connect(url, autocommit=True) as connection:
        return [row[0] for row in connection.execute(statement.encode()).fetchall()]


OLD_SIZES = "SELECT size FROM roundledger.log_checkpoints WHERE sealed_at < now() - interval '1 year' ORDER BY 1"
FOR_EVER = {
    *("events", "originators", "topics", "sealed_cards", "seal_sessions", "migrations", "property_names"),
    *("log_identity", "log_keys", "log_hashes", "log_named", "log_published", "removals", "holds"),
    *("people", "people_changes", "tokens", "revoked_tokens", "secrets", "secret_changes", "factor_demands"),
}
STATES = {
    "tracking",
    "token_uses",
    "devices",
    "proofs",
}  # a row for each of something that exists, or that ends by itself
BY_PEOPLE = {"patron_names", "proposition_names", "saved_searches"}


def test_of_every_table_it_is_decided_what_goes_and_when(project_root: Path):
    """A new table is put into one of the groups, and into the guide."""
    released = json.loads((project_root / "infra/schema/migrations/catalogue.json").read_text())
    tables = {
        name.removeprefix("table roundledger.")
        for name, kind in released["objects"].items()
        if name.startswith("table roundledger.") and kind.startswith("r ")
    }
    retained = {source.removeprefix("roundledger.") for sources in COVERED.values() for source in sources}
    assert tables == FOR_EVER | STATES | BY_PEOPLE | retained | {"receipts", "sessions"}
    deletable = {
        table for table in tables if "DELETE" in released["rights"].get(f"table roundledger.{table} to {SERVICE}", "")
    }
    assert deletable == BY_PEOPLE


ALL_OLD = {"receipts": 4, "looks": 2, "sign_ins": 2, "sessions": 2, "audits": 3, "checkpoints": 2}


def test_what_has_passed_its_retention_goes_and_the_audit_says_so(url: str):
    assert findings(url) == []
    assert tidied(url) == ALL_OLD
    assert findings(url) == []
    audit = TrailAudit()
    list(audit.findings(url))
    assert audit.removed == sum(ALL_OLD.values())
    assert rows(url, "SELECT DISTINCT request_id FROM roundledger.reads") == ["q-new"]
    assert rows(url, "SELECT audit_id FROM roundledger.audits") == ["a-new"]
    assert rows(url, "SELECT count(*) FROM roundledger.sessions") == [1]
    assert rows(url, "SELECT key FROM roundledger.receipts ORDER BY key") == [f"new-{number}" for number in range(4)]
    assert set(rows(url, "SELECT removed_by FROM roundledger.removals")) == {"ada"}
    assert tidied(url) == {}, "a second time there is nothing to remove"
    _digest(url, 0)
    assert findings(url) == [], "the removals are covered themselves"


def test_the_record_itself_is_untouched_and_audits_clean(url: str):
    def counts() -> list[Any]:
        tables = ("events", "originators", "topics", "sealed_cards", "log_hashes", "log_keys", "people_changes")
        return [rows(url, f"SELECT count(*) FROM roundledger.{table}") for table in tables]

    before = counts()
    tidied(url)
    assert counts() == before
    found: list[Finding] = []
    summary = Audit(url, processes=1, without=("projections",), report=found.append).run()
    assert [finding.what for finding in found if finding.kind != "trigger"] == []
    assert "rows have been removed by housekeeping, as recorded" in str(summary.checks)


def test_sizes_of_checkpoints_stay_and_notes_are_thinned_to_one_an_hour(url: str):
    before = rows(url, "SELECT size FROM roundledger.log_checkpoints ORDER BY number")
    old = rows(url, OLD_SIZES)
    tidied(url)
    assert rows(url, "SELECT size FROM roundledger.log_checkpoints ORDER BY number") == before
    thinned = rows(url, "SELECT size FROM roundledger.log_checkpoints WHERE note = '' ORDER BY number")
    assert thinned == old[1:-1], "the first, and the last of the hour, keep theirs"
    database = Database(of_service(url))
    try:
        LogReader(database).check_signed(*thinned)  # a witness proves from there
    finally:
        database.close()


def test_a_checkpoint_that_a_bundle_or_a_witness_has_named_keeps_its_note(url: str):
    old = rows(url, OLD_SIZES)
    database = Database(of_service(url))
    try:
        LogReader(database).name(old[1], "evidence of round r-1")
        LogReader(database).name(old[1], "once more")
    finally:
        database.close()
    assert tidied(url)["checkpoints"] == 1
    assert rows(url, "SELECT size FROM roundledger.log_checkpoints WHERE note = ''") == [old[2]]


def test_a_row_that_somebody_else_removed_stays_a_finding(url: str):
    tidied(url)
    with psycopg.connect(url, autocommit=True) as administrator:
        administrator.execute("ALTER TABLE roundledger.reads DISABLE TRIGGER ALL")
        administrator.execute("DELETE FROM roundledger.reads WHERE subject = 'r-old' AND request_id = 'q-new'")
    (found,) = findings(url)
    assert "of roundledger.reads is gone" in found


def test_a_row_that_comes_back_after_its_removal_is_a_finding(url: str):
    (number, *_) = rows(url, "SELECT read_id FROM roundledger.reads ORDER BY read_id")
    tidied(url)
    with psycopg.connect(url, autocommit=True) as administrator:
        administrator.execute(
            "INSERT INTO roundledger.reads (read_id, by, role, what, subject, request_id) "
            "OVERRIDING SYSTEM VALUE VALUES (%s, 'mia', 'floor', 'round', 'r-1', 'q')",
            [number],
        )
    (found,) = findings(url)
    assert "was put in" in found


def test_rows_that_were_changed_are_not_removed(url: str):
    with psycopg.connect(url, autocommit=True) as administrator:
        administrator.execute("ALTER TABLE roundledger.reads DISABLE TRIGGER ALL")
        administrator.execute(
            "UPDATE roundledger.reads SET by = 'nobody' WHERE request_id = 'q-old' AND subject = 'r-old'"
        )
        administrator.execute("ALTER TABLE roundledger.reads ENABLE TRIGGER ALL")
        administrator.execute("ALTER TABLE roundledger.reads ENABLE ALWAYS TRIGGER reads_stay")
        administrator.execute("ALTER TABLE roundledger.reads ENABLE ALWAYS TRIGGER reads_stay_long")
    assert "looks" not in tidied(url)
    (found,) = findings(url)
    assert "is not as it was recorded" in found


# ---- holds


def test_a_hold_keeps_what_is_about_its_round(url: str):
    ledger = Ledger(of_service(url))
    try:
        Holds(ledger).place("round", ROUND, "A claim is expected.", "ada")
        Holds(ledger).place("round", "r-old-1", "Another one.", "ada")
        removed = tidied(url)
        assert removed == {"receipts": 3, "looks": 1, "checkpoints": 2, "sign_ins": 2, "sessions": 2, "audits": 3}
        assert rows(url, "SELECT subject FROM roundledger.reads WHERE request_id = 'q-old'") == [ROUND]
        assert rows(url, "SELECT key FROM roundledger.receipts WHERE key LIKE 'old%'") == ["old-1"]
        assert findings(url) == []
        Holds(ledger).lift("round", ROUND, "It was settled.", "ada")
        assert tidied(url) == {"looks": 1}
        assert findings(url) == []
    finally:
        ledger.close()


def test_of_what_names_no_round_everything_since_the_held_one_stays(url: str):
    """As if the round had been played then, too."""
    with psycopg.connect(url, autocommit=True) as administrator:
        administrator.execute(
            "INSERT INTO roundledger.holds (kind, subject, held, since, reason, set_by) "
            "VALUES ('round', 'r-old', true, now() - interval '9 years', 'claim', 'ada')"
        )
    assert tidied(url).keys() == {"receipts", "looks", "checkpoints"}


def test_a_hold_is_placed_once_with_a_reason_and_on_what_exists(url: str):
    ledger = Ledger(of_service(url))
    try:
        holds = Holds(ledger)
        with pytest.raises(UnknownSubject):
            holds.place("dispute", "d-none", "why", "ada")
        with pytest.raises(BadChoice):
            holds.place("round", ROUND, "  ", "ada")
        with pytest.raises(Conflict):
            holds.lift("round", ROUND, "why", "ada")
        holds.place("round", ROUND, "why", "ada")
        with pytest.raises(Conflict):
            holds.place("round", ROUND, "why", "ada")
        assert [(hold.kind, hold.subject, hold.set_by) for hold in holds.in_force()] == [("round", ROUND, "ada")]

        # who took part keeps their name
        played = next(entry.event.bettor for entry in ledger.entries(ROUND) if hasattr(entry.event, "bettor"))
        for patron in (played, "somebody-else"):
            name_patron(ledger, patron, "Ann Example", "ada")
            name_patron(ledger, patron, "Ann Example", "ada")
        for change in (lambda: erase_patron(ledger, played), lambda: name_patron(ledger, played, "Ann", "ada")):
            with pytest.raises(Conflict, match=f"took part in round {ROUND}, which is under a legal hold"):
                change()
        with pytest.raises(Conflict, match="under a legal hold"):
            ledger.erase_name(played)
        erase_patron(ledger, "somebody-else")
        holds.lift("round", ROUND, "settled", "ada")
        erase_patron(ledger, played)
    finally:
        ledger.close()


# ---- what nobody can do


REFUSED = {
    "shorter than the least": "SELECT roundledger.remove_receipts(29, 10, 'eve')",
    "of events": "SELECT roundledger.remove_covered('roundledger.events', 1, '{1}', '{}', '', 9999, 'eve', 1)",
    "of people": "SELECT roundledger.remove_covered('roundledger.people_changes', 1, '{1}', '{}', '', 9999, 'eve', 1)",
    "with another digest": "SELECT roundledger.remove_covered("
    "'roundledger.reads', 1, '{1}', '{by}', '', 9999, 'eve', 1)",
    "of a row": "DELETE FROM roundledger.reads",
    "of a receipt": "DELETE FROM roundledger.receipts",
    "of a note": "UPDATE roundledger.log_checkpoints SET note = ''",
    "of a hold": "DELETE FROM roundledger.holds",
    "a removal of its own": "INSERT INTO roundledger.removals (removed_by, source, before, rows) "
    "VALUES ('eve', 'roundledger.reads', now(), 1)",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED.keys())
def test_the_service_cannot_remove(url: str, statement: str):
    refused = (psycopg.errors.InsufficientPrivilege, psycopg.errors.CheckViolation)
    with psycopg.connect(of_service(url), autocommit=True) as connection, pytest.raises(refused):
        connection.execute(statement.encode())


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM roundledger.reads WHERE request_id = 'q-new'",
        "DELETE FROM roundledger.receipts WHERE key LIKE 'old%'",
        "UPDATE roundledger.log_checkpoints SET note = '' WHERE sealed_at < now() - interval '1 year'",
    ],
)
def test_not_even_a_superuser_removes_what_is_not_recorded_as_removed(url: str, statement: str):
    refused = pytest.raises(psycopg.errors.DatabaseError, match="stays as it is")
    with psycopg.connect(url, autocommit=True) as administrator, refused:
        administrator.execute(statement.encode())


def test_nor_what_is_younger_than_its_least_retention(url: str):
    with psycopg.connect(url) as administrator:
        administrator.execute(
            "INSERT INTO roundledger.removals (removed_by, source, before, rows) "
            "VALUES ('eve', 'roundledger.reads', now(), 1)"
        )
        with pytest.raises(psycopg.errors.DatabaseError, match="stays as it is"):
            administrator.execute("DELETE FROM roundledger.reads WHERE request_id = 'q-new'")


def test_a_removal_before_its_time_is_a_finding(url: str):
    with psycopg.connect(url, autocommit=True) as administrator:
        administrator.execute(
            "INSERT INTO roundledger.removals "
            "(removed_by, source, before, rows, digest_version, left_digest, left_marks) "
            "VALUES ('eve', 'roundledger.reads', now(), 2, 3, sha256(''), '')"
        )
        administrator.execute("ALTER TABLE roundledger.reads DISABLE TRIGGER ALL")
        administrator.execute("DELETE FROM roundledger.reads WHERE request_id = 'q-new'")
    (found,) = findings(url)
    assert "before their retention had passed" in found


def test_settings_and_database_agree_on_the_least(url: str):
    for kind, days in LEAST_DAYS.items():
        for source in COVERED.get(kind, (f"roundledger.{kind}",)):
            assert rows(url, f"SELECT roundledger.least_retention('{source}')") == [days]
        least = Settings.model_fields[f"{kind}_days"].metadata[0].ge
        assert least == days
        assert Settings().retention().days(kind) == Retention().days(kind) >= days


# ---- who does it


def test_the_service_does_it_and_counts(url: str):
    counted: list[Removed] = []
    Housekeeping(of_service(url), Retention(), counted.append).look()
    assert sum(step.rows for step in counted) == sum(ALL_OLD.values())
    assert set(rows(url, "SELECT removed_by FROM roundledger.removals")) == {"roundledger"}


@pytest.fixture
def run(url: str) -> Callable[..., Any]:
    arguments = ["--database-url", of_service(url), "--by", "ada"]
    return lambda *command: CliRunner().invoke(app, [*command, *arguments[: 2 if "list" in command else 4]])


def test_by_command(run: Callable[..., Any], url: str, tmp_path: Path):
    done = run("housekeeping")
    assert done.exit_code == 0, done.output
    assert "receipts: 4 removed\n" in done.stdout
    assert "sign-ins: 2 removed\n" in done.stdout
    assert run("housekeeping").stdout == "Nothing has passed its retention.\n"


def test_holds_by_command(run: Callable[..., Any]):
    placed = run("hold", "place", "round", ROUND, "--reason", "A claim is expected.")
    assert placed.exit_code == 0, placed.output
    assert json.loads(placed.stdout)["subject"] == ROUND
    again = run("hold", "place", "round", ROUND, "--reason", "Once more.")
    assert (again.exit_code, again.stderr) == (2, f"roundledger: There is already a hold on round {ROUND}.\n")
    assert len(run("hold", "list").stdout.splitlines()) == 1
    assert run("hold", "lift", "round", ROUND, "--reason", "Settled.").exit_code == 0
    assert run("hold", "list").stdout == ""
    assert len(run("hold", "list", "--all").stdout.splitlines()) == 2

"""The trail is part of the record: what a superuser changes in it is found and named; so is a guard that was off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, LiteralString

import httpx
import jwt
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from typer.testing import CliRunner

from api.cli.main import app
from api.service.identity.tokens import make_token
from api.service.settings import Settings
from domain.audit.findings import Finding
from infra.access.factors import Factors
from infra.ledger.audit_runs import AuditRuns
from infra.ledger.ledger import Ledger
from infra.schema import catalogue as schema_catalogue
from infra.schema.catalogue import CatalogueAudit
from infra.store.database import Database
from infra.trail.looks import Looks
from infra.trail.trail import DUE_SECONDS, Digests, take_digest
from infra.trail.trail_digests import TrailDigests
from projections.audit.run import Audit
from tests.api.pages.conftest import serving
from tests.api.processes import PATIENCE_SECONDS
from tests.api.service import KEY, open_service, register_in, signature
from tests.databases import new_database
from tests.security import trails
from tests.security.trails import PASSWORD, audited, guard_off, superuser


def findings(url: str) -> list[Finding]:
    """Of what this is about: rounds and reports take most of an audit's time, and are spoilt elsewhere."""
    return trails.findings(url, ("rounds", "floor", "projections"))


@pytest.fixture
def url(server_url: str, covered_url: str) -> Iterator[str]:
    with new_database(server_url, str(conninfo_to_dict(covered_url)["dbname"])) as url:
        yield url


def test_nothing_is_found_where_nothing_was_touched(url: str):
    assert trails.findings(url) == []


# ---- digests


def test_a_digest_covers_what_came_since_the_last_one(url: str):
    database = Database(url)
    try:
        take_digest(url, "oli")
        Looks(database).record("oli", "auditor", "round", "r-9", "q-9")
        assert take_digest(url, "oli") == 1
        assert take_digest(url, "oli") == 0
    finally:
        database.close()
    assert findings(url) == []


def test_a_row_that_was_put_in_among_covered_ones_is_found(url: str):
    with superuser(url) as connection:
        connection.execute("SELECT setval('roundledger.reads_read_id_seq', 10)")
        database = Database(url)
        Looks(database).record("oli", "auditor", "round", "r-9", "q-9")
        database.close()
        take_digest(url, "oli")
        take_digest(url, "oli")  # the numbers between are given up
        connection.execute(
            "INSERT INTO roundledger.reads (read_id, by, role, what, subject, request_id) "
            "OVERRIDING SYSTEM VALUE VALUES (7, 'mia', 'floor', 'round', 'r-1', 'q')"
        )
    (found,) = findings(url)
    assert (found.kind, found.stream) == ("trail", "roundledger.reads/7")


def test_a_row_that_is_committed_late_is_covered_by_the_next_digest(url: str):
    """Its number was drawn before the digest, which could not see it yet."""
    statement: LiteralString = (
        "INSERT INTO roundledger.reads (by, role, what, subject, request_id) VALUES ('a', 'b', 'c', 'd', 'e')"
    )
    with psycopg.connect(url) as slow, superuser(url) as connection:
        slow.execute(statement)
        connection.execute(statement)
        take_digest(url, "oli")
        take_digest(url, "oli")
        slow.commit()
        assert findings(url) == []
        take_digest(url, "oli")
        assert findings(url) == []
        with guard_off(connection, "roundledger.reads"):
            connection.execute("DELETE FROM roundledger.reads WHERE read_id = 4")
    assert "roundledger.reads/4" in {finding.stream for finding in findings(url)}


def test_an_audit_that_runs_is_covered_once_it_has_ended(url: str):
    database = Database(url)
    try:
        audits = AuditRuns(database)
        take_digest(url, "oli")
        audits.start("a-2", "oli", "{}")
        assert take_digest(url, "oli") == 0
        audits.start("a-3", "oli", "{}", "command")
        audits.end("a-3", "done")
        assert take_digest(url, "oli") == 1
        audits.end("a-2", "stopped")
        assert take_digest(url, "oli") == 1
    finally:
        database.close()
    assert findings(url) == []


def test_a_digest_that_was_made_unreadable_is_found_and_the_next_one_covers_everything(url: str):
    with superuser(url) as connection, guard_off(connection, "roundledger.events"):
        connection.execute(
            "UPDATE roundledger.events SET state = 'x' WHERE position = (SELECT max(position) FROM roundledger.events)"
        )
    assert "trail" in kinds(findings(url))
    assert take_digest(url, "oli") > 10


def test_many_rows_are_covered_in_several_events(url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("infra.trail.trail.ROWS_AT_ONCE", 2)
    database = Database(url)
    try:
        take_digest(url, "oli")
        for number in range(5):
            Looks(database).record("oli", "auditor", "round", f"r-{number}", "q-9")
        assert take_digest(url, "oli") == 5
    finally:
        database.close()
    assert findings(url) == []


def test_the_service_takes_one_when_it_is_due(url: str):
    service = TrailDigests(url)
    with Digests(url) as digests:
        last = digests.last()
        assert last is not None
        service.look()
        assert digests.last() == last, "the last one is younger than an hour"
        assert digests.take_if_due("roundledger", last[1] + DUE_SECONDS * 1000)
        later = digests.last()
    assert later is not None
    assert later[0] == last[0] + 1


def test_an_audit_on_the_command_line_is_on_record(url: str):
    assert audited(url) == []
    with superuser(url) as connection:
        row = connection.execute(
            "SELECT started_by, place, state, findings FROM roundledger.audits ORDER BY number DESC LIMIT 1"
        ).fetchone()
    assert row == ("oli", "command", "done", 0)


# ---- the guard


def kinds(found: list[Finding]) -> set[str]:
    return {finding.kind for finding in found}


@pytest.mark.parametrize(
    ("statement", "kind", "name"),
    [
        ("ALTER TABLE roundledger.events DISABLE TRIGGER events_stay", "trigger", "events_stay"),
        ("ALTER TABLE roundledger.events ENABLE TRIGGER events_stay", "trigger", "events_stay"),
        ("DROP TRIGGER reads_stay ON roundledger.reads", "trigger", "reads_stay"),
        ("ALTER TABLE roundledger.sessions DISABLE TRIGGER ALL", "trigger", "of a constraint"),
        ("GRANT DELETE ON roundledger.events TO roundledger_service", "grant", "roundledger.events"),
        ("GRANT SELECT ON roundledger.sealed_cards TO roundledger_reader", "grant", "sealed_cards"),
        ("GRANT UPDATE (parts) ON roundledger.people TO PUBLIC", "grant", "people.parts"),
        ("GRANT CREATE ON SCHEMA roundledger TO roundledger_service", "grant", "schema roundledger"),
        ("GRANT EXECUTE ON FUNCTION roundledger.open_seals TO roundledger_reader", "grant", "open_seals"),
        ("REVOKE INSERT (finding) ON roundledger.audit_findings FROM roundledger_service", "grant", "audit_findings"),
        ("GRANT pg_write_all_data TO roundledger_service", "grant", "roundledger_service"),
        ("ALTER ROLE roundledger_reader SET search_path = elsewhere", "grant", "roundledger_reader"),
        (
            "CREATE OR REPLACE FUNCTION roundledger.refuse_change() RETURNS trigger LANGUAGE plpgsql "
            "AS 'BEGIN RETURN NULL; END'",
            "schema",
            "refuse_change",
        ),
        ("ALTER FUNCTION roundledger.open_seals SECURITY INVOKER", "schema", "open_seals"),
        ("ALTER FUNCTION roundledger.open_seals RESET search_path", "schema", "open_seals"),
        ("CREATE FUNCTION roundledger.more() RETURNS int LANGUAGE sql AS 'SELECT 1'", "schema", "more"),
        ("CREATE TABLE roundledger.more ()", "schema", "more"),
        ("ALTER TABLE roundledger.reads ADD COLUMN more text", "schema", "reads.more"),
        ("ALTER TABLE roundledger.reads ALTER COLUMN by DROP NOT NULL", "schema", "reads.by"),
        ("ALTER TABLE roundledger.events ALTER COLUMN recorded_at SET DEFAULT 'epoch'", "schema", "recorded_at"),
        (
            "ALTER TABLE roundledger.events DROP CONSTRAINT events_originator_originator_version_key",
            "schema",
            "events_originator",
        ),
        ("DROP INDEX roundledger.sign_ins_of", "schema", "sign_ins_of"),
        (
            "CREATE TRIGGER other BEFORE INSERT ON projections.hands EXECUTE FUNCTION roundledger.refuse_change()",
            "trigger",
            "projections.hands.other",
        ),
        ("CREATE VIEW projections.other AS SELECT 1", "schema", "projections.other"),
        ("CREATE POLICY other ON projections.hands USING (false)", "schema", "projections.hands.other"),
        ("CREATE RULE nothing AS ON DELETE TO roundledger.reads DO INSTEAD NOTHING", "schema", "nothing"),
        ("ALTER TABLE roundledger.reads OWNER TO roundledger_service", "schema", "roundledger.reads"),
        ("ALTER TABLE roundledger.reads ENABLE ROW LEVEL SECURITY", "schema", "roundledger.reads"),
        (
            "CREATE OR REPLACE VIEW roundledger.event_log AS SELECT position, recorded_at, "
            "NULL::uuid AS originator_id, originator_version, ''::text AS topic, '' COLLATE \"C\" AS state "
            "FROM roundledger.events",
            "schema",
            "event_log",
        ),
    ],
)
def test_a_change_of_the_schema_is_found_and_named(covered_url: str, statement: str, kind: str, name: str):
    with psycopg.connect(covered_url) as connection, connection.transaction(force_rollback=True):
        connection.execute(statement.encode())
        cursor: Any = connection.cursor()
        found = CatalogueAudit().differences(cursor)
        assert [finding for finding in found if finding.kind == kind and name in finding.what]


@pytest.mark.parametrize("digest_between", [False, True])
def test_a_trigger_that_was_off_and_is_on_again_is_found(url: str, digest_between: bool):
    take_digest(url, "oli")  # on this copy of the ledger
    with superuser(url) as connection, guard_off(connection, "roundledger.reads"):
        pass
    if digest_between:
        take_digest(url, "oli")
    found = [(finding.kind, finding.stream) for finding in findings(url)]
    names = ("reads_stay", "reads_stay_long")
    assert found == [("trigger", f"roundledger.reads.{name}") for name in names]


def test_reports_whose_position_was_taken_away_are_named(url: str):
    with superuser(url) as connection:
        connection.execute("DELETE FROM projections.positions WHERE name IN ('hands', 'journal')")
    (check,) = [check for check in Audit(url, processes=1).run().checks if check.name == "projections"]
    assert check.text.endswith("until they are rebuilt: hands, journal")


def test_a_copy_of_the_database_is_no_finding(server_url: str, url: str):
    take_digest(url, "oli")
    name = str(conninfo_to_dict(url)["dbname"])
    with new_database(server_url, name) as copy:
        summary = Audit(copy, processes=1, without=("projections",)).run()
        assert summary.clean
        assert "is a copy" in summary.checks[-1].text


def test_without_roles_it_says_that_rights_were_not_compared(url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(schema_catalogue, "ROLES", ("roundledger_service", "roundledger_nobody"))
    summary = Audit(url, processes=1, without=("projections",)).run()
    assert summary.clean
    assert "roles are missing" in summary.checks[-1].text


def test_the_catalogue_is_what_the_migrations_make(new_ledger: Callable[[], str]):
    """Where this fails after a migration was added: python -m infra.schema.catalogue"""
    with psycopg.connect(new_ledger(), autocommit=True) as connection:
        cursor: Any = connection.cursor()
        assert {
            "objects": schema_catalogue.objects(cursor),
            "rights": schema_catalogue.rights(cursor),
        } == schema_catalogue.expected()


# ---- tokens from the command line


@pytest.fixture
def command(url: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setenv("ROUNDLEDGER_DATABASE_URL", url)
    monkeypatch.setenv("ROUNDLEDGER_TOKEN_KEY", "a key for the tests, and long enough to be one")
    return lambda *arguments, given="": CliRunner().invoke(app, list(arguments), input=given)


@pytest.fixture
def typed(url: str) -> Callable[..., str]:
    """What ada and eve type, who are admins and so need a second factor: each a password and a recovery code."""
    with closing(Database(url)) as database:
        factors = Factors(database)
        if not factors.has_any("eve"):
            factors.add("eve", "passkey", "her key", b"public key", b"another handle")
        codes = {who: iter(factors.new_recovery_codes(who)) for who in ("ada", "eve")}
    return lambda second=PASSWORD: f"{PASSWORD}\n{next(codes['ada'])}\n{second}\n{next(codes['eve'])}\n"


def test_a_token_from_the_command_line_leaves_a_trace(url: str, command: Callable[..., Any], typed: Callable[..., str]):
    asked = ["token", "create", "--role", "auditor", "--for", "oli", "--days", "2"]
    alone = command(*asked, "--by", "m-1")
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert "two people sign this" in alone.stderr
    signed = ("--by", "ada", "--second", "eve", "--password-stdin")
    assert "eve has to sign, too" in command(*asked, *signed, given=typed("no password of hers")).stderr
    made = command(*asked, *signed, given=typed())
    assert made.exit_code == 0, made.output
    token_id = jwt.decode(made.stdout.split()[0], options={"verify_signature": False})["jti"]
    ledger = Ledger(url)
    try:
        changes = ledger.staff.changes(1)
    finally:
        ledger.close()
    assert [(one["by"], one["second"], one["staff_id"], one["change"]) for one in changes] == [
        ("ada", "eve", "oli", f"token {token_id}: auditor, 2 days")
    ]
    audited(url)
    with superuser(url) as connection, guard_off(connection, "roundledger.people_changes"):
        connection.execute("DELETE FROM roundledger.people_changes WHERE change LIKE 'token %auditor, 2 days'")
    assert [finding.kind for finding in findings(url) if str(finding.stream).startswith("roundledger.people_changes/")]


def test_a_token_that_its_holder_may_not_have_is_not_printed(command: Callable[..., Any], typed: Callable[..., str]):
    signed = ("--by", "ada", "--second", "eve", "--password-stdin")
    made = command("token", "create", "--role", "floor", "--for", "ada", *signed, given=typed())
    assert (made.exit_code, made.stdout) == (2, "")
    assert "Nobody has both admin and floor" in made.stderr


def test_a_filtered_audit_says_that_it_has_not_compared_the_trail(command: Callable[..., Any]):
    audit = command("audit", "--table", "t-none", "--processes", "1")
    assert "trail: not checked, only an audit without filters compares it, and the schema" in audit.output


# ---- what people do over HTTP


def bearer(by: str, role: str) -> str:
    return f"Bearer {make_token(KEY, Settings(token_key=KEY), by, role, None, 1.0)[0]}"


def test_a_refused_second_signature_is_in_the_trail(url: str):
    swap = {"new_box": "box-9", "seal": "S-9", "second_person": "cage-1"}
    with open_service(url, token_key=KEY) as client:
        register_in(url, ("floor-1", "floor"), ("cage-1", "cage"), ("cage-2", "cage"))
        wrong = signature("cage-1", "no password of theirs")
        for second in (None, "no token at all", bearer("cage-1", "cage"), wrong):
            headers = {"Authorization": bearer("floor-1", "floor")}
            if second is not None:
                headers["Second-Authorization"] = second
            assert client.post("/v1/tables/t-1/box", json=swap, headers=headers).status_code == 403
        headers = {"Authorization": bearer("ada", "admin")}
        reads = client.get("/v1/reads?limit=1000", headers=headers).json()["reads"]
    refused = [(read["by"], read["subject"]) for read in reads if read["what"] == "refused second signature"]
    assert refused == [("floor-1", "cage-1")] * 4


def test_whoever_listens_to_a_feed_is_in_the_trail(url: str):
    with serving(url, token_key=KEY, seal=False) as site:
        address, auditor = site.url, {"Authorization": bearer("oli", "auditor")}
        for path in ("/v1/feed?after=0", "/v1/tables/t-1/feed?after=7"):
            with httpx.stream("GET", address + path, headers=auditor, timeout=PATIENCE_SECONDS) as answer:
                assert answer.status_code == 200
                assert next(answer.iter_lines())  # nothing is heard before it is recorded
        reads = httpx.get(f"{address}/v1/reads?limit=1000", headers=auditor).json()["reads"]
    heard = [(read["by"], read["subject"]) for read in reads if read["what"] == "feed"]
    assert heard == [("oli", "every table after 0"), ("oli", "t-1 after 7")]

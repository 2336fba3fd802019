"""The trail is part of the record: what a superuser changes in it is found and named; so is a guard that was off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, LiteralString
from zoneinfo import ZoneInfo

import httpx
import jwt
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier
from typer.testing import CliRunner

from api.cli.main import app
from api.service.settings import Settings
from api.service.tokens import make_token
from domain.audit.findings import Finding
from infra.access.looks import Looks
from infra.access.sessions import Sessions, SignInRefused
from infra.access.staff import Staff, StaffMember
from infra.access.tokens import Tokens
from infra.access.trail import DUE_SECONDS, TABLES, Digests, take_digest
from infra.access.trail_digests import TrailDigests
from infra.ledger.audit_runs import AuditRuns
from infra.ledger.ledger import Ledger
from infra.ledger.property import Property, set_property
from infra.log.checkpoints import sign
from infra.log.keys import new_signer
from infra.log.restored_log import remember_published
from infra.log.sealer import Sealer
from infra.schema import catalogue as schema_catalogue
from infra.schema.catalogue import CatalogueAudit
from infra.store.database import Database
from projections.audit.background import on_record
from projections.audit.run import Audit
from projections.calendar.gaming_day_settings import set_gaming_days
from projections.calendar.gaming_days import Calendar, Shift
from projections.engine.runner import Runner
from tests.api.processes import PATIENCE_SECONDS, free_port, serving
from tests.api.service import KEY, open_service
from tests.databases import migrated_database, new_database
from tests.tables_in_play import ACTOR, bank_round, new_table

PASSWORD = "a long enough one"


# ---- a ledger with a row in every table


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="module")
def original(server_url: str, keys: Path) -> Iterator[str]:
    with migrated_database(server_url) as url:
        leave_a_trail(url)
        with Runner(url) as runner:
            runner.catch_up()
        for _ in range(2):  # what is sealed has a checkpoint, which is covered in its turn
            with Sealer(url, keys) as sealer:
                sealer.seal()
            audited(url)  # takes a digest
        yield url


@pytest.fixture
def url(server_url: str, original: str) -> Iterator[str]:
    with new_database(server_url, str(conninfo_to_dict(original)["dbname"])) as url:
        yield url


def leave_a_trail(url: str) -> None:
    ledger = Ledger(url)
    try:
        table = new_table()
        stored = ledger.record(bank_round(table), ACTOR)
        ledger.record(bank_round(table, end="open"), ACTOR)
        ledger.load(stored["id"])
        database = ledger.events.recorder.database
        looks, people, sessions, audits = Looks(database), Staff(database), Sessions(database), AuditRuns(database)
        for subject in ("r-1", "r-2", "r-3"):
            looks.record("oli", "auditor", "round", subject, "q-1")
        Tokens(database).revoke("t-1", "ada", "lost")
        people.add_first("ada", "Ada", "admin", PASSWORD)
        people.add(StaffMember("oli", "Oli", ("auditor", "floor"), False), PASSWORD, "ada")
        cookie = sessions.sign_in("oli", PASSWORD, "10.0.0.1")
        sessions.take_part(cookie, "floor")
        sessions.sign_out(sessions.sign_in("oli", PASSWORD, "10.0.0.1"))
        with pytest.raises(SignInRefused):
            sessions.prove("ada", "not hers at all", "10.0.0.1")  # a refused second signature
        people.token_made("oli", "auditor", "t-2", 30, "ada")
        set_property(database, Property("Harbor Card Club", "1 Example Wharf"), "ada")
        audits.start("a-1", "oli", "{}")
        audits.add("a-1", "finding", 1, ['{"kind": "line"}', '{"kind": "fee"}'])
        audits.add("a-1", "note", 1, ['{"kind": "wording"}', '{"kind": "time"}'])
        audits.end("a-1", "done", "{}")
        for size in (1, 2):
            remember_published(url, sign("casino.example/other", size, bytes(32), [new_signer("casino.example/other")]))
    finally:
        ledger.close()
    with psycopg.connect(url, autocommit=True) as connection:
        now = datetime(2026, 7, 31, 12, tzinfo=ZoneInfo("America/Los_Angeles"))
        set_gaming_days(connection, Calendar(date(2026, 8, 1), "America/Chicago", (Shift("all", time(4)),)), "m-1", now)


def audited(url: str) -> list[Finding]:
    found: list[Finding] = []
    with on_record(url, "oli", "{}") as record_summary:
        record_summary(Audit(url, processes=1, report=found.append).run())
    return found


def findings(url: str, without: tuple[str, ...] = ()) -> list[Finding]:
    found: list[Finding] = []
    Audit(url, processes=1, without=without, report=found.append).run()
    return found


@contextmanager
def superuser(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


@contextmanager
def guard_off(connection: psycopg.Connection, table: str) -> Iterator[None]:
    """Triggers and keys of a table disabled, and afterwards as they were."""
    name = Identifier(*table.split("."))
    triggers = connection.execute(
        "SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal", [table]
    ).fetchall()
    connection.execute(SQL("ALTER TABLE {} DISABLE TRIGGER ALL").format(name))
    try:
        yield
    finally:
        connection.execute(SQL("ALTER TABLE {} ENABLE TRIGGER ALL").format(name))
        for trigger, _ in triggers:
            connection.execute(SQL("ALTER TABLE {} ENABLE ALWAYS TRIGGER {}").format(name, Identifier(trigger)))


def test_nothing_is_found_where_nothing_was_touched(original: str):
    assert findings(original) == []


# ---- every table, row by row


NO_RECORD_HEADING = "## Tables that are no record"
OTHER: dict[str, LiteralString] = {
    "text": "coalesce({0}, '') || 'x'",
    "bytea": "coalesce({0}, '') || '\\x01'::bytea",
    "boolean": "NOT {0}",
    "uuid": "gen_random_uuid()",
    "timestamp with time zone": "coalesce({0}, now()) + interval '1 hour'",
    "date": "{0} + 100",
    "text[]": "array_append({0}, 'admin')",
    "integer[]": "array_append({0}, 7)",
    "json": "'{{}}'::json",
}


def no_record(project_root: Path) -> set[str]:
    """Tables, and columns of tables, that docs/auditor.md says no audit reads."""
    text = (project_root / "docs" / "auditor.md").read_text(encoding="utf-8")
    section = text.partition(NO_RECORD_HEADING)[2].partition("\n## ")[0]
    assert section
    return set(re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE))


def all_tables(connection: psycopg.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT schemaname || '.' || tablename FROM pg_tables "
        "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
    ).fetchall()
    return [name for (name,) in rows]


def columns_of(connection: psycopg.Connection, table: str) -> list[tuple[str, str]]:
    return connection.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        [table],
    ).fetchall()


# Where a constraint leaves only some values.
ANOTHER: dict[str, LiteralString] = {
    "roundledger.audits.state": "'failed'",
    "roundledger.secrets.kind": "CASE kind WHEN 'totp' THEN 'password' ELSE 'totp' END",
    "roundledger.audits.place": "CASE place WHEN 'service' THEN 'command' ELSE 'service' END",
}


def changed_to(table: str, column: str, type_: str) -> Any:
    if f"{table}.{column}" in ANOTHER:
        return SQL(ANOTHER[f"{table}.{column}"])
    numeric = type_ in ("smallint", "integer", "bigint", "numeric")
    return SQL("{0} + 1000" if numeric else OTHER[type_]).format(Identifier(column))


def tampering(connection: psycopg.Connection, table: str, spared: set[str]) -> Iterator[tuple[str, Any]]:
    """What is done to the first row of a table, in words and as a statement. Rows of reports are compared whole, so one
    column of each represents all."""
    name = Identifier(*table.split("."))
    row = SQL("ctid = (SELECT min(ctid) FROM {})").format(name)
    yield "deleted", SQL("DELETE FROM {} WHERE {}").format(name, row)
    columns = columns_of(connection, table)
    for column, type_ in columns[-1:] if is_report(table) else columns:
        if f"{table}.{column}" not in spared:
            identity = SQL("UPDATE {} SET {} = {} WHERE {}")
            yield column, identity.format(name, Identifier(column), changed_to(table, column, type_), row)


def identities(connection: psycopg.Connection, table: str, kind: LiteralString) -> None:
    """A column that the database numbers itself is changed like any other by a superuser."""
    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attidentity <> ''", [table]
    ).fetchall()
    for (column,) in rows:
        statement = SQL("ALTER TABLE {} ALTER COLUMN {} SET GENERATED ").format(
            Identifier(*table.split(".")), Identifier(column)
        )
        connection.execute(statement + SQL(kind))


def names_it(finding: Finding, table: str) -> bool:
    """By the table itself, or by what the events of it are about."""
    bare = table.partition(".")[2]
    shown = (finding.stream or "", finding.what)
    about_events = finding.position is not None or finding.round is not None or finding.stream == "log"
    events = bare in EVENTS
    return any(table in text or bare in text for text in shown) or (events and about_events)


def test_every_change_of_every_table_is_found_and_named(url: str, project_root: Path):
    spared = no_record(project_root)
    missed, tried = [], 0
    with superuser(url) as connection:
        tables = all_tables(connection)
        for table in tables:
            if table in spared or connection.execute(f"SELECT FROM {table} LIMIT 1".encode()).fetchone() is None:
                continue
            connection.execute(f"CREATE TEMP TABLE kept AS TABLE {table}".encode())
            for what, statement in tampering(connection, table, spared):
                identities(connection, table, "BY DEFAULT")
                with guard_off(connection, table):
                    connection.execute(statement)
                identities(connection, table, "ALWAYS")
                tried += 1
                if not any(names_it(finding, table) for finding in findings(url, checks_for(table))):
                    missed.append(f"{table}: {what}")
                restore(connection, table)
            connection.execute("DROP TABLE kept")
        not_empty = {table.name for table in TABLES} <= set(tables)
    assert missed == []
    assert not_empty
    assert tried > 120
    assert findings(url) == [], "all was put back"


EVENTS = ("events", "originators", "topics", "sealed_cards", "log_hashes")


def is_report(table: str) -> bool:
    return table.startswith("projections.") and table != "projections.gaming_days"


def checks_for(table: str) -> tuple[str, ...]:
    """The checks of an audit that are left out where they have nothing to do with a table."""
    if is_report(table):
        return ("floor", "log", "trail")
    return ("projections", "trail") if table.partition(".")[2] in EVENTS else ("projections", "floor", "log")


def restore(connection: psycopg.Connection, table: str) -> None:
    with guard_off(connection, table):
        connection.execute(f"DELETE FROM {table}".encode())
        connection.execute(f"INSERT INTO {table} OVERRIDING SYSTEM VALUE TABLE kept".encode())


def test_every_table_is_covered_or_listed(url: str, project_root: Path):
    """A table that is new is either part of the record, with a row here and a digest, or in the list of those that
    are none."""
    with superuser(url) as connection:
        empty = [
            table
            for table in all_tables(connection)
            if table.startswith("roundledger.")
            and table not in no_record(project_root)
            and connection.execute(f"SELECT FROM {table} LIMIT 1".encode()).fetchone() is None
        ]
    assert empty == []


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
    monkeypatch.setattr("infra.access.trail.ROWS_AT_ONCE", 2)
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
        ("REVOKE INSERT ON roundledger.audit_findings FROM roundledger_service", "grant", "audit_findings"),
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
def test_a_change_of_the_schema_is_found_and_named(url: str, statement: str, kind: str, name: str):
    with superuser(url) as connection:
        connection.execute(statement.encode())
    assert [finding for finding in guard_findings(url) if finding.kind == kind and name in finding.what]


def guard_findings(url: str) -> list[Finding]:
    database = Database(url, role="nobody")  # with all rights, as these changes may have taken some away
    try:
        return list(CatalogueAudit().findings(database))
    finally:
        database.close()


@pytest.mark.parametrize("digest_between", [False, True])
def test_a_trigger_that_was_off_and_is_on_again_is_found(url: str, digest_between: bool):
    take_digest(url, "oli")  # on this copy of the ledger
    with superuser(url) as connection, guard_off(connection, "roundledger.reads"):
        pass
    if digest_between:
        take_digest(url, "oli")
    (found,) = findings(url)
    assert (found.kind, found.stream) == ("trigger", "roundledger.reads.reads_stay")


def test_a_copy_of_the_database_is_no_finding(server_url: str, url: str):
    take_digest(url, "oli")
    name = str(conninfo_to_dict(url)["dbname"])
    with new_database(server_url, name) as copy:
        summary = Audit(copy, processes=1).run()
        assert summary.clean
        assert "is a copy" in summary.checks[-1].text


def test_without_roles_it_says_that_rights_were_not_compared(url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(schema_catalogue, "ROLES", ("roundledger_service", "roundledger_nobody"))
    summary = Audit(url, processes=1).run()
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
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_a_token_from_the_command_line_leaves_a_trace(url: str, command: Callable[..., Any]):
    made = command("token", "create", "--role", "auditor", "--for", "oli", "--days", "2", "--by", "m-1")
    assert made.exit_code == 0, made.output
    token_id = jwt.decode(made.stdout.split()[0], options={"verify_signature": False})["jti"]
    ledger = Ledger(url)
    try:
        changes = ledger.staff.changes(1)
    finally:
        ledger.close()
    assert [(one["by"], one["staff_id"], one["change"]) for one in changes] == [
        ("m-1", "oli", f"token {token_id}: auditor, 2 days")
    ]
    audited(url)
    with superuser(url) as connection, guard_off(connection, "roundledger.people_changes"):
        connection.execute("DELETE FROM roundledger.people_changes WHERE changed_by = 'm-1'")
    assert [finding.kind for finding in findings(url) if str(finding.stream).startswith("roundledger.people_changes/")]


def test_a_token_that_its_holder_may_not_have_is_not_printed(url: str, command: Callable[..., Any]):
    made = command("token", "create", "--role", "floor", "--for", "ada", "--by", "m-1")
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
        for second in (None, "no token at all", bearer("cage-2", "cage"), bearer("cage-1", "terminal")):
            headers = {"Authorization": bearer("floor-1", "floor")}
            if second is not None:
                headers["Second-Authorization"] = second
            assert client.post("/v1/tables/t-1/box", json=swap, headers=headers).status_code == 403
        headers = {"Authorization": bearer("ada", "admin")}
        reads = client.get("/v1/reads?limit=1000", headers=headers).json()["reads"]
    refused = [(read["by"], read["subject"]) for read in reads if read["what"] == "refused second signature"]
    assert refused == [("floor-1", "cage-1")] * 4


def test_whoever_listens_to_a_feed_is_in_the_trail(url: str):
    port = free_port()
    with serving(url, port, ROUNDLEDGER_TOKEN_KEY=KEY):
        address, auditor = f"http://127.0.0.1:{port}", {"Authorization": bearer("oli", "auditor")}
        for path in ("/v1/feed?after=0", "/v1/tables/t-1/feed?after=7"):
            with httpx.stream("GET", address + path, headers=auditor, timeout=PATIENCE_SECONDS) as answer:
                assert answer.status_code == 200
                assert next(answer.iter_lines())  # nothing is heard before it is recorded
        reads = httpx.get(f"{address}/v1/reads?limit=1000", headers=auditor).json()["reads"]
    heard = [(read["by"], read["subject"]) for read in reads if read["what"] == "feed"]
    assert heard == [("oli", "every table after 0"), ("oli", "t-1 after 7")]

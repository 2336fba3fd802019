"""Database roles are a boundary: somebody who holds the service's own connection tries everything it must not do.

On the embedded server, where the operating system says who connects, and on one with a network address and passwords.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from fastapi.testclient import TestClient
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege
from psycopg.sql import SQL
from typer.testing import CliRunner

from api.app import create_app
from api.cli.main import app
from api.service.settings import Settings
from infra.access import passwords
from infra.access.sessions import WRONG, Sessions, SignInRefused
from infra.access.sign_in_limits import FOR_AN_ID
from infra.access.staff import Staff
from infra.embedded import as_service, embedded_postgres
from infra.ledger.audit_runs import AuditRuns
from infra.ledger.ledger import Ledger
from infra.schema.migrator import PROJECTOR_ROLE, READER_ROLE, SERVICE_ROLE, migrate, set_service_password
from infra.store.database import Database, rights_beyond_service
from projections.audit.run import Audit
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from tests.security.tcp_server import tcp_server
from tests.security.test_changed_tables import no_record
from tests.tables_in_play import ACTOR, bank_round, new_table

SERVICE_PASSWORD = "of the service alone"


class Held:
    """A ledger, with the administrator's URL and the one that the service is given."""

    def __init__(self, administrator: str, service: str) -> None:
        self.administrator = administrator
        self.service = service


@pytest.fixture(scope="module", params=["embedded", "network"])
def held(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("held")
        if request.param == "embedded":
            administrator = stack.enter_context(embedded_postgres(folder))
            migrate(administrator)
            service = as_service(administrator)
        else:
            administrator = stack.enter_context(tcp_server(folder))
            migrate(administrator)
            set_service_password(administrator, SERVICE_PASSWORD)
            service = make_conninfo(administrator, user=SERVICE_ROLE, password=SERVICE_PASSWORD)
        ledger = Ledger(service)
        try:
            assert ledger.record(bank_round(new_table()), ACTOR)["status"] == "settled"
            ledger.record(bank_round(new_table(), end="open"), ACTOR)
        finally:
            ledger.close()
        with Runner(service) as runner:
            runner.catch_up()
        yield Held(administrator, service)


@pytest.fixture
def connection(held: Held) -> Iterator[psycopg.Connection]:
    with psycopg.connect(held.service, autocommit=True) as connection:
        yield connection


def test_the_login_is_the_services_own_and_has_no_power_over_the_server(held: Held):
    with psycopg.connect(held.service) as connection:
        row = connection.execute(
            "SELECT session_user, current_user, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls "
            "FROM pg_roles WHERE rolname = session_user"
        ).fetchone()
    assert row == (SERVICE_ROLE, SERVICE_ROLE, False, False, False, False, False)
    assert rights_beyond_service(held.service) is None
    assert "is a superuser" in str(rights_beyond_service(held.administrator))


def test_serve_refuses_a_login_that_could_change_the_record(held: Held, monkeypatch: pytest.MonkeyPatch):
    """The message says how to make one that cannot."""
    monkeypatch.delenv("ROUNDLEDGER_ALLOW_OWNER_LOGIN", raising=False)
    answered = CliRunner().invoke(app, ["serve", "--port", "1", "--database-url", held.administrator])
    assert answered.exit_code == 2
    for said in ("is a superuser", "ROUNDLEDGER_SERVICE_PASSWORD", "roundledger_service@", "ALLOW_OWNER_LOGIN"):
        assert said in answered.output


@pytest.mark.parametrize("given", ["SUPERUSER", "CREATEROLE", "REPLICATION", "IN ROLE pg_write_all_data", "owner"])
def test_every_right_beyond_the_services_is_noticed(held: Held, given: LiteralString):
    rights = "" if given == "owner" else given
    with psycopg.connect(held.administrator, autocommit=True) as administrator:
        administrator.execute(SQL("CREATE ROLE too_much LOGIN PASSWORD 'x' {}").format(SQL(rights)))
        try:
            if given == "owner":
                administrator.execute("GRANT postgres TO too_much")
            administrator.execute("GRANT roundledger_service TO too_much")
            assert rights_beyond_service(make_conninfo(held.administrator, user="too_much", password="x")) is not None
        finally:
            administrator.execute("DROP ROLE too_much")


@pytest.mark.parametrize("login", ["administrator", "service"])
def test_readiness_and_metrics_report_a_login_that_could_change_the_record(held: Held, login: str):
    powerful = login == "administrator"
    ledger = Ledger(getattr(held, login))
    try:
        with TestClient(create_app(ledger, Settings(follow=False, seal=False))) as client:
            warned = [text for text in client.get("/readyz").json()["warnings"] if "The database login" in text]
            assert len(warned) == powerful
            assert "postgres" not in str(warned), "anybody may ask"
            assert f"roundledger_owner_login {float(powerful)}" in client.get("/metrics").text
    finally:
        ledger.close()


def test_an_audit_reports_logins_that_could_change_the_record(held: Held):
    ledger = Ledger(held.administrator)
    try:
        ledger.load(ledger.record(bank_round(new_table()), ACTOR)["id"])
        ledger.sealed_cards("r-none")
    finally:
        ledger.close()
    (trail,) = [check for check in Audit(held.service, processes=1).run().checks if check.name == "trail"]
    assert "have logged in as postgres, which could change the record" in trail.text


def test_the_login_owns_nothing(connection: psycopg.Connection):
    owned = connection.execute(
        "SELECT 'relation', relname::text FROM pg_class WHERE relowner = session_user::regrole "
        "UNION ALL SELECT 'function', proname FROM pg_proc WHERE proowner = session_user::regrole "
        "UNION ALL SELECT 'schema', nspname FROM pg_namespace WHERE nspowner = session_user::regrole "
        "UNION ALL SELECT 'database', datname FROM pg_database WHERE datdba = session_user::regrole"
    ).fetchall()
    assert owned == []


def test_every_connection_of_the_ledger_is_of_that_login(held: Held):
    """Those of the write path, of readers and of whoever keeps the reports, as the server itself sees them."""
    with ExitStack() as stack:
        for role in (SERVICE_ROLE, READER_ROLE):
            database = Database(held.service, role=role)
            stack.callback(database.close)
            database.read(lambda cursor: cursor.execute("SELECT 1").fetchall())
        runner = stack.enter_context(Runner(held.service))
        runner.catch_up()
        administrator = stack.enter_context(psycopg.connect(held.administrator))
        logins = administrator.execute(
            "SELECT DISTINCT usename FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        ).fetchall()
    assert logins == [(SERVICE_ROLE,)]


@pytest.mark.parametrize("role", ["postgres", "pg_read_all_data", "pg_write_all_data", "pg_execute_server_program"])
def test_it_becomes_nobody_else(connection: psycopg.Connection, role: str):
    for statement in (f"SET ROLE {role}", f"SET SESSION AUTHORIZATION {role}"):
        with pytest.raises(InsufficientPrivilege):
            connection.execute(statement)
    connection.execute("RESET ROLE")
    assert connection.execute("SELECT current_user").fetchone() == (SERVICE_ROLE,)


@pytest.mark.parametrize("role", [SERVICE_ROLE, READER_ROLE, PROJECTOR_ROLE])
@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE roundledger.events",
        "ALTER TABLE roundledger.events DISABLE TRIGGER ALL",
        "ALTER TABLE projections.gaming_days DISABLE TRIGGER ALL",
        "DROP TRIGGER events_stay ON roundledger.events",
        "ALTER TABLE roundledger.events OWNER TO CURRENT_USER",
        "CREATE OR REPLACE FUNCTION roundledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
        "CREATE FUNCTION roundledger.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE TABLE roundledger.mine ()",
        "CREATE SCHEMA mine",
        "DROP SCHEMA projections CASCADE",
        "SET session_replication_role = replica",
        "ALTER SYSTEM SET fsync = off",
        "ALTER ROLE roundledger_service SUPERUSER",
        "CREATE ROLE mine LOGIN",
        "GRANT pg_read_all_data TO roundledger_service",
        "CREATE EXTENSION IF NOT EXISTS vector",
        "COPY roundledger.events TO PROGRAM 'cat'",
        "COPY roundledger.topics TO '/tmp/topics'",
        "SELECT pg_read_file('postgresql.conf')",
        "SELECT rolpassword FROM pg_authid",
        "SELECT setval('roundledger.events_position_seq', 1)",
        "UPDATE roundledger.events SET state = ''",
        "DELETE FROM roundledger.events",
        "TRUNCATE roundledger.events",
        "DELETE FROM roundledger.sealed_cards",
        "DELETE FROM roundledger.reads",
        "UPDATE roundledger.sign_ins SET accepted = true",
        "DELETE FROM roundledger.migrations",
        "UPDATE projections.gaming_days SET time_zone = 'UTC'",
        "DELETE FROM projections.gaming_days",
        "UPDATE roundledger.property_names SET name = 'Somebody else'",
        "DELETE FROM roundledger.property_names",
        "INSERT INTO roundledger.audit_findings (finding_id, audit_id, number, finding) "
        "OVERRIDING SYSTEM VALUE VALUES (1000000000000, 'a-1', 1, '{}')",
        "INSERT INTO roundledger.audit_notes (note_id, audit_id, number, note) "
        "OVERRIDING SYSTEM VALUE VALUES (1000000000000, 'a-1', 1, '{}')",
        "SELECT setval('roundledger.reads_read_id_seq', 1000000000000)",
    ],
)
def test_no_role_that_it_can_take_changes_the_record_or_its_guard(
    connection: psycopg.Connection, role: str, statement: str
):
    connection.execute(f"SET ROLE {role}")
    with pytest.raises(InsufficientPrivilege):
        connection.execute(statement.encode())


CHANGED_UNTIL_IT_ENDS = {"roundledger.audits"}


def test_what_it_may_change_or_delete_is_no_record(connection: psycopg.Connection, project_root: Path):
    """Every table of the catalogue, and every column: a new one is found here."""
    may = {
        name
        for (name,) in connection.execute(
            "SELECT format('roundledger.%s', relname) FROM pg_class c WHERE relnamespace = 'roundledger'::regnamespace "
            "AND relkind IN ('r', 'p') "
            "AND (has_table_privilege(c.oid, 'DELETE, TRUNCATE') OR has_any_column_privilege(c.oid, 'UPDATE'))"
        )
    }
    assert may - CHANGED_UNTIL_IT_ENDS <= no_record(project_root)
    assert may >= CHANGED_UNTIL_IT_ENDS


def test_it_changes_no_audit_that_has_ended(held: Held, connection: psycopg.Connection):
    ledger = Ledger(held.service)
    try:
        audits = AuditRuns(ledger.events.recorder.database)
        audits.start("a-ended", "oli", "{}", "command")
        audits.end("a-ended", "done", "{}")
    finally:
        ledger.close()
    with pytest.raises(psycopg.errors.ModifyingSqlDataNotPermitted):
        connection.execute("UPDATE roundledger.audits SET findings = 0 WHERE audit_id = 'a-ended'")


@pytest.mark.parametrize("role", [SERVICE_ROLE, READER_ROLE, PROJECTOR_ROLE])
def test_it_passes_no_right_on(connection: psycopg.Connection, role: str):
    rights = "SELECT relacl::text FROM pg_class WHERE oid = 'roundledger.events'::regclass"
    before = connection.execute(rights).fetchone()
    connection.execute(f"SET ROLE {role}".encode())
    connection.execute("GRANT ALL ON roundledger.events TO PUBLIC")  # a warning, and nothing is given
    assert connection.execute(rights).fetchone() == before


NOT_FOR_READERS = (
    *("sealed_cards", "receipts", "people", "secrets", "sessions", "sign_ins", "reads"),
    *("patron_names", "proposition_names", "saved_searches"),
)


@pytest.mark.parametrize("table", NOT_FOR_READERS)
@pytest.mark.parametrize("role", [READER_ROLE, PROJECTOR_ROLE])
def test_who_reads_events_sees_no_card_and_nobodys_password(connection: psycopg.Connection, role: str, table: str):
    connection.execute(f"SET ROLE {role}")
    with pytest.raises(InsufficientPrivilege):
        connection.execute(f"SELECT * FROM roundledger.{table}".encode())


def test_reports_are_rebuilt_without_more_rights(held: Held):
    assert rebuild(held.service) > 0
    with psycopg.connect(held.administrator) as connection:
        owners = connection.execute(
            "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname IN ('projections', 'projections_rebuild') "
            "AND tablename NOT IN ('positions', 'gaming_days')"
        ).fetchall()
    assert owners == [(PROJECTOR_ROLE,)]


def test_a_login_of_the_operators_own_works_as_a_member(held: Held):
    with psycopg.connect(held.administrator, autocommit=True) as administrator:
        administrator.execute("CREATE ROLE house_app LOGIN PASSWORD 'x' IN ROLE roundledger_service")
        url = make_conninfo(held.administrator, user="house_app", password="x")
        try:
            ledger = Ledger(url)
            try:
                assert ledger.record(bank_round(new_table()), ACTOR)["status"] == "settled"
            finally:
                ledger.close()
            with Runner(url) as runner:
                runner.catch_up()
            assert rights_beyond_service(url) is None
        finally:
            administrator.execute("DROP ROLE house_app")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    for name in ("ROUNDLEDGER_DATABASE_URL", "ROUNDLEDGER_DATA_DIR", "ROUNDLEDGER_SERVICE_PASSWORD"):
        monkeypatch.delenv(name, raising=False)

    def invoke(*arguments: str) -> str:
        answered = CliRunner().invoke(app, list(arguments))
        assert answered.exit_code == 0, answered.output
        return answered.output

    return invoke


def test_commands_on_the_embedded_database_log_in_as_the_service(
    run: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    seen: list[str] = []
    original = psycopg.connect

    def connect(url: str, **options: Any) -> Any:
        seen.append(url)
        return original(url, **options)

    with embedded_postgres(tmp_path) as administrator:
        migrate(administrator)
        monkeypatch.setattr(psycopg, "connect", connect)
        run("report", "bankroll", "--data-dir", str(tmp_path))
    logins = {found[1] for url in seen if (found := re.match(r"postgresql://(\w+)@", url))}
    assert logins == {"postgres", SERVICE_ROLE}
    assert [url for url in seen if "//postgres@" in url] == [administrator], "the administrator only migrates"


def test_migrate_gives_the_service_its_password(run: Callable[..., str], tmp_path: Path):
    with tcp_server(tmp_path) as administrator:
        assert "Applied" in run("migrate", "--database-url", administrator, "--service-password", SERVICE_PASSWORD)
        service = make_conninfo(administrator, user=SERVICE_ROLE, password=SERVICE_PASSWORD)
        assert "up to date" in run("migrate", "--database-url", service)
        assert "bettor" in run("report", "bankroll", "--database-url", service)
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(make_conninfo(administrator, user=SERVICE_ROLE, password="another"))


# ---- what is sealed


def sealed_of_an_open_round(held: Held) -> str:
    with psycopg.connect(held.administrator) as administrator:
        row = administrator.execute(
            "SELECT o.originator_id::text FROM roundledger.sealed_cards s JOIN roundledger.originators o "
            "USING (originator) ORDER BY originator DESC LIMIT 1"
        ).fetchone()
    assert row is not None
    return str(row[0])


OPENING = (
    "SELECT * FROM roundledger.open_seals('{}')",
    "SELECT * FROM roundledger.open_seals_for_audit(ARRAY[1, 2, 3, 4, 5, 6, 7, 8])",
)


@pytest.mark.parametrize("statement", OPENING)
def test_a_session_that_is_not_on_record_opens_nothing(held: Held, connection: psycopg.Connection, statement: str):
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="not on record"):
        connection.execute(statement.format(sealed_of_an_open_round(held)).encode())


@pytest.mark.parametrize("statement", OPENING)
def test_it_cannot_open_a_seal_and_take_the_trace_back(held: Held, connection: psycopg.Connection, statement: str):
    wanted = statement.format(sealed_of_an_open_round(held)).encode()
    with connection.transaction(force_rollback=True):
        connection.execute("SELECT roundledger.announce_session()")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            connection.execute(wanted)
    with connection.transaction(force_rollback=True):
        with connection.transaction():
            connection.execute("SELECT roundledger.announce_session()")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            connection.execute(wanted)


def test_what_was_taken_back_with_a_transaction_opens_nothing(held: Held, connection: psycopg.Connection):
    with connection.transaction(force_rollback=True):
        connection.execute("SELECT roundledger.announce_session()")
        row = connection.execute("SELECT current_setting('roundledger.session')").fetchone()
    assert row is not None
    connection.execute("SELECT set_config('roundledger.session', %s, false)", row)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        connection.execute(OPENING[0].format(sealed_of_an_open_round(held)).encode())
    with pytest.raises(InsufficientPrivilege):
        connection.execute("SELECT secret FROM roundledger.seal_sessions")


def test_whoever_opens_a_seal_has_left_who_they_are(held: Held, connection: psycopg.Connection):
    connection.execute("SELECT roundledger.announce_session()")
    assert connection.execute(OPENING[0].format(sealed_of_an_open_round(held)).encode()).fetchall()
    pid = connection.info.backend_pid
    row = connection.execute("SELECT login FROM roundledger.seal_sessions WHERE backend_pid = %s", [pid]).fetchone()
    assert row == (SERVICE_ROLE,)
    with pytest.raises(InsufficientPrivilege):
        connection.execute("DELETE FROM roundledger.seal_sessions")
    with pytest.raises(InsufficientPrivilege):
        connection.execute("INSERT INTO roundledger.seal_sessions (login) VALUES ('somebody')")


@pytest.mark.parametrize("role", [READER_ROLE, PROJECTOR_ROLE])
def test_readers_open_nothing(held: Held, connection: psycopg.Connection, role: str):
    connection.execute("SELECT roundledger.announce_session()")
    connection.execute(f"SET ROLE {role}".encode())
    for statement in (*OPENING, "SELECT roundledger.announce_session()"):
        with pytest.raises(InsufficientPrivilege):
            connection.execute(statement.format(sealed_of_an_open_round(held)).encode())


def test_a_receipt_is_given_to_whoever_knows_its_key(held: Held, connection: psycopg.Connection):
    """Its fingerprint is a hash of the request: of a list of them, each could be tried with every card or count."""
    guess = sha256(b'POST\n/v1/boxes/b-1/counts\n{"pieces": {"1.00": 14}}').digest()
    row = ["count-1/k-1", guess, b"{}"]
    connection.execute("INSERT INTO roundledger.receipts (key, fingerprint, outcome) VALUES (%s, %s, %s)", row)
    assert connection.execute("SELECT * FROM roundledger.receipt_of('count-1/k-1')").fetchone() == tuple(row)
    for role in (SERVICE_ROLE, READER_ROLE, PROJECTOR_ROLE):
        connection.execute(f"SET ROLE {role}".encode())
        for column in ("*", "key", "fingerprint", "outcome", "count(*)"):
            with pytest.raises(InsufficientPrivilege):
                connection.execute(f"SELECT {column} FROM roundledger.receipts".encode())
        if role != SERVICE_ROLE:
            with pytest.raises(InsufficientPrivilege):
                connection.execute("SELECT * FROM roundledger.receipt_of('count-1/k-1')")


# ---- people


@pytest.fixture(scope="module")
def people(held: Held) -> Iterator[Staff]:
    database = Database(held.service)
    people = Staff(database)
    people.add_admin("ada", "Ada", "a long enough one")
    yield people
    database.close()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT password FROM roundledger.people",
        "SELECT * FROM roundledger.people",
        "UPDATE roundledger.people SET parts = '{admin,counter}'",
        "UPDATE roundledger.people SET password = 'x'",
        "DELETE FROM roundledger.people",
        "INSERT INTO roundledger.people (staff_id, name, parts, password) VALUES ('x', 'x', '{admin}', 'x')",
        "INSERT INTO roundledger.sessions (cookie_hash, staff_id, part) VALUES ('x', 'ada', 'admin')",
        "UPDATE roundledger.sessions SET part = 'admin'",
        "UPDATE roundledger.sessions SET ended_at = NULL",
        "DELETE FROM roundledger.sessions",
        "INSERT INTO roundledger.session_changes (cookie_hash, staff_id, part) VALUES ('x', 'ada', 'admin')",
        "INSERT INTO roundledger.sign_ins (staff_id, address, accepted) VALUES ('ada', '::1', true)",
        "INSERT INTO roundledger.people_changes (changed_by, staff_id, change, became) VALUES ('a', 'a', 'a', 'a')",
        "SELECT roundledger.record_person('ada', 'ada', NULL, 'nothing')",
        "SELECT roundledger.end_sessions('ada', NULL, NULL)",
        "SELECT roundledger.person_digest(p) FROM roundledger.people p",
        "SELECT secret FROM roundledger.secrets",
        "SELECT handle FROM roundledger.secrets",
        "INSERT INTO roundledger.secrets (staff_id, kind, secret) VALUES ('ada', 'totp', 'x')",
        "UPDATE roundledger.secrets SET ended_at = now()",
        "DELETE FROM roundledger.secrets",
        "INSERT INTO roundledger.secret_changes (changed_by, staff_id, kind, change) VALUES ('a', 'a', 'totp', 'a')",
        "SELECT roundledger.record_secret(1, 'ada', 'nothing')",
        "SELECT * FROM roundledger.proofs",
        "DELETE FROM roundledger.proofs",
        "DELETE FROM roundledger.factor_demands",
        "SELECT roundledger.open_session('ada', 'cookie', '{}', 'password')",
        "SELECT roundledger.open_or_ask('ada', 'cookie', '{}', 'password')",
    ],
)
def test_people_and_sessions_are_reached_by_functions_alone(
    people: Staff, connection: psycopg.Connection, statement: str
):
    with pytest.raises(InsufficientPrivilege):
        connection.execute(statement.encode())


def test_nobody_gets_a_session_without_the_password(people: Staff, connection: psycopg.Connection):
    """Not with a hash that somebody made up, nor with the salt alone; and each attempt is on record."""
    tried: LiteralString = "SELECT count(*) FROM roundledger.sign_ins WHERE staff_id = 'ada'"
    before = connection.execute(tried).fetchone()
    salt = connection.execute("SELECT roundledger.password_salt('ada')").fetchone()
    assert salt is not None
    assert salt[0].endswith("$")
    for given in ("", salt[0], passwords.derived("another password", salt[0])):
        answer = connection.execute("SELECT roundledger.sign_in('ada', '::1', %s, 'cookie')", [given]).fetchone()
        assert answer == ("wrong",)
    after = connection.execute(tried).fetchone()
    assert before is not None
    assert after == (before[0] + 3,)
    assert connection.execute("SELECT count(*) FROM roundledger.sessions").fetchone() == (0,)


def test_many_guesses_at_once_do_not_outrun_the_limit(people: Staff, held: Held):
    database = Database(held.service)
    sessions = Sessions(database)

    def guess(number: int) -> str:
        with pytest.raises(SignInRefused) as refused:
            sessions.prove("ada", f"guess number {number}", f"10.0.0.{number}")
        return str(refused.value)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(guess, range(24)))
    database.close()
    assert answers.count(WRONG) == FOR_AN_ID.amount
    assert sum("Too many wrong passwords" in answer for answer in answers) == 24 - FOR_AN_ID.amount


def test_a_grant_is_on_record_with_whoever_gave_it(people: Staff, connection: psycopg.Connection):
    connection.execute("SELECT roundledger.add_person('eve', 'Eve', '{auditor}', 'x', 'ada', 'bob', NULL)")
    connection.execute("SELECT roundledger.change_person('eve', 'ada', 'bob', '{accounting}', NULL, NULL, NULL)")
    changes = connection.execute(
        "SELECT changed_by, second, change FROM roundledger.people_changes WHERE staff_id = 'eve' ORDER BY change_id"
    ).fetchall()
    assert changes == [("ada", "bob", "added: auditor"), ("ada", "bob", "parts: accounting")]

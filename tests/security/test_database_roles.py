"""Database roles are a boundary: somebody who holds the service's own connection tries everything it must not do.

On the embedded server, where the operating system says who connects, and on one with a network address and passwords.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege
from typer.testing import CliRunner

from api.cli import app
from infra.database import Database, rights_beyond_service
from infra.embedded import as_service, embedded_postgres
from infra.ledger import Ledger
from infra.migrate import PROJECTOR_ROLE, READER_ROLE, SERVICE_ROLE, migrate, set_service_password
from projections.rebuild import rebuild
from projections.runner import Runner
from tests.ledger.tables_in_play import ACTOR, bank_round, new_table
from tests.security.tcp_server import tcp_server

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
    ],
)
def test_no_role_that_it_can_take_changes_the_record_or_its_guard(
    connection: psycopg.Connection, role: str, statement: str
):
    connection.execute(f"SET ROLE {role}")
    with pytest.raises(InsufficientPrivilege):
        connection.execute(statement.encode())


@pytest.mark.parametrize("role", [SERVICE_ROLE, READER_ROLE, PROJECTOR_ROLE])
def test_it_passes_no_right_on(connection: psycopg.Connection, role: str):
    rights = "SELECT relacl::text FROM pg_class WHERE oid = 'roundledger.events'::regclass"
    before = connection.execute(rights).fetchone()
    connection.execute(f"SET ROLE {role}".encode())
    connection.execute("GRANT ALL ON roundledger.events TO PUBLIC")  # a warning, and nothing is given
    assert connection.execute(rights).fetchone() == before


@pytest.mark.parametrize("table", ["sealed_cards", "receipts", "people", "sessions", "sign_ins", "reads"])
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

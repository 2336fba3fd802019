"""The schema is made once, by whoever comes first, and never by an edited file."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import LiteralString
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier

from infra.embedded import embedded_postgres
from infra.schema import catalogue
from infra.schema.catalogue import CatalogueAudit
from infra.schema.migrator import ROLES, Migration, MigrationRefused, check_server, migrate, numbered, pending
from infra.store.database import Database
from infra.store.recorder import LedgerRecorder
from infra.trail.trail_audit import TrailAudit
from tests.databases import new_database
from tests.infra.store.test_recorder import event


@pytest.fixture
def url(server_url: str) -> Iterator[str]:
    with new_database(server_url) as url:
        yield url


LAST = numbered()[-1].number


def test_no_number_is_used_twice():
    numbers = [migration.number for migration in numbered()]
    assert numbers == sorted(set(numbers))
    assert numbers[0] == 1


def test_an_empty_database_needs_all_and_a_migrated_one_nothing(url: str):
    assert pending(url) == [migration.name for migration in numbered()]
    assert len(migrate(url).applied) == len(numbered())
    assert pending(url) == []
    assert migrate(url) == ((), ())


def test_many_processes_at_once_apply_each_file_once(url: str):
    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(migrate, [url] * 8))
    applied = [name for report in reports for name in report.applied]
    assert len(applied) == len(set(applied)) == len(numbered())


def test_an_edited_migration_is_refused(url: str):
    migrate(url)
    first, *rest = numbered()
    with pytest.raises(MigrationRefused, match="0001_events was edited"):
        migrate(url, [first._replace(sql=first.sql + "\n-- a harmless remark"), *rest])


def test_a_database_of_a_newer_program_is_refused(url: str):
    migrate(url)
    with pytest.raises(MigrationRefused, match=f"{numbered()[-1].name}"):
        migrate(url, numbered()[:-1])


def test_a_number_below_one_that_was_applied_is_refused(url: str):
    late = Migration(LAST + 2, "late", "SELECT 1")
    migrate(url, [*numbered(), late])
    with pytest.raises(MigrationRefused, match="higher number"):
        migrate(url, [*numbered(), Migration(late.number - 1, "forgotten", "SELECT 1"), late])


def test_a_migration_that_fails_leaves_nothing_behind_and_can_be_tried_again(url: str):
    number = LAST + 1
    broken = Migration(number, "broken", "CREATE TABLE roundledger.half (); SELECT 1/0")
    with pytest.raises(psycopg.errors.DivisionByZero) as caught:
        migrate(url, [*numbered(), broken])
    assert "broken" in str(caught.value.__notes__)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT to_regclass('roundledger.half')").fetchone() == (None,)
    assert migrate(url, [*numbered(), broken._replace(sql="SELECT 1")]).applied == (f"{number:04}_broken",)


@pytest.fixture(scope="module")
def bare_server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that has never seen our roles."""
    with embedded_postgres(tmp_path_factory.mktemp("bare")) as url:
        yield url


@contextmanager
def database_of_a_user(server_url: str, attributes: LiteralString) -> Iterator[str]:
    """A database that belongs to a user with these attributes and no others."""
    name = Identifier(f"user_{uuid4().hex}")
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(SQL("CREATE ROLE {} LOGIN PASSWORD 'x' {}").format(name, SQL(attributes)))
        with new_database(server_url) as url:
            database = Identifier(str(conninfo_to_dict(url)["dbname"]))
            connection.execute(SQL("ALTER DATABASE {} OWNER TO {}").format(database, name))
            yield make_conninfo(url, user=name.as_string().strip('"'), password="x")
        connection.execute(SQL("DROP OWNED BY {}").format(name))
        connection.execute(SQL("DROP ROLE {}").format(name))


def drop_roles(administrator: psycopg.Connection) -> None:
    administrator.execute(SQL("DROP ROLE {}").format(SQL(", ").join(map(Identifier, ROLES))))


def test_without_the_right_to_create_roles_it_says_what_is_missing_and_works(bare_server_url: str):
    with database_of_a_user(bare_server_url, "NOCREATEROLE") as url:
        report = migrate(url)
        assert len(report.applied) == len(numbered())
        (warning,) = report.warnings
        assert "roundledger_service, roundledger_reader, roundledger_projector are missing" in warning
        with LedgerRecorder(url) as recorder:
            assert recorder.insert_events([event(uuid4(), 1)]) == [1]
        with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.ModifyingSqlDataNotPermitted):
            connection.execute("DELETE FROM roundledger.events")

        with psycopg.connect(bare_server_url, autocommit=True) as administrator:
            administrator.execute("CREATE ROLE roundledger_service NOLOGIN")
            administrator.execute("CREATE ROLE roundledger_reader NOLOGIN")
            administrator.execute("CREATE ROLE roundledger_projector NOLOGIN")
            (first, second, third) = migrate(url).warnings
            assert "may not act as the role roundledger_service" in first
            assert "may not act as the role roundledger_reader" in second
            assert "may not act as the role roundledger_projector" in third
            user = Identifier(str(conninfo_to_dict(url)["user"]))
            roles = SQL(", ").join(map(Identifier, ROLES))
            administrator.execute(SQL("GRANT {} TO {}").format(roles, user))
            assert migrate(url).warnings == ()
        with LedgerRecorder(url) as recorder, recorder.database.cursor() as cursor:
            assert cursor.execute("SELECT current_user").fetchone() == ("roundledger_service",)
    with psycopg.connect(bare_server_url, autocommit=True) as administrator:
        drop_roles(administrator)


def test_a_user_who_may_create_roles_is_enough(bare_server_url: str):
    with database_of_a_user(bare_server_url, "CREATEROLE") as url:
        assert migrate(url).warnings == ()
        with LedgerRecorder(url) as recorder, recorder.database.cursor() as cursor:
            assert cursor.execute("SELECT current_user").fetchone() == ("roundledger_service",)
    with psycopg.connect(bare_server_url, autocommit=True) as administrator:
        drop_roles(administrator)


def test_roles_that_were_dropped_are_made_again(bare_server_url: str):
    with new_database(bare_server_url) as url:
        migrate(url)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP OWNED BY roundledger_reader")
            connection.execute("DROP ROLE roundledger_reader")
        migrate(url)
        with LedgerRecorder(url, role="roundledger_reader") as recorder, recorder.database.cursor() as cursor:
            assert cursor.execute("SELECT current_user").fetchone() == ("roundledger_reader",)
            assert recorder.read(0, 1) == []


def test_two_databases_of_one_server_can_be_migrated_at_once(server_url: str):
    with ExitStack() as stack:
        urls = [stack.enter_context(new_database(server_url)) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            assert [report.warnings for report in pool.map(migrate, urls)] == [()] * 4


OLD_ROLES: LiteralString = """
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'roundledger_service') THEN
        CREATE ROLE roundledger_service NOLOGIN;
    END IF;
END $$;
GRANT USAGE ON SCHEMA roundledger TO roundledger_service;
GRANT SELECT, INSERT ON roundledger.sealed_cards, roundledger.sessions TO roundledger_service;
GRANT SELECT, INSERT, UPDATE (name, parts, password, disabled) ON roundledger.people TO roundledger_service;
"""
OLD_ROWS: LiteralString = """
INSERT INTO roundledger.people (staff_id, name, parts, password) VALUES ('ada', 'Ada', '{admin}', 'scrypt$1$1$1$x$y');
INSERT INTO roundledger.sessions (cookie_hash, staff_id, part) VALUES ('a', 'ada', 'admin');
INSERT INTO roundledger.sessions (cookie_hash, staff_id, part, ended_at) VALUES ('b', 'ada', 'admin', now());
INSERT INTO roundledger.revoked_tokens (token_id, revoked_by, reason) VALUES ('t-1', 'ada', 'lost');
CREATE SCHEMA projections;
CREATE SCHEMA projections_rebuild;
CREATE TABLE projections.positions (name text NOT NULL, place text NOT NULL, position bigint NOT NULL,
    fingerprint text NOT NULL, updated_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (name, place));
CREATE TABLE projections.gaming_days (from_day date PRIMARY KEY, time_zone text NOT NULL, shifts text NOT NULL,
    set_by text NOT NULL, set_at timestamptz NOT NULL DEFAULT now());
CREATE TRIGGER gaming_days_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON projections.gaming_days
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
INSERT INTO projections.gaming_days VALUES ('2026-01-01', 'UTC', '[["all", "04:00"]]', 'm-1');
CREATE TABLE projections.hands (round text PRIMARY KEY);
"""


def test_a_ledger_of_the_version_before_is_as_one_that_is_new(url: str, monkeypatch: pytest.MonkeyPatch):
    """Its schema, its rights and its trail; its reports' tables change hands."""
    with monkeypatch.context() as before:
        before.setattr("infra.schema.migrator.roles", lambda: Migration(0, "roles", OLD_ROLES))
        migrate(url, [migration for migration in numbered() if migration.number <= 500])
    with psycopg.connect(url) as connection:
        connection.execute(OLD_ROWS)
    assert migrate(url).warnings == ()

    database = Database(url)
    found = [*CatalogueAudit().findings(database), *TrailAudit().findings(url)]
    database.close()
    assert found == []
    with psycopg.connect(url) as connection:
        owner = connection.execute("SELECT tableowner FROM pg_tables WHERE tablename = 'hands'").fetchone()
        assert owner == ("roundledger_projector",)
        connection.execute("UPDATE roundledger.people SET parts = '{admin,counter}'")
        connection.execute("UPDATE roundledger.sessions SET ended_at = NULL")
    assert {finding.kind for finding in TrailAudit().findings(url)} == {"trail"}


def test_a_server_that_is_too_old_explains_itself():
    check_server(150_000)
    with pytest.raises(MigrationRefused, match=r"The server is PostgreSQL 14, and the ledger needs 15 or later\."):
        check_server(140_012)


def test_a_view_as_postgresql_15_prints_it_is_the_same_view():
    """It names the table of every column, also where there is only one."""
    (name,) = (one for one in catalogue.expected()["objects"] if one.startswith("rule roundledger.holds_in_force"))
    printed = {name: "SELECT last.number FROM ( SELECT holds.number FROM roundledger.holds) last WHERE last.held;"}
    other = {name: "SELECT number FROM ( SELECT holds.number FROM roundledger.holds) last WHERE held;"}
    assert catalogue.unqualified(printed) == catalogue.unqualified(other)
    assert "FROM roundledger.holds" in catalogue.unqualified(other)[name]
    assert catalogue.unqualified({"table x": "a.b"}) == {"table x": "a.b"}

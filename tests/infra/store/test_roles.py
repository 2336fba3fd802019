"""The store refuses to forget: every statement is tried as every role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import LiteralString
from uuid import uuid4

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege, ModifyingSqlDataNotPermitted
from psycopg.sql import SQL, Identifier

from infra.log.sealer import seal_now
from infra.schema.migrator import READER_ROLE, SERVICE_ROLE
from infra.store.appender import Receipt, SealedCard
from infra.store.recorder import LedgerRecorder
from tests.infra.store.test_recorder import event

ADMINISTRATOR = "administrator"  # superuser and owner of the tables: the login of the tests itself
ROLES = [ADMINISTRATOR, SERVICE_ROLE, READER_ROLE]

INSERTS: dict[str, LiteralString] = {
    "events": "INSERT INTO roundledger.events (originator, originator_version, topic_id, state) "
    "VALUES (1, (random() * 1e9)::int, 1, '')",
    "originators": "INSERT INTO roundledger.originators (originator_id) VALUES (gen_random_uuid())",
    "topics": "INSERT INTO roundledger.topics (topic) VALUES (gen_random_uuid())",
    "sealed_cards": "INSERT INTO roundledger.sealed_cards VALUES (1, (random() * 1e9)::int, 0, 'As', '')",
    "receipts": "INSERT INTO roundledger.receipts (key, fingerprint, outcome) VALUES (gen_random_uuid(), '', '')",
    "log_hashes": "INSERT INTO roundledger.log_hashes VALUES (9, (random() * 1e9)::int, NULL, '')",
    "log_checkpoints": "INSERT INTO roundledger.log_checkpoints (size, last_position, note) VALUES (1, 1, '')",
    "log_keys": "INSERT INTO roundledger.log_keys (key, reason) VALUES (gen_random_uuid(), '')",
}
COLUMN: dict[str, LiteralString] = {
    "events": "state",
    "originators": "originator_id",
    "topics": "topic",
    "sealed_cards": "card",
    "receipts": "outcome",
    "log_hashes": "hashes",
    "log_checkpoints": "note",
    "log_keys": "key",
}
TABLES = list(INSERTS)


@pytest.fixture(scope="module", autouse=True)
def a_row_in_each_table(ledger_url: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    round_ = uuid4()
    with LedgerRecorder(ledger_url) as recorder:
        recorder.insert_events(
            [event(round_, 1)],
            sealed_cards=[SealedCard(round_, 1, 0, "As", b"salt")],
            receipt=Receipt("a key", b"hash", b"answer"),
        )
    seal_now(ledger_url, tmp_path_factory.mktemp("keys"))


@pytest.fixture
def connection(ledger_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(ledger_url, autocommit=True) as connection:
        yield connection


def act_as(connection: psycopg.Connection, role: str) -> None:
    if role != ADMINISTRATOR:
        connection.execute(SQL("SET ROLE {}").format(Identifier(role)))


def changes(table: str) -> list[LiteralString]:
    name: LiteralString = f"roundledger.{table}"
    column = COLUMN[table]
    return [
        f"UPDATE {name} SET {column} = {column}",
        f"UPDATE {name} SET {column} = {column} WHERE false",
        f"DELETE FROM {name}",
        f"DELETE FROM {name} WHERE false",
        f"TRUNCATE {name}",
        f"TRUNCATE {name} RESTART IDENTITY CASCADE",
        f"MERGE INTO {name} t USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE",
        f"WITH gone AS (DELETE FROM {name} RETURNING *) SELECT count(*) FROM gone",
    ]


def rows(connection: psycopg.Connection, table: str) -> list[tuple[object, ...]]:
    return connection.execute(f"SELECT * FROM roundledger.{table} ORDER BY 1, 2").fetchall()


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", TABLES)
def test_nobody_changes_what_is_recorded(connection: psycopg.Connection, table: str, role: str):
    before = rows(connection, table)
    assert before
    act_as(connection, role)
    for statement in changes(table):
        # The roles have no right to it; for whoever has every right there are the triggers.
        refusal = ModifyingSqlDataNotPermitted if role == ADMINISTRATOR else InsufficientPrivilege
        with pytest.raises(refusal):
            connection.execute(statement)
    connection.execute("RESET ROLE")
    assert rows(connection, table) == before


@pytest.mark.parametrize("table", TABLES)
def test_switching_triggers_off_by_pretending_to_be_a_replica_does_not_help(connection: psycopg.Connection, table: str):
    connection.execute("SET session_replication_role = replica")
    for statement in changes(table):
        with pytest.raises(ModifyingSqlDataNotPermitted):
            connection.execute(statement)


def test_an_insert_that_would_overwrite_is_refused(connection: psycopg.Connection):
    with pytest.raises(ModifyingSqlDataNotPermitted):
        connection.execute(
            "INSERT INTO roundledger.events (originator, originator_version, topic_id, state) VALUES (1, 1, 1, 'x') "
            "ON CONFLICT (originator, originator_version) DO UPDATE SET state = excluded.state"
        )


@pytest.mark.parametrize("table", TABLES)
def test_the_service_adds_and_reads(connection: psycopg.Connection, table: str):
    act_as(connection, SERVICE_ROLE)
    connection.execute(INSERTS[table])
    if table in ("sealed_cards", "receipts"):  # reached by functions only, see tests/security/test_database_roles.py
        with pytest.raises(InsufficientPrivilege):
            rows(connection, table)
    else:
        assert rows(connection, table)


@pytest.mark.parametrize("table", TABLES)
def test_the_reader_adds_nothing(connection: psycopg.Connection, table: str):
    act_as(connection, READER_ROLE)
    with pytest.raises(InsufficientPrivilege):
        connection.execute(INSERTS[table])


def test_the_reader_reads_events(connection: psycopg.Connection):
    act_as(connection, READER_ROLE)
    for table in ("events", "originators", "topics", "event_log", "log_hashes", "log_checkpoints", "log_keys"):
        assert rows(connection, table)


@pytest.mark.parametrize("table", ["sealed_cards", "receipts"])
def test_the_reader_sees_no_sealed_card_and_no_receipt(connection: psycopg.Connection, table: str):
    act_as(connection, READER_ROLE)
    with pytest.raises(InsufficientPrivilege):
        rows(connection, table)


def test_the_reader_cannot_append(connection: psycopg.Connection):
    act_as(connection, READER_ROLE)
    with pytest.raises(InsufficientPrivilege):
        connection.execute("SELECT roundledger.append('{}', '{}', '{}', '{}', '{}')")


@pytest.mark.parametrize("column", ["position", "recorded_at"])
def test_the_service_cannot_choose_an_events_place_or_time(connection: psycopg.Connection, column: LiteralString):
    act_as(connection, SERVICE_ROLE)
    value: LiteralString = {"position": "-1", "recorded_at": "now()"}[column]
    with pytest.raises(InsufficientPrivilege):
        connection.execute(
            f"INSERT INTO roundledger.events ({column}, originator, originator_version, topic_id, state) "
            f"OVERRIDING SYSTEM VALUE VALUES ({value}, 1, 99, 1, '')"
        )


@pytest.mark.parametrize("statement", ["DELETE FROM", "TRUNCATE"])
def test_which_log_it_is_stays(connection: psycopg.Connection, statement: LiteralString):
    with pytest.raises(ModifyingSqlDataNotPermitted):
        connection.execute(f"{statement} roundledger.log_identity")
    act_as(connection, SERVICE_ROLE)
    with pytest.raises(InsufficientPrivilege):
        connection.execute("INSERT INTO roundledger.log_identity VALUES (gen_random_uuid())")


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE roundledger.events",
        "ALTER TABLE roundledger.events DISABLE TRIGGER ALL",
        "DROP TRIGGER events_stay ON roundledger.events",
        "CREATE OR REPLACE FUNCTION roundledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
        "SELECT setval('roundledger.events_position_seq', 1)",
        "SET session_replication_role = replica",
        "CREATE TABLE roundledger.mine ()",
        "DELETE FROM roundledger.migrations",
    ],
)
@pytest.mark.parametrize("role", [SERVICE_ROLE, READER_ROLE])
def test_the_roles_cannot_take_the_guard_away(connection: psycopg.Connection, role: str, statement: LiteralString):
    act_as(connection, role)
    with pytest.raises(InsufficientPrivilege):
        connection.execute(statement)


def test_a_stranger_sees_nothing(connection: psycopg.Connection):
    stranger = Identifier(f"stranger_{uuid4().hex}")
    connection.execute(SQL("CREATE ROLE {}").format(stranger))
    try:
        connection.execute(SQL("SET ROLE {}").format(stranger))
        for table in TABLES:
            with pytest.raises(InsufficientPrivilege):
                rows(connection, table)
    finally:
        connection.execute("RESET ROLE")
        connection.execute(SQL("DROP ROLE {}").format(stranger))

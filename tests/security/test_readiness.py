"""Promise: a service that cannot store anything does not say that it is ready."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import LiteralString

import psycopg
import pytest
from fastapi.testclient import TestClient
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from tests.api.service import open_service
from tests.databases import migrated_database

PATIENCE_SECONDS = 120.0
SESSION = {"ruleset": "uth-house", "terms": {"trips": "UTH-04"}}

# As a full disk answers: error 53100.
FULL: LiteralString = """
CREATE FUNCTION public.disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF octet_length(NEW.state) >= TG_ARGV[0]::integer THEN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
    END IF;
    RETURN NEW;
END
$$
"""


@pytest.fixture
def url(server_url: str) -> Iterator[str]:
    with migrated_database(server_url) as url:
        yield url


@pytest.fixture
def client(url: str) -> Iterator[TestClient]:
    with open_service(url) as client:
        yield client


@pytest.fixture
def administrator(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def stores(client: TestClient, table: str) -> bool:
    return client.post(f"/v1/tables/{table}/sessions", json=SESSION).status_code == 201


def says(client: TestClient, ready: bool) -> bool:
    """Within a while: how it was a moment ago is answered again for a second."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        answer = client.get("/readyz")
        if (answer.status_code == 200) is ready:
            assert answer.json()["writes"] is ready
            return True
        time.sleep(0.1)
    return False


def test_a_service_without_the_right_to_store_events(client: TestClient, administrator: psycopg.Connection):
    assert says(client, ready=True)
    administrator.execute("REVOKE INSERT ON roundledger.events FROM roundledger_service")
    administrator.execute(
        "REVOKE INSERT (originator, originator_version, topic_id, state) ON roundledger.events FROM roundledger_service"
    )
    assert not stores(client, "t1")
    assert says(client, ready=False)
    administrator.execute(
        "GRANT INSERT (originator, originator_version, topic_id, state) ON roundledger.events TO roundledger_service"
    )
    assert says(client, ready=True)
    assert stores(client, "t2")


def test_a_database_that_may_only_be_read(client: TestClient, administrator: psycopg.Connection):
    name = Identifier(str(conninfo_to_dict(administrator.info.dsn)["dbname"]))
    administrator.execute(SQL("ALTER DATABASE {} SET default_transaction_read_only = on").format(name))
    _disconnect_all(administrator)
    assert says(client, ready=False)
    assert not stores(client, "t1")
    administrator.execute("SET default_transaction_read_only = off")
    administrator.execute(SQL("ALTER DATABASE {} RESET default_transaction_read_only").format(name))
    _disconnect_all(administrator)
    assert says(client, ready=True)
    assert stores(client, "t2")


def _disconnect_all(administrator: psycopg.Connection) -> None:
    administrator.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )


def test_a_full_disk_on_which_a_little_still_finds_room(client: TestClient, administrator: psycopg.Connection):
    """After a write that failed it is not enough that a small one would fit into the last page."""
    administrator.execute(FULL)
    _fill(administrator, 0)
    assert not stores(client, "t1")
    assert says(client, ready=False)
    _fill(administrator, 1_000)
    assert not says_otherwise(client), "room for a byte is not room"
    administrator.execute("DROP TRIGGER full_disk ON roundledger.events")
    assert says(client, ready=True)
    assert stores(client, "t2")


def _fill(administrator: psycopg.Connection, from_bytes: int) -> None:
    administrator.execute("DROP TRIGGER IF EXISTS full_disk ON roundledger.events")
    administrator.execute(
        SQL(
            "CREATE TRIGGER full_disk BEFORE INSERT ON roundledger.events "
            "FOR EACH ROW EXECUTE FUNCTION public.disk_full({})"
        ).format(from_bytes)
    )


def says_otherwise(client: TestClient) -> bool:
    """Whether it says that it is ready, asked anew and not as a moment ago."""
    client.app.state.service.ledger.events.recorder.write_probe.suspect()  # type: ignore[attr-defined]
    return client.get("/readyz").status_code == 200


def test_asking_leaves_nothing_in_the_ledger(client: TestClient, administrator: psycopg.Connection):
    assert stores(client, "t1")
    before = administrator.execute("SELECT count(*), max(position) FROM roundledger.events").fetchone()
    assert says(client, ready=True)
    client.app.state.service.ledger.events.recorder.write_probe.suspect()  # type: ignore[attr-defined]
    assert says(client, ready=True)
    assert administrator.execute("SELECT count(*), max(position) FROM roundledger.events").fetchone() == before
    assert stores(client, "t2")

"""Migrations do not stop writers: what would lock a table for long is refused in their files, and locks are not waited
for in the way of others."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import psycopg
import pytest

from infra.schema import migrator
from infra.schema.migrator import Migration, MigrationRefused, migrate, numbered

RELEASED = 800  # the last file of version 0.2.0; those before it filled empty tables
SMALL = {"people", "migrations", "log_keys", "log_identity", "log_published", "property_names", "gaming_days", "topics"}
NAME = r"(?:ONLY\s+)?(?:roundledger|projections)\.(\w+)"
LONG = (
    (rf"CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY).*? ON {NAME}", "an index on a table that is there, not CONCURRENTLY"),
    (rf"ALTER TABLE {NAME} .*\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b", "a column that is written anew"),
    (rf"ALTER TABLE {NAME} .*\bSET NOT NULL\b", "SET NOT NULL, which reads the table: a CHECK ... NOT VALID first"),
    (rf"ALTER TABLE {NAME} (?!.*NOT VALID).*\bADD (?:CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN)\b", "not NOT VALID"),
    (rf"ALTER TABLE {NAME} .*\bADD COLUMN\b.*(?:GENERATED|REFERENCES|UNIQUE|DEFAULT\s+\w+\()", "fills every row"),
    (rf"(?:UPDATE|DELETE FROM) {NAME}", "rows that are changed all at once"),
    (rf"(?:LOCK TABLE|CLUSTER|VACUUM FULL|REINDEX TABLE) {NAME}", "a lock on the whole table"),
)


def statements(sql: str) -> Iterator[str]:
    """Without comments and bodies of functions, on one line each."""
    bare = re.sub(r"\$(\w*)\$.*?\$\1\$", "''", re.sub(r"--[^\n]*", "", sql), flags=re.DOTALL)
    return (" ".join(statement.split()) for statement in bare.split(";") if statement.strip())


def made_in(sql: str) -> set[str]:
    return set(re.findall(rf"CREATE TABLE (?:IF NOT EXISTS )?{NAME}", sql))


def stopping(migration: Migration) -> list[str]:
    """What in a file would keep writers waiting; tables that it makes itself are nobody's yet."""
    own = made_in(migration.sql) | SMALL
    return [
        f"{migration.number:04}_{migration.name}: {why}: {statement[:100]}"
        for statement in statements(migration.sql)
        for pattern, why in LONG
        if (found := re.match(pattern, statement, re.IGNORECASE)) and found[1] not in own
    ]


def test_no_migration_locks_a_table_for_long():
    assert [fault for one in numbered() if one.number > RELEASED for fault in stopping(one)] == []


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE INDEX i ON roundledger.events (topic_id)",
        "ALTER TABLE roundledger.events ALTER COLUMN state TYPE text",
        "ALTER TABLE roundledger.events ALTER COLUMN state SET NOT NULL",
        "ALTER TABLE roundledger.events ADD CONSTRAINT c CHECK (position > 0)",
        "ALTER TABLE roundledger.events ADD COLUMN at timestamptz DEFAULT clock_timestamp()",
        "UPDATE roundledger.reads SET by = 'nobody'",
        "LOCK TABLE roundledger.events",
    ],
)
def test_what_would_is_found(sql: str):
    assert len(stopping(Migration(9000, "long", f"-- why\n{sql};\n"))) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE roundledger.new (a int); CREATE INDEX i ON roundledger.new (a); UPDATE roundledger.new SET a = 1",
        "CREATE INDEX CONCURRENTLY i ON roundledger.events (topic_id)",
        "ALTER TABLE roundledger.events ADD COLUMN note text",
        "ALTER TABLE roundledger.events ADD CONSTRAINT c CHECK (position > 0) NOT VALID",
        "CREATE FUNCTION roundledger.f() RETURNS void LANGUAGE sql AS $$ UPDATE roundledger.events SET state = '' $$",
    ],
)
def test_what_would_not_is_accepted(sql: str):
    assert stopping(Migration(9000, "short", sql)) == []


def test_a_migration_does_not_wait_in_the_way_of_writers(url: str, monkeypatch: pytest.MonkeyPatch):
    """A reader keeps the table for a while: the migration lets go in between, and is applied when it is free."""
    monkeypatch.setattr(migrator, "LOCK_SECONDS", 0.1)
    monkeypatch.setattr(migrator, "PAUSE_SECONDS", 0.1)
    column = Migration(9000, "column", "ALTER TABLE roundledger.events ADD COLUMN note text")
    with psycopg.connect(url) as reader:
        reader.execute("SELECT count(*) FROM roundledger.events")
        monkeypatch.setattr(migrator, "PATIENCE_SECONDS", 0.5)
        with pytest.raises(MigrationRefused, match="Stop the service first"):
            migrate(url, [*numbered(), column])
        monkeypatch.setattr(migrator, "PATIENCE_SECONDS", 60.0)
        waiting = threading.Thread(target=migrate, args=(url, [*numbered(), column]))
        waiting.start()
        reader.execute("SELECT 1")
        reader.rollback()
        waiting.join()
    assert migrate(url, [*numbered(), column]).applied == ()


def test_an_index_is_built_beside_writers_and_by_one_of_several(url: str):
    """Also while others wait for their turn; what a broken build left behind is replaced."""
    drop = "DROP INDEX CONCURRENTLY IF EXISTS roundledger.i;\n"
    index = Migration(9000, "index", f"{drop}CREATE INDEX CONCURRENTLY i ON roundledger.events (topic_id);\n")
    applied: list[tuple[str, ...]] = []
    others = [
        threading.Thread(target=lambda: applied.append(migrate(url, [*numbered(), index]).applied)) for _ in range(3)
    ]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE INDEX i ON roundledger.events (position)")
        for other in others:
            other.start()
        for other in others:
            other.join()
        found = connection.execute("SELECT pg_get_indexdef('roundledger.i'::regclass)").fetchone()
    assert sorted(applied) == [(), (), ("9000_index",)]
    assert found is not None
    assert "(topic_id)" in found[0]

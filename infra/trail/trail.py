"""Digests of the trail: which tables are covered, how a row is hashed, and the event (domain/audit/trail_digest.py)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from eventsourcing.persistence import MapperDeserialisationError, StoredEvent
from msgspec import Struct
from psycopg.sql import SQL, Composable, Composed, Identifier

from domain.audit.trail_digest import Covered, TrailRecorded
from infra.store.appender import Conflict
from infra.store.database import Cursor, Database
from infra.store.encoding.mapper import RecordedEvent, TypedMapper
from infra.store.encoding.topics import TOPICS
from infra.store.recorder import LedgerRecorder
from infra.store.streams import stream_id

STREAM: UUID = stream_id("trail", "ledger")
MARK_BYTES = 4
ROWS_AT_ONCE = 4_096  # per table in one event
DUE_SECONDS = 3_600  # how often a service takes a digest; once a day is promised


class TrailTable(Struct, frozen=True):
    """`columns` are covered from the next digest on; what earlier ones covered is in their own event."""

    name: str
    number: str
    columns: tuple[str, ...]
    final: bool = True  # whether rows never change; otherwise one is covered once it has ended
    least: int = 1  # the lowest possible number of a row; rows are covered from 1 on


TABLES = (
    TrailTable("roundledger.reads", "read_id", ("read_at", "by", "role", "what", "subject", "request_id")),
    TrailTable(
        "roundledger.people_changes",
        "change_id",
        ("changed_at", "changed_by", "staff_id", "change", "became", "second"),
    ),
    TrailTable(
        "roundledger.tokens",
        "number",
        ("token_id", "holder", "machine", "part", "way", "made_at", "made_by", "second", "ends_at"),
    ),
    TrailTable(
        "roundledger.secret_changes",
        "change_id",
        ("changed_at", "changed_by", "staff_id", "number", "kind", "change", "became"),
    ),
    TrailTable(
        "roundledger.session_changes",
        "change_id",
        ("changed_at", "cookie_hash", "staff_id", "part", "ended", "claimed", "way"),
    ),
    TrailTable("roundledger.sign_ins", "sign_in_id", ("tried_at", "staff_id", "address", "accepted", "way")),
    TrailTable("roundledger.factor_demands", "number", ("roles", "set_by", "set_at")),
    TrailTable("roundledger.revoked_tokens", "number", ("token_id", "revoked_by", "reason", "revoked_at")),
    TrailTable(
        "roundledger.audits",
        "number",
        (
            *("audit_id", "started_at", "started_by", "asked", "state", "heard_at", "ended_at", "done", "total"),
            *("rounds", "findings", "notes", "summary", "error", "place"),
        ),
        final=False,
    ),
    TrailTable("roundledger.audit_findings", "finding_id", ("audit_id", "number", "finding")),
    TrailTable("roundledger.audit_notes", "note_id", ("audit_id", "number", "note")),
    TrailTable("projections.gaming_days", "number", ("from_day", "time_zone", "shifts", "set_by", "set_at")),
    TrailTable("roundledger.property_names", "number", ("name", "address", "set_by", "set_at")),
    TrailTable(
        "roundledger.seal_sessions",
        "number",
        ("announced_at", "login", "address", "program", "backend_pid"),
    ),
    TrailTable("roundledger.log_keys", "number", ("key", "reason", "added_at")),
    TrailTable("roundledger.log_published", "number", ("size", "note", "added_at")),
    TrailTable("roundledger.log_checkpoints", "number", ("size", "last_position", "note", "sealed_at")),
    TrailTable("roundledger.log_named", "number", ("size", "named_in", "named_at")),
    TrailTable("roundledger.holds", "number", ("kind", "subject", "held", "since", "reason", "set_by", "set_at")),
    TrailTable(
        "roundledger.removals",
        "number",
        (
            *("removed_at", "removed_by", "source", "before", "rows", "digest_version"),
            *("left_numbers", "left_digest", "left_marks"),
        ),
    ),
    TrailTable("roundledger.migrations", "number", ("name", "checksum", "applied_at"), least=0),  # 0: roles.sql
)


def covered_numbers(covered: Covered) -> list[int]:
    """Return the numbers of the rows that a digest covers, in order."""
    absent = set(covered.absent)
    return sorted([*(at for at in range(covered.after + 1, covered.upto + 1) if at not in absent), *covered.late])


# ---- rows and their hashes


# A row's text must be the same for every session.
SAME_TEXT = (
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL bytea_output = 'hex'",
    "SET LOCAL extra_float_digits = 1",
)


def hash_of_row(number: str, columns: Sequence[str]) -> Composed:
    names = SQL(", ").join(map(Identifier, (number, *columns)))
    return SQL("sha256(convert_to(ROW({})::text, 'UTF8'))").format(names)


def table_named(name: str) -> Identifier:
    return Identifier(*name.split("."))


def hashes(
    cursor: Cursor, table: TrailTable, columns: Sequence[str], where: Composable, values: Sequence[Any], limit: int
) -> dict[int, bytes]:
    """Return the hashes of rows by number, in that order."""
    statement = SQL("SELECT {0}::int8, {1} FROM {2} WHERE {3} ORDER BY {0} LIMIT %s").format(
        Identifier(table.number), hash_of_row(table.number, columns), table_named(table.name), where
    )
    return {number: bytes(hash_) for number, hash_ in cursor.execute(statement, [*values, limit]).fetchall()}


# ---- surroundings of a digest


GUARDS = (
    "SELECT n.nspname || '.' || c.relname || '.' || t.tgname, t.oid || '/' || t.xmin FROM pg_trigger t "
    "JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname IN ('roundledger', 'projections') AND NOT t.tgisinternal"
)
SURROUNDINGS = (
    "SELECT (SELECT string_agg(log_id::text, ', ' ORDER BY log_id) FROM roundledger.log_identity), "
    "(SELECT system_identifier FROM pg_control_system()) || '/' || "
    "(SELECT oid FROM pg_database WHERE datname = current_database()), "
    "pg_snapshot_xmin(pg_current_snapshot())::text::int8, pg_snapshot_xmax(pg_current_snapshot())::text::int8, "
    "ARRAY(SELECT number FROM roundledger.migrations WHERE number > 0 ORDER BY number)"
)


class Surroundings(NamedTuple):
    log: str
    place: str
    oldest: int  # transaction that has not ended
    horizon: int
    migrations: tuple[int, ...]
    triggers: dict[str, str]


def surroundings(cursor: Cursor) -> Surroundings:
    row = cursor.execute(SURROUNDINGS).fetchone()
    assert row is not None
    log, place, oldest, horizon, migrations = row
    triggers: dict[str, str] = dict(cursor.execute(GUARDS).fetchall())
    return Surroundings(
        log=log or "", place=place, oldest=oldest, horizon=horizon, migrations=tuple(migrations), triggers=triggers
    )


# ---- digests


class Digests:
    """The trail's stream of events."""

    def __init__(self, database_url: str) -> None:
        self._recorder = LedgerRecorder(database_url, connections_at_most=2)
        self._mapper = TypedMapper(TOPICS)
        self.database: Database = self._recorder.database

    def __enter__(self) -> Digests:
        return self

    def __exit__(self, *_: object) -> None:
        self._recorder.close()

    def events(self, page: int = 100) -> Iterator[tuple[int, int, TrailRecorded | None]]:
        """Yield digests with versions and times, oldest first; None for an unreadable one."""
        after = 0
        while stored := self._recorder.select_events(STREAM, gt=after, limit=page):
            for row in stored:
                yield row.originator_version, *self._read(row)
            after = stored[-1].originator_version

    def last(self) -> tuple[int, int, TrailRecorded | None] | None:
        """Return the version, time (milliseconds since 1970) and content of the last digest."""
        for row in self._recorder.select_events(STREAM, desc=True, limit=1):
            return row.originator_version, *self._read(row)
        return None

    def _read(self, row: StoredEvent) -> tuple[int, TrailRecorded | None]:
        try:
            entry = self._mapper.decode(row.topic, row.state)
        except MapperDeserialisationError:
            return 0, None
        return entry.at_ms, entry.event if isinstance(entry.event, TrailRecorded) else None

    def take(self, by: str, now_ms: int | None = None) -> int:
        """Cover what is not covered yet; return the number of rows. If somebody else does so at the same time, theirs
        is used."""
        rows = 0
        while True:
            last = self.last()
            version, before = (0, None) if last is None else (last[0], last[2])
            digest, more = self.database.read(partial(_digest, before=before))
            recorded = RecordedEvent(
                originator_id=STREAM,
                originator_version=version + 1,
                event=digest,
                by=by,
                at_ms=time.time_ns() // 1_000_000 if now_ms is None else now_ms,
            )
            try:
                self._recorder.insert_events(self._mapper.encode([recorded]))
            except Conflict:
                return rows
            rows += sum(len(covered.marks) // MARK_BYTES for covered in digest.covered)
            if not more:
                return rows

    def take_if_due(self, by: str, now_ms: int, due_seconds: float = DUE_SECONDS) -> bool:
        last = self.last()
        if last is not None and now_ms - last[1] < due_seconds * 1000:
            return False
        self.take(by, now_ms)
        return True


def take_digest(database_url: str, by: str) -> int:
    with Digests(database_url) as digests:
        return digests.take(by)


def _digest(cursor: Cursor, before: TrailRecorded | None) -> tuple[TrailRecorded, bool]:
    """Return one snapshot of all tables, and whether one has more rows than fit into an event."""
    known = {} if before is None else {covered.table: covered for covered in before.covered}
    with cursor.connection.transaction():
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        for setting in SAME_TEXT:
            cursor.execute(setting)
        around = surroundings(cursor)
        # Transactions open at the last digest have ended: a number without a row by now will never get one.
        ended = before is not None and around.oldest >= before.horizon
        covered = [_cover(cursor, table, known.get(table.name), ended) for table in TABLES]
    digest = TrailRecorded(
        covered=tuple(covered),
        log=around.log,
        place=around.place,
        horizon=around.horizon,
        migrations=around.migrations,
        triggers=around.triggers,
    )
    return digest, any(len(it.marks) == ROWS_AT_ONCE * MARK_BYTES for it in covered)


def _cover(cursor: Cursor, table: TrailTable, before: Covered | None, ended: bool) -> Covered:
    after, open_ = (0, ()) if before is None else (before.upto, before.open)
    number = Identifier(table.number)
    final = SQL("true") if table.final else SQL("ended_at IS NOT NULL")
    late: Mapping[int, bytes] = {}
    if open_:
        where = SQL("{} = ANY(%s) AND {}").format(number, final)
        late = hashes(cursor, table, table.columns, where, [list(open_)], len(open_))
    new = hashes(cursor, table, table.columns, SQL("{} > %s AND {}").format(number, final), [after], ROWS_AT_ONCE)
    upto = max(new, default=after)
    unused = tuple(at for at in range(after + 1, upto) if at not in new)
    there = set[int]()
    if open_ and ended:
        statement = SQL("SELECT {0}::int8 FROM {1} WHERE {0} = ANY(%s)").format(number, table_named(table.name))
        there = {row[0] for row in cursor.execute(statement, [list(open_)]).fetchall()}
    still = tuple(at for at in open_ if at not in late and (not ended or at in there))
    covered = {**late, **new}
    return Covered(
        table=table.name,
        columns=table.columns,
        after=after,
        upto=upto,
        absent=unused,
        late=tuple(late),
        digest=sha256(b"".join(covered[at] for at in sorted(covered))).digest(),
        marks=b"".join(covered[at][:MARK_BYTES] for at in sorted(covered)),
        open=still + unused,
    )

"""A ledger with a row in every table of the record, audited, and what a superuser does to it with its guard off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from domain.audit.findings import Finding
from infra.access.factors import Factors
from infra.access.sessions import Sessions, SignInRefused
from infra.access.staff import Staff, StaffMember
from infra.access.tokens import Tokens
from infra.housekeeping.holds import Holds
from infra.ledger.audit_runs import AuditRuns
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.ledger.property import Property, set_property
from infra.log.checkpoints import sign
from infra.log.keys import new_signer
from infra.log.restored_log import remember_published
from infra.log.sealer import Sealer
from infra.log.stored_log import LogReader
from infra.trail.looks import Looks
from projections.audit.audit_process import on_record
from projections.audit.run import Audit
from projections.calendar.gaming_day_settings import set_gaming_days
from projections.calendar.gaming_days import Calendar, Shift
from projections.engine.runner import Runner
from tests.databases import migrated_database
from tests.tables_in_play import ACTOR, bank_round, new_table

PASSWORD = "a long enough one"


@contextmanager
def covered_ledger(server_url: str, keys: Path) -> Iterator[str]:
    """Sealed, and with a digest of its trail."""
    with migrated_database(server_url) as url:
        leave_a_trail(url)
        with Runner(url) as runner:
            runner.catch_up()
        for _ in range(2):  # what is sealed has a checkpoint, which is covered in its turn
            with Sealer(url, keys) as sealer:
                sealer.seal()
            audited(url)  # takes a digest
        yield url


def leave_a_trail(url: str) -> None:
    ledger = Ledger(url)
    try:
        table = new_table()
        stored = ledger.record(bank_round(table), ACTOR)
        count_two_boxes(Floor(ledger), table)
        ledger.record(bank_round(table, end="open"), ACTOR)
        ledger.load(stored["id"])
        database = ledger.events.recorder.database
        looks, people, sessions, audits = Looks(database), Staff(database), Sessions(database), AuditRuns(database)
        for subject in ("r-1", "r-2", "r-3"):
            looks.record("oli", "auditor", "round", subject, "q-1")
        Tokens(database).revoke("t-1", "ada", "lost")
        people.add_admin("ada", "Ada", PASSWORD)
        people.add_admin("eve", "Eve", PASSWORD)
        people.add(StaffMember("oli", "Oli", ("auditor",), False), PASSWORD, "ada", "eve")
        people.add(StaffMember("lou", "Lou", ("floor", "counter"), False), PASSWORD, "ada", "eve")
        cookie = sessions.sign_in("lou", PASSWORD, "10.0.0.1")
        sessions.take_part(cookie, "counter")
        sessions.sign_out(sessions.sign_in("oli", PASSWORD, "10.0.0.1"))
        with pytest.raises(SignInRefused):
            sessions.prove("ada", "not hers at all", "10.0.0.1")  # a refused second signature
        factors = Factors(database)
        factors.add("oli", "totp", "an app", b"seed")
        factors.add("ada", "passkey", "her phone", b"public key", b"handle")
        factors.demand(["admin"], "ada")
        Tokens(database).make("oli", "auditor", "t-2", 30, "ada", ("auditor",), "eve")
        set_property(database, Property("Harbor Card Club", "1 Example Wharf"), "ada")
        audits.start("a-1", "oli", "{}")
        audits.add("a-1", "finding", 1, ['{"kind": "line"}', '{"kind": "fee"}'])
        audits.add("a-1", "note", 1, ['{"kind": "wording"}', '{"kind": "time"}'])
        audits.end("a-1", "done", "{}")
        Holds(ledger).place("round", stored["id"], "A claim is expected.", "ada")
        Holds(ledger).lift("round", stored["id"], "There was none.", "ada")
        for size in (1, 2):
            LogReader(database).name(size, "a test")
            remember_published(url, sign("casino.example/other", size, bytes(32), [new_signer("casino.example/other")]))
    finally:
        ledger.close()
    with psycopg.connect(url, autocommit=True) as connection:
        for key in ("old-1", "old-2"):
            connection.execute("INSERT INTO roundledger.receipts VALUES (%s, '', '', '2010-01-01Z')", [key])
            connection.execute("SELECT roundledger.remove_receipts(30, 1, 'ada')")
        now = datetime(2026, 7, 31, 12, tzinfo=ZoneInfo("America/Los_Angeles"))
        set_gaming_days(connection, Calendar(date(2026, 8, 1), "America/Chicago", (Shift("all", time(4)),)), "m-1", now)


def count_two_boxes(floor: Floor, table: str) -> None:
    """One by two people, who agree; the other by one, whose count stays sealed."""
    for number in (2, 3):
        floor.swap_box(table, f"{table}-box-{number}", f"seal-{number}", "c-1", ACTOR)
    for box, counters in ((1, ("c-1", "c-2")), (2, ("c-1",))):
        for counter in counters:
            floor.count_blind(f"{table}-box-{box}", {100: 1}, Actor(counter, ACTOR.at_ms))


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
def guard_off(connection: psycopg.Connection, *tables: str) -> Iterator[None]:
    """Triggers and keys of tables disabled, and afterwards as they were."""
    for table in tables:
        connection.execute(SQL("ALTER TABLE {} DISABLE TRIGGER ALL").format(Identifier(*table.split("."))))
    try:
        yield
    finally:
        for table in tables:
            _guard_on(connection, table)


def _guard_on(connection: psycopg.Connection, table: str) -> None:
    name = Identifier(*table.split("."))
    triggers = connection.execute(
        "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal", [table]
    ).fetchall()
    connection.execute(SQL("ALTER TABLE {} ENABLE TRIGGER ALL").format(name))
    for (trigger,) in triggers:
        connection.execute(SQL("ALTER TABLE {} ENABLE ALWAYS TRIGGER {}").format(name, Identifier(trigger)))

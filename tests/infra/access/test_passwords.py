"""Hashes of passwords: Argon2id, older ones renewed at the next sign-in, and passwords that were used before."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from infra.access import passwords
from infra.access.role_matrix import NotAllowed
from infra.access.sessions import Sessions, SignInRefused
from infra.access.staff import Staff
from infra.store.database import Database
from infra.trail.trail_audit import TrailAudit

PASSWORD = "a long enough one"
SCRYPT = "scrypt$1024$8$1$c2FsdHNhbHRzYWx0c2FsdA==$"  # how hashes began up to version 0.2


@pytest.fixture(scope="module")
def database(ledger_url: str) -> Iterator[Database]:
    database = Database(ledger_url)
    Staff(database).add_admin("ada", "Ada", PASSWORD)
    yield database
    database.close()


def stored_hash(url: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT password FROM roundledger.people WHERE staff_id = 'ada'").fetchone()
    assert row is not None
    return str(row[0])


def changes(database: Database) -> list[str]:
    return [change["change"] for change in Staff(database).changes(100)]


def test_a_password_is_derived_again_from_how_its_hash_begins():
    stored = passwords.hashed(PASSWORD)
    beginning = stored.rpartition("$")[0] + "$"
    assert beginning.startswith("$argon2id$v=19$m=47104,t=1,p=1$")
    assert passwords.derived(PASSWORD, beginning) == stored
    assert passwords.derived("another password", beginning) != stored
    assert not passwords.is_outdated(beginning)
    weaker = beginning.replace("m=47104", "m=19456")
    assert passwords.is_outdated(weaker)
    assert passwords.derived(PASSWORD, weaker).startswith(weaker)


def test_an_old_hash_still_counts_and_is_renewed_at_the_next_sign_in(
    ledger_url: str, database: Database, monkeypatch: pytest.MonkeyPatch
):
    old = passwords.derived(PASSWORD, SCRYPT)
    with monkeypatch.context() as before:
        before.setattr(passwords, "hashed", lambda password: passwords.derived(password, SCRYPT))
        Staff(database).change("ada", "ada", password=PASSWORD)
    assert stored_hash(ledger_url) == old
    sessions = Sessions(database)
    with pytest.raises(SignInRefused):
        sessions.sign_in("ada", "not hers at all", "10.0.0.1")
    assert stored_hash(ledger_url) == old, "only whoever gives the password has it hashed anew"
    sessions.prove("ada", PASSWORD, "10.0.0.1")
    cookie = sessions.sign_in("ada", PASSWORD, "10.0.0.1")
    assert stored_hash(ledger_url).startswith(passwords.CURRENT)
    assert sessions.find(cookie, 60, 60) is not None, "no session ends"
    assert sessions.sign_in("ada", PASSWORD, "10.0.0.1")
    assert changes(database).count("password hashed anew") == 1
    assert list(TrailAudit().findings(ledger_url)) == []


def test_whoever_holds_the_connection_renews_nothing_without_a_sign_in(ledger_url: str, database: Database):
    Staff(database).change("ada", "ada", password="not signed in with yet")
    present = stored_hash(ledger_url)
    with psycopg.connect(ledger_url) as connection:
        connection.execute("SET ROLE roundledger_service")
        connection.execute("SELECT roundledger.renew_password_hash('ada', 'guessed', 'mine')")
        with pytest.raises(InsufficientPrivilege):
            connection.execute("SELECT secret FROM roundledger.secrets")
    assert stored_hash(ledger_url) == present


def test_earlier_passwords_are_refused_where_the_property_wants_it(ledger_url: str, database: Database):
    staff = Staff(database)
    for password in ("the first of three", "the second of three", "the third of three"):
        staff.check_unused("ada", password, 3)
        staff.change("ada", "ada", password=password)
    for password in ("the first of three", "the third of three"):
        with pytest.raises(NotAllowed, match="one of your last 3"):
            staff.check_unused("ada", password, 3)
    staff.check_unused("ada", "the first of three", 2)
    staff.check_unused("ada", "the third of three", 0)
    with psycopg.connect(ledger_url) as connection:
        compared = connection.execute(
            "SELECT count(*) FROM roundledger.secret_changes WHERE change = 'compared with earlier ones'"
        ).fetchone()
    assert compared == (6,), "what tells whether a guess is right is on record"
    for _ in range(4):
        staff.check_unused("ada", "never used", 3)
    with pytest.raises(NotAllowed, match="too often"):
        staff.check_unused("ada", "never used", 3)
    assert list(TrailAudit().findings(ledger_url)) == []

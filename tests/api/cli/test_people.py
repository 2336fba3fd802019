"""`roundledger people`: who may sign in, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from api.cli.main import app
from infra.access.factors import Factors
from infra.access.role_matrix import NotAllowed
from infra.access.sessions import Sessions, SignInRefused
from infra.access.staff import Staff
from infra.schema.migrator import migrate
from infra.store.database import Database

PASSWORD = "correct horse battery"


@pytest.fixture
def url(new_database: Callable[[], str]) -> str:
    url = new_database()
    migrate(url)
    return url


SIGNED = ("--by", "boss-1", "--second", "boss-2")


def run(url: str, *arguments: str, passwords: tuple[str, ...] = ()) -> Result:
    given = ["people", *arguments, "--database-url", url]
    typed = "".join(f"{password}\n" for password in passwords)
    return CliRunner().invoke(app, [*given, "--password-stdin"] if passwords else given, input=typed)


def add(url: str, staff_id: str, *roles: str, password: str = PASSWORD, signed: tuple[str, ...] = ()) -> Result:
    named = [text for role in roles for text in ("--role", role)]
    arguments = ("add", staff_id, "--name", f"Name of {staff_id}", *named, *(SIGNED if signed else ()))
    return run(url, *arguments, passwords=(password, *signed))


def two_admins(url: str) -> None:
    for boss in ("boss-1", "boss-2"):
        assert add(url, boss, "admin").exit_code == 0


def test_somebody_is_added_and_signs_in(url: str):
    assert add(url, "boss-1", "admin").exit_code == 0
    assert add(url, "dealer-1", "terminal:t1", "terminal:t2").exit_code == 0
    listed = run(url, "list").stdout
    assert listed == "boss-1\tName of boss-1\tadmin\ndealer-1\tName of dealer-1\tterminal:t1,terminal:t2\n"
    database = Database(url)
    sessions = Sessions(database)
    session = sessions.find(sessions.sign_in("boss-1", PASSWORD, "here"), 60, 60)
    assert session is not None
    assert session.part == "admin"
    database.close()


@pytest.mark.parametrize(
    ("staff_id", "roles", "password", "said"),
    [
        ("Boss 1", ["admin"], PASSWORD, "lower-case letters"),
        ("boss-1", ["owner"], PASSWORD, "not owner"),
        ("boss-1", ["terminal"], PASSWORD, "not terminal"),
        ("boss-1", ["admin", "admin"], PASSWORD, "twice"),
        ("boss-1", ["admin", "cage"], PASSWORD, "an admin touches no money"),
        ("boss-1", ["counter", "accounting"], PASSWORD, "must not know what they should hold"),
        ("boss-1", ["admin"], "short", "10 to 200"),
        ("boss-1", ["admin"], "aaaaaaaaaaaa", "too easy to guess"),
    ],
)
def test_what_cannot_be_is_refused_and_nobody_is_added(
    url: str, staff_id: str, roles: list[str], password: str, said: str
):
    refused = add(url, staff_id, *roles, password=password)
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert run(url, "list").stdout == ""


def test_an_id_is_given_once(url: str):
    two_admins(url)
    assert "already" in add(url, "boss-1", "floor", signed=(PASSWORD, PASSWORD)).stderr


def test_two_admins_add_the_others(url: str):
    assert add(url, "boss-1", "admin").exit_code == 0
    assert "the first two admins come first" in add(url, "floor-1", "floor").stderr
    assert add(url, "boss-2", "admin").exit_code == 0
    for refused in (add(url, "floor-1", "floor"), add(url, "boss-3", "admin")):
        assert "two people sign this" in refused.stderr
    wrong = add(url, "floor-1", "floor", signed=(PASSWORD, "not their password"))
    assert "boss-2 has to sign, too" in wrong.stderr
    assert add(url, "floor-1", "floor", signed=(PASSWORD, PASSWORD)).exit_code == 0
    database = Database(url)
    (last,) = Staff(database).changes(1)
    assert (last["by"], last["second"], last["change"]) == ("boss-1", "boss-2", "added: floor")
    assert Staff(database).has_given_password("floor-1")
    own = ("password", "floor-1", "--by", "floor-1")
    assert "Enter the current password" in run(url, *own, passwords=("my own long phrase", "wrong one")).stderr
    assert run(url, *own, passwords=("my own long phrase", PASSWORD)).exit_code == 0
    assert not Staff(database).has_given_password("floor-1")
    database.close()


def test_whoever_has_a_second_factor_adds_its_code_and_nobody_chooses_an_old_password(
    url: str, monkeypatch: pytest.MonkeyPatch
):
    two_admins(url)
    database = Database(url)
    factors = Factors(database)
    factors.add("boss-2", "totp", "authenticator app", b"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    code, *_ = factors.new_recovery_codes("boss-2")
    for wrong in ("", "000000"):
        assert "boss-2 has to sign, too" in add(url, "floor-1", "floor", signed=(PASSWORD, PASSWORD, wrong)).stderr
    assert add(url, "floor-1", "floor", signed=(PASSWORD, PASSWORD, code)).exit_code == 0
    monkeypatch.setenv("ROUNDLEDGER_PASSWORD_HISTORY", "2")
    own = ("password", "floor-1", "--by", "floor-1")
    assert run(url, *own, passwords=("my own long phrase", PASSWORD)).exit_code == 0
    again = run(url, *own, passwords=(PASSWORD, "my own long phrase"))
    assert "cannot be one of your last 2" in again.stderr
    database.close()


def test_a_new_password_and_disabling_end_what_was(url: str):
    two_admins(url)
    add(url, "floor-1", "floor", signed=(PASSWORD, PASSWORD))
    database = Database(url)
    people, sessions = Staff(database), Sessions(database)
    cookie = sessions.sign_in("floor-1", PASSWORD, "here")
    given = ("another long phrase", PASSWORD, PASSWORD)
    assert "two people sign this" in run(url, "password", "floor-1", passwords=given).stderr
    assert run(url, "password", "floor-1", *SIGNED, passwords=given).exit_code == 0
    assert sessions.find(cookie, 60, 60) is None
    cookie = sessions.sign_in("floor-1", "another long phrase", "here")
    assert run(url, "disable", "floor-1").exit_code == 0
    assert sessions.find(cookie, 60, 60) is None
    with pytest.raises(SignInRefused):
        sessions.sign_in("floor-1", "another long phrase", "here")
    assert "two people sign this" in run(url, "enable", "floor-1").stderr
    assert run(url, "enable", "floor-1", *SIGNED, passwords=(PASSWORD, PASSWORD)).exit_code == 0
    assert sessions.sign_in("floor-1", "another long phrase", "here")
    assert [change["change"] for change in people.changes(10)] == [
        "enabled", "disabled", "password", "added: floor", "added: admin", "added: admin",
    ]  # fmt: skip
    database.close()


def test_the_last_admin_stays(url: str):
    add(url, "boss-1", "admin")
    assert "no admin" in run(url, "disable", "boss-1").stderr
    database = Database(url)
    with pytest.raises(NotAllowed):
        Staff(database).change("boss-1", "boss-1", parts=["floor"])
    somebody = Staff(database).find("boss-1")
    assert somebody is not None
    assert somebody.parts == ("admin",)
    database.close()


def test_somebody_who_is_not_there_cannot_be_changed(url: str):
    for command in ("disable", "enable"):
        assert "nobody with the id" in run(url, command, "nobody-1").stderr
    assert "nobody with the id" in run(url, "password", "nobody-1", passwords=(PASSWORD,)).stderr

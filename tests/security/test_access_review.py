"""Promise: nobody keeps what they should not have. What violates the role matrix is listed wherever somebody looks, and
once a quarter somebody other than an admin signs that they have looked at who holds what."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from api.cli.main import app
from api.service.identity.tokens import make_token
from api.service.settings import Settings
from infra.access import passwords
from infra.access.callers import OPEN, ROLES, Caller
from infra.access.grants import Grants
from infra.access.review.holdings import access
from infra.access.review.violations import violations
from infra.access.sessions import Sessions
from infra.access.signatures import Signatures
from infra.access.staff import Staff, StaffMember
from infra.access.tokens import Tokens
from infra.health.database_checks import roles
from infra.ledger.access_reviews import reviews
from infra.ledger.ledger import Ledger
from infra.store.database import Database
from projections.audit.checks.database_check import DatabaseCheck
from projections.audit.run import Audit
from tests.api.service import KEY, PASSWORD, open_service, register, register_in
from tests.databases import migrated_database


@pytest.fixture(scope="module")
def database(ledger_url: str) -> Iterator[Database]:
    database = Database(ledger_url)
    yield database
    database.close()


def command(url: str, *arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, ["people", *arguments, "--database-url", url], input=typed)


# ---- the role matrix over everything that is held


@pytest.fixture(scope="module")
def held(database: Database) -> Database:
    hold(database)
    return database


def hold(database: Database) -> None:
    """Pairs of roles from before the matrix: two parts, a part and a token, two tokens of a machine; and some that
    people may have together, that have ended, or that were revoked."""
    people, tokens, later = Staff(database), Tokens(database), time.time() + 600
    register(people, ("boss-1", "admin"), ("boss-2", "admin"), ("cage-1", "cage"), ("floor-1", "floor"))
    add = "SELECT roundledger.add_person('eve', 'Eve', '{counter,auditor}', %s, 'tests', NULL, NULL)"
    database.write(add, [passwords.hashed(PASSWORD)])
    tokens.see("t-cage", "cage-1", "floor", "token", later)
    tokens.see("t-floor", "floor-1", "terminal:t1", "token", later)
    tokens.see("t-ended", "floor-1", "accounting", "token", time.time() - 600)
    tokens.see("t-revoked", "floor-1", "admin", "token", later)
    tokens.revoke("t-revoked", "boss-1", "No longer needed.")
    tokens.see("t-feed", "feed-reader", "auditor", "claim", later)
    tokens.see("t-deal", "feed-reader", "floor", "token", later)


VIOLATIONS = [
    ("cage-1", False, "cage", "floor (by a token)", "t-cage"),
    ("eve", False, "counter", "auditor", None),
    ("feed-reader", True, "auditor (by a claim)", "floor (by a token)", "t-deal"),
]


def test_everything_that_violates_the_matrix_is_listed(held: Database):
    found = violations(held)
    assert [(one.holder, one.machine, one.kept, one.refused, one.token_id) for one in found] == VIOLATIONS
    assert [one.remedy for one in found] == [
        "Revoke the token t-cage, or give them another part in place of cage.",
        "Take the part auditor away, or take the part counter away.",
        "Revoke the token t-deal, or stop the identity provider from claiming auditor.",
    ]


def test_the_command_lists_it_and_its_exit_code_says_so(held: Database, ledger_url: str):
    done = command(ledger_url, "check")
    assert done.exit_code == 1
    assert "eve: Nobody has both counter and auditor: people who count boxes" in done.stdout
    assert len(done.stdout.splitlines()) == len(VIOLATIONS)
    programs = command(ledger_url, "check", "--json")
    assert programs.exit_code == 1
    assert [one["holder"] for one in json.loads(programs.stdout)["violations"]] == ["cage-1", "eve", "feed-reader"]


def test_doctor_the_audit_and_the_page_say_the_same(held: Database, ledger_url: str):
    check = roles(held)
    assert check.state == "fault"
    assert all(one.what in check.found for one in violations(held))
    notes = [finding for finding in DatabaseCheck(ledger_url).findings() if finding.kind == "roles"]
    assert [note.stream for note in notes] == ["staff/cage-1", "staff/eve", "staff/feed-reader"]
    assert all(note.is_note for note in notes)
    with open_service(ledger_url) as client:
        page = client.get("/staff").text
    assert "Roles that must not be combined" in page
    assert "Revoke the token t-deal" in page


def test_every_remedy_that_is_named_works(new_ledger: Callable[[], str]):
    with closing(Database(new_ledger())) as database:
        hold(database)
        people, tokens = Staff(database), Tokens(database)
        grants = Grants(people, tokens, Signatures(database, people, Sessions(database)))
        anybody = Caller("tests", OPEN)
        for apply in (
            lambda: grants.change(anybody, None, "cage-1", parts=["floor"]),  # in place of the only one
            lambda: grants.change(anybody, None, "eve", parts=["auditor"]),  # the other one is taken away
            lambda: tokens.revoke("t-deal", "boss-1", "Two roles of one machine."),
        ):
            before = violations(database)
            apply()
            assert violations(database) == before[1:], before[0].remedy


def test_nothing_is_listed_where_nothing_is_wrong(new_ledger: Callable[[], str]):
    url = new_ledger()
    done = command(url, "check")
    assert (done.exit_code, done.stdout) == (0, "")
    assert json.loads(command(url, "check", "--json").stdout) == {"violations": []}
    database = Database(url)
    assert roles(database).state == "ok"
    database.close()
    with open_service(url) as client:
        page: Any = client.get("/staff")
    assert "Roles that must not be combined" not in page.text


# ---- the review


@pytest.fixture(scope="module")
def reviewed(server_url: str) -> Iterator[Ledger]:
    """Two admins, who let an auditor, an accountant and somebody of the floor in, and made two tokens."""
    with migrated_database(server_url) as url, closing(Ledger(url)) as ledger:
        database = ledger.events.recorder.database
        register(ledger.staff, ("boss-1", "admin"), ("boss-2", "admin"), ("auditor-1", "auditor"))
        register(ledger.staff, ("accounting-1", "accounting"))
        ledger.staff.add(StaffMember("floor-1", "Ana", ("floor",)), PASSWORD, "boss-1", "boss-2")
        ledger.staff.change("floor-1", "boss-2", second="boss-1", parts=["floor", "counter"])
        tokens = Tokens(database)
        tokens.make("wall", "floor", "t-wall", 30, "boss-1", (), "boss-2")
        tokens.see("t-unknown", "wall-2", "floor", "token", time.time() + 6000)
        tokens.make("old-wall", "floor", "t-old", 30, "boss-1", (), "boss-2")
        tokens.revoke("t-old", "boss-1", "No longer needed.")
        ledger.sessions.sign_in("floor-1", PASSWORD, "here")
        database.write("SELECT roundledger.use_token('t-wall')", [])
        yield ledger


def bearer(by: str, role: str) -> dict[str, str]:
    token, _ = make_token(KEY, Settings(token_key=KEY), by, role, "t1" if role == "terminal" else None, 1.0)
    return {"Authorization": f"Bearer {token}"}


def url_of(ledger: Ledger) -> str:
    return ledger.events.recorder.database.url


def test_who_holds_what_since_when_by_whom_and_when_it_was_used(reviewed: Ledger):
    found = {one.holder: one for one in access(reviewed.events.recorder.database).holders}
    assert list(found) == [*sorted(["accounting-1", "auditor-1", "boss-1", "boss-2", "floor-1"]), "wall", "wall-2"]
    floor, counter = found["floor-1"].holds
    assert (floor.part, floor.granted_by, floor.second) == ("floor", "boss-1", "boss-2")
    assert (counter.part, counter.granted_by, counter.second) == ("counter", "boss-2", "boss-1")
    assert floor.since is not None
    assert counter.since is not None
    assert floor.since <= counter.since
    assert floor.last_used is not None
    assert counter.last_used is None
    assert (found["floor-1"].last_signed_in is not None, found["floor-1"].factors) == (True, [])
    (token,) = found["wall"].holds
    assert (token.token, token.granted_by, token.second) == ("t-wall", "boss-1", "boss-2")
    assert token.last_used is not None
    assert token.ends_at is not None
    assert found["wall"].machine
    (elsewhere,) = found["wall-2"].holds
    assert (elsewhere.granted_by, elsewhere.last_used) == (None, None)


def test_a_part_that_was_taken_away_and_given_again_is_held_since_then(reviewed: Ledger):
    for parts, by in ((["floor"], "boss-1"), (["floor", "counter"], "boss-1")):
        reviewed.staff.change("floor-1", by, second="boss-2", parts=parts)
    (holder,) = [one for one in access(reviewed.events.recorder.database).holders if one.holder == "floor-1"]
    assert [(one.part, one.granted_by) for one in holder.holds] == [("floor", "boss-1"), ("counter", "boss-1")]


def test_only_use_leaves_the_digest_as_it_was(reviewed: Ledger):
    database = reviewed.events.recorder.database
    before = access(database).digest
    reviewed.sessions.sign_in("floor-1", PASSWORD, "here")
    assert access(database).digest == before
    reviewed.staff.change("floor-1", "boss-1", disabled=True)
    assert access(database).digest != before


def test_who_sees_it_over_http(reviewed: Ledger):
    holders = {"admin": "boss-1", "accounting": "accounting-1", "auditor": "auditor-1"}
    with open_service(url_of(reviewed), token_key=KEY, rate_limit=0) as client:
        for role in ROLES:
            answer = client.get("/v1/access", headers=bearer(holders.get(role, f"m-{role}"), role))
            assert answer.status_code == (200 if role in holders else 403), role
        shown = client.get("/v1/access", headers=bearer("auditor-1", "auditor")).json()
        assert shown["digest"] == access(reviewed.events.recorder.database).digest
        seen = {"digest": shown["digest"]}
        refused = client.post("/staff/review", data=seen, headers=bearer("boss-1", "admin"))
        assert (refused.status_code, "accounting" in refused.text) == (403, True)
        assert client.get("/staff/review", headers=bearer("accounting-1", "accounting")).status_code == 200
        signed = client.post("/v1/access/reviews", json=seen, headers=bearer("boss-1", "admin"))
        assert signed.status_code == 403
        machine = client.post("/v1/access/reviews", json=seen, headers=bearer("m-auditor", "auditor"))
        assert (machine.status_code, "a machine signs nothing" in machine.text) == (403, True)
    assert shown["due"]
    assert shown["reviews"] == []


def test_somebody_other_than_an_admin_signs_what_they_have_seen(reviewed: Ledger):
    url, now_ms = url_of(reviewed), time.time_ns() // 1_000_000
    seen = json.loads(command(url, "review", "--json").stdout)["digest"]
    assert f"Digest: {seen}. A review is due." in command(url, "review").stdout

    def signs(by: str, digest: str = seen, password: str = PASSWORD) -> Result:
        arguments = ("review", "--sign", digest, "--by", by, "--remark", "All in order.", "--password-stdin")
        return command(url, *arguments, typed=f"{password}\n")

    assert "needs the role accounting or auditor" in signs("boss-1").stderr
    assert "has to sign" in signs("auditor-1", password="not their password").stderr
    assert "has changed since it was shown" in signs("auditor-1", digest="0" * 64).stderr
    assert reviews(reviewed, now_ms).signed == []
    assert signs("auditor-1").exit_code == 0
    (signed,) = reviews(reviewed, now_ms).signed
    assert (signed.by, signed.digest, signed.remark) == ("auditor-1", seen, "All in order.")
    day_ms = 86_400_000
    assert [reviews(reviewed, now_ms + days * day_ms).due for days in (0, 91, 93)] == [False, False, True]
    found: list[Any] = []
    assert Audit(url, processes=1, report=found.append).run().clean
    assert found == []


def test_a_review_is_signed_over_http_and_once_under_its_key(reviewed: Ledger):
    now_ms, headers = time.time_ns() // 1_000_000, {**bearer("accounting-1", "accounting"), "Idempotency-Key": "q4"}
    with open_service(url_of(reviewed), token_key=KEY, rate_limit=0) as client:
        signed_before = reviews(reviewed, now_ms).signed
        seen = {"digest": client.get("/v1/access", headers=headers).json()["digest"], "remark": "Over HTTP."}
        stale = {**headers, "Idempotency-Key": "stale"}
        refused = client.post("/v1/access/reviews", json={"digest": "0" * 64}, headers=stale)
        assert (refused.status_code, refused.json()["code"]) == (409, "out_of_turn")
        first, again = (client.post("/v1/access/reviews", json=seen, headers=headers) for _ in range(2))
        assert (first.status_code, first.json()["by"]) == (201, "accounting-1"), first.text
        assert again.json() == first.json()
        assert again.headers["Idempotent-Replayed"] == "true"
        newest, *earlier = client.get("/v1/access", headers=headers).json()["reviews"]
    assert newest == first.json()
    assert len(earlier) == len(signed_before)


def test_the_home_page_says_when_a_review_is_due_and_the_page_takes_the_signature(new_ledger: Callable[[], str]):
    url = new_ledger()
    with open_service(url) as client:
        assert "An access review is due" not in client.get("/").text  # nobody is there to be reviewed
        register_in(url, ("boss-1", "admin"), ("floor-1", "floor"))
        assert "An access review is due" in client.get("/").text
        page = client.get("/staff/review").text
        csrf, digest = (re.search(rf'name="{name}" value="([^"]+)"', page) for name in ("csrf", "digest"))
        assert digest is not None
        sent = {"digest": digest[1], "remark": "Seen.", **({} if csrf is None else {"csrf": csrf[1]})}
        answer = client.post("/staff/review", data=sent, headers={"Origin": "http://testserver"})
        assert "The review is signed" in answer.text, answer.text
        assert "An access review is due" not in client.get("/").text
        assert "as it is now" in client.get("/staff/review").text

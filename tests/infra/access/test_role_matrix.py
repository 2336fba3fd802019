"""Every pair of roles and every way to hold them: a part, a token, a claim of an identity provider. What must be
separate is refused when it is granted, and does not count where somebody has it all the same."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any
from uuid import uuid4

import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from infra.access import passwords
from infra.access.callers import ROLES, Caller, Forbidden
from infra.access.grants import Grants
from infra.access.role_matrix import APART, Holding, NotAllowed, check_parts, clashes, role_of, why_apart
from infra.access.signatures import Signatures
from infra.access.staff import Staff
from infra.access.tokens import Tokens
from infra.ledger.ledger import Ledger
from tests.api.service import KEY, PASSWORD, open_service

WAYS = ("part", "token", "claim")
# Written out, so that a change of the matrix is a change of this line.
TOGETHER = {frozenset(pair) for pair in (("terminal", "floor"), ("terminal", "counter"), ("floor", "counter"))} | {
    frozenset(("cage", "counter"))
}
PAIRS = [(one, other) for one, other in product(ROLES, ROLES) if one != other]
SEPARATE = [pair for pair in PAIRS if frozenset(pair) not in TOGETHER]


def part(role: str) -> str:
    return "terminal:t1" if role == "terminal" else role


def test_the_matrix_is_what_it_says():
    assert set(APART) == {frozenset(pair) for pair in SEPARATE}
    assert all(APART.values())


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize(("one_way", "other_way"), list(product(WAYS, WAYS)))
def test_what_was_held_first_counts(first: str, second: str, one_way: Any, other_way: Any):
    held = [Holding(part(first), one_way, "t-1"), Holding(part(second), other_way, "t-2")]
    found = clashes(held)
    if frozenset((first, second)) in TOGETHER:
        assert found == []
    else:
        assert [(clash.kept, clash.refused) for clash in found] == [tuple(held)]


# ---- as the ledger grants it, and as the service lets it count


@pytest.fixture(scope="module")
def ledger(ledger_url: str) -> Iterator[Ledger]:
    ledger = Ledger(ledger_url)
    yield ledger
    ledger.close()


@pytest.fixture(scope="module")
def client(ledger_url: str) -> Iterator[Any]:
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        yield client


def stored(ledger: Ledger, parts: tuple[str, ...]) -> str:
    """Somebody with these parts, even where an earlier version gave what nobody has together now."""
    staff_id, database = f"p-{uuid4().hex[:12]}", ledger.events.recorder.database
    values = [staff_id, "Somebody", list(parts), _hashed(), "tests", None, None]
    database.write("SELECT roundledger.add_person(%s, %s, %s, %s, %s, %s, %s)", values)
    return staff_id


@cache
def _hashed() -> str:
    return passwords.hashed(PASSWORD)


@pytest.mark.parametrize(("first", "second"), SEPARATE)
def test_what_must_be_separate_is_not_granted(ledger: Ledger, first: str, second: str):
    database = ledger.events.recorder.database
    people, tokens = Staff(database), Tokens(database)
    grants = Grants(people, tokens, Signatures(database, people, ledger.sessions))
    with pytest.raises(NotAllowed, match="Nobody has both"):
        check_parts([part(first), part(second)])
    open_ = Caller("tests", "open")
    somebody = stored(ledger, (part(first),))
    with pytest.raises(NotAllowed, match="Nobody has both"):  # a token beside a part
        grants.make_token(open_, None, somebody, part(second), uuid4().hex, 1.0)
    machine = f"m-{uuid4().hex[:12]}"
    grants.make_token(open_, None, machine, part(first), uuid4().hex, 1.0)
    with pytest.raises(NotAllowed, match="Nobody has both"):  # a token beside a token
        grants.make_token(open_, None, machine, part(second), uuid4().hex, 1.0)
    for way in ("token", "claim"):  # a part beside a token or a claim: another part, which replaces the first
        other = stored(ledger, ("terminal:t2",) if first != "terminal" and second != "terminal" else (part(second),))
        tokens.see(uuid4().hex, other, part(first), way, time.time() + 600)
        with pytest.raises(NotAllowed, match="Nobody has both"):
            grants.change(open_, None, other, parts=[part(second)])


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_is_held_all_the_same_does_not_count(client: Any, ledger: Ledger, first: str, second: str):
    """Over HTTP, with tokens that were made elsewhere: beside a part, another token, and a provider's claim."""
    expected = 200 if why_apart(first, second) is None else 403

    def asks(by: str, role: str) -> int:
        token, _ = make_token(KEY, Settings(token_key=KEY), by, role, "t1" if role == "terminal" else None, 1.0)
        return int(client.get("/v1/rulesets", headers={"Authorization": f"Bearer {token}"}).status_code)

    assert asks(stored(ledger, (part(first),)), second) == expected
    machine = f"m-{uuid4().hex[:12]}"
    assert asks(machine, first) == 200
    assert asks(machine, second) == expected
    assert asks(machine, first) == 200
    claimed = f"c-{uuid4().hex[:12]}"
    Tokens(ledger.events.recorder.database).see(uuid4().hex, claimed, part(first), "claim", time.time() + 600)
    assert asks(claimed, second) == expected


@pytest.mark.parametrize(("first", "second"), SEPARATE)
def test_of_parts_that_were_given_together_the_first_counts(ledger: Ledger, first: str, second: str):
    somebody = stored(ledger, (part(first), part(second)))
    cookie = ledger.sessions.sign_in(somebody, PASSWORD, "here")
    session = ledger.sessions.find(cookie, 60, 60)
    assert session is not None
    assert session.parts == (part(first),)
    with pytest.raises(NotAllowed):
        ledger.sessions.take_part(cookie, part(second))
    member = Staff(ledger.events.recorder.database).find(somebody)
    assert member is not None
    assert member.roles == {role_of(part(first))}


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_claim_of_a_session_counts_beside_the_parts_that_it_may_be_with(ledger: Ledger, first: str, second: str):
    """Whatever a provider says: the register's parts count first, and a role by claim signs nothing."""
    somebody = stored(ledger, (part(first),))
    cookie = ledger.sessions.sign_in_by_provider(somebody, "here", [part(second)], twice=False)
    session = ledger.sessions.find(cookie, 60, 60)
    assert session is not None
    if why_apart(first, second) is not None:
        assert session.parts == (part(first),)
        with pytest.raises(NotAllowed):
            ledger.sessions.take_part(cookie, part(second))
        return
    assert session.parts == (part(first), part(second))
    ledger.sessions.take_part(cookie, part(second))
    database = ledger.events.recorder.database
    signatures = Signatures(database, Staff(database), ledger.sessions)
    with pytest.raises(Forbidden, match=r"gives .* no role"):
        signatures.check_signer(Caller(somebody, second))

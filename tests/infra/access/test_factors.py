"""Second factors: codes that count once, recovery codes kept as hashes, and roles that must have a factor."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from pyotp.hotp import HOTP

from infra.access.factors import STEP_SECONDS, Factors, Usable, WrongCode, matching_step
from infra.access.pending_proofs import ProofEnded, Proofs
from infra.access.role_matrix import NotAllowed
from infra.access.sessions import SecondFactorNeeded, Sessions, SignInRefused, UnknownPerson
from infra.access.staff import Staff, StaffMember
from infra.store.database import Database
from infra.trail.trail_audit import TrailAudit

PASSWORD = "a long enough one"
SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
ADDRESS = "10.0.0.1"


@pytest.fixture(scope="module")
def database(ledger_url: str) -> Iterator[Database]:
    database = Database(ledger_url)
    for name, parts in (("ann", ("floor",)), ("bob", ("cage",)), ("cal", ("terminal:t1",)), ("dee", ("counter",))):
        Staff(database).add(StaffMember(name, name.title(), parts), PASSWORD, "tests")
    yield database
    database.close()


NOW = 2_000_000_000.0  # of the clock by which codes are judged


def code(steps: int = 0) -> str:
    return HOTP(SEED).at(int(NOW // STEP_SECONDS) + steps)


def factors_of(database: Database) -> Factors:
    return Factors(database, lambda: NOW)


def half(sessions: Sessions, staff_id: str) -> str:
    with pytest.raises(SecondFactorNeeded) as needed:
        sessions.sign_in(staff_id, PASSWORD, ADDRESS)
    return needed.value.kept


def test_a_code_is_that_of_the_interval_before_now_or_after():
    codes = HOTP(SEED)
    for step in (99, 100, 101):
        assert matching_step(SEED, codes.at(step), now=100 * STEP_SECONDS) == step
    for step in (98, 102):
        assert matching_step(SEED, codes.at(step), now=100 * STEP_SECONDS) is None
    assert matching_step(SEED, f" {codes.at(100)[:3]} {codes.at(100)[3:]}", now=100 * STEP_SECONDS) == 100
    assert matching_step(SEED, "", now=100 * STEP_SECONDS) is None


def test_with_an_app_the_password_is_half_of_a_sign_in(ledger_url: str, database: Database):
    factors, sessions = factors_of(database), Sessions(database)
    with pytest.raises(WrongCode):
        factors.add_totp("ann", SEED, "no code")
    factors.add_totp("ann", SEED, code(-1))
    kept = half(sessions, "ann")
    assert sessions.find(kept, 60, 60) is None, "what the browser keeps in between is no session"
    assert sessions.half_signed_in(kept) == "ann"
    with pytest.raises(SignInRefused):
        sessions.finish(kept, ADDRESS, factors.usable_code("ann", "000000000"))
    good = factors.usable_code("ann", code())
    session = sessions.find(sessions.finish(kept, ADDRESS, good), 60, 60)
    assert session is not None
    assert session.way == "password and totp"
    with pytest.raises(ProofEnded):
        sessions.finish(kept, ADDRESS, factors.usable_code("ann", code(1)))
    with pytest.raises(SignInRefused):
        sessions.finish(half(sessions, "ann"), ADDRESS, good)  # the same code again
    assert list(TrailAudit().findings(ledger_url)) == []


def test_a_second_half_is_tried_five_times(database: Database):
    factors, sessions = factors_of(database), Sessions(database)
    factors_of(database).add_totp("bob", SEED, code(-1))
    kept = half(sessions, "bob")
    for _ in range(5):
        with pytest.raises(SignInRefused):
            sessions.finish(kept, ADDRESS, Usable())
    with pytest.raises(ProofEnded):
        sessions.finish(kept, ADDRESS, factors.usable_code("bob", code()))


def test_a_recovery_code_counts_once_and_for_its_owner(ledger_url: str, database: Database):
    factors, sessions = factors_of(database), Sessions(database)
    with pytest.raises(NotAllowed, match="passkey or an authenticator app"):
        factors.new_recovery_codes("cal")
    factors.add_totp("cal", SEED, code())
    first, *others = factors.new_recovery_codes("cal")
    assert len(others) == 9
    with psycopg.connect(ledger_url) as connection:
        stored = str(connection.execute("SELECT secret FROM roundledger.secrets WHERE kind = 'recovery'").fetchall())
    assert first.replace("-", "") not in stored
    assert not factors.use("bob", ADDRESS, factors.usable_code("bob", first))
    spoken = first.replace("-", " ").upper()
    session = sessions.find(sessions.finish(half(sessions, "cal"), ADDRESS, factors.usable_code("cal", spoken)), 9, 9)
    assert session is not None
    with pytest.raises(SignInRefused):
        sessions.finish(half(sessions, "cal"), ADDRESS, factors.usable_code("cal", first))
    factors.new_recovery_codes("cal")
    assert not factors.use("cal", ADDRESS, factors.usable_code("cal", others[0])), "new ones replace them"
    factors.reset("cal", "ada", "eve")
    assert factors.of("cal") == []
    assert sessions.sign_in("cal", PASSWORD, ADDRESS)
    with pytest.raises(NotAllowed):
        factors.reset("cal", "ada", "eve")
    assert list(TrailAudit().findings(ledger_url)) == []


def test_a_role_that_must_have_a_factor_lacks_it_until_there_is_one(database: Database):
    factors, sessions = factors_of(database), Sessions(database)
    cookie = sessions.sign_in("dee", PASSWORD, ADDRESS)

    def lacks() -> bool:
        session = sessions.find(cookie, 60, 60)
        assert session is not None
        return session.lacks_factor

    assert not lacks()
    with pytest.raises(NotAllowed):
        factors.demand(["wizard"], "ada")
    factors.demand(["counter", "admin"], "ada")
    assert factors.demanded() == {"counter", "admin"}
    assert lacks()
    factors.add_totp("dee", SEED, code())
    assert not lacks()
    (app,) = factors.of("dee")
    factors.end("dee", app.number)
    assert lacks()
    factors.demand([], "ada")
    assert not lacks()


def test_whom_the_provider_names_is_on_the_register_or_unknown(database: Database):
    sessions = Sessions(database)
    with pytest.raises(UnknownPerson):
        sessions.sign_in_by_provider("nobody-here", ADDRESS, [], twice=False)
    with pytest.raises(SecondFactorNeeded):
        sessions.sign_in_by_provider("ann", ADDRESS, [], twice=False)
    session = sessions.find(sessions.sign_in_by_provider("ann", ADDRESS, [], twice=True), 60, 60)
    assert session is not None
    assert session.way == "provider and its own"


def test_a_proof_is_used_once_and_for_what_it_was_begun(database: Database):
    proofs = Proofs(database)
    kept = proofs.begin("totp", "ann", {"seed": "x"})
    for kind, given in (("passkey", kept), ("totp", "another"), ("totp", None)):
        with pytest.raises(ProofEnded):
            proofs.end(kind, given)  # type: ignore[arg-type]
    assert proofs.end("totp", kept) == ("ann", {"seed": "x"})
    with pytest.raises(ProofEnded):
        proofs.end("totp", kept)


def test_no_half_is_made_up_and_no_seed_read_without_a_trace(ledger_url: str, database: Database):
    with psycopg.connect(ledger_url, autocommit=True) as connection:
        connection.execute("SET ROLE roundledger_service")
        connection.execute("SELECT roundledger.begin_proof('made up', 'second', 'ann', '')")
        assert connection.execute("SELECT roundledger.second_step('made up')").fetchone() == (None,)
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="not on record"):
            connection.execute("SELECT * FROM roundledger.open_factors('ann', 'totp')")
        counted = "SELECT count(*) FROM roundledger.secret_changes WHERE change = 'seed read' AND staff_id = 'ann'"
        before = connection.execute(counted).fetchone()
        factors_of(database).usable_code("ann", "123456")
        after = connection.execute(counted).fetchone()
    assert before is not None
    assert after == (before[0] + 1,)

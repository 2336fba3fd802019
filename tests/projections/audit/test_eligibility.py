"""What the ledger would refuse today, or has never refused, and the audit finds where it is stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from domain.audit.findings import Finding
from domain.round.events import RoundOpened, WagerPlaced, WagerWithdrawn
from infra.access.staff import StaffMember
from infra.ledger.floor import Floor
from infra.ledger.ledger import Ledger
from projections.archive.archive_audit import ArchiveAudit
from projections.archive.writer import write_archive
from projections.audit.scope import Scope
from tests.projections.audit.test_faults import findings
from tests.projections.simulated_floor import record
from tests.recorded_floor import DEALER, Spoiler
from tests.tables_in_play import Document, bank_round

PLAYERS = {1: "p-1", 2: "p-2", 3: "p-3", 5: "p-5", 7: "a"}


@pytest.fixture
def recorded(url: str) -> Callable[..., str]:
    """Records rounds in addition to those of the floor."""

    def make(*rounds: Document) -> str:
        ledger = Ledger(url)
        try:
            record(ledger, list(rounds))
        finally:
            ledger.close()
        return url

    return make


def _bank(bettor: str, seat: int, round_id: str, **more: object) -> Document:
    return bank_round("t-50", bettor, seat, round_id=round_id, **{"players": PLAYERS, **more})  # type: ignore[arg-type]


def _rotation(url: str, scope: Scope | None = None) -> list[Finding]:
    return [finding for finding in findings(url, scope) if finding.kind == "rotation"]


# ---- seats that were passed over


@pytest.mark.parametrize("scope", [None, Scope(table="t-50"), Scope(bettor="p-3")], ids=["all", "table", "bettor"])
def test_a_bank_that_passed_a_seat_over_is_found(recorded: Callable[..., str], scope: Scope | None) -> None:
    url = recorded(_bank("a", 7, "r-50"), _bank("p-3", 3, "r-51", declined=[1]))
    (finding,) = _rotation(url, scope)
    assert (finding.round, finding.table, finding.seat, finding.bettor) == ("r-51", "t-50", 3, "p-3")
    assert finding.clause == "cc/game/rotation"
    assert "past p-2 at seat 2" in finding.what
    assert finding.stream == "session/t-50/1"
    assert finding.position is not None


def test_a_bank_that_was_declined_on_its_way_is_in_order(recorded: Callable[..., str]) -> None:
    assert findings(recorded(_bank("a", 7, "r-50"), _bank("p-3", 3, "r-51", declined=[1, 2]))) == []


def test_seats_at_which_nobody_sits_are_not_asked(recorded: Callable[..., str]) -> None:
    few = {2: "p-2", 3: "p-3"}
    rounds = _bank("a", 7, "r-50", players={}), _bank("p-3", 3, "r-51", players=few, declined=[2])
    assert findings(recorded(*rounds)) == []


def test_a_player_dealer_at_a_seat_that_nobody_is_named_for_may_have_passed_others_over(
    recorded: Callable[..., str],
) -> None:
    url = recorded(_bank("a", 7, "r-50", players={1: "p-1"}), _bank("c", 5, "r-51", players={1: "p-1"}))
    (finding,) = _rotation(url)
    assert "past p-1 at seat 1" in finding.what


def test_a_voided_round_is_banked_again_without_asking_anew(recorded: Callable[..., str]) -> None:
    url = recorded(
        _bank("a", 7, "r-50"),
        _bank("p-3", 3, "r-51", declined=[1, 2], end="void"),
        _bank("p-3", 3, "r-52"),
    )
    assert findings(url) == []


def test_the_turn_goes_on_from_one_session_to_the_next(recorded: Callable[..., str]) -> None:
    rounds = [
        _bank("a", 7, "r-50"),
        _bank("p-3", 3, "r-51", declined=[1, 2], end="void"),
        _bank("p-3", 3, "r-52", chip="5.00"),
        _bank("c", 6, "r-53", chip="10.00"),
    ]
    (finding,) = _rotation(recorded(*rounds))
    assert finding.round == "r-53"
    assert "from p-3 at seat 3 to c at seat 6, past p-5 at seat 5," in finding.what


def test_a_jump_long_after_the_session_began_is_found_in_a_part_of_it(url: str) -> None:
    """Behind several notes of the state of the session."""
    ledger = Ledger(url)
    try:
        for number in range(150):
            (bettor, seat), declined = (("a", 7), [5]) if number // 2 % 2 else (("p-3", 3), [1, 2])
            asked = declined if number and not number % 2 else []
            record(ledger, [_bank(bettor, seat, f"r-5{number:03d}", declined=asked)])
        record(ledger, [_bank("x", 6, "r-5900")])
    finally:
        ledger.close()
    (finding,) = _rotation(url, Scope(bettor="x"))
    assert finding.round == "r-5900"
    assert "past p-5 at seat 5" in finding.what
    assert [each.round for each in _rotation(url)] == ["r-5900"]


# ---- the house, its staff and the dealer on duty


def _staffed(url: str, staff_id: str) -> None:
    ledger = Ledger(url)
    try:
        somebody = StaffMember(staff_id, "Somebody", ("floor",), False)
        ledger.staff.add(somebody, "a long enough password", "m-1")
    finally:
        ledger.close()


def test_somebody_of_the_staff_who_banked_or_bet_is_found(recorded: Callable[..., str]) -> None:
    url = recorded(_bank("a", 7, "r-50"), _bank("p-3", 3, "r-51", declined=[1, 2]))
    assert findings(url) == []
    _staffed(url, "p-2")
    first, second = _rotation(url, Scope(table="t-50"))
    assert [finding.round for finding in (first, second)] == ["r-50", "r-51"]
    assert (first.table, first.seat, first.bettor, first.spot) == ("t-50", 2, "p-2", "ante")
    assert first.what == "p-2 is on the staff register, and bet on ante at seat 2."
    assert first.clause == "cc/qualifies/9"
    _staffed(url, "a")
    assert "a is on the staff register, and banked the round." in [finding.what for finding in _rotation(url)]


def test_whoever_took_back_all_that_they_bet_did_not_play(recorded: Callable[..., str]) -> None:
    behind = {"seat": 1, "spot": "ante", "amount": "10.00", "bettor": "b-9", "kind": "backline"}
    back = {"do": "withdraw", "seat": 1, "spot": "ante", "bettor": "b-9"}
    gone, part = (_bank("a", 7, round_id) for round_id in ("r-50", "r-51"))
    gone["actions"][:0] = [{"do": "bet", **behind}, {**back, "amount": "4.00"}, back]
    part["actions"][:0] = [{"do": "bet", **behind}, {**back, "amount": "4.00"}]
    part["actions"] = part["actions"][:2]
    url = recorded(gone, part)
    assert findings(url) == []
    _staffed(url, "b-9")
    (finding,) = _rotation(url, Scope(table="t-50"))
    assert (finding.round, finding.bettor) == ("r-51", "b-9")
    assert _rotation(url, Scope(bettor="b-9")) == [finding]


def test_a_round_that_somebody_took_all_bets_back_from_is_not_one_of_theirs() -> None:
    opened = RoundOpened("r-1", "t-1", "uth-house", "", {}, {})
    placed, back = WagerPlaced(1, "ante", "p-1", None, 10_00), WagerWithdrawn(1, "ante", "p-1", 4_00, 6_00)
    whole = WagerWithdrawn(1, "ante", "p-1", 6_00, 0)
    has = Scope(bettor="p-1").has
    assert has(opened, [placed, back])
    assert not has(opened, [placed, back, whole])
    assert has(opened, [placed, back, whole, placed])


@pytest.mark.parametrize(
    ("who", "answer"),
    [
        ("house", "house is the house, which takes no part in the game, and bet on ante at seat 2."),
        ("d-7", "d-7 is the dealer on duty at the table, and bet on ante at seat 2."),
    ],
)
def test_the_house_and_the_dealer_on_duty_are_found(recorded: Callable[..., str], who: str, answer: str) -> None:
    """The bettor is written over, as no command would store it."""
    url = recorded(_bank("a", 7, "r-50"))
    ledger = Ledger(url)
    Floor(ledger).tap_in("t-50", "d-7", DEALER)
    ledger.close()
    recorded(_bank("a", 7, "r-51"))
    with Spoiler(url) as spoiler:
        for position, _, _, state in spoiler.round("r-51", "round.wager_placed.v1"):
            if state[0][2] == "p-2":
                state[0][2] = who
                spoiler.write(position, state)
    assert answer in [finding.what for finding in findings(url) if finding.round == "r-51"]


# ---- rounds of before these were checked


def test_what_an_earlier_engine_opened_is_noted(recorded: Callable[..., str]) -> None:
    url = recorded(_bank("a", 7, "r-50"), _bank("p-3", 3, "r-51"))
    _staffed(url, "p-3")
    engine = RoundOpened.__struct_fields__.index("engine")
    assert {finding.severity for finding in _rotation(url, Scope(table="t-50"))} == {"finding"}
    with Spoiler(url) as spoiler:
        ((position, _, _, state),) = spoiler.rows("round.opened.v2", '["r-51",')
        state[0][engine] = 1
        spoiler.write(position, state)
    jump, banked = sorted(_rotation(url, Scope(table="t-50")), key=lambda finding: finding.stream or "", reverse=True)
    assert (jump.severity, banked.severity) == ("note", "note")
    assert "past p-1 at seat 1, p-2 at seat 2" in jump.what
    assert banked.what == "p-3 is on the staff register, and banked the round."


def test_over_an_archive_a_jump_is_judged_by_its_round_too(recorded: Callable[..., str], tmp_path: Path) -> None:
    url = recorded(_bank("a", 7, "r-50"), _bank("p-3", 3, "r-51"), _bank("c", 6, "r-52"))
    with Spoiler(url) as spoiler:
        ((position, _, _, state),) = spoiler.rows("round.opened.v2", '["r-51",')
        state[0][RoundOpened.__struct_fields__.index("engine")] = 1
        spoiler.write(position, state)
    write_archive(url, tmp_path / "archive", "north-hall")
    found: list[Finding] = []
    ArchiveAudit(tmp_path / "archive", report=found.append, processes=1, without=("log",)).run()
    jumps = [(finding.round, finding.severity) for finding in found if finding.kind == "rotation"]
    assert jumps == [("r-51", "note"), ("r-52", "finding")]

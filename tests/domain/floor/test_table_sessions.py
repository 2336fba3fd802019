"""A table's session: given what happened, when somebody asks for something, then this happens or is refused."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import msgspec
import pytest

from domain.errors import BadChoice, Conflict, OutOfTurn, Rotation
from domain.floor import table_sessions
from domain.floor.table_sessions import (
    BankDeclined,
    BankOffered,
    BankRun,
    BoxChanged,
    ChipsBought,
    ChipsCashed,
    DealerTappedIn,
    DealerTappedOut,
    RoundBegun,
    RoundEnded,
    SeatLeft,
    SeatTaken,
    SessionClosed,
    SessionNoted,
    SessionOpened,
    TableEvent,
    TableSession,
    TrayCounted,
    TrayCredited,
    TrayFilled,
)
from domain.rules import rulesets
from domain.rules.terms import Terms, TermsDocument, resolve
from infra.simulation import documents

STRICT = ("uth-club", "uth-bgc")
OFFERED = ("uth-casino-club", "tcp-casino-club", "p215-casino-club")
HOUSE = ("uth-house", "uth-sd")
TERMS: Mapping[str, dict[str, Any]] = {
    "uth-bgc": {"trips": "UTH-01"},
    "uth-sd": {"trips": "UTH-01"},
    "tcp-casino-club": {"schedule": 1},
    "p215-casino-club": {"schedule": 1},
}


def terms_of(ruleset: str, **terms: Any) -> Terms:
    return resolve(rulesets.load(ruleset), msgspec.convert({**TERMS.get(ruleset, {}), **terms}, TermsDocument))


def given(ruleset: str, *events: TableEvent, box: str | None = None, before: TableSession | None = None):
    rules, terms = rulesets.load(ruleset), terms_of(ruleset)
    opened = table_sessions.open_session(rules, terms, "t1", before, box)
    return table_sessions.fold(table_sessions.start(rules, terms, opened), events)


def played(
    session: TableSession,
    seat: int,
    bettor: str,
    status: str = "settled",
    declined: tuple[int, ...] = (),
    occupied: tuple[int, ...] = (),
) -> TableSession:
    """The session after a round that this person banked."""
    name = f"r-{session.rounds + 1}"
    begun = table_sessions.begin_round(session, name, (seat, bettor), declined, occupied)
    return table_sessions.fold(session, [*begun, RoundEnded(name, status)])


def turn(session: TableSession, seat: int, bettor: str, *, declined: tuple[int, ...] = (), occupied=()) -> int | None:
    begun = table_sessions.begin_round(session, "r-next", (seat, bettor), declined, occupied)[-1]
    assert isinstance(begun, RoundBegun)
    return begun.turn


# ---- opening and closing


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_a_first_session_has_number_1_nobody_who_banked_and_its_terms(ruleset):
    rules, terms = rulesets.load(ruleset), terms_of(ruleset)
    opened = table_sessions.open_session(rules, terms, "t1", None, "box-1")
    deck = "blue" if rules.alternating_decks else None
    assert opened == SessionOpened("t1", 1, ruleset, rules.content_hash, terms.document, "box-1", deck, None)


def test_the_next_session_takes_over_who_banked_last_and_which_deck_comes_next():
    session = played(played(given("uth-bgc"), 3, "a"), 3, "a")
    session = played(session, 4, "b")
    session = table_sessions.evolve(session, table_sessions.close_session(session))
    opened = table_sessions.open_session(rulesets.load("uth-club"), terms_of("uth-club"), "t1", session, None)
    assert (opened.session, opened.run, opened.deck) == (2, BankRun("b", 4, 1), "red")


def test_who_banked_last_is_remembered_over_a_session_without_a_bank():
    session = played(played(given("uth-club"), 3, "a"), 3, "a")
    for ruleset in ("uth-house", "uth-club"):
        closed = table_sessions.evolve(session, table_sessions.close_session(session))
        session = given(ruleset, before=closed)
    with pytest.raises(Rotation):
        turn(session, 3, "a")


def test_a_session_is_not_opened_over_an_open_one():
    rules, terms = rulesets.load("uth-club"), terms_of("uth-club")
    with pytest.raises(Conflict, match="session open"):
        table_sessions.open_session(rules, terms, "t1", given("uth-club"), None)


def test_a_session_closes_with_the_number_of_its_rounds():
    assert table_sessions.close_session(played(given("uth-club"), 3, "a")) == SessionClosed(1)


def test_a_session_does_not_close_over_an_open_round():
    session = given("uth-house", RoundBegun("r-1", None, None, None, None))
    with pytest.raises(OutOfTurn, match=r"^A round is still open at table t1\.$"):  # which one, not all may know
        table_sessions.close_session(session)


def test_nothing_happens_in_a_closed_session():
    session = given("uth-house", SeatTaken(1, "p-1"), SessionClosed(0))
    for refused in (
        lambda: table_sessions.close_session(session),
        lambda: table_sessions.take_seat(session, 2, "p-2"),
        lambda: table_sessions.leave_seat(session, 1),
        lambda: table_sessions.move_chips(session, ChipsBought("p-1", 100)),
        lambda: table_sessions.change_box(session, "box-2"),
        lambda: table_sessions.begin_round(session, "r-1", None),
    ):
        with pytest.raises(OutOfTurn, match="closed"):
            refused()


# ---- seats, chips, the box


def test_seats_are_taken_and_left():
    session = given("uth-house")
    assert table_sessions.take_seat(session, 2, "p-2") == SeatTaken(2, "p-2")
    session = table_sessions.evolve(session, SeatTaken(2, "p-2"))
    assert session.seats == {2: "p-2"}
    assert table_sessions.leave_seat(session, 2) == SeatLeft(2, "p-2")
    assert table_sessions.evolve(session, SeatLeft(2, "p-2")).seats == {}


def test_a_taken_seat_is_not_taken_again_and_an_empty_one_not_left():
    session = given("uth-house", SeatTaken(2, "p-2"))
    with pytest.raises(Conflict, match="p-2 sits at seat 2"):
        table_sessions.take_seat(session, 2, "p-3")
    with pytest.raises(OutOfTurn, match="Nobody sits at seat 3"):
        table_sessions.leave_seat(session, 3)


def test_seating_players_says_who_leaves_first_and_then_who_sits_down():
    session = given("uth-house", SeatTaken(1, "a"), SeatTaken(2, "b"), SeatTaken(5, "c"))
    events = table_sessions.seat_players(session, {1: "a", 2: "c", 6: "b"})
    assert events == [SeatLeft(2, "b"), SeatLeft(5, "c"), SeatTaken(2, "c"), SeatTaken(6, "b")]
    session = table_sessions.fold(session, events)
    assert session.seats == {1: "a", 2: "c", 6: "b"}
    assert table_sessions.seat_players(session, {6: "b", 1: "a", 2: "c"}) == []


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_chips_are_bought_and_cashed_at_every_table(ruleset):
    for event in (ChipsBought("p-1", 100_00), ChipsCashed("p-1", 50_00)):
        assert table_sessions.move_chips(given(ruleset), event) == event


@pytest.mark.parametrize("event", [TrayFilled(1000_00, "slip-1"), TrayCredited(1000_00, "slip-2")])
def test_only_a_house_bank_has_a_tray(event):
    for ruleset in HOUSE:
        assert table_sessions.move_chips(given(ruleset), event) == event
    for ruleset in (*STRICT, *OFFERED):
        with pytest.raises(BadChoice, match="tray") as refusal:
            table_sessions.move_chips(given(ruleset), event)
        assert refusal.value.clause in rulesets.load(ruleset).clauses


def test_the_tray_is_counted_between_rounds_opening_and_closing_in_turn():
    for ruleset in (*STRICT, *OFFERED):
        with pytest.raises(BadChoice, match="tray") as refusal:
            table_sessions.count_tray(given(ruleset), 500_00, "opening")
        assert refusal.value.clause in rulesets.load(ruleset).clauses
    session = given("uth-house")
    with pytest.raises(OutOfTurn, match="no opening count"):
        table_sessions.count_tray(session, 500_00, "closing")
    with pytest.raises(BadChoice, match="cannot be negative"):
        table_sessions.count_tray(session, -1, "opening")
    session = table_sessions.evolve(session, table_sessions.count_tray(session, 500_00, "opening"))
    with pytest.raises(OutOfTurn, match="closing one comes next"):
        table_sessions.count_tray(session, 500_00, "opening")
    in_play = table_sessions.fold(session, table_sessions.begin_round(session, "r-1", None))
    with pytest.raises(OutOfTurn, match="between rounds"):
        table_sessions.count_tray(in_play, 500_00, "closing")
    noted = given("uth-house", table_sessions.noted(session))
    assert table_sessions.count_tray(noted, 400_00, "closing") == TrayCounted(400_00, "closing")
    session = table_sessions.evolve(session, TrayCounted(400_00, "closing"))
    assert table_sessions.count_tray(session, 400_00, "opening") == TrayCounted(400_00, "opening")
    with pytest.raises(OutOfTurn, match="closed"):
        table_sessions.count_tray(table_sessions.evolve(session, SessionClosed(0)), 0, "opening")


def test_a_note_from_before_trays_were_counted_says_nothing_of_the_tray():
    stored = msgspec.msgpack.encode(["box-1", None, None, {}, None, 3])
    assert msgspec.msgpack.decode(stored, type=SessionNoted) == SessionNoted("box-1", None, None, {}, None, 3, None)


# ---- who deals


def test_a_dealer_taps_in_another_takes_over_and_leaves():
    session = given("uth-club")
    assert table_sessions.tap_in(session, "dealer-1") == [DealerTappedIn("dealer-1")]
    session = table_sessions.fold(session, table_sessions.tap_in(session, "dealer-1"))
    assert session.dealer == "dealer-1"
    assert table_sessions.tap_in(session, "dealer-2") == [DealerTappedOut("dealer-1"), DealerTappedIn("dealer-2")]
    assert table_sessions.tap_in(session, None) == [DealerTappedOut("dealer-1")]
    assert table_sessions.fold(session, table_sessions.tap_in(session, None)).dealer is None


def test_dealers_change_between_rounds_and_only_to_somebody_else():
    session = given("uth-club", DealerTappedIn("dealer-1"))
    with pytest.raises(Conflict, match="dealer-1 is already dealing at table t1"):
        table_sessions.tap_in(session, "dealer-1")
    with pytest.raises(Conflict, match="Nobody is dealing at table t1"):
        table_sessions.tap_in(given("uth-club"), None)
    with pytest.raises(BadChoice, match="nobody is not a dealer"):
        table_sessions.tap_in(session, "nobody")
    with pytest.raises(OutOfTurn, match="between rounds"):
        table_sessions.tap_in(table_sessions.fold(session, [RoundBegun("r-1", 1, "a", 1, None)]), "dealer-2")
    with pytest.raises(OutOfTurn, match="closed"):
        table_sessions.tap_in(table_sessions.fold(session, [SessionClosed(0)]), "dealer-2")


def test_whoever_deals_stays_when_the_next_session_opens():
    session = given("uth-club", DealerTappedIn("dealer-1"))
    after = given("uth-house", before=table_sessions.fold(session, [SessionClosed(0)]))
    assert after.dealer == "dealer-1"


def test_the_box_is_changed_between_rounds_only():
    session = given("uth-club", box="box-1")
    assert table_sessions.change_box(session, "box-2") == BoxChanged("box-2")
    assert table_sessions.evolve(session, BoxChanged("box-2")).box == "box-2"
    session = table_sessions.fold(session, table_sessions.begin_round(session, "r-1", (3, "a")))
    with pytest.raises(OutOfTurn, match="between rounds"):
        table_sessions.change_box(session, "box-2")


# ---- one round at a time, and the decks


def test_a_round_is_not_begun_over_an_open_one():
    session = given("uth-house", RoundBegun("r-1", None, None, None, None))
    with pytest.raises(Conflict, match="r-1 is open at table t1"):
        table_sessions.begin_round(session, "r-2", None)


def test_a_house_bank_has_no_turn():
    assert table_sessions.begin_round(given("uth-sd"), "r-1", None) == [RoundBegun("r-1", None, None, None, None)]


@pytest.mark.parametrize("ruleset", ["uth-club", "uth-bgc", "uth-casino-club", "tcp-casino-club"])
def test_two_decks_alternate_from_round_to_round_voided_ones_too(ruleset):
    session = given(ruleset)
    decks = []
    for number, status in enumerate(["settled", "void", "settled", "settled", "void"]):
        (*_, begun) = table_sessions.begin_round(session, f"r-{number}", (1 + number, f"p-{number}"))
        assert isinstance(begun, RoundBegun)
        decks.append(begun.deck)
        session = table_sessions.fold(session, [begun, RoundEnded(begun.round, status)])
    assert decks == ["blue", "red", "blue", "red", "blue"]


@pytest.mark.parametrize("ruleset", ["p215-casino-club", *HOUSE])
def test_other_rule_sets_have_no_colours(ruleset):
    assert given(ruleset).deck is None


# ---- rotation


@pytest.mark.parametrize("ruleset", [*STRICT, *OFFERED])
def test_one_person_banks_two_rounds_in_a_row(ruleset):
    session = given(ruleset)
    assert turn(session, 3, "a", occupied=(1, 3)) == 1
    session = played(session, 3, "a")
    assert turn(session, 3, "a", occupied=(1, 3)) == 2
    session = played(session, 3, "a")
    with pytest.raises(Rotation) as refusal:
        turn(session, 3, "a", occupied=(1, 3))
    assert refusal.value.clause in rulesets.load(ruleset).clauses


@pytest.mark.parametrize("ruleset", STRICT)
def test_strictly_a_third_round_is_refused_whatever_anybody_says(ruleset):
    session = played(played(given(ruleset), 3, "a"), 3, "a")
    with pytest.raises(Rotation):
        turn(session, 3, "a", declined=(4, 5, 1), occupied=(1, 3, 4, 5))
    with pytest.raises(Rotation):
        turn(session, 3, "a", occupied=(3,))


@pytest.mark.parametrize("ruleset", [*STRICT, *OFFERED])
def test_somebody_else_in_between_starts_the_count_anew(ruleset):
    session = played(played(given(ruleset), 3, "a"), 3, "a")
    session = played(session, 4, "b")
    assert turn(session, 3, "a", occupied=(3, 4)) == 1


@pytest.mark.parametrize("ruleset", [*STRICT, *OFFERED])
def test_the_count_is_by_person_and_not_by_seat(ruleset):
    session = played(played(given(ruleset), 3, "a"), 5, "a")
    assert session.run == BankRun("a", 5, 2)
    with pytest.raises(Rotation):
        turn(session, 6, "a", occupied=(1, 6))
    assert turn(session, 5, "b", occupied=(1, 5, 6)) == 1


@pytest.mark.parametrize("ruleset", [*STRICT, *OFFERED])
def test_a_voided_round_uses_up_nothing(ruleset):
    session = played(played(given(ruleset), 3, "a"), 3, "a", "void")
    assert session.run == BankRun("a", 3, 1)
    assert turn(session, 3, "a") == 2
    session = played(played(session, 3, "a"), 3, "a", "void") if ruleset in OFFERED else played(session, 3, "a")
    with pytest.raises(Rotation):
        turn(session, 3, "a", occupied=(1,))


@pytest.mark.parametrize("ruleset", [*STRICT, *OFFERED])
def test_a_voided_round_of_somebody_else_does_not_start_the_count_anew(ruleset):
    session = played(played(given(ruleset), 3, "a"), 3, "a")
    session = played(session, 4, "b", "void")
    assert session.run == BankRun("a", 3, 2)
    with pytest.raises(Rotation):
        turn(session, 3, "a", occupied=(1, 4))


@pytest.mark.parametrize("ruleset", OFFERED)
@pytest.mark.parametrize(
    "declined",
    [(), (4,), (4, 6), (4, 1, 6), (1, 4, 6), (6, 1, 4)],
    ids=["nobody", "one", "two", "out of order", "from seat 1", "from seat 6"],
)
def test_a_third_round_needs_every_other_player_to_decline_clockwise(ruleset, declined):
    session = played(played(given(ruleset), 3, "a"), 3, "a")
    with pytest.raises(Rotation, match="seats 4, 6, 1, in this order"):
        turn(session, 3, "a", declined=declined, occupied=(1, 3, 4, 6))


@pytest.mark.parametrize("ruleset", OFFERED)
def test_when_all_have_declined_in_order_the_same_person_begins_again(ruleset):
    session = played(played(given(ruleset), 3, "a"), 3, "a")
    assert turn(session, 3, "a", declined=(4, 6, 1), occupied=(1, 3, 4, 6)) == 1
    session = played(session, 3, "a", declined=(4, 6, 1), occupied=(1, 3, 4, 6))
    assert turn(session, 3, "a", occupied=(1, 3, 4, 6)) == 2


@pytest.mark.parametrize("ruleset", OFFERED)
def test_who_is_alone_at_the_table_goes_on(ruleset):
    session = played(played(given(ruleset), 3, "a"), 3, "a")
    assert turn(session, 3, "a", occupied=(3,)) == 1


@pytest.mark.parametrize("ruleset", OFFERED)
def test_an_empty_seat_that_is_named_among_the_refusals_does_no_harm(ruleset):
    session = played(played(given(ruleset), 3, "a"), 3, "a")
    assert turn(session, 3, "a", declined=(4, 5, 6, 1), occupied=(1, 3, 4, 6)) == 1


@pytest.mark.parametrize("ruleset", OFFERED)
def test_offers_go_round_from_the_seat_where_they_banked_last(ruleset):
    session = played(played(given(ruleset), 3, "a"), 5, "a")  # they have changed seats in between
    with pytest.raises(Rotation, match="seats 6, 1, 4, in this order"):
        turn(session, 2, "a", declined=(4, 6, 1), occupied=(1, 2, 4, 6))
    assert turn(session, 2, "a", declined=(6, 1, 4), occupied=(1, 2, 4, 6)) == 1


@pytest.mark.parametrize("ruleset", OFFERED)
def test_each_refusal_is_an_offer_and_a_refusal_by_who_sits_there(ruleset):
    session = given(ruleset, SeatTaken(4, "d"))
    assert table_sessions.begin_round(session, "r-1", (3, "a"), (4, 1), (1, 3, 4)) == [
        BankOffered(4, "d"),
        BankDeclined(4, "d"),
        BankOffered(1, "seat-1"),
        BankDeclined(1, "seat-1"),
        RoundBegun("r-1", 3, "a", 1, session.deck),
    ]


# ---- notes of the state of a session


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_a_note_says_all_that_the_session_remembers(ruleset):
    """Folded over anything else, it gives the same session as all the events before it."""
    session = given(ruleset, box="box-1")
    fresh = session
    who: tuple[int, str] | None = None
    for line in islice(documents(ruleset, 3, 1), 60):
        document = msgspec.json.decode(line)
        players = {int(seat): bettor for seat, bettor in document["players"].items()}
        session = table_sessions.fold(session, table_sessions.seat_players(session, players))
        bank = document.get("player_dealer")
        who = None if bank is None else (bank["seat"], bank["bettor"])
        declined = tuple(() if bank is None else bank.get("declined", ()))
        begun = table_sessions.begin_round(session, document["round"], who, declined, players)
        session = table_sessions.fold(session, begun)
        assert from_note(fresh, session) == rules_ask_of(session)
        status = {"settle": "settled", "void": "void"}[document["actions"][-1]["do"]]
        session = table_sessions.evolve(session, RoundEnded(document["round"], status))
        assert from_note(fresh, session) == rules_ask_of(session)
    assert from_note(played(fresh, 1, "x") if who else fresh, session) == rules_ask_of(session)


def from_note(other: TableSession, session: TableSession) -> TableSession:
    return rules_ask_of(table_sessions.fold(other, [table_sessions.noted(session)]))


def rules_ask_of(session: TableSession) -> TableSession:
    """Without the round that ended last, which screens show and no note has."""
    return msgspec.structs.replace(session, ended=None)


def test_a_simulated_floor_keeps_the_rotation():
    for ruleset in (*STRICT, *OFFERED):
        session = given(ruleset)
        turns = []
        for line in islice(documents(ruleset, 5, 1), 300):
            document = msgspec.json.decode(line)
            bank = document["player_dealer"]
            occupied = tuple(int(seat) for seat in document["players"])
            who = (bank["seat"], bank["bettor"], tuple(bank.get("declined", ())))
            turns.append(turn(session, who[0], who[1], declined=who[2], occupied=occupied))
            status = {"settle": "settled", "void": "void"}[document["actions"][-1]["do"]]
            session = played(session, who[0], who[1], status, who[2], occupied)
        assert set(turns) == {1, 2}

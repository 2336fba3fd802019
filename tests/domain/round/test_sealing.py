"""Face-down cards: a commitment that opens, and nothing else of the card before it is turned over."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest

from domain.errors import WrongCards
from domain.round import sealing
from domain.round.events import CardsDealt, CardsTurned, RoundEvent
from domain.round.replay import play
from domain.round.sealing import Openings, SealedUnit, commitment
from domain.round.state import fold
from domain.rules import rulesets
from tests.domain.stored_rounds import StoredRound, cards_in, simulated, stored_round, text_of
from tests.rules.hold_em import HoldEm
from tests.rules.rounds import Play

HAND = "AsKd"
BOARD = "Qh9c7h4s2d"


def salts():
    """Salts that differ."""
    return iter([bytes([number]) * 16 for number in range(100)]).__next__


def one_hand(ruleset: str = "uth-casino-club", **terms: Any) -> HoldEm:
    play = HoldEm.at(ruleset, banker=None if ruleset in ("uth-sd", "uth-house") else 7, **terms)
    return play.bet(1, ante=10, blind=10)


def stored_play(play: Play) -> StoredRound:
    return stored_round({**play.envelope, "actions": [dict(action) for action in play.actions]})


def opens(seal: bytes, cards: tuple[str, ...], salt: bytes) -> bool:
    """Whether these cards are what was sealed; some of them may not have been read when they were dealt."""
    for seen in product((True, False), repeat=len(cards)):
        text = "".join(card if known else "??" for card, known in zip(cards, seen, strict=True))
        if any(seen) and commitment(text, salt) == seal:
            return True
    return False


def check_openings(public: list[RoundEvent]) -> int:
    """Every seal whose cards were turned over opens to exactly these cards; how many there were."""
    sealed: dict[int | str, list[tuple[bytes, int, int]]] = {}  # with the cards of the hand or street that it covers
    dealt_to: Counter[int | str] = Counter()
    checked = 0
    for event in public:
        if isinstance(event, CardsDealt):
            parts: list[tuple[int | str, int]] = [(event.to, event.face_down)]
            if event.to == "board":
                parts = [("flop", 3)] if not dealt_to["flop"] else []
                parts += [("turn_river", 2)] if len(event.cards) != 3 else []
            for (place, size), seal in zip(parts, event.seals or (b"",) * len(parts), strict=True):
                sealed.setdefault(place, []).append((seal, dealt_to[place], dealt_to[place] + size))
                dealt_to[place] += size
            dealt_to[event.to] += len(event.cards) - event.face_down
        elif isinstance(event, CardsTurned):
            salts = list(event.salts)
            for seal, first, last in sealed[event.of]:
                if seal:
                    assert opens(seal, event.cards[first:last], salts.pop(0))
                    checked += 1
            assert salts == []
    return checked


def test_the_event_carries_a_commitment_and_the_opening_is_kept_apart():
    event, units = sealing.seal(Openings(flop=3), CardsDealt(1, ("As", "Kd"), face_down=2), salts())
    assert units == [SealedUnit(0, HAND, bytes(16))]
    assert event == CardsDealt(1, (None, None), face_down=2, seals=(commitment(HAND, bytes(16)),))
    assert sealing.unseal(Openings(flop=3), event, units) == CardsDealt(1, ("As", "Kd"), face_down=2, seals=event.seals)


def test_a_card_face_up_is_no_secret():
    up = CardsDealt(1, ("As",), face_down=0)
    assert sealing.seal(Openings(flop=3), up, salts()) == (up, [])
    event, units = sealing.seal(Openings(flop=3), CardsDealt("dealer", ("As", "Kd", "2c"), face_down=2), salts())
    assert isinstance(event, CardsDealt)
    assert event.cards == (None, None, "2c")
    assert [unit.cards for unit in units] == [HAND]
    assert sealing.unseal(Openings(flop=3), event, units).cards == ("As", "Kd", "2c")


def test_a_packet_that_nobody_has_seen_has_nothing_to_seal():
    unseen = CardsDealt(1, (None, None), face_down=2)
    assert sealing.seal(Openings(flop=3), unseen, salts()) == (unseen, [])


def test_a_packet_of_which_one_card_was_read_is_sealed_as_far_as_it_is_known():
    event, units = sealing.seal(Openings(flop=3), CardsDealt(1, (None, "Kd"), face_down=2), salts())
    assert isinstance(event, CardsDealt)
    assert units == [SealedUnit(0, "??Kd", bytes(16))]
    assert event.cards == (None, None)
    assert sealing.unseal(Openings(flop=3), event, units).cards == (None, "Kd")


def test_the_board_is_sealed_by_streets():
    cards = tuple(BOARD[at : at + 2] for at in range(0, 10, 2))
    openings = Openings(flop=3)
    event, units = sealing.seal(openings, CardsDealt("board", cards, face_down=5), salts())
    assert isinstance(event, CardsDealt)
    assert [(unit.number, unit.cards) for unit in units] == [(0, "Qh9c7h"), (1, "4s2d")]
    assert [openings.of("flop"), openings.of("turn_river")] == [(units[0].salt,), (units[1].salt,)]
    assert sealing.unseal(Openings(flop=3), event, units).cards == cards


def test_a_board_of_which_only_the_river_was_read_has_one_seal():
    openings = Openings(flop=3)
    event, units = sealing.seal(openings, CardsDealt("board", (None, None, None, None, "2d"), face_down=5), salts())
    assert isinstance(event, CardsDealt)
    assert event.seals == (b"", commitment("??2d", units[0].salt))
    assert (openings.of("flop"), openings.of("turn_river")) == ((), (units[0].salt,))
    assert sealing.unseal(Openings(flop=3), event, units).cards == (None, None, None, None, "2d")


def test_a_copy_of_the_openings_goes_its_own_way():
    """An attempt to record that fails must leave no salt behind for the next one."""
    openings = Openings(flop=3)
    sealing.seal(openings, CardsDealt(1, ("As",), face_down=1), salts())
    copied = openings.copy()
    sealing.seal(copied, CardsDealt(1, ("Kd",), face_down=1), salts())
    sealing.seal(copied, CardsDealt("board", ("Qh", "9c", "7h"), face_down=3), salts())
    assert (len(openings.of(1)), len(copied.of(1))) == (1, 2)
    sealing.seal(openings, CardsDealt("board", ("Qh", "9c", "7h"), face_down=3), salts())
    assert len(openings.of("flop")) == 1


@pytest.mark.parametrize(
    ("ruleset", "dealing", "packets"),
    [("uth-casino-club", "shuffler", 1), ("uth-casino-club", "shoe", 2), ("uth-club", "shoe", 2)],
)
def test_the_salts_come_out_when_the_hand_is_turned_over_one_for_each_packet(ruleset, dealing, packets):
    play = one_hand(ruleset, dealing=dealing).deal_out({1: HAND}, "QsQc", BOARD).raise_(1, 4)
    known = stored_play(play.reveal_all().settle())
    (turned,) = [event for event in known.public if isinstance(event, CardsTurned) and event.of == 1]
    assert turned.cards == ("As", "Kd")
    assert len(turned.salts) == packets
    assert check_openings(known.public) >= packets + 3


def test_the_burn_cards_and_streets_of_a_deal_by_hand():
    play = one_hand("uth-sd", trips="UTH-01", dealing="hand").close_bets()
    for place, text in ((1, "As"), ("dealer", "Qs"), (1, "Kd"), ("dealer", "Qc")):
        play = play.deal(place, text)
    play = play.raise_(1, 4).deal("burn", "3h").deal("board", "Qh9c7h").reveal("flop")
    play = play.deal("burn", "5h").deal("board", "4s2d").reveal("turn_river").reveal("dealer").settle()
    known = stored_play(play)
    assert known.round.status == "settled"
    turned = [event for event in known.public if isinstance(event, CardsTurned)]
    assert [(event.of, len(event.salts)) for event in turned] == [("flop", 1), ("turn_river", 1), ("dealer", 2), (1, 2)]
    assert check_openings(known.public) == 6
    assert not cards_in(text_of(known.public)) & {"3h", "5h"}  # what was burned stays closed


def test_an_exchanged_card_is_found_out():
    """At the table: whoever turns over another card than was read is refused."""
    play = one_hand().deal_out({1: HAND}, "QsQc", BOARD).raise_(1, 4)
    known = stored_play(play)
    for cards in (["As", "Kc"], ["Kd", "As"]):
        with pytest.raises(WrongCards):
            play_on(known, {"do": "reveal", "of": 1, "cards": cards})


def play_on(known: StoredRound, action: dict[str, object]):
    return play(known.round, [action])


def test_an_exchanged_card_in_the_records_is_found_out_by_anybody():
    play = one_hand().deal_out({1: HAND}, "QsQc", BOARD).raise_(1, 4).reveal_all().settle()
    public = stored_play(play).public
    assert check_openings(public) == 4
    at = next(at for at, event in enumerate(public) if isinstance(event, CardsTurned) and event.of == 1)
    event = public[at]
    assert isinstance(event, CardsTurned)
    for forged in (("As", "Kc"), ("Kd", "As")):
        exchanged = [*public[:at], CardsTurned(1, forged, event.salts), *public[at + 1 :]]
        with pytest.raises(AssertionError):
            check_openings(exchanged)


def test_the_same_cards_are_never_sealed_alike():
    known = [stored_play(one_hand().deal_out({1: HAND}, "QsQc", BOARD)) for _ in range(2)]
    first, second = ([seal for event in one.public for seal in getattr(event, "seals", ())] for one in known)
    assert len(first) == 4
    assert not set(first) & set(second)


def test_a_folded_hand_stays_closed():
    play = one_hand().deal_out({1: HAND}, "QsQc", BOARD).check(1).reveal("flop").check(1).reveal("turn_river")
    known = stored_play(play.fold(1).reveal("dealer").settle())
    assert known.round.status == "settled"
    assert not cards_in(text_of(known.public)) & {"As", "Kd"}


@pytest.mark.parametrize("unseen", [0.0, 0.3])
@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_no_card_can_be_read_before_it_is_turned_over(ruleset, unseen):
    """Over simulated rounds, at every moment of each; and every seal that was opened holds its cards."""
    seals = 0
    for document in simulated(ruleset, 40, unseen=unseen):
        known = stored_round(document)
        face_up: Counter[str] = Counter()
        for event, public in zip(known.happened, known.public, strict=True):
            if isinstance(event, CardsDealt):
                face_up.update(card for card in event.cards[event.face_down :] if card)
            elif isinstance(event, CardsTurned):
                face_up.update(event.cards)
            assert cards_in(text_of([public])) <= face_up.keys(), document["round"]
        seals += check_openings(known.public)
    assert seals > 20


@pytest.mark.parametrize("unseen", [0.0, 0.3])
@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_the_write_path_gets_its_cards_back(ruleset, unseen):
    for document in simulated(ruleset, 30, unseen=unseen):
        known = stored_round(document)
        openings = Openings(known.opening.rules.flop)
        events = [
            sealing.unseal(openings, event, known.units.get(at, [])) if isinstance(event, CardsDealt) else event
            for at, event in enumerate(known.public)
        ]
        assert fold(known.opening, events) == known.round

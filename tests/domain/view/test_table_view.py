"""The table at each step of a round, from the events as they are stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from domain.money import cents
from domain.round.decide import decisions, expects
from domain.round.events import CardsDealt, CardsTurned, LineSettled, RoundEvent, RoundSettled
from domain.round.state import Round, evolve
from domain.rules import rulesets
from domain.view.streets import streets_of
from domain.view.table_view import on_layout, table_view, table_views
from tests.domain.replayed_rounds import bank_runs_dry, four_hands
from tests.domain.stored_rounds import StoredRound, cards_in, simulated, stored_round


def rounds_of(opening: Round, events: list[RoundEvent]) -> Iterator[tuple[RoundEvent, Round]]:
    round_ = opening
    for event in events:
        round_ = evolve(round_, event)
        yield event, round_


def last_picture(document: dict[str, Any], steps: int | None = None) -> dict[str, Any]:
    known = stored_round(document)
    *_, (_, round_) = rounds_of(known.opening, known.public[:steps])
    return table_view(round_)


def after(known: StoredRound, kind: type) -> dict[str, Any]:
    """The table just after the last event of a kind."""
    return [table_view(round_) for event, round_ in rounds_of(known.opening, known.public) if isinstance(event, kind)][
        -1
    ]


def words(pile: dict[str, Any]) -> str:
    moved = f" {pile['outcome']}" if pile["outcome"] else ""
    return f"{pile['bettor']} {pile['spot']}#{pile['hand']} {pile['wager']}{moved}"


# ---- cards


@pytest.mark.parametrize("ruleset", rulesets.ids())
@pytest.mark.parametrize("unseen", [0.0, 0.3])
def test_no_card_is_in_a_picture_before_it_is_turned_over(ruleset, unseen):
    """Neither in one made from stored events, nor in one made from all that the write path knows."""
    for document in simulated(ruleset, 12, unseen=unseen):
        known = stored_round(document)
        for events in (known.public, known.happened):
            seen: set[str] = set()
            for event, round_ in rounds_of(known.opening, events):
                if isinstance(event, CardsDealt):
                    seen |= {card for card in event.cards[event.face_down :] if card}
                elif isinstance(event, CardsTurned):
                    seen |= set(event.cards)
                assert cards_in(msgspec.json.encode(table_view(round_)).decode()) <= seen


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_pictures_of_all_steps_are_those_of_each(ruleset):
    documents = [*simulated(ruleset, 12), bank_runs_dry(), four_hands()]
    for known in map(stored_round, documents):
        for events in (known.public, known.happened):
            steps = list(rounds_of(known.opening, events))
            pictures = [table_view(round_) for _, round_ in steps]
            assert table_views(steps) == pictures
            open_ = [round_ for _, round_ in steps if round_.status == "open" and not round_.lines]
            assert [decisions(round_) for round_ in open_] == [_decided(expects(round_)) for round_ in open_]
            for (_, round_), picture in zip(steps, pictures, strict=True):
                piles = {seat["seat"]: [cents(pile["wager"]) for pile in seat["piles"]] for seat in picture["seats"]}
                assert on_layout(round_) == {seat: sum(wagers) for seat, wagers in piles.items() if wagers}


def _decided(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry for entry in entries if entry["do"] == "decide"]


def test_cards_lie_face_down_until_they_are_turned():
    known = stored_round(bank_runs_dry())
    dealt = after(known, CardsDealt)
    assert dealt["board"] == [None] * 5
    assert [hand["cards"] for seat in dealt["seats"] for hand in seat["hands"]] == [[None, None]] * 4
    assert dealt["dealer"] == {"hand": 1, "cards": [None, None], "made": None, "state": None}
    end = last_picture(bank_runs_dry())
    assert end["board"] == ["Ah", "Kh", "9h", "4s", "2c"]
    assert end["dealer"]["made"] == "pair"
    seats = {seat["seat"]: seat["hands"] for seat in end["seats"]}
    assert seats[2] == [{"hand": 1, "cards": ["Qh", "Jh"], "made": "flush", "state": None}]
    assert seats[5] == [{"hand": 1, "cards": [None, None], "made": None, "state": "folded"}]
    assert seats[3] == []


def test_four_split_hands_lie_side_by_side():
    seat = last_picture(four_hands())["seats"][0]
    assert [(hand["cards"], hand["made"], hand["state"]) for hand in seat["hands"]] == [
        (["8h", "Td"], "18", "stand"),
        (["8c", "3h", "9c"], "20", "double"),
        (["8s", "7c", "Jc"], "bust", None),
        (["8d", "4h", "6h"], "18", "stand"),
    ]


def test_the_hole_card_of_pure_is_face_down_until_the_dealer_turns_it():
    known = stored_round(four_hands())
    shown = [table_view(round_)["dealer"] for _, round_ in rounds_of(known.opening, known.public)]
    cards = [tuple(dealer["cards"]) for dealer in shown if dealer is not None]
    assert list(dict.fromkeys(cards)) == [
        ("6d",),
        ("6d", None),
        ("6d", "5s"),
        ("6d", "5s", "2h"),
        ("6d", "5s", "2h", "4d"),
    ]


# ---- chips


def test_chips_lie_on_their_spots_by_bettor_and_hand():
    seat = last_picture(four_hands())["seats"][0]
    assert [words(pile) for pile in seat["piles"]] == [
        "p-11 red_flex#1 5.00 lose",
        "p-11 game#1 50.00 win",
        "b-7 game#1 20.00 win",
        "p-11 game#2 50.00 win",
        "p-11 double#2 50.00 win",
        "p-11 game#3 50.00 lose",
        "p-11 game#4 50.00 win",
    ]
    assert seat["piles"][2]["kind"] == "backline"


def test_chips_that_are_taken_back_leave_the_layout():
    document = {
        "ruleset": "uth-club",
        "player_dealer": {"seat": 3, "wager": "1000.00"},
        "actions": [
            {"do": "bet", "seat": 1, "spot": "ante", "amount": "15.00"},
            {"do": "bet", "seat": 1, "spot": "ante", "amount": "5.00", "bettor": "b-1", "kind": "backline"},
            {"do": "withdraw", "seat": 1, "spot": "ante", "amount": "5.00"},
            {"do": "withdraw", "seat": 1, "spot": "ante", "bettor": "b-1"},
            {"do": "withdraw", "seat": 1, "spot": "ante"},
        ],
    }
    known = stored_round(document)
    pictures = table_views(list(rounds_of(known.opening, known.public)))
    piles = [[words(pile) for pile in picture["seats"][0]["piles"]] for picture in pictures[-4:]]
    both = ["seat-1 ante#1 15.00", "b-1 ante#1 5.00"]
    assert piles == [both, ["seat-1 ante#1 10.00", "b-1 ante#1 5.00"], ["seat-1 ante#1 10.00"], []]
    assert [picture["seats"][0]["bettor"] for picture in pictures[-2:]] == ["seat-1", None]
    *_, (_, round_) = rounds_of(known.opening, known.public)
    assert on_layout(round_) == {}


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_every_line_settles_a_pile_and_no_chip_is_lost(ruleset):
    for document in simulated(ruleset, 15):
        known = stored_round(document)
        *_, (_, round_) = rounds_of(known.opening, known.public)
        wanted: dict[tuple[object, ...], list[int]] = {}
        for line in round_.lines:
            sums = wanted.setdefault((line.seat, line.bettor, line.hand, line.spot, line.outcome), [0, 0, 0])
            for at, amount in enumerate((line.wager, line.paid, line.collected)):
                sums[at] += amount
        piles = {
            (seat["seat"], pile["bettor"], pile["hand"], pile["spot"], pile["outcome"]): [
                cents(pile[word]) for word in ("wager", "paid", "collected")
            ]
            for seat in table_view(round_)["seats"]
            for pile in seat["piles"]
            if round_.status == "settled"
        }
        assert piles == wanted


# ---- the bank


def test_what_is_left_of_the_player_dealers_wager_after_each_line():
    known = stored_round(bank_runs_dry())
    banks = [
        table_view(round_)["bank"]
        for event, round_ in rounds_of(known.opening, known.public)
        if isinstance(event, LineSettled)
    ]
    left = [bank["to_pay"] for bank in banks]
    assert left == ["225.00", "150.00", "150.00", "125.00", "100.00", "75.00"] + ["0.00"] * 6
    assert [bank["to_collect"] for bank in banks] == left
    assert (banks[-1]["paid"], banks[-1]["collected"], banks[-1]["shortfall"]) == ("200.00", "50.00", "167.50")
    assert (banks[-1]["seat"], banks[-1]["bettor"], banks[-1]["wager"]) == (3, "tp-1", "250.00")


def test_separate_limits_have_a_figure_each():
    document = bank_runs_dry()
    document["terms"] = {**document["terms"], "coverage": "separate-limits"}
    bank = last_picture(document)["bank"]
    assert (bank["to_pay"], bank["to_collect"]) == ("0.00", "200.00")


def test_a_house_bank_has_no_wager_to_use_up():
    document = next(document for document in simulated("uth-house", 20) if document["actions"][-1]["do"] == "settle")
    bank = last_picture(document)["bank"]
    assert (bank["seat"], bank["wager"], bank["to_pay"], bank["to_collect"]) == (None, None, None, None)


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_the_bank_of_a_settled_round_is_that_of_its_result(ruleset):
    for document in simulated(ruleset, 15):
        known = stored_round(document)
        for event, round_ in rounds_of(known.opening, known.public):
            if isinstance(event, RoundSettled):
                bank = table_view(round_)["bank"]
                assert (cents(bank["paid"]), cents(bank["collected"])) == (event.paid, event.collected)


# ---- who sits where, and whose turn it is


def test_seats_buttons_and_whose_turn_it_is():
    known = stored_round(bank_runs_dry())
    dealt = after(known, CardsDealt)
    assert [seat["bettor"] for seat in dealt["seats"]] == ["p-21", "p-22", "tp-1", "p-24", "p-25", None, None]
    assert [seat["seat"] for seat in dealt["seats"] if seat["banks"]] == [3]
    assert [seat["seat"] for seat in dealt["seats"] if seat["acting"]] == [1, 2, 4, 5]
    assert not any(seat["acting"] for seat in last_picture(bank_runs_dry())["seats"])
    end = last_picture(four_hands())
    assert [seat["seat"] for seat in end["seats"] if seat["button"]] == [end["button"]]


def test_the_streets_of_a_round_and_where_they_begin():
    for document, names in (
        (bank_runs_dry(), "bets deal before_the_flop flop turn_and_river showdown settlement"),
        (four_hands(), "bets deal players dealer's_hand settlement"),
    ):
        known = stored_round(document)
        events = [known.opening.opened, *known.public]
        streets = streets_of(known.opening.game, events)
        assert [street.name.replace(" ", "_") for street in streets] == names.split()
        assert [street.step for street in streets] == sorted({street.step for street in streets})
        assert isinstance(events[streets[-1].step - 1], LineSettled)


def test_a_voided_round_keeps_the_meter_as_it_was(seed):
    documents = simulated("uth-sd", 400, seed)
    document = next(d for d in documents if d["terms"].get("meter") and d["actions"][-1]["do"] == "void")
    shown = document["terms"]["meter"]
    assert last_picture(document)["meter"] == {"shown": shown["shown"], "reserve": shown["reserve"]}

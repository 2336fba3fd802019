"""Why each thing happened, and the cards of the hand that was made."""

from __future__ import annotations

from typing import Any

import pytest

from domain.cards import whole
from domain.hands.made_hands import MadeHand
from domain.hands.poker import best_of
from domain.round.dealing import face_up
from domain.round.events import CardsTurned, FeeTaken, LineSettled, RoundSettled, WagerWithdrawn
from domain.round.state import Round
from domain.rules import rulesets
from domain.view.reasons import Why, why
from tests.domain.replayed_rounds import bank_runs_dry, four_hands
from tests.domain.stored_rounds import simulated, stored_round
from tests.domain.view.test_table_view import rounds_of
from tests.rules.button_games import p215


def reasons(document: dict[str, Any], kind: type) -> list[tuple[Any, Why]]:
    known = stored_round(document)
    return [
        (event, why(round_, event)) for event, round_ in rounds_of(known.opening, known.public) if type(event) is kind
    ]


def card_at(round_: Round, made: MadeHand) -> list[str | None]:
    """The cards that the marks point at."""
    found: list[str | None] = []
    for mark in made.marks:
        if isinstance(mark.place, int):
            found.append(round_.game.hands(round_, mark.place)[mark.hand - 1].cards[mark.at])
        else:
            found.append(face_up(round_, mark.place)[mark.at])
    return found


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_every_event_of_play_falls_under_a_clause_of_its_rule_set(ruleset):
    for document in simulated(ruleset, 20):
        known = stored_round(document)
        for event, round_ in rounds_of(known.opening, known.public):
            reason = why(round_, event)
            assert reason.clause is not None, type(event).__name__
            assert reason.says == round_.rules.clauses[reason.clause].says


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_marks_point_at_the_cards_of_the_hand(ruleset):
    seen = 0
    for document in simulated(ruleset, 20):
        known = stored_round(document)
        for event, round_ in rounds_of(known.opening, known.public):
            for made in why(round_, event).made:
                assert card_at(round_, made) == list(made.cards)
                if round_.rules.family == "uth":
                    own, board = whole(face_up(round_, made.of)), whole(face_up(round_, "board"))
                    if isinstance(event, LineSettled) and event.spot != "progressive" and own and board:
                        assert len(made.cards) == 5
                        assert best_of(made.cards) == best_of(own + board)
                seen += 1
    assert seen


def test_a_line_brings_both_hands_with_their_five_cards():
    lines = {(line.seat, line.spot): reason for line, reason in reasons(bank_runs_dry(), LineSettled)}
    ante = lines[1, "ante"]
    assert [(made.of, made.name, made.cards) for made in ante.made] == [
        (1, "three of a kind", ("As", "Ad", "Ah", "Kh", "9h")),
        ("dealer", "pair", ("4d", "4s", "Ah", "Kh", "Tc")),
    ]
    assert [(mark.place, mark.at) for mark in ante.made[0].marks] == [
        (1, 0),
        (1, 1),
        ("board", 0),
        ("board", 1),
        ("board", 2),
    ]
    assert [made.of for made in lines[2, "trips"].made] == [2]
    assert lines[5, "ante"].made == ()  # folded, and never seen
    assert lines[1, "play"].sentence is not None
    assert "Only $75.00 of the player-dealer's wager was left" in lines[1, "play"].sentence


def test_points_of_each_split_hand():
    lines = {(line.seat, line.hand, line.spot): reason for line, reason in reasons(four_hands(), LineSettled)}
    assert [made.text for made in lines[1, 3, "game"].made] == ["25, over 21.5", "17"]
    assert [made.text for made in lines[4, 1, "game"].made] == ["pure 21.5", "17"]
    flex = lines[1, 1, "red_flex"].made[0]
    assert (flex.of, flex.cards, flex.text) == ("dealer", ("6d",), "1 red card in a row")


def test_a_split_ace_with_a_bonus_card_is_no_pure():
    play = p215("1 game 10.00", cards="1: Ah Ac, dealer: 6d 5s").then("1 split", "1 gets Td", "1#2 gets 9h")
    play = play.then("reveal dealer", "dealer gets Ts", "settle")
    document = {**play.envelope, "actions": list(play.actions)}
    assert [reason.made[0].name for _, reason in reasons(document, LineSettled)] == ["soft 21", "soft 20"]


def test_six_cards_are_looked_at_together():
    for document in simulated("tcp-casino-club", 200):
        for line, reason in reasons(document, LineSettled):
            if line.spot == "six_card" and reason.made:
                assert len(reason.made[0].cards) == 5
                assert {mark.place for mark in reason.made[0].marks} <= {line.seat, "dealer"}
                return
    raise AssertionError("no six card wager was simulated")


def test_hands_that_are_turned_over_are_named():
    turned = {event.of: reason for event, reason in reasons(bank_runs_dry(), CardsTurned)}
    assert turned["dealer"].sentence == "The player-dealer has a pair of fours."
    assert turned[2].sentence == "Seat 2 has an ace-high flush."
    assert turned["flop"].made == ()


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_a_wager_is_taken_back_under_the_clause_that_allows_it(ruleset):
    rules = rulesets.load(ruleset)
    spot = "game" if rules.family == "p215" else "ante"
    document: dict[str, Any] = {
        "ruleset": ruleset,
        "terms": {"schedule": 1} if rules.family in ("p215", "tcp") else {},
        "actions": [
            {"do": "bet", "seat": 1, "spot": spot, "amount": "15.00"},
            {"do": "withdraw", "seat": 1, "spot": spot},
        ],
    }
    if rules.player_banked:
        document["player_dealer"] = {"seat": 3, "wager": "1000.00"}
    if rules.family == "uth":
        document["terms"] = {"trips": next(iter(rules.tables_for("trips")))}
    ((_, why),) = reasons(document, WagerWithdrawn)
    assert why.clause == rules.clause("withdraw")
    assert why.says


def test_the_fee_says_its_tier():
    ((_, fee),) = reasons(bank_runs_dry(), FeeTaken)
    assert fee.sentence is not None
    assert fee.sentence.startswith("The fee for a total action of $205.00, in tier ")


def test_the_end_says_what_was_not_covered():
    ((_, end),) = reasons(bank_runs_dry(), RoundSettled)
    assert end.sentence == "12 wagers settled; $167.50 of what was owed was not covered by the player-dealer's wager."
    ((_, end),) = reasons(four_hands(), RoundSettled)
    assert end.sentence == "9 wagers settled, all in full."

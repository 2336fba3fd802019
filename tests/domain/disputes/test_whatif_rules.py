"""Rounds settled otherwise: by the facts as they were put right, where they were."""

from __future__ import annotations

from typing import Any

import pytest

from domain.disputes.whatif import RuleChanges, changed_rules, changed_terms, totals_as_settled, totals_under
from domain.documents.document import read_document
from domain.errors import BadTerms
from domain.round import corrections
from domain.round.events import CorrectionPosted, RoundEvent
from domain.round.replay import fact_documents, facts_of, play
from domain.round.state import Round, fold, start
from tests.rules.hold_em import HoldEm


@pytest.fixture
def played() -> tuple[Round, Round, list[RoundEvent]]:
    """Seat 1 has 10.00 on ante and blind and 5.00 on trips, plays 40.00, and loses all of it to a pair of queens."""
    table = HoldEm.at("uth-bgc", banker=7, wager=1000, trips="UTH-01").bet(1, ante=10, blind=10, trips=5)
    hands = table.deal_out({1: "AdQh"}, "QsQc", "Kd9d7h4d2c").raise_(1, 4)
    done = hands.reveal("flop").reveal("turn_river").reveal("dealer").settle()
    document = read_document({**done.envelope, "actions": done.actions})
    return document.opening, *play(document.opening, document.actions)


def corrected(opening: Round, round_: Round, events: list[RoundEvent], cards: list[str]) -> list[RoundEvent]:
    """What is posted where seat 1's cards are put right."""
    actions = fact_documents(events)
    mine = [at for at, action in enumerate(actions) if 1 in (action.get("to"), action.get("of"))]
    changes: dict[int, dict[str, Any]] = {at: {**actions[at], "cards": cards} for at in mine}
    return corrections.correct_facts(
        round_, opening, facts_of(events), changes, "Misread", ("m-1", "m-2"), "player-dealer"
    )


def under(opening: Round, **changes: Any) -> Round:
    asked = RuleChanges(**changes)
    rules = changed_rules(opening.rules, asked)
    return start(rules, changed_terms(rules, opening.opened.terms, asked), opening.opened)


def test_facts_that_were_put_right_count_on_both_sides(played: tuple[Round, Round, list[RoundEvent]]):
    """The queen was that of diamonds: a flush, which is paid 10 + 40 + 15 + 35, and with trips at 6:1 five less."""
    opening, round_, events = played
    assert totals_as_settled(opening, events).nets["seat-1"] == -65_00
    events = [*events, *corrected(opening, round_, events, ["Ad", "Qd"])]
    was, would = totals_as_settled(opening, events), totals_under(under(opening, trips="UTH-02"), events)
    assert (was.paid, was.nets["seat-1"]) == (100_00, 100_00)
    assert (would.paid, would.nets["seat-1"]) == (95_00, 95_00)
    posted = sum(event.amount for event in events if isinstance(event, CorrectionPosted))
    assert posted == 165_00, "what was posted leads to what the right facts lead to"


def test_a_game_without_a_fee_totals_none(played: tuple[Round, Round, list[RoundEvent]]):
    opening, _, events = played
    assert opening.terms.schedule is None
    for totals in (totals_as_settled(opening, events), totals_under(opening, events)):
        assert (totals.fee, totals.nets) == (0, {"seat-1": -65_00, "seat-7": 65_00})


def test_of_two_corrections_of_facts_the_last_one_counts(played: tuple[Round, Round, list[RoundEvent]]):
    opening, round_, events = played
    for cards in (["Ad", "Qd"], ["Ad", "Qh"]):
        more = corrected(opening, round_, events, cards)
        events, round_ = [*events, *more], fold(round_, more)
    assert totals_as_settled(opening, events).nets["seat-1"] == -65_00


def test_a_correction_of_amounts_alone_stays_out(played: tuple[Round, Round, list[RoundEvent]]):
    opening, round_, events = played
    entry = corrections.Entry(1, "seat-1", "ante", 500, "house")
    events = [*events, *corrections.correct(round_, "A mistake", ("m-1", "m-2"), [entry])]
    assert totals_as_settled(opening, events).nets["seat-1"] == -65_00


def test_any_figure_of_the_rules_can_be_another(played: tuple[Round, Round, list[RoundEvent]]):
    """Queens do not qualify where three of a kind must, and then the ante of 10.00 is not lost."""
    opening, _, events = played
    would = totals_under(under(opening, figures={"qualify.at_least": "three of a kind"}), events)
    assert would.nets["seat-1"] == -55_00


def test_figures_that_do_not_go_together_are_refused_with_the_reason(played: tuple[Round, Round, list[RoundEvent]]):
    opening = played[0]
    with pytest.raises(BadTerms, match="uth-bgc cannot have these figures: 4 board cards are turned over, not 5"):
        under(opening, figures={"street.2.turns": 2})
    under(opening, figures={"street.2.turns": 2, "street.3.turns": 3})


@pytest.mark.parametrize(
    "place", ["id", "version", "clause", "odds.play.clause", "settlement.seats_clause", "odds.nine.pays"]
)
def test_what_is_no_figure_is_not_changed(played: tuple[Round, Round, list[RoundEvent]], place: str):
    with pytest.raises(BadTerms, match=r"not a figure|There is no"):
        under(played[0], figures={place: "2:1"})

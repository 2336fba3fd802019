"""uth-club, Ultimate Texas Hold'em at a card club: a test for each of its clauses."""

from typing import Any

import pytest

from domain.errors import Rotation
from domain.floor.table_sessions import RoundBegun, begin_round
from domain.rules.rulesets import load
from tests.rules.hold_em import (
    BOARD,
    DEUCES,
    MADE,
    PAIR_OF_QUEENS,
    TRIPS,
    HoldEm,
)
from tests.rules.rounds import after_rounds

RULES = load("uth-club")


def table(banker: int = 7, **others: Any) -> HoldEm:
    return HoldEm.at("uth-club", banker=banker, **others)


def one_seat(**others: Any) -> HoldEm:
    return table(**others).bet(1, ante=10, blind=10)


# ---- what the document says


def test_club_standards_rotation__two_rounds_in_a_row_and_then_the_next_clockwise():
    once = after_rounds("uth-club", (3, "a", "settled"))
    assert begin_round(once, "r-2", (3, "a")) == [RoundBegun("r-2", 3, "a", turn=2, deck="red")]
    twice = after_rounds("uth-club", (3, "a", "settled"), (3, "a", "settled"))
    with pytest.raises(Rotation):
        begin_round(twice, "r-3", (3, "a"))
    assert begin_round(twice, "r-3", (4, "b")) == [RoundBegun("r-3", 4, "b", turn=1, deck="blue")]


def test_club_table_places__give_way_to_the_decision_on_seats():
    assert RULES.seats == 7
    assert RULES.clauses["club/table/places"].contradicts == ("club/players",)
    assert RULES.clauses["club/players"].contradicts == ("club/table/places",)


def test_club_players__six_and_the_player_dealer():
    play = table(banker=7)
    for seat in range(1, 7):
        play = play.bet(seat, ante=10, blind=10)
    assert play.close_bets().status == "open"
    assert play.bet(8, ante=10).last_refused() == ("bad_document", "club/decision/seats")


@pytest.mark.parametrize("card", ["1s", "Joker", "JJ", "Ax"])
def test_club_deck_1__cards_of_a_standard_deck_and_no_others(card: str):
    strange = one_seat().close_bets().do("deal", to=1, cards=[card])
    assert strange.last_refused() == ("bad_document", None)
    assert one_seat().close_bets().deal(1, "2c").deal("dealer", "As").status == "open"


def test_club_betting_2__no_bet_after_no_more_bets_and_no_card_before():
    refused = ("out_of_turn", "club/betting/2")
    closed = one_seat().close_bets()
    assert closed.bet(1, trips=5).last_refused() == refused
    assert closed.bet(2, ante=10).last_refused() == refused
    assert closed.withdraw(1, "ante").last_refused() == refused
    assert closed.close_bets().last_refused() == refused
    assert one_seat().deal(1, "As").last_refused() == refused


def test_club_dealing_1_1__no_card_before_the_call():
    assert one_seat().deal(1, "As").last_refused() == ("out_of_turn", "club/betting/2")
    assert one_seat().close_bets().deal(1, "As").status == "open"


def test_club_dealing_1_2__clockwise_from_seat_1_and_the_player_dealer_last():
    play = table(banker=3).bet(5, ante=10, blind=10).bet(2, ante=10, blind=10).close_bets()
    refused = ("out_of_turn", "club/dealing/1.2")
    assert play.deal(1, "As").last_refused() == refused
    assert play.deal(5, "As").last_refused() == refused
    assert play.deal(2, "As").deal("dealer", "Kd").last_refused() == refused
    assert play.deal(2, "As").deal(5, "Kd").deal("dealer", "Qh").status == "open"


def test_club_dealing_3__one_card_each_twice_and_then_five_to_the_board():
    play = one_seat().close_bets()
    assert play.deal(1, "AsAd").last_refused() == ("wrong_cards", "club/dealing/3")
    play = play.deal(1, "As").deal("dealer", "Kd").deal(1, "Ad").deal("dealer", "Kc")
    assert play.deal("board", "Qh9c4s3d").last_refused() == ("wrong_cards", "club/dealing/3")
    assert play.deal("board", "Qh9c4s3d2h").check(1).status == "open"


def test_club_qualifies_20__third_round_in_a_row_is_refused_whoever_declines():
    twice = after_rounds("uth-club", (3, "a", "settled"), (3, "a", "settled"))
    for seat in (3, 5):
        with pytest.raises(Rotation) as refusal:
            begin_round(twice, "r-3", (seat, "a"), declined=(4, 5, 6, 7, 1, 2))
        assert refusal.value.clause == "club/qualifies/20"
    assert begin_round(twice, "r-3", (4, "b")) == [RoundBegun("r-3", 4, "b", turn=1, deck="blue")]


def test_club_qualifies_20__declined_are_other_seats_each_once():
    for declined in ([1, 7], [1, 1]):
        assert table(declined=declined).document_refused() == ("bad_document", "club/qualifies/20")


@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-03"])
def test_club_pay_table_trips__pays(made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["UTH-03"].clause == "club/pay-table/trips"


def test_club_pay_table_trips__is_the_only_one():
    assert one_seat(trips="UTH-03").close_bets().status == "open"
    for other in ("UTH-01", "UTH-02", "UTH-04"):
        assert table(trips=other).document_refused() == ("bad_terms", "club/qualifies/18")


# ---- what the document leaves open, and how it is read here


def test_club_decision_one_deck__has_each_card_once():
    play = one_seat().close_bets().deal(1, "As").deal("dealer", "As")
    assert play.last_refused() == ("duplicate_card", "club/decision/one-deck")
    assert table(decks=2).document_refused() == ("bad_terms", "club/decision/one-deck")


def test_club_decision_shoe_only__no_shuffler_and_no_dealing_by_hand():
    for other in ("shuffler", "hand"):
        assert table(dealing=other).document_refused() == ("bad_terms", "club/decision/shoe-only")
    assert RULES.clauses["club/dealing/3"].contradicts == ("club/dealing/5",)


def test_club_decision_backline__proposition_players_play_and_bank_and_tips_are_not_taken():
    play = table(players={2: "tp-1", 7: "tp-2"}).bet(2, ante=10, blind=10)
    assert play.showdown({2: ("AsAc", 4)}, PAIR_OF_QUEENS)["lines"][0]["bettor"] == "tp-1"
    assert play.bet(2, "tp-2", "backline", ante=10).last_refused() == ("bad_choice", "club/qualifies/19")
    assert play.bet(2, "d-1", "toke", ante=10).last_refused() == ("bad_choice", None)


def test_club_decision_acting_order__nobody_acts_before_all_cards_lie_there_or_without_a_wager():
    early = one_seat().close_bets().deal(1, "As").deal("dealer", "Qs").deal(1, "Ac").deal("dealer", "Qc")
    for action in (early.check(1), early.reveal("flop")):
        assert action.last_refused() == ("out_of_turn", "club/round/1")
    dealt = early.deal("board", BOARD)
    assert dealt.check(1).status == "open"
    for stranger in (dealt.check(2), dealt.raise_(1, 4, "b-9")):
        assert stranger.last_refused() == ("out_of_turn", "club/round/1")

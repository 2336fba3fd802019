"""uth-bgc, the Bureau of Gambling Control's Ultimate Texas Hold'em: a test for each of its clauses."""

from typing import Any

import pytest

from domain.errors import Rotation
from domain.floor.table_sessions import RoundBegun, begin_round
from domain.rules.rulesets import load
from tests.rules.hold_em import (
    DEUCES,
    MADE,
    PAIR_OF_QUEENS,
    PLAY_LOSES,
    PLAY_WINS,
    HoldEm,
)
from tests.rules.rounds import after_rounds

RULES = load("uth-bgc")


def table(banker: int = 8, trips: str = "UTH-01", **others: Any) -> HoldEm:
    return HoldEm.at("uth-bgc", banker=banker, trips=trips, **others)


def one_seat(**others: Any) -> HoldEm:
    return table(**others).bet(1, ante=10, blind=10)


# ---- what the document says


def test_bgc_standards_rotation__two_rounds_in_a_row_and_then_the_next_clockwise():
    once = after_rounds("uth-bgc", (3, "a", "settled"), trips="UTH-01")
    assert begin_round(once, "r-2", (3, "a")) == [RoundBegun("r-2", 3, "a", turn=2, deck="red")]
    twice = after_rounds("uth-bgc", (3, "a", "settled"), (3, "a", "settled"), trips="UTH-01")
    with pytest.raises(Rotation):
        begin_round(twice, "r-3", (3, "a"))
    assert begin_round(twice, "r-3", (4, "b")) == [RoundBegun("r-3", 4, "b", turn=1, deck="blue")]


def test_bgc_table_places__give_way_to_the_decision_on_seats():
    assert RULES.seats == 8
    assert RULES.clauses["bgc/table/places"].contradicts == ("bgc/players",)
    assert RULES.clauses["bgc/players"].contradicts == ("bgc/table/places",)


def test_bgc_players__eight_seats():
    assert table(banker=1).bet(8, ante=10, blind=10).close_bets().status == "open"
    for seat in (0, 9):
        assert table().bet(seat, ante=10).last_refused() == ("bad_document", "bgc/players")
    assert table(banker=9).document_refused() == ("bad_document", "bgc/players")
    assert table(players={9: "p-9"}).document_refused() == ("bad_document", "bgc/players")


def test_bgc_deck_1__shuffler_is_the_usual_way_of_dealing():
    assert RULES.usual_dealing == "shuffler"
    assert RULES.clauses["bgc/deck/1"].contradicts == ("bgc/dealing/3",)


def test_bgc_deck_3a__each_round_has_the_colour_of_its_deck():
    session = after_rounds("uth-bgc", (3, "a", "settled"), trips="UTH-01")
    assert begin_round(session, "r-2", (3, "a")) == [RoundBegun("r-2", 3, "a", turn=2, deck="red")]


def test_bgc_deck_3c__two_colours_alternate():
    one, two = (3, "a", "settled"), (4, "b", "void")
    decks = [after_rounds("uth-bgc", *played, trips="UTH-01").deck for played in ([], [one], [one, two])]
    assert decks == ["blue", "red", "blue"]


def test_bgc_dealing_1b__clockwise_from_seat_1_and_the_player_dealer_last():
    play = table(banker=3).bet(8, ante=10, blind=10).bet(2, ante=10, blind=10).close_bets()
    refused = ("out_of_turn", "bgc/dealing/1b")
    assert play.deal(1, "AsAd").last_refused() == refused
    assert play.deal(8, "AsAd").last_refused() == refused
    assert play.deal(2, "AsAd").deal("dealer", "KdKs").last_refused() == refused
    assert play.deal(2, "AsAd").deal(8, "KdKs").deal("dealer", "QhQs").status == "open"


def test_bgc_dealing_3__shoe_goes_round_like_the_shuffler():
    play = table(banker=3, dealing="shoe").bet(8, ante=10, blind=10).bet(2, ante=10, blind=10).close_bets()
    assert play.deal(8, "As").last_refused() == ("out_of_turn", "bgc/dealing/1b")
    assert play.deal(2, "As").deal("dealer", "Kd").last_refused() == ("out_of_turn", "bgc/dealing/1b")
    assert play.deal(2, "As").deal(8, "Kd").deal("dealer", "Qh").deal(2, "Ad").status == "open"


def test_bgc_qualifies_11b__lower_hand_loses():
    assert one_seat().showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS).line(1, "play") == PLAY_LOSES


def test_bgc_qualifies_19__house_never_banks_and_the_player_dealer_never_bets():
    assert HoldEm.at("uth-bgc", trips="UTH-01").document_refused() == ("bad_document", "bgc/qualifies/19")
    assert table().bet(8, ante=10).last_refused() == ("bad_choice", "bgc/qualifies/19")
    assert table().bet(8, "b-1", "backline", ante=10).last_refused() == ("bad_choice", "bgc/qualifies/19")
    assert one_seat().bet(1, "seat-8", "backline", ante=10).last_refused() == ("bad_choice", "bgc/qualifies/19")


def test_bgc_qualifies_20__third_round_in_a_row_is_refused_whoever_declines():
    twice = after_rounds("uth-bgc", (3, "a", "settled"), (3, "a", "settled"), trips="UTH-01")
    for seat in (3, 5):
        with pytest.raises(Rotation) as refusal:
            begin_round(twice, "r-3", (seat, "a"), declined=(4, 5, 6, 7, 8, 1, 2))
        assert refusal.value.clause == "bgc/qualifies/20"
    assert begin_round(twice, "r-3", (4, "b")) == [RoundBegun("r-3", 4, "b", turn=1, deck="blue")]


def test_bgc_qualifies_20__declined_are_other_seats_each_once():
    for declined in ([1, 8], [1, 1]):
        assert table(declined=declined).document_refused() == ("bad_document", "bgc/qualifies/20")


def test_bgc_pay_tables_choice__one_of_four():
    for offered in ("UTH-01", "UTH-02", "UTH-03", "UTH-04"):
        assert one_seat(trips=offered).close_bets().status == "open"
    assert table(trips="UTH-05").document_refused() == ("bad_terms", "bgc/qualifies/18")


def test_bgc_glossary_blind__is_equal_to_the_ante_and_paid_from_a_straight_upward():
    assert table().bet(1, ante=10, blind=9).close_bets().last_refused() == ("missing_wager", "bgc/betting/3")
    hole, board = MADE["straight"]
    result = one_seat().showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "blind") == "1 blind 10.00: win 1:1, paid 10.00"


def test_bgc_glossary_community_cards__are_for_every_hand():
    play = one_seat().bet(2, ante=10, blind=10)
    result = play.showdown({1: ("9s3c", 4), 2: ("9h3s", 4)}, PAIR_OF_QUEENS, "9d9cKh4s2d")
    assert (result.line(1, "play"), result.line(2, "play")) == (PLAY_WINS, "2" + PLAY_WINS[1:])


def test_bgc_glossary_trips__is_paid_to_a_hand_that_is_beaten():
    result = one_seat().bet(1, trips=5).showdown({1: ("9s9d", 4)}, "KsKc")
    assert (result.line(1, "play"), result.line(1, "trips")) == (PLAY_LOSES, "1 trips 5.00: win 3:1, paid 15.00")


def test_bgc_glossary_terms__check_fold_and_the_end_of_a_round():
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    assert dealt.check(1).reveal("flop").check(1).reveal("turn_river").raise_(1, 1).status == "open"
    folded = dealt.fold_at_the_end(1).settle()
    assert folded.result().spots(1) == ["ante", "blind"]
    assert folded.status == "settled"
    assert folded.settle().last_refused()[0] == "out_of_turn"


# ---- what the document leaves open, and how it is read here


def test_bgc_decision_seats__clause_on_players_counts():
    assert RULES.clause("seats") == "bgc/players"
    play = table()
    for seat in range(1, 8):
        play = play.bet(seat, ante=10, blind=10)
    assert play.close_bets().status == "open"


def test_bgc_decision_dealing__shuffler_or_shoe_and_nothing_else():
    for mode in ("shuffler", "shoe"):
        assert one_seat(dealing=mode).close_bets().status == "open"
    assert table(dealing="hand").document_refused() == ("bad_terms", "bgc/decision/dealing")
    for mode, wrong in (("shuffler", "As"), ("shoe", "AsAd")):
        refused = one_seat(dealing=mode).close_bets().deal(1, wrong).last_refused()
        assert refused == ("wrong_cards", "bgc/decision/dealing")


def test_bgc_decision_board_face_down__is_turned_over_street_by_street():
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS, "??????????").check(1)
    assert dealt.reveal("flop").last_refused()[0] == "wrong_cards"
    assert dealt.reveal("flop", "Kd9c7h").check(1).reveal("turn_river", "4s2d").status == "open"
    assert RULES.clauses["bgc/glossary/community-cards"].contradicts == ("bgc/dealing/2",)


def test_bgc_decision_blind_must_win__straight_that_is_beaten_loses_its_blind():
    result = one_seat().showdown({1: ("9s8d", 4)}, "KcKh", "7c6h5sKdKs")
    assert result.lines_by("bgc/qualifies/12a")[-1] == "1 blind 10.00: lose, collected 10.00"
    assert RULES.clauses["bgc/glossary/blind"].contradicts == ("bgc/qualifies/12a",)


def test_bgc_decision_pay_table_named__none_is_the_usual_one():
    assert HoldEm.at("uth-bgc", banker=8).document_refused() == ("bad_terms", "bgc/qualifies/18")
    assert RULES.usual_trips is None


def test_bgc_decision_one_pay_table__a_property_uses_one_on_a_gaming_day():
    assert RULES.one_trips_table == "bgc/decision/one-pay-table"
    assert load("uth-bgc", 1).one_trips_table == "bgc/qualifies/18"


def test_bgc_decision_backline__proposition_players_play_and_bank_and_tips_are_not_taken():
    play = table(players={2: "tp-1", 8: "tp-2"}).bet(2, ante=10, blind=10)
    assert play.showdown({2: ("AsAc", 4)}, PAIR_OF_QUEENS)["lines"][0]["bettor"] == "tp-1"
    assert play.bet(2, "tp-2", "backline", ante=10).last_refused() == ("bad_choice", "bgc/qualifies/19")
    assert play.bet(2, "d-1", "toke", ante=10).last_refused() == ("bad_choice", None)


def test_bgc_decision_void__is_not_one_of_the_player_dealers_two_rounds():
    session = after_rounds("uth-bgc", (3, "a", "settled"), (3, "a", "void"), trips="UTH-01")
    assert begin_round(session, "r-3", (3, "a")) == [RoundBegun("r-3", 3, "a", turn=2, deck="blue")]


def test_bgc_decision_withdraw__nothing_there_or_too_much():
    play = one_seat().bet(1, trips=5)
    for wrong in (
        play.withdraw(1, "trips", 6),
        play.withdraw(1, "trips").withdraw(1, "trips"),
        play.withdraw(1, "trips", 3).withdraw(1, "trips", 3),
        play.withdraw(2, "trips"),
        play.withdraw(1, "play"),
        play.withdraw(1, "trips", bettor="b-1"),
    ):
        assert wrong.last_refused() == ("bad_choice", "bgc/decision/withdraw")
    assert play.withdraw(9, "trips").last_refused() == ("bad_document", "bgc/players")

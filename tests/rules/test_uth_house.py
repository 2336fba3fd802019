"""uth-house, Ultimate Texas Hold'em against the house: a test for each of its clauses."""

from typing import Any

import pytest

from domain.rules.rulesets import load
from tests.rules.hold_em import (
    BOARD,
    DEUCES,
    KING_HIGH,
    MADE,
    PAIR_OF_QUEENS,
    PLAY_PUSHES,
    PLAY_WINS,
    TRIPS,
    HoldEm,
)

RULES = load("uth-house")
ROYAL_BOARD = "QsJsTs4d3h"  # makes a royal flush of AsKs and leaves a pair to everybody else


def table(**others: Any) -> HoldEm:
    return HoldEm.at("uth-house", **others)


def one_seat(**others: Any) -> HoldEm:
    return table(**others).bet(1, ante=10, blind=10)


# ---- what the document says


def test_house_intro_against_the_dealer__house_banks_out_of_its_tray():
    result = one_seat().showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert result["bank"] == {"wager": None, "paid": "50.00", "collected": "0.00", "net": "-50.00"}
    assert {line["from"] for line in result["lines"]} == {"tray"}
    assert result["fee"] is None


def test_house_intro_against_the_dealer__no_player_dealer_and_no_terms_of_one():
    assert table(banker=7).document_refused() == ("bad_document", "house/intro/against-the-dealer")
    assert table(coverage="single-pool").document_refused() == ("bad_terms", None)
    assert table(schedule=1).document_refused() == ("bad_terms", None)


def test_house_how_to_play_2__board_of_five_comes_first():
    closed = one_seat().close_bets()
    assert closed.deal(1, "AsAc").last_refused() == ("out_of_turn", "house/how-to-play/3")
    assert closed.deal("dealer", "AsAc").last_refused() == ("out_of_turn", "house/how-to-play/3")
    assert closed.deal("board", "Kd9c7h").last_refused() == ("wrong_cards", "house/decision/shuffler")
    assert closed.deal("board", BOARD).deal(1, "AsAc").status == "open"


def test_house_how_to_play_3__two_cards_each_from_left_to_right_and_the_dealer_last():
    play = table().bet(6, ante=10, blind=10).bet(2, ante=10, blind=10).close_bets().deal("board", BOARD)
    assert play.deal(6, "AsAc").last_refused() == ("out_of_turn", "house/how-to-play/3")
    assert play.deal(2, "As").last_refused() == ("wrong_cards", "house/decision/shuffler")
    assert play.deal(2, "AsAc").deal("dealer", "QsQc").last_refused() == ("out_of_turn", "house/how-to-play/3")
    assert play.deal(2, "AsAc").deal(6, "JsTd").deal("dealer", "QsQc").check(2, 6).status == "open"


def test_house_how_to_play_6__no_second_play_wager():
    raised = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 3)
    assert raised.raise_(1, 4).last_refused() == ("out_of_turn", "house/how-to-play/4")
    assert raised.reveal("flop").raise_(1, 2).last_refused() == ("out_of_turn", "house/how-to-play/6")
    assert RULES.clause("one_play_wager") == "house/how-to-play/6"


def test_house_how_to_play_9__dealers_cards_are_turned_over_when_all_have_decided():
    river = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).check(1).reveal("flop").check(1).reveal("turn_river")
    assert river.reveal("dealer").last_refused() == ("out_of_turn", "house/how-to-play/8")
    played = river.raise_(1, 1)
    assert played.settle().last_refused() == ("out_of_turn", "house/decision/order-of-wagers")
    assert played.result()["dealer"] == {"cards": [None, None], "hand": None, "qualifies": None}
    assert played.reveal("dealer").settle().result()["dealer"]["cards"] == ["Qs", "Qc"]


def test_house_how_to_play_9__hands_to_compare_must_be_seen():
    unseen = one_seat().deal_out({1: "As??"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all()
    assert unseen.settle().last_refused() == ("out_of_turn", "house/decision/order-of-wagers")
    seen = unseen.reveal(1, "AsAc")
    assert seen.reveal(1).last_refused() == ("out_of_turn", "house/how-to-play/9")
    assert seen.settle().result().line(1, "play") == PLAY_WINS


def test_house_dealer_qualifies_right_to_left__highest_seat_first():
    play = table().bet(2, ante=10, blind=10).bet(7, ante=10, blind=10).bet(4, ante=10, blind=10)
    assert play.showdown({2: ("AsAc", 4), 4: ("JsTd", 4), 7: ("8s8d", 0)}, PAIR_OF_QUEENS).seats() == [7, 4, 2]


def test_house_dealer_qualifies_tie__pushes_play_ante_and_blind():
    result = one_seat().bet(1, trips=5).showdown({1: ("KsQd", 4)}, "KcQh")
    lines = [PLAY_PUSHES, "1 ante 10.00: push", "1 blind 10.00: push"]
    assert result.lines_by("house/dealer-qualifies/tie") == lines


def test_house_does_not_qualify_antes_back__of_winners_and_losers_that_did_not_fold():
    play = one_seat().bet(2, ante=20, blind=20).bet(3, ante=30, blind=30)
    result = play.showdown({1: ("AsAc", 4), 2: ("Js8h", 4), 3: ("AdTc", 0)}, KING_HIGH)
    assert result.lines_by("house/does-not-qualify/antes-back") == ["2 ante 20.00: push", "1 ante 10.00: push"]
    assert result.line(3, "ante") == "3 ante 30.00: lose, collected 30.00"


def test_house_does_not_qualify_antes_back__all_of_them_first_and_from_right_to_left():
    play = one_seat().bet(3, ante=30, blind=30).bet(7, ante=70, blind=70)
    settled = play.played({1: ("AsAc", 4), 3: ("Js8h", 1), 7: ("AdTc", 2)}, KING_HIGH)
    assert settled.result().lines == [
        "7 ante 70.00: push",
        "3 ante 30.00: push",
        "1 ante 10.00: push",
        "7 play 140.00: win 1:1, paid 140.00",
        "7 blind 70.00: push",
        "3 play 30.00: lose, collected 30.00",
        "3 blind 30.00: lose, collected 30.00",
        "1 play 40.00: win 1:1, paid 40.00",
        "1 blind 10.00: push",
    ]
    assert settled.result_under(1).spots(7) == ["play", "ante", "blind"]
    assert [line[0] for line in settled.result_under(1).lines] == list("777333111")


def test_house_does_not_qualify_antes_back__not_where_the_dealer_qualifies():
    play = one_seat().bet(3, ante=30, blind=30)
    result = play.showdown({1: ("AsAc", 4), 3: ("Js8h", 1)}, PAIR_OF_QUEENS)
    assert (result.seats(), result.spots(3)) == ([3, 1], ["play", "ante", "blind"])


def test_house_does_not_qualify_then_as_usual__play_blind_and_trips():
    play = one_seat().bet(1, trips=5).bet(2, ante=20, blind=20, trips=5)
    result = play.showdown({1: ("8s6d", 4), 2: ("3s2h", 4)}, "QsJc", "Kd9c7h5s4d")
    assert result["dealer"]["qualifies"] is False
    assert result.lines == [
        "2 ante 20.00: push",
        "1 ante 10.00: push",
        "2 play 80.00: lose, collected 80.00",
        "2 blind 20.00: lose, collected 20.00",
        "2 trips 5.00: lose, collected 5.00",
        "1 play 40.00: win 1:1, paid 40.00",
        "1 blind 10.00: win 1:1, paid 10.00",
        "1 trips 5.00: win 4:1, paid 20.00",
    ]


def test_house_notes_aggregate__thirty_thousand_are_paid_in_full():
    play = table().bet(4, ante=59, blind=59, trips=5).bet(2, ante=7, blind=7)
    result = play.showdown({4: ("AsKs", 3), 2: ("8c8d", 1)}, "2c2h", ROYAL_BOARD)
    assert result.lines_by("house/notes/aggregate") == []
    assert result.lines == [
        "4 play 177.00: win 1:1, paid 177.00",
        "4 ante 59.00: win 1:1, paid 59.00",
        "4 blind 59.00: win 500:1, paid 29500.00",
        "4 trips 5.00: win 50:1, paid 250.00",
        "2 play 7.00: win 1:1, paid 7.00",
        "2 ante 7.00: win 1:1, paid 7.00",
        "2 blind 7.00: push",
    ]


def test_house_notes_aggregate__nothing_more_is_paid_than_thirty_thousand():
    play = table().bet(5, ante=100, blind=100).bet(2, ante=10, blind=10)
    result = play.showdown({5: ("AsKs", 4), 2: ("8c8d", 4)}, "2c2h", ROYAL_BOARD)
    assert result["bank"]["paid"] == "30000.00"
    assert result.lines_by("house/notes/aggregate") == [
        "5 play 400.00: win 1:1, paid 237.39, short 162.61",
        "5 ante 100.00: win 1:1, paid 59.35, short 40.65",
        "5 blind 100.00: win 500:1, paid 29673.59, short 20326.41",
        "2 play 40.00: win 1:1, paid 23.74, short 16.26",
        "2 ante 10.00: win 1:1, paid 5.93, short 4.07",
    ]


def test_house_notes_malfunction__voids_all_hands():
    play = one_seat().bet(5, ante=20, blind=20, trips=5)
    dealt = play.deal_out({1: "AsAc", 5: "JsTd"}, PAIR_OF_QUEENS).raise_(1, 4)
    result = dealt.void("malfunction", "The shuffler jammed.").result()
    assert (result["status"], result["lines"]) == ("void", [])
    assert result["bank"] == {"wager": None, "paid": "0.00", "collected": "0.00", "net": "0.00"}


def test_house_notes_no_side_betting__nobody_bets_on_another_hand():
    refused = ("bad_choice", "house/notes/no-side-betting")
    assert one_seat().bet(1, "b-1", "backline", ante=10).last_refused() == refused
    assert one_seat().bet(1, "b-1", "toke", ante=10).last_refused() == ("bad_choice", None)


# ---- what the document leaves open, and how it is read here


def test_house_decision_deck__one_deck_has_each_card_once():
    play = one_seat().close_bets().deal("board", BOARD)
    assert play.deal(1, "AsKd").last_refused() == ("duplicate_card", "house/decision/deck")
    assert play.deal(1, "AsAs").last_refused() == ("duplicate_card", "house/decision/deck")
    assert table(decks=2).document_refused() == ("bad_terms", "house/decision/deck")


def test_house_decision_shuffler__packets_of_five_and_two_and_no_other_way():
    for other in ("shoe", "hand"):
        assert table(dealing=other).document_refused() == ("bad_terms", "house/decision/shuffler")
    closed = one_seat().close_bets()
    refused = ("wrong_cards", "house/decision/shuffler")
    assert closed.deal("board", "Kd9c7h4s").last_refused() == refused
    assert closed.deal("board", BOARD).deal(1, "As").last_refused() == refused
    assert closed.deal("board", BOARD).deal(1, "AsAc").deal("dealer", "QsQcQd").last_refused() == refused


def test_house_decision_no_more_bets__no_bet_after_the_call_and_no_card_before():
    refused = ("out_of_turn", "house/decision/no-more-bets")
    closed = one_seat().close_bets()
    assert closed.bet(1, trips=5).last_refused() == refused
    assert closed.bet(2, ante=10).last_refused() == refused
    assert closed.withdraw(1, "ante").last_refused() == refused
    assert closed.close_bets().last_refused() == refused
    assert one_seat().deal("board", BOARD).last_refused() == refused


@pytest.mark.parametrize(("ante", "trips"), [("4.50", "1.00"), ("500.50", "1.00"), ("5.00", "0.50"), ("5.00", "50.50")])
def test_house_decision_default_limits__refuses(ante: str, trips: str):
    play = table(chip="0.50").bet(1, ante=ante, blind=ante, trips=trips).close_bets()
    assert play.last_refused() == ("limit", "house/decision/default-limits")


def test_house_decision_default_limits__give_way_to_the_tables_own():
    own = table(limits={"ante": ["1.00", "600.00"], "trips": ["60.00", "70.00"]})
    assert own.bet(1, ante=1, blind=1, trips=60).close_bets().status == "open"
    assert own.bet(1, ante=600, blind=600, trips=70).close_bets().status == "open"
    assert own.bet(1, ante=1, blind=1, trips=59).close_bets().last_refused() == (
        "limit",
        "house/decision/default-limits",
    )


@pytest.mark.parametrize(("name", "made", "odds", "paid"), [(name, *pays) for name in TRIPS for pays in TRIPS[name]])
def test_house_decision_trips_table__one_of_four_pays(name: str, made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat(trips=name).bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert RULES.paytables[name].clause == "house/decision/trips-table"


def test_house_decision_trips_table__uth_01_unless_another_is_named():
    hole, board = MADE["full house"]
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == "1 trips 5.00: win 9:1, paid 45.00"
    assert table(trips="UTH-05").document_refused() == ("bad_terms", "house/notes/trips-always-wins")


def test_house_decision_order_of_wagers__play_ante_blind_trips():
    play = table()
    for seat in (1, 2, 3, 4):
        play = play.bet(seat, trips=5, blind=10, ante=10)
    result = play.showdown({1: ("AsAc", 4), 2: ("JsTd", 4), 3: ("QdJd", 4), 4: ("8s8d", 0)}, "QsJc", "KdKc7h4s2d")
    assert result.spots(1) == result.spots(2) == result.spots(3) == ["play", "ante", "blind", "trips"]
    assert result.spots(4) == ["ante", "blind", "trips"]
    assert [result.line(seat, "play") for seat in (1, 2, 3)] == [
        "1 play 40.00: win 1:1, paid 40.00",
        "2 play 40.00: lose, collected 40.00",
        "3 play 40.00: push",
    ]


def test_house_decision_unqualified_order__ante_of_a_folded_hand_is_lost_in_the_second_pass():
    play = one_seat().bet(3, ante=30, blind=30, trips=5).bet(5, ante=50, blind=50)
    result = play.showdown({1: ("AsAc", 4), 3: ("AdTc", 0), 5: ("Js8h", 4)}, KING_HIGH)
    assert result.lines == [
        "5 ante 50.00: push",
        "1 ante 10.00: push",
        "5 play 200.00: lose, collected 200.00",
        "5 blind 50.00: lose, collected 50.00",
        "3 ante 30.00: lose, collected 30.00",
        "3 blind 30.00: lose, collected 30.00",
        "3 trips 5.00: lose, collected 5.00",
        "1 play 40.00: win 1:1, paid 40.00",
        "1 blind 10.00: push",
    ]


@pytest.mark.parametrize("dealer", [PAIR_OF_QUEENS, KING_HIGH])
def test_house_decision_fold__loses_ante_and_blind(dealer: str):
    result = one_seat().bet(1, trips=5).showdown({1: ("AsAc", 0)}, dealer)
    assert result.lines_by("house/decision/fold") == [
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: lose, collected 10.00",
    ]


def test_house_decision_aggregate_shares__odd_cents_go_to_the_largest_remainders_earlier_ones_first():
    play = table().bet(2, ante=6, blind=6).bet(4, ante=60, blind=60).bet(6, ante=6, blind=6)
    result = play.showdown({2: ("8c8d", 1), 4: ("AsKs", 4), 6: ("9c9d", 1)}, "2c2h", ROYAL_BOARD)
    # In proportion a wager of $6 wins 593.589 cents, of $240 23743.569, of $60 5935.892, and the blind 2967946.181:
    # four cents are left for the one with .892 and for three of the four with .589.
    assert result.lines == [
        "6 play 6.00: win 1:1, paid 5.94, short 0.06",
        "6 ante 6.00: win 1:1, paid 5.94, short 0.06",
        "6 blind 6.00: push",
        "4 play 240.00: win 1:1, paid 237.43, short 2.57",
        "4 ante 60.00: win 1:1, paid 59.36, short 0.64",
        "4 blind 60.00: win 500:1, paid 29679.46, short 320.54",
        "2 play 6.00: win 1:1, paid 5.94, short 0.06",
        "2 ante 6.00: win 1:1, paid 5.93, short 0.07",
        "2 blind 6.00: push",
    ]
    assert result["bank"]["paid"] == "30000.00"


def test_house_decision_aggregate_measure__losses_are_not_set_against_it():
    play = table().bet(4, ante=59, blind=59, trips=6).bet(6, ante=500, blind=500)
    result = play.showdown({4: ("AsKs", 3), 6: ("7c5d", 4)}, "2c2h", ROYAL_BOARD)
    assert result["bank"] == {"wager": None, "paid": "30000.00", "collected": "3000.00", "net": "-27000.00"}
    assert result.line(4, "trips") == "4 trips 6.00: win 50:1, paid 299.64, short 0.36"


def test_house_decision_wager_by_wager__play_wager_is_not_held_to_the_maximum():
    result = table().bet(1, ante=500, blind=500, trips=50).showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == "1 play 2000.00: win 1:1, paid 2000.00"


def test_house_decision_wager_by_wager__limits_hold_for_each_spot_and_bettor_by_itself():
    one_person = table(players={1: "p-1", 2: "p-1"})
    play = one_person.bet(1, ante=500, blind=500, trips=50).bet(2, ante=500, blind=500, trips=50)
    assert play.close_bets().status == "open"
    assert play.bet(2, trips=1).close_bets().last_refused() == ("limit", "house/decision/default-limits")


def test_house_decision_wager_by_wager__blind_is_held_to_the_antes_limits():
    assert "blind" in table().bet(1, blind=501, ante=501).close_bets().adjudicated()["error"]["detail"]
    own = table(limits={"blind": ["5.00", "10.00"]})
    assert own.document_refused() == ("bad_terms", "house/decision/default-limits")


def test_house_decision_void__gives_everything_back_whatever_was_shown():
    result = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all().void("irregularity").result()
    assert (result["status"], result["lines"]) == ("void", [])
    assert result["bank"] == {"wager": None, "paid": "0.00", "collected": "0.00", "net": "0.00"}


def test_house_decision_withdraw__bettor_who_takes_everything_back_is_forgotten():
    play = table().bet(1, ante=10, blind=10).bet(2, ante=20, blind=20)
    gone = play.withdraw(2, "ante").withdraw(2, "blind")
    assert gone.showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).seats() == [1]
    nobody = one_seat().withdraw(1, "ante").withdraw(1, "blind")
    assert nobody.close_bets().last_refused() == ("missing_wager", "house/how-to-play/1")

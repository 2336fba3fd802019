"""uth-bgc, the Bureau of Gambling Control's Ultimate Texas Hold'em: a test for each of its clauses."""

import datetime
from typing import Any

import pytest

from domain.errors import Rotation
from domain.rulesets import in_force, load
from domain.tables import RoundBegun, begin_round
from tests.rules.hold_em import (
    BELOW_A_STRAIGHT,
    BELOW_THREE_OF_A_KIND,
    BLIND,
    BOARD,
    DEUCES,
    FEES,
    KING_HIGH,
    MADE,
    PAIR_OF_QUEENS,
    PLAY_LOSES,
    PLAY_PUSHES,
    PLAY_WINS,
    RANKING,
    RIGHT_TIERS,
    TRIPS,
    WRONG_TIERS,
    HoldEm,
    Tiers,
    four_seats,
)
from tests.rules.rounds import after_rounds

RULES = load("uth-bgc")


def table(banker: int = 8, trips: str = "UTH-01", **others: Any) -> HoldEm:
    return HoldEm.at("uth-bgc", banker=banker, trips=trips, **others)


def one_seat(**others: Any) -> HoldEm:
    return table(**others).bet(1, ante=10, blind=10)


# ---- what the document says


def test_bgc_standards_opponent__hand_plays_against_the_player_dealers():
    assert one_seat().showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).line(1, "play") == PLAY_WINS
    assert one_seat().showdown({1: (PAIR_OF_QUEENS, 4)}, "AsAc").line(1, "play") == PLAY_LOSES


def test_bgc_standards_rotation__two_rounds_in_a_row_and_then_the_next_clockwise():
    once = after_rounds("uth-bgc", (3, "a", "settled"), trips="UTH-01")
    assert begin_round(once, "r-2", (3, "a")) == [RoundBegun("r-2", 3, "a", turn=2, deck="red")]
    twice = after_rounds("uth-bgc", (3, "a", "settled"), (3, "a", "settled"), trips="UTH-01")
    with pytest.raises(Rotation):
        begin_round(twice, "r-3", (3, "a"))
    assert begin_round(twice, "r-3", (4, "b")) == [RoundBegun("r-3", 4, "b", turn=1, deck="blue")]


def test_bgc_standards_cards__two_each_and_five_on_the_board():
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    for place, card in ((1, "3c"), ("dealer", "3c"), ("board", "3c")):
        assert dealt.deal(place, card).last_refused() == ("out_of_turn", "bgc/dealing/1b")
    assert dealt.check(1).status == "open"


@pytest.mark.parametrize(("times", "play"), [(4, "40.00"), (3, "30.00"), (2, "20.00"), (1, "10.00")])
def test_bgc_standards_streets__the_earlier_the_more(times: int, play: str):
    result = one_seat().showdown({1: ("AsAc", times)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == f"1 play {play}: win 1:1, paid {play}"


def test_bgc_table_places__give_way_to_the_decision_on_seats():
    assert RULES.seats == 8
    assert RULES.clauses["bgc/table/places"].contradicts == ("bgc/players",)
    assert RULES.clauses["bgc/players"].contradicts == ("bgc/table/places",)


@pytest.mark.parametrize("made", BELOW_THREE_OF_A_KIND)
def test_bgc_standards_trips__loses_with_less_than_three_of_a_kind(made: str):
    hole, board = MADE[made]
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by("bgc/standards/trips") == ["1 trips 5.00: lose, collected 5.00"]


def test_bgc_standards_trips__wins_with_three_of_a_kind():
    hole, board = MADE["three of a kind"]
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == "1 trips 5.00: win 3:1, paid 15.00"


def test_bgc_players__eight_seats():
    assert table(banker=1).bet(8, ante=10, blind=10).close_bets().status == "open"
    for seat in (0, 9):
        assert table().bet(seat, ante=10).last_refused() == ("bad_document", "bgc/players")
    assert table(banker=9).document_refused() == ("bad_document", "bgc/players")
    assert table(players={9: "p-9"}).document_refused() == ("bad_document", "bgc/players")


def test_bgc_deck_1__shuffler_is_the_usual_way_of_dealing():
    assert RULES.usual_dealing == "shuffler"
    assert RULES.clauses["bgc/deck/1"].contradicts == ("bgc/dealing/3",)


@pytest.mark.parametrize("card", ["1s", "Joker", "JJ", "Ax"])
def test_bgc_deck_2__cards_of_a_standard_deck_and_no_others(card: str):
    strange = one_seat().close_bets().do("deal", to=1, cards=["As", card])
    assert strange.last_refused() == ("bad_document", None)
    assert one_seat().close_bets().deal(1, "As2c").status == "open"


def test_bgc_deck_3__one_deck_has_each_card_once():
    play = one_seat().close_bets().deal(1, "AsKd")
    assert play.deal("dealer", "QcAs").last_refused() == ("duplicate_card", "bgc/deck/3")
    assert play.deal("dealer", "QcQc").last_refused() == ("duplicate_card", "bgc/deck/3")
    assert table(decks=2).document_refused() == ("bad_terms", "bgc/deck/3")


def test_bgc_deck_3a__each_round_has_the_colour_of_its_deck():
    session = after_rounds("uth-bgc", (3, "a", "settled"), trips="UTH-01")
    assert begin_round(session, "r-2", (3, "a")) == [RoundBegun("r-2", 3, "a", turn=2, deck="red")]


def test_bgc_deck_3c__two_colours_alternate():
    one, two = (3, "a", "settled"), (4, "b", "void")
    decks = [after_rounds("uth-bgc", *played, trips="UTH-01").deck for played in ([], [one], [one, two])]
    assert decks == ["blue", "red", "blue"]


@pytest.mark.parametrize(("higher", "lower", "board", "higher_name", "lower_name"), RANKING)
def test_bgc_ranking_3__each_hand_beats_the_next(
    higher: str, lower: str, board: str, higher_name: str, lower_name: str
):
    ahead = one_seat().showdown({1: (higher, 4)}, lower, board)
    behind = one_seat().showdown({1: (lower, 4)}, higher, board)
    assert (ahead["dealer"]["hand"], behind["dealer"]["hand"]) == (lower_name, higher_name)
    assert (ahead.line(1, "play"), behind.line(1, "play")) == (PLAY_WINS, PLAY_LOSES)


def test_bgc_ranking_1__suits_are_equal():
    assert one_seat().showdown({1: ("AsQs", 4)}, "AcQh").line(1, "play") == PLAY_PUSHES


def test_bgc_ranking_2__ace_is_the_highest_card_and_the_2_the_lowest():
    assert one_seat().showdown({1: ("AsJs", 4)}, "QcJh").line(1, "play") == PLAY_WINS
    assert one_seat().showdown({1: ("Qs3s", 4)}, "Qc3h", "KdKc9h8s7d").line(1, "play") == PLAY_PUSHES
    assert one_seat().showdown({1: ("2s2h", 4)}, "3s3h", "KdQcTh8s6d").line(1, "play") == PLAY_LOSES


def test_bgc_betting_1__wagers_lie_between_the_tables_minimum_and_maximum():
    own = table(limits={"ante": ["10.00", "20.00"], "trips": ["2.00", "4.00"]})
    for ante, trips in ((10, 2), (20, 4)):
        assert own.bet(1, ante=ante, blind=ante, trips=trips).close_bets().status == "open"
    for ante, trips in ((9, 2), (21, 2), (10, 1), (10, 5)):
        refused = own.bet(1, ante=ante, blind=ante, trips=trips).close_bets().last_refused()
        assert refused == ("limit", "bgc/betting/1")


def test_bgc_betting_2__no_bet_after_no_more_bets_and_no_card_before():
    refused = ("out_of_turn", "bgc/betting/2")
    closed = one_seat().close_bets()
    assert closed.bet(1, trips=5).last_refused() == refused
    assert closed.bet(2, ante=10).last_refused() == refused
    assert closed.withdraw(1, "ante").last_refused() == refused
    assert closed.close_bets().last_refused() == refused
    assert one_seat().deal(1, "AsAc").last_refused() == refused


@pytest.mark.parametrize("spots", [{"ante": 10}, {"blind": 10}, {"ante": 10, "blind": 15}, {"trips": 5}, {}])
def test_bgc_betting_3__refuses_less_than_ante_and_equal_blind(spots: dict[str, Any]):
    assert table().bet(1, **spots).close_bets().last_refused() == ("missing_wager", "bgc/betting/3")


@pytest.mark.parametrize("spots", [{"ante": 10, "blind": 10}, {"ante": 10, "blind": 10, "trips": 5}])
def test_bgc_betting_3__takes_ante_and_equal_blind_with_or_without_trips(spots: dict[str, Any]):
    assert table().bet(1, **spots).close_bets().status == "open"


def test_bgc_betting_3__takes_no_wager_on_another_spot():
    assert table().bet(1, play=5).last_refused() == ("bad_choice", "bgc/betting/3")
    assert table().bet(1, pair_plus=5).last_refused() == ("bad_choice", "bgc/betting/3")


def test_bgc_betting_4__collects_as_far_as_the_wager_reaches():
    result = one_seat(wager=45).showdown({1: ("AsJd", 4)}, PAIR_OF_QUEENS)
    assert result.lines[:2] == [
        "1 play 40.00: lose, collected 40.00",
        "1 ante 10.00: lose, collected 5.00, short 5.00",
    ]
    assert result.lines_by("bgc/betting/4") == ["1 blind 10.00: no_action, short 10.00"]


def test_bgc_betting_4__pays_as_far_as_the_wager_reaches():
    result = one_seat(wager=45).bet(1, trips=5).showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert result.lines[:2] == ["1 ante 10.00: win 1:1, paid 10.00", "1 play 40.00: win 1:1, paid 35.00, short 5.00"]
    assert result.lines_by("bgc/betting/4") == ["1 blind 10.00: no_action", "1 trips 5.00: no_action, short 5.00"]


def test_bgc_dealing_1a__no_card_before_the_call():
    assert one_seat().deal(1, "AsAd").last_refused() == ("out_of_turn", "bgc/betting/2")
    assert one_seat().close_bets().deal(1, "AsAd").status == "open"


def test_bgc_dealing_1b__clockwise_from_seat_1_and_the_player_dealer_last():
    play = table(banker=3).bet(8, ante=10, blind=10).bet(2, ante=10, blind=10).close_bets()
    refused = ("out_of_turn", "bgc/dealing/1b")
    assert play.deal(1, "AsAd").last_refused() == refused
    assert play.deal(8, "AsAd").last_refused() == refused
    assert play.deal(2, "AsAd").deal("dealer", "KdKs").last_refused() == refused
    assert play.deal(2, "AsAd").deal(8, "KdKs").deal("dealer", "QhQs").status == "open"


def test_bgc_dealing_2__cards_stay_face_down_until_they_are_turned_over():
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    assert dealt.result()["dealer"] == {"cards": [None, None], "hand": None, "qualifies": None}
    unseen = one_seat().deal_out({1: "????"}, "????", "??????????").raise_(1, 4)
    assert unseen.reveal("flop").last_refused()[0] == "wrong_cards"
    assert unseen.reveal("flop", "Kd9c7h").status == "open"


def test_bgc_dealing_3__from_a_shoe_one_card_each_twice_and_then_five_to_the_board():
    play = one_seat(dealing="shoe").close_bets()
    assert play.deal(1, "AsAd").last_refused() == ("wrong_cards", "bgc/decision/dealing")
    play = play.deal(1, "As").deal("dealer", "Kd").deal(1, "Ad").deal("dealer", "Kc")
    assert play.deal("board", "Qh9c4s3d").last_refused() == ("wrong_cards", "bgc/decision/dealing")
    assert play.deal("board", "Qh9c4s3d2h").check(1).status == "open"


def test_bgc_dealing_3__shoe_goes_round_like_the_shuffler():
    play = table(banker=3, dealing="shoe").bet(8, ante=10, blind=10).bet(2, ante=10, blind=10).close_bets()
    assert play.deal(8, "As").last_refused() == ("out_of_turn", "bgc/dealing/1b")
    assert play.deal(2, "As").deal("dealer", "Kd").last_refused() == ("out_of_turn", "bgc/dealing/1b")
    assert play.deal(2, "As").deal(8, "Kd").deal("dealer", "Qh").deal(2, "Ad").status == "open"


def test_bgc_dealing_4__from_a_shuffler_two_cards_at_once_and_then_five_to_the_board():
    for play in (one_seat().close_bets(), one_seat(dealing="shuffler").close_bets()):
        assert play.deal(1, "As").last_refused() == ("wrong_cards", "bgc/decision/dealing")
        play = play.deal(1, "AsAd").deal("dealer", "KdKc")
        assert play.deal("board", "Qh9c4s3d").last_refused() == ("wrong_cards", "bgc/decision/dealing")
        assert play.deal("board", "Qh9c4s3d2h").check(1).status == "open"


@pytest.mark.parametrize("times", [3, 4])
def test_bgc_round_1__three_or_four_times_the_ante_on_two_cards(times: int):
    result = one_seat().showdown({1: ("AsAc", times)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == f"1 play {times}0.00: win 1:1, paid {times}0.00"


def test_bgc_round_1__nothing_else_but_a_check():
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    assert dealt.check(1).status == "open"
    for other in (dealt.raise_(1, 1), dealt.raise_(1, 2), dealt.raise_(1, 5), dealt.fold(1)):
        assert other.last_refused() == ("bad_choice", "bgc/round/1")


def test_bgc_round_1__play_wager_is_not_changed_and_no_second_one_made():
    raised = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 3)
    assert raised.raise_(1, 4).last_refused() == ("out_of_turn", "bgc/round/1")
    assert raised.check(1).last_refused() == ("out_of_turn", "bgc/round/1")
    assert raised.reveal("flop").raise_(1, 2).last_refused() == ("out_of_turn", "bgc/round/3")
    assert RULES.clause("one_play_wager") == "bgc/round/1"


def test_bgc_round_2__first_three_board_cards_when_all_have_acted():
    dealt = one_seat().deal_out({1: "????"}, "????", "??????????")
    assert dealt.reveal("flop", "Kd9c7h").last_refused() == ("out_of_turn", "bgc/round/1")
    assert dealt.check(1).reveal("turn_river", "4s2d").last_refused() == ("out_of_turn", "bgc/round/1")
    assert dealt.check(1).reveal("flop", "Kd9c7h4s").last_refused()[0] == "wrong_cards"
    assert dealt.check(1).reveal("flop", "Kd9c7h").raise_(1, 2).status == "open"


def test_bgc_round_3__twice_the_ante_after_the_flop():
    result = one_seat().showdown({1: ("AsAc", 2)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == "1 play 20.00: win 1:1, paid 20.00"


def test_bgc_round_3__nothing_else_but_a_check():
    flop = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).check(1).reveal("flop")
    assert flop.check(1).status == "open"
    for other in (flop.raise_(1, 1), flop.raise_(1, 3), flop.raise_(1, 4), flop.fold(1)):
        assert other.last_refused() == ("bad_choice", "bgc/round/3")


def test_bgc_round_4__last_two_board_cards_when_all_have_acted():
    flop = one_seat().deal_out({1: "????"}, "????", "??????????").check(1).reveal("flop", "Kd9c7h")
    assert flop.reveal("turn_river", "4s2d").last_refused() == ("out_of_turn", "bgc/round/3")
    assert flop.check(1).reveal("turn_river", "4s").last_refused()[0] == "wrong_cards"
    assert flop.check(1).reveal("turn_river", "4s2d").raise_(1, 1).status == "open"


def test_bgc_round_5__as_much_as_the_ante_when_all_five_are_open():
    result = one_seat().showdown({1: ("AsAc", 1)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == "1 play 10.00: win 1:1, paid 10.00"


def test_bgc_round_5__nothing_else_but_a_fold():
    river = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).check(1).reveal("flop").check(1).reveal("turn_river")
    assert river.fold(1).status == "open"
    for other in (river.raise_(1, 2), river.raise_(1, 3), river.raise_(1, 4), river.check(1)):
        assert other.last_refused() == ("bad_choice", "bgc/round/5")


@pytest.mark.parametrize("dealer", [PAIR_OF_QUEENS, KING_HIGH])
def test_bgc_round_6a__fold_gives_up_ante_and_blind(dealer: str):
    result = one_seat().bet(1, trips=5).showdown({1: ("AsAc", 0)}, dealer)
    assert result.lines_by("bgc/round/6a") == [
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: lose, collected 10.00",
    ]
    assert result.lines_at(1)[2:] == ["1 trips 5.00: lose, collected 5.00"]


def test_bgc_round_6a__fold_with_three_of_a_kind_keeps_trips():
    result = one_seat().bet(1, trips=5).showdown({1: ("9s9d", 0)}, PAIR_OF_QUEENS)
    assert result.line(1, "trips") == "1 trips 5.00: win 3:1, paid 15.00"


def test_bgc_round_7__own_two_cards_and_three_of_the_board_make_a_hand():
    assert one_seat().showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).line(1, "play") == PLAY_WINS


def test_bgc_round_7__player_dealers_cards_are_turned_over_for_hands_still_in():
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    shown = dealt.raise_(1, 4).reveal("flop").reveal("turn_river")
    assert shown.result()["dealer"] == {"cards": [None, None], "hand": None, "qualifies": None}
    assert shown.settle().last_refused() == ("out_of_turn", "bgc/decision/order-of-wagers")
    assert shown.reveal("dealer").settle().result()["dealer"]["cards"] == ["Qs", "Qc"]
    folded = dealt.check(1).reveal("flop").check(1).reveal("turn_river").fold(1)
    assert folded.settle().result()["dealer"]["cards"] == [None, None]


@pytest.mark.parametrize(
    ("dealer", "board", "qualifies", "ante"),
    [
        (PAIR_OF_QUEENS, BOARD, True, "1 ante 10.00: win 1:1, paid 10.00"),
        (KING_HIGH, "KdKc7h4s2d", True, "1 ante 10.00: win 1:1, paid 10.00"),
        (KING_HIGH, BOARD, False, "1 ante 10.00: push"),
    ],
)
def test_bgc_does_not_qualify_9__pair_qualifies_on_the_board_too(dealer: str, board: str, qualifies: bool, ante: str):
    result = one_seat().showdown({1: ("AsAc", 4)}, dealer, board)
    assert result["dealer"]["qualifies"] is qualifies
    assert result.line(1, "ante") == ante
    assert RULES.clause("qualify") == "bgc/does-not-qualify/9"


def test_bgc_does_not_qualify_9a__antes_of_hands_not_folded_go_back():
    play = one_seat().bet(2, ante=20, blind=20).bet(3, ante=30, blind=30)
    result = play.showdown({1: ("AsAc", 4), 2: ("Js8h", 4), 3: ("AdTc", 0)}, KING_HIGH)
    assert result.lines_by("bgc/does-not-qualify/9a") == ["1 ante 10.00: push", "2 ante 20.00: push"]
    assert result.line(3, "ante") == "3 ante 30.00: lose, collected 30.00"


def test_bgc_does_not_qualify_9a__ante_is_returned_first_at_each_hand_that_was_not_folded():
    play = one_seat().bet(1, "b-1", "backline", ante=5, blind=5).bet(2, ante=20, blind=20, trips=5)
    dealt = play.deal_out({1: "3s2h", 2: "AdTc"}, KING_HIGH, "Kd9c7h5s4d")
    played = dealt.raise_(1, 4).raise_(1, 4, "b-1").check(2).reveal("flop").check(2).reveal("turn_river").fold(2)
    settled = played.reveal("dealer").settle()
    assert settled.result().lines == [
        "1 ante 10.00: push",
        "1/b-1 ante 5.00: push",
        "1 play 40.00: lose, collected 40.00",
        "1/b-1 play 20.00: lose, collected 20.00",
        "1 blind 10.00: lose, collected 10.00",
        "1/b-1 blind 5.00: lose, collected 5.00",
        "2 ante 20.00: lose, collected 20.00",
        "2 blind 20.00: lose, collected 20.00",
        "2 trips 5.00: lose, collected 5.00",
    ]
    assert settled.result_under(1).spots(1) == ["play", "play", "ante", "ante", "blind", "blind"]
    assert settled.result_under(1).spots(2) == ["ante", "blind", "trips"]


def test_bgc_does_not_qualify_9a__player_dealers_wager_is_used_up_in_that_order():
    settled = one_seat(wager=40).played({1: ("3s2h", 4)}, KING_HIGH, "Kd9c7h5s4d")
    assert settled.result().lines == [
        "1 ante 10.00: push",
        "1 play 40.00: lose, collected 40.00",
        "1 blind 10.00: no_action, short 10.00",
    ]
    assert settled.result_under(1).lines == [
        "1 play 40.00: lose, collected 40.00",
        "1 ante 10.00: no_action",
        "1 blind 10.00: no_action, short 10.00",
    ]


def test_bgc_does_not_qualify_9b__play_blind_and_trips_as_usual():
    play = one_seat().bet(1, trips=5).bet(2, ante=20, blind=20, trips=5)
    result = play.showdown({1: ("8s6d", 4), 2: ("3s2h", 4)}, "QsJc", "Kd9c7h5s4d")
    assert result["dealer"]["qualifies"] is False
    assert result.lines_at(1) == [
        "1 ante 10.00: push",
        "1 play 40.00: win 1:1, paid 40.00",
        "1 blind 10.00: win 1:1, paid 10.00",
        "1 trips 5.00: win 4:1, paid 20.00",
    ]
    assert result.lines_at(2) == [
        "2 ante 20.00: push",
        "2 play 80.00: lose, collected 80.00",
        "2 blind 20.00: lose, collected 20.00",
        "2 trips 5.00: lose, collected 5.00",
    ]


def test_bgc_does_not_qualify_note__hand_that_is_beaten_still_loses():
    result = one_seat().showdown({1: ("3s2h", 4)}, KING_HIGH, "Kd9c7h5s4d")
    assert result["dealer"]["qualifies"] is False
    assert result.line(1, "play") == PLAY_LOSES


def test_bgc_qualifies_10__seats_clockwise_from_the_player_dealers_left():
    play = table(banker=3).bet(1, ante=10, blind=10).bet(2, ante=10, blind=10).bet(6, ante=10, blind=10)
    assert play.showdown({1: ("AsAc", 4), 2: ("JsTd", 4), 6: ("8s8d", 0)}, PAIR_OF_QUEENS).seats() == [6, 1, 2]


def test_bgc_qualifies_10a__hand_is_turned_up_before_it_is_settled():
    unseen = one_seat().deal_out({1: "As??"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all()
    assert unseen.settle().last_refused() == ("out_of_turn", "bgc/decision/order-of-wagers")
    assert unseen.reveal(1).last_refused() == ("wrong_cards", "bgc/dealing/1b")
    for other in ("KsAc", "As", "AsAcAd"):
        assert unseen.reveal(1, other).last_refused() == ("wrong_cards", "bgc/dealing/1b")
    seen = unseen.reveal(1, "AsAc")
    assert seen.reveal(1).last_refused() == ("out_of_turn", "bgc/qualifies/10a")
    assert seen.settle().result().line(1, "play") == PLAY_WINS


@pytest.mark.parametrize(
    ("hole", "dealer", "board", "line"),
    [
        ("AsAc", PAIR_OF_QUEENS, BOARD, PLAY_WINS),  # both of its own cards count
        ("Ks5d", PAIR_OF_QUEENS, BOARD, PLAY_WINS),  # one of them
        ("5s3c", "6s5d", "AhKdQc9s7h", PLAY_PUSHES),  # none: both hands are the board
    ],
)
def test_bgc_qualifies_10b__best_five_of_seven_cards(hole: str, dealer: str, board: str, line: str):
    assert one_seat().showdown({1: (hole, 4)}, dealer, board).line(1, "play") == line


@pytest.mark.parametrize(
    ("hole", "line"),
    [("KsKc", PLAY_WINS), ("QdQh", PLAY_PUSHES), ("JsJc", PLAY_LOSES)],
    ids=["higher", "equal", "lower"],
)
def test_bgc_qualifies_10c__hands_are_compared(hole: str, line: str):
    assert one_seat().showdown({1: (hole, 4)}, PAIR_OF_QUEENS).line(1, "play") == line


def test_bgc_qualifies_11a__higher_hand_wins():
    assert one_seat().showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).line(1, "play") == PLAY_WINS


def test_bgc_qualifies_11b__lower_hand_loses():
    assert one_seat().showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS).line(1, "play") == PLAY_LOSES


def test_bgc_qualifies_11c__equal_hands_push_ante_play_and_blind():
    result = one_seat().bet(1, trips=5).showdown({1: ("KsQd", 4)}, "KcQh")
    assert result.lines_by("bgc/qualifies/11c") == ["1 ante 10.00: push", PLAY_PUSHES, "1 blind 10.00: push"]


@pytest.mark.parametrize("made", BELOW_A_STRAIGHT)
def test_bgc_qualifies_11d__blind_pushes_when_the_hand_wins_below_a_straight(made: str):
    hole, board = MADE[made]
    result = one_seat().showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by("bgc/qualifies/11d") == ["1 blind 10.00: push"]
    assert result.line(1, "play") == PLAY_WINS


def test_bgc_qualifies_12a__lower_hand_loses_play_ante_and_blind():
    result = one_seat().showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS)
    assert result.lines_by("bgc/qualifies/12a") == [
        "1 play 40.00: lose, collected 40.00",
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: lose, collected 10.00",
    ]


def test_bgc_qualifies_12a__straight_that_is_beaten_loses_its_blind():
    result = one_seat().showdown({1: ("9s8d", 4)}, "KcKh", "7c6h5sKdKs")
    assert result.line(1, "blind") == "1 blind 10.00: lose, collected 10.00"


@pytest.mark.parametrize(("made", "odds", "paid"), BLIND)
def test_bgc_qualifies_13b__blind_is_paid_from_a_straight_upward(made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat().showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by("bgc/qualifies/13b") == [f"1 blind 10.00: win {odds}, paid {paid}"]


@pytest.mark.parametrize(
    ("hole", "trips"), [("9s9d", "1 trips 5.00: win 3:1, paid 15.00"), ("JsTd", "1 trips 5.00: lose, collected 5.00")]
)
def test_bgc_qualifies_12b__losing_hand_is_paid_trips_if_it_is_good_enough(hole: str, trips: str):
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, "KsKc")
    assert (result.line(1, "play"), result.line(1, "trips")) == (PLAY_LOSES, trips)


def test_bgc_qualifies_13a__ante_and_play_of_a_winning_hand_are_paid():
    result = one_seat().showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert (result.line(1, "ante"), result.line(1, "play")) == ("1 ante 10.00: win 1:1, paid 10.00", PLAY_WINS)


@pytest.mark.parametrize(
    ("hole", "trips"), [("9s9d", "1 trips 5.00: win 3:1, paid 15.00"), ("AsAc", "1 trips 5.00: lose, collected 5.00")]
)
def test_bgc_qualifies_13c__winning_hand_is_paid_trips_if_it_is_good_enough(hole: str, trips: str):
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, PAIR_OF_QUEENS)
    assert (result.line(1, "play"), result.line(1, "trips")) == (PLAY_WINS, trips)


@pytest.mark.parametrize(
    ("board", "trips"),
    [
        ("9s9d9hAcKd", "1 trips 5.00: win 3:1, paid 15.00"),
        ("9s9dQhAcKd", "1 trips 5.00: lose, collected 5.00"),
    ],
)
def test_bgc_qualifies_14a__hand_that_pushes_is_paid_trips_if_it_is_good_enough(board: str, trips: str):
    result = one_seat().bet(1, trips=5).showdown({1: ("5s3c", 4)}, "6s5d", board)
    assert (result.line(1, "play"), result.line(1, "trips")) == (PLAY_PUSHES, trips)


def test_bgc_qualifies_15__ante_and_play_win_1_to_1():
    result = one_seat().showdown({1: ("AsAc", 3)}, PAIR_OF_QUEENS)
    assert result.lines_by("bgc/qualifies/15") == [
        "1 ante 10.00: win 1:1, paid 10.00",
        "1 play 30.00: win 1:1, paid 30.00",
    ]


def test_bgc_qualifies_16__blind_and_trips_are_paid_by_the_pay_table():
    hole, board = MADE["flush"]
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "blind") == "1 blind 10.00: win 3:2, paid 15.00"
    assert result.line(1, "trips") == "1 trips 5.00: win 7:1, paid 35.00"


@pytest.mark.parametrize(
    ("hole", "times", "dealer", "board", "ante"),
    [
        ("9s9d", 4, PAIR_OF_QUEENS, BOARD, "1 ante 10.00: win 1:1, paid 10.00"),
        ("9s9d", 4, "KsKc", BOARD, "1 ante 10.00: lose, collected 10.00"),
        ("5s3c", 4, "6s5d", "9s9d9hAcKd", "1 ante 10.00: push"),
        ("9s9d", 0, PAIR_OF_QUEENS, BOARD, "1 ante 10.00: lose, collected 10.00"),
    ],
    ids=["won", "lost", "tied", "folded"],
)
def test_bgc_qualifies_18__trips_is_paid_whatever_happens_to_the_hand(
    hole: str, times: int, dealer: str, board: str, ante: str
):
    result = one_seat().bet(1, trips=5).showdown({1: (hole, times)}, dealer, board)
    assert result.lines_by("bgc/qualifies/18") == ["1 trips 5.00: win 3:1, paid 15.00"]
    assert result.line(1, "ante") == ante


@pytest.mark.parametrize(
    ("wager", "paid", "net"),
    [("0.01", "0.01", "-0.01"), ("7.50", "7.50", "-7.50"), ("2000000.37", "50.00", "-50.00")],
)
def test_bgc_qualifies_19__player_dealer_banks_with_a_wager_of_any_size(wager: str, paid: str, net: str):
    result = one_seat(wager=wager).showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert result["bank"] == {"wager": wager, "paid": paid, "collected": "0.00", "net": net}
    assert {line["from"] for line in result["lines"]} == {"bank"}


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


@pytest.mark.parametrize(("made", "odds", "paid"), BLIND)
def test_bgc_pay_tables_blind__pays(made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat().showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "blind") == f"1 blind 10.00: win {odds}, paid {paid}"
    assert RULES.paytables["BLIND"].clause == "bgc/pay-tables/blind"


@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-01"])
def test_bgc_pay_tables_uth_01__pays(made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat(trips="UTH-01").bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["UTH-01"].clause == "bgc/pay-tables/UTH-01"


@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-02"])
def test_bgc_pay_tables_uth_02__pays(made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat(trips="UTH-02").bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["UTH-02"].clause == "bgc/pay-tables/UTH-02"


@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-03"])
def test_bgc_pay_tables_uth_03__pays(made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat(trips="UTH-03").bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["UTH-03"].clause == "bgc/pay-tables/UTH-03"


@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-04"])
def test_bgc_pay_tables_uth_04__pays(made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat(trips="UTH-04").bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["UTH-04"].clause == "bgc/pay-tables/UTH-04"


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


def test_bgc_decision_best_five__clauses_that_differ_are_marked():
    result = one_seat().showdown({1: ("5s3c", 4)}, "6s5d", "AhKdQc9s7h")  # neither uses a card of its own
    assert result.line(1, "play") == PLAY_PUSHES
    assert RULES.clauses["bgc/round/7"].contradicts == ("bgc/qualifies/10b",)


def test_bgc_decision_high_card__hands_without_a_pair_are_compared():
    board = "9sKd4c7h2d"
    assert one_seat().showdown({1: ("AcQd", 4)}, "AdJs", board).line(1, "play") == PLAY_WINS
    assert one_seat().showdown({1: ("AcJd", 4)}, "AdQs", board).line(1, "play") == PLAY_LOSES
    assert one_seat().showdown({1: ("AcQd", 4)}, "2s3h", board).line(1, "play") == PLAY_LOSES


def test_bgc_decision_board_pair__qualifies_the_player_dealer():
    result = one_seat().showdown({1: ("AsAc", 4)}, KING_HIGH, "KdKc7h4s2d")
    assert result["dealer"]["qualifies"] is True
    assert result.line(1, "ante") == "1 ante 10.00: win 1:1, paid 10.00"


@pytest.mark.parametrize(("ante", "trips"), [(5, 1), (500, 50)])
def test_bgc_decision_default_limits__takes(ante: int, trips: int):
    assert table().bet(1, ante=ante, blind=ante, trips=trips).close_bets().status == "open"


@pytest.mark.parametrize(("ante", "trips"), [("4.50", "1.00"), ("500.50", "1.00"), ("5.00", "0.50"), ("5.00", "50.50")])
def test_bgc_decision_default_limits__refuses(ante: str, trips: str):
    play = table(chip="0.50").bet(1, ante=ante, blind=ante, trips=trips).close_bets()
    assert play.last_refused() == ("limit", "bgc/betting/1")


def test_bgc_decision_default_limits__give_way_to_the_tables_own():
    own = table(limits={"ante": ["1.00", "600.00"], "trips": ["60.00", "70.00"]})
    assert own.bet(1, ante=1, blind=1, trips=60).close_bets().status == "open"
    assert own.bet(1, ante=600, blind=600, trips=70).close_bets().status == "open"
    assert own.bet(1, ante=1, blind=1, trips=59).close_bets().last_refused() == ("limit", "bgc/betting/1")


def test_bgc_decision_order_of_wagers__play_first_when_lost_or_folded():
    play = table()
    for seat in (1, 2, 3, 4):
        play = play.bet(seat, trips=5, blind=10, ante=10)
    result = play.showdown({1: ("AsAc", 4), 2: ("JsTd", 4), 3: ("QdJd", 4), 4: ("8s8d", 0)}, "QsJc", "KdKc7h4s2d")
    assert result.spots(1) == ["ante", "play", "blind", "trips"]
    assert result.spots(2) == ["play", "ante", "blind", "trips"]
    assert result.spots(3) == ["ante", "play", "blind", "trips"]
    assert result.spots(4) == ["ante", "blind", "trips"]
    assert [result.line(seat, "ante") for seat in (1, 2, 3, 4)] == [
        "1 ante 10.00: win 1:1, paid 10.00",
        "2 ante 10.00: lose, collected 10.00",
        "3 ante 10.00: push",
        "4 ante 10.00: lose, collected 10.00",
    ]


def test_bgc_decision_fee__none_or_a_supplied_schedule():
    assert one_seat().close_bets().result()["fee"] is None
    assert one_seat(schedule=None).close_bets().result()["fee"] is None
    fee = one_seat(schedule=FEES).close_bets().result()["fee"]
    assert fee == {"action": "20.00", "amount": "1.00", "schedule": "supplied"}


@pytest.mark.parametrize("tiers", RIGHT_TIERS)
def test_bgc_decision_fee__schedule_has_one_to_five_tiers(tiers: Tiers):
    schedule = {"limits": ["5.00", "500.00"], "tiers": tiers}
    assert one_seat(schedule=schedule).close_bets().result()["fee"]["amount"] == "1.00"


@pytest.mark.parametrize("tiers", WRONG_TIERS)
def test_bgc_decision_fee__refuses_a_schedule_that_fails_the_checks(tiers: Tiers):
    schedule = {"limits": ["5.00", "500.00"], "tiers": tiers}
    assert table(schedule=schedule).document_refused() == ("bad_terms", "bgc/decision/fee")


def test_bgc_decision_fee__no_printed_option_and_no_percentage():
    assert table(schedule=1).document_refused() == ("bad_terms", "bgc/decision/fee")
    percentage = {"limits": ["5.00", "500.00"], "tiers": [[None, "5%"]]}
    assert table(schedule=percentage).document_refused() == ("bad_document", None)


def test_bgc_decision_total_action__every_wager_before_the_deal_and_none_after():
    play = one_seat(schedule=FEES).bet(1, trips=5).bet(1, "b-1", "backline", ante=20, blind=20, trips=6)
    dealt = play.deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).raise_(1, 4, "b-1")
    assert dealt.reveal_all().settle().result()["fee"] == {"action": "71.00", "amount": "1.00", "schedule": "supplied"}


@pytest.mark.parametrize(("trips", "action", "fee"), [("1.00", "100.00", "1.00"), ("1.01", "100.01", "2.00")])
def test_bgc_decision_fee_bounds__tier_reaches_up_to_and_including_its_bound(trips: str, action: str, fee: str):
    play = table(schedule=FEES, chip="0.01").bet(1, ante="49.50", blind="49.50", trips=trips).close_bets()
    assert play.result()["fee"] == {"action": action, "amount": fee, "schedule": "supplied"}


def test_bgc_decision_backline__wagers_ride_on_the_seats_hand():
    play = one_seat().bet(1, "b-2", "backline", ante=5, blind=5, trips=2).bet(1, "b-1", "backline", blind=6, ante=6)
    dealt = play.deal_out({1: "9s9d"}, PAIR_OF_QUEENS).raise_(1, 3).raise_(1, 3, "b-1").raise_(1, 3, "b-2")
    assert dealt.reveal_all().settle().result().lines == [
        "1 ante 10.00: win 1:1, paid 10.00",
        "1/b-2 ante 5.00: win 1:1, paid 5.00",
        "1/b-1 ante 6.00: win 1:1, paid 6.00",
        "1 play 30.00: win 1:1, paid 30.00",
        "1/b-2 play 15.00: win 1:1, paid 15.00",
        "1/b-1 play 18.00: win 1:1, paid 18.00",
        "1 blind 10.00: push",
        "1/b-2 blind 5.00: push",
        "1/b-1 blind 6.00: push",
        "1/b-2 trips 2.00: win 3:1, paid 6.00",
    ]
    assert RULES.clause("backline") == "bgc/decision/backline"


def test_bgc_decision_backline__proposition_players_play_and_bank_and_tips_are_not_taken():
    play = table(players={2: "tp-1", 8: "tp-2"}).bet(2, ante=10, blind=10)
    assert play.showdown({2: ("AsAc", 4)}, PAIR_OF_QUEENS)["lines"][0]["bettor"] == "tp-1"
    assert play.bet(2, "tp-2", "backline", ante=10).last_refused() == ("bad_choice", "bgc/qualifies/19")
    assert play.bet(2, "d-1", "toke", ante=10).last_refused() == ("bad_choice", None)


def test_bgc_decision_follow__same_multiple_or_give_up():
    play = one_seat().bet(1, "b-1", "backline", ante=5, blind=5, trips=2).deal_out({1: "9s9d"}, PAIR_OF_QUEENS)
    assert play.raise_(1, 4, "b-1").last_refused() == ("out_of_turn", "bgc/decision/follow")
    raised = play.raise_(1, 4)
    assert raised.reveal("flop").last_refused() == ("out_of_turn", "bgc/round/1")
    assert raised.raise_(1, 3, "b-1").last_refused() == ("bad_choice", "bgc/decision/follow")
    assert raised.decide(1, "check", bettor="b-1").last_refused() == ("bad_choice", "bgc/decision/follow")
    result = raised.fold(1, "b-1").reveal_all().settle().result()
    assert result.lines_by("bgc/decision/follow") == [
        "1/b-1 ante 5.00: lose, collected 5.00",
        "1/b-1 blind 5.00: lose, collected 5.00",
    ]
    assert result.line(1, "trips", bettor="b-1") == "1/b-1 trips 2.00: win 3:1, paid 6.00"


@pytest.mark.parametrize("times", [2, 1])
def test_bgc_decision_follow__on_every_street_and_after_the_seat(times: int):
    play = one_seat().bet(1, "b-1", "backline", ante=5, blind=5).deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    play = play.check(1).reveal("flop")
    if times == 1:
        play = play.check(1).reveal("turn_river")
    assert play.raise_(1, times, "b-1").last_refused() == ("out_of_turn", "bgc/decision/follow")
    followed = play.raise_(1, times).raise_(1, times, "b-1")
    assert followed.raise_(1, times, "b-1").last_refused() == ("out_of_turn", "bgc/decision/follow")
    shown = followed.reveal("dealer") if times == 1 else followed.reveal("turn_river").reveal("dealer")
    paid = f"{5 * times}.00"
    assert shown.settle().result().line(1, "play", bettor="b-1") == f"1/b-1 play {paid}: win 1:1, paid {paid}"


def test_bgc_decision_follow__everybody_folds_with_the_seat():
    play = one_seat().bet(1, "b-1", "backline", ante=5, blind=5)
    assert play.showdown({1: ("AsAc", 0)}, PAIR_OF_QUEENS).lines == [
        "1 ante 10.00: lose, collected 10.00",
        "1/b-1 ante 5.00: lose, collected 5.00",
        "1 blind 10.00: lose, collected 10.00",
        "1/b-1 blind 5.00: lose, collected 5.00",
    ]


def test_bgc_decision_chip__wagers_are_whole_multiples():
    assert table().bet(1, ante="10.50", blind="10.50").close_bets().last_refused() == ("limit", "bgc/decision/chip")
    assert one_seat().bet(1, trips="1.50").close_bets().last_refused() == ("limit", "bgc/decision/chip")
    assert one_seat(chip="4.00").close_bets().last_refused() == ("limit", "bgc/decision/chip")
    assert one_seat(chip="5.00").close_bets().status == "open"
    assert table(chip="0.00").document_refused() == ("bad_terms", "bgc/decision/chip")


def test_bgc_decision_rounding__fraction_of_a_cent_is_dropped():
    hole, board = MADE["flush"]
    result = table(chip="0.01").bet(1, ante="5.01", blind="5.01").showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "blind") == "1 blind 5.01: win 3:2, paid 7.51"
    assert RULES.clause("rounding") == "bgc/decision/rounding"


def test_bgc_decision_wager_by_wager__limits_hold_for_each_wager_by_itself():
    play = table().bet(1, ante=500, blind=500, trips=50).bet(1, "b-1", "backline", ante=500, blind=500, trips=50)
    dealt = play.deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).raise_(1, 4, "b-1").reveal_all().settle().result()
    assert dealt.line(1, "play") == "1 play 2000.00: win 1:1, paid 2000.00"
    refused = one_seat().bet(1, "b-1", "backline", ante=4, blind=4).close_bets()
    assert refused.last_refused() == ("limit", "bgc/betting/1")


def test_bgc_decision_wager_by_wager__blind_is_held_to_the_antes_limits():
    play = table().bet(1, blind=501, ante=501).close_bets()
    assert "blind" in play.adjudicated()["error"]["detail"]
    own = table(limits={"blind": ["5.00", "10.00"]})
    assert own.document_refused() == ("bad_terms", "bgc/betting/1")


def test_bgc_decision_void__gives_everything_back_and_keeps_the_fee():
    shown = one_seat(schedule=FEES).deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all()
    result = shown.void("irregularity", "A card was found on the floor.").result()
    assert (result["status"], result["lines"]) == ("void", [])
    assert result["bank"] == {"wager": "100000.00", "paid": "0.00", "collected": "0.00", "net": "0.00"}
    assert result["fee"] == {"action": "20.00", "amount": "1.00", "schedule": "supplied"}


def test_bgc_decision_void__is_not_one_of_the_player_dealers_two_rounds():
    session = after_rounds("uth-bgc", (3, "a", "settled"), (3, "a", "void"), trips="UTH-01")
    assert begin_round(session, "r-3", (3, "a")) == [RoundBegun("r-3", 3, "a", turn=2, deck="blue")]


def test_bgc_decision_void__ends_the_round_and_never_follows_settlement():
    assert one_seat().void("misdeal").status == "void"
    assert one_seat().void("misdeal").close_bets().last_refused() == ("out_of_turn", "bgc/decision/void")
    assert one_seat().void("misdeal").bet(1, trips=5).last_refused() == ("out_of_turn", "bgc/betting/2")
    settled = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all().settle()
    assert settled.void("misdeal").last_refused() == ("out_of_turn", "bgc/decision/order-of-wagers")


def test_bgc_decision_coverage__one_pool_is_used_up_by_paying_and_by_collecting():
    result = four_seats(table(wager=1000))
    assert result.lines == [
        "1 play 400.00: lose, collected 400.00",
        "1 ante 100.00: lose, collected 100.00",
        "1 blind 100.00: lose, collected 100.00",
        "2 play 400.00: lose, collected 400.00",
        "2 ante 100.00: no_action, short 100.00",
        "2 blind 100.00: no_action, short 100.00",
        "3 ante 200.00: no_action, short 200.00",
        "3 play 800.00: no_action, short 800.00",
        "3 blind 200.00: no_action, short 200.00",
        "4 play 200.00: no_action, short 200.00",
        "4 ante 50.00: no_action, short 50.00",
        "4 blind 50.00: no_action, short 50.00",
    ]
    assert result["bank"] == {"wager": "1000.00", "paid": "0.00", "collected": "1000.00", "net": "1000.00"}


def test_bgc_decision_coverage__separate_limits_where_the_table_names_them():
    result = four_seats(table(wager=1000, coverage="separate-limits"))
    assert result.lines[4:] == [
        "2 ante 100.00: no_action, short 100.00",
        "2 blind 100.00: no_action, short 100.00",
        "3 ante 200.00: win 1:1, paid 200.00",
        "3 play 800.00: win 1:1, paid 800.00",
        "3 blind 200.00: no_action, short 200.00",
        "4 play 200.00: no_action, short 200.00",
        "4 ante 50.00: no_action, short 50.00",
        "4 blind 50.00: no_action, short 50.00",
    ]
    assert result["bank"] == {"wager": "1000.00", "paid": "1000.00", "collected": "1000.00", "net": "0.00"}
    assert table(coverage="none").document_refused() == ("bad_terms", "bgc/betting/4")


def test_bgc_decision_coverage__push_has_no_action_once_both_limits_are_used_up():
    play = table(wager=20, coverage="separate-limits")
    for seat in (1, 2, 3, 4):
        play = play.bet(seat, ante=10, blind=10)
    result = play.showdown({1: ("JsTd", 0), 2: ("KsQd", 1), 3: ("AsAc", 1), 4: ("KhQc", 1)}, "KcQh")
    assert result.lines[2:] == [
        "2 ante 10.00: push",
        "2 play 10.00: push",
        "2 blind 10.00: push",
        "3 ante 10.00: win 1:1, paid 10.00",
        "3 play 10.00: win 1:1, paid 10.00",
        "3 blind 10.00: no_action",
        "4 ante 10.00: no_action",
        "4 play 10.00: no_action",
        "4 blind 10.00: no_action",
    ]


def test_bgc_decision_one_pass__folded_wagers_wait_for_their_turn():
    play = one_seat(wager=20).bet(2, ante=10, blind=10)
    result = play.showdown({1: ("JsTd", 1), 2: ("AsTc", 0)}, PAIR_OF_QUEENS)
    assert result.lines == [
        "1 play 10.00: lose, collected 10.00",
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: no_action, short 10.00",
        "2 ante 10.00: no_action, short 10.00",
        "2 blind 10.00: no_action, short 10.00",
    ]


def test_bgc_decision_backline_wagers__own_ante_and_blind_behind_the_seated_players():
    refused = ("missing_wager", "bgc/betting/3")
    assert one_seat().bet(1, "b-1", "backline", ante=10).close_bets().last_refused() == refused
    assert one_seat().bet(1, "b-1", "backline", ante=10, blind=11).close_bets().last_refused() == refused
    assert one_seat().bet(1, "b-1", "backline", trips=5).close_bets().last_refused() == refused
    assert one_seat().bet(2, "b-1", "backline", ante=10, blind=10).close_bets().last_refused() == refused
    assert one_seat().bet(1, "b-1", "backline", ante=20, blind=20).close_bets().status == "open"


@pytest.mark.parametrize("order", [(2, 5), (5, 2)])
def test_bgc_decision_acting_order__any_order_and_the_next_street_after_all(order: tuple[int, int]):
    play = table().bet(2, ante=10, blind=10).bet(5, ante=10, blind=10)
    dealt = play.deal_out({2: "AsAc", 5: "JsTd"}, PAIR_OF_QUEENS)
    assert dealt.check(order[0]).reveal("flop").last_refused() == ("out_of_turn", "bgc/round/1")
    assert dealt.check(*order).reveal("flop").status == "open"


def test_bgc_decision_acting_order__nobody_acts_before_all_cards_lie_there_or_without_a_wager():
    early = one_seat().close_bets().deal(1, "AsAc").deal("dealer", "QsQc")
    for action in (early.check(1), early.reveal("flop")):
        assert action.last_refused() == ("out_of_turn", "bgc/round/1")
    dealt = early.deal("board", BOARD)
    assert dealt.check(1).status == "open"
    for stranger in (dealt.check(2), dealt.raise_(1, 4, "b-9")):
        assert stranger.last_refused() == ("out_of_turn", "bgc/round/1")


@pytest.mark.parametrize("hole", ["????", "As??"])
def test_bgc_decision_folded_hands__hand_with_trips_is_turned_over_before_it_is_settled(hole: str):
    play = one_seat().bet(1, trips=5).deal_out({1: hole}, PAIR_OF_QUEENS, "9s9d9h9cKd")
    folded = play.fold_at_the_end(1)
    assert folded.settle().last_refused() == ("out_of_turn", "bgc/decision/folded-hands")
    seen = folded.reveal(1, "AsAc").settle().result()
    assert seen.line(1, "trips") == "1 trips 5.00: win 30:1, paid 150.00"
    lost = folded.settle().result_under(1).lines_by("bgc/decision/unseen-fold")
    assert lost == ["1 trips 5.00: lose, collected 5.00"]


def test_bgc_decision_folded_hands__backline_bettors_trips_counts_too():
    play = one_seat().bet(1, "b-1", "backline", ante=5, blind=5, trips=2)
    folded = play.deal_out({1: "????"}, PAIR_OF_QUEENS).fold_at_the_end(1)
    assert folded.settle().last_refused() == ("out_of_turn", "bgc/decision/folded-hands")
    for hole, line in (("9s9d", "win 3:1, paid 6.00"), ("JsTd", "lose, collected 2.00")):
        seen = folded.reveal(1, hole).settle().result()
        assert seen.line(1, "trips", bettor="b-1") == f"1/b-1 trips 2.00: {line}"


def test_bgc_decision_folded_hands__hand_without_trips_may_stay_unseen():
    play = one_seat().bet(2, ante=10, blind=10, trips=5)
    folded = play.deal_out({1: "????", 2: "JsTd"}, PAIR_OF_QUEENS).fold_at_the_end(1, 2)
    assert folded.settle().result().lines_at(1) == [
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: lose, collected 10.00",
    ]


def test_bgc_decision_withdraw__whole_or_in_part():
    play = one_seat().bet(1, trips=5)
    for taken, action in (
        (play.withdraw(1, "trips", 2), "23.00"),
        (play.withdraw(1, "trips"), "20.00"),
        (play.withdraw(1, "trips", 5), "20.00"),
        (play.withdraw(1, "trips").bet(1, trips=7), "27.00"),
        (play.withdraw(1, "ante", 4).withdraw(1, "blind", 4), "17.00"),
    ):
        assert taken.close_bets().result()["exposure"]["action"] == action
    assert play.withdraw(1, "ante", 4).close_bets().last_refused() == ("missing_wager", "bgc/betting/3")


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


def test_bgc_decision_withdraw__bettor_who_takes_everything_back_is_forgotten():
    play = one_seat().bet(1, "b-1", "backline", ante=5, blind=5)
    gone = play.withdraw(1, "ante", bettor="b-1").withdraw(1, "blind", bettor="b-1")
    assert gone.showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).lines == [
        "1 ante 10.00: win 1:1, paid 10.00",
        "1 play 40.00: win 1:1, paid 40.00",
        "1 blind 10.00: push",
    ]
    nobody = one_seat().withdraw(1, "ante").withdraw(1, "blind")
    assert nobody.close_bets().last_refused() == ("missing_wager", "bgc/betting/3")


def test_bgc_decision_liability__five_antes_and_the_best_odds_of_the_rest():
    closed = one_seat().bet(1, trips=5).close_bets()
    assert closed.result()["exposure"] == {"action": "25.00", "liability": "5300.00"}  # 50 + 5000 + 250


def test_bgc_decision_in_force__from_the_day_on_which_it_was_adopted():
    assert in_force("uth-bgc", datetime.date(2026, 11, 17)).version == 1
    assert in_force("uth-bgc", datetime.date(2026, 11, 18)) is RULES
    assert load("uth-bgc", 1).in_force.until == datetime.date(2026, 11, 17)

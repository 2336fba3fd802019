"""What several of the five Ultimate Texas Hold'em documents say alike: one test for all clauses that say it.

The clauses of a test are listed above it, and its cases have their names: `test_suits_are_equal[sd/decision/ranking]`.
What only one document says, or says differently, is tested in the document's own file.
"""

import datetime
from typing import Any

import pytest

from domain.floor.table_sessions import RoundBegun, begin_round
from domain.rules.rulesets import in_force, load
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
from tests.rules.shared_clauses import Document, clauses


@clauses("club/standards/opponent", "cc/object/hand", "bgc/standards/opponent")
def test_hand_plays_against_the_player_dealers(document: Document):
    assert document.one_seat().showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).line(1, "play") == PLAY_WINS
    assert document.one_seat().showdown({1: (PAIR_OF_QUEENS, 4)}, "AsAc").line(1, "play") == PLAY_LOSES


@clauses("club/standards/cards", "bgc/standards/cards", dealing_order=("club/dealing/1.2", "bgc/dealing/1b"))
def test_two_each_and_five_on_the_board(document: Document, dealing_order: str):
    dealt = document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    for place, card in ((1, "3c"), ("dealer", "3c"), ("board", "3c")):
        assert dealt.deal(place, card).last_refused() == ("out_of_turn", dealing_order)
    assert dealt.check(1).status == "open"


@clauses("club/standards/streets", "bgc/standards/streets", "house/intro/streets")
@pytest.mark.parametrize(("times", "play"), [(4, "40.00"), (3, "30.00"), (2, "20.00"), (1, "10.00")])
def test_the_earlier_the_larger_the_play_wager(document: Document, times: int, play: str):
    result = document.one_seat().showdown({1: ("AsAc", times)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == f"1 play {play}: win 1:1, paid {play}"


@clauses("club/standards/trips", "cc/trips/lose", "bgc/standards/trips", "sd/17", "house/dealer-qualifies/trips")
@pytest.mark.parametrize("made", BELOW_THREE_OF_A_KIND)
def test_trips_loses_with_less_than_three_of_a_kind(document: Document, made: str):
    hole, board = MADE[made]
    result = document.one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by(document.clause) == ["1 trips 5.00: lose, collected 5.00"]


@clauses("club/standards/trips", "cc/trips/lose", "bgc/standards/trips", "house/dealer-qualifies/trips")
def test_trips_wins_with_three_of_a_kind(document: Document):
    hole, board = MADE["three of a kind"]
    result = document.one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == "1 trips 5.00: win 3:1, paid 15.00"


@clauses("club/ranking/3", "cc/ranking/hands", "bgc/ranking/3", "sd/1/ranking", "house/decision/ranking")
@pytest.mark.parametrize(("higher", "lower", "board", "higher_name", "lower_name"), RANKING)
def test_each_hand_beats_the_next(
    document: Document, higher: str, lower: str, board: str, higher_name: str, lower_name: str
):
    ahead = document.one_seat().showdown({1: (higher, 4)}, lower, board)
    behind = document.one_seat().showdown({1: (lower, 4)}, higher, board)
    assert (ahead["dealer"]["hand"], behind["dealer"]["hand"]) == (lower_name, higher_name)
    assert (ahead.line(1, "play"), behind.line(1, "play")) == (PLAY_WINS, PLAY_LOSES)


@clauses("club/ranking/1", "cc/ranking/cards", "bgc/ranking/1", "sd/decision/ranking", "house/decision/ranking")
def test_suits_are_equal(document: Document):
    assert document.one_seat().showdown({1: ("AsQs", 4)}, "AcQh").line(1, "play") == PLAY_PUSHES


@clauses("club/ranking/2", "bgc/ranking/2")
def test_ace_is_the_highest_card_and_the_2_the_lowest(document: Document):
    assert document.one_seat().showdown({1: ("AsJs", 4)}, "QcJh").line(1, "play") == PLAY_WINS
    assert document.one_seat().showdown({1: ("Qs3s", 4)}, "Qc3h", "KdKc9h8s7d").line(1, "play") == PLAY_PUSHES
    assert document.one_seat().showdown({1: ("2s2h", 4)}, "3s3h", "KdQcTh8s6d").line(1, "play") == PLAY_LOSES


@clauses("club/betting/1", "bgc/betting/1", "sd/2")
def test_wagers_are_between_the_tables_minimum_and_maximum(document: Document):
    own = document.table(limits={"ante": ["10.00", "20.00"], "trips": ["2.00", "4.00"]})
    for ante, trips in ((10, 2), (20, 4)):
        assert own.bet(1, ante=ante, blind=ante, trips=trips).close_bets().status == "open"
    for ante, trips in ((9, 2), (21, 2), (10, 1), (10, 5)):
        refused = own.bet(1, ante=ante, blind=ante, trips=trips).close_bets().last_refused()
        assert refused == ("limit", document.clause)


@clauses("club/betting/3", "cc/dealing/3", "bgc/betting/3", "house/how-to-play/1")
@pytest.mark.parametrize("spots", [{"ante": 10}, {"blind": 10}, {"ante": 10, "blind": 15}, {"trips": 5}, {}])
def test_refuses_less_than_ante_and_equal_blind(document: Document, spots: dict[str, Any]):
    assert document.table().bet(1, **spots).close_bets().last_refused() == ("missing_wager", document.clause)


@clauses("club/betting/3", "cc/dealing/3", "bgc/betting/3", "house/how-to-play/1")
@pytest.mark.parametrize("spots", [{"ante": 10, "blind": 10}, {"ante": 10, "blind": 10, "trips": 5}])
def test_takes_ante_and_equal_blind_with_or_without_trips(document: Document, spots: dict[str, Any]):
    assert document.table().bet(1, **spots).close_bets().status == "open"


@clauses("club/betting/3", "cc/dealing/3", "bgc/betting/3", "sd/decision/equal-blind", "house/how-to-play/1")
def test_takes_no_wager_on_another_spot(document: Document):
    assert document.table().bet(1, play=5).last_refused() == ("bad_choice", document.clause)
    assert document.table().bet(1, pair_plus=5).last_refused() == ("bad_choice", document.clause)


@clauses("club/betting/4", "bgc/betting/4")
def test_bank_collects_as_far_as_its_wager_reaches(document: Document):
    result = document.one_seat(wager=45).showdown({1: ("AsJd", 4)}, PAIR_OF_QUEENS)
    assert result.lines[:2] == [
        "1 play 40.00: lose, collected 40.00",
        "1 ante 10.00: lose, collected 5.00, short 5.00",
    ]
    assert result.lines_by(document.clause) == ["1 blind 10.00: no_action, short 10.00"]


@clauses("club/betting/4", "cc/dealing/20", "bgc/betting/4")
def test_bank_pays_as_far_as_its_wager_reaches(document: Document):
    result = document.one_seat(wager=45).bet(1, trips=5).showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert result.lines[:2] == ["1 ante 10.00: win 1:1, paid 10.00", "1 play 40.00: win 1:1, paid 35.00, short 5.00"]
    assert result.lines_by(document.clause) == ["1 blind 10.00: no_action", "1 trips 5.00: no_action, short 5.00"]


@clauses("club/dealing/2", "bgc/dealing/2")
def test_cards_stay_face_down_until_they_are_turned_over(document: Document):
    dealt = document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    assert dealt.result()["dealer"] == {"cards": [None, None], "hand": None, "qualifies": None}
    unseen = document.one_seat().deal_out({1: "????"}, "????", "??????????").raise_(1, 4)
    assert unseen.reveal("flop").last_refused()[0] == "wrong_cards"
    assert unseen.reveal("flop", "Kd9c7h").status == "open"


@clauses("club/round/1", "cc/dealing/9", "bgc/round/1", "sd/7", "house/how-to-play/4")
@pytest.mark.parametrize("times", [3, 4])
def test_three_or_four_times_the_ante_on_two_cards(document: Document, times: int):
    result = document.one_seat().showdown({1: ("AsAc", times)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == f"1 play {times}0.00: win 1:1, paid {times}0.00"


@clauses("club/round/1", "cc/dealing/9", "bgc/round/1", "sd/7", "house/how-to-play/4")
def test_nothing_else_but_a_check_on_two_cards(document: Document):
    dealt = document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    assert dealt.check(1).status == "open"
    for other in (dealt.raise_(1, 1), dealt.raise_(1, 2), dealt.raise_(1, 5), dealt.fold(1)):
        assert other.last_refused() == ("bad_choice", document.clause)


@clauses("club/round/1", "cc/dealing/9", "bgc/round/1", on_the_flop=("club/round/3", "cc/dealing/11", "bgc/round/3"))
def test_play_wager_is_not_changed_and_no_second_one_made(document: Document, on_the_flop: str):
    raised = document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 3)
    assert raised.raise_(1, 4).last_refused() == ("out_of_turn", document.clause)
    assert raised.check(1).last_refused() == ("out_of_turn", document.clause)
    assert raised.reveal("flop").raise_(1, 2).last_refused() == ("out_of_turn", on_the_flop)
    assert document.rules.clause("one_play_wager") == document.clause


@clauses(
    "club/round/2",
    "cc/dealing/10",
    "bgc/round/2",
    "house/how-to-play/5",
    on_two_cards=("club/round/1", "cc/dealing/9", "bgc/round/1", "house/how-to-play/4"),
)
def test_first_three_board_cards_are_turned_when_all_have_acted(document: Document, on_two_cards: str):
    dealt = document.one_seat().deal_out({1: "????"}, "????", "??????????")
    assert dealt.reveal("flop", "Kd9c7h").last_refused() == ("out_of_turn", on_two_cards)
    assert dealt.check(1).reveal("turn_river", "4s2d").last_refused() == ("out_of_turn", on_two_cards)
    assert dealt.check(1).reveal("flop", "Kd9c7h4s").last_refused()[0] == "wrong_cards"
    assert dealt.check(1).reveal("flop", "Kd9c7h").raise_(1, 2).status == "open"


@clauses("club/round/3", "cc/dealing/11", "bgc/round/3", "sd/9", "house/how-to-play/6")
def test_twice_the_ante_after_the_flop(document: Document):
    result = document.one_seat().showdown({1: ("AsAc", 2)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == "1 play 20.00: win 1:1, paid 20.00"


@clauses("club/round/3", "cc/dealing/11", "bgc/round/3", "sd/9", "house/how-to-play/6")
def test_nothing_else_but_a_check_after_the_flop(document: Document):
    flop = document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).check(1).reveal("flop")
    assert flop.check(1).status == "open"
    for other in (flop.raise_(1, 1), flop.raise_(1, 3), flop.raise_(1, 4), flop.fold(1)):
        assert other.last_refused() == ("bad_choice", document.clause)


@clauses(
    "club/round/4",
    "cc/dealing/12",
    "bgc/round/4",
    "house/how-to-play/7",
    on_the_flop=("club/round/3", "cc/dealing/11", "bgc/round/3", "house/how-to-play/6"),
)
def test_last_two_board_cards_are_turned_when_all_have_acted(document: Document, on_the_flop: str):
    flop = document.one_seat().deal_out({1: "????"}, "????", "??????????").check(1).reveal("flop", "Kd9c7h")
    assert flop.reveal("turn_river", "4s2d").last_refused() == ("out_of_turn", on_the_flop)
    assert flop.check(1).reveal("turn_river", "4s").last_refused()[0] == "wrong_cards"
    assert flop.check(1).reveal("turn_river", "4s2d").raise_(1, 1).status == "open"


@clauses("club/round/5", "cc/dealing/13", "bgc/round/5", "sd/11", "house/how-to-play/8")
def test_as_much_as_the_ante_when_all_five_are_open(document: Document):
    result = document.one_seat().showdown({1: ("AsAc", 1)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == "1 play 10.00: win 1:1, paid 10.00"


@clauses("club/round/5", "cc/dealing/13", "bgc/round/5", "sd/11", "house/how-to-play/8")
def test_nothing_else_but_a_fold(document: Document):
    river = (
        document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).check(1).reveal("flop").check(1).reveal("turn_river")
    )
    assert river.fold(1).status == "open"
    for other in (river.raise_(1, 2), river.raise_(1, 3), river.raise_(1, 4), river.check(1)):
        assert other.last_refused() == ("bad_choice", document.clause)


@clauses("club/round/6.1", "cc/dealing/14a", "bgc/round/6a")
@pytest.mark.parametrize("dealer", [PAIR_OF_QUEENS, KING_HIGH])
def test_fold_gives_up_ante_and_blind(document: Document, dealer: str):
    result = document.one_seat().bet(1, trips=5).showdown({1: ("AsAc", 0)}, dealer)
    assert result.lines_by(document.clause) == [
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: lose, collected 10.00",
    ]
    assert result.lines_at(1)[2:] == ["1 trips 5.00: lose, collected 5.00"]


@clauses("club/round/6.1", "cc/dealing/14a-i", "bgc/round/6a", "sd/12/trips")
def test_fold_with_three_of_a_kind_keeps_trips(document: Document):
    result = document.one_seat().bet(1, trips=5).showdown({1: ("9s9d", 0)}, PAIR_OF_QUEENS)
    assert result.line(1, "trips") == "1 trips 5.00: win 3:1, paid 15.00"


@clauses("club/round/7", "club/qualifies/11.1", "cc/qualifies/2a", "bgc/round/7", "bgc/qualifies/11a")
def test_higher_hand_wins(document: Document):
    assert document.one_seat().showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).line(1, "play") == PLAY_WINS


@clauses(
    "club/round/7",
    "cc/dealing/15",
    "bgc/round/7",
    settlement=("club/decision/order-of-wagers", "cc/dealing/19", "bgc/decision/order-of-wagers"),
)
def test_player_dealers_cards_are_turned_over_for_hands_still_in(document: Document, settlement: str):
    dealt = document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    shown = dealt.raise_(1, 4).reveal("flop").reveal("turn_river")
    assert shown.result()["dealer"] == {"cards": [None, None], "hand": None, "qualifies": None}
    assert shown.settle().last_refused() == ("out_of_turn", settlement)
    assert shown.reveal("dealer").settle().result()["dealer"]["cards"] == ["Qs", "Qc"]
    folded = dealt.check(1).reveal("flop").check(1).reveal("turn_river").fold(1)
    assert folded.settle().result()["dealer"]["cards"] == [None, None]


@clauses("club/does-not-qualify/9", "cc/qualifies/1", "bgc/does-not-qualify/9", "sd/13b", "house/how-to-play/10")
@pytest.mark.parametrize(
    ("dealer", "board", "qualifies", "ante"),
    [
        (PAIR_OF_QUEENS, BOARD, True, "1 ante 10.00: win 1:1, paid 10.00"),
        (KING_HIGH, "KdKc7h4s2d", True, "1 ante 10.00: win 1:1, paid 10.00"),
        (KING_HIGH, BOARD, False, "1 ante 10.00: push"),
    ],
)
def test_pair_qualifies_on_the_board_too(document: Document, dealer: str, board: str, qualifies: bool, ante: str):
    result = document.one_seat().showdown({1: ("AsAc", 4)}, dealer, board)
    assert result["dealer"]["qualifies"] is qualifies
    assert result.line(1, "ante") == ante
    assert document.rules.clause("qualify") == document.clause


@clauses("club/does-not-qualify/9.1", "cc/does-not-qualify/1a", "bgc/does-not-qualify/9a")
def test_antes_of_hands_not_folded_go_back(document: Document):
    play = document.one_seat().bet(2, ante=20, blind=20).bet(3, ante=30, blind=30)
    result = play.showdown({1: ("AsAc", 4), 2: ("Js8h", 4), 3: ("AdTc", 0)}, KING_HIGH)
    assert result.lines_by(document.clause) == ["1 ante 10.00: push", "2 ante 20.00: push"]
    assert result.line(3, "ante") == "3 ante 30.00: lose, collected 30.00"


@clauses("club/does-not-qualify/9.1", "bgc/does-not-qualify/9a")
def test_ante_is_returned_first_at_each_hand_that_was_not_folded(document: Document):
    play = document.one_seat().bet(1, "b-1", "backline", ante=5, blind=5).bet(2, ante=20, blind=20, trips=5)
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


@clauses("club/does-not-qualify/9.1", "bgc/does-not-qualify/9a")
def test_player_dealers_wager_is_used_up_in_that_order(document: Document):
    settled = document.one_seat(wager=40).played({1: ("3s2h", 4)}, KING_HIGH, "Kd9c7h5s4d")
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


@clauses("club/does-not-qualify/9.2", "bgc/does-not-qualify/9b")
def test_play_blind_and_trips_are_settled_as_usual(document: Document):
    play = document.one_seat().bet(1, trips=5).bet(2, ante=20, blind=20, trips=5)
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


@clauses("club/does-not-qualify/note", "cc/does-not-qualify/note", "bgc/does-not-qualify/note")
def test_hand_that_is_beaten_still_loses(document: Document):
    result = document.one_seat().showdown({1: ("3s2h", 4)}, KING_HIGH, "Kd9c7h5s4d")
    assert result["dealer"]["qualifies"] is False
    assert result.line(1, "play") == PLAY_LOSES


@clauses("club/qualifies/10", "cc/dealing/18", "bgc/qualifies/10")
def test_seats_are_settled_clockwise_from_the_player_dealers_left(document: Document):
    play = document.table(banker=3).bet(1, ante=10, blind=10).bet(2, ante=10, blind=10).bet(6, ante=10, blind=10)
    assert play.showdown({1: ("AsAc", 4), 2: ("JsTd", 4), 6: ("8s8d", 0)}, PAIR_OF_QUEENS).seats() == [6, 1, 2]


@clauses(
    "club/qualifies/10.1",
    "cc/dealing/17",
    "bgc/qualifies/10a",
    settlement=("club/decision/order-of-wagers", "cc/dealing/19", "bgc/decision/order-of-wagers"),
    dealing_order=("club/dealing/1.2", "cc/dealing/6", "bgc/dealing/1b"),
)
def test_hand_is_turned_up_before_it_is_settled(document: Document, settlement: str, dealing_order: str):
    unseen = document.one_seat().deal_out({1: "As??"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all()
    assert unseen.settle().last_refused() == ("out_of_turn", settlement)
    assert unseen.reveal(1).last_refused() == ("wrong_cards", dealing_order)
    for other in ("KsAc", "As", "AsAcAd"):
        assert unseen.reveal(1, other).last_refused() == ("wrong_cards", dealing_order)
    seen = unseen.reveal(1, "AsAc")
    assert seen.reveal(1).last_refused() == ("out_of_turn", document.clause)
    assert seen.settle().result().line(1, "play") == PLAY_WINS


@clauses("club/qualifies/10.2", "cc/dealing/16", "bgc/qualifies/10b")
@pytest.mark.parametrize(
    ("hole", "dealer", "board", "line"),
    [
        ("AsAc", PAIR_OF_QUEENS, BOARD, PLAY_WINS),  # both of its own cards count
        ("Ks5d", PAIR_OF_QUEENS, BOARD, PLAY_WINS),  # one of them
        ("5s3c", "6s5d", "AhKdQc9s7h", PLAY_PUSHES),  # none: both hands are the board
    ],
)
def test_best_five_of_seven_cards(document: Document, hole: str, dealer: str, board: str, line: str):
    assert document.one_seat().showdown({1: (hole, 4)}, dealer, board).line(1, "play") == line


@clauses("club/qualifies/10.3", "bgc/qualifies/10c")
@pytest.mark.parametrize(
    ("hole", "line"),
    [("KsKc", PLAY_WINS), ("QdQh", PLAY_PUSHES), ("JsJc", PLAY_LOSES)],
    ids=["higher", "equal", "lower"],
)
def test_hands_are_compared(document: Document, hole: str, line: str):
    assert document.one_seat().showdown({1: (hole, 4)}, PAIR_OF_QUEENS).line(1, "play") == line


@clauses("club/qualifies/11.3", "cc/qualifies/2c", "bgc/qualifies/11c")
def test_equal_hands_push_ante_play_and_blind(document: Document):
    result = document.one_seat().bet(1, trips=5).showdown({1: ("KsQd", 4)}, "KcQh")
    assert result.lines_by(document.clause) == ["1 ante 10.00: push", PLAY_PUSHES, "1 blind 10.00: push"]


@clauses("club/qualifies/11.4", "cc/qualifies/2d", "bgc/qualifies/11d", "sd/13b", "house/dealer-qualifies/blind-pushes")
@pytest.mark.parametrize("made", BELOW_A_STRAIGHT)
def test_blind_pushes_when_the_hand_wins_below_a_straight(document: Document, made: str):
    hole, board = MADE[made]
    result = document.one_seat().showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by(document.clause) == ["1 blind 10.00: push"]
    assert result.line(1, "play") == PLAY_WINS


@clauses("club/qualifies/11.2", "bgc/qualifies/12a", "house/dealer-qualifies/loses")
def test_lower_hand_loses_play_ante_and_blind(document: Document):
    result = document.one_seat().showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS)
    assert result.lines_by(document.clause) == [
        "1 play 40.00: lose, collected 40.00",
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: lose, collected 10.00",
    ]


@clauses("club/qualifies/11.2", "cc/qualifies/2b", "bgc/qualifies/12a", "house/dealer-qualifies/loses")
def test_straight_that_is_beaten_loses_its_blind(document: Document):
    result = document.one_seat().showdown({1: ("9s8d", 4)}, "KcKh", "7c6h5sKdKs")
    assert result.line(1, "blind") == "1 blind 10.00: lose, collected 10.00"


@clauses("club/qualifies/13.2", "cc/qualifies/4b", "bgc/qualifies/13b", "sd/16", "house/dealer-qualifies/blind-wins")
@pytest.mark.parametrize(("made", "odds", "paid"), BLIND)
def test_blind_is_paid_from_a_straight_upward(document: Document, made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = document.one_seat().showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by(document.clause) == [f"1 blind 10.00: win {odds}, paid {paid}"]


@clauses("club/qualifies/12.2", "cc/qualifies/3b", "bgc/qualifies/12b")
@pytest.mark.parametrize(
    ("hole", "trips"), [("9s9d", "1 trips 5.00: win 3:1, paid 15.00"), ("JsTd", "1 trips 5.00: lose, collected 5.00")]
)
def test_losing_hand_is_paid_trips_if_it_is_good_enough(document: Document, hole: str, trips: str):
    result = document.one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, "KsKc")
    assert (result.line(1, "play"), result.line(1, "trips")) == (PLAY_LOSES, trips)


@clauses("club/qualifies/13.1", "cc/qualifies/4a", "bgc/qualifies/13a")
def test_ante_and_play_of_a_winning_hand_are_paid(document: Document):
    result = document.one_seat().showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert (result.line(1, "ante"), result.line(1, "play")) == ("1 ante 10.00: win 1:1, paid 10.00", PLAY_WINS)


@clauses("club/qualifies/13.3", "cc/qualifies/4c", "bgc/qualifies/13c")
@pytest.mark.parametrize(
    ("hole", "trips"), [("9s9d", "1 trips 5.00: win 3:1, paid 15.00"), ("AsAc", "1 trips 5.00: lose, collected 5.00")]
)
def test_winning_hand_is_paid_trips_if_it_is_good_enough(document: Document, hole: str, trips: str):
    result = document.one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, PAIR_OF_QUEENS)
    assert (result.line(1, "play"), result.line(1, "trips")) == (PLAY_WINS, trips)


@clauses("club/qualifies/14.1", "cc/qualifies/5a", "bgc/qualifies/14a")
@pytest.mark.parametrize(
    ("board", "trips"),
    [
        ("9s9d9hAcKd", "1 trips 5.00: win 3:1, paid 15.00"),
        ("9s9dQhAcKd", "1 trips 5.00: lose, collected 5.00"),
    ],
)
def test_hand_that_pushes_is_paid_trips_if_it_is_good_enough(document: Document, board: str, trips: str):
    result = document.one_seat().bet(1, trips=5).showdown({1: ("5s3c", 4)}, "6s5d", board)
    assert (result.line(1, "play"), result.line(1, "trips")) == (PLAY_PUSHES, trips)


@clauses("club/qualifies/15", "cc/qualifies/6", "bgc/qualifies/15")
def test_ante_and_play_win_1_to_1(document: Document):
    result = document.one_seat().showdown({1: ("AsAc", 3)}, PAIR_OF_QUEENS)
    assert result.lines_by(document.clause) == [
        "1 ante 10.00: win 1:1, paid 10.00",
        "1 play 30.00: win 1:1, paid 30.00",
    ]


@clauses("club/qualifies/16", "bgc/qualifies/16")
def test_blind_and_trips_are_paid_by_the_pay_table(document: Document):
    hole, board = MADE["flush"]
    result = document.one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "blind") == "1 blind 10.00: win 3:2, paid 15.00"
    assert result.line(1, "trips") == "1 trips 5.00: win 7:1, paid 35.00"


@clauses("club/qualifies/18", "cc/qualifies/8", "bgc/qualifies/18", "house/notes/trips-always-wins")
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
def test_trips_is_paid_whatever_happens_to_the_hand(
    document: Document, hole: str, times: int, dealer: str, board: str, ante: str
):
    result = document.one_seat().bet(1, trips=5).showdown({1: (hole, times)}, dealer, board)
    assert result.lines_by(document.clause) == ["1 trips 5.00: win 3:1, paid 15.00"]
    assert result.line(1, "ante") == ante


@clauses("club/qualifies/19", "cc/qualifies/9", "bgc/qualifies/19")
@pytest.mark.parametrize(
    ("wager", "paid", "net"),
    [("0.01", "0.01", "-0.01"), ("7.50", "7.50", "-7.50"), ("2000000.37", "50.00", "-50.00")],
)
def test_player_dealer_banks_with_a_wager_of_any_size(document: Document, wager: str, paid: str, net: str):
    result = document.one_seat(wager=wager).showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert result["bank"] == {"wager": wager, "paid": paid, "collected": "0.00", "net": net}
    assert {line["from"] for line in result["lines"]} == {"bank"}


@clauses("club/qualifies/19", "cc/qualifies/9")
def test_house_never_banks_and_the_player_dealer_never_bets(document: Document):
    assert HoldEm.at(document.ruleset).document_refused() == ("bad_document", document.clause)
    assert document.table().bet(7, ante=10).last_refused() == ("bad_choice", document.clause)
    assert document.table().bet(7, "b-1", "backline", ante=10).last_refused() == ("bad_choice", document.clause)
    assert document.one_seat().bet(1, "seat-7", "backline", ante=10).last_refused() == ("bad_choice", document.clause)


@clauses(
    "club/pay-table/blind", "cc/blind-table", "bgc/pay-tables/blind", "sd/16/blind-table", "house/decision/blind-table"
)
@pytest.mark.parametrize(("made", "odds", "paid"), BLIND)
def test_blind_table_pays(document: Document, made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = document.one_seat().showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "blind") == f"1 blind 10.00: win {odds}, paid {paid}"
    assert document.rules.paytables["BLIND"].clause == document.clause


@clauses("club/decision/seats", "cc/table/seats")
def test_seven_seats(document: Document):
    assert document.table(banker=1).bet(7, ante=10, blind=10).close_bets().status == "open"
    for seat in (0, 8):
        assert document.table().bet(seat, ante=10).last_refused() == ("bad_document", document.clause)
    assert document.table(banker=8).document_refused() == ("bad_document", document.clause)
    assert document.table(players={8: "p-8"}).document_refused() == ("bad_document", document.clause)


@clauses("club/decision/alternating-decks", "cc/deck/2c")
def test_decks_of_two_colours_alternate(document: Document):
    one, two = (3, "a", "settled"), (4, "b", "void")
    decks = [after_rounds(document.ruleset, *played).deck for played in ([], [one], [one, two])]
    assert decks == ["blue", "red", "blue"]


@clauses(
    "club/decision/best-five",
    "bgc/decision/best-five",
    showdown=("club/round/7", "bgc/round/7"),
    best_five=("club/qualifies/10.2", "bgc/qualifies/10b"),
)
def test_clauses_that_differ_are_marked(document: Document, showdown: str, best_five: str):
    result = document.one_seat().showdown({1: ("5s3c", 4)}, "6s5d", "AhKdQc9s7h")  # neither uses a card of its own
    assert result.line(1, "play") == PLAY_PUSHES
    assert document.rules.clauses[showdown].contradicts == (best_five,)


@clauses("club/decision/high-card", "bgc/decision/high-card")
def test_hands_without_a_pair_are_compared(document: Document):
    board = "9sKd4c7h2d"
    assert document.one_seat().showdown({1: ("AcQd", 4)}, "AdJs", board).line(1, "play") == PLAY_WINS
    assert document.one_seat().showdown({1: ("AcJd", 4)}, "AdQs", board).line(1, "play") == PLAY_LOSES
    assert document.one_seat().showdown({1: ("AcQd", 4)}, "2s3h", board).line(1, "play") == PLAY_LOSES


@clauses(
    "club/decision/board-pair",
    "cc/decision/board-pair",
    "bgc/decision/board-pair",
    "sd/decision/board-pair",
    "house/decision/board-pair",
)
def test_pair_on_the_board_qualifies_the_dealer(document: Document):
    result = document.one_seat().showdown({1: ("AsAc", 4)}, KING_HIGH, "KdKc7h4s2d")
    assert result["dealer"]["qualifies"] is True
    assert result.line(1, "ante") == "1 ante 10.00: win 1:1, paid 10.00"


@clauses("club/decision/default-limits", "bgc/decision/default-limits", "house/decision/default-limits")
@pytest.mark.parametrize(("ante", "trips"), [(5, 1), (500, 50)])
def test_default_limits_take(document: Document, ante: int, trips: int):
    assert document.table().bet(1, ante=ante, blind=ante, trips=trips).close_bets().status == "open"


@clauses("club/decision/default-limits", "bgc/decision/default-limits", limits=("club/betting/1", "bgc/betting/1"))
@pytest.mark.parametrize(("ante", "trips"), [("4.50", "1.00"), ("500.50", "1.00"), ("5.00", "0.50"), ("5.00", "50.50")])
def test_default_limits_refuse(document: Document, ante: str, trips: str, limits: str):
    play = document.table(chip="0.50").bet(1, ante=ante, blind=ante, trips=trips).close_bets()
    assert play.last_refused() == ("limit", limits)


@clauses("club/decision/default-limits", "bgc/decision/default-limits", limits=("club/betting/1", "bgc/betting/1"))
def test_default_limits_give_way_to_the_tables_own(document: Document, limits: str):
    own = document.table(limits={"ante": ["1.00", "600.00"], "trips": ["60.00", "70.00"]})
    assert own.bet(1, ante=1, blind=1, trips=60).close_bets().status == "open"
    assert own.bet(1, ante=600, blind=600, trips=70).close_bets().status == "open"
    assert own.bet(1, ante=1, blind=1, trips=59).close_bets().last_refused() == ("limit", limits)


@clauses("club/decision/order-of-wagers", "bgc/decision/order-of-wagers")
def test_play_is_settled_first_when_lost_or_folded(document: Document):
    play = document.table()
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


@clauses("club/decision/fee", "bgc/decision/fee")
def test_fee_is_none_or_by_a_supplied_schedule(document: Document):
    assert document.one_seat().close_bets().result()["fee"] is None
    assert document.one_seat(schedule=None).close_bets().result()["fee"] is None
    fee = document.one_seat(schedule=FEES).close_bets().result()["fee"]
    assert fee == {"action": "20.00", "amount": "1.00", "schedule": "supplied"}


@clauses("club/decision/fee", "bgc/decision/fee")
@pytest.mark.parametrize("tiers", RIGHT_TIERS)
def test_schedule_has_one_to_five_tiers(document: Document, tiers: Tiers):
    schedule = {"limits": ["5.00", "500.00"], "tiers": tiers}
    assert document.one_seat(schedule=schedule).close_bets().result()["fee"]["amount"] == "1.00"


@clauses("club/decision/fee", "bgc/decision/fee")
@pytest.mark.parametrize("tiers", WRONG_TIERS)
def test_refuses_a_schedule_that_fails_the_checks(document: Document, tiers: Tiers):
    schedule = {"limits": ["5.00", "500.00"], "tiers": tiers}
    assert document.table(schedule=schedule).document_refused() == ("bad_terms", document.clause)


@clauses("club/decision/fee", "bgc/decision/fee")
def test_schedule_is_no_printed_option_and_no_percentage(document: Document):
    assert document.table(schedule=1).document_refused() == ("bad_terms", document.clause)
    percentage = {"limits": ["5.00", "500.00"], "tiers": [[None, "5%"]]}
    assert document.table(schedule=percentage).document_refused() == ("bad_document", None)


@clauses("club/decision/total-action", "bgc/decision/total-action")
def test_total_action_is_every_wager_before_the_deal_and_none_after(document: Document):
    play = document.one_seat(schedule=FEES).bet(1, trips=5).bet(1, "b-1", "backline", ante=20, blind=20, trips=6)
    dealt = play.deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).raise_(1, 4, "b-1")
    assert dealt.reveal_all().settle().result()["fee"] == {"action": "71.00", "amount": "1.00", "schedule": "supplied"}


@clauses("club/decision/fee-bounds", "bgc/decision/fee-bounds")
@pytest.mark.parametrize(("trips", "action", "fee"), [("1.00", "100.00", "1.00"), ("1.01", "100.01", "2.00")])
def test_tier_reaches_up_to_and_including_its_bound(document: Document, trips: str, action: str, fee: str):
    play = document.table(schedule=FEES, chip="0.01").bet(1, ante="49.50", blind="49.50", trips=trips).close_bets()
    assert play.result()["fee"] == {"action": action, "amount": fee, "schedule": "supplied"}


@clauses("club/decision/backline", "cc/dealing/4", "bgc/decision/backline")
def test_backline_wagers_ride_on_the_seats_hand(document: Document):
    play = (
        document.one_seat()
        .bet(1, "b-2", "backline", ante=5, blind=5, trips=2)
        .bet(1, "b-1", "backline", blind=6, ante=6)
    )
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
    assert document.rules.clause("backline") == document.clause


@clauses(
    "club/decision/follow",
    "cc/decision/follow",
    "bgc/decision/follow",
    on_two_cards=("club/round/1", "cc/dealing/9", "bgc/round/1"),
)
def test_follower_plays_the_same_multiple_or_gives_up(document: Document, on_two_cards: str):
    play = document.one_seat().bet(1, "b-1", "backline", ante=5, blind=5, trips=2).deal_out({1: "9s9d"}, PAIR_OF_QUEENS)
    assert play.raise_(1, 4, "b-1").last_refused() == ("out_of_turn", document.clause)
    raised = play.raise_(1, 4)
    assert raised.reveal("flop").last_refused() == ("out_of_turn", on_two_cards)
    assert raised.raise_(1, 3, "b-1").last_refused() == ("bad_choice", document.clause)
    assert raised.decide(1, "check", bettor="b-1").last_refused() == ("bad_choice", document.clause)
    result = raised.fold(1, "b-1").reveal_all().settle().result()
    assert result.lines_by(document.clause) == [
        "1/b-1 ante 5.00: lose, collected 5.00",
        "1/b-1 blind 5.00: lose, collected 5.00",
    ]
    assert result.line(1, "trips", bettor="b-1") == "1/b-1 trips 2.00: win 3:1, paid 6.00"


@clauses("club/decision/follow", "cc/decision/follow", "bgc/decision/follow")
@pytest.mark.parametrize("times", [2, 1])
def test_follower_acts_on_every_street_and_after_the_seat(document: Document, times: int):
    play = document.one_seat().bet(1, "b-1", "backline", ante=5, blind=5).deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    play = play.check(1).reveal("flop")
    if times == 1:
        play = play.check(1).reveal("turn_river")
    assert play.raise_(1, times, "b-1").last_refused() == ("out_of_turn", document.clause)
    followed = play.raise_(1, times).raise_(1, times, "b-1")
    assert followed.raise_(1, times, "b-1").last_refused() == ("out_of_turn", document.clause)
    shown = followed.reveal("dealer") if times == 1 else followed.reveal("turn_river").reveal("dealer")
    paid = f"{5 * times}.00"
    assert shown.settle().result().line(1, "play", bettor="b-1") == f"1/b-1 play {paid}: win 1:1, paid {paid}"


@clauses("club/decision/follow", "cc/decision/follow", "bgc/decision/follow")
def test_followers_fold_with_the_seat(document: Document):
    play = document.one_seat().bet(1, "b-1", "backline", ante=5, blind=5)
    assert play.showdown({1: ("AsAc", 0)}, PAIR_OF_QUEENS).lines == [
        "1 ante 10.00: lose, collected 10.00",
        "1/b-1 ante 5.00: lose, collected 5.00",
        "1 blind 10.00: lose, collected 10.00",
        "1/b-1 blind 5.00: lose, collected 5.00",
    ]


@clauses("club/decision/chip", "cc/decision/chip", "bgc/decision/chip", "house/decision/chip")
def test_wagers_are_whole_multiples_of_the_chip(document: Document):
    assert document.table().bet(1, ante="10.50", blind="10.50").close_bets().last_refused() == (
        "limit",
        document.clause,
    )
    assert document.one_seat().bet(1, trips="1.50").close_bets().last_refused() == ("limit", document.clause)
    assert document.one_seat(chip="4.00").close_bets().last_refused() == ("limit", document.clause)
    assert document.one_seat(chip="5.00").close_bets().status == "open"
    assert document.table(chip="0.00").document_refused() == ("bad_terms", document.clause)


@clauses(
    "club/decision/rounding",
    "cc/decision/rounding",
    "bgc/decision/rounding",
    "sd/decision/rounding",
    "house/decision/rounding",
)
def test_fraction_of_a_cent_is_dropped(document: Document):
    hole, board = MADE["flush"]
    result = document.table(chip="0.01").bet(1, ante="5.01", blind="5.01").showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "blind") == "1 blind 5.01: win 3:2, paid 7.51"
    assert document.rules.clause("rounding") == document.clause


@clauses("club/decision/wager-by-wager", "bgc/decision/wager-by-wager", limits=("club/betting/1", "bgc/betting/1"))
def test_limits_hold_for_each_wager_by_itself(document: Document, limits: str):
    play = (
        document.table().bet(1, ante=500, blind=500, trips=50).bet(1, "b-1", "backline", ante=500, blind=500, trips=50)
    )
    dealt = play.deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).raise_(1, 4, "b-1").reveal_all().settle().result()
    assert dealt.line(1, "play") == "1 play 2000.00: win 1:1, paid 2000.00"
    refused = document.one_seat().bet(1, "b-1", "backline", ante=4, blind=4).close_bets()
    assert refused.last_refused() == ("limit", limits)


@clauses(
    "club/decision/wager-by-wager",
    "cc/decision/wager-by-wager",
    "bgc/decision/wager-by-wager",
    limits=("club/betting/1", "cc/dealing/limits", "bgc/betting/1"),
)
def test_blind_is_held_to_the_antes_limits(document: Document, limits: str):
    play = document.table().bet(1, blind=501, ante=501).close_bets()
    assert "blind" in play.adjudicated()["error"]["detail"]
    own = document.table(limits={"blind": ["5.00", "10.00"]})
    assert own.document_refused() == ("bad_terms", limits)


@clauses("club/decision/void", "bgc/decision/void")
def test_void_gives_everything_back_and_keeps_the_fee(document: Document):
    shown = document.one_seat(schedule=FEES).deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all()
    result = shown.void("irregularity", "A card was found on the floor.").result()
    assert (result["status"], result["lines"]) == ("void", [])
    assert result["bank"] == {"wager": "100000.00", "paid": "0.00", "collected": "0.00", "net": "0.00"}
    assert result["fee"] == {"action": "20.00", "amount": "1.00", "schedule": "supplied"}


@clauses("club/decision/void", "cc/decision/void")
def test_void_round_is_not_one_of_the_player_dealers_two(document: Document):
    session = after_rounds(document.ruleset, (3, "a", "settled"), (3, "a", "void"))
    assert begin_round(session, "r-3", (3, "a")) == [RoundBegun("r-3", 3, "a", turn=2, deck="blue")]


@clauses(
    "club/decision/void",
    "cc/decision/void",
    "bgc/decision/void",
    no_more_bets=("club/betting/2", "cc/dealing/5a", "bgc/betting/2"),
    settlement=("club/decision/order-of-wagers", "cc/dealing/19", "bgc/decision/order-of-wagers"),
)
def test_void_ends_the_round_and_never_follows_settlement(document: Document, no_more_bets: str, settlement: str):
    assert document.one_seat().void("misdeal").status == "void"
    assert document.one_seat().void("misdeal").close_bets().last_refused() == ("out_of_turn", document.clause)
    assert document.one_seat().void("misdeal").bet(1, trips=5).last_refused() == ("out_of_turn", no_more_bets)
    settled = document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all().settle()
    assert settled.void("misdeal").last_refused() == ("out_of_turn", settlement)


@clauses("club/decision/coverage", "bgc/decision/coverage")
def test_one_pool_is_used_up_by_paying_and_by_collecting(document: Document):
    result = four_seats(document.table(wager=1000))
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


@clauses("club/decision/coverage", "bgc/decision/coverage", coverage=("club/betting/4", "bgc/betting/4"))
def test_separate_limits_of_paying_and_collecting_where_the_table_names_them(document: Document, coverage: str):
    result = four_seats(document.table(wager=1000, coverage="separate-limits"))
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
    assert document.table(coverage="none").document_refused() == ("bad_terms", coverage)


@clauses("club/decision/coverage", "cc/decision/coverage", "bgc/decision/coverage")
def test_push_has_no_action_once_both_limits_are_used_up(document: Document):
    play = document.table(wager=20, coverage="separate-limits")
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


@clauses("club/decision/one-pass", "bgc/decision/one-pass")
def test_folded_wagers_wait_for_their_turn(document: Document):
    play = document.one_seat(wager=20).bet(2, ante=10, blind=10)
    result = play.showdown({1: ("JsTd", 1), 2: ("AsTc", 0)}, PAIR_OF_QUEENS)
    assert result.lines == [
        "1 play 10.00: lose, collected 10.00",
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: no_action, short 10.00",
        "2 ante 10.00: no_action, short 10.00",
        "2 blind 10.00: no_action, short 10.00",
    ]


@clauses(
    "club/decision/backline-wagers",
    "cc/decision/backline-wagers",
    "bgc/decision/backline-wagers",
    ante_and_blind=("club/betting/3", "cc/dealing/3", "bgc/betting/3"),
)
def test_backline_bettor_makes_an_ante_and_a_blind_behind_the_seated_players(document: Document, ante_and_blind: str):
    refused = ("missing_wager", ante_and_blind)
    assert document.one_seat().bet(1, "b-1", "backline", ante=10).close_bets().last_refused() == refused
    assert document.one_seat().bet(1, "b-1", "backline", ante=10, blind=11).close_bets().last_refused() == refused
    assert document.one_seat().bet(1, "b-1", "backline", trips=5).close_bets().last_refused() == refused
    assert document.one_seat().bet(2, "b-1", "backline", ante=10, blind=10).close_bets().last_refused() == refused
    assert document.one_seat().bet(1, "b-1", "backline", ante=20, blind=20).close_bets().status == "open"


@clauses(
    "club/decision/acting-order",
    "cc/decision/acting-order",
    "bgc/decision/acting-order",
    "sd/decision/acting-order",
    "house/decision/acting-order",
    on_two_cards=("club/round/1", "cc/dealing/9", "bgc/round/1", "sd/7", "house/how-to-play/4"),
)
@pytest.mark.parametrize("order", [(2, 5), (5, 2)])
def test_seats_act_in_any_order_and_the_next_street_waits_for_all(
    document: Document, order: tuple[int, int], on_two_cards: str
):
    play = document.table().bet(2, ante=10, blind=10).bet(5, ante=10, blind=10)
    dealt = play.deal_out({2: "AsAc", 5: "JsTd"}, PAIR_OF_QUEENS)
    assert dealt.check(order[0]).reveal("flop").last_refused() == ("out_of_turn", on_two_cards)
    assert dealt.check(*order).reveal("flop").status == "open"


@clauses(
    "club/decision/folded-hands",
    "bgc/decision/folded-hands",
    "house/decision/folded-hands",
    unseen_fold=("club/decision/unseen-fold", "bgc/decision/unseen-fold", "house/decision/unseen-fold"),
)
@pytest.mark.parametrize("hole", ["????", "As??"])
def test_hand_with_trips_is_turned_over_before_it_is_settled(document: Document, hole: str, unseen_fold: str):
    play = document.one_seat().bet(1, trips=5).deal_out({1: hole}, PAIR_OF_QUEENS, "9s9d9h9cKd")
    folded = play.fold_at_the_end(1)
    assert folded.settle().last_refused() == ("out_of_turn", document.clause)
    seen = folded.reveal(1, "AsAc").settle().result()
    assert seen.line(1, "trips") == "1 trips 5.00: win 30:1, paid 150.00"
    lost = folded.settle().result_under(1).lines_by(unseen_fold)
    assert lost == ["1 trips 5.00: lose, collected 5.00"]


@clauses("club/decision/folded-hands", "cc/decision/folded-hands", "bgc/decision/folded-hands")
def test_backline_bettors_trips_counts_too(document: Document):
    play = document.one_seat().bet(1, "b-1", "backline", ante=5, blind=5, trips=2)
    folded = play.deal_out({1: "????"}, PAIR_OF_QUEENS).fold_at_the_end(1)
    assert folded.settle().last_refused() == ("out_of_turn", document.clause)
    for hole, line in (("9s9d", "win 3:1, paid 6.00"), ("JsTd", "lose, collected 2.00")):
        seen = folded.reveal(1, hole).settle().result()
        assert seen.line(1, "trips", bettor="b-1") == f"1/b-1 trips 2.00: {line}"


@clauses(
    "club/decision/folded-hands", "cc/decision/folded-hands", "bgc/decision/folded-hands", "house/decision/folded-hands"
)
def test_hand_without_trips_may_stay_unseen(document: Document):
    play = document.one_seat().bet(2, ante=10, blind=10, trips=5)
    folded = play.deal_out({1: "????", 2: "JsTd"}, PAIR_OF_QUEENS).fold_at_the_end(1, 2)
    assert folded.settle().result().lines_at(1) == [
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: lose, collected 10.00",
    ]


@clauses(
    "club/decision/withdraw",
    "cc/decision/withdraw",
    "bgc/decision/withdraw",
    "house/decision/withdraw",
    ante_and_blind=("club/betting/3", "cc/dealing/3", "bgc/betting/3", "house/how-to-play/1"),
)
def test_wager_is_withdrawn_whole_or_in_part(document: Document, ante_and_blind: str):
    play = document.one_seat().bet(1, trips=5)
    for taken, action in (
        (play.withdraw(1, "trips", 2), "23.00"),
        (play.withdraw(1, "trips"), "20.00"),
        (play.withdraw(1, "trips", 5), "20.00"),
        (play.withdraw(1, "trips").bet(1, trips=7), "27.00"),
        (play.withdraw(1, "ante", 4).withdraw(1, "blind", 4), "17.00"),
    ):
        assert taken.close_bets().result()["exposure"]["action"] == action
    assert play.withdraw(1, "ante", 4).close_bets().last_refused() == ("missing_wager", ante_and_blind)


@clauses(
    "club/decision/withdraw",
    "cc/decision/withdraw",
    "sd/decision/withdraw",
    "house/decision/withdraw",
    seats=("club/decision/seats", "cc/table/seats", "sd/decision/seats", "house/decision/seats"),
)
def test_no_withdrawal_of_nothing_or_too_much(document: Document, seats: str):
    play = document.one_seat().bet(1, trips=5)
    for wrong in (
        play.withdraw(1, "trips", 6),
        play.withdraw(1, "trips").withdraw(1, "trips"),
        play.withdraw(1, "trips", 3).withdraw(1, "trips", 3),
        play.withdraw(2, "trips"),
        play.withdraw(1, "play"),
        play.withdraw(1, "trips", bettor="b-1"),
    ):
        assert wrong.last_refused() == ("bad_choice", document.clause)
    assert play.withdraw(8, "trips").last_refused() == ("bad_document", seats)


@clauses(
    "club/decision/withdraw",
    "cc/decision/withdraw",
    "bgc/decision/withdraw",
    ante_and_blind=("club/betting/3", "cc/dealing/3", "bgc/betting/3"),
)
def test_bettor_who_withdraws_everything_is_forgotten(document: Document, ante_and_blind: str):
    play = document.one_seat().bet(1, "b-1", "backline", ante=5, blind=5)
    gone = play.withdraw(1, "ante", bettor="b-1").withdraw(1, "blind", bettor="b-1")
    assert gone.showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).lines == [
        "1 ante 10.00: win 1:1, paid 10.00",
        "1 play 40.00: win 1:1, paid 40.00",
        "1 blind 10.00: push",
    ]
    nobody = document.one_seat().withdraw(1, "ante").withdraw(1, "blind")
    assert nobody.close_bets().last_refused() == ("missing_wager", ante_and_blind)


@clauses(
    "club/decision/liability",
    "cc/decision/liability",
    "bgc/decision/liability",
    "sd/decision/liability",
    "house/decision/liability",
)
def test_liability_is_five_antes_and_the_best_odds_of_the_rest(document: Document):
    closed = document.one_seat().bet(1, trips=5).close_bets()
    assert closed.result()["exposure"] == {"action": "25.00", "liability": "5300.00"}  # 50 + 5000 + 250


@clauses(
    "club/decision/in-force",
    "cc/decision/in-force",
    "bgc/decision/in-force",
    "sd/decision/in-force",
    "house/decision/in-force",
)
def test_in_force_from_the_day_on_which_it_was_adopted(document: Document):
    assert in_force(document.ruleset, datetime.date(2026, 11, 17)).version == 1
    assert in_force(document.ruleset, datetime.date(2026, 11, 18)) is document.rules
    assert load(document.ruleset, 1).in_force.until == datetime.date(2026, 11, 17)


@clauses("cc/object/cards", "house/intro/cards", dealing_order=("cc/dealing/6", "house/how-to-play/3"))
def test_two_each_at_once_and_five_on_the_board(document: Document, dealing_order: str):
    dealt = document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    for place in (1, "dealer", "board"):
        assert dealt.deal(place, "3c").last_refused() == ("out_of_turn", dealing_order)
    assert dealt.check(1).status == "open"


@clauses("cc/object/trips", "house/intro/trips")
def test_trips_is_optional_and_wins_with_three_of_a_kind(document: Document):
    hole, board = MADE["three of a kind"]
    assert "trips" not in document.one_seat().showdown({1: (hole, 4)}, DEUCES, board).spots(1)
    result = document.one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == "1 trips 5.00: win 3:1, paid 15.00"


@clauses("cc/deck/1", "bgc/deck/2")
@pytest.mark.parametrize("card", ["1s", "Joker", "JJ", "Ax"])
def test_cards_of_a_standard_deck_and_no_joker(document: Document, card: str):
    strange = document.one_seat().close_bets().do("deal", to=1, cards=["As", card])
    assert strange.last_refused() == ("bad_document", None)
    assert document.one_seat().close_bets().deal(1, "As2c").status == "open"


@clauses("cc/deck/2", "bgc/deck/3")
def test_one_deck_has_each_card_once(document: Document):
    play = document.one_seat().close_bets().deal(1, "AsKd")
    assert play.deal("dealer", "QcAs").last_refused() == ("duplicate_card", document.clause)
    assert play.deal("dealer", "QcQc").last_refused() == ("duplicate_card", document.clause)
    assert document.table(decks=2).document_refused() == ("bad_terms", document.clause)


@clauses("cc/dealing/5", "bgc/dealing/1a", no_more_bets=("cc/dealing/5a", "bgc/betting/2"))
def test_no_card_before_the_call(document: Document, no_more_bets: str):
    assert document.one_seat().deal(1, "AsAd").last_refused() == ("out_of_turn", no_more_bets)
    assert document.one_seat().close_bets().deal(1, "AsAd").status == "open"


@clauses("cc/dealing/5a", "bgc/betting/2")
def test_no_bet_after_no_more_bets_and_no_card_before(document: Document):
    refused = ("out_of_turn", document.clause)
    closed = document.one_seat().close_bets()
    assert closed.bet(1, trips=5).last_refused() == refused
    assert closed.bet(2, ante=10).last_refused() == refused
    assert closed.withdraw(1, "ante").last_refused() == refused
    assert closed.close_bets().last_refused() == refused
    assert document.one_seat().deal(1, "AsAc").last_refused() == refused


@clauses("cc/dealing/7a", "bgc/dealing/3", dealing_mode=("cc/dealing/7", "bgc/decision/dealing"))
def test_from_a_shoe_one_card_each_twice_and_then_five_to_the_board(document: Document, dealing_mode: str):
    play = document.one_seat(dealing="shoe").close_bets()
    assert play.deal(1, "AsAd").last_refused() == ("wrong_cards", dealing_mode)
    play = play.deal(1, "As").deal("dealer", "Kd").deal(1, "Ad").deal("dealer", "Kc")
    assert play.deal("board", "Qh9c4s3d").last_refused() == ("wrong_cards", dealing_mode)
    assert play.deal("board", "Qh9c4s3d2h").check(1).status == "open"


@clauses("cc/dealing/7b", "bgc/dealing/4", dealing_mode=("cc/dealing/7", "bgc/decision/dealing"))
def test_from_a_shuffler_two_cards_at_once_and_then_five_to_the_board(document: Document, dealing_mode: str):
    for play in (document.one_seat().close_bets(), document.one_seat(dealing="shuffler").close_bets()):
        assert play.deal(1, "As").last_refused() == ("wrong_cards", dealing_mode)
        play = play.deal(1, "AsAd").deal("dealer", "KdKc")
        assert play.deal("board", "Qh9c4s3d").last_refused() == ("wrong_cards", dealing_mode)
        assert play.deal("board", "Qh9c4s3d2h").check(1).status == "open"


@clauses("cc/decision/acting-order", "bgc/decision/acting-order", on_two_cards=("cc/dealing/9", "bgc/round/1"))
def test_nobody_acts_before_all_cards_are_dealt_or_without_a_wager(document: Document, on_two_cards: str):
    early = document.one_seat().close_bets().deal(1, "AsAc").deal("dealer", "QsQc")
    for action in (early.check(1), early.reveal("flop")):
        assert action.last_refused() == ("out_of_turn", on_two_cards)
    dealt = early.deal("board", BOARD)
    assert dealt.check(1).status == "open"
    for stranger in (dealt.check(2), dealt.raise_(1, 4, "b-9")):
        assert stranger.last_refused() == ("out_of_turn", on_two_cards)


@clauses("bgc/pay-tables/UTH-01", "sd/17/UTH-01")
@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-01"])
def test_trips_table_uth_01_pays(document: Document, made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = document.one_seat(trips="UTH-01").bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert document.rules.paytables["UTH-01"].clause == document.clause


@clauses("bgc/pay-tables/UTH-02", "sd/17/UTH-02")
@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-02"])
def test_trips_table_uth_02_pays(document: Document, made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = document.one_seat(trips="UTH-02").bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert document.rules.paytables["UTH-02"].clause == document.clause


@clauses("bgc/pay-tables/UTH-03", "sd/17/UTH-03")
@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-03"])
def test_trips_table_uth_03_pays(document: Document, made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = document.one_seat(trips="UTH-03").bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert document.rules.paytables["UTH-03"].clause == document.clause


@clauses("bgc/pay-tables/UTH-04", "sd/17/UTH-04")
@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-04"])
def test_trips_table_uth_04_pays(document: Document, made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = document.one_seat(trips="UTH-04").bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert document.rules.paytables["UTH-04"].clause == document.clause


@clauses("sd/15", "house/dealer-qualifies/beats-dealer")
def test_play_and_ante_win_1_to_1(document: Document):
    result = document.one_seat().showdown({1: ("AsAc", 3)}, PAIR_OF_QUEENS)
    assert result.lines_by(document.clause) == [
        "1 play 30.00: win 1:1, paid 30.00",
        "1 ante 10.00: win 1:1, paid 10.00",
    ]


@clauses("sd/decision/seats", "house/decision/seats")
def test_seven_seats_at_a_house_banked_table(document: Document):
    assert document.table().bet(7, ante=10, blind=10).close_bets().status == "open"
    for seat in (0, 8):
        assert document.table().bet(seat, ante=10).last_refused() == ("bad_document", document.clause)
    assert document.table(players={8: "p-8"}).document_refused() == ("bad_document", document.clause)


@clauses(
    "sd/decision/void",
    "house/decision/void",
    no_more_bets=("sd/decision/no-more-bets", "house/decision/no-more-bets"),
    settlement=("sd/6", "house/decision/order-of-wagers"),
)
def test_void_without_a_player_dealer_ends_the_round_and_never_follows_settlement(
    document: Document, no_more_bets: str, settlement: str
):
    assert document.one_seat().void("misdeal").close_bets().last_refused() == ("out_of_turn", document.clause)
    assert document.one_seat().void("misdeal").bet(1, trips=5).last_refused() == ("out_of_turn", no_more_bets)
    settled = document.one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all().settle()
    assert settled.void("misdeal").last_refused() == ("out_of_turn", settlement)


@clauses("sd/decision/acting-order", "house/decision/acting-order", on_two_cards=("sd/7", "house/how-to-play/4"))
def test_nobody_acts_before_the_dealers_cards_are_dealt_or_without_a_wager(document: Document, on_two_cards: str):
    early = document.one_seat().close_bets().deal("board", BOARD).deal(1, "AsAc")
    for action in (early.check(1), early.reveal("flop")):
        assert action.last_refused() == ("out_of_turn", on_two_cards)
    dealt = early.deal("dealer", "QsQc")
    assert dealt.check(1).status == "open"
    for stranger in (dealt.check(2), dealt.raise_(1, 4, "b-9")):
        assert stranger.last_refused() == ("out_of_turn", on_two_cards)

"""uth-sd, South Dakota's Ultimate Texas Hold'em with its progressive: a test for each of its clauses."""

from typing import Any

import pytest

from domain.errors import OverLimit
from domain.rules.rulesets import load
from tests.rules.hold_em import (
    BELOW_THREE_OF_A_KIND,
    BOARD,
    DEUCES,
    KING_HIGH,
    MADE,
    PAIR_OF_QUEENS,
    PLAY_LOSES,
    PLAY_PUSHES,
    PLAY_WINS,
    TRIPS,
    Hands,
    HoldEm,
)
from tests.rules.rounds import Dollars

RULES = load("uth-sd")
METER = {"seed": "1000.00", "shown": "5000.00", "reserve": "200.00", "percent": 25, "reserve_percent": 5}
BEFORE = {"shown": "5000.00", "reserve": "200.00"}


def table(trips: str = "UTH-01", **others: Any) -> HoldEm:
    return HoldEm.at("uth-sd", trips=trips, **others)


def one_seat(**others: Any) -> HoldEm:
    return table(**others).bet(1, ante=10, blind=10)


def jackpot(progressive: str = "UTHP-01", **others: Any) -> HoldEm:
    return table(progressive=progressive, meter=METER, **others)


def by_hand() -> HoldEm:
    """Two cards each, dealt by hand, and a check."""
    play = one_seat(dealing="hand").close_bets()
    return play.deal(1, "As").deal("dealer", "Qs").deal(1, "Ac").deal("dealer", "Qc").check(1)


# ---- what the document says


def test_sd_1_deck__has_each_card_once_the_burned_ones_included():
    play = one_seat().close_bets().deal("board", BOARD)
    assert play.deal(1, "AsKd").last_refused() == ("duplicate_card", "sd/1/deck")
    assert play.deal(1, "AsAs").last_refused() == ("duplicate_card", "sd/1/deck")
    assert by_hand().deal("burn", "As").last_refused() == ("duplicate_card", "sd/1/deck")
    assert by_hand().deal("burn", "Kd").deal("board", "Kd9c7h").last_refused() == ("duplicate_card", "sd/1/deck")
    assert table(decks=2).document_refused() == ("bad_terms", "sd/1/deck")


def test_sd_1_bet_limit__thousand_with_the_largest_play_wager():
    two = table(players={1: "p-1", 2: "p-1"}).bet(1, ante=100, blind=100).bet(2, ante=66, blind=66)
    assert two.close_bets().status == "open"  # 6 x 100 + 6 x 66 = 996
    assert two.bet(2, ante=1, blind=1).close_bets().last_refused() == ("limit", "sd/1/bet-limit")


@pytest.mark.parametrize("spots", [{"trips": 5}, {"ante": 10, "blind": 10}, {"ante": 10, "blind": 10, "trips": 5}])
def test_sd_2__takes_trips_or_ante_and_blind_or_all(spots: dict[str, Any]):
    assert table().bet(1, **spots).close_bets().status == "open"


@pytest.mark.parametrize(
    "spots",
    [{"ante": 10}, {"blind": 10}, {"ante": 10, "blind": 15}, {"ante": 10, "trips": 5}, {"blind": 9, "trips": 5}, {}],
)
def test_sd_decision_equal_blind__refuses_ante_and_blind_that_are_not_equal(spots: dict[str, Any]):
    assert table().bet(1, **spots).close_bets().last_refused() == ("missing_wager", "sd/decision/equal-blind")
    assert table().close_bets().last_refused() == ("missing_wager", "sd/decision/equal-blind")


@pytest.mark.parametrize(
    ("hole", "line"),
    [("9s9d", "3 trips 10.00: win 3:1, paid 30.00"), ("AdKs", "3 trips 10.00: lose, collected 10.00")],
)
def test_sd_decision_trips_alone__is_paid_on_the_final_hand(hole: str, line: str):
    play = one_seat().bet(3, trips=10)
    assert play.showdown({1: ("JsTd", 0), 3: (hole, None)}, PAIR_OF_QUEENS).lines_at(3) == [line]


def test_sd_decision_trips_alone__has_no_decisions():
    dealt = one_seat().bet(3, trips=10).deal_out({1: "AsAc", 3: "9s9d"}, PAIR_OF_QUEENS)
    for decision in (dealt.check(3), dealt.raise_(3, 4)):
        assert decision.last_refused() == ("out_of_turn", "sd/7")
    assert dealt.check(1).reveal("flop").status == "open"
    assert RULES.clause("trips_alone") == "sd/decision/trips-alone"


def test_sd_2_progressive__is_optional():
    play = jackpot().bet(1, ante=10, blind=10)
    assert play.close_bets().status == "open"
    assert play.bet(1, progressive=1).close_bets().status == "open"


def test_sd_2_purpose__trips_and_progressive_are_for_the_value_of_the_hand_alone():
    play = jackpot().bet(1, ante=10, blind=10, trips=5, progressive=1)
    hole, board = MADE["full house"]
    assert play.showdown({1: (hole, 4)}, "KsKh", board).lines == [
        "1 play 40.00: lose, collected 40.00",
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: lose, collected 10.00",
        "1 trips 5.00: win 9:1, paid 45.00",
        "1 progressive 1.00: win 10 for 1, paid 10.00, collected 1.00",
    ]


def test_sd_2_purpose__ante_plays_against_the_house():
    result = one_seat().showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert result["bank"] == {"wager": None, "paid": "50.00", "collected": "0.00", "net": "-50.00"}
    assert {line["from"] for line in result["lines"]} == {"tray"}
    assert table(banker=7).document_refused() == ("bad_document", "sd/2/purpose")


def test_sd_3__tip_on_ante_blind_and_trips_rides_on_the_players_hand():
    play = one_seat().bet(1, "d-1", "toke", trips=5, ante=2, blind=3).bet(1, trips=10)
    dealt = play.deal_out({1: "9s9d"}, PAIR_OF_QUEENS).raise_(1, 4).raise_(1, 4, "d-1")
    assert dealt.reveal_all().settle().result().lines == [
        "1 play 40.00: win 1:1, paid 40.00",
        "1/d-1 play 8.00: win 1:1, paid 8.00",
        "1 ante 10.00: win 1:1, paid 10.00",
        "1/d-1 ante 2.00: win 1:1, paid 2.00",
        "1 blind 10.00: push",
        "1/d-1 blind 3.00: push",
        "1 trips 10.00: win 3:1, paid 30.00",
        "1/d-1 trips 5.00: win 3:1, paid 15.00",
    ]


def test_sd_3__needs_a_wager_of_the_player_and_is_not_on_the_progressive():
    assert one_seat().bet(2, "d-1", "toke", trips=5).close_bets().last_refused() == (
        "missing_wager",
        "sd/decision/toke",
    )
    play = jackpot().bet(1, ante=10, blind=10, progressive=1)
    assert play.bet(1, "d-1", "toke", progressive=1).last_refused() == ("bad_choice", "sd/decision/toke")


@pytest.mark.parametrize(
    ("hole", "lines"),
    [
        ("AsAc", ["1/d-1 ante 2.00: win 1:1, paid 2.00", "1/d-1 blind 3.00: push"]),
        ("JsTd", ["1/d-1 ante 2.00: lose, collected 2.00", "1/d-1 blind 3.00: lose, collected 3.00"]),
    ],
)
def test_sd_3_without_play__tips_ante_stays_in_play(hole: str, lines: list[str]):
    play = one_seat().bet(1, "d-1", "toke", ante=2, blind=3)
    result = play.showdown({1: (hole, 4)}, PAIR_OF_QUEENS)
    assert [line for line in result.lines if "/d-1" in line] == lines


def test_sd_decision_no_more_bets__no_bet_after_it_and_no_card_before():
    closed = one_seat().close_bets()
    assert closed.bet(1, trips=5).last_refused() == ("out_of_turn", "sd/decision/no-more-bets")
    assert closed.bet(2, ante=10).last_refused() == ("out_of_turn", "sd/decision/no-more-bets")
    assert closed.withdraw(1, "ante").last_refused() == ("out_of_turn", "sd/decision/no-more-bets")
    assert closed.close_bets().last_refused() == ("out_of_turn", "sd/decision/no-more-bets")
    assert one_seat().deal("board", BOARD).last_refused() == ("out_of_turn", "sd/decision/no-more-bets")


def test_sd_4_progressive__wager_goes_into_the_meter_before_the_cards():
    play = jackpot().bet(1, ante=10, blind=10, progressive=1).bet(2, trips=5, progressive=1)
    assert play.result()["meter"] == {"before": BEFORE, "after": BEFORE}
    closed = {"before": BEFORE, "after": {"shown": "5000.50", "reserve": "200.10"}}
    assert play.close_bets().result()["meter"] == closed
    assert play.close_bets().result()["exposure"]["action"] == "25.00"


def test_sd_4_order__from_the_dealers_left_and_the_dealer_last():
    play = table().bet(6, ante=10, blind=10).bet(2, trips=5).close_bets().deal("board", BOARD)
    assert play.deal(6, "AsAc").last_refused() == ("out_of_turn", "sd/4/order")
    assert play.deal(2, "AsAc").deal("dealer", "QsQc").last_refused() == ("out_of_turn", "sd/4/order")
    assert play.deal(2, "AsAc").deal(6, "JsTd").deal("dealer", "QsQc").check(6).status == "open"


def test_sd_4_by_hand__two_cards_one_at_a_time():
    play = one_seat(dealing="hand").bet(4, ante=10, blind=10).close_bets()
    assert play.deal(1, "AsAc").last_refused() == ("wrong_cards", "sd/5")
    first = play.deal(1, "As").deal(4, "Js").deal("dealer", "Qs")
    assert first.deal("dealer", "Qc").last_refused() == ("out_of_turn", "sd/4/order")
    assert first.deal(1, "Ac").deal(4, "Td").deal("dealer", "Qc").raise_(1, 4).status == "open"


def test_sd_4_shuffler__board_first_then_two_each_and_two_for_the_dealer():
    for closed in (one_seat().close_bets(), one_seat(dealing="shuffler").close_bets()):
        assert closed.deal(1, "AsAc").last_refused() == ("out_of_turn", "sd/4/order")
        assert closed.deal("board", "Kd9c7h").last_refused() == ("wrong_cards", "sd/5")
        board = closed.deal("board", BOARD)
        assert board.deal(1, "As").last_refused() == ("wrong_cards", "sd/5")
        assert board.deal(1, "AsAc").deal("dealer", "QsQc").check(1).status == "open"


def test_sd_5__wrong_number_of_cards_to_anybody_is_a_misdeal():
    board = one_seat().close_bets().deal("board", BOARD)
    assert board.deal(1, "AsAcAd").last_refused() == ("wrong_cards", "sd/5")
    dealt = board.deal(1, "AsAc")
    assert dealt.deal("dealer", "Qs").last_refused() == ("wrong_cards", "sd/5")
    assert dealt.deal("dealer", "QsQcQd").last_refused() == ("wrong_cards", "sd/5")


def test_sd_5__misdeal_gives_the_progressive_wager_back_too():
    play = jackpot().bet(1, ante=10, blind=10, progressive=1).close_bets().deal("board", BOARD)
    result = play.void("misdeal", "Three cards to seat 1.").result()
    assert (result["status"], result["lines"]) == ("void", [])
    assert result["bank"] == {"wager": None, "paid": "0.00", "collected": "0.00", "net": "0.00"}
    assert result["meter"] == {"before": BEFORE, "after": BEFORE}


def test_sd_5_exposed__deal_goes_on():
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    exposed = dealt.reveal(1).raise_(1, 4).reveal_all().settle().result()
    assert exposed.lines == dealt.raise_(1, 4).reveal_all().settle().result().lines
    assert exposed.line(1, "play") == PLAY_WINS


def test_sd_6__play_ante_blind_trips_then_progressive_and_envy_last():
    play = jackpot("PMG-01").bet(1, progressive=1, trips=5, blind=10, ante=10)
    play = play.bet(2, trips=5, blind=10, ante=10).bet(3, trips=5, blind=10, ante=10)
    hands: Hands = {1: ("AdAc", 4), 2: ("9s8s", 4), 3: ("QdJh", 0)}
    result = play.showdown(hands, "KcKh", "7s6s5sKd3h")
    assert result.spots(1) == ["play", "ante", "blind", "trips", "progressive", "envy"]
    assert result.spots(2) == ["play", "ante", "blind", "trips"]
    assert result.spots(3) == ["ante", "blind", "trips"]
    assert (result.line(1, "play"), result.line(2, "play")) == (PLAY_LOSES, "2" + PLAY_WINS[1:])


def test_sd_6__tied_hand_keeps_the_order():
    play = jackpot("PMG-01").bet(1, progressive=1, trips=5, blind=10, ante=10).bet(2, trips=5)
    result = play.showdown({1: ("KsQd", 4), 2: ("9s8s", None)}, "KcQh", "7s6s5sKd3h")
    assert result.lines_at(1) == [
        "1 play 40.00: push",
        "1 ante 10.00: push",
        "1 blind 10.00: push",
        "1 trips 5.00: lose, collected 5.00",
        "1 progressive 1.00: lose, collected 1.00",
        "1 envy 0.00: win, paid 300.00",
    ]


def test_sd_7__play_wager_binds_to_the_end():
    raised = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 3)
    assert raised.raise_(1, 4).last_refused() == ("out_of_turn", "sd/7")
    assert raised.reveal("flop").raise_(1, 2).last_refused() == ("out_of_turn", "sd/9")
    assert raised.reveal("flop").reveal("turn_river").fold(1).last_refused() == ("out_of_turn", "sd/11")
    assert RULES.clause("one_play_wager") == "sd/7"


def test_sd_8__card_is_burned_before_the_flop():
    assert by_hand().deal("board", "Kd9c7h").last_refused() == ("out_of_turn", "sd/4/order")
    assert by_hand().deal("burn", "2c3c").last_refused() == ("wrong_cards", "sd/5")
    burned = by_hand().deal("burn", "2c")
    assert burned.deal("burn", "3c").last_refused() == ("out_of_turn", "sd/4/order")
    assert burned.deal("board", BOARD).last_refused() == ("wrong_cards", "sd/5")
    assert burned.reveal("flop").last_refused() == ("out_of_turn", "sd/7")
    assert burned.deal("board", "Kd9c7h").reveal("flop").raise_(1, 2).status == "open"


def test_sd_10__card_is_burned_before_turn_and_river():
    unseen = by_hand().deal("burn", "2c").deal("board", "Kd9c7h")
    assert unseen.deal("burn", "3c").last_refused() == ("out_of_turn", "sd/4/order")
    flop = unseen.reveal("flop")
    assert flop.deal("burn", "3c").last_refused() == ("out_of_turn", "sd/4/order")
    played = flop.check(1)
    assert played.deal("board", "4s2d").last_refused() == ("out_of_turn", "sd/4/order")
    burned = played.deal("burn", "3c")
    assert burned.deal("board", "4s").last_refused() == ("wrong_cards", "sd/5")
    assert burned.deal("board", "4s2d").reveal("turn_river").raise_(1, 1).status == "open"


@pytest.mark.parametrize("dealer", [PAIR_OF_QUEENS, KING_HIGH])
def test_sd_12__fold_forfeits_ante_and_blind(dealer: str):
    result = one_seat().bet(1, trips=5).showdown({1: ("AsAc", 0)}, dealer)
    assert result.lines_by("sd/12") == ["1 ante 10.00: lose, collected 10.00", "1 blind 10.00: lose, collected 10.00"]
    assert result.lines[2:] == ["1 trips 5.00: lose, collected 5.00"]


def test_sd_13__dealers_cards_are_turned_over_when_all_have_decided():
    river = one_seat().deal_out({1: "As??"}, PAIR_OF_QUEENS).check(1).reveal("flop").check(1).reveal("turn_river")
    assert river.reveal("dealer").last_refused() == ("out_of_turn", "sd/11")
    assert river.raise_(1, 1).settle().last_refused() == ("out_of_turn", "sd/6")
    shown = river.raise_(1, 1).reveal("dealer")
    assert shown.result()["dealer"] == {"cards": ["Qs", "Qc"], "hand": "pair", "qualifies": True}
    assert shown.settle().last_refused() == ("out_of_turn", "sd/6")
    seen = shown.reveal(1, "AsAc")
    assert seen.reveal(1).last_refused() == ("out_of_turn", "sd/13")
    assert seen.settle().status == "settled"


@pytest.mark.parametrize(
    ("dealer", "board", "hand"),
    [
        ("QsQc", BOARD, "pair"),
        ("QsJc", "KdTc9h4s2d", "straight"),
        ("Ks3c", "KdKc9h9s2d", "full house"),
        ("3s4c", "AhKhQhJh9h", "flush"),
    ],
)
def test_sd_13__dealers_hand_is_the_best_five_with_the_board(dealer: str, board: str, hand: str):
    assert one_seat().showdown({1: ("8c8d", 4)}, dealer, board)["dealer"]["hand"] == hand


def test_sd_13a__antes_of_remaining_hands_go_back_and_the_rest_stays_in_action():
    play = one_seat().bet(1, trips=5).bet(2, ante=20, blind=20, trips=5).bet(3, ante=30, blind=30)
    hands: Hands = {1: ("8s6d", 4), 2: ("3s2h", 4), 3: ("AsTc", 0)}
    result = play.showdown(hands, "QsJc", "Kd9c7h5s4d")
    assert result["dealer"]["qualifies"] is False
    assert result.lines_by("sd/13a") == ["1 ante 10.00: push", "2 ante 20.00: push"]
    assert result.lines == [
        "1 play 40.00: win 1:1, paid 40.00",
        "1 ante 10.00: push",
        "1 blind 10.00: win 1:1, paid 10.00",
        "1 trips 5.00: win 4:1, paid 20.00",
        "2 play 80.00: lose, collected 80.00",
        "2 ante 20.00: push",
        "2 blind 20.00: lose, collected 20.00",
        "2 trips 5.00: lose, collected 5.00",
        "3 ante 30.00: lose, collected 30.00",
        "3 blind 30.00: lose, collected 30.00",
    ]


def test_sd_14__tie_pushes_play_ante_and_blind_and_trips_is_paid():
    result = one_seat().bet(1, trips=5).showdown({1: ("5s3c", 4)}, "6s5d", "9s9d9hAcKd")
    assert result.lines_by("sd/14") == [PLAY_PUSHES, "1 ante 10.00: push", "1 blind 10.00: push"]
    assert result.line(1, "trips") == "1 trips 5.00: win 3:1, paid 15.00"


def test_sd_15__ante_and_play_lose_to_a_better_hand():
    result = one_seat().showdown({1: ("JsTd", 3)}, PAIR_OF_QUEENS)
    assert result.lines_by("sd/15") == ["1 play 30.00: lose, collected 30.00", "1 ante 10.00: lose, collected 10.00"]


def test_sd_16__blind_of_a_beaten_straight_is_lost():
    result = one_seat().showdown({1: ("9s8d", 4)}, "KcKh", "7c6h5sKdKs")
    assert result.lines_by("sd/16") == ["1 blind 10.00: lose, collected 10.00"]


@pytest.mark.parametrize(
    ("hole", "times", "dealer", "ante"),
    [
        ("9s9d", 4, PAIR_OF_QUEENS, "1 ante 10.00: win 1:1, paid 10.00"),
        ("9s9d", 4, "KsKc", "1 ante 10.00: lose, collected 10.00"),
        ("9s9d", 0, PAIR_OF_QUEENS, "1 ante 10.00: lose, collected 10.00"),
    ],
    ids=["won", "lost", "folded"],
)
def test_sd_17__trips_wins_with_three_of_a_kind_whatever_the_dealer_holds(
    hole: str, times: int, dealer: str, ante: str
):
    result = one_seat().bet(1, trips=5).showdown({1: (hole, times)}, dealer)
    assert result.lines_by("sd/17") == ["1 trips 5.00: win 3:1, paid 15.00"]
    assert result.line(1, "ante") == ante


@pytest.mark.parametrize("dealer", [DEUCES, "2d2h"])
@pytest.mark.parametrize("name", ["UTHP-01", "UTHP-02", "PMG-01"])
def test_sd_18__royal_flush_wins_whatever_the_dealer_has(name: str, dealer: str):
    hole, board = MADE["royal flush"]
    play = jackpot(name).bet(1, ante=10, blind=10, progressive=1)
    for times in (4, 0):
        line = play.showdown({1: (hole, times)}, dealer, board).line(1, "progressive")
        assert line == "1 progressive 1.00: win 100%, paid 5000.25, collected 1.00, from the meter"


@pytest.mark.parametrize("made", BELOW_THREE_OF_A_KIND)
@pytest.mark.parametrize("name", ["UTHP-01", "UTHP-02", "PMG-01"])
def test_sd_18_loses__with_less_than_three_of_a_kind(name: str, made: str):
    hole, board = MADE[made]
    result = jackpot(name).bet(1, ante=10, blind=10, progressive=1).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "progressive") == "1 progressive 1.00: lose, collected 1.00"


def test_sd_18_not_returned__whether_it_wins_or_loses():
    play = jackpot().bet(1, ante=10, blind=10, progressive=1)
    lost = play.showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert lost.line(1, "progressive") == "1 progressive 1.00: lose, collected 1.00"
    hole, board = MADE["full house"]
    for dealer in (DEUCES, "KsKh"):
        won = play.showdown({1: (hole, 4)}, dealer, board)
        assert won.line(1, "progressive") == "1 progressive 1.00: win 10 for 1, paid 10.00, collected 1.00"
    assert RULES.clauses["sd/18/not-returned"].contradicts == ("sd/5",)


@pytest.mark.parametrize(
    ("hole", "board", "line"),
    [
        ("3d3c", "AsKsQsJsTs", "win 3000 for 1, paid 3000.00, collected 1.00"),
        ("AsKs", "QsJsTs4d3h", "win 100%, paid 5000.25, collected 1.00, from the meter"),
        ("AsKs", "QsJs4dTs3h", "win 5%, paid 250.01, collected 1.00, from the meter"),
        ("As3d", "KsQsJsTs3h", "win 5%, paid 250.01, collected 1.00, from the meter"),
        (*MADE["straight flush"], "win 250 for 1, paid 250.00, collected 1.00"),
        (*MADE["four of a kind"], "win 100 for 1, paid 100.00, collected 1.00"),
        (*MADE["full house"], "win 10 for 1, paid 10.00, collected 1.00"),
        (*MADE["flush"], "lose, collected 1.00"),
    ],
)
def test_sd_18_uthp_01__pays(hole: str, board: str, line: str):
    play = jackpot("UTHP-01").bet(1, ante=10, blind=10, progressive=1)
    result = play.showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "progressive") == f"1 progressive 1.00: {line}"
    assert RULES.progressives["UTHP-01"].clause == "sd/18/UTHP-01"


@pytest.mark.parametrize(
    ("hole", "board", "line"),
    [
        ("3d3c", "AsKsQsJsTs", "win 1000 for 1, paid 1000.00, collected 1.00"),
        ("AsKs", "QsJsTs4d3h", "win 100%, paid 5000.25, collected 1.00, from the meter"),
        ("AsKs", "QsJs4dTs3h", "win 100%, paid 5000.25, collected 1.00, from the meter"),
        ("As3d", "KsQsJsTs3h", "win 100%, paid 5000.25, collected 1.00, from the meter"),
        (*MADE["straight flush"], "win 250 for 1, paid 250.00, collected 1.00"),
        (*MADE["four of a kind"], "win 75 for 1, paid 75.00, collected 1.00"),
        (*MADE["full house"], "win 10 for 1, paid 10.00, collected 1.00"),
        (*MADE["flush"], "lose, collected 1.00"),
    ],
)
def test_sd_18_uthp_02__pays(hole: str, board: str, line: str):
    play = jackpot("UTHP-02").bet(1, ante=10, blind=10, progressive=1)
    result = play.showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "progressive") == f"1 progressive 1.00: {line}"
    assert RULES.progressives["UTHP-02"].clause == "sd/18/UTHP-02"


@pytest.mark.parametrize(
    ("made", "line", "envy"),
    [
        ("royal flush", "win 100%, paid 5000.50, collected 1.00, from the meter", ["2 envy 0.00: win, paid 1000.00"]),
        ("straight flush", "win 10%, paid 500.05, collected 1.00, from the meter", ["2 envy 0.00: win, paid 300.00"]),
        ("four of a kind", "win 300 for 1, paid 300.00, collected 1.00", []),
        ("full house", "win 50 for 1, paid 50.00, collected 1.00", []),
        ("flush", "win 40 for 1, paid 40.00, collected 1.00", []),
        ("straight", "win 30 for 1, paid 30.00, collected 1.00", []),
        ("three of a kind", "win 9 for 1, paid 9.00, collected 1.00", []),
        ("two pair", "lose, collected 1.00", []),
    ],
)
def test_sd_18_pmg_01__pays(made: str, line: str, envy: list[str]):
    hole, board = MADE[made]
    play = jackpot("PMG-01").bet(1, ante=10, blind=10, progressive=1).bet(2, trips=5, progressive=1)
    result = play.showdown({1: (hole, 4), 2: ("8c2h", None)}, DEUCES, board)
    assert result.line(1, "progressive") == f"1 progressive 1.00: {line}"
    assert result.lines_at(2)[2:] == envy
    assert RULES.progressives["PMG-01"].clause == "sd/18/PMG-01"


@pytest.mark.parametrize(
    ("made", "line", "envy"),
    [
        ("royal flush", "win 100%, paid 5002.50, collected 5.00, from the meter", ["2 envy 0.00: win, paid 5000.00"]),
        ("straight flush", "win 10%, paid 500.25, collected 5.00, from the meter", ["2 envy 0.00: win, paid 1500.00"]),
        ("four of a kind", "win 300 for 1, paid 1500.00, collected 5.00", []),
        ("full house", "win 50 for 1, paid 250.00, collected 5.00", []),
        ("flush", "win 40 for 1, paid 200.00, collected 5.00", []),
        ("straight", "win 30 for 1, paid 150.00, collected 5.00", []),
        ("three of a kind", "win 9 for 1, paid 45.00, collected 5.00", []),
        ("two pair", "lose, collected 5.00", []),
    ],
)
def test_sd_18_pmg_02__pays(made: str, line: str, envy: list[str]):
    hole, board = MADE[made]
    play = jackpot("PMG-02").bet(1, ante=10, blind=10, progressive=5).bet(2, trips=5, progressive=5)
    result = play.showdown({1: (hole, 4), 2: ("8c2h", None)}, DEUCES, board)
    assert result.line(1, "progressive") == f"1 progressive 5.00: {line}"
    assert result.lines_at(2)[2:] == envy
    assert RULES.progressives["PMG-02"].clause == "sd/18/PMG-02"


def test_sd_18a_i__percentages_come_off_the_meter():
    hole, board = MADE["straight flush"]
    play = jackpot("PMG-01").bet(1, ante=10, blind=10, progressive=1)
    result = play.showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by("sd/18a-i") == ["1 progressive 1.00: win 10%, paid 500.02, collected 1.00, from the meter"]
    assert result["meter"] == {"before": BEFORE, "after": {"shown": "4500.23", "reserve": "200.05"}}


def test_sd_18a_ii__everything_else_comes_from_the_tray():
    hole, board = MADE["four of a kind"]
    play = jackpot("PMG-01").bet(1, ante=10, blind=10, progressive=1)
    result = play.showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by("sd/18a-ii") == ["1 progressive 1.00: win 300 for 1, paid 300.00, collected 1.00"]
    assert {line["from"] for line in result["lines"]} == {"tray"}
    assert result["meter"] == {"before": BEFORE, "after": {"shown": "5000.25", "reserve": "200.05"}}


def test_sd_18a_vi__whole_meter_starts_again_from_seed_and_reserve():
    hole, board = MADE["royal flush"]
    result = jackpot().bet(1, ante=10, blind=10, progressive=1).showdown({1: (hole, 4)}, DEUCES, board)
    assert result["meter"] == {"before": BEFORE, "after": {"shown": "1200.05", "reserve": "0.00"}}


def test_sd_18a_vi__awards_are_handled_from_the_highest_seat_down():
    play = jackpot("PMG-01").bet(2, trips=5, progressive=1).bet(5, trips=5, progressive=1)
    result = play.showdown({2: ("9s8s", None), 5: ("4s3s", None)}, DEUCES[:2] + "2h", "7s6s5sKd3h")
    assert result.line(5, "progressive").endswith("win 10%, paid 500.05, collected 1.00, from the meter")
    assert result.line(2, "progressive").endswith("win 10%, paid 450.04, collected 1.00, from the meter")
    assert result["meter"]["after"] == {"shown": "4050.41", "reserve": "200.10"}
    assert result.seats() == [2, 5]


def test_sd_18a_vi__progressive_needs_its_meter():
    assert table(progressive="UTHP-01").document_refused() == ("bad_terms", "sd/18a-vi")
    assert table(progressive="UTHP-01", meter={**METER, "percent": 95}).status == "open"
    for share in ({"percent": 96}, {"percent": -1}, {"reserve_percent": -1}):
        refused = table(progressive="UTHP-01", meter={**METER, **share}).document_refused()
        assert refused == ("bad_terms", "sd/18a-vi")
    assert table(meter=METER).document_refused() == ("bad_terms", None)


@pytest.mark.parametrize(("made", "paid"), [("royal flush", "1000.00"), ("straight flush", "300.00")])
def test_sd_18b_i__envy_goes_to_each_other_seat_with_a_progressive_wager(made: str, paid: str):
    hole, board = MADE[made]
    play = jackpot("PMG-01").bet(1, trips=5, progressive=1).bet(2, trips=5).bet(3, trips=5)
    play = play.bet(4, trips=5, progressive=1)
    hands: Hands = {
        1: ("Ah8c", None),
        2: (hole, None),
        3: ("Ad8h", None),
        4: ("Ac8d", None),
    }
    result = play.showdown(hands, DEUCES, board)
    assert result.lines_by("sd/18b-i") == [f"1 envy 0.00: win, paid {paid}", f"4 envy 0.00: win, paid {paid}"]


def test_sd_18b_i__no_envy_for_ones_own_hand():
    hole, board = MADE["royal flush"]
    play = jackpot("PMG-01").bet(1, ante=10, blind=10, progressive=1)
    assert "envy" not in play.showdown({1: (hole, 4)}, DEUCES, board).spots(1)


def test_sd_18b_iii__envy_once_for_every_hand_that_causes_it():
    play = jackpot("PMG-01").bet(1, trips=5, progressive=1).bet(2, trips=5).bet(5, trips=5, progressive=1)
    hands: Hands = {1: ("Ah8c", None), 2: ("AsKs", None), 5: ("9s8s", None)}
    result = play.showdown(hands, DEUCES, "QsJsTs4d3h")
    assert result.lines_at(1) == [
        "1 trips 5.00: lose, collected 5.00",
        "1 progressive 1.00: lose, collected 1.00",
        "1 envy 0.00: win, paid 1000.00",
        "1 envy 0.00: win, paid 300.00",
    ]
    assert result.lines_at(5)[2:] == ["5 envy 0.00: win, paid 1000.00"]


# ---- what the document leaves open, and how it is read here


@pytest.mark.parametrize(("higher", "lower"), [("6c2h", "As2d"), ("As2d", "KsKc")])
def test_sd_decision_ranking__ace_is_low_in_the_lowest_straight(higher: str, lower: str):
    board = "5s4d3cKh9d"
    assert one_seat().showdown({1: (higher, 4)}, lower, board).line(1, "play") == PLAY_WINS
    assert one_seat().showdown({1: (lower, 4)}, higher, board).line(1, "play") == PLAY_LOSES


def test_sd_decision_dealing__by_hand_or_from_a_shuffler_and_nothing_else():
    for mode in ("hand", "shuffler"):
        assert one_seat(dealing=mode).close_bets().status == "open"
    assert table(dealing="shoe").document_refused() == ("bad_terms", "sd/decision/dealing")


def test_sd_decision_board_by_hand__street_by_street():
    play = one_seat(dealing="hand").bet(4, ante=10, blind=10).close_bets()
    assert play.deal("board", BOARD).last_refused() == ("out_of_turn", "sd/4/order")
    first = play.deal(1, "As").deal(4, "Js").deal("dealer", "Qs")
    second = first.deal(1, "Ac").deal(4, "Td").deal("dealer", "Qc")
    flop = second.raise_(1, 4).check(4).deal("burn", "??").deal("board", "Kd9c7h").reveal("flop").check(4)
    river = flop.deal("burn", "??").deal("board", "4s2d").reveal("turn_river").fold(4)
    result = river.reveal("dealer").settle().result()
    assert result.line(1, "play") == PLAY_WINS
    assert result["dealer"] == {"cards": ["Qs", "Qc"], "hand": "pair", "qualifies": True}


@pytest.mark.parametrize("amount", [5, 100])
def test_sd_decision_default_limits__takes(amount: int):
    assert table().bet(1, ante=amount, blind=amount, trips=amount).close_bets().status == "open"


@pytest.mark.parametrize(
    ("ante", "trips"), [("4.50", "5.00"), ("100.50", "5.00"), ("5.00", "4.50"), ("5.00", "100.50")]
)
def test_sd_decision_default_limits__refuses(ante: Dollars, trips: Dollars):
    play = table(chip="0.50").bet(1, ante=ante, blind=ante, trips=trips).close_bets()
    assert play.last_refused() == ("limit", "sd/2")


def test_sd_decision_default_limits__give_way_to_the_tables_own():
    own = table(limits={"ante": ["1.00", "150.00"], "trips": ["1.00", "100.00"]})
    assert own.bet(1, ante=1, blind=1, trips=1).close_bets().status == "open"
    assert own.bet(1, ante=150, blind=150, trips=100).close_bets().status == "open"
    assert own.bet(1, ante=1, blind=1, trips=101).close_bets().last_refused() == ("limit", "sd/2")


def test_sd_decision_no_backline__nobody_bets_behind_a_seat():
    assert one_seat().bet(1, "b-1", "backline", ante=10).last_refused() == ("bad_choice", "sd/decision/no-backline")


def test_sd_decision_no_burn__shuffler_burns_nothing():
    closed = one_seat().close_bets()
    assert closed.deal("burn", "2c").last_refused() == ("out_of_turn", "sd/4/order")
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).check(1)
    assert dealt.deal("burn", "2c").last_refused() == ("out_of_turn", "sd/4/order")
    assert dealt.reveal("flop").check(1).reveal("turn_river").status == "open"


def test_sd_decision_seat_order__lowest_first():
    play = table().bet(4, ante=10, blind=10).bet(7, ante=10, blind=10).bet(2, ante=10, blind=10)
    assert play.showdown({2: ("AsAc", 4), 4: ("JsTd", 4), 7: ("8s8d", 0)}, PAIR_OF_QUEENS).seats() == [2, 4, 7]


def test_sd_decision_trips_table__is_named_and_one_of_four():
    assert HoldEm.at("uth-sd").document_refused() == ("bad_terms", "sd/17")
    assert table(trips="UTH-05").document_refused() == ("bad_terms", "sd/17")
    for name in TRIPS:
        assert one_seat(trips=name).close_bets().status == "open"
    assert RULES.one_trips_table is None


def test_sd_decision_customer_limit__sums_up_all_seats_of_a_bettor_and_no_tips():
    play = jackpot(players={1: "p-1", 2: "p-1", 3: "p-3"}).bet(1, ante=100, blind=100, trips=100)
    full = play.bet(2, ante=50, blind=50)  # 100 + 100 + 100 + 400, and 50 + 50 + 200: exactly 1,000
    assert full.close_bets().status == "open"
    for more in (full.bet(1, progressive=1), full.bet(2, trips=5)):
        assert more.close_bets().last_refused() == ("limit", "sd/1/bet-limit")
    assert full.bet(3, ante=100, blind=100, trips=100).bet(1, "d-1", "toke", ante=100).close_bets().status == "open"


@pytest.mark.parametrize(
    ("ante", "trips", "progressive", "within"),
    [
        ("150.00", "100.00", None, True),  # 6 x 150 + 100 = 1,000
        ("150.00", "100.01", None, False),
        ("150.01", "100.00", None, False),
        ("166.66", "0.04", None, True),
        ("150.00", "99.00", "UTHP-01", True),  # with a progressive wager of $1
        ("150.00", "99.01", "UTHP-01", False),
        ("150.00", "95.00", "PMG-02", True),  # with one of $5
        ("150.00", "95.01", "PMG-02", False),
    ],
)
def test_sd_decision_posted_limits__keep_one_spot_within_a_thousand(
    ante: str, trips: str, progressive: str | None, within: bool
):
    limits = {"ante": ["0.01", ante], "trips": ["0.01", trips]}
    play = jackpot(progressive, limits=limits) if progressive else table(limits=limits)
    if within:
        assert play.status == "open"
    else:
        assert play.document_refused() == ("bad_terms", "sd/1/bet-limit")


def test_sd_decision_posted_limits__one_spot_alone_counts_with_the_usual_other():
    assert table(limits={"ante": ["5.00", "150.00"]}).status == "open"
    assert table(limits={"ante": ["5.00", "151.00"]}).document_refused() == ("bad_terms", "sd/1/bet-limit")
    assert table(limits={"trips": ["5.00", "400.00"]}).status == "open"
    assert table(limits={"trips": ["5.00", "401.00"]}).document_refused() == ("bad_terms", "sd/1/bet-limit")


def test_sd_decision_posted_limits__were_not_checked_in_version_1():
    own = table(limits={"ante": ["5.00", "500.00"]})
    assert own.document_refused() == ("bad_terms", "sd/1/bet-limit")
    assert own.bet(1, ante=166, blind=166).close_bets().result_under(1)["status"] == "open"


def test_sd_decision_toke__what_a_tip_needs_beside_it():
    trips_alone = table().bet(1, trips=5)
    assert trips_alone.bet(1, "d-1", "toke", trips=5).close_bets().status == "open"
    assert one_seat().bet(1, "d-1", "toke", trips=5).close_bets().status == "open"
    for spot in ("ante", "blind"):
        assert trips_alone.bet(1, "d-1", "toke", **{spot: 5}).close_bets().last_refused() == (
            "missing_wager",
            "sd/decision/toke",
        )
        assert one_seat().bet(1, "d-1", "toke", **{spot: 5}).close_bets().status == "open"


def test_sd_decision_toke__no_minimum_on_any_spot():
    tip = one_seat().bet(1, "d-1", "toke", ante=1, blind=2, trips=1)
    assert tip.close_bets().status == "open"
    with pytest.raises(OverLimit) as refusal:
        tip.close_bets().result_under(1)
    assert refusal.value.clause == "sd/2"
    assert one_seat().bet(1, trips=4).close_bets().last_refused() == ("limit", "sd/2")


def test_sd_decision_toke__maximum_and_chip_unit_hold_on_every_spot():
    for spot in ("ante", "blind", "trips"):
        over = one_seat().bet(1, "d-1", "toke", **{spot: 101}).close_bets()
        assert over.last_refused() == ("limit", "sd/2")
        off = one_seat().bet(1, "d-1", "toke", **{spot: "1.50"}).close_bets()
        assert off.last_refused() == ("limit", "sd/decision/chip")


def test_sd_decision_toke_play__same_multiple_after_the_raise_and_before_the_next_street():
    dealt = one_seat().bet(1, "d-1", "toke", ante=2).deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    assert dealt.raise_(1, 4, "d-1").last_refused() == ("out_of_turn", "sd/decision/toke-play")
    raised = dealt.raise_(1, 4)
    assert raised.raise_(1, 3, "d-1").last_refused() == ("bad_choice", "sd/decision/toke-play")
    assert raised.fold(1, "d-1").last_refused() == ("bad_choice", "sd/decision/toke-play")
    assert raised.reveal("flop").raise_(1, 4, "d-1").last_refused() == ("out_of_turn", "sd/decision/toke-play")
    followed = raised.raise_(1, 4, "d-1")
    assert followed.raise_(1, 4, "d-1").last_refused() == ("out_of_turn", "sd/decision/toke-play")
    lines = followed.reveal_all().settle().result().lines
    assert lines[:2] == ["1 play 40.00: win 1:1, paid 40.00", "1/d-1 play 8.00: win 1:1, paid 8.00"]


@pytest.mark.parametrize("times", [2, 1])
def test_sd_decision_toke_play__on_every_street_until_the_next_cards_are_shown(times: int):
    play = one_seat().bet(1, "d-1", "toke", ante=2).deal_out({1: "AsAc"}, PAIR_OF_QUEENS).check(1).reveal("flop")
    if times == 1:
        play = play.check(1).reveal("turn_river")
    shown = play.raise_(1, times).reveal("dealer" if times == 1 else "turn_river")
    assert shown.raise_(1, times, "d-1").last_refused()[0] == "out_of_turn"
    assert play.raise_(1, times).raise_(1, times, "d-1").status == "open"


def test_sd_decision_toke_play__no_decision_without_an_ante():
    dealt = one_seat().bet(1, "d-1", "toke", blind=2).deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4)
    assert dealt.raise_(1, 4, "d-1").last_refused() == ("out_of_turn", "sd/decision/toke-play")


def test_sd_decision_toke_play__players_fold_folds_the_tip():
    play = one_seat().bet(1, "d-1", "toke", ante=2, blind=3)
    assert play.showdown({1: ("AsAc", 0)}, PAIR_OF_QUEENS).lines == [
        "1 ante 10.00: lose, collected 10.00",
        "1/d-1 ante 2.00: lose, collected 2.00",
        "1 blind 10.00: lose, collected 10.00",
        "1/d-1 blind 3.00: lose, collected 3.00",
    ]


@pytest.mark.parametrize(("name", "wager"), [("UTHP-01", 1), ("UTHP-02", 1), ("PMG-01", 1), ("PMG-02", 5)])
def test_sd_decision_progressive_wager__is_exactly_the_tables_and_not_held_to_the_chip_unit(name: str, wager: int):
    play = jackpot(name, chip="10.00").bet(1, ante=10, blind=10)
    assert play.bet(1, progressive=wager).close_bets().status == "open"
    for other in (wager + 1, 2 * wager, f"{wager}.50", "0.50"):
        assert play.bet(1, progressive=other).close_bets().last_refused() == ("limit", "sd/decision/progressive-wager")


def test_sd_decision_progressive_wager__only_where_the_table_has_one():
    assert one_seat().bet(1, progressive=1).last_refused() == ("bad_choice", "sd/decision/equal-blind")
    assert one_seat(progressive=None).bet(1, progressive=1).last_refused() == ("bad_choice", "sd/decision/equal-blind")
    assert jackpot("UTHP-03").document_refused() == ("bad_terms", "sd/decision/progressive-wager")


def test_sd_decision_progressive_needs__ante_and_blind_or_trips():
    assert jackpot().bet(1, progressive=1).close_bets().last_refused() == ("missing_wager", "sd/decision/equal-blind")
    assert jackpot().bet(1, progressive=1, ante=10).close_bets().last_refused() == (
        "missing_wager",
        "sd/decision/equal-blind",
    )
    assert jackpot().bet(1, progressive=1, trips=5).close_bets().status == "open"
    assert jackpot().bet(1, progressive=1, ante=10, blind=10).close_bets().status == "open"


@pytest.mark.parametrize(
    ("name", "made"),
    [("UTHP-01", "three of a kind"), ("UTHP-01", "flush"), ("UTHP-02", "straight"), ("PMG-01", "two pair")],
)
def test_sd_decision_progressive_loses__hand_that_the_schedule_does_not_have(name: str, made: str):
    hole, board = MADE[made]
    result = jackpot(name).bet(1, ante=10, blind=10, progressive=1).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by("sd/decision/progressive-loses") == ["1 progressive 1.00: lose, collected 1.00"]
    assert RULES.clauses["sd/18/loses"].contradicts == ("sd/18/UTHP-01", "sd/18/UTHP-02")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("UTHP-01", "1.00: win 10 for 1, paid 10.00, collected 1.00"),
        ("UTHP-02", "1.00: win 10 for 1, paid 10.00, collected 1.00"),
        ("PMG-01", "1.00: lose, collected 1.00"),
        ("PMG-02", "5.00: lose, collected 5.00"),
    ],
)
def test_sd_decision_first_five__full_house_with_the_last_board_card_counts_for_uthp_only(name: str, line: str):
    play = jackpot(name).bet(1, ante=10, blind=10, progressive=5 if name == "PMG-02" else 1)
    result = play.showdown({1: ("9s9d", 4)}, DEUCES, "KcKd4s3h9h")
    assert result.line(1, "progressive") == f"1 progressive {line}"


def test_sd_decision_first_five__no_envy_for_a_straight_flush_with_the_turn():
    play = jackpot("PMG-01").bet(1, trips=5, progressive=1).bet(2, trips=5, progressive=1)
    result = play.showdown({1: ("9s8s", None), 2: ("AdAc", None)}, DEUCES, "7s6sKd5s3h")
    assert result.line(1, "trips") == "1 trips 5.00: win 40:1, paid 200.00"
    assert (result.spots(1), result.spots(2)) == (["trips", "progressive"], ["trips", "progressive"])


@pytest.mark.parametrize(("name", "times"), [("UTHP-01", 3000), ("UTHP-02", 1000)])
def test_sd_decision_to_1__pays_that_many_times_and_returns_no_wager(name: str, times: int):
    play = jackpot(name).bet(1, ante=10, blind=10, progressive=1)
    result = play.showdown({1: ("3d3c", 4)}, DEUCES, "AsKsQsJsTs")
    line = f"1 progressive 1.00: win {times} for 1, paid {times}.00, collected 1.00"
    assert result.line(1, "progressive") == line


def test_sd_decision_meter_share__is_of_the_meter_with_this_rounds_wagers_rounded_down():
    hole, board = MADE["straight flush"]
    play = jackpot("PMG-01")
    for seat in (1, 2, 3):
        play = play.bet(seat, trips=5, progressive=1)
    result = play.showdown({1: (hole, None), 2: ("AdAc", None), 3: ("QdQc", None)}, DEUCES, board)
    # 10 % of 5000.75 is 500.075
    assert result.line(1, "progressive") == "1 progressive 1.00: win 10%, paid 500.07, collected 1.00, from the meter"
    assert result["meter"]["after"] == {"shown": "4500.68", "reserve": "200.15"}


@pytest.mark.parametrize(
    ("hands", "paid", "after"),
    [
        # Seat 5 takes 10 % of 5000.50 and seat 2 all that is left.
        ({2: ("AsKs", None), 5: ("9s8s", None)}, {5: "10%, paid 500.05", 2: "100%, paid 4500.45"}, "1200.10"),
        # Seat 5 takes all, and seat 2 10 % of seed and reserve.
        ({2: ("9s8s", None), 5: ("AsKs", None)}, {5: "100%, paid 5000.50", 2: "10%, paid 120.01"}, "1080.09"),
    ],
)
def test_sd_decision_several_winners__each_is_paid_of_what_is_shown_then(
    hands: Hands, paid: dict[int, str], after: str
):
    play = jackpot("PMG-01").bet(2, trips=5, progressive=1).bet(5, trips=5, progressive=1)
    result = play.showdown(hands, DEUCES, "QsJsTs4d3h")
    for seat, amount in paid.items():
        expected = f"{seat} progressive 1.00: win {amount}, collected 1.00, from the meter"
        assert result.line(seat, "progressive") == expected
    assert result["meter"]["after"] == {"shown": after, "reserve": "0.00"}


def test_sd_decision_folded_progressive__is_paid_like_trips():
    hole, board = MADE["full house"]
    play = jackpot().bet(1, ante=10, blind=10, trips=5, progressive=1)
    assert play.showdown({1: (hole, 0)}, DEUCES, board).lines == [
        "1 ante 10.00: lose, collected 10.00",
        "1 blind 10.00: lose, collected 10.00",
        "1 trips 5.00: win 9:1, paid 45.00",
        "1 progressive 1.00: win 10 for 1, paid 10.00, collected 1.00",
    ]


def test_sd_decision_trips_alone_live__dealers_hand_is_shown_first():
    dealt = table().bet(3, trips=5).deal_out({3: "9s9d"}, PAIR_OF_QUEENS).reveal("flop").reveal("turn_river")
    assert dealt.settle().last_refused() == ("out_of_turn", "sd/6")
    assert dealt.reveal("dealer").settle().result().lines == ["3 trips 5.00: win 3:1, paid 15.00"]


def test_sd_decision_trips_alone_live__its_own_hand_must_be_seen():
    dealt = table().bet(3, trips=5).deal_out({3: "????"}, PAIR_OF_QUEENS).reveal_all()
    assert dealt.settle().last_refused() == ("out_of_turn", "sd/6")
    assert dealt.reveal(3, "9s9d").settle().result().lines == ["3 trips 5.00: win 3:1, paid 15.00"]


def test_sd_decision_chip__wagers_are_whole_multiples():
    assert table().bet(1, ante="10.50", blind="10.50").close_bets().last_refused() == ("limit", "sd/decision/chip")
    assert one_seat().bet(1, trips="5.50").close_bets().last_refused() == ("limit", "sd/decision/chip")
    assert one_seat(chip="4.00").close_bets().last_refused() == ("limit", "sd/decision/chip")
    assert one_seat(chip="5.00").close_bets().status == "open"
    assert table(chip="0.00").document_refused() == ("bad_terms", "sd/decision/chip")


def test_sd_decision_wager_by_wager__play_wager_is_not_held_to_the_maximum():
    result = table().bet(1, ante=100, blind=100, trips=100).showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert result.line(1, "play") == "1 play 400.00: win 1:1, paid 400.00"


def test_sd_decision_wager_by_wager__limits_hold_for_each_bettor_by_himself():
    play = table().bet(1, ante=100, blind=100, trips=100).bet(1, "d-1", "toke", ante=100, blind=100, trips=100)
    assert play.close_bets().status == "open"
    assert play.bet(1, "d-1", "toke", trips=1).close_bets().last_refused() == ("limit", "sd/2")


def test_sd_decision_wager_by_wager__blind_is_held_to_the_antes_limits():
    tip = one_seat(limits={"ante": ["5.00", "20.00"]}).bet(1, "d-1", "toke", blind=21)
    assert tip.close_bets().last_refused() == ("limit", "sd/2")
    assert table(limits={"blind": ["5.00", "10.00"]}).document_refused() == ("bad_terms", "sd/2")


def test_sd_decision_void__gives_everything_back_whatever_was_shown():
    play = jackpot().bet(1, ante=10, blind=10, progressive=1).deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4)
    result = play.reveal_all().void("irregularity").result()
    assert (result["status"], result["lines"]) == ("void", [])
    assert result["bank"] == {"wager": None, "paid": "0.00", "collected": "0.00", "net": "0.00"}
    assert result["meter"] == {"before": BEFORE, "after": BEFORE}


@pytest.mark.parametrize("hole", ["????", "As??"])
def test_sd_decision_folded_hands__hand_with_trips_or_progressive_is_turned_over_first(hole: str):
    refused = ("out_of_turn", "sd/decision/folded-hands")
    bonuses: list[dict[str, Any]] = [{"trips": 5}, {"progressive": 1}, {"trips": 5, "progressive": 1}]
    for spots in bonuses:
        play = jackpot().bet(1, ante=10, blind=10, **spots)
        dealt = play.deal_out({1: hole}, PAIR_OF_QUEENS, "9s9d9h9cKd").fold_at_the_end(1)
        assert dealt.settle().last_refused() == refused
        seen = dealt.reveal(1, "AsAc").settle().result()
        for spot, line in (
            ("trips", "1 trips 5.00: win 30:1, paid 150.00"),
            ("progressive", "1 progressive 1.00: win 100 for 1, paid 100.00, collected 1.00"),
        ):
            assert spot not in spots or seen.line(1, spot) == line


def test_sd_decision_folded_hands__tips_trips_counts_too():
    play = one_seat().bet(1, "d-1", "toke", trips=1)
    folded = play.deal_out({1: "????"}, PAIR_OF_QUEENS).fold_at_the_end(1)
    assert folded.settle().last_refused() == ("out_of_turn", "sd/decision/folded-hands")
    for hole, line in (("9s9d", "win 3:1, paid 3.00"), ("JsTd", "lose, collected 1.00")):
        seen = folded.reveal(1, hole).settle().result()
        assert seen.line(1, "trips", bettor="d-1") == f"1/d-1 trips 1.00: {line}"


def test_sd_decision_folded_hands__was_lost_unseen_in_version_1():
    play = jackpot().bet(1, ante=10, blind=10, trips=5, progressive=1)
    folded = play.deal_out({1: "????"}, PAIR_OF_QUEENS, "9s9d9h9cKd").fold_at_the_end(1)
    assert folded.settle().result_under(1).lines_by("sd/decision/unseen-fold") == [
        "1 trips 5.00: lose, collected 5.00",
        "1 progressive 1.00: lose, collected 1.00",
    ]


def test_sd_decision_folded_hands__hand_without_either_may_stay_unseen_and_causes_no_envy():
    play = jackpot("PMG-01").bet(1, ante=10, blind=10).bet(2, trips=5, progressive=1)
    dealt = play.deal_out({1: "9s??", 2: "AdAc"}, PAIR_OF_QUEENS, "7s6s5sKd3h")
    folded = dealt.fold_at_the_end(1).reveal("dealer")
    assert folded.settle().result().spots(2) == ["trips", "progressive"]
    assert folded.reveal(1, "9s8s").settle().result().spots(2) == ["trips", "progressive", "envy"]


def test_sd_decision_withdraw__whole_or_in_part():
    play = one_seat(limits={"trips": ["1.00", "100.00"]}).bet(1, trips=5)
    for taken, action in (
        (play.withdraw(1, "trips", 2), "23.00"),
        (play.withdraw(1, "trips"), "20.00"),
        (play.withdraw(1, "trips", 5), "20.00"),
        (play.withdraw(1, "trips").bet(1, trips=7), "27.00"),
        (play.withdraw(1, "ante", 4).withdraw(1, "blind", 4), "17.00"),
    ):
        assert taken.close_bets().result()["exposure"]["action"] == action
    assert play.withdraw(1, "ante", 4).close_bets().last_refused() == ("missing_wager", "sd/decision/equal-blind")


def test_sd_decision_withdraw__bettor_who_takes_everything_back_is_forgotten():
    play = one_seat().bet(1, "d-1", "toke", ante=2, trips=1)
    gone = play.withdraw(1, "ante", bettor="d-1").withdraw(1, "trips", bettor="d-1")
    assert gone.showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).spots(1) == ["play", "ante", "blind"]
    nobody = one_seat().withdraw(1, "ante").withdraw(1, "blind")
    assert nobody.close_bets().last_refused() == ("missing_wager", "sd/decision/equal-blind")


def test_sd_decision_withdraw__progressive_wager_and_tip():
    play = jackpot().bet(1, ante=10, blind=10, progressive=1).bet(1, "d-1", "toke", trips=3)
    closed = play.withdraw(1, "progressive").withdraw(1, "trips", 2, bettor="d-1").close_bets().result()
    assert closed["meter"] == {"before": BEFORE, "after": BEFORE}
    assert closed["exposure"]["action"] == "21.00"

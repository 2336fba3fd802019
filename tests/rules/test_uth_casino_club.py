"""uth-casino-club, Ultimate Texas Hold'em at the Casino Club: a test for each of its clauses."""

from typing import Any

import pytest

from domain.errors import Rotation
from domain.floor.table_sessions import BankDeclined, BankOffered, RoundBegun, begin_round
from domain.rules.rulesets import load
from tests.rules.hold_em import (
    BOARD,
    DEUCES,
    FEES,
    KING_HIGH,
    MADE,
    PAIR_OF_QUEENS,
    PLAY_LOSES,
    PLAY_PUSHES,
    PLAY_WINS,
    TRIPS,
    HoldEm,
    four_seats,
)
from tests.rules.rounds import after_rounds

RULES = load("uth-casino-club")


def table(banker: int = 7, **others: Any) -> HoldEm:
    return HoldEm.at("uth-casino-club", banker=banker, **others)


def one_seat(**others: Any) -> HoldEm:
    return table(**others).bet(1, ante=10, blind=10)


# ---- what the document says


def test_cc_game_coverage__player_dealer_wins_and_loses_no_more_than_the_wager():
    lost = one_seat(wager=45).showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    won = one_seat(wager=45).showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS)
    assert (lost["bank"]["net"], won["bank"]["net"]) == ("-45.00", "45.00")
    assert won.line(1, "blind") == "1 blind 10.00: no_action, short 10.00"


def test_cc_game_rotation__two_rounds_in_a_row_before_the_bank_is_offered():
    once = after_rounds("uth-casino-club", (3, "a", "settled"))
    assert begin_round(once, "r-2", (3, "a"), occupied=(1, 5)) == [RoundBegun("r-2", 3, "a", turn=2, deck="red")]
    twice = after_rounds("uth-casino-club", (3, "a", "settled"), (3, "a", "settled"))
    with pytest.raises(Rotation) as refusal:
        begin_round(twice, "r-3", (3, "a"), occupied=(1, 5))
    assert refusal.value.clause == "cc/game/rotation"
    assert begin_round(twice, "r-3", (5, "b")) == [RoundBegun("r-3", 5, "b", turn=1, deck="blue")]


def test_cc_game_rotation__declined_are_other_seats_each_once():
    for declined in ([1, 7], [1, 1]):
        assert table(declined=declined).document_refused() == ("bad_document", "cc/game/rotation")
    assert table(declined=[1, 2, 3, 4, 5, 6]).status == "open"


@pytest.mark.parametrize("times", [3, 4])
def test_cc_object_1__three_or_four_antes_before_the_flop(times: int):
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    assert dealt.raise_(1, times).status == "open"
    assert dealt.raise_(1, 2).last_refused() == ("bad_choice", "cc/dealing/9")


def test_cc_object_2__two_antes_on_the_flop():
    flop = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).check(1).reveal("flop")
    assert flop.raise_(1, 2).status == "open"
    assert flop.raise_(1, 3).last_refused() == ("bad_choice", "cc/dealing/11")


def test_cc_object_3__one_ante_on_the_river():
    river = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).check(1).reveal("flop").check(1).reveal("turn_river")
    assert river.raise_(1, 1).status == "open"
    assert river.raise_(1, 2).last_refused() == ("bad_choice", "cc/dealing/13")


def test_cc_deck_2a__each_round_has_the_colour_of_its_deck():
    session = after_rounds("uth-casino-club", (3, "a", "settled"))
    assert begin_round(session, "r-2", (3, "a")) == [RoundBegun("r-2", 3, "a", turn=2, deck="red")]


def test_cc_ranking_cards__from_the_2_up_to_the_ace_which_is_low_in_a_straight():
    assert one_seat().showdown({1: ("AsJs", 4)}, "QcJh").line(1, "play") == PLAY_WINS
    assert one_seat().showdown({1: ("2s2h", 4)}, "3s3h", "KdQcTh8s6d").line(1, "play") == PLAY_LOSES
    assert one_seat().showdown({1: ("As2d", 4)}, "6c2h", "5s4d3cKh9d").line(1, "play") == PLAY_LOSES
    assert one_seat().showdown({1: ("As2d", 4)}, "KsKc", "5s4d3cKh9d").line(1, "play") == PLAY_WINS


def test_cc_dealing_limits__wagers_lie_between_the_tables_minimum_and_maximum():
    own = table(limits={"ante": ["10.00", "20.00"], "trips": ["2.00", "4.00"]})
    for ante, trips in ((10, 2), (20, 4)):
        assert own.bet(1, ante=ante, blind=ante, trips=trips).close_bets().status == "open"
    for ante, trips in ((9, 2), (21, 2), (10, 1), (10, 5)):
        refused = own.bet(1, ante=ante, blind=ante, trips=trips).close_bets().last_refused()
        spot = "table" if trips == 2 else "trips"
        assert refused == ("limit", f"cc/collection/{spot}-limit")
    assert RULES.clause("limits") == "cc/dealing/limits"


def test_cc_dealing_2__proposition_players_play():
    play = table(players={2: "tp-1"}).bet(2, ante=10, blind=10)
    assert play.showdown({2: ("AsAc", 4)}, PAIR_OF_QUEENS)["lines"][0]["bettor"] == "tp-1"


def test_cc_dealing_3a__no_trips_without_ante_and_blind():
    refused = ("missing_wager", "cc/dealing/3")
    assert table().bet(1, trips=5).close_bets().last_refused() == refused
    assert table().bet(1, trips=5, ante=10).close_bets().last_refused() == refused
    assert one_seat().bet(2, trips=5).close_bets().last_refused() == refused
    assert one_seat().bet(1, trips=5).close_bets().status == "open"


def test_cc_dealing_6__clockwise_from_seat_1_and_the_player_dealer_last():
    play = table(banker=3).bet(7, ante=10, blind=10).bet(2, ante=10, blind=10).close_bets()
    refused = ("out_of_turn", "cc/dealing/6")
    assert play.deal(1, "AsAd").last_refused() == refused
    assert play.deal(7, "AsAd").last_refused() == refused
    assert play.deal(2, "AsAd").deal("dealer", "KdKs").last_refused() == refused
    assert play.deal(2, "AsAd").deal(7, "KdKs").deal("dealer", "QhQs").status == "open"


def test_cc_dealing_7__face_down_from_a_shoe_or_a_shuffler_and_nothing_else():
    dealt = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS)
    assert dealt.result()["dealer"] == {"cards": [None, None], "hand": None, "qualifies": None}
    assert table(dealing="hand").document_refused() == ("bad_terms", "cc/dealing/7")
    for mode, wrong in (("shuffler", "As"), ("shoe", "AsAd")):
        assert one_seat(dealing=mode).close_bets().deal(1, wrong).last_refused() == ("wrong_cards", "cc/dealing/7")


def test_cc_dealing_7a__shoe_goes_round_like_the_shuffler():
    play = table(banker=3, dealing="shoe").bet(7, ante=10, blind=10).bet(2, ante=10, blind=10).close_bets()
    assert play.deal(7, "As").last_refused() == ("out_of_turn", "cc/dealing/6")
    assert play.deal(2, "As").deal("dealer", "Kd").last_refused() == ("out_of_turn", "cc/dealing/6")
    assert play.deal(2, "As").deal(7, "Kd").deal("dealer", "Qh").deal(2, "Ad").status == "open"


def test_cc_dealing_19__ante_play_blind_trips():
    play = table()
    for seat in (1, 2, 3, 4):
        play = play.bet(seat, trips=5, blind=10, ante=10)
    result = play.showdown({1: ("AsAc", 4), 2: ("JsTd", 4), 3: ("QdJd", 4), 4: ("8s8d", 0)}, "QsJc", "KdKc7h4s2d")
    assert result.spots(1) == ["ante", "play", "blind", "trips"]
    assert result.spots(2) == ["ante", "play", "blind", "trips"]
    assert result.spots(3) == ["ante", "play", "blind", "trips"]
    assert result.spots(4) == ["ante", "blind", "trips"]
    assert [result.line(seat, "ante") for seat in (1, 2, 3, 4)] == [
        "1 ante 10.00: win 1:1, paid 10.00",
        "2 ante 10.00: lose, collected 10.00",
        "3 ante 10.00: push",
        "4 ante 10.00: lose, collected 10.00",
    ]


def test_cc_dealing_20__collects_as_far_as_the_wager_reaches():
    result = one_seat(wager=45).showdown({1: ("AsJd", 4)}, PAIR_OF_QUEENS)
    assert result.lines[:2] == [
        "1 ante 10.00: lose, collected 10.00",
        "1 play 40.00: lose, collected 35.00, short 5.00",
    ]
    assert result.lines_by("cc/dealing/20") == ["1 blind 10.00: no_action, short 10.00"]


def test_cc_does_not_qualify_1__seats_clockwise_from_the_player_dealers_left():
    play = table(banker=3).bet(1, ante=10, blind=10).bet(2, ante=10, blind=10).bet(6, ante=10, blind=10)
    result = play.showdown({1: ("AsAc", 4), 2: ("Js8h", 4), 6: ("8s8d", 0)}, KING_HIGH)
    assert result["dealer"]["qualifies"] is False
    assert result.seats() == [6, 1, 2]


def test_cc_does_not_qualify_1b__play_blind_and_trips_as_usual():
    play = one_seat().bet(1, trips=5).bet(2, ante=20, blind=20, trips=5)
    result = play.showdown({1: ("8s6d", 4), 2: ("3s2h", 4)}, "QsJc", "Kd9c7h5s4d")
    assert result["dealer"]["qualifies"] is False
    assert result.lines_at(1) == [
        "1 ante 10.00: push",
        "1 play 40.00: win 1:1, paid 40.00",
        "1 blind 10.00: win 1:1, paid 10.00",
        "1 trips 5.00: win 5:1, paid 25.00",
    ]
    assert result.lines_at(2) == [
        "2 ante 20.00: push",
        "2 play 80.00: lose, collected 80.00",
        "2 blind 20.00: lose, collected 20.00",
        "2 trips 5.00: lose, collected 5.00",
    ]


def test_cc_does_not_qualify_1b__order_is_that_of_version_1():
    settled = one_seat().bet(2, ante=20, blind=20).played({1: ("3s2h", 4), 2: ("AsTc", 0)}, KING_HIGH, "Kd9c7h5s4d")
    assert settled.result().spots(1) == ["ante", "play", "blind"]
    assert settled.result().lines == settled.result_under(1).lines


def test_cc_qualifies_1b__best_five_of_seven_cards():
    result = one_seat().showdown({1: ("5s3c", 4)}, "6s5d", "AhKdQc9s7h")
    assert result.line(1, "play") == PLAY_PUSHES
    assert one_seat().showdown({1: ("Ks5d", 4)}, PAIR_OF_QUEENS).line(1, "play") == PLAY_WINS


def test_cc_qualifies_2b__lower_hand_loses_play_ante_and_blind():
    result = one_seat().showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS)
    assert result.lines_by("cc/qualifies/2b") == [
        "1 ante 10.00: lose, collected 10.00",
        "1 play 40.00: lose, collected 40.00",
        "1 blind 10.00: lose, collected 10.00",
    ]


def test_cc_qualifies_3a__gives_way_to_clause_19():
    result = one_seat().showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS)
    assert result.spots(1) == ["ante", "play", "blind"]
    assert RULES.clauses["cc/qualifies/3a"].contradicts == ("cc/dealing/19",)
    assert RULES.clauses["cc/dealing/19"].contradicts == ("cc/qualifies/3a",)


def test_cc_qualifies_7__blind_and_trips_are_paid_by_the_pay_tables():
    hole, board = MADE["flush"]
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "blind") == "1 blind 10.00: win 3:2, paid 15.00"
    assert result.line(1, "trips") == "1 trips 5.00: win 6:1, paid 30.00"


@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-04"])
def test_cc_trips_pays__from_three_of_a_kind_upward(made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.lines_by("cc/qualifies/8") == [f"1 trips 5.00: win {odds}, paid {paid}"]


@pytest.mark.parametrize(("hole", "board"), [("9s9d", BOARD), ("9sJd", "9h9cKd4s2d"), ("5s3c", "9s9d9hAcKd")])
def test_cc_trips_hole_cards__both_one_or_none_make_the_three(hole: str, board: str):
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, PAIR_OF_QUEENS, board)
    assert result.line(1, "trips") == "1 trips 5.00: win 3:1, paid 15.00"


def test_cc_trips_ante_and_blind__are_needed_for_trips():
    assert table().bet(1, trips=5).close_bets().last_refused() == ("missing_wager", "cc/dealing/3")
    assert one_seat().bet(1, trips=5).close_bets().status == "open"


def test_cc_trips_before_the_deal__not_after_the_call():
    assert one_seat().close_bets().bet(1, trips=5).last_refused() == ("out_of_turn", "cc/dealing/5a")


def test_cc_trips_backline__backline_bettor_has_trips():
    play = one_seat().bet(1, "b-1", "backline", ante=5, blind=5, trips=2).deal_out({1: "9s9d"}, PAIR_OF_QUEENS)
    result = play.raise_(1, 4).raise_(1, 4, "b-1").reveal_all().settle().result()
    assert result.line(1, "trips", bettor="b-1") == "1/b-1 trips 2.00: win 3:1, paid 6.00"


@pytest.mark.parametrize(("board", "outcome"), [("9s9d9hAcKd", "win"), ("9s9dQhAcKd", "lose")])
def test_cc_trips_no_push__wins_or_loses_even_on_a_tie(board: str, outcome: str):
    result = one_seat().bet(1, trips=5).showdown({1: ("5s3c", 4)}, "6s5d", board)
    assert result.line(1, "play") == PLAY_PUSHES
    assert result.line(1, "trips").startswith(f"1 trips 5.00: {outcome}")


@pytest.mark.parametrize(
    ("hole", "dealer", "play", "outcome"),
    [("9s9d", "KsKc", PLAY_LOSES, "win"), ("AsAc", PAIR_OF_QUEENS, PLAY_WINS, "lose")],
)
def test_cc_trips_independent__of_the_other_wagers(hole: str, dealer: str, play: str, outcome: str):
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, dealer)
    assert result.line(1, "play") == play
    assert result.line(1, "trips").startswith(f"1 trips 5.00: {outcome}")


def test_cc_trips_paid_by__player_dealer():
    result = one_seat().bet(1, trips=5).showdown({1: ("9s9d", 0)}, PAIR_OF_QUEENS)
    assert result.line(1, "trips") == "1 trips 5.00: win 3:1, paid 15.00"
    assert result["lines"][-1]["from"] == "bank"
    assert result["bank"]["paid"] == "15.00"


def test_cc_trips_coverage__goes_back_once_the_wager_is_used_up():
    result = one_seat(wager=50).bet(1, trips=5).showdown({1: ("9s9d", 4)}, PAIR_OF_QUEENS)
    assert result.lines_by("cc/dealing/20") == ["1 blind 10.00: no_action", "1 trips 5.00: no_action, short 15.00"]


@pytest.mark.parametrize(("made", "odds", "paid"), TRIPS["UTH-04"])
def test_cc_trips_pay_table__pays(made: str, odds: str, paid: str):
    hole, board = MADE[made]
    result = one_seat().bet(1, trips=5).showdown({1: (hole, 4)}, DEUCES, board)
    assert result.line(1, "trips") == f"1 trips 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["UTH-04"].clause == "cc/trips/pay-table"


def test_cc_trips_pay_table__is_the_only_one():
    assert one_seat(trips="UTH-04").close_bets().status == "open"
    for other in ("UTH-01", "UTH-02", "UTH-03"):
        assert table(trips=other).document_refused() == ("bad_terms", "cc/qualifies/8")


def test_cc_collection_fee__flat_and_taken_before_the_first_card():
    closed = table().bet(1, ante=150, blind=150).close_bets()
    fee = {"action": "300.00", "amount": "2.00", "schedule": 1}
    assert closed.result()["fee"] == fee
    assert closed.deal(1, "AsAc").result()["fee"] == fee
    assert table().bet(1, ante=150, blind=150).result()["fee"] is None


def test_cc_collection_fee__players_and_their_play_wagers_pay_none():
    result = table().bet(1, ante=50, blind=50).showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    assert result["fee"] == {"action": "100.00", "amount": "1.00", "schedule": 1}
    assert result["bank"] == {"wager": "100000.00", "paid": "250.00", "collected": "0.00", "net": "-250.00"}


@pytest.mark.parametrize(
    ("ante", "trips", "action", "fee"),
    [
        ("5.00", "1.00", "11.00", "1.00"),
        ("49.50", "1.00", "100.00", "1.00"),
        ("49.50", "1.01", "100.01", "2.00"),
        ("149.50", "1.00", "300.00", "2.00"),
        ("149.50", "1.01", "300.01", "5.00"),
        ("299.50", "1.00", "600.00", "5.00"),
        ("299.50", "1.01", "600.01", "8.00"),
        ("499.50", "1.00", "1000.00", "8.00"),
        ("499.50", "1.01", "1000.01", "10.00"),
        ("500.00", "50.00", "1050.00", "10.00"),
    ],
)
def test_cc_collection_schedule_1__takes(ante: str, trips: str, action: str, fee: str):
    play = table(chip="0.01").bet(1, ante=ante, blind=ante, trips=trips).close_bets()
    assert play.result()["fee"] == {"action": action, "amount": fee, "schedule": 1}
    assert RULES.schedules[1].clause == "cc/collection/schedule-1"


def test_cc_collection_table_limit__from_5_to_500():
    for ante in ("5.00", "500.00"):
        assert table().bet(1, ante=ante, blind=ante).close_bets().status == "open"
    for ante in ("4.50", "500.50"):
        play = table(chip="0.50").bet(1, ante=ante, blind=ante).close_bets()
        assert play.last_refused() == ("limit", "cc/collection/table-limit")
    assert (RULES.spots["ante"].limits, RULES.spots["ante"].printed) == ((500, 50_000), True)


@pytest.mark.parametrize("limits", [["4.00", "500.00"], ["5.00", "501.00"]])
def test_cc_collection_table_limit__binds_the_tables_own(limits: list[str]):
    assert table(limits={"ante": limits}).document_refused() == ("bad_terms", "cc/collection/table-limit")
    assert table(limits={"ante": ["5.00", "500.00"]}).status == "open"


def test_cc_collection_trips_limit__anything_up_to_50():
    play = one_seat(chip="0.01")
    for trips in ("0.01", "50.00"):
        assert play.bet(1, trips=trips).close_bets().status == "open"
    assert play.bet(1, trips="50.01").close_bets().last_refused() == ("limit", "cc/collection/trips-limit")
    assert table(limits={"trips": ["0.00", "51.00"]}).document_refused() == ("bad_terms", "cc/collection/trips-limit")


def test_cc_california_rotation__position_is_offered_after_two_rounds():
    twice = after_rounds("uth-casino-club", (3, "a", "settled"), (3, "a", "settled"))
    with pytest.raises(Rotation):
        begin_round(twice, "r-3", (3, "a"), occupied=(1, 5))
    assert begin_round(twice, "r-3", (5, "b")) == [RoundBegun("r-3", 5, "b", turn=1, deck="blue")]


def test_cc_california_coverage__wagers_and_bonus_wagers_alike():
    result = one_seat(wager=55).bet(1, trips=5).showdown({1: ("9s9d", 4)}, PAIR_OF_QUEENS)
    assert result.line(1, "trips") == "1 trips 5.00: win 3:1, paid 5.00, short 10.00"
    lost = one_seat(wager=62).bet(1, trips=5).showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS)
    assert lost.line(1, "trips") == "1 trips 5.00: lose, collected 2.00, short 3.00"


def test_cc_california_not_covered__goes_back():
    result = one_seat(wager=10).showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS)
    assert result.lines[1:] == ["1 play 40.00: no_action, short 40.00", "1 blind 10.00: no_action, short 10.00"]


def test_cc_california_one_schedule__printed_one_and_no_other():
    assert one_seat(schedule=1).close_bets().result()["fee"]["schedule"] == 1
    for other in (None, 2, FEES):
        assert table(schedule=other).document_refused() == ("bad_terms", "cc/collection/fee")


def test_cc_california_flat_rates__no_percentage():
    percentage = {"limits": ["5.00", "500.00"], "tiers": [[None, "5%"]]}
    assert table(schedule=percentage).document_refused() == ("bad_document", None)
    fees = {one_seat().bet(1, trips=trips).close_bets().result()["fee"]["amount"] for trips in (1, 25, 50)}
    assert fees == {"1.00"}


def test_cc_california_five_rates__no_schedule_has_more():
    assert [len(schedule.tiers) for schedule in RULES.schedules.values()] == [5]


# ---- what the document leaves open, and how it is read here


def test_cc_decision_order_of_wagers__lost_hand_settles_its_ante_first():
    result = one_seat(wager=10).bet(1, trips=5).showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS)
    assert result.lines == [
        "1 ante 10.00: lose, collected 10.00",
        "1 play 40.00: no_action, short 40.00",
        "1 blind 10.00: no_action, short 10.00",
        "1 trips 5.00: no_action, short 5.00",
    ]


def test_cc_decision_proposition_players__bank():
    play = table(players={2: "tp-1", 7: "tp-2"}).bet(2, ante=10, blind=10)
    assert play.showdown({2: ("AsAc", 4)}, PAIR_OF_QUEENS)["bank"]["net"] == "-50.00"
    assert play.bet(2, "tp-2", "backline", ante=10).last_refused() == ("bad_choice", "cc/qualifies/9")


def test_cc_decision_rotation__same_person_banks_again_when_all_others_decline():
    twice = after_rounds("uth-casino-club", (3, "a", "settled"), (3, "a", "settled"))
    begun = begin_round(twice, "r-3", (3, "a"), declined=(5, 1), occupied=(1, 3, 5))
    assert begun == [
        BankOffered(5, "seat-5"),
        BankDeclined(5, "seat-5"),
        BankOffered(1, "seat-1"),
        BankDeclined(1, "seat-1"),
        RoundBegun("r-3", 3, "a", turn=1, deck="blue"),
    ]


@pytest.mark.parametrize("declined", [(), (5,), (1,), (1, 5)])
def test_cc_decision_rotation__not_before_every_other_seat_was_offered_it_clockwise(declined: tuple[int, ...]):
    twice = after_rounds("uth-casino-club", (3, "a", "settled"), (3, "a", "settled"))
    with pytest.raises(Rotation):
        begin_round(twice, "r-3", (3, "a"), declined=declined, occupied=(1, 3, 5))


def test_cc_decision_total_action__every_wager_before_the_deal_and_none_after():
    play = one_seat().bet(1, trips=5).bet(1, "b-1", "backline", ante=20, blind=20, trips=6)
    dealt = play.deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).raise_(1, 4, "b-1")
    assert dealt.reveal_all().settle().result()["fee"] == {"action": "71.00", "amount": "1.00", "schedule": 1}


@pytest.mark.parametrize(("trips", "action", "fee"), [("1.00", "100.00", "1.00"), ("1.01", "100.01", "2.00")])
def test_cc_decision_fee_bounds__tier_reaches_up_to_and_including_its_bound(trips: str, action: str, fee: str):
    play = table(chip="0.01").bet(1, ante="49.50", blind="49.50", trips=trips).close_bets()
    assert play.result()["fee"] == {"action": action, "amount": fee, "schedule": 1}


def test_cc_decision_wager_by_wager__limits_hold_for_each_wager_by_itself():
    play = table().bet(1, ante=500, blind=500, trips=50).bet(1, "b-1", "backline", ante=500, blind=500, trips=50)
    dealt = play.deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).raise_(1, 4, "b-1").reveal_all().settle().result()
    assert dealt.line(1, "play") == "1 play 2000.00: win 1:1, paid 2000.00"
    refused = one_seat().bet(1, "b-1", "backline", ante=4, blind=4).close_bets()
    assert refused.last_refused() == ("limit", "cc/collection/table-limit")
    assert RULES.clauses["cc/collection/table-limit"].contradicts == ("cc/collection/trips-limit",)


def test_cc_decision_void__gives_everything_back_and_keeps_the_fee():
    shown = one_seat().deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all()
    result = shown.void("irregularity", "A card was found on the floor.").result()
    assert (result["status"], result["lines"]) == ("void", [])
    assert result["bank"] == {"wager": "100000.00", "paid": "0.00", "collected": "0.00", "net": "0.00"}
    assert result["fee"] == {"action": "20.00", "amount": "1.00", "schedule": 1}


def test_cc_decision_coverage__one_pool_is_used_up_by_paying_and_by_collecting():
    result = four_seats(table(wager=1000))
    assert result.lines == [
        "1 ante 100.00: lose, collected 100.00",
        "1 play 400.00: lose, collected 400.00",
        "1 blind 100.00: lose, collected 100.00",
        "2 ante 100.00: lose, collected 100.00",
        "2 play 400.00: lose, collected 300.00, short 100.00",
        "2 blind 100.00: no_action, short 100.00",
        "3 ante 200.00: no_action, short 200.00",
        "3 play 800.00: no_action, short 800.00",
        "3 blind 200.00: no_action, short 200.00",
        "4 ante 50.00: no_action, short 50.00",
        "4 play 200.00: no_action, short 200.00",
        "4 blind 50.00: no_action, short 50.00",
    ]
    assert result["bank"] == {"wager": "1000.00", "paid": "0.00", "collected": "1000.00", "net": "1000.00"}


def test_cc_decision_coverage__separate_limits_where_the_table_names_them():
    result = four_seats(table(wager=1000, coverage="separate-limits"))
    assert result.lines[5:] == [
        "2 blind 100.00: no_action, short 100.00",
        "3 ante 200.00: win 1:1, paid 200.00",
        "3 play 800.00: win 1:1, paid 800.00",
        "3 blind 200.00: no_action, short 200.00",
        "4 ante 50.00: no_action, short 50.00",
        "4 play 200.00: no_action, short 200.00",
        "4 blind 50.00: no_action, short 50.00",
    ]
    assert result["bank"] == {"wager": "1000.00", "paid": "1000.00", "collected": "1000.00", "net": "0.00"}
    assert table(coverage="none").document_refused() == ("bad_terms", "cc/dealing/20")


def test_cc_decision_one_pass__folded_wagers_wait_for_their_turn():
    play = one_seat(wager=20).bet(2, ante=10, blind=10)
    result = play.showdown({1: ("JsTd", 1), 2: ("AsTc", 0)}, PAIR_OF_QUEENS)
    assert result.lines == [
        "1 ante 10.00: lose, collected 10.00",
        "1 play 10.00: lose, collected 10.00",
        "1 blind 10.00: no_action, short 10.00",
        "2 ante 10.00: no_action, short 10.00",
        "2 blind 10.00: no_action, short 10.00",
    ]


@pytest.mark.parametrize("hole", ["????", "As??"])
def test_cc_decision_folded_hands__hand_with_trips_is_turned_over_before_it_is_settled(hole: str):
    play = one_seat().bet(1, trips=5).deal_out({1: hole}, PAIR_OF_QUEENS, "9s9d9h9cKd")
    folded = play.fold_at_the_end(1)
    assert folded.settle().last_refused() == ("out_of_turn", "cc/decision/folded-hands")
    seen = folded.reveal(1, "AsAc").settle().result()
    assert seen.line(1, "trips") == "1 trips 5.00: win 20:1, paid 100.00"
    lost = folded.settle().result_under(1).lines_by("cc/decision/unseen-fold")
    assert lost == ["1 trips 5.00: lose, collected 5.00"]

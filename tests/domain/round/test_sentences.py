"""Sentences that were untrue or read oddly, each as a patron reads it now."""

from typing import Any

import pytest

from tests.rules.hold_em import BOARD, KING_HIGH, PAIR_OF_QUEENS, HoldEm
from tests.rules.rounds import Play

METER = {"seed": "10000.00", "shown": "25000.00", "reserve": "0.00", "percent": 25, "reserve_percent": 5}


def reason(lines: list[dict[str, Any]], spot: str, bettor: str | None = None) -> str:
    (line,) = [line for line in lines if line["spot"] == spot and bettor in (None, line["bettor"])]
    return str(line["reason"])


def progressive(table: str, hand: str, board: str, dealer: str = "8c7d", times: int = 4) -> str:
    play = HoldEm.at("uth-sd", progressive=table, meter=METER, trips="UTH-01")
    wager = 5 if table == "PMG-02" else 1
    result = play.bet(1, ante=10, blind=10, progressive=wager).showdown({1: (hand, times)}, dealer, board)
    return reason(result.fields["lines"], "progressive")


def test_a_straight_flush_outside_the_first_five_says_that_the_later_cards_do_not_count():
    assert progressive("PMG-01", "9h8h", "7h6h2c5hKd") == (
        "Your two cards and the flop make nine high, which the progressive does not pay; the later cards, with which"
        " you have a nine-high straight flush, do not count: the progressive wager of $1.00 is lost."
    )


def test_a_hand_that_no_card_helps_says_only_what_it_is():
    assert progressive("PMG-01", "9h8d", "Kd4s2c3hJs") == (
        "Your two cards and the flop make king high, which the progressive does not pay: the progressive wager of"
        " $1.00 is lost."
    )


def test_a_community_royal_flush_says_that_it_is_on_the_board():
    assert progressive("UTHP-01", "9h8d", "AsKsQsJsTs").startswith("The five cards of the board are a royal flush: ")


def test_a_royal_flush_outside_the_first_five_says_so():
    outside = "You made a royal flush, though not with your two cards and the flop alone: the progressive pays 5% of"
    assert progressive("UTHP-01", "AsKs", "QsJs2cTs3d").startswith(outside)


def test_a_royal_flush_in_the_first_five_says_so():
    assert progressive("UTHP-01", "AsKs", "QsJsTs2c3d").startswith("Your two cards and the flop make a royal flush: ")


def test_an_award_says_how_much_it_is_and_whether_a_fraction_of_a_cent_was_dropped():
    whole = progressive("UTHP-01", "9s9d", "9hKcKd4s3h")
    assert whole.endswith("the progressive pays 10 for 1, $10.00; the wager itself stays in.")
    share = progressive("UTHP-01", "AsKs", "QsJs2cTs3d")
    assert share.endswith("(a fraction of a cent is dropped); the wager itself stays in.")


def test_a_table_that_pays_every_royal_flush_alike_does_not_speak_of_the_flop():
    assert progressive("UTHP-02", "AsKs", "QsJs2cTs3d").startswith("You made a royal flush: ")


def banked(coverage: str, wager: int) -> list[dict[str, Any]]:
    """Seat 1 wins 30.00 and 10.00, seat 2 loses 40.00 and 10.00 and 10.00, seat 3 wins like seat 1."""
    play = HoldEm.at("uth-casino-club", banker=7, wager=wager, coverage=coverage)
    for seat in (1, 2, 3):
        play = play.bet(seat, ante=10, blind=10)
    hands = {1: ("AsAd", 3), 2: ("5c3c", 4), 3: ("AcAh", 3)}
    return list(play.showdown(hands, PAIR_OF_QUEENS).fields["lines"])


def no_actions(lines: list[dict[str, Any]]) -> list[str]:
    return [line["reason"] for line in lines if line["outcome"] == "no_action"]


def test_no_action_under_a_single_pool_says_that_the_wager_was_used_up():
    sentences = no_actions(banked("single-pool", 40))
    assert sentences[0] == (
        "The player-dealer's wager of $40.00 was used up before it came to this wager, so it has no action and $10.00"
        " goes back. Had it been covered, it would have pushed, because your pair of aces beats the player-dealer's"
        " pair of queens, but the blind is paid from a straight up."
    )


def test_no_action_under_separate_limits_names_the_limit_that_was_reached():
    sentences = no_actions(banked("separate-limits", 40))
    starts = {
        sentence.partition(" as much as the wager of $40.00 before it came to this wager, so")[0]
        for sentence in sentences
    }
    already = "The player-dealer had already"
    assert starts == {f"{already} paid out", f"{already} collected", f"{already} paid out and collected"}


@pytest.mark.parametrize("coverage", ["single-pool", "separate-limits"])
def test_no_action_never_reads_as_a_second_result(coverage: str):
    for sentence in no_actions(banked(coverage, 40)):
        assert "Otherwise" not in sentence
        assert " it would have " in sentence


def test_a_payout_cut_short_under_separate_limits_says_what_was_left_to_pay_with():
    (cut,) = [
        line["reason"]
        for line in banked("separate-limits", 35)
        if line["outcome"] == "win" and "Only" in line["reason"]
    ]
    assert "Only $25.00 of the player-dealer's wager was left to pay with, so $25.00 is paid" in cut


def test_a_dropped_fraction_of_a_cent_is_mentioned():
    play = HoldEm.at("uth-casino-club", banker=7, chip="0.01", limits={"ante": ["5.00", "500.00"]})
    lines = play.bet(1, ante="10.01", blind="10.01").showdown({1: ("AhQh", 4)}, "3s3c", "KhJh2h4s7d").fields["lines"]
    assert reason(lines, "blind").endswith("blind pays 3 to 2, $15.01 on $10.01 (a fraction of a cent is dropped).")
    assert "dropped" not in reason(lines, "ante")


def test_a_surrender_of_an_odd_cent_mentions_the_dropped_fraction():
    play = Play.at("p215-casino-club", banker=8, schedule=1, chip="0.01").bet(1, game="10.01").close_bets()
    play = play.deal(1, "Tc").deal("dealer", "9c").deal(1, "6d").deal("dealer", "8h")
    lines = play.decide(1, "surrender").reveal("dealer").settle().result().fields["lines"]
    assert reason(lines, "game") == (
        "The hand was surrendered: half of the wager, $5.00 (a fraction of a cent is dropped), is forfeited."
    )


def test_equal_hands_decided_by_other_cards_have_one_but():
    play = HoldEm.at("uth-casino-club", banker=7).bet(1, ante=10, blind=10)
    lines = play.showdown({1: ("AsKc", 4)}, "QsKh", BOARD).fields["lines"]
    assert reason(lines, "blind") == (
        "You and the player-dealer both made a pair of kings, and your other cards are higher, but the blind is paid"
        " from a straight up: the $10.00 blind wager pushes."
    )


def test_a_tip_is_not_told_of_its_own_hand():
    play = HoldEm.at("uth-sd", trips="UTH-01").bet(1, ante=10, blind=10, trips=5)
    play = play.bet(1, bettor="tip-1", kind="toke", ante=5, blind=5, trips=5)
    lines = play.showdown({1: ("KsKh", 4)}, PAIR_OF_QUEENS).fields["lines"]
    assert reason(lines, "trips", "tip-1").startswith("The player made three kings: ")
    assert reason(lines, "ante", "tip-1").startswith("The player's three kings beat the dealer's pair of queens: ")
    assert not any(
        "our" in line["reason"].split() or "You" in line["reason"] for line in lines if line["bettor"] == "tip-1"
    )
    assert reason(lines, "trips", "seat-1").startswith("You made three kings: ")


def test_a_doubled_hand_does_not_stand():
    play = Play.at("p215-casino-club", banker=8, schedule=1).bet(1, game=10).close_bets()
    play = play.deal(1, "6c").deal("dealer", "9c").deal(1, "5d").deal("dealer", "6h")
    play = play.decide(1, "double", amount=10).deal(1, "7c").reveal("dealer").deal("dealer", "Td")
    lines = play.settle().result().fields["lines"]
    for spot in ("game", "double"):
        assert reason(lines, spot).startswith("The player-dealer is over 21.5 with 25, and your hand has 18: ")


def test_the_play_wager_of_three_card_poker_has_no_action_where_the_player_dealer_does_not_qualify():
    play = Play.at("tcp-casino-club", banker=7, schedule=1).bet(1, ante=10).close_bets()
    play = play.deal(1, "8c8d2h").deal("dealer", "Jc7d2s").decide(1, "play").reveal("dealer").settle()
    (line,) = [line for line in play.result().fields["lines"] if line["spot"] == "play"]
    assert line["outcome"] == "push"
    assert line["reason"].endswith("does not qualify: the $10.00 play wager has no action and goes back.")


def test_spots_of_two_words_are_written_as_two_words():
    play = Play.at("tcp-casino-club", banker=7, schedule=1).bet(1, ante=10, six_card=30).close_bets()
    assert "seat-1's six card wager of $30.00" in play.adjudicated()["error"]["detail"]


def test_a_dealer_that_does_not_qualify_is_compared_with_the_least_that_does():
    play = HoldEm.at("uth-house").bet(1, ante=10, blind=10)
    lines = play.showdown({1: ("AsJd", 4)}, KING_HIGH).fields["lines"]
    assert reason(lines, "ante") == (
        "The dealer made king high, less than a pair, and does not qualify: the $10.00 ante wager pushes."
    )


def test_a_payout_that_was_cut_short_says_what_was_left_and_what_is_not_covered():
    play = HoldEm.at("uth-club", banker=7, wager=45).bet(1, ante=10, blind=10)
    lines = play.showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).fields["lines"]
    assert reason(lines, "play").endswith(
        " Only $35.00 of the player-dealer's wager was left for it, so $35.00 is paid and $5.00 is not covered."
    )
    lines = play.showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS).fields["lines"]
    assert reason(lines, "ante").endswith(
        " Only $5.00 of the player-dealer's wager was left for it, so $5.00 is collected and $5.00 goes back."
    )


def test_separate_limits_are_named_where_one_of_them_cuts_a_wager_short():
    play = HoldEm.at("uth-club", banker=7, wager=45, coverage="separate-limits").bet(1, ante=10, blind=10)
    lines = play.showdown({1: ("AsAc", 4)}, PAIR_OF_QUEENS).fields["lines"]
    assert reason(lines, "play").endswith(
        " Only $35.00 of the player-dealer's wager was left to pay with, so $35.00 is paid and $5.00 is not covered."
    )
    lines = play.showdown({1: ("JsTd", 4)}, PAIR_OF_QUEENS).fields["lines"]
    assert reason(lines, "ante").endswith(
        " Only $5.00 of the player-dealer's wager was left to collect by, so $5.00 is collected and $5.00 goes back."
    )


@pytest.mark.parametrize(
    ("hole", "used_up"),
    [
        ("AsAc", "The player-dealer had already paid out as much as the wager of $50.00"),
        ("JsTd", "The player-dealer had already collected as much as the wager of $50.00"),
    ],
)
def test_a_wager_without_action_says_what_the_bank_was_used_up_by(hole: str, used_up: str):
    play = HoldEm.at("uth-club", banker=7, wager=50, coverage="separate-limits").bet(1, ante=10, blind=10, trips=5)
    made = "9s9d" if hole == "AsAc" else hole  # three nines win trips too
    lines = play.showdown({1: (made, 4)}, PAIR_OF_QUEENS).fields["lines"]
    assert reason(lines, "trips").startswith(f"{used_up} before it came to this wager, so it has no action")

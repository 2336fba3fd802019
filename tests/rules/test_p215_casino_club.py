"""Pure 21.5 Blackjack with Buster and Red Flex, clause by clause."""

import datetime
from typing import Any

import pytest

from domain.documents.document import read_document
from domain.round.events import (
    DecisionFollowed,
    DecisionMade,
    InsurancePlaced,
    RoundEvent,
    RoundOpened,
    WagerPlaced,
    WagerWithdrawn,
)
from domain.round.replay import play
from domain.rules.rulesets import RuleSetError, in_force, load, parse
from tests.rules.button_games import ButtonGame, Tiers, banked, both_sides, p215, spread
from tests.rules.rounds import Result

RULES = load("p215-casino-club")
BONUS = "KQJT"
OUT_OF_TURN = "out_of_turn"


def box(mine: str, dealer: str, *bets: str, stake: str = "10.00", **table: Any) -> ButtonGame:
    """Seat 1 has a game wager of 10.00 and everybody their first two cards; no hole card is checked yet."""
    return p215(f"1 game {stake}", *bets, cards=f"1: {mine}, dealer: {dealer}", **table)


def over(dealer: str, *bets: str, mine: str = "Th 8s", choices: tuple[str, ...] = ("1 stand",), **table: Any) -> Result:
    """A whole round: the player-dealer's cards are the first two and then those that are drawn."""
    up, hole, *draws = dealer.split()
    played = box(mine, f"{up} {hole}", *bets, **table)
    if up[0] in f"A{BONUS}":
        played = played.then("peek")
    return played.then(*choices, "reveal dealer", *(f"dealer gets {card}" for card in draws), "settle").result()


def opened(game: ButtonGame) -> RoundOpened:
    return read_document({**game.envelope, "actions": []}).opening.opened


def last_event(played: ButtonGame) -> RoundEvent:
    document = read_document({**played.envelope, "actions": list(played.actions)})
    return play(document.opening, document.actions)[1][-1]


# ---- the bank


def test_p215_game_rotation__the_bank_is_offered_after_two_rounds():
    assert RULES.rotation == "offered"
    assert RULES.clause("rotation") == "p215/game/rotation"


@pytest.mark.parametrize("declined", [[8], [3, 3], [3, 8]])
def test_p215_game_rotation__an_offer_goes_once_to_each_other_seat(declined: list[int]):
    assert p215(declined=declined).document_refused() == ("bad_document", "p215/game/rotation")


def test_p215_decision_rotation__those_who_declined_are_recorded_in_their_order():
    declined = [1, 2, 3, 4, 5, 6, 7]
    assert opened(p215(declined=declined)).declined == tuple(declined)
    assert opened(p215(declined=[4, 2])).declined == (4, 2)
    assert p215(declined=declined).status == "open"
    assert p215(declined=[9]).document_refused() == ("bad_document", "p215/dealing/1")


@pytest.mark.parametrize("wager", ["0.01", "17.53", "999999999999.99"])
def test_p215_dealing_11__the_bank_puts_up_what_it_likes(wager: str):
    result = over("6d Kc 3s", "1 buster 5.00", "1 red_flex 2.00", wager=wager)
    assert result["bank"]["wager"] == wager
    assert result["exposure"] == {"action": "17.00", "liability": "1730.00"}
    assert {line["from"] for line in result["lines"]} == {"bank"}


def test_p215_dealing_11__the_house_does_not_bank():
    assert p215(banker=None).document_refused() == ("bad_document", "p215/dealing/11")
    assert RULES.bank == "player-dealer"


@pytest.mark.parametrize("text", ["8 game 10.00", "8/b-1 game 10.00", "1/seat-8 game 10.00"])
def test_p215_dealing_11__the_player_dealer_places_no_wager(text: str):
    assert p215(text).last_refused() == ("bad_choice", "p215/dealing/11")


# A split hand with a double, two bonus wagers and a second seat, the button on seat 1. The player-dealer's 18 beats
# all of seat 1 and loses to seat 2.
LOSING = p215(
    *("1 game 10.00", "1 red_flex 5.00", "1 buster 5.00", "2 game 10.00"),
    cards="1: 8h 8c, 2: Th 9s, dealer: 7d Ac",
).then("1 split", "1 gets 3d", "1#2 gets 9c", "1 double 10.00", "1 gets 2h", "1#2 stand", "2 stand", "reveal dealer")

# The same hands against a player-dealer who goes over: everything wins but red flex.
WINNING = p215(
    *("1 game 10.00", "1 red_flex 5.00", "1 buster 5.00", "2 game 10.00"),
    cards="1: 8h 8c, 2: Th 9s, dealer: 6d 8s",
).then("1 split", "1 gets 3d", "1#2 gets 9c", "1 double 10.00", "1 gets 2h", "1#2 stand", "2 stand", "reveal dealer")
WINNING = WINNING.then("dealer gets Kc")


def under(coverage: str | None, wager: str, play: ButtonGame) -> Result:
    terms = {"schedule": 1} if coverage is None else {"schedule": 1, "coverage": coverage}
    return play.on(terms=terms, player_dealer={"seat": 8, "wager": wager}).then("settle").result()


def test_p215_dealing_13__what_the_wager_does_not_cover_goes_back():
    """The bank runs out in the middle of a seat's hands."""
    result = under(None, "25.00", LOSING)
    assert result.lines == [
        "1 game 10.00: lose, collected 10.00",
        "1 double 10.00: lose, collected 10.00",
        "1#2 game 10.00: lose, collected 5.00, short 5.00",
        "1 red_flex 5.00: no_action, short 5.00",
        "1 buster 5.00: no_action, short 5.00",
        "2 game 10.00: no_action, short 10.00",
    ]
    assert result.lines_by("p215/dealing/13") == result.lines[3:]
    assert banked(result) == "paid 0.00, collected 25.00"


def test_p215_dealing_13__the_bank_pays_no_more_than_its_wager():
    result = under(None, "25.00", WINNING)
    assert result.lines == [
        "1 game 10.00: win 1:1, paid 10.00",
        "1 double 10.00: win 1:1, paid 10.00",
        "1#2 game 10.00: win 1:1, paid 5.00, short 5.00",
        "1 red_flex 5.00: no_action, short 5.00",
        "1 buster 5.00: no_action, short 5.00",
        "2 game 10.00: no_action, short 10.00",
    ]
    assert result.lines_by("p215/dealing/13") == result.lines[3:]
    assert banked(result) == "paid 25.00, collected 0.00"


def test_p215_dealing_3__read_for_separate_limits_the_wager_pays_and_collects_as_much_as_it_is():
    result = under("separate-limits", "10.00", PUSH_LAST)
    assert result.lines[:2] == ["1 game 10.00: win 1:1, paid 10.00", "2 game 10.00: lose, collected 10.00"]
    assert under("separate-limits", "8.00", PUSH_LAST).lines[:2] == [
        "1 game 10.00: win 1:1, paid 8.00, short 2.00",
        "2 game 10.00: lose, collected 8.00, short 2.00",
    ]


@pytest.mark.parametrize("wager", ["0.01", "12.00", "30.00"])
def test_p215_double_split_surrender_5_coverage__the_bank_wins_and_loses_no_more_than_it_put_up(wager: str):
    """Seat 1 alone would lose 40.00 to the bank, or win 35.00 from it."""
    assert banked(under(None, wager, LOSING)) == f"paid 0.00, collected {wager}"
    assert banked(under(None, wager, WINNING)) == f"paid {wager}, collected 0.00"


def test_p215_dealing_13__a_wager_that_is_just_enough_covers_all():
    everything = under(None, "50.00", LOSING)
    assert banked(everything) == "paid 10.00, collected 40.00"
    assert [line["shortfall"] for line in everything["lines"]] == ["0.00"] * 6
    assert under(None, "40.00", LOSING).lines[-1] == "2 game 10.00: no_action, short 10.00"
    assert under(None, "49.99", LOSING).lines[-1] == "2 game 10.00: win 1:1, paid 9.99, short 0.01"


@pytest.mark.parametrize(
    ("wager", "lines"),
    [
        ("15.00", ["1 insurance 5.00: win 2:1, paid 10.00", "1 game 10.00: lose, collected 5.00, short 5.00"]),
        ("8.00", ["1 insurance 5.00: win 2:1, paid 8.00, short 2.00", "1 game 10.00: no_action, short 10.00"]),
    ],
)
def test_p215_dealing_13__insurance_uses_the_wager_too(wager: str, lines: list[str]):
    played = box("Th 9c", "Ad Kc", wager=wager).then("1 insure 5.00", "peek", "reveal dealer", "settle")
    assert played.result().lines == lines


@pytest.mark.parametrize(
    ("wager", "lines"),
    [
        ("3.00", ["1 game 10.00: surrender, collected 3.00, short 2.00", "2 game 20.00: no_action, short 10.00"]),
        ("5.00", ["1 game 10.00: surrender, collected 5.00", "2 game 20.00: no_action, short 10.00"]),
        ("5.01", ["1 game 10.00: surrender, collected 5.00", "2 game 20.00: surrender, collected 0.01, short 9.99"]),
    ],
)
def test_p215_dealing_13__a_surrender_uses_it_by_half(wager: str, lines: list[str]):
    dealt = p215("1 game 10.00", "2 game 20.00", cards="1: Th 6c, 2: Ts 6h, dealer: 9d Ac", wager=wager)
    assert dealt.then("1 surrender", "2 surrender", "reveal dealer", "settle").result().lines == lines


def test_p215_decision_coverage__paying_and_collecting_use_up_one_pool():
    assert under("single-pool", "25.00", LOSING) == under(None, "25.00", LOSING)
    result = under("single-pool", "42.00", WINNING)
    assert result.lines[2:] == [
        "1#2 game 10.00: win 1:1, paid 10.00",
        "1 red_flex 5.00: lose, collected 5.00",
        "1 buster 5.00: win 1:1, paid 5.00",
        "2 game 10.00: win 1:1, paid 2.00, short 8.00",
    ]


def test_p215_decision_coverage__a_table_may_name_separate_limits():
    losing = under("separate-limits", "25.00", LOSING)
    assert losing.lines[2:] == [
        "1#2 game 10.00: lose, collected 5.00, short 5.00",
        "1 red_flex 5.00: no_action, short 5.00",
        "1 buster 5.00: no_action, short 5.00",
        "2 game 10.00: win 1:1, paid 10.00",
    ]
    winning = under("separate-limits", "25.00", WINNING)
    assert winning.lines[2:] == [
        "1#2 game 10.00: win 1:1, paid 5.00, short 5.00",
        "1 red_flex 5.00: lose, collected 5.00",
        "1 buster 5.00: no_action, short 5.00",
        "2 game 10.00: no_action, short 10.00",
    ]
    assert (banked(losing), banked(winning)) == ("paid 10.00, collected 25.00", "paid 25.00, collected 5.00")


PUSH_LAST = p215(
    *("1 game 10.00", "2 game 10.00", "3 game 10.00"), cards="1: Th 9s, 2: 9h 8h, 3: Ts 8c, dealer: 7d Ac"
).then("1 stand", "2 stand", "3 stand", "reveal dealer")


@pytest.mark.parametrize(
    ("wager", "single_pool", "separate_limits"),
    [
        ("10.00", "no_action", "no_action"),
        ("10.01", "no_action", "push"),
        ("20.00", "no_action", "push"),
        ("20.01", "push", "push"),
    ],
)
def test_p215_decision_coverage__a_push_needs_something_left(wager: str, single_pool: str, separate_limits: str):
    """10.00 is paid to seat 1 and 10.00 collected from seat 2 before seat 3 pushes."""
    assert under("single-pool", wager, PUSH_LAST).lines[-1] == f"3 game 10.00: {single_pool}"
    assert under("separate-limits", wager, PUSH_LAST).lines[-1] == f"3 game 10.00: {separate_limits}"


def test_p215_decision_coverage__one_of_two_limits_is_enough_for_a_push():
    dealt = p215("1 game 10.00", "3 game 10.00", cards="1: Th 9s, 3: Ts 8c, dealer: 7d Ac")
    played = dealt.then("1 stand", "3 stand", "reveal dealer")
    assert under("separate-limits", "10.00", played).lines[-1] == "3 game 10.00: push"
    assert under("single-pool", "10.00", played).lines[-1] == "3 game 10.00: no_action"


def test_p215_decision_coverage__there_is_no_third_policy():
    assert p215(coverage="both").document_refused() == ("bad_terms", "p215/dealing/13")


@pytest.mark.parametrize(
    ("choices", "took"),
    [
        (["1 hit", "1 gets Kc"], "1 game 10.00: lose, collected 2.00, short 8.00"),
        (["1 surrender"], "1 game 10.00: surrender, collected 2.00, short 3.00"),
    ],
)
def test_p215_decision_one_pass__busts_and_surrenders_take_their_place_in_the_order(choices: list[str], took: str):
    """Seat 1 is over long before seat 3 wins, but the button is on seat 3."""
    dealt = p215("1 game 10.00", "3 game 10.00", cards="1: Th 6c, 3: Ts 9c, dealer: 8d Tc", wager="12.00")
    result = dealt.then(*choices, "3 stand", "reveal dealer", "settle").result()
    assert result.lines == ["3 game 10.00: win 1:1, paid 10.00", took]


def test_p215_decision_pure_at_once__its_money_moves_in_the_order_of_action():
    dealt = p215("1 game 10.00", "5 game 10.00", cards="1: Ah Kc, 5: Ts Kd, dealer: 6d 5c")
    assert dealt.then("1 stand").last_refused()[0] == OUT_OF_TURN
    played = dealt.then("5 stand", "reveal dealer", "dealer gets 8h")
    assert under(None, "10.00", played).lines == [
        "5 game 10.00: win 1:1, paid 10.00",
        "1 game 10.00: no_action, short 12.00",
    ]
    assert under(None, "22.00", played).lines[1] == "1 game 10.00: win 6:5, paid 12.00"


# ---- the deck and what cards are worth


@pytest.mark.parametrize("decks", [1, 2, 3, 4, 5, 6, 7, 8])
def test_p215_deck__as_many_copies_as_there_are_decks(decks: int):
    play = p215(*(f"{seat} game 10.00" for seat in range(1, 8)), decks=decks).then("close")
    for at, seat in enumerate((*range(1, 8), 1, 2)[: decks + 1]):
        if at == 7:
            play = play.then("dealer gets 6c")
        if at == decks:
            assert play.then(f"{seat} gets Kh").last_refused() == ("duplicate_card", "p215/deck")
        play = play.then(f"{seat} gets {'Kh' if at < decks else 'Kd'}")
    assert play.status == "open"


def test_p215_deck__a_hole_card_counts_when_it_is_turned_over():
    dealt = box("Th 9c", "6d ??", decks=1).then("1 stand")
    assert dealt.then("reveal dealer 6d 9c").last_refused() == ("duplicate_card", "p215/deck")
    assert dealt.then("reveal dealer 6d 9d", "dealer gets 9d").last_refused() == ("duplicate_card", "p215/deck")


@pytest.mark.parametrize("decks", [0, 9, -1])
def test_p215_deck__one_to_eight_decks(decks: int):
    assert p215(decks=decks).document_refused() == ("bad_terms", "p215/deck")


@pytest.mark.parametrize("rank", BONUS)
def test_p215_deck__kings_queens_jacks_and_tens_are_bonus_cards(rank: str):
    """They make a Pure 21.5, they are looked under, and two of them may be split."""
    assert over("6d 9c", mine=f"Ah {rank}c", choices=()).lines == ["1 game 10.00: win 6:5, paid 12.00"]
    assert box("9h 7c", f"{rank}d 5c").then("peek").status == "open"
    for other in BONUS:
        assert box(f"{rank}h {other}c", "6d 5c").then("1 split").status == "open"


def test_p215_decision_usual_decks__six_unless_the_table_names_another_number():
    play = p215(*(f"{seat} game 10.00" for seat in range(1, 8))).then("close")
    play = play.then(*(f"{seat} gets Kh" for seat in range(1, 7)))
    assert play.then("7 gets Kh").last_refused() == ("duplicate_card", "p215/deck")
    assert RULES.usual_decks == 6


@pytest.mark.parametrize("mine", [f"Ah {rank}c" for rank in BONUS] + [f"{rank}c Ah" for rank in BONUS])
def test_p215_values_pure__an_ace_and_a_bonus_card_pay_6_to_5(mine: str):
    """Even against a 21 of three cards."""
    dealt = p215("1 game 10.00", "2 game 10.00", cards=f"1: {mine}, 2: Ts 8s, dealer: 6d 5c")
    result = dealt.then("2 stand", "reveal dealer", "dealer gets Ts", "settle").result()
    assert result.lines_by("p215/values/pure") == ["1 game 10.00: win 6:5, paid 12.00"]
    assert result["dealer"]["hand"] == "21"


@pytest.mark.parametrize(
    ("stake", "paid"), [("5.00", "6.00"), ("7.00", "8.40"), ("25.00", "30.00"), ("33.00", "39.60")]
)
def test_p215_values_pure__six_fifths_of_the_wager(stake: str, paid: str):
    dealt = p215(f"1 game {stake}", cards="1: Ah Kc, dealer: 6d 5c").then("reveal dealer", "settle")
    assert dealt.result().lines == [f"1 game {stake}: win 6:5, paid {paid}"]


@pytest.mark.parametrize(
    ("mine", "choices"), [("Ah 9c", ("1 hit", "1 gets As", "1 stand")), ("5h 6c", ("1 hit", "1 gets Ks"))]
)
def test_p215_values_pure__a_21_of_three_cards_is_none(mine: str, choices: tuple[str, ...]):
    result = over("9d Tc", mine=mine, choices=choices)
    assert result.lines == ["1 game 10.00: win 1:1, paid 10.00"]
    assert result.lines_by("p215/values/pure") == []


@pytest.mark.parametrize("rank", BONUS)
def test_p215_values_bonus__it_counts_10_and_10_and_a_half_beside_an_ace(rank: str):
    assert over(f"9d {rank}c")["dealer"]["hand"] == "19"
    dealt = p215("1 game 10.00", "2 game 10.00", cards=f"1: Ah {rank}c, 2: Ts 8s, dealer: 6d 5c")
    result = dealt.then("2 stand", "reveal dealer", "dealer gets Ts", "settle").result()
    assert result.line(1, "game") == "1 game 10.00: win 6:5, paid 12.00"  # 21.5 against 21


def test_p215_object__who_comes_closer_without_going_over_wins():
    wins, loses = "1 game 10.00: win 1:1, paid 10.00", "1 game 10.00: lose, collected 10.00"
    assert over("Td 8c", mine="Th 9c").lines == [wins]
    assert over("Td Kc", mine="Th 9c").lines == [loses]
    assert over("Td 8c", mine="Th 6c", choices=("1 hit", "1 gets 6s")).lines == [loses]


@pytest.mark.parametrize(
    ("dealer", "name"),
    [
        ("9d 8c", "17"),
        ("Kd 7c", "17"),
        ("Qd Jc", "20"),
        ("Td 9c", "19"),
        ("Ad 7c", "soft 18"),
        ("9d Ac", "soft 20"),
        ("6d 5c Th", "21"),
        ("Ad 6c Th", "17"),
        ("Ad 6c 4h", "soft 21"),
        ("Ad Ac 9h", "soft 21"),
        ("Ad 2c 3h 4d", "soft 20"),
        ("5d Ac Th Ah", "17"),
        ("2d 3c 4h 5d 6c", "20"),
        ("8d 7c Ah Ad", "17"),
        ("Td 6c 6h", "bust"),
        ("8d 6c Ah 7d", "bust"),
        ("Ad Kc", "pure 21.5"),
        ("Jd Ac", "pure 21.5"),
    ],
)
def test_p215_values_ace__an_ace_is_11_unless_that_is_too_much(dealer: str, name: str):
    choices = () if name == "pure 21.5" else ("1 stand",)
    result = over(dealer, choices=choices)
    assert result["dealer"] == {"cards": dealer.split(), "hand": name, "qualifies": None}


@pytest.mark.parametrize(("up", "name"), [("6d", "6"), ("Td", "10"), ("Kd", "10"), ("Ad", "soft 11"), ("2d", "2")])
def test_p215_values_ace__a_lone_card_has_its_value_too(up: str, name: str):
    dealt = p215("1 game 10.00").then("close", "1 gets 9h", f"dealer gets {up}")
    assert dealt.result()["dealer"] == {"cards": [up], "hand": name, "qualifies": None}


# ---- seats, limits, bets


def test_p215_dealing_1__eight_sit_at_a_table():
    bets = [f"{seat} game 10.00" for seat in (1, 2, 3, 5, 6, 7, 8)]
    assert p215(*bets, banker=4).then("close").result()["fee"]["action"] == "70.00"
    for seat in (0, 9):
        assert p215(f"{seat} game 10.00").last_refused() == ("bad_document", "p215/dealing/1")
        assert p215(banker=seat).document_refused() == ("bad_document", "p215/dealing/1")
        assert p215(players={seat: "p-1"}).document_refused() == ("bad_document", "p215/dealing/1")


def test_p215_decision_seats__the_player_dealers_is_one_of_the_eight():
    assert RULES.seats == 8
    for banker in (1, 8):
        bets = [f"{seat} game 10.00" for seat in range(1, 9) if seat != banker]
        assert p215(*bets, banker=banker).then("close").result()["fee"]["action"] == "70.00"
        assert p215(*bets, "9 game 10.00", banker=banker).last_refused() == ("bad_document", "p215/dealing/1")


@pytest.mark.parametrize("bets", [["1 game 9.00"], ["1 game 101.00"], ["1 game 60.00", "1 game 60.00"]])
def test_p215_dealing_2__wagers_lie_between_the_tables_limits(bets: list[str]):
    limits = {"game": ["10.00", "100.00"]}
    assert p215(*bets, limits=limits).then("close").last_refused() == ("limit", "p215/dealing/2")
    for inside in ("10.00", "100.00"):
        assert p215(f"1 game {inside}", limits=limits).then("close").result()["fee"]["action"] == inside


@pytest.mark.parametrize(
    ("schedule", "limits", "clause"),
    [
        (1, {"game": ["4.00", "500.00"]}, "p215/collection/options"),
        (1, {"game": ["5.00", "501.00"]}, "p215/collection/options"),
        (6, {"game": ["5.00", "1001.00"]}, "p215/collection/options"),
        (12, {"game": ["24.00", "2000.00"]}, "p215/collection/options"),
        (1, {"buster": ["0.50", "50.00"]}, "p215/buster/1"),
        (1, {"red_flex": ["1.00", "51.00"]}, "p215/red-flex/1"),
        (1, {"game": ["100.00", "50.00"]}, "p215/collection/options"),
        (1, {"insurance": ["1.00", "50.00"]}, "p215/dealing/2"),
    ],
)
def test_p215_dealing_2__a_tables_own_limits_lie_inside_the_printed_ones(
    schedule: int, limits: dict[str, list[str]], clause: str
):
    assert p215(schedule=schedule, limits=limits).document_refused() == ("bad_terms", clause)


def test_p215_dealing_4__one_person_may_bet_on_several_spots():
    dealt = p215(
        *("1 game 10.00", "2 game 20.00"), cards="1: Th 9c, 2: Ts 7c, dealer: 8d Tc", players={1: "p-1", 2: "p-1"}
    )
    result = dealt.then("1 stand", "2 stand", "reveal dealer", "settle").result()
    assert result.lines == ["1/p-1 game 10.00: win 1:1, paid 10.00", "2/p-1 game 20.00: lose, collected 20.00"]


def test_p215_dealing_4__a_game_wager_comes_before_the_cards():
    assert p215().then("close").last_refused() == ("missing_wager", "p215/dealing/4")


def test_p215_decision_no_more_bets__after_the_call_none_is_made_or_taken_back():
    closed = p215("1 game 10.00").then("close")
    for late in ("1 game 5.00", "1 buster 5.00", "2 game 10.00", "close"):
        assert closed.then(late).last_refused() == (OUT_OF_TURN, "p215/decision/no-more-bets")
    for bettor, amount in ((None, None), (None, "5.00"), ("b-9", None)):
        taken = closed.do("withdraw", seat=1, spot="game", bettor=bettor, amount=amount)
        assert taken.last_refused() == (OUT_OF_TURN, "p215/decision/no-more-bets")


@pytest.mark.parametrize("early", ["1 gets As", "1 stand", "peek", "reveal dealer", "settle"])
def test_p215_decision_no_more_bets__nothing_is_played_before_it(early: str):
    assert p215("1 game 10.00").then(early).last_refused() == (OUT_OF_TURN, "p215/decision/no-more-bets")


def test_p215_decision_withdraw__a_wager_is_taken_back_whole():
    bets = p215("1 game 10.00", "1 buster 5.00", "1 red_flex 5.00")
    less = bets.do("withdraw", seat=1, spot="buster")
    assert less.then("close").result()["fee"]["action"] == "15.00"
    named = bets.do("withdraw", seat=1, spot="red_flex", bettor="seat-1")
    assert named.then("close").result()["fee"]["action"] == "15.00"
    dealt = less.then("close", "1 gets Th", "dealer gets 8d", "1 gets 9c", "dealer gets Tc")
    assert dealt.then("1 stand", "reveal dealer", "settle").result().spots(1) == ["game", "red_flex"]


def test_p215_decision_withdraw__or_in_part_and_what_is_left_counts():
    less = p215("1 game 10.00").do("withdraw", seat=1, spot="game", amount="4.00")
    assert less.then("close").result()["fee"]["action"] == "6.00"
    assert less.then("1 game 9.00", "close").result()["fee"]["action"] == "15.00"
    least = less.do("withdraw", seat=1, spot="game", amount="2.00")
    assert least.then("close").last_refused() == ("limit", "p215/dealing/2")


def test_p215_decision_withdraw__each_bettor_takes_back_their_own():
    bets = p215("1 game 10.00", "1/b-1 game 20.00", "2 game 10.00")
    less = bets.do("withdraw", seat=1, spot="game", bettor="b-1")
    assert less.then("close").result()["fee"]["action"] == "20.00"
    alone = bets.do("withdraw", seat=1, spot="game")
    assert alone.then("close").last_refused() == ("missing_wager", "p215/dealing/4")


def test_p215_decision_withdraw__a_bonus_wager_does_not_stay_without_its_game_wager():
    for spot, clause in (("buster", "p215/buster/2"), ("red_flex", "p215/red-flex/1")):
        left = p215("1 game 10.00", f"1 {spot} 5.00", "2 game 10.00").do("withdraw", seat=1, spot="game")
        assert left.then("close").last_refused() == ("missing_wager", clause)
        assert left.do("withdraw", seat=1, spot=spot).then("close").result()["fee"]["action"] == "10.00"


def test_p215_decision_withdraw__who_has_taken_all_back_bets_again_like_a_newcomer():
    """Between two bets without anything on the layout, b-1 is forgotten: their place behind the seat is b-2's."""
    bets = p215("1 game 10.00", "1/b-1 game 20.00", "1/b-2 game 30.00")
    again = bets.do("withdraw", seat=1, spot="game", bettor="b-1").then("1/b-1 game 5.00", "close")
    dealt = again.then("1 gets Th", "dealer gets 8d", "1 gets 9c", "dealer gets Tc", "1 stand", "reveal dealer")
    assert [line["bettor"] for line in dealt.then("settle").result()["lines"]] == ["seat-1", "b-2", "b-1"]


def test_p215_decision_withdraw__a_seat_without_wagers_gets_no_cards():
    bets = p215("1 game 10.00", "2 game 10.00").do("withdraw", seat=1, spot="game").then("close")
    assert bets.then("1 gets Th").last_refused() == (OUT_OF_TURN, "p215/dealing/5")
    assert bets.then("2 gets Th", "dealer gets 8d").status == "open"


@pytest.mark.parametrize(
    ("seat", "spot", "bettor", "amount"),
    [
        (1, "buster", None, None),  # nothing on that spot
        (1, "game", "b-9", None),  # nor of that bettor
        (2, "game", None, None),  # nor at that seat
        (8, "game", None, None),  # nor at the player-dealer's
        (1, "game", None, "10.01"),  # less than that
        (1, "game", "b-1", "6.00"),
    ],
)
def test_p215_decision_withdraw__nobody_takes_back_what_is_not_there(
    seat: int, spot: str, bettor: str | None, amount: str | None
):
    bets = p215("1 game 10.00", "1/b-1 game 5.00")
    taken = bets.do("withdraw", seat=seat, spot=spot, bettor=bettor, amount=amount)
    assert taken.last_refused() == ("bad_choice", "p215/decision/withdraw")


def test_p215_decision_withdraw__an_amount_is_more_than_nothing_and_a_wager_goes_once():
    bets = p215("1 game 10.00")
    assert bets.do("withdraw", seat=1, spot="game", amount="0.00").last_refused()[0] == "bad_document"
    gone = bets.do("withdraw", seat=1, spot="game")
    assert gone.do("withdraw", seat=1, spot="game").last_refused() == ("bad_choice", "p215/decision/withdraw")
    assert gone.then("close").last_refused() == ("missing_wager", "p215/dealing/4")


@pytest.mark.parametrize("version", [1, 2])
def test_p215_decision_withdraw__it_is_an_event_of_its_own_in_either_version(version: int):
    taken = p215("1 game 10.00").do("withdraw", seat=1, spot="game", amount="4.00")
    raw = {**taken.envelope, "actions": list(taken.actions)}
    document = read_document(raw, lambda _: load("p215-casino-club", version))
    assert play(document.opening, document.actions)[1][-2:] == [
        WagerPlaced(1, "game", "seat-1", None, 1000),
        WagerWithdrawn(1, "game", "seat-1", 400, 600),
    ]


@pytest.mark.parametrize("spot", ["insurance", "double", "ante"])
def test_p215_dealing_4__nothing_but_game_and_bonus_is_staked_before_the_cards(spot: str):
    bet = p215("1 game 10.00").do("bet", seat=1, spot=spot, amount="5.00")
    assert bet.last_refused() == ("bad_choice", "p215/dealing/4")


def test_p215_decision_backline_wagers__each_needs_their_own_game_wager_and_the_seat_the_seated_players():
    for bets in (["1 game 10.00", "1/b-1 buster 5.00"], ["1/b-1 game 10.00"]):
        assert p215(*bets).then("close").last_refused()[0] == "missing_wager"
    assert p215("1 game 10.00", "1/b-1 game 5.00").then("close").result()["exposure"]["action"] == "15.00"


def test_p215_decision_chip__a_wager_is_a_whole_number_of_chips():
    assert p215("1 game 10.50").then("close").last_refused() == ("limit", "p215/decision/chip")
    assert p215("1 game 10.00", "1 buster 1.50").then("close").last_refused() == ("limit", "p215/decision/chip")
    assert p215("1 game 9.50", "1 game 0.50").then("close").result()["fee"]["action"] == "10.00"
    assert p215(chip="0.00").document_refused() == ("bad_terms", "p215/decision/chip")


def test_p215_decision_chip__doubles_and_insurance_too():
    assert box("6h 5c", "6d 5s").then("1 double 4.50").last_refused() == ("limit", "p215/decision/chip")
    assert box("6h 5c", "6d 5s", chip="0.50").then("1 double 4.50").status == "open"
    assert box("6h 5c", "6d 5s", chip="5.00").then("1 double 6.00").last_refused() == ("limit", "p215/decision/chip")
    assert box("6h 5c", "Ad 5s").then("1 insure 4.50").last_refused() == ("limit", "p215/decision/chip")
    assert box("6h 5c", "Ad 5s", chip="0.50").then("1 insure 4.50").status == "open"


def test_p215_decision_wager_by_wager__limits_hold_for_each_wager_by_itself():
    bets = ("1 game 500.00", "1/b-1 game 500.00", "2 game 500.00", "1 buster 50.00", "1/b-1 buster 50.00")
    full = p215(*bets, players={1: "p-1", 2: "p-1"})
    assert full.then("close").result()["fee"]["action"] == "1600.00"
    assert full.then("1/b-1 game 1.00", "close").last_refused() == ("limit", "p215/dealing/2")


def test_p215_decision_wager_by_wager__what_follows_from_the_game_wager_is_not_held_to_them():
    split = p215("1 game 500.00", cards="1: 8h 8c, dealer: 6d Tc").then("1 split", "1 gets 3h", "1#2 gets 2h")
    played = split.then("1 double 500.00", "1 gets Kh", "1#2 double 1.00", "1#2 gets Kc", "reveal dealer")
    assert played.then("dealer gets 4c", "settle").result().lines == [
        "1 game 500.00: win 1:1, paid 500.00",
        "1 double 500.00: win 1:1, paid 500.00",
        "1#2 game 500.00: push",
        "1#2 double 1.00: push",
    ]
    assert box("Th 9c", "Ad 5s").then("1 insure 1.00").status == "open"


# ---- fees

FIVE: dict[int, Tiers] = {
    1: [("100.00", "0.50"), ("200.00", "1.00"), ("300.00", "2.00"), ("400.00", "3.00"), (None, "5.00")],
    2: [("50.00", "0.50"), ("100.00", "1.00"), ("200.00", "2.00"), ("400.00", "3.00"), (None, "5.00")],
    3: [("50.00", "1.00"), ("100.00", "2.00"), ("200.00", "3.00"), ("300.00", "4.00"), (None, "5.00")],
    4: [("100.00", "1.00"), ("250.00", "2.00"), ("300.00", "4.00"), ("600.00", "5.00"), (None, "8.00")],
    5: [("100.00", "1.00"), ("250.00", "3.00"), ("300.00", "5.00"), ("600.00", "8.00"), (None, "10.00")],
}
LAST: Tiers = [("100.00", "1.00"), ("250.00", "2.00"), ("300.00", "4.00"), ("800.00", "5.00"), (None, "8.00")]
OPTIONS: dict[int, tuple[str, str, Tiers]] = {
    **{option: ("5.00", "500.00", tiers) for option, tiers in FIVE.items()},
    **{option + 5: ("5.00", "1000.00", tiers) for option, tiers in FIVE.items()},
    11: ("25.00", "2000.00", FIVE[3]),
    12: ("25.00", "2000.00", LAST),
}
OVERLAPPING = (4, 5, 9, 10, 12)


def fee_cases(options: tuple[int, ...]) -> list[tuple[int, str, str]]:
    return [(option, *case) for option in options for case in both_sides(OPTIONS[option][2], OPTIONS[option][0])]


def hold_fee(option: int, action: str, fee: str) -> None:
    least, most, _ = OPTIONS[option]
    closed = p215(*spread("game", action, least, most), schedule=option, chip="0.01").then("close")
    assert closed.result()["fee"] == {"action": action, "amount": fee, "schedule": option}


@pytest.mark.parametrize(
    ("option", "action", "fee"), fee_cases(tuple(option for option in OPTIONS if option not in OVERLAPPING))
)
def test_p215_collection_options__the_tiers_of_a_schedule(option: int, action: str, fee: str):
    hold_fee(option, action, fee)
    assert RULES.schedules[option].clause == "p215/collection/options"


@pytest.mark.parametrize(("option", "action", "fee"), fee_cases(OVERLAPPING))
def test_p215_decision_overlapping_tiers__they_are_read_by_their_upper_bounds(option: int, action: str, fee: str):
    hold_fee(option, action, fee)
    assert RULES.schedules[option].clause == "p215/decision/overlapping-tiers"


@pytest.mark.parametrize("option", OVERLAPPING)
def test_p215_decision_overlapping_tiers__the_second_tier_starts_above_100(option: int):
    """51.00 to 100.00 is in two tiers and belongs to the first."""
    for action in ("51.00", "75.00", "100.00"):
        hold_fee(option, action, "1.00")


@pytest.mark.parametrize("option", OPTIONS)
def test_p215_collection_options__each_has_its_limits_for_the_game_wager(option: int):
    assert sorted(RULES.schedules) == list(OPTIONS)
    least, most, _ = OPTIONS[option]
    for outside in (f"{int(least[:-3]) - 1}.99", f"{most[:-3]}.01"):
        closed = p215(f"1 game {outside}", schedule=option, chip="0.01").then("close")
        assert closed.last_refused() == ("limit", "p215/dealing/2")
    for inside in (least, most):
        closed = p215(f"1 game {inside}", schedule=option, chip="0.01").then("close")
        assert closed.result()["exposure"]["action"] == inside


@pytest.mark.parametrize("schedule", [0, 13, None, {"limits": ["5.00", "500.00"], "tiers": [[None, "1.00"]]}])
def test_p215_collection_options__there_are_no_others(schedule: Any):
    assert p215(schedule=schedule).document_refused() == ("bad_terms", "p215/collection/fee")


def test_p215_collection_fee__it_is_taken_before_the_cards_and_from_nobodys_wager():
    bets = p215("1 game 10.00", "2 game 10.00")
    assert bets.result()["fee"] is None
    closed = bets.then("close")
    assert closed.result()["fee"] == {"action": "20.00", "amount": "0.50", "schedule": 1}
    assert closed.result()["dealer"] is None
    dealt = closed.then("1 gets Th", "2 gets Ts", "dealer gets 8d", "1 gets 9c", "2 gets 7c", "dealer gets Tc")
    result = dealt.then("1 stand", "2 stand", "reveal dealer", "settle").result()
    assert result["fee"] == {"action": "20.00", "amount": "0.50", "schedule": 1}
    assert result.lines == ["1 game 10.00: win 1:1, paid 10.00", "2 game 10.00: lose, collected 10.00"]
    assert banked(result) == "paid 10.00, collected 10.00"


@pytest.mark.parametrize("dealer", ["8d Tc", "Td Kc"])
def test_p215_dealing_4_player_fee__players_get_back_all_that_they_wagered_and_won(dealer: str):
    """Whether they win or lose, nothing is kept from a player except the wager."""
    result = over(dealer, mine="Th 9c")
    moved = [(line["wager"], line["paid"], line["collected"], line["returned"]) for line in result["lines"]]
    won = dealer == "8d Tc"
    assert moved == [("10.00", "10.00", "0.00", "10.00") if won else ("10.00", "0.00", "10.00", "0.00")]


@pytest.mark.parametrize("option", OPTIONS)
def test_p215_decision_player_fee__there_is_one_fee_and_it_is_the_player_dealers(option: int):
    """The fee is out of the bank's and the players' sums, so it comes from nobody's wager."""
    result = over("Td 9c", mine="Th Kc", schedule=option, choices=("1 stand",), stake="25.00")
    assert result["fee"]["amount"] == OPTIONS[option][2][0][1]
    assert banked(result) == "paid 25.00, collected 0.00"


@pytest.mark.parametrize("dealer", ["8d Tc", "Td Kc"])
def test_p215_collection_percentage__a_fee_is_the_same_whoever_wins(dealer: str):
    assert over(dealer, mine="Th 9c")["fee"] == {"action": "10.00", "amount": "0.50", "schedule": 1}


def test_p215_collection_percentage__a_schedule_with_a_percentage_is_no_schedule():
    with pytest.raises(RuleSetError, match="never a percentage"):
        parse(RULES.text.replace('fee = "0.50"', 'fee = "1%"', 1), "p215-casino-club.toml")


def test_p215_dealing_2_five_rates__a_sixth_is_refused():
    assert {len(schedule.tiers) for schedule in RULES.schedules.values()} == {RULES.most_tiers} == {5}
    sixth = RULES.text.replace("tiers = [", 'tiers = [\n    { up_to = "10.00", fee = "0.25" },', 1)
    with pytest.raises(RuleSetError, match="at most 5 tiers"):
        parse(sixth, "p215-casino-club.toml")


@pytest.mark.parametrize("option", OVERLAPPING)
def test_p215_collection_first_tier__it_reaches_to_100(option: int):
    hold_fee(option, "100.00", OPTIONS[option][2][0][1])


@pytest.mark.parametrize("option", OVERLAPPING)
def test_p215_collection_second_tier__it_reaches_to_250_but_not_down_to_51(option: int):
    hold_fee(option, "250.00", OPTIONS[option][2][1][1])
    hold_fee(option, "51.00", OPTIONS[option][2][0][1])


def test_p215_decision_liability__four_doubled_hands_are_owed_eight_times_the_wager():
    assert p215("1 game 10.00").then("close").result()["exposure"] == {"action": "10.00", "liability": "80.00"}
    play = box("8h 8c", "6d Tc").then("1 split", "1 gets 8d", "1#2 gets 3s", "1 split", "1 gets 8s", "1#3 gets 3c")
    play = play.then("1 split", "1 gets 3d", "1#4 gets 3h")
    for hand in ("1", "1#2", "1#3", "1#4"):
        play = play.then(f"{hand} double 10.00", f"{hand} gets Th")
    assert banked(play.then("reveal dealer", "dealer gets Kh", "settle").result()) == "paid 80.00, collected 0.00"


def test_p215_decision_in_force__from_18_november_2026():
    first = datetime.date(2026, 11, 18)
    assert (RULES.version, RULES.in_force.since) == (2, first)
    assert in_force("p215-casino-club", first) == RULES
    assert in_force("p215-casino-club", first - datetime.timedelta(days=1)).version == 1


def test_p215_collection_fee__a_table_names_one_schedule():
    assert p215(schedule=[1, 2]).document_refused()[0] == "bad_document"
    assert p215("1 game 10.00").on(terms={}).document_refused() == ("bad_terms", "p215/collection/fee")


def test_p215_collection_total_action__every_wager_before_the_deal_counts():
    bets = ("1 game 60.00", "1 buster 10.00", "1 red_flex 5.00", "1/b-1 game 20.00", "1/b-1 buster 6.00")
    closed = p215(*bets).then("close").result()
    assert closed["fee"] == {"action": "101.00", "amount": "1.00", "schedule": 1}
    assert closed["exposure"] == {"action": "101.00", "liability": "5640.00"}


def test_p215_collection_total_action__insurance_does_not():
    dealt = p215("1 game 100.00", cards="1: Th 9c, dealer: Ad Kc").then("1 insure 50.00", "peek", "reveal dealer")
    result = dealt.then("settle").result()
    assert result["fee"] == {"action": "100.00", "amount": "0.50", "schedule": 1}
    assert result["exposure"] == {"action": "100.00", "liability": "800.00"}


def test_p215_double_split_surrender_4__doubles_and_splits_cost_nothing():
    """100.00 is just inside the first tier."""
    split = p215("1 game 100.00", cards="1: 8h 8c, dealer: 6d Tc").then("1 split", "1 gets 3h", "1#2 gets Th")
    played = split.then("1 double 100.00", "1 gets Kh", "1#2 stand", "reveal dealer", "dealer gets 4c", "settle")
    assert played.result()["fee"] == {"action": "100.00", "amount": "0.50", "schedule": 1}
    assert played.result().spots(1) == ["game", "double", "game"]


def test_p215_decision_fee_bounds__a_tier_reaches_up_to_and_including_its_bound():
    for action, fee in (("100.00", "0.50"), ("100.01", "1.00"), ("200.00", "1.00"), ("200.01", "2.00")):
        assert p215(f"1 game {action}", chip="0.01").then("close").result()["fee"]["amount"] == fee


def test_p215_decision_rounding__a_fraction_of_a_cent_is_dropped():
    """6 to 5 on 5.01 is 6.012, on 5.04 it is 6.048; half of 5.01 is 2.505."""
    for stake, paid in (("5.01", "6.01"), ("5.04", "6.04"), ("5.05", "6.06")):
        pure = p215(f"1 game {stake}", cards="1: Ah Kc, dealer: 6d 5c", chip="0.01").then("reveal dealer", "settle")
        assert pure.result().lines == [f"1 game {stake}: win 6:5, paid {paid}"]
    tight = p215("1 game 5.01", cards="1: Th 6c, dealer: Ad 9c", chip="0.01")
    assert tight.then("1 insure 2.51").last_refused() == ("bad_choice", "p215/wins/2")
    given_up = tight.then("1 insure 2.50", "peek", "1 surrender", "reveal dealer", "settle").result()
    assert given_up.lines == ["1 insurance 2.50: lose, collected 2.50", "1 game 5.01: surrender, collected 2.50"]
    assert given_up["lines"][1]["returned"] == "2.51"


# ---- dealing


@pytest.mark.parametrize(("banker", "order"), [(8, [1, 2, 5]), (3, [5, 1, 2]), (1, [2, 5])])
def test_p215_dealing_5__clockwise_from_the_player_dealers_left_and_the_player_dealer_last(
    banker: int, order: list[int]
):
    dealt = p215(*(f"{seat} game 10.00" for seat in sorted(order)), banker=banker).then("close")
    for place in [*map(str, order), "dealer"]:
        for other in {*map(str, range(1, 9)), "dealer", "board", f"{place}#2"} - {place}:
            assert dealt.then(f"{other} gets 9h").last_refused() == (OUT_OF_TURN, "p215/dealing/5")
        assert dealt.then(f"{place} gets 9h 9c").last_refused() == ("wrong_cards", "p215/dealing/5")
        assert dealt.then(f"{place} gets ??").last_refused() == ("wrong_cards", "p215/dealing/5")
        dealt = dealt.then(f"{place} gets 9h")


def test_p215_dealing_5__only_the_player_dealers_second_card_lies_face_down():
    for hole in ("??", "Kc"):
        dealt = box("9h 7c", f"6d {hole}").result()
        assert dealt["dealer"] == {"cards": ["6d", None], "hand": None, "qualifies": None}
        checked = box("9h 7c", "Qd 8c").then("peek").result()
        assert checked["dealer"] == {"cards": ["Qd", None], "hand": None, "qualifies": None}


def test_p215_dealing_5__it_is_turned_up_when_all_players_have_acted():
    dealt = p215("1 game 10.00", "2 game 10.00", cards="1: Th 9c, 2: Ts 9d, dealer: 6d ??")
    assert dealt.then("reveal dealer 6d Tc").last_refused()[0] == OUT_OF_TURN
    assert dealt.then("1 stand", "reveal dealer 6d Tc").last_refused()[0] == OUT_OF_TURN
    acted = dealt.then("1 stand", "2 stand")
    assert acted.then("settle").last_refused()[0] == OUT_OF_TURN
    assert acted.then("dealer gets 4h").last_refused()[0] == OUT_OF_TURN
    assert acted.then("reveal 1").last_refused()[0] == OUT_OF_TURN
    for wrong in ("reveal dealer", "reveal dealer 7d Tc", "reveal dealer 6d", "reveal dealer 6d ??"):
        assert acted.then(wrong).last_refused()[0] == "wrong_cards"
    turned = acted.then("reveal dealer 6d Tc")
    assert turned.result()["dealer"] == {"cards": ["6d", "Tc"], "hand": "16", "qualifies": None}
    assert turned.then("reveal dealer 6d Tc").last_refused()[0] == OUT_OF_TURN


def test_p215_dealing_6__a_second_card_each_and_then_the_players_act_in_the_same_order():
    dealt = p215(*(f"{seat} game 10.00" for seat in (1, 4, 7)), banker=3)
    dealt = dealt.then("close", "4 gets Th", "7 gets Ts", "1 gets Td", "dealer gets 6d")
    for place in ("4", "7", "1", "dealer"):
        if place != "dealer":
            assert dealt.then(f"{place} gets ??").last_refused() == ("wrong_cards", "p215/dealing/5")
        for other in {"1", "4", "7", "dealer"} - {place}:
            assert dealt.then(f"{other} gets 8h").last_refused() == (OUT_OF_TURN, "p215/dealing/5")
        assert dealt.then("4 stand").last_refused() == (OUT_OF_TURN, "p215/dealing/6")
        dealt = dealt.then(f"{place} gets 8h")
    for place in ("4", "7", "1"):
        for other in {"1", "2", "4", "7"} - {place}:
            assert dealt.then(f"{other} stand").last_refused() == (OUT_OF_TURN, "p215/dealing/6")
        assert dealt.then(f"{place} gets 2h").last_refused() == (OUT_OF_TURN, "p215/dealing/5")
        assert dealt.then("dealer gets 2h").last_refused() == (OUT_OF_TURN, "p215/dealing/5")
        dealt = dealt.then(f"{place} stand")
    assert dealt.then("reveal dealer").status == "open"


def test_p215_decision_shoe__cards_come_one_by_one_from_a_shoe():
    assert p215(dealing="shoe").status == "open"
    for other in ("shuffler", "hand"):
        assert p215(dealing=other).document_refused() == ("bad_terms", "p215/decision/shoe")
    hit = box("Th 2c", "6d Tc").then("1 hit")
    assert hit.then("1 gets 5h 6h").last_refused() == ("wrong_cards", "p215/dealing/5")


def test_p215_dealing_8__the_face_down_card_is_turned_up_when_nobody_wants_another():
    dealt = p215("1 game 10.00", "2 game 10.00", cards="1: Th 2c, 2: Ts 9d, dealer: 6d ??")
    for played in (dealt, dealt.then("1 hit", "1 gets 5c"), dealt.then("1 stand")):
        assert played.then("reveal dealer 6d Tc").last_refused() == (OUT_OF_TURN, "p215/dealing/5")
    acted = dealt.then("1 stand", "2 stand")
    assert acted.then("reveal dealer 6d Tc").result()["dealer"]["cards"] == ["6d", "Tc"]


# ---- the action button and the order of settlement

RANKS = "A23456789TJQK"
BUTTONS = {  # for each player-dealer's seat, where each rank puts the button
    8: dict(zip(RANKS, (1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6), strict=True)),
    3: dict(zip(RANKS, (1, 2, 4, 5, 6, 7, 8, 1, 2, 4, 5, 6, 7), strict=True)),
    1: dict(zip(RANKS, (2, 3, 4, 5, 6, 7, 8, 2, 3, 4, 5, 6, 7), strict=True)),
}


@pytest.mark.parametrize(
    ("banker", "rank", "seat"),
    [(banker, rank, seat) for banker, ranks in BUTTONS.items() for rank, seat in ranks.items()],
)
def test_p215_dealing_9__the_hole_card_is_counted_round_the_other_seats(banker: int, rank: str, seat: int):
    dealt = p215("5 game 10.00", cards=f"5: Ah Kc, dealer: 6d {rank}s", banker=banker)
    assert dealt.result()["button"] is None
    assert dealt.then("reveal dealer").result()["button"] == seat


def test_p215_dealing_9__an_unseen_hole_card_counts_when_it_is_turned_over():
    dealt = p215("5 game 10.00", cards="5: Ah Kc, dealer: 6d ??")
    assert dealt.then("reveal dealer 6d 4s").result()["button"] == 4
    assert dealt.then("reveal dealer 6d Qs").result()["button"] == 5


@pytest.mark.parametrize("seats", [(5,), (1, 7), (1, 2, 3, 4, 5, 6, 7)])
def test_p215_decision_button_count__empty_seats_count_and_the_count_goes_round_again(seats: tuple[int, ...]):
    """A queen is 12, seven and then five more, however many seats have a wager."""
    hands = ", ".join(f"{seat}: Ah Kc" for seat in seats)
    for hole, seat in (("Qs", 5), ("8s", 1)):
        dealt = p215(*(f"{seat} game 10.00" for seat in seats), cards=f"{hands}, dealer: 6d {hole}", decks=8)
        assert dealt.then("reveal dealer").result()["button"] == seat


@pytest.mark.parametrize("wager", ["1.00", "1000000.00"])
def test_p215_decision_button_always__it_is_placed_even_where_everything_is_covered(wager: str):
    result = over("8d Tc", wager=wager)
    assert result["button"] == 3


def test_p215_decision_button_ten__a_ten_counts_ten():
    for banker, ranks in BUTTONS.items():
        others = [seat for seat in range(1, 9) if seat != banker] * 2
        dealt = p215("5 game 10.00", cards="5: Ah Kc, dealer: 6d Ts", banker=banker).then("reveal dealer")
        assert dealt.result()["button"] == ranks["T"] == others[9]


@pytest.mark.parametrize(
    ("hole", "order"),
    [("As", [2, 5, 6]), ("2s", [2, 5, 6]), ("3s", [5, 6, 2]), ("5s", [5, 6, 2]), ("6s", [6, 2, 5]), ("7s", [2, 5, 6])],
)
def test_p215_dealing_10__settlement_goes_clockwise_from_the_button(hole: str, order: list[int]):
    bets = ("6 game 10.00", "5 game 10.00", "2 game 10.00")
    dealt = p215(*bets, cards=f"2: Ah Kc, 5: Ah Qc, 6: Ts 6h, dealer: 6d {hole}")
    result = dealt.then("6 surrender", "reveal dealer", "settle").result()
    assert [line["seat"] for line in result["lines"]] == order
    assert [line["outcome"] for line in result["lines"]] == ["surrender" if seat == 6 else "win" for seat in order]


def test_p215_dealing_10__not_before_the_player_dealers_hand_is_complete():
    dealt = box("Th 8s", "6d Tc")
    shown = dealt.then("1 stand", "reveal dealer")
    for early in (dealt, dealt.then("1 stand"), shown):
        assert early.then("settle").last_refused() == (OUT_OF_TURN, "p215/dealing/10")
    settled = shown.then("dealer gets 2h", "settle")
    assert settled.status == "settled"
    for late in ("settle", "1 hit", "reveal dealer"):
        assert settled.then(late).last_refused() == (OUT_OF_TURN, "p215/dealing/10")


def test_p215_double_split_surrender_5__game_then_red_flex_then_buster():
    bets = ("1 buster 3.00", "1 red_flex 2.00", "1 game 10.00")
    dealt = p215(*bets, cards="1: Th 9c, dealer: 8d Th").then("1 stand", "reveal dealer", "settle")
    assert dealt.result().lines == [
        "1 game 10.00: win 1:1, paid 10.00",
        "1 red_flex 2.00: win 1:1, paid 2.00",
        "1 buster 3.00: lose, collected 3.00",
    ]
    assert RULES.settlement.clause == "p215/double-split-surrender/5"


def test_p215_double_split_surrender_5__spot_by_spot_the_seated_player_first():
    """Behind the seat the bettors are in the order of their first bet there, on whichever spot it was."""
    bets = (
        *("1/b-2 buster 1.00", "1/b-1 game 20.00", "1 game 10.00", "1/b-2 game 30.00", "1/b-1 red_flex 2.00"),
        *("1/b-1 buster 3.00", "1 buster 4.00", "1/b-2 red_flex 5.00"),
    )
    dealt = p215(*bets, cards="1: Th 9c, dealer: 8d Th").then("1 stand", "reveal dealer", "settle")
    assert dealt.result().lines == [
        "1 game 10.00: win 1:1, paid 10.00",
        "1/b-2 game 30.00: win 1:1, paid 30.00",
        "1/b-1 game 20.00: win 1:1, paid 20.00",
        "1/b-2 red_flex 5.00: win 1:1, paid 5.00",
        "1/b-1 red_flex 2.00: win 1:1, paid 2.00",
        "1 buster 4.00: lose, collected 4.00",
        "1/b-2 buster 1.00: lose, collected 1.00",
        "1/b-1 buster 3.00: lose, collected 3.00",
    ]


def test_p215_decision_insurance_first__then_hand_by_hand_each_with_its_double():
    bets = ("1 game 10.00", "1/b-1 game 20.00", "1 red_flex 2.00", "1 buster 3.00")
    dealt = p215(*bets, cards="1: 8h 8c, dealer: Ad 7c").then("1/b-1 insure 10.00", "1 insure 5.00", "peek")
    split = dealt.then("1 split", "1/b-1 split", "1 gets 3h", "1#2 gets Th")
    played = split.then("1 double 10.00", "1/b-1 double 20.00", "1 gets Kh", "1#2 double 4.00", "1#2 gets Kh")
    assert played.then("reveal dealer", "settle").result().lines == [
        "1 insurance 5.00: lose, collected 5.00",
        "1/b-1 insurance 10.00: lose, collected 10.00",
        "1 game 10.00: win 1:1, paid 10.00",
        "1/b-1 game 20.00: win 1:1, paid 20.00",
        "1 double 10.00: win 1:1, paid 10.00",
        "1/b-1 double 20.00: win 1:1, paid 20.00",
        "1#2 game 10.00: lose, collected 10.00",
        "1#2/b-1 game 20.00: lose, collected 20.00",
        "1#2 double 4.00: lose, collected 4.00",
        "1 red_flex 2.00: lose, collected 2.00",
        "1 buster 3.00: lose, collected 3.00",
    ]


# ---- the player's choices


def reached(cards: str) -> ButtonGame:
    """Seat 1 with these cards, the third and later ones drawn."""
    first, second, *drawn = cards.split()
    play = box(f"{first} {second}", "6d Tc")
    for card in drawn:
        play = play.then("1 hit", f"1 gets {card}")
    return play


@pytest.mark.parametrize(
    ("cards", "may"),
    [
        ("2h 2c", "hit"),
        ("2h 3c", "hit"),
        ("5h 5c", "hit"),
        ("5h 6c", "hit"),
        ("2h 3c 6d", "hit"),
        ("2h 2c 2d 2s 3h", "hit"),
        ("5h 7c", "hit stand"),
        ("Th 2c", "hit stand"),
        ("9h 9c", "hit stand"),
        ("Th 8c", "hit stand"),
        ("2h 3c 7d", "hit stand"),
        ("5h 7c 6d", "hit stand"),
        ("Th 9c", "stand"),
        ("Th Kc", "stand"),
        ("Ah Ac", "hit stand"),
        ("Ah 2c", "hit stand"),
        ("Ah 8c", "hit stand"),
        ("Ah 9c", "hit stand"),
        ("Ah 2c 6d", "hit stand"),
        ("Ah 5c 5d", "hit stand"),
        ("Ah 9c Ad", "hit stand"),
        ("Ah Ac Ad As 6h", "hit stand"),
        ("Ah 2c 9d", "hit stand"),
        ("Ah 6c Td", "hit stand"),
        ("5h 6c Ad", "hit stand"),
        ("5h 7c 7d", ""),
        ("5h 7c 8d", ""),
        ("5h 7c 9d", ""),
        ("5h 7c Td", ""),
        ("Ah 8c Td", ""),
        ("Ah 2c 9d 8s", ""),
        ("Ah 9c 9d", ""),
    ],
)
def test_p215_chart_1a__hit_hard_11_stand_on_hard_19_choose_between(cards: str, may: str):
    """Where a hand may do neither it is finished, and the player-dealer's is turned over."""
    play = reached(cards)
    for choice in ("hit", "stand"):
        if choice in may.split():
            assert play.then(f"1 {choice}").status == "open"
        elif may:
            assert play.then(f"1 {choice}").last_refused() == ("bad_choice", "p215/chart-1a")
        else:
            assert play.then(f"1 {choice}").last_refused() == (OUT_OF_TURN, "p215/dealing/6")
    if may:
        assert play.then("reveal dealer").last_refused()[0] == OUT_OF_TURN
    else:
        assert play.then("reveal dealer").status == "open"


@pytest.mark.parametrize("choice", ["play", "fold", "check"])
def test_p215_dealing_6__other_games_choices_are_none(choice: str):
    assert box("Th 8c", "6d Tc").then(f"1 {choice}").last_refused() == ("bad_choice", "p215/dealing/6")


def test_p215_chart_1a__a_hit_gets_its_card_before_anything_else():
    hit = box("Th 2c", "6d Tc", "1/b-1 game 10.00").then("1 hit")
    for other in ("1 stand", "1 hit", "reveal dealer", "settle", "dealer gets 5h", "1#2 gets 5h", "1/b-1 hit"):
        assert hit.then(other).last_refused()[0] == OUT_OF_TURN
    assert hit.then("1 gets 5h 6h").last_refused()[0] == "wrong_cards"
    assert hit.then("1 gets ??").last_refused()[0] == "wrong_cards"
    assert hit.then("1 gets 5h", "1 gets 6h").last_refused()[0] == OUT_OF_TURN


def test_p215_chart_1a__who_stands_has_nothing_more_to_decide():
    stood = box("Th 2c", "6d Tc").then("1 stand")
    for choice in ("hit", "stand", "double 5.00", "surrender"):
        assert stood.then(f"1 {choice}").last_refused() == (OUT_OF_TURN, "p215/dealing/6")


@pytest.mark.parametrize(
    ("dealer", "name"),
    [
        ("Td 7c", "17"),
        ("9d 8c", "17"),
        ("9d 9c", "18"),
        ("Td 6c 5h", "21"),
        ("9d 7c Ah", "17"),
        ("Ad 7c", "soft 18"),
        ("Ad 6c Ah", "soft 18"),
        ("Ad 6c Th", "17"),
        ("Ad 6c 5h 5d", "17"),
        ("Ad 5c Ah Th", "17"),
        ("2d 2c 2h 2s 2d 7c", "17"),
        ("2d 3c 5h 6d Ac", "17"),
        ("8d 8c Kh", "bust"),
    ],
)
def test_p215_chart_1b__the_player_dealer_hits_soft_17_and_stands_on_hard_17(dealer: str, name: str):
    up, hole, *draws = dealer.split()
    play = box("Th 8s", f"{up} {hole}")
    play = (play.then("peek") if up[0] in "AT" else play).then("1 stand", "reveal dealer")
    for card in draws:
        assert play.then("settle").last_refused()[0] == OUT_OF_TURN
        assert play.then("1 gets 2h").last_refused() == (OUT_OF_TURN, "p215/chart-1b")
        assert play.then("dealer#2 gets 2h").last_refused() == (OUT_OF_TURN, "p215/chart-1b")
        assert play.then("dealer gets ??").last_refused()[0] == "wrong_cards"
        assert play.then("dealer gets 2h 3h").last_refused()[0] == "wrong_cards"
        play = play.then(f"dealer gets {card}")
    assert play.then("dealer gets 2h").last_refused()[0] == OUT_OF_TURN
    assert play.then("settle").result()["dealer"] == {"cards": dealer.split(), "hand": name, "qualifies": None}


@pytest.mark.parametrize("cards", ["Ah 8c", "Ah 9c", "Ah 4c 5d"])
def test_p215_chart_1a_soft__an_ace_that_counts_11_leaves_the_choice(cards: str):
    """A total of 19 or 20 that would have to stand if it were hard."""
    for choice in ("hit", "stand"):
        assert reached(cards).then(f"1 {choice}").status == "open"


@pytest.mark.parametrize("cards", ["Th 9c", "Th Kc"])
def test_p215_chart_1a_hard__a_hand_of_two_cards_without_an_ace_is_hard(cards: str):
    assert reached(cards).then("1 hit").last_refused() == ("bad_choice", "p215/chart-1a")


def test_p215_chart_1a_hard__so_is_one_whose_ace_counts_1():
    assert reached("Ah 8c Td").then("1 hit").last_refused()[0] == OUT_OF_TURN
    assert reached("Ah 8c 9d").then("1 hit").status == "open"  # hard 18


@pytest.mark.parametrize(
    ("cards", "choice"), [("Th 9c", "hit"), ("5h 6c", "stand"), ("2h 2c", "stand"), ("Th Kc", "hit")]
)
def test_p215_dealing_7__the_chart_leaves_no_choice_there(cards: str, choice: str):
    assert reached(cards).then(f"1 {choice}").last_refused() == ("bad_choice", "p215/chart-1a")


def drawn_by_the_player_dealer(dealer: str, *bets: str, choices: tuple[str, ...] = ("1 stand",)) -> bool:
    """Whether these cards of the player-dealer's take another one."""
    up, hole, *draws = dealer.split()
    play = box("Th 8s", f"{up} {hole}", *bets)
    play = (play.then("peek") if up[0] in "AT" else play).then(*choices, "reveal dealer")
    return completed(play.then(*(f"dealer gets {card}" for card in draws)))


@pytest.mark.parametrize(("dealer", "draws"), [("Ad 6c", True), ("Ad 2c 4h", True), ("Ad 6c Th", False)])
def test_p215_chart_1b_soft__17_with_an_ace_as_11_is_hit(dealer: str, draws: bool):
    assert drawn_by_the_player_dealer(dealer) is draws


@pytest.mark.parametrize(("dealer", "draws"), [("5d 6c 6h", False), ("5d 6c 5h", True), ("9d 7c Ah", False)])
def test_p215_chart_1b_hard__17_of_three_cards_stands(dealer: str, draws: bool):
    assert drawn_by_the_player_dealer(dealer) is draws


@pytest.mark.parametrize("dealer", ["Td 7c", "9d 8c"])
def test_p215_decision_two_card_hard_17__17_of_two_cards_stands_too(dealer: str):
    assert not drawn_by_the_player_dealer(dealer)


@pytest.mark.parametrize("dealer", ["Ad 7c", "Ad 8c", "Ad 9c", "Ad 6c Ah", "Ad 2c 8h"])
def test_p215_decision_soft_18__soft_18_and_more_stands(dealer: str):
    assert not drawn_by_the_player_dealer(dealer)


@pytest.mark.parametrize(("dealer", "draws"), [("Ad 6c", True), ("Td 7c", False), ("Ad 7c", False)])
def test_p215_decision_soft_17_for_buster__soft_17_is_hit_for_buster_alone(dealer: str, draws: bool):
    given_up = ("1 surrender",)
    assert drawn_by_the_player_dealer(dealer, "1 buster 5.00", choices=given_up) is draws
    assert not drawn_by_the_player_dealer(dealer, choices=given_up)


@pytest.mark.parametrize("dealer", ["6d Tc", "6d 5c"])
def test_p215_wins_4__the_hand_is_completed_when_all_have_acted(dealer: str):
    dealt = p215("1 game 10.00", "2 game 10.00", cards=f"1: Th 9c, 2: Ts 9h, dealer: {dealer}").then("1 stand")
    assert dealt.then("dealer gets 6h").last_refused()[0] == OUT_OF_TURN
    assert completed(dealt.then("2 stand", "reveal dealer"))


# ---- doubling


@pytest.mark.parametrize(
    ("mine", "card", "outcome"),
    [
        ("6h 5c", "Ks", "win 1:1, paid"),  # 21 against 18
        ("6h 5c", "7s", "push"),
        ("6h 5c", "2s", "lose, collected"),
        ("Th 6c", "Ks", "lose, collected"),  # over
    ],
)
@pytest.mark.parametrize("amount", ["10.00", "4.00", "1.00"])
def test_p215_double_split_surrender_1__a_double_shares_the_fate_of_its_hand(
    mine: str, card: str, outcome: str, amount: str
):
    played = box(mine, "6d Tc").then(
        f"1 double {amount}", f"1 gets {card}", "reveal dealer", "dealer gets 2h", "settle"
    )
    amounts = ("", "") if outcome == "push" else (" 10.00", f" {amount}")
    assert played.result().lines == [
        f"1 game 10.00: {outcome}{amounts[0]}",
        f"1 double {amount}: {outcome}{amounts[1]}",
    ]


def test_p215_double_split_surrender_1__for_at_most_the_wager():
    dealt = box("6h 5c", "6d Tc")
    assert last_event(dealt.then("1 double 4.00")) == DecisionMade(1, "seat-1", "double", amount=400)
    assert last_event(dealt.then("1 hit")) == DecisionMade(1, "seat-1", "hit")
    assert dealt.then("1 double 11.00").last_refused() == ("bad_choice", "p215/double-split-surrender/1")
    assert dealt.then("1 double 10.50").last_refused() == ("bad_choice", "p215/double-split-surrender/1")
    assert dealt.then("1 double 0.00").last_refused()[0] == "bad_document"
    assert dealt.then("1 double").last_refused()[0] == "bad_document"
    assert dealt.then("1 stand 5.00").last_refused()[0] == "bad_document"


def test_p215_double_split_surrender_1__one_card_only():
    doubled = box("2h 3c", "6d Tc").then("1 double 10.00")
    for other in ("1 stand", "1 hit", "reveal dealer", "dealer gets 5h", "1 double 10.00"):
        assert doubled.then(other).last_refused()[0] == OUT_OF_TURN
    drawn = doubled.then("1 gets 2s")
    for choice in ("hit", "stand", "double 10.00"):
        assert drawn.then(f"1 {choice}").last_refused() == (OUT_OF_TURN, "p215/dealing/6")
    assert drawn.then("reveal dealer").status == "open"


def test_p215_double_split_surrender_1__not_after_a_third_card():
    drawn = reached("2h 3c 6d")
    assert drawn.then("1 double 10.00").last_refused() == ("bad_choice", "p215/double-split-surrender/1")


@pytest.mark.parametrize("mine", ["2h 2c", "2h 3c", "5h 6c", "Th 2c", "Th 8c", "Th 9c", "Th Kc", "Ah Ac", "Ah 9c"])
def test_p215_decision_double_any_total__any_two_cards(mine: str):
    played = box(mine, "6d Tc").then("1 double 10.00", "1 gets 2s", "reveal dealer", "dealer gets 2h", "settle")
    assert played.result().spots(1) == ["game", "double"]


def test_p215_decision_double_any_total__except_a_pure_21_5():
    assert box("Ah Kc", "6d Tc").then("1 double 10.00").last_refused()[0] == OUT_OF_TURN


def test_p215_decision_double_any_total__also_after_a_split():
    split = box("Th Kc", "6d Tc").then("1 split", "1 gets Ah", "1#2 gets 9h")
    played = split.then("1 double 7.00", "1 gets 5h", "1#2 double 10.00", "1#2 gets 2h", "reveal dealer")
    assert played.then("dealer gets 3h", "settle").result().lines == [
        "1 game 10.00: lose, collected 10.00",
        "1 double 7.00: lose, collected 7.00",
        "1#2 game 10.00: win 1:1, paid 10.00",
        "1#2 double 10.00: win 1:1, paid 10.00",
    ]
    assert split.then("1 double 11.00").last_refused() == ("bad_choice", "p215/double-split-surrender/1")


# ---- splitting


@pytest.mark.parametrize("mine", ["2h 2c", "8h 8h", "9h 9c", "Ah Ac", "Th Tc", "Kh Kc", "Th Kc", "Qh Jc"])
def test_p215_double_split_surrender_2__any_pair_or_two_bonus_cards(mine: str):
    split = box(mine, "6d Tc").then("1 split")
    assert split.then("1 gets 5h", "1#2 gets 6h").status == "open"


@pytest.mark.parametrize("mine", ["Th 9c", "9h Tc", "2h 3c", "Ah 9c", "8h 9c"])
def test_p215_double_split_surrender_2__nothing_else(mine: str):
    assert box(mine, "6d Tc").then("1 split").last_refused() == ("bad_choice", "p215/double-split-surrender/2")


def test_p215_double_split_surrender_2__not_with_a_third_card():
    assert reached("2h 4c 4d").then("1 split").last_refused() == ("bad_choice", "p215/double-split-surrender/2")


def test_p215_double_split_surrender_2__an_equal_wager():
    split = box("8h 8c", "6d Tc").then("1 split", "1 gets Th", "1#2 gets 2h", "1 stand", "1#2 hit", "1#2 gets Kh")
    played = split.then("reveal dealer", "dealer gets 3s", "settle")
    assert played.result().lines == [
        "1 game 10.00: lose, collected 10.00",
        "1#2 game 10.00: win 1:1, paid 10.00",
    ]
    dealt = box("8h 8c", "6d Tc")
    assert last_event(dealt.then("1 split")) == DecisionMade(1, "seat-1", "split", amount=1000)
    assert dealt.then("1 split 5.00").last_refused()[0] == "bad_document"


def test_p215_decision_hand_by_hand__a_card_to_each_hand_the_lower_number_first():
    split = box("8h 8c", "6d Tc").then("1 split")
    for other in ("1#2 gets Th", "dealer gets Th", "1#3 gets Th", "2 gets Th", "1 stand", "1#2 stand", "reveal dealer"):
        assert split.then(other).last_refused()[0] == OUT_OF_TURN
    once = split.then("1 gets Th")
    for other in ("1 gets Th", "1 stand", "1#2 stand"):
        assert once.then(other).last_refused()[0] == OUT_OF_TURN
    twice = once.then("1#2 gets 9h")
    for other in ("1 gets Th", "1#2 stand", "reveal dealer"):
        assert twice.then(other).last_refused()[0] == OUT_OF_TURN
    assert twice.then("1 stand", "1 stand").last_refused()[0] == OUT_OF_TURN
    assert twice.then("1 stand", "1#2 stand", "reveal dealer").status == "open"


def test_p215_decision_hand_by_hand__hands_are_settled_by_their_numbers():
    played = FOUR_HANDS.then("1#2 stand", "1#3 stand", "1#4 stand", "reveal dealer", "dealer gets 3s", "settle")
    assert [line["hand"] for line in played.result()["lines"]] == [1, 2, 3, 4]


# Hand 1 is split a second time, then hand 2: the new hands are numbers 3 and 4.
FOUR_HANDS = box("8h 8c", "6d Tc").then(
    *("1 split", "1 gets 8d", "1#2 gets 8s", "1 split", "1 gets 2c", "1#3 gets 8c", "1 hit", "1 gets Tc"),
    *("1#2 split", "1#2 gets 8h", "1#4 gets Td"),
)


def test_p215_double_split_surrender_2__a_pair_splits_to_four_hands():
    played = FOUR_HANDS.then("1#2 hit", "1#2 gets 5h", "1#3 stand", "1#4 stand", "reveal dealer", "dealer gets 3s")
    assert played.then("settle").result().lines == [
        "1 game 10.00: win 1:1, paid 10.00",  # 20 against 19
        "1#2 game 10.00: win 1:1, paid 10.00",  # 21
        "1#3 game 10.00: lose, collected 10.00",  # 16
        "1#4 game 10.00: lose, collected 10.00",  # 18
    ]


def test_p215_double_split_surrender_2__and_no_further():
    assert FOUR_HANDS.then("1#2 split").last_refused() == ("bad_choice", "p215/double-split-surrender/2")
    later = FOUR_HANDS.then("1#2 stand")
    assert later.then("1#3 split").last_refused() == ("bad_choice", "p215/double-split-surrender/2")
    assert later.then("1#3 double 10.00").status == "open"


def test_p215_decision_split_aces__one_card_each_and_finished():
    split = box("Ah Ac", "6d Tc").then("1 split", "1 gets 2h", "1#2 gets Ad")
    for choice in ("1 hit", "1 stand", "1 double 10.00", "1#2 split", "1#2 stand", "1#2 hit"):
        assert split.then(choice).last_refused() == (OUT_OF_TURN, "p215/dealing/6")
    played = split.then("reveal dealer", "dealer gets 2s", "settle")
    assert played.result().lines == ["1 game 10.00: lose, collected 10.00", "1#2 game 10.00: lose, collected 10.00"]
    assert box("Ah Ac", "6d Tc").then("1 split", "1 gets 2h", "reveal dealer").last_refused()[0] == OUT_OF_TURN


@pytest.mark.parametrize(
    ("dealer", "lines"),
    [
        ("6d Tc 4s", ["1 game 10.00: win 1:1, paid 10.00", "1#2 game 10.00: win 1:1, paid 10.00"]),
        ("6d Tc 5s", ["1 game 10.00: push", "1#2 game 10.00: push"]),
    ],
)
def test_p215_decision_split_pure__an_ace_and_a_bonus_card_are_an_ordinary_21(dealer: str, lines: list[str]):
    aces = over(dealer, mine="Ah Ac", choices=("1 split", "1 gets Kh", "1#2 gets Td"))
    assert aces.lines == lines
    clause = "p215/wins/7" if "push" in lines[0] else "p215/wins/8"
    assert aces.lines_by(clause) == lines
    kings = over(
        dealer, mine="Kh Kc", choices=("1 split", "1 gets Ah", "1#2 gets Ad", "1 stand", "1#2 stand")
    )  # unlike a Pure 21.5 they still have a choice
    assert kings.lines == lines


def test_p215_decision_split_pure__it_may_even_be_hit():
    kings = box("Kh Kc", "6d Tc").then("1 split", "1 gets Ah", "1#2 gets 9d")
    assert kings.then("1 hit", "1 gets 5s").status == "open"


# ---- surrender


@pytest.mark.parametrize("dealer", ["9d Tc", "6d Tc Kh", "9d 9c", "8d 8c 8h"])
def test_p215_double_split_surrender_3__half_the_wager_is_lost(dealer: str):
    """Whatever the player-dealer makes; a second seat keeps the dealer's hand going."""
    up, hole, *draws = dealer.split()
    dealt = p215("1 game 15.00", "2 game 10.00", cards=f"1: Th 6c, 2: Ts 9s, dealer: {up} {hole}")
    played = dealt.then("1 surrender", "2 stand", "reveal dealer", *(f"dealer gets {card}" for card in draws), "settle")
    result = played.result()
    assert result.lines_by("p215/double-split-surrender/3") == ["1 game 15.00: surrender, collected 7.50"]
    assert result.lines_at(1) == ["1 game 15.00: surrender, collected 7.50"]


@pytest.mark.parametrize("mine", ["2h 2c", "5h 6c", "Th 9c", "Kh Qc", "Ah Ac"])
def test_p215_double_split_surrender_3__on_any_first_two_cards(mine: str):
    result = over("6d 5c", mine=mine, choices=("1 surrender",))
    assert result.lines == ["1 game 10.00: surrender, collected 5.00"]


def test_p215_double_split_surrender_3__not_after_a_third_card_and_nothing_after_it():
    assert reached("2h 3c 6d").then("1 surrender").last_refused() == ("bad_choice", "p215/double-split-surrender/3")
    given_up = box("Th 6c", "6d Tc").then("1 surrender")
    for choice in ("hit", "stand", "surrender"):
        assert given_up.then(f"1 {choice}").last_refused() == (OUT_OF_TURN, "p215/dealing/6")
    assert box("Ah Kc", "6d Tc").then("1 surrender").last_refused()[0] == OUT_OF_TURN


def test_p215_decision_surrender_after_peek__not_before_the_hole_card_was_looked_at():
    ten_up, ace_up = box("Th 6c", "Kd 5c"), box("Th 6c", "Ad 5c")
    assert ten_up.then("1 surrender").last_refused()[0] == OUT_OF_TURN
    assert ace_up.then("1 surrender").last_refused() == ("bad_choice", "p215/wins/2")
    for dealt in (ten_up, ace_up):
        played = dealt.then("peek", "1 surrender", "reveal dealer", "settle")
        assert played.result().lines == ["1 game 10.00: surrender, collected 5.00"]


def test_p215_decision_surrender_after_peek__a_pure_21_5_has_ended_the_round():
    for dealer in ("Kd Ac", "Ad Kc"):
        checked = box("Th 6c", dealer).then("peek")
        assert checked.then("1 surrender").last_refused()[0] == OUT_OF_TURN
        assert checked.then("reveal dealer", "settle").result().lines == ["1 game 10.00: lose, collected 10.00"]


def test_p215_decision_surrender_after_peek__not_on_a_split_hand():
    split = box("8h 8c", "6d Tc").then("1 split", "1 gets Th", "1#2 gets 9h")
    assert split.then("1 surrender").last_refused() == ("bad_choice", "p215/double-split-surrender/3")
    assert split.then("1 stand", "1#2 surrender").last_refused() == ("bad_choice", "p215/double-split-surrender/3")


# ---- Pure 21.5 on both sides, insurance and the peek


@pytest.mark.parametrize("dealer", ["Ad Kc", "Kd Ac"])
def test_p215_wins_1__a_pure_21_5_against_a_pure_21_5_is_a_push(dealer: str):
    result = box("Ah Tc", dealer).then("peek", "reveal dealer", "settle").result()
    assert result.lines_by("p215/wins/1") == ["1 game 10.00: push"]


INSURABLE = p215(
    *("1 game 10.00", "1/b-1 game 25.00", "2 game 5.00", "3 game 500.00"),
    cards="1: Th 9c, 2: Ah Kc, 3: 5h 6c, dealer: Ad ??",
)


@pytest.mark.parametrize(
    ("most", "above", "off_the_chip"),
    [
        ("1 insure 5.00", "1 insure 6.00", "1 insure 4.50"),
        ("1/b-1 insure 12.00", "1/b-1 insure 13.00", "1/b-1 insure 12.50"),
        ("2 insure 2.00", "2 insure 3.00", "2 insure 2.50"),
        ("3 insure 250.00", "3 insure 251.00", "3 insure 249.99"),
    ],
)
def test_p215_wins_2__at_most_half_the_game_wager(most: str, above: str, off_the_chip: str):
    assert INSURABLE.then(most).status == "open"
    assert INSURABLE.then(above).last_refused() == ("bad_choice", "p215/wins/2")
    assert INSURABLE.then(off_the_chip).last_refused() == ("limit", "p215/decision/chip")


def test_p215_wins_2__more_than_half_is_refused_even_off_the_chip():
    assert INSURABLE.then("1 insure 5.50").last_refused() == ("bad_choice", "p215/wins/2")
    assert last_event(INSURABLE.then("1 insure 5.00")) == InsurancePlaced(1, "seat-1", 500)
    assert INSURABLE.then("1 insure 0.00").last_refused()[0] == "bad_document"
    assert INSURABLE.then("1 insure").last_refused()[0] == "bad_document"


def test_p215_wins_2__once_for_each_bettor_in_any_order():
    insured = INSURABLE.then("3 insure 1.00", "1/b-1 insure 1.00", "1 insure 1.00")
    for again in ("1 insure 1.00", "1/b-1 insure 1.00", "3 insure 1.00", "1 stand"):
        assert insured.then(again).last_refused() == (OUT_OF_TURN, "p215/wins/2")
    for nobody in ("4 insure 1.00", "1/b-9 insure 1.00", "2/b-1 insure 1.00", "2#2 insure 1.00"):
        assert insured.then(nobody).last_refused() == (OUT_OF_TURN, "p215/wins/2")


@pytest.mark.parametrize("choice", ["hit", "stand", "double 5.00", "split", "surrender"])
def test_p215_wins_2__until_the_peek_there_is_nothing_else_to_decide(choice: str):
    assert INSURABLE.then(f"1 {choice}").last_refused() == ("bad_choice", "p215/wins/2")


def test_p215_wins_2__only_with_an_ace_up_and_only_before_the_peek():
    for dealer in ("Kd 5c", "Td Ac"):
        assert box("Th 9c", dealer).then("1 insure 5.00").last_refused()[0] == OUT_OF_TURN
    assert box("Th 9c", "6d 5c").then("1 insure 5.00").last_refused() == ("bad_choice", "p215/wins/2")
    assert INSURABLE.then("peek nothing", "1 insure 5.00").last_refused() == ("bad_choice", "p215/wins/2")
    assert INSURABLE.then("peek pure", "1 insure 5.00").last_refused()[0] == OUT_OF_TURN


@pytest.mark.parametrize("hole", ["Kc", "Qc", "Jc", "Tc"])
def test_p215_wins_2__it_pays_2_to_1_if_the_hole_card_is_a_bonus_card(hole: str):
    insured = INSURABLE.then("1 insure 3.00", "1/b-1 insure 12.00", "2 insure 2.00", "peek pure")
    result = insured.then(f"reveal dealer Ad {hole}", "settle").result()
    assert sorted(result.lines_by("p215/wins/2")) == [
        "1 insurance 3.00: win 2:1, paid 6.00",
        "1/b-1 insurance 12.00: win 2:1, paid 24.00",
        "2 insurance 2.00: win 2:1, paid 4.00",
    ]


@pytest.mark.parametrize("hole", [f"{rank}c" for rank in "A23456789"])
def test_p215_wins_2__and_loses_otherwise(hole: str):
    insured = box("Ah Kc", f"Ad {hole}").then("1 insure 5.00", "peek", "reveal dealer", "settle")
    assert insured.result().lines_by("p215/wins/2") == ["1 insurance 5.00: lose, collected 5.00"]
    assert insured.result().lines[1] == "1 game 10.00: win 6:5, paid 12.00"


def test_p215_wins_2__a_pure_21_5_may_be_insured_and_pushes():
    result = box("Ah Kc", "Ad Tc").then("1 insure 5.00", "peek", "reveal dealer", "settle").result()
    assert result.lines == ["1 insurance 5.00: win 2:1, paid 10.00", "1 game 10.00: push"]


@pytest.mark.parametrize("up", [f"{rank}d" for rank in "AKQJT"])
def test_p215_wins_3__with_an_ace_or_bonus_card_up_the_hole_card_is_looked_at_first(up: str):
    dealt = box("Th 6c", f"{up} 5c")
    for early in ("1 hit", "1 stand", "1 gets 5h", "reveal dealer", "settle", "dealer gets 5h"):
        code = "bad_choice" if up == "Ad" and early in ("1 hit", "1 stand") else OUT_OF_TURN
        assert dealt.then(early).last_refused()[0] == code
    checked = dealt.then("peek")
    assert checked.then("1 hit", "1 gets 5h").status == "open"
    assert checked.then("peek").last_refused() == (OUT_OF_TURN, "p215/wins/3")


@pytest.mark.parametrize("up", [f"{rank}d" for rank in "23456789"])
def test_p215_wins_3__with_any_other_card_up_it_is_not(up: str):
    dealt = box("Th 6c", f"{up} Ac")
    assert dealt.then("peek").last_refused() == (OUT_OF_TURN, "p215/wins/3")
    assert dealt.then("1 stand", "reveal dealer").status == "open"


@pytest.mark.parametrize("up", ["Ad", "Kd"])
def test_p215_wins_3__not_before_all_have_two_cards(up: str):
    dealing = p215("1 game 10.00").then("close")
    for card in ("1 gets Th", f"dealer gets {up}", "1 gets 6c", f"dealer gets {up}"):
        for early in ("peek", "peek nothing", "1 insure 5.00", "1 stand", "reveal dealer"):
            assert dealing.then(early).last_refused()[0] == OUT_OF_TURN
        dealing = dealing.then(card)
    assert dealing.then("peek").status == "open"


def test_p215_wins_3__a_peek_must_agree_with_a_hole_card_that_was_seen():
    for dealer, right, wrong in (
        ("Ad Kc", "pure", "nothing"),
        ("Kd Ac", "pure", "nothing"),
        ("Kd 9c", "nothing", "pure"),
    ):
        dealt = box("Th 6c", dealer)
        assert dealt.then(f"peek {wrong}").last_refused() == ("wrong_cards", "p215/wins/3")
        assert dealt.then(f"peek {right}").status == dealt.then("peek").status == "open"


def test_p215_wins_3__and_a_hole_card_with_a_peek_that_came_before_it():
    dealt = box("Th 6c", "Kd ??")
    assert dealt.then("peek").last_refused() == ("wrong_cards", "p215/wins/3")
    pure, other = dealt.then("peek pure"), dealt.then("peek nothing", "1 stand")
    assert pure.then("reveal dealer").last_refused()[0] == "wrong_cards"
    assert pure.then("reveal dealer Kd 9c").last_refused() == ("wrong_cards", "p215/wins/3")
    assert other.then("reveal dealer Kd Ac").last_refused() == ("wrong_cards", "p215/wins/3")
    assert pure.then("reveal dealer Kd Ac", "settle").result().lines == ["1 game 10.00: lose, collected 10.00"]
    assert other.then("reveal dealer Kd 9c", "settle").result().lines == ["1 game 10.00: lose, collected 10.00"]


@pytest.mark.parametrize("dealer", ["Ad Kc", "Td Ac"])
def test_p215_wins_3__a_pure_21_5_goes_straight_to_settlement_and_beats_the_rest(dealer: str):
    bets = ("1 game 10.00", "2 game 10.00", "3 game 10.00", "3 buster 5.00", "3 red_flex 5.00")
    checked = p215(*bets, cards=f"1: Th 9c, 2: Ah Jc, 3: 5h 6c, dealer: {dealer}").then("peek")
    for late in ("1 stand", "3 hit", "1 gets 5h", "dealer gets 5h", "settle", "1 insure 5.00"):
        assert checked.then(late).last_refused()[0] == OUT_OF_TURN
    shown = checked.then("reveal dealer")
    assert shown.then("dealer gets 5h").last_refused()[0] == OUT_OF_TURN
    result = shown.then("settle").result()
    assert sorted(result.lines_by("p215/wins/3")) == [
        "1 game 10.00: lose, collected 10.00",
        "3 game 10.00: lose, collected 10.00",
    ]
    assert result.lines_at(2) == ["2 game 10.00: push"]
    assert result.lines_at(3)[1:] == ["3 red_flex 5.00: lose, collected 5.00", "3 buster 5.00: lose, collected 5.00"]


# ---- totals


@pytest.mark.parametrize("mine", ["Th 2c", "Th 7c", "Ah 2c", "Th Kc"])
def test_p215_wins_5__when_the_player_dealer_goes_over_every_other_hand_wins(mine: str):
    assert over("6d Tc Kh", mine=mine).lines_by("p215/wins/5") == ["1 game 10.00: win 1:1, paid 10.00"]


@pytest.mark.parametrize("dealer", ["Td 6c 6h", "6d Tc 6h", "Ad 6c 9h 6s"])
def test_p215_wins_5__22_is_over(dealer: str):
    assert over(dealer, mine="Th 2c").lines_by("p215/wins/5") == ["1 game 10.00: win 1:1, paid 10.00"]


def test_p215_wins_5__with_its_double_and_after_a_split():
    choices = (
        "1 split",
        "1 gets 3h",
        "1#2 gets 2h",
        "1 double 6.00",
        "1 gets Ah",
        "1#2 hit",
        "1#2 gets Kh",
    )
    result = over("6d Tc Kh", mine="8h 8c", choices=choices)
    assert result.lines_by("p215/wins/5") == [
        "1 game 10.00: win 1:1, paid 10.00",
        "1 double 6.00: win 1:1, paid 6.00",
        "1#2 game 10.00: win 1:1, paid 10.00",
    ]


@pytest.mark.parametrize(
    ("mine", "dealer"),
    [("Th 7c", "9d 8c"), ("Ah 6c", "Td 7c"), ("Th Kc", "Ad 9c"), ("Ah 7c", "9d 9c"), ("Th 9c", "Ad 8c")],
)
def test_p215_wins_7__equal_totals_push(mine: str, dealer: str):
    """A soft total is as good as a hard one."""
    assert over(dealer, mine=mine).lines_by("p215/wins/7") == ["1 game 10.00: push"]


def test_p215_wins_7__21_against_21():
    result = over("6d 5c Th", mine="5h 6c", choices=("1 hit", "1 gets Ks"))
    assert result.lines_by("p215/wins/7") == ["1 game 10.00: push"]


@pytest.mark.parametrize(
    ("mine", "dealer", "line"),
    [
        ("Th 8c", "Td 7c", "1 game 10.00: win 1:1, paid 10.00"),
        ("Th 7c", "Td 8c", "1 game 10.00: lose, collected 10.00"),
        ("Th Kc", "Td 9c", "1 game 10.00: win 1:1, paid 10.00"),
        ("Th 9c", "Td Qc", "1 game 10.00: lose, collected 10.00"),
        ("Ah 7c", "9d 8c", "1 game 10.00: win 1:1, paid 10.00"),
        ("Th 8c", "Ad 8c", "1 game 10.00: lose, collected 10.00"),
        ("Th Kc", "6d 5c Tc", "1 game 10.00: lose, collected 10.00"),
        ("Th 2c", "Td 6c Ac", "1 game 10.00: lose, collected 10.00"),
    ],
)
def test_p215_wins_8__the_higher_total_wins_1_to_1(mine: str, dealer: str, line: str):
    assert over(dealer, mine=mine).lines_by("p215/wins/8") == [line]


def test_p215_decision_even_money__game_and_double_pay_1_to_1():
    assert {on: str(odds) for on, odds in RULES.odds.items()} == {
        "game": "1:1",
        "double": "1:1",
        "pure": "6:5",
        "insurance": "2:1",
    }
    result = over("Td 9c", mine="5h 6c", choices=("1 double 7.00", "1 gets Ks"), stake="13.00")
    assert result.lines == ["1 game 13.00: win 1:1, paid 13.00", "1 double 7.00: win 1:1, paid 7.00"]


def test_p215_wins_8__the_higher_total_of_a_doubled_hand():
    choices = ("1 double 10.00", "1 gets Ks")
    assert over("Td 9c", mine="5h 6c", choices=choices).lines_by("p215/wins/8") == [
        "1 game 10.00: win 1:1, paid 10.00",
        "1 double 10.00: win 1:1, paid 10.00",
    ]


BUST = ("1 hit", "1 gets Ks")


def test_p215_wins_9a__against_three_eights_hands_that_went_over_push():
    dealt = p215(
        *(f"{seat} game 10.00" for seat in (1, 2, 3, 4)), cards="1: Th 6c, 2: Ts 6h, 3: Td 6d, 4: Ah Kc, dealer: 8d 8c"
    )
    played = dealt.then(*BUST, "2 surrender", "3 double 7.00", "3 gets Qs", "reveal dealer", "dealer gets 8h", "settle")
    result = played.result()
    assert result["dealer"]["hand"] == "bust"
    assert result.lines == [
        "1 game 10.00: push",
        "2 game 10.00: surrender, collected 5.00",
        "3 game 10.00: push",
        "3 double 7.00: push",
        "4 game 10.00: win 6:5, paid 12.00",
    ]
    assert result.lines_by("p215/wins/9a") == ["1 game 10.00: push", "3 game 10.00: push", "3 double 7.00: push"]


def test_p215_wins_9a__and_the_others_win():
    assert over("8d 8c 8h").lines_by("p215/wins/5") == ["1 game 10.00: win 1:1, paid 10.00"]


@pytest.mark.parametrize(("card", "line"), [("5s", "1 game 10.00: win 1:1, paid 10.00"), ("6s", "1 game 10.00: push")])
def test_p215_wins_9a__21_is_not_over_and_22_is(card: str, line: str):
    assert over("8d 8c 8h", mine="Th 6c", choices=("1 hit", f"1 gets {card}")).lines == [line]


@pytest.mark.parametrize("dealer", ["9d 7c 8h", "8d 8c 9h", "8d 7c 9h", "8d 4c 4h 8s", "8d 2c 6h 8s", "4d 4c 8h 8s"])
def test_p215_wins_9a__only_against_exactly_three_eights(dealer: str):
    result = over(dealer, mine="Th 6c", choices=BUST)
    assert result["dealer"]["hand"] == "bust"
    assert result.lines == ["1 game 10.00: lose, collected 10.00"]


@pytest.mark.parametrize("dealer", ["9d 8c", "6d Tc Kh", "8d Tc", "8d 8c Kh", "8d 8c 5h"])
def test_p215_wins_9b__a_hand_that_goes_over_loses(dealer: str):
    """Whether the player-dealer stands or goes over too."""
    assert over(dealer, mine="Th 6c", choices=BUST).lines_by("p215/wins/9b") == ["1 game 10.00: lose, collected 10.00"]


@pytest.mark.parametrize("dealer", ["9d 8c", "Td Kc", "6d 5c Th", "Ad 7c"])
def test_p215_wins_6__a_hand_that_is_over_loses_to_one_that_is_not(dealer: str):
    assert over(dealer, mine="Th 6c", choices=BUST).lines == ["1 game 10.00: lose, collected 10.00"]


@pytest.mark.parametrize("dealer", ["9d 8c", "6d Tc Kh"])
def test_p215_wins_9b__22_is_over(dealer: str):
    result = over(dealer, mine="Th 6c", choices=("1 hit", "1 gets 6s"))
    assert result.lines_by("p215/wins/9b") == ["1 game 10.00: lose, collected 10.00"]


def test_p215_wins_9b__with_its_double_and_each_split_hand_by_itself():
    choices = ("1 split", "1 gets 4h", "1#2 gets 3h", "1 double 5.00", "1 gets Kh", "1#2 double 10.00", "1#2 gets Ts")
    result = over("6d Tc Kh", mine="8h 8c", choices=choices)
    assert result.lines_by("p215/wins/9b") == [
        "1 game 10.00: lose, collected 10.00",
        "1 double 5.00: lose, collected 5.00",
    ]
    assert result.lines_by("p215/wins/5") == [
        "1#2 game 10.00: win 1:1, paid 10.00",
        "1#2 double 10.00: win 1:1, paid 10.00",
    ]


# ---- backline bettors and proposition players


def test_p215_wins_11__backline_bettors_bet_on_game_red_flex_and_buster():
    result = over("6d Th Kh", "1/b-1 game 20.00", "1/b-1 red_flex 3.00", "1/b-1 buster 4.00")
    assert result.lines == [
        "1 game 10.00: win 1:1, paid 10.00",
        "1/b-1 game 20.00: win 1:1, paid 20.00",
        "1/b-1 red_flex 3.00: win 5:1, paid 15.00",
        "1/b-1 buster 4.00: win 1:1, paid 4.00",
    ]
    assert result["exposure"] == {"action": "37.00", "liability": "1840.00"}


def test_p215_wins_11__who_is_not_seated_there_is_named_as_one():
    opened = p215("1 game 10.00")
    for bettor, kind in (("b-1", None), (None, "backline"), ("seat-1", "backline")):
        assert opened.bet(1, bettor, kind, game=5).last_refused()[0] == "bad_document"
    assert opened.bet(1, "seat-1", game=5).status == "open"
    assert opened.then("1/b-1 game 5.00").bet(1, "b-1", "toke", game=5).last_refused()[0] == "bad_document"


def test_p215_wins_11__there_are_no_dealer_tips():
    assert p215("1 game 10.00").bet(1, "d-1", "toke", game=5).last_refused() == ("bad_choice", None)


def test_p215_wins_11__the_seated_player_decides():
    dealt = box("Th 6c", "6d Tc", "1/b-1 game 20.00")
    assert dealt.then("1/b-1 stand").last_refused() == (OUT_OF_TURN, "p215/dealing/6")
    assert dealt.then("1 hit", "1 gets Ks", "reveal dealer", "dealer gets 2h", "settle").result().lines == [
        "1 game 10.00: lose, collected 10.00",
        "1/b-1 game 20.00: lose, collected 20.00",
    ]


def test_p215_wins_11_proposition_players__they_bank_and_play_like_anybody():
    """Who is one is in the ledger's register of bettors and not in the round."""
    names = {1: "tp-2", 8: "tp-1"}
    dealt = box("Th 9c", "8d Tc", "1/tp-3 game 20.00", players=names).then("1 stand", "reveal dealer", "settle")
    assert dealt.result().lines == ["1/tp-2 game 10.00: win 1:1, paid 10.00", "1/tp-3 game 20.00: win 1:1, paid 20.00"]
    assert opened(dealt).bank_bettor == "tp-1"
    assert p215("1/tp-1 game 10.00", players=names).last_refused() == ("bad_choice", "p215/dealing/11")


FOLLOWED = box("6h 5c", "6d Tc", "1/b-1 game 20.00", "1/b-2 game 5.00").then("1 double 10.00")


def test_p215_decision_follow__a_double_is_followed_up_to_ones_own_wager_or_not_at_all():
    followed = FOLLOWED.then("1/b-1 double 15.00")
    assert last_event(followed) == DecisionFollowed(1, "b-1", "double", amount=1500)
    played = followed.then("1 gets Ks", "reveal dealer", "dealer gets 2h", "settle")
    assert played.result().lines == [
        "1 game 10.00: win 1:1, paid 10.00",
        "1/b-1 game 20.00: win 1:1, paid 20.00",
        "1/b-2 game 5.00: win 1:1, paid 5.00",
        "1 double 10.00: win 1:1, paid 10.00",
        "1/b-1 double 15.00: win 1:1, paid 15.00",
    ]


def test_p215_decision_follow__in_any_order_once_and_before_the_card():
    both = FOLLOWED.then("1/b-2 double 4.00", "1/b-1 double 20.00")
    played = both.then("1 gets Ks", "reveal dealer", "dealer gets 2h", "settle").result()
    assert played.lines[3:] == [
        "1 double 10.00: win 1:1, paid 10.00",
        "1/b-1 double 20.00: win 1:1, paid 20.00",
        "1/b-2 double 4.00: win 1:1, paid 4.00",
    ]
    clause = "p215/decision/follow"
    assert both.then("1/b-1 double 1.00").last_refused() == (OUT_OF_TURN, clause)
    assert FOLLOWED.then("1/b-9 double 1.00").last_refused() == (OUT_OF_TURN, clause)
    assert FOLLOWED.then("1#2/b-1 double 1.00").last_refused() == (OUT_OF_TURN, clause)
    assert FOLLOWED.then("1 gets Ks", "1/b-1 double 1.00").last_refused()[0] == OUT_OF_TURN
    for choice in ("stand", "split", "fold", "hit", "surrender"):
        assert FOLLOWED.then(f"1/b-1 {choice}").last_refused() == ("bad_choice", clause)
    assert FOLLOWED.then("1/b-2 double 6.00").last_refused()[0] == "bad_choice"
    assert FOLLOWED.then("1/b-2 double 3.50").last_refused() == ("limit", "p215/decision/chip")


def test_p215_decision_follow__who_does_not_follow_a_split_keeps_their_wager_on_the_hand_that_was_split():
    dealt = box("8h 8c", "6d Tc", "1/b-1 game 6.00", "1/b-2 game 5.00")
    split = dealt.then("1 split", "1/b-1 split", "1 gets 3d", "1#2 gets 8d")
    doubled = split.then("1 double 10.00", "1/b-2 double 4.00", "1 gets Kd")
    again = doubled.then("1#2 split")
    assert again.then("1#2/b-2 split").last_refused() == (OUT_OF_TURN, "p215/decision/follow")
    assert again.then("1/b-1 split").last_refused() == (OUT_OF_TURN, "p215/decision/follow")
    assert again.then("1#2/b-1 double 6.00").last_refused() == ("bad_choice", "p215/decision/follow")
    played = again.then("1#2/b-1 split", "1#2 gets 9s", "1#3 gets Tc", "1#2 stand", "1#3 stand", "reveal dealer")
    assert played.then("dealer gets 2c", "settle").result().lines == [
        "1 game 10.00: win 1:1, paid 10.00",
        "1/b-1 game 6.00: win 1:1, paid 6.00",
        "1/b-2 game 5.00: win 1:1, paid 5.00",
        "1 double 10.00: win 1:1, paid 10.00",
        "1/b-2 double 4.00: win 1:1, paid 4.00",
        "1#2 game 10.00: lose, collected 10.00",
        "1#2/b-1 game 6.00: lose, collected 6.00",
        "1#3 game 10.00: push",
        "1#3/b-1 game 6.00: push",
    ]


def test_p215_decision_follow__a_split_is_followed_once_and_before_the_first_card():
    split = box("8h 8c", "6d Tc", "1/b-1 game 6.00").then("1 split")
    followed = split.then("1/b-1 split")
    assert last_event(followed) == DecisionFollowed(1, "b-1", "split", amount=600)
    assert followed.then("1/b-1 split").last_refused() == (OUT_OF_TURN, "p215/decision/follow")
    assert split.then("1 gets 3d", "1/b-1 split").last_refused()[0] == OUT_OF_TURN
    stood = split.then("1 gets Td", "1#2 gets Tc", "1 stand", "1#2 double 10.00")
    assert stood.then("1#2/b-1 double 6.00").last_refused() == (OUT_OF_TURN, "p215/decision/follow")


def test_p215_decision_follow__a_surrender_surrenders_all():
    result = over("6d 5c", "1/b-1 game 25.00", mine="Th 6c", choices=("1 surrender",))
    assert result.lines == ["1 game 10.00: surrender, collected 5.00", "1/b-1 game 25.00: surrender, collected 12.50"]


def test_p215_decision_follow__everybody_insures_their_own_wager():
    dealt = box("Th 9c", "Ad Kc", "1/b-1 game 20.00").then("1/b-1 insure 10.00", "peek", "reveal dealer", "settle")
    assert dealt.result().lines == [
        "1/b-1 insurance 10.00: win 2:1, paid 20.00",
        "1 game 10.00: lose, collected 10.00",
        "1/b-1 game 20.00: lose, collected 20.00",
    ]


# ---- whether the player-dealer's hand is completed

ALL_PURE = p215("1 game 10.00", "2 game 10.00", cards="1: Ah Kc, 2: As Qc, dealer: 5d 6h")


def completed(play: ButtonGame) -> bool:
    """Whether the player-dealer's hand takes another card: then it must, and otherwise it may not."""
    settled, drawn = play.then("settle"), play.then("dealer gets 2c")
    if drawn.status == "open":
        assert settled.last_refused()[0] == OUT_OF_TURN
        return True
    assert drawn.last_refused()[0] == OUT_OF_TURN
    assert settled.status == "settled"
    return False


def given_up(dealer: str, *bets: str) -> ButtonGame:
    """Only seat 1, which surrenders."""
    return box("Th 6c", dealer, *bets).then("1 surrender", "reveal dealer")


def test_p215_decision_completing__nothing_depends_on_it_when_all_hold_pure_21_5s_or_surrendered():
    assert not completed(ALL_PURE.then("reveal dealer"))
    assert not completed(given_up("5d 6h"))
    mixed = p215("1 game 10.00", "2 game 10.00", cards="1: Ah Kc, 2: Ts 6c, dealer: 5d 6h")
    assert not completed(mixed.then("2 surrender", "reveal dealer"))
    assert completed(mixed.then("2 stand", "reveal dealer"))


def test_p215_decision_completing__a_card_that_nothing_depends_on_is_refused_by_it():
    for played in (ALL_PURE.then("reveal dealer"), given_up("5d 6h"), given_up("5d 4c", "1 red_flex 5.00")):
        assert played.then("dealer gets 2c").last_refused() == (OUT_OF_TURN, "p215/decision/completing")
    complete = box("Th 6c", "9d 8h").then("1 stand", "reveal dealer")
    assert complete.then("dealer gets 2c").last_refused() == (OUT_OF_TURN, "p215/chart-1b")


def test_p215_decision_completing__a_live_or_doubled_hand_depends_on_it():
    assert completed(box("Th 6c", "5d 6h").then("1 stand", "reveal dealer"))
    assert completed(box("Th 6c", "5d 6h").then("1 double 1.00", "1 gets 2h", "reveal dealer"))
    assert completed(box("Ah Ac", "5d 6h").then("1 split", "1 gets Kh", "1#2 gets Qh", "reveal dealer"))


@pytest.mark.parametrize("dealer", ["8d 8h", "5d 6h", "8d 2h"])
def test_p215_decision_completing__so_does_a_busted_hand_even_without_a_chance_of_three_eights(dealer: str):
    assert completed(box("Th 6c", dealer).then(*BUST, "reveal dealer"))


def test_p215_decision_completing__and_two_busted_split_hands():
    split = box("8h 8c", "5d 6h").then("1 split", "1 gets 5h", "1#2 gets 6s", "1 hit", "1 gets Kh")
    assert completed(split.then("1#2 hit", "1#2 gets Kh", "reveal dealer"))


def test_p215_decision_completing__a_buster_wager_depends_on_it_to_the_end():
    play = given_up("5d 4c", "1 buster 5.00")
    assert completed(play)
    play = play.then("dealer gets 2h")
    assert completed(play)
    play = play.then("dealer gets 3c")
    assert completed(play)
    assert not completed(play.then("dealer gets 3h"))
    assert not completed(play.then("dealer gets Kh"))


def test_p215_decision_completing__a_red_flex_wager_while_its_run_is_unbroken():
    play = given_up("5d 4h", "1 red_flex 5.00")
    assert completed(play)
    assert not completed(play.then("dealer gets 2c"))
    play = play.then("dealer gets 2h")
    assert completed(play)
    broken = play.then("dealer gets 2s")
    assert not completed(broken)
    assert broken.then("settle").result().line(1, "red_flex") == "1 red_flex 5.00: win 5:1, paid 25.00"
    assert not completed(play.then("dealer gets 9h"))


@pytest.mark.parametrize("dealer", ["5c 4h", "5d 4c", "5c 4s"])
def test_p215_decision_completing__and_not_where_it_never_began(dealer: str):
    assert not completed(given_up(dealer, "1 red_flex 5.00"))


def test_p215_decision_completing__a_backline_bettors_bonus_wager_counts_too():
    assert not completed(given_up("5d 4c", "1/b-1 game 5.00"))
    assert completed(given_up("5d 4c", "1/b-1 game 5.00", "1/b-1 buster 5.00"))
    assert completed(given_up("5d 4h", "1/b-1 game 5.00", "1/b-1 red_flex 5.00"))


def test_p215_decision_completing__a_hand_of_17_takes_no_card_for_anybody():
    assert not completed(given_up("9d 8h", "1 red_flex 5.00", "1 buster 5.00"))


def test_p215_buster_note__the_hand_is_completed_for_buster_though_every_player_has_a_pure_21_5():
    dealt = p215(*("1 game 10.00", "2 game 10.00", "2 buster 5.00"), cards="1: Ah Kc, 2: As Qc, dealer: 6d Th").then(
        "reveal dealer"
    )
    assert completed(dealt)
    result = dealt.then("dealer gets Kh", "settle").result()
    assert sorted(result.lines) == [
        "1 game 10.00: win 6:5, paid 12.00",
        "2 buster 5.00: win 1:1, paid 5.00",
        "2 game 10.00: win 6:5, paid 12.00",
    ]


# ---- buster

SIDE_LIMITS = [("0.99", False), ("1.00", True), ("50.00", True), ("50.01", False)]


def hold_side_limit(spot: str, amount: str, fits: bool) -> None:
    """A limit is refused by the clause that prints it."""
    closed = p215("1 game 10.00", f"1 {spot} {amount}", chip="0.01").then("close")
    if fits:
        assert closed.status == "open"
    else:
        assert closed.last_refused() == ("limit", RULES.spots[spot].clause)


@pytest.mark.parametrize(("amount", "fits"), SIDE_LIMITS)
def test_p215_buster_1__from_1_to_50_dollars(amount: str, fits: bool):
    hold_side_limit("buster", amount, fits)
    assert RULES.spots["buster"].clause == "p215/buster/1"


def test_p215_buster_1__for_each_game_wager():
    bets = (
        "1 game 10.00",
        "1 buster 50.00",
        "2 game 10.00",
        "2 buster 50.00",
        "1/b-1 game 10.00",
        "1/b-1 buster 50.00",
    )
    assert p215(*bets).then("close").result()["fee"]["action"] == "180.00"
    assert p215(*bets, "1 buster 1.00").then("close").last_refused()[0] == "limit"


def hold_not_alone(spot: str, clause: str) -> None:
    for bettor in ("2", "1/b-1"):
        alone = p215("1 game 10.00", f"{bettor} {spot} 5.00")
        assert alone.then("close").last_refused() == ("missing_wager", clause)
        assert alone.then(f"{bettor} game 5.00", "close").result()["fee"]["action"] == "20.00"


def hold_before_the_cards(spot: str) -> None:
    closed = p215("1 game 10.00").then("close")
    for played in (closed, closed.then("1 gets Th")):
        assert played.then(f"1 {spot} 5.00").last_refused() == (OUT_OF_TURN, "p215/decision/no-more-bets")


def test_p215_buster_2__it_needs_a_game_wager():
    hold_not_alone("buster", "p215/buster/2")


def test_p215_buster_3__before_the_first_card():
    hold_before_the_cards("buster")


def test_p215_buster_4__backline_bettors_may():
    result = over("6d Tc Kh", "1/b-1 game 5.00", "1/b-1 buster 5.00")
    assert result.line(1, "buster", bettor="b-1") == "1/b-1 buster 5.00: win 1:1, paid 5.00"


def test_p215_buster_6__more_cards_in_the_hand_that_is_over_pay_more():
    paid = [over(dealer, "1 buster 5.00").line(1, "buster") for dealer in ("6c 9d Kh", "6c 4d 5h 9c", "2c 3d 4h 5c 9d")]
    assert paid == [f"1 buster 5.00: win {odds}" for odds in ("1:1, paid 5.00", "3:1, paid 15.00", "6:1, paid 30.00")]


@pytest.mark.parametrize(
    ("dealer", "moved"), [("6d Tc Kh", "paid 15.00, collected 0.00"), ("Td 9c", "paid 0.00, collected 15.00")]
)
def test_p215_buster_7__the_player_dealer_pays_and_collects(dealer: str, moved: str):
    assert banked(over(dealer, "1 buster 5.00")) == moved


@pytest.mark.parametrize("wager", ["1.00", "1000000.00"])
def test_p215_buster_8__where_the_wager_does_not_cover_all_the_button_says_who_gets_action(wager: str):
    dealt = p215("1 game 10.00", "3 game 10.00", cards="1: Th 9c, 3: Ts 9h, dealer: 8d Ts", wager=wager)
    result = dealt.then("1 stand", "3 stand", "reveal dealer", "settle").result()
    assert (result["button"], result.seats()) == (3, [3, 1])
    assert result.line(1, "game").startswith("1 game 10.00: no_action" if wager == "1.00" else "1 game 10.00: win")


BUSTED = [
    ("6c 9d Kh", "1:1", "5.00"),
    ("6c 9d 7h", "1:1", "5.00"),
    ("6c 4d 5h 9c", "3:1", "15.00"),
    ("2c 3d 4h 5c 9d", "6:1", "30.00"),
    ("2c 2d 3h 4c 5d 9c", "25:1", "125.00"),
    ("2c 2d 2h 2s 3c 4d 9h", "100:1", "500.00"),
    ("2c 2d 2h 2s 2c 3d 3h 9c", "250:1", "1250.00"),
    ("2c 2d 2h 2s 2c 2d 2h 2s Kc", "250:1", "1250.00"),
    ("2c Ad Ah As Ac Ad 9c Kh", "250:1", "1250.00"),
    ("Ac 6d 9h 9c", "3:1", "15.00"),
]


@pytest.mark.parametrize(("dealer", "odds", "paid"), BUSTED)
def test_p215_buster_pay_table__by_the_number_of_cards(dealer: str, odds: str, paid: str):
    assert over(dealer, "1 buster 5.00").line(1, "buster") == f"1 buster 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["BUSTER-5"].clause == "p215/buster/pay-table"
    assert len(RULES.paytables["BUSTER-5"].pays) == len({odds for _, odds, _ in BUSTED}) == 6


@pytest.mark.parametrize(("dealer", "odds", "paid"), BUSTED)
def test_p215_buster_6a__it_is_paid_when_the_player_dealer_goes_over(dealer: str, odds: str, paid: str):
    assert over(dealer, "1 buster 5.00").lines_by("p215/buster/6a") == [f"1 buster 5.00: win {odds}, paid {paid}"]


@pytest.mark.parametrize("dealer", ["9d 8c", "Td Kc", "6d 5c Th", "2c 2d 2h 2s 2c 3d 3h 4c", "Ad 7c"])
def test_p215_buster_6b__it_is_collected_when_the_player_dealer_does_not(dealer: str):
    assert over(dealer, "1 buster 5.00").lines_by("p215/buster/6b") == ["1 buster 5.00: lose, collected 5.00"]


def test_p215_buster_6b__also_after_a_pure_21_5():
    result = over("Ad Kc", "1 buster 5.00", choices=())
    assert result.lines_by("p215/buster/6b") == ["1 buster 5.00: lose, collected 5.00"]


@pytest.mark.parametrize(
    ("mine", "choices"),
    [("Th 6c", BUST), ("Ah Kc", ()), ("Th 6c", ("1 surrender",)), ("Th 6c", ("1 stand",))],
    ids=["over", "pure 21.5", "surrendered", "live"],
)
def test_p215_buster_5__it_stays_in_action_whatever_the_hand_does(mine: str, choices: tuple[str, ...]):
    wins = over("6d Tc Kh", "1 buster 5.00", mine=mine, choices=choices)
    assert wins.line(1, "buster") == "1 buster 5.00: win 1:1, paid 5.00"
    loses = over("6d Tc 5h", "1 buster 5.00", mine=mine, choices=choices)
    assert loses.line(1, "buster") == "1 buster 5.00: lose, collected 5.00"


# ---- red flex


@pytest.mark.parametrize(("amount", "fits"), SIDE_LIMITS)
def test_p215_red_flex_1__from_1_to_50_dollars(amount: str, fits: bool):
    hold_side_limit("red_flex", amount, fits)
    assert RULES.spots["red_flex"].clause == "p215/red-flex/1"


def test_p215_red_flex_1__it_needs_a_game_wager():
    hold_not_alone("red_flex", "p215/red-flex/1")


def test_p215_red_flex_2__before_the_first_card():
    hold_before_the_cards("red_flex")


def test_p215_red_flex_3__backline_bettors_may():
    result = over("9d 8h", "1/b-1 game 5.00", "1/b-1 red_flex 5.00")
    assert result.line(1, "red_flex", bettor="b-1") == "1/b-1 red_flex 5.00: win 1:1, paid 5.00"


@pytest.mark.parametrize(
    ("dealer", "outcome"),
    [
        ("2h 2d Kc 2h 2d", "win 1:1, paid 5.00"),  # four red cards, two of them in a row from the first
        ("2c 2d 2h 3d 9h", "lose, collected 5.00"),  # four in a row, but not from the first
        ("2h 2c 2h 3d 9h", "lose, collected 5.00"),
    ],
)
def test_p215_decision_red_run__only_red_cards_from_the_first_on_count(dealer: str, outcome: str):
    assert over(dealer, "1 red_flex 5.00").line(1, "red_flex") == f"1 red_flex 5.00: {outcome}"


RED_RUNS = [
    ("9h 9d", "1:1", "5.00"),
    ("2h 2d Kc 9s", "1:1", "5.00"),
    ("2h 2d Kc 9h", "1:1", "5.00"),
    ("6h 5d 9h", "5:1", "25.00"),
    ("2h 2d 2h Kc 9s", "5:1", "25.00"),
    ("2h 2d 2h 2d Kc", "10:1", "50.00"),
    ("2h 2d 2h 2d 2h Kc", "50:1", "250.00"),
    ("2h 2d 2h 2d 2h 2d Kc", "100:1", "500.00"),
    ("2h 2d 2h 2d 2h 2d 2h Kc", "200:1", "1000.00"),
    ("2h 2d 2h 2d 2h 2d 2h 2d Kc", "200:1", "1000.00"),
    ("2h 2d 2h 2d 2h 2d 2h 2d 2h", "200:1", "1000.00"),
]


@pytest.mark.parametrize(("dealer", "odds", "paid"), RED_RUNS)
def test_p215_red_flex_pay_table__by_the_number_of_red_cards(dealer: str, odds: str, paid: str):
    assert over(dealer, "1 red_flex 5.00").line(1, "red_flex") == f"1 red_flex 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["RFB-02"].clause == "p215/red-flex/pay-table"
    assert len(RULES.paytables["RFB-02"].pays) == len({odds for _, odds, _ in RED_RUNS}) == 6


@pytest.mark.parametrize(("dealer", "odds", "paid"), RED_RUNS)
def test_p215_red_flex_5__two_red_cards_win_and_the_run_ends_at_the_first_black_one(dealer: str, odds: str, paid: str):
    result = over(dealer, "1 red_flex 5.00")
    assert result.lines_by("p215/red-flex/5") == [f"1 red_flex 5.00: win {odds}, paid {paid}"]


@pytest.mark.parametrize("dealer", ["9c 9d", "9h 9s", "9c 9s", "2c 3d 4h 5d 6h", "2h 3s 4h 5d 6h"])
def test_p215_red_flex_6__anything_else_is_collected(dealer: str):
    assert over(dealer, "1 red_flex 5.00").lines_by("p215/red-flex/6") == ["1 red_flex 5.00: lose, collected 5.00"]


@pytest.mark.parametrize(
    ("mine", "choices"),
    [("Th 6c", BUST), ("Ah Kc", ()), ("Th 6c", ("1 surrender",)), ("Th 6c", ("1 stand",))],
    ids=["over", "pure 21.5", "surrendered", "live"],
)
def test_p215_red_flex_4__it_stays_in_action_whatever_the_hand_does(mine: str, choices: tuple[str, ...]):
    wins = over("6d 5h Th", "1 red_flex 5.00", mine=mine, choices=choices)
    assert wins.line(1, "red_flex") == "1 red_flex 5.00: win 5:1, paid 25.00"
    loses = over("9d 8c", "1 red_flex 5.00", mine=mine, choices=choices)
    assert loses.line(1, "red_flex") == "1 red_flex 5.00: lose, collected 5.00"


def test_p215_red_flex_4__also_when_the_player_dealer_holds_a_pure_21_5():
    result = over("Ad Kh", "1 red_flex 5.00", choices=())
    assert result.lines == ["1 game 10.00: lose, collected 10.00", "1 red_flex 5.00: win 1:1, paid 5.00"]


# ---- void


@pytest.mark.parametrize("reason", ["misdeal", "malfunction", "irregularity"])
def test_p215_decision_void__every_wager_goes_back_and_the_fee_stays(reason: str):
    dealt = box("8h 8c", "6d Tc", "1 buster 5.00")
    split = dealt.then("1 split", "1 gets Th", "1#2 gets 9h")
    for played in (dealt, split, split.then("1 stand", "1#2 stand", "reveal dealer", "dealer gets Kh")):
        result = played.then(f"void {reason}").result()
        assert (result["status"], result["lines"]) == ("void", [])
        assert banked(result) == "paid 0.00, collected 0.00"
        assert result["fee"] == {"action": "15.00", "amount": "0.50", "schedule": 1}
        assert result["exposure"] == {"action": "15.00", "liability": "1330.00"}


def test_p215_decision_void__before_no_more_bets_there_is_no_fee():
    result = p215("1 game 10.00").then("void irregularity").result()
    assert (result["status"], result["fee"], result["exposure"]) == ("void", None, None)
    late = p215("1 game 10.00").then("void irregularity", "1 game 5.00")
    assert late.last_refused()[0] == OUT_OF_TURN


def test_p215_decision_void__nothing_follows_it_and_a_settled_round_is_never_voided():
    dealt = box("Ah Kc", "6d Tc")
    for late in ("1 stand", "1 gets 5h", "reveal dealer", "settle", "void misdeal"):
        assert dealt.then("void misdeal", late).last_refused() == (OUT_OF_TURN, "p215/decision/void")
    settled = dealt.then("reveal dealer", "settle")
    for late in ("void misdeal", "settle", "1 game 5.00"):
        assert settled.then(late).last_refused()[0] == OUT_OF_TURN

"""Three Card Poker 6 Card Bonus, clause by clause."""

import datetime
from itertools import pairwise
from typing import Any

import pytest

from domain.documents.document import read_document
from domain.round.events import (
    CardsTurned,
    DecisionFollowed,
    DecisionMade,
    RoundEvent,
    RoundOpened,
    WagerPlaced,
    WagerWithdrawn,
)
from domain.round.replay import play
from domain.rules.ruleset import Odds
from domain.rules.rulesets import RuleSetError, in_force, load, parse
from tests.rules.button_games import ButtonGame, Tiers, banked, both_sides, spread, tcp
from tests.rules.rounds import Result

RULES = load("tcp-casino-club")
QUEEN_HIGH = "Qs 7d 4h"  # qualifies; the four puts the button on seat 4 when seat 7 banks
JACK_HIGH = "Js 7d 4h"  # does not
LOW, HIGH = "9c 6h 2s", "Ac 9h 2d"  # against QUEEN_HIGH


def showdown(mine: str, dealer: str, *bets: str, **table: Any) -> Result:
    """Seat 1 with an ante of 10.00 plays against the dealer hand."""
    dealt = tcp("1 ante 10.00", *bets, cards=f"1: {mine}, dealer: {dealer}", **table)
    return dealt.then("1 play", "reveal dealer", "settle").result()


def opened(game: ButtonGame) -> RoundOpened:
    return read_document({**game.envelope, "actions": []}).opening.opened


def events_of(played: ButtonGame) -> list[RoundEvent]:
    document = read_document({**played.envelope, "actions": list(played.actions)})
    return play(document.opening, document.actions)[1]


# ---- the bank


def test_tcp_game_rotation__the_bank_is_offered_after_two_rounds():
    assert RULES.rotation == "offered"
    assert RULES.clause("rotation") == "tcp/game/rotation"


@pytest.mark.parametrize("declined", [[7], [3, 3], [3, 7]])
def test_tcp_game_rotation__an_offer_goes_once_to_each_other_seat(declined: list[int]):
    play = tcp(declined=declined)
    assert play.document_refused() == ("bad_document", "tcp/game/rotation")


@pytest.mark.parametrize("seat", [0, 8])
def test_tcp_game_rotation__an_offer_goes_to_a_seat_of_the_table(seat: int):
    play = tcp(declined=[seat])
    assert play.document_refused() == ("bad_document", "tcp/decision/seats")


def test_tcp_decision_rotation__those_who_declined_are_recorded_in_their_order():
    declined = [1, 2, 3, 4, 5, 6]
    play = tcp("1 ante 10.00", declined=declined)
    assert play.status == "open"
    assert opened(play).declined == tuple(declined)
    assert opened(tcp()).declined == ()


def test_tcp_game_coverage__what_the_wager_does_not_cover_goes_back():
    bets = ("1 ante 10.00", "1 pair_plus 5.00", "1 six_card 5.00")
    dealt = tcp(*bets, cards=f"1: {LOW}, dealer: {QUEEN_HIGH}", wager="14.00")
    result = dealt.then("1 play", "reveal dealer", "settle").result()
    assert result.lines == [
        "1 play 10.00: lose, collected 10.00",
        "1 ante 10.00: lose, collected 4.00, short 6.00",
        "1 pair_plus 5.00: no_action, short 5.00",
        "1 six_card 5.00: no_action, short 5.00",
    ]
    assert result.lines_by("tcp/game/coverage") == result.lines[2:]
    assert banked(result) == "paid 0.00, collected 14.00"


def test_tcp_game_coverage__the_bank_pays_no_more_than_its_wager():
    bets = ("1 ante 10.00", "1 pair_plus 5.00", "2 ante 10.00")
    dealt = tcp(*bets, cards=f"1: 9c 9d 2s, 2: {HIGH}, dealer: Qs 7d Ah", wager="22.50")
    result = dealt.then("1 play", "2 play", "reveal dealer", "settle").result()
    assert result.lines == [
        "1 play 10.00: win 1:1, paid 10.00",
        "1 ante 10.00: win 1:1, paid 10.00",
        "1 pair_plus 5.00: win 1:1, paid 2.50, short 2.50",
        "2 play 10.00: no_action, short 10.00",
        "2 ante 10.00: no_action, short 10.00",
    ]
    assert result.lines_by("tcp/game/coverage") == result.lines[3:]
    assert banked(result) == "paid 22.50, collected 0.00"


EXAMPLE = tcp(
    *("1 ante 150.00", "2 ante 150.00", "3 ante 300.00", "4 ante 75.00", "5 ante 5.00"),
    cards="1: Qh Jh 4c, 2: Qd Jd 5c, 3: 2s 2h 5d, 4: Qs 9s 6c, 5: Kc 9d As, dealer: Kd 9c Ah",
    wager="500.00",
).then("1 play", "2 play", "3 play", "4 play", "5 play", "reveal dealer", "settle")


def under(coverage: str, wager: str) -> Result:
    player_dealer = {"seat": 7, "wager": wager}
    return EXAMPLE.on(terms={"schedule": 1, "coverage": coverage}, player_dealer=player_dealer).result()


def test_tcp_decision_coverage__paying_and_collecting_use_up_one_pool():
    result = EXAMPLE.result()
    assert result.lines == [
        "1 play 150.00: lose, collected 150.00",
        "1 ante 150.00: lose, collected 150.00",
        "2 play 150.00: lose, collected 150.00",
        "2 ante 150.00: lose, collected 50.00, short 100.00",
        "3 play 300.00: no_action, short 300.00",
        "3 ante 300.00: no_action, short 300.00",
        "4 play 75.00: no_action, short 75.00",
        "4 ante 75.00: no_action, short 75.00",
        "5 play 5.00: no_action",
        "5 ante 5.00: no_action",
    ]
    assert banked(result) == "paid 0.00, collected 500.00"
    assert under("single-pool", "500.00") == result


def test_tcp_decision_coverage__a_table_may_name_separate_limits():
    result = under("separate-limits", "500.00")
    assert result.lines == [
        "1 play 150.00: lose, collected 150.00",
        "1 ante 150.00: lose, collected 150.00",
        "2 play 150.00: lose, collected 150.00",
        "2 ante 150.00: lose, collected 50.00, short 100.00",
        "3 play 300.00: win 1:1, paid 300.00",
        "3 ante 300.00: win 1:1, paid 200.00, short 100.00",
        "4 play 75.00: no_action, short 75.00",
        "4 ante 75.00: no_action, short 75.00",
        "5 play 5.00: no_action",
        "5 ante 5.00: no_action",
    ]
    assert banked(result) == "paid 500.00, collected 500.00"


@pytest.mark.parametrize(
    ("wager", "single_pool", "separate_limits"),
    [
        ("600.00", "no_action", "no_action"),  # 600.00 to pay and 750.00 to collect come before it
        ("600.01", "no_action", "push"),
        ("1350.00", "no_action", "push"),
        ("1350.01", "push", "push"),
    ],
)
def test_tcp_decision_coverage__a_push_needs_something_left(wager: str, single_pool: str, separate_limits: str):
    assert under("single-pool", wager).line(5, "ante") == f"5 ante 5.00: {single_pool}"
    assert under("separate-limits", wager).line(5, "ante") == f"5 ante 5.00: {separate_limits}"


def test_tcp_decision_coverage__there_is_no_third_policy():
    assert tcp(coverage="both").document_refused() == ("bad_terms", "tcp/game/coverage")


def test_tcp_decision_one_pass__a_fold_takes_its_place_in_the_order():
    """Seat 2 folds before seat 3 plays, but the button is on seat 3, so seat 3 gets action first."""
    dealt = tcp("2 ante 10.00", "3 ante 10.00", cards=f"2: {LOW}, 3: {HIGH}, dealer: Qs 7d 3h", wager="25.00")
    result = dealt.then("2 fold", "3 play", "reveal dealer", "settle").result()
    assert result.lines == [
        "3 play 10.00: win 1:1, paid 10.00",
        "3 ante 10.00: win 1:1, paid 10.00",
        "2 ante 10.00: lose, collected 5.00, short 5.00",
    ]


@pytest.mark.parametrize("wager", ["0.01", "17.53", "999999999999.99"])
def test_tcp_wins_5__the_bank_puts_up_what_it_likes(wager: str):
    result = showdown(HIGH, QUEEN_HIGH, "1 six_card 25.00", wager=wager)
    assert result["bank"]["wager"] == wager
    assert result["exposure"] == {"action": "35.00", "liability": "25020.00"}


def test_tcp_wins_5__the_house_does_not_bank():
    assert tcp("1 ante 10.00", banker=None).document_refused() == ("bad_document", "tcp/wins/5")
    assert RULES.bank == "player-dealer"


@pytest.mark.parametrize("text", ["7 ante 10.00", "7/b-1 ante 10.00", "1/seat-7 ante 10.00"])
def test_tcp_wins_5__the_player_dealer_places_no_wager(text: str):
    assert tcp(text).last_refused() == ("bad_choice", "tcp/wins/5")


def test_tcp_wins_5__the_player_dealer_sits_where_the_players_say():
    seated = tcp(players={7: "p-7"}).on(player_dealer={"seat": 7, "wager": "1.00", "bettor": "tp-1"})
    assert seated.document_refused() == ("bad_document", "tcp/wins/5")


# ---- the deck


def test_tcp_deck_2__a_card_is_there_once():
    opened = tcp("1 ante 10.00", "2 ante 10.00").then("close")
    assert opened.then("1 gets As Ks As").last_refused() == ("duplicate_card", "tcp/deck/2")
    dealt = opened.then("1 gets As Ks Qs")
    assert dealt.then("2 gets Ad Kd Qs").last_refused() == ("duplicate_card", "tcp/deck/2")
    dealt = dealt.then("2 gets ?? ?? ??", "dealer gets ?? ?? 2c")
    assert dealt.then("reveal 2 Ad 2c Qd").last_refused() == ("duplicate_card", "tcp/deck/2")
    dealt = dealt.then("1 play", "2 play")
    assert dealt.then("reveal dealer 3c As 2c").last_refused() == ("duplicate_card", "tcp/deck/2")
    dealt = dealt.then("reveal dealer Jc 4c 2c")
    assert dealt.then("reveal 2 3h 3d Jc").last_refused() == ("duplicate_card", "tcp/deck/2")


def test_tcp_deck_2__there_is_one_deck_and_no_joker():
    assert RULES.decks == (1, 1)
    assert tcp(decks=1).document_refused() == ("bad_terms", "tcp/deck/2")
    assert tcp("1 ante 10.00").then("close", "1 gets As Ks Xx").last_refused()[0] == "bad_document"


def test_tcp_deck_3__two_decks_alternate_and_the_ledger_knows_which():
    assert RULES.alternating_decks
    assert tcp().on(deck="red").document_refused()[0] == "bad_document"


def test_tcp_decision_twos__twos_are_dealt_and_rank_lowest():
    result = showdown("2c 2h 2s", "3c 3h Kd", "1 pair_plus 5.00", "1 six_card 5.00")
    assert result.lines == [
        "1 play 10.00: win 1:1, paid 10.00",
        "1 ante 10.00: win 1:1, paid 10.00",
        "1 pair_plus 5.00: win 30:1, paid 150.00",
        "1 six_card 5.00: win 20:1, paid 100.00",
    ]
    assert showdown("2c 2h 2s", "3c 3h 3d").lines_by("tcp/wins/2b") == [
        "1 play 10.00: lose, collected 10.00",
        "1 ante 10.00: lose, collected 10.00",
    ]


LADDER = [
    ("mini royal", "Ac Kc Qc"),
    ("straight flush", "Ks Qs Js"),
    ("straight flush", "3c 2c Ac"),
    ("three of a kind", "Ad Ah As"),
    ("three of a kind", "2d 2h 2s"),
    ("straight", "As Kd Qc"),
    ("straight", "Kc Qd Jh"),
    ("straight", "4s 3d 2h"),
    ("straight", "3s 2d Ah"),
    ("flush", "Ac Kc Jc"),
    ("flush", "Ad Kd Td"),
    ("flush", "5c 3c 2c"),
    ("pair", "As Ah Kd"),
    ("pair", "Ac Ad Qs"),
    ("pair", "2s 2h Kc"),
    ("pair", "2d 2c 3s"),
    ("high card", "Ac Kd Jh"),
    ("high card", "Ad Ks Th"),
    ("high card", "Ah Qc Ts"),
    ("high card", "Kc Qh 2d"),
    ("high card", "Qc 4d 3h"),
    ("high card", "Qd 4s 2h"),
]


@pytest.mark.parametrize(("better", "worse"), list(pairwise(LADDER)))
def test_tcp_ranking_three_card__the_better_hand_wins(better: tuple[str, str], worse: tuple[str, str]):
    ahead, behind = showdown(better[1], worse[1]), showdown(worse[1], better[1])
    assert ahead.lines == ["1 play 10.00: win 1:1, paid 10.00", "1 ante 10.00: win 1:1, paid 10.00"]
    assert behind.lines == ["1 play 10.00: lose, collected 10.00", "1 ante 10.00: lose, collected 10.00"]
    assert (behind["dealer"]["hand"], ahead["dealer"]["hand"]) == (better[0], worse[0])


@pytest.mark.parametrize(
    ("mine", "dealer"), [("Ac 9h 2d", "Kc Jh 3d"), ("Qc 9h 2d", "Qh 8d 7c"), ("Qc 9h 4d", "Qh 9d 3c")]
)
def test_tcp_ranking_card_values__the_ace_is_highest_and_cards_are_compared_from_the_top(mine: str, dealer: str):
    assert showdown(mine, dealer).line(1, "ante") == "1 ante 10.00: win 1:1, paid 10.00"
    assert showdown(dealer, mine).line(1, "ante") == "1 ante 10.00: lose, collected 10.00"


@pytest.mark.parametrize("suits", ["cdhs", "hscd", "sdch"])
def test_tcp_ranking_card_values__no_suit_is_higher_than_another(suits: str):
    mine, dealer = f"Q{suits[0]} 9{suits[1]} 4{suits[2]}", f"Q{suits[3]} 9{suits[0]} 4{suits[1]}"
    assert showdown(mine, dealer).lines == ["1 play 10.00: push", "1 ante 10.00: push"]


def test_tcp_object__the_better_three_card_hand_wins():
    for mine, outcome in (("9c 9h 2s", "win 1:1, paid 10.00"), ("9c 8h 2s", "lose, collected 10.00")):
        assert showdown(mine, QUEEN_HIGH).line(1, "ante") == f"1 ante 10.00: {outcome}"


@pytest.mark.parametrize(
    ("mine", "dealer"),
    [
        ("Ac Kc Qc", "Ad Kd Qd"),
        ("3s Ah 2d", "Ac 2h 3d"),
        ("Kc 9c 4c", "4h 9h Kh"),
        ("Ac Ad 9s", "9h As Ah"),
        ("Qc 3d 2h", "2c Qd 3s"),
    ],
)
def test_tcp_ranking_three_card__suits_and_the_order_of_cards_are_nothing(mine: str, dealer: str):
    assert showdown(mine, dealer).lines == ["1 play 10.00: push", "1 ante 10.00: push"]


# ---- the action button and the order of settlement

RANKS = "A23456789TJQK"
BUTTONS = {  # for each player-dealer's seat, where each rank puts the button
    7: dict(zip(RANKS, (1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1), strict=True)),
    4: dict(zip(RANKS, (1, 2, 3, 5, 6, 7, 1, 2, 3, 5, 6, 7, 1), strict=True)),
    1: dict(zip(RANKS, (2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 2), strict=True)),
}


@pytest.mark.parametrize(
    ("banker", "rank", "seat"),
    [(banker, rank, seat) for banker, ranks in BUTTONS.items() for rank, seat in ranks.items()],
)
def test_tcp_table_action_button__the_open_card_is_counted_round_the_other_seats(banker: int, rank: str, seat: int):
    dealt = tcp("3 ante 10.00", banker=banker).then("close", "3 gets ?? ?? ??")
    assert dealt.result()["button"] is None
    assert dealt.then(f"dealer gets 6c 6d {rank}s").result()["button"] == seat


@pytest.mark.parametrize("face_down", ["2c 3d", "Kc Qd", "As Ad"])
def test_tcp_table_action_button_face_down__the_cards_face_down_move_no_button(face_down: str):
    """Counted by any of these cards, the button would be at another seat than 5."""
    dealt = tcp("3 ante 10.00").then("close", "3 gets 6c 7c 8c")
    assert dealt.then(f"dealer gets {face_down} 5h").result()["button"] == 5


def test_tcp_decision_button_card__the_open_card_places_it_as_soon_as_it_is_turned_up():
    dealt = tcp("3 ante 10.00").then("close", "3 gets 6c 7c 8c", "dealer gets ?? ?? 4h")
    assert dealt.result()["button"] == 4
    assert dealt.then("3 play", "reveal dealer Ks 2d 4h").result()["button"] == 4


@pytest.mark.parametrize("seats", [(3,), (1, 6), (1, 2, 3, 4, 5, 6)])
def test_tcp_decision_button_count__empty_seats_count_and_the_count_goes_round_again(seats: tuple[int, ...]):
    """A queen is 12, twice round the six seats, however many of them have a wager."""
    packets = ("2c 3c 4c", "2d 3d 4d", "2h 3h 4h", "6c 7c 8c", "6d 7d 8d", "6h 7h 8h")
    dealt = tcp(*(f"{seat} ante 10.00" for seat in seats)).then("close")
    dealt = dealt.then(*(f"{seat} gets {packet}" for seat, packet in zip(seats, packets, strict=False)))
    assert dealt.then("dealer gets 9c 9d Qs").result()["button"] == 6
    assert dealt.then("dealer gets 9c 9d 8s").result()["button"] == 2


def test_tcp_decision_button_ten__a_ten_counts_ten():
    for banker, ranks in BUTTONS.items():
        others = [seat for seat in range(1, 8) if seat != banker] * 2
        dealt = tcp("3 ante 10.00", banker=banker).then("close", "3 gets 2c 3c 4c", "dealer gets 6c 6d Th")
        assert dealt.result()["button"] == ranks["T"] == others[9]


@pytest.mark.parametrize(
    ("card", "order"),
    [("As", [2, 5, 6]), ("2s", [2, 5, 6]), ("3s", [5, 6, 2]), ("5s", [5, 6, 2]), ("6s", [6, 2, 5]), ("Ks", [2, 5, 6])],
)
def test_tcp_table_action_button__action_goes_clockwise_from_there(card: str, order: list[int]):
    dealt = tcp(
        *("6 ante 10.00", "2 ante 10.00", "5 ante 10.00"),
        cards=f"2: 9c 9d 2h, 5: Tc Td 2c, 6: 8c 8d 2d, dealer: Qc 4d {card}",
    )
    result = dealt.then("2 play", "5 fold", "6 play", "reveal dealer", "settle").result()
    assert result.seats() == order


def test_tcp_table_order_of_wagers__play_ante_pair_plus_six_card():
    bets = ("1 six_card 5.00", "1 pair_plus 5.00", "1 ante 10.00")
    dealt = tcp(*bets, cards=f"1: {LOW}, dealer: {QUEEN_HIGH}")
    assert dealt.then("1 play", "reveal dealer", "settle").result().spots(1) == [
        "play",
        "ante",
        "pair_plus",
        "six_card",
    ]
    assert dealt.then("1 fold", "reveal dealer", "settle").result().spots(1) == ["ante", "pair_plus", "six_card"]
    assert RULES.settlement.clause == "tcp/table/order-of-wagers"


def test_tcp_table_order_of_wagers__spot_by_spot_the_seated_player_first():
    """Behind the seat the bettors are in the order of their first bet there, on whichever spot it was."""
    bets = (
        *("1/b-2 six_card 1.00", "1/b-1 ante 20.00", "1 ante 10.00", "1/b-2 ante 30.00", "1/b-1 pair_plus 2.00"),
        *("1 pair_plus 3.00", "1/b-2 pair_plus 4.00", "1 six_card 5.00"),
    )
    dealt = tcp(*bets, cards=f"1: 9c 9h 2s, dealer: {QUEEN_HIGH}")
    result = dealt.then("1 play", "1/b-1 play", "1/b-2 fold", "reveal dealer", "settle").result()
    assert result.lines == [
        "1 play 10.00: win 1:1, paid 10.00",
        "1/b-1 play 20.00: win 1:1, paid 20.00",
        "1 ante 10.00: win 1:1, paid 10.00",
        "1/b-2 ante 30.00: lose, collected 30.00",
        "1/b-1 ante 20.00: win 1:1, paid 20.00",
        "1 pair_plus 3.00: win 1:1, paid 3.00",
        "1/b-2 pair_plus 4.00: lose, collected 4.00",
        "1/b-1 pair_plus 2.00: win 1:1, paid 2.00",
        "1 six_card 5.00: lose, collected 5.00",
        "1/b-2 six_card 1.00: lose, collected 1.00",
    ]


# ---- before the deal


def test_tcp_decision_withdraw__a_wager_is_taken_back_whole():
    bets = tcp("1 ante 10.00", "1 pair_plus 5.00", "1 six_card 5.00")
    less = bets.do("withdraw", seat=1, spot="pair_plus")
    assert less.then("close").result()["fee"]["action"] == "15.00"
    named = bets.do("withdraw", seat=1, spot="six_card", bettor="seat-1")
    assert named.then("close").result()["fee"]["action"] == "15.00"
    played = less.then("close", "1 gets 9c 9h 2s", f"dealer gets {QUEEN_HIGH}", "1 play", "reveal dealer", "settle")
    assert played.result().spots(1) == ["play", "ante", "six_card"]


def test_tcp_decision_withdraw__or_in_part_and_what_is_left_counts():
    less = tcp("1 ante 10.00").do("withdraw", seat=1, spot="ante", amount="4.00")
    assert less.then("close").result()["fee"]["action"] == "6.00"
    assert less.then("1 ante 9.00", "close").result()["fee"]["action"] == "15.00"
    least = less.do("withdraw", seat=1, spot="ante", amount="2.00")
    assert least.then("close").last_refused() == ("limit", "tcp/collection/table-limit")


def test_tcp_decision_withdraw__each_bettor_takes_back_their_own():
    bets = tcp("1 ante 10.00", "1/b-1 ante 20.00", "2 ante 10.00")
    less = bets.do("withdraw", seat=1, spot="ante", bettor="b-1")
    assert less.then("close").result()["fee"]["action"] == "20.00"
    alone = bets.do("withdraw", seat=1, spot="ante")
    assert alone.then("close").last_refused() == ("missing_wager", "tcp/before/3")


def test_tcp_decision_withdraw__who_has_taken_all_back_bets_again_like_a_newcomer():
    """Between two bets without anything on the layout, b-1 is forgotten: their place behind the seat is b-2's."""
    bets = tcp("1 ante 10.00", "1/b-1 ante 20.00", "1/b-2 ante 30.00").do("withdraw", seat=1, spot="ante", bettor="b-1")
    dealt = bets.then("1/b-1 ante 5.00", "close", f"1 gets {HIGH}", f"dealer gets {QUEEN_HIGH}")
    result = dealt.then("1 fold", "settle").result()
    assert [line["bettor"] for line in result["lines"]] == ["seat-1", "b-2", "b-1"]


@pytest.mark.parametrize(
    ("seat", "spot", "bettor", "amount"),
    [
        (1, "six_card", None, None),  # nothing on that spot
        (1, "ante", "b-9", None),  # nor of that bettor
        (2, "ante", None, None),  # nor at that seat
        (7, "ante", None, None),  # nor at the player-dealer's
        (1, "ante", None, "10.01"),  # less than that
        (1, "ante", "b-1", "6.00"),
    ],
)
def test_tcp_decision_withdraw__nobody_takes_back_what_is_not_there(
    seat: int, spot: str, bettor: str | None, amount: str | None
):
    bets = tcp("1 ante 10.00", "1/b-1 ante 5.00")
    taken = bets.do("withdraw", seat=seat, spot=spot, bettor=bettor, amount=amount)
    assert taken.last_refused() == ("bad_choice", "tcp/decision/withdraw")


def test_tcp_decision_withdraw__an_amount_is_more_than_nothing_and_a_wager_goes_once():
    bets = tcp("1 ante 10.00")
    assert bets.do("withdraw", seat=1, spot="ante", amount="0.00").last_refused()[0] == "bad_document"
    gone = bets.do("withdraw", seat=1, spot="ante")
    assert gone.do("withdraw", seat=1, spot="ante").last_refused() == ("bad_choice", "tcp/decision/withdraw")
    assert gone.then("close").last_refused() == ("missing_wager", "tcp/before/3")


def test_tcp_decision_withdraw__a_seat_without_wagers_gets_no_cards():
    bets = tcp("1 ante 10.00", "2 ante 10.00").do("withdraw", seat=1, spot="ante").then("close")
    assert bets.then(f"1 gets {HIGH}").last_refused() == ("out_of_turn", "tcp/decision/deal-order")
    dealt = bets.then(f"2 gets {HIGH}", f"dealer gets {QUEEN_HIGH}", "2 play", "reveal dealer", "settle")
    assert dealt.result().seats() == [2]


@pytest.mark.parametrize("version", [1, 2])
def test_tcp_decision_withdraw__it_is_an_event_of_its_own_in_either_version(version: int):
    taken = tcp("1 ante 10.00").do("withdraw", seat=1, spot="ante", amount="4.00")
    raw = {**taken.envelope, "actions": list(taken.actions)}
    document = read_document(raw, lambda _: load("tcp-casino-club", version))
    assert play(document.opening, document.actions)[1][-2:] == [
        WagerPlaced(1, "ante", "seat-1", None, 1000),
        WagerWithdrawn(1, "ante", "seat-1", 400, 600),
    ]


@pytest.mark.parametrize("bets", [["1 ante 9.00"], ["1 ante 101.00"], ["1 ante 60.00", "1 ante 60.00"]])
def test_tcp_before_1__wagers_lie_between_the_tables_limits(bets: list[str]):
    limits = {"ante": ["10.00", "100.00"]}
    assert tcp(*bets, limits=limits).then("close").last_refused() == ("limit", "tcp/collection/table-limit")
    for inside in ("10.00", "100.00"):
        assert tcp(f"1 ante {inside}", limits=limits).then("close").result()["fee"]["action"] == inside


@pytest.mark.parametrize(
    ("limits", "clause"),
    [
        ({"ante": ["4.00", "500.00"]}, "tcp/collection/table-limit"),
        ({"ante": ["5.00", "501.00"]}, "tcp/collection/table-limit"),
        ({"pair_plus": ["0.00", "50.01"]}, "tcp/collection/pair-plus-limit"),
        ({"six_card": ["0.00", "26.00"]}, "tcp/collection/six-card-limit"),
        ({"ante": ["100.00", "50.00"]}, "tcp/collection/table-limit"),
        ({"play": ["5.00", "500.00"]}, "tcp/before/1"),
    ],
)
def test_tcp_before_1__a_tables_own_limits_lie_inside_the_printed_ones(limits: dict[str, list[str]], clause: str):
    assert tcp(limits=limits).document_refused() == ("bad_terms", clause)


def test_tcp_before_2__backline_bettors_bet_on_all_three_spots():
    bets = ("1 ante 10.00", "1/b-1 ante 20.00", "1/b-1 pair_plus 5.00", "1/b-1 six_card 3.00")
    dealt = tcp(*bets, cards="1: 9c 9h 9s, dealer: Qs 7d 7h")
    result = dealt.then("1 play", "1/b-1 play", "reveal dealer", "settle").result()
    assert result.lines == [
        "1 play 10.00: win 1:1, paid 10.00",
        "1/b-1 play 20.00: win 1:1, paid 20.00",
        "1 ante 10.00: win 1:1, paid 10.00",
        "1/b-1 ante 20.00: win 1:1, paid 20.00",
        "1/b-1 pair_plus 5.00: win 30:1, paid 150.00",
        "1/b-1 six_card 3.00: win 20:1, paid 60.00",
    ]
    assert result["exposure"] == {"action": "38.00", "liability": "4060.00"}


def test_tcp_before_2__who_is_not_seated_there_is_named_as_one():
    opened = tcp("1 ante 10.00")
    for bettor, kind in (("b-1", None), (None, "backline"), ("seat-1", "backline")):
        assert opened.bet(1, bettor, kind, ante=5).last_refused()[0] == "bad_document"
    assert opened.bet(1, "seat-1", ante=5).status == "open"
    assert opened.then("1/b-1 ante 5.00").bet(1, "b-1", "toke", ante=5).last_refused()[0] == "bad_document"


def test_tcp_before_2__there_are_no_dealer_tips():
    tip = tcp("1 ante 10.00").bet(1, "d-1", "toke", ante=5)
    assert tip.last_refused() == ("bad_choice", None)


def test_tcp_before_3__everybody_needs_an_ante():
    assert tcp().then("close").last_refused() == ("missing_wager", "tcp/before/3")
    assert tcp("1 ante 10.00", "2 pair_plus 5.00").then("close").last_refused() == ("missing_wager", "tcp/before/3")


@pytest.mark.parametrize("spot", ["play", "blind", "game"])
def test_tcp_before_3__nothing_but_ante_and_bonus_is_staked_before_the_cards(spot: str):
    assert tcp("1 ante 10.00").do("bet", seat=1, spot=spot, amount="10.00").last_refused() == (
        "bad_choice",
        "tcp/before/3",
    )


def test_tcp_before_3__the_play_wager_equals_the_ante():
    dealt = tcp("1 ante 35.00", "1 ante 2.00", cards=f"1: {HIGH}, dealer: {QUEEN_HIGH}")
    result = dealt.then("1 play", "reveal dealer", "settle").result()
    assert result.lines == ["1 play 37.00: win 1:1, paid 37.00", "1 ante 37.00: win 1:1, paid 37.00"]
    assert dealt.then("1 play 37.00").last_refused()[0] == "bad_document"
    assert events_of(dealt.then("1 play"))[-1] == DecisionMade(1, "seat-1", "play", times=1, amount=3700)
    assert events_of(dealt.then("1 fold"))[-1] == DecisionMade(1, "seat-1", "fold", times=0, amount=0)


@pytest.mark.parametrize("spot", ["pair_plus", "six_card"])
def test_tcp_before_4__a_bonus_wager_needs_an_ante(spot: str):
    alone = tcp("1 ante 10.00", f"2 {spot} 5.00")
    assert alone.then("close").last_refused() == ("missing_wager", "tcp/before/3")
    assert alone.then("2 ante 5.00", "close").result()["fee"]["action"] == "20.00"


def test_tcp_before_5__after_no_more_bets_none_is_made_or_taken_back():
    closed = tcp("1 ante 10.00").then("close")
    for bettor, amount in ((None, None), (None, "5.00"), ("b-9", None)):
        taken = closed.do("withdraw", seat=1, spot="ante", bettor=bettor, amount=amount)
        assert taken.last_refused() == ("out_of_turn", "tcp/before/5")
    for late in ("1 ante 5.00", "1 pair_plus 5.00", "2 ante 10.00", "close"):
        assert closed.then(late).last_refused() == ("out_of_turn", "tcp/before/5")


@pytest.mark.parametrize("early", ["1 gets As Ks Qs", "1 play", "reveal dealer", "settle"])
def test_tcp_before_5__nothing_is_played_before_it(early: str):
    assert tcp("1 ante 10.00").then(early).last_refused() == ("out_of_turn", "tcp/before/5")


def test_tcp_decision_backline_wagers__each_needs_their_own_ante_and_the_seat_the_seated_players():
    for bets in (["1 ante 10.00", "1/b-1 pair_plus 5.00"], ["1/b-1 ante 10.00"]):
        assert tcp(*bets).then("close").last_refused()[0] == "missing_wager"
    assert tcp("1 ante 10.00", "1/b-1 ante 5.00").then("close").result()["exposure"]["action"] == "15.00"


def test_tcp_decision_chip__a_wager_is_a_whole_number_of_chips():
    assert tcp("1 ante 10.50").then("close").last_refused() == ("limit", "tcp/decision/chip")
    assert tcp("1 ante 10.00", "1 pair_plus 1.50").then("close").last_refused() == ("limit", "tcp/decision/chip")
    assert tcp("1 ante 10.00").then("close").result()["fee"]["action"] == "10.00"
    assert tcp("1 ante 9.50", "1 ante 0.50").then("close").result()["fee"]["action"] == "10.00"


@pytest.mark.parametrize(("chip", "fits", "breaks"), [("5.00", "15.00", "12.00"), ("0.50", "5.50", "5.25")])
def test_tcp_decision_chip__a_table_may_name_another_unit(chip: str, fits: str, breaks: str):
    assert tcp(f"1 ante {fits}", chip=chip).then("close").result()["fee"]["action"] == fits
    assert tcp(f"1 ante {breaks}", chip=chip).then("close").last_refused() == ("limit", "tcp/decision/chip")
    assert tcp(chip="0.00").document_refused() == ("bad_terms", "tcp/decision/chip")


def test_tcp_decision_wager_by_wager__limits_hold_for_each_wager_by_itself():
    bets = ("1 ante 500.00", "1/b-1 ante 500.00", "2 ante 500.00", "1 pair_plus 50.00", "1/b-1 pair_plus 50.00")
    opened = tcp(*bets, players={1: "p-1", 2: "p-1"})
    assert opened.then("close").result()["fee"]["action"] == "1600.00"
    assert opened.then("1/b-1 ante 1.00", "close").last_refused() == ("limit", "tcp/collection/table-limit")


def test_tcp_decision_wager_by_wager__the_play_wager_is_not_held_to_them():
    dealt = tcp("1 ante 500.00", cards=f"1: {HIGH}, dealer: {QUEEN_HIGH}")
    result = dealt.then("1 play", "reveal dealer", "settle").result()
    assert result.lines == ["1 play 500.00: win 1:1, paid 500.00", "1 ante 500.00: win 1:1, paid 500.00"]


# ---- fees and limits

TIERS: dict[int, Tiers] = {
    1: [("50.00", "0.50"), ("100.00", "1.00"), ("300.00", "2.00"), ("500.00", "4.00"), (None, "5.00")],
    2: [("50.00", "0.50"), ("100.00", "1.00"), ("300.00", "3.00"), ("700.00", "5.00"), (None, "10.00")],
    3: [("100.00", "1.00"), ("300.00", "2.00"), ("600.00", "5.00"), ("1000.00", "8.00"), (None, "10.00")],
    4: [("100.00", "1.00"), ("300.00", "3.00"), ("600.00", "6.00"), ("1000.00", "10.00"), (None, "12.00")],
    5: [("100.00", "1.00"), ("300.00", "3.00"), ("600.00", "8.00"), ("1000.00", "12.00"), (None, "15.00")],
}


@pytest.mark.parametrize(
    ("option", "action", "fee"),
    [(option, *case) for option, tiers in TIERS.items() for case in both_sides(tiers, "5.00")],
)
def test_tcp_collection_options__five_schedules_of_five_tiers(option: int, action: str, fee: str):
    closed = tcp(*spread("ante", action, "5.00", "500.00"), schedule=option, chip="0.01").then("close")
    assert closed.result()["fee"] == {"action": action, "amount": fee, "schedule": option}


@pytest.mark.parametrize("schedule", [0, 6, None, {"limits": ["5.00", "500.00"], "tiers": [[None, "1.00"]]}])
def test_tcp_collection_options__there_are_no_others(schedule: Any):
    assert sorted(RULES.schedules) == [1, 2, 3, 4, 5]
    assert tcp(schedule=schedule).document_refused() == ("bad_terms", "tcp/collection/fee")


def test_tcp_decision_fee_bounds__a_tier_reaches_up_to_and_including_its_bound():
    for action, fee in (("50.00", "0.50"), ("50.01", "1.00"), ("100.00", "1.00"), ("100.01", "2.00")):
        assert tcp(f"1 ante {action}", chip="0.01").then("close").result()["fee"]["amount"] == fee


def test_tcp_collection_fee__it_is_taken_before_the_cards_and_from_nobodys_wager():
    opened = tcp("1 ante 10.00", "2 ante 10.00")
    assert opened.result()["fee"] is None
    closed = opened.then("close")
    assert closed.result()["fee"] == {"action": "20.00", "amount": "0.50", "schedule": 1}
    assert closed.result()["dealer"] is None
    dealt = closed.then(f"1 gets {LOW}", f"2 gets {HIGH}", f"dealer gets {QUEEN_HIGH}", "1 play", "2 play")
    result = dealt.then("reveal dealer", "settle").result()
    assert result["fee"] == {"action": "20.00", "amount": "0.50", "schedule": 1}
    assert banked(result) == "paid 20.00, collected 20.00"
    assert [line["returned"] for line in result["lines"]] == ["0.00", "0.00", "10.00", "10.00"]


def test_tcp_collection_play__play_wagers_cost_nothing():
    """The ante alone is just inside the first tier; the play wager would lift it out."""
    dealt = tcp("1 ante 50.00", cards=f"1: {HIGH}, dealer: {QUEEN_HIGH}")
    result = dealt.then("1 play", "reveal dealer", "settle").result()
    assert result["fee"] == {"action": "50.00", "amount": "0.50", "schedule": 1}


@pytest.mark.parametrize("outcome", ["1 play", "1 fold"])
def test_tcp_collection_percentage__a_fee_is_the_same_whoever_wins(outcome: str):
    for mine in (HIGH, LOW):
        dealt = tcp("1 ante 60.00", cards=f"1: {mine}, dealer: {QUEEN_HIGH}").then(outcome)
        result = dealt.then("reveal dealer", "settle").result()
        assert result["fee"] == {"action": "60.00", "amount": "1.00", "schedule": 1}


def test_tcp_collection_percentage__a_schedule_with_a_percentage_is_no_schedule():
    with pytest.raises(RuleSetError, match="never a percentage"):
        parse(RULES.text.replace('fee = "0.50"', 'fee = "1%"', 1), "tcp-casino-club.toml")


def test_tcp_decision_most_tiers__a_sixth_tier_is_refused():
    assert RULES.most_tiers == 5
    assert {len(schedule.tiers) for schedule in RULES.schedules.values()} == {5}
    sixth = RULES.text.replace("tiers = [", 'tiers = [\n    { up_to = "10.00", fee = "0.25" },', 1)
    with pytest.raises(RuleSetError, match="at most 5 tiers"):
        parse(sixth, "tcp-casino-club.toml")


def test_tcp_decision_liability__an_ante_can_be_owed_twice_its_amount():
    assert tcp("1 ante 10.00").then("close").result()["exposure"] == {"action": "10.00", "liability": "20.00"}
    assert showdown(HIGH, QUEEN_HIGH)["bank"]["paid"] == "20.00"


def test_tcp_decision_in_force__from_18_november_2026():
    first = datetime.date(2026, 11, 18)
    assert (RULES.version, RULES.in_force.since) == (2, first)
    assert in_force("tcp-casino-club", first) == RULES
    assert in_force("tcp-casino-club", first - datetime.timedelta(days=1)).version == 1


def test_tcp_decision_table_limit__it_is_the_antes_and_a_bonus_wager_may_be_less_or_must_stay_below():
    bets = tcp("1 ante 500.00", "1 pair_plus 1.00", "1 six_card 1.00")
    assert bets.then("close").result()["fee"]["action"] == "502.00"
    for more, clause in (("pair_plus 50.00", "pair-plus"), ("six_card 25.00", "six-card")):
        assert bets.then(f"1 {more}", "close").last_refused() == ("limit", f"tcp/collection/{clause}-limit")


def test_tcp_collection_fee__a_table_names_one_schedule():
    assert tcp(schedule=[1, 2]).document_refused()[0] == "bad_document"
    assert tcp("1 ante 10.00").on(terms={}).document_refused() == ("bad_terms", "tcp/collection/fee")


def test_tcp_decision_total_action__every_wager_before_the_deal_counts():
    bets = ("1 ante 20.00", "1 pair_plus 10.00", "1 six_card 5.00", "1/b-1 ante 10.00", "1/b-1 six_card 6.00")
    dealt = tcp(*bets, cards=f"1: {HIGH}, dealer: {QUEEN_HIGH}")
    result = dealt.then("1 play", "1/b-1 play", "reveal dealer", "settle").result()
    assert result["fee"] == {"action": "51.00", "amount": "1.00", "schedule": 1}
    assert result["exposure"] == {"action": "51.00", "liability": "13060.00"}


def test_tcp_decision_total_action__blind_wagers_of_another_game_are_not_taken():
    assert tcp("1 ante 10.00", "1 trips 5.00").last_refused()[0] == "bad_choice"
    for terms in ({"trips": "UTH-01"}, {"progressive": None}):
        assert tcp(**terms).document_refused()[0] == "bad_terms"


@pytest.mark.parametrize("option", TIERS)
def test_tcp_collection_table_limit__an_ante_is_5_to_500(option: int):
    for outside in ("4.99", "500.01"):
        refused = tcp(f"1 ante {outside}", schedule=option, chip="0.01").then("close").last_refused()
        assert refused == ("limit", "tcp/collection/table-limit")
    for inside in ("5.00", "500.00"):
        closed = tcp(f"1 ante {inside}", schedule=option, chip="0.01").then("close")
        assert closed.result()["fee"]["action"] == inside
    assert (RULES.spots["ante"].clause, RULES.spots["ante"].limits) == ("tcp/collection/table-limit", (500, 50000))


def test_tcp_collection_pair_plus_limit__anything_up_to_50():
    for inside, action in (("0.01", "10.01"), ("50.00", "60.00")):
        closed = tcp("1 ante 10.00", f"1 pair_plus {inside}", chip="0.01").then("close")
        assert closed.result()["fee"]["action"] == action
    over = tcp("1 ante 10.00", "1 pair_plus 50.01", chip="0.01").then("close")
    assert over.last_refused() == ("limit", "tcp/collection/pair-plus-limit")
    assert RULES.spots["pair_plus"].clause == "tcp/collection/pair-plus-limit"


def test_tcp_collection_six_card_limit__anything_up_to_25():
    for inside, action in (("0.01", "10.01"), ("25.00", "35.00")):
        closed = tcp("1 ante 10.00", f"1 six_card {inside}", chip="0.01").then("close")
        assert closed.result()["fee"]["action"] == action
    over = tcp("1 ante 10.00", "1 six_card 25.01", chip="0.01").then("close")
    assert over.last_refused() == ("limit", "tcp/collection/six-card-limit")
    assert RULES.spots["six_card"].clause == "tcp/collection/six-card-limit"


def test_tcp_decision_rounding__cents_are_exact_and_fractions_dropped():
    """All odds of this game are whole numbers to one, so nothing is ever dropped; the rule is the engine's."""
    bets = ("1 ante 5.01", "1 pair_plus 0.03", "1 six_card 0.07")
    dealt = tcp(*bets, cards="1: 9c 9h 9s, dealer: Qs 7d 7h", chip="0.01")
    assert dealt.then("1 play", "reveal dealer", "settle").result().lines == [
        "1 play 5.01: win 1:1, paid 5.01",
        "1 ante 5.01: win 1:1, paid 5.01",
        "1 pair_plus 0.03: win 30:1, paid 0.90",
        "1 six_card 0.07: win 20:1, paid 1.40",
    ]
    assert {odds.per for table in RULES.paytables.values() for odds in table.pays.values()} == {1}
    assert [Odds(3, 2).of(cents) for cents in (1, 2, 3)] == [1, 3, 4]


# ---- dealing


@pytest.mark.parametrize("cards", ["As", "As Ks", "As Ks Qs Js"])
def test_tcp_dealing_1__a_packet_is_three_cards(cards: str):
    closed = tcp("1 ante 10.00").then("close")
    assert closed.then(f"1 gets {cards}").last_refused() == ("wrong_cards", "tcp/dealing/1")
    assert closed.then("1 gets 2c 3c 4c", f"dealer gets {cards}").last_refused() == ("wrong_cards", "tcp/dealing/1")


def test_tcp_deck_1__the_cards_come_from_a_shuffler():
    assert tcp(dealing="shuffler").status == "open"
    for other in ("shoe", "hand"):
        assert tcp(dealing=other).document_refused() == ("bad_terms", "tcp/deck/1")


def test_tcp_dealing_2__only_the_player_dealers_third_card_is_open():
    closed = tcp("1 ante 10.00").then("close", "1 gets ?? ?? ??")
    assert closed.result()["dealer"] is None
    for third_unseen in ("?? ?? ??", "Qs 7d ??"):
        assert closed.then(f"dealer gets {third_unseen}").last_refused()[0] == "wrong_cards"
    for dealt in ("Qs 7d 4h", "?? ?? 4h", "Qs ?? 4h"):
        dealer = {"cards": [None, None, "4h"], "hand": None, "qualifies": None}
        assert closed.then(f"dealer gets {dealt}").result()["dealer"] == dealer


@pytest.mark.parametrize("banker", [1, 3, 7])
def test_tcp_decision_deal_order__seat_1_first_and_the_player_dealer_last(banker: int):
    seats = [seat for seat in (2, 4, 5) if seat != banker]
    dealt = tcp(*(f"{seat} ante 10.00" for seat in reversed(seats)), banker=banker).then("close")
    packets = iter(("2c 3c 4c", "2d 3d 4d", "2h 3h 4h", "Qs 7d 5h"))
    order = [*map(str, seats), "dealer"]
    while order:
        packet = next(packets)
        for other in {*map(str, range(1, 8)), "dealer", "board"} - {order[0]}:
            assert dealt.then(f"{other} gets {packet}").last_refused() == ("out_of_turn", "tcp/decision/deal-order")
        dealt = dealt.then(f"{order.pop(0)} gets {packet}")
    assert dealt.then("2 gets 6s 8s 9s").last_refused() == ("out_of_turn", "tcp/decision/deal-order")


def test_tcp_decision_seats__seven_sit_at_a_table():
    bets = [f"{seat} ante 10.00" for seat in (1, 2, 3, 5, 6, 7)]
    assert tcp(*bets, banker=4).then("close").result()["fee"]["action"] == "60.00"
    for seat in (0, 8):
        assert tcp(f"{seat} ante 10.00", banker=4).last_refused() == ("bad_document", "tcp/decision/seats")
        assert tcp(banker=seat).document_refused() == ("bad_document", "tcp/decision/seats")
        assert tcp(players={seat: "p-1"}).document_refused() == ("bad_document", "tcp/decision/seats")


def test_tcp_table_places__seven_with_the_player_dealers():
    """Six players and the player-dealer; the layout's seventh betting area is nobody's."""
    assert RULES.seats == 7
    seats = [seat for seat in range(1, 9) if seat != 4]
    full = tcp(*(f"{seat} ante 10.00" for seat in seats), banker=4)
    assert full.last_refused() == ("bad_document", "tcp/decision/seats")
    assert tcp(*(f"{seat} ante 10.00" for seat in seats[:-1]), banker=4).then("close").status == "open"


def test_tcp_decision_proposition_players__they_bank_and_play_like_anybody():
    """Who is one is in the ledger's register of bettors and not in the round."""
    names = {1: "tp-2", 7: "tp-1"}
    dealt = tcp("1 ante 10.00", "1/tp-3 ante 20.00", cards=f"1: {HIGH}, dealer: {QUEEN_HIGH}", players=names)
    result = dealt.then("1 play", "1/tp-3 play", "reveal dealer", "settle").result()
    assert result.lines == [
        "1/tp-2 play 10.00: win 1:1, paid 10.00",
        "1/tp-3 play 20.00: win 1:1, paid 20.00",
        "1/tp-2 ante 10.00: win 1:1, paid 10.00",
        "1/tp-3 ante 20.00: win 1:1, paid 20.00",
    ]
    assert opened(dealt).bank_bettor == "tp-1"


# ---- decisions

THREE_SEATS = tcp(
    *("2 ante 10.00", "5 ante 10.00", "6 ante 10.00"),
    cards="2: Ac 9h 2s, 5: Ad 9s 2h, 6: Ah 9d 2c, dealer: Qs 7d 4h",
    banker=4,
)


def test_tcp_round_3__players_decide_from_the_player_dealers_left():
    dealt, order = THREE_SEATS, [5, 6, 2]
    while order:
        for other in {1, 2, 3, 5, 6, 7} - {order[0]}:
            assert dealt.then(f"{other} play").last_refused() == ("out_of_turn", "tcp/round/3")
        assert dealt.then("reveal dealer").last_refused() == ("out_of_turn", "tcp/round/3")
        dealt = dealt.then(f"{order.pop(0)} {'fold' if len(order) == 1 else 'play'}")
    assert dealt.then("5 fold").last_refused() == ("out_of_turn", "tcp/round/3")
    revealed = dealt.then("reveal dealer")
    assert revealed.then("5 fold").last_refused() == ("out_of_turn", "tcp/round/3")
    assert {line["seat"] for line in revealed.then("settle").result()["lines"] if line["outcome"] == "lose"} == {6}


@pytest.mark.parametrize("early", ["1 play", "1 fold", "2 play", "reveal dealer", "reveal 1", "settle"])
def test_tcp_round_3__nobody_decides_before_all_have_their_cards(early: str):
    dealing = tcp("1 ante 10.00", "2 ante 10.00").then("close")
    for packet in ("1 gets Ac 9h 2d", "2 gets ?? ?? ??", ""):
        assert dealing.then(early).last_refused()[0] == "out_of_turn"
        dealing = dealing.then(packet) if packet else dealing
    assert dealing.then("dealer gets Qs 7d 4h", "1 play").status == "open"


@pytest.mark.parametrize("choice", ["check", "hit", "stand", "split", "surrender"])
def test_tcp_round_3__there_is_only_play_and_fold(choice: str):
    assert THREE_SEATS.then(f"5 {choice}").last_refused() == ("bad_choice", "tcp/round/3")
    assert THREE_SEATS.then(f"2 {choice}").last_refused() == ("out_of_turn", "tcp/round/3")


def test_tcp_round_3__a_raise_is_none_of_the_choices():
    raised = THREE_SEATS.decide(5, "raise", times=1)
    assert raised.last_refused() == ("bad_choice", "tcp/round/3")
    assert THREE_SEATS.decide(5, "play", times=1).last_refused()[0] == "bad_document"
    assert THREE_SEATS.then("5#1 play").last_refused()[0] == "bad_document"


@pytest.mark.parametrize("dealer", [QUEEN_HIGH, JACK_HIGH])
def test_tcp_round_3a__a_fold_forfeits_ante_and_pair_plus(dealer: str):
    """Even with three of a kind, and whether or not the player-dealer qualifies."""
    dealt = tcp("1 ante 10.00", "1 pair_plus 5.00", "2 ante 10.00", cards=f"1: Ac Ah As, 2: 9c 9h 3s, dealer: {dealer}")
    result = dealt.then("1 fold", "2 play", "reveal dealer", "settle").result()
    assert [line for line in result.lines if line[0] == "1"] == [
        "1 ante 10.00: lose, collected 10.00",
        "1 pair_plus 5.00: lose, collected 5.00",
    ]
    assert result.lines_by("tcp/round/3a") == ["1 ante 10.00: lose, collected 10.00"]


def test_tcp_round_3a__when_all_fold_the_player_dealer_need_not_show():
    dealt = tcp("1 ante 10.00", "1 pair_plus 5.00", cards=f"1: ?? ?? ??, dealer: {QUEEN_HIGH}").then("1 fold")
    result = dealt.then("settle").result()
    assert result["dealer"] == {"cards": [None, None, "4h"], "hand": None, "qualifies": None}
    assert result.lines == ["1 ante 10.00: lose, collected 10.00", "1 pair_plus 5.00: lose, collected 5.00"]
    assert dealt.then("reveal dealer", "settle").result().lines == result.lines


@pytest.mark.parametrize(
    ("mine", "outcome"), [("7c 7h 2s", "win 7:1, paid 35.00"), ("9c 9h 2s", "lose, collected 5.00")]
)
def test_tcp_round_3b__a_fold_leaves_six_card_alive(mine: str, outcome: str):
    dealt = tcp("1 ante 10.00", "1 pair_plus 5.00", "1 six_card 5.00", cards=f"1: {mine}, dealer: {QUEEN_HIGH}")
    folded = dealt.then("1 fold")
    assert folded.then("settle").last_refused()[0] == "out_of_turn"
    assert folded.then("reveal dealer", "settle").result().lines == [
        "1 ante 10.00: lose, collected 10.00",
        "1 pair_plus 5.00: lose, collected 5.00",
        f"1 six_card 5.00: {outcome}",
    ]


def test_tcp_decision_settlement__not_before_every_player_has_decided():
    dealt = tcp("1 ante 10.00", "1/b-1 ante 10.00", cards=f"1: {HIGH}, dealer: {QUEEN_HIGH}")
    refused = ("out_of_turn", "tcp/decision/settlement")
    assert dealt.then("settle").last_refused() == refused
    assert dealt.then("1 play", "settle").last_refused() == refused
    followed = dealt.then("1 play", "1/b-1 fold")
    assert followed.then("settle").last_refused() == refused
    settled = followed.then("reveal dealer", "settle")
    assert settled.status == "settled"
    for late in ("settle", "reveal 1", "1 play"):
        assert settled.then(late).last_refused() == refused


def test_tcp_decision_settlement__nor_before_every_hand_that_counts_is_face_up():
    bets = ("1 ante 10.00", "2 ante 10.00", "2 six_card 5.00", "3 ante 10.00")
    dealt = tcp(*bets, cards="1: ?? ?? ??, 2: ?? ?? ??, 3: ?? ?? ??, dealer: ?? ?? 4h")
    play = dealt.then("1 play", "2 fold", "3 fold")
    for shown in ("reveal dealer Qs 7d 4h", "reveal 1 Ac 9h 2d", "reveal 2 9c 6h 2s"):
        assert play.then("settle").last_refused() == ("out_of_turn", "tcp/decision/settlement")
        play = play.then(shown)
    assert play.then("settle").status == "settled"


def test_tcp_decision_unseen_fold__a_folded_six_card_hand_is_shown():
    bets = ("1 ante 10.00", "1 six_card 5.00", "2 ante 10.00")
    dealt = tcp(*bets, cards="1: ?? ?? ??, 2: ?? ?? ??, dealer: ?? ?? 7h").then("1 fold", "2 fold")
    assert dealt.then("settle").last_refused()[0] == "out_of_turn"
    assert dealt.then("reveal dealer Qs 7d 7h", "settle").last_refused()[0] == "out_of_turn"
    assert dealt.then("reveal 1 7c 2h 3s", "settle").last_refused()[0] == "out_of_turn"
    for shown in (["reveal dealer Qs 7d 7h", "reveal 1 7c 2h 3s"], ["reveal 1 7c 2h 3s", "reveal dealer Qs 7d 7h"]):
        assert dealt.then(*shown, "settle").result().lines == [
            "1 ante 10.00: lose, collected 10.00",
            "1 six_card 5.00: win 7:1, paid 35.00",
            "2 ante 10.00: lose, collected 10.00",
        ]


def test_tcp_decision_unseen_fold__so_is_one_with_a_backline_bettors_six_card():
    bets = ("1 ante 10.00", "1/b-1 ante 10.00", "1/b-1 six_card 5.00")
    folded = tcp(*bets, cards="1: ?? ?? ??, dealer: Qs 7d 7h").then("1 fold")
    assert folded.then("settle").last_refused()[0] == "out_of_turn"
    assert folded.then("reveal dealer", "settle").last_refused()[0] == "out_of_turn"
    assert folded.then("reveal dealer", "reveal 1 7c 2h 3s", "settle").result().lines == [
        "1 ante 10.00: lose, collected 10.00",
        "1/b-1 ante 10.00: lose, collected 10.00",
        "1/b-1 six_card 5.00: win 7:1, paid 35.00",
    ]


# ---- backline bettors behind a hand

BACKLINE = tcp(
    *("1 ante 10.00", "1/b-1 ante 20.00", "1/b-1 pair_plus 5.00", "1/b-1 six_card 5.00", "2 ante 10.00"),
    cards=f"1: 9c 9h 9s, 2: {LOW.replace('9c', '8c')}, dealer: {QUEEN_HIGH}",
)


def of_backline(result: Result) -> list[str]:
    return [line for line in result.lines if "/b-1 " in line]


def test_tcp_decision_follow__who_goes_along_stakes_their_own_ante_again():
    followed = BACKLINE.then("1 play", "1/b-1 play")
    assert events_of(followed)[-1] == DecisionFollowed(1, "b-1", "play", times=1, amount=2000)
    result = BACKLINE.then("1 play", "1/b-1 play", "2 fold", "reveal dealer", "settle").result()
    assert of_backline(result) == [
        "1/b-1 play 20.00: win 1:1, paid 20.00",
        "1/b-1 ante 20.00: win 1:1, paid 20.00",
        "1/b-1 pair_plus 5.00: win 30:1, paid 150.00",
        "1/b-1 six_card 5.00: win 7:1, paid 35.00",
    ]


def test_tcp_decision_follow__who_does_not_gives_up_their_own_wagers():
    result = BACKLINE.then("1 play", "1/b-1 fold", "2 fold", "reveal dealer", "settle").result()
    assert of_backline(result) == [
        "1/b-1 ante 20.00: lose, collected 20.00",
        "1/b-1 pair_plus 5.00: lose, collected 5.00",
        "1/b-1 six_card 5.00: win 7:1, paid 35.00",
    ]
    assert result.lines_by("tcp/decision/follow") == of_backline(result)[:2]


def test_tcp_decision_follow__when_the_seat_folds_all_fold():
    folded = BACKLINE.then("1 fold")
    for choice in ("play", "fold"):
        assert folded.then(f"1/b-1 {choice}").last_refused() == ("out_of_turn", "tcp/decision/follow")
    result = folded.then("2 fold", "reveal dealer", "settle").result()
    assert of_backline(result) == [
        "1/b-1 ante 20.00: lose, collected 20.00",
        "1/b-1 pair_plus 5.00: lose, collected 5.00",
        "1/b-1 six_card 5.00: win 7:1, paid 35.00",
    ]
    assert result.lines_by("tcp/round/3a") == [
        "1 ante 10.00: lose, collected 10.00",
        "1/b-1 ante 20.00: lose, collected 20.00",
        "2 ante 10.00: lose, collected 10.00",
    ]


def test_tcp_decision_follow__a_follower_decides_once_after_the_seat_and_before_the_player_dealer_shows():
    assert BACKLINE.then("1/b-1 play").last_refused() == ("out_of_turn", "tcp/decision/follow")
    played = BACKLINE.then("1 play", "2 play")
    assert played.then("reveal dealer").last_refused()[0] == "out_of_turn"
    assert played.then("settle").last_refused()[0] == "out_of_turn"
    assert played.then("1/b-1 check").last_refused() == ("bad_choice", "tcp/decision/follow")
    followed = played.then("1/b-1 play")
    assert followed.then("1/b-1 fold").last_refused() == ("out_of_turn", "tcp/decision/follow")
    assert followed.then("reveal dealer", "1/b-1 fold").last_refused()[0] == "out_of_turn"
    assert played.then("1/b-9 play").last_refused()[0] == "out_of_turn"
    assert of_backline(followed.then("reveal dealer", "settle").result())[0] == "1/b-1 play 20.00: win 1:1, paid 20.00"


# ---- the showdown


@pytest.mark.parametrize(
    ("dealer", "hand", "qualifies"),
    [
        ("Qs 3d 2h", "high card", True),
        ("Js Td 8h", "high card", False),
        ("5s 3d 2h", "high card", False),
        ("Ks 3d 2h", "high card", True),
        ("As 4d 2h", "high card", True),
        ("2s 2d 3h", "pair", True),
        ("5d 3d 2d", "flush", True),
        ("As 3d 2h", "straight", True),
        ("2s 2d 2h", "three of a kind", True),
        ("4h 3h 2h", "straight flush", True),
        ("Ah Kh Qh", "mini royal", True),
    ],
)
def test_tcp_round_5__queen_high_qualifies(dealer: str, hand: str, qualifies: bool):
    dealt = tcp("1 ante 10.00", cards=f"1: 4c 7c 9s, dealer: {dealer}").then("1 play")
    assert dealt.result()["dealer"]["qualifies"] is None
    revealed = dealt.then("reveal dealer").result()["dealer"]
    assert revealed == {"cards": dealer.split(), "hand": hand, "qualifies": qualifies}
    play, ante = dealt.then("reveal dealer", "settle").result().lines
    if qualifies:
        assert (play, ante) == ("1 play 10.00: lose, collected 10.00", "1 ante 10.00: lose, collected 10.00")
    else:
        assert (play, ante) == ("1 play 10.00: push", "1 ante 10.00: win 1:1, paid 10.00")


@pytest.mark.parametrize("mine", ["Ac 9h 2s", "Jc 7h 4s", "9c 6h 2s"])
def test_tcp_wins_1a__without_queen_high_the_play_wager_is_returned(mine: str):
    """Against a higher, an equal and a lower hand."""
    assert showdown(mine, JACK_HIGH).lines_by("tcp/wins/1a") == ["1 play 10.00: push"]


@pytest.mark.parametrize("mine", ["Ac 9h 2s", "Jc 7h 4s", "9c 6h 2s"])
def test_tcp_wins_1b__without_queen_high_the_ante_is_paid(mine: str):
    assert showdown(mine, JACK_HIGH).lines_by("tcp/wins/1b") == ["1 ante 10.00: win 1:1, paid 10.00"]


def test_tcp_wins_1b__but_not_to_a_hand_that_folded():
    dealt = tcp("1 ante 10.00", "2 ante 10.00", cards=f"1: {HIGH}, 2: {LOW}, dealer: {JACK_HIGH}")
    result = dealt.then("1 fold", "2 play", "reveal dealer", "settle").result()
    assert result.lines == [
        "1 ante 10.00: lose, collected 10.00",
        "2 play 10.00: push",
        "2 ante 10.00: win 1:1, paid 10.00",
    ]


def test_tcp_wins_2a__the_higher_hand_wins_ante_and_play():
    result = showdown(HIGH, QUEEN_HIGH)
    assert result.lines_by("tcp/wins/2a") == ["1 play 10.00: win 1:1, paid 10.00", "1 ante 10.00: win 1:1, paid 10.00"]
    assert banked(result) == "paid 20.00, collected 0.00"


def test_tcp_wins_2a__there_is_no_ante_bonus():
    result = showdown("Ac Kc Qc", "Qs 7d 4h")
    assert result.lines == ["1 play 10.00: win 1:1, paid 10.00", "1 ante 10.00: win 1:1, paid 10.00"]


def test_tcp_wins_2b__the_lower_hand_loses_ante_and_play():
    result = showdown(LOW, QUEEN_HIGH)
    assert result.lines_by("tcp/wins/2b") == [
        "1 play 10.00: lose, collected 10.00",
        "1 ante 10.00: lose, collected 10.00",
    ]
    assert banked(result) == "paid 0.00, collected 20.00"


def test_tcp_wins_2c__equal_hands_push_ante_and_play():
    result = showdown("Qc 7h 4s", QUEEN_HIGH)
    assert result.lines_by("tcp/wins/2c") == ["1 play 10.00: push", "1 ante 10.00: push"]
    assert banked(result) == "paid 0.00, collected 0.00"


def test_tcp_wins_3__an_unseen_hand_is_turned_up_before_it_is_settled():
    dealt = tcp("1 ante 10.00", "2 ante 10.00", cards=f"1: ?? ?? ??, 2: ?? ?? ??, dealer: {QUEEN_HIGH}")
    played = dealt.then("1 play", "2 fold", "reveal dealer")
    assert played.then("settle").last_refused()[0] == "out_of_turn"
    assert played.then("reveal 1").last_refused()[0] == "wrong_cards"
    assert played.then("reveal 1 Ac 9h ??").last_refused()[0] == "wrong_cards"
    assert played.then("reveal 3").last_refused() == ("out_of_turn", "tcp/wins/3")
    shown = played.then("reveal 1 Ac 9h 2s")
    assert shown.then("reveal 1 Ac 9h 2s").last_refused() == ("out_of_turn", "tcp/wins/3")
    assert shown.then("settle").result().lines == [
        "1 play 10.00: win 1:1, paid 10.00",
        "1 ante 10.00: win 1:1, paid 10.00",
        "2 ante 10.00: lose, collected 10.00",
    ]


def test_tcp_wins_3__settling_turns_up_the_active_hands_that_were_seen():
    bets = ("1 ante 10.00", "2 ante 10.00", "3 ante 10.00", "3 six_card 5.00")
    hands = f"1: {HIGH}, 2: {LOW}, 3: 8c 8h 3d, dealer: {QUEEN_HIGH}"
    played = tcp(*bets, cards=hands).then("1 play", "2 fold", "3 fold", "reveal dealer")
    assert played.then("reveal 1 Ac 9h 3d").last_refused()[0] == "wrong_cards"
    turned = [event for event in events_of(played.then("settle")) if isinstance(event, CardsTurned)]
    assert [event.of for event in turned] == ["dealer", 1, 3]
    shown = [event for event in events_of(played.then("reveal 1", "settle")) if isinstance(event, CardsTurned)]
    assert [event.of for event in shown] == ["dealer", 1, 3]
    assert turned[1].cards == ("Ac", "9h", "2d")


def test_tcp_wins_3__the_player_dealers_hand_is_turned_up_too():
    played = tcp("1 ante 10.00", cards="1: Ac 9h 2s, dealer: ?? 7d 4h").then("1 play")
    assert played.then("settle").last_refused()[0] == "out_of_turn"
    assert played.then("reveal dealer").last_refused()[0] == "wrong_cards"
    assert played.then("reveal dealer Qs 8d 4h").last_refused()[0] == "wrong_cards"
    assert played.then("reveal dealer Qs 7d").last_refused()[0] == "wrong_cards"
    for other in ("reveal flop", "reveal turn_river"):
        assert played.then(other).last_refused()[0] == "out_of_turn"
    shown = played.then("reveal dealer Qs 7d 4h")
    assert shown.then("reveal dealer Qs 7d 4h").last_refused()[0] == "out_of_turn"
    assert shown.then("settle").result()["dealer"]["hand"] == "high card"


# ---- pair plus


@pytest.mark.parametrize("bettor", ["1", "1/b-1"])
def test_tcp_pair_plus_1__only_beside_an_ante(bettor: str):
    alone = tcp("2 ante 10.00", f"{bettor} pair_plus 5.00")
    assert alone.then("close").last_refused() == ("missing_wager", "tcp/before/3")
    assert alone.then("1 ante 10.00", "1/b-1 ante 10.00", "close").status == "open"


def test_tcp_pair_plus_2__before_the_first_card():
    closed = tcp("1 ante 10.00").then("close")
    for played in (closed, closed.then("1 gets Ac Ah As")):
        assert played.then("1 pair_plus 5.00").last_refused() == ("out_of_turn", "tcp/before/5")


@pytest.mark.parametrize(
    ("mine", "moved"), [("9c 9h 2s", "paid 25.00, collected 0.00"), (LOW, "paid 0.00, collected 25.00")]
)
def test_tcp_pair_plus_6__the_player_dealer_pays_and_collects(mine: str, moved: str):
    assert banked(showdown(mine, QUEEN_HIGH, "1 pair_plus 5.00")) == moved


def test_tcp_pair_plus_8__what_the_player_dealer_cannot_cover_is_returned():
    for wager, line in (("22.00", "win 1:1, paid 2.00, short 3.00"), ("20.00", "no_action, short 5.00")):
        result = showdown("9c 9h 2s", QUEEN_HIGH, "1 pair_plus 5.00", wager=wager)
        assert result.line(1, "pair_plus") == f"1 pair_plus 5.00: {line}"
        assert result["lines"][2]["returned"] == "5.00"


def test_tcp_pair_plus_9__backline_bettors_may():
    dealt = tcp("1 ante 10.00", "1/b-1 ante 5.00", "1/b-1 pair_plus 5.00", cards=f"1: 9c 9h 2s, dealer: {QUEEN_HIGH}")
    result = dealt.then("1 play", "1/b-1 play", "reveal dealer", "settle").result()
    assert result.line(1, "pair_plus", bettor="b-1") == "1/b-1 pair_plus 5.00: win 1:1, paid 5.00"


@pytest.mark.parametrize("dealer", ["Ad Kd 4h", "Qs 7d 4h", "9d 9s 2h"])
def test_tcp_pair_plus_3__only_the_players_three_cards_count(dealer: str):
    """Cards that would pair with the player-dealer's are worth nothing, and a pair pays whatever they hold."""
    assert showdown("Ac Kh 9c", dealer, "1 pair_plus 5.00").lines[2] == "1 pair_plus 5.00: lose, collected 5.00"
    assert showdown("5c 5h 9c", dealer, "1 pair_plus 5.00").lines[2] == "1 pair_plus 5.00: win 1:1, paid 5.00"


PAIR_PLUS = [
    ("Ac Kc Qc", "200:1", "1000.00"),
    ("Kc Qc Jc", "40:1", "200.00"),
    ("3c 2c Ac", "40:1", "200.00"),
    ("Ac Ah Ad", "30:1", "150.00"),
    ("2c 2h 2d", "30:1", "150.00"),
    ("Ac Kh Qd", "6:1", "30.00"),
    ("3c 2h Ad", "6:1", "30.00"),
    ("Ac Kc Jc", "3:1", "15.00"),
    ("5c 3c 2c", "3:1", "15.00"),
    ("Ac Ah Kd", "1:1", "5.00"),
    ("2c 2h 3d", "1:1", "5.00"),
]


@pytest.mark.parametrize(("mine", "odds", "paid"), PAIR_PLUS)
def test_tcp_pair_plus_10__its_table(mine: str, odds: str, paid: str):
    result = showdown(mine, QUEEN_HIGH, "1 pair_plus 5.00")
    assert result.lines[2] == f"1 pair_plus 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["PAIR-PLUS"].clause == "tcp/pair-plus/10"
    assert len(RULES.paytables["PAIR-PLUS"].pays) == len({odds for _, odds, _ in PAIR_PLUS}) == 6


@pytest.mark.parametrize(("mine", "odds", "paid"), PAIR_PLUS)
def test_tcp_pair_plus_4__a_paying_hand_wins(mine: str, odds: str, paid: str):
    result = showdown(mine, QUEEN_HIGH, "1 pair_plus 5.00")
    assert result.lines_by("tcp/pair-plus/4") == [f"1 pair_plus 5.00: win {odds}, paid {paid}"]


@pytest.mark.parametrize("mine", ["Ac Kh Jc", "Ac Kc 2h", "5c 3h 2d", "Kc Ah 2c"])
def test_tcp_pair_plus_5__any_other_hand_loses(mine: str):
    result = showdown(mine, QUEEN_HIGH, "1 pair_plus 5.00")
    assert result.lines_by("tcp/pair-plus/5") == ["1 pair_plus 5.00: lose, collected 5.00"]


def test_tcp_pair_plus_7__it_goes_its_own_way_against_the_ante():
    beaten = showdown("2c 2h 3d", "9c 9h 4d", "1 pair_plus 5.00")
    assert beaten.lines == [
        "1 play 10.00: lose, collected 10.00",
        "1 ante 10.00: lose, collected 10.00",
        "1 pair_plus 5.00: win 1:1, paid 5.00",
    ]
    ahead = showdown(HIGH, QUEEN_HIGH, "1 pair_plus 5.00")
    assert ahead.lines == [
        "1 play 10.00: win 1:1, paid 10.00",
        "1 ante 10.00: win 1:1, paid 10.00",
        "1 pair_plus 5.00: lose, collected 5.00",
    ]
    unqualified = showdown("2c 2h 3d", JACK_HIGH, "1 pair_plus 5.00")
    assert unqualified.lines[2] == "1 pair_plus 5.00: win 1:1, paid 5.00"


def test_tcp_pair_plus_7__a_folded_hand_forfeits_it():
    dealt = tcp("1 ante 10.00", "1 pair_plus 5.00", cards=f"1: Ac Kc Qc, dealer: {QUEEN_HIGH}")
    result = dealt.then("1 fold", "settle").result()
    assert result.lines_by("tcp/pair-plus/7") == ["1 pair_plus 5.00: lose, collected 5.00"]


# ---- six card


@pytest.mark.parametrize("bettor", ["1", "1/b-1"])
def test_tcp_six_card_1__only_beside_an_ante(bettor: str):
    alone = tcp("2 ante 10.00", f"{bettor} six_card 5.00")
    assert alone.then("close").last_refused() == ("missing_wager", "tcp/before/3")
    assert alone.then("1 ante 10.00", "1/b-1 ante 10.00", "close").status == "open"


def test_tcp_six_card_2__before_the_first_card():
    closed = tcp("1 ante 10.00").then("close")
    for played in (closed, closed.then("1 gets Ac Ah As")):
        assert played.then("1 six_card 5.00").last_refused() == ("out_of_turn", "tcp/before/5")


@pytest.mark.parametrize(
    ("mine", "moved"), [("7c 7h 2s", "paid 55.00, collected 0.00"), (LOW, "paid 0.00, collected 25.00")]
)
def test_tcp_six_card_6__the_player_dealer_pays_and_collects(mine: str, moved: str):
    assert banked(showdown(mine, QUEEN_HIGH, "1 six_card 5.00")) == moved


@pytest.mark.parametrize(
    ("mine", "dealer", "ante"),
    [("7c 7h 2s", QUEEN_HIGH, "win 1:1, paid 10.00"), ("9c 7h 2s", "Qs 7d 7s", "lose, collected 10.00")],
)
def test_tcp_six_card_7__it_goes_its_own_way_against_the_ante(mine: str, dealer: str, ante: str):
    """Three 7s between the two hands, whether the player's is ahead, behind, or folded."""
    dealt = tcp("1 ante 10.00", "1 six_card 5.00", cards=f"1: {mine}, dealer: {dealer}")
    six_card = "1 six_card 5.00: win 7:1, paid 35.00"
    assert dealt.then("1 play", "reveal dealer", "settle").result().lines[1:] == [f"1 ante 10.00: {ante}", six_card]
    folded = dealt.then("1 fold", "reveal dealer", "settle").result()
    assert folded.lines == ["1 ante 10.00: lose, collected 10.00", six_card]


def test_tcp_six_card_8__what_the_player_dealer_cannot_cover_is_returned():
    for wager, line in (("22.00", "win 7:1, paid 2.00, short 33.00"), ("20.00", "no_action, short 35.00")):
        result = showdown("7c 7h 2s", QUEEN_HIGH, "1 six_card 5.00", wager=wager)
        assert result.line(1, "six_card") == f"1 six_card 5.00: {line}"
        assert result["lines"][2]["returned"] == "5.00"


def test_tcp_six_card_9__backline_bettors_may():
    dealt = tcp("1 ante 10.00", "1/b-1 ante 5.00", "1/b-1 six_card 5.00", cards=f"1: 7c 7h 2s, dealer: {QUEEN_HIGH}")
    result = dealt.then("1 play", "1/b-1 play", "reveal dealer", "settle").result()
    assert result.line(1, "six_card", bettor="b-1") == "1/b-1 six_card 5.00: win 7:1, paid 35.00"


def test_tcp_decision_both_bonuses__both_in_one_round():
    result = showdown("7c 7h 2s", QUEEN_HIGH, "1 pair_plus 5.00", "1 six_card 5.00")
    assert result.lines[2:] == ["1 pair_plus 5.00: win 1:1, paid 5.00", "1 six_card 5.00: win 7:1, paid 35.00"]


@pytest.mark.parametrize(
    ("mine", "dealer", "outcome"),
    [
        ("Ah 2s 3d", "4c 5h 9d", "win 10:1, paid 50.00"),  # the ace is low here
        ("Ah Ks 2d", "3c 4h 9d", "lose, collected 5.00"),  # and does not go round the corner
        ("9h 9s 9d", "4c 4h Kd", "win 20:1, paid 100.00"),
        ("Kh 9h 7h", "5h 2h 2d", "win 15:1, paid 75.00"),  # a flush above the pair in it
        ("6h 5h 4h", "3h 2h As", "win 200:1, paid 1000.00"),  # a straight flush above the longer straight
    ],
)
def test_tcp_decision_five_card_hands__as_usual_in_poker(mine: str, dealer: str, outcome: str):
    assert showdown(mine, dealer, "1 six_card 5.00").line(1, "six_card") == f"1 six_card 5.00: {outcome}"


SIX_CARD = [
    ("As Ks Qs", "Js Ts 2d", "1000:1", "5000.00"),
    ("Ts 9h As", "Ks Qs Js", "1000:1", "5000.00"),
    ("9h 8h 7h", "6h 5h 2d", "200:1", "1000.00"),
    ("Ah 2h 3h", "4h 5h 9d", "200:1", "1000.00"),
    ("9h 9s 9d", "9c 3h 2d", "100:1", "500.00"),
    ("9h 9s 4d", "4c 9c 2d", "20:1", "100.00"),
    ("9h 9s 9d", "4c 4h 4d", "20:1", "100.00"),
    ("Kh 9h 7h", "5h 2h 3d", "15:1", "75.00"),
    ("Kh 9h 7h", "5h 4h 2h", "15:1", "75.00"),
    ("9h 8s 7d", "6c 5h 2d", "10:1", "50.00"),
    ("Ah 2s 3d", "4c 5h 9d", "10:1", "50.00"),
    ("Ah Ks 3d", "Qc Jh Td", "10:1", "50.00"),
    ("9h 8s 2d", "9c 9d Kh", "7:1", "35.00"),
    ("9h 9s 2d", "3c Kd 9d", "7:1", "35.00"),
]


@pytest.mark.parametrize(("mine", "dealer", "odds", "paid"), SIX_CARD)
def test_tcp_six_card_10__tcb_6b4(mine: str, dealer: str, odds: str, paid: str):
    result = showdown(mine, dealer, "1 six_card 5.00")
    assert result.lines[2] == f"1 six_card 5.00: win {odds}, paid {paid}"
    assert RULES.paytables["TCB-6B4"].clause == "tcp/six-card/10"
    assert len(RULES.paytables["TCB-6B4"].pays) == len({odds for _, _, odds, _ in SIX_CARD}) == 7


@pytest.mark.parametrize(("mine", "dealer", "odds", "paid"), SIX_CARD)
def test_tcp_six_card_4__a_paying_hand_wins(mine: str, dealer: str, odds: str, paid: str):
    """Also with the two hands changed round: it is nothing to this wager whose cards they are."""
    for result in (showdown(mine, dealer, "1 six_card 5.00"), showdown(dealer, mine, "1 six_card 5.00")):
        assert result.lines_by("tcp/six-card/4") == [f"1 six_card 5.00: win {odds}, paid {paid}"]


@pytest.mark.parametrize(
    ("mine", "dealer"),
    [
        ("9h 9s 4d", "4c 3h Kd"),
        ("9h 9s 4d", "4c Kh Kd"),
        ("Ah As 4d", "9c Kh Td"),
        ("Ah Ks Jd", "9c 5h 2d"),
        ("Kh 9h 7h", "5h 2s 3d"),
        ("9h 8s 7d", "6c 2h 3d"),
        ("Kh As 2d", "3c 4h 9d"),
    ],
)
def test_tcp_six_card_5__any_other_hand_loses(mine: str, dealer: str):
    result = showdown(mine, dealer, "1 six_card 5.00")
    assert result.lines_by("tcp/six-card/5") == ["1 six_card 5.00: lose, collected 5.00"]


@pytest.mark.parametrize(
    ("mine", "dealer", "outcome"),
    [
        ("9h 9s 9d", "4c 3h Kd", "win 7:1, paid 35.00"),  # all three of the player's
        ("Kc 3h 4d", "9h 9s 9d", "win 7:1, paid 35.00"),  # none of them
        ("Kh 9h 7h", "5h 2h 3d", "win 15:1, paid 75.00"),  # three and two
        ("Kh 9h 7s", "5h 2h 3h", "win 15:1, paid 75.00"),  # two and three
        ("Ac Kc Qc", "9d 9s 4h", "lose, collected 5.00"),  # a mini royal is nothing here
        ("Kc Qc Jc", "9d 9s 4h", "lose, collected 5.00"),  # nor is a straight of three
    ],
)
def test_tcp_six_card_3__the_best_five_of_both_hands(mine: str, dealer: str, outcome: str):
    assert showdown(mine, dealer, "1 six_card 5.00").lines[2] == f"1 six_card 5.00: {outcome}"


# ---- void


@pytest.mark.parametrize("reason", ["misdeal", "malfunction", "irregularity"])
def test_tcp_decision_void__every_wager_goes_back_and_the_fee_stays(reason: str):
    dealt = tcp("1 ante 10.00", "1 six_card 5.00", cards=f"1: {HIGH}, dealer: {QUEEN_HIGH}")
    for played in (dealt, dealt.then("1 play"), dealt.then("1 play", "reveal dealer")):
        result = played.then(f"void {reason}").result()
        assert (result["status"], result["lines"]) == ("void", [])
        assert banked(result) == "paid 0.00, collected 0.00"
        assert result["fee"] == {"action": "15.00", "amount": "0.50", "schedule": 1}
        assert result["exposure"] == {"action": "15.00", "liability": "5020.00"}


def test_tcp_decision_void__before_no_more_bets_there_is_no_fee():
    result = tcp("1 ante 10.00").then("void irregularity").result()
    assert (result["status"], result["fee"], result["exposure"]) == ("void", None, None)
    late = tcp("1 ante 10.00").then("void irregularity", "1 ante 5.00")
    assert late.last_refused()[0] == "out_of_turn"


def test_tcp_decision_void__nothing_follows_it_and_a_settled_round_is_never_voided():
    dealt = tcp("1 ante 10.00", cards=f"1: {HIGH}, dealer: {QUEEN_HIGH}")
    for late in ("1 play", "settle", "void misdeal"):
        assert dealt.then("void misdeal", late).last_refused() == ("out_of_turn", "tcp/decision/void")
    settled = dealt.then("1 fold", "settle")
    assert settled.then("void misdeal").last_refused()[0] == "out_of_turn"

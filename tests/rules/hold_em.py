"""Ultimate Texas Hold'em rounds from start to finish, and cards that make every hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from tests.rules.rounds import Place, Play, Result

Hands = Mapping[int, tuple[str, int | None]]

BOARD_FIRST = ("uth-house", "uth-sd")
STREETS = (((3, 4), "check", "flop"), ((2,), "check", "turn_river"), ((1,), "fold", "dealer"))

BOARD = "Kd9c7h4s2d"  # holds no pair and helps to no flush
PAIR_OF_QUEENS = "QsQc"
KING_HIGH = "QsJc"  # on BOARD, and so a dealer hand that does not qualify


class HoldEm(Play):
    def check(self, *seats: int) -> Self:
        play = self
        for seat in seats:
            play = play.decide(seat, "check")
        return play

    def raise_(self, seat: int, times: int, bettor: str | None = None) -> Self:
        return self.decide(seat, "raise", times=times, bettor=bettor)

    def fold(self, seat: int, bettor: str | None = None) -> Self:
        return self.decide(seat, "fold", bettor=bettor)

    def deal_out(self, hands: Mapping[int, str], dealer: str, board: str = BOARD) -> Self:
        """No more bets, and then all cards in the order in which the rule set deals them without burning any."""
        ruleset, terms = self.envelope["ruleset"], self.envelope["terms"]
        mode = terms.get("dealing", "shoe" if ruleset == "uth-club" else "shuffler")
        size = 2 if mode == "shoe" else 4  # letters of text that go to a place at once
        places: list[tuple[Place, str]] = [*sorted(hands.items()), ("dealer", dealer)]
        play = self.close_bets()
        if ruleset in BOARD_FIRST:
            play = play.deal("board", board)
        for at in range(0, 4, size):
            for place, cards in places:
                play = play.deal(place, cards[at : at + size])
        return play if ruleset in BOARD_FIRST else play.deal("board", board)

    def reveal_all(self) -> Self:
        return self.reveal("flop").reveal("turn_river").reveal("dealer")

    def showdown(self, hands: Hands, dealer: str, board: str = BOARD) -> Result:
        return self.played(hands, dealer, board).result()

    def played(self, hands: Hands, dealer: str, board: str = BOARD) -> Self:
        """The whole round after the bets. A hand is its cards and the multiple of the ante that it plays.

        The multiple says on which street: 4 or 3 on the two cards, 2 on the flop, 1 at the end; 0 is a fold at the
        end, and None a seat that has nothing to decide.
        """
        play = self.deal_out({seat: cards for seat, (cards, _) in hands.items()}, dealer, board)
        for multiples, otherwise, next_cards in STREETS:
            for seat, (_, times) in hands.items():
                if times is not None and times in multiples:
                    play = play.raise_(seat, times)
                elif times is not None and times < min(multiples):
                    play = play.decide(seat, otherwise)
            play = play.reveal(next_cards)
        return play.settle()

    def fold_at_the_end(self, *seats: int) -> Self:
        """Dealt hands that check twice and fold; the dealer hand is not shown."""
        play = self.check(*seats).reveal("flop").check(*seats).reveal("turn_river")
        for seat in seats:
            play = play.fold(seat)
        return play


# A player's two cards and a board, from the best hand down; they make it with the first three board cards already.
# All but the last beat DEUCES.
DEUCES = "2c2s"
MADE = {
    "royal flush": ("AsKs", "QsJsTs4d3h"),
    "straight flush": ("9s8s", "7s6s5sKd3h"),
    "four of a kind": ("9s9d", "9h9cKd4s3h"),
    "full house": ("9s9d", "9hKcKd4s3h"),
    "flush": ("As9s", "Ks6s3sJd4h"),
    "straight": ("9s8d", "7c6h5sKdAh"),
    "three of a kind": ("9s9d", "9hKc4sJd6h"),
    "two pair": ("9sKd", "9hKc4sJd6h"),
    "pair": ("9sQd", "9hKc4sJd6h"),
    "high card": ("AsQd", "9hKc4sJd6h"),
}
BELOW_A_STRAIGHT = ["three of a kind", "two pair", "pair"]
BELOW_THREE_OF_A_KIND = ["two pair", "pair", "high card"]

# What the blind pays on $10.00: the hand, the odds, the payout.
BLIND = [
    ("royal flush", "500:1", "5000.00"),
    ("straight flush", "50:1", "500.00"),
    ("four of a kind", "10:1", "100.00"),
    ("full house", "3:1", "30.00"),
    ("flush", "3:2", "15.00"),
    ("straight", "1:1", "10.00"),
]

# What trips pays on $5.00, by table.
TRIPS = {
    "UTH-01": [
        ("royal flush", "50:1", "250.00"),
        ("straight flush", "40:1", "200.00"),
        ("four of a kind", "30:1", "150.00"),
        ("full house", "9:1", "45.00"),
        ("flush", "7:1", "35.00"),
        ("straight", "4:1", "20.00"),
        ("three of a kind", "3:1", "15.00"),
    ],
    "UTH-02": [
        ("royal flush", "50:1", "250.00"),
        ("straight flush", "40:1", "200.00"),
        ("four of a kind", "30:1", "150.00"),
        ("full house", "8:1", "40.00"),
        ("flush", "6:1", "30.00"),
        ("straight", "5:1", "25.00"),
        ("three of a kind", "3:1", "15.00"),
    ],
    "UTH-03": [
        ("royal flush", "50:1", "250.00"),
        ("straight flush", "40:1", "200.00"),
        ("four of a kind", "30:1", "150.00"),
        ("full house", "8:1", "40.00"),
        ("flush", "7:1", "35.00"),
        ("straight", "4:1", "20.00"),
        ("three of a kind", "3:1", "15.00"),
    ],
    "UTH-04": [
        ("royal flush", "50:1", "250.00"),
        ("straight flush", "40:1", "200.00"),
        ("four of a kind", "20:1", "100.00"),
        ("full house", "7:1", "35.00"),
        ("flush", "6:1", "30.00"),
        ("straight", "5:1", "25.00"),
        ("three of a kind", "3:1", "15.00"),
    ],
}

# Two hands on one board, the higher first, and what each of them is called.
RANKING = [
    ("AsKs", "9s8s", "QsJsTs4d3h", "royal flush", "straight flush"),
    ("9s8s", "7cKd", "7s6s5s7d7h", "straight flush", "four of a kind"),
    ("KhKc", "9d9h", "KsKd9c4h3d", "four of a kind", "full house"),
    ("9d9h", "As2s", "Ks9s4sKd3h", "full house", "flush"),
    ("As4s", "Tc9d", "8s7s2s6dKh", "flush", "straight"),
    ("Tc9d", "Ks2c", "8s7d6cKhKd", "straight", "three of a kind"),
    ("9d9h", "Ks4s", "9sKd4c7h2d", "three of a kind", "two pair"),
    ("9d4s", "AsKs", "9sKd4c7h2d", "two pair", "pair"),
    ("2s3h", "AsQd", "9sKd4c7h2d", "pair", "high card"),
    ("AcQd", "AdJs", "9sKd4c7h2d", "high card", "high card"),
    ("6c2h", "As2d", "5s4d3cKh9d", "straight", "straight"),  # with the ace low, five is the top
    ("4d2s", "AcQd", "Kd2c3h9s7d", "pair", "high card"),  # Q-K-A-2-3 is nothing: the ace is not in the middle
]
PLAY_WINS = "1 play 40.00: win 1:1, paid 40.00"
PLAY_LOSES = "1 play 40.00: lose, collected 40.00"
PLAY_PUSHES = "1 play 40.00: push"

# Collection schedules that a cardroom may supply, and tiers that make one wrong.
Tiers = list[list[str | None]]
FEES = {"limits": ["5.00", "500.00"], "tiers": [["100.00", "1.00"], [None, "2.00"]]}
FIVE_TIERS: Tiers = [["100.00", "1.00"], ["200.00", "2.00"], ["300.00", "3.00"], ["400.00", "4.00"], [None, "5.00"]]
RIGHT_TIERS: list[Tiers] = [[[None, "1.00"]], FIVE_TIERS]
WRONG_TIERS: list[Tiers] = [
    [],
    [["50.00", "0.50"], *FIVE_TIERS],  # six
    [["100.00", "1.00"], ["100.00", "2.00"], [None, "3.00"]],  # the bounds do not rise
    [["100.00", "1.00"]],  # nothing for what is above
    [[None, "1.00"], [None, "2.00"]],
]


def four_seats(table: HoldEm) -> Result:
    """Seats 1 and 2 lose $600 each to trip kings, seat 3 wins $1,200 with a straight, and seat 4 loses $300."""
    play = table.bet(1, ante=100, blind=100).bet(2, ante=100, blind=100).bet(3, ante=200, blind=200)
    hands = {1: ("QsJd", 4), 2: ("AsQd", 4), 3: ("9s8d", 4), 4: ("2s3d", 4)}
    return play.bet(4, ante=50, blind=50).showdown(hands, "KsKc", "Kd7c6h5s2d")

"""Values of poker hands: the best five of five, six or seven cards, and Three Card Poker's three.

A card is a string of rank and suit, "Td" or "As". All suits are equal. Dealing checks that the cards are different ones
of a deck, not this module."""

from collections.abc import Sequence
from itertools import combinations
from sys import intern
from typing import Final

import msgspec

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"

# From the lowest to the highest: the index of a name is the most significant part of a hand's strength.
FIVE_CARD_NAMES: Final = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
    "royal flush",
)
THREE_CARD_NAMES: Final = (
    "high card",
    "pair",
    "flush",
    "straight",
    "three of a kind",
    "straight flush",
    "mini royal",
)


class PokerHand(msgspec.Struct, frozen=True, gc=False):
    """The value of some cards. Equal hands are one shared object.

    Strengths compare within five-card hands and within three-card hands, never across the two."""

    strength: int
    name: str
    text: str


# One addition per card gathers all that the worth of a hand depends on:
# - above bit 16, how often each rank occurs, as a number in base 5 (a deck has four of a rank, so no digit
#   overflows). It is different for every multiset of ranks, and so for every number of cards;
# - in the low 16 bits, four counters of four bits, one a suit. They start so high that the cards which make a
#   flush set the top bit of their counter.
_KEYS: Final = {
    rank + suit: (5**place << 16) + (1 << 4 * column)
    for place, rank in enumerate(RANKS)
    for column, suit in enumerate(SUITS)
}
_KEY: Final = _KEYS.__getitem__
_RANK_BIT: Final = {rank + suit: 1 << place for place, rank in enumerate(RANKS) for suit in SUITS}
_FLUSH: Final = 0x8888
_FLUSH_FROM_FIVE: Final = 0x3333
_FLUSH_FROM_THREE: Final = 0x5555

# Filled as hands turn up, so that a start costs nothing. They cannot grow beyond the 73,775 multisets of five
# to seven ranks, the 4,719 sets of five to seven suited ones, and 741 three-card hands.
_BY_RANKS: Final[dict[int, PokerHand]] = {}
_BY_SUITED_RANKS: Final[dict[int, PokerHand]] = {}
_THREE_MIXED: Final[dict[int, PokerHand]] = {}
_THREE_SUITED: Final[dict[int, PokerHand]] = {}
_SHARED: Final[dict[int, PokerHand]] = {}


def best_of(cards: Sequence[str]) -> PokerHand:
    """Return the best five-card hand in five, six or seven cards."""
    key = sum(map(_KEY, cards), _FLUSH_FROM_FIVE)
    # Five suited ranks leave no room for four of a kind or a full house in seven cards: the flush decides.
    if key & _FLUSH:
        return _flush(cards, SUITS[(key & _FLUSH).bit_length() // 4 - 1])
    try:
        return _BY_RANKS[key >> 16]
    except KeyError:
        hand = _BY_RANKS[key >> 16] = _without_flush(cards)
        return hand


def best_five(cards: Sequence[str]) -> tuple[str, ...]:
    """Return the five cards that make the best hand, most significant first.

    If cards of one rank would serve equally well, the one given first is taken."""
    best = best_of(cards)
    ranked = sorted(cards, key=_RANK_BIT.__getitem__, reverse=True)
    five = next(five for five in combinations(ranked, 5) if best_of(five) == best)
    ranks = [card[0] for card in five]
    if ranks == list("A5432"):
        return (*five[1:], five[0])
    return tuple(sorted(five, key=lambda card: ranks.count(card[0]), reverse=True))


def three_card(cards: Sequence[str]) -> PokerHand:
    """Return the value of a Three Card Poker hand, where a straight beats a flush."""
    key = sum(map(_KEY, cards), _FLUSH_FROM_THREE)
    table = _THREE_SUITED if key & _FLUSH else _THREE_MIXED
    try:
        return table[key >> 16]
    except KeyError:
        hand = table[key >> 16] = _three(cards, suited=table is _THREE_SUITED)
        return hand


def lowest_strength(hand: str, names: Sequence[str]) -> int | None:
    """Return the strength from which a hand is at least this one: a name, or a high card such as "queen high"."""
    if hand in names:
        return names.index(hand) << 26
    word, _, high = hand.partition(" ")
    if high == "high" and word in _WORDS:
        return _RANK_BIT[RANKS[_WORDS.index(word)] + "s"] << 13
    return None


def with_article(name: str) -> str:
    """Return a hand's name in words for a sentence: "a pair", "three of a kind", "queen high"."""
    return f"a {name}" if name in ("pair", "straight", "flush", "full house", "straight flush", "royal flush") else name


# In what follows a set of ranks is an integer with a bit for each rank. Sets of equally many ranks then
# compare as poker compares them, the highest rank first, and a strength is: place of the name, ranks that
# make the hand, kickers.


def _without_flush(cards: Sequence[str]) -> PokerHand:
    # Here and not in best_of: the keys of fewer or more cards are never stored, so they always come this way.
    if not 5 <= len(cards) <= 7:
        raise ValueError(f"A hand is the best of five to seven cards, not of {len(cards)}.")
    ranks, pairs, threes, fours = _repeats(cards)
    if fours:
        return _five("four of a kind", fours, _highest(ranks ^ fours, 1))
    three = _highest(threes, 1)
    # A second three of a kind is in `pairs` as well, and fills the house.
    if three and pairs != three:
        return _five("full house", three, _highest(pairs ^ three, 1))
    if straight := _straight(ranks, 5):
        return _five("straight", straight)
    if three:
        return _five("three of a kind", three, _highest(ranks ^ three, 2))
    if pairs & (pairs - 1):
        # The third of three pairs may be the kicker.
        two = _highest(pairs, 2)
        return _five("two pair", two, _highest(ranks ^ two, 1))
    if pairs:
        return _five("pair", pairs, _highest(ranks ^ pairs, 3))
    return _five("high card", _highest(ranks, 5))


def _flush(cards: Sequence[str], suit: str) -> PokerHand:
    if len(cards) > 7:
        raise ValueError(f"A hand is the best of five to seven cards, not of {len(cards)}.")
    suited = sum([_RANK_BIT[card] for card in cards if card[1] == suit])
    hand = _BY_SUITED_RANKS.get(suited)
    if hand is None:
        straight = _straight(suited, 5)
        if straight == _RANK_BIT["As"]:
            hand = _five("royal flush", straight)
        elif straight:
            hand = _five("straight flush", straight)
        else:
            hand = _five("flush", _highest(suited, 5))
        _BY_SUITED_RANKS[suited] = hand
    return hand


def _three(cards: Sequence[str], *, suited: bool) -> PokerHand:
    if len(cards) != 3:
        raise ValueError(f"A Three Card Poker hand has three cards, not {len(cards)}.")
    ranks, pairs, threes, _ = _repeats(cards)
    straight = _straight(ranks, 3)
    if straight and suited:
        return _three_named("mini royal" if straight == _RANK_BIT["As"] else "straight flush", straight)
    if threes:
        return _three_named("three of a kind", threes)
    if straight:
        return _three_named("straight", straight)
    if suited:
        return _three_named("flush", ranks)
    if pairs:
        return _three_named("pair", pairs, ranks ^ pairs)
    return _three_named("high card", ranks)


def _repeats(cards: Sequence[str]) -> tuple[int, int, int, int]:
    """Return the ranks that occur at least once, twice, three times and four times."""
    once = twice = thrice = four_times = 0
    for card in cards:
        bit = _RANK_BIT[card]
        four_times |= thrice & bit
        thrice |= twice & bit
        twice |= once & bit
        once |= bit
    return once, twice, thrice, four_times


def _highest(ranks: int, count: int) -> int:
    while ranks.bit_count() > count:
        ranks &= ranks - 1
    return ranks


def _straight(ranks: int, length: int) -> int:
    """Return the high rank of the highest straight of this length, or 0."""
    # The ace counts below the two as well: that is what the extra lowest bit is for.
    run = starts = ranks << 1 | ranks >> 12
    for step in range(1, length):
        run &= starts >> step
    return 1 << run.bit_length() + length - 3 if run else 0


def _five(name: str, ranks: int, kickers: int = 0) -> PokerHand:
    return _shared(5, FIVE_CARD_NAMES.index(name), name, ranks, kickers)


def _three_named(name: str, ranks: int, kickers: int = 0) -> PokerHand:
    return _shared(3, THREE_CARD_NAMES.index(name), name, ranks, kickers)


def _shared(size: int, place: int, name: str, ranks: int, kickers: int) -> PokerHand:
    strength = place << 26 | ranks << 13 | kickers
    key = strength << 1 | (size == 5)
    hand = _SHARED.get(key)
    if hand is None:
        # Two threads may get here with the same hand at once; setdefault makes both return the first one's.
        hand = _SHARED.setdefault(key, PokerHand(strength, name, intern(_text(name, ranks, kickers))))
    return hand


_WORDS: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "jack", "queen", "king", "ace"),
)


def _text(name: str, ranks: int, kickers: int) -> str:
    """Return the hand in words for a sentence: "You hold two pair, kings and fours."."""
    high = _WORDS[ranks.bit_length() - 1]
    match name:
        case "high card":
            return f"{high} high"
        case "pair":
            return f"a pair of {_plural(ranks)}"
        case "two pair":
            low = ranks & -ranks
            return f"two pair, {_plural(ranks)} and {_plural(low)}"
        case "three of a kind":
            return f"three {_plural(ranks)}"
        case "four of a kind":
            return f"four {_plural(ranks)}"
        case "full house":
            return f"a full house, {_plural(ranks)} over {_plural(kickers)}"
        case "straight" | "flush" | "straight flush":
            article = "an" if high in ("eight", "ace") else "a"
            return f"{article} {high}-high {name}"
        case _:
            return f"a {name}"


def _plural(ranks: int) -> str:
    word = _WORDS[ranks.bit_length() - 1]
    return word + ("es" if word == "six" else "s")

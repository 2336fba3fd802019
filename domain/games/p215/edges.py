"""The house edge of buster, red flex and insurance in a fresh shoe, with no other card known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import perm

from domain.cards import BONUS_RANKS, DECK, RED_SUITS, SUITS
from domain.games.house_edge import HouseEdge, edge_by_table
from domain.games.p215.hand_totals import total
from domain.games.p215.rules import DealerTotalsSection, Pure215Rules
from domain.rules.ruleset import PayTable, RuleSet

# Cards of one value are equivalent here: every bonus card is a ten.
_WORTHS = Counter("T" if card[0] in BONUS_RANKS else card[0] for card in DECK)
_BONUS_CARDS = _WORTHS["T"]
# values in sorted order, whatever the order of drawing, so that each set of cards is counted once
_Drawn = tuple[str, ...]


def house_edges(rules: RuleSet) -> Iterator[HouseEdge]:
    totals = rules.game_rules
    assert isinstance(totals, Pure215Rules)
    fewest, most = rules.decks
    shoes = range(fewest, most + 1)
    for spot, counted in (("buster", _bust_sizes), ("red_flex", _red_runs)):
        table = rules.paytable_of[spot]
        for decks in shoes:
            yield edge_by_table(table, _by_line(table, counted(totals.dealer, decks)), decks)
    for decks in shoes:
        yield _insurance(rules, decks)


def _insurance(rules: RuleSet, decks: int) -> HouseEdge:
    """Return the edge of insurance, offered against an ace: one card of the shoe is known."""
    odds = rules.odds["insurance"]
    bonus = Fraction(_BONUS_CARDS * decks, len(DECK) * decks - 1)
    return HouseEdge(spot="insurance", edge=1 - bonus * (1 + Fraction(odds.to, odds.per)), decks=decks)


def _by_line(table: PayTable, counts: dict[int, Fraction]) -> dict[str, Fraction]:
    """Sum chances by line. A table pays by a number of cards; its first line is for that many or more."""
    found = dict.fromkeys(table.pays, Fraction())
    top = int(next(iter(table.pays)))
    for count, chance in counts.items():
        line = str(min(count, top))
        if line in found:
            found[line] += chance
    return found


def _bust_sizes(dealer: DealerTotalsSection, decks: int) -> dict[int, Fraction]:
    """Return how often the dealer hand busts, by its number of cards."""
    sizes: dict[int, Fraction] = {}
    for size, hands in enumerate(_hands(dealer, decks, suits=len(SUITS)), start=1):
        over = sum(ways for drawn, ways in hands.items() if total(drawn)[0] > 21)
        sizes[size] = Fraction(over, perm(len(DECK) * decks, size))
    return sizes


def _red_runs(dealer: DealerTotalsSection, decks: int) -> dict[int, Fraction]:
    """Return how often the complete dealer hand begins with exactly this many red cards."""
    cards, reds = len(DECK) * decks, len(RED_SUITS)
    black = Fraction(len(DECK) * decks * (len(SUITS) - reds), len(SUITS))
    runs: dict[int, Fraction] = {}
    for size, hands in enumerate(_hands(dealer, decks, suits=reds), start=1):
        complete = sum(ways for drawn, ways in hands.items() if not _draws(dealer, drawn))
        drawing = sum(hands.values()) - complete
        runs[size] = Fraction(complete, perm(cards, size)) + drawing * black / perm(cards, size + 1)
    return runs


def _hands(dealer: DealerTotalsSection, decks: int, suits: int) -> Iterator[dict[_Drawn, int]]:
    """Return the dealer hands of one card, two and so on, of these suits alone, each with the number of ways to draw
    it."""
    shoe = {worth: count * decks * suits // len(SUITS) for worth, count in _WORTHS.items()}
    hands: dict[_Drawn, int] = {(): 1}
    while hands:
        grown: Counter[_Drawn] = Counter()
        for drawn, ways in hands.items():
            if _draws(dealer, drawn):
                for worth, count in shoe.items():
                    if left := count - drawn.count(worth):
                        grown[tuple(sorted((*drawn, worth)))] += ways * left
        hands = grown
        if hands:
            yield hands


def _draws(dealer: DealerTotalsSection, drawn: _Drawn) -> bool:
    """Return whether the dealer draws. The first two cards are dealt; the chart decides on every other."""
    points, soft = total(drawn)
    return len(drawn) < 2 or points <= (dealer.hits_soft if soft else dealer.hits_hard)

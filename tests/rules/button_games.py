"""Rounds of the two games with an action button, written step by step in the words that a line of a result has too.

p215("1 game 10.00", "1/b-1 game 5.00", cards="1: 8h 8c, dealer: 6d 5s").then("1 split", "1 gets Td", "1#2 gets 9h")
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Self

from tests.rules.rounds import Play, Result

PLENTY = "1000000.00"


class ButtonGame(Play):
    def on(self, **envelope: Any) -> Self:
        """The same actions in a document with something else around them."""
        return replace(self, envelope={**self.envelope, **envelope})

    def then(self, *steps: str) -> Self:
        play = self
        for step in steps:
            play = play.step(*step.split(maxsplit=2))
        return play

    def step(self, first: str, second: str = "", rest: str = "") -> Self:
        """ "close", "settle", "void misdeal", "peek", "peek pure", "reveal dealer 6d5s"; or what `_at` knows."""
        match first:
            case "close":
                return self.close_bets()
            case "settle":
                return self.settle()
            case "void":
                return self.void(second)
            case "peek":
                return self.peek({"": None, "pure": True, "nothing": False}[second])
            case "reveal":
                return self.reveal(int(second) if second.isdigit() else second, _packed(rest) or None)
        return self._at(first, second, rest)

    def _at(self, place: str, verb: str, rest: str) -> Self:
        """ "1#2 gets 9h", "1/b-1 game 5.00" (a bet), "1#2/b-1 double 5.00" (a decision)."""
        place, _, bettor = place.partition("/")
        place, _, hand = place.partition("#")
        to = int(place) if place.isdigit() else place
        if verb == "gets":
            return self.deal(to, _packed(rest), hand=int(hand) if hand else None)
        assert isinstance(to, int)
        if verb in CHOICES:
            return self.decide(to, verb, amount=rest or None, hand=int(hand) if hand else None, bettor=bettor or None)
        return self.bet(to, bettor=bettor or None, kind="backline" if bettor else None, **{verb: rest})


CHOICES = ("check", "fold", "play", "insure", "hit", "stand", "double", "split", "surrender")


def tcp(*bets: str, cards: str = "", banker: int | None = 7, **table: Any) -> ButtonGame:
    """Three Card Poker with its bets and, where cards are named, the deal: seat 1 first, the player-dealer last."""
    opened = ButtonGame.at("tcp-casino-club", banker=banker, **_usual(table)).then(*bets)
    if not cards:
        return opened
    hands = _hands(cards)
    places = [*sorted(place for place in hands if place != "dealer"), "dealer"]
    return opened.then("close", *(f"{place} gets {' '.join(hands[place])}" for place in places))


def p215(*bets: str, cards: str = "", banker: int | None = 8, **table: Any) -> ButtonGame:
    """Pure 21.5 with its bets and, where cards are named, the first two cards of each from the player-dealer's left."""
    opened = ButtonGame.at("p215-casino-club", banker=banker, **_usual(table)).then(*bets)
    if not cards:
        return opened
    hands = _hands(cards)
    seats = [int(place) for place in hands if place != "dealer"]
    clockwise = sorted(seats, key=lambda seat: (seat < (banker or 0), seat))
    steps = [f"{place} gets {hands[str(place)][at]}" for at in (0, 1) for place in (*clockwise, "dealer")]
    return opened.then("close", *steps)


def _usual(table: dict[str, Any]) -> dict[str, Any]:
    return {"schedule": 1, "wager": PLENTY, **table}


def _hands(text: str) -> dict[str, list[str]]:
    """ "1: 8h 8c, dealer: 6d 5s"."""
    return {place.strip(): cards.split() for place, cards in (hand.split(":") for hand in text.split(","))}


def _packed(cards: str) -> str:
    return cards.replace(" ", "")


def banked(result: Result) -> str:
    """What the bank paid and collected, which is the sum over the lines and nothing else."""
    bank = result["bank"]
    paid, collected = (sum(_cents(line[word]) for line in result["lines"]) for word in ("paid", "collected"))
    assert (_cents(bank["paid"]), _cents(bank["collected"]), _cents(bank["net"])) == (paid, collected, collected - paid)
    assert {line["from"] for line in result["lines"]} <= {"bank"}
    return f"paid {bank['paid']}, collected {bank['collected']}"


def _cents(text: str) -> int:
    return int(text.replace(".", ""))


# ---- fees


Tiers = list[tuple[str | None, str]]  # each with its upper bound and its fee


def both_sides(tiers: Tiers, least: str) -> list[tuple[str, str]]:
    """Total actions at each bound and a cent above it, from the least to one far above, each with its fee."""
    cases = [(least, tiers[0][1])]
    for (up_to, fee), (_, next_fee) in pairwise(tiers):
        assert up_to is not None
        cases += [(up_to, fee), (f"{_cents(up_to) // 100}.01", next_fee)]
    return [*cases, ("3000.00", tiers[-1][1])]


def spread(spot: str, total: str, least: str, most: str) -> list[str]:
    """Bets inside the limits at as many seats as it takes to come to a total."""
    left, low, high = _cents(total), _cents(least), _cents(most)
    bets: list[str] = []
    while left:
        amount = left if left <= high else min(high, left - low)
        bets.append(f"{len(bets) + 1} {spot} {amount // 100}.{amount % 100:02d}")
        left -= amount
    return bets

"""Wagers that are placed and withdrawn before bets close. The final wagers are unaffected.

It has its own source of randomness, so that the rounds are otherwise the same as without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from msgspec import UNSET

from domain.money import cents, money
from domain.round.actions import Bet, SpotName, Withdraw

ADDS_AND_TAKES_BACK = 0.005  # of bets, to which something is added and withdrawn
ANOTHER_FIRST = 0.005  # another amount was there before, and was withdrawn whole
LEAVES = 0.03  # of players who sit a round out: they bet first and withdrew everything


class Withdrawals:
    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def among(self, bets: Sequence[Bet], chip: int, idle: Iterable[int], spot: SpotName) -> list[Bet | Withdraw]:
        """Return the bets with withdrawals mixed in. `idle` are seats of players who sit out, `spot` is where they
        might have bet."""
        actions: list[Bet | Withdraw] = []
        placed: set[tuple[object, ...]] = set()
        for bet in bets:
            wager = (bet.seat, bet.spot, bet.bettor)
            chance = self._rng.random()
            if chance < ADDS_AND_TAKES_BACK:
                actions += [bet, *self._and_back(bet, chip, whole=False)]
            elif chance < ADDS_AND_TAKES_BACK + ANOTHER_FIRST and wager not in placed:
                actions += [*self._and_back(bet, chip, whole=True), bet]
            else:
                actions.append(bet)
            placed.add(wager)
        for seat in idle:
            if self._rng.random() < LEAVES:
                actions += self._and_back(Bet(seat, spot, money(chip)), chip, whole=True)
        return actions

    def _and_back(self, like: Bet, chip: int, whole: bool) -> Iterator[Bet | Withdraw]:
        """Place chips on a spot, and withdraw everything there or just those chips."""
        amount = money(self._rng.choice((1, 2, 5)) * chip + (cents(like.amount) if whole else 0))
        yield Bet(seat=like.seat, spot=like.spot, amount=amount, bettor=like.bettor, kind=like.kind)
        yield Withdraw(seat=like.seat, spot=like.spot, amount=UNSET if whole else amount, bettor=like.bettor)

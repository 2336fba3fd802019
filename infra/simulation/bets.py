"""Bets before the deal, within the table's limits and in whole chips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Literal

from msgspec import UNSET, UnsetType

from domain.money import money
from domain.round.actions import Bet, SpotName
from domain.round.state import Bank
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms
from infra.simulation.patrons import Person

PRESSES = 0.02  # adds to an existing bet
BEHIND_A_NEIGHBOUR = 0.02  # a seated player also bets behind another seat
TOKE = "toke"  # the id under which all tips are bet

Placed = dict[SpotName, int]


class Betting:
    """The bets of one round, in order."""

    def __init__(self, rules: RuleSet, terms: Terms, rng: Random) -> None:
        self._rules, self._terms, self._rng = rules, terms, rng
        self._spent: dict[str, int] = {}  # by bettor, as the customer limit counts

    def of_round(self, seated: Mapping[int, Person], onlookers: Sequence[Person], bank: Bank | None) -> list[Bet]:
        """Return all bets; at least one, or there would be no round."""
        betting = {
            seat: person
            for seat, person in seated.items()
            if bank is None or (seat != bank.seat and person.id != bank.bettor)
        }
        playing = {seat: person for seat, person in betting.items() if self._rng.random() >= person.sits_out}
        bets: list[Bet] = []
        for seat, person in (playing or betting).items():
            own = self._own(person)
            bets.extend(self._bets(seat, own))
            if "toke" in self._rules.kinds and self._rng.random() < person.tips:
                bets.extend(self._bets(seat, self._tip(own), TOKE, "toke"))
        if "backline" in self._rules.kinds:
            bets.extend(self._backline(playing or betting, onlookers))
        return bets

    def _bets(
        self,
        seat: int,
        placed: Placed,
        bettor: str | UnsetType = UNSET,
        kind: Literal["backline", "toke"] | UnsetType = UNSET,
    ) -> Iterator[Bet]:
        for spot, amount in placed.items():
            first = amount
            if spot != "progressive" and self._rng.random() < PRESSES:
                first = self._in_chips(amount // 2, 0, amount)
            yield Bet(seat=seat, spot=spot, amount=money(first), bettor=bettor, kind=kind)
            if first < amount:
                yield Bet(seat=seat, spot=spot, amount=money(amount - first), bettor=bettor, kind=kind)

    def _backline(self, playing: Mapping[int, Person], onlookers: Sequence[Person]) -> Iterator[Bet]:
        behind = [(self._rng.choice(list(playing)), person) for person in onlookers]
        for person in playing.values():
            if self._rng.random() < BEHIND_A_NEIGHBOUR:
                behind.append((self._rng.choice(list(playing)), person))
        for seat, person in behind:
            if playing[seat].id != person.id:
                yield from self._bets(seat, self._own(person), person.id, "backline")

    def _own(self, person: Person) -> Placed:
        rng, terms = self._rng, self._terms
        base = self._rules.game.base_spots
        stake = self._stake(base[0], terms.limits[base[0]][0] * person.times * rng.choice((1, 1, 1, 2, 3)))
        bonus: Placed = {}
        for spot, chance in zip(self._rules.game.bonus_spots, person.bonus, strict=False):
            if rng.random() < chance:
                bonus[spot] = self._stake(spot, terms.chip * rng.choice((1, 1, 2, 5, 5, 10, 25)))
        if "trips_alone" in self._rules.points and rng.random() < person.trips_only:
            placed: Placed = bonus or {"trips": self._stake("trips", 0)}
        else:
            placed = {**dict.fromkeys(base, stake), **bonus}
        if terms.progressive is not None and rng.random() < person.progressive:
            placed["progressive"] = terms.progressive.wager
        return self._affordable(person, placed)

    def _affordable(self, person: Person, placed: Placed) -> Placed:
        """Return the smallest bets if the customer limit would be broken, or none."""
        limit = self._rules.customer_limit
        if limit is None:
            return placed
        smallest: Placed = {spot: self._stake(spot, 0) for spot in placed if spot in ("ante", "blind", "trips")}
        spent = self._spent.get(person.id, 0)
        for choice in (placed, smallest):
            counted = sum(choice.values()) + limit.play_in_advance * choice.get("ante", 0)
            if spent + counted <= limit.most:
                self._spent[person.id] = spent + counted
                return choice
        return {}

    def _tip(self, own: Placed) -> Placed:
        """Return a tip on some of the spots that the player's own wagers open; on ante and blind as small as a chip."""
        rng, chip = self._rng, self._terms.chip
        spots: list[SpotName] = [spot for spot in ("ante", "blind") if "ante" in own and rng.random() < 0.6]
        tip: Placed = {spot: chip * rng.choice((1, 1, 2, 5)) for spot in spots}
        if own and rng.random() < 0.4:
            tip["trips"] = self._stake("trips", 0)
        return tip

    def _stake(self, spot: SpotName, wish: int) -> int:
        low, high = self._terms.limits_of(spot)
        return self._in_chips(wish, low, high)

    def _in_chips(self, wish: int, low: int, high: int) -> int:
        """Return the wish, rounded down to whole chips and moved inside the limits."""
        chip = self._terms.chip
        lowest, highest = max(-(-low // chip), 1), high // chip
        return min(max(wish // chip, lowest), highest) * chip

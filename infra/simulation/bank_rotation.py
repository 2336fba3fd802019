"""Rotation of the bank: as many rounds in a row as the rules say, then the next who accepts, clockwise."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from domain.round.dealing import clockwise
from infra.simulation.patrons import Person


class Rotation:
    """`strict` never allows more than `most` rounds in a row; otherwise once everybody else has declined.

    `after` is the seat that banked last before these people sat down; the first to its left begins. Cases in which a
    voided round is ambiguous are avoided: see `may_void`."""

    def __init__(self, most: int, strict: bool, rng: Random, after: int = 0) -> None:
        self._most, self._strict, self._rng = most, strict, rng
        self._settled = 0  # consecutive rounds of the last player-dealer
        self._voided = False  # the last round
        self._seat = after
        self._declined: list[int] = []
        self.last: Person | None = None

    def next(self, seated: Mapping[int, Person]) -> tuple[int, list[int]]:
        """Return the seat that banks, and the seats that declined before it, in that order."""
        seat, self._declined = self._offer(seated)
        if seat != self._seat:
            self._settled = 0
        self._seat, self.last = seat, seated[seat]
        return seat, self._declined

    def _offer(self, seated: Mapping[int, Person]) -> tuple[int, list[int]]:
        if self.last is None:
            return clockwise(seated, self._seat)[0], []
        others = [seat for seat in clockwise(seated, self._seat) if seat != self._seat]
        entitled = self._settled < self._most
        if self._voided:  # a voided round does not count, so the same seat banks again
            return self._seat, [] if entitled else others
        if entitled and self._rng.random() < self.last.stays:
            return self._seat, []
        for at, seat in enumerate(others):
            if self._rng.random() < seated[seat].banks:
                return seat, others[:at]
        if entitled or not self._strict:
            return self._seat, others
        return others[-1], others[:-1]  # somebody must, or there is no round

    @property
    def may_void(self) -> bool:
        """Return whether the round may be voided: not the first round of somebody after others declined.

        It would be unclear whether those refusals still apply to the next round."""
        return self._settled > 0 or not self._declined

    def played(self, voided: bool) -> None:
        self._voided = voided
        if not voided:
            self._settled += 1

"""Who was passed over when the bank moved on: it moves clockwise, and everybody in between must have been asked."""

from __future__ import annotations

from collections.abc import Mapping

from domain.floor.table_sessions import BankRun
from domain.round.dealing import clockwise

CHECKED_SINCE = 2  # engine version


class Offers:
    """Who has been asked since the bank was last held for a whole round. A voided round does not count: earlier offers
    remain valid, and its player-dealer has taken the offer and may bank again.

    `known` says whether the events begin with such a round or with the table itself. Otherwise nobody is reported as
    passed over before the next one."""

    __slots__ = ("_asked", "_known", "_last")

    def __init__(self, known: bool = True) -> None:
        self._known = known
        self._asked: set[str] = set()
        self._last: str | None = None  # who banks the round that began last, or banked it before it was voided

    def offered(self, bettor: str) -> None:
        self._asked.add(bettor)

    def begun(self, bettor: str) -> None:
        self._asked.add(bettor)
        self._last = bettor

    def ended(self, status: str) -> None:
        if status == "settled":
            self._known, self._asked, self._last = True, set(), None

    def passed_over(self, run: BankRun | None, seats: Mapping[int, str], seat: int, bettor: str) -> tuple[int, ...]:
        """Return seats between the last player-dealer and the next one, `bettor` at `seat`, whose players nobody asked.

        Empty seats are skipped, and a person who plays several seats is asked once."""
        if run is None or not self._known or bettor in (run.bettor, self._last):
            return ()
        order = clockwise({seat, *seats}, run.seat)
        asked = self._asked | {run.bettor, bettor}
        return tuple(other for other in order[: order.index(seat)] if seats[other] not in asked)

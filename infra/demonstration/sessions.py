"""A table's sessions: opened by the floor when its terms change, and dealers who take over from one another."""

from __future__ import annotations

from typing import Any

import msgspec

from domain.terms import TermsDocument
from infra.demonstration.cast import FLOOR, dealer_at
from infra.demonstration.once import Once
from infra.demonstration.trays import Tray
from infra.ledger import Actor, Ledger


class Sessions:
    """Of one table. `tray` is that of a house-banked one, which closes for the night so that its tray is counted."""

    def __init__(self, table: str, ledger: Ledger, once: Once, tray: Tray | None) -> None:
        self._table, self._ledger, self._once, self._tray = table, ledger, once, tray
        self._terms: dict[str, Any] | None = None  # of the session that is open
        self._dealer: str | None = None
        self._number = 0

    def before(self, document: dict[str, Any], at_ms: int) -> None:
        """What has to be done before this round can begin."""
        terms = {name: value for name, value in document["terms"].items() if name != "meter"}
        if self._terms != terms:
            self.close(at_ms)
            self._open(document, at_ms)
            self._terms = terms
        dealer = dealer_at(self._table, at_ms)
        if dealer != self._dealer:
            if (floor := self._once.floor(f"tap/{document['round']}")) is not None:
                floor.tap_in(self._table, dealer, Actor(dealer, at_ms))
            self._dealer = dealer
        if self._tray is not None:
            self._tray.sell_to(document, at_ms)

    def end_day(self, at_ms: int) -> None:
        if self._tray is not None:
            self.close(at_ms)

    def close(self, at_ms: int) -> None:
        if self._terms is None:
            return
        if self._tray is not None:
            self._tray.count_closing(self._number, at_ms)
        if (floor := self._once.floor(f"close/{self._table}/{self._number}")) is not None:
            floor.close_session(self._table, Actor(FLOOR, at_ms))
        self._terms = self._dealer = None

    def _open(self, document: dict[str, Any], at_ms: int) -> None:
        self._number += 1
        if (floor := self._once.floor(f"open/{self._table}/{self._number}")) is not None:
            terms = msgspec.convert(document["terms"], TermsDocument)
            floor.open_session(self._table, document["ruleset"], terms, {}, Actor(FLOOR, at_ms))
        if self._tray is not None:
            self._tray.count_opening(self._number, at_ms)

"""A table's sessions: opened by the floor when rules or terms change; dealers relieve one another."""

from __future__ import annotations

from typing import Any

import msgspec

from domain.rules.terms import TermsDocument
from infra.demo.roster import FLOOR, dealer_at
from infra.demo.single_steps import Once
from infra.demo.trays import Tray
from infra.ledger.ledger import Actor


class DemoSessions:
    """The sessions of one table. `tray` is that of a house-banked table, which closes for the night so that it is
    counted."""

    def __init__(self, table: str, once: Once, tray: Tray | None) -> None:
        self._table, self._once, self._tray = table, once, tray
        self._plays_by: tuple[str, dict[str, Any]] | None = None  # of the open session
        self._dealer: str | None = None
        self._number = 0

    def before(self, document: dict[str, Any], at_ms: int) -> None:
        """Do what has to be done before this round can begin."""
        rules = self._once.ledger.rulebook.in_force(document["ruleset"], at_ms)
        plays_by = rules.content_hash, {name: value for name, value in document["terms"].items() if name != "meter"}
        if self._plays_by != plays_by:
            self.close(at_ms)
            self._open(document, at_ms)
            self._plays_by = plays_by
        dealer = dealer_at(self._table, at_ms)
        if dealer != self._dealer:
            tapped = Actor(dealer, at_ms)
            self._once.on_floor(f"tap/{document['round']}", lambda floor: floor.tap_in(self._table, dealer, tapped))
            self._dealer = dealer
        if self._tray is not None:
            self._tray.sell_to(document, at_ms)

    def end_day(self, at_ms: int) -> None:
        if self._tray is not None:
            self.close(at_ms)

    def close(self, at_ms: int) -> None:
        if self._plays_by is None:
            return
        if self._tray is not None:
            self._tray.count_closing(self._number, at_ms)
        actor = Actor(FLOOR, at_ms)
        self._once.on_floor(
            f"close/{self._table}/{self._number}", lambda floor: floor.close_session(self._table, actor)
        )
        self._plays_by = self._dealer = None

    def _open(self, document: dict[str, Any], at_ms: int) -> None:
        self._number += 1
        ruleset, terms = document["ruleset"], msgspec.convert(document["terms"], TermsDocument)
        self._once.on_floor(
            f"open/{self._table}/{self._number}",
            lambda floor: floor.open_session(self._table, ruleset, terms, {}, Actor(FLOOR, at_ms)),
        )
        if self._tray is not None:
            self._tray.count_opening(self._number, at_ms)

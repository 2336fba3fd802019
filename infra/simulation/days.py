"""A floor with a past: simulated rounds of all rule sets, recorded as if they had been played over the last days.

The same folder gets the same rounds, so that a second start finds them there and goes on where the first one ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from domain import rulesets
from infra.ledger import Actor, Ledger
from infra.simulation.floor import documents

SEED = 1
TABLES = 2  # of each rule set
ROUNDS_A_DAY = 40  # of each table
DAYS = 3
DAY_MS = 24 * 60 * 60 * 1000
DEALERS = ("dealer-ana", "dealer-ben", "dealer-chi", "dealer-dov")


class Floor:
    """All simulated tables: their past, and the rounds that come next."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._documents = {ruleset: documents(ruleset, SEED, TABLES) for ruleset in rulesets.ids()}

    def play_past(self, now_ms: int) -> Iterator[dict[str, Any]]:
        """Record what is missing of the last days, rule set by rule set in the order of time; gives each result."""
        rounds = DAYS * ROUNDS_A_DAY * TABLES
        step_ms = DAYS * DAY_MS // rounds
        for number in range(rounds):
            for ruleset, waiting in self._documents.items():
                at_ms = now_ms - (rounds - number) * step_ms
                yield self._record(ruleset, next(waiting), at_ms)

    def skip_past(self) -> None:
        """Go on after the last round that is recorded of each rule set."""
        for ruleset in self._documents:
            self._documents[ruleset] = self._after_recorded(self._documents[ruleset])

    def _after_recorded(self, waiting: Iterator[bytes]) -> Iterator[bytes]:
        """Rounds are recorded in order, so the first one that is missing is found by halving."""
        ahead = list(islice(waiting, 2 * DAYS * ROUNDS_A_DAY * TABLES))
        low, high = 0, len(ahead)
        while low < high:
            middle = (low + high) // 2
            if self._ledger.entries(json.loads(ahead[middle])["round"]):
                low = middle + 1
            else:
                high = middle
        if low == len(ahead):
            return self._after_recorded(waiting)

        def rest() -> Iterator[bytes]:
            yield from ahead[low:]
            yield from waiting

        return rest()

    def play_on(self, now_ms: int) -> dict[str, dict[str, Any]]:
        """One more round of each rule set."""
        return {ruleset: self._record(ruleset, next(waiting), now_ms) for ruleset, waiting in self._documents.items()}

    def has_past(self) -> bool:
        """Whether the last of the past rounds is there: a first start that was interrupted begins again."""
        rounds = DAYS * ROUNDS_A_DAY * TABLES
        last = next(islice(documents(rulesets.ids()[-1], SEED, TABLES), rounds - 1, None))
        return bool(self._ledger.entries(json.loads(last)["round"]))

    def _record(self, ruleset: str, document: bytes, at_ms: int) -> dict[str, Any]:
        dealer = DEALERS[(at_ms // (8 * 60 * 60 * 1000) + len(ruleset)) % len(DEALERS)]
        return self._ledger.record(json.loads(document), Actor(dealer, at_ms))

"""Payments that dealers report: mostly right, once a stake too much, for visitors to find."""

from __future__ import annotations

from functools import partial
from typing import Any

from domain.money import cents
from domain.round.events import PaymentReported
from infra.demo.roster import MINUTE_MS, dealer_at
from infra.demo.single_steps import Once
from infra.ledger.ledger import Actor

EVERY = 5  # one round in five is reported


class Payments:
    """Reported payments. `error_day`: the day on which a dealer pays wrongly."""

    def __init__(self, once: Once, error_day: int) -> None:
        self._once, self._error_day = once, error_day
        self._settled = 0
        self.error: str | None = None  # the round of the error

    def after(self, day: int, table: str, result: dict[str, Any], at_ms: int) -> None:
        if result["status"] != "settled":
            return
        self._settled += 1
        wrong = _error_in(result) if self.error is None and day == self._error_day else None
        if wrong is not None:
            self.error = result["id"]
        elif self._settled % EVERY:
            return
        reported = [_reported(line, line is wrong) for line in result["lines"] if line["spot"] != "envy"]
        actor = Actor(dealer_at(table, at_ms), at_ms + MINUTE_MS)
        self._once.do(f"paid/{result['id']}", partial(self._once.ledger.dealer_paid, result["id"], reported, actor))


def _error_in(result: dict[str, Any]) -> dict[str, Any] | None:
    """Return a blind or trips wager that won: odds that a dealer may misread."""
    lines = (line for line in result["lines"] if line["spot"] in ("blind", "trips", "pair_plus"))
    return next((line for line in lines if line["outcome"] == "win" and line["odds"] not in ("1:1", None)), None)


def _reported(line: dict[str, Any], wrong: bool) -> PaymentReported:
    paid_cents = cents(line["paid"]) + (cents(line["wager"]) if wrong else 0)
    return PaymentReported(
        seat=line["seat"],
        bettor=line["bettor"],
        hand=line["hand"],
        spot=line["spot"],
        paid=paid_cents,
        collected=cents(line["collected"]),
    )

"""What is said of rounds after they were played: waived fees, floor notes, a correction; and what was entered late."""

from __future__ import annotations

from typing import Any, Literal

from domain.corrections import Entry
from domain.money import cents
from infra.demonstration.cast import FLOOR, SECOND_FLOOR
from infra.demonstration.once import Once
from infra.ledger import Actor, Ledger

MINUTE_MS = 60_000
LATE_DAY, LATE_SLOTS, LATE_TABLE = 0, range(6, 9), 3  # one table's terminal was offline for three rounds


def is_late(day: int, slot: int, table_number: int) -> bool:
    return day == LATE_DAY and slot in LATE_SLOTS and table_number == LATE_TABLE


class Beside:
    """Of one gaming day."""

    def __init__(self, ledger: Ledger, once: Once, day: int) -> None:
        self._ledger, self._once, self._day = ledger, once, day
        self._waivers = self._voids = 0
        self._corrected = False

    def after(self, table: str, result: dict[str, Any], at_ms: int) -> None:
        if result["status"] == "void":
            self._after_void(result, at_ms + MINUTE_MS)
        elif not self._corrected and self._day == 0:
            self._correct(result, at_ms + 20 * MINUTE_MS)

    def _after_void(self, result: dict[str, Any], at_ms: int) -> None:
        """Every other voided round gets a note, and two fees of three are waived."""
        round_id = result["id"]
        self._voids += 1
        if self._voids % 2 and not self._once.is_done(f"note/{round_id}"):
            receipt = self._once.receipt(f"note/{round_id}")
            text = "All wagers were given back in front of the players; surveillance was told."
            self._ledger.note(round_id, "irregularity", text, None, Actor(FLOOR, at_ms), receipt=receipt)
        if result["fee"] is None:
            return
        self._waivers += 1
        if self._waivers % 3 and not self._once.is_done(f"waive/{round_id}"):
            how: Literal["not dropped", "refunded"] = "not dropped" if self._waivers % 3 == 1 else "refunded"
            receipt = self._once.receipt(f"waive/{round_id}")
            reason = "The round was voided before anybody could win."
            self._ledger.waive_fee(round_id, how, reason, Actor(FLOOR, at_ms), receipt=receipt)

    def _correct(self, result: dict[str, Any], at_ms: int) -> None:
        """The first trips wager that won was paid a chip too little, said the player, and the tape agreed."""
        line = next((line for line in result["lines"] if line["spot"] == "trips" and line["outcome"] == "win"), None)
        if line is None or cents(line["shortfall"]):
            return
        self._corrected = True
        round_id = result["id"]
        if not self._once.is_done(f"correct/{round_id}"):
            entry = Entry(line["seat"], line["bettor"], "trips", 100, "house")
            self._ledger.correct(
                round_id,
                "The trips wager was paid a $1.00 chip too little, as the tape shows",
                SECOND_FLOOR,
                [entry],
                Actor(FLOOR, at_ms),
                receipt=self._once.receipt(f"correct/{round_id}"),
            )

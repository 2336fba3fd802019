"""What is added to rounds after play: waived fees, notes, a correction; and which rounds were entered late."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from domain.money import cents
from domain.round.corrections import Entry
from infra.demo.roster import FLOOR, MINUTE_MS, SECOND_FLOOR
from infra.demo.single_steps import Once
from infra.ledger.ledger import Actor

LATE_DAY, LATE_SLOTS, LATE_TABLE = 0, range(6, 9), 3  # one table's terminal was offline for three rounds


def is_late(day: int, slot: int, table_number: int) -> bool:
    return day == LATE_DAY and slot in LATE_SLOTS and table_number == LATE_TABLE


class RoundNotes:
    """Additions to the rounds of one gaming day."""

    def __init__(self, once: Once, day: int) -> None:
        self._once, self._day = once, day
        self._waivers = self._voids = 0
        self._corrected = False

    def after(self, table: str, result: dict[str, Any], at_ms: int) -> None:
        if result["status"] == "void":
            self._after_void(result, at_ms + MINUTE_MS)
        elif not self._corrected and self._day == 0:
            self._correct(result, at_ms + 20 * MINUTE_MS)

    def _after_void(self, result: dict[str, Any], at_ms: int) -> None:
        """Add a note to every other voided round, and waive two fees of three."""
        round_id = result["id"]
        self._voids += 1
        actor = Actor(FLOOR, at_ms)
        if self._voids % 2:
            text = "All wagers were given back in front of the players; surveillance was informed."
            note = partial(self._once.ledger.note, round_id, "irregularity", text, None, actor)
            self._once.do(f"note/{round_id}", note)
        if result["fee"] is None:
            return
        self._waivers += 1
        if self._waivers % 3:
            how: Literal["not dropped", "refunded"] = "not dropped" if self._waivers % 3 == 1 else "refunded"
            reason = "The round was voided before anybody could win."
            self._once.do(f"waive/{round_id}", partial(self._once.ledger.waive_fee, round_id, how, reason, actor))

    def _correct(self, result: dict[str, Any], at_ms: int) -> None:
        """Correct the first winning trips wager, which was paid a chip too little."""
        line = next((line for line in result["lines"] if line["spot"] == "trips" and line["outcome"] == "win"), None)
        if line is None or cents(line["shortfall"]):
            return
        self._corrected = True
        round_id = result["id"]
        entry = Entry(seat=line["seat"], bettor=line["bettor"], spot="trips", amount=100, account="house")
        reason, actor = "The trips wager was paid a $1.00 chip too little, as the tape shows", Actor(FLOOR, at_ms)
        correct = partial(self._once.ledger.correct, round_id, reason, SECOND_FLOOR, [entry], actor)
        self._once.do(f"correct/{round_id}", correct)

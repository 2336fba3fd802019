"""The drop of a gaming day: boxes removed under seal, counted blind by two people, signed off by accounting."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from domain.books.count_machines import read_count, read_machine
from domain.floor.drop_boxes import MachineFile
from domain.money import cents, money
from infra.demo.roster import ACCOUNTING, COUNTERS, FLOOR, HOUR_MS, SECOND_FLOOR, TABLES
from infra.demo.single_steps import Once
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor

REMOVED_MS = 22 * HOUR_MS  # after the start of the gaming day
COUNTED_MS = 26 * HOUR_MS
SIGNED_MS = 29 * HOUR_MS
SHORT_CENTS = 500
MISCOUNT_CENTS = 100
MACHINE = "counter-1"
DESCRIPTION = 'box = "Box"\ndenomination = "Denomination"\npieces = "Pieces"\n'  # of its files
LEFT_TO_COUNT = 2  # boxes of the last day, for visitors to count
PIECES_CENTS = (10_000, 2_500, 500, 100, 50, 25, 5, 1)


class Short(Struct, frozen=True):
    """The box in which a chip is missing, and the round whose fee it was."""

    box: str
    round: str


class DayOfBoxes:
    def __init__(self, day: int, day_ms: int, last: bool) -> None:
        self.day, self._day_ms, self._last = day, day_ms, last
        self._fees: dict[str, dict[str, int]] = {}  # per table, by round
        self.boxes: dict[str, str] = {}  # per table, in the order of removal

    def remember(self, table: str, result: dict[str, Any]) -> None:
        if result["fee"] is not None:
            self._fees.setdefault(table, {})[result["id"]] = cents(result["fee"]["amount"])

    def remove(self, once: Once) -> None:
        """Remove the boxes one after the other at the end of the day."""
        for number, table in enumerate(self._fees):
            box = f"{table}-box-{self.day + 1}"
            if once.ledger.find_box(box) is None:
                continue  # the table has taken its first fee after its first night
            seal = f"S-{20_000 + self.day * len(TABLES) + number}"
            actor = Actor(FLOOR, self._day_ms + REMOVED_MS + number * 60_000)
            swap = partial(Floor.swap_box, table=table, new_box=f"{table}-box-{self.day + 2}", seal=seal)
            once.on_floor(f"swap/{box}", partial(swap, second_person=SECOND_FLOOR, actor=actor))
            self.boxes[table] = box

    def fee_rounds(self, table: str, fee_cents: int) -> list[str]:
        return [round_id for round_id, taken_cents in self._fees[table].items() if taken_cents == fee_cents]

    def first_round(self, table: str) -> str:
        return next(iter(self._fees[table]))

    def holds_cents(self, table: str) -> int:
        return sum(self._fees[table].values())

    def count(self, once: Once, short: Short | None) -> None:
        """Count the boxes on the next morning. One is counted three times; the short one is left for visitors to
        find."""
        boxes = list(self.boxes.values())
        to_count = boxes[:-LEFT_TO_COUNT] if self._last else boxes
        for number, box in enumerate(to_count):
            found = once.ledger.find_box(box)
            assert found is not None
            holds_cents = found[0].expected - (SHORT_CENTS if short and short.box == box else 0)
            first_cents = holds_cents - (MISCOUNT_CENTS if self.day == 0 and number == 1 else 0)
            figures = [first_cents, holds_cents, *([holds_cents] if first_cents != holds_cents else [])]
            for counter, figure_cents in zip(COUNTERS, figures, strict=False):
                actor = Actor(counter, self._at(COUNTED_MS, number))
                file = file_of(box, figure_cents) if number == 0 and counter == COUNTERS[0] else None
                count = partial(Floor.count_blind, box=box, pieces=pieces_of(figure_cents), actor=actor, file=file)
                once.on_floor(f"count/{box}/{counter}", count)
            if short is not None and short.box == box:
                text = "A $5.00 chip was still next to the slot after this round; the dealer says that it was dropped."
                actor = Actor(FLOOR, self._at(REMOVED_MS, 0))
                once.do(f"short/{box}", partial(once.ledger.note, short.round, "irregularity", text, None, actor))
            elif not self._last:  # the last day's are left for accounting
                actor = Actor(ACCOUNTING, self._at(SIGNED_MS, number))
                once.on_floor(f"sign/{box}", partial(Floor.reconcile_box, box=box, actor=actor))

    def _at(self, after_ms: int, number: int) -> int:
        return self._day_ms + after_ms + number * 5 * 60_000


def choose_short(days: Sequence[DayOfBoxes]) -> Short | None:
    """Choose a table on the last day but one that took a fee of exactly that chip, or at least as much in total."""
    for day in reversed(days[:-1] or days):
        for table, box in day.boxes.items():
            if rounds := day.fee_rounds(table, SHORT_CENTS):
                return Short(box, rounds[len(rounds) // 2])
        for table, box in day.boxes.items():
            if day.holds_cents(table) >= 2 * SHORT_CENTS:
                return Short(box, day.first_round(table))
    return None


def file_of(box: str, total_cents: int) -> MachineFile:
    """Return the file of the count machine, as it wrote the pieces down."""
    lines = [f"{box},{money(worth)},{number}\n" for worth, number in pieces_of(total_cents).items()]
    content = f"Box,Denomination,Pieces\n{''.join(lines)}".encode()
    return MachineFile(MACHINE, read_count(read_machine(DESCRIPTION), content, box).digest)


def pieces_of(total_cents: int) -> dict[int, int]:
    """Return the fewest pieces that make the amount."""
    pieces = {}
    for piece_cents in PIECES_CENTS:
        number, total_cents = divmod(total_cents, piece_cents)
        if number:
            pieces[piece_cents] = number
    return pieces

"""The tray of a house-banked table: filled, counted before and after a day's play, with chips sold from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from domain.floor.table_sessions import ChipsBought, ChipsCashed, TrayCount
from domain.money import cents
from infra.aggregates.stored_slips import last_number
from infra.demo.roster import CAGE, FLOOR, SECOND_FLOOR
from infra.demo.single_steps import Once
from infra.ledger.books.slips import Slips
from infra.ledger.ledger import Actor

FLOAT_CENTS = 2_500_000
LOW_CENTS = 1_000_000  # below this the cage fills it before the day begins
BUY_IN_CENTS = 50_000
CHIPS = (500_00, 100_00, 25_00, 5_00, 1_00, 50, 1)


class Tray:
    """Tracks what should be in the tray, so that the closing count agrees with what the table won."""

    def __init__(self, table: str, once: Once) -> None:
        self._table, self._once = table, once
        self._holds_cents = FLOAT_CENTS
        self._stakes: dict[str, int] = {}  # chips of each bettor

    def sell_to(self, document: dict[str, Any], at_ms: int) -> None:
        """Sell chips to people who are new at the table."""
        for bettor in document["players"].values():
            if bettor not in self._stakes:
                self._move(f"buy/{document['round']}/{bettor}", ChipsBought(bettor, BUY_IN_CENTS), at_ms)
                self._stakes[bettor] = BUY_IN_CENTS
                self._holds_cents -= BUY_IN_CENTS

    def after(self, result: dict[str, Any]) -> None:
        """Adjust the tray after a round. A meter's payment does not come out of the tray."""
        for line in result["lines"]:
            paid_cents = cents(line["paid"])
            won_cents = paid_cents - cents(line["collected"])
            self._stakes[line["bettor"]] = self._stakes.get(line["bettor"], 0) + won_cents
            self._holds_cents -= won_cents if line["from"] != "meter" else won_cents - paid_cents

    def count_opening(self, session: int, at_ms: int) -> None:
        step = f"tray/{self._table}/{session}"
        self._count(step, "opening", at_ms)
        if self._holds_cents < LOW_CENTS:
            fill_cents = FLOAT_CENTS - self._holds_cents
            self._fill(step, fill_cents, at_ms)
            self._holds_cents += fill_cents

    def count_closing(self, session: int, at_ms: int) -> None:
        """Count the tray after everybody has cashed out."""
        step = f"tray/{self._table}/{session}"
        for bettor, stake_cents in sorted(self._stakes.items()):
            if stake_cents > 0:
                self._move(f"{step}/{bettor}", ChipsCashed(bettor, stake_cents), at_ms)
                self._holds_cents += stake_cents
        self._stakes = {}
        self._count(step, "closing", at_ms)

    def _count(self, step: str, when: TrayCount, at_ms: int) -> None:
        pieces, actor = in_chips(self._holds_cents), Actor(FLOOR, at_ms)
        self._with_slip(
            f"{step}/{when}", lambda slips: slips.count_tray(self._table, when, pieces, SECOND_FLOOR, actor)
        )

    def _fill(self, step: str, fill_cents: int, at_ms: int) -> None:
        """Fill the tray by a slip that the floor asks for and the cage issues, each with a receipt of its own."""
        pieces = in_chips(fill_cents)
        self._with_slip(f"{step}/asked", lambda slips: slips.request("fill", self._table, pieces, Actor(FLOOR, at_ms)))
        self._with_slip(f"{step}/fill", partial(self._issue, at_ms))

    def _issue(self, at_ms: int, slips: Slips) -> None:
        number = last_number(self._once.ledger.events)
        slips.issue(number, SECOND_FLOOR, Actor(CAGE, at_ms))

    def _with_slip(self, step: str, command: Callable[[Slips], object]) -> None:
        self._once.do(step, lambda receipt: command(Slips(self._once.ledger, receipt)))

    def _move(self, step: str, event: ChipsBought | ChipsCashed, at_ms: int) -> None:
        actor = Actor(FLOOR, at_ms)
        self._once.on_floor(step, lambda floor: floor.move_chips(self._table, event, actor))


def in_chips(amount_cents: int) -> dict[int, int]:
    """Return the fewest pieces of an amount."""
    pieces = {}
    for worth in CHIPS:
        pieces[worth], amount_cents = divmod(amount_cents, worth)
    return pieces

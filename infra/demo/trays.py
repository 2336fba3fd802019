"""The tray of a house-banked table: filled, counted before and after a day's play, with chips sold from it."""

from __future__ import annotations

from typing import Any

from domain.floor.table_sessions import ChipsBought, ChipsCashed, TrayCount, TrayFilled
from domain.money import cents
from infra.demo.roster import CAGE, FLOOR
from infra.demo.single_steps import Once
from infra.ledger.ledger import Actor

FLOAT_CENTS = 2_500_000
LOW_CENTS = 1_000_000  # below this the cage fills it before the day begins
BUY_IN_CENTS = 50_000


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
            self._move(f"{step}/fill", TrayFilled(fill_cents, f"F-{1000 + session}"), at_ms)
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
        cents_, actor = self._holds_cents, Actor(FLOOR, at_ms)
        self._once.on_floor(f"{step}/{when}", lambda floor: floor.count_tray(self._table, cents_, when, actor))

    def _move(self, step: str, event: ChipsBought | ChipsCashed | TrayFilled, at_ms: int) -> None:
        actor = Actor(CAGE if isinstance(event, TrayFilled) else FLOOR, at_ms)
        self._once.on_floor(step, lambda floor: floor.move_chips(self._table, event, actor))

"""The cage's own buy-ins and cash-outs: on the last day one patron brings more cash than may go unreported."""

from __future__ import annotations

from functools import partial

from domain.books.cash import BoughtIn, CashedOut
from infra.demo.roster import CAGE, HOUR_MS
from infra.demo.single_steps import Once
from infra.ledger.books.cash import move_cash
from infra.ledger.ledger import Actor

MOVES: tuple[BoughtIn | CashedOut, ...] = (
    BoughtIn("guest-21", 1_200_00, "cash"),
    BoughtIn("guest-22", 3_000_00, "cash"),
    BoughtIn("guest-23", 5_000_00, "other"),
    CashedOut("guest-22", 2_750_00, "cash"),
)
LAST_DAY: tuple[BoughtIn | CashedOut, ...] = (*MOVES, BoughtIn("guest-22", 7_500_00, "cash"))


def take_cash(once: Once, day: int, day_ms: int, last: bool) -> None:
    for number, event in enumerate(LAST_DAY if last else MOVES):
        actor = Actor(CAGE, day_ms + (6 + number) * HOUR_MS)
        once.do(f"cash/{day}/{number}", partial(move_cash, once.ledger, event, actor))

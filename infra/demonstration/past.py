"""The days before the first start: rounds at every table, and what floor, cage and count room did beside them.

There is something to find: a box that is short by one chip, and a dealer who paid what the rules do not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec import Struct

from domain import rulesets
from domain.terms import NO_TERMS
from infra.demonstration import beside, boxes
from infra.demonstration.cast import FLOOR, PRACTICE, PRACTICE_RULESET, TABLES, dealer_at
from infra.demonstration.claims import Claims
from infra.demonstration.once import Once
from infra.demonstration.payments import Payments
from infra.demonstration.sessions import Sessions
from infra.demonstration.trays import Tray
from infra.ledger import Actor, Ledger
from infra.simulation.table import Table

HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS
FIRST_ROUND_MS = 4 * HOUR_MS  # after the start of the gaming day
LAST_ROUND_MS = 20 * HOUR_MS
BEGUN, TOLD = "begun", "told"


class Plan(Struct, frozen=True):
    """How much of a past there is; `days` are gaming days, the last of which has ended."""

    days: int = 3
    rounds_a_day: int = 40  # of each table

    @property
    def rounds(self) -> int:
        return self.days * self.rounds_a_day * len(TABLES)


class Past:
    """Told to the end, or told on from where somebody was killed."""

    def __init__(self, ledger: Ledger, plan: Plan) -> None:
        self._ledger, self._plan = ledger, plan
        self._once = Once(ledger)
        self._tables = {
            name: Table(rulesets.load(ruleset), name, number, Random(f"demo/{name}"))
            for number, (name, ruleset) in enumerate(TABLES.items(), start=1)
        }
        self._trays = {
            name: Tray(name, self._once) for name, ruleset in TABLES.items() if not rulesets.load(ruleset).player_banked
        }
        self._sessions = {name: Sessions(name, ledger, self._once, self._trays.get(name)) for name in TABLES}

    @property
    def is_told(self) -> bool:
        return self._once.is_done(TOLD)

    def tell(self, first_day_ms: int) -> Iterator[str]:
        """Gives the id of each round as it is there. `first_day_ms`: the start of the first gaming day.

        Whoever goes on with a past keeps the days on which it began, and its plan.
        """
        first_day_ms, plan = self._begin(first_day_ms)
        boxes_of_day: list[boxes.DayOfBoxes] = []
        payments = Payments(self._ledger, self._once, error_day=max(plan.days - 2, 0))
        claims = Claims(self._ledger, self._once)
        for day in range(plan.days):
            day_ms = first_day_ms + day * DAY_MS
            of_day = boxes.DayOfBoxes(day, day_ms, last=day == plan.days - 1)
            for slot, table, result, at_ms in self._play(day, day_ms, plan):
                of_day.remember(table, result)
                payments.after(day, table, result, at_ms)
                claims.after(day, slot, table, result, at_ms)
                yield result["id"]
            for sessions in self._sessions.values():
                sessions.end_day(day_ms + LAST_ROUND_MS + HOUR_MS)
            of_day.remove(self._ledger, self._once)
            boxes_of_day.append(of_day)
        short = boxes.choose_short(boxes_of_day)
        for of_day in boxes_of_day:
            of_day.count(self._ledger, self._once, short)
        self._open_practice(first_day_ms + plan.days * DAY_MS)

    def _begin(self, first_day_ms: int) -> tuple[int, Plan]:
        note = json.dumps([first_day_ms, self._plan.days, self._plan.rounds_a_day]).encode()
        floor = self._once.floor(BEGUN, note)
        if floor is not None:
            floor.register_bettor("tp-1", "proposition", Actor(FLOOR, first_day_ms))
        first_day_ms, *figures = json.loads(self._once.note_of(BEGUN) or note)
        for number in range(2, len(TABLES) + 1):
            floor = self._once.floor(f"register/{number}")
            if floor is not None:
                floor.register_bettor(f"tp-{number}", "proposition", Actor(FLOOR, first_day_ms))
        return first_day_ms, Plan(*figures)

    def _play(self, day: int, day_ms: int, plan: Plan) -> Iterator[tuple[int, str, dict[str, Any], int]]:
        """The slot, the table, the result and the time of each round."""
        apart_ms = (LAST_ROUND_MS - FIRST_ROUND_MS) // plan.rounds_a_day
        said = beside.Beside(self._ledger, self._once, day)
        for slot in range(plan.rounds_a_day):
            for number, (name, table) in enumerate(self._tables.items()):
                at_ms = day_ms + FIRST_ROUND_MS + slot * apart_ms + number * apart_ms // len(TABLES)
                table.play_by(Actor(FLOOR, at_ms).rules_of(TABLES[name]))
                document = json.loads(table.next_document())
                self._sessions[name].before(document, at_ms)
                result = self._record(document, at_ms, late=beside.is_late(day, slot, number))
                if name in self._trays:
                    self._trays[name].after(result)
                said.after(name, result, at_ms)
                yield slot, name, result, at_ms

    def _record(self, document: dict[str, Any], at_ms: int, late: bool) -> dict[str, Any]:
        result = self._ledger.record(document, Actor(dealer_at(document["table"], at_ms), at_ms, late))
        if result["status"] == "refused":
            raise RuntimeError(f"The demo's round {document['round']} was refused: {result['error']['detail']}")
        return result

    def _open_practice(self, at_ms: int) -> None:
        """The last step, so that its receipt says that all the others are there."""
        floor = self._once.floor(TOLD)
        if floor is not None:
            players = {seat: f"guest-{seat}" for seat in (1, 2, 3, 4)}
            floor.open_session(PRACTICE, PRACTICE_RULESET, NO_TERMS, players, Actor(FLOOR, at_ms))

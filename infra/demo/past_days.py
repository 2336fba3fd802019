"""The days before the first start: rounds at every table, and the work of floor, cage and count room.

They contain something to find: a box that is short by one chip, and a dealer who paid wrongly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from msgspec import Struct

from domain.books.chart_of_accounts import starter
from domain.moments import DAY_MS
from domain.rules import rulesets
from domain.rules.terms import NO_TERMS, TermsDocument
from infra.demo import box_counts, round_notes
from infra.demo.cash_desk import take_cash
from infra.demo.dealer_payments import Payments
from infra.demo.dispute_cases import Claims
from infra.demo.roster import (
    ACCOUNTING,
    FLOOR,
    HOUR_MS,
    PRACTICE,
    PRACTICE_RULESET,
    SHOE_RULESET,
    SHOE_TABLE,
    TABLES,
    dealer_at,
)
from infra.demo.rule_adoptions import adopt_shipped
from infra.demo.single_steps import Once
from infra.demo.table_sessions import DemoSessions
from infra.demo.trays import Tray
from infra.ledger.books.charts import keep_chart
from infra.ledger.books.machines import keep_machine
from infra.ledger.ledger import Actor, Ledger
from infra.simulation.table import Table

FIRST_ROUND_MS = 4 * HOUR_MS  # after the start of the gaming day
LAST_ROUND_MS = 20 * HOUR_MS
BEGUN, COMPLETE = "begun", "told"  # as the receipts of existing demos name them


class Plan(Struct, frozen=True):
    """How much past to create; `days` are gaming days, all of them over."""

    days: int = 3
    rounds_a_day: int = 40  # per table

    @property
    def rounds(self) -> int:
        return self.days * self.rounds_a_day * len(TABLES)


class Past:
    """Creates the past, continuing where a killed process stopped."""

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
        self._sessions = {name: DemoSessions(name, self._once, self._trays.get(name)) for name in TABLES}

    @property
    def is_complete(self) -> bool:
        return self._once.is_done(COMPLETE)

    def make(self, first_day_ms: int) -> Iterator[str]:
        """Yield the id of each round as it is stored. `first_day_ms`: the start of the first gaming day.

        A past that is continued keeps its days and its plan."""
        first_day_ms, plan = self._begin(first_day_ms)
        boxes_of_day: list[box_counts.DayOfBoxes] = []
        payments = Payments(self._once, error_day=max(plan.days - 2, 0))
        claims = Claims(self._once)
        for day in range(plan.days):
            day_ms = first_day_ms + day * DAY_MS
            of_day = box_counts.DayOfBoxes(day, day_ms, last=day == plan.days - 1)
            for slot, table, result, at_ms in self._play(day, day_ms, plan):
                of_day.remember(table, result)
                payments.after(day, table, result, at_ms)
                claims.after(day, slot, table, result, at_ms)
                yield result["id"]
            for sessions in self._sessions.values():
                sessions.end_day(day_ms + LAST_ROUND_MS + HOUR_MS)
            of_day.remove(self._once)
            take_cash(self._once, day, day_ms, last=day == plan.days - 1)
            boxes_of_day.append(of_day)
        short = box_counts.choose_short(boxes_of_day)
        for of_day in boxes_of_day:
            of_day.count(self._once, short)
        self._open_practice(first_day_ms + plan.days * DAY_MS)

    def _begin(self, first_day_ms: int) -> tuple[int, Plan]:
        note = json.dumps([first_day_ms, self._plan.days, self._plan.rounds_a_day]).encode()
        self._register(1, BEGUN, first_day_ms, note)
        first_day_ms, *figures = json.loads(self._once.note_of(BEGUN) or note)
        for number in range(2, len(TABLES) + 1):
            self._register(number, f"register/{number}", first_day_ms)
        adopt_shipped(self._once, first_day_ms)
        keep = partial(keep_chart, self._ledger, starter(), Actor(ACCOUNTING, first_day_ms))
        self._once.do("chart", keep)
        describe = partial(keep_machine, self._ledger, box_counts.MACHINE, box_counts.DESCRIPTION)
        self._once.do("machine", partial(describe, Actor(ACCOUNTING, first_day_ms)))
        return first_day_ms, Plan(*figures)

    def _register(self, number: int, step: str, at_ms: int, note: bytes = b"") -> None:
        actor = Actor(FLOOR, at_ms)
        self._once.on_floor(step, lambda floor: floor.register_bettor(f"tp-{number}", "proposition", actor), note)

    def _play(self, day: int, day_ms: int, plan: Plan) -> Iterator[tuple[int, str, dict[str, Any], int]]:
        """Yield the slot, the table, the result and the time of each round."""
        apart_ms = (LAST_ROUND_MS - FIRST_ROUND_MS) // plan.rounds_a_day
        notes = round_notes.RoundNotes(self._once, day)
        for slot in range(plan.rounds_a_day):
            for number, (name, table) in enumerate(self._tables.items()):
                at_ms = day_ms + FIRST_ROUND_MS + slot * apart_ms + number * apart_ms // len(TABLES)
                table.play_by(self._ledger.rulebook.in_force(TABLES[name], at_ms))
                document = json.loads(table.next_document())
                self._sessions[name].before(document, at_ms)
                result = self._record(document, at_ms, late=round_notes.is_late(day, slot, number))
                if name in self._trays:
                    self._trays[name].after(result)
                notes.after(name, result, at_ms)
                yield slot, name, result, at_ms

    def _record(self, document: dict[str, Any], at_ms: int, late: bool) -> dict[str, Any]:
        result = self._ledger.record(document, Actor(dealer_at(document["table"], at_ms), at_ms, late))
        if result["status"] == "refused":
            raise RuntimeError(f"The demo's round {document['round']} was refused: {result['error']['detail']}")
        return result

    def _open_practice(self, at_ms: int) -> None:
        """Open the practice table. This is the last step, so its receipt means that all others are done."""
        players, actor = {seat: f"guest-{seat}" for seat in (1, 2, 3, 4)}, Actor(FLOOR, at_ms)
        terms = TermsDocument(schedule=1)
        self._once.on_floor(
            SHOE_TABLE, lambda floor: floor.open_session(SHOE_TABLE, SHOE_RULESET, terms, players, actor)
        )
        self._once.on_floor(
            COMPLETE, lambda floor: floor.open_session(PRACTICE, PRACTICE_RULESET, NO_TERMS, players, actor)
        )

"""Boxes, meters and the register of bettors: what the count room, the floor and accounting do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import UNSET
from starlette.responses import Response

from api.service import blindness, examples, shapes
from api.service.blindness import Reader, no_table
from api.service.operations import Answer, Call, Operation, answer
from api.service.problems import Problem
from api.service.retries import carry_out
from api.service.telling import Told
from domain.bettors import BettorRegistered
from domain.boxes import DropBox
from domain.money import cents, money
from domain.terms import Meter
from infra.floor import Floor
from infra.ledger import Receipted


def box_answer(box: DropBox, reader: Reader) -> dict[str, Any]:
    """Nobody who may still have to count learns a figure, nor whether a count was right."""
    agreed, signed = box.counted is not None, box.reconciled is not None
    counts = reader.counts(box.table, agreed, signed)
    status = box.status
    return {
        "box": box.box,
        "table": box.table,
        "status": "counted" if status == "variance" and not counts else status,
        "counts": len(box.counts),
        "expected": money(box.expected) if reader.expected(box.table, agreed, signed) else None,
        "counted": money(box.counted) if counts and box.counted is not None else None,
    }


def _box_changed(call: Call, command: Callable[[Receipted], DropBox]) -> Response:
    """Who may see what is asked first: once the command is stored, nothing shall keep its answer away."""
    reader = blindness.reader(call)
    return carry_out(call, command, lambda box: Told(200, msgspec.json.encode(box_answer(box, reader))))


def _existing_box(call: Call) -> DropBox:
    name = call.id("box")
    found = call.service.ledger.aggregates.box(name)
    if found is None:
        raise Problem("not_found", f"There is no box {name}.")
    return found[0]


async def get_box(call: Call) -> Response:
    return answer(await call.in_thread(lambda: box_answer(_existing_box(call), blindness.reader(call))))


async def count_box(call: Call) -> Response:
    body = call.read(shapes.CountBody)
    pieces = {cents(value): number for value, number in body.pieces.items()}

    def command(receipt: Receipted) -> DropBox:
        box = _existing_box(call)
        return Floor(call.service.ledger, receipt).count_box(box.box, pieces, call.actor)

    return await call.in_thread(_box_changed, call, command)


async def reconcile_box(call: Call) -> Response:
    body = call.read(shapes.ReconciliationBody)
    explanation = None if body.explanation is UNSET else body.explanation

    def command(receipt: Receipted) -> DropBox:
        box = _existing_box(call)
        tolerance = call.service.settings.count_tolerance_cents
        return Floor(call.service.ledger, receipt).reconcile_box(box.box, call.actor, tolerance, explanation)

    return await call.in_thread(_box_changed, call, command)


def meter_answer(meter: Meter) -> dict[str, Any]:
    return {
        "meter": meter.id,
        "seed": money(meter.seed),
        "shown": money(meter.shown),
        "reserve": money(meter.reserve),
        "percent": meter.percent,
        "reserve_percent": meter.reserve_percent,
    }


def _existing_meter(call: Call) -> Meter:
    name = call.id("meter")
    found = Floor(call.service.ledger).meter(name)
    if found is None:
        raise Problem("not_found", f"There is no meter {name}.")
    return found


async def get_meter(call: Call) -> Response:
    return answer(meter_answer(await call.in_thread(_existing_meter, call)))


async def adjust_meter(call: Call) -> Response:
    body = call.read(shapes.AdjustmentBody)

    def command(receipt: Receipted) -> Meter:
        second = call.second_person(body.second_person)
        meter = _existing_meter(call)
        floor = Floor(call.service.ledger, receipt)
        figures = cents(body.shown), cents(body.reserve)
        return floor.adjust_meter(meter.id or "", *figures, body.reason, second, call.actor)

    tell = lambda meter: Told(200, msgspec.json.encode(meter_answer(meter)))  # noqa: E731
    return await call.in_thread(carry_out, call, command, tell)


async def register_bettor(call: Call) -> Response:
    bettor, body = call.id("bettor"), call.read(shapes.BettorBody)

    def command(receipt: Receipted) -> BettorRegistered:
        Floor(call.service.ledger, receipt).register_bettor(bettor, body.kind, call.actor)
        return BettorRegistered(bettor, body.kind)

    def tell(registered: BettorRegistered) -> Told:
        return Told(200, msgspec.json.encode({"bettor": registered.bettor, "kind": registered.kind}))

    return await call.in_thread(carry_out, call, command, tell)


# ---- declared

_BOX = Answer(shapes.Box, examples.BOX, "The box, as far as the caller may know it.", ("Idempotent-Replayed",))
_METER = Answer(shapes.MeterShown, examples.METER, "The meter.", ("Idempotent-Replayed",))

OPERATIONS = (
    Operation(
        "GET",
        "/v1/boxes/{box}",
        "getBox",
        "boxes",
        "A drop box",
        get_box,
        {200: Answer(shapes.Box, examples.BOX, "The box, as far as the caller may know it.")},
        frozenset({"floor", "cage", "counter", "accounting", "auditor"}),
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/boxes/{box}/counts",
        "countBox",
        "boxes",
        "A blind count of a removed box",
        count_box,
        {200: _BOX},
        frozenset({"counter"}),
        "By whoever calls. Two counts by different people must agree; a third is taken only where they do not.",
        body=shapes.CountBody,
        body_example={"pieces": {"1.00": 14, "5.00": 3}},
        problems=("out_of_turn", "bad_choice", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/boxes/{box}/reconciliation",
        "reconcileBox",
        "boxes",
        "Sign off a counted box",
        reconcile_box,
        {200: _BOX},
        frozenset({"accounting"}),
        "By somebody who did not count; a difference needs an explanation.",
        body=shapes.ReconciliationBody,
        body_example={"explanation": "A chip was found under the box."},
        problems=("out_of_turn", "bad_choice", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "GET",
        "/v1/meters/{meter}",
        "getMeter",
        "meters",
        "A progressive meter",
        get_meter,
        {200: Answer(shapes.MeterShown, examples.METER, "The meter.")},
        frozenset({"terminal", "floor", "cage", "accounting", "auditor"}),
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/meters/{meter}/adjustments",
        "adjustMeter",
        "meters",
        "Adjust a progressive meter",
        adjust_meter,
        {200: _METER},
        frozenset({"accounting"}),
        "By two different people.",
        body=shapes.AdjustmentBody,
        body_example=examples.ADJUSTMENT_BODY,
        problems=("bad_choice", "conflict"),
        writes=True,
        two_people=frozenset({"floor", "cage", "accounting"}),
        about=no_table,
    ),
    Operation(
        "PUT",
        "/v1/bettors/{bettor}",
        "registerBettor",
        "bettors",
        "Say whether a bettor is a patron or a proposition player",
        register_bettor,
        {200: Answer(shapes.BettorShown, {"bettor": "tp-1", "kind": "proposition"}, "Registered.")},
        frozenset({"floor", "accounting"}),
        body=shapes.BettorBody,
        body_example={"kind": "proposition"},
        problems=("conflict",),
        writes=True,
        about=no_table,
    ),
)

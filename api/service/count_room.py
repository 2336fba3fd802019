"""Drop boxes as the count room and accounting look at them: which there are, and what happened to one.

Counting is blind: whoever may still have to count learns no figure but his own, and nobody learns one before two counts
agree.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from api.service import examples, shapes
from api.service.floor import SEES_FIGURES, box_answer
from api.service.operations import ID, Answer, Call, Operation, Param, answer
from api.service.problems import Problem
from api.service.reports import (
    CURSOR,
    DAY_SCHEMA,
    ID_SCHEMA,
    LIMIT,
    WORD,
    WORD_SCHEMA,
    cursor_at,
    read_cursor,
    read_day,
    read_matching,
)
from api.service.rounds import read_number, record_look
from domain.boxes import BoxCounted, BoxEvent, BoxInstalled, BoxReconciled, BoxRemoved, DropBox, FeeDropped, fold, start
from domain.boxes import FeeNotDropped as NotDropped
from domain.money import money
from infra.aggregates import stream
from infra.mapper import Entry
from projections.boxes_search import Wanted, search

STATUSES = ["installed", "removed", "counted", "variance", "reconciled"]
IN_COUNT_ROOM = frozenset({"floor", "cage", "counter", "accounting", "auditor"})


# ---- a list


async def list_boxes(call: Call) -> Response:
    status = call.query("status")
    if status is not None and status not in STATUSES:
        raise Problem("bad_document", f"`status` is one of {', '.join(STATUSES)}.")
    wanted = Wanted(
        table=read_matching(call, "table", ID.pattern),
        day=read_day(call, "gaming_day"),
        shift=read_matching(call, "shift", WORD[1:-1]),
        statuses=_statuses(status, call.person.role),
        after=read_cursor(call),
    )
    limit = read_number(call, "limit", LIMIT) or LIMIT["default"]
    assert isinstance(limit, int)
    return answer(await call.in_thread(_listed, call, wanted, limit))


def _statuses(asked: str | None, role: str) -> list[str] | None:
    """To ask for variances is to ask for figures: whoever may not see them asks for counted boxes, and gets both."""
    if asked is None:
        return None
    if role in SEES_FIGURES:
        return [asked]
    return ["counted", "variance"] if asked in ("counted", "variance") else [asked]


def _listed(call: Call, wanted: Wanted, limit: int) -> dict[str, Any]:
    call.service.projecting.bring_up_to_date("drops")
    found = search(call.service.ledger.events.recorder.database, wanted, limit + 1)
    page = found[:limit]
    return {
        "boxes": [_shown(row, call.person.role) for row in page],
        "cursor": cursor_at(page[-1]["installed_at"], page[-1]["box"]) if len(found) > limit else None,
    }


def _shown(row: dict[str, Any], role: str) -> dict[str, Any]:
    seen = row["reconciled_at"] is not None or (row["counted"] is not None and role in SEES_FIGURES)
    return {
        "box": row["box"],
        "table": row["table_id"],
        "installed_at": row["installed_at"].isoformat(),
        "removed_at": None if row["removed_at"] is None else row["removed_at"].isoformat(),
        "gaming_day": None if row["gaming_day"] is None else row["gaming_day"].isoformat(),
        "shift": row["shift"],
        "removed_by": row["removed_by"] or [],
        "seal": row["seal"],
        "counters": row["counters"],
        "status": "counted" if row["status"] == "variance" and not seen else row["status"],
        "fees": row["fees"] if seen else None,
        "expected": money(row["expected"]) if seen else None,
        "counted": money(row["counted"]) if seen else None,
        "variance": money(row["variance"]) if seen else None,
        "signed_by": row["signed_by"],
        "explanation": row["explanation"] if seen else None,
    }


# ---- one box


async def get_box_history(call: Call) -> Response:
    return answer(await call.in_thread(_history, call))


def _history(call: Call) -> dict[str, Any]:
    name = call.id("box")
    entries: list[Entry[BoxEvent]] = call.service.ledger.events.load(stream("box", name))
    if not entries:
        raise Problem("not_found", f"There is no box {name}.")
    installed, *rest = entries
    assert isinstance(installed.event, BoxInstalled)
    box = fold(start(installed.event), (entry.event for entry in rest))
    shown = box_answer(box, call.person.role)
    seen = shown["expected"] is not None
    moments = (_moment(entry, call.person.by, seen) for entry in entries if not isinstance(entry.event, FeeDropped))
    record_look(call, "box", name)
    return {
        **shown,
        "fees": sum(isinstance(entry.event, FeeDropped) for entry in entries) if seen else None,
        "variance": _variance(box) if seen else None,
        "tolerance": money(call.service.settings.count_tolerance_cents),
        "moments": [moment for moment in moments if seen or moment["what"] != "fee not dropped"],
    }


def _variance(box: DropBox) -> str | None:
    return None if box.counted is None else money(box.counted - box.expected)


def _moment(entry: Entry[BoxEvent], asking: str, seen: bool) -> dict[str, Any]:
    """Somebody who counted sees his own figures, nobody else's."""
    told: dict[str, Any] = dict.fromkeys(("second_person", "seal", "round", "pieces", "total", "explanation"))
    told |= {"at": datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(), "by": entry.by}
    match entry.event:
        case BoxInstalled():
            return {**told, "what": "installed"}
        case BoxRemoved(by, seal):
            return {**told, "what": "removed", "second_person": by[1], "seal": seal}
        case BoxCounted(counter, pieces, total):
            told = {**told, "what": "counted"}
            if seen or counter == asking:
                told["pieces"] = {money(value): number for value, number in sorted(pieces.items(), reverse=True)}
                told["total"] = money(total)
            return told
        case BoxReconciled(_, _, _, explanation):
            return {**told, "what": "reconciled", "explanation": explanation}
        case NotDropped(round_, amount):
            return {**told, "what": "fee not dropped", "round": round_, "total": money(amount)}
    raise AssertionError(f"a box has no history of {entry.event}")


# ---- declared

OPERATIONS = (
    Operation(
        "GET",
        "/v1/boxes",
        "listBoxes",
        "boxes",
        "Drop boxes, the last installed first",
        list_boxes,
        {200: Answer(shapes.ListedBoxes, examples.BOXES, "A page of boxes, and the cursor of the next one.")},
        IN_COUNT_ROOM,
        "Figures are there for accounting once two counts agree, and for others once the box has been signed off.",
        params=(
            Param("table", ID_SCHEMA, "Only of this table."),
            Param("gaming_day", DAY_SCHEMA, "Only those removed on this gaming day."),
            Param("shift", WORD_SCHEMA, "Only those removed in this shift."),
            Param("status", {"type": "string", "enum": STATUSES}, "Only with this status."),
            Param("limit", LIMIT, "How many a page has at most."),
            Param("cursor", {"type": "string", "pattern": CURSOR}, "Where the page before ended."),
        ),
        problems=("bad_choice",),
    ),
    Operation(
        "GET",
        "/v1/boxes/{box}/history",
        "getBoxHistory",
        "boxes",
        "What happened to a drop box",
        get_box_history,
        {200: Answer(shapes.BoxHistory, examples.BOX_HISTORY, "From its table to its signature, without single fees.")},
        IN_COUNT_ROOM,
        "Counts by denomination are there for accounting once two of them agree; whoever counted sees his own.",
    ),
)

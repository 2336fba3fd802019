"""Drop boxes as the count room and accounting look at them: which there are, and what happened to one.

Counting is blind: whoever may still have to count learns no figure but his own, and nobody learns one before two counts
agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace
from starlette.responses import Response

from api.service import blindness, examples, shapes
from api.service.blindness import Reader, no_table
from api.service.floor import box_answer
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
from domain.boxes import (
    BoxCounted,
    BoxEvent,
    BoxInstalled,
    BoxReconciled,
    BoxRemoved,
    CountSealed,
    CountsOpened,
    DropBox,
    FeeDropped,
    OpenedCount,
    fold,
    start,
)
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
        after=read_cursor(call),
    )
    limit = read_number(call, "limit", LIMIT) or LIMIT["default"]
    assert isinstance(limit, int)
    return answer(await call.in_thread(_listed, call, wanted, status, limit))


def _statuses(asked: str | None, reader: Reader) -> list[str] | None:
    """To ask for variances is to ask for figures: whoever may not see them asks for counted boxes, and gets both."""
    if asked is None:
        return None
    if reader.books or reader.open:
        return [asked]
    return ["counted", "variance"] if asked in ("counted", "variance") else [asked]


def _listed(call: Call, wanted: Wanted, status: str | None, limit: int) -> dict[str, Any]:
    reader = blindness.reader(call)
    call.service.projecting.bring_up_to_date("drops")
    wanted = replace(wanted, statuses=_statuses(status, reader))
    found = search(call.service.ledger.events.recorder.database, wanted, limit + 1)
    page = found[:limit]
    return {
        "boxes": [_shown(row, reader) for row in page],
        "cursor": cursor_at(page[-1]["installed_at"], page[-1]["box"]) if len(found) > limit else None,
    }


def _shown(row: dict[str, Any], reader: Reader) -> dict[str, Any]:
    stage = row["table_id"], row["counted"] is not None, row["reconciled_at"] is not None
    expected, counts = reader.expected(*stage), reader.counts(*stage)
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
        "status": "counted" if row["status"] == "variance" and not counts else row["status"],
        "fees": row["fees"] if expected else None,
        "expected": money(row["expected"]) if expected else None,
        "counted": money(row["counted"]) if counts else None,
        "variance": money(row["variance"]) if counts else None,
        "signed_by": row["signed_by"],
        "explanation": row["explanation"] if counts else None,
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
    reader = blindness.reader(call)
    shown = box_answer(box, reader)
    expected = shown["expected"] is not None
    counts = reader.counts(box.table, box.counted is not None, box.reconciled is not None)
    figures = {count.counter: count for count in _figures(call, box) if counts or count.counter == call.person.by}
    left_out = (FeeDropped, CountsOpened) if expected else (FeeDropped, CountsOpened, NotDropped)
    record_look(call, "box", name)
    return {
        **shown,
        "fees": sum(isinstance(entry.event, FeeDropped) for entry in entries) if expected else None,
        "variance": _variance(box) if counts else None,
        "tolerance": money(call.service.settings.count_tolerance_cents),
        "moments": [_moment(entry, figures, counts) for entry in entries if not isinstance(entry.event, left_out)],
    }


def _figures(call: Call, box: DropBox) -> list[BoxCounted | OpenedCount]:
    """The counts that are open; beside them, of those that are sealed, the caller's own."""
    by = call.person.by
    shown: list[BoxCounted | OpenedCount] = [count for count in box.counts if isinstance(count, BoxCounted)]
    if any(isinstance(count, CountSealed) and count.counter == by for count in box.counts):
        sealed = call.service.ledger.aggregates.sealed_counts(box.box)
        shown += [count for count in sealed if count.counter == by]
    return shown


def _variance(box: DropBox) -> str | None:
    return None if box.counted is None else money(box.counted - box.expected)


def _moment(entry: Entry[BoxEvent], figures: Mapping[str, BoxCounted | OpenedCount], counts: bool) -> dict[str, Any]:
    """`figures` has the counts that the caller may see, by who made them; `counts`: whether those are all."""
    told: dict[str, Any] = dict.fromkeys(("second_person", "seal", "round", "pieces", "total", "explanation"))
    told |= {"at": datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(), "by": entry.by}
    match entry.event:
        case BoxInstalled():
            return {**told, "what": "installed"}
        case BoxRemoved(by, seal):
            return {**told, "what": "removed", "second_person": by[1], "seal": seal}
        case BoxCounted(counter) | CountSealed(counter):
            told = {**told, "what": "counted"}
            if (count := figures.get(counter)) is not None:
                told["pieces"] = {money(value): number for value, number in sorted(count.pieces.items(), reverse=True)}
                told["total"] = money(count.total)
            return told
        case BoxReconciled(_, _, _, explanation):
            return {**told, "what": "reconciled", "explanation": explanation if counts else None}
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
        "What a box should hold is there for accounting and auditors at any time, what was counted once two counts "
        "agree; for others both once the box has been signed off. Whoever may count sees neither as long as a box of "
        "that table is not counted and agreed.",
        params=(
            Param("table", ID_SCHEMA, "Only of this table."),
            Param("gaming_day", DAY_SCHEMA, "Only those removed on this gaming day."),
            Param("shift", WORD_SCHEMA, "Only those removed in this shift."),
            Param("status", {"type": "string", "enum": STATUSES}, "Only with this status."),
            Param("limit", LIMIT, "How many a page has at most."),
            Param("cursor", {"type": "string", "pattern": CURSOR}, "Where the page before ended."),
        ),
        problems=("bad_choice",),
        about=no_table,
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
        "Counts by denomination are there for accounting once two of them agree; whoever counted sees their own.",
        about=no_table,
    ),
)

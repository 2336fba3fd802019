"""Views of drop boxes for the count room and accounting: lists, and the history of one.

Counting is blind: people who may still have to count learn no figure but their own, and nobody learns one before two
counts agree."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import LiteralString

from msgspec import Struct
from msgspec.structs import replace

from domain.floor.drop_boxes import (
    BoxCounted,
    BoxInstalled,
    BoxReconciled,
    BoxRemoved,
    CountRead,
    CountSealed,
    CountsOpened,
    DropBox,
    FeeDropped,
    OpenedCount,
    fold,
    machine_of,
    start,
)
from domain.floor.drop_boxes import FeeNotDropped as NotDropped
from domain.money import money
from infra.access.callers import Caller
from infra.store.database import Database
from infra.store.encoding.mapper import RecordedEvent
from infra.store.streams import stream_id
from projections.views.blindness import Sight, sight_of
from projections.views.named_rows import Row, filters_set, select, shown
from projections.views.paging import cursor_at
from projections.views.read_side import NotFound, ReadSide

STATUSES = ("installed", "removed", "counted", "variance", "reconciled")
COLUMNS: LiteralString = (
    "box, table_id, installed_at, removed_at, gaming_day, shift, removed_by, seal, counters, status, fees, expected, "
    "counted, variance, signed_by, explanation, reconciled_at"
)
CONDITIONS: dict[str, LiteralString] = {
    "table": "table_id = %(table)s",
    "day": "gaming_day = %(day)s",
    "shift": "shift = %(shift)s",
    "statuses": "status = ANY(%(statuses)s)",
    "after": "(installed_at, box) < (%(after_at)s, %(after_box)s)",
}


class BoxFilter(Struct, frozen=True):
    """`day` and `shift` are those of the removal. `after` is the last row of the previous page."""

    table: str | None = None
    day: date | None = None
    shift: str | None = None
    statuses: list[str] | None = None
    after: tuple[datetime, str] | None = None


def box_shown(box: DropBox, sight: Sight) -> Row:
    """Return a box; people who may still have to count learn no figure, nor whether a count was right."""
    agreed, signed = box.counted is not None, box.reconciled is not None
    counts = sight.counts(box.table, agreed, signed)
    status = box.status
    return {
        "box": box.box,
        "table": box.table,
        "status": "counted" if status == "variance" and not counts else status,
        "counts": len(box.counts),
        "expected": money(box.expected) if sight.expected(box.table, agreed, signed) else None,
        "counted": money(box.counted) if counts and box.counted is not None else None,
    }


def existing_box(read_side: ReadSide, name: str) -> DropBox:
    found = read_side.ledger.find_box(name)
    if found is None:
        raise NotFound(f"There is no box {name}.")
    return found[0]


def get_box(read_side: ReadSide, caller: Caller, name: str) -> Row:
    return box_shown(existing_box(read_side, name), sight_of(read_side, caller))


# ---- lists


def list_boxes(read_side: ReadSide, caller: Caller, wanted: BoxFilter, status: str | None, limit: int) -> Row:
    sight = sight_of(read_side, caller)
    read_side.bring_up_to_date("drops")
    found = _search(read_side.database, replace(wanted, statuses=_statuses(status, sight)), limit + 1)
    page = found[:limit]
    return {
        "boxes": [_listed(row, sight) for row in page],
        "cursor": cursor_at(page[-1]["installed_at"], page[-1]["box"]) if len(found) > limit else None,
    }


def _statuses(asked: str | None, sight: Sight) -> list[str] | None:
    """Return the statuses to search for. Asking for variances would reveal figures: people who may not see them ask for
    counted boxes, and get both."""
    if asked is None:
        return None
    if sight.books or sight.open:
        return [asked]
    return ["counted", "variance"] if asked in ("counted", "variance") else [asked]


def _search(database: Database, wanted: BoxFilter, limit: int) -> list[Row]:
    values = filters_set(wanted)
    statement: LiteralString = f"SELECT {COLUMNS} FROM projections.drops"
    if values:
        statement += " WHERE " + " AND ".join(CONDITIONS[name] for name in values)
    statement += " ORDER BY installed_at DESC, box DESC LIMIT %(limit)s"
    if wanted.after is not None:
        values["after_at"], values["after_box"] = values.pop("after")
    return select(database, statement, {**values, "limit": limit})


def _listed(row: Row, sight: Sight) -> Row:
    stage = row["table_id"], row["counted"] is not None, row["reconciled_at"] is not None
    listed = {**shown(row, ("expected", "counted", "variance")), "removed_by": row["removed_by"] or []}
    del listed["reconciled_at"]
    if not sight.expected(*stage):
        listed |= {"fees": None, "expected": None}
    if not sight.counts(*stage):
        status = "counted" if row["status"] == "variance" else row["status"]
        listed |= {"status": status, "counted": None, "variance": None, "explanation": None}
    return listed


def last_box(read_side: ReadSide, table: str | None) -> str | None:
    """Return the last installed of a table's removed boxes; or else one that is still on a table."""
    off = BoxFilter(table=table, statuses=["removed", "counted", "variance", "reconciled"])
    found = _search(read_side.database, off, 1) or _search(read_side.database, BoxFilter(table=table), 1)
    return found[0]["box"] if found else None


def boxes_waiting(read_side: ReadSide) -> dict[str, int]:
    """Return how many boxes wait for a count or a signature, by status."""
    statement: LiteralString = (
        "SELECT status, count(*) FROM projections.drops WHERE status IN ('removed', 'counted', 'variance') "
        "GROUP BY status"
    )
    return dict(read_side.database.rows(statement))


def boxes_on_tables(read_side: ReadSide, limit: int) -> list[tuple[str, str, datetime]]:
    """Return table, box, and since when, by table, without the figures."""
    statement: LiteralString = (
        "SELECT table_id, box, installed_at FROM projections.drops WHERE status = 'installed' "
        "ORDER BY table_id, box LIMIT %s"
    )
    return read_side.database.rows(statement, [limit])


# ---- one box


def box_history(read_side: ReadSide, caller: Caller, name: str, tolerance_cents: int) -> Row:
    entries = read_side.ledger.events.load(stream_id("box", name))
    if not entries:
        raise NotFound(f"There is no box {name}.")
    installed, *rest = entries
    assert isinstance(installed.event, BoxInstalled)
    box = fold(start(installed.event), (entry.event for entry in rest))
    sight = sight_of(read_side, caller)
    shown = box_shown(box, sight)
    expected = shown["expected"] is not None
    counts = sight.counts(box.table, box.counted is not None, box.reconciled is not None)
    seen = _figures(read_side, caller, box)
    figures = {count.counter: count for count in seen if counts or count.counter == caller.by}
    left_out = (FeeDropped, CountsOpened) if expected else (FeeDropped, CountsOpened, NotDropped)
    read_side.record_look(caller, "box", name)
    return {
        **shown,
        "fees": sum(isinstance(entry.event, FeeDropped) for entry in entries) if expected else None,
        "variance": money(box.counted - box.expected) if counts and box.counted is not None else None,
        "tolerance": money(tolerance_cents),
        "moments": [_moment(entry, figures, counts) for entry in entries if not isinstance(entry.event, left_out)],
    }


def _figures(read_side: ReadSide, caller: Caller, box: DropBox) -> list[BoxCounted | OpenedCount]:
    """Return the open counts; of sealed ones, the caller's own too."""
    shown: list[BoxCounted | OpenedCount] = [count for count in box.counts if isinstance(count, BoxCounted)]
    if any(isinstance(count, CountSealed) and count.counter == caller.by for count in box.counts):
        sealed = read_side.ledger.sealed_counts(box.box)
        shown += [count for count in sealed if count.counter == caller.by]
    return shown


def _moment(entry: RecordedEvent, figures: Mapping[str, BoxCounted | OpenedCount], counts: bool) -> Row:
    """Return an event. `figures` are the counts that the caller may see, by who made them; `counts`: whether those are
    all."""
    shown: Row = dict.fromkeys(("second_person", "seal", "round", "machine", "file", "pieces", "total", "explanation"))
    shown |= {"at": datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(), "by": entry.by}
    match entry.event:
        case BoxInstalled():
            return {**shown, "what": "installed"}
        case BoxRemoved(by, seal):
            return {**shown, "what": "removed", "second_person": by[1], "seal": seal}
        case BoxCounted(counter) | CountSealed(counter):
            shown = {**shown, "what": "counted", "machine": machine_of(entry.event)}
            if (count := figures.get(counter)) is not None:
                shown["file"] = count.digest if isinstance(count, CountRead | OpenedCount) else None
                shown["pieces"] = {money(value): number for value, number in sorted(count.pieces.items(), reverse=True)}
                shown["total"] = money(count.total)
            return shown
        case BoxReconciled(_, _, _, explanation):
            return {**shown, "what": "reconciled", "explanation": explanation if counts else None}
        case NotDropped(round_, amount):
            return {**shown, "what": "fee not dropped", "round": round_, "total": money(amount)}
    raise AssertionError(f"a box has no history of {entry.event}")

"""Slips as the cage, the floor and the books see them: which there are, one of them, and its paper.

What was counted of a tray is shown to the books and to the people who signed the count. Somebody else on the floor may
have to count that tray next, and must not know what was in it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any, LiteralString

from msgspec import Struct

from domain.books.slips import Pieces, Slip, SlipIssued, SlipRequested, SlipVoided, name_of
from domain.money import money
from domain.rules import rulesets
from infra.access.callers import BOOKS, OPEN, Caller
from infra.aggregates.stored_slips import stored_slip
from infra.ledger.property import property_of
from infra.store.encoding.mapper import RecordedEvent
from infra.store.event_store import LedgerEventStore
from projections.calendar.property_clock import clock_of
from projections.views.named_rows import Row, filters_set, select, shown
from projections.views.read_side import ReadSide

COLUMNS: LiteralString = (
    "number, kind, table_id, gaming_day, shift, at, status, amount, boxes, requested_by, issued_at, issued_by, "
    "second_person, voided_by, void_second_person, reason"
)
CONDITIONS: dict[str, LiteralString] = {
    "status": "status = %(status)s",
    "kind": "kind = %(kind)s",
    "table": "table_id = %(table)s",
    "day": "gaming_day = %(day)s",
    "before": "number < %(before)s",
}
OPEN_TABLES: LiteralString = "SELECT table_id, ruleset FROM projections.tables WHERE open ORDER BY table_id"
ANYBODY = Caller("", OPEN)  # somebody on the machine itself, with access to its database
WORDS: dict[type, str] = {SlipRequested: "requested", SlipIssued: "issued", SlipVoided: "voided"}


class SlipFilter(Struct, frozen=True):
    """`before` limits the numbers to smaller ones, for the next page."""

    status: str | None = None
    kind: str | None = None
    table: str | None = None
    day: date | None = None
    before: int | None = None


def may_see_figures(caller: Caller, kind: str, signers: Iterable[str | None]) -> bool:
    return kind in ("fill", "credit", "swap") or caller.role in (*BOOKS, OPEN) or caller.by in signers


# ---- a list


def list_slips(read_side: ReadSide, caller: Caller, wanted: SlipFilter, limit: int) -> Row:
    """Return slips, the highest number first."""
    read_side.bring_up_to_date("slips")
    values = filters_set(wanted)
    statement: LiteralString = f"SELECT {COLUMNS} FROM projections.slips"
    if values:
        statement += " WHERE " + " AND ".join(CONDITIONS[name] for name in values)
    statement += " ORDER BY number DESC LIMIT %(limit)s"
    found = select(read_side.database, statement, {**values, "limit": limit + 1})
    page = found[:limit]
    read_side.record_look(caller, "slips", " ".join(f"{name}={value}" for name, value in values.items()))
    return {
        "slips": [_listed(row, caller) for row in page],
        "before": page[-1]["number"] if len(found) > limit else None,
    }


def _listed(row: Row, caller: Caller) -> Row:
    listed = {**shown(row, ("amount",)), "name": name_of(row["number"])}
    if not may_see_figures(caller, row["kind"], (row["requested_by"], row["issued_by"], row["second_person"])):
        listed["amount"] = None
    return listed


# ---- one of them


def slip_shown(slip: Slip, caller: Caller) -> Row:
    sees = may_see_figures(caller, slip.kind, slip.signers)
    return {
        "number": slip.number,
        "name": name_of(slip.number),
        "kind": slip.kind,
        "table": slip.table,
        "status": slip.status,
        "amount": money(slip.amount) if sees else None,
        "pieces": _pieces(slip.pieces) if sees else None,
        "removed_box": None if slip.boxes is None else slip.boxes.removed,
        "installed_box": None if slip.boxes is None else slip.boxes.installed,
        "seal": None if slip.boxes is None else slip.boxes.seal,
        "requested_by": slip.requested_by,
        "issued_by": slip.issued_by,
        "second_person": slip.second_person,
        "voided_by": slip.voided_by,
        "void_second_person": slip.void_second_person,
        "reason": slip.reason,
    }


def _pieces(pieces: Pieces) -> dict[str, int]:
    """Return pieces, the largest denomination first."""
    return {money(worth): number for worth, number in sorted(pieces.items(), reverse=True)}


def slip_for(read_side: ReadSide, caller: Caller, number: int) -> Row:
    """Return a slip with its history."""
    found = _slip(read_side, caller, number)
    read_side.record_look(caller, "slip", name_of(number))
    return found


def _slip(read_side: ReadSide, caller: Caller, number: int) -> Row:
    return slip_details(read_side.ledger.events, number, caller)


def slip_details(events: LedgerEventStore, number: int, caller: Caller = ANYBODY) -> Row:
    stored = stored_slip(events, number)
    return {**slip_shown(stored.slip, caller), "moments": [_moment(entry) for entry in stored.entries]}


def _moment(entry: RecordedEvent) -> dict[str, Any]:
    return {
        "what": WORDS[type(entry.event)],
        "at": datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(timespec="milliseconds"),
        "by": entry.by,
        "second_person": getattr(entry.event, "second_person", None),
    }


def slip_paper(read_side: ReadSide, caller: Caller, number: int) -> bytes:
    """Return both parts of a slip as a PDF file."""
    from projections.export.slip_sheet import slip_sheet

    found = _slip(read_side, caller, number)
    read_side.record_look(caller, "slip as pdf", name_of(number))
    now = datetime.now(UTC)
    return slip_sheet(found, now, clock_of(read_side.database), property_of(read_side.database), caller.by)


# ---- which tables there are slips for


def open_trays(read_side: ReadSide) -> list[str]:
    """Return open tables that the house banks, according to the shipped rule sets; those with adopted ones are
    included."""
    read_side.bring_up_to_date("tables")
    shipped = {name for name in rulesets.ids() if rulesets.load(name).player_banked}
    return [table for table, ruleset in read_side.database.rows(OPEN_TABLES) if ruleset not in shipped]

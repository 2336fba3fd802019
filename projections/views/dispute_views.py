"""Views of disputes: a list, a file, its dossier, and what-ifs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString

from msgspec.structs import replace

from domain.disputes.whatif import CardChange
from domain.round.events import LineSettled
from domain.round.wagers import WagerKey, wager_key
from domain.view.table_view import table_view
from infra.access.callers import Caller
from infra.aggregates.accounts import stored_accounts
from infra.ledger.disputes.dispute_document import dispute_with_round, what_if_document
from infra.ledger.disputes.disputes import Disputes
from projections.export.dossier import dossier
from projections.reports.irregularity_reports import OVERDUE
from projections.reports.report import ALWAYS, Filters
from projections.reports.report_list import report_named
from projections.reports.report_query import report_rows
from projections.views.named_rows import select
from projections.views.paging import cursor_at
from projections.views.read_side import ReadSide

ROW = (
    *("dispute", "round", "table", "seat", "bettor", "spot", "kind", "claimed", "status", "overdue", "deadline"),
    *("opened_at", "opened_by", "dealer", "player_dealer", "outcome", "awarded"),
)
# How many there are in total, and how many somebody has to handle.
COUNTS: LiteralString = (
    "SELECT count(*) AS \"all\", count(*) FILTER (WHERE status = 'open') AS open,"
    " count(*) FILTER (WHERE status = 'appealed') AS appealed,"
    f" count(*) FILTER (WHERE {OVERDUE}) AS overdue FROM projections.disputes"
)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def list_disputes(
    read_side: ReadSide, caller: Caller, filters: Filters, after: tuple[datetime, str] | None, limit: int, asked: str
) -> dict[str, Any]:
    """Return the rows of the report, newest first; `after` is the last row of the previous page, and `asked` is
    recorded as what was looked at."""
    read_side.bring_up_to_date("disputes")
    report = replace(report_named("disputes"), order="opened_at DESC, dispute DESC")
    more = {}
    if after is not None:
        older = "(opened_at, dispute) < (%(after_at)s, %(after_dispute)s)"
        report = replace(report, filters={**report.filters, ALWAYS: older})
        more = {"after_at": after[0], "after_dispute": after[1]}
    filters = replace(filters, limit=limit + 1)
    found = report_rows(read_side.database, report, filters, [report.projection], read_side.clock.days(), more)
    read_side.record_look(caller, "disputes", asked)
    page = [{name: row[name] for name in ROW} for row in found[:limit]]
    cursor = None
    if found[limit:]:
        cursor = cursor_at(datetime.fromisoformat(page[-1]["opened_at"]), page[-1]["dispute"])
    (counts,) = select(read_side.database, COUNTS, {"as_of": None})
    return {"disputes": page, "counts": counts, "cursor": cursor}


def dispute_for(read_side: ReadSide, caller: Caller, name: str) -> tuple[dict[str, Any], int]:
    """Return the file of a dispute with its round, and its version."""
    filed = Disputes(read_side.ledger).get(name)
    read_side.record_look(caller, "dispute", filed.dispute.id)
    return dispute_with_round(read_side.ledger, filed, now_ms()), filed.version


def accounts_for(read_side: ReadSide) -> list[str]:
    """Those that a ruling can be paid from."""
    return list(stored_accounts(read_side.ledger.events).listed)


def hand_for(read_side: ReadSide, file: Mapping[str, Any]) -> dict[str, Any]:
    """Return the final table of a dispute's round, as everybody saw it, and the step that settled the wager."""
    stored = read_side.ledger.load(file["round"])
    wager = WagerKey(file["seat"], file["bettor"], file["hand"], file["spot"])
    steps = (
        step
        for step, event in enumerate(stored.events(), start=1)
        if isinstance(event, LineSettled) and wager_key(event) == wager
    )
    table = table_view(stored.public)
    seats = [
        {
            **{name: seat[name] for name in ("seat", "bettor", "hands")},
            "wagers": [
                {**pile, "in_question": WagerKey(seat["seat"], pile["bettor"], pile["hand"], pile["spot"]) == wager}
                for pile in seat["piles"]
            ],
        }
        for seat in table["seats"]
        if seat["piles"]
    ]
    return {"step": next(steps, None), "dealer": table["dealer"], "board": table["board"], "seats": seats}


def dossier_for(read_side: ReadSide, caller: Caller, name: str) -> bytes:
    filed = Disputes(read_side.ledger).get(name)
    read_side.record_look(caller, "dossier", filed.dispute.id)
    return dossier(read_side.ledger, filed, now_ms(), caller.by)


def what_if_for(
    read_side: ReadSide, caller: Caller, round_id: str, cards: Sequence[CardChange], facts: Mapping[int, dict[str, Any]]
) -> dict[str, Any]:
    supposed = read_side.ledger.what_if(round_id, cards, facts)
    read_side.record_look(caller, "what if", round_id)
    return what_if_document(round_id, supposed)

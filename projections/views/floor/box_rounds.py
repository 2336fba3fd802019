"""The rounds behind what a drop box should hold, and where to look for a variance."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from msgspec.structs import replace

from domain.moments import read_moment
from infra.access.callers import Caller
from projections.reports.report import Filters
from projections.views.blindness import sight_of
from projections.views.read_side import ReadSide
from projections.views.report_views import report_rows
from projections.views.search.round_filter import RoundFilter
from projections.views.search.round_search import find_rounds

LOOKED_AT = 100  # rounds of each kind next to a variance


def rounds_behind(read_side: ReadSide, caller: Caller, history: dict[str, Any]) -> dict[str, Any] | None:
    """Return those that do not match first, then by tier, then where else to look; None for somebody who may not see
    them."""
    sight = sight_of(read_side, caller)
    if history["expected"] is None or not (sight.books or sight.open):
        return None
    slips = report_rows(read_side, caller, "slips", Filters(box=history["box"]), f"box={history['box']}")
    tiers: dict[tuple[Any, Any, Any], list[dict[str, Any]]] = defaultdict(list)
    for slip in slips:
        tiers[str(slip["schedule"]), slip["tier"], slip["fee"]].append(slip)
    short = history["variance"]
    amount = None if short is None or Decimal(short) == 0 else f"{abs(Decimal(short)):.2f}"
    return {
        "slips": slips,
        "unmatched": [slip for slip in slips if not slip["matched"]],
        "waived": [slip for slip in slips if slip["waived"] is not None],
        "amount": amount,
        "as_much": [slip for slip in slips if amount is not None and slip["fee"] == amount],
        "tiers": [
            {
                "schedule": schedule,
                "tier": tier,
                "fee": fee,
                "rounds": len(of),
                "dropped": _sum(of, "dropped"),
                "taken": _sum(of, "fee"),
                "unmatched": sum(not slip["matched"] for slip in of),
                # that many fees of this tier equal the variance
                "times": _times(amount, fee),
            }
            for (schedule, tier, fee), of in sorted(tiers.items(), key=lambda entry: repr(entry[0]))
        ],
        "odd": _odd(read_side, caller, history) if amount is not None else [],
    }


def _times(amount: str | None, fee: str | None) -> int | None:
    if amount is None or fee is None or not Decimal(fee) or Decimal(amount) % Decimal(fee):
        return None
    return int(Decimal(amount) / Decimal(fee))


def _sum(slips: list[dict[str, Any]], column: str) -> str:
    return f"{sum((Decimal(slip[column]) for slip in slips if slip[column] is not None), Decimal(0)):.2f}"


def _odd(read_side: ReadSide, caller: Caller, history: dict[str, Any]) -> list[dict[str, Any]]:
    """Return irregular rounds of that table while the box was on it."""
    at = {moment["what"]: moment["at"] for moment in history["moments"] if moment["what"] in ("installed", "removed")}
    since, until = (read_moment(at[what], what) if what in at else None for what in ("installed", "removed"))
    while_there = RoundFilter(table=history["table"], since=since, until=until)
    found: dict[str, dict[str, Any]] = {}
    for what in ("voided", "corrected", "noted"):
        wanted = replace(while_there, **{what: True})
        page = find_rounds(read_side, caller, wanted, LOOKED_AT, f"table={history['table']}&{what}=true")
        for row in page["rounds"]:
            of = found.setdefault(row["round"], {"round": row["round"], "opened_at": row["opened_at"], "why": []})
            of.update(fee=row["fee"], status=row["status"])
            of["why"].append(what)
    return sorted(found.values(), key=lambda row: (row["opened_at"], row["round"]))

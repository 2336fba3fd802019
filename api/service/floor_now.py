"""Every table as it is now: session, round in play, what lies on the layout, and what the bank stands to pay."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from api.service import examples, shapes
from api.service.operations import Answer, Call, Operation, answer
from domain.money import money
from domain.picture import on_layout
from domain.streets import streets_of
from infra.open_rounds import Seen
from projections.tables import on_the_floor

if TYPE_CHECKING:
    from api.service.app import Service

FLAGS = ("short", "voided", "corrected", "noted")


async def list_tables(call: Call) -> Response:
    return answer(await call.in_thread(_floor, call))


def _floor(call: Call) -> dict[str, Any]:
    service = call.service
    service.projecting.bring_up_to_date("tables", "collections")
    service.site.clock.refresh()
    now = service.site.clock.now()
    rows = on_the_floor(service.ledger.events.recorder.database, now)
    seen = service.open_rounds.look([row["round"] for row in rows if row["round"] is not None and row["open"]])
    return {
        "gaming_day": now.day.isoformat(),
        "shift": now.shift,
        "at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "tables": [_table(service, row, seen.get(row["round"])) for row in rows],
    }


def _table(service: Service, row: dict[str, Any], seen: Seen | None) -> dict[str, Any]:
    names = ("table", "session", "ruleset", "open", "box", "dealer", "players", "rounds", "rounds_in_shift")
    return {
        **{name: row[name] for name in names},
        "opened_at": row["opened_at"].isoformat(),
        "fees": money(row["fees"]),
        "flags": {name: row[name] for name in FLAGS},
        "round": None if seen is None else _round_now(service, row, seen),
    }


def _round_now(service: Service, row: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """A round up to one of its versions never looks otherwise, and most tables have not moved since the last look."""
    return service.floor_rounds.of((row["round"], seen.version), lambda: _round(row, seen))


def _round(row: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """The last round. Before no more bets its exposure is not known; a house bank has no wager to hold it against."""
    round_, wagered = seen.round, on_layout(seen.round)
    street = streets_of(round_.family, seen.events)[-1].name
    closed = round_.seats is not None
    bank = None
    if round_.bank is not None:
        bank = {
            "bettor": round_.bank.bettor,
            "seat": round_.bank.seat,
            "turn": round_.opened.turn,
            "wager": money(round_.bank.wager),
        }
    return {
        "id": row["round"],
        "version": seen.version,
        "status": round_.status,
        "street": street,
        "opened_at": row["round_at"].isoformat(),
        "bank": bank,
        "button": round_.button,
        "seats": len(wagered),
        "on_layout": money(sum(wagered.values())),
        "action": money(round_.action) if closed else None,
        "liability": money(round_.liability) if closed else None,
        "fee": None if round_.fee is None else money(round_.fee.amount),
        "paid": money(round_.paid),
        "collected": money(round_.collected),
    }


OPERATIONS = (
    Operation(
        "GET",
        "/v1/tables",
        "listTables",
        "tables",
        "Every table as it is now",
        list_tables,
        {200: Answer(shapes.FloorNow, examples.FLOOR_NOW, "The open ones first; fees and flags of the present shift.")},
        frozenset({"floor", "accounting", "auditor"}),
    ),
)

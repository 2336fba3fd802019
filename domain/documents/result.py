"""Result documents, the answers of adjudicating, recording and the HTTP service."""

from __future__ import annotations

from typing import Any

from domain.errors import Refusal
from domain.money import money
from domain.round.dealing import face_up
from domain.round.events import LineSettled
from domain.round.state import Round


def result_of(round_: Round) -> dict[str, Any]:
    closed = round_.seats is not None
    return {
        "round": round_.opened.round,
        "ruleset": round_.rules.id,
        "status": round_.status,
        "fee": _fee(round_),
        "button": round_.button,
        "dealer": _dealer(round_),
        "lines": [line_document(line) for line in round_.lines],
        "bank": {
            "wager": None if round_.bank is None else money(round_.bank.wager),
            "paid": money(round_.paid),
            "collected": money(round_.collected),
            "net": money(round_.collected - round_.paid),
        },
        "exposure": {"action": money(round_.action), "liability": money(round_.liability)} if closed else None,
        "meter": _meter(round_),
        "error": None,
    }


def refused(round_id: Any, ruleset: Any, refusal: Refusal) -> dict[str, Any]:
    return {
        "round": round_id if isinstance(round_id, str) else None,
        "ruleset": ruleset if isinstance(ruleset, str) else None,
        "status": "refused",
        "fee": None,
        "button": None,
        "dealer": None,
        "lines": [],
        "bank": None,
        "exposure": None,
        "meter": None,
        "error": {"code": refusal.code, "detail": refusal.detail, "clause": refusal.clause, "action": refusal.action},
    }


def line_document(line: LineSettled) -> dict[str, Any]:
    return {
        "seat": line.seat,
        "bettor": line.bettor,
        "hand": line.hand,
        "spot": line.spot,
        "wager": money(line.wager),
        "outcome": line.outcome,
        "odds": line.odds,
        "owed": money(line.owed),
        "paid": money(line.paid),
        "collected": money(line.collected),
        "returned": money(line.returned),
        "shortfall": money(line.shortfall),
        "from": line.source,
        "clause": line.clause,
        "reason": line.reason,
    }


def _fee(round_: Round) -> dict[str, Any] | None:
    fee = round_.fee
    if fee is None:
        return None
    return {"action": money(fee.action), "amount": money(fee.amount), "schedule": fee.schedule}


def _meter(round_: Round) -> dict[str, Any] | None:
    meter = round_.terms.meter
    if meter is None:
        return None
    before = {"shown": money(meter.shown), "reserve": money(meter.reserve)}
    if round_.status == "void":
        return {"before": before, "after": before}
    return {"before": before, "after": {"shown": money(round_.meter_shown), "reserve": money(round_.meter_reserve)}}


def _dealer(round_: Round) -> dict[str, Any] | None:
    """Return the dealer hand as the table sees it: a face-down card is null even if the ledger knows it."""
    shown = face_up(round_, "dealer")
    if not shown:
        return None
    if None in shown:
        return {"cards": list(shown), "hand": None, "qualifies": None}
    game = round_.game
    name = game.name_of(shown, face_up(round_, "board"))
    return {"cards": list(shown), "hand": name, "qualifies": game.qualifies(round_)}

"""A dispute as a document: what is in the file, and beside it what the round says, worked out now."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from domain import disputes
from domain.dispute_telling import tell
from domain.disputes import AppealRuled, Dispute, DisputeRuled, EntryRuled
from domain.facts import actions_of
from domain.moments import shown
from domain.money import money
from domain.payments import compared
from domain.results import line_document
from domain.state import Round
from domain.supposing import LineChanged, Supposed
from infra.aggregates import Stored
from infra.disputes import Disputes, Filed
from infra.ledger import Ledger
from infra.topics import TOPICS


def core(filed: Filed, now_ms: int) -> dict[str, Any]:
    """From the dispute's own events alone."""
    dispute, opened = filed.dispute, filed.dispute.opened
    return {
        "dispute": dispute.id,
        "version": filed.version,
        "status": dispute.status,
        "overdue": dispute.overdue(now_ms),
        "round": opened.round,
        "table": opened.table,
        "seat": opened.seat,
        "bettor": opened.bettor,
        "hand": opened.hand,
        "spot": opened.spot,
        "kind": opened.kind,
        "claimed": money(opened.claimed),
        "claim": opened.claim,
        "opened_at": shown(filed.entries[0].at_ms),
        "opened_by": dispute.opened_by,
        "deadline": shown(dispute.deadline_ms),
        "dealer": opened.dealer,
        "player_dealer": opened.bank,
        "evidence": to_builtins(
            {name: getattr(opened.evidence, name) for name in ("version", "events_hash", "result_hash")}
        ),
        "involved": disputes.involved(dispute),
        "ruling": _ruling(dispute.ruling),
        "appeal": _appeal(dispute),
        "decision": _ruling(dispute.decision),
        "closed": None if dispute.closed is None else {"how": dispute.closed.how, "reason": dispute.closed.reason},
        "awarded": money(dispute.awarded),
        "events": [
            {
                "step": step,
                "event": TOPICS.topic_of(type(entry.event)),
                "at": entry.at.isoformat(),
                "by": entry.by,
                "late": entry.late,
                "text": tell(entry.event),
            }
            for step, entry in enumerate(filed.entries, start=1)
        ],
    }


def whole(ledger: Ledger, filed: Filed, now_ms: int) -> dict[str, Any]:
    """With the round beside it: is it still what was frozen, what do the rules say, what was paid, what if."""
    opened = filed.dispute.opened
    store = Disputes(ledger)
    stored = ledger.load(opened.round)
    found = store.evidence(opened.round, opened.evidence.version)
    return {
        **core(filed, now_ms),
        "intact": found == opened.evidence,
        "round_status": stored.round.status,
        "round_version": stored.version,
        "lines": lines_of(stored.round),
        "facts": facts_of(stored),
        "what_ifs": [
            {
                "text": asked.text,
                "cards": [_card(card.of, card.number, card.card, card.hand) for card in asked.cards],
                **what_if_document(opened.round, answer),
            }
            for asked, answer in store.answers(filed)
        ],
    }


def _ruling(ruled: DisputeRuled | AppealRuled | None) -> dict[str, Any] | None:
    if ruled is None:
        return None
    until = shown(ruled.appeal_until_ms) if isinstance(ruled, DisputeRuled) else None
    return {
        "outcome": ruled.outcome,
        "reason": ruled.reason,
        "arbiter": ruled.arbiter,
        "second_person": ruled.second_person,
        "entries": [_entry(entry) for entry in ruled.entries],
        "appeal_until": until,
    }


def _entry(entry: EntryRuled) -> dict[str, Any]:
    return {
        "seat": entry.seat,
        "bettor": entry.bettor,
        "hand": entry.hand,
        "spot": entry.spot,
        "amount": money(entry.amount),
        "account": entry.account,
    }


def _appeal(dispute: Dispute) -> dict[str, Any] | None:
    appeal = dispute.appeal
    if appeal is None:
        return None
    return {"appellant": appeal.appellant, "grounds": appeal.grounds, "taken_by": dispute.appealed_by}


# ---- the round beside it


def lines_of(round_: Round) -> list[dict[str, Any]]:
    """Each line of the settlement, what the dealer reported of it, and what has been corrected since."""
    reported = {_wager(it.reported): it for it in compared(round_)}
    corrected: dict[tuple[int, str, int, str], int] = {}
    for posted in round_.corrections:
        corrected[_wager(posted)] = corrected.get(_wager(posted), 0) + posted.amount
    lines = []
    for line in round_.lines:
        of = reported.get(_wager(line))
        lines.append(
            {
                **line_document(line),
                "reported_paid": None if of is None else money(of.reported.paid),
                "reported_collected": None if of is None else money(of.reported.collected),
                "difference": None if of is None else money(of.difference),
                "corrected": money(corrected.get(_wager(line), 0)),
            }
        )
    return lines


def _wager(it: Any) -> tuple[int, str, int, str]:
    return it.seat, it.bettor, it.hand, it.spot


def facts_of(stored: Stored) -> list[dict[str, Any]]:
    """By number, as a what-if takes them; a card that was never turned over is null."""
    return list(actions_of(entry.event for entry in stored.entries))


def what_if_document(round_id: str, supposed: Supposed) -> dict[str, Any]:
    refusal = supposed.refusal
    return {
        "round": round_id,
        "facts": {str(at): fact for at, fact in supposed.facts.items()},
        "lines": [_line_changed(change) for change in supposed.lines],
        "unchanged": supposed.unchanged,
        "bettors": {bettor: money(amount) for bettor, amount in supposed.bettors.items()},
        "bank": money(supposed.bank),
        "error": None
        if refusal is None
        else {"code": refusal.code, "detail": refusal.detail, "clause": refusal.clause, "action": refusal.action},
    }


def _line_changed(change: LineChanged) -> dict[str, Any]:
    line = change.line
    return {
        "seat": line.seat,
        "bettor": line.bettor,
        "hand": line.hand,
        "spot": line.spot,
        "before": None if change.before is None else line_document(change.before),
        "after": None if change.after is None else line_document(change.after),
        "difference": money(change.difference),
    }


def _card(of: Any, number: int, card: str, hand: int) -> dict[str, Any]:
    return {"of": of, "number": number, "card": card, "hand": hand}

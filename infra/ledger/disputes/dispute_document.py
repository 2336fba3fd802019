"""A dispute as a document: its file, and the round as it is now."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from domain.disputes import disputes
from domain.disputes.dispute_text import event_text
from domain.disputes.disputes import Dispute, DisputeRuled, EntryRuled, Ruling
from domain.disputes.whatif import LineChange, WhatIf
from domain.documents.result import line_document
from domain.moments import format_ms
from domain.money import money
from domain.round.floor_annotations import compared
from domain.round.replay import fact_documents
from domain.round.state import Round
from domain.round.wagers import WagerKey, wager_key
from infra.ledger.application import LedgerApplication
from infra.ledger.disputes.disputes import Disputes, StoredDispute
from infra.store.encoding.topics import TOPICS

WAGER = ("seat", "bettor", "hand", "spot")


def dispute_document(filed: StoredDispute, now_ms: int) -> dict[str, Any]:
    """Return the dispute from its own events alone."""
    dispute, opened = filed.dispute, filed.dispute.opened
    return {
        "dispute": dispute.id,
        "version": filed.version,
        "status": dispute.status,
        "overdue": dispute.overdue(now_ms),
        **_fields(opened, "round", "table", *WAGER, "kind"),
        "claimed": money(opened.claimed),
        "claim": opened.claim,
        "opened_at": format_ms(filed.entries[0].at_ms),
        "opened_by": dispute.opened_by,
        "deadline": format_ms(dispute.deadline_ms),
        "dealer": opened.dealer,
        "player_dealer": opened.bank,
        "evidence": to_builtins(_fields(opened.evidence, "version", "events_hash", "result_hash")),
        "involved": disputes.involved(dispute),
        "ruling": _ruling(dispute.ruling),
        "appeal": _appeal(dispute),
        "decision": _ruling(dispute.decision),
        "closed": None if dispute.closed is None else _fields(dispute.closed, "how", "reason"),
        "awarded": money(dispute.awarded),
        "events": [
            {
                "step": step,
                "event": TOPICS.topic_of(type(entry.event)),
                "at": entry.at.isoformat(),
                "by": entry.by,
                "late": entry.late,
                "text": event_text(entry.event),
            }
            for step, entry in enumerate(filed.entries, start=1)
        ],
    }


def dispute_with_round(ledger: LedgerApplication, filed: StoredDispute, now_ms: int) -> dict[str, Any]:
    """Return the dispute with its round: whether it is still as frozen, what the rules say, what was paid, and
    what-ifs."""
    opened = filed.dispute.opened
    store = Disputes(ledger)
    stored = ledger.load(opened.round)
    found = store.evidence(opened.round, opened.evidence.version)
    return {
        **dispute_document(filed, now_ms),
        "intact": found == opened.evidence,
        "round_status": stored.round.status,
        "round_version": stored.version,
        "lines": lines_of(stored.round),
        "facts": fact_documents(stored.events()),
        "what_ifs": [
            {
                "text": asked.text,
                "cards": [_fields(card, "of", "number", "card", "hand") for card in asked.cards],
                **what_if_document(opened.round, answer),
            }
            for asked, answer in store.answers(filed)
        ],
    }


def _ruling(ruled: Ruling | None) -> dict[str, Any] | None:
    if ruled is None:
        return None
    until = format_ms(ruled.appeal_until_ms) if isinstance(ruled, DisputeRuled) else None
    return {
        **_fields(ruled, "outcome", "reason", "arbiter", "second_person"),
        "entries": [_entry(entry) for entry in ruled.entries],
        "appeal_until": until,
    }


def _entry(entry: EntryRuled) -> dict[str, Any]:
    return {**_fields(entry, *WAGER), "amount": money(entry.amount), "account": entry.account}


def _appeal(dispute: Dispute) -> dict[str, Any] | None:
    appeal = dispute.appeal
    if appeal is None:
        return None
    return {**_fields(appeal, "appellant", "grounds"), "taken_by": dispute.appealed_by}


def _fields(value: object, *names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


# ---- the round


def lines_of(round_: Round) -> list[dict[str, Any]]:
    """Return each settlement line with what the dealer reported, and what was corrected since."""
    reported = {wager_key(it.reported): it for it in compared(round_)}
    corrected: dict[WagerKey, int] = {}
    for posted in round_.corrections:
        corrected[wager_key(posted)] = corrected.get(wager_key(posted), 0) + posted.amount
    lines = []
    for line in round_.lines:
        of = reported.get(wager_key(line))
        lines.append(
            {
                **line_document(line),
                "reported_paid": None if of is None else money(of.reported.paid),
                "reported_collected": None if of is None else money(of.reported.collected),
                "difference": None if of is None else money(of.difference),
                "corrected": money(corrected.get(wager_key(line), 0)),
            }
        )
    return lines


def what_if_document(round_id: str, supposed: WhatIf) -> dict[str, Any]:
    refusal = supposed.refusal
    return {
        "round": round_id,
        "facts": {str(at): fact for at, fact in supposed.facts.items()},
        "lines": [_line_changed(change) for change in supposed.lines],
        "unchanged": supposed.unchanged,
        "bettors": {bettor: money(amount) for bettor, amount in supposed.bettors.items()},
        "bank": money(supposed.bank),
        "error": None if refusal is None else _fields(refusal, "code", "detail", "clause", "action"),
    }


def _line_changed(change: LineChange) -> dict[str, Any]:
    return {
        **_fields(change.line, *WAGER),
        "before": None if change.before is None else line_document(change.before),
        "after": None if change.after is None else line_document(change.after),
        "difference": money(change.difference),
    }

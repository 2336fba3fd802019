"""The round on paper."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from domain.cards import face
from domain.documents.result import result_of
from domain.moments import format_later_moment
from domain.moments import format_moment as moment
from domain.money import money
from domain.view.event_text import FACE_DOWN
from infra.ledger.replay import Replay, Step
from projections.evidence.readme import TIMES
from projections.export.pdf_sheet import Sheet
from projections.export.round_tables import WAGER, hands_on
from projections.reports.report import total_of

if TYPE_CHECKING:
    from projections.evidence.bundle import Evidence

LINES = (*WAGER, "paid", "collected", "shortfall", "clause", "why")
ADDED_UP = ("wager", "paid", "collected", "shortfall")
EVENTS = ("#", "time", "by", "seat", "cards", "money", "what happened", "clause")


def paper_of(story: Replay, evidence: Evidence) -> bytes:
    first, last = story.steps[0], story.steps[-1]
    opened, result = first.entry.event, result_of(last.round)
    checkpoint = evidence.checkpoint
    root = checkpoint.note.body.splitlines()[2]
    sheet = Sheet(f"Round {story.round_id}", f"{checkpoint.origin}, size {checkpoint.size}, root {root}")
    table = f", table {opened.table}" if opened.table else ""
    sheet.text(f"{first.round.rules.id}{table}, opened at {moment(first.entry.at)}, {result['status']}.")
    sheet.text(f"Amounts are in US dollars. {TIMES}")
    sheet.figures(
        {
            "bank": opened.bank_bettor or "house",
            "wager": result["bank"]["wager"],
            "paid": result["bank"]["paid"],
            "collected": result["bank"]["collected"],
            "fee": None if result["fee"] is None else result["fee"]["amount"],
            "action": None if result["exposure"] is None else result["exposure"]["action"],
            "button": result["button"],
            "dealer hand": None if result["dealer"] is None else result["dealer"]["hand"],
        }
    )
    sheet.heading("Result of each wager")
    if result["lines"]:
        sums = {name: total_of(line[name] for line in result["lines"]) for name in ADDED_UP}
        sheet.table(LINES, [_line(line) for line in result["lines"]], sums)
    else:
        sheet.remark(f"Nothing was settled: the round is {result['status']}.")
    hands = list(hands_on(last.table_view))
    if hands:
        sheet.heading("The cards")
        sheet.hands(hands)
    sheet.heading("What happened")
    sheet.table(EVENTS, [_shown(step, first.entry.at) for step in story.steps])
    sheet.heading("Where it is sealed")
    indexes = [sealed.proof.index for sealed in evidence.of_round]
    for words in (
        f"Entries {indexes[0]} to {indexes[-1]} of the log {checkpoint.origin}, {len(indexes)} events.",
        f"Size and root that were signed: {checkpoint.size}  {root}",
        f"Key: {evidence.key.text()}",
        f"Rule set {opened.ruleset}, SHA-256 {opened.ruleset_hash}",
    ):
        sheet.remark(words)
    finished: bytes = sheet.finish()
    return finished


def _line(line: dict[str, Any]) -> dict[str, Any]:
    return {**line, **{name: line[name].replace("_", " ") for name in ("spot", "outcome")}, "why": line["reason"]}


def _shown(step: Step, opened_at: datetime) -> dict[str, Any]:
    text = step.text
    return {
        "#": step.number,
        "time": f"{format_later_moment(opened_at, step.entry.at)}{' late' if step.entry.late else ''}",
        "by": step.entry.by,
        "seat": text.seat,
        "cards": _cards(text.cards),
        "money": None if text.amount is None else money(text.amount),
        "what happened": text.what,
        "clause": text.clause or step.why.clause,
    }


def _cards(cards: Sequence[str]) -> str:
    """Return the cards; a count of cards is in words, so that nobody takes it for a card."""
    seen = [face(card) for card in cards if card != FACE_DOWN]
    closed = len(cards) - len(seen)
    return " ".join([*seen, f"{closed} face down"] if closed else seen)

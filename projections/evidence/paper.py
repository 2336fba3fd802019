"""The round on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from domain.money import money
from domain.results import result_of
from infra.replaying import Replayed, Step
from projections.pdf import Sheet

if TYPE_CHECKING:
    from projections.evidence.bundle import Evidence

LINES = (
    "seat",
    "bettor",
    "hand",
    "spot",
    "wager",
    "outcome",
    "odds",
    "paid",
    "collected",
    "shortfall",
    "clause",
    "reason",
)
EVENTS = ("#", "time", "by", "seat", "cards", "money", "what happened", "clause")
FACE_DOWN = "(face down)"  # the standard fonts have no block to draw it with


def paper_of(story: Replayed, evidence: Evidence) -> bytes:
    first, last = story.steps[0], story.steps[-1]
    opened, result = first.entry.event, result_of(last.round)
    sheet = Sheet(f"Round {story.round_id}")
    sheet.remark(
        f"{first.round.rules.id}, table {opened.table}, {first.entry.at:%Y-%m-%d %H:%M:%S} UTC, {result['status']}"
    )
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
    sheet.heading("What became of each wager")
    if result["lines"]:
        sheet.table(LINES, result["lines"])
    else:
        sheet.remark(f"Nothing was settled: the round is {result['status']}.")
    sheet.heading("What happened")
    sheet.table(EVENTS, [_shown(step) for step in story.steps])
    sheet.heading("Where it is sealed")
    checkpoint = evidence.checkpoint
    indexes = [sealed.proof.index for sealed in evidence.of_round]
    for words in (
        f"Entries {indexes[0]} to {indexes[-1]} of the log {checkpoint.origin}, {len(indexes)} events.",
        f"Size and root that were signed: {checkpoint.size}  {checkpoint.note.body.splitlines()[2]}",
        f"Key: {evidence.key.text()}",
        f"Rule set {opened.ruleset}, SHA-256 {opened.ruleset_hash}",
    ):
        sheet.remark(words)
    finished: bytes = sheet.finish()
    return finished


def _shown(step: Step) -> dict[str, Any]:
    told = step.told
    return {
        "#": step.number,
        "time": f"{step.entry.at:%H:%M:%S}{' late' if step.entry.late else ''}",
        "by": step.entry.by,
        "seat": told.seat,
        "cards": " ".join(card if card.isascii() else FACE_DOWN for card in told.cards),
        "money": None if told.amount is None else money(told.amount),
        "what happened": told.what,
        "clause": told.clause or step.why.clause,
    }

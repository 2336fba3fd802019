"""What tests send, and the examples that the engine works out: `python -m tests.api.http.examples` stores them anew."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from api.http import schemas
from api.http.examples import EXAMPLES
from domain.disputes import disputes
from domain.disputes.whatif import CardChange, what_if
from domain.documents.document import adjudicate, read_document
from domain.documents.result import result_of
from domain.moments import DAY_MS, milliseconds, read_moment
from domain.round.decide import expects
from domain.round.replay import fact_documents, facts_of, play
from domain.rules import rulesets
from domain.rules.description.contents import contents, summary
from domain.view.reasons import why
from domain.view.table_view import table_view
from infra.ledger.disputes.dispute_document import dispute_document, lines_of, what_if_document
from infra.ledger.disputes.disputes import StoredDispute
from infra.ledger.replay import Replay, Step
from infra.store.encoding.mapper import Entry, RecordedEvent
from infra.store.streams import stream_id
from projections.views.rounds.replay_steps import steps_of

DOCUMENT: dict[str, Any] = EXAMPLES["RoundDocumentIn"]
ACTIONS: list[dict[str, Any]] = DOCUMENT["actions"]
TERMS: dict[str, Any] = DOCUMENT["terms"]
PLAYER_DEALER: dict[str, Any] = DOCUMENT["player_dealer"]
SESSION_BODY: dict[str, Any] = EXAMPLES["SessionIn"]
ROUND_BODY: dict[str, Any] = EXAMPLES["RoundIn"]
ACTIONS_BODY: dict[str, Any] = EXAMPLES["ActionsIn"]
CORRECTION_BODY: dict[str, Any] = EXAMPLES["CorrectionIn"]
FACTS_BODY: dict[str, Any] = EXAMPLES["FactsIn"]
REFERENCE_BODY: dict[str, Any] = EXAMPLES["ReferenceIn"]
WHAT_IF_BODY: dict[str, Any] = EXAMPLES["WhatIfIn"]
CHECKPOINT: str = EXAMPLES["checkpoint"]

WIDTH = 118  # of a line of the file


def worked_out() -> dict[str, Any]:
    """The examples that follow from the example document, the rule sets and the claim, by the name of their model."""
    found = {**_rounds(), **_disputes()}
    found["RulesetsOut"] = {"rulesets": [summary(rulesets.load("uth-casino-club"))]}
    found["RulesetOut"] = contents(rulesets.load("uth-house"))
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found))
    return plain


def _rounds() -> dict[str, Any]:
    opening = read_document({**DOCUMENT, "actions": []}).opening
    dealt, _ = play(opening, ACTIONS[:6])
    bet, (placed,) = play(opening, ACTIONS[:1])
    at = datetime(2026, 3, 8, 20, 15, 4, 120_000, UTC)
    told = enumerate(((opening, opening.opened), (bet, placed)), start=1)
    steps = [Step(number, Entry(event, "dealer-7", round(at.timestamp() * 1000)), round_, at)
             for number, (round_, event) in told]  # fmt: skip
    return {
        "ResultOut": adjudicate(msgspec.json.encode(DOCUMENT)),
        "RoundOut": {**result_of(dealt), "id": "r-0001", "table": "t1", "version": 8, "expects": expects(dealt)},
        "SessionOut": {
            **EXAMPLES["SessionOut"],
            "hash": opening.rules.content_hash,
            "terms": opening.terms.document,
        },
        "ReplayOut": {
            **EXAMPLES["ReplayOut"],
            "result": result_of(bet),
            "table": table_view(bet),
            "why": why(bet, placed),
        },
        "StepsOut": steps_of(Replay("r-0001", steps)),
    }


def _disputes() -> dict[str, Any]:
    at_ms = milliseconds(read_moment("2026-03-08T20:20:00-08:00", "at"))
    document = read_document(DOCUMENT)
    round_, happened = play(document.opening, document.actions)
    evidence = disputes.Evidence(len(happened) + 1, "9f2c" * 16, disputes.result_hash(result_of(round_)))
    claim = disputes.Claim(1, "ante", "payout", 25_00, "Paid even money on 50.00.", at_ms + 3 * DAY_MS)
    opened = disputes.open_dispute("d-0001", "r-0001", round_, claim, evidence, ["dealer-7"], at_ms)
    event = RecordedEvent(stream_id("dispute", "d-0001"), 1, opened, "floor-1", at_ms)
    shown = dispute_document(StoredDispute(disputes.start(opened, "floor-1"), [event]), at_ms)
    supposed = what_if(round_, document.opening, facts_of(happened), [CardChange("dealer", 2, "7d")])
    answer = what_if_document("r-0001", supposed)
    return {
        "DisputeOut": shown,
        "WhatIfOut": answer,
        "DisputeFileOut": {
            **shown,
            "intact": True,
            "round_status": "settled",
            "round_version": evidence.version + 1,
            "lines": lines_of(round_),
            "facts": fact_documents(happened),
            "what_ifs": [{"text": "Had it been the seven.", "cards": WHAT_IF_BODY["cards"], **answer}],
        },
    }


def _written(value: Any, indent: int = 0, used: int = 0) -> str:
    """JSON with what is short on one line, so that a change is seen as one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent + used <= WIDTH or not isinstance(value, dict | list):
        return line
    if isinstance(value, dict):
        inside = [f"{json.dumps(name)}: {_written(one, indent + 1, len(name) + 5)}" for name, one in value.items()]
    else:
        inside = [_written(one, indent + 1, 1) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = ",\n".join(" " * (indent + 1) + one for one in inside)
    return f"{opening}\n{lines}\n{' ' * indent}{closing}"


if __name__ == "__main__":
    file = Path(schemas.__path__[0]) / "examples.json"
    file.write_text(_written(dict(sorted((EXAMPLES | worked_out()).items()))) + "\n", encoding="utf-8")

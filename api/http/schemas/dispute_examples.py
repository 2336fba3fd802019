"""Examples of disputes for the OpenAPI document, worked out by the domain from the example round."""

from __future__ import annotations

from typing import Any

from api.http.schemas.examples import DOCUMENT
from domain.disputes import disputes
from domain.disputes.whatif import CardChange, what_if
from domain.documents.document import read_document
from domain.documents.result import result_of
from domain.moments import milliseconds, read_moment
from domain.round.replay import fact_documents, facts_of, play
from infra.ledger.dispute_document import dispute_document, lines_of, what_if_document
from infra.ledger.disputes import StoredDispute
from infra.store.encoding.mapper import RecordedEvent
from infra.store.streams import stream_id

_AT_MS = milliseconds(read_moment("2026-03-08T20:20:00-08:00", "at"))
_OPENED = read_document(DOCUMENT)
_ROUND, _HAPPENED = play(_OPENED.opening, _OPENED.actions)
_EVIDENCE = disputes.Evidence(len(_HAPPENED) + 1, "9f2c" * 16, disputes.result_hash(result_of(_ROUND)))
_CLAIM = disputes.Claim(1, "ante", "payout", 25_00, "Paid even money on 50.00.", _AT_MS + 3 * disputes.DAY_MS)
_DISPUTE = disputes.open_dispute("d-0001", "r-0001", _ROUND, _CLAIM, _EVIDENCE, ["dealer-7"], _AT_MS)
_FILED = StoredDispute(
    disputes.start(_DISPUTE, "floor-1"), [RecordedEvent(stream_id("dispute", "d-0001"), 1, _DISPUTE, "floor-1", _AT_MS)]
)
_FACTS = facts_of(_HAPPENED)
_CARD = CardChange("dealer", 2, "7d")

DISPUTE_BODY: dict[str, Any] = {
    "round": "r-0001",
    "seat": 1,
    "spot": "ante",
    "kind": "payout",
    "claimed": "25.00",
    "claim": "Paid even money on 50.00.",
}
DISPUTE = dispute_document(_FILED, _AT_MS)
WHAT_IF_BODY: dict[str, Any] = {"cards": [{"of": "dealer", "number": 2, "card": "7d"}]}
WHAT_IF = what_if_document("r-0001", what_if(_ROUND, _OPENED.opening, _FACTS, [_CARD]))
FILE = {
    **DISPUTE,
    "intact": True,
    "round_status": "settled",
    "round_version": _EVIDENCE.version + 1,
    "lines": lines_of(_ROUND),
    "facts": fact_documents(_HAPPENED),
    "what_ifs": [{"text": "Had it been the seven.", "cards": WHAT_IF_BODY["cards"], **WHAT_IF}],
}
FOUND = {
    "disputes": [
        {
            **{name: DISPUTE[name] for name in ("dispute", "round", "table", "seat", "bettor", "spot", "kind")},
            "claimed": "25.00",
            "status": "open",
            "overdue": False,
            "deadline": "2026-03-11T20:20:00.000-07:00",
            "opened_at": "2026-03-08T20:20:00.000-07:00",
            "opened_by": "floor-1",
            "dealer": "dealer-7",
            "player_dealer": "tp-1",
            "outcome": None,
            "awarded": "0.00",
        }
    ],
    "counts": {"all": 1, "open": 1, "appealed": 0, "overdue": 0},
    "cursor": None,
}
REFERENCE_BODY = {
    "camera": "cam-12",
    "from": "2026-03-08T20:15:00-07:00",
    "to": "2026-03-08T20:17:00-07:00",
    "text": "The payout.",
}
RULING_BODY: dict[str, Any] = {
    "outcome": "upheld",
    "reason": "The stack was short by 5.00.",
    "entries": [{"seat": 1, "bettor": "p-1", "spot": "ante", "amount": "5.00", "account": "player-dealer"}],
    "second_person": "floor-3",
    "appeal_until": "2036-03-15T20:20:00-07:00",
}
APPEAL_RULING_BODY = {name: value for name, value in RULING_BODY.items() if name != "appeal_until"}

"""Round documents for tests of the ledger: short rounds at a table of their own, and what is stored of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any
from uuid import UUID

from domain.documents.document import adjudicate
from infra.ledger.ledger import Actor, Ledger
from infra.store.streams import stream_id
from tests.rules.hold_em import HoldEm
from tests.rules.rounds import Play

ACTOR = Actor("d-1", 1_794_960_000_000)  # the first day of the newest rules
BOARD = "Kd9c7h4s2d"
METER = {"seed": "1000.00", "shown": "2000.00", "reserve": "0.00", "percent": 25, "reserve_percent": 5}
_NUMBERS = count(1)

Document = dict[str, Any]


def new_table() -> str:
    """A table that no other test of this process sits at."""
    return f"t-{next(_NUMBERS)}"


def document(play: Play, table: str, round_id: str | None = None) -> Document:
    raw = {**play.envelope, "table": table, "actions": [dict(action) for action in play.actions]}
    raw["round"] = round_id or f"{table}-r-{next(_NUMBERS)}"
    return raw


def bank_round(
    table: str,
    bettor: str = "a",
    seat: int = 7,
    *,
    ruleset: str = "uth-casino-club",
    declined: Sequence[int] | None = None,
    players: Mapping[int, str] | None = None,
    end: str = "settle",
    round_id: str | None = None,
    **terms: Any,
) -> Document:
    """A round that `bettor` banks; seat 1 raises with aces, and seat 2, where it bets, folds threes in the end.

    `end`: "settle", "void", or "open" for a document that stops after the first decisions.
    """
    play = HoldEm.at(ruleset, banker=seat, players=players, declined=None if declined is None else [*declined], **terms)
    play.envelope["player_dealer"]["bettor"] = bettor
    play = play.bet(1, ante=10, blind=10).bet(2, ante=20, blind=20)
    play = play.deal_out({1: "AsAd", 2: "3c3d"}, "QsQc", BOARD).raise_(1, 4)
    if end == "settle":
        play = play.check(2).reveal("flop").check(2).reveal("turn_river").fold(2).reveal("dealer").settle()
    elif end == "void":
        play = play.void("misdeal")
    return document(play, table, round_id)


REST: list[Document] = [
    {"do": "decide", "seat": 2, "choice": "check"},
    {"do": "reveal", "of": "flop"},
    {"do": "decide", "seat": 2, "choice": "check"},
    {"do": "reveal", "of": "turn_river"},
    {"do": "decide", "seat": 2, "choice": "fold"},
    {"do": "reveal", "of": "dealer"},
    {"do": "settle"},
]


def progressive_round(table: str, meter: Mapping[str, Any], *, end: str = "settle", royal: bool = False) -> Document:
    """A round of uth-sd with two progressive wagers of a dollar."""
    play = HoldEm.at("uth-sd", trips="UTH-01", progressive="PMG-01", meter={**METER, **meter})
    play = play.bet(1, ante=10, blind=10, progressive=1).bet(2, ante=10, blind=10, progressive=1)
    board = "QsJsTs4d2h" if royal else BOARD
    play = play.deal_out({1: "AsKs" if royal else "AsAc", 2: "3c3d"}, "9h9d", board).raise_(1, 4).raise_(2, 4)
    if end == "settle":
        play = play.reveal_all().settle()
    elif end == "void":
        play = play.void("misdeal")
    return document(play, table)


def adjudicated(raw: Document) -> dict[str, Any]:
    return adjudicate(json.dumps(raw).encode())


def without_ledger(result: Mapping[str, Any]) -> dict[str, Any]:
    """A recorded result without what `record` adds."""
    return {name: value for name, value in result.items() if name not in ("id", "events")}


def events_of(ledger: Ledger, kind: str, name: str) -> list[Any]:
    return [entry.event for entry in ledger.events.load(stream_id(kind, name))]


def session_events(ledger: Ledger, table: str, session: int = 1) -> list[Any]:
    return events_of(ledger, "session", f"{table}/{session}")


def stored_bytes(ledger: Ledger) -> list[tuple[UUID, int, str, bytes]]:
    """Everything that is stored, in its order."""
    found = []
    after = 0
    while rows := ledger.events.recorder.read(after, 10_000):
        found += [(row.originator_id, row.originator_version, row.topic, row.state) for row in rows]
        after = rows[-1].position
    return found

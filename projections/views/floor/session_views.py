"""Views of a table's session."""

from __future__ import annotations

from typing import Any

from domain.floor.table_sessions import TableSession
from infra.access.callers import Caller
from infra.ledger.floor import Floor
from projections.views.blindness import hidden_tables, may_count
from projections.views.read_side import NotFound, ReadSide


def session_shown(session: TableSession, blind: bool = False) -> dict[str, Any]:
    """Return the session; `blind`: without what reveals how many rounds were played, and so how many fees were taken.
    Decks that alternate change with every round."""
    run = None if blind else session.run
    return {
        "table": session.table,
        "session": session.opened.session,
        "ruleset": session.rules.id,
        "hash": session.rules.content_hash,
        "terms": session.terms.document,
        "players": {str(seat): bettor for seat, bettor in sorted(session.seats.items())},
        "box": session.box,
        "deck": None if blind else session.deck,
        "dealer": session.dealer,
        "banked": None if run is None else {"bettor": run.bettor, "seat": run.seat, "rounds": run.rounds},
        "playing": None if session.playing is None or blind else session.playing.round,
        "rounds": None if blind else session.rounds,
        "open": not session.closed,
    }


def is_blind(read_side: ReadSide, caller: Caller, table: str) -> bool:
    return may_count(read_side, caller) and table in hidden_tables(read_side)


def latest_session(read_side: ReadSide, caller: Caller, table: str) -> dict[str, Any]:
    session = Floor(read_side.ledger).latest_session(table)
    if session is None:
        raise NotFound(f"Table {table} has never been open.")
    return session_shown(session, is_blind(read_side, caller, table))

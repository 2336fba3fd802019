"""`tables`: every table as its latest session leaves it, and the round that was opened there last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from domain.tables import (
    BoxChanged,
    DealerTappedIn,
    DealerTappedOut,
    RoundBegun,
    RoundEnded,
    SeatLeft,
    SeatTaken,
    SessionClosed,
    SessionOpened,
)
from infra.database import Database
from projections.facts import Now, SessionFacts
from projections.gaming_days import Belongs, GamingDays
from projections.projection import ALWAYS, Handler, Latest, Projection, Window
from projections.storage import Row, Table

TABLES = Table(
    "tables",
    {
        "table_id": "text NOT NULL",
        "session": "integer NOT NULL",
        "opened_at": "ms NOT NULL",
        "ruleset": "text NOT NULL",
        "open": "boolean NOT NULL",
        "box": "text",
        "dealer": "text",
        "players": "smallint NOT NULL",
        "rounds": "integer NOT NULL",
        "round": "text",
        "round_at": "ms",
        "round_status": "text",
        "player_dealer": "text",
        "bank_seat": "smallint",
        "turn": "smallint",
    },
    ("table_id",),
)
CHANGING = (
    SessionOpened,
    SeatTaken,
    SeatLeft,
    RoundBegun,
    RoundEnded,
    BoxChanged,
    DealerTappedIn,
    DealerTappedOut,
    SessionClosed,
)


class Tables(Projection):
    name = "tables"
    tables = (TABLES,)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._changed: dict[str, SessionFacts] = {}

    def handlers(self) -> Mapping[type, Handler]:
        return dict.fromkeys(CHANGING, self._moved)

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        changed, self._changed = self._changed, {}
        latest = Latest(TABLES)
        for session in changed.values():
            latest.put(session.table, _row(session))
        yield latest.gathered()

    def _moved(self, now: Now, event: object, session: SessionFacts) -> None:
        known = self._changed.get(session.table)
        if known is None or known.session <= session.session:
            self._changed[session.table] = session


def _row(session: SessionFacts) -> Row:
    begun = session.begun
    return (
        session.table,
        session.session,
        session.opened_at_ms,
        "" if session.opened is None else session.opened.ruleset,
        not session.closed,
        session.box,
        session.dealer,
        len(session.seats),
        session.rounds,
        None if begun is None else begun.round,
        None if begun is None else session.begun_at_ms,
        None if begun is None else session.ended or "open",
        None if begun is None else begun.bank_bettor,
        None if begun is None else begun.bank_seat,
        None if begun is None else begun.turn,
    )


# ---- asked

# Fees and flags are of one shift, which the index of each table finds by its day.
ON_THE_FLOOR = """
SELECT t.table_id, t.session, t.opened_at, t.ruleset, t.open, t.box, t.dealer, t.players, t.rounds,
    t.round, t.round_at, t.round_status, t.player_dealer, t.bank_seat, t.turn,
    coalesce((SELECT sum(c.fees - c.waived) FROM projections.collections c
        WHERE c.gaming_day = %(day)s AND c.shift = %(shift)s AND c.table_id = t.table_id), 0)::bigint AS fees,
    f.rounds_in_shift, f.voided, f.short, f.corrected, f.noted
FROM projections.tables t
LEFT JOIN LATERAL (
    SELECT count(*) AS rounds_in_shift, count(*) FILTER (WHERE h.status = 'void') AS voided,
        count(*) FILTER (WHERE h.shortfall > 0) AS short, count(*) FILTER (WHERE h.corrected > 0) AS corrected,
        count(*) FILTER (WHERE h.notes > 0) AS noted
    FROM projections.hands h WHERE h.gaming_day = %(day)s AND h.table_id = t.table_id AND h.shift = %(shift)s
) f ON true
ORDER BY t.open DESC, t.table_id
"""
NAMES = (
    "table", "session", "opened_at", "ruleset", "open", "box", "dealer", "players", "rounds", "round", "round_at",
    "round_status", "player_dealer", "bank_seat", "turn", "fees", "rounds_in_shift",
    "voided", "short", "corrected", "noted",
)  # fmt: skip


def on_the_floor(database: Database, now: Belongs) -> list[dict[str, Any]]:
    """Every table, the open ones first; amounts are cents. Fees and what happened are of the present shift."""
    values = {"day": now.day, "shift": now.shift}
    rows = database.read(lambda cursor: cursor.execute(ON_THE_FLOOR, values).fetchall())
    return [dict(zip(NAMES, row, strict=True)) for row in rows]

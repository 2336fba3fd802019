"""`tables`: every table as its latest session leaves it, the round that was opened there last, and counts by shift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from domain.events import NoteMade, RoundCorrected, RoundOpened, RoundSettled, RoundVoided
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
from projections.facts import Now, RoundFacts, SessionFacts
from projections.gaming_days import Belongs, GamingDays
from projections.projection import ALWAYS, Handler, Latest, Projection, Sums, Window
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
SUMS = ("rounds", "voided", "short", "corrected", "noted")
ROUNDS, VOIDED, SHORT, CORRECTED, NOTED = range(len(SUMS))
SHIFTS = Table(
    "tables_shifts",
    {
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "table_id": "text NOT NULL",
        **dict.fromkeys(SUMS, "bigint NOT NULL"),
    },
    ("gaming_day", "shift", "table_id"),
    sums=SUMS,
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
    tables = (TABLES, SHIFTS)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._changed: dict[str, SessionFacts] = {}
        self._shifts = Sums(SHIFTS)

    def handlers(self) -> Mapping[type, Handler]:
        return {
            **dict.fromkeys(CHANGING, self._moved),
            RoundOpened: self._opened,
            RoundVoided: self._voided,
            RoundSettled: self._settled,
            RoundCorrected: self._corrected,
            NoteMade: self._noted,
        }

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        changed, self._changed = self._changed, {}
        latest = Latest(TABLES)
        for session in changed.values():
            latest.put(session.table, _row(session))
        yield latest.gathered()
        yield self._shifts.gathered()

    def _moved(self, now: Now, event: object, session: SessionFacts) -> None:
        known = self._changed.get(session.table)
        if known is None or known.session <= session.session:
            self._changed[session.table] = session

    # ---- what happened in a shift: rounds, each counted once whatever is noted or corrected of it

    def _of(self, round_: RoundFacts) -> list[int]:
        return self._shifts.of((*round_.belongs, round_.table))

    def _opened(self, now: Now, event: RoundOpened, round_: RoundFacts) -> None:
        self._of(round_)[ROUNDS] += 1

    def _voided(self, now: Now, event: RoundVoided, round_: RoundFacts) -> None:
        self._of(round_)[VOIDED] += 1

    def _settled(self, now: Now, event: RoundSettled, round_: RoundFacts) -> None:
        if any(line.shortfall > 0 for line in round_.lines):
            self._of(round_)[SHORT] += 1

    def _corrected(self, now: Now, event: RoundCorrected, round_: RoundFacts) -> None:
        if round_.corrected == 1:
            self._of(round_)[CORRECTED] += 1

    def _noted(self, now: Now, event: NoteMade, round_: RoundFacts) -> None:
        if round_.notes == 1:
            self._of(round_)[NOTED] += 1


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

# Fees and counts are of one shift, found by the keys of their tables.
ON_THE_FLOOR = """
SELECT t.table_id, t.session, t.opened_at, t.ruleset, t.open, t.box, t.dealer, t.players, t.rounds,
    t.round, t.round_at, t.round_status, t.player_dealer, t.bank_seat, t.turn,
    coalesce((SELECT sum(c.fees - c.waived) FROM projections.collections c
        WHERE c.gaming_day = %(day)s AND c.shift = %(shift)s AND c.table_id = t.table_id), 0)::bigint AS fees,
    coalesce(s.rounds, 0), coalesce(s.voided, 0), coalesce(s.short, 0), coalesce(s.corrected, 0), coalesce(s.noted, 0)
FROM projections.tables t
LEFT JOIN projections.tables_shifts s
    ON s.gaming_day = %(day)s AND s.shift = %(shift)s AND s.table_id = t.table_id
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

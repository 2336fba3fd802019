"""`tables`: every table after its latest session, the round that was opened there last, and counts by shift."""

from __future__ import annotations

from collections.abc import Iterator

from domain.floor.table_sessions import (
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
from domain.round.events import NoteMade, RoundCorrected, RoundOpened, RoundSettled, RoundVoided
from projections.accumulators.accumulator import EventMeta
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.engine.projection import Projection, on
from projections.engine.row_collectors import Changed, Sums
from projections.engine.table import SHIFT_AND_TABLE, Row, Table, sums_table

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
SHIFTS = sums_table("tables_shifts", SHIFT_AND_TABLE, SUMS)
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


def _rows(session: SessionAccumulator) -> Iterator[Row]:
    begun = session.begun
    yield (
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


class Tables(Projection):
    name = "tables"
    latest_sessions = Changed((TABLES, _rows))
    shifts = Sums(SHIFTS)

    @on(*CHANGING)
    def _moved(self, meta: EventMeta, event: object, session: SessionAccumulator) -> None:
        changed = self.latest_sessions.accumulators
        if session.table not in changed or changed[session.table].session <= session.session:
            changed[session.table] = session

    # ---- the rounds of a shift, each counted once however often it is corrected or annotated

    def _of(self, round_: RoundAccumulator) -> list[int]:
        return self.shifts.of((*round_.day_shift, round_.table))

    @on(RoundOpened)
    def _opened(self, meta: EventMeta, event: RoundOpened, round_: RoundAccumulator) -> None:
        self._of(round_)[ROUNDS] += 1

    @on(RoundVoided)
    def _voided(self, meta: EventMeta, event: RoundVoided, round_: RoundAccumulator) -> None:
        self._of(round_)[VOIDED] += 1

    @on(RoundSettled)
    def _settled(self, meta: EventMeta, event: RoundSettled, round_: RoundAccumulator) -> None:
        if round_.shortfall:
            self._of(round_)[SHORT] += 1

    @on(RoundCorrected)
    def _corrected(self, meta: EventMeta, event: RoundCorrected, round_: RoundAccumulator) -> None:
        if round_.corrected == 1:
            self._of(round_)[CORRECTED] += 1

    @on(NoteMade)
    def _noted(self, meta: EventMeta, event: NoteMade, round_: RoundAccumulator) -> None:
        if round_.notes == 1:
            self._of(round_)[NOTED] += 1

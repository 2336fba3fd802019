"""`tables`: every table after its latest session, its last round, and counts by shift."""

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
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Changed, Sums
from projections.engine.table import SHIFT_AND_TABLE, Row, sums_table, table

TABLES = table(
    "tables",
    """
    table_id text NOT NULL,
    session integer NOT NULL,
    opened_at ms NOT NULL,
    ruleset text NOT NULL,
    open boolean NOT NULL,
    box text,
    dealer text,
    players smallint NOT NULL,
    rounds integer NOT NULL,
    round text,
    round_at ms,
    round_status text,
    player_dealer text,
    bank_seat smallint,
    turn smallint
    """,
    key="table_id",
)
SHIFTS = sums_table("tables_shifts", SHIFT_AND_TABLE, "rounds, voided, short, corrected, noted")
COUNTED = {
    RoundOpened: "rounds",
    RoundVoided: "voided",
    RoundSettled: "short",
    RoundCorrected: "corrected",
    NoteMade: "noted",
}
Changing = (
    SessionOpened
    | SeatTaken
    | SeatLeft
    | RoundBegun
    | RoundEnded
    | BoxChanged
    | DealerTappedIn
    | DealerTappedOut
    | SessionClosed
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
    cost = 7
    latest_sessions = Changed((TABLES, _rows))
    shifts = Sums(SHIFTS)

    @handler
    def _moved(self, event: Changing, session: SessionAccumulator) -> None:
        changed = self.latest_sessions.accumulators
        if session.table not in changed or changed[session.table].session <= session.session:
            changed[session.table] = session

    @handler
    def _counted(
        self, event: RoundOpened | RoundVoided | RoundSettled | RoundCorrected | NoteMade, round_: RoundAccumulator
    ) -> None:
        """Count the rounds of a shift, each once however often it is corrected or annotated."""
        match event:
            case RoundSettled() if not round_.shortfall:
                return
            case RoundCorrected() if round_.corrected > 1:
                return
            case NoteMade() if round_.notes > 1:
                return
        self.shifts.add((*round_.day_shift, round_.table), **{COUNTED[type(event)]: 1})

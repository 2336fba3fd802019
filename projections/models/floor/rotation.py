"""`rotation`: who banked when and how many times in a row, who was offered the bank, and who was passed over.

The ledger refuses a third round in a row. It cannot refuse a missing offer: a seat between the last player-dealer and
the next one that did not decline is a breach."""

from __future__ import annotations

from collections.abc import Sequence

from domain.floor.table_sessions import BankDeclined, BankOffered, RoundBegun, RoundEnded
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Latest, Sums
from projections.engine.table import SHIFT, SHIFT_AND_TABLE, sums_table, table

TURNS = table(
    "rotation",
    f"""
    round text NOT NULL,
    table_id text NOT NULL,
    session integer NOT NULL,
    at ms NOT NULL,
    {SHIFT},
    seat smallint NOT NULL,
    bettor text NOT NULL,
    turn smallint,
    declined int[] NOT NULL,
    passed_over int[] NOT NULL,
    breach text,
    status text NOT NULL
    """,
    key="round",
    indexes=(
        "(table_id, at)",
        "(gaming_day, table_id)",
        "(bettor, at)",
        "(at) WHERE breach IS NOT NULL",
        "(at, round)",
        "(gaming_day, at, round)",
    ),
)
# What an inspection says of a day, by table and player-dealer; `longest` is 0 if no turn is known.
BANKS = sums_table(
    "rotation_banks",
    f"{SHIFT_AND_TABLE}, bettor text NOT NULL",
    "rounds, declined, breaches",
    most="longest smallint NOT NULL",
)
OFFERS = table(
    "rotation_offers",
    """
    position bigint NOT NULL,
    table_id text NOT NULL,
    session integer NOT NULL,
    at ms NOT NULL,
    seat smallint NOT NULL,
    bettor text NOT NULL,
    what text NOT NULL
    """,
    key="position",
    appended=True,
    indexes=("(table_id, at)", "(bettor, at)"),
)


class Rotation(Projection):
    name = "rotation"
    version = 2
    cost = 5
    turns = Latest(TURNS)
    banks = Sums(BANKS)
    offers = Appended(OFFERS)

    @handler
    def _offered(self, event: BankOffered | BankDeclined, session: SessionAccumulator) -> None:
        what = "offered" if isinstance(event, BankOffered) else "declined"
        self.offers.add(
            (session.position, session.table, session.session, session.at_ms, event.seat, event.bettor, what)
        )

    @handler
    def _moved(self, event: RoundBegun | RoundEnded, session: SessionAccumulator) -> None:
        begun = session.begun
        if begun is None or begun.bank_seat is None:
            return
        row = (
            begun.round,
            session.table,
            session.session,
            session.begun_at_ms,
            *self.posting_days.calendar.of(session.begun_at_ms),
            begun.bank_seat,
            begun.bank_bettor,
            begun.turn,
            ",".join(map(str, session.declined)),
            ",".join(map(str, session.passed_over)),
            _breach(session.passed_over),
            session.ended or "open",
        )
        self.turns.put(begun.round, row)
        if isinstance(event, RoundBegun) and session.begun_at_ms in self.window:
            key = (*self.posting_days.calendar.of(session.begun_at_ms), session.table, begun.bank_bettor)
            breaches, declined = int(bool(session.passed_over)), len(session.declined)
            self.banks.add(key, rounds=1, declined=declined, breaches=breaches, longest=begun.turn or 0)


def _breach(passed_over: Sequence[int]) -> str | None:
    if not passed_over:
        return None
    seats, many = ", ".join(map(str, passed_over)), len(passed_over) > 1
    return f"{'Seats' if many else 'Seat'} {seats} {'were' if many else 'was'} passed over without having declined."

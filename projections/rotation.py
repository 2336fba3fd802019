"""`rotation`: who banked when and for the how manieth time in a row, who was offered the bank, and who was passed over.

The ledger refuses a third round in a row; what it cannot refuse, because nobody asked it, is an offer that was never
made. A seat between the last player-dealer and the next one that did not decline is a breach.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.tables import BankDeclined, BankOffered, RoundBegun, RoundEnded
from projections.facts import Now, SessionFacts
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Appended, Handler, Latest, Projection, Window
from projections.storage import Row, Table

TURNS = Table(
    "rotation",
    {
        "round": "text NOT NULL",
        "table_id": "text NOT NULL",
        "session": "integer NOT NULL",
        "at": "ms NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "seat": "smallint NOT NULL",
        "bettor": "text NOT NULL",
        "turn": "smallint",
        "declined": "int[] NOT NULL",
        "passed_over": "int[] NOT NULL",
        "breach": "text",
        "status": "text NOT NULL",
    },
    ("round",),
    indexes=(
        "(table_id, at)",
        "(gaming_day, table_id)",
        "(bettor, at)",
        "(at) WHERE breach IS NOT NULL",
        "(at, round)",
        "(gaming_day, at, round)",
    ),
)
OFFERS = Table(
    "rotation_offers",
    {
        "position": "bigint NOT NULL",
        "table_id": "text NOT NULL",
        "session": "integer NOT NULL",
        "at": "ms NOT NULL",
        "seat": "smallint NOT NULL",
        "bettor": "text NOT NULL",
        "what": "text NOT NULL",
    },
    ("position",),
    appended=True,
    indexes=("(table_id, at)", "(bettor, at)"),
)


class Rotation(Projection):
    name = "rotation"
    version = 2
    tables = (TURNS, OFFERS)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._turns = Latest(TURNS)
        self._offers = Appended(OFFERS)

    def handlers(self) -> Mapping[type, Handler]:
        return {
            BankOffered: self._offered,
            BankDeclined: self._offered,
            RoundBegun: self._begun,
            RoundEnded: self._ended,
        }

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        yield self._turns.gathered()
        yield self._offers.gathered()

    def _offered(self, now: Now, event: BankOffered | BankDeclined, session: SessionFacts) -> None:
        what = "offered" if isinstance(event, BankOffered) else "declined"
        row = (now.position, session.table, session.session, now.at_ms, event.seat, event.bettor, what)
        self._offers.rows.append(row)

    def _begun(self, now: Now, event: RoundBegun, session: SessionFacts) -> None:
        self._put(session, "open")

    def _ended(self, now: Now, event: RoundEnded, session: SessionFacts) -> None:
        self._put(session, event.status)

    def _put(self, session: SessionFacts, status: str) -> None:
        begun = session.begun
        if begun is None or begun.bank_seat is None:
            return
        row = (
            begun.round,
            session.table,
            session.session,
            session.begun_at_ms,
            *self.gaming_days.of(session.begun_at_ms),
            begun.bank_seat,
            begun.bank_bettor,
            begun.turn,
            ",".join(map(str, session.declined)),
            ",".join(map(str, session.passed_over)),
            _breach(session, begun),
            status,
        )
        self._turns.put(begun.round, row)


def _breach(session: SessionFacts, begun: RoundBegun) -> str | None:
    if not session.passed_over:
        return None
    seats = ", ".join(map(str, session.passed_over))
    many = len(session.passed_over) > 1
    return f"{'Seats' if many else 'Seat'} {seats} {'were' if many else 'was'} passed over without having declined."

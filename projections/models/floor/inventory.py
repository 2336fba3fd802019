"""`inventory`: the trays of house-banked tables, counted before and after a stretch of play, and what was won.

A stretch is the play between an opening count and its closing count. What belongs to it is decided by the order of
recording, not by the clock: a round that began in it, and a correction that the tray paid in it, as in the journal.
Play outside of two counts has stretches too, without an opening: stretch 0 before the first count."""

from __future__ import annotations

from typing import Any

from psycopg.sql import SQL, Identifier

from domain.books.closings import DayReopened, DayShut
from domain.floor.table_sessions import ChipsBought, ChipsCashed, RoundBegun, TrayCounted, TrayCredited, TrayFilled
from domain.round.events import CorrectionPosted, RoundSettled
from projections.accumulators.floor_accumulators import ClosingAccumulator
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Latest, Sums
from projections.engine.storage import Connection
from projections.engine.table import SHIFT, SHIFT_AND_TABLE, Table, sums_table, table
from projections.models.books.shut_days import shut_row, shut_table
from projections.models.journal import TRAY, bank_account, corrected_account

STRETCH = "table_id text NOT NULL, session integer NOT NULL, stretch integer NOT NULL"
STRETCHES = table(
    "inventory",
    f"""
    {STRETCH},
    {SHIFT},
    adjusts date,
    began_at ms NOT NULL,
    ended_at ms,
    opening bigint,
    closing bigint,
    fills bigint NOT NULL,
    credits bigint NOT NULL,
    bought bigint NOT NULL,
    cashed bigint NOT NULL,
    began_position bigint NOT NULL,
    ended_position bigint
    """,
    key="table_id, session, stretch",
    indexes=("(gaming_day, shift)",),
)
# The table's events say which round belongs to which stretch, the round's what was won in it.
ROUNDS = table(
    "inventory_rounds",
    f"round text NOT NULL, {STRETCH}",
    key="round",
    indexes=("(table_id, session, stretch)",),
)
# The totals of a stretch, so that its rounds need not be added up again.
PLAYED = sums_table("inventory_played", STRETCH, "rounds, won")
WINS = sums_table(
    "inventory_wins", f"round text NOT NULL, table_id text NOT NULL, {SHIFT}", "collected, paid, corrected"
)
# The day's summary of each table.
DAYS = sums_table("inventory_days", SHIFT_AND_TABLE, "rounds, collected, paid, corrected")
CORRECTIONS = table(
    "inventory_corrections",
    "position bigint NOT NULL, table_id text NOT NULL, paid bigint NOT NULL",
    key="position",
    appended=True,
    indexes=("(table_id, position)",),
)
SHUT = shut_table("inventory_shut")
TrayMove = ChipsBought | ChipsCashed | TrayFilled | TrayCredited | TrayCounted


class Inventory(Projection):
    name = "inventory"
    cost = 10
    stretches = Latest(STRETCHES)
    rounds = Latest(ROUNDS)
    played = Sums(PLAYED)
    wins = Sums(WINS)
    days = Sums(DAYS)
    corrections = Appended(CORRECTIONS)
    shut = Latest(SHUT)

    def begin_page(self) -> None:
        self._stretch_of: dict[str, tuple[str, int, int]] = {}  # of rounds that began on this page
        self._won: dict[str, int] = {}  # by rounds that ended on it

    @handler
    def _tray_moved(self, event: TrayMove, session: SessionAccumulator) -> None:
        if session.house:
            self._put_stretch(session)

    def _put_stretch(self, session: SessionAccumulator) -> tuple[str, int, int]:
        tray, key = session.tray, (session.table, session.session, session.stretch)
        posted = self.posting_days.of(tray.began_at_ms, tray.began_position)
        row = (
            *key,
            *posted,
            posted.adjusting(self.posting_days.calendar.of(tray.began_at_ms).day),
            tray.began_at_ms,
            tray.ended_at_ms,
            tray.opening,
            tray.closing,
            tray.fills,
            tray.credits,
            tray.bought,
            tray.cashed,
            tray.began_position,
            tray.ended_position,
        )
        self.stretches.put(key, row)
        return key

    @handler
    def _round_begun(self, event: RoundBegun, session: SessionAccumulator) -> None:
        if event.bank_bettor is None:
            stretch = self._put_stretch(session)
            self.rounds.put(event.round, (event.round, *stretch))
            self._stretch_of[event.round] = stretch

    @handler
    def _round_settled(self, event: RoundSettled, round_: RoundAccumulator) -> None:
        """Add what the tray won. A meter's payment does not come out of the tray."""
        if round_.bank is None:
            collected = sum([line.collected for line in round_.lines])
            paid = sum([line.paid for line in round_.lines if line.source != "meter"])
            self.wins.add((round_.round, round_.table, *round_.day_shift), collected=collected, paid=paid)
            self.days.add((*round_.posted, round_.table), rounds=1, collected=collected, paid=paid)
            self._won[round_.round] = collected - paid

    def resolve(self, connection: Connection, schema: str) -> None:
        """Add rounds to their stretch once both are known, from this page and earlier ones, in any order."""
        won, began = self._won, self._stretch_of
        if ended := [round_ for round_ in won if round_ not in began]:
            found = _rows_of(connection, schema, ROUNDS, SQL("round, table_id, session, stretch"), ended)
            began |= {round_: (table, session, stretch) for round_, table, session, stretch in found}
        if elsewhere := [round_ for round_ in began if round_ not in won]:
            won |= dict(_rows_of(connection, schema, WINS, SQL("round, collected - paid"), elsewhere))
        for round_ in began.keys() & won.keys():
            self.played.add(began[round_], rounds=1, won=won[round_])

    @handler
    def _correction_posted(self, event: CorrectionPosted, round_: RoundAccumulator) -> None:
        account = corrected_account(round_, event.account)
        if account.startswith(TRAY):
            self.corrections.add((round_.position, account.removeprefix(TRAY), event.amount))
        if round_.bank is None and account == bank_account(round_):
            self.wins.add((round_.round, round_.table, *round_.day_shift), corrected=event.amount)
            self.days.add((*round_.posted, round_.table), corrected=event.amount)

    @handler
    def _shut(self, event: DayShut | DayReopened, closing: ClosingAccumulator) -> None:
        """End uncounted stretches at a closed day: they would otherwise continue into it."""
        self.shut.put(event.day, shut_row(event, closing))


def _rows_of(connection: Connection, schema: str, table: Table, columns: SQL, rounds: list[str]) -> list[Any]:
    statement = SQL("SELECT {} FROM {} WHERE round = ANY(%s)").format(columns, Identifier(schema, table.name))
    return connection.execute(statement, [rounds]).fetchall()

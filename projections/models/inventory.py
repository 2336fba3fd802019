"""`inventory`: the trays of house-banked tables, counted at both ends of a stretch of play, and what was won there.

A stretch is the play between an opening count and its closing count. What belongs to it is decided by the order in
which things were recorded, not by the clock: a round that began in it, and a correction that the tray paid in it, as in
the journal. Play outside of two counts has stretches too, without an opening: stretch 0 before the first count.
"""

from __future__ import annotations

from typing import Any

from psycopg.sql import SQL, Identifier

from domain.floor.table_sessions import ChipsBought, ChipsCashed, RoundBegun, TrayCounted, TrayCredited, TrayFilled
from domain.round.events import CorrectionPosted, RoundSettled
from projections.accumulators.accumulator import EventMeta
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.calendar.gaming_days import GamingDays
from projections.engine.projection import ALWAYS, Projection, Window, on
from projections.engine.row_collectors import Appended, Latest, Sums
from projections.engine.storage import Connection
from projections.engine.table import SHIFT, SHIFT_AND_TABLE, Table, sums_table
from projections.models.journal import TRAY, bank_account, corrected_account

STRETCH = {"table_id": "text NOT NULL", "session": "integer NOT NULL", "stretch": "integer NOT NULL"}
STRETCHES = Table(
    "inventory",
    {
        **STRETCH,
        **SHIFT,
        "began_at": "ms NOT NULL",
        "ended_at": "ms",
        "opening": "bigint",
        "closing": "bigint",
        "fills": "bigint NOT NULL",
        "credits": "bigint NOT NULL",
        "bought": "bigint NOT NULL",
        "cashed": "bigint NOT NULL",
        "began_position": "bigint NOT NULL",
        "ended_position": "bigint",
    },
    tuple(STRETCH),
    indexes=("(gaming_day, shift)",),
)
# The table's events say which round belongs to which stretch, and the round's what was won in it.
ROUNDS = Table(
    "inventory_rounds",
    {"round": "text NOT NULL", **STRETCH},
    ("round",),
    indexes=("(table_id, session, stretch)",),
)
# The totals of a stretch, so that nobody need add up its rounds again.
PLAYED = sums_table("inventory_played", STRETCH, ("rounds", "won"))
SUMS = ("collected", "paid", "corrected")
WINS = sums_table("inventory_wins", {"round": "text NOT NULL", "table_id": "text NOT NULL", **SHIFT}, SUMS)
# What a day's summary says of each table.
DAYS = sums_table("inventory_days", SHIFT_AND_TABLE, ("rounds", *SUMS))
CORRECTIONS = Table(
    "inventory_corrections",
    {"position": "bigint NOT NULL", "table_id": "text NOT NULL", "paid": "bigint NOT NULL"},
    ("position",),
    appended=True,
    indexes=("(table_id, position)",),
)


class Inventory(Projection):
    name = "inventory"
    stretches = Latest(STRETCHES)
    rounds = Latest(ROUNDS)
    played = Sums(PLAYED)
    wins = Sums(WINS)
    days = Sums(DAYS)
    corrections = Appended(CORRECTIONS)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._stretch_of: dict[str, tuple[str, int, int]] = {}  # of rounds that began on this page
        self._won: dict[str, int] = {}  # by rounds that ended on it

    @on(ChipsBought, ChipsCashed, TrayFilled, TrayCredited, TrayCounted)
    def _tray_moved(self, meta: EventMeta, event: object, session: SessionAccumulator) -> None:
        if not session.house:
            return
        tray = session.tray
        key = (session.table, session.session, session.stretch)
        row = (
            *key,
            *self.gaming_days.of(tray.began_at_ms),
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

    @on(RoundBegun)
    def _round_begun(self, meta: EventMeta, event: RoundBegun, session: SessionAccumulator) -> None:
        if event.bank_bettor is None:
            self._tray_moved(meta, event, session)
            stretch = (session.table, session.session, session.stretch)
            self.rounds.put(event.round, (event.round, *stretch))
            self._stretch_of[event.round] = stretch

    @on(RoundSettled)
    def _round_settled(self, meta: EventMeta, event: RoundSettled, round_: RoundAccumulator) -> None:
        """What a meter pays does not come out of the tray."""
        if round_.bank is None:
            collected = sum([line.collected for line in round_.lines])
            paid = sum([line.paid for line in round_.lines if line.source != "meter"])
            self.wins.add((round_.round, round_.table, *round_.day_shift), collected=collected, paid=paid)
            self.days.add((*round_.day_shift, round_.table), rounds=1, collected=collected, paid=paid)
            self._won[round_.round] = collected - paid

    def resolve(self, connection: Connection, schema: str) -> None:
        """A round counts for its stretch once both are known, by this page and those before, in whichever order."""
        won, self._won = self._won, {}
        began, self._stretch_of = self._stretch_of, {}
        if ended := [round_ for round_ in won if round_ not in began]:
            found = _rows_of(connection, schema, ROUNDS, SQL("round, table_id, session, stretch"), ended)
            began |= {round_: (table, session, stretch) for round_, table, session, stretch in found}
        elsewhere = [round_ for round_ in began if round_ not in won]
        if elsewhere:
            won |= dict(_rows_of(connection, schema, WINS, SQL("round, collected - paid"), elsewhere))
        for round_ in began.keys() & won.keys():
            played = self.played.of(began[round_])
            played[0] += 1
            played[1] += won[round_]

    @on(CorrectionPosted)
    def _correction_posted(self, meta: EventMeta, event: CorrectionPosted, round_: RoundAccumulator) -> None:
        account = corrected_account(round_, event.account)
        if account.startswith(TRAY):
            self.corrections.add((meta.position, account.removeprefix(TRAY), event.amount))
        if round_.bank is None and account == bank_account(round_):
            self.wins.add((round_.round, round_.table, *round_.day_shift), corrected=event.amount)
            self.days.add((*round_.day_shift, round_.table), corrected=event.amount)


def _rows_of(connection: Connection, schema: str, table: Table, columns: SQL, rounds: list[str]) -> list[Any]:
    statement = SQL("SELECT {} FROM {} WHERE round = ANY(%s)").format(columns, Identifier(schema, table.name))
    return connection.execute(statement, [rounds]).fetchall()

"""`inventory`: the trays of house-banked tables, counted at both ends of a stretch of play, beside what was won there.

A stretch is what lies between an opening count and its closing count. What belongs to it is decided by the order in
which things were recorded, not by the clock: a round that began in it, and a correction that the tray paid in it, as in
the journal. Play outside of two counts has stretches too, without an opening: stretch 0 before the first count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, LiteralString

from psycopg.sql import SQL, Identifier

from domain.events import CorrectionPosted, RoundSettled
from domain.tables import ChipsBought, ChipsCashed, RoundBegun, TrayCounted, TrayCredited, TrayFilled
from infra.database import Database
from projections.facts import Now, RoundFacts, SessionFacts
from projections.gaming_days import GamingDays
from projections.journal import TRAY, bank_account, corrected_account
from projections.projection import ALWAYS, Appended, Handler, Latest, Projection, Sums, Window
from projections.storage import Connection, Row, Table

STRETCHES = Table(
    "inventory",
    {
        "table_id": "text NOT NULL",
        "session": "integer NOT NULL",
        "stretch": "integer NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
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
    ("table_id", "session", "stretch"),
    indexes=("(gaming_day, shift)",),
)
# Which round belongs to which stretch is told by the table, and what was won in it by the round.
ROUNDS = Table(
    "inventory_rounds",
    {
        "round": "text NOT NULL",
        "table_id": "text NOT NULL",
        "session": "integer NOT NULL",
        "stretch": "integer NOT NULL",
    },
    ("round",),
    indexes=("(table_id, session, stretch)",),
)
# Those of a stretch together, so that nobody need add up its rounds again.
STRETCH = ("table_id", "session", "stretch")
PLAYED = Table(
    "inventory_played",
    {**{name: ROUNDS.columns[name] for name in STRETCH}, "rounds": "bigint NOT NULL", "won": "bigint NOT NULL"},
    STRETCH,
    sums=("rounds", "won"),
)
SUMS = ("collected", "paid", "corrected")
WINS = Table(
    "inventory_wins",
    {
        "round": "text NOT NULL",
        "table_id": "text NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        **dict.fromkeys(SUMS, "bigint NOT NULL"),
    },
    ("round", "table_id", "gaming_day", "shift"),
    sums=SUMS,
)
# What a day's sheet says of each table.
DAY = ("rounds", *SUMS)
DAYS = Table(
    "inventory_days",
    {
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "table_id": "text NOT NULL",
        **dict.fromkeys(DAY, "bigint NOT NULL"),
    },
    ("gaming_day", "shift", "table_id"),
    sums=DAY,
)
CORRECTIONS = Table(
    "inventory_corrections",
    {"position": "bigint NOT NULL", "table_id": "text NOT NULL", "paid": "bigint NOT NULL"},
    ("position",),
    appended=True,
    indexes=("(table_id, position)",),
)


LATEST_DAY: LiteralString = (
    "SELECT least((SELECT max(gaming_day) FROM projections.inventory),"
    " (SELECT max(gaming_day) FROM projections.journal_tray_counts))"
)


def latest_day(database: Database) -> date | None:
    """The last gaming day for which there are both stretches and counts, as far as there are any."""
    found: date | None = database.read(lambda cursor: cursor.execute(LATEST_DAY).fetchall())[0][0]
    return found


class Inventory(Projection):
    name = "inventory"
    tables = (STRETCHES, ROUNDS, PLAYED, WINS, DAYS, CORRECTIONS)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._stretches = Latest(STRETCHES)
        self._rounds = Latest(ROUNDS)
        self._played = Sums(PLAYED)
        self._stretch_of: dict[str, tuple[str, int, int]] = {}  # of rounds that began on this page
        self._won: dict[str, int] = {}  # by rounds that ended on it
        self._wins = Sums(WINS)
        self._days = Sums(DAYS)
        self._corrections = Appended(CORRECTIONS)

    def handlers(self) -> Mapping[type, Handler]:
        return {
            **dict.fromkeys((ChipsBought, ChipsCashed, TrayFilled, TrayCredited, TrayCounted), self._tray_moved),
            RoundBegun: self._round_begun,
            RoundSettled: self._round_settled,
            CorrectionPosted: self._correction_posted,
        }

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        yield self._stretches.gathered()
        yield self._rounds.gathered()
        yield self._played.gathered()
        yield self._wins.gathered()
        yield self._days.gathered()
        yield self._corrections.gathered()

    def _tray_moved(self, now: Now, event: object, session: SessionFacts) -> None:
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
        self._stretches.put(key, row)

    def _round_begun(self, now: Now, event: RoundBegun, session: SessionFacts) -> None:
        if event.bank_bettor is None:
            self._tray_moved(now, event, session)
            stretch = (session.table, session.session, session.stretch)
            self._rounds.put(event.round, (event.round, *stretch))
            self._stretch_of[event.round] = stretch

    def _round_settled(self, now: Now, event: RoundSettled, round_: RoundFacts) -> None:
        """What a meter pays does not come out of the tray."""
        if round_.bank is None:
            collected = sum([line.collected for line in round_.lines])
            paid = sum([line.paid for line in round_.lines if line.source != "meter"])
            self._wins.add((round_.round, round_.table, *round_.belongs), collected=collected, paid=paid)
            self._days.add((*round_.belongs, round_.table), rounds=1, collected=collected, paid=paid)
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
            played = self._played.of(began[round_])
            played[0] += 1
            played[1] += won[round_]

    def _correction_posted(self, now: Now, event: CorrectionPosted, round_: RoundFacts) -> None:
        account = corrected_account(round_, event.account)
        if account.startswith(TRAY):
            self._corrections.rows.append((now.position, account.removeprefix(TRAY), event.amount))
        if round_.bank is None and account == bank_account(round_):
            self._wins.add((round_.round, round_.table, *round_.belongs), corrected=event.amount)
            self._days.add((*round_.belongs, round_.table), corrected=event.amount)


def _rows_of(connection: Connection, schema: str, table: Table, columns: SQL, rounds: list[str]) -> list[Any]:
    statement = SQL("SELECT {} FROM {} WHERE round = ANY(%s)").format(columns, Identifier(schema, table.name))
    return connection.execute(statement, [rounds]).fetchall()

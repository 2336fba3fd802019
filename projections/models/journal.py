"""`journal`: double entry. An account is a holder of chips: what they receive is a debit, what they give a credit.

Nothing in it ever changes: each event posts its own entries, which sum to zero, and a correction posts others. Fees
pass through `collection-fees` on their way from the player-dealer into the box, so the balance of that account was
taken and never dropped. A box keeps what was counted, and the difference goes to `over-short`. So does a tray: every
count brings its account to what was counted (decision 14)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from psycopg.sql import SQL, Identifier

from domain.books.cash import BoughtIn, CashedOut
from domain.floor.drop_boxes import BoxCounted, CountsOpened, FeeDropped, FeeNotDropped
from domain.floor.meters import MeterAwarded, MeterEvent
from domain.floor.table_sessions import ChipsBought, ChipsCashed, TrayCounted, TrayCredited, TrayFilled
from domain.round.events import CorrectionPosted, FeeTaken, FeeWaived, RoundSettled
from projections.accumulators.accumulator import Accumulator
from projections.accumulators.floor_accumulators import BoxAccumulator, CashAccumulator, MeterAccumulator
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Sums
from projections.engine.storage import Connection
from projections.engine.table import SHIFT, sums_table, table
from projections.models.bankroll import BANK_ACCOUNTS

CAGE = "cage"
OVER_SHORT = "over-short"
PROGRESSIVE = "house:progressive"
TRAY = "tray:"  # and the table
ChipMove = ChipsBought | ChipsCashed | TrayFilled | TrayCredited

ENTRIES = table(
    "journal",
    f"""
    position bigint NOT NULL,
    line smallint NOT NULL,
    source text NOT NULL,
    round text,
    at ms NOT NULL,
    {SHIFT},
    adjusts date,
    table_id text,
    account text NOT NULL,
    debit bigint NOT NULL,
    credit bigint NOT NULL,
    what text NOT NULL
    """,
    key="position, line",
    appended=True,
    # By position within a day: a day's entries are read in the order of the report.
    indexes=(
        "(gaming_day, position)",
        "(account, gaming_day)",
        "(source)",
        "(account, at, position)",
        "(account, at, position) WHERE what IN ('buy-in', 'cash-out')",
        "(gaming_day, position) WHERE adjusts IS NOT NULL",
    ),
)
BALANCES = sums_table(
    "journal_balances",
    "account text NOT NULL, gaming_day date NOT NULL",
    "debit, credit, entries",
    indexes=("(gaming_day)",),
)
COUNTS = table(
    "journal_tray_counts",
    f"""
    position bigint NOT NULL,
    table_id text NOT NULL,
    session integer NOT NULL,
    stretch integer NOT NULL,
    at ms NOT NULL,
    {SHIFT},
    adjusts date,
    taken text NOT NULL,
    counted bigint NOT NULL,
    expected bigint
    """,
    key="position",
    appended=True,
    indexes=("(gaming_day, table_id)", "(table_id, at)"),
)
# What each tray should hold now, so that a count need not add up everything.
TRAYS = sums_table("journal_trays", "table_id text NOT NULL", "counts, book")


class _Source(NamedTuple):
    """What entries are posted for."""

    position: int
    at_ms: int
    name: str
    round: str | None
    table: str | None
    what: str
    concerns: date | None = None  # the day of the round, which may be closed by now


class _TrayCount(NamedTuple):
    """A count whose other side is known only from rows of earlier pages."""

    source: _Source
    table: str
    session: int
    stretch: int
    event: TrayCounted
    moved: int  # earlier on the page
    counts: int  # likewise


class Journal(Projection):
    name = "journal"
    cost = 5
    entries = Appended(ENTRIES)
    balances = Sums(BALANCES)
    counts = Appended(COUNTS)
    trays = Sums(TRAYS)

    def begin_page(self) -> None:
        self._to_resolve: list[_TrayCount] = []

    # ---- rounds

    @handler
    def _round_settled(self, event: RoundSettled, round_: RoundAccumulator) -> None:
        bank = bank_account(round_)
        debits: dict[str, int] = {}
        credits: dict[str, int] = {}
        for line in round_.lines:
            who = bettor_account(round_, line.bettor)
            if line.paid:
                payer = f"meter:{round_.meter}" if line.source == "meter" else bank
                debits[who] = debits.get(who, 0) + line.paid
                credits[payer] = credits.get(payer, 0) + line.paid
            if line.collected:
                debits[bank] = debits.get(bank, 0) + line.collected
                credits[who] = credits.get(who, 0) + line.collected
        self._post(_of_round(round_, "settled"), debits, credits)

    @handler
    def _fee_taken(self, event: FeeTaken, round_: RoundAccumulator) -> None:
        fees = f"collection-fees:{round_.table}"
        self._move(_of_round(round_, "fee taken"), bank_account(round_), fees, event.amount)

    @handler
    def _fee_waived(self, event: FeeWaived, round_: RoundAccumulator) -> None:
        """Post a waived fee. Chips that were never dropped go straight back; a refund comes from the cage, and the box
        keeps its chips."""
        payer = f"collection-fees:{round_.table}" if event.how == "not dropped" else CAGE
        self._move(_of_round(round_, f"fee waived, {event.how}"), payer, bank_account(round_), event.amount)

    @handler
    def _correction_posted(self, event: CorrectionPosted, round_: RoundAccumulator) -> None:
        account = corrected_account(round_, event.account)
        who = bettor_account(round_, event.bettor)
        source = _of_round(round_, f"corrected: {event.reason}")
        if event.dispute is not None:
            source = source._replace(name=f"dispute:{event.dispute}")
        self._move(source, account, who, event.amount)

    # ---- boxes, chips, meters

    @handler
    def _fee_dropped(self, event: FeeDropped | FeeNotDropped, accumulator: BoxAccumulator) -> None:
        box, dropped = accumulator.box, isinstance(event, FeeDropped)
        source = _source(
            accumulator, "fee dropped" if dropped else "fee not dropped", event.round, box.table, event.round
        )
        amount = event.amount if dropped else -event.amount
        self._move(source, f"collection-fees:{box.table}", f"box:{box.box}", amount)

    @handler
    def _box_counted(self, event: BoxCounted | CountsOpened, accumulator: BoxAccumulator) -> None:
        """Post a count once two people agree; of counts that were stored open, the one that makes them agree."""
        box = accumulator.box
        if box.counted is not None:
            account = f"box:{box.box}"
            source = _source(accumulator, "box counted", account, box.table)
            self._move(source, OVER_SHORT, account, box.counted - box.expected)

    @handler
    def _chips_moved(self, event: ChipMove, session: SessionAccumulator) -> None:
        giver, receiver, what = _movement(event, session)
        name = f"{session.table}/{session.session}/{session.version}"
        self._move(_source(session, what, name, session.table), giver, receiver, event.amount)

    @handler
    def _at_cage(self, event: BoughtIn | CashedOut, cash: CashAccumulator) -> None:
        """Post as at a player-banked table, where the cage sells the chips."""
        player, bought = f"player:{event.bettor}", isinstance(event, BoughtIn)
        source = _source(cash, "buy-in" if bought else "cash-out", f"cage:{event.bettor}/{cash.version}", None)
        self._move(source, *((CAGE, player) if bought else (player, CAGE)), event.amount)

    @handler
    def _tray_counted(self, event: TrayCounted, session: SessionAccumulator) -> None:
        name = f"tray:{session.table}/{session.session}/{session.stretch}/{event.when}"
        counts, moved = self.trays.of((session.table,))
        count = _TrayCount(
            source=_source(session, f"tray counted, {event.when}", name, session.table),
            table=session.table,
            session=session.session,
            stretch=session.stretch,
            event=event,
            moved=moved,
            counts=counts,
        )
        self._to_resolve.append(count)
        self.trays.add((session.table,), counts=1)

    def resolve(self, connection: Connection, schema: str) -> None:
        """Post the difference between a count and the book as an entry of its own.

        What was in a tray before anybody counted it came from the cage."""
        found: dict[str, int] = {}  # differences of counts earlier on this page
        for count in self._to_resolve:
            counts_before, book = _tray(connection, schema, count.table)
            expected = book + count.moved + found.get(count.table, 0)
            first = counts_before + count.counts == 0
            difference = count.event.amount - expected
            found[count.table] = found.get(count.table, 0) + difference
            self._post_count(count, None if first else expected, difference)

    def _post_count(self, count: _TrayCount, expected: int | None, difference: int) -> None:
        source, event = count.source, count.event
        self._move(source, CAGE if expected is None else OVER_SHORT, TRAY + count.table, difference)
        head = (source.position, count.table, count.session, count.stretch, source.at_ms)
        self.counts.add((*head, *self._posted(source), event.when, event.amount, expected))

    @handler
    def _meter_moved(self, event: MeterEvent, meter: MeterAccumulator) -> None:
        """Post the house's part: shares, seed and adjustments. An award itself is paid with the lines of its round."""
        amount = event.shown + event.reserve - meter.before
        what = "meter moved"
        if isinstance(event, MeterAwarded):
            amount += event.amount
            what = "meter seeded again"
        round_ = getattr(event, "round", None)
        account = f"meter:{meter.meter}"
        self._move(_source(meter, what, round_ or account, None, round_), PROGRESSIVE, account, amount)

    # ---- posting

    def _posted(self, source: _Source) -> tuple[date, str, date | None]:
        """Return day and shift, and the closed day that the entry adjusts: its own, or that of its round."""
        own, posted = self.posting_days.calendar.of(source.at_ms), self.posting_days.of(source.at_ms, source.position)
        adjusts = posted.adjusting(own.day)
        if adjusts is None and source.concerns is not None:
            adjusts = self.posting_days.adjusted(source.concerns, source.position)
        return posted.day, posted.shift, adjusts

    def _move(self, source: _Source, giver: str, receiver: str, amount: int) -> None:
        """Post an amount from one account to another; a negative one goes the other way."""
        if amount < 0:
            giver, receiver, amount = receiver, giver, -amount
        self._post(source, {receiver: amount}, {giver: amount})

    def _post(self, source: _Source, debits: Mapping[str, int], credits: Mapping[str, int]) -> None:
        day, shift, adjusts = self._posted(source)
        head = (source.name, source.round, source.at_ms, day, shift, adjusts, source.table)
        entries = [(account, amount, 0) for account, amount in debits.items() if amount]
        entries += [(account, 0, amount) for account, amount in credits.items() if amount]
        for line, (account, debit, credit) in enumerate(entries, start=1):
            self.entries.add((source.position, line, *head, account, debit, credit, source.what))
            balance = self.balances.of((account, day))
            balance[0] += debit
            balance[1] += credit
            balance[2] += 1
            if account.startswith(TRAY):
                self.trays.add((account.removeprefix(TRAY),), book=debit - credit)


def _source(accumulator: Accumulator, what: str, name: str, table: str | None, round_: str | None = None) -> _Source:
    """Return the source for the last event of an aggregate."""
    position, at_ms = accumulator.position, accumulator.at_ms
    return _Source(position=position, at_ms=at_ms, name=name, round=round_, table=table, what=what)


def _of_round(round_: RoundAccumulator, what: str) -> _Source:
    source = _source(round_, what, round_.round, round_.table, round_.round)
    return source._replace(concerns=round_.day_shift.day)


def bank_account(round_: RoundAccumulator) -> str:
    return TRAY + round_.table if round_.bank is None else f"player-dealer:{round_.bank}"


def bettor_account(round_: RoundAccumulator, bettor: str) -> str:
    return f"toke:{bettor}" if bettor in round_.tips else f"player:{bettor}"


def corrected_account(round_: RoundAccumulator, named: str) -> str:
    """Return the account that a correction names; the bank and the tray are those of the round."""
    if named in BANK_ACCOUNTS:
        return bank_account(round_)
    return TRAY + round_.table if named == "tray" else named.strip()


def _tray(connection: Connection, schema: str, table: str) -> tuple[int, int]:
    """Return how often a tray was counted, and what it should hold, from rows of earlier pages."""
    statement = SQL("SELECT counts, book FROM {} WHERE table_id = %s").format(Identifier(schema, TRAYS.name))
    row = connection.execute(statement, [table]).fetchone()
    return (0, 0) if row is None else (int(row[0]), int(row[1]))


def _movement(event: ChipMove, session: SessionAccumulator) -> tuple[str, str, str]:
    """Return who gives, who receives, and the words. Where the house banks, players buy chips out of the tray."""
    tray = TRAY + session.table
    seller = tray if session.house else CAGE
    match event:
        case ChipsBought(bettor):
            return seller, f"player:{bettor}", "buy-in"
        case ChipsCashed(bettor):
            return f"player:{bettor}", seller, "cash-out"
        case TrayFilled(_, slip):
            return CAGE, tray, f"fill, slip {slip}"
        case TrayCredited(_, slip):
            return tray, CAGE, f"credit, slip {slip}"

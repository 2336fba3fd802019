"""`journal`: double entry. An account is whoever holds chips: what he gets is a debit, what he gives a credit.

Nothing is ever changed in it: each event posts its own entries, which sum to zero, and a correction posts others.
Fees pass through `collection-fees` on their way from the player-dealer into the box, so what is left on that account
was taken and never dropped. A box keeps what was counted, and the difference goes to `over-short`. So does a tray:
every count brings its account to what was counted (decision 23).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from psycopg.sql import SQL, Identifier

from domain.boxes import BoxCounted, CountsOpened, FeeDropped, FeeNotDropped
from domain.events import CorrectionPosted, FeeTaken, FeeWaived, RoundSettled
from domain.meters import MeterAdjusted, MeterAwarded, MeterContributed, MeterReturned, MeterSeeded
from domain.tables import ChipsBought, ChipsCashed, TrayCounted, TrayCredited, TrayFilled
from projections.bankroll import BANK_ACCOUNTS
from projections.facts import BoxFacts, MeterFacts, Now, RoundFacts, SessionFacts
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Appended, Handler, Projection, Sums, Window
from projections.storage import Connection, Row, Table

CAGE = "cage"
OVER_SHORT = "over-short"
PROGRESSIVE = "house:progressive"
TRAY = "tray:"  # and the table

ENTRIES = Table(
    "journal",
    {
        "position": "bigint NOT NULL",
        "line": "smallint NOT NULL",
        "source": "text NOT NULL",
        "round": "text",
        "at": "ms NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "table_id": "text",
        "account": "text NOT NULL",
        "debit": "bigint NOT NULL",
        "credit": "bigint NOT NULL",
        "what": "text NOT NULL",
    },
    ("position", "line"),
    appended=True,
    # By position within a day: a day's entries lie together and are read in the order in which they are told.
    indexes=(
        "(gaming_day, position)",
        "(account, gaming_day)",
        "(source)",
        "(account, at, position)",
        "(account, at, position) WHERE what IN ('buy-in', 'cash-out')",
    ),
)
BALANCES = Table(
    "journal_balances",
    {
        "account": "text NOT NULL",
        "gaming_day": "date NOT NULL",
        "debit": "bigint NOT NULL",
        "credit": "bigint NOT NULL",
    },
    ("account", "gaming_day"),
    sums=("debit", "credit"),
    indexes=("(gaming_day)",),
)
COUNTS = Table(
    "journal_tray_counts",
    {
        "position": "bigint NOT NULL",
        "table_id": "text NOT NULL",
        "session": "integer NOT NULL",
        "stretch": "integer NOT NULL",
        "at": "ms NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "taken": "text NOT NULL",
        "counted": "bigint NOT NULL",
        "expected": "bigint",
    },
    ("position",),
    appended=True,
    indexes=("(gaming_day, table_id)", "(table_id, at)"),
)
# What each tray should hold now, kept so that a count need not add up all that ever went through it.
TRAYS = Table(
    "journal_trays",
    {"table_id": "text NOT NULL", "counts": "bigint NOT NULL", "book": "bigint NOT NULL"},
    ("table_id",),
    sums=("counts", "book"),
)


class _TrayCount(NamedTuple):
    """A count whose other side is not known before the pages before it are looked at."""

    now: Now
    table: str
    session: int
    stretch: int
    event: TrayCounted
    moved: int  # on the page, before it
    counts: int  # likewise


class Journal(Projection):
    name = "journal"
    tables = (ENTRIES, BALANCES, COUNTS, TRAYS)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._entries = Appended(ENTRIES)
        self._balances = Sums(BALANCES)
        self._counts = Appended(COUNTS)
        self._trays = Sums(TRAYS)
        self._to_resolve: list[_TrayCount] = []

    def handlers(self) -> Mapping[type, Handler]:
        return {
            RoundSettled: self._round_settled,
            FeeTaken: self._fee_taken,
            FeeWaived: self._fee_waived,
            CorrectionPosted: self._correction_posted,
            FeeDropped: self._fee_dropped,
            FeeNotDropped: self._fee_not_dropped,
            BoxCounted: self._box_counted,
            CountsOpened: self._box_counted,
            ChipsBought: self._chips_moved,
            ChipsCashed: self._chips_moved,
            TrayFilled: self._chips_moved,
            TrayCredited: self._chips_moved,
            TrayCounted: self._tray_counted,
            MeterSeeded: self._meter_moved,
            MeterContributed: self._meter_moved,
            MeterReturned: self._meter_moved,
            MeterAwarded: self._meter_moved,
            MeterAdjusted: self._meter_moved,
        }

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        yield self._entries.gathered()
        yield self._balances.gathered()
        yield self._counts.gathered()
        yield self._trays.gathered()

    # ---- rounds

    def _round_settled(self, now: Now, event: RoundSettled, round_: RoundFacts) -> None:
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
        self._post(now, round_.round, round_.round, round_.table, debits, credits, "settled")

    def _fee_taken(self, now: Now, event: FeeTaken, round_: RoundFacts) -> None:
        fees = f"collection-fees:{round_.table}"
        self._move(now, round_.round, round_, bank_account(round_), fees, event.amount, "fee taken")

    def _fee_waived(self, now: Now, event: FeeWaived, round_: RoundFacts) -> None:
        """Chips that were never dropped go straight back; a refund comes from the cage, and the box keeps its chips."""
        payer = f"collection-fees:{round_.table}" if event.how == "not dropped" else CAGE
        self._move(now, round_.round, round_, payer, bank_account(round_), event.amount, f"fee waived, {event.how}")

    def _correction_posted(self, now: Now, event: CorrectionPosted, round_: RoundFacts) -> None:
        account = corrected_account(round_, event.account)
        who = bettor_account(round_, event.bettor)
        source = round_.round if event.dispute is None else f"dispute:{event.dispute}"
        self._move(now, source, round_, account, who, event.amount, f"corrected: {event.reason}")

    # ---- boxes, chips, meters

    def _fee_dropped(self, now: Now, event: FeeDropped, facts: BoxFacts) -> None:
        box = facts.box
        fees, into = f"collection-fees:{box.table}", f"box:{box.box}"
        amounts = {into: event.amount}, {fees: event.amount}
        self._post(now, event.round, event.round, box.table, *amounts, "fee dropped")

    def _fee_not_dropped(self, now: Now, event: FeeNotDropped, facts: BoxFacts) -> None:
        box = facts.box
        amounts = {f"collection-fees:{box.table}": event.amount}, {f"box:{box.box}": event.amount}
        self._post(now, event.round, event.round, box.table, *amounts, "fee not dropped")

    def _box_counted(self, now: Now, event: BoxCounted | CountsOpened, facts: BoxFacts) -> None:
        """Only once two people agree; of counts that were stored open, the one that makes them agree."""
        box = facts.box
        if box.counted is None:
            return
        variance = box.counted - box.expected
        over, short = (f"box:{box.box}", OVER_SHORT) if variance > 0 else (OVER_SHORT, f"box:{box.box}")
        amounts = {over: abs(variance)}, {short: abs(variance)}
        self._post(now, f"box:{box.box}", None, box.table, *amounts, "box counted")

    def _chips_moved(
        self, now: Now, event: ChipsBought | ChipsCashed | TrayFilled | TrayCredited, session: SessionFacts
    ) -> None:
        giver, receiver, what = _movement(event, session)
        source = f"{session.table}/{session.session}/{session.version}"
        self._post(now, source, None, session.table, {receiver: event.amount}, {giver: event.amount}, what)

    def _tray_counted(self, now: Now, event: TrayCounted, session: SessionFacts) -> None:
        at = Now(now.position, now.by, now.at_ms, now.late)
        sums = self._trays.of((session.table,))
        count = _TrayCount(at, session.table, session.session, session.stretch, event, sums[1], sums[0])
        self._to_resolve.append(count)
        sums[0] += 1

    def resolve(self, connection: Connection, schema: str) -> None:
        """A count finds what the book says, or more or less: the difference is an entry of its own, beside the count.

        What lay in a tray before anybody counted it came from the cage.
        """
        counts, self._to_resolve = self._to_resolve, []
        found: dict[str, int] = {}  # differences of counts earlier on this page
        for count in counts:
            counts_before, book = _tray(connection, schema, count.table)
            expected = book + count.moved + found.get(count.table, 0)
            first = counts_before + count.counts == 0
            difference = count.event.amount - expected
            found[count.table] = found.get(count.table, 0) + difference
            self._post_count(count, None if first else expected, difference)

    def _post_count(self, count: _TrayCount, expected: int | None, difference: int) -> None:
        tray, event = TRAY + count.table, count.event
        other = CAGE if expected is None else OVER_SHORT
        giver, receiver = (other, tray) if difference > 0 else (tray, other)
        amounts = {receiver: abs(difference)}, {giver: abs(difference)}
        source = f"tray:{count.table}/{count.session}/{count.stretch}/{event.when}"
        self._post(count.now, source, None, count.table, *amounts, f"tray counted, {event.when}")
        belongs = self.gaming_days.of(count.now.at_ms)
        head = (count.now.position, count.table, count.session, count.stretch, count.now.at_ms, *belongs)
        self._counts.rows.append((*head, event.when, event.amount, expected))

    def _meter_moved(
        self,
        now: Now,
        event: MeterSeeded | MeterContributed | MeterReturned | MeterAwarded | MeterAdjusted,
        meter: MeterFacts,
    ) -> None:
        """The house's part: shares, seed and adjustments. An award itself is paid with the lines of its round."""
        amount = event.shown + event.reserve - meter.before
        what = "meter moved"
        if isinstance(event, MeterAwarded):
            amount += event.amount
            what = "meter seeded again"
        round_ = getattr(event, "round", None)
        account = f"meter:{meter.meter}"
        giver, receiver = (PROGRESSIVE, account) if amount > 0 else (account, PROGRESSIVE)
        self._post(now, round_ or account, round_, None, {receiver: abs(amount)}, {giver: abs(amount)}, what)

    # ---- posting

    def _move(
        self, now: Now, source: str, round_: RoundFacts, giver: str, receiver: str, amount: int, what: str
    ) -> None:
        if amount < 0:
            giver, receiver, amount = receiver, giver, -amount
        self._post(now, source, round_.round, round_.table, {receiver: amount}, {giver: amount}, what)

    def _post(
        self,
        now: Now,
        source: str,
        round_: str | None,
        table: str | None,
        debits: Mapping[str, int],
        credits: Mapping[str, int],
        what: str,
    ) -> None:
        day, shift = self.gaming_days.of(now.at_ms)
        rows = self._entries.rows
        head = (source, round_, now.at_ms, day, shift, table)
        line = 0
        for account, amount in debits.items():
            if amount:
                line += 1
                rows.append((now.position, line, *head, account, amount, 0, what))
                self._balances.of((account, day))[0] += amount
                if account.startswith(TRAY):
                    self._trays.of((account.removeprefix(TRAY),))[1] += amount
        for account, amount in credits.items():
            if amount:
                line += 1
                rows.append((now.position, line, *head, account, 0, amount, what))
                self._balances.of((account, day))[1] += amount
                if account.startswith(TRAY):
                    self._trays.of((account.removeprefix(TRAY),))[1] -= amount


def bank_account(round_: RoundFacts) -> str:
    return TRAY + round_.table if round_.bank is None else f"player-dealer:{round_.bank}"


def bettor_account(round_: RoundFacts, bettor: str) -> str:
    return f"toke:{bettor}" if bettor in round_.tips else f"player:{bettor}"


def corrected_account(round_: RoundFacts, named: str) -> str:
    """Whoever corrects names an account; the bank and the tray are those of the round."""
    if named in BANK_ACCOUNTS:
        return bank_account(round_)
    return TRAY + round_.table if named == "tray" else named.strip()


def _tray(connection: Connection, schema: str, table: str) -> tuple[int, int]:
    """How often a tray was counted, and what it should hold, by the pages before."""
    statement = SQL("SELECT counts, book FROM {} WHERE table_id = %s").format(Identifier(schema, TRAYS.name))
    row = connection.execute(statement, [table]).fetchone()
    return (0, 0) if row is None else (int(row[0]), int(row[1]))


def _movement(
    event: ChipsBought | ChipsCashed | TrayFilled | TrayCredited, session: SessionFacts
) -> tuple[str, str, str]:
    """Who gives, who gets, and in which words. Where the house banks, players buy chips out of the tray."""
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

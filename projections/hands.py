"""`hands`: every round, open ones too, to be searched by table, bettor, seat, day, rule set, hand made and outcome.

An outcome is kept as it is and with its seat (`win`, `3/win`), for the round and for each bettor of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from psycopg.sql import SQL, Identifier

from domain import rulesets
from domain.events import (
    BetsClosed,
    FeeTaken,
    FeeWaived,
    LineSettled,
    NoteMade,
    RoundCorrected,
    RoundDisputed,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
    WagerWithdrawn,
)
from domain.making import name_of
from projections.facts import Now, RoundFacts
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Handler, Projection, Sums, Window
from projections.storage import Connection, Row, Table

ROUNDS = Table(
    "hands",
    {
        "round": "text NOT NULL",
        "table_id": "text NOT NULL",
        "ruleset": "text NOT NULL",
        "ruleset_hash": "text NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "opened_at": "ms NOT NULL",
        "ended_at": "ms",
        "late": "boolean NOT NULL",
        "status": "text NOT NULL",
        "deck": "text",
        "dealer": "text",
        "player_dealer": "text",
        "bank_seat": "smallint",
        "bank_wager": "bigint",
        "turn": "smallint",
        "seats": "int[] NOT NULL",
        "bettors": "text[] NOT NULL",
        "dealer_hand": "text",
        "made": "text[] NOT NULL",
        "outcomes": "text[] NOT NULL",
        "action": "bigint NOT NULL",
        "fee": "bigint NOT NULL",
        "waived": "text",
        "wagered": "bigint NOT NULL",
        "paid": "bigint NOT NULL",
        "collected": "bigint NOT NULL",
        "shortfall": "bigint NOT NULL",
        "voided": "text",
        "corrected": "integer NOT NULL",
        "notes": "integer NOT NULL",
        "disputed": "integer NOT NULL",
    },
    ("round",),
    indexes=(
        "(table_id, opened_at, round)",
        "(opened_at, round)",
        "(gaming_day, table_id)",
        "(opened_at, round) WHERE status = 'open'",
        "(opened_at, round) WHERE status = 'void'",
        "(opened_at, round) WHERE shortfall > 0",
        "(opened_at, round) WHERE corrected > 0",
        "(opened_at, round) WHERE notes > 0",
        "(opened_at, round) WHERE late",
        "(opened_at, round) WHERE disputed > 0",
        "(opened_at, round) WHERE waived IS NOT NULL",
        "(coalesce(dealer, 'nobody'), opened_at, round)",
        "(player_dealer, opened_at, round)",
        "(dealer_hand, opened_at, round)",
        "USING gin (made, outcomes)",  # what is common is soon found among the newest; this is for what is rare
        "(gaming_day, opened_at, round)",
        "(gaming_day, opened_at, round) WHERE status = 'void'",
        "(gaming_day, opened_at, round) WHERE shortfall > 0",
    ),
)
BETTORS = Table(
    "hands_bettors",
    {
        "bettor": "text NOT NULL",
        "opened_at": "ms NOT NULL",
        "round": "text NOT NULL",
        "seats": "int[] NOT NULL",
        "outcomes": "text[] NOT NULL",
    },
    ("bettor", "opened_at", "round"),
)
BELONGS = {"gaming_day": "date NOT NULL", "shift": "text NOT NULL", "table_id": "text NOT NULL"}
# What a day's sheet says of each table; those that are open have not ended.
DAY = ("rounds", "settled", "void", "action", "short_rounds", "shortfall")
DAYS = Table("hands_days", {**BELONGS, **dict.fromkeys(DAY, "bigint NOT NULL")}, tuple(BELONGS), sums=DAY)
# How the rounds of a dealer and of a player-dealer came out, by day, shift and table: 'epoch' where it never happened.
REASONS = ("misdeal", "malfunction", "irregularity")
ENDED = ("rounds", "voided", *REASONS)
FEES = ("fee_rounds", "fees", "waivers", "waived", "not_dropped", "refunded")
DEALERS = Table(
    "hands_dealers",
    {
        **BELONGS,
        "dealer": "text NOT NULL",
        **dict.fromkeys((*ENDED, *FEES), "bigint NOT NULL"),
        "last_void_at": "ms NOT NULL",
        "last_waived_at": "ms NOT NULL",
    },
    (*BELONGS, "dealer"),
    sums=(*ENDED, *FEES),
    most=("last_void_at", "last_waived_at"),
)
BANKS = Table(
    "hands_banks",
    {
        **BELONGS,
        "player_dealer": "text NOT NULL",
        "rounds": "bigint NOT NULL",
        "short_rounds": "bigint NOT NULL",
        "shortfall": "bigint NOT NULL",
        "largest": "bigint NOT NULL",
        "last_short_at": "ms NOT NULL",
    },
    (*BELONGS, "player_dealer"),
    sums=("rounds", "short_rounds", "shortfall"),
    most=("largest", "last_short_at"),
)
FAMILIES = ("uth", "tcp", "p215")
# Cards and decisions show in a row when the round is over.
CHANGING = (
    RoundOpened,
    WagerPlaced,
    WagerWithdrawn,
    BetsClosed,
    FeeTaken,
    RoundSettled,
    RoundVoided,
    FeeWaived,
    NoteMade,
    RoundCorrected,
    RoundDisputed,
)


class Hands(Projection):
    name = "hands"
    version = 4
    tables = (ROUNDS, BETTORS, DAYS, DEALERS, BANKS)
    needs_cards = True

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._changed: dict[str, RoundFacts] = {}
        self._forgotten: set[tuple[str, str]] = set()  # bettor and round
        self._days = Sums(DAYS)
        self._dealers = Sums(DEALERS)
        self._banks = Sums(BANKS)

    def handlers(self) -> Mapping[type, Handler]:
        return {
            **dict.fromkeys(CHANGING, self._moved),
            RoundOpened: self._opened,
            WagerWithdrawn: self._withdrawn,
            BetsClosed: self._closed,
            FeeTaken: self._fee_taken,
            FeeWaived: self._fee_waived,
            RoundSettled: self._settled,
            RoundVoided: self._voided,
        }

    def resolve(self, connection: Connection, schema: str) -> None:
        """Whoever took back all that they bet may have a row of a page before; a later bet makes it anew."""
        forgotten, self._forgotten = self._forgotten, set()
        if forgotten:
            statement = SQL("DELETE FROM {} AS b USING unnest(%s::text[], %s::text[]) AS f (bettor, round)")
            where = SQL(" WHERE b.bettor = f.bettor AND b.round = f.round")
            bettors, rounds = zip(*forgotten, strict=True)
            connection.execute(statement.format(Identifier(schema, BETTORS.name)) + where, [[*bettors], [*rounds]])

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        changed, self._changed = self._changed, {}
        yield ROUNDS, [_row(round_) for round_ in changed.values()]
        yield BETTORS, [row for round_ in changed.values() for row in _bettor_rows(round_)]
        yield self._days.gathered()
        yield self._dealers.gathered()
        yield self._banks.gathered()

    def _moved(self, now: Now, event: object, round_: RoundFacts) -> None:
        self._changed[round_.round] = round_

    def _withdrawn(self, now: Now, event: WagerWithdrawn, round_: RoundFacts) -> None:
        self._moved(now, event, round_)
        if event.bettor not in round_.bettors:
            self._forgotten.add((event.bettor, round_.round))

    # ---- what adds up

    def _add_to_day(self, round_: RoundFacts, **amounts: int) -> None:
        if round_.opened_at_ms in self.window:
            self._days.add((*round_.belongs, round_.table), **amounts)

    def _add_to_dealer(self, round_: RoundFacts, **amounts: int) -> None:
        if round_.opened_at_ms in self.window:
            self._dealers.add((*round_.belongs, round_.table, round_.opened.dealer or "nobody"), **amounts)

    def _opened(self, now: Now, event: RoundOpened, round_: RoundFacts) -> None:
        self._moved(now, event, round_)
        self._add_to_day(round_, rounds=1)

    def _closed(self, now: Now, event: BetsClosed, round_: RoundFacts) -> None:
        self._moved(now, event, round_)
        self._add_to_day(round_, action=event.action)

    def _fee_taken(self, now: Now, event: FeeTaken, round_: RoundFacts) -> None:
        self._moved(now, event, round_)
        if event.amount > 0:
            self._add_to_dealer(round_, fee_rounds=1, fees=event.amount)

    def _fee_waived(self, now: Now, event: FeeWaived, round_: RoundFacts) -> None:
        self._moved(now, event, round_)
        if round_.fee is not None and round_.fee.amount > 0:
            fee, how = round_.fee.amount, event.how.replace(" ", "_")
            self._add_to_dealer(round_, waivers=1, waived=fee, **{how: fee}, last_waived_at=round_.opened_at_ms)

    def _voided(self, now: Now, event: RoundVoided, round_: RoundFacts) -> None:
        self._moved(now, event, round_)
        self._add_to_day(round_, void=1)
        reasons = {reason: 1 for reason in REASONS if reason == event.reason}
        self._add_to_dealer(round_, rounds=1, voided=1, **reasons, last_void_at=round_.opened_at_ms)

    def _settled(self, now: Now, event: RoundSettled, round_: RoundFacts) -> None:
        self._moved(now, event, round_)
        shortfall = sum([line.shortfall for line in round_.lines])
        short = {"short_rounds": int(shortfall > 0), "shortfall": shortfall}
        self._add_to_day(round_, settled=1, **short)
        self._add_to_dealer(round_, rounds=1)
        if round_.bank is not None and round_.opened_at_ms in self.window:
            most = {"largest": shortfall, "last_short_at": round_.opened_at_ms if shortfall else 0}
            self._banks.add((*round_.belongs, round_.table, round_.bank), rounds=1, **short, **most)


def _row(round_: RoundFacts) -> Row:
    opened, lines = round_.opened, round_.lines
    dealer, made = _hands_made(round_) if round_.status != "open" else (None, ())
    return (
        round_.round,
        round_.table,
        opened.ruleset,
        opened.ruleset_hash,
        *round_.belongs,
        round_.opened_at_ms,
        round_.ended_at_ms,
        round_.late,
        round_.status,
        opened.deck,
        opened.dealer,
        opened.bank_bettor,
        opened.bank_seat,
        opened.bank_wager,
        opened.turn,
        ",".join(map(str, sorted(round_.seats))),
        ",".join(round_.bettors),
        dealer,
        ",".join(made),
        _outcomes(lines),
        round_.action,
        0 if round_.fee is None else round_.fee.amount,
        None if round_.waived is None else round_.waived.how,
        sum([line.wager for line in lines]),
        sum([line.paid for line in lines]),
        sum([line.collected for line in lines]),
        sum([line.shortfall for line in lines]),
        None if round_.voided is None else round_.voided.reason,
        round_.corrected,
        round_.notes,
        round_.disputed,
    )


def _bettor_rows(round_: RoundFacts) -> Iterator[Row]:
    for bettor, seats in round_.bettors.items():
        lines = [line for line in round_.lines if line.bettor == bettor]
        yield bettor, round_.opened_at_ms, round_.round, ",".join(map(str, sorted(seats))), _outcomes(lines)


def _outcomes(lines: Iterable[LineSettled]) -> str:
    return ",".join(sorted({line.outcome for line in lines} | {f"{line.seat}/{line.outcome}" for line in lines}))


def _hands_made(round_: RoundFacts) -> tuple[str | None, Sequence[str]]:
    """The dealer hand by name, and the names of all hands of the seats; one that was not wholly seen has none."""
    family = _family(round_.opened.ruleset)
    board = tuple(round_.cards.get(("board", 1), ()))
    dealer: str | None = None
    made: set[str] = set()
    for (place, _), cards in round_.cards.items():
        if place == "board":
            continue
        name = name_of(family, tuple(cards), board, split=(place, 2) in round_.cards)
        if place == "dealer":
            dealer = name
        elif name is not None:
            made.add(name)
    return dealer, sorted(made)


@lru_cache
def _family(ruleset: str) -> str:
    """Most ids begin with it, and no file need be read; also where the rule set is no longer shipped."""
    family = ruleset.partition("-")[0]
    return family if family in FAMILIES or ruleset not in rulesets.ids() else rulesets.load(ruleset).family

"""`hands`: every round, open ones too, to be searched by table, bettor, seat, day, rule set, hand made, outcome, what
happened and what somebody won or lost.

Outcomes and events are stored as they are and with their seat (`win`, `3/win`, `3/split`), for the round and for each
bettor. Decisions, cards and results are in a row once the round is over; a card that nobody turned over never is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec
from psycopg.sql import SQL, Identifier

from domain.games.game import Game
from domain.games.registry import GAMES
from domain.round.events import (
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
from domain.rules import rulesets
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Changed, Sums
from projections.engine.storage import Connection
from projections.engine.table import FAR_MS, SHIFT, SHIFT_AND_TABLE, Row, sums_table, table

ROUNDS = table(
    "hands",
    f"""
    round text NOT NULL,
    table_id text NOT NULL,
    ruleset text NOT NULL,
    ruleset_hash text NOT NULL,
    {SHIFT},
    adjusts date,
    weekday smallint NOT NULL,
    minute smallint NOT NULL,
    opened_at ms NOT NULL,
    ended_at ms,
    late boolean NOT NULL,
    status text NOT NULL,
    deck text,
    dealer text,
    player_dealer text,
    bank_seat smallint,
    bank_wager bigint,
    turn smallint,
    seats int[] NOT NULL,
    bettors text[] NOT NULL,
    dealer_hand text,
    made text[] NOT NULL,
    outcomes text[] NOT NULL,
    happened text[] NOT NULL,
    least_net bigint,
    most_net bigint,
    action bigint NOT NULL,
    fee bigint NOT NULL,
    waived text,
    waived_on date,
    wagered bigint NOT NULL,
    paid bigint NOT NULL,
    collected bigint NOT NULL,
    shortfall bigint NOT NULL,
    voided text,
    corrected integer NOT NULL,
    notes integer NOT NULL,
    disputed integer NOT NULL
    """,
    key="round",
    indexes=(
        "(table_id, opened_at, round)",
        "(opened_at, round, minute)",  # a time of day is compared within the index, and the order stays
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
        "USING gin (made, outcomes, happened)",  # for rare ones: common ones are soon found among the newest
        "(gaming_day, opened_at, round)",
        "(gaming_day, opened_at, round) WHERE status = 'void'",
        "(gaming_day, opened_at, round) WHERE shortfall > 0",
        "(round text_pattern_ops)",
        "(wagered, round)",
        "(least_net, round)",
        "(most_net, round)",
        "(weekday, opened_at, round, minute)",
    ),
)
# `net` is the result of the settlement lines for them, without fees and later corrections; null while the round is
# open. `hands` is what they held, as JSON, for a list from their point of view. Weekday and minute are those of the
# round: what somebody lost on a Tuesday evening is found in one index.
BETTORS = table(
    "hands_bettors",
    """
    bettor text NOT NULL,
    opened_at ms NOT NULL,
    round text NOT NULL,
    weekday smallint NOT NULL,
    minute smallint NOT NULL,
    seats int[] NOT NULL,
    outcomes text[] NOT NULL,
    happened text[] NOT NULL,
    banked boolean NOT NULL,
    wagered bigint NOT NULL,
    net bigint,
    hands text NOT NULL
    """,
    key="bettor, opened_at, round",
    indexes=("(round, net)", "(net, opened_at)", "(weekday, net, minute)"),
)
# The day's summary of each table; rounds that are neither settled nor void are open.
DAYS = sums_table("hands_days", SHIFT_AND_TABLE, "rounds, settled, void, action, short_rounds, shortfall")
# Which rule sets were played, with the times of their first and last round. `until_far_ms` counts from the first one to
# FAR_MS: the greatest is the earliest.
PLAYED = sums_table(
    "hands_played",
    f"{SHIFT_AND_TABLE}, ruleset text NOT NULL, ruleset_hash text NOT NULL",
    "rounds",
    most="until_far_ms bigint NOT NULL, last_at ms NOT NULL",
)
# How the rounds of a dealer and of a player-dealer ended, by day, shift and table; a time is 'epoch' if it never
# happened.
REASONS = ("misdeal", "malfunction", "irregularity")
DEALERS = sums_table(
    "hands_dealers",
    f"{SHIFT_AND_TABLE}, dealer text NOT NULL",
    "rounds, voided, misdeal, malfunction, irregularity, fee_rounds, fees, waivers, waived, not_dropped, refunded",
    most="last_void_at ms NOT NULL, last_waived_at ms NOT NULL",
)
BANKS = sums_table(
    "hands_banks",
    f"{SHIFT_AND_TABLE}, player_dealer text NOT NULL",
    "rounds, short_rounds, shortfall",
    most="largest bigint NOT NULL, last_short_at ms NOT NULL",
)
# Cards and decisions are shown in a row when the round is over.
Changing = (
    RoundOpened
    | WagerPlaced
    | WagerWithdrawn
    | BetsClosed
    | FeeTaken
    | RoundSettled
    | RoundVoided
    | FeeWaived
    | NoteMade
    | RoundCorrected
    | RoundDisputed
)


def _rows(round_: RoundAccumulator) -> Iterator[Row]:
    opened, lines, over = round_.opened, round_.lines, round_.status != "open"
    hands = _hands(round_) if over else []
    nets = [_net(round_, bettor) for bettor in round_.bettors if bettor != round_.bank] or [0]
    yield (
        round_.round,
        round_.table,
        opened.ruleset,
        opened.ruleset_hash,
        *round_.day_shift,
        round_.day_shift.adjusting(round_.own_day),
        *_weekday_minute(round_),
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
        next((hand["made"] for hand in hands if hand["at"] == "dealer"), None),
        ",".join(sorted({hand["made"] for hand in hands if hand["at"] != "dealer" and hand["made"] is not None})),
        _outcomes(lines),
        _happened(round_, round_.seats, lines) if over else "",
        min(nets) if over else None,
        max(nets) if over else None,
        round_.action,
        0 if round_.fee is None else round_.fee.amount,
        None if round_.waived is None else round_.waived.how,
        round_.waived_on,
        sum([line.wager for line in lines]),
        sum([line.paid for line in lines]),
        sum([line.collected for line in lines]),
        round_.shortfall,
        None if round_.voided is None else round_.voided.reason,
        round_.corrected,
        round_.notes,
        round_.disputed,
    )


def _weekday_minute(round_: RoundAccumulator) -> tuple[int, int]:
    """Return the weekday of its gaming day and the time by the property's clock, in minutes."""
    local = round_.posting_days.calendar.local(datetime.fromtimestamp(round_.opened_at_ms / 1000, UTC))
    return round_.own_day.isoweekday(), local.hour * 60 + local.minute


def _bettor_rows(round_: RoundAccumulator) -> Iterator[Row]:
    over = round_.status != "open"
    for bettor, seats in round_.bettors.items():
        lines = [line for line in round_.lines if line.bettor == bettor]
        banked = bettor == round_.bank
        places: set[int | str] = {"dealer"} if banked and not lines else {*seats}
        yield (
            bettor,
            round_.opened_at_ms,
            round_.round,
            *_weekday_minute(round_),
            ",".join(map(str, sorted(seats))),
            _outcomes(lines),
            _happened(round_, seats, round_.lines if banked else lines, bettor) if over else "",
            banked,
            sum([line.wager for line in lines]),
            _net(round_, bettor) if over else None,
            _JSON.encode([hand for hand in _hands(round_) if hand["at"] in places]).decode() if over else "[]",
        )


_JSON = msgspec.json.Encoder()


def _outcomes(lines: Iterable[LineSettled]) -> str:
    return ",".join(sorted({line.outcome for line in lines} | {f"{line.seat}/{line.outcome}" for line in lines}))


def _net(round_: RoundAccumulator, bettor: str) -> int:
    """Return what a bettor won or lost by the settlement, as the bank too; the stakes of a voided round are
    returned."""
    net = sum([line.paid - line.collected for line in round_.lines if line.bettor == bettor])
    if bettor == round_.bank and round_.settled is not None:
        net += round_.settled.collected - round_.settled.paid
    return net


def _happened(
    round_: RoundAccumulator, seats: Iterable[int], lines: Iterable[LineSettled], bettor: str | None = None
) -> str:
    """Return what was chosen at these seats, by the seated player and by this bettor or by anybody, and how it
    ended."""
    board = 0 if (game := _game(round_.opened.ruleset, round_.opened.ruleset_hash)) is None else game.board_cards
    found: set[str] = set()
    for choice in round_.choices:
        if choice.seat in seats and (bettor is None or choice.bettor is None or choice.bettor == bettor):
            found |= {choice.name, f"{choice.seat}/{choice.name}"}
            if board:
                street = "preflop" if choice.board == 0 else "flop" if choice.board < board else "river"
                found |= {f"{choice.name} {street}", f"{choice.seat}/{choice.name} {street}"}
    for line in lines:
        if line.shortfall > 0:
            found |= {"shortfall", f"{line.seat}/shortfall"}
    if round_.voided is not None:
        found |= {"void", *(f"{seat}/void" for seat in seats)}
    return ",".join(sorted(found))


def _hands(round_: RoundAccumulator) -> list[dict[str, Any]]:
    """Return every hand of a finished round with its name; one that was not wholly seen has none."""
    if round_.hands is None:
        game = _game(round_.opened.ruleset, round_.opened.ruleset_hash)
        board = tuple(round_.cards.get(("board", 1), ()))
        round_.hands = [
            {
                "at": place,
                "cards": cards,
                "made": None
                if game is None
                else game.name_of(tuple(cards), board, split=place != "dealer" and (place, 2) in round_.cards),
            }
            for (place, _), cards in round_.cards.items()
            if place != "board"
        ]
    return round_.hands


@lru_cache
def _game(ruleset: str, content_hash: str) -> Game | None:
    """Return the game. If the rule set is no longer shipped and was never adopted, its id begins with the family."""
    rules = rulesets.with_hash(ruleset, content_hash)
    return GAMES.get(ruleset.partition("-")[0]) if rules is None else rules.game


class Hands(Projection):
    name = "hands"
    version = 7
    cost = 14
    needs_cards = True
    rounds = Changed((ROUNDS, _rows), (BETTORS, _bettor_rows))
    days = Sums(DAYS)
    played = Sums(PLAYED)
    dealers = Sums(DEALERS)
    banks = Sums(BANKS)

    def begin_page(self) -> None:
        self._withdrawn_from: set[tuple[str, str]] = set()  # bettor and round

    def resolve(self, connection: Connection, schema: str) -> None:
        """Delete rows of earlier pages of bettors who withdrew everything; a later bet makes them again."""
        if self._withdrawn_from:
            statement = SQL("DELETE FROM {} AS b USING unnest(%s::text[], %s::text[]) AS f (bettor, round)")
            where = SQL(" WHERE b.bettor = f.bettor AND b.round = f.round")
            bettors, rounds = zip(*self._withdrawn_from, strict=True)
            connection.execute(statement.format(Identifier(schema, BETTORS.name)) + where, [[*bettors], [*rounds]])

    @handler
    def _moved(self, event: Changing, round_: RoundAccumulator) -> None:
        self.rounds.accumulators[round_.round] = round_

    @handler
    def _withdrawn(self, event: WagerWithdrawn, round_: RoundAccumulator) -> None:
        if event.bettor not in round_.bettors:
            self._withdrawn_from.add((event.bettor, round_.round))

    # ---- totals

    def _add_to_day(self, round_: RoundAccumulator, **amounts: int) -> None:
        if round_.opened_at_ms in self.window:
            self.days.add((*round_.posted, round_.table), **amounts)

    def _add_to_dealer(self, round_: RoundAccumulator, **amounts: int) -> None:
        if round_.opened_at_ms in self.window:
            self.dealers.add((*round_.posted, round_.table, round_.opened.dealer or "nobody"), **amounts)

    @handler
    def _opened(self, event: RoundOpened, round_: RoundAccumulator) -> None:
        self._add_to_day(round_, rounds=1)
        opened_at = round_.opened_at_ms
        if opened_at in self.window:
            key = (*round_.day_shift, round_.table, event.ruleset, event.ruleset_hash)
            self.played.add(key, rounds=1, until_far_ms=FAR_MS - opened_at, last_at=opened_at)

    @handler
    def _closed(self, event: BetsClosed, round_: RoundAccumulator) -> None:
        self._add_to_day(round_, action=event.action)

    @handler
    def _fee_taken(self, event: FeeTaken, round_: RoundAccumulator) -> None:
        if event.amount > 0:
            self._add_to_dealer(round_, fee_rounds=1, fees=event.amount)

    @handler
    def _fee_waived(self, event: FeeWaived, round_: RoundAccumulator) -> None:
        if round_.fee is not None and round_.fee.amount > 0:
            fee, how = round_.fee.amount, event.how.replace(" ", "_")
            self._add_to_dealer(round_, waivers=1, waived=fee, **{how: fee}, last_waived_at=round_.opened_at_ms)

    @handler
    def _voided(self, event: RoundVoided, round_: RoundAccumulator) -> None:
        self._add_to_day(round_, void=1)
        reasons = {reason: 1 for reason in REASONS if reason == event.reason}
        self._add_to_dealer(round_, rounds=1, voided=1, **reasons, last_void_at=round_.opened_at_ms)

    @handler
    def _settled(self, event: RoundSettled, round_: RoundAccumulator) -> None:
        shortfall = round_.shortfall
        short = {"short_rounds": int(shortfall > 0), "shortfall": shortfall}
        self._add_to_day(round_, settled=1, **short)
        self._add_to_dealer(round_, rounds=1)
        if round_.bank is not None and round_.opened_at_ms in self.window:
            most = {"largest": shortfall, "last_short_at": round_.opened_at_ms if shortfall else 0}
            self.banks.add((*round_.posted, round_.table, round_.bank), rounds=1, **short, **most)

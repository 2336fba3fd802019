"""`round_facts`: what an inspector asks of rounds: jackpots and who was called for them, the decks that dealers saw,
misdeals that were noticed, hands held up, voids and waivers with their reasons, and fees against their schedule."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from domain.regulation.round_facts import DeckSeen, HandsHeld, MisdealNoticed, SupervisorCalled, progressive_wins
from domain.round.events import FeeTaken, FeeWaived, RoundOpened, RoundSettled, RoundVoided
from domain.rules import rulesets
from domain.rules.terms import TermsDocument, resolve
from projections.accumulators.regulation_accumulators import FactAccumulator
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Sums
from projections.engine.table import SHIFT, Table, sums_table, table

DAY_INDEX = "(gaming_day, table_id)"


def _facts_table(name: str, columns: str, *, key: str = "position", indexes: tuple[str, ...] = (DAY_INDEX,)) -> Table:
    place = f"position bigint NOT NULL, round text NOT NULL, table_id text NOT NULL, at ms NOT NULL, {SHIFT}"
    return table(name, f"{place}, {columns}", key=key, appended=True, indexes=indexes)


JACKPOTS = _facts_table(
    "jackpots",
    "ruleset text NOT NULL, seat smallint NOT NULL, bettor text NOT NULL, paid bigint NOT NULL, source text NOT NULL,"
    " minutes integer",
    key="position, seat, bettor",
    indexes=(DAY_INDEX, "(round)"),
)
CALLS = _facts_table("supervisor_calls", "supervisor text NOT NULL, called_by text NOT NULL", indexes=("(round)",))
DECKS = _facts_table("decks_seen", "colour text NOT NULL, due text NOT NULL, seen_by text NOT NULL")
# For rounds with alternating decks: how many per day, and how many of them had a deck that somebody saw.
DECK_DAYS = sums_table(
    "deck_days", "gaming_day date NOT NULL, table_id text NOT NULL", "rounds, blue, red, seen, out_of_turn"
)
MISDEALS = _facts_table(
    "misdeals",
    "place text NOT NULL, expected smallint NOT NULL, found smallint NOT NULL, outcome text NOT NULL,"
    " note text NOT NULL, noticed_by text NOT NULL",
)
HELD = _facts_table("hands_held", "seats int[] NOT NULL, held_by text NOT NULL")
EXCEPTIONS = _facts_table(
    "exceptions", "what text NOT NULL, reason text NOT NULL, detail text, fee bigint NOT NULL, entered_by text NOT NULL"
)
TIERS = sums_table(
    "fee_tiers",
    "gaming_day date NOT NULL, table_id text NOT NULL, ruleset text NOT NULL, schedule text NOT NULL,"
    " tier smallint NOT NULL, due bigint NOT NULL",
    "rounds, fees, waived, differing",
)


@lru_cache(256)
def _tiers(ruleset: str, content_hash: str, terms: bytes) -> tuple[int, ...]:
    """Return the fees of a round's schedule by tier, under its own rules and terms; empty if they are unknown."""
    rules = rulesets.with_hash(ruleset, content_hash)
    if rules is None:
        return ()
    schedule = resolve(rules, msgspec.json.decode(terms, type=TermsDocument)).schedule
    return () if schedule is None else tuple(tier.fee for tier in schedule.tiers)


def due_of(opened: RoundOpened, tier: int) -> int | None:
    without = {name: value for name, value in opened.terms.items() if name not in ("meter", "progressive")}
    tiers = _tiers(opened.ruleset, opened.ruleset_hash, msgspec.json.encode(without))
    return tiers[tier - 1] if 0 < tier <= len(tiers) else None


class RoundFacts(Projection):
    name = "round_facts"
    cost = 3
    jackpots = Appended(JACKPOTS)
    calls = Appended(CALLS)
    decks = Appended(DECKS)
    deck_days = Sums(DECK_DAYS)
    misdeals = Appended(MISDEALS)
    held = Appended(HELD)
    exceptions = Appended(EXCEPTIONS)
    tiers = Sums(TIERS)

    @handler
    def _opened(self, event: RoundOpened, round_: RoundAccumulator) -> None:
        if event.deck is not None:
            self.deck_days.add((round_.day_shift.day, round_.table), rounds=1, **{event.deck: 1})

    @handler
    def _settled(self, event: RoundSettled, round_: RoundAccumulator) -> None:
        wins = progressive_wins(round_.lines)
        if not wins:
            return
        opened = round_.opened
        rules = rulesets.with_hash(opened.ruleset, opened.ruleset_hash)
        minutes = None if rules is None else rules.supervisor_minutes
        for line in wins:
            row = (*_place(round_), opened.ruleset, line.seat, line.bettor, line.paid, line.source, minutes)
            self.jackpots.add(row)

    @handler
    def _voided(self, event: RoundVoided, round_: RoundAccumulator) -> None:
        fee = 0 if round_.fee is None else round_.fee.amount
        self.exceptions.add((*_place(round_), "void", event.reason, event.detail, fee, round_.by))

    @handler
    def _fee_taken(self, event: FeeTaken, round_: RoundAccumulator) -> None:
        due = due_of(round_.opened, event.tier)
        differing = int(due is not None and due != event.amount)
        self.tiers.add(self._tier(round_, event), rounds=1, fees=event.amount, differing=differing)

    @handler
    def _fee_waived(self, event: FeeWaived, round_: RoundAccumulator) -> None:
        self.exceptions.add((*_place(round_), "waiver", event.reason, event.how, event.amount, round_.by))
        if round_.fee is not None:
            self.tiers.add(self._tier(round_, round_.fee), waived=event.amount)

    def _tier(self, round_: RoundAccumulator, fee: FeeTaken) -> tuple[object, ...]:
        due = due_of(round_.opened, fee.tier)
        of = round_.day_shift.day, round_.table, round_.opened.ruleset, str(fee.schedule), fee.tier
        return (*of, fee.amount if due is None else due)

    # ---- stated facts

    @handler
    def _called(self, event: SupervisorCalled, fact: FactAccumulator) -> None:
        self.calls.add((*self._stated(event, fact), event.supervisor, fact.by))

    @handler
    def _seen(self, event: DeckSeen, fact: FactAccumulator) -> None:
        self.decks.add((*self._stated(event, fact), event.colour, event.due, fact.by))
        day = self.posting_days.calendar.of(fact.at_ms).day
        self.deck_days.add((day, event.table), seen=1, out_of_turn=int(event.colour != event.due))

    @handler
    def _misdealt(self, event: MisdealNoticed, fact: FactAccumulator) -> None:
        what = event.place, event.expected, event.found, event.outcome, event.note
        self.misdeals.add((*self._stated(event, fact), *what, fact.by))

    @handler
    def _hands_held(self, event: HandsHeld, fact: FactAccumulator) -> None:
        self.held.add((*self._stated(event, fact), ",".join(map(str, event.seats)), fact.by))

    def _stated(
        self, event: SupervisorCalled | DeckSeen | MisdealNoticed | HandsHeld, fact: FactAccumulator
    ) -> tuple[object, ...]:
        return fact.position, event.round, event.table, fact.at_ms, *self.posting_days.calendar.of(fact.at_ms)


def _place(round_: RoundAccumulator) -> tuple[object, ...]:
    return round_.position, round_.round, round_.table, round_.at_ms, *round_.day_shift

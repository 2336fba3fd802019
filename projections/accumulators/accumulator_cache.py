"""A cache of accumulators whose next event may come; others are read again from the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from infra.store.encoding.topics import TOPICS
from projections.accumulators.accumulator import Accumulator, events_of
from projections.accumulators.floor_accumulators import (
    BettorAccumulator,
    BoxAccumulator,
    CashAccumulator,
    ClosingAccumulator,
    DisputeAccumulator,
    MeterAccumulator,
    SlipAccumulator,
)
from projections.accumulators.regulation_accumulators import (
    ExplanationAccumulator,
    FactAccumulator,
    OfferingAccumulator,
    PostingAccumulator,
    PropositionAccumulator,
    RulebookAccumulator,
)
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.calendar.posting_days import PostingDays
from projections.engine.event_feed import Feed

Take = Callable[[Any, Any], None]

ACCUMULATORS: dict[str, type[Accumulator]] = {
    "round": RoundAccumulator,
    "table": SessionAccumulator,
    "box": BoxAccumulator,
    "meter": MeterAccumulator,
    "bettor": BettorAccumulator,
    "dispute": DisputeAccumulator,
    "posting": PostingAccumulator,
    "offering": OfferingAccumulator,
    "fact": FactAccumulator,
    "rules": RulebookAccumulator,
    "proposition": PropositionAccumulator,
    "closing": ClosingAccumulator,
    "cash": CashAccumulator,
    "explanation": ExplanationAccumulator,
    "slip": SlipAccumulator,
}
CARDS: dict[type, Take] = dict.fromkeys(events_of(RoundAccumulator.take_cards), RoundAccumulator.take_cards)
OTHERS: dict[type, Take] = {event: kind.take for kind in ACCUMULATORS.values() for event in events_of(kind.take)}


class AccumulatorCache:
    """`cached` is by the aggregate's number; the fold removes rounds that have ended."""

    def __init__(self, feed: Feed, posting_days: PostingDays, *, cards: bool) -> None:
        self._feed = feed
        self._posting_days = posting_days
        self.cached: dict[int, Accumulator] = {}
        self.take: dict[type, Take] = {**OTHERS, **(CARDS if cards else {})}

    def before(self, kind: type[Accumulator], originator: int, version: int) -> Accumulator:
        """Load an uncached aggregate as it was just before this version."""
        accumulator = self.cached[originator] = kind(self._posting_days)
        if version > 1:
            # For a meter, the first and the last event are enough.
            since = version - 1 if kind is MeterAccumulator else 1
            for position, _, _, topic_id, state in self._feed.earlier(originator, version, since):
                entry = TOPICS.decoder(self._feed.topic(topic_id))(state)
                accumulator.position, accumulator.by, accumulator.at_ms = position, entry.by, entry.at_ms
                accumulator.late = accumulator.late or (entry.late and type(entry.event) in OTHERS)
                if take := self.take.get(type(entry.event)):
                    take(accumulator, entry.event)
            accumulator.version = version - 1
        return accumulator

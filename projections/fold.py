"""Folds pages of events into the rows of one or several projections; each event is decoded once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from domain.events import (
    CorrectionPosted,
    FeeWaived,
    HiddenCardContradicted,
    NoteMade,
    PaymentReported,
    RoundCorrected,
    RoundDisputed,
    RoundSettled,
    RoundVoided,
)
from infra.mapper import Entry
from infra.topics import TOPICS
from projections.facts import FACTS_OF, Facts, Now, RoundFacts, Streams
from projections.feed import Feed, FeedRow
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Handler, Projection, Window
from projections.storage import Connection, Writer


class _Plan(NamedTuple):
    """What is done with events of one topic; without a kind nobody asks for them, and they are not even decoded."""

    decode: Callable[[bytes], Entry[Any]]
    kind: type[Facts] | None
    remember: Callable[[Any, Any, Now], None] | None
    handlers: tuple[Handler, ...]
    ends: bool  # a round is over with it, or was before: it need not be kept at hand


ENDING = frozenset(
    {
        RoundSettled,
        RoundVoided,
        FeeWaived,
        NoteMade,
        RoundCorrected,
        CorrectionPosted,
        PaymentReported,
        RoundDisputed,
        HiddenCardContradicted,
    }
)


class Fold:
    def __init__(
        self,
        projections: Iterable[type[Projection]],
        feed: Feed,
        gaming_days: GamingDays,
        window: Window = ALWAYS,
    ) -> None:
        self.projections = [projection(gaming_days, window) for projection in projections]
        cards = any(projection.needs_cards for projection in self.projections)
        self._feed = feed
        self._streams = Streams(feed, gaming_days, cards=cards)
        self._plans: dict[int, _Plan] = {}

    def take_in(self, rows: Iterable[FeedRow]) -> None:
        """A page of events in order; what comes of them is then to be written."""
        plans, known, now = self._plans, self._streams.known, Now()
        ended = set()
        for position, originator, version, topic_id, state in rows:
            plan = plans.get(topic_id)
            if plan is None:
                plan = plans[topic_id] = self._plan(topic_id, state)
            decode, kind, remember, handlers, ends = plan
            if kind is None:
                continue
            entry = decode(state)
            event = entry.event
            now.position, now.by, now.at_ms, now.late = position, entry.by, entry.at_ms, entry.late
            facts = known.get(originator)
            if facts is None or facts.version >= version:
                facts = self._streams.before(kind, originator, version)
            if entry.late:
                facts.late = True
            if remember is not None:
                remember(facts, event, now)
            facts.version = version
            for handler in handlers:
                handler(now, event, facts)
            if ends:
                ended.add(originator)
        for originator in ended:
            round_ = known[originator]
            if isinstance(round_, RoundFacts) and round_.status != "open":
                del known[originator]

    def write(self, connection: Connection, writer: Writer) -> None:
        """What came of the page, in the transaction that the caller has open."""
        for projection in self.projections:
            projection.resolve(connection, writer.schema)
            for table, rows in projection.gathered():
                writer.write(connection, table, rows)

    def _plan(self, topic_id: int, state: bytes) -> _Plan:
        """The first event of a topic says what class it is today, also where the topic is an old one."""
        decode = TOPICS.decoder(self._feed.topic(topic_id))
        event = type(decode(state).event)
        kind = FACTS_OF.get(TOPICS.topic_of(event).partition(".")[0])
        remember = self._streams.remember.get(event)
        handlers = [projection.handlers().get(event) for projection in self.projections]
        wanted = tuple(handler for handler in handlers if handler is not None)
        asked = remember is not None or wanted
        return _Plan(decode, kind if asked else None, remember, wanted, event in ENDING)

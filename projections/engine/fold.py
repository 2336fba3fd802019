"""Folds pages of events into the rows of one or several projections; each event is decoded once for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from domain.round.events import ANNOTATIONS, RoundSettled, RoundVoided
from infra.store.compact_rows import FeedRow
from infra.store.encoding.mapper import Entry
from infra.store.encoding.topics import TOPICS
from projections.accumulators.accumulator import Accumulator
from projections.accumulators.accumulator_cache import ACCUMULATORS, OTHERS, AccumulatorCache, Take
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.calendar.gaming_days import GamingDays
from projections.calendar.posting_days import PostingDays
from projections.engine.event_feed import Feed
from projections.engine.projection import ALWAYS, Handler, Projection, Window
from projections.engine.storage import Connection, Writer

PAGE = 20_000


class _TopicPlan(NamedTuple):
    """What is done with events of one topic. Without a kind nobody needs them, and they are not decoded."""

    decode: Callable[[bytes], Entry[Any]]
    kind: type[Accumulator] | None
    take: Take | None
    handlers: tuple[Handler, ...]
    ends: bool  # the round is over with it, or was before: it need not be cached
    marks_late: bool  # a late one makes its aggregate late, whichever projections are folded


ENDING = ANNOTATIONS | {RoundSettled, RoundVoided}


class Fold:
    def __init__(
        self,
        projections: Iterable[type[Projection]],
        feed: Feed,
        gaming_days: GamingDays,
        window: Window = ALWAYS,
    ) -> None:
        days = PostingDays(gaming_days, feed.shut_days)
        self._projections = [projection(days, window) for projection in projections]
        cards = any(projection.needs_cards for projection in self._projections)
        self._feed = feed
        self._cache = AccumulatorCache(feed, days, cards=cards)
        self._plans: dict[int, _TopicPlan] = {}

    def take_in(self, rows: Iterable[FeedRow]) -> None:
        """Take a page of events in order; its rows are then to be written."""
        plans, cached = self._plans, self._cache.cached
        ended = set()
        for position, originator, version, topic_id, state in rows:
            plan = plans.get(topic_id)
            if plan is None:
                plan = plans[topic_id] = self._plan(topic_id, state)
            decode, kind, take, handlers, ends, marks_late = plan
            if kind is None:
                continue
            entry = decode(state)
            event = entry.event
            accumulator = cached.get(originator)
            if accumulator is None or accumulator.version >= version:
                accumulator = self._cache.before(kind, originator, version)
            accumulator.version, accumulator.position = version, position
            accumulator.by, accumulator.at_ms = entry.by, entry.at_ms
            if entry.late and marks_late:
                accumulator.late = True
            if take is not None:
                take(accumulator, event)
            for handler in handlers:
                handler(event, accumulator)
            if ends:
                ended.add(originator)
        for originator in ended:
            round_ = cached[originator]
            if isinstance(round_, RoundAccumulator) and round_.status != "open":
                del cached[originator]

    def write(self, connection: Connection, writer: Writer) -> None:
        """Write the rows of the page, in the caller's transaction."""
        for projection in self._projections:
            projection.resolve(connection, writer.schema)
            for table, rows in projection.collected():
                writer.write(connection, table, rows)
            projection.begin_page()

    def fold_all(
        self,
        connection: Connection,
        writer: Writer,
        upto: int | None = None,
        as_of: datetime | None = None,
        progress: Callable[[int], None] | None = None,
        after: int = 0,
    ) -> None:
        """Fold all events up to a position or a time, or after a position; `progress` gets the number of positions of
        each page."""
        while True:
            page, position = self._feed.page(after, PAGE, upto, as_of)
            if position == after:
                return
            self.take_in(page)
            with connection.transaction():
                self.write(connection, writer)
            if progress is not None:
                progress(position - after)
            after = position

    def _plan(self, topic_id: int, state: bytes) -> _TopicPlan:
        """Return the plan of a topic, found by the current class of its first event, even for a retired topic."""
        decode = TOPICS.decoder(self._feed.topic(topic_id))
        event = type(decode(state).event)
        take = self._cache.take.get(event)
        handlers = tuple(handler for projection in self._projections for handler in projection.handlers(event))
        kind = ACCUMULATORS.get(TOPICS.topic_of(event).partition(".")[0]) if take or handlers else None
        return _TopicPlan(
            decode=decode,
            kind=kind,
            take=take,
            handlers=handlers,
            ends=event in ENDING,
            marks_late=event in OTHERS,
        )

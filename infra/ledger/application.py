"""The ledger as an application of the eventsourcing library: its repository loads aggregates, its `save` is the one way
to write, and followers read its recorder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast
from uuid import UUID

from eventsourcing.application import AggregateNotFoundError, Application

from domain.errors import Conflict
from domain.floor import drop_boxes
from infra.access.sessions import Sessions
from infra.access.staff import Staff
from infra.aggregates.changes import Changes
from infra.aggregates.meters import Meters
from infra.aggregates.rounds import StoredRound, UnknownRound, project_round
from infra.aggregates.rulebook import Rulebook
from infra.aggregates.stored_postings import StoredPostings
from infra.aggregates.tables import Tables
from infra.health.disk_space import DiskReserve
from infra.ledger.actor import Actor
from infra.store import appender
from infra.store.appender import Receipt, SealedCard
from infra.store.encoding.mapper import RecordedEvent, TypedMapper
from infra.store.encoding.shapes import prepare_decoders
from infra.store.encoding.topics import TOPICS
from infra.store.event_rows import EventRows
from infra.store.event_store import LedgerEventStore
from infra.store.recorder import LedgerRecorder
from infra.store.streams import stream_id

T = TypeVar("T")
# Stored with a command so that a retry is recognised: ready, or made from the command's outcome.
CommandReceipt = Receipt | Callable[[Any], Receipt] | None


class Overtaken(Conflict):
    """Somebody else wrote to one of the command's aggregates since they were read. Nothing was stored."""


class LedgerApplication(Application[UUID]):
    """One per process and database. Thread-safe."""

    topics = TOPICS
    events: LedgerEventStore
    recorder: LedgerRecorder
    mapper: TypedMapper

    def __init__(self, database_url: str, disk: DiskReserve | None = None, adopted_only: bool = False) -> None:
        """`disk` is the database's disk, if it is on this machine. With `adopted_only`, tables open only with adopted
        rule sets and posted terms."""
        self._database_url = database_url
        self._disk = disk
        prepare_decoders()  # before other threads use this
        super().__init__()
        self.database = self.recorder.database
        self.rows = EventRows(self.database)
        self.staff = Staff(self.database)
        self.sessions = Sessions(self.database)
        self.rulebook = Rulebook(self.events, adopted_only)
        self.postings = StoredPostings(self.events)
        self.meters = Meters(self.events)
        self.tables = Tables(self.events, self.rulebook, self.meters)

    def construct_mapper(self) -> TypedMapper:
        return TypedMapper(self.topics)

    def construct_recorder(self) -> LedgerRecorder:
        return LedgerRecorder(self._database_url, disk=self._disk)

    def construct_event_store(self) -> LedgerEventStore:
        return LedgerEventStore(self.mapper, self.recorder)

    def close(self) -> None:
        self.recorder.close()
        super().close()

    # ---- writing

    def save_changes(self, changes: Changes, what: str, receipt: CommandReceipt = None, outcome: object = None) -> None:
        """Save a command's events and its receipt in one transaction; a lost race raises `Overtaken`.

        `outcome` is what an unfinished receipt is made from. The library's own `save` does the same, but first checks
        whether the changes are an event, which costs a tenth of a single action."""
        if callable(receipt):
            receipt = receipt(outcome)
        try:
            self.events.put(changes.collect_events(), receipt=receipt)
        except appender.Conflict:
            raise Overtaken(f"{what} has moved on in the meantime.") from None

    def append(
        self,
        aggregate: tuple[str, str],
        event: Any,
        actor: Actor,
        what: str,
        version: int | None = None,
        receipt: CommandReceipt = None,
        outcome: object = None,
        after: str = "",
    ) -> int:
        """Save one event of one aggregate, after `version` or else after its last event; return its version.

        With `after`, words for that last event, its time is no earlier. Without an `outcome` that is the event."""
        if version is None:
            last = self.events.last(stream_id(*aggregate))
            version = last[0].originator_version if last else 0
            actor = actor.after(last[0].at_ms, after) if last and after else actor
        changes = Changes(actor)
        version = changes.add(*aggregate, version, [event])
        self.save_changes(changes, what, receipt, event if outcome is None else outcome)
        return version

    # ---- loading

    def find(
        self, kind: str, name: str, project: Callable[[list[RecordedEvent]], T], version: int | None = None
    ) -> T | None:
        """Return what `project` makes of an aggregate's events, up to a version; None if it does not exist."""

        def projector(_: object, events: Iterable[RecordedEvent]) -> T | None:
            loaded = list(events)
            return project(loaded) if loaded else None

        try:
            found = self.repository.get(stream_id(kind, name), version=version, projector_func=cast("Any", projector))
        except AggregateNotFoundError:
            return None
        return cast("T", found)

    def find_round(self, round_id: str, upto: int | None = None) -> StoredRound | None:
        """Return a round with its face-down cards, up to a version."""

        def project(entries: list[RecordedEvent]) -> StoredRound:
            return project_round(round_id, self.rulebook, entries, self._sealed("round", round_id))

        return self.find("round", round_id, project, upto)

    def load(self, round_id: str, upto: int | None = None, *, expected_version: int | None = None) -> StoredRound:
        """Return a round. Raises UnknownRound, or Conflict if it is not at the expected version."""
        stored = self.find_round(round_id, upto)
        if stored is None:
            raise UnknownRound(f"There is no round {round_id}.")
        if expected_version is not None and stored.version != expected_version:
            raise Conflict(f"Round {round_id} is at version {stored.version}, not {expected_version}.")
        return stored

    def entries(self, round_id: str) -> list[RecordedEvent]:
        """Return a round's stored events, with who and when; empty if it does not exist."""
        return self.events.load(stream_id("round", round_id))

    def find_box(self, box: str) -> tuple[drop_boxes.DropBox, int] | None:
        """Return a drop box and its version."""

        def project(entries: list[RecordedEvent]) -> tuple[drop_boxes.DropBox, int]:
            opened = drop_boxes.start(entries[0].event)
            return drop_boxes.fold(opened, (entry.event for entry in entries[1:])), len(entries)

        return self.find("box", box, project)

    # ---- sealed data

    def sealed_cards(self, round_id: str) -> list[SealedCard]:
        """Return what was dealt face down, in order, whether turned over since or not."""
        sealed = self._sealed("round", round_id)
        return [card for card in sealed if card.originator_version > 1]  # the first event seals the document's digest

    def sealed_counts(self, box: str) -> list[drop_boxes.OpenedCount]:
        """Return the sealed counts of a box, opened: for the write path, and for those who made them."""
        all_sealed = self._sealed("box", box)
        events = {entry.originator_version: entry.event for entry in self.events.load(stream_id("box", box))}
        found = []
        for sealed in all_sealed:
            event = events[sealed.originator_version]
            count = drop_boxes.opened_count(event.counter, sealed.card, sealed.salt)
            if count.seal != event.seal:
                raise Conflict(
                    f"The count of box {box} by {event.counter} is not the one that was sealed. Run an audit."
                )
            found.append(count)
        return found

    def _sealed(self, kind: str, name: str) -> list[SealedCard]:
        return self.recorder.sealed_cards(stream_id(kind, name))

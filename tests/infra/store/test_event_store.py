"""The parts together, as an Application of the eventsourcing library finds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.persistence import IntegrityError, MapperDeserialisationError, NotSupportedError, StoredEvent
from msgspec import Struct, structs

from domain.round.sealing import SealedUnit
from infra.store.appender import Receipt, SealedCard
from infra.store.encoding.mapper import RecordedEvent, Topics, UnknownTopic
from infra.store.event_store import LedgerEventStore


class WagerPlaced(Struct, frozen=True, array_like=True):
    seat: int
    amount_cents: int


TOPICS = Topics({"sample.wager_placed.v1": WagerPlaced})


class Pot(Struct, frozen=True):
    """An aggregate in miniature: the sum of its wagers."""

    id: UUID
    version: int
    total_cents: int


def fold(pot: Pot | None, events: Iterable[RecordedEvent]) -> Pot | None:
    for recorded in events:
        before = pot.total_cents if pot else 0
        pot = Pot(recorded.originator_id, recorded.originator_version, before + recorded.event.amount_cents)
    return pot


class Batch:
    """What a command wants stored, handed to `Application.save` as one object."""

    def __init__(self, *events: RecordedEvent) -> None:
        self.id = events[0].originator_id
        self._events = events

    def collect_events(self) -> tuple[RecordedEvent, ...]:
        return self._events


class Table(Application[UUID]):
    env = {"PERSISTENCE_MODULE": "infra.store.event_store", "ROUNDLEDGER_TOPICS": f"{__name__}:TOPICS"}  # noqa: RUF012

    @property
    def store(self) -> LedgerEventStore:
        return cast("LedgerEventStore", self.events)


@pytest.fixture
def table(ledger_url: str) -> Iterator[Table]:
    with Table({"ROUNDLEDGER_DATABASE_URL": ledger_url}) as table:
        yield table


def wagers(pot: UUID, *amounts_cents: int, after: int = 0) -> list[RecordedEvent]:
    return [
        RecordedEvent(pot, after + i, WagerPlaced(after + i, cents), "s-1", 5)
        for i, cents in enumerate(amounts_cents, 1)
    ]


def test_an_application_saves_and_its_repository_finds(table: Table):
    pot = uuid4()
    recordings = table.save(cast("Any", Batch(*wagers(pot, 500, 2500))))
    assert [recording.notification.originator_version for recording in recordings] == [1, 2]
    assert table.repository.get(pot, projector_func=cast("Any", fold)) == Pot(pot, 2, 3000)
    assert table.repository.get(pot, version=1, projector_func=cast("Any", fold)) == Pot(pot, 1, 500)
    with pytest.raises(AggregateNotFoundError):
        table.repository.get(uuid4(), projector_func=cast("Any", fold))
    with pytest.raises(IntegrityError):
        table.save(cast("Any", Batch(*wagers(pot, 100, after=1))))


def test_what_opens_a_seal_is_saved_with_its_event_and_with_the_receipt(table: Table):
    pot = uuid4()
    sealed = structs.replace(wagers(pot, 500)[0], sealed=[SealedUnit(0, "As", b"salt")])
    receipt = Receipt(f"{pot}", b"hash", b"answer")
    recordings = table.save(cast("Any", Batch(sealed, *wagers(pot, 2500, after=1))), receipt=receipt)
    assert len({recording.notification.id for recording in recordings}) == 2
    assert table.store.load(pot) == wagers(pot, 500) + wagers(pot, 2500, after=1)
    assert table.store.load(pot, lte=1) == table.store.load(pot)[:1]
    assert table.store.last(pot) == table.store.load(pot)[1:]
    assert table.store.load(uuid4()) == table.store.last(uuid4()) == []
    assert table.store.recorder.sealed_cards(pot) == [SealedCard(pot, 1, 0, "As", b"salt")]
    assert table.store.recorder.receipt(f"{pot}") == receipt


def test_what_the_topics_do_not_explain_is_an_error(table: Table):
    strange, broken = uuid4(), uuid4()
    table.store.recorder.insert_events([StoredEvent(strange, 1, "sample.strange.v1", b"[]")])
    with pytest.raises(UnknownTopic, match=r"sample\.strange\.v1"):
        table.store.load(strange)
    table.store.recorder.insert_events([StoredEvent(broken, 1, "sample.wager_placed.v1", b"[7]")])
    with pytest.raises(MapperDeserialisationError, match=f"{broken}"):
        table.store.load(broken)


def test_settings_that_are_missing_are_named(ledger_url: str):
    with pytest.raises(OSError, match="ROUNDLEDGER_DATABASE_URL is not set"):
        Table({"ROUNDLEDGER_DATABASE_URL": ""})


def test_there_are_no_snapshots(table: Table):
    with pytest.raises(NotSupportedError):
        table.factory.aggregate_recorder("snapshots")

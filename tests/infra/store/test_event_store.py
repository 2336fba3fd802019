"""The parts together, in an Application of the eventsourcing library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from eventsourcing.application import AggregateNotFoundError
from eventsourcing.persistence import IntegrityError, MapperDeserialisationError, StoredEvent
from msgspec import Struct, structs

from domain.round.sealing import SealedUnit
from infra.ledger.application import LedgerApplication
from infra.store.appender import Receipt, SealedCard
from infra.store.encoding.mapper import RecordedEvent, Topics, UnknownTopic


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


class Table(LedgerApplication):
    """The ledger's application, with events of its own."""

    topics = TOPICS


@pytest.fixture
def table(ledger_url: str) -> Iterator[Table]:
    with Table(ledger_url) as table:
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
    assert table.events.load(pot) == wagers(pot, 500) + wagers(pot, 2500, after=1)
    assert table.events.load(pot, lte=1) == table.events.load(pot)[:1]
    assert table.events.last(pot) == table.events.load(pot)[1:]
    assert table.events.load(uuid4()) == table.events.last(uuid4()) == []
    assert table.events.recorder.sealed_cards(pot) == [SealedCard(pot, 1, 0, "As", b"salt")]
    assert table.events.recorder.receipt(f"{pot}") == receipt


def test_what_the_topics_do_not_explain_is_an_error(table: Table):
    strange, broken = uuid4(), uuid4()
    table.events.recorder.insert_events([StoredEvent(strange, 1, "sample.strange.v1", b"[]")])
    with pytest.raises(UnknownTopic, match=r"sample\.strange\.v1"):
        table.events.load(strange)
    table.events.recorder.insert_events([StoredEvent(broken, 1, "sample.wager_placed.v1", b"[7]")])
    with pytest.raises(MapperDeserialisationError, match=f"{broken}"):
        table.events.load(broken)

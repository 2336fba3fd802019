"""Typed events to bytes and back, under names that outlive classes, and old shapes read as new ones."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import msgspec
import pytest
from eventsourcing.persistence import MapperDeserialisationError, StoredEvent
from msgspec import Struct

from infra.store.encoding.mapper import Entry, RecordedEvent, Topics, TypedMapper, UnknownTopic, Unregistered


class WagerPlacedV1(Struct, frozen=True, array_like=True):
    seat: int
    spot: str
    amount: str  # dollars, as text


class WagerPlacedV2(Struct, frozen=True, array_like=True):
    seat: int
    spot: str
    amount_cents: int


class WagerPlaced(Struct, frozen=True, array_like=True):
    seat: int
    spot: str
    bettor: str
    amount_cents: int


class CardDealt(Struct, frozen=True, array_like=True):
    to: int | str
    cards: tuple[str | None, ...]
    hand: int = 1


def in_cents(old: WagerPlacedV1) -> WagerPlacedV2:
    return WagerPlacedV2(old.seat, old.spot, int(old.amount.replace(".", "")))


def with_bettor(old: WagerPlacedV2) -> WagerPlaced:
    return WagerPlaced(old.seat, old.spot, f"seat-{old.seat}", old.amount_cents)


@pytest.fixture
def mapper() -> TypedMapper:
    topics = Topics({"round.wager_placed.v3": WagerPlaced, "round.card_dealt.v1": CardDealt})
    topics.retire("round.wager_placed.v1", WagerPlacedV1, "round.wager_placed.v2", in_cents)
    topics.retire("round.wager_placed.v2", WagerPlacedV2, "round.wager_placed.v3", with_bettor)
    return TypedMapper(topics)


def test_an_event_comes_back_as_it_was(mapper: TypedMapper):
    recorded = RecordedEvent(uuid4(), 7, WagerPlaced(3, "ante", "p-1", 2500), "staff-17", 1794795664287)
    (stored,) = mapper.encode([recorded])
    assert mapper.to_domain_event(stored) == recorded
    assert recorded.at == datetime(2026, 11, 16, 2, 21, 4, 287000, UTC)


def test_a_late_entry_is_marked_as_such(mapper: TypedMapper):
    recorded = RecordedEvent(uuid4(), 7, WagerPlaced(3, "ante", "p-1", 2500), "staff-17", 5, late=True)
    (stored,) = mapper.encode([recorded])
    assert stored.state == b'[[3,"ante","p-1",2500],"staff-17",5,true]'
    assert mapper.to_domain_event(stored) == recorded


def test_what_is_stored_is_short_and_readable(mapper: TypedMapper):
    (stored,) = mapper.encode([RecordedEvent(uuid4(), 1, CardDealt("board", ("As", None)), "staff-17", 5)])
    assert stored.topic == "round.card_dealt.v1"
    assert stored.state == b'[["board",["As",null],1],"staff-17",5]'


def test_the_topic_does_not_follow_the_class():
    class Renamed(Struct, frozen=True, array_like=True):
        seat: int
        spot: str
        bettor: str
        amount_cents: int

    stored = StoredEvent(uuid4(), 1, "round.wager_placed.v3", b'[[3,"ante","p-1",2500],"",0]')
    read = TypedMapper(Topics({"round.wager_placed.v3": Renamed})).to_domain_event(stored)
    assert isinstance(read, RecordedEvent)
    assert read.event == Renamed(3, "ante", "p-1", 2500)


def test_old_versions_are_read_as_the_present_one(mapper: TypedMapper):
    for version, payload in {"v1": '[3,"ante","25.00"]', "v2": '[3,"ante",2500]'}.items():
        entry = mapper.decode(f"round.wager_placed.{version}", f'[{payload},"staff-1",9]'.encode())
        assert entry == Entry(WagerPlaced(3, "ante", "seat-3", 2500), "staff-1", 9)


def test_an_old_version_can_be_upcast_from_plain_values(mapper: TypedMapper):
    mapper.topics.retire(
        "table.bet.v1", dict, "round.wager_placed.v3", lambda old: WagerPlaced(old["seat"], "ante", old["who"], 1)
    )
    entry = mapper.decode("table.bet.v1", b'[{"seat":2,"who":"p-1"},"",0]')
    assert entry.event == WagerPlaced(2, "ante", "p-1", 1)


def test_a_field_added_with_a_default_needs_no_version(mapper: TypedMapper):
    assert mapper.decode("round.card_dealt.v1", b'[[4,["As"]],"",0]').event == CardDealt(4, ("As",), hand=1)


def test_a_retired_event_is_not_written(mapper: TypedMapper):
    with pytest.raises(Unregistered, match="WagerPlacedV1 has no topic"):
        mapper.encode([RecordedEvent(uuid4(), 1, WagerPlacedV1(1, "ante", "5.00"))])


def test_an_unknown_topic_is_named(mapper: TypedMapper):
    with pytest.raises(UnknownTopic, match=r"round\.jackpot_hit\.v1"):
        mapper.decode("round.jackpot_hit.v1", b"[[]]")


def test_an_upcast_that_ends_elsewhere_is_found(mapper: TypedMapper):
    mapper.topics.retire("a.v1", list, "round.card_dealt.v1", lambda old: WagerPlaced(1, "ante", "p-1", 1))
    with pytest.raises(UnknownTopic, match=r"WagerPlaced, which is not the class of 'round\.card_dealt\.v1'"):
        mapper.decode("a.v1", b'[[],"",0]')


@pytest.mark.parametrize("state", [b"", b"not json", b"[]", b'[[1,"ante"],"",0]', b'[["x","ante","p",1],"",0]'])
def test_a_state_that_does_not_fit_its_topic_is_an_error_and_no_guess(mapper: TypedMapper, state: bytes):
    with pytest.raises(MapperDeserialisationError, match=r"round\.wager_placed\.v3"):
        mapper.decode("round.wager_placed.v3", state)


def test_a_topic_stands_for_one_thing_for_ever(mapper: TypedMapper):
    with pytest.raises(ValueError, match="taken"):
        mapper.topics.add("round.wager_placed.v1", msgspec.defstruct("Other", [("seat", int)]))
    with pytest.raises(ValueError, match="taken"):
        mapper.topics.retire("round.card_dealt.v1", list, "round.wager_placed.v3", lambda old: old)
    with pytest.raises(ValueError, match="already"):
        mapper.topics.add("round.wager_placed.v4", WagerPlaced)


def test_every_topic_that_is_read_as_an_event_is_known(mapper: TypedMapper):
    versions = {f"round.wager_placed.v{version}" for version in (1, 2, 3)}
    assert mapper.topics.topics_of(WagerPlaced) == versions
    assert mapper.topics.topics_of(CardDealt) == {"round.card_dealt.v1"}

"""Progressive meters, which the rounds of one or several tables read and move."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from domain.floor import meters
from domain.money import money
from domain.round.events import MeterPaid, MeterRead, ProgressiveWagersTaken, RoundEvent, RoundVoided
from domain.round.state import Round, fold
from domain.rules.terms import Meter, MeterDocument, Terms, TermsDocument
from infra.store.event_store import LedgerEventStore
from infra.store.streams import stream_id


class StoredMeter(NamedTuple):
    meter: Meter
    version: int  # 0 until it is stored

    @property
    def id(self) -> str:
        assert self.meter.id is not None
        return self.meter.id


class Meters:
    """Meters cached between commands, until another process writes."""

    def __init__(self, events: LedgerEventStore) -> None:
        self._events = events
        self._known: dict[str, StoredMeter] = {}

    def find(self, meter_id: str) -> StoredMeter | None:
        known = self._known.get(meter_id)
        if known is None:
            stream = stream_id("meter", meter_id)
            first, last = self._events.load(stream, lte=1), self._events.last(stream)
            if not first:
                return None
            meter = meters.evolve(meters.start(first[0].event), last[0].event)
            known = self._known[meter_id] = StoredMeter(meter, last[0].originator_version)
        return known

    def stored_version(self, meter_id: str) -> int:
        """Return the version that is stored now; 0 if there is none."""
        last = self._events.last(stream_id("meter", meter_id))
        return last[0].originator_version if last else 0

    def keep(self, meter: StoredMeter) -> None:
        self._known[meter.id] = meter

    def forget(self) -> None:
        self._known.clear()

    def for_terms(self, table: str, terms: Terms) -> tuple[Terms, StoredMeter | None]:
        """Return the terms with the stored meter's figures. A meter that is not stored yet starts with those of the
        terms."""
        meter_id = _meter_id(table, terms)
        if terms.meter is None or meter_id is None:
            return terms, None
        stored = self.find(meter_id) or StoredMeter(replace(terms.meter, id=meter_id), 0)
        document = {**terms.document, "meter": _figures(stored.meter)}
        return replace(terms, meter=stored.meter, document=document), stored

    def with_figures(self, given: TermsDocument, meter_id: str) -> TermsDocument:
        """Return the terms with a stored meter's figures; unchanged if none is stored."""
        found = self.find(meter_id)
        return given if found is None else replace(given, meter=msgspec.convert(_figures(found.meter), MeterDocument))


def same_terms(table: str, first: Terms, second: Terms) -> bool:
    """Return whether the terms are those of a session. Which meter is part of them; its figures are not."""
    if _meter_id(table, first) != _meter_id(table, second):
        return False
    return {**first.document, "meter": None} == {**second.document, "meter": None}


def _meter_id(table: str, terms: Terms) -> str | None:
    return None if terms.meter is None else terms.meter.id or own_meter(table)


def own_meter(table: str) -> str:
    """Return the id of the meter of a table that shares none."""
    return f"meter-{table}"


def _figures(meter: Meter) -> dict[str, Any]:
    return {
        "seed": money(meter.seed),
        "shown": money(meter.shown),
        "reserve": money(meter.reserve),
        "percent": meter.percent,
        "reserve_percent": meter.reserve_percent,
        "id": meter.id,
    }


# ---- what a round reads and moves


def with_reading(round_: Round, stored: StoredMeter | None) -> tuple[Round, list[RoundEvent]]:
    """Return the round with a new reading first, where a shared meter shows something else by now."""
    if stored is None or (round_.meter_shown, round_.meter_reserve) == (stored.meter.shown, stored.meter.reserve):
        return round_, []
    read = MeterRead(stored.meter.shown, stored.meter.reserve)
    return fold(round_, [read]), [read]


def moved_by(
    stored: StoredMeter, round_id: str, round_: Round, happened: Iterable[RoundEvent]
) -> tuple[list[meters.MeterEvent], StoredMeter]:
    """Return the meter's events that follow from a round's, and the meter after them."""
    meter = stored.meter
    events: list[meters.MeterEvent] = [] if stored.version else [meters.seed(meter)]
    for event in happened:
        moved: meters.MeterEvent | None = None
        if isinstance(event, ProgressiveWagersTaken):
            moved = meters.contribute(meter, round_id, *_shares(event.wagers, meter))
        elif isinstance(event, MeterPaid):
            award = (event.seat, event.bettor, event.percent, event.amount, event.shown, event.reserve)
            moved = meters.MeterAwarded(round_id, *award)
        elif isinstance(event, RoundVoided) and round_.seats is not None:
            seats = round_.layout.values()
            wagers = sum(stakes.spots.get("progressive", 0) for seat in seats for stakes in seat.values())
            moved = meters.give_back(meter, round_id, *_shares(wagers, meter)) if wagers else None
        if moved is not None:
            events.append(moved)
            meter = meters.evolve(meter, moved)
    return events, StoredMeter(meter, stored.version + len(events))


def _shares(wagers: int, meter: Meter) -> tuple[int, int]:
    return wagers * meter.percent // 100, wagers * meter.reserve_percent // 100

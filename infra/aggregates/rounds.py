"""A stored round with everything that the write path needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from domain.errors import Refusal
from domain.round import hidden_cards, sealing
from domain.round.events import ANNOTATIONS, CardsDealt, EntryTakenBack
from domain.round.state import Round, fold
from infra.aggregates.rulebook import Rulebook
from infra.store.appender import SealedCard
from infra.store.encoding.mapper import RecordedEvent


class UnknownRound(LookupError):
    """No round is stored under that id."""


class Contradicted(Refusal):
    """Refused because of a face-down card. Of all refusals only this one is stored, and leaves the round at
    `version`."""

    def __init__(self, refusal: Refusal, version: int) -> None:
        super().__init__(refusal.detail, refusal.clause)
        self.code = refusal.code
        self.version = version


class StoredRound(Struct, frozen=True):
    id: str
    round: Round  # including face-down cards
    version: int
    openings: sealing.Openings
    public: Round  # as everybody may know it; the same object while nothing is hidden (domain.round.hidden_cards)
    entries: list[RecordedEvent] = []  # as loaded; empty if the round was just written
    digest: str | None = None  # of its document, as loaded
    at_ms: int = 0  # time of the last event of its play

    @property
    def table(self) -> str:
        table: str | None = self.round.opened.table
        assert table is not None
        return table

    def events(self) -> Iterable[Any]:
        return (entry.event for entry in self.entries)


def units_by_version(sealed: Iterable[SealedCard]) -> dict[int, list[sealing.SealedUnit]]:
    """Return the sealed units of a round by event version. The first event's unit is the document's digest."""
    units: dict[int, list[sealing.SealedUnit]] = {}
    for card in sealed:
        unit = sealing.SealedUnit(card.card_index, card.card, card.salt)
        units.setdefault(card.originator_version, []).append(unit)
    return units


def project_round(
    round_id: str, rulebook: Rulebook, entries: list[RecordedEvent], sealed: Iterable[SealedCard]
) -> StoredRound:
    units = units_by_version(sealed)
    opening = rulebook.opening(entries[0].event)
    openings = sealing.Openings(opening.rules.flop)
    events = []
    for entry in entries[1:]:
        event = entry.event
        if isinstance(event, CardsDealt) and event.face_down:
            event = sealing.unseal(openings, event, units.get(entry.originator_version, []))
        elif isinstance(event, EntryTakenBack):
            openings.take_back(event)
        events.append(event)
    round_ = fold(opening, events)
    return StoredRound(
        id=round_id,
        round=round_,
        version=len(entries),
        openings=openings,
        public=hidden_cards.public_of(opening, round_, events),
        entries=entries,
        digest=units[1][0].cards if 1 in units else None,
        at_ms=max(entry.at_ms for entry in entries if type(entry.event) not in ANNOTATIONS),
    )

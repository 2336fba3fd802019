"""Audit of a round's seals: cards that were turned over, or stayed face down, are those that were sealed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct

from domain.audit.comparison import Numbered
from domain.audit.findings import Finding
from domain.round import sealing
from domain.round.events import CardsDealt, CardsTurned, EntryTakenBack, Place, RoundEvent, RoundOpened
from domain.round.sealing import SealedUnit
from domain.round.state import Round

Sealed = Mapping[int, Sequence[SealedUnit]]  # openings of seals by the index of their event, -1 for the opening

GONE = "Cards were sealed here, and the opening of the seal is gone."
OTHER = "The stored opening of the sealed cards does not open the seal of this event."


class _Seal(Struct, frozen=True):
    """A commitment waiting for its cards: its event and place there, and which cards of the reveal it covers."""

    at: int
    number: int
    commitment: bytes
    first: int
    size: int

    def unit(self, sealed: Sealed) -> SealedUnit | None:
        return next((unit for unit in sealed.get(self.at, ()) if unit.number == self.number), None)


def check_seals(round_: Round, events: Sequence[RoundEvent], sealed: Sealed | None) -> Iterator[Numbered]:
    """Check all seals. `sealed` is None for callers who may not read it: then unopened seals stay unchecked."""
    waiting: dict[Place, list[_Seal]] = {}
    dealt: dict[Place, int] = {}
    packets: list[tuple[int, CardsDealt]] = []
    given_up: list[_Seal] = []  # of packets that were taken back
    opened = 0
    for at, event in [(at, event) for at, event in enumerate(events) if type(event) in sealing.WITH_CARDS]:
        if type(event) is CardsDealt:
            to = event.to
            before = dealt.get(to, 0)
            dealt[to] = before + len(event.cards)
            packets.append((at, event))
            units = sealing.covered(event, before, round_.rules.flop)
            for number, (seal, unit) in enumerate(zip(event.seals, units, strict=False)):
                if seal:
                    seals = waiting.setdefault(unit.opened_by, [])
                    seals.append(_Seal(at=at, number=number, commitment=seal, first=unit.first, size=len(unit.cards)))
        elif type(event) is EntryTakenBack:
            if event.entry["do"] == "deal" and packets:
                last, packet = packets.pop()
                dealt[packet.to] -= len(packet.cards)
                given_up += _given_up(waiting, last)
        elif type(event) is CardsTurned and event.of in waiting:
            seals = waiting.pop(event.of)
            opened += len(seals)
            if not _as_sealed(event, seals, sealed):
                yield from _not_as_sealed(at, event, seals, sealed)
    if sealed is None:
        return
    yield from _content(round_.opened, sealed)
    yield from _still_open(given_up, sealed)
    opened += len(given_up)
    if waiting:
        opened += sum(map(len, waiting.values()))
        yield from _closed(round_, waiting, sealed)
    if sum(map(len, sealed.values())) > opened + (round_.opened.content is not None):
        yield -1, Finding("seal", "More openings are stored for the round than cards were sealed in it.")


def _given_up(waiting: dict[Place, list[_Seal]], at: int) -> list[_Seal]:
    """Return the seals of a packet that was taken back: no reveal opens them, and they stay published."""
    found = [seal for seals in waiting.values() for seal in seals if seal.at == at]
    for place in [place for place, seals in waiting.items() if any(seal.at == at for seal in seals)]:
        waiting[place] = [seal for seal in waiting[place] if seal.at != at]
        if not waiting[place]:
            del waiting[place]
    return found


def _still_open(given_up: Sequence[_Seal], sealed: Sealed) -> Iterator[Numbered]:
    for seal in given_up:
        unit = seal.unit(sealed)
        if unit is None:
            yield seal.at, Finding("seal", GONE)
        elif sealing.commitment(unit.cards, unit.salt) != seal.commitment:
            yield seal.at, Finding("seal", OTHER)


def _as_sealed(turned: CardsTurned, seals: Sequence[_Seal], sealed: Sealed | None) -> bool:
    """Return whether a reveal opens its seals and the stored openings match it, as nearly always."""
    cards, salts = turned.cards, turned.salts
    if len(salts) != len(seals):
        return False
    for seal, salt in zip(seals, salts, strict=True):
        text = "".join(cards[seal.first : seal.first + seal.size])
        if sealing.commitment(text, salt) != seal.commitment:
            return False
        if sealed is not None and SealedUnit(seal.number, text, salt) not in sealed.get(seal.at, ()):
            return False
    return True


def _not_as_sealed(at: int, turned: CardsTurned, seals: Sequence[_Seal], sealed: Sealed | None) -> Iterator[Numbered]:
    seat = _seat(turned.of)
    if not _opens(turned, seals):
        shown = " ".join(turned.cards)
        what = f"The cards turned over ({shown}) are not those that were sealed when they were dealt."
        yield at, Finding("seal", what, seat=seat)
    elif sealed is not None:
        for seal, salt in zip(seals, turned.salts, strict=True):
            unit = seal.unit(sealed)
            if unit is None:
                yield seal.at, Finding("seal", GONE, seat=seat)
            elif unit.salt != salt or sealing.commitment(unit.cards, salt) != seal.commitment:
                yield seal.at, Finding("seal", OTHER, seat=seat)


def _opens(turned: CardsTurned, seals: Sequence[_Seal]) -> bool:
    """Return whether the salts and cards of a reveal open the seals. A card that no shoe had read was sealed as
    unread."""
    if len(turned.salts) != len(seals):
        return False
    for seal, salt in zip(seals, turned.salts, strict=True):
        read_or_not = product(*((card, "??") for card in turned.cards[seal.first : seal.first + seal.size]))
        if not any(sealing.commitment("".join(cards), salt) == seal.commitment for cards in read_or_not):
            return False
    return True


def _seat(place: Place) -> int | None:
    return place if isinstance(place, int) else None


def _content(opened: RoundOpened, sealed: Sealed) -> Iterator[Numbered]:
    units = sealed.get(-1, ())
    if opened.content is not None and not units:
        yield -1, Finding("seal", "The opening of the seal of the round's document is gone.")
    elif opened.content is not None:
        unit = units[0]
        if unit.number or sealing.commitment(unit.cards, unit.salt).hex() != opened.content:
            yield -1, Finding("seal", "The seal of the round's document does not match its stored opening.")


def _closed(round_: Round, waiting: Mapping[Place, Sequence[_Seal]], sealed: Sealed) -> Iterator[Numbered]:
    """Check cards that were never turned over: they open their seals and are not dealt more often than the decks hold
    them."""
    deck = dict(round_.deck)
    for place, seals in waiting.items():
        seat = _seat(place)
        for seal in seals:
            at, unit = seal.at, seal.unit(sealed)
            if unit is None:
                yield at, Finding("seal", GONE, seat=seat)
                continue
            if sealing.commitment(unit.cards, unit.salt) != seal.commitment:
                yield at, Finding("seal", OTHER, seat=seat)
            for card in sealing.cards_of(unit.cards):
                if card is not None:
                    deck[card] = deck.get(card, 0) + 1
                    if deck[card] > round_.terms.decks:
                        what = "A card that stayed face down was dealt more often than the decks hold it."
                        yield at, Finding("card", what, seat=seat, clause=round_.rules.clause("deck"))

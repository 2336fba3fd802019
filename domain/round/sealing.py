"""Sealing face-down cards: the stored event has a salted commitment, and the opening is stored elsewhere.

A seal covers the cards that are turned over together: a seat's packet, the dealer's, the flop, the turn and river. When
they are turned over, the salts become part of that event, so that anybody can check that no card was exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from domain.round.events import Cards, CardsDealt, CardsTurned, EntryTakenBack, Place, RoundEvent

WITH_CARDS = (CardsDealt, CardsTurned, EntryTakenBack)
Opening = tuple[str, bytes]  # the cards of a seal, as one text, and the salt


class SealedUnit(Struct, frozen=True):
    """The opening of one seal: its index in the event, its cards and its salt."""

    number: int
    cards: str
    salt: bytes


def commitment(cards: str, salt: bytes) -> bytes:
    return sha256(salt + cards.encode()).digest()


class CoveredCards(Struct, frozen=True):
    """The cards of a packet that one seal covers: which reveal turns them over, and as which of its cards."""

    opened_by: Place
    first: int  # among the cards of that reveal
    cards: Cards


def covered(event: CardsDealt, before: int, flop: int) -> list[CoveredCards]:
    """Return what each seal of a packet covers; `before` cards are already at its place, `flop` of the board are the
    flop."""
    down = event.cards[: event.face_down]
    if not down:
        return []
    if event.to != "board":
        return [CoveredCards(event.to, before, down)]
    of_flop = max(0, flop - before)
    streets = (
        CoveredCards("flop", before, down[:of_flop]),
        CoveredCards("turn_river", max(0, before - flop), down[of_flop:]),
    )
    return [street for street in streets if street.cards]


def _text(cards: Cards) -> str:
    return "".join(card or "??" for card in cards)


def cards_of(text: str) -> Cards:
    pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
    return tuple(None if pair == "??" else pair for pair in pairs)


def hides(event: EntryTakenBack) -> bool:
    """Return whether the entry was a packet with a face-down card."""
    return bool(event.entry["do"] == "deal" and None in event.entry["cards"])


class Openings:
    """The salts of a round's unopened seals, by the reveal that opens them."""

    def __init__(self, flop: int) -> None:
        self._salts: dict[Place, tuple[bytes, ...]] = {}
        self._flop = flop  # how many cards of the board are turned over first
        self._board = 0  # how many have been dealt there
        self._earlier: list[tuple[dict[Place, tuple[bytes, ...]], int]] = []  # before each packet with a face-down card

    def copy(self) -> Openings:
        """Return a copy for an attempt that may fail, which is then dropped with its seals."""
        copied = Openings(self._flop)
        copied._salts, copied._board, copied._earlier = dict(self._salts), self._board, list(self._earlier)
        return copied

    def covered(self, event: CardsDealt) -> list[CoveredCards]:
        """Return what the seals of the next packet cover."""
        return covered(event, self._board if event.to == "board" else 0, self._flop)

    def add(self, event: CardsDealt, units: Iterable[SealedUnit]) -> None:
        if event.face_down:
            self._earlier.append((dict(self._salts), self._board))
        places = [seal.opened_by for seal in self.covered(event)]
        for unit in units:
            if unit.number < len(places):  # anything else was added later, and the audit reports it
                place = places[unit.number]
                self._salts[place] = (*self._salts.get(place, ()), unit.salt)
        if event.to == "board":
            self._board += len(event.cards)

    def take_back(self, event: EntryTakenBack) -> None:
        """Forget a packet with a face-down card; its seal stays published, and nothing will open it."""
        if hides(event) and self._earlier:
            self._salts, self._board = self._earlier.pop()

    def of(self, place: Place) -> tuple[bytes, ...]:
        return self._salts.get(place, ())


def seal(openings: Openings, event: RoundEvent, new_salt: Callable[[], bytes]) -> tuple[RoundEvent, list[SealedUnit]]:
    """Return the event as it may be stored and shown, and the openings of its seals."""
    if isinstance(event, CardsTurned):
        return replace(event, salts=openings.of(event.of)), []
    if isinstance(event, EntryTakenBack):
        openings.take_back(event)
        return event, []
    if not isinstance(event, CardsDealt) or not event.face_down:
        return event, []
    units, seals = [], []
    for number, cards in enumerate(seal.cards for seal in openings.covered(event)):
        if any(card is not None for card in cards):
            unit = SealedUnit(number, _text(cards), new_salt())
            units.append(unit)
            seals.append(commitment(unit.cards, unit.salt))
        else:
            seals.append(b"")
    openings.add(event, units)
    hidden = (None,) * event.face_down + event.cards[event.face_down :]
    return replace(event, cards=hidden, seals=tuple(seals) if units else ()), units


def unseal(openings: Openings, event: CardsDealt, units: Sequence[SealedUnit]) -> CardsDealt:
    """Return the event with its cards, for the write path alone; its salts are among the openings from now on."""
    known = {unit.number: cards_of(unit.cards) for unit in units}
    cards: Cards = ()
    for number, seal in enumerate(openings.covered(event)):
        cards += known.get(number, seal.cards)
    openings.add(event, units)
    return replace(event, cards=cards + event.cards[event.face_down :])

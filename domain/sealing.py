"""Cards face down stay sealed: what is stored of them is a salted commitment, and the opening lies elsewhere.

A seal covers the cards that are turned over together: a seat's packet, the dealer's, the flop, the turn and river. When
they are turned over, the salts become part of that event, so that anybody can check that no card was exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Cards, CardsDealt, CardsTurned, Place, RoundEvent

FLOP = 3
WITH_CARDS = (CardsDealt, CardsTurned)
Opening = tuple[str, bytes]  # the cards of a seal, as one text, and the salt


class SealedUnit(Struct, frozen=True, gc=False):
    """The opening of one seal: which of the event's seals it is, its cards and its salt."""

    number: int
    cards: str
    salt: bytes


def commitment(cards: str, salt: bytes) -> bytes:
    return sha256(salt + cards.encode()).digest()


def _units(event: CardsDealt) -> list[tuple[str | None, ...]]:
    """The cards of a packet that lie face down, by what is turned over together."""
    down = event.cards[: event.face_down]
    if event.to == "board" and len(down) > FLOP:
        return [down[:FLOP], down[FLOP:]]
    return [down] if down else []


def sizes(event: CardsDealt) -> list[int]:
    """How many cards each of a packet's seals covers."""
    return [len(cards) for cards in _units(event)]


def _text(cards: Cards) -> str:
    return "".join(card or "??" for card in cards)


def cards_of(text: str) -> Cards:
    pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
    return tuple(None if pair == "??" else pair for pair in pairs)


def turned_by(to: Place, number: int, packet: int) -> Place:
    """Which reveal opens a seal."""
    if to != "board":
        return to
    return "flop" if packet == 0 and number == 0 else "turn_river"


class Openings:
    """The salts of a round's seals that have not been opened yet, by the reveal that opens them."""

    def __init__(self) -> None:
        self._salts: dict[Place, tuple[bytes, ...]] = {}
        self._boards = 0

    def copy(self) -> Openings:
        """For an attempt that may fail: what it seals is then forgotten with it."""
        copied = Openings()
        copied._salts, copied._boards = dict(self._salts), self._boards
        return copied

    def add(self, event: CardsDealt, units: Iterable[SealedUnit]) -> None:
        for unit in units:
            place = turned_by(event.to, unit.number, self._boards)
            self._salts[place] = (*self._salts.get(place, ()), unit.salt)
        if event.to == "board":
            self._boards += 1

    def of(self, place: Place) -> tuple[bytes, ...]:
        return self._salts.get(place, ())


def seal(openings: Openings, event: RoundEvent, new_salt: Callable[[], bytes]) -> tuple[RoundEvent, list[SealedUnit]]:
    """The event as it may be stored and shown, and what must lie beside it."""
    if isinstance(event, CardsTurned):
        return replace(event, salts=openings.of(event.of)), []
    if not isinstance(event, CardsDealt) or not event.face_down:
        return event, []
    units, seals = [], []
    for number, cards in enumerate(_units(event)):
        if any(card is not None for card in cards):
            unit = SealedUnit(number, _text(cards), new_salt())
            units.append(unit)
            seals.append(commitment(unit.cards, unit.salt))
        else:
            seals.append(b"")
    openings.add(event, units)
    hidden = (None,) * event.face_down + event.cards[event.face_down :]
    return replace(event, cards=hidden, seals=tuple(seals) if units else ()), units


def unseal(event: CardsDealt, units: Sequence[SealedUnit]) -> CardsDealt:
    """The event with its cards again, for the write path alone."""
    known = {unit.number: cards_of(unit.cards) for unit in units}
    cards: Cards = ()
    for number, hidden in enumerate(_units(event)):
        cards += known.get(number, hidden)
    return replace(event, cards=cards + event.cards[event.face_down :])

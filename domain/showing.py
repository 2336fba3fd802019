"""Which cards of a round lie face up: what may be shown of a hand, whatever the ledger knows of it.

A card that is face down is None here even where a shoe has read it, so that whatever is built on this cannot leak one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.dealing import next_packet
from domain.events import Cards, Place
from domain.games import tcp
from domain.state import Round


def face_up(round_: Round, place: Place) -> Cards:
    """The cards of a seat, the dealer hand or the board in dealt order; empty before the first one.

    The hands of a Pure 21.5 seat are not here: they lie face up from the deal on (Round.boxes).
    """
    dealt = round_.hands.get(place, ())
    if place in round_.turned:
        return dealt
    if place == "board":
        flop = round_.rules.flop
        streets = ["flop" if at < flop else "turn_river" for at in range(len(dealt))]
        return tuple([card if of in round_.turned else None for of, card in zip(streets, dealt, strict=True)])
    if place == "dealer" and round_.family == "tcp":
        return tuple(card if at == tcp.UP_CARD else None for at, card in enumerate(dealt))
    if place == "dealer" and round_.family == "p215":
        return (*dealt[:1], *(None for _ in dealt[1:]))
    return (None,) * len(dealt)


def face_down_next(round_: Round, entry: Mapping[str, Any]) -> int:
    """How many of the cards that an entry of `expects` deals lie face down, the first ones; nobody need name those."""
    if entry["do"] != "deal":
        return 0
    count: int = entry["count"]
    if round_.family == "p215":
        hole = entry["to"] == "dealer" and len(round_.hands.get("dealer", ())) == 1 and next_packet(round_) is not None
        return int(hole)
    if round_.family == "tcp" and entry["to"] == "dealer":
        return tcp.UP_CARD
    return count

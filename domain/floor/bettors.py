"""Bettors by pseudonymous id: patrons or third-party proposition players. No name is ever in an event."""

from __future__ import annotations

from typing import Literal

from domain.event import Event

BettorKind = Literal["patron", "proposition", "toke"]


class BettorRegistered(Event, frozen=True):
    """The kind of a bettor from now on; an id that was never registered is a patron's."""

    bettor: str
    kind: BettorKind


BETTOR_TOPICS = {"bettor.registered.v1": BettorRegistered}

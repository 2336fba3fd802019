"""What every stored event is."""

from __future__ import annotations

from msgspec import Struct


class Event(Struct, frozen=True, array_like=True, gc=False):
    """Stored as an array of its fields. No event can be part of a cycle, so the garbage collector need not track it:
    a round has a hundred of them."""

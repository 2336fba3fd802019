"""The base class of stored events."""

from __future__ import annotations

from msgspec import Struct


class Event(Struct, frozen=True, array_like=True, gc=False):
    """Stored as an array of its fields. Events cannot be part of cycles, so the garbage collector need not track them:
    a round has a hundred."""

"""What msgspec has to know of a class before several threads decode it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import msgspec
from msgspec import Struct


def meet_shapes() -> set[type[Struct]]:
    """msgspec builds what it needs for a class when it first meets it, and two threads that do so at once end the whole
    process. So it meets all of them while there is one thread; those that it could never decode are left out."""
    met = set()
    for shape in _below(Struct):
        with suppress(TypeError, NameError):
            msgspec.json.Decoder(shape)
            met.add(shape)
    return met


def _below(shape: type[Struct]) -> Iterator[type[Struct]]:
    for each in shape.__subclasses__():
        yield each
        yield from _below(each)

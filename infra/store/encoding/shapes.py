"""What msgspec has to know of a class before several threads decode it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from threading import Lock

import msgspec
from msgspec import Struct

_ONE_AT_A_TIME = Lock()  # programs that open a ledger in each of their threads


def meet_shapes() -> set[type[Struct]]:
    """msgspec builds what it needs for a class when it first meets it, and two threads that do so at once end the whole
    process. So it meets all of them while there is one thread; those that it could never decode are left out."""
    met = set()
    with _ONE_AT_A_TIME:
        for shape in _below(Struct):
            with suppress(TypeError, NameError):
                msgspec.json.Decoder(shape)
                met.add(shape)
    return met


def _below(shape: type[Struct]) -> Iterator[type[Struct]]:
    for each in shape.__subclasses__():
        yield each
        yield from _below(each)

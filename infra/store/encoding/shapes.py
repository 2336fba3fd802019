"""Preparing msgspec for decoding in several threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from threading import Lock

import msgspec
from msgspec import Struct

_ONE_AT_A_TIME = Lock()  # programs that open a ledger in each of their threads


def prepare_decoders() -> set[type[Struct]]:
    """Build msgspec's decoders of all classes while there is only one thread. It builds one when it first meets a
    class, and two threads doing so at once crash the process. Classes that it can never decode are skipped."""
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

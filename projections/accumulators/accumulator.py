"""The base of accumulators: each folds the events of one aggregate and keeps what reports need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args, get_type_hints

from msgspec import Struct

from projections.calendar.posting_days import PostingDays


class Accumulator(Struct):
    """`version`, `position`, `by` and `at_ms` are those of the last event; `late` says whether any that `take`
    remembers was entered late."""

    posting_days: PostingDays
    version: int = 0
    position: int = 0
    by: str = ""
    at_ms: int = 0
    late: bool = False

    def take(self, event: Any) -> None:
        """Remember what reports need; nothing is decided here."""


def events_of(method: Callable[..., None]) -> tuple[type, ...]:
    """Return the events that a method handles, by the annotation of its `event`."""
    event = get_type_hints(method)["event"]
    return get_args(event) or (event,)

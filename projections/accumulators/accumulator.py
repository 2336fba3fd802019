"""What every accumulator has in common: it folds the events of one aggregate and keeps what reports ask for."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from projections.calendar.gaming_days import GamingDays


class EventMeta(Struct, frozen=True, gc=False):
    """An event's place in the order of all events, who did it and when it happened. It holds nothing that could refer
    back to it, and without the garbage collector it is made twice as fast."""

    position: int = 0
    by: str = ""
    at_ms: int = 0
    late: bool = False


class Accumulator(Struct):
    """`version` is that of the last event taken in; `late` says whether any of them was entered late."""

    gaming_days: GamingDays
    version: int = 0
    late: bool = False

    def take(self, event: Any, meta: EventMeta) -> None:
        """Remember what reports ask for; nothing is decided here."""

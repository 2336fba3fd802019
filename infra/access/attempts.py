"""How often somebody may try a password: slowed down by address and by id, never locked out where they are known."""

from __future__ import annotations

import math
import time

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

# Of wrong passwords. A process counts for itself, so several of them allow as many times more.
FOR_AN_ID = RateLimitItemPerMinute(10, 5)
FROM_AN_ADDRESS = RateLimitItemPerMinute(50, 5)
ON_A_KNOWN_DEVICE = RateLimitItemPerMinute(10, 1)

Limit = tuple[RateLimitItem, tuple[str, ...]]


class TooOften(Exception):
    """What a message says about it is a remedy that works."""


class Attempts:
    """An attempt counts before it is judged, so that many at once cannot outrun the limit, and is given back where it
    was right. What strangers try for an id does not count where its owner has signed in before."""

    def __init__(self) -> None:
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def take(self, staff_id: str, address: str, device: str | None) -> None:
        taken: list[Limit] = []
        for limit in _limits(staff_id, address, device):
            item, key = limit
            if not self._limiter.hit(item, *key):
                self._back(taken)
                raise TooOften(self._words(item, key, device))
            taken.append(limit)

    def give_back(self, staff_id: str, address: str, device: str | None) -> None:
        self._back(_limits(staff_id, address, device))

    def _back(self, taken: list[Limit]) -> None:
        for item, key in taken:
            self._limiter.hit(item, *key, cost=-1)

    def _words(self, item: RateLimitItem, key: tuple[str, ...], device: str | None) -> str:
        seconds = self._limiter.get_window_stats(item, *key).reset_time - time.time()
        minutes = max(math.ceil(seconds / 60), 1)
        wait = f"Too many wrong passwords. Wait {minutes} minute{'s' if minutes > 1 else ''}"
        if device is not None:
            return f"{wait}."
        return f"{wait}, or sign in where you have signed in before."


def _limits(staff_id: str, address: str, device: str | None) -> list[Limit]:
    if device is not None:
        return [(ON_A_KNOWN_DEVICE, ("device", device, staff_id))]
    return [(FOR_AN_ID, ("id", staff_id)), (FROM_AN_ADDRESS, ("address", address))]

"""Rate limits on password attempts, by address and by staff id. A known device is never locked out by strangers."""

from __future__ import annotations

import math
import time

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

# Limits on wrong passwords. Each process counts its own, so several processes allow several times as many.
FOR_AN_ID = RateLimitItemPerMinute(10, 5)
FROM_AN_ADDRESS = RateLimitItemPerMinute(50, 5)
ON_A_KNOWN_DEVICE = RateLimitItemPerMinute(10, 1)

Limit = tuple[RateLimitItem, tuple[str, ...]]


class TooOften(Exception):
    """Too many attempts; the message says what to do."""


class Attempts:
    """Counts attempts. An attempt is counted before it is checked, so that concurrent ones cannot exceed the limit, and
    is uncounted if the password was right. Attempts by strangers do not count on a device where the owner has signed in
    before."""

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

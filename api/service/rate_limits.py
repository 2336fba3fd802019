"""Rate limits per caller."""

from __future__ import annotations

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from api.service.problems import Problem

WINDOW_SECONDS = 2  # so that twice as many may come at once


class RateLimit:
    def __init__(self, per_second: float) -> None:
        self._item = RateLimitItemPerSecond(max(round(per_second * WINDOW_SECONDS), 1), WINDOW_SECONDS)
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage()) if per_second else None

    async def check(self, caller: str) -> None:
        if self._limiter is not None and not await self._limiter.hit(self._item, caller):
            detail = "That was too fast. Try again in a second."
            raise Problem("too_many_requests", detail, headers={"Retry-After": "1"})

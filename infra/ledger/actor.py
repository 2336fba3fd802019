"""Who does something, and when it happened at the table."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from domain import moments


class Actor(Struct, frozen=True):
    by: str
    at_ms: int  # milliseconds since 1970
    late: bool = False  # entered afterwards, by a terminal that was offline
    dated: bool = False  # somebody stated the time, so it is checked against what it must follow

    def after(self, moment_ms: int, what: str) -> Actor:
        """Return the actor at a time no earlier than what it follows. A stated time that is clearly earlier is refused.
        An unstated one is this service's clock, which may be set back or behind another service's."""
        if self.at_ms >= moment_ms:
            return self
        if self.dated:
            return replace(self, at_ms=moments.check_order(self.at_ms, moment_ms, what))
        return self if self.late else replace(self, at_ms=moment_ms)

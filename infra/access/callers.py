"""Who makes a request, in which role, and what they may access."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, get_args

from msgspec import Struct

Role = Literal["terminal", "floor", "cage", "counter", "accounting", "auditor", "admin"]
ROLES: tuple[str, ...] = get_args(Role)
OPEN = "open"  # any caller of a service that runs without authentication
NOBODY = "nobody"  # somebody who has not signed in, on a page that does not require it
COUNTER = "counter"
BOOKS = frozenset({"accounting", "auditor"})
STAFF_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class Forbidden(Exception):
    """The caller is known and may not do this."""


class Caller(Struct, frozen=True):
    """Who makes a request. `table` is the only table that a terminal may access; `counts` says that they also count
    boxes."""

    by: str
    role: str
    table: str | None = None
    token_id: str | None = None
    expires_at: float = float("inf")
    counts: bool = False
    own_proof: bool = False  # they signed in with more than a password, which somebody else may have set
    request_id: str = ""  # the id under which their reads are recorded

    @property
    def part(self) -> str:
        return self.role if self.table is None else f"{self.role}:{self.table}"

    def may(self, roles: Collection[str]) -> bool:
        return self.role == OPEN or self.role in roles

    def check_role(self, roles: Collection[str]) -> None:
        """Refuse a caller without one of the roles. The only place where roles are compared."""
        if not self.may(roles):
            *others, last = sorted(roles)
            needed = f"{', '.join(others)} or {last}" if others else last
            raise Forbidden(f"This needs the role {needed}, and you are here as {self.role}.")

    def check_table(self, table: str | None) -> None:
        if self.role == "terminal" and table != self.table:
            raise Forbidden(f"This terminal serves table {self.table} only.")

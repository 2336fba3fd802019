"""What waits for somebody, by role: each kind is a function, with the roles that act on it.

A new kind is a function that takes a `Look` and returns a `Waiting` or None, marked with `@waits_for` and listed in
kinds.py. People who may count boxes see none of it while a box is uncounted, unless the mark says that it reveals
nothing of play."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

from msgspec import Struct

from infra.access.callers import Caller
from projections.views.blindness import Sight, sight_of
from projections.views.books import Books
from projections.views.named_rows import Row, select

MOST_NAMED = 5  # per kind; the rest is on the page that lists them


class Thing(Struct, frozen=True):
    """One of them. `page` is where it is done, `due` a moment; `late` once that has passed."""

    name: str
    page: str
    note: str | None = None
    since: str | None = None
    due: str | None = None
    late: bool = False


class Waiting(Struct, frozen=True):
    """Things of one kind: how many there are, and the first of them; without a count if the title says it all. `urgent`
    ones come first."""

    kind: str
    title: str
    count: int | None
    page: str
    urgent: bool
    things: list[Thing]


class Look(Struct, frozen=True):
    """Who looks, when, and what they may see of boxes."""

    books: Books
    caller: Caller
    sight: Sight
    at: datetime

    def select(self, statement: LiteralString, values: Row | None = None) -> list[Row]:
        return select(self.books.database, statement, values)


Finder = Callable[[Look], Waiting | None]


class Kind(Struct, frozen=True):
    find: Finder
    roles: frozenset[str]
    projections: tuple[str, ...]
    shown_to_blind: bool


def waits_for(roles: Collection[str], *projections: str, shown_to_blind: bool = False) -> Callable[[Finder], Kind]:
    """Mark a kind with its roles and the projections that are brought up to date for it."""
    return lambda find: Kind(find, frozenset(roles), projections, shown_to_blind)


def waiting_for(books: Books, caller: Caller, every_kind: Sequence[Kind]) -> list[Waiting]:
    """Return urgent things first, otherwise in the order of the kinds."""
    sight = sight_of(books, caller)
    kinds = [kind for kind in every_kind if caller.may(kind.roles) and (kind.shown_to_blind or not sight.hidden)]
    needed = {projection for kind in kinds for projection in kind.projections}
    if needed:
        books.bring_up_to_date(*sorted(needed))
    look = Look(books, caller, sight, datetime.fromtimestamp(time.time(), UTC))
    found = [waiting for kind in kinds if (waiting := kind.find(look)) is not None]
    return sorted(found, key=lambda waiting: not waiting.urgent)


def waiting(
    kind: str, titles: tuple[str, str], page: str, things: Iterable[Thing], *, urgent: bool = False, count: int = 0
) -> Waiting | None:
    """Return a Waiting with `titles` for one and for several; None if there is nothing. `count` if not all of them were
    read."""
    named = list(things)
    if not named:
        return None
    number = count or len(named)
    title = titles[0] if number == 1 else titles[1]
    return Waiting(kind, title, number, page, urgent or any(thing.late for thing in named), named[:MOST_NAMED])


def due(kind: str, title: str, thing: Thing, *, urgent: bool = False) -> Waiting:
    """Return a Waiting for a single task."""
    return Waiting(kind, title, None, thing.page, urgent, [thing])


def moment(at: Any) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat()


def ago(look: Look, **duration: float) -> datetime:
    return look.at - timedelta(**duration)

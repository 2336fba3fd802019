"""What waits for somebody, by role: each kind is a function, with the roles that act on it.

A new kind is a function that takes a `TaskQuery` and returns an `OpenTasks` or None, marked with `@task_of` and listed
in task_kinds.py. People who may count boxes see none of it while a box is uncounted, unless the mark says that it
reveals nothing of play."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, LiteralString

from msgspec import Struct

from infra.access.callers import Caller
from projections.views.blindness import Sight, sight_of
from projections.views.named_rows import Row, select_all
from projections.views.read_side import ReadSide

MOST_NAMED = 5  # per kind; the rest is on the page that lists them


class OpenTask(Struct, frozen=True):
    """Something to do. `page` is where it is done, `due` a moment; `late` once that has passed."""

    name: str
    page: str
    note: str | None = None
    since: str | None = None
    due: str | None = None
    late: bool = False


class OpenTasks(Struct, frozen=True):
    """Tasks of one kind: how many there are, and the first of them; without a count if the title says it all. `urgent`
    ones come first."""

    kind: str
    title: str
    count: int | None
    page: str
    urgent: bool
    things: list[OpenTask]


class TaskQuery(Struct, frozen=True):
    """Who looks, when, what they may see of boxes, and the rows of each statement."""

    read_side: ReadSide
    caller: Caller
    sight: Sight
    at: datetime
    rows: Mapping[str, list[Row]]


Finder = Callable[[TaskQuery], OpenTasks | None]


class TaskKind(Struct, frozen=True):
    find: Finder
    roles: frozenset[str]
    projections: tuple[str, ...]
    asks: LiteralString | None
    shown_to_blind: bool


def task_of(
    roles: Collection[str], *projections: str, asks: LiteralString | None = None, shown_to_blind: bool = False
) -> Callable[[Finder], TaskKind]:
    """Mark a kind with its roles, the projections that are brought up to date for it, and the statement whose rows it
    reads; those of all kinds are sent together."""
    return lambda find: TaskKind(find, frozenset(roles), projections, asks, shown_to_blind)


def tasks_for(read_side: ReadSide, caller: Caller, every_kind: Sequence[TaskKind]) -> list[OpenTasks]:
    """Return urgent tasks first, otherwise in the order of the kinds."""
    sight = sight_of(read_side, caller)
    kinds = [kind for kind in every_kind if caller.may(kind.roles) and (kind.shown_to_blind or not sight.hidden)]
    needed = {projection for kind in kinds for projection in kind.projections}
    if needed:
        read_side.bring_up_to_date(*sorted(needed))
    asked = [*dict.fromkeys(kind.asks for kind in kinds if kind.asks is not None)]
    rows = dict(zip(asked, select_all(read_side.database, {"by": caller.by}, *asked), strict=True)) if asked else {}
    query = TaskQuery(read_side, caller, sight, datetime.fromtimestamp(time.time(), UTC), rows)
    found = [tasks for kind in kinds if (tasks := kind.find(query)) is not None]
    return sorted(found, key=lambda tasks: not tasks.urgent)


def tasks_of(
    kind: str, titles: tuple[str, str], page: str, things: Iterable[OpenTask], *, urgent: bool = False, count: int = 0
) -> OpenTasks | None:
    """Return the tasks, with `titles` for one and for several; None if there are none. With a `count`, no more of them
    are made than are named."""
    named = list(islice(things, MOST_NAMED) if count else things)
    if not named:
        return None
    number = count or len(named)
    title = titles[0] if number == 1 else titles[1]
    return OpenTasks(kind, title, number, page, urgent or any(thing.late for thing in named), named[:MOST_NAMED])


def single_task(kind: str, title: str, thing: OpenTask, *, urgent: bool = False) -> OpenTasks:
    """Return a single task, without a count."""
    return OpenTasks(kind, title, None, thing.page, urgent, [thing])


def moment(at: Any) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat()


def ago(query: TaskQuery, **duration: float) -> datetime:
    return query.at - timedelta(**duration)

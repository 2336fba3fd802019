"""Tasks done by this process or by several, results in the order of the tasks."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Protocol

from projections.auditing.source import PART, Part

MOST_PARTS_A_TASK = 4  # each reads ahead within its task, and holds what it found until its end
TASKS_A_PROCESS = 4  # at least, so that no process waits long for the last one
FEWEST_EVENTS_A_PROCESS = 4 * PART  # a process takes a second to start

Do = Callable[[Iterable[Any]], Iterator[Any]]


class Worker(Protocol):
    def do(self, task: Any) -> Any: ...
    def close(self) -> None: ...


_worker: Worker | None = None


def _begin(make: Callable[[], Worker]) -> None:
    global _worker
    _worker = make()


def _do(task: Any) -> Any:
    assert _worker is not None
    return _worker.do(task)


@contextmanager
def workers(make: Callable[[], Worker], processes: int) -> Iterator[Do]:
    """One process is this one; several are others, which end with it. Each makes its worker once."""
    if processes == 1:
        worker = make()
        try:
            yield lambda tasks: map(worker.do, tasks)
        finally:
            worker.close()
        return
    with multiprocessing.get_context("spawn").Pool(processes, _begin, (make,)) as pool:
        yield lambda tasks: pool.imap(_do, tasks)


def how_many(asked: int | None, events: int) -> int:
    """As many processes as there are cores, unless somebody says otherwise or it is not worth their while."""
    return asked or max(1, min(os.cpu_count() or 1, events // FEWEST_EVENTS_A_PROCESS))


def stretches(last: int, processes: int) -> Iterator[tuple[Part, ...]]:
    """All positions, some parts at a time."""
    parts = (Part(first, min(first + PART - 1, last)) for first in range(1, last + 1, PART))
    size = max(1, min(MOST_PARTS_A_TASK, last // PART // (processes * TASKS_A_PROCESS)))
    while stretch := tuple(islice(parts, size)):
        yield stretch

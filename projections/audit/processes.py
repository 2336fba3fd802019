"""Runs tasks in this process or in several; results come in the order of the tasks."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Protocol, TypeVar

from projections.audit.event_source import PART, Part, parts

MOST_PARTS_A_TASK = 4  # each reads ahead within its task, and keeps its results until the end
TASKS_A_PROCESS = 4  # at least, so that no process waits long for the last one
FEWEST_EVENTS_A_PROCESS = 4 * PART  # a process takes a second to start

T = TypeVar("T")
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
    """Yield workers: this process, or several others that end with it. Each makes its worker once."""
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
    """Return the number of processes: one per core, unless given or there are too few events."""
    return asked or max(1, min(os.cpu_count() or 1, events // FEWEST_EVENTS_A_PROCESS))


def batches(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Yield items in batches."""
    rest = iter(items)
    while batch := tuple(islice(rest, size)):
        yield batch


def tasks_of(items: Iterable[T], count: int, processes: int, most: int = MOST_PARTS_A_TASK) -> Iterator[tuple[T, ...]]:
    """Divide items into tasks of at most `most`, several per process."""
    return batches(items, max(1, min(most, count // (processes * TASKS_A_PROCESS))))


def part_tasks(last: int, processes: int) -> Iterator[tuple[Part, ...]]:
    """Divide all positions into tasks of several parts."""
    return tasks_of(parts(last, PART), last // PART, processes)

"""Tasks done by this process or by several, results in the order of the tasks."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

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

"""A progress bar on a terminal, and nothing in a pipe."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def _bar(what: str, *columns: str, total: int | None = None, **fields: Any) -> Iterator[Callable[..., None]]:
    """Yield a function that updates the bar, as rich's `Progress.update` does."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TimeRemainingColumn

    parts: list[str | ProgressColumn] = [what, BarColumn(), *columns, TimeRemainingColumn()]
    console, hidden = Console(stderr=True), not sys.stderr.isatty()
    with Progress(*parts, console=console, transient=True, disable=hidden) as progress:
        yield partial(progress.update, progress.add_task(what, total=total, **fields))


def progress_over(lines: Iterable[bytes], file: Path | None, what: str) -> Iterator[bytes]:
    """Yield the lines of a file, with a bar by bytes."""
    if not sys.stderr.isatty():
        yield from lines
        return
    total = file.stat().st_size if file is not None and file.is_file() else None
    with _bar(what, "{task.fields[rounds]} rounds", total=total, rounds=0) as update:
        for number, line in enumerate(lines, start=1):
            yield line
            update(advance=len(line) + 1, rounds=number)


def progress_of(steps: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Yield steps of a known number."""
    with _bar(what, total=total) as update:
        for step in steps:
            yield step
            update(advance=1)


@contextmanager
def progress_with_rate(what: str) -> Iterator[Callable[[int, int, int], None]]:
    """Yield a function to call with what is done, the whole and the rounds so far; shows the rate and the time left."""
    began = time.monotonic()
    with _bar(what, "{task.fields[rounds]:,} rounds, {task.fields[rate]:,.0f}/s", rounds=0, rate=0.0) as update:

        def show(done: int, total: int, rounds: int) -> None:
            rate = rounds / max(time.monotonic() - began, 0.001)
            update(completed=done, total=total, rounds=rounds, rate=rate)

        yield show


@contextmanager
def progress_of_events(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to call with the events done, and all of them."""
    with _bar(what, "{task.completed:,}/{task.total}") as update:
        yield lambda done, total: update(completed=done, total=total)


@contextmanager
def counting(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with how much more is done."""
    with _bar(what, total=total) as update:
        yield lambda done: update(advance=done)

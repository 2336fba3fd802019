"""A progress bar on a terminal, and nothing in a pipe."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def progress_over(lines: Iterable[bytes], file: Path | None, what: str) -> Iterator[bytes]:
    """The lines of a file, with a bar by bytes where a person watches on a terminal."""
    if not sys.stderr.isatty():
        yield from lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    total = file.stat().st_size if file is not None and file.is_file() else None
    columns = (TextColumn(what), BarColumn(), TextColumn("{task.fields[rounds]} rounds"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total, rounds=0)
        for number, line in enumerate(lines, start=1):
            yield line
            progress.update(task, advance=len(line) + 1, rounds=number)


def progress_of(steps: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Steps of which the number is known."""
    if not sys.stderr.isatty():
        yield from steps
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(steps, description=what, total=total, console=Console(stderr=True), transient=True)


@contextmanager
def progress_with_rate(what: str) -> Iterator[Callable[[int, int, int], None] | None]:
    """Told of what is done, of the whole and of the rounds so far; shows their rate and the time left."""
    if not sys.stderr.isatty():
        yield None
        return
    import time

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(what),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rounds]:,} rounds, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    began = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None, rounds=0, rate=0.0)

        def tell(done: int, total: int, rounds: int) -> None:
            rate = rounds / max(time.monotonic() - began, 0.001)
            progress.update(task, completed=done, total=total, rounds=rounds, rate=rate)

        yield tell


@contextmanager
def counting(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """For work that tells how much of it is done, step by step."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, advance=done)

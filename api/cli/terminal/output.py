"""Output of commands: tables for people, JSON for programs, and files."""

import io
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from api.cli.terminal.errors import fail

if TYPE_CHECKING:
    from rich.console import Console

WIDEST = 10_000  # characters per line of a table

AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]
Into = Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Instead of standard output.")]


def write(content: bytes, into: Path | None = None) -> None:
    """Write to a file, or to standard output by default."""
    if into is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        into.write_bytes(content)
    except OSError as error:
        fail(f"{into} cannot be written: {error.strerror}")


def print_json(value: object) -> None:
    """Print JSON that people can read, too."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def write_json(value: Any, into: Path | None = None) -> None:
    import msgspec

    write(msgspec.json.encode(value) + b"\n", into)


@contextmanager
def open_page(into: Path | None) -> Iterator[TextIO]:
    """Yield where a table goes: standard output, or a file, written completely or not at all."""
    if into is None:
        yield sys.stdout
        return
    page = io.StringIO()
    yield page
    write(page.getvalue().encode(), into)


def console() -> "Console":
    """Return where styled text goes: a file or a pipe has room for whole sentences."""
    from rich.console import Console

    found = Console()
    if not found.is_terminal:
        found.width = 200
    return found


def print_table(
    columns: Sequence[str],
    rows: Sequence[dict[str, Any]],
    page: TextIO | None = None,
    totals: dict[str, Any] | None = None,
) -> None:
    """Print these columns of the rows, however wide: an id that was cut off is useless. `totals` are those of
    columns."""
    from rich.console import Console
    from rich.table import Table

    from projections.export.formats import MONEY, TOTAL, text

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        right = any(MONEY.fullmatch(text(row[column])) or isinstance(row[column], int) for row in rows[:20])
        shown.add_column(column.replace("_", " "), justify="right" if right else "left", no_wrap=True)
    for row in rows:
        shown.add_row(*(text(row[column]) for column in columns))
    if totals:
        sums = [text(totals.get(column)) for column in columns]
        shown.add_row(*([sums[0] or TOTAL, *sums[1:]]), style="bold")
    Console(file=page, markup=False, width=WIDEST).print(shown)

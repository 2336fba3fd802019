"""`roundledger report`, `rebuild` and `follow`: what accounting and the floor look at, and what keeps it up to date."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.database import DatabaseUrl, DataDir, open_database
from api.failing import fail

if TYPE_CHECKING:
    from collections.abc import Callable

    from projections.runner import Lag

WAIT_SECONDS = 10.0  # for a runner of somebody else to apply what is there when a report is asked for


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    BEANCOUNT = "beancount"
    HLEDGER = "hledger"


LEDGER_FILES = (Format.BEANCOUNT, Format.HLEDGER)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="bankroll, exposure, collections, drops, slips, journal, trial-balance, hands, rotation or meters.",
    ),
]


def report(
    name: Name,
    output: Annotated[Format, typer.Option("--format", help="For people or for programs.")] = Format.TABLE,
    as_of: Annotated[
        str | None, typer.Option(metavar="TIME", help="As the ledger stood then: ISO 8601, with an offset.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help="Only what belongs to then or later.")
    ] = None,
    until: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Only what belongs to before then.")] = None,
    table: Annotated[str | None, typer.Option(metavar="ID", help="Only of this table.")] = None,
    bettor: Annotated[str | None, typer.Option(metavar="ID", help="Only of this bettor.")] = None,
    gaming_day: Annotated[str | None, typer.Option(metavar="DATE", help="Only of this gaming day.")] = None,
    shift: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this shift.")] = None,
    box: Annotated[str | None, typer.Option(metavar="ID", help="Only of this drop box.")] = None,
    into: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Instead of standard output.")] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Print a report. With --as-of, --from or --to it is worked out from the events themselves.

    The journal can also be had for beancount and hledger.
    """
    from projections.output import WRITERS, ledger_file
    from projections.reports import BadFilter, Filters, UnknownReport, columns_of, report_named, rows

    moments = _moment(as_of, "--as-of"), _moment(since, "--from"), _moment(until, "--to")
    filters = Filters(table, bettor, _day(gaming_day), shift, box, *moments)
    try:
        projection = report_named(name).projection.name
        if output in LEDGER_FILES and name != "journal":
            fail(f"only the journal can be had for {output}")
        with open_database(database_url, data_dir) as url:
            if not filters.on_the_past:
                _bring_up_to_date(url, projection)
            if output in LEDGER_FILES:
                _bring_up_to_date(url, "drops")
                _write("".join(ledger_file(url, output, filters)).encode(), into)
                return
            found = rows(url, name, filters)
    except (UnknownReport, BadFilter) as error:
        fail(str(error))
    if output is Format.TABLE:
        _print_table(columns_of(name), found)
        return
    if output is Format.XLSX and into is None and sys.stdout.isatty():
        fail("a spreadsheet needs --output FILE")
    _write(WRITERS[output](name, found), into)


def rebuild(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One projection; all of them by default.")
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Build projections anew from the events, beside whoever writes and reads, and swap them in."""
    from projections.catalogue import UnknownProjection
    from projections.rebuild import rebuild as build_anew
    from projections.runner import AlreadyRunning

    try:
        with open_database(database_url, data_dir) as url, _progress("Rebuilding") as progress:
            applied = build_anew(url, [] if name is None else [name], progress)
    except (UnknownProjection, AlreadyRunning) as error:
        fail(str(error))
    typer.echo(f"Rebuilt {name or 'all projections'} from {applied:,} events.", err=True)


def follow(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="All projections by default.")] = None,
    once: Annotated[bool, typer.Option("--once", help="Catch up and stop.")] = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Keep the projections up to date until interrupted; a second one for the same projections is refused."""
    import signal
    import threading

    from projections.catalogue import UnknownProjection
    from projections.runner import AlreadyRunning, Runner, Stale

    stop = threading.Event()
    try:
        with open_database(database_url, data_dir) as url, Runner(url, names or []) as runner:
            if once:
                typer.echo(f"Applied {runner.catch_up():,} events.", err=True)
                return
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: stop.set())
            runner.start()
            typer.echo("Following.", err=True)
            runner.follow(stop, _tell_lag())
    except (UnknownProjection, AlreadyRunning, Stale) as error:
        fail(str(error))


def _tell_lag() -> "Callable[[Lag], None] | None":
    """On a terminal, one line that is written over."""
    if not sys.stderr.isatty():
        return None

    def tell(lag: "Lag") -> None:
        typer.echo(f"\r{lag.events:,} events behind, {lag.seconds:.1f} s   ", err=True, nl=False)

    return tell


def _bring_up_to_date(url: str, projection: str) -> None:
    """Catch up where nobody else does; where somebody does, wait for him a moment and say what is missing."""
    from projections.runner import AlreadyRunning, Runner, Stale, wait_until

    try:
        with Runner(url, [projection]) as runner:
            runner.start(wait_seconds=0.0)
            runner.catch_up()
    except AlreadyRunning:
        lag = wait_until(url, projection, WAIT_SECONDS)
        if lag.events:
            typer.echo(f"roundledger: the report lacks the last {lag.events:,} events ({lag.seconds:.0f} s)", err=True)
    except Stale as error:
        fail(str(error))


def _moment(text: str | None, option: str) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"{option} is a time like 2026-03-08T06:00:00-08:00, not {text!r}")
    if moment.tzinfo is None:
        moment = moment.astimezone()  # the clock of whoever asks
    return moment


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        fail(f"--gaming-day is a date like 2026-03-08, not {text!r}")


@contextmanager
def _progress(what: str) -> "Iterator[Callable[[int, int], None] | None]":
    """A bar by events where a person watches on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


# ---- output


def _write(content: bytes, into: Path | None) -> None:
    if into is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        into.write_bytes(content)
    except OSError as error:
        fail(f"{into} cannot be written: {error.strerror}")


def _print_table(columns: list[str], rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from projections.output import MONEY, text

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        right = any(MONEY.fullmatch(text(row[column])) or isinstance(row[column], int) for row in rows[:20])
        shown.add_column(column.replace("_", " "), justify="right" if right else "left", no_wrap=True)
    for row in rows:
        shown.add_row(*(text(value) for value in row.values()))
    console = Console(markup=False)
    if not console.is_terminal:
        console.width = 240
    console.print(shown)

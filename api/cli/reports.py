"""`roundledger report`, `rebuild`, `follow` and `gaming-days`: reports, their projections, and gaming days."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_database
from api.cli.terminal.errors import database_failed, fail
from api.cli.terminal.output import Into, open_page, print_table, write, write_json
from api.cli.terminal.time_options import day, moment

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from infra.store.event_rows import Lag
    from projections.calendar.gaming_days import Shift
    from projections.reports.report import Filters

WAIT_SECONDS = 10.0  # for another process's runner to apply what is stored when a report is requested


Format = Literal["table", "json", "csv", "xlsx", "pdf", "svg", "beancount", "hledger"]
LEDGER_FILES = ("beancount", "hledger")
NOT_FOR_TERMINALS = {"xlsx": "a spreadsheet", "pdf": "a PDF"}
SUMMARY_FORMATS = ("table", "json", "pdf")

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="bankroll, exposure, collections, drops, machine-counts, slips, slip-numbers, journal, trial-balance,"
        " hands, rotation, meters, adjustments, close, cash-log, cash-moves,"
        " adoptions, postings, designations, choices, jackpots, decks, decks-seen, misdeals, hands-held, exceptions,"
        " fee-tiers, proposition-players, proposition-banks, disputes (also -by-dealer, -by-table, -by-kind), payments,"
        " irregular-payments,"
        " hidden-card-contradictions, take-backs (also -by-dealer), card-frequencies, card-counts, shortfalls,"
        " voids, waivers, tray-counts, inventory or statistics (also -by-table, -by-game, -by-shift, -by-day,"
        " -by-wager, -to-date, -explanations); day, shift or inspection for a summary to print and sign.",
    ),
]


def report(
    name: Name,
    output: Annotated[Format, typer.Option("--format", help="For people or for programs.")] = "table",
    as_of: Annotated[
        str | None, typer.Option(metavar="TIME", help="The state of the ledger at that time: ISO 8601, with an offset.")
    ] = None,
    since: Annotated[str | None, typer.Option("--from", metavar="TIME", help="Only entries from then on.")] = None,
    until: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Only entries before then.")] = None,
    table: Annotated[str | None, typer.Option(metavar="ID", help="Only of this table.")] = None,
    bettor: Annotated[str | None, typer.Option(metavar="ID", help="Only of this bettor.")] = None,
    gaming_day: Annotated[str | None, typer.Option(metavar="DATE", help="Only of this gaming day.")] = None,
    shift: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this shift.")] = None,
    box: Annotated[str | None, typer.Option(metavar="ID", help="Only of this drop box.")] = None,
    dealer: Annotated[str | None, typer.Option(metavar="ID", help="Only of this dealer; nobody for none.")] = None,
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND", help="Only disputes about this kind of error, or slips of this kind."),
    ] = None,
    status: Annotated[
        str | None,
        typer.Option(
            "--status",
            metavar="STATUS",
            help="Only disputes or slips with this status; overdue disputes, missing slips.",
        ),
    ] = None,
    round_id: Annotated[str | None, typer.Option("--round", metavar="ID", help="Only of this round.")] = None,
    first: Annotated[str | None, typer.Option(metavar="DATE", help="Only from this gaming day on.")] = None,
    last: Annotated[str | None, typer.Option(metavar="DATE", help="Only up to this gaming day.")] = None,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only what held then, of what begins and ends.")
    ] = None,
    into: Into = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Print a report. With --as-of, --from or --to it is computed from the events themselves.

    The journal can also be written for beancount and hledger, and bankroll, exposure and collections as charts (svg).
    """
    from projections.reports.day_summary import NAMES as SUMMARIES
    from projections.reports.inspection import NAME as INSPECTION
    from projections.reports.report import BadFilter, Filters
    from projections.reports.report_list import UnknownReport, report_named

    if output in NOT_FOR_TERMINALS and into is None and sys.stdout.isatty():
        fail(f"{NOT_FOR_TERMINALS[output]} needs --output FILE")
    moments = moment(as_of, "--as-of"), moment(since, "--from"), moment(until, "--to")
    if moments[1] is not None and moments[2] is not None and moments[1] >= moments[2]:
        fail("--from must be before --to")
    gaming_day_ = None if gaming_day is None else day(gaming_day, "--gaming-day")
    filters = Filters(
        *(table, bettor, gaming_day_, shift, box, *moments, dealer, kind, status, round_id),
        first=None if first is None else day(first, "--first"),
        last=None if last is None else day(last, "--last"),
        moment=moment(at, "--at"),
    )
    try:
        if name not in (*SUMMARIES, INSPECTION):
            report_named(name)
        with open_reports(database_url, data_dir) as url:
            if name == INSPECTION:
                _inspect(url, filters, output, into)
            else:
                (_summarize if name in SUMMARIES else _report)(url, name, filters, output, into)
    except UnknownReport as error:
        fail(f"{error} {', '.join(SUMMARIES)} and {INSPECTION} are summaries.")
    except BadFilter as error:
        fail(str(error))


def _report(url: str, name: str, filters: "Filters", output: Format, into: Path | None) -> None:
    from infra.ledger.property import property_at
    from projections.calendar.property_clock import clock_at
    from projections.export import charts
    from projections.export.formats import WRITERS, about, ledger_file
    from projections.reports.report_list import columns_of, report_named
    from projections.reports.report_query import rows

    if output == "svg" and name not in charts.PROJECTIONS:
        fail(f"there is no chart of {name}; there are charts of {', '.join(charts.PROJECTIONS)}")
    if output in LEDGER_FILES and name != "journal":
        fail(f"only the journal can be written for {output}")
    if not filters.on_the_past:
        drawn = charts.PROJECTIONS[name] if output == "svg" else (report_named(name).projection.name,)
        bring_up_to_date(url, *drawn, *(("drops",) if output in LEDGER_FILES else ()))
    if output == "svg":
        write(charts.draw(url, name, filters), into)
    elif output in LEDGER_FILES:
        write("".join(ledger_file(url, output, filters)).encode(), into)
    elif output == "table":
        found = rows(url, name, filters)
        if not found:
            typer.echo("roundledger: there is nothing to report", err=True)
        with open_page(into) as page:
            print_table(columns_of(name), found, page, report_named(name).total(found))
    else:
        said = about(name, filters, datetime.now(UTC), clock_at(url), property_at(url), actor(None).by)
        write(WRITERS[output](name, rows(url, name, filters), said), into)


@contextmanager
def open_reports(database_url: str | None, data_dir: Path | None) -> Iterator[str]:
    """Open the ledger; losing the database meanwhile is one sentence and exit code 2."""
    from infra.store.errors import DATABASE_ERRORS, UNAVAILABLE

    with open_database(database_url, data_dir) as url:
        try:
            yield url
        except UNAVAILABLE as error:
            database_failed(error)
        except DATABASE_ERRORS as error:
            database_failed(error, "the database refused")


def _summarize(url: str, name: str, filters: "Filters", output: Format, into: Path | None) -> None:
    from projections.reports.day_summary import PROJECTIONS, SECTIONS, summary, title

    if output not in SUMMARY_FORMATS:
        fail(f"the {name} can be written as {', '.join(SUMMARY_FORMATS)}")
    if not filters.on_the_past:
        bring_up_to_date(url, *PROJECTIONS)
    found = summary(url, name, filters, datetime.now(UTC))
    if output == "json":
        write_json(found, into)
    elif output == "pdf":
        from infra.ledger.property import property_at
        from projections.calendar.property_clock import clock_at
        from projections.export.pdf_reports import summary_sheet

        write(summary_sheet(found, datetime.now(UTC), clock_at(url), property_at(url), actor(None).by), into)
    else:
        totals = [{"total": key.replace("_", " "), "": it} for key, it in found["totals"].items()]
        with open_page(into) as page:
            typer.echo(title(found), page)
            print_table(["total", ""], totals, page)
            for key, (heading, report, columns) in SECTIONS.items():
                if found[key]:
                    typer.echo(f"\n{heading}", page)
                    print_table(columns, found[key], page, report.total(found[key]))


def _inspect(url: str, filters: "Filters", output: Format, into: Path | None) -> None:
    from contextlib import closing

    from infra.ledger.property import property_of
    from infra.store.database import Database
    from projections.calendar.property_clock import clock_of
    from projections.reports.inspection import PROJECTIONS, SECTIONS, inspection, title
    from projections.reports.integrity import integrity

    if output not in SUMMARY_FORMATS:
        fail(f"an inspection can be written as {', '.join(SUMMARY_FORMATS)}")
    if not filters.on_the_past:
        bring_up_to_date(url, *PROJECTIONS)
    with closing(Database(url, connections_at_most=2)) as database:
        found = {**inspection(database, filters, datetime.now(UTC)), "integrity": integrity(database)}
        if output == "json":
            write_json(found, into)
            return
        if output == "pdf":
            from projections.export.pdf_reports import inspection_sheet

            papers = clock_of(database), property_of(database), actor(None).by
            write(inspection_sheet(found, datetime.now(UTC), *papers), into)
            return
    with open_page(into) as page:
        typer.echo(title(found), page)
        for key, (heading, report, columns) in SECTIONS.items():
            typer.echo(f"\n{heading}{'' if found[key] else ': none'}", page)
            if found[key]:
                print_table(columns, found[key], page, report.total(found[key]))
        typer.echo("\nIntegrity of the record", page)
        record = found["integrity"]
        typer.echo(f"{record['sealed']:,} events sealed, {record['waiting']:,} waiting; root {record['root']}", page)
        for audit in record["audits"]:
            said = f"{audit['rounds']:,} rounds, {audit['findings']:,} findings"
            typer.echo(f"audit {audit['audit']} of {audit['started_at']}: {audit['state']}, {said}", page)


def rebuild(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One projection; all of them by default.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, max=64, metavar="N", help="Number of processes; by default one per core.")
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Rebuild projections from the events, while others write and read, and swap them in."""
    from api.cli.terminal.progress import progress_of_events
    from projections.engine.connection import AlreadyRunning
    from projections.engine.rebuild import rebuild as rebuild_tables
    from projections.models.registry import UnknownProjection

    try:
        with open_reports(database_url, data_dir) as url, progress_of_events("Rebuilding") as progress:
            applied = rebuild_tables(url, [] if name is None else [name], progress, processes=processes)
    except (UnknownProjection, AlreadyRunning) as error:
        fail(str(error))
    typer.echo(f"Rebuilt {name or 'all projections'} from {applied:,} events.", err=True)


def follow(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="All projections by default.")] = None,
    once: Annotated[bool, typer.Option("--once", help="Catch up and stop.")] = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Keep the projections up to date until interrupted; only one process can follow a projection."""
    import signal
    import threading

    from projections.engine.applier import Stale
    from projections.engine.connection import AlreadyRunning
    from projections.engine.runner import Runner
    from projections.models.registry import UnknownProjection

    stop = threading.Event()
    try:
        with open_reports(database_url, data_dir) as url, Runner(url, names or []) as runner:
            if once:
                typer.echo(f"Applied {runner.catch_up():,} events.", err=True)
                return
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: stop.set())
            runner.start(rebuilding=lambda done, there: _go_on(stop))
            typer.echo("Following.", err=True)
            runner.follow(stop, _tell_lag())
    except (UnknownProjection, AlreadyRunning, Stale) as error:
        fail(str(error))


def _go_on(stop: "threading.Event") -> None:
    """Return the callback for rebuilding tables of another version; the next run continues an interrupted rebuild."""
    if stop.is_set():
        raise typer.Exit


def _tell_lag() -> "Callable[[Lag], None] | None":
    """Show the lag, on a terminal in one line that is overwritten."""
    if not sys.stderr.isatty():
        return None

    def tell(lag: "Lag") -> None:
        typer.echo(f"\r{lag.events:,} events behind, {lag.seconds:.1f} s   ", err=True, nl=False)

    return tell


def bring_up_to_date(url: str, *projections: str) -> None:
    """Catch up if nobody else follows; otherwise wait briefly and report what is missing."""
    from projections.engine.applier import Stale
    from projections.engine.connection import AlreadyRunning
    from projections.engine.lag import wait_until
    from projections.engine.runner import Runner

    for projection in projections:
        try:
            with Runner(url, [projection]) as runner:
                runner.start(wait_seconds=0.0)
                runner.catch_up()
        except AlreadyRunning:
            lag = wait_until(url, projection, WAIT_SECONDS)
            if lag.events:
                missing = f"the last {lag.events:,} events ({lag.seconds:.0f} s)"
                typer.echo(f"roundledger: the report lacks {missing}", err=True)
        except Stale as error:
            fail(str(error))


# ---- gaming days


gaming_days_app = typer.Typer(
    no_args_is_help=True, help="How the property divides its time into gaming days and shifts."
)


@gaming_days_app.command("show")
def show_gaming_days(
    output: Annotated[Literal["table", "json"], typer.Option("--format", help="For people or for programs.")] = "table",
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """List the settings with the first gaming day of each, and the current day and shift."""
    from projections.calendar.gaming_day_settings import gaming_days, gaming_days_set
    from projections.engine.connection import connect

    now = datetime.now(UTC)
    with open_reports(database_url, data_dir) as url, connect(url) as connection:
        found = gaming_days_set(connection)
        today, shift = gaming_days(connection).of(round(now.timestamp() * 1000))
    if output == "json":
        write_json({"gaming_day": today, "shift": shift, "settings": found})
        return
    typer.echo(f"It is gaming day {today}, {shift}.\n")
    print_table(list(found[0]), found)


@gaming_days_app.command("set")
def set_gaming_days(
    from_day: Annotated[str, typer.Option("--from", metavar="DATE", help="The first gaming day, in the future.")],
    shifts: Annotated[
        list[str],
        typer.Option("--shift", metavar="NAME=HH:MM", help="A shift and its start; the first one starts the day."),
    ],
    time_zone: Annotated[str, typer.Option(metavar="ZONE", help="As in America/Los_Angeles.")],
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Change the gaming days from a future day on. Earlier settings stay as they are."""
    from projections.calendar.gaming_day_settings import set_gaming_days as set_from
    from projections.calendar.gaming_days import Calendar
    from projections.engine.connection import connect

    first = day(from_day, "--from")
    calendar = Calendar(first, time_zone, tuple(_shift(shift) for shift in shifts))
    try:
        with open_reports(database_url, data_dir) as url, connect(url) as connection:
            set_from(connection, calendar, actor(by).by, datetime.now(UTC))
    except ValueError as error:
        fail(str(error))
    typer.echo(f"From {first} on: {time_zone}, {', '.join(shifts)}.", err=True)


def _shift(text: str) -> "Shift":
    from projections.calendar.gaming_days import Shift

    name, _, start = text.partition("=")
    try:
        if name.strip():
            return Shift(name.strip(), datetime.strptime(start, "%H:%M").time())
    except ValueError:
        pass
    fail(f"--shift is a name and a start like swing=14:00, not {text!r}")

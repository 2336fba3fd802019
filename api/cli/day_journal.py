"""`roundledger journal`: a gaming day's entry in the property's own accounts, for accounting software."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli.reports import bring_up_to_date
from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.output import Into, print_table, write
from api.cli.terminal.time_options import day

if TYPE_CHECKING:
    from projections.export.chart_of_accounts import Chart

ENTRY_COLUMNS = ("source", "round", "at", "account", "debit", "credit", "what")


def journal(
    gaming_day: Annotated[str, typer.Argument(metavar="DATE", help="The gaming day.")],
    chart: Annotated[Path, typer.Option(metavar="FILE", help="The property's chart of accounts, as TOML.")],
    output: Annotated[
        Literal["csv", "quickbooks", "xero", "beancount", "hledger"],
        typer.Option("--format", help="The program that the file is for."),
    ] = "csv",
    behind: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="List the entries behind an account instead."),
    ] = None,
    into: Into = None,
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Write a gaming day as one entry in the property's own accounts.

    Every export is recorded, and a day that was exported before is reported. The entry's number is the day's, so that
    accounting software recognises a day that is imported twice.
    """
    from domain.books.exports import JournalExported
    from infra.ledger.books.exports import record_export
    from projections.export.chart_of_accounts import BadChart
    from projections.export.day_journal import WRITERS, day_journal, entries_behind
    from projections.reports.report import Filters
    from projections.reports.report_query import rows

    wanted = day(gaming_day, "DATE")
    known = _chart(chart)
    with open_ledger(database_url, data_dir) as ledger:
        url = ledger.database.url
        bring_up_to_date(url, "journal")
        entries = rows(url, "journal", Filters(gaming_day=wanted))
        if behind is not None:
            print_table(ENTRY_COLUMNS, entries_behind(entries, known, behind))
            return
        try:
            made = day_journal(entries, known, wanted)
        except BadChart as error:
            fail(str(error))
        write(WRITERS[output](made).encode(), into)
        said = record_export(ledger, JournalExported(wanted, output, made.number, made.digest), actor(by))
    if said is not None:
        typer.echo(f"roundledger: {said}", err=True)


def _chart(file: Path) -> "Chart":
    from projections.export.chart_of_accounts import BadChart, read_chart

    try:
        return read_chart(file.read_text(encoding="utf-8"))
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        fail(f"{file} is not a text in UTF-8")
    except BadChart as error:
        fail(f"{file}: {error}")

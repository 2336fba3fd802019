"""`roundledger journal`: a gaming day's entry in the property's own accounts, for accounting software."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli.reports import bring_up_to_date
from api.cli.terminal.database import By, actor, on_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.files import read_text
from api.cli.terminal.output import Into, print_table, write
from api.cli.terminal.time_options import day

if TYPE_CHECKING:
    from domain.books.chart_of_accounts import Chart
    from infra.ledger.ledger import Ledger

ENTRY_COLUMNS = ("source", "round", "at", "account", "debit", "credit", "what")


@on_ledger
def journal(
    ledger: "Ledger",
    gaming_day: Annotated[str, typer.Argument(metavar="DATE", help="The gaming day.")],
    chart: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A chart of accounts, as TOML, instead of the one that the ledger keeps."),
    ] = None,
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
) -> None:
    """Write a gaming day as one entry in the property's own accounts.

    Every export is recorded, and a day that was exported before is reported. The entry's number is the day's, so that
    accounting software recognises a day that is imported twice.
    """
    from domain.books.chart_of_accounts import BadChart
    from domain.books.exports import JournalExported
    from infra.ledger.books.exports import record_export
    from projections.export.journal_export import WRITERS, day_journal, entries_behind
    from projections.reports.report import Filters
    from projections.reports.report_query import rows

    wanted = day(gaming_day, "DATE")
    given = None if chart is None else _chart(chart)
    url = ledger.database.url
    known = given or _kept(ledger)
    bring_up_to_date(url, "journal")
    entries = rows(url, "journal", Filters(gaming_day=wanted))
    if behind is not None:
        if behind not in {account.code for account in known.accounts.values()}:
            fail(f"the chart of accounts has no code {behind}")
        print_table(ENTRY_COLUMNS, entries_behind(entries, known, behind))
        return
    try:
        made = day_journal(entries, known, wanted)
    except BadChart as error:
        fail(str(error))
    write(WRITERS[output](made).encode(), into)
    exported = JournalExported(wanted, output, made.number, made.digest)
    said = record_export(ledger, exported, actor(by), lambda notice: notice)
    if said is not None:
        typer.echo(f"roundledger: {said}", err=True)


@on_ledger
def keep(
    ledger: "Ledger",
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The property's chart of accounts, as TOML.")],
    by: By = None,
) -> None:
    """Keep a chart of accounts, which exports use from now on."""
    from infra.ledger.books.charts import keep_chart

    accounts = len(_chart(file).accounts)
    keep_chart(ledger, read_text(file), actor(by))
    typer.echo(f"The chart is kept: {accounts} accounts.", err=True)


@on_ledger
def show(ledger: "Ledger") -> None:
    """Print the chart of accounts that is kept, or one to begin with."""
    from domain.books.chart_of_accounts import starter
    from infra.ledger.books.charts import kept_chart

    kept = kept_chart(ledger)
    typer.echo(starter() if kept is None else kept.event.text)


chart_app = typer.Typer(help="The property's own chart of accounts.", no_args_is_help=True)
chart_app.command()(keep)
chart_app.command()(show)


def _kept(ledger: "Ledger") -> "Chart":
    from domain.books.chart_of_accounts import read_chart
    from infra.ledger.books.charts import kept_chart

    kept = kept_chart(ledger)
    if kept is None:
        fail("the ledger keeps no chart of accounts: name one with --chart, or `roundledger chart keep FILE`")
    return read_chart(kept.event.text)


def _chart(file: Path) -> "Chart":
    from domain.books.chart_of_accounts import BadChart, read_chart

    try:
        return read_chart(read_text(file))
    except BadChart as error:
        fail(f"{file}: {error}")

"""A gaming day in the property's own accounts: what would be exported, what was, and the entries behind each line."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, LiteralString

from msgspec import Struct
from msgspec.structs import replace

from domain.books.chart_of_accounts import BadChart, Chart, read_chart
from domain.books.exports import JournalExported
from domain.money import money
from infra.access.callers import Caller
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt
from infra.ledger.books.charts import kept_chart
from infra.ledger.books.exports import exports_of, record_export
from infra.store.encoding.mapper import RecordedEvent
from projections.export.journal_export import (
    ENDINGS,
    WRITERS,
    AccountTotal,
    DayJournal,
    JournalLine,
    day_journal,
    journal_of_totals,
)
from projections.reports.report import ALWAYS, Filters
from projections.reports.report_list import report_named
from projections.reports.report_query import report_rows, rows
from projections.views.read_side import BadQuestion, NotFound, ReadSide

# A day has a hundred thousand entries; what was posted on each account is kept as they are.
TOTALS: LiteralString = (
    "SELECT account, debit - credit, entries FROM projections.journal_balances WHERE gaming_day = %s"
)
SOURCES: LiteralString = (
    "SELECT code, count(DISTINCT source) FROM projections.journal"
    " JOIN unnest(%s::text[], %s::text[]) AS placed (account, code) USING (account) WHERE gaming_day = %s GROUP BY code"
)
NO_CHART = "The property has no chart of accounts yet: store one first."


class ExportedDay(Struct, frozen=True):
    """`notice` is what there is to say where the day was exported before."""

    journal: DayJournal
    program: str
    file: str
    notice: str | None

    @property
    def name(self) -> str:
        return f"{self.journal.number}-{self.program}.{ENDINGS[self.program]}"


def chart_shown(read_side: ReadSide) -> dict[str, Any]:
    kept = kept_chart(read_side.ledger)
    if kept is None:
        raise NotFound(NO_CHART)
    return {"text": kept.event.text, "kept_at": _at(kept), "by": kept.by}


def journal_shown(read_side: ReadSide, caller: Caller, day: date) -> dict[str, Any]:
    """What would be exported, or why nothing can be; and what was."""
    read_side.record_look(caller, "day journal", day.isoformat())
    made, refusal = None, None
    try:
        made = journal_of_totals(_totals(read_side, day), _chart(read_side), day)
    except (BadChart, NotFound) as error:
        refusal = str(error)
    return {
        "day": day.isoformat(),
        "number": None if made is None else made.number,
        "digest": None if made is None else made.digest,
        "refusal": refusal,
        "lines": [] if made is None else [_line(line) for line in made.lines],
        "exports": [_export(entry, made) for entry in exports_of(read_side.ledger, day)],
    }


def journal_with_sources(read_side: ReadSide, caller: Caller, day: date) -> dict[str, Any]:
    """The same, and from how many sources each line is; for that, every entry of the day is read."""
    found = journal_shown(read_side, caller, day)
    if not found["lines"]:
        return found
    chart = _chart(read_side)
    places = {
        total.account: place.code for total in _totals(read_side, day) if (place := chart.account_for(total.account))
    }
    sources = dict(read_side.database.rows(SOURCES, [[*places], [*places.values()], day]))
    return {**found, "lines": [{**line, "sources": sources[line["code"]]} for line in found["lines"]]}


def entries_for(read_side: ReadSide, caller: Caller, day: date, code: str, at_most: int) -> dict[str, Any]:
    """The first entries of the journal that a line adds up, with their rounds."""
    read_side.record_look(caller, "day journal", f"{day} {code}")
    chart = _chart(read_side)
    account = next((account for account in chart.accounts.values() if account.code == code), None)
    if account is None:
        raise NotFound(f"The chart of accounts has no code {code}.")
    behind = [
        total for total in _totals(read_side, day) if (place := chart.account_for(total.account)) and place.code == code
    ]
    report = report_named("journal")
    report = replace(report, filters={**report.filters, ALWAYS: "account = ANY(%(accounts)s)"})
    found = report_rows(
        read_side.database,
        report,
        Filters(gaming_day=day, limit=at_most),
        [report.projection],
        read_side.clock.days(),
        {"accounts": [total.account for total in behind]},
    )
    shown = ("source", "round", "at", "account", "debit", "credit", "what")
    return {
        "day": day.isoformat(),
        "code": code,
        "name": account.name,
        "entries": [{name: row[name] for name in shown} for row in found],
        "left_out": max(0, sum(total.entries for total in behind) - len(found)),
    }


def export_day(
    read_side: ReadSide, day: date, program: str, actor: Actor, receipt: CommandReceipt = None
) -> ExportedDay:
    """The file, once it is recorded that it was made."""
    try:
        made = day_journal(_entries(read_side, day), _chart(read_side), day)
    except BadChart as error:
        raise BadQuestion(error.detail) from None
    if not made.lines:
        raise BadQuestion(f"Nothing is left on any account on {day}.")
    file = WRITERS[program](made)
    exported = JournalExported(day, program, made.number, made.digest)
    return record_export(
        read_side.ledger, exported, actor, lambda notice: ExportedDay(made, program, file, notice), receipt
    )


def export_shown(exported: ExportedDay) -> dict[str, Any]:
    made = exported.journal
    return {
        "day": made.day.isoformat(),
        "number": made.number,
        "digest": made.digest,
        "format": exported.program,
        "name": exported.name,
        "notice": exported.notice,
        "file": exported.file,
    }


def _totals(read_side: ReadSide, day: date) -> list[AccountTotal]:
    read_side.bring_up_to_date("journal")
    return [AccountTotal(*row) for row in read_side.database.rows(TOTALS, [day])]


def _entries(read_side: ReadSide, day: date) -> list[dict[str, Any]]:
    read_side.bring_up_to_date("journal")
    return rows(read_side.database, "journal", Filters(gaming_day=day))


def _chart(read_side: ReadSide) -> Chart:
    kept = kept_chart(read_side.ledger)
    if kept is None:
        raise NotFound(NO_CHART)
    return read_chart(kept.event.text)


def _line(line: JournalLine) -> dict[str, Any]:
    return {
        "code": line.account.code,
        "name": line.account.name,
        "debit": money(max(line.debit_cents, 0)),
        "credit": money(max(-line.debit_cents, 0)),
        "entries": line.entries,
    }


def _export(entry: RecordedEvent, made: DayJournal | None) -> dict[str, Any]:
    event: JournalExported = entry.event
    return {
        "at": _at(entry),
        "by": entry.by,
        "format": event.program,
        "digest": event.digest,
        "same": None if made is None else event.digest == made.digest,
    }


def _at(entry: RecordedEvent) -> str:
    return datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(timespec="milliseconds")

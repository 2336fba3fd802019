"""Reports, audits and day summaries as PDF files, with lines to sign on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from domain.audit.findings import Finding
from domain.moments import format_moment as moment
from infra.ledger.property import Property
from projections.calendar.property_clock import PropertyClock
from projections.export.formats import UNITS, About, Rows, as_of_text
from projections.export.headings import SIGNED as GOES_EITHER_WAY
from projections.export.headings import for_readers
from projections.export.pdf_sheet import Sheet, figure
from projections.reports import inspection
from projections.reports.day_summary import SECTIONS, title

SIGNED = ("rounds", "net_fees", "expected", "counted", "variance", "house_win")  # the totals of a day that are signed


def table_sheet(said: About, columns: Sequence[str], found: Rows, total: Mapping[str, Any] | None = None) -> bytes:
    sheet = Sheet(said.title, said.state, said.made_at, said.letterhead, said.printed_by)
    sheet.text(f"{said.state} {UNITS}")
    if found:
        kept = [column for column in columns if not _links(row[column] for row in found)]
        sheet.table(kept, [for_readers(kept, row) for row in found], total)
        if not total:
            sheet.remark(f"{len(found):,} row{'s' if len(found) > 1 else ''}.")
    else:
        sheet.remark("There is nothing to report.")
    return sheet.finish()


def _links(values: Iterable[Any]) -> bool:
    """Return whether a column has links, which are useless on paper."""
    return all(isinstance(value, str) and value.startswith("/") for value in values)


def findings_sheet(
    scope: str,
    checks: Sequence[str],
    found: Sequence[Finding],
    count: int,
    notes: Sequence[Finding],
    notes_count: int,
    made_at: datetime,
    letterhead: Property,
    printed_by: str = "",
) -> bytes:
    """Return an audit to file: what was checked, each finding and note with its sentence, and lines to sign on."""
    when = f"Audited at {moment(made_at)}."
    sheet = Sheet("Audit", f"{scope} {when}", made_at, letterhead, printed_by)
    sheet.text(f"{scope} {when}")
    for line in checks:
        sheet.remark(line)
    for heading, listed, of_all in (("Findings", found, count), ("Notes, which are not findings", notes, notes_count)):
        if listed:
            sheet.heading(heading)
            columns = ("kind", "round", "table", "seat", "spot", "clause", "position", "what")
            rows = [{**finding.document(), "round": finding.round or finding.stream} for finding in listed]
            sheet.table(columns, rows)
        if of_all > len(listed):
            sheet.remark(
                f"{of_all - len(listed):,} more are left out here: `roundledger audit --format jsonl` has all of them."
            )
    result = f"{count:,} finding{'s' if count > 1 else ''}" if count else "no findings"
    sheet.signatures(["Auditor", "Witness"], f"{scope} {checks[0]}: {result}. {when}")
    return sheet.finish()


def summary_sheet(
    found: Mapping[str, Any], now: datetime, clock: PropertyClock, letterhead: Property, printed_by: str = ""
) -> bytes:
    of, state = clock.words(title(found)), as_of_text(clock.local(found["as_of"] or now))
    sheet = Sheet(of, state, clock.local(now), letterhead, printed_by)
    sheet.text(f"{state} {UNITS}")
    totals = found["totals"]
    sheet.figures(totals)
    for key, (heading, report, columns) in SECTIONS.items():
        sheet.heading(heading)
        sheet.table(columns, found[key], report.total(found[key]), none="None.")
        if left_out := found["left_out"][key]:
            sheet.remark(f"{left_out:,} more are left out here; the totals are of all.")
    signed = ", ".join(f"{name.replace('_', ' ')} {figure(totals[name], name in GOES_EITHER_WAY)}" for name in SIGNED)
    sheet.signatures(found["signatures"], f"{of}: {signed}. {state}")
    return sheet.finish()


def inspection_sheet(
    found: Mapping[str, Any], now: datetime, clock: PropertyClock, letterhead: Property, printed_by: str = ""
) -> bytes:
    """Return an inspection to file: each section as a table, the integrity of the record, and lines to sign on."""
    of, state = clock.words(inspection.title(found)), as_of_text(clock.local(found["as_of"] or now))
    sheet = Sheet(of, state, clock.local(now), letterhead, printed_by)
    sheet.text(f"{state} {UNITS}")
    for key, (heading, report, columns) in inspection.SECTIONS.items():
        sheet.heading(heading)
        sheet.table(columns, found[key], report.total(found[key]), none="None.")
        if left_out := found["left_out"][key]:
            sheet.remark(f"{left_out:,} more are left out here.")
    record = found["integrity"]
    sheet.heading("Integrity of the record")
    sheet.remark(
        f"{record['sealed']:,} events are sealed, the last at {record['sealed_at'] or 'no time yet'};"
        f" {record['waiting']:,} wait for the next checkpoint. Root of the log: {record['root'] or 'none yet'}."
    )
    sheet.table(
        ("audit", "state", "started_at", "started_by", "rounds", "findings"), record["audits"], none="No audit."
    )
    sheet.signatures(found["signatures"], f"{of}. {state}")
    return sheet.finish()

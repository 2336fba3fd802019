"""Views of reports as rows and as files, with the roles that may read them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from infra.access.callers import Caller, Forbidden
from infra.ledger.property import property_of
from infra.store.cache import Cache
from projections.calendar.gaming_days import GamingDays
from projections.calendar.property_clock import PropertyClock
from projections.export import charts
from projections.export.formats import WRITERS, about, ledger_file
from projections.reports.irregularity_reports import IRREGULAR
from projections.reports.regulation_reports import REGULATION
from projections.reports.report import Filters
from projections.reports.report_list import REPORTS, report_named
from projections.reports.report_query import rows
from projections.views.read_side import BadQuestion, ReadSide

FORMATS = {
    "json": "application/json",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pdf": "application/pdf",
    "svg": "image/svg+xml",
    "beancount": "text/plain",
    "hledger": "text/plain",
}
LEDGER_FILES = frozenset({"beancount", "hledger"})
NAMES = tuple(REPORTS)
READERS = {
    "floor": frozenset(
        {
            *("exposure", "hands", "rotation", "meters", "collections"),
            *(report.name for report in (*REGULATION, *IRREGULAR)),
        }
    ),
    "cage": frozenset({"bankroll", "cash-log", "cash-moves"}),
    "accounting": frozenset(NAMES),
    "auditor": frozenset(NAMES),
}
# Sums over everything ever recorded: computed again only once something has been recorded since.
SUMS_OF_ALL = frozenset({"bankroll", "trial-balance", "card-frequencies", "card-counts"})
_summed: Cache[list[dict[str, Any]]] = Cache(32)


def readers_of(*names: str) -> list[str]:
    """Return the roles that may read all of these reports."""
    return [role for role, readable in READERS.items() if readable.issuperset(names)]


def check_reader(caller: Caller, name: str) -> None:
    if not caller.may([role for role, names in READERS.items() if name in names]):
        raise Forbidden(f"The role {caller.role} may not read {name}.")


def report_rows(read_side: ReadSide, caller: Caller, name: str, filters: Filters, asked: str) -> list[dict[str, Any]]:
    """Return rows; `asked` is recorded as what was looked at: the filters, as the caller gave them."""
    _prepare(read_side, caller, {name: filters})
    return _rows_read(read_side, caller, name, filters, asked)


def _prepare(read_side: ReadSide, caller: Caller, asked: Mapping[str, Filters]) -> None:
    """Check the caller, and bring up to date what reports of today are read from, once for all of them."""
    for name in asked:
        check_reader(caller, name)
    of_today = (name for name, filters in asked.items() if not filters.on_the_past)
    if projections := {report_named(name).projection.name for name in of_today}:
        read_side.bring_up_to_date(*sorted(projections))


def _rows_read(read_side: ReadSide, caller: Caller, name: str, filters: Filters, asked: str) -> list[dict[str, Any]]:
    rows = _rows(read_side, name, filters, read_side.clock.days())
    read_side.record_look(caller, "report as json", f"{name}?{asked}")
    return rows


def first_rows(
    read_side: ReadSide, caller: Caller, name: str, filters: Filters, at_most: int | None, asked: str
) -> tuple[list[dict[str, Any]], bool]:
    """Return the first rows, or all; and whether there are more."""
    _prepare(read_side, caller, {name: filters})
    return _first_read(read_side, caller, name, filters, at_most, asked)


def _first_read(
    read_side: ReadSide, caller: Caller, name: str, filters: Filters, at_most: int | None, asked: str
) -> tuple[list[dict[str, Any]], bool]:
    limit = None if at_most is None else at_most + 1
    rows = _rows_read(read_side, caller, name, replace(filters, limit=limit), asked)
    return rows[:at_most], at_most is not None and len(rows) > at_most


def first_sections(
    read_side: ReadSide, caller: Caller, shown: Mapping[str, tuple[str, Filters]], at_most: int, asked: str
) -> list[dict[str, Any]]:
    """Reports for a page that shows several, by name with title and filters: the first rows of each."""
    found = []
    _prepare(read_side, caller, {name: filters for name, (_, filters) in shown.items()})
    for name, (title, filters) in shown.items():
        rows, cut = _first_read(read_side, caller, name, filters, at_most, asked)
        columns = [{"name": column, "kind": kind} for column, kind in REPORTS[name].columns.items()]
        found.append({"name": name, "title": title, "columns": columns, "rows": rows, "cut": cut})
    return found


def report_file(read_side: ReadSide, caller: Caller, name: str, filters: Filters, format_: str, asked: str) -> bytes:
    check_reader(caller, name)
    if format_ in LEDGER_FILES and name != "journal":
        raise BadQuestion(f"Only the journal can be had for {format_}.")
    if format_ == "svg" and name not in charts.CHARTS:
        raise BadQuestion(f"There are charts of {', '.join(charts.CHARTS)} only.")
    if not filters.on_the_past:
        for projection in sorted(_needed(name, format_)):
            read_side.bring_up_to_date(projection)
    if format_ in LEDGER_FILES:
        written = "".join(ledger_file(read_side.database.url, format_, filters)).encode()
    elif format_ == "svg":
        written = charts.draw(read_side.database.url, name, filters)
    else:
        days = read_side.clock.days()
        heading = about(
            name, filters, datetime.now(UTC), PropertyClock(days), property_of(read_side.database), caller.by
        )
        written = WRITERS[format_](name, _rows(read_side, name, filters, days), heading)
    read_side.record_look(caller, f"report as {format_}", f"{name}?{asked}")
    return written


def _needed(name: str, format_: str) -> set[str]:
    needed = {report_named(name).projection.name}
    if format_ in LEDGER_FILES:
        needed.add("drops")
    if format_ == "svg":
        needed.update(charts.PROJECTIONS[name])
    return needed


def _rows(read_side: ReadSide, name: str, filters: Filters, days: GamingDays) -> list[dict[str, Any]]:
    if filters.on_the_past or name not in SUMS_OF_ALL:
        return rows(read_side.database, name, filters, days)
    # Read before the rows: they may be newer than it says, never older.
    revision = read_side.projector.revision(report_named(name).projection.name)
    key = (read_side.database.url, name, filters)
    return _summed.get(key, lambda: rows(read_side.database, name, filters, days), revision)

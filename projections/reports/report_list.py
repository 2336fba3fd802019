"""Every report by its name."""

from __future__ import annotations

from projections.reports import accounting_reports, cash_reports, irregularity_reports, play_reports
from projections.reports import statistics_reports as statistics
from projections.reports.irregularity_reports import IRREGULAR
from projections.reports.regulation_reports import REGULATION
from projections.reports.report import Report
from projections.reports.slip_reports import SLIP_KINDS, SLIP_NUMBERS, SLIP_STATUSES

REPORTS: dict[str, Report] = {
    report.name: report
    for report in (
        accounting_reports.BANKROLL,
        accounting_reports.EXPOSURE,
        accounting_reports.COLLECTIONS,
        accounting_reports.DROPS,
        accounting_reports.MACHINE_COUNTS,
        accounting_reports.JOURNAL,
        accounting_reports.TRIAL_BALANCE,
        accounting_reports.ADJUSTMENTS,
        accounting_reports.CLOSE,
        cash_reports.CASH_LOG,
        cash_reports.CASH_MOVES,
        play_reports.HANDS,
        play_reports.ROTATION,
        play_reports.METERS,
        accounting_reports.INVENTORY,
        accounting_reports.TRAY_COUNTS,
        accounting_reports.SLIPS,
        SLIP_NUMBERS,
        *REGULATION,
        *statistics.REPORTS,
        *IRREGULAR,
    )
}

# What a report of any subject can be narrowed to: kinds and statuses of disputes, and of slips.
KINDS = (*irregularity_reports.KINDS, *SLIP_KINDS)
STATUSES = (*irregularity_reports.STATUSES, *SLIP_STATUSES)


class UnknownReport(LookupError):
    """No report has that name."""


def report_named(name: str) -> Report:
    try:
        return REPORTS[name]
    except KeyError:
        raise UnknownReport(f"There is no report {name}; there are {', '.join(REPORTS)}.") from None


def columns_of(name: str) -> list[str]:
    return list(report_named(name).columns)

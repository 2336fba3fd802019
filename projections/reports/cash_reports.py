"""Reports on cash: what each patron brought and took on a gaming day, and every move of chips for it."""

from __future__ import annotations

from projections.models.books.cash_log import CashLog
from projections.reports.report import BY_BETTOR, BY_DAY, BY_TABLE, DAYS, Report

# Amounts that nobody has marked count as cash, and are shown apart.
CASH_LOG = Report(
    name="cash-log",
    projection=CashLog,
    select="""
        gaming_day
        bettor
        cash_in: amount
        cash_out: amount
        unmarked: amount
        moves: count
        first_at: at
        last_at: at
        level
    """,
    source="(SELECT m.*, CASE WHEN greatest(cash_in, cash_out) > coalesce(t.report, 1000000) THEN 'report'"
    " WHEN greatest(cash_in, cash_out) >= coalesce(t.log, 250000) THEN 'log' END AS level FROM"
    " (SELECT gaming_day, bettor,"
    " coalesce(sum(amount) FILTER (WHERE way = 'in'), 0)::bigint AS cash_in,"
    " coalesce(sum(amount) FILTER (WHERE way = 'out'), 0)::bigint AS cash_out,"
    " coalesce(sum(amount) FILTER (WHERE means = 'unknown'), 0)::bigint AS unmarked,"
    " count(*) AS moves, min(at) AS first_at, max(at) AS last_at"
    " FROM {schema}.cash_moves WHERE means IN ('cash', 'unknown') GROUP BY gaming_day, bettor) m"
    " LEFT JOIN LATERAL (SELECT log, report FROM {schema}.cash_thresholds s WHERE s.gaming_day <= m.gaming_day"
    " ORDER BY s.gaming_day DESC LIMIT 1) t ON true) logged",
    filters={**DAYS, **BY_BETTOR, "status": "level = %(status)s"},
    order="gaming_day, greatest(cash_in, cash_out) DESC, bettor",
    windowed="first_at",
)
CASH_MOVES = Report(
    name="cash-moves",
    projection=CashLog,
    select="""
        gaming_day
        shift
        at: at
        bettor
        table = table_id
        way
        means
        amount: amount
        by
        position
    """,
    source="{schema}.cash_moves",
    filters={**BY_TABLE, **BY_DAY, **BY_BETTOR},
    order="position",
    windowed="at",
)

"""The floor as it is now: every table, and the day up to which trays can be reported."""

from __future__ import annotations

from datetime import date
from typing import LiteralString

from infra.store.database import Database
from projections.calendar.gaming_days import DayShift
from projections.reports.named_rows import Rows, select

# Fees and counts are of one shift, found by the keys of their tables.
ON_THE_FLOOR: LiteralString = """
SELECT t.table_id AS "table", t.session, t.opened_at, t.ruleset, t.open, t.box, t.dealer, t.players, t.rounds,
    t.round, t.round_at, t.round_status, t.player_dealer, t.bank_seat, t.turn,
    coalesce((SELECT sum(c.fees - c.waived) FROM projections.collections c
        WHERE c.gaming_day = %(day)s AND c.shift = %(shift)s AND c.table_id = t.table_id), 0)::bigint AS fees,
    coalesce(s.rounds, 0) AS rounds_in_shift, coalesce(s.voided, 0) AS voided, coalesce(s.short, 0) AS short,
    coalesce(s.corrected, 0) AS corrected, coalesce(s.noted, 0) AS noted
FROM projections.tables t
LEFT JOIN projections.tables_shifts s
    ON s.gaming_day = %(day)s AND s.shift = %(shift)s AND s.table_id = t.table_id
ORDER BY t.open DESC, t.table_id
"""
LATEST_DAY: LiteralString = (
    "SELECT least((SELECT max(gaming_day) FROM projections.inventory),"
    " (SELECT max(gaming_day) FROM projections.journal_tray_counts)) AS day"
)


def on_the_floor(database: Database, now: DayShift) -> Rows:
    """Every table, the open ones first; amounts are cents. Fees and counts are of the present shift."""
    return select(database, ON_THE_FLOOR, now._asdict())


def latest_day(database: Database) -> date | None:
    """The last gaming day for which there are both stretches and counts of trays, if there is one."""
    found: date | None = select(database, LATEST_DAY)[0]["day"]
    return found

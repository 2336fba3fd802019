"""The report of all slip numbers, including missing and void ones."""

from __future__ import annotations

from typing import get_args

from domain.books.slips import KINDS, Status
from projections.models.books.slips import Slips
from projections.reports.report import BY_DAY, BY_TABLE, Report

SLIP_KINDS: tuple[str, ...] = KINDS
SLIP_STATUSES: tuple[str, ...] = (*get_args(Status), "missing")

# A number that no slip has is reported with the day of the next one.
SLIP_NUMBERS = Report(
    name="slip-numbers",
    projection=Slips,
    select="""
        number = lpad(number::text, greatest(6, length(number::text)), '0')
        kind
        table = table_id
        gaming_day
        shift
        at: at
        status
        amount: amount
        pieces
        boxes
        requested_by
        issued_at: at
        issued_by
        second_person
        voided_at: at
        voided_by
        void_second_person
        reason
    """,
    source="(SELECT n.number, s.kind, s.table_id, coalesce(s.gaming_day, later.gaming_day) AS gaming_day,"
    " coalesce(s.shift, later.shift) AS shift, s.at, coalesce(s.status, 'missing') AS status, s.amount, s.pieces,"
    " s.boxes, s.requested_by, s.issued_at, s.issued_by, s.second_person, s.voided_at, s.voided_by,"
    " s.void_second_person, s.reason"
    " FROM generate_series(1, (SELECT max(number) FROM {schema}.slips)) AS n (number)"
    " LEFT JOIN {schema}.slips s USING (number)"
    " LEFT JOIN LATERAL (SELECT gaming_day, shift FROM {schema}.slips WHERE number > n.number AND s.number IS NULL"
    " ORDER BY number LIMIT 1) later ON true) numbers",
    filters={**BY_TABLE, **BY_DAY, "kind": "kind = %(kind)s", "status": "status = %(status)s"},
    order="number",
    windowed="at",
)

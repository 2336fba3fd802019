"""Reports for an inspector: what tables have posted, what they are designated for, and what the property chose."""

from __future__ import annotations

from typing import LiteralString

from projections.models.regulation.postings import Postings
from projections.reports.report import BY_TABLE, DAYS, Report

# Of what begins and ends: whatever held at the moment, on the day, or on any day between the two.
HELD: dict[str, LiteralString] = {
    "moment": "begins <= %(moment)s AND (ends IS NULL OR ends > %(moment)s)",
    "gaming_day": "first_day <= %(gaming_day)s AND (last_day IS NULL OR last_day >= %(gaming_day)s)",
    "first": "(last_day IS NULL OR last_day >= %(first)s)",
    "last": "first_day <= %(last)s",
}

POSTINGS = Report(
    name="postings",
    projection=Postings,
    select="""
        table = table_id
        number
        changes = (SELECT count(*) FROM {schema}.postings each WHERE each.table_id = postings.table_id)
        ruleset
        begins: at
        ends: at
        held = ends IS NULL OR ends > begins
        notice_minutes
        posted_at: at
        posted_by
        trips
        schedule: schedule
        limits
        progressive
        rates
    """,
    source="{schema}.postings",
    filters={**BY_TABLE, **HELD},
    order="table_id, number",
    windowed="begins",
)
DESIGNATIONS = Report(
    name="designations",
    projection=Postings,
    select="""
        table = table_id
        begins: at
        ends: at
        designated_by
        ruleset
        box
        inscription
        placard
    """,
    source="{schema}.designations",
    filters={**BY_TABLE, **HELD},
    order="table_id, number",
    windowed="begins",
)
CHOICES = Report(
    name="choices",
    projection=Postings,
    select="""
        ruleset
        at: at
        chosen_by
        trips
        schedules
        limits
        notice_minutes
    """,
    source="{schema}.choices",
    filters=DAYS,
    order="ruleset, at",
    windowed="at",
)
REGULATION: tuple[Report, ...] = (POSTINGS, DESIGNATIONS, CHOICES)

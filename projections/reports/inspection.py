"""The inspection of a range of gaming days: the sections are reports, and each row leads to its rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import psycopg
from msgspec.structs import replace

from infra.store.database import Cursor, Database, ask_together
from projections.calendar.gaming_day_settings import gaming_days
from projections.calendar.gaming_days import GamingDays
from projections.engine.storage import Connection
from projections.models.floor.rotation import Rotation
from projections.models.hands import Hands
from projections.models.registry import ALL
from projections.reports import regulation_reports
from projections.reports.irregularity_reports import IRREGULAR
from projections.reports.report import ALWAYS, BY_DAY, BY_TABLE, DAYS, BadFilter, Filters, Report
from projections.reports.report_query import question, read_tables, shaped

NAME = "inspection"
LONGEST = 366  # days
SIGNATURES = ("Inspector", "For the property")

PLAYED = Report(
    name="played",
    projection=Hands,
    select="""
        ruleset
        hash = ruleset_hash
        rounds: count
        first_round
        first_at: at
        last_at: at
        hands = '/v1/rounds?ruleset=' || ruleset
    """,
    # The large number is FAR_MS. Of several rounds at the first moment it is the one with the first id.
    with_="WITH played AS (SELECT ruleset, ruleset_hash, sum(rounds)::bigint AS rounds,"
    " 'epoch'::timestamptz + (35184372088832 - max(until_far_ms)) * interval '1 millisecond' AS first_at,"
    " max(last_at) AS last_at FROM {schema}.hands_played{where} GROUP BY ruleset, ruleset_hash) ",
    source="played p CROSS JOIN LATERAL (SELECT round AS first_round FROM {schema}.hands h"
    " WHERE h.opened_at = p.first_at AND h.ruleset_hash = p.ruleset_hash"
    " AND (%(table)s::text IS NULL OR h.table_id = %(table)s) ORDER BY round LIMIT 1) beginning",
    filters={**BY_TABLE, **BY_DAY},
    order="ruleset, first_at",
)
ROTATION = Report(
    name="rotation",
    projection=Rotation,
    select="""
        table = table_id
        rounds: count = sum(rounds)::bigint
        player_dealers: count = count(DISTINCT bettor)
        longest = nullif(max(longest), 0)
        declined: count = sum(declined)::bigint
        breaches: count = sum(breaches)::bigint
        hands = '/v1/rounds?table=' || table_id
    """,
    source="{schema}.rotation_banks",
    filters={**BY_TABLE, **BY_DAY},
    order="table_id",
    group="table_id",
)
BREACHES = Report(
    name="breaches",
    projection=Rotation,
    select="round\n table = table_id\n at: at\n seat\n bettor\n breach",
    source="{schema}.rotation",
    filters={**BY_TABLE, **BY_DAY, ALWAYS: "breach IS NOT NULL"},
    order="at, round",
)
CHOSEN = replace(regulation_reports.CHOICES, filters={"last": DAYS["last"]})  # whenever it was chosen before
DISPUTES = next(report for report in IRREGULAR if report.name == "disputes")
_DISPUTE = ("dispute", "round", "table", "kind", "claimed", "status", "overdue", "deadline", "opened_at", "outcome")


def _section(title: str, report: Report, shown: tuple[str, ...] = ()) -> tuple[str, Report, tuple[str, ...]]:
    """Return a section. By default it shows every column but the link to the hands."""
    return title, report, shown or tuple(name for name in report.columns if name != "hands")


# The columns shown on paper and on the page; JSON has them all.
SECTIONS: Mapping[str, tuple[str, Report, tuple[str, ...]]] = {
    "adoptions": _section(
        "Rule sets in force",
        regulation_reports.ADOPTIONS,
        ("ruleset", "version", "approval", "approved_on", "first_day", "last_day", "adopted_by", "second_person"),
    ),
    "played": _section("Rule sets played", PLAYED, ("ruleset", "rounds", "first_round", "first_at", "last_at")),
    "choices": _section("What the property offers", CHOSEN),
    "postings": _section(
        "Posted at tables",
        regulation_reports.POSTINGS,
        ("table", "ruleset", "begins", "ends", "notice_minutes", "posted_by", "trips", "schedule", "limits", "rates"),
    ),
    "designations": _section("Designated tables", regulation_reports.DESIGNATIONS),
    "rotation": _section("Rotation of the bank", ROTATION),
    "breaches": _section("Breaches of the rotation", BREACHES),
    "fees": _section("Fees by tier, against the schedule", regulation_reports.FEE_TIERS),
    "exceptions": _section("Voids and waivers", regulation_reports.EXCEPTIONS),
    "misdeals": _section("Misdeals noticed", regulation_reports.MISDEALS),
    "decks": _section("Alternation of decks", regulation_reports.DECKS),
    "jackpots": _section("Progressive wins", regulation_reports.JACKPOTS),
    "hands_held": _section("Hands held face up until paid", regulation_reports.HANDS_HELD),
    "proposition_banks": _section("Banks of proposition players", regulation_reports.PROPOSITION_BANKS),
    "disputes": _section("Disputes", DISPUTES, _DISPUTE),
}
PROJECTIONS = tuple(dict.fromkeys(report.projection.name for _, report, _ in SECTIONS.values()))


def inspection(
    place: str | Database, filters: Filters, now: datetime, days: GamingDays | None = None
) -> dict[str, Any]:
    """Return the inspection from the first gaming day to the last; of one day, or by default that of `now`. A limit
    applies to the rows of each section."""
    filters.check(("gaming_day", "first", "last", "table"), f"The {NAME}")
    if filters.since or filters.until:
        raise BadFilter(f"The {NAME} is of gaming days, and as of a moment.")

    def read(connection: Connection | Cursor, schema: str) -> dict[str, Any]:
        known = days or gaming_days(connection)
        narrowed = _narrowed(filters, known.of(round((filters.as_of or now).timestamp() * 1000)).day)
        return _sections(connection, narrowed, known, schema)

    return read_tables(place, [ALL[projection] for projection in PROJECTIONS], filters, read)


def _narrowed(filters: Filters, today: date) -> Filters:
    first = filters.first or filters.gaming_day or filters.last or today
    last = filters.last or filters.gaming_day or (today if filters.first else first)
    if first > last:
        raise BadFilter(f"The first gaming day, {first}, comes after the last, {last}.")
    if (last - first).days >= LONGEST:
        raise BadFilter(f"The {NAME} is of at most {LONGEST} gaming days.")
    return replace(filters, gaming_day=None, first=first, last=last)


def _sections(connection: Connection | Cursor, filters: Filters, days: GamingDays, schema: str) -> dict[str, Any]:
    sections: dict[str, Any] = {}
    left_out: dict[str, int] = {}
    totals: dict[str, Any] = {}
    everything = replace(filters, limit=None)
    asked = [
        question(
            report, everything if "table" in report.filters else replace(everything, table=None), schema, days.shifts
        )
        for _, report, _ in SECTIONS.values()
    ]
    whole = connection.connection if isinstance(connection, psycopg.Cursor) else connection
    cursors = ask_together(whole, asked, prepare=False)  # planned for these days: one or a year
    for (key, (_, report, _)), cursor in zip(SECTIONS.items(), cursors, strict=True):
        if filters.limit is None or key in _WRONG:
            found = cursor.fetchall()
        else:
            found = cursor.fetchmany(filters.limit)
        sections[key] = shaped(report, found[: filters.limit], days)
        left_out[key] = cursor.rowcount - len(sections[key])
        totals[key] = _wrong(key, report, found) if key in _WRONG else cursor.rowcount
    assert filters.first is not None
    assert filters.last is not None
    return {
        "first": filters.first.isoformat(),
        "last": filters.last.isoformat(),
        "table": filters.table,
        "as_of": None if filters.as_of is None else filters.as_of.isoformat(timespec="milliseconds"),
        "totals": totals,
        **sections,
        "left_out": left_out,
        "signatures": list(SIGNATURES),
    }


# What is wrong in each section; the others are counted by their rows.
_WRONG: Mapping[str, str] = {"rotation": "breaches", "fees": "differing", "decks": "out_of_turn"}


def _wrong(key: str, report: Report, found: Sequence[Sequence[Any]]) -> int:
    place = list(report.columns).index(_WRONG[key])
    return sum(row[place] for row in found)


def title(found: Mapping[str, Any]) -> str:
    first, last = found["first"], found["last"]
    days = f"gaming day {first}" if first == last else f"gaming days {first} to {last}"
    parts = [f"Inspection, {days}", found["table"] and f"table {found['table']}"]
    parts.append(found["as_of"] and f"as of {found['as_of']}")
    return ", ".join(part for part in parts if part)

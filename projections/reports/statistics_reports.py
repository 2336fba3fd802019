"""The reports on statistics: by table, game, shift and day, by wager, and to date with the same periods before.

What is expected adds up over rounds, and so does its variance, spot by spot. The wagers of a round on several spots may
win and lose together, so their deviations are added; those of different tables are independent.
"""

from __future__ import annotations

from typing import LiteralString

from projections.models.statistics import Statistics
from projections.reports.report import BY_DAY, BY_TABLE, Report

FIGURES: LiteralString = """
        rounds: count = f.rounds
        hours: decimal = f.hours
        drop: amount = f.bought + f.fees - f.not_dropped
        win: amount = f.won
        hold: decimal = CASE WHEN f.bought > 0 THEN 100.0 * f.won / f.bought END
        fees: amount = f.fees - f.waived
        fees_per_hour: money = CASE WHEN f.hours > 0 THEN round((f.fees - f.waived) / f.hours)::bigint END
        fees_per_round: money = CASE WHEN f.rounds > 0 THEN round(1.0 * (f.fees - f.waived) / f.rounds)::bigint END
        wagered: amount = f.wagered"""
THEORY: LiteralString = """
        staked: amount = coalesce(t.staked, 0)::bigint
        theoretical: amount = t.theoretical::bigint
        result: amount = t.result::bigint
        low: money = (t.theoretical - t.spread)::bigint
        high: money = (t.theoretical + t.spread)::bigint
        outside = abs(t.result - t.theoretical) > t.spread"""
SUMMED = ("rounds", "wagered", "won", "bought", "fees", "waived", "not_dropped")
# A table is in play from the first round of a shift to the end of the last. The large number is FAR_MS.
IN_PLAY: LiteralString = "sum(CASE WHEN until > 0 THEN until + since - 35184372088832 ELSE 0 END)"
ADDED: LiteralString = ", ".join([f"coalesce(sum({name}), 0)::bigint AS {name}" for name in SUMMED])
SUMS: LiteralString = f"{ADDED}, coalesce({IN_PLAY}, 0) / 3600000.0 AS hours"
EXPECTED: LiteralString = "sum(staked) AS staked, sum(result) AS result, sum(theoretical) AS theoretical"
# Chance stays within 1.959964 deviations on either side in 95 of 100 cases.
THEORETICAL: LiteralString = (
    "sum(staked) AS staked, sum(result) AS result, sum(theoretical) / 1000000 AS theoretical,"
    " 1.959964 * sqrt(sum(deviation * deviation)) AS spread"
)


def _by(name: LiteralString, keys: LiteralString, columns: LiteralString, order: LiteralString) -> Report:
    """Sum the rows that have these columns in common."""
    return Report(
        name=name,
        projection=Statistics,
        select=f"{columns}{FIGURES}{THEORY}",
        with_=f"WITH played AS (SELECT {keys}, {SUMS} FROM {{schema}}.statistics{{where}} GROUP BY {keys}),"
        f" spots AS (SELECT {keys}, table_id AS at_table, spot, {EXPECTED}, sum(variance) AS variance"
        f" FROM {{schema}}.statistics_wagers{{where}} GROUP BY {keys}, table_id, spot),"
        f" tables AS (SELECT {keys}, at_table, {EXPECTED}, sum(sqrt(variance)) AS deviation FROM spots"
        f" GROUP BY {keys}, at_table),"
        f" theory AS (SELECT {keys}, {THEORETICAL} FROM tables GROUP BY {keys}) ",
        source=f"played f LEFT JOIN theory t USING ({keys})",
        filters={**BY_TABLE, **BY_DAY},
        order=order,
    )


SHIFTS: LiteralString = "array_position(%(shifts)s::text[], shift)"
STATISTICS = _by(
    "statistics",
    "gaming_day, shift, table_id, ruleset",
    """
        gaming_day
        shift
        table = table_id
        game = ruleset""",
    f"gaming_day, {SHIFTS}, table_id, ruleset",
)
BY_TABLES = _by("statistics-by-table", "table_id", "table = table_id", "table_id")
BY_GAMES = _by("statistics-by-game", "ruleset", "game = ruleset", "ruleset")
BY_SHIFTS = _by("statistics-by-shift", "shift", "shift", SHIFTS)
BY_DAYS = _by("statistics-by-day", "gaming_day", "gaming_day", "gaming_day")
BY_WAGER = Report(
    name="statistics-by-wager",
    projection=Statistics,
    select=f"""
        table = table_id
        game = ruleset
        spot
        wagers: count = t.wagers
        {THEORY.strip()}
    """,
    with_="WITH theory AS (SELECT table_id, ruleset, spot, sum(wagers)::bigint AS wagers, sum(staked) AS staked,"
    " sum(result) AS result, sum(theoretical) / 1000000 AS theoretical, 1.959964 * sqrt(sum(variance)) AS spread"
    " FROM {schema}.statistics_wagers{where} GROUP BY table_id, ruleset, spot) ",
    source="theory t",
    filters={**BY_TABLE, **BY_DAY},
    order="table_id, ruleset, spot",
)
PERIODS: LiteralString = (
    # Materialized, or the last day is looked up wherever a period begins or ends.
    "reference AS MATERIALIZED (SELECT coalesce(%(gaming_day)s::date,"
    " (SELECT max(gaming_day) FROM {schema}.statistics)) AS day),"
    " periods AS (SELECT * FROM reference CROSS JOIN LATERAL (VALUES"
    " (1, 'day', day, day), (2, 'day before', day - 1, day - 1), (3, 'same day of the week before', day - 7, day - 7),"
    " (4, 'month to date', date_trunc('month', day)::date, day),"
    " (5, 'month before, to the same day', (date_trunc('month', day) - interval '1 month')::date,"
    " (day - interval '1 month')::date),"
    " (6, 'year to date', date_trunc('year', day)::date, day),"
    " (7, 'year before, to the same day', (date_trunc('year', day) - interval '1 year')::date,"
    " (day - interval '1 year')::date)) period (number, period, first, last) WHERE day IS NOT NULL)"
)
TO_DATE = Report(
    name="statistics-to-date",
    projection=Statistics,
    # Periods overlap: nothing here can be totalled.
    select=f"period\nfirst\nlast{FIGURES}{THEORY}".replace(": amount", ": money").replace(": count", ""),
    # Each day is added up once, though several periods have it.
    with_=f"WITH {PERIODS}, days AS (SELECT gaming_day, {ADDED}, {IN_PLAY} AS in_play"
    " FROM {schema}.statistics{where} GROUP BY gaming_day),"
    f" played AS (SELECT number, period, first, last, {ADDED}, coalesce(sum(in_play), 0) / 3600000.0 AS hours"
    " FROM periods"
    " LEFT JOIN days ON gaming_day BETWEEN first AND last GROUP BY number, period, first, last),"
    f" spots AS (SELECT number, table_id, spot, {EXPECTED}, sum(variance) AS variance FROM periods"
    " JOIN (SELECT * FROM {schema}.statistics_wagers{where}) w ON gaming_day BETWEEN first AND last"
    " GROUP BY number, table_id, spot),"
    f" tables AS (SELECT number, table_id, {EXPECTED}, sum(sqrt(variance)) AS deviation FROM spots"
    " GROUP BY number, table_id),"
    f" theory AS (SELECT number, {THEORETICAL} FROM tables GROUP BY number) ",
    source="played f LEFT JOIN theory t USING (number)",
    filters={**BY_TABLE, "shift": BY_DAY["shift"], "gaming_day": "gaming_day <= %(gaming_day)s"},
    order="number",
)
EXPLANATIONS = Report(
    name="statistics-explanations",
    projection=Statistics,
    select="""
        table = table_id
        game = ruleset
        spot
        first
        last
        staked: money
        theoretical: money
        result: money
        low: money
        high: money
        explanation
        explained_by
        at: at
    """,
    source="{schema}.statistics_explanations",
    filters=BY_TABLE,
    order="at, position",
    windowed="at",
)
REPORTS = (STATISTICS, BY_TABLES, BY_GAMES, BY_SHIFTS, BY_DAYS, BY_WAGER, TO_DATE, EXPLANATIONS)

"""What a report on one gaming day costs after 10 earlier days and after 100.

    python -m tests.benchmarks.days --rounds 100000 --earlier 10000

A floor of 20 tables is played, recorded and projected: rounds of all rule sets, boxes and trays counted. Its rows are
then multiplied by SQL under other names and days: one day of 100 tables and as many rounds as asked for, and earlier
days of fewer. No event is written for these, and that is part of the claim: a report on a day reads none. Every
statement is run with EXPLAIN (ANALYZE, BUFFERS), which tells the blocks it touched and every table it looked at. An
index grows a level deeper now and then, hence the allowance.
Not part of `make bench`: it takes minutes and gigabytes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import psycopg
from msgspec import Struct
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Composed, Identifier
from rich.console import Console
from rich.table import Table as Sheet

from domain.rules import rulesets
from infra.embedded import embedded_postgres
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.schema.migrator import migrate
from infra.simulation import documents
from projections.engine.connection import connect
from projections.engine.runner import Runner
from projections.engine.storage import LIVE
from projections.engine.table import Table
from projections.models.registry import ALL
from projections.reports import day_summary
from projections.reports.report import Filters, Report
from projections.reports.report_list import REPORTS
from projections.reports.report_query import question, rows

NOON_MS = 1_790_000_000_000
SAMPLE_TABLES = {ruleset: 2 if ruleset == "uth-sd" else 3 for ruleset in rulesets.ids()}  # 20 together
ROUNDS_A_TABLE = 10
COPIES_OF_A_TABLE = 5
DAY = date(2030, 1, 1)
SHORT_OF_DAYS = (
    "tables",
    "bankroll_kinds",
    "meters",
    "meter_moves",
    "rotation_offers",
    "journal_trays",
    "hands_bettors",
    "hands_played",
    "rotation_banks",
)
AT_MOST = 1.5  # times the blocks after 10 days
FEW_BLOCKS = 500  # 4 MB: whichever way these are found, it takes a millisecond
REPEATS = 5
EARLIER_DAYS = (10, 100)


class Cost(Struct):
    blocks: int
    milliseconds: float
    rows: int
    scanned: set[str]  # tables read whole
    looked_at: set[str]


# ---- the floor


def play(url: str) -> int:
    """How many rounds the sample has."""
    ledger = Ledger(url)
    floor = Floor(ledger)
    played = 0
    counted: set[str] = set()
    for ruleset, tables in SAMPLE_TABLES.items():
        house = not rulesets.load(ruleset).player_banked
        for line in islice(documents(ruleset, 1, tables), ROUNDS_A_TABLE * tables):
            document = msgspec.json.decode(line)
            ledger.record(document, Actor("d-1", NOON_MS + played * 1000))
            played += 1
            if house and document["table"] not in counted:
                floor.count_tray(document["table"], 100_000_00, "opening", Actor("f-1", NOON_MS + played * 1000))
                counted.add(document["table"])
    with Runner(url) as runner:
        runner.catch_up()
    after = NOON_MS + 3_600_000
    for number, box in enumerate(rows(url, "drops")):
        floor.swap_box(box["table"], f"next-{number}", "seal", "c-9", Actor("f-1", after))
        pieces = {100: int(box["expected"].partition(".")[0])}
        for counter in ("c-1", "c-2"):
            floor.count_box(box["box"], pieces, Actor(counter, after))
    for table in sorted(counted):
        floor.count_tray(table, 100_000_00, "closing", Actor("f-1", after))
    ledger.close()
    with Runner(url) as runner:
        runner.catch_up()
    return played


def multiply(connection: psycopg.Connection[Any], day: date, copies: int) -> None:
    """The recorded day's rows as another day's: so many copies of each round, five of each table and person."""
    for projection in ALL.values():
        for table in projection.tables:
            if table.name not in SHORT_OF_DAYS:
                many = bool({"round", "position"} & set(table.key))
                connection.execute(_copied(table), {"day": day, "copies": copies if many else COPIES_OF_A_TABLE})


def _copied(table: Table) -> Composed:
    columns = SQL(", ").join(map(Identifier, table.columns))
    values = SQL(", ").join(_value(name, type_) for name, type_ in table.columns.items())
    # What is kept once for a table or a person, whatever the day, is there already.
    statement = "INSERT INTO {} ({}) SELECT {} FROM {} s, generate_series(1, %(copies)s) k ON CONFLICT DO NOTHING"
    names = Identifier(LIVE, table.name), columns, values, Identifier("sample", table.name)
    return SQL(statement).format(*names)


def _value(name: str, type_: str) -> Composed:
    column = Identifier("s", name)
    if name == "account":  # a fifth stays with whom it was, so that somebody has played for days
        return SQL("CASE WHEN k %% 5 = 0 THEN {0} ELSE {0} || '-' || k %% 5 END").format(column)
    if name == "table_id":
        return SQL("{} || '-' || k %% 5").format(column)
    if name == "box":
        return SQL("{} || '-' || %(day)s || '-' || k %% 5").format(column)
    if name == "round":
        return SQL("{} || '-' || %(day)s || '-' || k").format(column)
    if name == "position":
        return SQL("{} + ((%(day)s::date - date '2020-01-01')::bigint * 1000000 + k) * 1000000").format(column)
    if name == "gaming_day":
        return SQL("CASE WHEN {} IS NOT NULL THEN %(day)s::date END").format(column)
    if name == "session":
        return SQL("%(day)s::date - date '2020-01-01' + 0 * {}").format(column)
    if name == "weekday":
        return SQL("extract(isodow FROM %(day)s::date)::smallint + 0 * {}").format(column)
    if name == "minute":
        return SQL("(({} + 1440 - 28 * (k %% 50)) %% 1440)::smallint").format(column)
    if type_.startswith("ms"):  # copies are spread over the 24 hours before
        shifted = "{} + (%(day)s::date - date '2026-09-21') * interval '1 day' - k %% 50 * interval '28 minutes'"
        return SQL(shifted).format(column)
    return SQL("{}").format(column)


def keep_sample(connection: psycopg.Connection[Any]) -> None:
    connection.execute("CREATE SCHEMA sample")
    for projection in ALL.values():
        for table in projection.tables:
            names = Identifier("sample", table.name), Identifier(LIVE, table.name)
            connection.execute(SQL("CREATE TABLE {} AS SELECT * FROM {}").format(*names))


# ---- what is asked


def asked() -> Iterator[tuple[str, Report, Filters]]:
    day = Filters(gaming_day=DAY)
    for name, report in REPORTS.items():
        if "gaming_day" in report.filters:
            yield name, report, day
    for key, (_, report, _) in day_summary.SECTIONS.items():
        if report.name not in REPORTS:
            yield f"day: {key}", report, day


def cost(connection: psycopg.Connection[Any], report: Report, filters: Filters) -> Cost:
    statement, values = question(report, filters, LIVE)
    explained = SQL("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ") + statement
    times = []
    for _ in range(REPEATS):
        row = connection.execute(explained, values).fetchone()
        assert row is not None
        plan = row[0][0]["Plan"]
        times.append(row[0][0]["Execution Time"])
    nodes = list(_nodes(plan))
    return Cost(
        plan["Shared Hit Blocks"] + plan["Shared Read Blocks"],
        statistics.median(times),
        int(plan["Actual Rows"]),
        {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan" and node["Actual Rows"]},
        {node["Relation Name"] for node in nodes if "Relation Name" in node},
    )


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


def costs(connection: psycopg.Connection[Any]) -> dict[str, Cost]:
    connection.execute("VACUUM ANALYZE")
    return {name: cost(connection, report, filters) for name, report, filters in asked()}


# ---- the run


def run(server_url: str, rounds: int, earlier: int) -> dict[str, tuple[Cost, Cost]]:
    """A database for each number of days, filled day after day, so that rows are in their natural order."""
    after_10, after_100 = (after(server_url, days, rounds, earlier) for days in EARLIER_DAYS)
    return {name: (after_10[name], after_100[name]) for name in after_10}


def after(server_url: str, days: int, rounds: int, earlier: int) -> dict[str, Cost]:
    began = time.monotonic()
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(f"after_{days}")))
    url = make_conninfo(server_url, dbname=f"after_{days}")
    migrate(url)
    sample = play(url)
    with connect(url) as connection:
        keep_sample(connection)
        for number in range(days, 0, -1):
            multiply(connection, DAY - timedelta(days=number), max(earlier // sample, 1))
        multiply(connection, DAY, max(rounds // sample, 1))
        found = costs(connection)
        size = connection.execute("SELECT pg_size_pretty(pg_database_size(current_database()))").fetchone()
        assert size is not None
        print(f"{days} days: {size[0]}, filled and measured in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return found


def faults(name: str, after_10: Cost, after_100: Cost) -> Iterator[str]:
    if after_100.blocks > max(after_10.blocks * AT_MOST, FEW_BLOCKS):
        yield f"{name} touches {after_100.blocks} blocks after 100 days and {after_10.blocks} after 10"
    for table in sorted(after_100.scanned - {"bankroll_kinds"}):
        yield f"{name} reads all of {table}"
    if "events" in after_100.looked_at:
        yield f"{name} looks at events"


def main() -> int:
    parser = argparse.ArgumentParser(description="The cost of a day's reports as the days before it add up.")
    parser.add_argument("--rounds", type=int, default=100_000, help="of the day that is asked for")
    parser.add_argument("--earlier", type=int, default=10_000, help="rounds of each earlier day")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder)) as url:
        measured = run(url, options.rounds, options.earlier)
    sheet = Sheet("report", title=f"A day of {options.rounds:,} rounds, after days of {options.earlier:,}")
    for heading in ("rows", "blocks, 10 days", "100 days", "ratio", "ms, 10 days", "100 days", "ratio"):
        sheet.add_column(heading, justify="right")
    found: list[str] = []
    for name, (ten, hundred) in measured.items():
        blocks, times = hundred.blocks / max(ten.blocks, 1), hundred.milliseconds / ten.milliseconds
        sheet.add_row(
            name,
            f"{hundred.rows:,}",
            f"{ten.blocks:,}",
            f"{hundred.blocks:,}",
            f"{blocks:.2f}",
            f"{ten.milliseconds:,.1f}",
            f"{hundred.milliseconds:,.1f}",
            f"{times:.2f}",
        )
        found += faults(name, ten, hundred)
    Console(width=120).print(sheet)
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

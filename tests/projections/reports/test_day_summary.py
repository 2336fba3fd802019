"""A day and its shifts on one sheet: figures that equal the rounds' results, in JSON, on a terminal and on paper."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from api.cli.reports import rebuild, report
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.ledger.property import UNNAMED
from projections.calendar.gaming_days import GamingDays
from projections.calendar.property_clock import PropertyClock
from projections.export.formats import About, about
from projections.export.pdf_reports import table_sheet
from projections.reports.report import Filters
from projections.reports.report_list import REPORTS
from tests.projections.export.pdf_text import pages
from tests.projections.simulated_floor import NOON_MS, record, simulated
from tests.tables_in_play import bank_round

app = typer.Typer()
for command in (report, rebuild):
    app.command()(command)


def run(url: str, *arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments, "--database-url", url])


def asked(url: str, *arguments: str) -> Any:
    answered = run(url, "report", *arguments, "--format", "json")
    assert answered.exit_code == 0, answered.output
    return json.loads(answered.stdout)


def total(found: list[dict[str, Any]], column: str) -> str:
    return f"{sum((Decimal(row[column]) for row in found if row[column] is not None), Decimal(0)):.2f}"


@pytest.fixture
def floor_of_rounds(url: str, ledger: Ledger) -> tuple[str, list[dict[str, Any]], list[dict[str, Any]]]:
    """Two shifts of one gaming day, a box that lacks a dollar, a house tray that lacks five, and a day after it."""
    documents = [*simulated(6, tables=1), *(bank_round("t-9", round_id=f"v-{n}", end="void") for n in range(2))]
    results = record(ledger, documents, apart_ms=20 * 60_000)
    day_after = simulated(9, tables=1, only="uth-bgc")[6:]
    record(ledger, day_after, NOON_MS + 48 * 3_600_000)
    floor = Floor(ledger)
    late = NOON_MS + len(documents) * 20 * 60_000
    ledger.waive_fee("v-0", "refunded", "A misdeal.", Actor("m-1", late))
    floor.swap_box("t-9", "t-9-box-2", "seal-1", "s-2", Actor("d-1", NOON_MS))
    for counter in ("c-1", "c-2"):
        floor.count_box("t-9-box-1", {100: 1}, Actor(counter, NOON_MS))
    return url, documents, results


def test_a_day_adds_up(floor_of_rounds: Any):
    url, documents, results = floor_of_rounds
    hands = asked(url, "hands")
    days = sorted({row["gaming_day"] for row in hands})
    whole = [asked(url, "day", "--gaming-day", day) for day in days]
    known = {document["round"] for document in documents}
    first = {row["round"]: row for row in hands if row["round"] in known}
    for found in whole:
        of_day = [row for row in hands if row["gaming_day"] == found["gaming_day"]]
        assert found["totals"]["rounds"] == len(of_day)
        assert found["totals"]["action"] == total(of_day, "action")
        assert found["totals"]["void"] == len(found["voids"]) == sum(row["status"] == "void" for row in of_day)
        assert found["totals"]["short_rounds"] == len(found["shortfalls"])
        assert set(found["left_out"].values()) == {0}
        assert found["totals"]["shortfall"] == total(found["shortfalls"], "shortfall") == total(of_day, "shortfall")
        shifts = sorted({row["shift"] for row in of_day})
        parts = [asked(url, "shift", "--gaming-day", found["gaming_day"], "--shift", shift) for shift in shifts]
        for figure in ("rounds", "settled", "void"):
            assert sum(part["totals"][figure] for part in parts) == found["totals"][figure]
        for figure in ("action", "fees", "waived", "house_win", "shortfall"):
            assert total([part["totals"] for part in parts], figure) == found["totals"][figure], figure
    house = {document["round"] for document in documents if document["ruleset"] in ("uth-house", "uth-sd")}
    lines = [line for result in results if result["round"] in house for line in result["lines"]]
    won = sum(Decimal(line["collected"]) - (Decimal(line["paid"]) if line["from"] != "meter" else 0) for line in lines)
    assert sum(Decimal(found["totals"]["house_win"]) for found in whole) == won
    taken = sum(Decimal(result["fee"]["amount"]) for result in results if result["fee"] is not None)
    later = total([row for row in hands if row["round"] not in first], "fee")
    assert sum(Decimal(found["totals"]["fees"]) for found in whole) == taken + Decimal(later)
    (box,) = [box for found in whole for box in found["boxes"]]
    assert (box["expected"], box["counted"], box["variance"]) == ("2.00", "1.00", "-1.00")
    assert sum(Decimal(found["totals"]["waived"]) for found in whole) == 1


def test_the_sheet_of_a_day_has_totals_sections_and_lines_to_sign_on(floor_of_rounds: Any, tmp_path: Path):
    url, _, _ = floor_of_rounds
    day = asked(url, "drops", "--box", "t-9-box-1")[0]["gaming_day"]
    found = asked(url, "day", "--gaming-day", day)
    file = tmp_path / "day.pdf"
    answered = run(url, "report", "day", "--gaming-day", day, "--format", "pdf", "--output", str(file))
    assert answered.exit_code == 0, answered.output
    said = [words for page in pages(file.read_bytes()) for words in page]
    assert said[0] == f"Gaming day {day}"
    action = f"{Decimal(found['totals']['action']):,}"
    for words in ("Boxes removed", "t-9-box-1", "-1.00", action, "misdeal"):
        assert words in said, words
    # In the head, and under the rounds by table.
    assert said.count(action) >= 2
    assert any(words.startswith("As the ledger stood at ") and "US dollars" in words for words in said)
    assert any("signature" in words for words in said)
    shown = run(url, "report", "day", "--gaming-day", day)
    assert shown.exit_code == 0
    assert "t-9-box-1" in shown.stdout


def test_a_table_is_whole_and_added_up(floor_of_rounds: Any):
    url, documents, _ = floor_of_rounds
    shown = run(url, "report", "hands").stdout.splitlines()
    assert "…" not in "".join(shown)
    assert {document["round"] for document in documents} <= {line.split()[0] for line in shown}
    assert shown[-1].split()[0] == "total"
    assert total(asked(url, "hands"), "action") in shown[-1].split()
    nothing = run(url, "report", "slips", "--box", "no-such-box")
    assert (nothing.exit_code, nothing.stderr) == (0, "roundledger: there is nothing to report\n")


def test_a_sheet_says_what_it_was_narrowed_to():
    filters = Filters(table="t-9", first=date(2026, 9, 21), as_of=datetime(2026, 9, 22, 6, tzinfo=UTC))
    now = datetime(2026, 9, 23, 1, 2, 3, tzinfo=UTC)
    said = about("trial-balance", filters, now, PropertyClock(GamingDays()), UNNAMED)
    assert said == About(
        "Trial balance, table t-9, from gaming day 2026-09-21",
        "As the ledger stood at 2026-09-21 23:00:00-07:00.",
        now,
    )
    everything = about("trial-balance", Filters(), now, PropertyClock(GamingDays()), UNNAMED)
    assert everything.state == (
        "As the ledger stood at 2026-09-22 18:02:03-07:00. All tables and all gaming days until then."
    )


def test_a_day_as_of_a_moment_is_worked_out_from_events(floor_of_rounds: Any):
    url, _, _ = floor_of_rounds
    day = asked(url, "drops", "--box", "t-9-box-1")[0]["gaming_day"]
    today = asked(url, "day", "--gaming-day", day)
    then = asked(url, "day", "--gaming-day", day, "--as-of", "2200-01-01T00:00:00+00:00")
    assert {**then, "as_of": None} == today
    before = asked(url, "day", "--gaming-day", day, "--as-of", "2020-01-01T00:00:00+00:00")
    assert (before["totals"]["rounds"], before["boxes"]) == (0, [])


def test_an_empty_day_and_the_current_shift(url: str):
    assert asked(url, "shift")["totals"]["rounds"] == 0
    answered = run(url, "report", "day", "--format", "pdf")
    assert answered.exit_code == 0
    assert "None." in pages(answered.stdout_bytes)[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ("day", "--bettor", "p-1"),
        ("day", "--shift", "swing"),
        ("shift", "--shift", "swing"),
        ("shift", "--gaming-day", "2026-09-21"),
        ("day", "--from", "2026-09-21T00:00:00Z"),
        ("day", "--format", "csv"),
    ],
)
def test_what_cannot_be_summed_up_is_said(url: str, arguments: tuple[str, ...]):
    answered = run(url, "report", *arguments)
    assert answered.exit_code == 2
    assert answered.stderr.startswith("roundledger: ")


def test_every_report_goes_on_paper_whole(floor_of_rounds: Any):
    url, _, _ = floor_of_rounds
    for name in REPORTS:
        found = asked(url, name)
        answered = run(url, "report", name, "--format", "pdf")
        assert answered.exit_code == 0, answered.output
        said = [words for page in pages(answered.stdout_bytes) for words in page]
        assert said[0] == name.replace("-", " ").capitalize()
        for column in REPORTS[name].sums:
            values = [row[column] for row in found if row[column] is not None]
            if values:
                whole = sum(values) if isinstance(values[0], int) else Decimal(total(found, column))
                assert {f"{whole:,}", f"{whole:+,}"} & set(said), column
        if name == "hands":
            assert len(pages(answered.stdout_bytes)) > 1
        first = next(iter(REPORTS[name].columns))
        if name != "journal":  # by day and kind of source
            assert {str(row[first]) for row in found} <= set(said), name


def test_odd_text_goes_on_paper_as_it_stands():
    odd: list[dict[str, Any]] = [
        {"what": "<b>(a) \\ 100 % –\nü</b> " + "long" * 200, "amount": "1.00"},
        {"what": "漢字", "amount": None},
    ]
    (said,) = pages(table_sheet(About("odd", ""), ["what", "amount"], odd))
    assert any(words.startswith("<b>(a) \\ 100 % – ü</b>") for words in said)
    assert "漢字" in said
    assert "".join(said).count("long") >= 199

"""Pictures: well-formed, with the figures of the reports in them, also where there is nothing or a great deal."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import pytest
import typer
from typer.testing import CliRunner

from api.cli.reports import rebuild, report
from infra.ledger.ledger import Ledger
from projections.export.charts import LEFT, bankroll, exposure, fees_by_hour, win_by_day
from tests.projections.simulated_floor import record
from tests.tables_in_play import bank_round

SVG = "{http://www.w3.org/2000/svg}"
LOS_ANGELES = ZoneInfo("America/Los_Angeles")
app = typer.Typer()
for command in (report, rebuild):
    app.command()(command)


def run(url: str, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["report", *arguments, "--format", "svg", "--database-url", url])


def words(svg: bytes) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def bars(svg: bytes) -> list[str]:
    found = [element.find(f"{SVG}title") for element in ElementTree.fromstring(svg).iter(f"{SVG}rect")]
    return [title.text or "" for title in found if title is not None]


def test_pictures_of_a_ledger(url: str, ledger: Ledger):
    record(ledger, [bank_round("t-1", round_id=f"r-{number}") for number in range(2)], apart_ms=60 * 60_000)
    drawn = run(url, "bankroll", "--bettor", "a")
    assert drawn.exit_code == 0, drawn.output
    assert "Bankroll of a" in words(drawn.stdout_bytes)
    drawn = run(url, "exposure", "--table", "t-1")
    assert {"liability", "paid", "wager put up", "1", "2"} <= set(words(drawn.stdout_bytes))
    drawn = run(url, "collections")
    assert [bar.rpartition(": ")[2] for bar in bars(drawn.stdout_bytes)] == ["$1.00", "$1.00"]
    past = run(url, "collections", "--as-of", "2200-01-01T00:00:00+00:00")
    assert past.stdout_bytes == drawn.stdout_bytes
    assert "There is nothing to show." in words(run(url, "collections", "--table", "t-2").stdout_bytes)


@pytest.mark.parametrize("arguments", [("bankroll",), ("drops",), ("day",), ("collections", "--bettor", "a")])
def test_what_cannot_be_drawn_is_said(url: str, arguments: tuple[str, ...]):
    answered = run(url, *arguments)
    assert answered.exit_code == 2
    assert answered.stderr.startswith("roundledger: ")


def test_the_hour_shown_twice_is_two_bars_and_an_hour_without_fees_is_one():
    first = datetime(2026, 11, 1, 0, 30, tzinfo=LOS_ANGELES)
    fees = [(datetime.fromtimestamp(first.timestamp() + 3600 * hour, LOS_ANGELES), 100, 1) for hour in (0, 1, 2, 4)]
    assert bars(fees_by_hour(fees)) == [
        "01 Nov 00:00, tier 1: $1.00",
        "01 Nov 01:00, tier 1: $1.00",
        "01 Nov 01:00, tier 1: $1.00",
        "01 Nov 02:00, none: $0.00",
        "01 Nov 03:00, tier 1: $1.00",
    ]
    month = [(first + timedelta(days=day), 100, 1 + day % 2) for day in range(30)]
    assert len(bars(fees_by_hour(month))) == 30
    assert {"tier 1", "tier 2"} <= set(words(fees_by_hour(month)))


def test_names_and_large_figures_are_drawn_whole():
    start = datetime(2026, 7, 1, 12, tzinfo=LOS_ANGELES)
    moves = [(start + timedelta(minutes=minute), (-1) ** minute * 1_000_000_00) for minute in range(50_000)]
    svg = bankroll('<&"\x07', moves)
    assert 'Bankroll of <&" ' in words(svg)
    assert "1,000,000" in words(svg)
    assert len(svg) < 200_000
    for empty in (bankroll("a", []), exposure([]), fees_by_hour([])):
        assert "There is nothing to show." in words(empty)
    row = {"player_dealer": "a", "wager": "0.25", "liability": "250000.50", "paid": "0.00"}
    assert {"0", "1", "10", "1,000,000"} <= set(words(exposure([row])))
    assert {"0.00", "0.50"} <= set(words(bankroll("a", [(start, 50)])))


def test_zero_has_its_place_below_the_powers_of_ten():
    row = {"player_dealer": "a", "wager": "10.00", "liability": "1000.00", "paid": "0.00"}
    svg = ElementTree.fromstring(exposure([row, row]))
    heights = {dot.attrib["data-name"]: float(dot.attrib["cy"]) for dot in svg.iter(f"{SVG}circle")}
    at_the_left = [text for text in svg.iter(f"{SVG}text") if text.attrib["x"] == f"{LEFT - 8:.1f}"]
    ticks = {text.text: float(text.attrib["y"]) - 4 for text in at_the_left}
    assert heights == {"wager put up": ticks["10"], "liability": ticks["1,000"], "paid": ticks["0"]}
    assert ticks["0"] > ticks["1"] > ticks["10"]


def test_the_win_of_a_day_may_be_negative_and_has_its_hold_where_something_was_dropped():
    row = {"gaming_day": "2026-07-01", "win": "25.00", "ledger_win": "25.00", "drop": "100.00"}
    lost = {"gaming_day": "2026-07-02", "win": None, "ledger_win": "-40.00", "drop": "0.00"}
    svg = win_by_day([row, lost])
    assert bars(svg) == ["Wed 01 Jul, the ledger's win: $25.00", "Thu 02 Jul, the ledger's win: −$40.00"]
    assert {"hold 25.0 %", "−40"} <= set(words(svg))


def test_of_many_rounds_a_picture_has_stretches_and_no_round_that_was_not_covered_is_lost():
    plain = {"player_dealer": "a", "wager": "1000.00", "liability": "100.00", "paid": "10.00"}
    rows = [{**plain, "liability": "90000.00"} if at == 1700 else plain for at in range(3000)]
    svg = exposure(rows)
    assert any("of every 50 the least put up" in text for text in words(svg))
    wager, liability, paid = (path.attrib["d"] for path in ElementTree.fromstring(svg).iter(f"{SVG}path"))
    assert {line.count("H") for line in (wager, liability, paid)} == {60}  # a step for each stretch, and the end
    assert len(set(re.findall(r"V([\d.]+)", liability))) == 2  # what that one round could have cost
    *_, last = ElementTree.fromstring(exposure([*rows, *[{**plain, "paid": "0.00"}] * 3])).iter(f"{SVG}path")
    assert len(set(re.findall(r"V([\d.]+)", last.attrib["d"]))) == 1  # a few rounds at the end are no stretch
    one_by_one = exposure(rows[:100])
    assert not any("of every" in text for text in words(one_by_one))

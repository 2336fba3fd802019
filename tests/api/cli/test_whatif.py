"""`roundledger whatif`: past rounds settled otherwise, with figures worked out by hand."""

from __future__ import annotations

import csv
import datetime
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from api.cli.rules import app as rules_app
from api.cli.whatif import whatif
from domain.rules.loader import load
from domain.rules.new_file import new_text
from infra.ledger.ledger import Actor, Ledger
from tests.databases import migrated_database
from tests.projections.simulated_floor import NOON_MS
from tests.rules.hold_em import HoldEm
from tests.tables_in_play import document, stored_bytes

DAY_MS = 86_400_000
SCHEDULE = json.dumps({"limits": ["5.00", "500.00"], "tiers": [["50.00", "1.00"], [None, "2.00"]]})
app = typer.Typer()
app.command()(whatif)
app.command("other")(lambda: None)


def flush(table: str, round_id: str, wager: int = 1000, seat: int = 7, bettor: str = "bank-1") -> Any:
    """Seat 1 has 10.00 on ante and blind, 5.00 on trips, plays 40.00 and makes a flush; seat 2 folds 20.00 and 20.00.

    Ante and play pay even money, the blind 3:2 and trips under UTH-01 7:1: 10 + 40 + 15 + 35 = 100.00.
    """
    play = HoldEm.at("uth-bgc", banker=seat, wager=wager, players={1: "p-1", 2: "p-2"}, trips="UTH-01")
    play.envelope["player_dealer"]["bettor"] = bettor
    play = play.bet(1, ante=10, blind=10, trips=5).bet(2, ante=20, blind=20)
    play = play.deal_out({1: "AdQd", 2: "3c3s"}, "QsQc", "Kd9d7h4d2c").raise_(1, 4)
    play = play.check(2).reveal("flop").check(2).reveal("turn_river").fold(2).reveal("dealer").settle()
    return document(play, table, round_id)


@pytest.fixture(scope="module")
def history(server_url: str) -> Iterator[str]:
    """Two days of one table: a round on each, the second with a bank of 60.00, which seat 1 uses up."""
    with migrated_database(server_url) as url:
        ledger = Ledger(url)
        rounds = [flush("t-1", "r-1"), flush("t-1", "r-2", 60)]
        for number, raw in enumerate(rounds):
            assert ledger.record(raw, Actor("d-1", NOON_MS + number * DAY_MS))["status"] == "settled"
        before = stored_bytes(ledger)
        yield url
        assert stored_bytes(ledger) == before
        ledger.close()


@pytest.fixture(scope="module")
def asked(history: str) -> Callable[..., Any]:
    def ask(*arguments: str, output: str = "json") -> Any:
        options = ["whatif", "--ruleset", "uth-bgc", *arguments, "--format", output, "--database-url", history]
        answered = CliRunner().invoke(app, options)
        assert answered.exit_code == 0, answered.output
        return json.loads(answered.stdout) if output == "json" else answered.stdout

    return ask


def figures(row: dict[str, Any], *names: str) -> list[Any]:
    return [row[name] for name in names]


def test_another_trips_table_changes_what_a_flush_is_paid(asked: Callable[..., Any]):
    """6:1 instead of 7:1 on 5.00 is 5.00 less; in r-2 nothing was left for trips either way."""
    found = asked("--trips", "UTH-02")
    assert figures(found["total"], "rounds", "changed") == [2, 1]
    assert figures(found["days"][0], "paid", "paid_then", "paid_change") == ["100.00", "95.00", "-5.00"]
    assert figures(found["days"][1], "paid", "paid_then", "paid_change") == ["60.00", "60.00", "0.00"]
    nets = {row["bettor"]: figures(row, "net", "net_then", "net_change") for row in found["bettors"]}
    assert nets == {
        "bank-1": ["-120.00", "-115.00", "5.00"],
        "p-1": ["160.00", "155.00", "-5.00"],
        "p-2": ["-40.00", "-40.00", "0.00"],
    }
    assert found["unplayable"] == []


def test_another_figure_of_a_pay_table(asked: Callable[..., Any]):
    """The blind pays 20.00 instead of 15.00; in r-2 only 10.00 were left for it."""
    found = asked("--paytable", "BLIND.flush=2:1")
    assert [row["paid_change"] for row in found["days"]] == ["5.00", "0.00"]


def test_any_figure_by_its_place(asked: Callable[..., Any]):
    """The play wager of 40.00 pays 80.00; a chip of 4.00 leaves none of the antes of 10.00; money is read as text."""
    assert asked("--set", "odds.play.pays=2:1")["days"][0]["paid_change"] == "40.00"
    found = asked("--set", "chip.usual=4.00")
    assert (found["total"]["rounds"], found["total"]["changed"]) == (2, 0), "the table names its own chip"
    both = asked("--set", "street.2.turns=4", "--set", "street.3.turns=1")
    assert both["total"]["rounds"] == 0, "a flop of four was not turned over"
    order = asked("--set", 'settlement.won=["trips", "ante", "play", "blind"]')
    assert figures(order["days"][1], "paid_change") == ["0.00"], "the bank is used up in another order"


def test_paytable_is_short_for_a_figure(asked: Callable[..., Any]):
    assert asked("--paytable", "BLIND.flush=2:1") == asked("--set", "paytable.BLIND.pays.flush=2:1")


def test_another_coverage_policy(asked: Callable[..., Any]):
    """In r-2 seat 1 is paid the bank's 60.00; with limits of their own, seat 2's 40.00 are collected after all."""
    found = asked("--coverage", "separate-limits")
    assert figures(found["days"][1], "paid_change", "collected", "collected_then") == ["0.00", "0.00", "40.00"]
    assert figures(found["days"][0], "paid_change", "collected_change") == ["0.00", "0.00"]


def test_a_schedule_where_there_was_none_takes_a_fee_by_its_tier(asked: Callable[..., Any]):
    """65.00 are on the layout of each round, which is above the first tier."""
    found = asked("--schedule", SCHEDULE)
    assert figures(found["total"], "fees", "fees_then", "fees_change") == ["0.00", "4.00", "4.00"]


def test_several_processes_settle_the_same(asked: Callable[..., Any]):
    assert asked("--trips", "UTH-02", "--processes", "2") == asked("--trips", "UTH-02", "--processes", "1")


def test_rounds_that_could_not_have_been_played_so_are_listed_and_count_nowhere(asked: Callable[..., Any]):
    found = asked("--limit", "ante=15.00:100.00")
    assert found["total"]["rounds"] == 0
    assert [row["round"] for row in found["unplayable"]] == ["r-1", "r-2"]
    assert "outside $15.00 to $100.00" in found["unplayable"][0]["reason"]
    assert found["unplayable"][0]["clause"].startswith("bgc/")


def test_only_the_rounds_that_are_meant(asked: Callable[..., Any]):
    assert asked("--trips", "UTH-02", "--from", "2026-09-22T00:00:00+00:00")["total"]["rounds"] == 1
    assert asked("--trips", "UTH-02", "--table", "t-2")["total"]["rounds"] == 0
    assert asked("--trips", "UTH-02", "--bettor", "p-2")["total"]["rounds"] == 2


def test_as_csv_and_as_a_table(asked: Callable[..., Any]):
    rows = list(csv.DictReader(io.StringIO(asked("--trips", "UTH-02", output="csv"))))
    assert [(row["by"], row["of"]) for row in rows][:2] == [("total", ""), ("gaming_day", "2026-09-21")]
    assert rows[0]["paid_change"] == "-5.00"
    shown = asked("--trips", "UTH-02", output="table")
    assert shown.startswith("2 rounds, 1 of them settled differently; change in fees 0.00, paid -5.00, collected 0.00")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["--ruleset", "uth-bgc"], "name what to change"),
        (["--ruleset", "uth-bgc", "--trips", "UTH-09"], "does not offer the trips table 'UTH-09', only UTH-01, UTH-02"),
        (["--ruleset", "tcp-casino-club", "--trips", "UTH-01"], "tcp-casino-club has no trips wager"),
        (
            ["--ruleset", "uth-bgc", "--coverage", "none"],
            "no coverage policy 'none', only single-pool and separate-limits",
        ),
        (["--ruleset", "uth-bgc", "--limit", "ante=5:10"], "--limit is like"),
        (["--ruleset", "uth-bgc", "--limit", "play=5.00:10.00"], "no limits for play"),
        (["--ruleset", "uth-bgc", "--paytable", "BLIND"], "--paytable is like"),
        (
            ["--ruleset", "uth-bgc", "--paytable", "BLIND.pair=2:1"],
            "no 'pair' in 'paytable.BLIND.pays.pair'; there are royal flush",
        ),
        (["--ruleset", "uth-bgc", "--paytable", "BLIND.flush=two"], "'two' are not odds"),
        (["--ruleset", "uth-bgc", "--set", "odds.play.pays"], "--set is like"),
        (["--ruleset", "uth-bgc", "--set", "odds.play.pays=even"], 'must be odds like "3:2"'),
        (["--ruleset", "uth-bgc", "--set", "odds.blind.pays=2:1"], "no 'blind' in 'odds.blind.pays'"),
        (["--ruleset", "uth-bgc", "--set", "street.2.turns=2"], "4 board cards are turned over, not 5"),
        (["--ruleset", "uth-bgc", "--set", "chip.usual=free"], '`chip.usual` must be an amount like "12.50"'),
        (["--ruleset", "uth-bgc", "--set", "title=Mine"], "'title' is not a figure"),
        (["--ruleset", "uth-bgc", "--set", "odds.play.clause=bgc/deck/2"], "is not a figure"),
        (["--ruleset", "uth-house", "--schedule", "1"], "takes no collection fee"),
        (["--ruleset", "uth-bgc", "--schedule", "soon"], "--schedule is an option's number"),
    ],
)
def test_what_cannot_be_asked_is_exit_code_2_and_one_sentence(arguments: list[str], answer: str):
    answered = CliRunner().invoke(app, ["whatif", *arguments, "--database-url", "postgresql://127.0.0.1:1/none"])
    assert answered.exit_code == 2
    assert answer in answered.stderr


# ---- a whole rule-set file


def test_past_rounds_are_tried_under_a_file(history: str, asked: Callable[..., Any], tmp_path: Path):
    """A file whose UTH-01 pays a flush 6:1 changes what that figure alone changes, by table and wager too."""
    file = tmp_path / "uth-bgc.toml"
    text = load("uth-bgc").text
    file.write_text(text.replace('flush = "7:1"', 'flush = "6:1"', 1))
    answered = CliRunner().invoke(rules_app, ["try", str(file), "--format", "json", "--database-url", history])
    assert answered.exit_code == 0, answered.output
    found = json.loads(answered.stdout)
    assert found == asked("--set", "paytable.UTH-01.pays.flush=6:1")
    assert {row["wager"]: row["net_change"] for row in found["wagers"]} == {
        **dict.fromkeys(("ante", "play", "blind"), "0.00"),
        "trips": "5.00",
    }
    assert [figures(row, "table", "rounds", "changed", "paid_change") for row in found["tables"]] == [
        ["t-1", 2, 1, "-5.00"]
    ]
    other = tmp_path / "hill.toml"
    other.write_text(new_text(load("uth-bgc"), "hill", datetime.date(2027, 1, 1)))
    tried = ["try", str(other), "--of", "uth-bgc", "--format", "json", "--database-url", history]
    assert json.loads(CliRunner().invoke(rules_app, tried).stdout)["total"]["changed"] == 0


def test_a_rule_set_that_neither_ships_nor_was_adopted_is_refused(history: str):
    asked = ["whatif", "--ruleset", "nothing", "--trips", "UTH-01", "--database-url", history]
    answered = CliRunner().invoke(app, asked)
    assert answered.exit_code == 2
    assert "there is no rule set nothing; there are p215-casino-club" in answered.stderr

"""The tray of a house-banked table: counted, filled and credited, and what was won beside what the ledger says."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from domain.corrections import Entry
from domain.errors import BadChoice, OutOfTurn
from domain.tables import ChipsBought, ChipsCashed, TrayCredited, TrayFilled
from infra.floor import Floor
from infra.ledger import Actor, Ledger
from projections.rebuild import rebuild
from projections.reports import Filters, rows
from projections.runner import Runner
from tests.ledger.tables_in_play import bank_round
from tests.projections.playing import NOON_MS, everything, record, simulated

HOUR_MS = 3_600_000
OPENING = 5_000_00


def at(minutes: int) -> Actor:
    return Actor("f-1", NOON_MS + minutes * 60_000)


def level(url: str) -> None:
    with Runner(url) as runner:
        runner.catch_up()


def won(documents: list[dict[str, Any]], results: list[dict[str, Any]]) -> Decimal:
    """From the rounds' results alone: what the tray collected less what it paid."""
    assert all(document["ruleset"] == "uth-house" for document in documents)
    lines = [line for result in results if result["status"] == "settled" for line in result["lines"]]
    return sum((Decimal(line["collected"]) - Decimal(line["paid"]) for line in lines), Decimal(0))


def cents(amount: Decimal) -> int:
    return int(amount * 100)


def opened_table(ledger: Ledger) -> tuple[str, list[dict[str, Any]]]:
    """A house table with one round played before anything is counted, and rounds to play."""
    rounds = simulated(13, tables=1, only="uth-house")
    record(ledger, rounds[:1])
    return rounds[0]["table"], rounds[1:]


def test_the_counts_come_to_what_the_ledger_says(url: str, ledger: Ledger):
    table, rounds = opened_table(ledger)
    floor = Floor(ledger)
    floor.count_tray(table, OPENING, "opening", at(1))
    floor.move_chips(table, ChipsBought("p-1", 300_00), at(2))
    results = record(ledger, rounds[:6], NOON_MS + 3 * 60_000)
    win = won(rounds[:6], results)
    settled = sum(result["status"] == "settled" for result in results)
    floor.move_chips(table, TrayFilled(1_000_00, "f-1"), at(20))
    floor.move_chips(table, TrayCredited(200_00, "k-1"), at(21))
    floor.move_chips(table, ChipsCashed("p-1", 50_00), at(22))
    left = OPENING + 1_000_00 - 200_00 - 300_00 + 50_00 + cents(win)
    floor.count_tray(table, left, "closing", at(30))
    # The next stretch, a chip of $5.00 short.
    floor.count_tray(table, left, "opening", at(24 * 60))
    next_win = won(rounds[6:], record(ledger, rounds[6:], NOON_MS + 24 * HOUR_MS + 60_000))
    floor.count_tray(table, left + cents(next_win) - 5_00, "closing", at(25 * 60))
    level(url)
    before, first, second = rows(url, "inventory")
    assert (before["stretch"], before["opening"], before["win"], before["difference"]) == (0, None, None, None)
    assert (first["session"], first["stretch"], first["rounds"]) == (1, 1, settled)
    assert (first["opening"], first["fills"], first["credits"], first["drop"]) == (
        "5000.00",
        "1000.00",
        "200.00",
        "250.00",
    )
    assert Decimal(first["win"]) == Decimal(first["ledger_win"]) == win
    assert first["difference"] == "0.00"
    assert Decimal(second["ledger_win"]) == next_win
    assert second["difference"] == "-5.00"
    day = date.fromisoformat(second["gaming_day"])
    assert rows(url, "inventory", Filters(gaming_day=day)) == [second]
    assert rows(url, "inventory", Filters(table="t-none")) == []
    assert rows(url, "inventory", Filters(as_of=datetime.now(UTC))) == [before, first, second]
    next_noon = datetime.fromtimestamp(NOON_MS / 1000 + 20 * 3600, UTC)
    assert rows(url, "inventory", Filters(since=next_noon)) == [second]
    live = everything(url)
    rebuild(url)
    assert everything(url) == live


def test_a_correction_from_the_tray_counts_in_the_stretch_of_its_round(url: str, ledger: Ledger):
    table, rounds = opened_table(ledger)
    floor = Floor(ledger)
    floor.count_tray(table, OPENING, "opening", at(1))
    results = record(ledger, rounds[:3], NOON_MS + 3 * 60_000)
    win = won(rounds[:3], results)
    settled = next(result for result in results if result["status"] == "settled")
    line = settled["lines"][0]
    for amount, account in ((7_00, "tray"), (1_00, "bank"), (20_00, "cage")):
        entry = Entry(line["seat"], line["bettor"], line["spot"], amount, account)
        ledger.correct(settled["round"], "Misread", "m-1", [entry], at(10))
    floor.count_tray(table, OPENING + cents(win) - 8_00, "closing", at(30))
    level(url)
    row = rows(url, "inventory")[-1]
    assert Decimal(row["ledger_win"]) == win - 8
    assert row["difference"] == "0.00"


def test_counts_come_in_turn_between_rounds_and_only_at_house_tables(ledger: Ledger):
    floor = Floor(ledger)
    table, _ = opened_table(ledger)
    with pytest.raises(OutOfTurn, match="no opening count"):
        floor.count_tray(table, 1_00, "closing", at(1))
    with pytest.raises(BadChoice, match="nothing or more"):
        floor.count_tray(table, -1, "opening", at(1))
    floor.count_tray(table, 0, "opening", at(1))
    with pytest.raises(OutOfTurn, match="closing one comes next"):
        floor.count_tray(table, 1_00, "opening", at(2))
    floor.count_tray(table, 1_00, "closing", at(3))
    record(ledger, [bank_round("t-1", round_id="r-1")])
    with pytest.raises(BadChoice, match="house-banked"):
        floor.count_tray("t-1", 1_00, "opening", at(1))


def test_tables_where_a_player_banks_have_no_inventory(url: str, ledger: Ledger):
    record(ledger, [bank_round("t-1", round_id="r-1")])
    Floor(ledger).move_chips("t-1", ChipsBought("p-1", 100_00), at(1))
    level(url)
    assert rows(url, "inventory") == []

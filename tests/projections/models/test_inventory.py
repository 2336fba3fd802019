"""The tray of a house-banked table: counted, filled and credited, and what was won against what the ledger says."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from domain.errors import BadChoice, OutOfTurn
from domain.floor.table_sessions import ChipsBought, ChipsCashed, TrayCredited, TrayFilled
from domain.round.corrections import Entry
from domain.rules.terms import TermsDocument
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.reports.day_summary import summary
from projections.reports.report import Filters
from projections.reports.report_query import rows
from tests.projections.simulated_floor import NOON_MS, everything, record, simulated
from tests.tables_in_play import bank_round

HOUR_MS = 3_600_000
OPENING = 5_000_00
NOW = datetime(2026, 10, 1, tzinfo=UTC)


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
    assert (first["opening"], first["fills"], first["credits"]) == ("5000.00", "1000.00", "200.00")
    assert (first["drop"], first["cashed"]) == ("300.00", "50.00")
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
    # The sheet of the day has the round that was played before the count, too, and counts no round twice.
    (house,) = summary(url, "day", Filters(gaming_day=date.fromisoformat(row["gaming_day"])), NOW)["house"]
    hands = [one for one in rows(url, "hands") if one["status"] == "settled"]
    all_won = sum(Decimal(one["collected"]) - Decimal(one["paid"]) for one in hands)
    assert (house["table"], house["rounds"], house["corrected"]) == (table, len(hands), "8.00")
    assert Decimal(house["win"]) == all_won - 8


def test_counts_come_in_turn_between_rounds_and_only_at_house_tables(ledger: Ledger):
    floor = Floor(ledger)
    table, _ = opened_table(ledger)
    with pytest.raises(OutOfTurn, match="no opening count"):
        floor.count_tray(table, 1_00, "closing", at(1))
    with pytest.raises(BadChoice, match="cannot be negative"):
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


# ---- the journal


def folded(table: str, round_id: str, ante: str) -> dict[str, Any]:
    """A round in which the only player loses ante and blind."""
    return {
        "round": round_id,
        "table": table,
        "ruleset": "uth-house",
        "players": {"1": "p-1"},
        "actions": [
            {"do": "bet", "seat": 1, "spot": "ante", "amount": ante},
            {"do": "bet", "seat": 1, "spot": "blind", "amount": ante},
            {"do": "close_bets"},
            {"do": "deal", "to": "board", "cards": ["Ah", "9c", "4s", "Kd", "3h"]},
            {"do": "deal", "to": 1, "cards": ["7c", "2d"]},
            {"do": "deal", "to": "dealer", "cards": ["As", "Ad"]},
            {"do": "decide", "seat": 1, "choice": "check"},
            {"do": "reveal", "of": "flop"},
            {"do": "decide", "seat": 1, "choice": "check"},
            {"do": "reveal", "of": "turn_river"},
            {"do": "decide", "seat": 1, "choice": "fold"},
            {"do": "settle"},
        ],
    }


def play(ledger: Ledger, round_id: str, ante: str, minutes: int) -> None:
    result = ledger.record(folded("h1", round_id, ante), at(minutes))
    assert (result["status"], result["error"]) == ("settled", None)


def entries(url: str, *, what: str = "tray counted") -> list[tuple[str, str, str, str]]:
    found = [row for row in rows(url, "journal") if row["what"].startswith(what)]
    return [(row["source"], row["account"], row["debit"], row["credit"]) for row in found]


def balance(url: str, account: str) -> str:
    return next((row["balance"] for row in rows(url, "trial-balance") if row["account"] == account), "0.00")


def two_days(ledger: Ledger) -> None:
    """Worked out by hand in docs/reports.md: $5.00 is missing at the first close, and $20.00 turn up overnight."""
    floor = Floor(ledger)
    floor.open_session("h1", "uth-house", TermsDocument(), {1: "p-1"}, at(0))
    floor.count_tray("h1", 5_000_00, "opening", at(1))
    floor.move_chips("h1", ChipsBought("p-1", 300_00), at(2))
    play(ledger, "r-1", "60.00", 3)  # loses 120.00
    floor.move_chips("h1", TrayFilled(1_000_00, "F-1"), at(20))
    floor.move_chips("h1", TrayCredited(200_00, "K-1"), at(21))
    floor.move_chips("h1", ChipsCashed("p-1", 50_00), at(22))
    floor.count_tray("h1", 5_665_00, "closing", at(30))
    floor.count_tray("h1", 5_685_00, "opening", at(24 * 60))
    play(ledger, "r-2", "10.00", 24 * 60 + 1)  # loses 20.00
    floor.count_tray("h1", 5_705_00, "closing", at(24 * 60 + 30))


@pytest.mark.parametrize("page", [1, 4, 4000])
def test_a_count_brings_the_journal_to_what_was_counted(url: str, ledger: Ledger, page: int):
    two_days(ledger)
    with Runner(url, page=page) as runner:
        runner.catch_up()
    assert entries(url) == [
        ("tray:h1/1/1/opening", "tray:h1", "5000.00", "0.00"),
        ("tray:h1/1/1/opening", "cage", "0.00", "5000.00"),
        ("tray:h1/1/1/closing", "over-short", "5.00", "0.00"),
        ("tray:h1/1/1/closing", "tray:h1", "0.00", "5.00"),
        ("tray:h1/1/2/opening", "tray:h1", "20.00", "0.00"),
        ("tray:h1/1/2/opening", "over-short", "0.00", "20.00"),
    ]
    assert balance(url, "tray:h1") == "5705.00"
    assert balance(url, "over-short") == "-15.00"
    assert balance(url, "player:p-1") == "110.00"  # 300.00 bought, 50.00 cashed, 140.00 lost
    assert balance(url, "cage") == "-5800.00"  # the tray of the first day, and a fill less a credit
    counts = [(row["when"], row["expected"], row["counted"], row["difference"]) for row in rows(url, "tray-counts")]
    assert counts == [
        ("opening", None, "5000.00", None),
        ("closing", "5670.00", "5665.00", "-5.00"),
        ("opening", "5665.00", "5685.00", "20.00"),
        ("closing", "5705.00", "5705.00", "0.00"),
    ]
    columns = ("drop", "cashed", "win", "ledger_win", "difference")
    stretches = [tuple(row[column] for column in columns) for row in rows(url, "inventory")]
    assert stretches == [
        ("300.00", "50.00", "115.00", "120.00", "-5.00"),
        ("0.00", "0.00", "20.00", "20.00", "0.00"),
    ]
    live = everything(url)
    rebuild(url, page=3)
    assert everything(url) == live
    assert rows(url, "tray-counts", Filters(as_of=datetime.now(UTC))) == rows(url, "tray-counts")


def test_what_happens_between_two_counts_is_in_no_counted_stretch_and_expected_at_the_next(url: str, ledger: Ledger):
    two_days(ledger)
    floor = Floor(ledger)
    later = 25 * 60
    floor.move_chips("h1", TrayFilled(100_00, "F-2"), at(later))
    play(ledger, "r-3", "10.00", later + 1)
    entry = Entry(1, "p-1", "ante", 7_00, "tray")
    ledger.correct("r-1", "Misread", "m-1", [entry], at(later + 2))
    floor.count_tray("h1", 5_818_00, "opening", at(later + 3))
    ledger.correct("r-1", "Misread again", "m-1", [entry], at(later + 4))
    floor.close_session("h1", at(later + 5))
    floor.open_session("h1", "uth-house", TermsDocument(), {1: "p-1"}, at(later + 6))
    floor.count_tray("h1", 5_811_00, "opening", at(later + 7))
    level(url)
    assert [(row["expected"], row["difference"]) for row in rows(url, "tray-counts")][-2:] == [
        ("5818.00", "0.00"),
        ("5811.00", "0.00"),
    ]
    assert [(row["stretch"], row["win"], row["ledger_win"]) for row in rows(url, "inventory")] == [
        (1, "115.00", "120.00"),
        (2, "20.00", "20.00"),
        (3, None, "20.00"),
        (4, None, "-7.00"),
        (1, None, "0.00"),
    ]
    live = everything(url)
    rebuild(url)
    assert everything(url) == live


def test_a_player_banked_table_sells_chips_of_the_cage(url: str, ledger: Ledger):
    record(ledger, [bank_round("t-1", round_id="r-1")])
    Floor(ledger).move_chips("t-1", ChipsBought("p-1", 100_00), at(1))
    level(url)
    accounts = [(account, debit, credit) for _, account, debit, credit in entries(url, what="buy-in")]
    assert accounts == [("player:p-1", "100.00", "0.00"), ("cage", "0.00", "100.00")]

"""What happens outside the play: waivers, corrections, chips, boxes and counts, meters; and reports on the past."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from domain.errors import BadChoice
from domain.floor.drop_boxes import CountTaken
from domain.floor.table_sessions import ChipsBought, ChipsCashed, TrayCredited, TrayFilled
from domain.round.corrections import Entry
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.reports.report import BadFilter, Filters
from projections.reports.report_list import UnknownReport
from projections.reports.report_query import rows
from tests.projections.simulated_floor import NOON_MS, everything, record, simulated
from tests.tables_in_play import bank_round

DEALER, SECOND, THIRD, MANAGER = (Actor(by, NOON_MS + 3_600_000) for by in ("d-1", "c-1", "c-2", "m-1"))


def level(url: str) -> None:
    with Runner(url) as runner:
        runner.catch_up()


def one(found: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    (row,) = [row for row in found if all(row[name] == value for name, value in wanted.items())]
    return row


def balances(url: str) -> dict[str, Decimal]:
    totals: dict[str, Decimal] = defaultdict(Decimal)
    sources: dict[str, Decimal] = defaultdict(Decimal)
    for row in rows(url, "journal"):
        totals[row["account"]] += Decimal(row["debit"]) - Decimal(row["credit"])
        sources[row["source"]] += Decimal(row["debit"]) - Decimal(row["credit"])
    assert not any(sources.values())
    return totals


def rebuilt_is_the_same(url: str) -> None:
    live = everything(url)
    rebuild(url)
    assert everything(url) == live


@pytest.mark.parametrize("how", ["not dropped", "refunded"])
def test_a_waived_fee_is_off_the_bankroll_and_off_the_box_only_if_it_never_went_in(url: str, ledger: Ledger, how: Any):
    record(ledger, [bank_round("t-1", round_id="r-1", end="void"), bank_round("t-1", round_id="r-2")])
    ledger.waive_fee("r-1", how, "The shuffler stopped.", DEALER)
    level(url)
    assert one(rows(url, "bankroll"), bettor="a")["fees"] == "1.00"
    (collected,) = rows(url, "collections")
    assert (collected["fees"], collected["waived"], collected["net"]) == ("2.00", "1.00", "1.00")
    expected = "1.00" if how == "not dropped" else "2.00"
    assert one(rows(url, "drops"), box="t-1-box-1")["expected"] == expected
    held = balances(url)
    assert held["box:t-1-box-1"] == Decimal(expected)
    assert held["collection-fees:t-1"] == 0
    assert held["cage"] == (0 if how == "not dropped" else -1)
    assert all(slip["matched"] for slip in rows(url, "slips"))
    assert one(rows(url, "hands"), round="r-1")["waived"] == how
    rebuilt_is_the_same(url)


def test_a_correction_counts_for_the_bettor_and_against_the_account_that_it_names(url: str, ledger: Ledger):
    record(ledger, [bank_round("t-1", round_id="r-1")])
    level(url)
    before = {row["bettor"]: row for row in rows(url, "bankroll")}
    bettor = next(bettor for bettor in before if bettor != "a")
    entries = [Entry(1, "seat-1", "ante", 500, "player-dealer"), Entry(1, "seat-1", "blind", -200, "house")]
    ledger.correct("r-1", "A card was misread", "m-1", entries, DEALER)
    level(url)
    after = {row["bettor"]: row for row in rows(url, "bankroll")}

    def change(who: str, column: str) -> Decimal:
        return Decimal(after[who][column]) - Decimal(before[who][column])

    assert bettor in after
    assert [change("seat-1", "won"), change("seat-1", "lost"), change("a", "lost")] == [
        Decimal(5),
        Decimal(2),
        Decimal(5),
    ]
    assert balances(url)["house"] == 2
    assert one(rows(url, "hands"), round="r-1")["corrected"] == 1
    rebuilt_is_the_same(url)


def test_chips_fills_and_credits(url: str, ledger: Ledger):
    record(ledger, simulated(1, tables=1, only="uth-house"))
    floor = Floor(ledger)
    (table,) = {document["table"] for document in simulated(1, tables=1, only="uth-house")}
    for event in (
        ChipsBought("p-x", 10_000),
        ChipsCashed("p-x", 4_000),
        TrayFilled(50_000, "f-1"),
        TrayCredited(100, "k"),
    ):
        floor.move_chips(table, event, DEALER)
    floor.register_bettor("p-x", "proposition", MANAGER)
    level(url)
    row = one(rows(url, "bankroll"), bettor="p-x")
    assert (row["kind"], row["buy_ins"], row["cash_outs"], row["rounds"]) == ("proposition", "100.00", "40.00", 0)
    held = balances(url)
    assert held["player:p-x"] == 60
    assert held["cage"] == -500 + 1  # players bought out of the tray
    rebuilt_is_the_same(url)


def test_a_box_from_the_table_to_its_signature(url: str, ledger: Ledger):
    floor = Floor(ledger)
    record(ledger, [bank_round("t-1", round_id=f"r-{number}", end="void") for number in range(3)])
    level(url)
    assert one(rows(url, "drops"), box="t-1-box-1")["status"] == "installed"
    floor.swap_box("t-1", "b-2", "seal-9", "c-1", DEALER)
    level(url)
    assert one(rows(url, "drops"), box="t-1-box-1")["status"] == "removed"
    floor.count_box("t-1-box-1", {100: 2}, SECOND)
    level(url)
    row = one(rows(url, "drops"), box="t-1-box-1")
    assert (row["status"], row["counted"], row["variance"]) == ("removed", None, None)
    assert "over-short" not in balances(url)
    floor.count_box("t-1-box-1", {100: 2}, THIRD)
    level(url)
    row = one(rows(url, "drops"), box="t-1-box-1")
    assert (row["status"], row["expected"], row["counted"], row["variance"]) == ("variance", "3.00", "2.00", "-1.00")
    held = balances(url)
    assert [held["box:t-1-box-1"], held["over-short"]] == [Decimal(2), Decimal(1)]
    floor.reconcile_box("t-1-box-1", MANAGER, explanation="A chip was under the table.")
    level(url)
    row = one(rows(url, "drops"), box="t-1-box-1")
    assert (row["status"], row["signed_by"]) == ("reconciled", "m-1")
    assert row["removed_at"].startswith("2026-")
    walked = rows(url, "slips", Filters(box="t-1-box-1"))
    assert [(slip["round"], slip["tier"], slip["fee"], slip["matched"]) for slip in walked] == [
        (f"r-{number}", 1, "1.00", True) for number in range(3)
    ]
    rebuilt_is_the_same(url)


def test_whoever_counts_blind_sees_their_own_figure_and_nothing_else(url: str, ledger: Ledger):
    floor = Floor(ledger)
    record(ledger, [bank_round("t-1", round_id=f"r-{number}") for number in range(2)])
    floor.swap_box("t-1", "b-2", "seal-9", "c-1", DEALER)
    answer = [floor.count_blind("t-1-box-1", pieces, who) for pieces, who in (({100: 2}, SECOND), ({500: 7}, THIRD))]
    assert answer == [CountTaken("t-1-box-1", "c-1", 2_00), CountTaken("t-1-box-1", "c-2", 35_00)]
    with pytest.raises(BadChoice, match="already") as refusal:
        floor.count_blind("t-1-box-1", {100: 2}, THIRD)
    assert not any(figure in str(refusal.value) for figure in ("2.00", "200", "35"))
    level(url)
    row = one(rows(url, "drops"), box="t-1-box-1")
    assert (row["status"], row["counted"], row["variance"]) == ("removed", None, None)
    floor.count_blind("t-1-box-1", {100: 2}, Actor("c-3", NOON_MS))
    level(url)
    assert one(rows(url, "drops"), box="t-1-box-1")["counted"] == "2.00"


def test_a_meter_is_adjusted(url: str, ledger: Ledger):
    record(ledger, simulated(30, tables=1, only="uth-sd"))
    level(url)
    meter = rows(url, "meters")[-1]["meter"]
    Floor(ledger).adjust_meter(meter, 5_000_00, 10_00, "The display was wrong.", "m-1", DEALER)
    level(url)
    assert balances(url)[f"meter:{meter}"] == 5_010
    assert rows(url, "meters")[-1]["what"] == "adjusted"
    rebuilt_is_the_same(url)


def test_a_seat_that_was_passed_over_is_a_breach(url: str, ledger: Ledger):
    players = {1: "p-1", 2: "p-2", 3: "p-3", 7: "a"}
    record(
        ledger,
        [
            bank_round("t-1", "a", 7, players=players, round_id="r-1"),
            bank_round("t-1", "p-3", 3, players=players, declined=[1], round_id="r-2"),
        ],
    )
    level(url)
    row = one(rows(url, "rotation"), round="r-2")
    assert (row["declined"], row["passed_over"]) == ([1], [2])
    assert row["breach"] == "Seat 2 was passed over without having declined."
    assert one(rows(url, "rotation"), round="r-1")["breach"] is None
    rebuilt_is_the_same(url)


# ---- the past


def test_reports_on_the_past_are_those_of_that_moment(url: str, ledger: Ledger):
    rounds = simulated(4, tables=1)
    half = len(rounds) // 2
    record(ledger, rounds[:half])
    level(url)
    then = datetime.now(UTC)
    names = ("bankroll", "exposure", "collections", "drops", "journal", "trial-balance", "hands", "rotation", "meters")
    was = {name: rows(url, name) for name in names}
    record(ledger, rounds[half:], NOON_MS + 86_400_000)
    voided = next(row["round"] for row in was["hands"])
    ledger.note(voided, "other", "Looked at later.", None, DEALER)
    level(url)
    for name in names:
        assert rows(url, name, Filters(as_of=then)) == was[name], name
        assert rows(url, name, Filters(as_of=datetime.now(UTC))) == rows(url, name), name
    between = datetime.fromtimestamp((NOON_MS + 86_400_000) / 1000, UTC)
    for name in ("bankroll", "exposure", "collections", "journal"):
        assert rows(url, name, Filters(until=between)) == was[name], name
    for name in ("exposure", "journal"):
        later = [row for row in rows(url, name) if row not in was[name]]
        assert rows(url, name, Filters(since=between)) == later
    days = {date.fromisoformat(row["gaming_day"]) for row in rows(url, "exposure")}
    by_day = [row for day in sorted(days) for row in rows(url, "exposure", Filters(gaming_day=day))]
    assert sorted(row["round"] for row in by_day) == sorted(row["round"] for row in rows(url, "exposure"))


def test_filters(url: str, ledger: Ledger):
    record(ledger, simulated(3, tables=2, only="uth-bgc"))
    level(url)
    table = rows(url, "exposure")[0]["table"]
    assert {row["table"] for row in rows(url, "exposure", Filters(table=table))} == {table}
    bettor = rows(url, "bankroll")[0]["bettor"]
    assert [row["bettor"] for row in rows(url, "bankroll", Filters(bettor=bettor))] == [bettor]
    with pytest.raises(BadFilter):
        rows(url, "drops", Filters(bettor="p-1"))
    with pytest.raises(UnknownReport):
        rows(url, "profits")

"""Whoever took back all that they bet did not play: they are in no report, live or rebuilt."""

from __future__ import annotations

from typing import Any

import pytest

from infra.ledger.ledger import Actor, Ledger
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.reports.report import Filters
from projections.reports.report_query import rows
from tests.projections.simulated_floor import NOON_MS, everything
from tests.rules.hold_em import HoldEm
from tests.tables_in_play import bank_round

ACTOR = Actor("d-1", NOON_MS)
PLAYERS = {1: "p-1", 2: "p-2", 4: "p-4"}


def bet(seat: int, spot: str, amount: str, **more: str) -> dict[str, Any]:
    return {"do": "bet", "seat": seat, "spot": spot, "amount": amount, **more}


def take(seat: int, spot: str, **more: str) -> dict[str, Any]:
    return {"do": "withdraw", "seat": seat, "spot": spot, **more}


BEHIND = {"bettor": "b-9", "kind": "backline"}
FORGOTTEN = [
    bet(4, "ante", "10.00"),
    bet(4, "blind", "10.00"),
    bet(2, "ante", "10.00", **BEHIND),
    take(4, "ante"),
    take(2, "ante", amount="4.00", bettor="b-9"),
    take(2, "ante", bettor="b-9"),
    take(4, "blind", amount="10.00"),
]


def catch_up(url: str, page: int = 997) -> None:
    with Runner(url, page=page) as runner:
        runner.catch_up()


def play(ledger: Ledger, url: str, actions: list[dict[str, Any]], round_id: str, page: int) -> None:
    """Action by action; the reports are brought up to date after each."""
    raw = bank_round("t-1", players=PLAYERS, round_id=round_id)
    at = raw["actions"].index({"do": "close_bets"})
    ledger.record({**raw, "actions": []}, ACTOR)
    for action in [*actions, *raw["actions"][:at], *raw["actions"][at:]]:
        ledger.act(round_id, [action], ACTOR)
        catch_up(url, page)


@pytest.mark.parametrize("page", [1, 997])
def test_they_are_in_no_report(url: str, ledger: Ledger, page: int) -> None:
    play(ledger, url, FORGOTTEN, "r-1", page)
    (hand,) = rows(url, "hands")
    assert hand["seats"] == [1, 2]
    assert hand["bettors"] == ["a", "p-1", "p-2"]
    for gone in ("p-4", "b-9"):
        for report in ("hands", "bankroll", "journal"):
            assert rows(url, report, Filters(bettor=gone)) == []
    assert {row["bettor"] for row in rows(url, "bankroll")} == {"a", "p-1", "p-2"}
    live = everything(url)
    rebuild(url)
    assert everything(url) == live


def test_while_bets_are_open_the_search_follows_what_lies(url: str, ledger: Ledger) -> None:
    raw = bank_round("t-1", players=PLAYERS, round_id="r-1")
    ledger.record({**raw, "actions": []}, ACTOR)

    def found() -> tuple[list[str], list[int]]:
        catch_up(url)
        (hand,) = rows(url, "hands")
        assert [row["round"] for row in rows(url, "hands", Filters(bettor="p-4"))] == (
            ["r-1"] if "p-4" in hand["bettors"] else []
        )
        return hand["bettors"], hand["seats"]

    ledger.act("r-1", [bet(4, "ante", "10.00"), bet(4, "blind", "10.00")], ACTOR)
    assert found() == (["a", "p-4"], [4])
    ledger.act("r-1", [take(4, "ante")], ACTOR)
    assert found() == (["a", "p-4"], [4])
    ledger.act("r-1", [take(4, "blind"), bet(2, "ante", "10.00")], ACTOR)
    assert found() == (["a", "p-2"], [2])
    ledger.act("r-1", [bet(4, "ante", "10.00"), take(2, "ante")], ACTOR)
    assert found() == (["a", "p-4"], [4])
    ledger.act("r-1", [take(4, "ante"), bet(4, "ante", "15.00")], ACTOR)
    assert found() == (["a", "p-4"], [4])
    live = everything(url)
    rebuild(url)
    assert everything(url) == live


def test_a_tip_that_was_taken_back_makes_nobody_a_tip(url: str, ledger: Ledger) -> None:
    play = HoldEm.at("uth-sd", trips="UTH-01", players={1: "p-1", 2: "p-2"}).bet(1, ante=10, blind=10)
    play = play.bet(1, "p-2", "toke", trips=5).do("withdraw", seat=1, spot="trips", bettor="p-2")
    play = play.bet(2, ante=10, blind=10).deal_out({1: "AsAd", 2: "KsKd"}, "QsQc", "3d9c7h4s2d")
    play = play.raise_(1, 4).raise_(2, 4).reveal_all().settle()
    raw = {**play.envelope, "table": "t-1", "actions": [dict(action) for action in play.actions]}
    assert ledger.record(raw, ACTOR)["status"] == "settled"
    catch_up(url)
    (row,) = rows(url, "bankroll", Filters(bettor="p-2"))
    assert (row["kind"], row["rounds"], row["wagered"]) == ("patron", 1, "60.00")
    assert {line["account"] for line in rows(url, "journal", Filters(bettor="p-2"))} == {"player:p-2"}

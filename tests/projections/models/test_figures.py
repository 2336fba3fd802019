"""Every report equals the figures that documents and their results give by themselves."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from domain.documents.document import adjudicate
from domain.rules import rulesets
from infra.ledger.ledger import Ledger
from projections.engine.runner import Runner
from projections.reports.report import Filters
from projections.reports.report_query import rows
from tests.databases import migrated_database
from tests.projections import figures
from tests.projections.simulated_floor import record, simulated

ROUNDS = 60  # of each rule set


@pytest.fixture(scope="module")
def floor(server_url: str) -> Any:
    """The URL of a ledger with all of it applied, and the documents with the results that `adjudicate` gives."""

    with migrated_database(server_url) as url:
        rounds = simulated(ROUNDS)
        ledger = Ledger(url)
        record(ledger, rounds)
        ledger.close()
        with Runner(url, page=997) as runner:
            runner.catch_up()
            assert runner.lag().events == 0
        pairs = [(document, adjudicate(msgspec.json.encode(document))) for document in rounds]
        yield url, pairs


def bounds(document: dict[str, Any]) -> list[Decimal | None]:
    schedule = document["terms"].get("schedule")
    if isinstance(schedule, dict):
        return [None if bound is None else Decimal(bound) for bound, _ in schedule["tiers"]]
    schedules = rulesets.load(document["ruleset"]).schedules
    printed = schedules[schedule if schedule is not None else next(iter(schedules))]
    return [None if tier.up_to is None else Decimal(tier.up_to) / 100 for tier in printed.tiers]


def test_bankroll(floor):
    url, pairs = floor
    wanted = figures.bankroll(pairs)
    found = {row["bettor"]: row for row in rows(url, "bankroll")}
    assert found.keys() == wanted.keys()
    for bettor, expected in wanted.items():
        assert {name: found[bettor][name] for name in expected} == expected
        assert (found[bettor]["buy_ins"], found[bettor]["cash_outs"]) == ("0.00", "0.00")


def test_bankrolls_of_all_days_are_those_of_each_day_added_up(floor):
    url, _ = floor
    assert rows(url, "bankroll") == rows(url, "bankroll", Filters(first=date.min))
    (first, *_) = rows(url, "bankroll", Filters(limit=1))
    assert rows(url, "bankroll", Filters(bettor=first["bettor"])) == [first]


def test_exposure(floor):
    url, pairs = floor
    found = {row["round"]: row for row in rows(url, "exposure")}
    wanted = figures.exposure(pairs)
    assert found.keys() == wanted.keys()
    for round_, expected in wanted.items():
        assert {name: found[round_][name] for name in expected} == expected


def test_what_every_player_dealer_paid_and_collected(floor):
    url, pairs = floor
    wanted: dict[str | None, tuple[Decimal, Decimal]] = defaultdict(lambda: (Decimal(0), Decimal(0)))
    for document, result in pairs:
        if result["status"] == "settled":
            paid, collected = wanted[figures.banker(document)]
            lines = result["lines"]
            paid += sum(Decimal(line["paid"]) for line in lines)
            wanted[figures.banker(document)] = (paid, collected + sum(Decimal(line["collected"]) for line in lines))
    found: dict[str | None, tuple[Decimal, Decimal]] = defaultdict(lambda: (Decimal(0), Decimal(0)))
    for row in rows(url, "exposure"):
        if row["status"] == "settled":
            paid, collected = found[row["player_dealer"]]
            found[row["player_dealer"]] = (paid + Decimal(row["paid"]), collected + Decimal(row["collected"]))
    assert len(found) > 20
    assert found == wanted


def test_collections(floor):
    url, pairs = floor
    found: dict[Any, tuple[int, Decimal, Decimal]] = {}
    for row in rows(url, "collections"):
        key = (row["table"], row["schedule"], row["tier"])
        rounds, action, fees = found.get(key, (0, Decimal(0), Decimal(0)))
        found[key] = (rounds + row["rounds"], action + Decimal(row["action"]), fees + Decimal(row["fees"]))
        assert row["waived"] == "0.00"
        assert row["net"] == row["fees"]
    assert found == figures.fees_by_tier(pairs, bounds)


def test_drops(floor):
    url, pairs = floor
    found = {row["table"]: Decimal(row["expected"]) for row in rows(url, "drops")}
    fees = figures.fees_by_table(pairs)
    assert {table: amount for table, amount in found.items() if amount} == fees
    slips = rows(url, "slips")
    assert all(slip["matched"] for slip in slips)
    assert sum(Decimal(slip["dropped"]) for slip in slips) == sum(fees.values())


def test_journal(floor):
    url, pairs = floor
    by_source: dict[str, Decimal] = defaultdict(Decimal)
    balances: dict[str, Decimal] = defaultdict(Decimal)
    for row in rows(url, "journal"):
        amount = Decimal(row["debit"]) - Decimal(row["credit"])
        by_source[row["source"]] += amount
        balances[row["account"]] += amount
    assert not any(by_source.values())
    assert sum(balances.values()) == 0
    assert {row["account"]: Decimal(row["balance"]) for row in rows(url, "trial-balance")} == balances
    for bettor, of in figures.bankroll(pairs).items():
        held = sum(balances[f"{kind}:{bettor}"] for kind in ("player", "player-dealer", "toke"))
        assert held == Decimal(of["net"]) - Decimal(of["fees"])
    for row in rows(url, "drops"):
        assert balances[f"box:{row['box']}"] == Decimal(row["expected"])
    assert not any(balance for account, balance in balances.items() if account.startswith("collection-fees:"))
    shows = {row["meter"]: Decimal(row["shown"]) + Decimal(row["reserve"]) for row in rows(url, "meters")}
    assert shows
    assert {meter: balances[f"meter:{meter}"] for meter in shows} == shows


def test_hands(floor):
    url, pairs = floor
    found = {row["round"]: row for row in rows(url, "hands")}
    assert len(found) == len(pairs)
    for document, result in pairs:
        row = found[document["round"]]
        assert (row["status"], row["table"], row["ruleset"]) == (
            result["status"],
            document["table"],
            document["ruleset"],
        )
        assert row["paid"] == result["bank"]["paid"]
        if result["status"] == "settled" and result["dealer"]["hand"] is not None:
            assert row["dealer_hand"] == result["dealer"]["hand"]
        assert row["seats"] == sorted(figures.seats_with_wagers(document))
    bettor = next(iter(found.values()))["bettors"][1]
    of_bettor = {row["round"] for row in found.values() if bettor in row["bettors"]}
    assert {row["round"] for row in rows(url, "hands", Filters(bettor=bettor))} == of_bettor


def test_rotation_of_the_simulated_floor_has_no_breach(floor):
    url, pairs = floor
    found = {row["round"]: row for row in rows(url, "rotation")}
    banked = {document["round"]: document for document, _ in pairs if "player_dealer" in document}
    assert found.keys() == banked.keys()
    for round_, document in banked.items():
        assert found[round_]["bettor"] == figures.banker(document)
        assert found[round_]["declined"] == document["player_dealer"].get("declined", [])
    assert {row["breach"] for row in found.values()} == {None}
    assert {row["turn"] for row in found.values()} == {1, 2}

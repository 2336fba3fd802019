"""Searching rounds: every filter against rounds that are known, pages that miss and repeat nothing, along an index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import psycopg
import pytest

from domain import rulesets
from domain.documents import adjudicate
from infra.ledger import Actor, Ledger
from infra.simulation import documents
from projections.rounds_search import Wanted, statement_for
from tests.api.serving import client, open_service, server_url, service_url
from tests.projections.figures import seats_with_wagers

__all__ = ["client", "server_url", "service_url"]

ROUNDS = 12
START_MS = 1_772_900_000_000  # 7 March 2026, before the clocks change
Round = dict[str, Any]


@pytest.fixture(scope="module")
def floor(service_url: str) -> Iterator[tuple[Any, list[Round]]]:
    """Simulated rounds of every rule set, seven minutes apart, and what adjudicating says of each."""
    ledger, known = Ledger(service_url), []
    for ruleset in rulesets.ids():
        for number, line in enumerate(islice(documents(ruleset, 4711, 1), ROUNDS)):
            document = json.loads(line)
            at_ms = START_MS + number * 420_000
            assert ledger.record(document, Actor("dealer-1", at_ms))["status"] != "refused"
            known.append({**adjudicate(line), "document": document, "at_ms": at_ms})
    ledger.note(known[3]["round"], "other", "A drink was spilled.", None, Actor("floor-1", START_MS))
    ledger.close()
    with open_service(service_url) as client:
        yield client, known


def found(client, **query: Any) -> set[str]:
    """All pages of a search, three rounds each."""
    rounds: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answer = client.get("/v1/rounds", params={"limit": 3, **query, **cursor})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        rounds += [round_["round"] for round_ in page["rounds"]]
        if page["cursor"] is None:
            break
        assert len(page["rounds"]) == 3
        cursor = {"cursor": page["cursor"]}
    assert len(rounds) == len(set(rounds))
    return set(rounds)


def those(known: list[Round], wanted: Any) -> set[str]:
    return {round_["round"] for round_ in known if wanted(round_)}


def with_line(known: list[Round], wanted: Any) -> set[str]:
    return those(known, lambda round_: any(wanted(line) for line in round_["lines"]))


@pytest.mark.parametrize("outcome", ["win", "lose", "push", "surrender", "no_action"])
def test_by_outcome(floor: tuple[Any, list[Round]], outcome: str):
    client, known = floor
    assert found(client, outcome=outcome) == with_line(known, lambda line: line["outcome"] == outcome)


def test_by_outcome_at_a_seat_of_a_bettor(floor: tuple[Any, list[Round]]):
    client, known = floor
    pairs = {(line["seat"], line["bettor"]) for round_ in known for line in round_["lines"]}
    for seat, bettor in sorted(pairs)[:12]:
        for outcome in ("win", "lose"):
            mine = with_line(
                known, lambda line, who=(seat, bettor, outcome): (line["seat"], line["bettor"], line["outcome"]) == who
            )
            assert found(client, outcome=outcome, seat=seat, bettor=bettor) == mine
    seat, bettor = sorted(pairs)[0]
    at_seat = with_line(known, lambda line: (line["seat"], line["outcome"]) == (seat, "win"))
    assert found(client, outcome="win", seat=seat) == at_seat
    of_bettor = with_line(known, lambda line: (line["bettor"], line["outcome"]) == (bettor, "win"))
    assert found(client, outcome="win", bettor=bettor) == of_bettor


def test_by_seat_and_by_bettor(floor: tuple[Any, list[Round]]):
    client, known = floor
    assert found(client, seat=2) == those(known, lambda round_: 2 in seats_with_wagers(round_["document"]))
    bettor = known[0]["document"]["player_dealer"]["bettor"]
    part = those(
        known,
        lambda round_: (
            (round_["document"].get("player_dealer") or {}).get("bettor") == bettor
            or any(line["bettor"] == bettor for line in round_["lines"])
        ),
    )
    assert found(client, bettor=bettor) >= part
    assert part


def test_by_the_rest(floor: tuple[Any, list[Round]]):
    client, known = floor
    table = known[0]["document"]["table"]
    assert found(client, table=table) == those(known, lambda round_: round_["document"]["table"] == table)
    assert found(client, ruleset="uth-sd") == those(known, lambda round_: round_["ruleset"] == "uth-sd")
    assert found(client, day="2026-03-07") | found(client, day="2026-03-06") == those(known, lambda round_: True)
    assert found(client, shift="day") | found(client, shift="swing") | found(client, shift="graveyard") == found(client)
    wagered = lambda round_: sum(float(line["wager"]) for line in round_["lines"])  # noqa: E731
    between = those(known, lambda round_: 100 <= wagered(round_) <= 200)
    assert found(client, least="100.00", most="200.00") == between
    short = those(known, lambda round_: any(line["shortfall"] != "0.00" for line in round_["lines"]))
    assert found(client, shortfall="true") == short
    assert found(client, shortfall="false") == those(known, lambda round_: round_["round"] not in short)
    assert found(client, voided="true") == those(known, lambda round_: round_["status"] == "void")
    assert found(client, corrected="true") == found(client, late="true") == set()
    assert found(client, noted="true") == {known[3]["round"]}
    pairs = {round_["round"] for round_ in client.get("/v1/rounds?made=pair&limit=500").json()["rounds"]}
    assert pairs == found(client, made="pair")
    assert pairs >= those(known, lambda round_: (round_["dealer"] or {}).get("hand") == "pair")


def test_odd_outcomes_are_refused(client):
    for query in ("outcome=draw", "outcome=", "late=perhaps"):
        answer = client.get(f"/v1/rounds?{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_document")


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(),
        Wanted(table="t1"),
        Wanted(bettor="p-1"),
        Wanted(bettor="p-1", seat=2, outcome="win"),
        Wanted(status="void"),
        Wanted(status="open"),
        Wanted(shortfall=True),
        Wanted(voided=True),
        Wanted(corrected=True),
        Wanted(noted=True),
        Wanted(late=True),
    ],
    ids=lambda wanted: " ".join(f"{name}={value}" for name, value in statement_for(wanted)[1].items()) or "all",
)
def test_a_search_walks_an_index_in_the_order_of_its_pages(floor, service_url: str, wanted: Wanted):
    """With sorting and scanning made dear there is still a plan that does neither: its cost does not grow."""
    client, _ = floor
    client.get("/v1/rounds")  # makes the tables
    statement, values = statement_for(wanted)
    with psycopg.connect(service_url) as connection:
        for how in ("seqscan", "sort", "bitmapscan", "hashjoin", "mergejoin"):
            connection.execute(f"SET LOCAL enable_{how} = off")
        cursor = psycopg.ClientCursor(connection)
        plan = "\n".join(row[0] for row in cursor.execute(f"EXPLAIN {statement}", {**values, "limit": 50}))
    assert "Sort" not in plan
    assert "Seq Scan" not in plan

"""Searching rounds: every filter against rounds that are known, pages that miss and repeat nothing, along an index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
import pytest

from domain.documents.document import adjudicate
from domain.rules import rulesets
from infra.ledger.ledger import Actor, Ledger
from infra.simulation import documents
from projections.views.rounds.round_search import RoundFilter, statement_for
from tests.api.service import open_service
from tests.projections.figures import bettors, seats_with_wagers

ROUNDS = 12
START_MS = 1_772_900_000_000  # 08:13 on 7 March 2026, before the clocks change
APART_MS = 130 * 60_000
Round = dict[str, Any]


@pytest.fixture(scope="module")
def floor(ledger_url: str) -> Iterator[tuple[Any, list[Round]]]:
    """Simulated rounds of every rule set, over a day and a night, and what adjudicating says of each."""
    ledger, known = Ledger(ledger_url), []
    for ruleset in rulesets.ids():
        for number, line in enumerate(islice(documents(ruleset, 4711, 1), ROUNDS)):
            document = json.loads(line)
            at_ms = START_MS + number * APART_MS
            assert ledger.record(document, Actor("dealer-1", at_ms))["status"] != "refused"
            known.append({**adjudicate(line), "document": document, "at_ms": at_ms})
    ledger.note(known[3]["round"], "other", "A drink was spilled.", None, Actor("floor-1", START_MS))
    ledger.close()
    with open_service(ledger_url) as client:
        yield client, known


def found(client, **query: Any) -> set[str]:
    """All pages of a search, three rounds each unless `limit` says otherwise."""
    rounds: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answer = client.get("/v1/rounds", params={"limit": 3, **query, **cursor})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        rounds += [round_["round"] for round_ in page["rounds"]]
        if page["cursor"] is None:
            break
        assert len(page["rounds"]) == query.get("limit", 3)
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
    people = sorted({bettor for round_ in known for bettor in bettors(round_["document"])})
    assert len(people) > 20
    for person in people[::3]:
        assert found(client, bettor=person) == those(
            known, lambda round_, who=person: who in bettors(round_["document"])
        )


def test_by_gaming_day_and_shift(floor: tuple[Any, list[Round]]):
    """The day begins at six; the clock is put forward in the second night."""
    client, known = floor
    shifts = {(day, shift) for day, shift in (gaming_day(round_["at_ms"]) for round_ in known)}
    assert shifts == {
        ("2026-03-07", "day"),
        ("2026-03-07", "swing"),
        ("2026-03-07", "graveyard"),
        ("2026-03-08", "day"),
    }
    for day, shift in shifts:
        expected = those(known, lambda round_, when=(day, shift): gaming_day(round_["at_ms"]) == when)
        assert found(client, day=day, shift=shift) == expected
    for day in ("2026-03-06", "2026-03-07", "2026-03-08"):
        assert found(client, day=day) == those(known, lambda round_, on=day: gaming_day(round_["at_ms"])[0] == on)
    for shift in ("day", "swing", "graveyard"):
        assert found(client, shift=shift) == those(
            known, lambda round_, in_=shift: gaming_day(round_["at_ms"])[1] == in_
        )


def gaming_day(at_ms: int) -> tuple[str, str]:
    """By the wall clock in Los Angeles: shifts begin at 6, 14 and 22 hours."""
    local = datetime.fromtimestamp(at_ms / 1000, ZoneInfo("America/Los_Angeles"))
    day = local.date() if local.hour >= 6 else local.date() - timedelta(days=1)
    return day.isoformat(), "day" if 6 <= local.hour < 14 else "swing" if 14 <= local.hour < 22 else "graveyard"


def test_by_the_hand_that_was_made(floor: tuple[Any, list[Round]]):
    """As the table shows it when the round is over."""
    client, known = floor
    shown = {round_["round"]: hands_shown(client, round_["round"]) for round_ in known}
    made = sorted(set().union(*shown.values()))
    assert {"pair", "high card", "straight"} < set(made)
    for name in made:
        assert found(client, limit=50, made=name) == {round_ for round_, names in shown.items() if name in names}


def hands_shown(client: Any, round_id: str) -> set[str]:
    reply = client.get(f"/v1/rounds/{round_id}/replay").json()
    hands = [hand for seat in reply["table"]["seats"] for hand in seat["hands"]]
    return {hand["made"] for hand in [*hands, reply["table"]["dealer"]] if hand is not None} - {None}


def test_by_the_rest(floor: tuple[Any, list[Round]]):
    client, known = floor
    table = known[0]["document"]["table"]
    assert found(client) == those(known, lambda round_: True)
    assert found(client, table=table) == those(known, lambda round_: round_["document"]["table"] == table)
    assert found(client, ruleset="uth-sd") == those(known, lambda round_: round_["ruleset"] == "uth-sd")
    between = those(known, lambda round_: 100 <= sum(Decimal(line["wager"]) for line in round_["lines"]) <= 200)
    assert found(client, least="100.00", most="200.00") == between
    short = those(known, lambda round_: any(line["shortfall"] != "0.00" for line in round_["lines"]))
    assert found(client, shortfall="true") == short
    assert found(client, shortfall="false") == those(known, lambda round_: round_["round"] not in short)
    assert found(client, voided="true") == those(known, lambda round_: round_["status"] == "void")
    assert found(client, corrected="true") == set()
    assert found(client, late="true") == set()
    assert found(client, noted="true") == {known[3]["round"]}


def test_odd_outcomes_are_refused(client):
    for query in ("outcome=draw", "outcome=", "late=perhaps"):
        answer = client.get(f"/v1/rounds?{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_document")


@pytest.mark.parametrize(
    "wanted",
    [
        RoundFilter(),
        RoundFilter(table="t1"),
        RoundFilter(bettor="p-1"),
        RoundFilter(bettor="p-1", seat=2, outcome="win"),
        RoundFilter(status="void"),
        RoundFilter(status="open"),
        RoundFilter(shortfall=True),
        RoundFilter(voided=True),
        RoundFilter(corrected=True),
        RoundFilter(noted=True),
        RoundFilter(late=True),
    ],
    ids=lambda wanted: " ".join(f"{name}={value}" for name, value in statement_for(wanted)[1].items()) or "all",
)
def test_a_search_walks_an_index_in_the_order_of_its_pages(floor, ledger_url: str, wanted: RoundFilter):
    """With sorting and scanning made dear there is still a plan that does neither: its cost does not grow."""
    client, _ = floor
    client.get("/v1/rounds")  # makes the tables
    statement, values = statement_for(wanted)
    with psycopg.connect(ledger_url) as connection:
        for how in ("seqscan", "sort", "bitmapscan", "hashjoin", "mergejoin"):
            connection.execute(f"SET LOCAL enable_{how} = off")
        cursor = psycopg.ClientCursor(connection)
        plan = "\n".join(row[0] for row in cursor.execute(f"EXPLAIN {statement}", {**values, "limit": 50}))
    assert "Sort" not in plan
    assert "Seq Scan" not in plan

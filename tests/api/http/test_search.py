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
from projections.views.search.round_filter import RoundFilter
from projections.views.search.round_search import statement_for
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


# ---- what is remembered of a round


def chosen(round_: Round, seat: int | None = None, bettor: str | None = None) -> set[str]:
    """What was chosen in a round or at a seat, by its document: of a bettor too, where they followed or insured."""
    found, board = set(), 0
    streets = {0: "preflop", 3: "flop", 5: "river"}
    for action in round_["document"]["actions"]:
        if action["do"] == "reveal" and action["of"] in ("flop", "turn_river"):
            board = {"flop": 3, "turn_river": 5}[action["of"]]
        if action["do"] != "decide" or seat not in (None, action["seat"]):
            continue
        if bettor is None or action.get("bettor") in (None, bettor):
            name = {"insure": "insurance"}.get(action["choice"], action["choice"])
            found |= {name, f"{name} {streets[board]}"} if round_["ruleset"].startswith("uth") else {name}
    return found


def nets(round_: Round) -> dict[str, Decimal]:
    """What everybody but the bank won or lost."""
    found: dict[str, Decimal] = {}
    for line in round_["lines"]:
        net = Decimal(line["paid"]) - Decimal(line["collected"])
        found[line["bettor"]] = found.get(line["bettor"], Decimal(0)) + net
    return found


def test_by_what_happened(floor: tuple[Any, list[Round]]):
    client, known = floor
    names = sorted(set().union(*(chosen(round_) for round_ in known)))
    assert {"split", "double", "surrender", "raise preflop", "raise flop", "raise river", "fold", "play"} <= set(names)
    for name in names:
        assert found(client, limit=50, happened=name) == those(known, lambda round_, what=name: what in chosen(round_))
    both = those(known, lambda round_: {"split", "double"} <= chosen(round_))
    assert found(client, happened="split", also="double") == both
    for seat in (1, 2, 3):
        at_seat = those(known, lambda round_, at=seat: "fold" in chosen(round_, at))
        assert found(client, happened="fold", seat=seat) == at_seat
    short = those(known, lambda round_: any(line["shortfall"] != "0.00" for line in round_["lines"]))
    assert found(client, happened="shortfall") == short
    assert found(client, happened="void") == those(known, lambda round_: round_["status"] == "void")


def test_by_the_result_of_somebody_and_of_a_bettor(floor: tuple[Any, list[Round]]):
    """What happened and the result are those of the same person, and nobody takes the bank for a patron."""
    client, known = floor
    lost = those(known, lambda round_: any(-72 <= net <= -48 for net in nets(round_).values()))
    assert lost
    assert found(client, lost_about="60.00") == lost == found(client, net_least="-72.00", net_most="-48.00")
    won = those(known, lambda round_: any(1 <= net <= 11 for net in nets(round_).values()))
    assert found(client, won_about="6.00") == won
    raised = [
        (round_["round"], line["bettor"])
        for round_ in known
        for line in round_["lines"]
        if nets(round_)[line["bettor"]] <= -60 and "raise" in chosen(round_, line["seat"], line["bettor"])
    ]
    assert raised
    assert found(client, happened="raise", net_most="-60.00") == {round_ for round_, _ in raised}
    round_id, bettor = raised[0]
    assert round_id in found(client, bettor=bettor, net_most="-60.00")
    assert round_id not in found(client, bettor=bettor, net_least="-59.99")


def test_a_search_about_somebody_shows_their_part(floor: tuple[Any, list[Round]]):
    client, known = floor
    for bettor in sorted({line["bettor"] for round_ in known for line in round_["lines"]})[:6]:
        for row in client.get("/v1/rounds", params={"bettor": bettor}).json()["rounds"]:
            (round_,) = [one for one in known if one["round"] == row["round"]]
            (person,) = row["people"]
            assert person["bettor"] == bettor
            if person["banked"]:
                assert [hand["at"] for hand in person["hands"]] == ["dealer"]
                continue
            assert person["net"] == f"{nets(round_).get(bettor, Decimal(0)):.2f}"
            table = client.get(f"/v1/rounds/{row['round']}/replay").json()["table"]
            shown = [hand for seat in table["seats"] if seat["seat"] in person["seats"] for hand in seat["hands"]]
            assert [hand["cards"] for hand in person["hands"]] == [hand["cards"] for hand in shown]
            assert [hand["made"] for hand in person["hands"]] == [hand["made"] for hand in shown]
    (somebody, *_) = client.get("/v1/rounds", params={"lost_about": "60.00"}).json()["rounds"]
    assert all(-72 <= Decimal(person["net"]) <= -48 for person in somebody["people"])


def test_by_time_of_day_weekday_and_the_beginning_of_the_id(floor: tuple[Any, list[Round]]):
    client, known = floor

    def opened(round_: Round) -> datetime:
        return datetime.fromtimestamp(round_["at_ms"] / 1000, ZoneInfo("America/Los_Angeles"))

    evening = those(known, lambda round_: opened(round_).hour >= 17)
    assert found(client, part_of_day="evening", limit=50) == evening
    night = those(known, lambda round_: opened(round_).hour >= 21 or opened(round_).hour < 6)
    assert found(client, part_of_day="night", limit=50) == night
    late = those(known, lambda round_: opened(round_).strftime("%H:%M") >= "22:30" or opened(round_).hour < 2)
    assert found(client, clock_from="22:30", clock_to="02:00", limit=50) == late
    saturday = those(known, lambda round_: gaming_day(round_["at_ms"])[0] == "2026-03-07")
    assert found(client, weekday="saturday", limit=50) == saturday
    table = known[0]["document"]["table"]
    begins = those(known, lambda round_: round_["round"].startswith(table))
    assert found(client, round=table, limit=50) == begins
    assert found(client, round=known[5]["round"]) == {known[5]["round"]}
    assert client.get("/v1/rounds?clock_from=22:00&clock_to=22:00").json()["code"] == "bad_choice"


def test_orders_and_counts(floor: tuple[Any, list[Round]]):
    client, known = floor
    most = {round_["round"]: max(nets(round_).values(), default=Decimal(0)) for round_ in known}
    wagered = {round_["round"]: sum(Decimal(line["wager"]) for line in round_["lines"]) for round_ in known}
    for order, key in (("won", most), ("wagered", wagered)):
        rounds = [
            row["round"] for row in client.get("/v1/rounds", params={"sort": order, "limit": 500}).json()["rounds"]
        ]
        assert [key[round_] for round_ in rounds] == sorted(key.values(), reverse=True)
        assert found(client, sort=order, limit=40) == set(rounds)
    oldest = client.get("/v1/rounds", params={"sort": "oldest", "limit": 1}).json()
    assert oldest["rounds"][0]["opened_at"] == min(
        row["opened_at"] for row in client.get("/v1/rounds?limit=500").json()["rounds"]
    )
    assert client.get("/v1/rounds", params={"sort": "won", "cursor": oldest["cursor"]}).json()["code"] == "bad_choice"
    counts = client.get("/v1/rounds", params={"happened": "split", "counts": "true", "limit": 1}).json()["counts"]
    split = [round_ for round_ in known if "split" in chosen(round_)]
    assert (counts["rounds"], counts["more"]) == (len(split), False)
    assert sum(counts["tables"].values()) == sum(counts["days"].values()) == len(split) == counts["happened"]["split"]
    assert counts["happened"]["hit"] == sum("hit" in chosen(round_) for round_ in split)
    assert client.get("/v1/rounds").json()["counts"] is None


def test_odd_outcomes_are_refused(client):
    for query in ("outcome=draw", "outcome=", "late=perhaps", "happened=3/split", "weekday=someday", "clock_to=24:00"):
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
        RoundFilter(sort="wagered"),
        RoundFilter(sort="lost"),
        RoundFilter(table="t1", weekday=2, clock=(1020, 1440), happened=("split",)),
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


def test_an_id_that_many_rounds_begin_with_leads_to_a_list_and_not_to_all_of_them(floor):
    client, known = floor
    rounds = [round_["round"] for round_ in known[:ROUNDS]]
    begins = rounds[0].rpartition("-")[0] + "-0"
    page = client.get("/find", params={"q": begins}, headers={"Accept": "text/html"}, follow_redirects=False)
    assert page.status_code == 200
    assert [round_ for round_ in rounds if f'href="/rounds/{round_}"' not in page.text] == []
    assert "Every round that begins so" in page.text


@pytest.mark.parametrize("wanted", [RoundFilter(weekday=4, clock=(1020, 1440)), RoundFilter(clock=(900, 920))])
def test_a_weekday_and_a_time_of_day_are_compared_within_the_index(floor, ledger_url: str, wanted: RoundFilter):
    """So that no row of another day or hour is read, however many there are between those that fit."""
    client, _ = floor
    client.get("/v1/rounds")
    statement, values = statement_for(wanted)
    with psycopg.connect(ledger_url) as connection:
        for how in ("seqscan", "sort", "bitmapscan"):
            connection.execute(f"SET LOCAL enable_{how} = off")
        cursor = psycopg.ClientCursor(connection)
        plan = "\n".join(row[0] for row in cursor.execute(f"EXPLAIN {statement}", {**values, "limit": 50}))
    assert "Filter" not in plan
    (condition,) = (line for line in plan.splitlines() if "Index Cond" in line)
    assert [name for name in ("weekday", "minute") if name in condition] == ["weekday", "minute"][
        wanted.weekday is None :
    ]


@pytest.mark.parametrize(
    "wanted",
    [
        RoundFilter(round="t1-0"),
        RoundFilter(happened=("surrender",)),
        RoundFilter(net_least=-72_00, net_most=-48_00),
        RoundFilter(table="t1", weekday=2, happened=("split",), net_least=-72_00, net_most=-48_00),
        RoundFilter(bettor="p-1", net_most=-48_00, sort="lost"),
    ],
    ids=lambda wanted: " ".join(f"{name}={value}" for name, value in statement_for(wanted)[1].items()),
)
def test_what_few_rounds_have_is_found_by_an_index(floor, ledger_url: str, wanted: RoundFilter):
    client, _ = floor
    client.get("/v1/rounds")
    with psycopg.connect(ledger_url) as connection:
        connection.execute("SET LOCAL enable_seqscan = off")
        cursor = psycopg.ClientCursor(connection)
        for ordered in (True, False):
            statement, values = statement_for(wanted, ordered=ordered)
            plan = "\n".join(row[0] for row in cursor.execute(f"EXPLAIN {statement}", {**values, "limit": 50}))
            assert "Seq Scan" not in plan

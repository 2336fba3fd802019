"""What waits for somebody, by role, and the figures of a day beside the day and the week before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from domain.disputes.disputes import Claim
from domain.moments import DAY_MS
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.log.sealer import seal_now
from tests.api.service import KEY, open_service, register
from tests.databases import migrated_database
from tests.projections.simulated_floor import NOON_MS
from tests.tables_in_play import bank_round

SETTINGS = Settings(token_key=KEY)
SCHEDULE = {"limits": ["5.00", "500.00"], "tiers": [[None, "1.37"]]}
ROUNDS_OF_DAYS = {7: 3, 1: 1, 0: 2}  # by how many days before


@pytest.fixture(scope="module")
def home(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Three gaming days, a claim whose deadline has passed, and boxes: short, counted, counted differently, new."""
    with migrated_database(server_url) as url:
        ledger = Ledger(url)
        register(ledger.staff, ("admin-1", "admin"))
        for ago, rounds in ROUNDS_OF_DAYS.items():
            for number in range(rounds):
                name = f"d{ago}-{number}"
                played = bank_round(
                    name, "a", 7, ruleset="uth-bgc", trips="UTH-01", schedule=SCHEDULE, round_id=f"round-{name}"
                )
                assert ledger.record(played, Actor("floor-0", NOON_MS - ago * DAY_MS))["error"] is None
        Disputes(ledger).open(
            "round-d0-0", Claim(2, "ante", "payout", 1_000, "Mine.", NOON_MS + 1), Actor("floor-0", NOON_MS)
        )
        counts = {"d7-0": [87, 87], "d7-1": [137, 137], "d7-2": [100, 137], "d1-0": []}
        for table, totals in counts.items():
            floor, box = Floor(ledger), f"{table}-box-1"
            floor.swap_box(table, f"{table}-box-2", "S-1", "cage-0", Actor("floor-0", NOON_MS))
            for counter, total in zip(("count-1", "count-2"), totals, strict=False):
                floor.count_box(box, {1: total}, Actor(counter, NOON_MS))
        ledger.close()
        keys = tmp_path_factory.mktemp("keys")
        seal_now(url, keys)
        with open_service(url, token_key=KEY, rate_limit=0, follow=True, seal=False, log_keys=str(keys)) as client:

            def ask(by: str, role: str, table: str | None = None) -> dict[str, Any]:
                headers = {"Authorization": f"Bearer {make_token(KEY, SETTINGS, by, role, table, 1.0)[0]}"}
                answer: dict[str, Any] = client.get("/v1/home", headers=headers).json()
                page = client.get("/", headers={**headers, "Accept": "application/json"}).json()
                assert {name: page[name] for name in answer} == answer
                return answer

            yield ask


def names(found: dict[str, Any]) -> dict[str, list[str]]:
    return {kind["kind"]: [thing["name"] for thing in kind["things"]] for kind in found["waiting"]}


REVIEW, AUDIT = "Review who may do what", "Run an audit"
UNCOUNTED = ["d1-0-box-1", "d7-2-box-1"]
TABLES = ["d0-0", "d0-1", "d1-0", "d7-0", "d7-1"]
EXPECTED: dict[str, dict[str, list[str]]] = {
    "counter": {"boxes_to_count": UNCOUNTED},
    "floor": {"disputes_to_rule": ["1"], "tables_without_dealer": TABLES, "boxes_uncounted": UNCOUNTED},
    "accounting": {
        "boxes_short": ["d7-0-box-1"],
        "boxes_to_sign": ["d7-1-box-1"],
        "audit": [AUDIT],
        "boxes_uncounted": UNCOUNTED,
        "access_review": [REVIEW],
    },
    "auditor": {
        "boxes_short": ["d7-0-box-1"],
        "disputes_to_rule": ["1"],
        "audit": [AUDIT],
        "boxes_uncounted": UNCOUNTED,
        "access_review": [REVIEW],
    },
    "admin": {"access_review": [REVIEW]},
    "cage": {},
}


@pytest.mark.parametrize("role", EXPECTED)
def test_what_waits_is_what_the_role_acts_on(home: Any, role: str):
    found = names(home(f"{role}-7", role))
    if "disputes_to_rule" in found:
        found["disputes_to_rule"] = [str(len(found["disputes_to_rule"]))]  # its name is drawn
    assert found == EXPECTED[role]


def test_what_is_late_or_short_comes_first_and_leads_to_where_it_is_done(home: Any):
    first, *_ = home("floor-7", "floor")["waiting"]
    assert (first["kind"], first["urgent"], first["things"][0]["late"]) == ("disputes_to_rule", True, True)
    assert first["things"][0]["page"] == f"/disputes/{first['things'][0]['name']}"
    short, *_ = home("accounting-7", "accounting")["waiting"]
    assert (short["things"][0]["note"], short["things"][0]["page"]) == ("$0.50 short", "/drop/d7-0-box-1")
    (counting,) = home("counter-7", "counter")["waiting"]
    assert [thing["page"] for thing in counting["things"]] == [f"/drop/{box}/count" for box in UNCOUNTED]
    assert "differ" in counting["things"][1]["note"]
    (own,) = home("dealer-7", "terminal", "d0-0")["waiting"]
    assert own["things"][0]["page"] == "/dealer/d0-0"


def test_a_box_waits_for_nobody_who_has_counted_it(home: Any):
    assert names(home("count-1", "counter")) == {"boxes_to_count": ["d1-0-box-1"]}


def test_figures_of_the_last_day_are_beside_the_day_and_the_week_before(home: Any):
    found = home("accounting-7", "accounting")["figures"]
    figures = {one["name"]: (one["of_day"], one["day_before"], one["week_before"]) for one in found["figures"]}
    assert figures["rounds"] == (2, 1, 3)
    assert figures["fees"] == ("2.74", "1.37", "4.11")
    assert figures["open_disputes"] == (1, 0, 0)
    assert figures["drop"] == ("2.24", None, None)  # of the boxes that came off on the day, those that are counted
    floor = home("floor-7", "floor")["figures"]["figures"]
    assert {one["name"] for one in floor} == {"rounds", "fees", "shortfall", "open_disputes"}


def test_whoever_may_count_gets_no_figure_and_nothing_of_play(home: Any):
    """In another role too, while a box is uncounted."""
    assert home("both-7", "counter")["figures"] is None
    found = home("both-7", "floor")
    assert (found["figures"], names(found)) == (None, {"boxes_uncounted": UNCOUNTED})

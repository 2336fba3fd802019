"""Finding hands, and the floor as it is now."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import httpx
import psycopg
import pytest
from playwright.sync_api import Page, expect

from api.pages.search.hands import PAGE_SHOWN, HandsFilters
from domain.rules.terms import NO_TERMS
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor
from tests.api.operations import OPERATIONS
from tests.api.pages.conftest import Site
from tests.projections.simulated_floor import NOON_MS


@pytest.fixture
def http(site: Site) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=site.url, headers={"Accept": "application/json"}, timeout=60) as client:
        yield client


def test_a_search_finds_what_the_operation_finds(http: httpx.Client, site: Site):
    query = {"table": site.known["table"], "status": "settled"}
    page = http.get("/hands", params=query).json()
    asked = http.get("/v1/rounds", params=query).json()
    assert [row["round"] for row in page["rounds"]] == [row["round"] for row in asked["rounds"]]
    assert page["rounds"]


def test_a_search_is_an_address_that_its_form_makes(site: Site, page: Page):
    page.goto(f"{site.url}/hands")
    page.get_by_label("Table").fill(site.known["table"])
    page.get_by_text("More filters").click()
    page.get_by_label("Status").select_option("settled")
    page.get_by_label("Wagered at least").fill("1")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**/hands?*")
    assert f"table={site.known['table']}" in page.url
    expect(page.get_by_label("Status")).to_have_value("settled")
    found = http_rounds(site, {"table": site.known["table"], "status": "settled", "least": "1.00"})
    links = page.locator("#found tbody tr td:first-child > a")
    assert [link.inner_text() for link in links.all()] == found
    assert "table=" in (links.first.get_attribute("href") or "")


def http_rounds(site: Site, query: dict[str, str]) -> list[str]:
    found = httpx.get(f"{site.url}/v1/rounds", params=query).json()
    return [row["round"] for row in found["rounds"]]


def test_times_are_those_of_the_property(http: httpx.Client):
    day = http.get("/hands").json()["rounds"][0]["opened_at"][:10]
    summer = http.get("/hands", params={"from": f"{day}T00:00"}).json()
    exact = http.get("/v1/rounds", params={"from": f"{day}T00:00:00-07:00", "limit": str(PAGE_SHOWN)}).json()
    assert [row["round"] for row in summer["rounds"]] == [row["round"] for row in exact["rounds"]]


@pytest.mark.parametrize(
    "query", [{"from": "2026-02-31T00:00"}, {"least": "a lot"}, {"table": "No Table"}, {"day": "today"}, {"seat": "17"}]
)
def test_what_cannot_be_searched_for_is_said(http: httpx.Client, query: dict[str, str]):
    answer = http.get("/hands", params=query)
    assert answer.status_code == 400
    assert next(iter(query)) in answer.json()["detail"]
    assert http.get("/hands", params=query, headers={"Accept": "text/html"}).status_code == 400


@pytest.mark.parametrize(
    ("address", "reason", "kept"),
    [
        ("/hands?table=t-1&least=much", "“least” is an amount with two decimals, like 12.50.", 'value="t-1"'),
        ("/collections?first=2026-09-22&last=2026-09-21", "", 'value="2026-09-22"'),
        ("/people?like=%27%3C", "“like”", "value=\"&#39;&lt;\""),
        ("/drop?table=Not+an+id", "", 'value="Not an id"'),
    ],
)  # fmt: skip
def test_a_search_that_cannot_be_read_comes_back_with_what_was_filled_in(
    http: httpx.Client, address: str, reason: str, kept: str
):
    refused = http.get(address, headers={"Accept": "text/html"})
    assert refused.status_code in (400, 409)
    assert reason in refused.text
    assert "Everything is shown below, without filters." in refused.text
    assert kept in refused.text
    assert http.get(address).json()["code"] in ("bad_document", "bad_choice")  # its twin refuses it


def test_an_export_of_what_cannot_be_searched_for_is_no_file(http: httpx.Client):
    refused = http.get("/hands/export?least=much&format=csv", headers={"Accept": "text/html"})
    assert refused.status_code == 400
    assert "text/html" in refused.headers["content-type"]


def test_an_export_has_every_round_of_the_search(http: httpx.Client, site: Site):
    query = {"ruleset": site.known["ruleset"]}
    found = http_rounds(site, {**query, "limit": "500"})
    text = http.get("/hands/export", params={**query, "format": "csv"})
    assert text.headers["content-disposition"] == 'attachment; filename="hands.csv"'
    assert [row["round"] for row in csv.DictReader(io.StringIO(text.text))] == found
    values = http.get("/hands/export", params={**query, "format": "json"}).json()
    assert [row["round"] for row in values["rounds"]] == found


def test_older_rounds_go_on_where_the_page_ended(http: httpx.Client, site: Site):
    everything = http_rounds(site, {"limit": "500"})
    first = http.get("/v1/rounds", params={"limit": "10"}).json()
    rest = http.get("/hands", params={"cursor": first["cursor"]}).json()
    assert [row["round"] for row in rest["rounds"]] == everything[10 : 10 + PAGE_SHOWN]


# ---- the floor


def test_the_floor_has_every_table_and_its_last_round(http: httpx.Client, site: Site):
    floor = http.get("/floor").json()
    table = next(one for one in floor["tables"] if one["table"] == site.known["table"])
    assert table["ruleset"] == site.known["ruleset"]
    assert table["open"]
    result = http.get(f"/v1/rounds/{table['round']['id']}").json()
    assert table["round"]["version"] == result["version"]
    assert table["round"]["status"] == result["status"]
    assert table["round"]["collected"] == result["bank"]["collected"]
    page = http.get("/floor", headers={"Accept": "text/html"}).text
    banked = [one["round"] for one in floor["tables"] if one["round"] and one["round"]["bank"]]
    shares = [float(one["bank"]["wager"]) / float(one["liability"]) for one in banked if one["liability"] is not None]
    assert any(share < 0.01 for share in shares)
    assert page.count("covers less than 1 %") == sum(share < 0.01 for share in shares)


def test_the_floor_follows_what_happens(site: Site, page: Page):
    page.goto(f"{site.url}/floor")
    expect(page.locator("#live")).to_have_text("live")
    expect(page.get_by_role("heading", name="new-table")).to_have_count(0)
    floor, actor = Floor(site.ledger), Actor("floor-1", NOON_MS)
    floor.open_session("new-table", "uth-house", NO_TERMS, {}, actor)
    expect(page.get_by_role("heading", name="new-table")).to_be_visible()
    opened = site.ledger.open_round("new-table", {"round": "new-table-1"}, actor)
    shown = page.get_by_role("article", name="new-table")
    link = shown.get_by_role("link", name="1", exact=True)  # the round's id without its table's
    link.focus()
    bets = [{"do": "bet", "seat": 1, "spot": spot, "amount": "25.00"} for spot in ("ante", "blind")]
    site.ledger.act(opened.id, bets, actor)
    expect(shown).to_contain_text("$50.00, 1 seat")
    expect(link).to_be_focused()  # whoever goes by keyboard keeps their place
    site.ledger.act(opened.id, [{"do": "void", "reason": "misdeal"}], actor)
    expect(shown).to_contain_text("void")
    floor.close_session("new-table", actor)
    expect(shown).to_contain_text("closed")


def test_the_page_has_every_filter_of_the_operation():
    (operation,) = (one for one in OPERATIONS if one.name == "findRounds")
    names = {field.alias or name for name, field in HandsFilters.model_fields.items()}
    assert names == {param.name for param in operation.params} - {"limit", "cursor", "counts"}


def test_the_shifts_of_a_table_are_counted_as_its_hands_are(site: Site, http: httpx.Client):
    http.get("/floor")
    counted = (
        "SELECT gaming_day, shift, table_id, count(*), count(*) FILTER (WHERE status = 'void'), "
        "count(*) FILTER (WHERE shortfall > 0), count(*) FILTER (WHERE corrected > 0), "
        "count(*) FILTER (WHERE notes > 0) "
        "FROM projections.hands GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    )
    http.get("/hands")
    with psycopg.connect(site.database_url) as connection:
        shifts = connection.execute("SELECT * FROM projections.tables_shifts ORDER BY 1, 2, 3").fetchall()
        assert shifts == connection.execute(counted).fetchall()

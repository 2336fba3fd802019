"""Collections, trays, days and reports: what they show, where they lead, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.pages.conftest import PASSWORD, WAIT_MS, Site

DAY = "2026-09-21"
SignIn = Callable[[Site, str], None]


def twin(site: Site, path: str) -> dict[str, Any]:
    answer = httpx.get(site.url + path, headers={"Accept": "application/json"}, timeout=60)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_day_of_fees_is_reached_from_the_chart_and_saved(site: Site, page: Page):
    page.goto(f"{site.url}/collections")
    page.get_by_role("group", name="Net fees by day and shift").get_by_role("link").first.click()
    page.wait_for_url(f"{site.url}/collections?first={DAY}&last={DAY}")
    lines = page.get_by_role("region", name="Every line of the day")
    leads_to = lines.get_by_role("link", name="hands").first.get_attribute("href") or ""
    assert leads_to.startswith(f"/hands?day={DAY}&shift=day&table=")
    with page.expect_download() as started:
        page.get_by_role("link", name="csv", exact=True).click()
    saved = started.value.path().read_text(encoding="utf-8").splitlines()
    assert len(saved) == 1 + lines.locator("tbody tr").count()


def test_the_figures_of_pages_agree_with_each_other(site: Site):
    fees = twin(site, f"/collections?first={DAY}&last={DAY}")
    day = twin(site, f"/days?gaming_day={DAY}")
    assert fees["totals"]["net"] == day["totals"]["net_fees"]
    balances = twin(site, "/reports/trial-balance")
    assert balances["totals"]["balance"] == "0.00"
    short = twin(site, f"/drop/{site.known['short_box']}")
    walked = short["walked"]
    assert short["box"]["variance"] == "-5.00"
    assert sum(Decimal(slip["dropped"]) for slip in walked["slips"]) == Decimal(short["box"]["expected"])
    assert sum(tier["rounds"] for tier in walked["tiers"]) == len(walked["slips"]) == short["box"]["fees"]


def test_days_lead_to_each_other_and_not_beyond_today(site: Site):
    assert (
        twin(site, f"/days?gaming_day={DAY}")["after"] == f"/days?gaming_day={date.fromisoformat(DAY) + timedelta(1)}"
    )
    today = twin(site, "/days")
    assert today["after"] is None
    assert twin(site, today["before"])["after"] == f"/days?gaming_day={today['gaming_day']}"
    assert twin(site, "/days?gaming_day=0001-01-01")["before"] is None


def test_a_page_as_it_stood_before_anything_was_recorded(site: Site):
    fees = twin(site, "/collections?as_of=2020-01-01T12:00")
    assert fees["totals"]["rounds"] == 0
    assert fees["asked"]["as_of"] == "2020-01-01T12:00:00-08:00"
    assert twin(site, "/reports/journal?as_of=2020-07-01T12:00")["rows"] == []


def test_a_long_report_begins_with_few_rows_and_leads_to_more(site: Site):
    few = twin(site, "/reports/journal")
    assert few["cut"]
    assert few["more"] == "/reports/journal?rows=200"
    many = twin(site, few["more"])
    assert many["rows"][: len(few["rows"])] == few["rows"]
    assert len(many["rows"]) > len(few["rows"])
    assert many["more"] is None


def test_slips_are_those_of_one_box(site: Site):
    shown = twin(site, "/reports/slips")
    assert shown["rows"]
    assert {row["box"] for row in shown["rows"]} == {shown["asked"]["box"]}
    table = twin(site, f"/drop/{site.known['uncounted_box']}")["box"]["table"]
    of_table = twin(site, f"/reports/slips?table={table}")
    assert twin(site, f"/drop/{of_table['asked']['box']}")["box"]["table"] == table


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/collections?first=yesterday", 400),
        ("/collections?first=2026-09-22&last=2026-09-21", 409),
        ("/collections?as_of=noon", 400),
        ("/drop?status=lost", 400),
        ("/drop/b-none", 404),
        ("/drop/b-none/count", 404),
        ("/drop/NO", 404),
        ("/days?gaming_day=2026-13-01", 400),
        ("/reports/profits", 404),
        ("/reports/journal?first=x", 400),
        ("/reports/journal?from=0001-01-01T00:00", 400),
        ("/hands?to=9999-12-31T23:59", 400),
        ("/days?as_of=9999-12-31T23:59", 400),
        ("/days?gaming_day=0001-01-01", 200),  # a day like any other, on which nothing happened
        ("/days?gaming_day=9999-12-31", 200),
        (f"/disputes/d-1?fact={'1' * 5000}", 400),
        (f"/disputes/d-1?place=1.{'1' * 5000}:1&card=As", 400),
    ],
)
def test_nonsense_in_an_address_is_refused_in_words(site: Site, path: str, status: int):
    answer = httpx.get(site.url + path, headers={"Accept": "text/html"}, timeout=60)
    assert answer.status_code == status
    assert "<h1>" in answer.text


def test_a_tray_is_counted_by_two_people_on_its_page(site: Site, page: Page):
    page.goto(f"{site.url}/trays")
    page.get_by_role("link", name="Count a tray").click()
    page.get_by_label("Table", exact=True).select_option("uth-house-s7-t1")
    page.get_by_label("$1,000.00", exact=True).fill("20")
    page.get_by_label("$0.50", exact=True).fill("3")
    expect(page.locator("#total")).to_have_text("$20,001.50")
    page.get_by_label("Staff id").fill("floor-2")
    page.get_by_role("button", name="Store the count").click()
    said = "The opening count of table uth-house-s7-t1 is stored: $20,001.50."
    expect(page.get_by_role("status")).to_have_text(said)
    expect(page.get_by_role("region", name="Counts of trays")).to_contain_text("$20,001.50")


def test_a_form_that_names_another_table_is_another_form(site: Site):
    tables = [f"uth-house-s7-t{number}" for number in (2, 1)]
    with httpx.Client(base_url=site.url, headers={"Accept": "text/html"}, timeout=60) as http:
        page = http.get("/trays/count").text
        sent = {name: page.partition(f'name="{name}" value="')[2].partition('"')[0] for name in ("csrf", "key")}
        sent |= {"when": "opening", "n-100.00": "199", "second_person": "floor-2"}
        named = (tables[0], *tables)
        first, again, other = (http.post("/trays/count", data={**sent, "table": table}) for table in named)
    assert first.status_code == again.status_code == 303
    assert other.status_code == 422  # and not reply that what was stored of the first table is stored of this one


def test_a_fill_goes_from_the_request_to_the_paper(locked: Site, page: Page, sign_in: SignIn):
    sign_in(locked, "floor-1")
    page.goto(f"{locked.url}/cage")
    page.get_by_role("link", name="Ask for a fill or a credit").click()
    page.get_by_label("Table", exact=True).select_option("uth-house-s7-t1")
    page.get_by_label("$100.00", exact=True).fill("20")
    page.get_by_role("button", name="Ask the cage").click()
    expect(page.get_by_role("status")).to_contain_text("has been asked for a fill")
    assert page.get_by_role("link", name="Issue", exact=False).count() == 0
    sign_in(locked, "cage-1")
    page.goto(f"{locked.url}/cage")
    page.get_by_role("region", name="Waiting for the cage").get_by_role("link", name="Issue").last.click()
    page.get_by_label("Staff id").fill("both-1")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Issue the fill").click()
    expect(page.get_by_role("status")).to_contain_text("is issued")
    expect(page.get_by_role("region", name="Pieces").locator("tfoot")).to_contain_text("$2,000.00")
    with page.expect_download() as found:
        page.get_by_role("link", name="Print in two parts").click()
    assert found.value.suggested_filename.startswith("slip-0")
    page.get_by_role("link", name="Void").click()
    page.get_by_label("Why").fill("Brought to another table.")
    page.get_by_label("Staff id").fill("both-1")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Void the fill").click()
    expect(page.get_by_role("status")).to_contain_text("is void")
    expect(page.locator("main")).to_contain_text("Brought to another table.")


def test_a_count_works_without_scripts(site: Site, browser: Browser):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.goto(f"{site.url}/drop/{site.known['uncounted_box']}/count")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_contain_text("No piece has been entered")
    page.get_by_label("$1.00", exact=True).fill("4")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("region", name="Your count").locator("tfoot")).to_contain_text("$4.00")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_label("$1.00", exact=True)).to_have_value("4")
    twin = httpx.get(f"{site.url}/drop/{site.known['uncounted_box']}/count?format=json").json()
    assert twin["box"]["counts"] == 0, "nothing is stored before it was confirmed"
    page.get_by_label("$1.00", exact=True).fill("3")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Store my count").click()
    expect(page.get_by_role("status")).to_contain_text("is stored: $3.00")
    context.close()


def test_roles_see_the_reports_that_are_theirs(locked: Site, page: Page, sign_in: SignIn):
    sign_in(locked, "cage-1")
    page.goto(f"{locked.url}/reports")
    assert page.locator("main h2").all_inner_texts() == ["Bankroll", "Cash log", "Cash moves"]
    sign_in(locked, "floor-1")
    page.goto(f"{locked.url}/trays")
    expect(page.get_by_role("link", name="Count a tray")).to_be_visible()
    assert page.get_by_role("region", name="Table inventory").count() == 0
    sign_in(locked, "auditor-1")
    page.goto(f"{locked.url}/drop/{locked.known['short_box']}")
    expect(page.get_by_role("heading", name="Where $5.00 may have gone")).to_be_visible()
    assert page.get_by_role("button", name="Sign off").count() == 0

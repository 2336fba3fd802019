"""The settings of the property, and what a service without authentication says of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.api.pages.conftest import Site, serving
from tests.databases import migrated_database
from tests.projections.export.pdf_text import pages


@pytest.fixture
def fresh(server_url: str) -> Iterator[Site]:
    """A ledger of its own: gaming days, once set, stay."""
    with migrated_database(server_url) as url, serving(url) as site:
        yield site


def test_gaming_days_are_set_from_a_future_day_on(fresh: Site, page: Page):
    day = (datetime.now(UTC) + timedelta(days=3)).date()
    page.goto(f"{fresh.url}/settings")
    expect(page.get_by_label("Shift 1", exact=True)).to_have_value("day")
    page.get_by_label("From gaming day").fill(day.isoformat())
    page.get_by_label("Time zone").select_option("America/New_York")
    page.get_by_label("Shift 3", exact=True).fill("")
    page.get_by_label("Start of shift 3").fill("")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_role("status")).to_have_text(f"This applies from gaming day {day:%d %b %Y} on.")
    (_, stored) = httpx.get(f"{fresh.url}/settings?format=json").json()["calendars"]
    assert (stored["from"], stored["time_zone"]) == (day.isoformat(), "America/New_York")
    assert stored["shifts"] == ["day=06:00", "swing=14:00"]


def test_what_does_not_divide_a_day_is_refused_with_its_reason(fresh: Site):
    future = (datetime.now(UTC) + timedelta(days=3)).date().isoformat()
    given = {
        "do": "calendar",
        "from_day": future,
        "time_zone": "America/New_York",
        "shift_1": "day",
        "start_1": "06:00",
    }
    with httpx.Client(base_url=fresh.url, headers={"Accept": "text/html"}, timeout=60) as http:
        token = http.get("/settings").text.partition('name="csrf" value="')[2].partition('"')[0]
        for wrong, status, reason in (
            ({"time_zone": "Mars/Olympus"}, 400, 'id="r-time_zone"'),
            ({"from_day": "2020-01-01"}, 409, "from a future day on"),
            ({"shift_2": "night"}, 400, "A shift has a name and a start."),
            ({"shift_2": "day", "start_2": "14:00"}, 409, "Two shifts have the same name."),
        ):
            answer = http.post("/settings", data={**given, **wrong, "csrf": token})
            assert answer.status_code == status
            assert reason in answer.text
        (default,) = http.get("/settings?format=json").json()["calendars"]
    assert default["set_by"] is None


def test_the_property_s_name_is_on_pages_and_papers(fresh: Site, page: Page):
    page.goto(f"{fresh.url}/settings")
    expect(page).to_have_title("Settings · roundledger")
    expect(page.get_by_text("Not set yet.")).to_be_visible()
    for name, address in (("Harbour <Club>", ""), ("Harbor & Sons", "1 Example Wharf, Oakland")):
        page.get_by_label("Name of the property").fill(name)
        page.get_by_label("Address").fill(address)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("status")).to_have_text("Pages and papers show this name from now on.")
        expect(page).to_have_title(f"Settings · {name}")
        expect(page.locator(".brand")).to_have_text(name)
    stored = httpx.get(f"{fresh.url}/settings?format=json").json()
    assert [one["name"] for one in stored["names"]] == ["Harbour <Club>", "Harbor & Sons"]
    assert (stored["name"], stored["address"]) == ("Harbor & Sons", "1 Example Wharf, Oakland")
    expect(page.locator(".letterhead")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator(".letterhead")).to_have_text("Harbor & Sons 1 Example Wharf, Oakland")
    for paper in ("reports/bankroll?format=pdf", "summaries/day?format=pdf&gaming_day=2026-03-08"):
        answer = httpx.get(f"{fresh.url}/v1/{paper}", headers={"Accept": "application/pdf"}, timeout=60)
        assert pages(answer.content)[0][:2] == ["Harbor & Sons", "1 Example Wharf, Oakland"]


@pytest.mark.parametrize(
    ("sent", "field", "reason"),
    [
        ({"name": " "}, "name", "is missing"),
        ({"name": "x" * 81}, "name", "at most 80 characters"),
        ({"name": "Harbor", "address": "two\nlines"}, "address", "is one line"),
    ],
)
def test_a_name_that_no_paper_can_show_is_refused_next_to_its_field(
    site: Site, sent: dict[str, str], field: str, reason: str
):
    with httpx.Client(base_url=site.url, headers={"Accept": "text/html"}, timeout=60) as http:
        token = http.get("/settings").text.partition('name="csrf" value="')[2].partition('"')[0]
        answer = http.post("/settings", data={**sent, "do": "property", "csrf": token})
        assert answer.status_code == 400
        assert reason in answer.text.partition(f'id="r-{field}">')[2].partition("</p>")[0]
        assert http.get("/settings?format=json").json()["names"] == []


def test_only_an_admin_changes_settings(locked: Site, page: Page, sign_in: Callable[..., None]):
    sign_in(locked, "auditor-1")
    page.goto(f"{locked.url}/settings")
    expect(page.get_by_role("button", name="Set")).to_have_count(0)
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    sign_in(locked, "floor-1")
    assert page.request.get(f"{locked.url}/settings").status == 403


def test_a_service_without_authentication_says_what_that_means(fresh: Site, page: Page):
    page.goto(fresh.url)
    expect(page.get_by_role("heading", name="This service runs without authentication")).to_be_visible()
    expect(page.locator("#open-to-all")).to_contain_text("ROUNDLEDGER_TOKEN_KEY")
    page.goto(f"{fresh.url}/setup")
    expect(page.get_by_role("heading", name="The first two admins")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("set ROUNDLEDGER_TOKEN_KEY to a secret of at least 32 characters")
    expect(page.get_by_role("button", name="Make the two admins")).to_have_count(0)

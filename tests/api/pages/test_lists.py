"""Tables sort by what they mean, on the page and by the service, keep their headings, and fit a phone."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.api.pages.conftest import Site

BY_TABLE = "By table"


def amounts(cells: Locator) -> list[Decimal]:
    return [Decimal(text.replace("$", "").replace(",", "").replace("−", "-")) for text in cells.all_inner_texts()]


def test_a_table_with_more_rows_elsewhere_says_that_headings_sort_only_its_own(site: Site, page: Page):
    page.goto(f"{site.url}/hands")
    expect(page.locator("#found")).to_contain_text("There are more rows: headings sort the 25 shown here.")
    page.goto(f"{site.url}/hands?round={site.known['round']}")
    expect(page.locator("#found")).not_to_contain_text("There are more rows")


def test_a_table_sorts_money_as_money_and_back(site: Site, page: Page):
    page.goto(f"{site.url}/collections")
    frame = page.get_by_role("region", name=BY_TABLE)
    column = frame.locator("tbody tr > :nth-child(3)")
    before = amounts(column)
    for expected, direction in ((sorted(before, reverse=True), "descending"), (sorted(before), "ascending")):
        frame.get_by_role("button", name="Action").click()
        expect(frame.get_by_role("columnheader", name="Action")).to_have_attribute("aria-sort", direction)
        assert amounts(column) == expected
    assert "Total" in frame.locator("tfoot").inner_text()


def test_headings_stay_in_sight_and_a_phone_shows_rows_one_below_the_other(site: Site, page: Page):
    page.goto(f"{site.url}/reports/hands")
    frame = page.get_by_role("region", name="Hands")
    heading = frame.locator("thead th").first
    page.mouse.wheel(0, 2500)
    expect(heading).to_be_in_viewport()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site.url}/collections")
    frame = page.get_by_role("region", name=BY_TABLE)
    money = frame.locator("tbody tr").first.locator("td.number")
    assert money.count() == 5
    for cell in money.all():
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
    page.get_by_label(f"Sort by, in {BY_TABLE}").select_option(label="Net ↓")
    net = amounts(frame.locator("tbody tr > :nth-child(6)"))
    assert net == sorted(net, reverse=True)
    expect(page.get_by_label("From gaming day")).to_be_hidden()
    page.get_by_role("button", name="Filters").click()
    expect(page.get_by_label("From gaming day")).to_be_visible()
    page.goto(f"{site.url}/rounds/{site.known['round']}")
    line = page.get_by_role("region", name="Settlement lines").locator("tbody tr").first
    expect(line.locator(":scope > :first-child")).to_have_attribute("data-label", "Seat")


def report(site: Site, sort: str | None) -> Any:
    asked: dict[str, Any] = {"limit": 7} | ({} if sort is None else {"sort": sort})
    return httpx.get(f"{site.url}/v1/reports/hands", params=asked, timeout=60)


@pytest.mark.parametrize("name", ["wagered", "opened_at", "table", "shortfall"])
def test_the_service_sorts_what_is_cut(site: Site, name: str):
    everything = httpx.get(f"{site.url}/v1/reports/hands", timeout=60).json()

    def key(row: dict[str, Any]) -> Any:
        return Decimal(row[name]) if name in ("wagered", "shortfall") else row[name]

    known = [row for row in everything if row[name] is not None]
    for sort, down in ((name, False), (f"-{name}", True)):
        rows = report(site, sort).json()
        assert [key(row) for row in rows] == sorted(map(key, known), reverse=down)[:7]
    page = httpx.get(f"{site.url}/reports/hands?sort=-{name}", timeout=60).text
    assert f'href="/reports/hands?sort={name}"' in page


def test_what_is_no_column_is_refused(site: Site):
    assert report(site, "nonsense").status_code == 409
    assert report(site, "1; drop").status_code == 400

"""A ledger in which nothing has happened yet: every page says what comes next, and leads to the first round."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from projections.engine.runner import Runner
from tests.api.pages.conftest import Site, serving
from tests.api.pages.dealer_screen import Dealer
from tests.api.pages.page_checks import look_at
from tests.databases import migrated_database

WORDS = {
    "/": "First steps",
    "/floor": "No table has been opened yet. Open a table",
    "/hands": "No round has been played yet. Open a table",
    "/hands?table=t1": "No round is like that.",
    "/disputes": "Nobody has disputed a wager.",
    "/disputes/new": "Find the round under",
    "/irregular": "Nothing of that kind has happened.",
    "/collections": "No fee was taken in these days.",
    "/drop": "No box has been on a table yet.",
    "/drop?status=removed": "There are no such boxes.",
    "/drop/swap": "No table has a box.",
    "/trays": "No tray has been counted.",
    "/cage": "No slip has been written yet.",
    "/days": "None on this day.",
    "/reports/journal": "There is nothing to report yet.",
    "/people": "Nobody has bet yet.",
    "/people?of=banking&like=x": "Nobody is called that.",
    "/audit": "No audit has been run from here. Start one below",
    "/staff": "Nobody yet.",
    "/dealer": "never been open is opened there",
}


@pytest.fixture(scope="module")
def empty(server_url: str) -> Iterator[Site]:
    with migrated_database(server_url) as url:
        with Runner(url) as runner:
            runner.catch_up()  # the tables of the reports are there, and empty
        with serving(url) as site:
            yield site


@pytest.mark.parametrize("address", WORDS)
def test_a_page_without_anything_says_what_comes_next(empty: Site, address: str):
    answer = httpx.get(empty.url + address, headers={"Accept": "text/html"})
    assert answer.status_code == 200
    assert WORDS[address] in " ".join(answer.text.split())


def test_a_newcomer_comes_from_nothing_to_a_round(empty: Site, page: Page):
    page.goto(empty.url)
    look_at(page, "first-steps")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("link", name="Name a table").click()
    page.get_by_label("Table", exact=True).fill("t1")
    page.get_by_role("button", name="Go to the table").click()
    dealer = Dealer(page)
    dealer.open_table({"ruleset": "uth-casino-club", "players": {}})
    expect(page.get_by_text("Nobody is seated.")).to_be_visible()
    page.get_by_label("Bettor's id").fill("tp-1")  # what is to be done is shown unfolded
    bottoms = [page.locator(f'[data-id="{name}"]').bounding_box() for name in ("seat-bettor", "sit-down")]
    assert len({round(box["y"] + box["height"]) for box in bottoms if box}) == 1  # the button is next to its field
    page.get_by_role("button", name="Sit down").click()
    dealer.on("bank-1").click()
    page.get_by_role("button", name="Add $500").click()
    dealer.on("open-round").click()
    dealer.stored()
    page.goto(f"{empty.url}/floor")
    expect(page.get_by_role("article", name="t1")).to_contain_text("tp-1, seat 1")
    expect(page.locator("#begin")).to_have_count(0)

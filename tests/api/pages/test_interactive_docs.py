"""/docs and /redoc in a browser: without a network, within their content security policy, and silent about play."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.api.pages.conftest import Site, keep_picture

ADDRESSES = ("/docs", "/redoc", "/openapi.json")


@pytest.fixture
def elsewhere(page: Page, site: Site) -> Iterator[list[str]]:
    """Addresses outside the service that the page asked for; nothing answers there."""
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    page.route(lambda url: not url.startswith((site.url, "data:", "blob:")), refuse)
    yield asked
    assert asked == []


@pytest.mark.usefixtures("elsewhere")
def test_docs_expands_an_operation_and_sends_a_request(page: Page, site: Site):
    """On one page, which takes seconds to draw all operations."""
    page.goto(f"{site.url}/docs")
    operation = page.locator("#operations-rounds-act")
    operation.locator(".opblock-summary-control").click()
    expect(operation.locator(".opblock-description")).to_contain_text("Post actions to a round, all of them or none")
    expect(operation.get_by_text("Idempotency-Key").first).to_be_visible()
    expect(operation.get_by_role("button", name="Try it out")).to_be_visible()
    keep_picture(page, "docs")
    operation = page.locator("#operations-rounds-getRound")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_placeholder("round").fill(site.known["round"])
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table .response-col_status").last).to_contain_text("200")


@pytest.mark.usefixtures("elsewhere")
def test_redoc_shows_an_operation(page: Page, site: Site):
    page.goto(f"{site.url}/redoc")
    menu = page.get_by_role("menu").first
    menu.get_by_text("rounds", exact=True).click()
    menu.get_by_text("Act", exact=True).click()
    shown = page.locator('[id="tag/rounds/operation/act"]')
    expect(shown).to_contain_text("Post actions to a round, all of them or none")
    shown.get_by_role("button", name="409").first.click()
    expect(shown.get_by_text("application/problem+json").first).to_be_visible()
    keep_picture(page, "redoc")


def test_they_say_nothing_of_what_is_dealt(site: Site):
    """Their cards are those of the examples, whatever is dealt."""
    with httpx.Client(base_url=site.url, timeout=60) as http:
        before = [http.get(address).text for address in ADDRESSES]
        session = {"ruleset": "tcp-casino-club", "terms": {"schedule": 1}}
        assert http.post("/v1/tables/docs-1/sessions", json=session).status_code == 201
        body = {"round": "r-docs-1", "player_dealer": {"seat": 2, "wager": "500.00"}, "players": {"1": "p-1"}}
        assert http.post("/v1/tables/docs-1/rounds", json=body).status_code == 201
        actions = [
            {"do": "bet", "seat": 1, "spot": "ante", "amount": "25.00"},
            {"do": "close_bets"},
            {"do": "deal", "to": 1, "cards": ["Qs", "Qd", "4c"]},
        ]
        assert http.post("/v1/rounds/r-docs-1/actions", json={"actions": actions}).status_code == 200
        refused = http.post("/v1/rounds/r-docs-1/actions", json={"actions": actions[-1:]})
        assert [http.get(address).text for address in ADDRESSES] == before
    assert refused.status_code == 409
    said = refused.text.replace(refused.json()["request_id"], "")  # whose digits may look like a card
    assert not any(card in said for card in ("Qs", "Qd", "4c"))

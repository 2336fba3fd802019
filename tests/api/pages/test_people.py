"""The pages of people: found by id, a bankroll with its picture, turns of a player-dealer, and who may see which."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.api.pages.conftest import Site

SignIn = Callable[..., None]


def test_from_the_list_to_a_bettor_to_their_hands(site: Site, page: Page):
    page.goto(f"{site.url}/people")
    page.get_by_label("Id begins with").fill("tp-")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**like=tp-*")
    page.get_by_role("table").get_by_role("link", name="tp-1", exact=True).click()
    page.wait_for_url("**/people/tp-1")
    expect(page.get_by_role("img", name="Bankroll of tp-1")).to_be_visible()
    expect(page.get_by_role("img", name="Exposure against the player-dealer's wager")).to_be_visible()
    page.get_by_label("How far back").get_by_role("link", name="30 days").click()
    page.wait_for_url("**days=30")
    first = page.get_by_label("Moves of the bankroll").get_by_role("row").nth(1).get_by_role("link")
    round_id = first.inner_text()
    first.click()
    page.wait_for_url(f"**/rounds/{round_id}?bettor=tp-1")
    page.go_back()
    page.get_by_role("link", name="All hands").click()
    page.wait_for_url("**/hands?bettor=tp-1")
    expect(page.get_by_label("Rounds found").get_by_role("row").nth(1)).to_be_visible()


def test_turns_have_their_sums_and_lead_to_the_rounds(site: Site, page: Page):
    page.goto(f"{site.url}/people?of=banking")
    expect(page.get_by_role("link", name="Player-dealers")).to_have_attribute("aria-current", "page")
    page.get_by_role("table").get_by_role("link").first.click()
    page.wait_for_url("**/people/*")
    turn = page.get_by_label("Turns, the last one first").locator("tbody").first
    expect(turn.locator("tr.turn")).to_have_count(1)
    link = turn.get_by_role("link").first
    round_id = link.inner_text()
    link.click()
    page.wait_for_url(f"**/rounds/{round_id}")


def test_each_role_sees_what_its_reports_show(locked: Site, page: Page, sign_in: SignIn):
    for role, bankroll, banking in (("cage", True, False), ("floor", False, True), ("accounting", True, True)):
        sign_in(locked, f"{role}-1")
        page.goto(f"{locked.url}/people/tp-1")
        expect(page.get_by_role("heading", name="Bankroll over time")).to_have_count(int(bankroll))
        expect(page.get_by_role("heading", name="As player-dealer")).to_have_count(int(banking))
        answer = page.request.get(f"{locked.url}/people?of={'banking' if bankroll else 'bettors'}")
        assert answer.status == (200 if bankroll and banking else 403)
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/sign-in*")


def test_nobody_by_that_id(site: Site, page: Page):
    answer = page.request.get(f"{site.url}/people/nobody-at-all")
    assert answer.status == 404
    assert page.request.get(f"{site.url}/people/tp-1?days=5").status == 400

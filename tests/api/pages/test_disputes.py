"""A dispute in the browser: opened from a replay, looked into, ruled by others, with and without scripts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from api.pages.play import disputes as pages
from infra.access.staff import Staff, StaffMember
from infra.ledger.ledger import Actor
from tests.api.pages.conftest import PASSWORD, WAIT_MS, Site, keep_picture
from tests.projections.simulated_floor import NOON_MS
from tests.tables_in_play import bank_round

SignIn = Callable[..., None]
NUMBERS = count(1)


def settled(site: Site) -> str:
    """A round at a table of its own: seat 1 wins with aces, seat 2 folds threes."""
    number = next(NUMBERS)
    result = site.ledger.record(bank_round(f"dw-{number}", round_id=f"dw-{number}-r"), Actor("d-1", NOON_MS))
    assert result["status"] == "settled"
    return str(result["id"])


@pytest.fixture(scope="module")
def arbiters(locked: Site) -> None:
    people = Staff(locked.ledger.events.recorder.database)
    for name in ("floor-2", "floor-3"):
        people.add(StaffMember(name, "An arbiter", ("floor",), False), PASSWORD, "tests")


def open_dispute(page: Page, site: Site, round_id: str) -> str:
    page.goto(f"{site.url}/rounds/{round_id}")
    page.get_by_role("link", name="Dispute a wager").click()
    page.get_by_label("Wager").select_option(label="seat 1, seat-1, ante $10.00: win")
    page.get_by_label("Kind of error").select_option("hand reading")
    page.get_by_label("Amount claimed").fill("5")
    page.get_by_label("What the patron says is wrong").fill("The dealer read my hand too low.")
    page.get_by_role("button", name="Open the dispute").click()
    expect(page.get_by_role("status").first).to_contain_text("what is stored of the round is frozen")
    return page.url


def test_a_dispute_is_opened_from_a_replay_and_ruled_by_two_others(
    locked: Site, arbiters: None, page: Page, sign_in: SignIn, browser: Browser
):
    round_id = settled(locked)
    sign_in(locked, "floor-1")
    address = open_dispute(page, locked, round_id)
    expect(page.get_by_text("evidence unchanged")).to_be_visible()
    expect(page.get_by_text("You opened the dispute, and so you may not rule")).to_be_visible()
    page.get_by_text("A statement", exact=True).click()
    page.get_by_label("Who", exact=True).fill("dealer-7")
    page.get_by_label("As", exact=True).select_option("dealer")
    page.get_by_label("What they say").fill("I read it aloud.")
    page.get_by_role("button", name="Take the statement").click()
    expect(page.get_by_text("Statement of dealer-7 (dealer): I read it aloud.")).to_be_visible()
    page.get_by_label("This card").select_option("dealer:1")
    page.get_by_label("was the").select_option("Ks")
    page.get_by_role("button", name="Work it out").click()
    answer = page.get_by_role("region", name="Lines that would change")
    expect(answer).to_be_visible()
    keep_picture(page, "dispute-what-if")
    page.get_by_label("Keep it in the file as").fill("Had the queen been a king?")
    page.get_by_role("button", name="Keep the question").click()
    expect(page.get_by_text("Had the queen been a king?").first).to_be_visible()
    _rule_without_scripts(locked, browser, address)
    page.goto(address)
    expect(page.get_by_text("by floor-2 with floor-3").first).to_be_visible()
    entries = page.get_by_role("region", name="Ruling: entries")
    expect(entries).to_contain_text("player-dealer")
    expect(entries).to_contain_text("house")
    dossier = page.request.get(f"{address}/dossier")
    assert dossier.headers["content-type"] == "application/pdf"
    assert dossier.body().startswith(b"%PDF")
    page.goto(f"{locked.url}/disputes?status=ruled")
    expect(page.get_by_role("link", name=address.rsplit("/", 1)[1])).to_be_visible()
    page.goto(f"{locked.url}/hands?disputed=true")
    expect(page.get_by_role("link", name=round_id, exact=True)).to_be_visible()


def _rule_without_scripts(site: Site, browser: Browser, address: str) -> None:
    """Two entries, a wrong password first: the form comes back with the reason and what was filled in."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    context.set_default_timeout(WAIT_MS)
    try:
        page = context.new_page()
        page.goto(address)
        page.get_by_label("Staff id").fill("floor-2")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_label("Outcome").select_option("upheld")
        page.get_by_label("Reason", exact=True).fill("The recording shows the ace.")
        for row, (amount, account) in enumerate((("3.00", "house"), ("2.00", "player-dealer")), start=1):
            page.get_by_label(f"Wager, entry {row}").select_option(label="seat 1, seat-1, ante")
            page.get_by_label(f"Amount, entry {row}").fill(amount)
            page.get_by_label(f"Account, entry {row}").fill(account)
        page.get_by_label("Second person").fill("floor-3")
        page.get_by_label("Their password").fill("not their password")
        page.get_by_role("button", name="Rule", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("floor-3 has to sign, too")
        expect(page.get_by_label("Amount, entry 2")).to_have_value("2.00")
        page.get_by_label("Their password").fill(PASSWORD)
        page.get_by_role("button", name="Rule", exact=True).click()
        expect(page.get_by_role("status").first).to_contain_text("The ruling is stored")
        keep_picture(page, "dispute-ruled-phone")
    finally:
        context.close()


def test_a_ruling_is_given_by_keyboard_alone_and_never_by_default(
    locked: Site, arbiters: None, page: Page, sign_in: SignIn
):
    sign_in(locked, "floor-1")
    address = open_dispute(page, locked, settled(locked))
    page.context.clear_cookies()
    sign_in(locked, "floor-2")
    page.goto(address)
    outcome = page.get_by_label("Outcome")
    for _ in range(40):
        page.keyboard.press("Tab")
        if outcome.evaluate("(at) => at === document.activeElement"):
            break
    expect(outcome).to_be_focused()
    expect(outcome).to_have_value("")
    page.keyboard.press("Tab")
    page.keyboard.type("The recording shows no ace.")
    rule = page.get_by_role("button", name="Rule", exact=True)
    rule.press("Enter")
    expect(outcome).to_be_focused()  # the browser asks for it; nothing was sent
    page.keyboard.type("denied")
    rule.press("Enter")
    expect(page.get_by_role("status").first).to_have_text("The ruling is stored.")
    expect(page.get_by_text("denied", exact=True)).to_be_visible()


def test_a_slip_in_the_id_of_a_round_is_put_right_where_it_was_made(site: Site, context: BrowserContext):
    page = context.new_page()
    page.goto(f"{site.url}/disputes/new")
    page.get_by_label("Round").fill("no-such-round")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("alert")).to_have_text("There is no round no-such-round.")
    expect(page.get_by_label("Round")).to_have_value("no-such-round")
    assert httpx.get(f"{site.url}/disputes/new?round=no-such-round&format=json").status_code == 404
    page.get_by_label("Round").fill(settled(site))
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_label("Kind of error")).to_have_value("")
    page.get_by_label("Amount claimed").fill("5")
    page.locator("main form").evaluate("(form) => { form.noValidate = true; }")
    page.get_by_role("button", name="Open the dispute").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose the wager")
    for label, reason in (
        ("Wager", "Choose the wager that it is about."),
        ("What the patron says is wrong", "“claim” is missing."),
    ):
        expect(page.get_by_label(label)).to_have_accessible_description(reason)
        expect(page.get_by_label(label)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Amount claimed")).to_have_value("5")


def test_an_auditor_reads_and_finds_no_form(locked: Site, page: Page, sign_in: SignIn):
    sign_in(locked, "auditor-1")
    page.goto(f"{locked.url}/disputes/{locked.known['dispute']}")
    expect(page.get_by_role("heading", name="What the rules say, and what was paid")).to_be_visible()
    assert page.get_by_role("button", name="Take the statement").count() == 0
    assert page.get_by_role("button", name="Work it out").count() == 1
    page.goto(f"{locked.url}/disputes")
    assert page.get_by_role("link", name="Open a dispute").count() == 0


def test_facts_that_could_not_have_been_and_odd_input_are_explained(site: Site, context: BrowserContext):
    page = context.new_page()  # not watched: the browser notes in its console that something was refused
    address = open_dispute(page, site, settled(site))
    page.goto(f"{address}?place=dealer:1&card=As")
    expect(page.get_by_text("That is impossible")).to_be_visible()
    page.goto(f"{address}?fact=999&choice=fold")
    expect(page.get_by_role("alert")).to_contain_text("Choose the bet or decision")
    page.goto(address)
    page.get_by_label("This card").select_option("dealer:1")
    page.get_by_role("button", name="Work it out").click()
    expect(page.locator("#what-if .refused")).to_contain_text("Choose both")  # where the page was left, not at its top
    expect(page.locator("#what-if .refused")).to_be_in_viewport()
    expect(page.get_by_label("This card")).to_have_value("dealer:1")
    page.goto(address)
    page.get_by_text("Another deadline", exact=True).click()
    page.get_by_label("To be ruled by").fill("2001-01-01T00:00")
    page.get_by_label("Why", exact=True).first.fill("Sooner.")
    page.get_by_role("button", name="Move the deadline").click()
    past = "The deadline is in the past: 01 Jan 2001 00:00:00. disputes/what-is-in-a-file"  # by the property's clock
    expect(page.get_by_role("alert")).to_have_text(past)
    expect(page.get_by_label("To be ruled by")).to_have_value("2001-01-01T00:00")
    expect(page.get_by_label("To be ruled by")).to_be_visible()  # not folded away again


def test_a_long_list_goes_on_page_by_page(site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pages, "ROWS_SHOWN", 1)
    seen, address = list[str](), "/disputes"
    with httpx.Client(base_url=site.url, headers={"Accept": "application/json"}, timeout=60) as http:
        while address is not None:
            page = http.get(address).json()
            (row,) = page["disputes"]
            assert page["newest"] == ("/disputes?" if seen else None)
            seen.append(row["dispute"])
            address = page["older"]
    assert len(seen) == len(set(seen)) == page["counts"]["all"]


def test_irregular_patterns_lead_to_hands(site: Site, page: Page):
    page.goto(f"{site.url}/irregular")
    link = page.get_by_role("region", name="Payments that differ").get_by_role("link").first
    round_id = link.inner_text()
    link.click()
    page.wait_for_url(f"{site.url}/rounds/{round_id}")
    page.goto(f"{site.url}/irregular?report=voids")
    page.get_by_role("link", name="the hands").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hands")
    assert "dealer=nobody" in page.url


def test_a_wager_that_was_taken_back_can_be_supposed_otherwise():
    facts: list[dict[str, Any]] = [
        {"do": "bet", "seat": 1, "spot": "pair_plus", "amount": "15.00"},
        {"do": "withdraw", "seat": 1, "spot": "pair_plus", "amount": "5.00", "bettor": "p-1"},
        {"do": "close_bets"},
    ]
    assert pages.bets_and_decisions(facts) == [
        ("0", "seat 1 bets pair plus $15.00"),
        ("1", "seat 1, p-1 takes back pair plus $5.00"),
    ]

"""Tasks of those who use the pages, done by labels alone, in no more steps than were planned.

A step is whatever somebody does with a hand: fill in or choose something, click, press a key. Looking is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from domain.disputes import disputes
from domain.moments import DAY_MS
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.ledger import Actor
from tests.api.pages.conftest import Site
from tests.projections.simulated_floor import NOON_MS


class Hand:
    """Does one step at a time, and counts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps = 0

    def fills(self, label: str, text: str) -> None:
        self.steps += 1
        self.page.get_by_label(label, exact=True).fill(text)

    def chooses(self, label: str, words: str) -> None:
        self.steps += 1
        self.page.get_by_label(label, exact=True).select_option(label=words)

    def clicks(self, role: Any, name: str, *, exact: bool = True) -> None:
        self.steps += 1
        self.page.get_by_role(role, name=name, exact=exact).first.click()

    def presses(self, key: str) -> None:
        self.steps += 1
        self.page.keyboard.press(key)


@contextmanager
def at_most(page: Page, steps: int) -> Iterator[Hand]:
    hand = Hand(page)
    yield hand
    assert hand.steps <= steps


def complaint(site: Site) -> tuple[dict[str, Any], dict[str, Any]]:
    """A round in which somebody raised on the flop and lost, and their part in it."""
    query = {"happened": "raise flop", "net_most": "-10.00", "sort": "lost"}
    round_ = httpx.get(f"{site.url}/v1/rounds", params=query).json()["rounds"][0]
    return round_, round_["people"][0]


def test_find_the_complaint_and_walk_to_its_replay(site: Site, page: Page):
    """Somebody says on the telephone: Monday morning, at that table, I raised on the flop and lost about so much."""
    round_, patron = complaint(site)
    about = str(round(-Decimal(patron["net"])))
    page.goto(f"{site.url}/")
    with at_most(page, 8) as hand:
        hand.clicks("link", "Hands")
        hand.fills("Table", round_["table"])
        hand.chooses("Weekday", "Monday")
        hand.chooses("Time of day", "morning, 5 to 12 h")
        hand.chooses("Somebody", "raised on the flop")
        hand.fills("Lost about", about)
        hand.clicks("button", "Search")
        row = page.get_by_role("row").filter(has_text=round_["round"]).filter(has_text=patron["bettor"])
        expect(row).to_contain_text(f"seat {patron['seats'][0]}")
        expect(row).to_contain_text("raise flop")
        hand.clicks("link", round_["round"])
    expect(page.get_by_role("heading", name=f"Round {round_['round']}")).to_be_visible()
    expect(page.get_by_role("heading", name="Why")).to_be_visible()


def test_the_box_on_every_page_goes_straight_to_the_thing(site: Site, page: Page):
    page.goto(f"{site.url}/rules")
    with at_most(page, 2) as hand:
        hand.fills("Find anything", site.known["round"].upper())
        hand.presses("Enter")
        page.wait_for_url(f"**/rounds/{site.known['round']}")
    with at_most(page, 3) as hand:
        hand.fills("Find anything", site.known["table"][:-1])
        expect(page.locator("#s-find option").first).to_have_attribute("value", site.known["round"])
        hand.presses("Enter")
        hand.clicks("link", site.known["table"])
        page.wait_for_url(f"**/hands?table={site.known['table']}")
    for typed, leads in (("d-1", "**/disputes/d-1"), ("collec", "**/collections"), ("21 Sep 2026", "**/find?q=*")):
        page.get_by_label("Find anything").fill(typed)
        page.keyboard.press("Enter")
        page.wait_for_url(leads)
    expect(page.get_by_role("link", name="2026-09-21")).to_have_count(2)


def test_where_nothing_is_found_the_page_says_which_filter_is_in_the_way(site: Site, page: Page):
    table = site.known["table"]
    page.goto(f"{site.url}/hands?table={table}&happened=void&also=insurance&lost_about=90000")
    expect(page.get_by_text("No round is like that.")).to_be_visible()
    page.goto(f"{site.url}/hands?table={table}&lost_about=90000")
    expect(page.get_by_text("No round is like that.")).to_be_visible()
    page.get_by_role("link", name="the loss").click()
    page.wait_for_url(f"**/hands?table={table}")
    expect(page.get_by_role("row").nth(1)).to_be_visible()


def test_where_an_id_is_not_whole_the_page_names_those_that_begin_so(site: Site, page: Page):
    table = site.known["table"]
    page.goto(f"{site.url}/hands?table={table[:-1].upper()}&status=settled")
    page.get_by_role("link", name=table, exact=True).click()
    page.wait_for_url(f"**/hands?table={table}&status=settled")
    expect(page.get_by_role("row").nth(1)).to_be_visible()


def test_rule_a_dispute_with_the_hand_in_sight(site: Site, page: Page):
    """What would have been is beside the ruling, and the account is one that there is."""
    round_, patron = complaint(site)
    line = next(line for line in site.ledger.load(round_["round"]).round.lines if line.bettor == patron["bettor"])
    claim = disputes.Claim(line.seat, line.spot, "payout", 5_00, "That was my card.", NOON_MS + 1000 * DAY_MS)
    Disputes(site.ledger).open(round_["round"], claim, Actor("floor-8", NOON_MS + DAY_MS), "d-new")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{site.url}/")
    with at_most(page, 11) as hand:
        hand.clicks("link", "Disputes")
        hand.clicks("link", "d-new")
        in_question = page.locator(".place-shown.in-question")
        expect(in_question).to_have_count(1)
        expect(in_question.get_by_text("in question")).to_be_visible()
        hand.chooses("This card", page.locator("#f-place option").nth(1).inner_text())
        hand.chooses("was the", "ace of spades")
        hand.clicks("button", "Work it out")
        what_if, rule = page.locator("#what-if").bounding_box(), page.locator("form:has(#f-outcome)").bounding_box()
        assert what_if is not None
        assert rule is not None
        assert rule["x"] > what_if["x"] + what_if["width"] - 1
        hand.chooses("Outcome", "upheld")
        hand.fills("Reason", "The recording shows it.")
        hand.fills("Amount, entry 1", "5")
        hand.fills("Account, entry 1", "house")
        hand.fills("Second person", "floor-3")
        hand.clicks("button", "Rule")
    expect(page.get_by_text("The ruling is stored.")).to_be_visible()
    expect(page.get_by_role("region", name="Ruling: entries")).to_contain_text("house")

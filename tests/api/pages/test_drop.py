"""The drop in a browser: a short box walked back to its rounds, boxes counted blind, signed off and swapped."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from infra.access.staff import Staff, StaffMember
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor
from tests.api.pages.conftest import PASSWORD, WAIT_MS, Site, watch

SignIn = Callable[[Site, str], None]
FIGURE = re.compile(r"\$\d|\d\.\d\d")  # any amount of money
NOTHING = "0.00"  # the tolerance, and a total before anything was entered


@pytest.fixture(scope="module")
def count_room(locked: Site) -> Site:
    people = Staff(locked.ledger.events.recorder.database)
    for staff_id in ("counter-2", "counter-3"):
        people.add(StaffMember(staff_id, "Counts", ("counter",), False), PASSWORD, "tests")
    return locked


class Visitor:
    """Somebody with a browser window of their own."""

    def __init__(self, browser: Browser, site: Site, staff_id: str) -> None:
        self.context = browser.new_context(viewport={"width": 820, "height": 1180})
        self.context.set_default_timeout(WAIT_MS)
        self.page = self.context.new_page()
        self.watched = watch(self.page)
        self.site = site
        self.page.goto(f"{site.url}/sign-in")
        self.page.get_by_label("Staff id").fill(staff_id)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(f"{site.url}/")

    def goto(self, path: str) -> Page:
        self.page.goto(self.site.url + path)
        return self.page

    def count(self, box: str, **pieces: int) -> None:
        page = self.goto("/drop?status=removed")
        page.get_by_role("link", name=f"Count {box}").click()
        for worth, number in pieces.items():
            page.get_by_label(worth.replace("_", ".").replace("d", "$"), exact=True).fill(str(number))
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("button", name="Store my count").click()
        expect(page.get_by_role("status")).to_contain_text(f"Your count of box {box} is stored")


@pytest.fixture
def visitor(browser: Browser, count_room: Site) -> Iterator[Callable[[str], Visitor]]:
    opened: list[Visitor] = []

    def visitor(staff_id: str) -> Visitor:
        opened.append(Visitor(browser, count_room, staff_id))
        return opened[-1]

    yield visitor
    for one in opened:
        one.watched.check()
        one.context.close()


def test_the_short_box_is_found_and_walked_back_to_its_rounds(locked: Site, page: Page, sign_in: SignIn):
    sign_in(locked, "accounting-1")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Drop").click()
    page.get_by_role("link", name="With a variance").click()
    row = page.get_by_role("row").filter(has_text="−$5.00")
    expect(row).to_have_count(1)
    row.get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Box {locked.known['short_box']}")
    expect(page.get_by_text("short; tolerance $0.00")).to_be_visible()
    expect(page.get_by_role("heading", name="Where $5.00 may have gone")).to_be_visible()
    slips = page.get_by_role("region", name="Every round behind it").get_by_role("link")
    assert slips.count() >= 2
    table = locked.known["short_box"].removesuffix("-box-1")
    for link in slips.all():
        assert re.fullmatch(rf"/rounds/{table}-\d+", link.get_attribute("href") or "")
    expected = page.locator(".tile", has_text="Expected").locator(".tile-value").inner_text()
    assert (
        page.get_by_role("region", name="Expected, by schedule and tier").locator("tfoot").inner_text().count(expected)
    )
    page.set_viewport_size({"width": 1000, "height": 120})  # lower than the tables, as a page of paper may be
    cut = """all => all.flatMap(one => [one, one.parentElement])
        .filter(one => getComputedStyle(one).overflowY != "visible").length"""
    parts = page.locator(".tall > .scroll")
    assert parts.evaluate_all(cut) > 0
    page.emulate_media(media="print")
    assert parts.evaluate_all(cut) == 0
    assert parts.evaluate_all("all => all.filter(one => one.scrollHeight > one.clientHeight + 1).length") == 0


def test_two_count_blind_a_third_where_they_differ_and_a_fourth_signs_off(
    count_room: Site, visitor: Callable[[str], Visitor]
):
    box = count_room.known["box"]
    pages = [f"/drop/{box}", f"/drop/{box}/count", "/drop", "/drop?status=removed", "/drop?status=counted", "/"]
    pages += [f"{path}{'&' if '?' in path else '?'}format=json" for path in pages]
    first, second = visitor("counter-1"), visitor("counter-2")
    for path in pages:
        if not path.startswith(f"/drop/{box}/count"):  # which has the denominations
            text = first.goto(path).locator("main, pre").first.inner_text()
            assert FIGURE.search(text.replace(NOTHING, "")) is None, path
    first.count(box, d1_00=4, d5_00=1)
    second.count(box, d1_00=3)
    for who, own, other in ((first, "9.00", "3.00"), (second, "3.00", "9.00")):
        answer = "".join(who.goto(path).content() for path in pages)
        assert own in answer
        assert f"${other}" not in answer
        assert f'"{other}"' not in answer
    # Neither may count again, and nobody may look for figures elsewhere.
    expect(first.goto(f"/drop/{box}/count").get_by_text("You have counted this box")).to_be_visible()
    first.watched.ignoring.add("403")
    for path in ("/collections", "/trays", "/days", "/reports", "/reports/drops", f"/v1/reports/drops?box={box}"):
        response = first.page.goto(count_room.url + path)
        assert response is not None
        assert response.status == 403, path
    third = visitor("counter-3")
    third.goto(f"/drop/{box}/count")
    expect(third.page.get_by_text("Two counts of this box differ")).to_be_visible()
    third.count(box, d1_00=4, d5_00=1)
    accountant = visitor("accounting-1")
    page = accountant.goto(f"/drop/{box}")
    counts = page.get_by_role("region", name="Counts by denomination")
    expect(counts.locator("tfoot")).to_contain_text("$9.00")
    expect(counts.locator("tfoot")).to_contain_text("$3.00")
    page.get_by_label("Explanation").fill("Fees of two rounds were found in the tray.")
    page.get_by_role("button", name="Sign off as accounting-1").click()
    expect(page.get_by_role("status")).to_have_text(f"Box {box} is signed off.")
    expect(page.get_by_role("heading", level=1)).to_contain_text("reconciled")


def test_a_counter_does_not_sign_off(count_room: Site, visitor: Callable[[str], Visitor]):
    counter = visitor("counter-1")
    page = counter.goto(f"/drop/{count_room.known['short_box']}")
    expect(page.get_by_text("Counted by count-8")).to_be_visible()
    assert page.get_by_role("button", name=re.compile("Sign off")).count() == 0
    assert FIGURE.search(page.locator("main").inner_text()) is None


def test_boxes_are_swapped_by_two_people(count_room: Site, visitor: Callable[[str], Visitor]):
    floor = visitor("floor-1")
    floor.watched.ignoring.add("403")
    page = floor.goto("/drop/swap")
    table = count_room.known["box_table"]
    page.get_by_label("Table", exact=True).select_option(table)
    page.get_by_label("Id of the empty box").fill(f"{table}-box-3")
    page.get_by_label("Seal number").fill("S-77")
    page.get_by_label("Staff id").fill("floor-1")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Swap the boxes").click()
    expect(page.get_by_role("alert")).to_contain_text("Two different people are needed")
    expect(page.get_by_label("Seal number")).to_have_value("S-77")
    page.get_by_label("Staff id").fill("counter-2")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Swap the boxes").click()
    expect(page.get_by_role("status")).to_contain_text(f"Box {table}-box-3 is on table {table}")


def test_a_box_is_counted_by_a_machines_file(count_room: Site, visitor: Callable[[str], Visitor], tmp_path: Path):
    table, now = count_room.known["box_table"], time.time_ns() // 1_000_000
    floor = Floor(count_room.ledger)
    box = floor.session(table).box
    assert box is not None
    floor.swap_box(table, f"{table}-box-9", "S-9", "floor-2", Actor("floor-1", now))
    accountant, first, second = (visitor(who) for who in ("accounting-1", "counter-1", "counter-2"))
    for one in (accountant, first):
        one.watched.ignoring.add("400")  # what is refused
    described = accountant.goto("/drop")
    described.get_by_role("link", name="Count machines").click()
    described.get_by_label("Machine", exact=True).fill("sorter-1")
    described.get_by_label("How its files are read").fill('denomination = "D"\npieces = ')
    described.get_by_role("button", name="Keep the description").click()
    expect(described.get_by_role("alert")).to_contain_text("line 2: this is no value")
    described.get_by_label("How its files are read").fill('denomination = "D"\npieces = "P"')
    described.get_by_role("button", name="Keep the description").click()
    expect(described.get_by_role("heading", name="sorter-1")).to_be_visible()

    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    bad.write_bytes(b"D,P\r\n5.00,many\r\n")
    good.write_bytes(b"D,P\r\n5.00,2\r\n")
    page = first.goto(f"/drop/{box}/count")
    page.get_by_role("link", name="Read it from a machine's file").click()
    page.get_by_label("Its file").set_input_files(bad)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 2, P: 'many' is not a whole number of pieces")
    page.get_by_label("Its file").set_input_files(good)
    page.get_by_role("button", name="Continue").click()
    digest = sha256(good.read_bytes()).hexdigest()
    expect(page.get_by_text(digest)).to_be_visible()
    page.get_by_role("button", name="Store my count").click()
    expect(page.get_by_role("status")).to_contain_text(f"Your count of box {box} is stored: $10.00")
    expect(second.goto(f"/drop/{box}/count").get_by_text("counter-1 has read a count")).to_be_visible()
    second.count(box, d5_00=2)
    page = accountant.goto(f"/drop/{box}")
    counts = page.get_by_role("region", name="Counts by denomination")
    expect(counts.locator("thead")).to_contain_text("file of sorter-1")
    expect(counts.locator("thead")).to_contain_text("typed")
    expect(page.get_by_text(digest)).to_be_visible()


def test_a_box_is_counted_by_keyboard_and_enter_is_the_next_line(site: Site, page: Page):
    page.goto(f"{site.url}/drop")
    waiting = page.get_by_role("navigation", name="Which boxes")
    expect(waiting.get_by_role("link", name="To be counted")).to_contain_text(re.compile(r"To be counted \d"))
    expect(page.get_by_label("In shift")).to_contain_text("swing")
    page.goto(f"{site.url}/drop/{site.known['uncounted_box']}/count")
    page.get_by_label("$500.00", exact=True).focus()
    page.keyboard.type("1")
    for _ in range(10):
        page.keyboard.press("Enter")
    expect(page.get_by_label("Pieces of the other denomination")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Continue")).to_be_focused()
    expect(page.locator("#total")).to_have_text("$500.00")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_label("The box is empty")).to_be_focused()
    twin = httpx.get(f"{site.url}/drop/{site.known['uncounted_box']}/count?format=json").json()
    assert twin["box"]["counts"] == 0, "nothing was sent"


def test_a_count_with_nonsense_comes_back_with_what_was_filled_in(site: Site, context: BrowserContext):
    page = context.new_page()
    watched = watch(page)
    watched.ignoring.add("400")
    page.goto(f"{site.url}/drop/{site.known['uncounted_box']}/count")
    page.get_by_label("$25.00", exact=True).fill("7")
    page.get_by_label("Another denomination").fill("5.00")
    page.get_by_label("Pieces of the other denomination").fill("1")
    expect(page.locator("#total")).to_have_text("$180.00")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_contain_text("$5.00 has a line of its own")
    expect(page.get_by_label("$25.00", exact=True)).to_have_value("7")
    page.get_by_label("Pieces of the other denomination").fill("1" * 5000)
    page.get_by_label("Another denomination").fill("2.50")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_contain_text("is a whole number up to 1,000,000")
    page.get_by_label("Pieces of the other denomination").fill("1")
    page.get_by_label("The box is empty").check()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_contain_text("Which is it?")
    expect(page.get_by_label("The box is empty")).to_be_checked()
    watched.check()

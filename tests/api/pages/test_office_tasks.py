"""What people come for in the office, the count room and an audit, done by labels alone, in no more steps than here.

With test_tasks.py these are ten tasks: find the complaint, find anything by its id, rule a dispute, count a box blind,
finish a disagreement, sign a box off, walk the short box, print the day, export the journal, save a search.

A step is a click, or a field that is filled in; signing in is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BytesIO

import pytest
from openpyxl import load_workbook  # type: ignore[import-untyped]
from playwright.sync_api import Browser, expect

from infra.access.staff import Staff, StaffMember
from tests.api.pages.conftest import PASSWORD, WAIT_MS, Site, watch

COUNT_A_BOX = 5  # from home: the box, two denominations, continue, store
FINISH_A_DISAGREEMENT = 5
SIGN_IT_OFF = 3  # from home: the box, the explanation, the signature
WALK_THE_SHORT_BOX = 2  # from home: the box, the round that may explain it
PRINT_THE_DAY = 3  # the page, the day before, its sheet
EXPORT_THE_JOURNAL = 3  # the page, the report, its spreadsheet
SAVE_A_SEARCH = 6  # the page, what happened, search, save it, its name, done
OPEN_IT_AGAIN = 2  # the page, its name


class Worker:
    """Somebody at home, with a browser window of their own, who counts their steps."""

    def __init__(self, browser: Browser, site: Site, staff_id: str) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 900})
        self.context.set_default_timeout(WAIT_MS)
        self.page = self.context.new_page()
        self.watched = watch(self.page)
        self.page.goto(f"{site.url}/sign-in")
        self.page.get_by_label("Staff id").fill(staff_id)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(f"{site.url}/")
        self.steps = 0

    def follow(self, name: str | re.Pattern[str]) -> None:
        self.steps += 1
        self.page.locator("main").get_by_role("link", name=name).first.click()

    def press(self, name: str) -> None:
        self.steps += 1
        self.page.get_by_role("button", name=name, exact=True).click()

    def fill(self, label: str, text: str) -> None:
        self.steps += 1
        self.page.get_by_label(label, exact=True).fill(text)

    def choose(self, label: str, words: str) -> None:
        self.steps += 1
        self.page.get_by_label(label, exact=True).select_option(label=words)

    def open(self, summary: str) -> None:
        self.steps += 1
        self.page.get_by_text(summary, exact=True).click()

    def count(self, box: str, ones: int, fives: int) -> int:
        self.follow(box)
        self.fill("$1.00", str(ones))
        self.fill("$5.00", str(fives))
        self.press("Continue")
        expect(self.page.get_by_role("region", name="Your count")).to_contain_text(f"${ones + 5 * fives}.00")
        self.press("Store my count")
        expect(self.page.get_by_role("status")).to_contain_text(f"Your count of box {box} is stored")
        return self.steps


@pytest.fixture
def at_home(browser: Browser, locked: Site) -> Iterator[Callable[[str], Worker]]:
    people = Staff(locked.ledger.events.recorder.database)
    for staff_id in ("counter-5", "counter-6", "counter-7"):
        if staff_id not in people.staff_ids():
            people.add(StaffMember(staff_id, "Counts", ("counter",), False), PASSWORD, "tests")
    opened: list[Worker] = []

    def worker(staff_id: str) -> Worker:
        opened.append(Worker(browser, locked, staff_id))
        return opened[-1]

    yield worker
    for one in opened:
        one.watched.check()
        one.context.close()


def test_a_box_is_counted_blind_and_a_disagreement_is_finished_by_a_third(
    locked: Site, at_home: Callable[[str], Worker]
):
    box = locked.known["uncounted_box"]
    assert at_home("counter-5").count(box, 4, 1) <= COUNT_A_BOX
    assert at_home("counter-6").count(box, 3, 0) <= COUNT_A_BOX
    third = at_home("counter-7")
    expect(third.page.locator("main")).to_contain_text("the counts so far differ")
    assert third.count(box, 4, 1) <= FINISH_A_DISAGREEMENT
    accountant = at_home("accounting-1")
    accountant.follow(box)
    accountant.fill("Explanation", "Fees of two rounds were found in the tray.")
    accountant.press("Sign off as accounting-1")
    expect(accountant.page.get_by_role("status")).to_have_text(f"Box {box} is signed off.")
    assert accountant.steps <= SIGN_IT_OFF


def test_the_short_box_is_walked_back_to_a_round_from_home(locked: Site, at_home: Callable[[str], Worker]):
    accountant, box = at_home("accounting-1"), locked.known["short_box"]
    expect(accountant.page.locator("main")).to_contain_text("$5.00 short")
    accountant.follow(box)
    expect(accountant.page.get_by_role("heading", name="Where $5.00 may have gone")).to_be_visible()
    accountant.follow(re.compile(rf"^{box.removesuffix('-box-1')}-\d+$"))
    expect(accountant.page.get_by_role("heading", name="Why", exact=True)).to_be_visible()
    assert accountant.steps <= WALK_THE_SHORT_BOX


def test_the_sheet_of_the_day_before_is_printed(at_home: Callable[[str], Worker]):
    accountant = at_home("accounting-1")
    accountant.follow("Days")
    accountant.follow("Day before")
    with accountant.page.expect_download() as started:
        accountant.follow("Sheet to sign (PDF)")
    assert started.value.path().read_bytes().startswith(b"%PDF-")
    assert accountant.steps <= PRINT_THE_DAY


def test_the_journal_is_taken_as_a_spreadsheet(at_home: Callable[[str], Worker]):
    accountant = at_home("accounting-1")
    accountant.follow("Reports")
    accountant.follow("Journal")
    with accountant.page.expect_download() as started:
        accountant.follow("xlsx")
    sheet = load_workbook(BytesIO(started.value.path().read_bytes())).active
    assert sheet is not None
    assert any(isinstance(cell, int | float) for row in sheet.iter_rows(values_only=True) for cell in row)
    assert accountant.steps <= EXPORT_THE_JOURNAL


def test_a_search_is_saved_and_opened_again(at_home: Callable[[str], Worker]):
    auditor = at_home("auditor-1")
    auditor.follow("Hands")
    auditor.choose("Somebody", "raised on the flop")
    auditor.press("Search")
    auditor.open("Save this search")
    auditor.fill("Name of the search", "Raises on the flop")
    auditor.press("Save")
    expect(auditor.page.get_by_role("status").first).to_contain_text("Saved as “Raises on the flop”.")
    assert auditor.steps <= SAVE_A_SEARCH
    auditor.page.get_by_role("link", name="Home").click()
    auditor.steps = 0
    auditor.follow("Hands")
    auditor.follow("Raises on the flop")
    expect(auditor.page.get_by_label("Somebody", exact=True)).to_have_value("raise flop")
    assert auditor.steps <= OPEN_IT_AGAIN

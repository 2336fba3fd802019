"""A browser for the worker; for each module the service on loopback, over a real PostgreSQL with simulated rounds."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from msgspec import Struct
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright
from psycopg.conninfo import conninfo_to_dict

from api.app import create_app
from api.service.settings import Settings
from domain.books.chart_of_accounts import starter
from domain.disputes import disputes
from domain.disputes.whatif import CardChange
from domain.moments import DAY_MS
from domain.round.corrections import Entry
from domain.round.events import PaymentReported
from infra.access.staff import Staff, StaffMember
from infra.ledger.books.charts import keep_chart
from infra.ledger.books.slips import Slips
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.ledger import Actor, Ledger
from projections.engine.runner import Runner
from tests.api.pages.boxes import LATER_MS, swapped_and_counted
from tests.databases import migrated_database, new_database
from tests.projections.simulated_floor import NOON_MS, record, simulated

KEY = "a key for the tests, and long enough to be one"
PASSWORD = "correct horse battery"
WAIT_MS = 60_000  # for whatever is waited for; a busy machine is no failure
expect.set_options(timeout=WAIT_MS)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
# The first opens a page in a quarter of the time: it is Chromium without its windows.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    named = os.environ.get("ROUNDLEDGER_TEST_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


# ---- the service


class Site(Struct):
    """A running service, and what is recorded in it."""

    url: str
    database_url: str
    ledger: Ledger
    known: dict[str, str]  # what replaces {round}, {table} … in addresses
    app: Any


@contextmanager
def serving(database_url: str, **settings: Any) -> Iterator[Site]:
    """The service in a thread, on a free port of loopback."""
    ledger = Ledger(database_url)
    app = create_app(ledger, Settings(**settings))
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() < deadline, "the service did not start"
        time.sleep(0.02)
    host, port = listening.getsockname()
    try:
        yield Site(f"http://{host}:{port}", database_url, ledger, {}, app)
    finally:
        app.state.service.stopping.set()
        server.should_exit = True
        thread.join(60)
        listening.close()
        ledger.close()


@contextmanager
def recorded(server_url: str) -> Iterator[tuple[str, dict[str, str]]]:
    """A database with some rounds of every rule set, and the ids of one of them."""
    with migrated_database(server_url) as url:
        ledger = Ledger(url)
        try:
            results = record(ledger, simulated(4))
            boxes = swapped_and_counted(ledger, sorted({result["id"].rsplit("-", 1)[0] for result in results}))
            dispute = disputed(ledger, results)
            keep_chart(ledger, starter(), Actor("acct-1", NOON_MS))
            asked = Actor("floor-8", LATER_MS)
            slip = Slips(ledger).request("fill", "uth-house-s7-t1", {100_00: 20, 25_00: 40}, asked)
        finally:
            ledger.close()
        with Runner(url) as runner:
            runner.catch_up()
        first = results[0]
        known = {"round": first["id"], "table": str(first["id"]).rsplit("-", 1)[0], "ruleset": first["ruleset"]}
        yield url, {**known, **boxes, "dispute": dispute, "slip": str(slip.number)}


def disputed(ledger: Ledger, results: list[dict[str, Any]]) -> str:
    """A dispute with something of everything in its file, on a wager that the dealer says was paid wrongly."""
    result = next(result for result in results if result["ruleset"] == "uth-club" and result["status"] == "settled")
    line = result["lines"][0]
    floor, arbiter = (Actor(by, NOON_MS + DAY_MS) for by in ("floor-8", "floor-9"))
    wager = (line["seat"], line["bettor"], 1, line["spot"])
    ledger.dealer_paid(result["id"], [PaymentReported(*wager, 99_00, 0)], floor)
    file = Disputes(ledger)
    far = NOON_MS + 1000 * DAY_MS
    claim = disputes.Claim(line["seat"], line["spot"], "payout", 5_00, "I was paid for somebody else's hand.", far)
    file.open(result["id"], claim, floor, "d-1")
    said = "I paid what I saw, and nobody said a word for ten minutes."
    file.add("d-1", lambda it: disputes.give_statement(it, "dealer-3", "dealer", said), floor)
    file.add("d-1", lambda it: disputes.refer(it, "cam-12", NOON_MS, NOON_MS + 60_000, "The payout."), floor)
    file.ask_what_if("d-1", [CardChange("dealer", 1, "As")], {}, "If the dealer's first card was an ace", floor)
    entry = Entry(line["seat"], line["bettor"], line["spot"], 2_00, "house")
    file.rule("d-1", "partly upheld", "A courtesy, because nobody read the hand.", "floor-7", [entry], far, arbiter)
    return "d-1"


@pytest.fixture(scope="session")
def recorded_once(server_url: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Nobody writes to it, nor stays connected."""
    with recorded(server_url) as found:
        yield found


@pytest.fixture(scope="module")
def recorded_url(server_url: str, recorded_once: tuple[str, dict[str, str]]) -> Iterator[tuple[str, dict[str, str]]]:
    """A copy for the module."""
    original, known = recorded_once
    with new_database(server_url, str(conninfo_to_dict(original)["dbname"])) as url:
        yield url, known


@pytest.fixture(scope="module")
def site(recorded_url: tuple[str, dict[str, str]]) -> Iterator[Site]:
    """Without authentication: the visitor may do everything."""
    url, known = recorded_url
    with serving(url) as site:
        site.known.update(known, staff="staff-1")
        Staff(site.ledger.events.recorder.database).add(
            StaffMember("staff-1", "Somebody", ("floor", "counter"), False), PASSWORD, "tests"
        )
        yield site


@pytest.fixture(scope="module")
def locked(recorded_url: tuple[str, dict[str, str]]) -> Iterator[Site]:
    """With authentication, and somebody for each role: floor-1, cage-1 … whose password is PASSWORD."""
    url, known = recorded_url
    with serving(url, token_key=KEY, setup_code="SETUP") as site:
        site.known.update(known)
        people = Staff(site.ledger.events.recorder.database)
        for role in ("floor", "cage", "counter", "accounting", "auditor", "admin"):
            people.add(StaffMember(f"{role}-1", f"One of {role}", (role,), False), PASSWORD, "tests")
        people.add(StaffMember("admin-2", "Another admin", ("admin",), False), PASSWORD, "tests")
        people.add(StaffMember("both-1", "Two parts", ("floor", "terminal:t9"), False), PASSWORD, "tests")
        yield site


# ---- the browser


@pytest.fixture(scope="session")
def playwright_() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright_: Playwright) -> Iterator[Browser]:
    program = chromium()
    if program is None:
        pytest.skip("no Chromium is installed; name one by ROUNDLEDGER_TEST_CHROMIUM")
    browser = playwright_.chromium.launch(executable_path=program, args=ARGUMENTS)
    yield browser
    browser.close()


class Watched(Struct):
    """What a page did that it should not have."""

    wrong: list[str]
    ignoring: set[str]

    def check(self) -> None:
        assert [text for text in self.wrong if not any(part in text for part in self.ignoring)] == []


def watch(page: Page) -> Watched:
    """Console errors, which policy violations are too, and exceptions."""
    watched = Watched([], set())
    page.on("console", lambda said: watched.wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: watched.wrong.append(str(error)))
    return watched


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that must not complain."""
    page = context.new_page()
    watched = watch(page)
    yield page
    watched.check()


@pytest.fixture
def sign_in(page: Page) -> Callable[[Site, str], None]:
    return partial(signs_in, page)


def signs_in(page: Page, site: Site, staff_id: str, password: str = PASSWORD) -> None:
    page.goto(f"{site.url}/sign-in")
    page.get_by_label("Staff id").fill(staff_id)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{site.url}/")


SCREENSHOTS = os.environ.get("ROUNDLEDGER_SCREENSHOTS")


def keep_picture(page: Page, name: str) -> None:
    """For people: with ROUNDLEDGER_SCREENSHOTS set, what the page looked like is kept in that folder."""
    if SCREENSHOTS:
        folder = Path(SCREENSHOTS)
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{name}.png", full_page=True)

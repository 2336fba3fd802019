"""Two screens play random rounds with random faults: nothing is lost, doubled or out of order.

Networks that drop, pages that are loaded again, answers that get lost, both entering the same or different things,
wagers that are taken back. ROUNDLEDGER_MISTAKEN_SCREENS plays so many rounds of each rule set, instead of one of one of
them. Wrong cards, and the audit of what is stored, are in tests/api/http/test_mistaken_dealers.py.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest
from playwright.sync_api import Browser, Route, expect

from domain.rules import rulesets
from infra.ledger.ledger import Actor
from infra.simulation import documents
from tests.api.http.mistaken_dealers import check
from tests.api.pages.conftest import WAIT_MS, Site
from tests.api.pages.dealer_screen import Action, Dealer, Document, as_dealt, entered
from tests.api.pages.test_dealer import HURRY

MANY = int(os.environ.get("ROUNDLEDGER_MISTAKEN_SCREENS", "0"))
RULESETS = rulesets.ids() if MANY else ("tcp-casino-club",)
FAULTS = (
    "none",
    "none",
    "dropped",
    "dropped",
    "dropped and loaded again",
    "lost",
    "loaded again",
    "same",
    "other",
    "wrong",
)
MOST_TAPPED = 6  # while the network is gone
SHOWN = """["table", "about"].map((name) => document.querySelector(`[data-part="${name}"]`).innerText).join()"""


class Screens:
    def __init__(self, browser: Browser, rng: Random) -> None:
        self.rng = rng
        self.dealers: list[Dealer] = []
        for _ in range(2):
            context = browser.new_context(viewport={"width": 1024, "height": 768})
            context.set_default_timeout(WAIT_MS)
            context.add_init_script(HURRY)
            self.dealers.append(Dealer(context.new_page()))

    def go(self, site: Site, table: str) -> None:
        for dealer in self.dealers:
            dealer.go(site.url, table)

    def agree(self) -> None:
        """Both show the same, and offer what comes after it."""
        for dealer in self.dealers:
            dealer.stored()
        deadline = time.monotonic() + WAIT_MS / 1000
        while len({dealer.page.evaluate(SHOWN) for dealer in self.dealers}) > 1:
            assert time.monotonic() < deadline, "one screen does not hear of the other"
            self.dealers[0].page.wait_for_timeout(20)
        for dealer in self.dealers:
            dealer.stored()

    def play(self, actions: list[Action]) -> None:
        left = actions
        while left:
            self.agree()
            left = left[self.enter(left) :]

    def enter(self, left: list[Action]) -> int:
        """With a fault or without; how many of the actions are stored then."""
        dealer, other = self.rng.sample(self.dealers, 2)
        action, fault = left[0], self.rng.choice(FAULTS)
        both_bet = all(one["do"] == "bet" and "kind" not in one for one in left[:2])
        match fault:
            case "dropped" | "dropped and loaded again" if action["do"] != "settle":
                return self.dropped(dealer, left, fault != "dropped")
            case "same" if action["do"] != "settle":
                return self.overtaken(dealer, other, action, action)
            case "other" if both_bet:
                return self.overtaken(dealer, other, action, left[1])
            case "wrong" if action["do"] == "bet":
                dealer.play(action)
                self.agree()
                other.play({**action, "do": "withdraw"})
                return 0
            case "lost":
                dealer.page.route("**/v1/rounds/*/actions", lose_answer, times=1)
            case "loaded again":
                dealer.page.reload()
        dealer.play(action)
        return 1

    def dropped(self, dealer: Dealer, left: list[Action], loaded_again: bool) -> int:
        """As many as are certain, while the network is gone."""
        if loaded_again:
            dealer.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        tapped = 0
        dealer.page.context.set_offline(True)
        for action in left[: self.rng.randint(1, MOST_TAPPED)]:
            if action["do"] == "settle" or not offers(dealer, action):
                break
            dealer.tap(action)
            tapped += 1
            expect(dealer.network).to_contain_text(f"{tapped} waiting")
            if loaded_again and tapped == 1:
                dealer.page.reload()
                expect(dealer.network).to_contain_text("1 waiting")
        dealer.page.context.set_offline(False)
        dealer.stored()
        return tapped

    def overtaken(self, dealer: Dealer, other: Dealer, mine: Action, theirs: Action) -> int:
        """What waits here, while the other screen enters the same or something else."""
        dealer.page.context.set_offline(True)
        waits = offers(dealer, mine)
        assert waits or mine is theirs
        if waits:
            dealer.tap(mine)
            expect(dealer.network).to_contain_text("1 waiting")
        other.play(theirs)
        dealer.page.context.set_offline(False)
        if waits:
            expect(dealer.on("stopped")).to_contain_text("Another terminal")
            dealer.on("throw-away" if mine is theirs else "send-anyway").click()
        dealer.stored()
        return 1 if mine is theirs else 2


def offers(dealer: Dealer, action: Action) -> bool:
    """Whether it is certain without the service. Then it is shown at once."""
    page, place = dealer.page, action.get("of", action.get("to"))
    expect(page.locator('[data-part="next"]')).to_have_attribute("aria-busy", "false")
    match action["do"]:
        case "bet":
            names = [f"bet-{action['seat']}-{action['spot']}"]
        case "decide":
            names = [f"decision-{action['seat']}-{action.get('hand', 1)}-{action.get('bettor', '')}"]
        case "close_bets":
            names = ["close-bets"]
        case "deal":
            names = [f"task-deal-{place}-{action.get('hand', 1)}"]
        case _:
            names = [f"reveal-{place}", f"task-reveal-{place}"]
    chosen = page.locator(
        f'[data-task="{action["do"]}-{place}"], [data-task="{action["do"]}-{place}-{action.get("hand", 1)}"]'
    )
    return any(dealer.on(name).count() for name in names) or chosen.count() > 0


def lose_answer(route: Route) -> None:
    route.fetch()
    route.abort()


@pytest.fixture
def screens(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Screens]:
    screens = Screens(browser, Random(request.node.name))
    yield screens
    for dealer in screens.dealers:
        dealer.page.context.close()


def rounds(ruleset: str) -> Iterator[Document]:
    """Without withdrawals of their own: a blind that is taken back is not entered with its ante."""
    for line in islice(documents(ruleset, 5, 1), 4 * MANY + 10):
        document = json.loads(line)
        document.get("terms", {}).get("meter", {}).pop("id", None)  # each table has a meter of its own
        if all(action["do"] != "withdraw" for action in document["actions"]):
            yield as_dealt(document)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_two_screens_with_faults_store_what_was_meant(site: Site, screens: Screens, ruleset: str):
    actor = Actor("dealer-1", time.time_ns() // 1_000_000)
    for number, document in enumerate(islice(rounds(ruleset), MANY or 1)):
        table, round_id = f"{ruleset}-faults", f"{ruleset}-faults-{number}"
        right = site.ledger.record({**document, "table": f"{table}-m", "round": f"{round_id}-m"}, actor)
        opened = site.ledger.record({**document, "table": table, "round": round_id, "actions": []}, actor)
        assert opened["status"] == "open", opened
        if not number:
            screens.go(site, table)
        for dealer in screens.dealers:
            expect(dealer.page.locator('[data-part="about"]')).to_contain_text(round_id)
        screens.play(entered(document["actions"]))
        check(site.ledger, round_id, right)

"""The dealer's screen in a real browser: whole rounds, a network that drops, a reload, two screens, no hidden card."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Literal

import msgspec
import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, Route, expect

from domain.cards import DECK
from domain.documents.document import adjudicate, read_document
from domain.documents.result import result_of
from domain.money import money
from domain.regulation.round_facts import DeckSeen, HandsHeld, MisdealNoticed, SupervisorCalled
from domain.round.actions import Bet
from domain.round.events import EntryTakenBack, PlaySupervised, WagerPlaced
from domain.round.floor_annotations import compared
from domain.round.hidden_cards import MOST_CONTRADICTIONS
from domain.round.replay import fact_documents, play
from domain.rules import rulesets
from domain.rules.adoption import Approval, Days
from domain.rules.ruleset import RuleSet
from infra.access.staff import Staff, StaffMember
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Contradicted, Ledger
from infra.simulation.patrons import draw_patron
from infra.simulation.round_play import Play, Style
from tests.api.pages.conftest import PASSWORD, WAIT_MS, Site, keep_picture, watch
from tests.api.pages.dealer_screen import SPLIT, UTH, Action, Dealer, bet, entered, four_hands
from tests.api.pages.page_checks import serious
from tests.domain.rules.own_rules import IDS, own_text

NAMELESS = {"round": None}
# A round of each rule set: bets behind a seat, tips, a progressive, insurance and surrender, cards dealt by hand.
WHOLE_ROUNDS = [json.loads(line) for line in Path(__file__).with_name("whole_rounds.jsonl").read_text().splitlines()]
SIZES = {"tablet": (1024, 768), "desktop": (1280, 800), "portrait": (768, 1024), "phone": (390, 844)}
PLAYED = [*WHOLE_ROUNDS, four_hands()]  # each size twice, in a bright room and in a dark one


# Pauses after a bet, and before something is sent again, take a tenth of their time.
HURRY = """
const wait = window.setTimeout;
window.setTimeout = (act, ms, ...rest) => wait(act, ms / 10, ...rest);
"""


# How long the screen waits for an answer is over when a test says so.
PATIENCE = """
window.waitedFor = [];
AbortSignal.timeout = () => { const one = new AbortController(); waitedFor.push(one); return one.signal; };
"""


@pytest.fixture
def dealer(context: BrowserContext) -> Dealer:
    """Whose network drops: the console says so each time, and that is no fault of the page."""
    context.add_init_script(HURRY)
    return Dealer(context.new_page())


def playing(ledger: Ledger, table: str) -> str:
    ledger.tables.forget(table)
    session = ledger.tables.get(table).session
    assert session is not None
    assert session.playing is not None
    return session.playing.round


def check_stored(ledger: Ledger, round_id: str, document: dict[str, Any], rules: RuleSet | None = None) -> None:
    """Every action exactly once and in order, and the result that a document of them has."""
    stored = ledger.load(round_id)
    facts = fact_documents(entry.event for entry in stored.entries)
    assert [fact["do"] for fact in facts] == [action["do"] for action in document["actions"]]
    if rules is None:
        wanted = adjudicate(json.dumps(document).encode())
    else:
        read = read_document(document, lambda _: rules)
        wanted = result_of(play(read.opening, read.actions)[0])
    assert {**result_of(stored.round), **NAMELESS} == {**wanted, **NAMELESS}


def keeps_nobody_out(page: Page) -> None:
    assert serious(page) == []


def resize(page: Page, size: str) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})


# In one go, because the screen may be drawn anew at any moment, and what was on it has no size then.
TOO_SMALL = """() => [...document.querySelectorAll(":is(#dealer, .heading) :is(button, summary, input, select)")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .map((one) => [one.dataset.id, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width * height > 0 && (width < 44 || height < 44))
  .map(([id]) => id)"""


# Amounts that run into the next wager, at a table's own screen.
CUT_OFF = """() => innerWidth < 768 ? [] : [...document.querySelectorAll(".cell")]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""


def fits(page: Page) -> None:
    """Whatever can be tapped is large enough for a finger, and nothing is outside the screen or its place."""
    small = page.evaluate(TOO_SMALL)
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(CUT_OFF) == []


# ---- the keyboard alone

OUTLINED = "(at) => getComputedStyle(at).outlineStyle === 'solid' && parseFloat(getComputedStyle(at).outlineWidth) >= 3"


class Keys:
    """A dealer who has no mouse: where they are can be seen, and is never lost."""

    def __init__(self, dealer: Dealer) -> None:
        self.dealer, self.page = dealer, dealer.page

    def at(self) -> str:
        focused = self.page.locator(":focus")
        expect(focused).to_have_count(1)
        assert focused.evaluate(OUTLINED)
        return str(focused.evaluate("(at) => at.dataset.id ?? at.dataset.part ?? at.textContent"))

    def reach(self, name: str) -> None:
        expect(self.dealer.on(name)).to_be_enabled()
        expect(self.dealer.on(name)).not_to_have_attribute("aria-disabled", "true")
        for _ in range(60):
            if self.page.evaluate("document.activeElement.dataset.id") == name:
                break
            self.page.keyboard.press("Tab")
        assert self.at() == name

    def press(self, name: str, key: str = "Enter") -> None:
        self.reach(name)
        self.page.keyboard.press(key)

    def turn_over(self, cards: str) -> None:
        """Typed, and sent with the last one."""
        self.page.keyboard.type(cards)
        self.dealer.stored()


def test_a_round_is_dealt_by_keyboard_alone(site: Site, dealer: Dealer):
    document = {**UTH, "players": {"1": "p-1", "3": "tp-1"}}
    page, keys = dealer.page, Keys(dealer)
    dealer.go(site.url, "by-keys")
    dealer.open_table(document)
    page.keyboard.press("Tab")
    keys.press("bank-3", "Space")
    keys.reach("amount")
    page.keyboard.type("1,000")
    page.keyboard.press("Enter")
    dealer.stored()
    assert keys.at() == "next"
    round_id = playing(site.ledger, "by-keys")

    keys.press("chip-2500")
    keys.press("bet-1-ante", "Space")
    dealer.stored()
    expect(dealer.on("bet-1-blind")).to_have_text("$25.00")  # it is equal to the ante, and entered with it
    assert keys.at() == "bet-1-ante"
    page.keyboard.press("ArrowRight")
    assert keys.at() == "bet-1-blind"
    page.keyboard.press("ArrowDown")
    assert keys.at() == "bet-2-blind"
    keys.press("close-bets")
    dealer.stored()
    keys.press("deal-all")
    dealer.stored()
    keys.press("decide-1-1--check")
    dealer.stored()

    # By its buttons, one card is named; the focus goes on to the next card.
    keys.press("card-Ah")
    assert keys.at() == "card-As"
    page.context.set_offline(True)
    page.keyboard.type("9c4s")
    expect(dealer.network).to_contain_text("No network: 1 waiting")
    page.context.set_offline(False)
    dealer.stored()

    keys.press("decide-1-1--raise-2")
    dealer.stored()
    keys.turn_over("kd3h")
    keys.turn_over("7c2d")
    keys.turn_over("asad")
    keys.press("settle")
    dealer.stored()
    keys.press("paid-otherwise")
    keys.reach("paid-1-p-1-1-ante")
    page.keyboard.press("Control+A")
    page.keyboard.type("much")
    keys.press("paid-so")
    expect(page.get_by_role("alert")).to_contain_text("What was paid: “paid” is an amount")
    keys.press("paid-as-computed")
    expect(dealer.on("paid")).to_be_visible()
    assert keys.at() == "next"
    lines = {line.spot: line.paid for line in site.ledger.load(round_id).round.lines}
    assert set(lines) == {"ante", "blind", "play"}
    assert lines["play"] == 50_00


def test_what_is_no_amount_stays_in_its_field_and_is_not_sent(site: Site, dealer: Dealer):
    dealer.go(site.url, "no-amount")
    dealer.open_table({**UTH, "players": {"3": "tp-1"}})
    dealer.on("bank-3").click()
    expect(dealer.on("open-round")).to_have_text("How much does seat 3 put up?")
    for text in ("1,0", "much", "1.2.3"):
        dealer.on("amount").fill(text)
        expect(dealer.on("amount")).to_have_value(text)
        expect(dealer.on("open-round")).to_be_disabled()
    dealer.on("clear-amount").click()
    expect(dealer.on("amount")).to_have_value("")
    expect(dealer.on("amount")).to_be_focused()


# ---- whole rounds


def test_the_rounds_are_one_of_each_rule_set():
    assert [document["ruleset"] for document in WHOLE_ROUNDS] == list(rulesets.ids())


def unseen_round(rules: RuleSet) -> dict[str, Any]:
    """Two players at the first and the last seat, by a dealer who names no card that is face down."""
    terms: dict[str, Any] = {"schedule": min(rules.schedules)} if rules.schedules else {}
    terms |= {"trips": next(iter(rules.tables_for("trips")))} if rules.tables_for("trips") else {}
    document: dict[str, Any] = {
        "ruleset": rules.id,
        "terms": terms,
        "players": {"1": "p-1", "2": "p-2", str(rules.seats): "p-3"},
        "actions": [],
    }
    if rules.player_banked:
        document["player_dealer"] = {"seat": 2, "bettor": "p-2", "wager": "5000.00"}
    opening = read_document(document, lambda _: rules).opening
    bets = [
        Bet(seat=seat, spot=spot, amount=money(max(opening.terms.limits_of(spot)[0], 10 * rules.chip)))
        for seat in (1, rules.seats)
        for spot in rules.game.base_spots + rules.game.bonus_spots
    ]
    rng = Random(rules.id)
    shoe = [*DECK] * opening.terms.decks
    rng.shuffle(shoe)
    people = {f"p-{number}": draw_patron(f"p-{number}", rng) for number in (1, 2, 3)}
    style = Style(hides_hands=True, hides_dealer=True, turns_hands=False, any_order=False)
    actions = Play(opening, shoe, style, people, rng).through(bets, None)
    return {**document, "actions": msgspec.to_builtins(actions)}


# One of each family, those that are furthest from what ships.
@pytest.mark.parametrize("ruleset", [ruleset for ruleset in IDS if ruleset.endswith("-fen")])
def test_a_round_of_a_rule_set_that_nobody_has_seen_is_played_on_the_screen(site: Site, page: Page, ruleset: str):
    today = datetime.now(UTC).date()
    text = own_text(ruleset, today)
    by = Actor("floor-1", time.time_ns() // 1_000_000)
    rules = site.ledger.adopt_rules(text, ruleset, Days(today), Approval("GEGA-5"), "floor-2", by).rules
    document, table, dealer = unseen_round(rules), f"unseen-{ruleset}", Dealer(page)
    resize(page, "tablet")
    dealer.go(site.url, table)
    dealer.open_table(document)
    dealer.open_round(document)
    round_id = playing(site.ledger, table)
    for action in entered(document["actions"]):
        if action["do"] == "settle":
            fits(page)
            keep_picture(page, f"dealer-unseen-{ruleset}")
        dealer.play(action)
    check_stored(site.ledger, round_id, document, rules)


@pytest.mark.parametrize(
    ("document", "size", "room"),
    [
        (document, list(SIZES)[at % len(SIZES)], "dark" if at >= len(SIZES) else "light")
        for at, document in enumerate(PLAYED)
    ],
    ids=[*(document["ruleset"] for document in WHOLE_ROUNDS), "four-hands"],
)
def test_a_round_of_every_rule_set_is_played_by_tapping_what_is_offered(
    site: Site, page: Page, document: dict[str, Any], size: str, room: Literal["light", "dark"]
):
    table = f"whole-{document['ruleset']}-{room}-{size}"
    dealer = Dealer(page)
    resize(page, size)
    page.emulate_media(color_scheme=room)
    dealer.go(site.url, table)
    dealer.open_table(document)
    fits(page)
    dealer.open_round(document)
    round_id = playing(site.ledger, table)
    for action in entered(document["actions"]):
        if action["do"] in ("close_bets", "settle"):
            fits(page)
            keep_picture(page, f"dealer-{size}-{room}-{action['do']}")
        dealer.play(action)
    if room == "dark":
        keeps_nobody_out(page)
    check_stored(site.ledger, round_id, document)
    fits(page)

    # What the dealer paid: as it was worked out, but for the first wager where the house banks.
    lines, differs = site.ledger.load(round_id).round.lines, "player_dealer" not in document
    if differs:
        first = lines[0]
        dealer.on("paid-otherwise").click()
        dealer.on(f"paid-{first.seat}-{first.bettor}-{first.hand}-{first.spot}").fill(money(first.paid + 5_00))
        fits(page)
    dealer.on("paid-so" if differs else "paid-as-computed").click()
    dealer.stored()
    expect(dealer.on("paid")).to_contain_text("1 paid otherwise" if differs else "paid as worked out")
    if not differs:  # whose turn it is next, for as much as before
        expect(dealer.on("open-round")).to_be_enabled()
    expect(dealer.on("not-right").get_by_role("link")).to_have_attribute("href", f"/disputes/new?round={round_id}")
    expect(page.locator('[data-part="told"]')).to_have_text(page.locator('[data-part="next"] h2').first.inner_text())
    shown = compared(site.ledger.load(round_id).round)
    assert [one.difference for one in shown] == [5_00 * differs, *[0] * (len(lines) - 1)]
    keep_picture(page, f"dealer-{size}-{room}-paid")


# ---- a finger that bounces


# With a finger, in one go: how long two calls of the browser take is the machine's affair.
TAPPED_TWICE = """(cell) => { for (const _ of [1, 2]) cell.dispatchEvent(
  new PointerEvent("click", { bubbles: true, cancelable: true, pointerType: "touch", clientX: 20, clientY: 20 })); }"""


def test_a_double_tap_enters_once_and_two_taps_enter_twice(site: Site, browser: Browser):
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    context.set_default_timeout(WAIT_MS)
    dealer = Dealer(context.new_page())
    dealer.go(site.url, "bounce-1")
    dealer.open_table({**UTH, "ruleset": "p215-casino-club", "terms": {"schedule": 1, "decks": 2}})
    dealer.open_round(UTH)
    at_seat = dealer.on("bet-1-game")
    dealer.on("chip-2500").dblclick()  # chips are counted by tapping
    expect(dealer.on("amount")).to_have_value("50.00")
    at_seat.dblclick()
    dealer.stored()
    expect(at_seat).to_have_text("$50.00")
    expect(dealer.on("twice")).to_contain_text("Tapped twice, entered once.")
    keep_picture(dealer.page, "dealer-tapped-twice")
    fits(dealer.page)
    dealer.on("once-more").click()
    dealer.stored()
    expect(at_seat).to_have_text("$100.00")
    expect(dealer.on("twice")).to_have_count(0)
    at_seat.click()
    at_seat.click()  # one after the other, as the system counts them
    dealer.stored()
    expect(at_seat).to_have_text("$200.00")
    at_seat.evaluate(TAPPED_TWICE)
    expect(dealer.on("twice")).to_be_visible()
    dealer.on("once").click()
    dealer.stored()
    expect(at_seat).to_have_text("$250.00")
    dealer.on("close-bets").dblclick()  # nobody means what comes under the finger
    dealer.stored()
    dealer.on("card-8c").dblclick()  # with two decks there is another one
    dealer.stored()
    dealer.on("once").click()
    facts = [(fact["do"], fact.get("amount")) for fact in stored_actions(site, "bounce-1")]
    assert facts == [*[("bet", "50.00")] * 5, ("close_bets", None), ("deal", None)]
    context.close()


def test_a_round_with_the_network_dropped_and_a_reload_in_the_middle(site: Site, dealer: Dealer):
    dealer.go(site.url, "uth-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    round_id = playing(site.ledger, "uth-1")
    actions = UTH["actions"]
    dealer.play(actions[0])
    dealer.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    dealer.page.context.set_offline(True)
    dealer.page.reload()  # the screen comes from where the browser keeps it
    expect(dealer.network).to_have_text("No network")
    for action in entered(actions[1:13]):  # the other bets, the deal, a street of decisions, the flop
        dealer.tap(action)
    expect(dealer.network).to_contain_text("No network: 10 waiting")
    dealer.page.reload()
    for action in actions[13:16]:
        dealer.tap(action)
    expect(dealer.network).to_contain_text("No network: 13 waiting")
    dealer.page.context.set_offline(False)
    dealer.stored()
    for action in actions[16:]:
        dealer.play(action)
    expect(dealer.page.get_by_role("heading", name="Settlement")).to_be_visible()
    check_stored(site.ledger, round_id, UTH)
    kept = dealer.page.evaluate(
        "caches.keys().then(names => Promise.all(names.map(name => caches.open(name).then(cache => cache.keys()))))"
        ".then(found => found.flat().map(request => new URL(request.url).pathname))"
    )
    assert [path for path in kept if not path.startswith("/static/")] == ["/dealer/uth-1"]
    text = dealer.page.locator('[data-part="lines"]').inner_text()
    for line in adjudicate(json.dumps(UTH).encode())["lines"]:
        assert line["clause"] in text
        assert line["reason"] in text


def test_answers_that_are_lost_lead_to_no_second_action(site: Site, dealer: Dealer):
    """A split: after every action the answer is thrown away once, though the service has stored it."""
    dealer.page.add_init_script(PATIENCE)
    dealer.go(site.url, "split-1")
    dealer.open_table(SPLIT)
    dealer.open_round(SPLIT)
    round_id = playing(site.ledger, "split-1")
    lost: set[str] = set()

    def lose_first(route: Route) -> None:
        key = route.request.headers["idempotency-key"]
        if key in lost:
            route.continue_()
        else:
            lost.add(key)
            route.fetch()
            route.abort()

    dealer.page.route("**/v1/rounds/*/actions", lose_first)
    for action in SPLIT["actions"][:-1]:
        dealer.play(action)
    assert len(lost) == len(SPLIT["actions"]) - 1
    dealer.page.unroute("**/v1/rounds/*/actions")

    # A network that neither carries the request nor refuses it: nobody waits for it for ever.
    dealer.page.route("**/v1/rounds/*/actions", lambda _: None, times=1)
    with dealer.page.expect_request("**/v1/rounds/*/actions"):
        dealer.tap(SPLIT["actions"][-1])
    dealer.page.evaluate("waitedFor.splice(0).forEach((one) => one.abort())")
    dealer.stored()
    check_stored(site.ledger, round_id, SPLIT)
    expect(dealer.page.get_by_role("heading", name="Settlement")).to_be_visible()
    keeps_nobody_out(dealer.page)
    keep_picture(dealer.page, "dealer-settled")


def test_chips_add_up_and_what_is_refused_explains_itself(site: Site, dealer: Dealer):
    page = dealer.page
    watched = watch(page)
    watched.ignoring.add("409")  # browsers say so of every refusal
    dealer.go(site.url, "chips-1")
    dealer.open_table({"ruleset": "uth-house", "players": {"1": "p-1"}})
    dealer.on("seating").click()
    dealer.on("dealer-in").fill("dealer-7")
    dealer.on("tap-in").click()
    dealer.stored()
    expect(page.locator('[data-part="about"]')).to_contain_text("dealer dealer-7")
    dealer.open_round({})
    for chip in (2500, 500, 500):
        dealer.on(f"chip-{chip}").click()
    dealer.on("bet-1-ante").click()
    dealer.stored()
    expect(page.locator('[data-seat="1"]')).to_contain_text("ante $35.00")
    dealer.play(take_back(1, "blind"))
    expect(dealer.on("not-yet")).to_contain_text("blind")  # before anybody tries
    dealer.tap({"do": "close_bets"})
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("No more bets:")
    expect(refused).to_be_in_viewport()
    expect(refused).to_contain_text("blind")
    expect(refused.locator("a.clause")).to_have_attribute("href", re.compile(r"^/rules/uth-house#house/"))
    dealer.play(bet(1, "blind", "35.00"))
    expect(refused).to_have_count(0)
    dealer.on("void-open").click()
    dealer.on("void-reason").select_option("irregularity")
    dealer.on("void-detail").fill("A card was on the floor.")
    dealer.on("void").click()
    dealer.stored()
    expect(page.get_by_role("heading", name="Void")).to_be_visible()
    expect(dealer.on("open-round")).to_be_visible()
    watched.check()


def test_a_card_that_lies_face_up_cannot_be_dealt_again(site: Site, page: Page):
    dealer = Dealer(page)
    dealer.go(site.url, "cards-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    for at, action in enumerate(entered(UTH["actions"][:13])):
        dealer.play(action)
        if at in (0, 4, 8):  # bets, cards face down, decisions
            keeps_nobody_out(page)
    dealer.play(UTH["actions"][13])
    page.keyboard.type("K")
    expect(dealer.on("typed")).to_have_text("K of …")
    keeps_nobody_out(page)
    expect(dealer.on("card-Ah")).to_be_disabled()
    expect(dealer.on("card-As")).to_be_enabled()
    for size in SIZES:
        resize(page, size)
        fits(page)
        keep_picture(page, f"dealer-cards-{size}")


def test_what_was_to_follow_something_refused_waits_for_a_decision(site: Site, dealer: Dealer):
    dealer.go(site.url, "refused-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    dealer.page.context.set_offline(True)
    dealer.tap({**bet(1, "trips", "25.00"), "kind": "backline", "bettor": "p-1"})  # who already sits there
    dealer.tap(bet(5, "trips", "10.00"))
    expect(dealer.network).to_contain_text("2 waiting")
    dealer.page.context.set_offline(False)
    asked = dealer.page.get_by_role("alert")
    expect(asked).to_have_count(2)
    expect(asked.nth(0)).to_contain_text("something before it was refused")
    expect(asked.nth(0)).to_contain_text("$10.00 on trips, seat 5")
    expect(asked.nth(1)).to_contain_text("$25.00 on trips, seat 1, p-1:")
    dealer.page.reload()
    expect(dealer.network).to_contain_text("1 waiting")
    dealer.on("throw-away").click()
    dealer.stored()
    round_id = playing(site.ledger, "refused-1")
    assert site.ledger.load(round_id).version == 1
    for action in (UTH["actions"][0], {"do": "close_bets"}, {"do": "void", "reason": "misdeal"}):
        dealer.play(action)
    dealer.on("waiver").click()
    dealer.on("waiver-reason").fill("Dealt before the fee was dropped.")
    dealer.on("waive").click()
    dealer.stored()
    expect(dealer.on("waived")).to_contain_text("$1.00 is waived: not dropped")
    waived = site.ledger.load(round_id).round.waived
    assert waived is not None
    assert waived.how == "not dropped"


def test_what_cannot_be_is_put_right_in_its_place_before_the_rest_goes_on(site: Site, dealer: Dealer):
    dealer.go(site.url, "right-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    dealer.page.context.set_offline(True)
    behind = {**bet(1, "trips", "25.00"), "kind": "backline"}
    dealer.tap({**behind, "bettor": "p-1"})  # who already sits there
    dealer.tap(bet(5, "trips", "10.00"))
    expect(dealer.network).to_contain_text("No network: 2 waiting")
    dealer.page.context.set_offline(False)
    expect(dealer.on("stopped")).to_contain_text("something before it was refused")
    expect(dealer.on("refused")).to_contain_text("$25.00 on trips, seat 1, p-1:")
    dealer.on("put-right").click()
    expect(dealer.on("parked").get_by_role("listitem")).to_have_text(["$10.00 on trips, seat 5"])
    dealer.page.reload()  # which loses nothing
    expect(dealer.network).to_have_text("1 waiting")
    dealer.tap({**behind, "bettor": "b-1"})
    expect(dealer.page.locator('[data-seat="1"]')).to_contain_text("b-1")
    expect(dealer.on("go-on")).to_be_enabled()
    keep_picture(dealer.page, "dealer-put-right")
    fits(dealer.page)
    dealer.on("go-on").click()
    dealer.stored()
    expect(dealer.on("parked")).to_have_count(0)
    assert [(fact["seat"], fact.get("bettor")) for fact in stored_actions(site, "right-1")] == [(1, "b-1"), (5, None)]


# ---- wagers that are taken back


def take_back(seat: int, spot: str, amount: str | None = None) -> Action:
    return {"do": "withdraw", "seat": seat, "spot": spot, **({} if amount is None else {"amount": amount})}


def stored_actions(site: Site, table: str) -> list[Action]:
    stored = site.ledger.load(playing(site.ledger, table))
    return fact_documents(entry.event for entry in stored.entries)


def test_a_wager_is_taken_back_in_part_and_whole_until_bets_are_closed(site: Site, dealer: Dealer):
    page = dealer.page
    dealer.go(site.url, "back-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    dealer.on("mode-back").click()
    expect(dealer.on("bet-1-ante")).to_be_disabled()  # no wager yet
    for action in (bet(1, "ante", "25.00"), bet(1, "trips", "15.00"), bet(5, "ante", "10.00")):
        dealer.play(action)
    at_seat = page.locator('[data-seat="1"]')
    expect(at_seat).to_contain_text("trips $15.00")

    # A wager that was entered wrongly becomes the right one in one tap; what no rule allows is not even sent.
    dealer.on("mode-replace").click()
    dealer.on("amount").fill("600.00")
    dealer.on("bet-1-ante").click()
    expect(dealer.on("wrong")).to_contain_text("more than the $500.00")
    dealer.on("amount").fill("10.50")
    dealer.on("bet-1-trips").click()
    expect(dealer.on("wrong")).to_contain_text("off the chip unit of $1.00")
    dealer.on("amount").fill("10.00")
    dealer.on("bet-1-trips").click()
    dealer.stored()
    expect(dealer.on("wrong")).to_have_count(0)
    expect(at_seat).to_contain_text("trips $10.00")
    dealer.play(take_back(1, "trips"))
    expect(at_seat).not_to_contain_text("trips")
    expect(dealer.on("bet-1-trips")).to_be_disabled()  # seat 1 has no trips wager any more
    dealer.play(take_back(5, "ante"))
    expect(page.locator('[data-seat="5"]')).not_to_contain_text("ante")
    expect(page.locator('[data-seat="5"]')).not_to_contain_text("blind")
    keep_picture(page, "dealer-taking-back")
    keeps_nobody_out(page)
    dealer.play({"do": "close_bets"})
    taken = [action for action in stored_actions(site, "back-1") if action["do"] == "withdraw"]
    assert [(action["seat"], action["spot"], action["amount"]) for action in taken] == [
        (1, "trips", "15.00"),
        (1, "trips", "10.00"),
        (5, "ante", "10.00"),
        (5, "blind", "10.00"),
    ]


def test_by_keyboard_and_for_somebody_behind_a_seat(site: Site, dealer: Dealer):
    keys = Keys(dealer)
    dealer.go(site.url, "back-2")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    behind = {**bet(1, "trips", "10.00"), "bettor": "b-1", "kind": "backline"}
    dealer.play(bet(1, "ante", "25.00"))
    dealer.play(behind)
    keys.press("mode-back", "Space")
    expect(dealer.on("bet-1-trips")).to_have_attribute("aria-label", "Seat 1, p-1, b-1: trips, $10.00")
    keys.press("bet-1-trips")
    dealer.stored()
    expect(dealer.page.locator('[data-seat="1"]')).not_to_contain_text("b-1")
    expect(dealer.page.locator('[data-seat="1"]')).to_contain_text("ante $25.00")
    assert stored_actions(site, "back-2")[-1] == {**take_back(1, "trips", "10.00"), "bettor": "b-1"}


def test_without_a_network_it_waits_in_its_order(site: Site, dealer: Dealer):
    page = dealer.page
    dealer.go(site.url, "back-3")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    dealer.play(bet(1, "ante", "25.00"))
    page.context.set_offline(True)
    dealer.tap(bet(1, "trips", "5.00"))
    dealer.tap(take_back(1, "trips"))
    expect(dealer.network).to_contain_text("No network: 2 waiting")
    expect(dealer.on("bet-1-trips")).to_be_disabled()  # what is on the table then is known here too
    expect(dealer.on("close-bets")).to_be_visible()
    dealer.tap(take_back(1, "ante"))
    expect(dealer.on("close-bets")).to_have_count(0)
    page.context.set_offline(False)
    dealer.stored()
    assert [(action["do"], action["spot"]) for action in stored_actions(site, "back-3")] == [
        ("bet", "ante"),
        ("bet", "blind"),
        ("bet", "trips"),
        ("withdraw", "trips"),
        ("withdraw", "ante"),
        ("withdraw", "blind"),
    ]


# ---- mistakes after the close of bets


def test_a_mistake_is_taken_back_with_the_floors_password(locked: Site, context: BrowserContext):
    people = Staff(locked.ledger.events.recorder.database)
    people.add(StaffMember("deal-9", "A dealer", ("terminal:slip-1",), False), PASSWORD, "tests")
    page = context.new_page()
    page.goto(f"{locked.url}/sign-in")
    page.get_by_label("Staff id").fill("deal-9")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{locked.url}/dealer/slip-1")  # a terminal lands on its own table
    dealer = Dealer(page)
    dealer.open_table(SPLIT)
    dealer.open_round(SPLIT)
    actions = SPLIT["actions"]
    for action in actions[:2]:
        dealer.play(action)
    expect(dealer.on("take-back")).to_have_count(0)
    dealer.play({"do": "deal", "to": 1, "cards": ["9c"]})  # the wrong card

    def take_back(supervisor: str, password: str = PASSWORD) -> None:
        if not dealer.on("why-2").is_visible():
            dealer.on("take-back").click()
        dealer.on("why-2").click()
        dealer.on("back-floor").fill(supervisor)
        dealer.on("back-second_password").fill(password)
        keep_picture(page, "dealer-taking-an-entry-back")
        fits(page)
        dealer.on("take-it-back").click()

    said = page.locator('[data-part="said"]')
    for supervisor, password, why in (
        ("deal-9", PASSWORD, "Two different people"),
        ("accounting-1", PASSWORD, "role floor"),
        ("floor-1", "a wrong password", "has to sign"),
    ):
        take_back(supervisor, password)
        expect(said).to_contain_text(why)
    expect(page.locator('[data-seat="1"] .card')).to_have_count(1)
    take_back("floor-1")
    expect(page.locator('[data-seat="1"] .card')).to_have_count(0)
    expect(dealer.on("take-back")).to_have_count(0)
    assert PASSWORD not in page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    round_id = playing(locked.ledger, "slip-1")
    for action in actions[2:]:
        dealer.play(action)
    stored = locked.ledger.load(round_id)
    assert {**result_of(stored.round), **NAMELESS} == {**adjudicate(json.dumps(SPLIT).encode()), **NAMELESS}
    [taken] = [entry for entry in stored.entries if isinstance(entry.event, EntryTakenBack)]
    assert (taken.by, taken.event.confirmed_by, taken.event.reason) == ("deal-9", "floor-1", "the wrong card")
    text = page.request.get(f"{locked.url}/v1/rounds/{round_id}/events").text()
    assert "Taken back: the cards dealt to seat 1, confirmed by floor-1. the wrong card" in text


def test_a_late_answer_to_one_that_was_taken_back_leaves_the_next_one_alone(site: Site, dealer: Dealer):
    """The table hears what was stored, and the same mistake is made again, before the answer comes."""
    wrong, held = {"do": "deal", "to": 1, "cards": ["9c"]}, list[tuple[Route, APIResponse]]()
    dealer.go(site.url, "late-1")
    dealer.open_table(SPLIT)
    dealer.open_round(SPLIT)
    for action in (*SPLIT["actions"][:2], wrong):
        dealer.play(action)
    dealer.page.route("**/take-back", lambda route: held.append((route, route.fetch())))
    dealer.on("take-back").click()
    dealer.on("why-2").click()
    dealer.on("back-floor").fill("floor-1")
    dealer.on("take-it-back").click()
    expect(dealer.page.locator('[data-seat="1"] .card')).to_have_count(0)
    dealer.play(wrong)
    dealer.on("take-back").click()
    dealer.on("why-2").click()
    ((route, answer),) = held
    with dealer.page.expect_response(f"{site.url}/dealer/late-1"):  # it looks once more after the answer
        route.fulfill(response=answer)
    expect(dealer.on("why-2")).to_have_attribute("aria-pressed", "true")
    expect(dealer.on("why-2")).to_be_visible()


def test_what_waits_and_was_a_mistake_is_dropped(site: Site, dealer: Dealer):
    dealer.go(site.url, "drop-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    dealer.play(bet(1, "ante", "25.00"))
    dealer.page.context.set_offline(True)
    for wrong in ("ante", "trips"):  # the first of them has been tried, but without a network it has not left
        dealer.tap(bet(5, wrong, "50.00"))
    expect(dealer.network).to_contain_text("No network: 2 waiting")
    for left in ("No network: 1 waiting", "No network"):
        dealer.on("drop-last").click()
        expect(dealer.network).to_contain_text(left)
    dealer.tap(bet(5, "ante", "10.00"))
    dealer.page.context.set_offline(False)
    dealer.stored()
    spots = [(action["seat"], action["spot"]) for action in stored_actions(site, "drop-1")]
    assert spots == [(1, "ante"), (1, "blind"), (5, "ante"), (5, "blind")]


# ---- after settlement


def test_every_device_shows_who_is_paid_what_until_it_is_confirmed(site: Site, browser: Browser, dealer: Dealer):
    dealer.go(site.url, "paid-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    other_context = browser.new_context(viewport={"width": 1024, "height": 768})
    other_context.set_default_timeout(WAIT_MS)
    other = Dealer(other_context.new_page())
    other.go(site.url, "paid-1")
    round_id = playing(site.ledger, "paid-1")

    def elsewhere(start: int, end: int) -> None:
        site.ledger.act(round_id, UTH["actions"][start:end], Actor("deal-1", time.time_ns() // 1_000_000))

    wanted = other.page.locator(".picked .wanted")
    elsewhere(0, 12)
    expect(wanted).to_have_count(3)
    other.page.keyboard.type("Ah")
    expect(wanted).to_have_count(2)
    elsewhere(12, 14)  # the flop was turned over there: what was named here was not for the turn
    expect(other.page.locator('[data-task="reveal-turn_river"]')).to_be_visible()
    expect(wanted).to_have_count(2)
    elsewhere(14, -1)
    for one in (dealer, other):  # what another terminal has stored is heard at once
        expect(one.on("settle")).to_be_visible()
    dealer.on("deck-blue").click()
    expect(other.page.locator('[data-part="about"]')).to_contain_text("blue deck")
    dealer.play({"do": "settle"})
    nets = {"1 p-1": 0, "5 p-9": 0}
    for line in site.ledger.load(round_id).round.lines:
        nets[f"{line.seat} {line.bettor}"] += line.paid - line.collected
    for one in (dealer, other):
        for who, net in nets.items():
            shown = f"{who} {'pay' if net > 0 else 'take'} ${abs(net) / 100:.2f}"
            expect(one.on("payout")).to_contain_text(shown)
    fits(other.page)
    keep_picture(other.page, "dealer-payout")
    dealer.open_round({"player_dealer": {"seat": 3, "wager": "1000.00"}})
    expect(other.on("unpaid")).to_contain_text(f"Round {round_id} is not confirmed as paid")
    expect(other.on("amount")).to_have_value("")  # and not what the bank put up
    other.on("paid-before-otherwise").click()
    other.on(f"paid-{round_id}-5-p-9-1-ante").fill("1.00")
    fits(other.page)
    keep_picture(other.page, "dealer-paid-otherwise")
    other.page.context.set_offline(True)
    other.on(f"paid-{round_id}-so").click()
    expect(other.on("unpaid")).to_have_count(0)
    other.tap(bet(1, "ante", "25.00"))  # the next round does not wait for it
    expect(other.network).to_contain_text("No network: 2 waiting")
    other.page.context.set_offline(False)
    for one in (dealer, other):
        expect(one.on("bet-1-ante")).to_have_text("$25.00")
        expect(one.on("unpaid")).to_have_count(0)
    assert {one.difference for one in compared(site.ledger.load(round_id).round)} == {0, 1_00}
    other_context.close()


# ---- what is said of a round beside its play


def test_the_deck_in_play_is_said_in_one_tap_and_a_misdeal_with_its_cards(site: Site, dealer: Dealer):
    """Nothing waits for what is said, and a slip of the finger is asked about before it is stored."""
    page = dealer.page
    dealer.go(site.url, "said-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    expect(page.locator('[data-part="about"]')).not_to_contain_text("deck")
    dealer.on("deck-red").click()
    expect(dealer.on("deck-asked")).to_contain_text("It is the turn of the blue deck. Is the red one on the table?")
    fits(page)
    page.context.set_offline(True)
    dealer.on("deck-not").click()
    dealer.tap(UTH["actions"][0])
    expect(dealer.network).to_contain_text("No network: 2 waiting")
    expect(dealer.on("deck-seen")).to_have_text("The blue deck is in play.")
    page.context.set_offline(False)
    dealer.stored()
    for action in entered(UTH["actions"][2:7]):
        dealer.play(action)
    expect(page.locator('[data-part="about"]')).to_contain_text("blue deck")
    round_id = playing(site.ledger, "said-1")
    dealer.on("misdealt").click()
    dealer.on("misdeal-expected").fill("2")
    dealer.on("misdeal-found").fill("3")
    dealer.on("misdeal-note").fill("The shuffler gave one too many.")
    keep_picture(page, "dealer-misdeal")
    fits(page)
    dealer.on("misdeal-store").click()
    dealer.stored()
    site.ledger.act(round_id, UTH["actions"][7:-1], Actor("deal-1", time.time_ns() // 1_000_000))
    dealer.play({"do": "settle"})
    dealer.on("held").click()
    dealer.on("held-5").click()  # whose hand was not
    dealer.on("held-store").click()
    expect(dealer.on("hands-held")).to_have_text("Held face up until paid: seat 1.")
    dealer.stored()
    assert site.ledger.facts_of(round_id) == [
        DeckSeen(round_id, "said-1", "blue", "blue"),
        MisdealNoticed(round_id, "said-1", "seat 1", 2, 3, "put right", "The shuffler gave one too many."),
        HandsHeld(round_id, "said-1", (1,)),
    ]

    # The next round is dealt from the deck whose turn it is not, and void because of a misdeal.
    dealer.on("open-round").click()
    dealer.stored()
    dealer.on("deck-blue").click()
    dealer.on("deck-so").click()
    expect(dealer.on("deck-seen")).to_contain_text("it was the turn of the red one")
    for action in entered(UTH["actions"][:7]):
        dealer.play(action)
    round_id = playing(site.ledger, "said-1")
    dealer.on("misdealt").click()
    dealer.on("misdeal-outcome").select_option("void")
    for name, text in (("expected", "2"), ("found", "1"), ("note", "A card is missing.")):
        dealer.on(f"misdeal-{name}").fill(text)
    dealer.on("misdeal-store").click()
    dealer.stored()
    assert site.ledger.load(round_id).round.status == "void"
    assert site.ledger.facts_of(round_id) == [
        DeckSeen(round_id, "said-1", "blue", "red"),
        MisdealNoticed(round_id, "said-1", "seat 1", 2, 1, "void", "A card is missing."),
    ]


def test_a_progressive_win_asks_who_was_called(site: Site, dealer: Dealer):
    example = Path("tests/rules/examples/uth-sd.jsonl").read_text(encoding="utf-8").splitlines()[7]
    document = {**json.loads(example), "table": "won-1"}
    result = site.ledger.record(document, Actor("dealer-1", time.time_ns() // 1_000_000))
    assert result["status"] == "settled", result
    dealer.go(site.url, "won-1")
    expect(dealer.on("supervisor")).to_contain_text("call a supervisor")
    fits(dealer.page)
    keep_picture(dealer.page, "dealer-supervisor")
    dealer.on("supervisor-id").fill("floor-9")
    dealer.page.keyboard.press("Enter")
    expect(dealer.on("supervisor-called")).to_contain_text("floor-9 was called.")
    dealer.stored()
    [called] = site.ledger.facts_of(str(result["id"]))
    assert isinstance(called, SupervisorCalled)
    assert called.supervisor == "floor-9"


# ---- two screens


def test_of_two_screens_one_wins_and_the_other_sees_it(site: Site, browser: Browser, dealer: Dealer):
    heard: list[str] = []
    dealer.page.on("request", lambda request: heard.append(request.url))
    dealer.go(site.url, "two-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    other_context = browser.new_context()
    other_context.set_default_timeout(WAIT_MS)
    other = Dealer(other_context.new_page())
    other.go(site.url, "two-1")
    expect(other.on("betting")).to_be_visible()
    other_context.set_offline(True)
    other.tap(bet(5, "ante", "10.00"))
    dealer.play(bet(1, "ante", "25.00"))
    other_context.set_offline(False)
    asked = other.page.get_by_role("alert")
    expect(asked).to_contain_text("Another terminal has acted")
    expect(asked).to_contain_text("$10.00 on ante, seat 5")
    expect(other.page.locator('[data-seat="1"]')).to_contain_text("ante $25.00")
    keep_picture(other.page, "dealer-conflict")
    dealer.on("chip-2500").hover()
    dealer.page.mouse.down()  # a finger on a chip while the table changes
    other.on("send-anyway").click()
    other.stored()
    expect(dealer.page.locator('[data-seat="5"]')).to_contain_text("ante $10.00")
    dealer.page.mouse.up()
    expect(dealer.on("amount")).to_have_value("50.00")
    assert [url for url in heard if url.endswith("/v1/tables/two-1/feed")]
    other_context.close()
    stored = site.ledger.load(playing(site.ledger, "two-1"))
    assert [fact["seat"] for fact in fact_documents(entry.event for entry in stored.entries)] == [1, 1, 5, 5]


# ---- who may


def test_a_session_that_has_ended_keeps_what_waits_until_somebody_signs_in(locked: Site, context: BrowserContext):
    page = context.new_page()

    def sign_in(person: str) -> None:
        page.get_by_label("Staff id").fill(person)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{locked.url}/dealer/ended-1")

    page.goto(f"{locked.url}/sign-in?next=/dealer/ended-1")
    sign_in("floor-1")
    dealer = Dealer(page)

    def out_and_in(spot: str, person: str) -> None:
        """A bet is tapped while the session ends, and somebody signs in and sends it."""
        context.set_offline(True)
        dealer.tap(bet(1, spot, "25.00"))
        context.clear_cookies()
        context.set_offline(False)
        expect(page.get_by_role("alert")).to_contain_text("What waits is kept.")
        page.get_by_role("link", name="Sign in", exact=True).last.click()
        sign_in(person)
        dealer.on("try-again").click()

    dealer.open_table(UTH)
    dealer.open_round(UTH)
    out_and_in("ante", "floor-1")
    dealer.stored()
    expect(page.locator('[data-seat="1"]')).to_contain_text("ante $25.00")
    # Somebody else signs in: what the first one tapped is recorded in no other name without a word.
    people = Staff(locked.ledger.events.recorder.database)
    people.add(StaffMember("floor-2", "Another of floor", ("floor",), False), PASSWORD, "tests")
    out_and_in("trips", "floor-2")
    expect(page.get_by_role("alert")).to_contain_text("floor-1 tapped this, and floor-2 is signed in now.")
    dealer.on("send-anyway").click()
    dealer.stored()
    entries = locked.ledger.load(playing(locked.ledger, "ended-1")).entries
    assert [entry.by for entry in entries if isinstance(entry.event, WagerPlaced)] == ["floor-1", "floor-1", "floor-2"]


def test_a_terminal_deals_at_its_own_table_only_and_leaves_no_card_behind(locked: Site, context: BrowserContext):
    people = Staff(locked.ledger.events.recorder.database)
    people.add(StaffMember("deal-1", "A dealer", ("terminal:own-1",), False), PASSWORD, "tests")
    page = context.new_page()
    page.goto(f"{locked.url}/sign-in?next=/dealer")
    page.get_by_label("Staff id").fill("deal-1")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{locked.url}/dealer/own-1")
    answer = page.goto(f"{locked.url}/dealer/other-1")
    assert answer is not None
    assert answer.status == 403

    shown: list[str] = []
    page.on("response", lambda response: shown.append(response.url) if "/v1/" in response.url else None)
    dealer = Dealer(page)
    dealer.go(locked.url, "own-1")
    dealer.open_table(UTH)
    dealer.open_round(UTH)
    for action in entered(UTH["actions"][:12]):
        dealer.play(action)
    assert shown
    for place in ("dealer", "board"):
        assert page.locator(".felt .card:not(.back)").count() == 0, place
    assert "cards" not in page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    round_id = playing(locked.ledger, "own-1")
    assert {entry.by for entry in locked.ledger.load(round_id).entries} == {"deal-1"}


def contradict(ledger: Ledger, round_id: str) -> None:
    """A terminal that names cards as they are dealt, and then deals one of them again, three times."""
    now = Actor("deal-2", time.time_ns() // 1_000_000)
    ledger.act(round_id, [{"do": "deal", "to": 1, "cards": ["As", "Ad"]}], now)
    for _ in range(MOST_CONTRADICTIONS):
        with pytest.raises(Contradicted):
            ledger.act(round_id, [{"do": "deal", "to": 5, "cards": ["As", None]}], now)


def test_after_three_contradictions_two_people_sign_on_the_screen(locked: Site, context: BrowserContext):
    people = Staff(locked.ledger.events.recorder.database)
    people.add(StaffMember("deal-2", "A dealer", ("terminal:sign-1",), False), PASSWORD, "tests")
    page = context.new_page()
    page.goto(f"{locked.url}/sign-in?next=/dealer")
    page.get_by_label("Staff id").fill("deal-2")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{locked.url}/dealer/sign-1")
    dealer = Dealer(page)
    dealer.open_table(UTH)
    now = Actor("floor-1", time.time_ns() // 1_000_000)
    Floor(locked.ledger).swap_box("sign-1", "sign-1-box", "seal-1", "cage-1", now)
    people.add(StaffMember("counts-1", "Counts boxes", ("floor", "counter"), False), PASSWORD, "tests")
    dealer.open_round(UTH)
    for action in entered(UTH["actions"][:6]):
        dealer.play(action)
    round_id = playing(locked.ledger, "sign-1")
    contradict(locked.ledger, round_id)
    page.reload()  # the screen may have heard of the first contradictions alone, and would send an older version
    dealer.stored()

    def sign(supervisor: str, second: str, password: str = PASSWORD) -> None:
        for name, value in (("supervisor", supervisor), ("second_person", second)):
            dealer.on(f"sign-{name}").fill(value)
        dealer.on("sign-supervisor_password").fill(PASSWORD)
        dealer.on("sign-second_password").fill(password)
        dealer.on("sign").click()

    seen = locked.ledger.load(round_id).version
    dealer.tap(UTH["actions"][7])
    said = page.locator('[data-part="said"]')
    expect(said).to_contain_text("only a floor supervisor together with a second person may continue it")
    keeps_nobody_out(page)
    for size in SIZES:
        resize(page, size)
        fits(page)
    keep_picture(page, "dealer-signing")
    for supervisor, second, password, refusal in (
        ("accounting-1", "floor-1", PASSWORD, "accounting-1 needs the role floor to sign this."),
        ("counts-1", "floor-1", PASSWORD, "Whoever may count boxes sees no fees, rounds or collections"),
        ("floor-1", "floor-1", PASSWORD, "Two different people are needed."),
        ("floor-1", "cage-1", PASSWORD, "cage-1 needs the role accounting or floor to sign this."),
        ("floor-1", "both-1", "not theirs at all", "both-1 has to sign, too"),
    ):
        sign(supervisor, second, password)
        expect(said).to_contain_text(refusal)
        expect(dealer.on("sign-second_password")).to_have_value("")
    assert locked.ledger.load(round_id).version == seen
    kept = page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    assert PASSWORD not in kept
    assert "As" not in page.content() + kept
    sign("floor-1", "accounting-1")
    dealer.stored()
    dealer.tap(UTH["actions"][8])  # each action anew
    expect(dealer.on("sign-supervisor")).to_have_value("floor-1")

    lost: list[str] = []

    def lose_answer(route: Route) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route.request.url)
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/dealer/sign-1", lose_answer)
    sign("floor-1", "both-1")
    expect(dealer.on("stopped")).to_contain_text("It is shown as it is now.")  # what is sent again is not signed
    dealer.on("throw-away").click()
    dealer.stored()
    assert lost
    signed = [entry for entry in locked.ledger.load(round_id).entries if isinstance(entry.event, PlaySupervised)]
    assert [(entry.by, entry.event.by) for entry in signed] == [
        ("floor-1", ("floor-1", "accounting-1")),
        ("floor-1", ("floor-1", "both-1")),
    ]


def sent_signed(site: Site, page: Page, dealer: str, own_table: str, supervisor: str, table: str) -> tuple[int, str]:
    """The answer to the page's form, sent by the terminal of a table for a round of the site."""
    people = Staff(site.ledger.events.recorder.database)
    people.add(StaffMember(dealer, "A dealer", (f"terminal:{own_table}",), False), PASSWORD, "tests")
    page.goto(f"{site.url}/sign-in?next=/dealer")
    page.get_by_label("Staff id").fill(dealer)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{site.url}/dealer/{own_table}")
    token = page.locator('meta[name="csrf-token"]').get_attribute("content")
    form = {
        "round": str(site.known["round"]),
        "version": "1",
        "actions": '[{"do": "settle"}]',
        "supervisor": supervisor,
    }
    signatures = {"supervisor_password": PASSWORD, "second_person": "both-1", "second_password": PASSWORD}
    headers = {"Accept": "application/json", "CSRF-Token": str(token)}
    sent = page.request.post(f"{site.url}/dealer/{table}", form={**form, **signatures}, headers=headers)
    return sent.status, sent.text()


def test_a_screen_signs_for_no_round_of_another_table(locked: Site, context: BrowserContext):
    page = context.new_page()
    assert sent_signed(locked, page, "deal-3", "sign-3", "floor-1", "sign-3")[0] == 404
    context.clear_cookies()
    assert sent_signed(locked, page, "deal-4", "sign-4", "floor-1", str(locked.known["table"]))[0] == 403


def test_whoever_may_count_does_not_sign_at_a_table_with_an_uncounted_box(locked: Site, context: BrowserContext):
    people = Staff(locked.ledger.events.recorder.database)
    people.add(StaffMember("counts-2", "Floor, and counts", ("floor", "counter"), False), PASSWORD, "tests")
    table = str(locked.known["table"])
    status, said = sent_signed(locked, context.new_page(), "deal-5", table, "counts-2", table)
    assert status == 403, said
    assert "Whoever may count boxes" in said

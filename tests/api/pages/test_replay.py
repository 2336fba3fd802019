"""The replay page: two rounds step by step, by keyboard, without scripts, on paper; and what it never shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Response, expect

from domain.money import cents
from infra.access.staff import Staff, StaffMember
from infra.ledger.ledger import Actor, Ledger
from infra.trail.looks import Looks
from tests.api.pages.conftest import KEY, PASSWORD, WAIT_MS, Site, serving
from tests.databases import migrated_database
from tests.domain.replayed_rounds import bank_runs_dry, four_hands
from tests.domain.stored_rounds import cards_in

START_MS = 1_772_900_000_000
MOST_BYTES = 200_000
# Every place on the felt with what it shows; a card that only just turned is still turning for a moment.
LAID = """() => [...document.querySelectorAll("#replay [data-k]")].map((place) => [
  place.dataset.k, [...place.classList].filter((name) => name !== "turning").sort().join(" "), place.hidden,
  place.getAttribute("aria-label"), place.getAttribute("width"), place.textContent.replace(/\\s+/g, " ").trim()])"""
# The same with what is said of the step.
SHOWN = f"""() => ({{
  laid: ({LAID})(), step: Number(document.getElementById("replay").dataset.step),
  told: document.getElementById("announcement").textContent, why: document.getElementById("why").textContent,
  current: [...document.querySelectorAll("#timeline [aria-current]")].map((link) => Number(link.dataset.step)),
}})"""


@pytest.fixture(scope="module")
def rounds_url(server_url: str) -> Iterator[str]:
    """Four split hands, a bank that ran dry, the same again at another table, and one that is still open."""
    with migrated_database(server_url) as url:
        ledger = Ledger(url)
        dry, open_ = bank_runs_dry(), bank_runs_dry()
        again = {**dry, "round": "dry-again", "player_dealer": {**dry["player_dealer"], "seat": 3}}
        open_ = {**open_, "round": "still-open", "table": "u2", "actions": open_["actions"][:19]}
        for at, document in enumerate((four_hands(), dry, open_, again)):
            assert ledger.record(document, Actor("dealer-1", START_MS + at * 60_000))["status"] != "refused"
        ledger.close()
        yield url


@pytest.fixture(scope="module")
def replayed(rounds_url: str) -> Iterator[Site]:
    with serving(rounds_url) as site:
        yield site


def open_at(page: Page, site: Site, address: str) -> None:
    page.emulate_media(reduced_motion="reduce")  # nothing to wait for
    answer = page.goto(site.url + address)
    assert answer is not None
    assert answer.status == 200
    page.wait_for_selector("#replay[data-ready]")


def steps_of(site: Site, round_id: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{site.url}/v1/rounds/{round_id}/steps").json()
    return found


def at_step(page: Page, step: int) -> None:
    expect(page.locator("#replay")).to_have_attribute("data-step", str(step))


# ---- step by step


@pytest.mark.parametrize("round_id", ["four-hands", "bank-runs-dry"])
def test_every_step_by_arrow_key_shows_what_the_service_shows_of_it(replayed: Site, page: Page, round_id: str):
    replay = steps_of(replayed, round_id)
    open_at(page, replayed, f"/rounds/{round_id}?step=1")
    by_keys = [page.evaluate(LAID)]
    for step in replay["steps"][1:]:
        page.keyboard.press("ArrowRight")
        shown = page.evaluate(SHOWN)
        assert (shown["step"], shown["current"]) == (step["step"], [step["step"]])
        assert shown["told"].startswith(f"Step {step['step']} of {len(replay['steps'])}. {step['text']}")
        assert (step["why"]["sentence"] or "") in shown["told"]
        assert step["text"] in shown["why"]
        assert step["why"]["clause"] in shown["why"]
        by_keys.append(shown["laid"])
    for number in (9, len(by_keys) // 2, len(by_keys)):
        open_at(page, replayed, f"/rounds/{round_id}?step={number}")
        assert page.evaluate(LAID) == by_keys[number - 1], f"step {number}"
    for number in range(len(by_keys) - 1, 0, -1):
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(LAID) == by_keys[number - 1], f"back to step {number}"


def test_four_split_hands_each_with_its_cards_total_and_chips(replayed: Site, page: Page):
    open_at(page, replayed, "/rounds/four-hands")
    hands = page.locator(".seat[data-k='seat/1'] .hand")
    expect(hands).to_have_count(4)
    assert [hand.locator(".made-name").inner_text() for hand in hands.all()] == ["18", "20", "bust", "18"]
    assert [hand.locator(".moved").all_inner_texts() for hand in hands.all()] == [
        ["+50"],
        ["+50", "+50"],
        ["−50"],
        ["+50"],
    ]
    expect(page.locator(".seat[data-k='seat/1'] .others")).to_contain_text("b-7")
    assert page.locator("ol.seats > li").first.aria_snapshot().splitlines()[1].strip().startswith('- text: "Seat 1:')
    names = page.get_by_role("link", name=re.compile("^Dispute .*game")).all_inner_texts()
    assert len(set(names)) == len(names)  # each hand's differs from the others'
    first_split = next(s["step"] for s in steps_of(replayed, "four-hands")["steps"] if "split" in s["text"])
    open_at(page, replayed, f"/rounds/four-hands?step={first_split - 1}")
    assert [hand.is_visible() for hand in hands.all()] == [True, False, False, False]


def test_what_is_left_of_the_bank_after_each_line_and_why(replayed: Site, page: Page):
    replay = steps_of(replayed, "bank-runs-dry")
    lines = replay["lines"]
    open_at(page, replayed, f"/rounds/bank-runs-dry?step={lines[0]['step']}")
    left = page.locator(".left-of [data-k=to_pay]")
    for line in lines:
        at_step(page, line["step"])
        expect(left).to_have_text(f"${line['left']['to_pay']}")
        expect(page.locator("#why .sentence")).to_have_text(line["reason"])
        expect(page.locator("tr[aria-current]")).to_have_attribute("data-line", str(line["step"]))
        page.keyboard.press("ArrowRight")
    assert [line["left"]["to_pay"] for line in lines][-7:] == ["75.00", "0.00", "0.00", "0.00", "0.00", "0.00", "0.00"]
    expect(page.locator(".short")).to_have_text("not covered $167.50")


def test_the_five_cards_of_the_hand_are_marked(replayed: Site, page: Page):
    replay = steps_of(replayed, "bank-runs-dry")
    trips = next(line for line in replay["lines"] if line["spot"] == "trips")
    open_at(page, replayed, f"/rounds/bank-runs-dry?step={trips['step']}")
    marked = page.locator(".felt .card.marked")
    labels = {card.get_attribute("aria-label") for card in marked.all()}
    assert labels == {f"{rank} of hearts" for rank in ("ace", "king", "queen", "jack", "nine")}
    made = page.locator("#why .made").first
    expect(made).to_contain_text("an ace-high flush")
    expect(made.locator(".card")).to_have_count(5)
    link = page.locator("#why .clause")
    expect(link).to_have_attribute(
        "href", f"/rules/uth-casino-club?version={replay['ruleset_version']}#{trips['clause']}"
    )


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080)])
@pytest.mark.parametrize("round_id", ["four-hands", "bank-runs-dry"])
def test_why_is_beside_the_table_and_never_below_the_fold(
    replayed: Site, page: Page, round_id: str, width: int, height: int
):
    page.set_viewport_size({"width": width, "height": height})
    open_at(page, replayed, f"/rounds/{round_id}")
    for step in (1, len(steps_of(replayed, round_id)["steps"]) - 3):
        page.locator("[data-slide]").fill(str(step))
        expect(page.locator("#why .number-of")).to_have_text(str(step))
        felt, why = page.locator(".felt").bounding_box(), page.locator(".why").bounding_box()
        assert felt is not None
        assert why is not None
        assert why["x"] >= felt["x"] + felt["width"]
        assert why["y"] + why["height"] <= height
        assert why["x"] + why["width"] > width - 60  # a wide screen is used


def test_everybodys_net_adds_up_to_nothing(replayed: Site, page: Page):
    replay = steps_of(replayed, "bank-runs-dry")
    open_at(page, replayed, "/rounds/bank-runs-dry")
    table = page.get_by_role("region", name="Net of each player")
    for net in replay["nets"]:
        row = table.get_by_role("row").filter(has_text=net["name"])
        lines = [line for line in replay["lines"] if line["bettor"] == net["name"]]
        if net["part"] == "bettor":
            assert cents(net["net"]) == sum(cents(line["paid"]) - cents(line["collected"]) for line in lines)
        expect(row.get_by_role("cell").last).to_contain_text(net["net"].lstrip("-"))
    assert sum(cents(net["net"]) for net in replay["nets"]) == 0
    expect(table.get_by_role("row").last).to_contain_text("$0.00")
    total = page.locator(".lines tfoot")
    expect(total).to_contain_text(f"{sum(cents(line['paid']) for line in replay['lines']) / 100:,.2f}")
    expect(page.get_by_text("one fixed wager: what it pays and what it collects both use it up")).to_be_visible()


# ---- hands on it


def test_keys_buttons_streets_and_the_slider(replayed: Site, page: Page):
    replay = steps_of(replayed, "bank-runs-dry")
    last = len(replay["steps"])
    open_at(page, replayed, "/rounds/bank-runs-dry?step=5&table=u1")
    page.keyboard.press("End")
    at_step(page, last)
    page.keyboard.press("Home")
    at_step(page, 1)
    page.get_by_role("link", name="Next step").click()
    at_step(page, 2)
    for street in replay["streets"]:
        page.locator(".streets").get_by_role("link", name=street["name"], exact=True).click()
        at_step(page, street["step"])
        expect(page.locator(".streets [aria-current]")).to_have_text(street["name"])
    page.get_by_role("slider", name="Step").fill("7")
    at_step(page, 7)
    assert page.url.endswith("?step=7&table=u1")
    page.locator("#timeline > li > a").nth(2).click()
    at_step(page, 3)
    page.get_by_role("link", name="Previous step").focus()
    page.keyboard.press("Enter")
    at_step(page, 2)


def test_what_looks_like_a_button_is_pressed_by_the_space_bar(replayed: Site, page: Page):
    page.goto(f"{replayed.url}/rounds/four-hands?step=9")
    now = page.locator("[data-now]")
    page.get_by_role("link", name="Next step").focus()
    page.keyboard.press("Space")
    expect(now).to_have_text("10")
    page.get_by_role("link", name="First step").focus()
    page.keyboard.press("Space")
    expect(now).to_have_text("1")
    expect(page.get_by_role("link", name="First step")).to_be_in_viewport()  # nothing was scrolled away
    page.get_by_label("Speed").focus()  # whose arrow keys are its own
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Speed")).to_have_value("2")
    expect(now).to_have_text("1")


def test_it_plays_and_pauses(replayed: Site, page: Page):
    page.clock.install(time=0)
    open_at(page, replayed, "/rounds/bank-runs-dry?step=1")
    page.clock.pause_at(3_600_000)
    page.keyboard.press("Space")
    button = page.locator("[data-play]")
    expect(button).to_have_text(re.compile("Pause"))
    page.clock.run_for(1_150)
    at_step(page, 2)
    page.get_by_label("Speed").select_option("4")
    page.clock.run_for(1_100)
    page.clock.run_for(600)
    expect(page.locator("#replay")).to_have_attribute("data-step", "5")
    button.click()
    expect(button).to_have_text(re.compile("Play"))
    page.clock.run_for(10_000)
    at_step(page, 5)
    page.keyboard.press("End")
    button.click()
    at_step(page, 1)


def test_without_scripts_every_step_is_a_page(replayed: Site, browser: Browser):
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.goto(f"{replayed.url}/rounds/four-hands?step=1")
    for step in (2, 3, 4):
        page.get_by_role("link", name="Next step").click()
        page.wait_for_url(f"**step={step}")
        expect(page.locator(".where")).to_have_text(f"Step {step} of 45")
    page.locator(".streets").get_by_role("link", name="settlement").click()
    page.wait_for_url("**step=36")
    expect(page.locator("#why .sentence")).to_contain_text("Your 18 is closer to 21.5")
    assert page.locator("[data-play]").is_hidden()
    context.close()


@pytest.mark.parametrize(("asked", "shown"), [("", 45), ("?step=0", 1), ("?step=99999", 45), ("?step=x", 45)])
def test_an_address_with_any_step_leads_somewhere(replayed: Site, asked: str, shown: int):
    twin = httpx.get(f"{replayed.url}/rounds/four-hands{asked}", headers={"Accept": "application/json"})
    assert twin.json()["step"] == shown


# ---- what is never shown


def test_a_card_face_down_is_neither_in_the_page_nor_on_the_wire(replayed: Site, page: Page):
    """Of an open round nothing that is face down; of an ended one not the hand that was folded and never turned."""
    bodies: list[str] = []

    def keep(response: Response) -> None:
        if response.status == 200 and "/static/" not in response.url:
            bodies.append(response.text())

    page.on("response", keep)
    down = {"As", "Ad", "Qh", "Jh", "Ks", "Kd", "Tc", "4d", "9h", "4s", "2c"}
    for address, hidden in (("still-open", down | {"7s", "3d"}), ("bank-runs-dry", {"7s", "3d"})):
        bodies.clear()
        open_at(page, replayed, f"/rounds/{address}")
        page.keyboard.press("Home")
        page.keyboard.press("End")
        bodies.append(page.content())
        bodies.append(httpx.get(f"{replayed.url}/rounds/{address}?format=json").text)
        bodies.append(steps_text(replayed, address))
        seen = set().union(*(cards_in(re.sub(r"\b(As|Ad)\b (?=[a-z])", "", body)) for body in bodies))
        assert not seen & hidden
        for words in ("seven of spades", "three of diamonds"):
            assert not any(words in body for body in bodies)
    expect(page.locator(".seat[data-k='seat/5'] .card.back")).to_have_count(2)


def steps_text(site: Site, round_id: str) -> str:
    return httpx.get(f"{site.url}/v1/rounds/{round_id}/steps").text


def test_an_open_round_is_followed_and_whoever_looks_back_keeps_their_place(replayed: Site, page: Page):
    whole = bank_runs_dry()
    actions, actor = whole["actions"], Actor("dealer-1", START_MS + 600_000)
    opened = {**whole, "round": "followed", "table": "u3", "players": {seat: f"f-{seat}" for seat in whole["players"]}}
    dealt = next(at for at, action in enumerate(actions) if action["do"] == "deal")
    assert replayed.ledger.record({**opened, "actions": actions[:dealt]}, actor)["status"] == "open"
    bodies: list[str] = []

    def keep(response: Response) -> None:
        if "/rounds/followed" in response.url:
            bodies.append(response.text())

    page.on("response", keep)
    open_at(page, replayed, "/rounds/followed")
    expect(page.locator("#live")).to_have_text("live")
    replayed.ledger.act("followed", actions[dealt : dealt + 2], actor)
    so_far = len(steps_of(replayed, "followed")["steps"])
    at_step(page, so_far)
    expect(page.locator("#announcement")).to_contain_text(f"Step {so_far} of {so_far}. Dealt to seat 2")
    expect(page.locator(".seat .card.back")).to_have_count(4)
    assert "step=" not in page.url
    for body in [*bodies, page.content()]:
        assert not {"As", "Ad", "Qh", "Jh"} & cards_in(re.sub(r"\bAs\b (?=[a-z])", "", body))
    page.keyboard.press("Home")
    page.locator("[data-go=on]").focus()
    replayed.ledger.act("followed", actions[dealt + 2 :], actor)
    replay = steps_of(replayed, "followed")
    expect(page.locator(".where [data-last]")).to_have_text(str(len(replay["steps"])))
    expect(page.locator("#live")).to_be_hidden()
    expect(page.locator(".about")).to_contain_text("settled")
    expect(page.locator("tr[data-line]")).to_have_count(len(replay["lines"]))
    expect(page.locator("#timeline > li")).to_have_count(len(replay["steps"]))
    expect(page.locator("[data-go=on]")).to_be_focused()
    at_step(page, 1)
    page.keyboard.press("End")
    followed = page.evaluate(LAID)
    open_at(page, replayed, "/rounds/followed")
    assert page.evaluate(LAID) == followed


def test_cards_are_face_down_on_the_felt_until_their_step(replayed: Site, page: Page):
    replay = steps_of(replayed, "bank-runs-dry")
    flop = next(street["step"] for street in replay["streets"] if street["name"] == "flop")
    open_at(page, replayed, f"/rounds/bank-runs-dry?step={flop - 1}")
    board = page.locator(".board .card")
    assert [card.get_attribute("aria-label") for card in board.all()] == ["face-down card"] * 5
    page.keyboard.press("ArrowRight")
    at_step(page, flop)
    labels = [card.get_attribute("aria-label") for card in board.all()]
    assert labels == ["ace of hearts", "king of hearts", "nine of hearts", "face-down card", "face-down card"]


def test_closed_hands_open_only_to_an_auditor_and_leave_a_trace(rounds_url: str, page: Page):
    with serving(rounds_url, token_key=KEY) as site:
        people = Staff(site.ledger.events.recorder.database)
        for role in ("floor", "auditor"):
            people.add(StaffMember(f"{role}-1", role, (role,), False), PASSWORD, "tests")
        for role, sees in (("floor", False), ("auditor", True)):
            page.goto(f"{site.url}/sign-in?next=/rounds/bank-runs-dry")
            page.get_by_label("Staff id").fill(f"{role}-1")
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("**/rounds/bank-runs-dry")
            link = page.get_by_role("link", name="Look at hands that were never turned over")
            expect(link).to_have_count(1 if sees else 0)
            if sees:
                link.click()
                expect(page.get_by_label("seven of spades")).to_be_visible()
            else:
                refused = page.request.get(f"{site.url}/rounds/bank-runs-dry?closed=1")
                assert refused.status == 403
            page.goto(f"{site.url}/")
            page.get_by_role("button", name="Sign out").click()
            page.wait_for_url("**/sign-in*")
        found = Looks(site.ledger.events.recorder.database).after(0, 500)
        reads = {(read["by"], read["what"], read["subject"]) for read in found}
        assert ("auditor-1", "sealed cards", "bank-runs-dry") in reads
        assert not any(by == "floor-1" and what == "sealed cards" for by, what, _ in reads)


# ---- the rest of the page


def test_a_note_by_the_floor_stands_on_the_page(replayed: Site, page: Page):
    open_at(page, replayed, "/rounds/dry-again?step=3")
    page.get_by_text("Add a note").click()
    page.get_by_label("What the floor saw").fill("A chip fell off the table.")
    page.get_by_label("Seat", exact=True).select_option("4")
    page.get_by_role("button", name="Record the note").click()
    page.wait_for_selector("#replay[data-ready]")
    expect(page.locator(".annotations")).to_contain_text("Note, irregularity, seat 4")
    expect(page.locator(".annotations")).to_contain_text("A chip fell off the table.")
    expect(page.locator("#timeline [aria-current]")).to_contain_text("A chip fell off the table.")


def test_newer_and_older_within_the_search(replayed: Site, page: Page):
    open_at(page, replayed, "/rounds/bank-runs-dry?bettor=p-21")
    page.get_by_role("link", name="Newer hand").click()
    page.wait_for_url("**/rounds/still-open?bettor=p-21")
    page.get_by_role("link", name="Newer hand").click()
    page.wait_for_url("**/rounds/dry-again?bettor=p-21")
    expect(page.get_by_role("link", name="Newer hand")).to_have_count(0)
    page.goto(f"{replayed.url}/rounds/bank-runs-dry")
    page.get_by_role("link", name="Newer hand").click()  # without a search: at the same table
    page.wait_for_url("**/rounds/dry-again")


def test_a_wager_can_be_disputed_from_its_line(replayed: Site, page: Page):
    open_at(page, replayed, "/rounds/bank-runs-dry")
    link = page.get_by_role("link", name="Dispute p-21's play")
    expect(link).to_have_attribute("href", "/disputes/new?round=bank-runs-dry&seat=1&bettor=p-21&hand=1&spot=play")


def test_on_paper_every_step_has_its_reason(replayed: Site, page: Page):
    open_at(page, replayed, "/rounds/bank-runs-dry?step=4")
    page.emulate_media(media="print")
    assert page.locator(".controls").is_hidden()
    reasons = page.locator("#timeline .because")
    assert all(reason.is_visible() for reason in reasons.all())
    expect(reasons).to_have_count(len(steps_of(replayed, "bank-runs-dry")["steps"]))


def test_little_is_transferred(replayed: Site, browser: Browser):
    context = browser.new_context()
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(f"{replayed.url}/rounds/bank-runs-dry")
    page.wait_for_load_state("networkidle")
    context.close()
    assert 0 < sum(sizes) < MOST_BYTES


def test_there_is_no_such_round(replayed: Site):
    assert httpx.get(f"{replayed.url}/rounds/none-such", headers={"Accept": "text/html"}).status_code == 404

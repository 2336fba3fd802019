"""A dealer at the screen: taps what a round document says, action by action."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

from domain.documents.document import read_document
from domain.round.dealing import face_down
from domain.round.decide import expects
from domain.round.replay import fact_documents, play

Action = dict[str, Any]
Document = dict[str, Any]
STORED = "Everything is stored"
expect.set_options(timeout=60_000)


def bet(seat: int, spot: str, amount: str) -> Action:
    return {"do": "bet", "seat": seat, "spot": spot, "amount": amount}


UTH: dict[str, Any] = {
    "ruleset": "uth-casino-club",
    "player_dealer": {"seat": 3, "wager": "1000.00"},
    "players": {"1": "p-1", "3": "tp-1", "5": "p-9"},
    "actions": [
        bet(1, "ante", "25.00"),
        bet(1, "blind", "25.00"),
        bet(1, "trips", "5.00"),
        bet(5, "ante", "10.00"),
        bet(5, "blind", "10.00"),
        {"do": "close_bets"},
        {"do": "deal", "to": 1, "cards": [None, None]},
        {"do": "deal", "to": 5, "cards": [None, None]},
        {"do": "deal", "to": "dealer", "cards": [None, None]},
        {"do": "deal", "to": "board", "cards": [None, None, None, None, None]},
        {"do": "decide", "seat": 1, "choice": "raise", "times": 4},
        {"do": "decide", "seat": 5, "choice": "check"},
        {"do": "reveal", "of": "flop", "cards": ["Ah", "9c", "4s"]},
        {"do": "decide", "seat": 5, "choice": "check"},
        {"do": "reveal", "of": "turn_river", "cards": ["Kd", "3h"]},
        {"do": "decide", "seat": 5, "choice": "fold"},
        {"do": "reveal", "of": "dealer", "cards": ["7c", "2d"]},
        {"do": "reveal", "of": 1, "cards": ["As", "Ad"]},
        {"do": "settle"},
    ],
}
SPLIT: dict[str, Any] = {
    "ruleset": "p215-casino-club",
    "terms": {"schedule": 1},
    "player_dealer": {"seat": 3, "wager": "1000.00"},
    "players": {"1": "p-1", "3": "tp-1"},
    "actions": [
        bet(1, "game", "25.00"),
        {"do": "close_bets"},
        {"do": "deal", "to": 1, "cards": ["8c"]},
        {"do": "deal", "to": "dealer", "cards": ["6d"]},
        {"do": "deal", "to": 1, "cards": ["8h"]},
        {"do": "deal", "to": "dealer", "cards": [None]},
        {"do": "decide", "seat": 1, "choice": "split"},
        {"do": "deal", "to": 1, "cards": ["3c"]},
        {"do": "deal", "to": 1, "hand": 2, "cards": ["Ts"]},
        {"do": "decide", "seat": 1, "choice": "double", "amount": "25.00"},
        {"do": "deal", "to": 1, "cards": ["9d"]},
        {"do": "decide", "seat": 1, "hand": 2, "choice": "stand"},
        {"do": "reveal", "of": "dealer", "cards": ["6d", "Tc"]},
        {"do": "deal", "to": "dealer", "cards": ["9h"]},
        {"do": "settle"},
    ],
}


def four_hands() -> Document:
    """A pair of tens that is split three times, in a round of Pure 21.5 with two players."""

    def deal(to: int | str, card: str | None, **hand: int) -> Action:
        return {"do": "deal", "to": to, **hand, "cards": [card]}

    def decide(seat: int, choice: str, **hand: int) -> Action:
        return {"do": "decide", "seat": seat, **hand, "choice": choice}

    first = ((4, "Jd"), (5, "Jh"), ("dealer", "9h"), (4, "Qc"), (5, "5c"), ("dealer", None))
    drawn = (("Td", "4h", 2), ("Th", "3h", 3), ("9c", "8h", 4))
    splits = [[decide(4, "split"), deal(4, one), deal(4, other, hand=hand)] for one, other, hand in drawn]
    return {
        "ruleset": "p215-casino-club",
        "terms": {"schedule": 1, "decks": 2},
        "player_dealer": {"seat": 6, "wager": "2500.00"},
        "players": {"4": "p-4", "5": "p-5", "6": "tp-1"},
        "actions": [
            *(bet(4, spot, amount) for spot, amount in (("game", "25.00"), ("buster", "5.00"), ("red_flex", "10.00"))),
            bet(5, "game", "50.00"),
            {"do": "close_bets"},
            *(deal(to, card) for to, card in first),
            *(action for split in splits for action in split),
            decide(4, "stand"),
            decide(4, "hit", hand=2),
            deal(4, "4s", hand=2),
            decide(4, "stand", hand=2),
            decide(4, "hit", hand=3),
            deal(4, "6d", hand=3),
            decide(4, "stand", hand=4),
            decide(5, "hit"),
            deal(5, "8s"),
            {"do": "reveal", "of": "dealer", "cards": ["9h", "9d"]},
            {"do": "settle"},
        ],
    }


def entered(actions: list[Action]) -> list[Action]:
    """Without the blinds of players: the screen enters each with the ante that it is equal to."""
    return [action for action in actions if not (action["do"] == "bet" and follows(action))]


def follows(action: Action) -> bool:
    return bool(action["spot"] == "blind" and action.get("kind") != "toke")


def as_dealt(document: Document) -> Document:
    """The same round by a dealer who names no card that is face down before it is turned over."""
    opening = read_document(document).opening
    _, events = play(opening, document["actions"])
    round_, actions = opening, list[Action]()
    for fact in fact_documents(events):
        action = {**fact}
        if action["do"] == "deal":
            entry = next(entry for entry in expects(round_) if entry["do"] == "deal")
            down = face_down(round_, entry["to"], entry["count"])
            action["cards"] = [None] * down + action["cards"][down:]
        if "bettor" in action and action["bettor"] == opening.seated[action["seat"]]:
            del action["bettor"]
        round_, _ = play(round_, [action])
        actions.append(action)
    return {**document, "actions": actions}


# What is tapped is clicked a moment later. Two taps as quick as a test's would be one finger that bounces.
BY_TOUCH = """
window.clicks = 0; addEventListener("click", () => { window.clicks += 1; }, true);
const stamp = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp").get;
Object.defineProperty(Event.prototype, "timeStamp", { get() { return stamp.call(this) * 1000; } });
"""
# Where a finger could not reach it at once: outside the screen, or under something else.
OUT_OF_REACH = """(one) => {
  const { x, y, width, height, bottom } = one.getBoundingClientRect();
  return y < 0 || bottom > innerHeight || !one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


class Dealer:
    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, name: str) -> None:
        self.on(name).click()

    def go(self, url: str, table: str) -> None:
        self.page.goto(f"{url}/dealer/{table}")

    def on(self, name: str) -> Locator:
        """What the screen calls by that name."""
        return self.page.locator(f'[data-id="{name}"]')

    @property
    def network(self) -> Locator:
        return self.page.locator('[data-part="network"]')

    def stored(self) -> None:
        """The service has it, and what is offered is what comes after it."""
        expect(self.network).to_have_text(STORED)
        expect(self.page.locator('[data-part="next"]')).to_have_attribute("aria-busy", "false")

    # ---- a table and a round

    def open_table(self, document: Action) -> None:
        self.on("ruleset").select_option(document["ruleset"])
        terms = {**document.get("terms", {})}
        schedule, limits, meter = terms.pop("schedule", None), terms.pop("limits", {}), terms.pop("meter", {})
        for name, value in terms.items():
            field = self.on(f"terms-{name}")
            if name in ("decks", "chip"):
                field.fill(str(value))
            elif field.count():  # where the rule set leaves no choice, nothing is asked
                field.select_option(value)
        if isinstance(schedule, dict):
            self._supply(schedule)
        elif schedule is not None and self.on("terms-schedule").count():
            self.on("terms-schedule").select_option(str(schedule))
        for spot, (low, high) in limits.items():
            self.on(f"low-{spot}").fill(low)
            self.on(f"high-{spot}").fill(high)
        for name, value in meter.items():
            self.on(f"meter-{name}").fill(str(value))
        for seat, bettor in document["players"].items():
            self.on(f"player-{seat}").fill(bettor)
        self.on("open-table").click()
        self.stored()

    def _supply(self, schedule: Action) -> None:
        self.on("terms-schedule").select_option("supplied")
        low, high = schedule["limits"]
        self.on("schedule-low").fill(low)
        self.on("schedule-high").fill(high)
        for at, (bound, fee) in enumerate(schedule["tiers"]):
            if at:
                self.on("more-tiers").click()
            if bound is not None:
                self.on(f"bound-{at}").fill(bound)
            self.on(f"fee-{at}").fill(fee)

    def open_round(self, document: Action) -> None:
        bank = document.get("player_dealer")
        if bank is not None:
            self.on(f"bank-{bank['seat']}").click()
            for seat in bank.get("declined", []):
                self.on(f"declined-{seat}").click()
            self.on("amount").fill(bank["wager"])
        self.on("open-round").click()
        self.stored()

    # ---- actions

    def tap(self, action: Action) -> None:
        """Without waiting for the service."""
        match action["do"]:
            case "bet":
                self._bet(action, "add")
            case "withdraw":
                self._bet(action, "back")
            case "deal":
                self._choose(f"deal-{action['to']}-{action.get('hand', 1)}")
                if any(action["cards"]):
                    self._pick(action["cards"])
                else:
                    self.press("deal-down")
            case "reveal" if "cards" in action:
                self._choose(f"reveal-{action['of']}")
                self._pick(action["cards"])
            case "reveal":
                self.press(f"reveal-{action['of']}")
            case "decide":
                name = f"decide-{action['seat']}-{action.get('hand', 1)}-{action.get('bettor', '')}-{action['choice']}"
                if "amount" in action:
                    self.on(f"{name}-amount").fill(action["amount"])
                self.press(f"{name}-{action['times']}" if "times" in action else name)
            case "peek":
                self.press("peek-yes" if action["pure"] else "peek-no")
            case "close_bets":
                self.press("close-bets")
            case "settle":
                self.press("settle")
            case "void":
                self.on("void-open").click()
                self.on("void-reason").select_option(action["reason"])
                self.on("void-detail").fill(action.get("detail", ""))
                self.on("void").click()

    def play(self, action: Action) -> None:
        self.tap(action)
        self.stored()

    def play_all(self, actions: list[Action]) -> None:
        for action in entered(actions):
            self.play(action)

    def _bet(self, action: Action, mode: str) -> None:
        """A wager that is equal to another is entered with it."""
        self._behind(action)
        self.press(f"mode-{mode}")
        if mode == "add" and self.on("amount").input_value() != action["amount"]:
            self.on("amount").fill(action["amount"])
        self.press(f"bet-{action['seat']}-{action['spot']}")

    def _choose(self, task: str) -> None:
        """Which cards, where several could be dealt or turned over."""
        choice, chosen = self.on(f"task-{task}"), self.page.locator(f'[data-task="{task}"]')
        early = self.on("turn-early")
        expect(choice.or_(chosen).or_(early).first).to_be_visible()
        if not chosen.count():
            if early.count() and not choice.is_visible():
                self.press("turn-early")
            self.press(f"task-{task}")

    def _behind(self, action: Action) -> None:
        """Whose bet it is, where it is not the seated player's."""
        kind, bettor = action.get("kind", ""), action.get("bettor", "")
        field = self.on("behind-kind")
        if not field.count() or field.input_value() == kind == "":
            return
        if not field.is_visible():
            self.on("behind").click()
        field.select_option(kind)
        if kind:
            self.on("behind-bettor").fill(bettor)

    def _pick(self, cards: list[str]) -> None:
        """Names the cards that are wanted; the others are there already. The last one sends them."""
        places = self.page.locator(".picked .card")
        expect(places).to_have_count(len(cards))
        wanted = places.evaluate_all("all => all.map((card) => card.classList.contains('wanted'))")
        for card in (card for card, here in zip(cards, wanted, strict=True) if here):
            self.press(f"card-{card}")


class Finger(Dealer):
    """Who has no mouse; `reached` counts what had to be scrolled to."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        page.add_init_script(BY_TOUCH)
        self.reached: list[str] = []

    def press(self, name: str) -> None:
        target = self.on(name)
        expect(target).to_be_enabled()
        if target.evaluate(OUT_OF_REACH):
            self.reached.append(name)
        clicks = self.page.evaluate("window.clicks")
        target.tap()
        self.page.wait_for_function("(before) => window.clicks > before", arg=clicks)

"""A dealer at the screen: taps what a round document says, action by action."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

Action = dict[str, Any]
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


class Dealer:
    def __init__(self, page: Page) -> None:
        self.page = page

    def go(self, url: str, table: str) -> None:
        self.page.goto(f"{url}/dealer/{table}")

    def on(self, name: str) -> Locator:
        """What the screen calls by that name."""
        return self.page.locator(f'[data-id="{name}"]')

    @property
    def network(self) -> Locator:
        return self.page.locator('[data-part="network"]')

    def stored(self) -> None:
        expect(self.network).to_have_text(STORED)

    # ---- a table and a round

    def open_table(self, document: Action) -> None:
        self.on("ruleset").select_option(document["ruleset"])
        for name, value in document.get("terms", {}).items():
            self.on(f"terms-{name}").select_option(str(value))
        for seat, bettor in document["players"].items():
            self.on(f"player-{seat}").fill(bettor)
        self.on("open-table").click()
        self.stored()

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
                self.on(f"seat-{action['seat']}").click()
                self.on(f"spot-{action['spot']}").click()
                self.on("amount").fill(action["amount"])
                self.on("bet").click()
            case "deal" if not any(action["cards"]):
                self.on("deal-down").click()
            case "deal":
                self._pick([card for card in action["cards"] if card])
            case "reveal" if "cards" in action:
                name = f"reveal-{action['of']}"
                choice, chosen = self.on(f"task-{name}"), self.page.locator(f'[data-task="{name}"]')
                expect(choice.or_(chosen).first).to_be_visible()
                if not chosen.count():
                    choice.click()
                self._pick(action["cards"])
            case "reveal":
                self.on(f"reveal-{action['of']}").click()
            case "decide":
                name = f"decide-{action['seat']}-{action.get('hand', 1)}-{action.get('bettor', '')}-{action['choice']}"
                if "amount" in action:
                    self.on(f"{name}-amount").fill(action["amount"])
                self.on(f"{name}-{action['times']}" if "times" in action else name).click()
            case "peek":
                self.on("peek-yes" if action["pure"] else "peek-no").click()
            case "close_bets":
                self.on("close-bets").click()
            case "settle":
                self.on("settle").click()

    def play(self, action: Action) -> None:
        self.tap(action)
        self.stored()

    def _pick(self, cards: list[str]) -> None:
        for card in cards:
            self.on(f"rank-{card[0]}").click()
            self.on(f"suit-{card[1]}").click()
        self.on("send-cards").click()

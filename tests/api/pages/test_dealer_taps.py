"""How many taps of a finger a round takes at the dealer's screen, with the wagers of the round before made again and
the deck in play said where decks alternate. Nothing is typed, and nothing has to be scrolled to."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from domain.documents.document import adjudicate
from domain.documents.result import result_of
from infra.ledger.ledger import Actor
from tests.api.pages.conftest import WAIT_MS, Site, keep_picture
from tests.api.pages.dealer_screen import Action, Dealer, Finger, as_dealt, bet

# Whatever a finger does on the glass; only what is inside the page counts.
COUNT = "window.taps = 0; addEventListener('pointerdown', () => { window.taps += 1; }, true);"
PLAYERS = {str(seat): f"p-{seat}" for seat in range(1, 7)}
BANK = {"seat": 7, "bettor": "tp-1", "wager": "5000.00"}
SEATS = range(1, 7)
TABLET, DESKTOP = (1024, 768), (1280, 800)


def deal(to: int | str, *cards: str | None) -> Action:
    return {"do": "deal", "to": to, "cards": list(cards)}


def decide(seat: int, choice: str, **more: Any) -> Action:
    return {"do": "decide", "seat": seat, "choice": choice, **more}


def turn(of: int | str, *cards: str) -> Action:
    return {"do": "reveal", "of": of, "cards": list(cards)}


def round_of(ruleset: str, terms: Action, actions: list[Action]) -> Action:
    players = {**PLAYERS, "7": "tp-1"}
    return {"ruleset": ruleset, "terms": terms, "player_dealer": BANK, "players": players, "actions": actions}


UTH = round_of(
    "uth-casino-club",
    {},
    [
        *(bet(seat, spot, "25.00") for seat in SEATS for spot in ("ante", "blind")),
        *(bet(seat, "trips", "5.00") for seat in (1, 3, 5)),
        {"do": "close_bets"},
        *(deal(seat, None, None) for seat in SEATS),
        deal("dealer", None, None),
        deal("board", *[None] * 5),
        *(decide(seat, "raise", times=4) for seat in (1, 2)),
        *(decide(seat, "check") for seat in (3, 4, 5, 6)),
        turn("flop", "Ah", "9c", "4s"),
        *(decide(seat, "raise", times=2) for seat in (3, 4)),
        *(decide(seat, "check") for seat in (5, 6)),
        turn("turn_river", "Kd", "3h"),
        decide(5, "raise", times=1),
        decide(6, "fold"),
        turn("dealer", "7c", "2d"),
        turn(1, "As", "Ad"),
        turn(2, "Kc", "Ks"),
        turn(3, "9d", "8d"),
        turn(4, "4c", "5c"),
        turn(5, "Qc", "Jc"),
        {"do": "settle"},
    ],
)
TCP = round_of(
    "tcp-casino-club",
    {"schedule": 1},
    [
        *(bet(seat, "ante", "25.00") for seat in SEATS),
        *(bet(seat, "pair_plus", "5.00") for seat in (1, 2, 3)),
        *(bet(seat, "six_card", "5.00") for seat in (1, 4)),
        {"do": "close_bets"},
        *(deal(seat, None, None, None) for seat in SEATS),
        deal("dealer", None, None, "Td"),
        *(decide(seat, "fold" if seat == 5 else "play") for seat in SEATS),
        turn("dealer", "Qh", "8c", "Td"),
        turn(1, "As", "Ad", "2c"),
        turn(2, "Kc", "Ks", "3c"),
        turn(3, "9d", "8d", "7d"),
        turn(4, "4c", "5c", "Jh"),
        turn(6, "Qc", "Jc", "2h"),
        {"do": "settle"},
    ],
)
P215 = round_of(
    "p215-casino-club",
    {"schedule": 1},
    [
        *(bet(seat, "game", "25.00") for seat in SEATS),
        {"do": "close_bets"},
        *(deal(seat, card) for seat, card in zip(SEATS, ("8c", "9c", "5h", "2d", "6c", "Tc"), strict=True)),
        deal("dealer", "Ah"),
        *(deal(seat, card) for seat, card in zip(SEATS, ("8d", "9h", "6h", "3d", "6d", "9d"), strict=True)),
        deal("dealer", None),
        decide(6, "insure", amount="12.00"),
        {"do": "peek", "pure": False},
        decide(1, "split"),
        deal(1, "3s"),
        {**deal(1, "Ts"), "hand": 2},
        decide(1, "double", amount="25.00"),
        deal(1, "9s"),
        {**decide(1, "stand"), "hand": 2},
        decide(2, "split"),
        deal(2, "8s"),
        {**deal(2, "9s"), "hand": 2},
        decide(2, "stand"),
        {**decide(2, "stand"), "hand": 2},
        decide(3, "hit"),
        deal(3, "4c"),
        decide(3, "hit"),
        deal(3, "5c"),
        decide(4, "hit"),
        deal(4, "7c"),
        decide(4, "hit"),
        deal(4, "8h"),
        decide(5, "hit"),
        deal(5, "7s"),
        decide(6, "stand"),
        turn("dealer", "Ah", "7d"),
        {"do": "settle"},
    ],
)


def known_table(site: Site, table: str, document: Action) -> None:
    """A table at which a round with the same wagers has been played."""
    result = site.ledger.record({**document, "table": table}, Actor("dealer-1", int(time.time() * 1000)))
    assert result["status"] == "settled", result


def begin(site: Site, browser: Browser, table: str, document: Action, size: tuple[int, int]) -> Finger:
    """The screen has been open since before the round that is played again."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=True, color_scheme="dark")
    context.set_default_timeout(WAIT_MS)
    context.add_init_script(COUNT)
    dealer = Finger(context.new_page())
    dealer.go(site.url, table)
    expect(dealer.on("opening")).to_be_visible()
    known_table(site, table, document)
    expect(dealer.on("open-round")).to_be_enabled()
    return dealer


def tap(dealer: Dealer, name: str) -> None:
    dealer.press(name)
    dealer.stored()


def finish(site: Site, dealer: Finger, table: str, document: Action) -> int:
    """The round is settled and paid; how many taps it took, if it came out as the document does."""
    tap(dealer, "settle")
    keep_picture(dealer.page, f"taps-{table}")
    tap(dealer, "paid-as-computed")
    taps = int(dealer.page.evaluate("window.taps"))
    assert dealer.reached == []
    session = site.ledger.tables.reload(table).session
    assert session is not None
    stored = result_of(site.ledger.load(session.ended[-1]).round)
    assert {**stored, "round": None} == {**adjudicate(json.dumps(document).encode()), "round": None}
    dealer.page.context.close()
    return taps


def open_and_deal(dealer: Dealer, table: str) -> None:
    tap(dealer, "open-round")
    keep_picture(dealer.page, f"bets-{table}")
    tap(dealer, "again-all")
    if dealer.on("deck").count():
        dealer.press("deck-red")  # the round before had the blue one
    tap(dealer, "close-bets")


def name_cards(dealer: Dealer, *actions: Action) -> None:
    for action in actions:
        dealer.play(action)


def test_six_players_of_ultimate_texas_holdem(site: Site, browser: Browser):
    dealer = begin(site, browser, "taps-uth", UTH, TABLET)
    open_and_deal(dealer, "taps-uth")
    keep_picture(dealer.page, "deal-taps-uth")
    tap(dealer, "deal-all")
    keep_picture(dealer.page, "decide-taps-uth")
    for seat in (1, 2):
        tap(dealer, f"decide-{seat}-1--raise-4")
    tap(dealer, "all-check")
    keep_picture(dealer.page, "flop-taps-uth")
    name_cards(dealer, turn("flop", "Ah", "9c", "4s"))
    for seat in (3, 4):
        tap(dealer, f"decide-{seat}-1--raise-2")
    tap(dealer, "all-check")
    name_cards(dealer, turn("turn_river", "Kd", "3h"))
    tap(dealer, "decide-5-1--raise-1")
    tap(dealer, "decide-6-1--fold")
    name_cards(dealer, *(action for action in UTH["actions"][-7:-1]))
    assert finish(site, dealer, "taps-uth", UTH) <= 45


def test_six_players_of_three_card_poker(site: Site, browser: Browser):
    dealer = begin(site, browser, "taps-tcp", TCP, DESKTOP)
    open_and_deal(dealer, "taps-tcp")
    tap(dealer, "deal-all")
    name_cards(dealer, deal("dealer", None, None, "Td"))
    dealer.press("decide-5-1--fold")  # before it is their turn
    expect(dealer.on("decide-5-1--fold")).to_have_attribute("aria-pressed", "true")
    keep_picture(dealer.page, "decide-taps-tcp")
    tap(dealer, "all-play")
    name_cards(dealer, *(action for action in TCP["actions"][-7:-1]))
    assert finish(site, dealer, "taps-tcp", TCP) <= 35


def test_six_players_of_pure_21_5(site: Site, browser: Browser):
    dealer = begin(site, browser, "taps-p215", P215, TABLET)
    open_and_deal(dealer, "taps-p215")
    begun = next(at for at, action in enumerate(P215["actions"]) if action["do"] == "deal")
    for action in P215["actions"][begun:-1]:
        match action:
            case {"do": "decide", "amount": _}:  # the amount that is offered is the one that is wanted
                hand = action.get("hand", 1)
                tap(dealer, f"decide-{action['seat']}-{hand}--{action['choice']}")
            case _:
                dealer.play(action)
    assert finish(site, dealer, "taps-p215", P215) <= 60


@pytest.mark.parametrize("document", [UTH, TCP, P215], ids=["uth", "tcp", "p215"])
def test_the_rounds_are_dealt_unseen(document: Action):
    assert as_dealt(document)["actions"] == document["actions"]

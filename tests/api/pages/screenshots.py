"""`make screenshots`: the README's pictures, from a demo of its own; with an address, from the one that runs there."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from msgspec import Struct
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.api.pages.conftest import ARGUMENTS, chromium
from tests.api.pages.dealer_screen import Action, Dealer, bet
from tests.api.pages.demo_site import running_demo, sign_in

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "screenshots"
MOST_BYTES = 2_000_000
COLOURS = 128
SIZES = {"desktop": (1280, 800), "tablet": (1024, 768), "phone": (390, 844)}


class Shot(Struct, frozen=True):
    name: str
    staff_id: str
    address: str
    size: str = "desktop"
    theme: Literal["light", "dark"] = "light"
    waits_for: str = "h1"


SHOTS = (
    Shot("replay", "audit-oli", "/rounds/p215-1-000010", waits_for="text=verified in this browser"),
    Shot("replay-phone", "audit-oli", "/rounds/p215-1-000010", "phone", "dark", "text=verified in this browser"),
    Shot("floor", "floor-lee", "/floor", waits_for="#live[data-on]"),
    Shot("box", "acct-nia", "/drop/p215-2-box-2"),
    Shot("collections", "acct-nia", "/collections"),
    Shot("dispute", "floor-raj", "/disputes/dispute-3"),
    Shot("dealer", "dealer-eva", "/dealer/practice", "tablet"),
)
# What is dealt at the practice table before its picture is taken; the screen enters each blind with its ante.
DEALT: list[Action] = [
    bet(1, "ante", "25.00"),
    bet(1, "trips", "5.00"),
    bet(2, "ante", "10.00"),
    {"do": "close_bets"},
    {"do": "deal", "to": 1, "cards": [None, None]},
    {"do": "deal", "to": 2, "cards": [None, None]},
    {"do": "deal", "to": "dealer", "cards": [None, None]},
    {"do": "deal", "to": "board", "cards": [None, None, None, None, None]},
    {"do": "decide", "seat": 1, "choice": "check"},
    {"do": "decide", "seat": 2, "choice": "check"},
    {"do": "reveal", "of": "flop", "cards": ["Ah", "9c", "4s"]},
]


def take(browser: Browser, url: str, shot: Shot) -> bytes:
    width, height = SIZES[shot.size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=shot.theme, reduced_motion="reduce"
    )
    context.set_default_timeout(60_000)
    try:
        page = context.new_page()
        sign_in(page, url, shot.staff_id)
        page.goto(url + shot.address)
        page.locator(shot.waits_for).first.wait_for()
        if shot.name == "dealer":
            deal(Dealer(page))
        return page.screenshot()
    finally:
        context.close()


def deal(dealer: Dealer) -> None:
    if dealer.on("open-round").or_(dealer.on("void-open")).first.get_attribute("data-id") == "void-open":
        return  # somebody is dealing there already
    dealer.open_round({"player_dealer": {"seat": 4, "wager": "1000.00"}})
    for action in DEALT:
        dealer.play(action)
    dealer.page.evaluate("scrollTo(0, 0)")


def small(png: bytes) -> bytes:
    """Few colours are enough for a page, and make it a third of the size."""
    picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS)
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


@contextmanager
def demo_at(url: str | None) -> Iterator[str]:
    """The one that runs there, or else one of our own."""
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory() as folder, running_demo(Path(folder) / "demo") as started:
        yield started


def main(url: str | None = None) -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with demo_at(url) as at, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        total = 0
        for shot in SHOTS:
            picture = small(take(browser, at, shot))
            total += len(picture)
            (FOLDER / f"{shot.name}.png").write_bytes(picture)
            print(f"{shot.name}.png {len(picture) // 1024} KB")
        browser.close()
    if total > MOST_BYTES:
        print(f"the pictures have {total:,} bytes, more than {MOST_BYTES:,}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))

"""`make screenshots`: the pictures of the README, taken from a running demo."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Literal

from msgspec import Struct
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.web.conftest import ARGUMENTS, chromium
from tests.web.demo_site import running_demo, sign_in

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
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


SHOTS = (Shot("floor", "floor-lee", "/floor"),)


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
        return page.screenshot()
    finally:
        context.close()


def small(png: bytes) -> bytes:
    """Few colours are enough for a page, and make it a third of the size."""
    picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS)
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running_demo(Path(folder) / "demo") as url, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        total = 0
        for shot in SHOTS:
            picture = small(take(browser, url, shot))
            total += len(picture)
            (FOLDER / f"{shot.name}.png").write_bytes(picture)
            print(f"{shot.name}.png {len(picture) // 1024} KB")
        browser.close()
    if total > MOST_BYTES:
        print(f"the pictures have {total:,} bytes, more than {MOST_BYTES:,}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

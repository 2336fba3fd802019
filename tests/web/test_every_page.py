"""Each page in a real browser: it is quiet, fits, keeps nobody out, and has its twin."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.web.conftest import WAIT_MS, Site, keep_picture, watch
from tests.web.pages import ADDRESSES

SIZES = {"desktop": (1280, 800), "phone": (390, 844)}
AXE = Axe()
# The widest that the page's own box may be; what scrolls inside itself does not count.
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module", params=["light", "dark"])
def themed(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[str, Page]]:
    context = browser.new_context(color_scheme=request.param, reduced_motion="reduce")
    context.set_default_timeout(WAIT_MS)
    yield request.param, context.new_page()
    context.close()


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_is_quiet_and_fits_and_keeps_nobody_out(site: Site, themed: tuple[str, Page], address: str):
    theme, page = themed
    watched = watch(page)
    if address == "/nothing-here":
        watched.ignoring.add("404")
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.goto(site.url + address.format(**site.known))
        assert page.locator("h1").count() == 1
        assert page.evaluate(OVERFLOW) <= 0, f"wider than {width} px"
        name = re.sub(r"\W+", "-", address).strip("-") or "home"
        keep_picture(page, f"{name}-{size}-{theme}")
    found = AXE.run(page).response["violations"]
    serious = [
        f"{one['id']}: {one['help']} ({[node['html'][:120] for node in one['nodes'][:3]]})"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []
    watched.check()


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_has_its_twin(site: Site, address: str):
    url = site.url + address.format(**site.known)
    with httpx.Client() as client:
        by_header = client.get(url, headers={"Accept": "application/json"})
        by_address = client.get(url, params={"format": "json"}, headers={"Accept": "text/html"})
    for answer in (by_header, by_address):
        assert "json" in answer.headers["content-type"]
        assert isinstance(answer.json(), dict)

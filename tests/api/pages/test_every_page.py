"""Each page in a real browser: it is quiet, fits, keeps nobody out, and has its twin."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.api.pages.addresses import ADDRESSES, SIGNED_IN
from tests.api.pages.conftest import WAIT_MS, Site, Watched, signs_in, watch
from tests.api.pages.page_checks import look_at

Opened = tuple[Page, Watched]


@pytest.fixture(scope="module")
def pages(browser: Browser) -> Iterator[Callable[[Site, str | None], Opened]]:
    """A page for everybody, who stays signed in at it."""
    contexts: list[BrowserContext] = []
    opened: dict[tuple[str, str | None], Opened] = {}

    def page_of(site: Site, who: str | None) -> Opened:
        if (site.url, who) not in opened:
            context = browser.new_context(reduced_motion="reduce")
            context.set_default_timeout(WAIT_MS)
            contexts.append(context)
            page = context.new_page()
            opened[site.url, who] = page, watch(page)
            if who is not None:
                signs_in(page, site, who)
        page, watched = opened[site.url, who]
        watched.wrong.clear()
        watched.ignoring.clear()
        return page, watched

    yield page_of
    for context in contexts:
        context.close()


def looked_at(opened: Opened, site: Site, address: str, status: int, who: str = "") -> None:
    page, watched = opened
    if status != 200:
        watched.ignoring.add(str(status))
    page.set_viewport_size({"width": 1280, "height": 800})
    answer = page.goto(site.url + address.format(**site.known))
    assert answer is not None
    assert answer.status == status
    look_at(page, re.sub(r"\W+", "-", f"{who} {address}").strip("-") or "home")
    watched.check()


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_is_quiet_and_fits_and_keeps_nobody_out(
    site: Site, pages: Callable[[Site, str | None], Opened], address: str
):
    looked_at(pages(site, None), site, address, 404 if address == "/nothing-here" else 200)


@pytest.mark.parametrize(("who", "address", "status"), SIGNED_IN)
def test_so_is_what_somebody_sees_who_signs_in(
    locked: Site, pages: Callable[[Site, str | None], Opened], who: str | None, address: str, status: int
):
    looked_at(pages(locked, who), locked, address, status, who or "nobody")


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_has_its_twin(site: Site, address: str):
    url = site.url + address.format(**site.known)
    with httpx.Client() as client:
        by_header = client.get(url, headers={"Accept": "application/json"})
        by_address = client.get(url, params={"format": "json"}, headers={"Accept": "text/html"})
    for answer in (by_header, by_address):
        assert "json" in answer.headers["content-type"]
        assert isinstance(answer.json(), dict)

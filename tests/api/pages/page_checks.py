"""How a page is looked at: it complains of nothing, fits wide and narrow, and keeps nobody out, in light and dark."""

from __future__ import annotations

from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.api.pages.conftest import SCREENSHOTS, keep_picture

SIZES = {"desktop": (1280, 800), "phone": (390, 844)}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
AXE = Axe()
# Once the page has been drawn in its new size: tables are laid out anew then.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
# By how much the page is too wide; what scrolls inside itself does not count.
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Tables that cannot be seen whole at a desk.
SIDEWAYS = """() => [...document.querySelectorAll(".scroll")]
  .filter((frame) => frame.scrollWidth > frame.clientWidth + 1)
  .map((frame) => `${frame.getAttribute("aria-label")}: ${frame.scrollWidth} in ${frame.clientWidth}`)"""


# Figures squeezed into columns that are too narrow for them.
CRAMPED = """() => [...document.querySelectorAll(".tile")]
  .filter((tile) => tile.clientWidth < 110)
  .map((tile) => tile.textContent)"""


# What paper would cut off, because it scrolls on a screen.
CUT_OFF = """() => [...document.querySelectorAll(".scroll, .timeline ol")]
  .filter((part) => getComputedStyle(part).maxHeight !== "none" || getComputedStyle(part).overflowY !== "visible")
  .map((part) => part.getAttribute("aria-label"))"""


# Of axe's rules those that a theme can change.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
# Of siblings of one shape, such as the rows of a table, two are left for axe: it would say the same of all, and takes
# longer the more there are. A shape is what a style can depend on. What others may refer to, and what is chosen, is
# hidden, which is slower for axe; the rest is taken out.
THIN_OUT = """() => {
  const styled = ["class", "role", "type", "aria-current", "aria-disabled", "aria-pressed", "aria-sort", "data-suit"];
  const shapes = new Map();
  const shape = (one) => {
    const own = [one.tagName, ...one.getAttributeNames(), ...styled.map((name) => one.getAttribute(name))].join();
    shapes.set(one, `${own}(${[...one.children].map(shape).join()})`);
    return shapes.get(one);
  };
  const stays = (one) => one.matches("[id], :checked") || one.querySelector("[id], :checked");
  const thinOut = (parent) => {
    const met = new Map(), out = [];
    for (const one of [...parent.children]) {
      const times = (met.get(shapes.get(one)) ?? 0) + 1;
      met.set(shapes.get(one), times);
      if (times <= 2) thinOut(one);
      else if (!stays(one)) { out.push([one, one.nextSibling]); one.remove(); }
      else if (one.style) { one.dataset.shown = one.style.display; one.style.display = "none"; }
    }
    if (out.length) taken.set(parent, { out: out.reverse(), left: parent.childNodes.length });
  };
  const taken = window.takenOut = new Map();
  shape(document.body);
  thinOut(document.body);
}"""
# Unless the page has drawn it anew meanwhile.
BRING_BACK = """() => {
  for (const [parent, { out, left }] of window.takenOut) {
    if (parent.childNodes.length === left) for (const [one, next] of out) parent.insertBefore(one, next);
  }
  for (const one of document.querySelectorAll("[data-shown]")) {
    one.style.display = one.dataset.shown;
    delete one.dataset.shown;
  }
}"""
# The style sheets need not be asked for again.
RUN_AXE = "(options) => axe.run({resultTypes: ['violations'], preload: false, ...options})"


def look_at(page: Page, name: str) -> None:
    """What is open, loaded once: it is made narrow and dark in place."""
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        assert page.locator("h1").count() == 1
        assert page.evaluate(OVERFLOW) <= 0, f"wider than {width} px"
        nothing(page.evaluate(CRAMPED))
        if size == "desktop":
            nothing(page.evaluate(SIDEWAYS))
        for theme in THEMES if SCREENSHOTS else ():
            page.emulate_media(color_scheme=theme)
            keep_picture(page, f"{name}-{size}-{theme}")
    page.emulate_media(color_scheme="dark")
    nothing(serious(page, OF_COLOURS))
    page.emulate_media(color_scheme="light")
    nothing(serious(page))
    page.emulate_media(media="print")
    nothing(page.evaluate(CUT_OFF))
    page.emulate_media(media="screen")


def nothing(found: list[str]) -> None:
    """pytest explains no assertion of a module that is no test."""
    assert found == [], found


def serious(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe says must not be."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.axe_script)
    page.evaluate(THIN_OUT)
    response = page.evaluate(RUN_AXE, {"runOnly": rules} if rules else {})
    page.evaluate(BRING_BACK)
    return [
        f"{one['id']}: {one['help']} ({[node['html'][:120] for node in one['nodes'][:3]]})"
        for one in response["violations"]
        if one["impact"] in ("serious", "critical")
    ]


__all__ = ["look_at", "serious"]

"""Addresses that every check of tests/web/test_every_page.py goes to.

A new page adds its addresses here and is looked at by itself: no console error, nothing that the content security
policy stops, no overflow, nothing that axe calls serious, in light and dark, at desktop and phone width, and its twin
is JSON. `{round}`, `{table}` and the like stand for what tests/web/conftest.py has recorded.
"""

ADDRESSES: tuple[str, ...] = (
    "/",
    "/dealer",
    "/dealer/{table}",
    "/dealer/never-open",
    "/floor",
    "/hands",
    "/hands?table={table}&made=pair&status=settled&from=2026-09-21T00:00&least=1",
    "/hands?bettor=nobody-at-all",
    "/audit",
    "/rules",
    "/rules/{ruleset}",
    "/account",
    "/staff",
    "/rounds/{round}",
    "/rounds/{round}?step=9",
    "/people",
    "/people?of=banking",
    "/people/tp-1",
    "/collections",
    "/collections?first=2026-09-21&last=2026-09-21",
    "/drop",
    "/drop?status=removed",
    "/drop/swap",
    "/drop/{short_box}",
    "/drop/{uncounted_box}",
    "/drop/{uncounted_box}/count",
    "/trays",
    "/days?gaming_day=2026-09-21",
    "/reports",
    "/reports/journal",
    "/reports/trial-balance",
    "/reports/collections",
    "/reports/voids",
    "/nothing-here",
)

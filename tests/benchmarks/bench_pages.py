"""Every page against a bare Jinja page on the same server, with 100,000 rounds stored.

The bare page is a FastAPI handler that renders a table of 50 constant rows: no database, no sign-in, no compression.
Rounds of all rule sets are recorded and projected; their rows are then multiplied by SQL into ten gaming days up to
today, 10,000 rounds each. One worker process, one connection, pages and bare page taking turns; what is compared is the
median time of an answer. The replay page is also weighed, with everything that it loads, as it goes over the wire.
"""

from __future__ import annotations

import http.client
import multiprocessing
import os
import re
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from importlib.metadata import version
from pathlib import Path
from string import Formatter
from typing import Any

import psycopg

from infra.embedded import embedded_postgres
from infra.migrate import migrate
from tests.benchmarks import Row
from tests.benchmarks.bench_service import _wait_for as wait_for
from tests.benchmarks.days import keep_sample, multiply, play
from tests.web.pages import ADDRESSES

ROUNDS = int(os.environ.get("ROUNDLEDGER_BENCH_PAGE_ROUNDS", "100000"))
TURNS = int(os.environ.get("ROUNDLEDGER_BENCH_PAGE_TURNS", "40"))
DAYS = 10
AT_MOST_TIMES = 10
AT_MOST_BYTES = 200_000
NOT_PAGES = frozenset({"/nothing-here"})
LOADED = re.compile(rb'(?:href|src)="(/static/[^"]+)"')
IMPORTED = re.compile(rb'"(/static/[^"]+)"')
BARE = """<!doctype html><html lang="en"><head><title>{{ title }}</title></head><body><h1>{{ title }}</h1><table>
<tr>{% for name in names %}<th>{{ name }}</th>{% endfor %}</tr>
{% for row in rows %}<tr>{% for name in names %}<td>{{ row[name] }}</td>{% endfor %}</tr>
{% endfor %}</table></body></html>"""


def _serve(database_url: str, port: int) -> None:
    import uvicorn

    from api.service.app import create_app
    from api.service.settings import Settings
    from infra.ledger import Ledger

    app = create_app(Ledger(database_url), Settings(follow=True))
    bare = _bare()

    async def both(scope: Any, receive: Any, send: Any) -> None:
        of_bare = scope["type"] == "http" and scope["path"] == "/bare"
        await (bare if of_bare else app)(scope, receive, send)

    uvicorn.run(both, host="127.0.0.1", port=port, log_level="warning", access_log=False)


def _bare() -> Any:
    from fastapi import FastAPI
    from fastapi.responses import HTMLResponse
    from jinja2 import Environment

    app = FastAPI()
    template = Environment(autoescape=True).from_string(BARE)
    names = ["round", "opened", "table", "bank", "hands", "wagered", "net", "status"]
    rows = [{name: f"{name} of {number}" for name in names} for number in range(50)]

    @app.get("/bare", response_class=HTMLResponse)
    async def page() -> str:
        return template.render(title="Rounds", names=names, rows=rows)

    return app


@contextmanager
def served() -> Iterator[tuple[int, dict[str, str]]]:
    with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder) / "postgres") as url:
        migrate(url)
        known = _fill(url)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        process = multiprocessing.get_context("spawn").Process(target=_serve, args=(url, port), daemon=True)
        process.start()
        try:
            wait_for(port)
            yield port, known
        finally:
            process.terminate()
            process.join(30)


def _fill(url: str) -> dict[str, str]:
    played = play(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        keep_sample(connection)
        for number in range(DAYS):
            multiply(connection, date.today() - timedelta(days=number), max(ROUNDS // DAYS // played, 1))
        connection.execute(
            "INSERT INTO projections.hands_bettors (bettor, opened_at, round, seats, outcomes) "
            "SELECT DISTINCT b, h.opened_at, h.round, h.seats, h.outcomes "
            "FROM projections.hands h, unnest(h.bettors) b ON CONFLICT DO NOTHING"
        )
        connection.execute("VACUUM ANALYZE")
        row = connection.execute(
            "SELECT round, table_id, ruleset FROM sample.hands "
            "WHERE ruleset = 'uth-casino-club' AND status = 'settled' ORDER BY round LIMIT 1"
        ).fetchone()
        assert row is not None
        stored = connection.execute("SELECT count(*) FROM projections.hands").fetchone()
        assert stored is not None
        if stored[0] < ROUNDS * 0.9:
            raise RuntimeError(f"only {stored[0]} rounds are stored")
    return dict(zip(("round", "table", "ruleset"), row, strict=True))


class Browser:
    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, address: str, encoding: str = "identity") -> bytes:
        headers = {"Accept": "text/html", "Accept-Encoding": encoding}
        self._connection.request("GET", address, headers=headers)
        answer = self._connection.getresponse()
        read = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{address}: {answer.status} {read[:300]!r}")
        return read

    def milliseconds(self, address: str) -> float:
        began = time.perf_counter()
        self.get(address, "gzip")
        return (time.perf_counter() - began) * 1000


def _pages(known: dict[str, str]) -> list[str]:
    """Those of the browser tests whose names are known here."""
    fields = {address: {name for _, name, _, _ in Formatter().parse(address) if name} for address in ADDRESSES}
    return [
        address.format(**known) for address in ADDRESSES if fields[address] <= known.keys() and address not in NOT_PAGES
    ]


def _weight(browser: Browser, address: str) -> int:
    """Bytes of bodies as they go over the wire: the page, and every static file that it names or that those name."""
    seen: dict[str, int] = {}
    waiting = {path.decode() for path in LOADED.findall(browser.get(address))}
    while waiting:
        path = waiting.pop()
        seen[path] = len(browser.get(path, "gzip"))
        if path.endswith(".js"):
            waiting |= {found.decode() for found in IMPORTED.findall(browser.get(path))} - seen.keys()
    return len(browser.get(address, "gzip")) + sum(seen.values())


def run() -> list[Row]:
    rows = []
    with served() as (port, known):
        browser = Browser(port)
        for address in _pages(known):
            for _ in range(3):  # for warming up
                browser.milliseconds(address)
                browser.milliseconds("/bare")
            pairs = [(browser.milliseconds(address), browser.milliseconds("/bare")) for _ in range(TURNS)]
            bare = statistics.median(theirs for _, theirs in pairs)
            rows.append(
                Row(
                    name=f"page {address}"[:70],
                    measured=statistics.median(ours for ours, _ in pairs),
                    unit="ms",
                    reference=bare,
                    reference_name=f"bare Jinja page, FastAPI {version('fastapi')}",
                    required_ratio=1 / AT_MOST_TIMES,
                    better="lower",
                )
            )
        rows.append(
            Row(
                name="replay page with all that it loads",
                measured=_weight(browser, f"/rounds/{known['round']}"),
                unit="bytes",
                reference=AT_MOST_BYTES,
                reference_name="what is allowed",
                required_ratio=1.0,
                better="lower",
            )
        )
    return rows

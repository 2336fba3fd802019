"""Every page against a bare Jinja page on the same server, with 100,000 rounds stored.

The bare page is a FastAPI handler that renders a table of 50 constant rows: no database, no sign-in, no compression.
Rounds of all rule sets are recorded and projected; their rows are then multiplied by SQL into ten gaming days up to
today, 10,000 rounds each. One worker process, one connection, pages and bare page taking turns; what is compared is the
median time on the processor of an answer, that of the service and of the database together, since a busy machine
interrupts a long page more often than the bare one.

What is measured is the first look: before each one the server forgets whatever it has worked out for earlier looks,
which is also how it is while rounds are being recorded. A page that is quicker the second time has a second row.
Templates are compiled and connections are open, as in any server that has been running for a minute. The replay page is
also weighed, with everything that it loads, as it goes over the wire.
"""

from __future__ import annotations

import gc
import http.client
import json
import multiprocessing
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path
from string import Formatter
from typing import Any, LiteralString

import psycopg
from psycopg.sql import SQL

from api.pages.play.irregular import REPORTS as IRREGULAR
from domain.disputes import disputes
from domain.moments import DAY_MS
from domain.round.events import PaymentReported
from infra.access.staff import Staff, StaffMember
from infra.embedded import embedded_postgres
from infra.ledger.audit_runs import AuditRuns
from infra.ledger.books.slips import Slips
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.ledger import Actor, Ledger
from infra.schema.migrator import migrate
from projections.engine.runner import Runner
from projections.engine.table import FAR_MS
from projections.reports.report_list import REPORTS
from tests.api.operations import PAGE_PATHS
from tests.api.pages.addresses import ADDRESSES
from tests.benchmarks import Row
from tests.benchmarks.bench_service import serving
from tests.benchmarks.days import NOON_MS, keep_sample, multiply, play

ROUNDS = int(os.environ.get("ROUNDLEDGER_BENCH_PAGE_ROUNDS", "100000"))
TURNS = int(os.environ.get("ROUNDLEDGER_BENCH_PAGE_TURNS", "20"))
DAYS = 10
AT_MOST_TIMES = 10
AT_MOST_BYTES = 250_000
CLOCK_OF_A_PROCESS = 2  # with the complement of its id above it, as Linux numbers the clocks of processes
AFTERWARDS_SECONDS = 0.004  # for what is done once the answer has been sent
QUICKER_AGAIN = 0.8  # of the first look, from which on a second row says so
# Where the tests of every page do not go, and days as full as there are.
MORE = (
    "/days",
    "/days?gaming_day={day}",
    "/days?gaming_day={day}&shift=day",
    "/cash?gaming_day={day}",
    "/close?period={day}",
    "/journals?gaming_day={day}",
    "/journals?gaming_day={day}&code=2000",
    "/inspection?first={day}&last={day}",
    "/statistics?first={day}&last={day}",
    "/collections?first={day}&last={day}",
    "/trays?first={day}&last={day}",
    "/hands?day={day}&shortfall=true",
    "/hands?bettor=tp-1",
    "/hands?round={round}",
    "/hands?weekday=tuesday&part_of_day=evening&happened=split&lost_about=60",
    "/hands?table={table}-1&part_of_day=evening&happened=raise&also=fold&sort=lost",
    "/hands?happened=surrender&won_about=4000",
    "/people/tp-1?days=366",
    "/people/{patron}",
    "/drop/{box}",
    "/drop/{box}/count",
    "/drop/{box}/count/file",
    "/audit/{audit}",
    "/staff/{staff}",
    *(f"/irregular?report={name}" for name in IRREGULAR),
    *(f"/reports/{name}" for name in REPORTS),
    *(f"/reports/{name}?gaming_day={{day}}" for name, report in REPORTS.items() if "gaming_day" in report.filters),
    *(f"/reports/{name}?table={{table}}-1" for name, report in REPORTS.items() if "table" in report.filters),
)
# Addresses that lead elsewhere or to a file, and forms for those who have not signed in yet: here nobody need.
NOT_PAGES = frozenset(
    {
        "/nothing-here",
        "/find?q={table}",  # leads straight to the table
        "/sign-in",
        "/sign-out",
        "/setup",
        "/preferences",
        "/hands/export",
        "/irregular/file",
        "/disputes/{dispute}/dossier",
        "/static/{name}",
        "/dealer/worker.js",
        "/sign-in/provider",
        "/sign-in/provider/back",
        "/sign-in/second",
        "/passkeys",
        "/account/factors/app",
        # The page of a form again, where what was sent is refused.
        "/postings/choice",
        "/postings/designation",
        "/postings/end",
        "/facts/hands",
        "/facts/misdeal",
        "/facts/deck",
        "/facts/supervisor",
        "/propositions/name",
        "/propositions/end",
        "/statistics/explanations",
        "/close/reopen",
        "/journals/chart",
        "/rules/adopt/check",
        "/cash/name",
    }
)
# What an inspection adds up, of the rounds as they have been multiplied.
TOTALS: tuple[LiteralString, ...] = (
    "INSERT INTO projections.hands_played SELECT gaming_day, shift, table_id, ruleset, ruleset_hash, count(*), "
    f"{FAR_MS} - (extract(epoch FROM min(opened_at)) * 1000)::bigint, max(opened_at) FROM projections.hands "
    "GROUP BY 1, 2, 3, 4, 5 ON CONFLICT DO NOTHING",
    "INSERT INTO projections.rotation_banks SELECT gaming_day, shift, table_id, bettor, count(*), "
    "sum(cardinality(declined)), count(breach), coalesce(max(turn), 0) FROM projections.rotation "
    "GROUP BY 1, 2, 3, 4 ON CONFLICT DO NOTHING",
)
LOADED = re.compile(rb'(?:href|src)="(/static/[^"]+)"')
NAMED = re.compile(rb'"(/static/[^"]+)"')  # by a script or a stylesheet
BARE = """<!doctype html><html lang="en"><head><title>{{ title }}</title></head><body><h1>{{ title }}</h1><table>
<tr>{% for name in names %}<th>{{ name }}</th>{% endfor %}</tr>
{% for row in rows %}<tr>{% for name in names %}<td>{{ row[name] }}</td>{% endfor %}</tr>
{% endfor %}</table></body></html>"""


def _serve(database_url: str, port: int) -> None:
    import uvicorn

    from api.app import create_app, freeze_startup_objects
    from api.service.settings import Settings
    from infra.ledger.ledger import Ledger

    app = create_app(Ledger(database_url), Settings(follow=True))
    bare = _bare()
    freeze_startup_objects()

    async def both(scope: Any, receive: Any, send: Any) -> None:
        of_bare = scope["type"] == "http" and scope["path"] in ("/bare", "/forget")
        await (bare if of_bare else app)(scope, receive, send)

    uvicorn.run(both, host="127.0.0.1", port=port, log_level="warning", access_log=False)


def _bare() -> Any:
    from fastapi import FastAPI
    from fastapi.responses import HTMLResponse
    from jinja2 import Environment

    from infra.store.cache import Cache

    app = FastAPI()
    template = Environment(autoescape=True).from_string(BARE)
    names = ["round", "opened", "table", "bank", "hands", "wagered", "net", "status"]
    rows = [{name: f"{name} of {number}" for name in names} for number in range(50)]

    @app.get("/bare", response_class=HTMLResponse)
    async def page() -> str:
        return template.render(title="Rounds", names=names, rows=rows)

    @app.get("/forget", response_class=HTMLResponse)
    async def forget() -> str:
        for cache in [each for each in gc.get_objects() if isinstance(each, Cache)]:
            cache.clear()
        return ""

    return app


@contextmanager
def filled() -> Iterator[tuple[str, dict[str, str]]]:
    with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder) / "postgres") as url:
        migrate(url)
        yield url, fill(url)


def fill(url: str) -> dict[str, str]:
    """What replaces {round}, {table} and the like in addresses."""
    played = play(url)
    known = _other_names(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        keep_sample(connection)
        for number in range(DAYS):
            multiply(connection, date.today() - timedelta(days=number), max(ROUNDS // DAYS // played, 1))
        connection.execute(
            "INSERT INTO projections.hands_bettors SELECT DISTINCT ON (h.round, b) b, h.opened_at, h.round, h.weekday, "
            "h.minute, h.seats, h.outcomes, h.happened, b = h.player_dealer AND h.player_dealer IS NOT NULL, "
            "h.wagered, "
            "CASE WHEN n = 1 THEN h.least_net ELSE h.most_net END, "
            '\'[{"at": 1, "cards": ["9h", "9d"], "made": "pair"}]\' '
            "FROM projections.hands h, unnest(h.bettors) WITH ORDINALITY x (b, n) ON CONFLICT DO NOTHING"
        )
        for totals in TOTALS:
            connection.execute(totals)
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
    return {**known, **dict(zip(("round", "table", "ruleset"), row, strict=True)), "day": date.today().isoformat()}


def _other_names(url: str) -> dict[str, str]:
    """Payments that were reported, a dispute, a slip, an audit with findings and somebody of the staff; their ids, with
    those of a box that has been taken away and of a patron."""
    ledger = Ledger(url)
    database = ledger.events.recorder.database
    with psycopg.connect(url) as connection:
        rounds = connection.execute(
            "SELECT round FROM projections.hands WHERE status = 'settled' ORDER BY round"
        ).fetchall()
        box = _one(connection, "SELECT box FROM projections.drops WHERE removed_at IS NOT NULL ORDER BY fees DESC")
        house = _one(connection, "SELECT table_id FROM projections.tables WHERE open AND ruleset = 'uth-house'")
        patron = _one(connection, "SELECT bettor FROM projections.bankroll GROUP BY 1 ORDER BY sum(rounds) DESC, 1")
    actor = Actor("floor-8", NOON_MS + DAY_MS // 12)
    for (round_id,) in rounds[::4]:
        line = ledger.load(round_id).round.lines[0]
        wager = (line.seat, line.bettor, line.hand, line.spot)
        ledger.dealer_paid(round_id, [PaymentReported(*wager, line.paid + 1_00, line.collected)], actor)
    claim = disputes.Claim(line.seat, line.spot, "payout", 5_00, "That was not my hand.", 2 * NOON_MS)
    Disputes(ledger).open(round_id, claim, actor, "d-1")
    slip = Slips(ledger).request("fill", house, {100_00: 20, 25_00: 40}, actor)
    audits = AuditRuns(database)
    asked = dict.fromkeys(("from", "to", "table", "ruleset", "bettor")) | {"without": []}
    audits.start("a-1", "floor-1", json.dumps(asked))
    audits.end("a-1", "done")
    Staff(database).add(StaffMember("floor-1", "One of the floor", ("floor",), False), "correct horse battery", "bench")
    ledger.close()
    with Runner(url) as runner:
        runner.catch_up()
    ids = {"dispute": "d-1", "audit": "a-1", "staff": "floor-1", "slip": str(slip.number)}
    return {**ids, "box": box, "patron": patron}


def _one(connection: psycopg.Connection[Any], statement: LiteralString) -> str:
    row = connection.execute(SQL(statement) + SQL(" LIMIT 1")).fetchone()
    assert row is not None
    return str(row[0])


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


class Processor:
    """What the service and every process of its database have spent on the processor, as the kernel counts it."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._clocks: list[int] = []

    def follow(self) -> None:
        """Those that run now: a page that is looked at for the first time may open a connection."""
        rows = self._connection.execute("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()").fetchall()
        service = [child.pid for child in multiprocessing.active_children() if child.pid is not None]
        self._clocks = [~pid << 3 | CLOCK_OF_A_PROCESS for pid in (*service, *(pid for (pid,) in rows))]

    def milliseconds(self, work: Callable[[], object]) -> float:
        before = self._spent()
        work()
        time.sleep(AFTERWARDS_SECONDS)
        return sum(max(after - before[clock], 0) for clock, after in self._spent().items() if clock in before) * 1000

    def _spent(self) -> dict[int, float]:
        found = {}
        for clock in self._clocks:
            with suppress(OSError):  # it has ended
                found[clock] = time.clock_gettime(clock)
        return found


def pages(known: dict[str, str]) -> list[str]:
    """Those of the browser tests whose names are known here and more, at least one for each page that there is."""
    every = dict.fromkeys((*ADDRESSES, *MORE))
    fields = {address: {name for _, name, _, _ in Formatter().parse(address) if name} for address in every}
    addresses = [
        address.format(**known) for address in every if fields[address] <= known.keys() and address not in NOT_PAGES
    ]
    shapes = {re.sub(r"{\w+}", "[^/]+", path): path for path in PAGE_PATHS if path not in NOT_PAGES}
    paths = {address.partition("?")[0] for address in addresses}
    if missing := [path for shape, path in shapes.items() if not any(re.fullmatch(shape, one) for one in paths)]:
        raise RuntimeError(f"nothing is measured of {', '.join(missing)}")
    return addresses


def _weight(browser: Browser, address: str) -> int:
    """Bytes of bodies as they go over the wire: the page, what its browser asks of the log, and every static file that
    they name, with the fonts of all scripts, of which a browser loads one or two."""
    seen: dict[str, int] = {}
    waiting = {path.decode() for path in LOADED.findall(browser.get(address))}
    while waiting:
        path = waiting.pop()
        seen[path] = len(browser.get(path, "gzip"))
        if path.endswith((".js", ".css")):
            waiting |= {found.decode() for found in NAMED.findall(browser.get(path))} - seen.keys()
    asked = (address, f"/v1{address}/log")
    return sum(len(browser.get(one, "gzip")) for one in asked) + sum(seen.values())


def measured(browser: Browser, processor: Processor, address: str, turns: int = TURNS) -> tuple[float, float, float]:
    """Milliseconds of a first look, of another one, and of the bare page in between."""
    for one in (address, "/bare") * 2:  # for warming up
        browser.get(one, "gzip")
    processor.follow()
    figures = []
    for _ in range(turns):
        browser.get("/forget")
        looks = [partial(browser.get, one, "gzip") for one in (address, "/bare", address)]
        figures.append([processor.milliseconds(look) for look in looks])
    first, bare, again = (statistics.median(column) for column in zip(*figures, strict=True))
    return first, again, bare


def run() -> list[Row]:
    rows = []
    with filled() as (url, known), serving(_serve, url) as port:
        browser, processor = Browser(port), Processor(url)
        for address in pages(known):
            first, again, bare = measured(browser, processor, address)
            rows.append(_row(f"page {address}", first, bare))
            if again < first * QUICKER_AGAIN:
                rows.append(_row(f"page {address}, again", again, bare))
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


def _row(name: str, milliseconds: float, bare: float) -> Row:
    return Row(
        name=name,
        measured=milliseconds,
        unit="ms",
        reference=bare,
        reference_name=f"bare Jinja page, FastAPI {version('fastapi')}",
        required_ratio=1 / AT_MOST_TIMES,
        better="lower",
    )

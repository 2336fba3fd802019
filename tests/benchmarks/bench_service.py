"""The service against bare FastAPI handlers on the same server: one worker process, the same clients, taking turns.

Single actions are compared with a handler that inserts one row by the same pool of connections; adjudications against
one that parses the body and returns it. What is compared is the processor time of the service for a request: by the
clock, other work on the machine decides.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

from domain.rules import rulesets
from infra.embedded import embedded_postgres
from infra.schema.migrator import migrate
from infra.simulation import documents
from tests.benchmarks import Row

SECONDS = float(os.environ.get("ROUNDLEDGER_BENCH_SECONDS", "2"))  # of each run
TURNS = int(os.environ.get("ROUNDLEDGER_BENCH_TURNS", "5"))
CONNECTIONS = 16
CLOCK_OF_A_PROCESS = 2  # CPUCLOCK_SCHED, as the kernel numbers the clock of another process
RULESET = "uth-casino-club"


def _serve(database_url: str, port: int) -> None:
    import uvicorn

    from api.app import create_app, freeze_startup_objects
    from api.service.settings import Settings
    from infra.ledger.ledger import Ledger

    ledger = Ledger(database_url)
    app = create_app(ledger, Settings(follow=False))
    bare = _bare(ledger)
    freeze_startup_objects()

    async def both(scope: Any, receive: Any, send: Any) -> None:
        """Side by side, so that the bare one goes through nothing of ours."""
        of_bare = scope["type"] == "http" and scope["path"].startswith("/bare/")
        await (bare if of_bare else app)(scope, receive, send)

    uvicorn.run(both, host="127.0.0.1", port=port, log_level="warning", access_log=False)


def _bare(ledger: Any) -> Any:
    """What a handler costs that does next to nothing: no round, no rules, no versions."""
    from fastapi import FastAPI

    app = FastAPI()
    database = ledger.events.recorder.database

    @app.post("/bare/parse")
    async def parse(body: dict[str, Any]) -> dict[str, Any]:
        return body

    @app.post("/bare/insert")
    def insert(body: dict[str, Any]) -> dict[str, Any]:
        with database.cursor() as cursor:
            cursor.execute("INSERT INTO public.bare (body) VALUES (%s)", [json.dumps(body)])
        return body

    return app


@contextmanager
def served() -> Iterator[int]:
    with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder) / "postgres") as url:
        migrate(url)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "CREATE TABLE public.bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text)"
            )
            connection.execute("GRANT INSERT ON public.bare TO PUBLIC")
        with serving(_serve, url) as port:
            yield port


@contextmanager
def serving(serve: Callable[[str, int], None], url: str) -> Iterator[int]:
    """A process that serves a database, and its port."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(url, port), daemon=True)
    process.start()
    try:
        _wait_for(port)
        yield port
    finally:
        process.terminate()
        process.join(30)


def _wait_for(port: int) -> None:
    for _ in range(1200):  # a busy machine starts it slowly
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the service did not start")


class Client:
    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def post(self, path: str, body: bytes) -> bytes:
        self._connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        read = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{path}: {answer.status} {read[:300]!r}")
        return read


def _rate(port: int, work: Callable[[Client, int, threading.Event], int]) -> float:
    """Requests of all connections together, in a second of the service's processor time."""
    done = [0] * CONNECTIONS
    failed: list[Exception] = []
    stop, ready = threading.Event(), threading.Barrier(CONNECTIONS + 1)

    def run(number: int) -> None:
        client = Client(port)
        ready.wait()
        try:
            done[number] = work(client, number, stop)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    before = _processor_seconds()
    ready.wait()
    time.sleep(SECONDS)
    stop.set()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sum(done) / (_processor_seconds() - before)


def _processor_seconds() -> float:
    (service,) = [child.pid for child in multiprocessing.active_children() if child.pid is not None]
    return time.clock_gettime(~service << 3 | CLOCK_OF_A_PROCESS)


class Tables:
    """Endless rounds, one table for each connection; opening a round takes its time, but is not counted."""

    def __init__(self) -> None:
        self._games: dict[int, Iterator[tuple[str, bytes]]] = {}

    def act(self, client: Client, number: int, stop: threading.Event) -> int:
        steps = self._games.setdefault(number, self._steps(client, number))
        done = 0
        while not stop.is_set():
            path, body = next(steps)
            client.post(path, body)
            done += path.endswith("/actions")
        return done

    def _steps(self, client: Client, number: int) -> Iterator[tuple[str, bytes]]:
        opened = False
        for line in documents(RULESET, 1000 + number, 1):
            document = json.loads(line)
            table = document["table"]
            if not opened:
                body = {"ruleset": RULESET, "terms": document["terms"]}
                client.post(f"/v1/tables/{table}/sessions", json.dumps(body).encode())
                opened = True
            body = {name: document[name] for name in ("round", "player_dealer", "players") if name in document}
            yield f"/v1/tables/{table}/rounds", json.dumps(body).encode()
            path = f"/v1/rounds/{document['round']}/actions"
            for action in document["actions"]:
                yield path, json.dumps({"actions": [action]}).encode()


def _repeat(path: str, bodies: Sequence[bytes]) -> Callable[[Client, int, threading.Event], int]:
    def work(client: Client, number: int, stop: threading.Event) -> int:
        done = 0
        while not stop.is_set():
            client.post(path, bodies[(number + done) % len(bodies)])
            done += 1
        return done

    return work


def run() -> list[Row]:
    rounds = [line for ruleset in rulesets.ids() for line in islice(documents(ruleset, 1, 1), 3)]
    action = json.dumps({"actions": [{"do": "bet", "seat": 1, "spot": "ante", "amount": "25.00"}]}).encode()
    tables = Tables()
    figures: dict[str, list[float]] = {"act": [], "insert": [], "adjudicate": [], "parse": []}
    with served() as port:
        for turn in range(TURNS + 1):
            rates = {
                "act": _rate(port, tables.act),
                "insert": _rate(port, _repeat("/bare/insert", [action])),
                "adjudicate": _rate(port, _repeat("/v1/adjudications", rounds)),
                "parse": _rate(port, _repeat("/bare/parse", rounds)),
            }
            if turn:  # the first is for warming up
                for name, rate in rates.items():
                    figures[name].append(rate)
    reference = f"bare FastAPI {version('fastapi')}"
    return [
        _row("single actions, stored", figures["act"], figures["insert"], f"{reference}: insert a row", 0.6),
        _row("adjudications", figures["adjudicate"], figures["parse"], f"{reference}: parse and return", 0.45),
    ]


def _row(name: str, measured: list[float], references: list[float], reference_name: str, required: float) -> Row:
    """The median of the ratios of runs that followed each other."""
    ratio = statistics.median(ours / theirs for ours, theirs in zip(measured, references, strict=True))
    reference = statistics.median(references)
    return Row(
        name=f"{name}, {CONNECTIONS} connections",
        measured=ratio * reference,
        unit="requests/s of processor time",
        reference=reference,
        reference_name=reference_name,
        required_ratio=required,
    )

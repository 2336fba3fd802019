"""A primary killed under load with commits in flight, its standby promoted, and the old primary brought back; again.

Tables send whole rounds under keys of their own and keep a log of what was acknowledged, as a terminal does. What gets
no answer is sent again, to whoever serves at the address by then.

    python -m tests.infra.standby.failover --failovers 20 --tables 16
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import httpx
import psycopg
from typer.testing import CliRunner

from api.cli.main import app
from infra.embedded import as_service, embedded_postgres
from infra.log.checkpoints import Checkpoint, parse_checkpoint
from infra.standby.standby_state import standby_state
from projections.audit.run import Audit
from projections.engine.rebuild import rebuild
from tests.api.processes import PATIENCE_SECONDS, environment, free_port
from tests.rules.hold_em import PAIR_OF_QUEENS, HoldEm

ROOT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-c", "from api.cli.main import main; main()"]
HOUSE = {"ruleset": "uth-house", "terms": {"trips": "UTH-01"}}
ROUND = HoldEm.at("uth-house", trips="UTH-01").bet(1, ante=10, blind=10)
ROUND = ROUND.deal_out({1: "AsAd"}, PAIR_OF_QUEENS).raise_(1, 4).reveal_all().settle()


class Tables:
    """Each records one round after another, and writes down what was acknowledged: the round's id and its version."""

    def __init__(self, port: int, count: int) -> None:
        self._base = f"http://127.0.0.1:{port}"
        self.names = [f"t-{number}" for number in range(1, count + 1)]
        with httpx.Client(base_url=self._base, timeout=PATIENCE_SECONDS) as client:
            for name in self.names:
                assert client.post(f"/v1/tables/{name}/sessions", json=HOUSE).status_code == 201
        self.acknowledged: dict[str, list[tuple[str, int]]] = {name: [] for name in self.names}
        self.retried = 0
        self.failed: list[str] = []
        self._news = threading.Condition()
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._play, args=(name,), daemon=True) for name in self.names]
        for thread in self._threads:
            thread.start()

    def _play(self, table: str) -> None:
        with httpx.Client(base_url=self._base, timeout=PATIENCE_SECONDS) as client:
            while not self._stopping.is_set() and not self.failed:
                answer = self._sent(client, table, uuid4().hex)
                if answer is None:
                    return
                with self._news:
                    self.acknowledged[table].append((answer["id"], answer["version"]))
                    self._news.notify_all()

    def _sent(self, client: httpx.Client, table: str, key: str) -> Any:
        """Under one key until it is answered, also after the end was announced."""
        body = {"actions": [dict(action) for action in ROUND.actions]}
        while not self.failed:
            with suppress(httpx.TransportError):
                answer = client.post(f"/v1/tables/{table}/rounds", json=body, headers={"Idempotency-Key": key})
                if answer.status_code == 201:
                    return answer.json()
                if answer.status_code != 503:
                    self.failed.append(answer.text)
            with self._news:
                self.retried += 1
                self._news.notify_all()
            time.sleep(0.1)
        return None

    def total(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    def wait_for(self, more: int) -> None:
        with self._news:
            wanted = self.total() + more
            assert self._news.wait_for(lambda: self.total() >= wanted or self.failed, PATIENCE_SECONDS), "no progress"
        assert not self.failed, self.failed[0]

    def finish(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)
        assert not self.failed, self.failed[0]


class Machine:
    """What runs on one data folder, and is lost together."""

    def __init__(self, folder: Path, log: Path) -> None:
        self.folder, self._log = folder, log
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as said:
            command = [*COMMAND, *arguments]
            process = subprocess.Popen(command, cwd=ROOT, env=environment(**settings), stdout=said, stderr=said)
        self._processes.append(process)
        return process

    def serve(self, port: int, **settings: str) -> None:
        process = self.start("serve", "--data-dir", str(self.folder), "--port", str(port), **settings)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not answers(port):
            assert process.poll() is None, f"the service ended: {self._log.read_text()[-2_000:]}"
            assert time.monotonic() < deadline, "the service did not start"
            time.sleep(0.1)

    def kill(self) -> None:
        """All at once, as if the plug were pulled: the service, PostgreSQL and what watches over it."""
        pgdata = self.folder / "pgdata"
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                in_folder = (process / "cwd").exists() and (process / "cwd").samefile(pgdata)
                if in_folder or os.fsencode(self.folder) in words:
                    os.kill(int(process.name), signal.SIGKILL)
        self.stop()

    def stop(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.terminate()
            process.wait(PATIENCE_SECONDS)
        self._processes.clear()


def answers(port: int) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=5).status_code == 200
    return False


def command(*arguments: str) -> str:
    """In this process, which is warm."""
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def wait_until_synchronous(primary: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    with embedded_postgres(primary) as url, psycopg.connect(url, autocommit=True) as connection:
        while (state := standby_state(connection.cursor())) is None or not (state.connected and state.waited_for):
            assert time.monotonic() < deadline, f"the standby is not waited for: {state}"
            time.sleep(0.1)


class Figures(NamedTuple):
    failovers: int
    acknowledged: int
    retried: int
    lost: int
    doubled: int
    longest_pause_s: float
    findings: int


def run(root: Path, *, failovers: int, tables: int, rounds: int) -> Figures:
    """`rounds` are acknowledged between two failovers. The folders' parents must be open to the server's user."""
    primary, standby = (Machine(root / name, root / f"{name}.log") for name in ("a", "b"))
    port, longest, published = free_port(), 0.0, list[Checkpoint]()
    try:
        primary.serve(port)
        play = Tables(port, tables)
        play.wait_for(tables)
        until_sealed(port)
        command("standby", "create", str(standby.folder), "--data-dir", str(primary.folder))
        for number in range(failovers):
            if number:
                command("standby", "rejoin", str(standby.folder), "--data-dir", str(primary.folder))
            standby.start("standby", "run", str(standby.folder))
            wait_until_synchronous(primary.folder)
            play.wait_for(rounds)
            published.append(checkpoint(port))
            primary.kill()
            began = time.monotonic()
            command("standby", "promote", str(standby.folder))
            standby.serve(port)
            play.wait_for(1)
            longest = max(longest, time.monotonic() - began)
            primary, standby = standby, primary
        play.wait_for(rounds)
        play.finish()
    finally:
        for machine in (primary, standby):
            machine.stop()
    return counted(primary.folder, play, failovers, longest, published)


def until_sealed(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while httpx.get(f"http://127.0.0.1:{port}/v1/log/checkpoint", timeout=PATIENCE_SECONDS).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def checkpoint(port: int) -> Checkpoint:
    """What anybody could have kept of the log before its server was lost."""
    return parse_checkpoint(httpx.get(f"http://127.0.0.1:{port}/v1/log/checkpoint", timeout=PATIENCE_SECONDS).text)


def counted(folder: Path, play: Tables, failovers: int, longest: float, published: list[Checkpoint]) -> Figures:
    """What is stored against the tables' own logs: every acknowledged round once, and no other."""
    lost = doubled = 0
    with embedded_postgres(folder) as url:
        with psycopg.connect(url) as connection:
            rows = connection.execute(
                "SELECT convert_from(state, 'UTF8')::json -> 0 ->> 0, convert_from(state, 'UTF8')::json -> 0 ->> 1, "
                "(SELECT max(originator_version) FROM roundledger.events e WHERE e.originator = o.originator) "
                "FROM roundledger.events o JOIN roundledger.topics USING (topic_id) WHERE topic = 'round.opened.v2'"
            ).fetchall()
        stored = {(table, round_id): version for round_id, table, version in rows}
        for table, acknowledged in play.acknowledged.items():
            there = {round_id: version for (at, round_id), version in stored.items() if at == table}
            lost += sum(there.get(round_id) != version for round_id, version in acknowledged)
            doubled += len(there) - len(acknowledged)
        rebuild(as_service(url))
        findings = Audit(as_service(url), outside=published, processes=1).run().findings
    return Figures(failovers, play.total(), play.retried, lost, doubled, longest, findings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failovers", type=int, default=20)
    parser.add_argument("--tables", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=100, help="between two failovers")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        began = time.monotonic()
        figures = run(Path(folder), failovers=given.failovers, tables=given.tables, rounds=given.rounds)
        print(f"{figures} in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()

"""A served process killed under load: nothing that it acknowledged is lost, nothing is there twice after retries.

`python -m tests.api.http.crash --kills 25` does at length what a test does once for each signal.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import httpx

from infra.embedded import embedded_postgres
from infra.schema.migrator import migrate
from tests.api.processes import PATIENCE_SECONDS, free_port, serving

HOUSE = {"ruleset": "uth-house", "terms": {"trips": "UTH-01"}}
ANTE = {"do": "bet", "seat": 1, "spot": "ante", "amount": "5.00"}


def new_round(client: httpx.Client) -> Any:
    table = f"t-{uuid4().hex[:12]}"
    assert client.post(f"/v1/tables/{table}/sessions", json=HOUSE).status_code == 201
    return client.post(f"/v1/tables/{table}/rounds", json={}).json()["id"]


class Terminals:
    """Each bets again and again under a new key, on a connection of its own, and sends what got no answer once more."""

    def __init__(self, port: int, count: int) -> None:
        self._base = f"http://127.0.0.1:{port}"
        with httpx.Client(base_url=self._base, timeout=PATIENCE_SECONDS, verify=False) as client:
            self.rounds = [new_round(client) for _ in range(count)]
        self.answered = dict.fromkeys(self.rounds, 0)
        self.retried = 0
        self.failed: list[str] = []
        self._news = threading.Condition()
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._bet, args=(round_id,)) for round_id in self.rounds]
        for thread in self._threads:
            thread.start()

    def _bet(self, round_id: str) -> None:
        key, path = uuid4().hex, f"/v1/rounds/{round_id}/actions"
        with httpx.Client(base_url=self._base, timeout=PATIENCE_SECONDS, verify=False) as client:
            pending = False
            while pending or not self._stopping.is_set():  # what was sent is brought to an end
                pending = True
                try:
                    answer = client.post(path, json={"actions": [ANTE]}, headers={"Idempotency-Key": key})
                except httpx.TransportError:
                    self._note(retried=1)
                    time.sleep(0.05)
                    continue
                if answer.status_code == 503:
                    self._note(retried=1)
                    continue
                if answer.status_code != 200:
                    self.failed.append(answer.text)
                    return
                self._note(round_id)
                key, pending = uuid4().hex, False

    def _note(self, round_id: str | None = None, retried: int = 0) -> None:
        with self._news:
            self.retried += retried
            if round_id is not None:
                self.answered[round_id] += 1
            self._news.notify_all()

    def total(self) -> int:
        return sum(self.answered.values())

    def wait_for(self, more: int) -> None:
        """Until so many more bets have been answered."""
        with self._news:
            wanted = self.total() + more
            assert self._news.wait_for(lambda: self.total() >= wanted or self.failed, PATIENCE_SECONDS)

    def finish(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()
        assert not self.failed, self.failed[0]


class Figures(NamedTuple):
    kills: int
    acknowledged: int
    retried: int
    lost: int
    doubled: int


def kill_under_load(
    database_url: str, port: int, how: signal.Signals, *, kills: int, connections: int, answers: int
) -> Figures:
    """Kill it after `answers` more bets were acknowledged, start it again, and again; then count what is stored."""
    terminals: Terminals | None = None
    for _ in range(kills):
        with serving(database_url, port) as process:
            terminals = terminals or Terminals(port, connections)
            terminals.wait_for(answers)
            process.send_signal(how)
            code = process.wait(PATIENCE_SECONDS)
            if how == signal.SIGTERM:
                assert code in (0, -signal.SIGTERM), code
    assert terminals is not None
    with serving(database_url, port):
        terminals.wait_for(answers)
        terminals.finish()
        lost = doubled = 0
        for round_id, answered in terminals.answered.items():
            path = f"http://127.0.0.1:{port}/v1/rounds/{round_id}"
            stored = httpx.get(path, timeout=PATIENCE_SECONDS).json()["version"] - 1
            lost, doubled = lost + max(answered - stored, 0), doubled + max(stored - answered, 0)
    return Figures(kills, terminals.total(), terminals.retried, lost, doubled)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=25, help="of each kind")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--answers", type=int, default=500, help="between two kills")
    given = parser.parse_args()
    for how in (signal.SIGKILL, signal.SIGTERM):
        with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder)) as url:
            migrate(url)
            options = {"kills": given.kills, "connections": given.connections, "answers": given.answers}
            print(how.name, kill_under_load(url, free_port(), how, **options), flush=True)


if __name__ == "__main__":
    main()

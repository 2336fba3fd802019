"""The service under load while it is killed, its database is killed, or the disk fills up: nothing that it acknowledged
is lost, and nothing is there twice after retries.

`python -m tests.api.http.crash --kills 40 --disks 10` does at length what tests do once. The disk that fills up is a
small file system in memory, which only root can mount.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import httpx

from infra.embedded import embedded_postgres
from infra.schema.migrator import migrate
from tests.api.processes import PATIENCE_SECONDS, free_port, serving

HOUSE = {"ruleset": "uth-house", "terms": {"trips": "UTH-01"}}
ANTE = {"do": "bet", "seat": 1, "spot": "ante", "amount": "5.00"}
DISK_MIB, RESERVE_MIB = 256, 16
FULL_SECONDS = 2.0  # that a disk stays full


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
        self.refused: list[str] = []  # what the service said while it could not store
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
                    self.refused.append(answer.json()["detail"])
                    self._note(retried=1)
                    time.sleep(0.05)
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

    def wait_for_refusal(self) -> None:
        """Until the service says that it cannot store."""
        with self._news:
            self.refused.clear()
            assert self._news.wait_for(lambda: self.refused or self.failed, PATIENCE_SECONDS)

    def finish(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()
        assert not self.failed, self.failed[0]


class Figures(NamedTuple):
    times: int  # that it was killed, or that the disk was full
    acknowledged: int
    retried: int
    lost: int
    doubled: int


def figures(terminals: Terminals, port: int, times: int) -> Figures:
    """What is stored, compared with what was acknowledged."""
    terminals.finish()
    lost = doubled = 0
    for round_id, answered in terminals.answered.items():
        path = f"http://127.0.0.1:{port}/v1/rounds/{round_id}"
        stored = httpx.get(path, timeout=PATIENCE_SECONDS).json()["version"] - 1
        lost, doubled = lost + max(answered - stored, 0), doubled + max(stored - answered, 0)
    return Figures(times, terminals.total(), terminals.retried, lost, doubled)


def kill_under_load(
    database_url: str, port: int, signals: Sequence[signal.Signals], *, connections: int, answers: int
) -> Figures:
    """Kill it after `answers` more bets were acknowledged, start it again, and again; then count what is stored."""
    terminals: Terminals | None = None
    for how in signals:
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
        return figures(terminals, port, len(signals))


def kill_database_under_load(folder: Path, *, kills: int, connections: int, answers: int) -> Figures:
    """All of its processes at once, as when the power fails; its watchdog starts it again, and the service waits."""
    port = free_port()
    with embedded_postgres(folder) as url:
        migrate(url)
        with serving(url, port):
            terminals = Terminals(port, connections)
            for _ in range(kills):
                terminals.wait_for(answers)
                for pid in processes_in(folder / "pgdata"):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            terminals.wait_for(answers)
            return figures(terminals, port, kills)


def processes_in(folder: Path) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").samefile(folder):
                found.append(int(process.name))
    return found


@contextmanager
def small_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def fill_under_load(disk: Path, reserve_mib: int, *, times: int, connections: int, answers: int) -> Figures:
    """Fill the disk of the database up to the last byte, and make space again. With a reserve the service stops
    recording before that; without one it is PostgreSQL that runs out of space."""
    port = free_port()
    with embedded_postgres(disk / "data") as url:
        migrate(url)
        folder, reserve = str(disk), str(reserve_mib)
        with serving(url, port, ROUNDLEDGER_DISK_FOLDER=folder, ROUNDLEDGER_DISK_RESERVE_MIB=reserve):
            terminals = Terminals(port, connections)
            for _ in range(times):
                terminals.wait_for(answers)
                fill(disk / "filling")
                terminals.wait_for_refusal()
                time.sleep(FULL_SECONDS)
                (disk / "filling").unlink()
                said = set(terminals.refused)
                assert not reserve_mib or any("nearly full" in detail for detail in said), said
                terminals.wait_for(answers)
            return figures(terminals, port, times)


def fill(file: Path) -> None:
    with suppress(OSError), file.open("wb", buffering=0) as filling:
        while True:
            filling.write(bytes(1 << 16))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=25, help="of each kind")
    parser.add_argument("--disks", type=int, default=0, help="how often the disk fills up, of each kind")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--answers", type=int, default=500, help="between two kills")
    parser.add_argument("--only", nargs="+", choices=("kill", "stop", "database", "reserve", "disk"), default=None)
    given = parser.parse_args()
    load = {"connections": given.connections, "answers": given.answers}

    def killed(how: signal.Signals) -> Figures:
        with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder)) as url:
            migrate(url)
            return kill_under_load(url, free_port(), [how] * given.kills, **load)

    def database_killed() -> Figures:
        with tempfile.TemporaryDirectory() as folder:
            return kill_database_under_load(Path(folder), kills=given.kills, **load)

    def filled(reserve_mib: int) -> Figures:
        with small_disk() as disk:
            return fill_under_load(disk, reserve_mib, times=given.disks, **load)

    runs: dict[str, Callable[[], Figures]] = {
        "kill": lambda: killed(signal.SIGKILL),
        "stop": lambda: killed(signal.SIGTERM),
        "database": database_killed,
        "reserve": lambda: filled(RESERVE_MIB),
        "disk": lambda: filled(0),
    }
    for name in given.only or runs:
        if given.disks if name in ("reserve", "disk") else given.kills:
            print(name, runs[name](), flush=True)


if __name__ == "__main__":
    main()

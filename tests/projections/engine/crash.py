"""Projections followed live while their runner is killed and PostgreSQL restarted, under load that never pauses.

Two recorders, as an operator starts them, record rounds from beginning to end. A runner follows, and at random moments
it is killed with SIGKILL and started again, or PostgreSQL is: answer to restart, or killed as well. Nobody repairs
anything. Afterwards every row of every projection is compared with a rebuild from the events.

    python -m tests.projections.engine.crash --kills 50 --restarts 10
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
import psycopg

from infra.embedded import embedded_postgres
from infra.schema.migrator import migrate
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from tests.infra.store.crash import PATIENCE_S, ROOT, RULESETS, Recorder, postmaster
from tests.projections.simulated_floor import everything

Blow = Literal["kill", "restart"]
FOLLOW = """
import sys, threading
from projections.engine.runner import Runner
Runner(sys.argv[1]).follow(threading.Event())
"""
RESTARTS = (signal.SIGINT, signal.SIGKILL)  # PostgreSQL's own fast shutdown, and none at all
APPLIED = "SELECT coalesce(min(position), 0) FROM projections.positions WHERE place = 'projections'"


class Report(msgspec.Struct):
    kills: int
    restarts: int
    rounds: int
    events: int
    rows: int
    while_behind: int  # kills and restarts that came while stored events were still to be applied


class Following:
    """One runner after another, as whatever supervises it would start them."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.start()

    def start(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", FOLLOW, self._url], env=environment, stderr=subprocess.DEVNULL
        )

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def wait_for_progress(self) -> None:
        """Until more has been applied than now; one that found no server, or the last one's locks, is started again."""
        before, deadline = self.applied(), time.monotonic() + PATIENCE_S
        while (now := self.applied()) is None or now <= (before or 0):
            assert time.monotonic() < deadline, f"nothing was applied for {PATIENCE_S:.0f} s"
            if self._process.poll() is not None:
                self.start()
            time.sleep(0.02)

    def applied(self) -> int | None:
        return self._number(APPLIED)

    def is_behind(self) -> bool:
        stored = self._number("SELECT max(position) FROM roundledger.events")
        return stored is not None and stored > (self.applied() or 0)

    def _number(self, statement: str) -> int | None:
        """None while there is no server, or nothing to be read from."""
        with suppress(psycopg.Error), psycopg.connect(self._url, autocommit=True) as connection:
            row = connection.execute(statement.encode()).fetchone()
            return None if row is None or row[0] is None else int(row[0])
        return None


def restart(data_dir: Path, how: signal.Signals) -> None:
    """The watchdog of the embedded server brings it back, as a service manager would."""
    pid, deadline = postmaster(data_dir), time.monotonic() + PATIENCE_S
    os.kill(pid, how)
    while True:
        with suppress(OSError, ValueError, IndexError):
            if postmaster(data_dir) != pid:
                return
        assert time.monotonic() < deadline, "PostgreSQL did not come back"
        time.sleep(0.02)


def run(data_dir: Path, blows: Sequence[Blow], seed: int = 1) -> Report:
    with embedded_postgres(data_dir) as url:
        migrate(url)
        with Runner(url) as runner:
            runner.catch_up()
        recorders = [Recorder(data_dir, ruleset, 100 * seed + at) for at, ruleset in enumerate(RULESETS)]
        following = Following(url)
        try:
            behind = _strike(data_dir, blows, recorders, following, random.Random(seed))
        finally:
            following.kill()
            for recorder in recorders:
                recorder.kill()
        return _look(url, blows, behind)


def _strike(
    data_dir: Path, blows: Sequence[Blow], recorders: Sequence[Recorder], following: Following, dice: random.Random
) -> int:
    """How many of the blows came while there was something to be applied."""
    behind = restarts = 0
    for blow in blows:
        for recorder in recorders:
            recorder.wait_for_progress()
        if dice.random() < 0.8:  # else it may hit one that has only just begun
            following.wait_for_progress()
        time.sleep(dice.random() * 0.3)
        behind += following.is_behind()
        if blow == "kill":
            following.kill()
            following.start()
        else:
            restart(data_dir, RESTARTS[restarts % len(RESTARTS)])
            restarts += 1
    following.wait_for_progress()
    return behind


def _look(url: str, blows: Sequence[Blow], behind: int) -> Report:
    with Runner(url) as runner:
        runner.start(wait_seconds=PATIENCE_S)
        runner.catch_up()
        assert runner.lag().events == 0
    live = everything(url)
    rebuild(url)
    rebuilt = everything(url)
    for table, rows in rebuilt.items():
        assert live[table] == rows, f"{table} differs from its rebuild"
    with psycopg.connect(url) as connection:
        events = connection.execute("SELECT count(*) FROM roundledger.events").fetchone()
    assert events is not None
    total = sum(map(len, live.values()))
    return Report(blows.count("kill"), blows.count("restart"), len(live["hands"]), events[0], total, behind)


def main() -> None:
    parser = argparse.ArgumentParser(description="Kill what follows the events, many times, and compare all rows.")
    parser.add_argument("--kills", type=int, default=50, help="of the runner")
    parser.add_argument("--restarts", type=int, default=10, help="of PostgreSQL under it")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kills: list[Blow] = ["kill"] * options.kills
    restarts: list[Blow] = ["restart"] * options.restarts
    blows = kills + restarts
    random.Random(options.seed).shuffle(blows)
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        report = run(Path(folder) / "data", blows, options.seed)
        print(f"{report} in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()

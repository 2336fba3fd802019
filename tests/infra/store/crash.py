"""Recording under load while its processes are killed, and a look at what is stored afterwards.

Two recorders, as an operator starts them, get rounds through a pipe and answer each with a line once it is stored.
At random moments one of them is killed, or PostgreSQL's first process, or one of its backends, always with SIGKILL.
Nobody repairs anything: a killed recorder is started again with the documents that were not answered, and the others
just go on.

    python -m tests.infra.store.crash --kills 50
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import msgspec

from domain.documents.document import encode_result
from domain.floor import drop_boxes, meters, table_sessions
from domain.round.events import CardsDealt, FeeTaken, ProgressiveWagersTaken, RoundOpened, RoundSettled, RoundVoided
from infra.embedded import embedded_postgres
from infra.ledger.ledger import Ledger
from infra.ledger.replay import replay_of
from infra.simulation import documents
from infra.store.streams import stream_id

Victim = Literal["recorder", "postmaster", "backend"]
VICTIMS: tuple[Victim, ...] = ("recorder", "postmaster", "backend")
RULESETS = ("uth-casino-club", "uth-sd")
RECORD = [sys.executable, "-c", "from api.cli.main import main; main()", "record", "--by", "d-1"]
PATIENCE_S = 120.0
ROOT = Path(__file__).resolve().parents[3]


class Recorder:
    """One `roundledger record` after another, given documents without end."""

    def __init__(self, data_dir: Path, ruleset: str, seed: int) -> None:
        self.environment = {**os.environ, "ROUNDLEDGER_DATA_DIR": str(data_dir), "PYTHONPATH": str(ROOT)}
        self.environment.pop("ROUNDLEDGER_DATABASE_URL", None)
        self.source = documents(ruleset, seed, 4)
        self.documents: list[bytes] = []  # those that were sent at least once
        self.results: list[bytes] = []  # answered, in the order of the documents
        self.starts = 0
        self.start()

    def start(self) -> None:
        self.starts += 1
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(RECORD, stdin=pipe, stdout=pipe, stderr=pipe, env=self.environment, cwd=ROOT)
        self.threads = [
            threading.Thread(target=work, args=(self.process,), daemon=True) for work in (self._feed, self._listen)
        ]
        for thread in self.threads:
            thread.start()

    def _feed(self, process: subprocess.Popen[bytes]) -> None:
        """From the first document without an answer on; some of those may be stored already."""
        assert process.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            for at in count(len(self.results)):
                if at == len(self.documents):
                    self.documents.append(next(self.source))
                process.stdin.write(self.documents[at] + b"\n")
                process.stdin.flush()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.endswith(b"\n"):
                self.results.append(line[:-1])

    def kill(self) -> None:
        self.process.kill()
        self.join()

    def join(self) -> int:
        code = self.process.wait()
        for thread in self.threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        return code

    def wait_for_progress(self, answers: int = 1) -> None:
        """Until it has answered again. If it has ended by itself, what it said is the failure."""
        wanted, deadline = len(self.results) + answers, time.monotonic() + PATIENCE_S
        while len(self.results) < wanted:
            if self.process.poll() is not None:
                assert self.process.stderr is not None
                raise AssertionError(f"a recorder ended: {self.process.stderr.read().decode()}")
            if time.monotonic() > deadline:
                raise AssertionError(f"no round was recorded for {PATIENCE_S:.0f} s")
            time.sleep(0.005)


def postmaster(data_dir: Path) -> int:
    return int((data_dir / "pgdata" / "postmaster.pid").read_text().split()[0])


def backends(parent: int) -> Iterator[int]:
    """PostgreSQL's processes that serve a client."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            status = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes()
            if int(status[1]) == parent and command.startswith(b"postgres: ") and b"[local]" in command:
                yield int(entry.name)


def strike(victim: Victim, data_dir: Path, recorders: Sequence[Recorder], dice: random.Random) -> bool:
    """Kill one; False if it was not there to be killed just then."""
    if victim == "recorder":
        recorder = dice.choice(recorders)
        recorder.kill()
        recorder.start()
        return True
    with suppress(OSError, ValueError, IndexError):
        pid = postmaster(data_dir)
        if victim == "backend":
            pid = dice.choice(list(backends(pid)))
        os.kill(pid, signal.SIGKILL)
        return True
    return False


def run(data_dir: Path, kills: Sequence[Victim], seed: int = 1) -> Report:
    """Record through all these kills, then stop in good order, and look at everything that is stored."""
    dice = random.Random(seed)
    recorders = [Recorder(data_dir, ruleset, 100 * seed + at) for at, ruleset in enumerate(RULESETS)]
    done: Counter[Victim] = Counter()
    longest = 0.0
    try:
        for victim in kills:
            for recorder in recorders:
                if dice.random() < 0.8:  # else it may hit one that has only just begun
                    recorder.wait_for_progress()
            time.sleep(dice.random() * 0.15)
            while not strike(victim, data_dir, recorders, dice):
                time.sleep(0.05)
            done[victim] += 1
            since = time.monotonic()
            for recorder in recorders:
                recorder.wait_for_progress()
            longest = max(longest, time.monotonic() - since)
        answered = [len(recorder.results) for recorder in recorders]
    finally:
        for recorder in recorders:
            recorder.kill()
    with embedded_postgres(data_dir) as url:
        return look(url, recorders, done, answered, longest)


class Report(msgspec.Struct):
    kills: dict[Victim, int]
    acknowledged: int
    stored: int
    events: int
    longest_pause_s: float


def look(url: str, recorders: Sequence[Recorder], done: Counter[Victim], answered: list[int], longest: float) -> Report:
    ledger = Ledger(url)
    try:
        streams = all_streams(ledger)
        rounds = {str(events[0].round): events for events in streams.values() if isinstance(events[0], RoundOpened)}
        for recorder in recorders:
            check_answers(ledger, recorder, rounds)
        for events in rounds.values():
            check_whole(ledger, events)
        check_tables(streams, rounds)
        acknowledged = sum(len(recorder.results) for recorder in recorders)
        restarts = sum(recorder.starts for recorder in recorders)
        assert acknowledged <= len(rounds) <= acknowledged + restarts  # stored, and killed before it could say so
        assert all(now >= before for now, before in zip([len(r.results) for r in recorders], answered, strict=True))
        return Report(dict(done), acknowledged, len(rounds), sum(map(len, streams.values())), longest)
    finally:
        ledger.close()


def all_streams(ledger: Ledger) -> dict[UUID, list[Any]]:
    """Every aggregate's events; versions without a gap, and nothing that cannot be read."""
    streams: dict[UUID, list[Any]] = defaultdict(list)
    after = 0
    while rows := ledger.events.recorder.read(after, 5_000):
        for row in rows:
            streams[row.originator_id].append(ledger.events.mapper.decode(row.topic, row.state).event)
            assert row.originator_version == len(streams[row.originator_id])
        after = rows[-1].position
    return streams


def check_answers(ledger: Ledger, recorder: Recorder, rounds: dict[str, list[Any]]) -> None:
    """Whatever was answered is stored, as it was answered."""
    for document, line in zip(recorder.documents, recorder.results, strict=False):
        answer = msgspec.json.decode(line)
        assert answer["error"] is None, answer
        assert answer["id"] == msgspec.json.decode(document)["round"]
        assert answer["events"] == len(rounds[answer["id"]])
        replayed = replay_of(ledger, answer["id"])
        assert replayed is not None
        kept = {name: value for name, value in answer.items() if name not in ("id", "events")}
        assert encode_result(replayed.result) == encode_result(kept)


def check_whole(ledger: Ledger, events: list[Any]) -> None:
    """From its opening to its end, and with the opening of each seal."""
    opened, *_, last = events
    assert isinstance(last, RoundSettled | RoundVoided)
    assert sum(isinstance(event, RoundOpened | RoundSettled | RoundVoided) for event in events) == 2
    seals = sum(1 for event in events if isinstance(event, CardsDealt) for seal in event.seals if seal)
    openings = ledger.events.recorder.sealed_cards(stream_id("round", opened.round))
    assert sum(card.originator_version > 1 for card in openings) == seals


def check_tables(streams: dict[UUID, list[Any]], rounds: dict[str, list[Any]]) -> None:
    """Sessions tell of the rounds that are stored and of no others; boxes and meters have what those put in."""
    shown: list[str] = []
    dropped: dict[str, int] = {}
    put_in: Counter[str] = Counter()
    for events in streams.values():
        begun = [event.round for event in events if isinstance(event, table_sessions.RoundBegun)]
        assert begun == [event.round for event in events if isinstance(event, table_sessions.RoundEnded)]
        shown += begun
        for event in events:
            if isinstance(event, drop_boxes.FeeDropped):
                assert event.round not in dropped
                dropped[event.round] = event.amount
            elif isinstance(event, meters.MeterContributed):
                put_in[event.round] += 1
    assert sorted(shown) == sorted(rounds)
    fees = {name: event.amount for name, events in rounds.items() for event in events if isinstance(event, FeeTaken)}
    assert dropped == fees
    wagers = Counter(
        name for name, events in rounds.items() for event in events if isinstance(event, ProgressiveWagersTaken)
    )
    assert put_in == wagers


def main() -> None:
    parser = argparse.ArgumentParser(description="Kill what records, many times, and check what is stored.")
    parser.add_argument("--kills", type=int, default=50, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kills = [victim for victim in VICTIMS for _ in range(options.kills)]
        random.Random(options.seed).shuffle(kills)
        began = time.monotonic()
        report = run(Path(folder) / "data", kills, options.seed)
        print(f"{report} in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()

"""schemathesis, all checks, over every operation of the service, with each role and with no token at all.

`make fuzz` looks for new failures with many examples and another seed each time; the tests run a few, always the same.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from domain.rules.terms import TermsDocument
from infra.access.callers import ROLES
from infra.embedded import embedded_postgres
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.schema.migrator import migrate
from tests.api.http import examples
from tests.api.operations import OPERATIONS, Operation
from tests.api.processes import free_port, serving
from tests.api.service import KEY

NOBODY = "nobody"
CALLERS = (*ROLES, NOBODY)
COVERAGE = "--phases=coverage"
FEED_SECONDS = 1  # after which a feed that has opened is left
FEED_EXAMPLES = 50  # at most, as each of them may take that long
REFUSED_EXAMPLES = 10  # at most, of an operation that the caller's role is refused whatever the request is
# Schemathesis makes wrong bodies by chance, and sometimes one that it cannot spell out: it then leaves the operation.
GAVE_UP, FAILED = "Failed to generate test cases for this API operation", "= FAILURES ="
SEEDS = 3  # tried in turn where it gave up
# 412 and 422 are what the contract has for a stale If-Match and for a key that was used for something else: the request
# is as its schema has it, and still refused.
# A text that is too long for its schema may make the whole body too large, which is looked at first: 413. So is the
# version, before the engine judges actions: 412.
CONFIG = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "412", "422", "429", "503"]

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "428", "429", "5xx"]
"""
# Its phase "coverage" makes no header that needs other characters than letters and digits, and takes a wrong one for
# right: there, Happened-At is always this.
HAPPENED_AT = """
[parameters]
"header.happened-at" = "2026-03-08T06:00:00-08:00"
"""


def furnish(database_url: str) -> None:
    """What the examples of the OpenAPI document name, so that not everything is answered with 404."""
    ledger, actor = Ledger(database_url), Actor("floor-9", time.time_ns() // 1_000_000)
    try:
        floor = Floor(ledger)
        floor.open_session("t1", "uth-casino-club", msgspec.convert(examples.TERMS, TermsDocument), {}, actor)
        ledger.record(examples.DOCUMENT, actor)
        floor.swap_box("t1", "box-1", "S-1", "count-9", actor)
        ledger.open_round("t1", {"round": "round-1", "player_dealer": {"seat": 3, "wager": "1000.00"}}, actor)
    finally:
        ledger.close()


@contextmanager
def furnished_service(database_url: str, log: Path | None = None) -> Iterator[int]:
    """The port of a served process with authentication, and with no limit of rate that would hide anything else."""
    furnish(database_url)
    port = free_port()
    with serving(database_url, port, log=log, ROUNDLEDGER_TOKEN_KEY=KEY, ROUNDLEDGER_RATE_LIMIT="0"):
        yield port


def shares() -> dict[str, list[str]]:
    """Every operation with somebody who may do it, by caller: of several roles each has its turn."""
    shared: dict[str, list[str]] = {caller: [] for caller in CALLERS}
    for operation in OPERATIONS:
        roles = operation.roles or {NOBODY}
        shared[min(roles, key=lambda role: (len(shared[role]), role))].append(operation.name)
    return shared


def operations_of(caller: str, tags: Collection[str], *, allowed: bool) -> list[str]:
    """Those that a caller may ask for at all, or those that are refused before the request is looked at."""
    return [
        f"--include-operation-id={operation.name}"
        for operation in OPERATIONS
        if (operation.roles is None or caller in operation.roles) is allowed and is_tagged(operation, tags)
    ]


def is_tagged(operation: Operation, tags: Collection[str]) -> bool:
    return not tags or not operation.tags.isdisjoint(tags)


def fuzz(port: int, caller: str, *options: str, feeds: bool = False) -> subprocess.CompletedProcess[str]:
    """One run of schemathesis by one caller; its exit code is not 0 where a check failed.

    A feed has no end that could be waited for. So feeds have a run of their own, with nothing that they should accept;
    one that opens all the same is left after a while, and counts as answered.
    """
    headers = [] if caller == NOBODY else ["--header", f"Authorization: Bearer {token(caller)}"]
    which = ["--include-tag=feed", "--mode=negative"] if feeds else ["--exclude-tag=feed"]
    config = CONFIG + HAPPENED_AT if COVERAGE in options else CONFIG
    return run(port, config, *headers, *which, f"--request-timeout={FEED_SECONDS if feeds else 60}", *options)


def fuzz_shares(port: int, *options: str) -> subprocess.CompletedProcess[str]:
    """One run over every operation but the feeds, each by somebody who may do it."""
    config = CONFIG
    for caller, operations in shares().items():
        if caller != NOBODY:
            config += f"[[operations]]\ninclude-operation-id = {operations}\n"
            config += f'headers = {{ Authorization = "Bearer {token(caller)}" }}\n'
    return run(port, config, "--exclude-tag=feed", "--request-timeout=60", *options)


def token(caller: str) -> str:
    table = "t1" if caller == "terminal" else None
    return make_token(KEY, Settings(token_key=KEY), f"{caller}-1", caller, table, 1.0)[0]


def run(port: int, config: str, *options: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        file, described = Path(folder) / "schemathesis.toml", Path(folder) / "openapi.json"
        file.write_text(config)
        # Schemathesis itself gives up on the description after ten seconds, and a busy machine may take longer.
        described.write_bytes(httpx.get(f"http://127.0.0.1:{port}/openapi.json", timeout=60).content)
        command = [
            str(Path(sys.executable).with_name("schemathesis")),
            f"--config-file={file}",
            "run",
            str(described),
            f"--url=http://127.0.0.1:{port}",
            "--checks=all",
            "--generation-database=none",
            "--warnings=off",
            "--suppress-health-check=all",  # how long it takes to make examples says nothing about the service
            "--no-color",
            *options,
        ]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"}, cwd=folder)


def runs(caller: str, examples: int, phases: str, tags: Collection[str] = ()) -> Iterator[tuple[list[str], bool]]:
    """The options of each run by one caller, and whether it is of feeds; the quickest first."""
    refused = min(examples, REFUSED_EXAMPLES)
    tagged = [f"--include-operation-id={operation.name}" for operation in OPERATIONS if is_tagged(operation, tags)]
    each = [
        ([f"--max-examples={examples}", COVERAGE], tagged if tags else None),
        (
            [f"--max-examples={refused}", "--phases=examples,fuzzing"],
            operations_of(caller, tags, allowed=False),
        ),
        ([f"--max-examples={examples}", f"--phases={phases}"], operations_of(caller, tags, allowed=True)),
    ]
    for options, operations in each:
        if operations is None or operations:
            yield [*options, *(operations or ())], False
    if not tags or "feed" in tags:
        yield [f"--max-examples={min(examples, FEED_EXAMPLES)}", f"--phases={phases}"], True


def fuzz_all(port: int, caller: str, seed: int, *options: str, feeds: bool) -> bool:
    """Run with another seed where schemathesis gave up; return whether no check failed."""
    passed = False
    for one in range(seed, seed + SEEDS):
        done = fuzz(port, caller, f"--seed={one}", *options, feeds=feeds)
        print(f"=== {caller}, seed {one}\n{done.stdout}{done.stderr}", flush=True)
        passed = done.returncode == 0
        if passed or GAVE_UP not in done.stdout or FAILED in done.stdout:
            break
    return passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callers", nargs="+", default=list(CALLERS), choices=CALLERS)
    parser.add_argument("--examples", type=int, default=50, help="of each operation and phase")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--phases", default="examples,fuzzing,stateful", help="in addition to coverage")
    parser.add_argument("--tags", nargs="+", default=[], help="of the operations; by default all of them")
    given = parser.parse_args()
    failed = []
    for caller in given.callers:
        with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder) / "postgres") as url:
            migrate(url)
            log = Path(folder) / "log"
            with furnished_service(url, log) as port:
                for options, feeds in runs(caller, given.examples, given.phases, given.tags):
                    if not fuzz_all(port, caller, given.seed, *options, feeds=feeds):
                        failed.append(caller)
            if caller in failed:
                print(log.read_text()[-5000:])
    sys.exit(f"failed as {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()

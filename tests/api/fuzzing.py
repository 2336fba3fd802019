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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from api.service import examples
from api.service.app import OPERATIONS
from api.service.auth import ROLES, make_token
from api.service.settings import Settings
from domain.terms import TermsDocument
from infra.embedded import embedded_postgres
from infra.floor import Floor
from infra.ledger import Actor, Ledger
from infra.migrate import migrate
from tests.api.processes import free_port, serving
from tests.api.serving import KEY

NOBODY = "nobody"
CALLERS = (*ROLES, NOBODY)
# 412 and 422 are what the contract has for a stale If-Match and for a key that was used for something else: the request
# is as its schema has it, and still refused.
CONFIG = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "412", "422", "429", "503"]
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


def fuzz(
    port: int, caller: str, *options: str, feeds: bool = False, only: Iterable[str] = ()
) -> subprocess.CompletedProcess[str]:
    """One run of schemathesis, over some operations or all; its exit code is not 0 where a check failed.

    A feed has no end that could be waited for. So feeds have a run of their own, with nothing that they should accept.
    """
    which = ["--include-tag=feed", "--mode=negative"] if feeds else ["--exclude-tag=feed"]
    which += [f"--include-operation-id={name}" for name in only]
    headers = []
    if caller != NOBODY:
        table = "t1" if caller == "terminal" else None
        token, _ = make_token(KEY, Settings(token_key=KEY), f"{caller}-1", caller, table, 1.0)
        headers = ["--header", f"Authorization: Bearer {token}"]
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "schemathesis.toml"
        config.write_text(CONFIG)
        command = [
            str(Path(sys.executable).with_name("schemathesis")),
            f"--config-file={config}",
            "run",
            f"http://127.0.0.1:{port}/openapi.json",
            *headers,
            "--checks=all",
            *which,
            "--generation-database=none",
            "--warnings=off",
            f"--request-timeout={10 if feeds else 60}",  # a feed that opens is left, and counts as answered
            "--suppress-health-check=all",  # how long it takes to make examples says nothing about the service
            "--no-color",
            *options,
        ]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"}, cwd=folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callers", nargs="+", default=list(CALLERS), choices=CALLERS)
    parser.add_argument("--examples", type=int, default=50, help="of each operation and phase")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--phases", default="examples,coverage,fuzzing,stateful")
    given = parser.parse_args()
    failed = []
    for caller in given.callers:
        with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder) / "postgres") as url:
            migrate(url)
            log = Path(folder) / "log"
            with furnished_service(url, log) as port:
                options = [f"--seed={given.seed}", f"--max-examples={given.examples}", f"--phases={given.phases}"]
                for done in (fuzz(port, caller, *options), fuzz(port, caller, *options, feeds=True)):
                    print(f"=== {caller}, seed {given.seed}\n{done.stdout}{done.stderr}", flush=True)
                    if done.returncode:
                        failed.append(caller)
            if caller in failed:
                print(log.read_text()[-5000:])
    sys.exit(f"failed as {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()

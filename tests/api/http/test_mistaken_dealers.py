"""Random rounds with random mistakes, against the service: nothing is lost or doubled, and every round audits clean.

ROUNDLEDGER_MISTAKEN_ROUNDS plays so many instead of the few of every run, against a service in a process of its own
that several tables ask at once, as on a floor.
"""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import httpx
import typer
from typer.testing import CliRunner

from api.cli.audit import audit
from domain.rules import rulesets
from infra.ledger.ledger import Ledger
from projections.engine.runner import Runner
from tests.api.http.mistaken_dealers import play_rounds
from tests.api.processes import free_port, serving
from tests.api.service import of_service, open_service

MANY = int(os.environ.get("ROUNDLEDGER_MISTAKEN_ROUNDS", "0"))
SEED = int(os.environ.get("ROUNDLEDGER_MISTAKEN_SEED", "3"))
FEW = 2  # of each rule set
TABLES = 3  # of each rule set
AT_ONCE = 6
PATIENCE_SECONDS = 600.0


def test_nothing_is_lost_or_doubled_and_every_round_audits_clean(url: str, tmp_path: Path):
    happened = played_by_many(url, tmp_path / "service.log") if MANY else played_here(url)
    print(dict(happened))
    assert happened["rounds"] == (MANY or FEW * len(rulesets.ids()))
    assert {"wrong bet", "taken back", "lost answer", "overtaken", "loaded again"} <= happened.keys()
    with Runner(url) as runner:
        runner.catch_up()
    app = typer.Typer()
    app.command()(audit)
    audited = CliRunner().invoke(app, ["--database-url", url, "--processes", "1"])
    print(audited.output)
    assert audited.exit_code == 0, audited.output


def played_here(url: str) -> Counter[str]:
    happened: Counter[str] = Counter()
    ledger = Ledger(of_service(url))
    try:
        with open_service(url, rate_limit=0) as client:
            for ruleset in rulesets.ids():
                happened.update(play_rounds(client, ledger, ruleset, FEW, SEED))
    finally:
        ledger.close()
    return happened


def played_by_many(url: str, log: Path) -> Counter[str]:
    """As many rounds at every table, but for what does not divide."""
    tables = [(ruleset, SEED + at) for at in range(TABLES) for ruleset in rulesets.ids()]
    shares = [MANY // len(tables) + (at < MANY % len(tables)) for at in range(len(tables))]
    happened: Counter[str] = Counter()
    port = free_port()
    with (
        serving(url, port, log=log, ROUNDLEDGER_RATE_LIMIT="0", ROUNDLEDGER_FOLLOW="false"),
        ProcessPoolExecutor(AT_ONCE, get_context("spawn")) as pool,
    ):
        futures = [
            pool.submit(played_at_a_table, url, port, ruleset, rounds, seed)
            for (ruleset, seed), rounds in zip(tables, shares, strict=True)
        ]
        for future in futures:
            happened.update(future.result())
    return happened


def played_at_a_table(url: str, port: int, ruleset: str, rounds: int, seed: int) -> Counter[str]:
    ledger = Ledger(of_service(url))
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_SECONDS) as client:
            return play_rounds(client, ledger, ruleset, rounds, seed)
    finally:
        ledger.close()

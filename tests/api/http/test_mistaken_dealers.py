"""Random rounds with random mistakes, against the service: nothing is lost or doubled, and every round audits clean.

ROUNDLEDGER_MISTAKEN_ROUNDS plays more of them than the few of every run.
"""

from __future__ import annotations

import os

import typer
from typer.testing import CliRunner

from api.cli.audit import audit
from domain.rules import rulesets
from infra.ledger.ledger import Ledger
from projections.engine.runner import Runner
from tests.api.http.mistaken_dealers import play_rounds
from tests.api.service import of_service, open_service

EACH = int(os.environ.get("ROUNDLEDGER_MISTAKEN_ROUNDS", "14")) // len(rulesets.ids())
SEED = int(os.environ.get("ROUNDLEDGER_MISTAKEN_SEED", "3"))


def test_nothing_is_lost_or_doubled_and_every_round_audits_clean(url: str):
    ledger = Ledger(of_service(url))
    happened: dict[str, int] = {}
    try:
        with open_service(url, rate_limit=0) as client:
            for ruleset in rulesets.ids():
                for what, times in play_rounds(client, ledger, ruleset, EACH, SEED).items():
                    happened[what] = happened.get(what, 0) + times
    finally:
        ledger.close()
    print(happened)
    assert happened["rounds"] == EACH * len(rulesets.ids())
    assert {"wrong bet", "taken back", "lost answer", "overtaken", "loaded again"} <= happened.keys()
    with Runner(url) as runner:
        runner.catch_up()
    app = typer.Typer()
    app.command()(audit)
    audited = CliRunner().invoke(app, ["--database-url", url, "--processes", "1"])
    assert audited.exit_code == 0, audited.output

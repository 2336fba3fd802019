"""A database that goes away while a report or a rebuild is at work: one sentence and exit code 2."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
import typer
from typer.testing import CliRunner

from api.cli.reports import follow, rebuild, report
from infra.ledger.ledger import Ledger
from projections.engine.applier import Applier
from projections.engine.event_feed import Feed
from tests.projections.simulated_floor import record
from tests.tables_in_play import bank_round

app = typer.Typer()
for command in (report, rebuild, follow):
    app.command()(command)


def cut_off(url: str) -> None:
    """Every connection to this database but the one that does it."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.mark.parametrize(
    ("where", "method", "arguments"),
    [
        (Applier, "step", ("rebuild",)),
        (Applier, "step", ("report", "bankroll")),
        (Applier, "step", ("report", "day", "--format", "json")),
        (Applier, "step", ("follow", "--once")),
        (Feed, "page", ("rebuild", "journal")),
        (Feed, "page", ("report", "bankroll", "--as-of", "2200-01-01T00:00:00Z")),
    ],
)
def test_it_is_said_in_one_sentence(
    url: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, where: Any, method: str, arguments: tuple[str, ...]
):
    record(ledger, [bank_round("t-1", round_id="r-1")])
    whole = getattr(where, method)

    def broken(self: Any, *given: Any, **named: Any) -> Any:
        cut_off(url)
        return whole(self, *given, **named)

    monkeypatch.setattr(where, method, broken)
    answered = CliRunner().invoke(app, [*arguments, "--database-url", url])
    assert answered.exit_code == 2, answered.output
    said = answered.stderr.splitlines()
    assert said[-1].startswith("roundledger: the database does not answer: ")
    assert len(said) == 1


def test_a_database_that_was_never_there_is_one_sentence_too():
    answered = CliRunner().invoke(app, ["report", "drops", "--database-url", "postgresql://nobody@127.0.0.1:1/none"])
    assert answered.exit_code == 2
    assert len(answered.stderr.splitlines()) == 1

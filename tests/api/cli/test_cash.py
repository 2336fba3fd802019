"""Cash at the cage on the command line: what the day asks for is said at once, and no name gets into the record."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from api.cli.main import app
from infra.ledger.ledger import Ledger


def test_cash_is_taken_logged_and_forgotten(url: str, ledger: Ledger):
    def run(*arguments: str) -> Any:
        environment = {"COLUMNS": "100", "TERM": "dumb"}
        return CliRunner().invoke(app, ["cash", *arguments, "--database-url", url], env=environment)

    cash = ("--means", "cash", "--by", "cage-1")
    small = run("move", "in", "2499.99", "--patron", "p-1", *cash)
    assert (small.exit_code, small.stdout, small.stderr) == (0, "The buy-in of p-1 is stored.\n", "")
    logged = run("move", "in", "0.01", "--patron", "p-1", *cash)
    assert "of p-1 on this gaming day is $2,500.00, $2,500.00 or more: it is in the cash log." in logged.stderr
    assert run("move", "in", "9000.00", "--patron", "p-1", "--means", "other", "--by", "cage-1").stderr == ""
    assert run("thresholds", "--log-from", "100.00", "--report-over", "200.00", "--by", "acct-1").exit_code == 0
    unknown = run("move", "out", "200.01", "--description", "Red hat, about 50", *cash)
    assert "over $200.00: it has to be reported" in unknown.stderr
    patron = unknown.stdout.removeprefix("The cash-out of ").removesuffix(" is stored.\n")
    names = "SELECT bettor, name FROM roundledger.patron_names"
    assert ledger.database.rows(names) == [(patron, "Red hat, about 50")]
    assert run("erase", patron, "--by", "cage-1").exit_code == 0
    assert ledger.database.rows(names) == []
    for refused in (
        run("move", "in", "5.00", "--patron", "Bob Smith", *cash),
        run("move", "in", "0.00", "--patron", "p-1", *cash),
        run("move", "in", "5.00", *cash),
        run("move", "in", "5.00", "--patron", "p-1", "--description", "Red hat", *cash),
        run("move", "in", "5.00", "--description", " ", *cash),
        run("thresholds", "--log-from", "200.00", "--report-over", "100.00", "--by", "acct-1"),
    ):
        assert refused.exit_code == 2
        assert refused.stderr.startswith("roundledger: ")

"""Slips on the command line: a fill from the request to the paper, and a tray that two people count."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from api.cli.main import app
from domain.rules.terms import TermsDocument
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger


def test_a_fill_is_asked_for_issued_printed_and_voided(url: str, ledger: Ledger, tmp_path: Path):
    Floor(ledger).open_session("t1", "uth-house", TermsDocument(), {}, Actor("f-1", time.time_ns() // 1_000_000))

    def run(*arguments: str) -> Any:
        environment = {"COLUMNS": "100", "TERM": "dumb"}
        return CliRunner().invoke(app, ["slip", *arguments, "--database-url", url], env=environment)

    assert run("count", "t1", "opening", "100.00x50", "--by", "f-1", "--second", "f-2").exit_code == 0
    asked = run("request", "fill", "t1", "100.00x20", "25.00x40", "--by", "f-1")
    assert asked.stdout == "Slip 000002 is requested: fill, table t1, 3000.00.\n"
    issued = run("issue", "2", "500.00x6", "--by", "c-1", "--second", "f-2")
    assert issued.stdout == "Slip 000002 is issued: fill, table t1, 3000.00.\n"
    assert '"500.00": 6' in run("show", "2").stdout
    paper = tmp_path / "slip.pdf"
    assert run("print", "2", "--output", str(paper)).exit_code == 0
    assert paper.read_bytes().startswith(b"%PDF-")
    voided = run("void", "2", "--reason", "Brought twice.", "--by", "c-1", "--second", "f-2")
    assert voided.stdout == "Slip 000002 is void: fill, table t1, 3000.00.\n"
    for refused in (
        run("request", "fill", "t1", "100.00", "--by", "f-1"),
        run("issue", "9", "--by", "c-1", "--second", "f-2"),
        run("void", "1", "--reason", "Wrong.", "--by", "c-1", "--second", "f-2"),
        run("count", "t1", "closing", "--by", "f-1"),
    ):
        assert refused.exit_code == 2
        assert refused.stderr.startswith("roundledger: ")

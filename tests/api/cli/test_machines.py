"""Count machines on the command line: described, tried, and a box counted by a file, with everything wrong in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from api.cli.main import app
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from tests.tables_in_play import ACTOR, bank_round, new_table


def test_a_box_is_counted_by_a_file(url: str, ledger: Ledger, tmp_path: Path):
    table = new_table()
    ledger.record(bank_round(table), ACTOR)
    Floor(ledger).swap_box(table, f"{table}-box-2", "seal-1", "s-2", ACTOR)
    box = f"{table}-box-1"

    def run(*arguments: str) -> Any:
        environment = {"COLUMNS": "100", "TERM": "dumb"}
        return CliRunner().invoke(app, ["machine", *arguments, "--database-url", url], env=environment)

    described, file, empty = tmp_path / "machine.toml", tmp_path / "count.csv", tmp_path / "empty.csv"
    described.write_text(run("show").stdout)
    file.write_bytes(f"Box,Denomination,Pieces,Amount\r\n{box},5.00,2,10.00\r\n".encode())
    empty.write_bytes(b"")
    assert run("keep", "one", str(described), "--by", "a-1").exit_code == 0
    assert "one" in run("list").stdout
    assert run("show", "one").stdout == described.read_text()
    assert "Total 10.00" in run("try", "one", box, str(file)).stdout
    found = ledger.find_box(box)
    assert found is not None
    assert found[0].counts == ()
    counted = run("count", "one", box, str(file), "--by", "c-1")
    assert (counted.exit_code, counted.stderr) == (0, f"Your count of box {box} is stored.\n")
    assert Floor(ledger).count_box(box, {1_00: 10}, Actor("c-2", ACTOR.at_ms)).counted == 10_00
    refusals = {
        "has been counted": run("count", "one", box, str(file), "--by", "c-3"),
        "There is no count machine two": run("try", "two", box, str(file)),
        "has no count in it": run("try", "one", box, str(empty)),
        "cannot be read": run("try", "one", box, str(tmp_path / "none.csv")),
        "There is no box": run("count", "one", "no-box", str(file), "--by", "c-3"),
        "line 1: `box_column` is not known": run("keep", "two", str(_bad(tmp_path)), "--by", "a-1"),
        "is not a name for a machine": run("keep", "Two", str(described), "--by", "a-1"),
        "there is no count machine two": run("show", "two"),
    }
    for why, refused in refusals.items():
        assert refused.exit_code == 2, why
        assert refused.stderr.startswith("roundledger: ")
        assert why in refused.stderr or "no line of box no-box" in refused.stderr


def _bad(folder: Path) -> Path:
    bad = folder / "bad.toml"
    bad.write_text("box_column = 'Box'\n")
    return bad

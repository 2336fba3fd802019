"""A round with mistakes that were taken back: reports show what was played, and count the mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from api.cli.audit import audit
from domain.round.actions import TakeBack
from infra.ledger.ledger import Actor, Ledger
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.evidence.current_bundle import make
from projections.evidence.verification import verify
from projections.reports.report_query import rows
from tests.api.pages.dealer_screen import SPLIT, UTH
from tests.projections.simulated_floor import NOON_MS, everything
from tests.sealed_ledger import log_of, seal

ACTOR = Actor("dealer-1", NOON_MS)
MISTAKE = TakeBack("A slip of the finger.", "floor-1")


def play(ledger: Ledger, url: str, document: dict[str, Any], round_id: str, *, mistakes: bool) -> None:
    """Action by action; each that may be is taken back once and entered again, as far as nobody has to sign."""
    ledger.record({**document, "table": "t-1", "round": round_id, "actions": []}, ACTOR)
    taken = 0
    for action in document["actions"]:
        stored = ledger.act(round_id, [action], ACTOR)
        if mistakes and stored.round.entry is not None and stored.round.contradictions < 2:
            ledger.act(round_id, [MISTAKE], ACTOR)
            taken += 1
            with Runner(url) as runner:
                runner.catch_up()
            ledger.act(round_id, [action], ACTOR)
    assert bool(taken) is mistakes


def seen(url: str) -> dict[str, int]:
    """How often each card was dealt, from either deck; nobody counts a card that was never dealt."""
    found: dict[str, int] = {}
    for row in rows(url, "card-counts"):
        found[row["card"]] = found.get(row["card"], 0) + row["seen"]
    return {card: times for card, times in found.items() if times}


@pytest.mark.parametrize("document", [UTH, SPLIT], ids=["poker", "pure 21.5"])
def test_reports_show_what_was_played(url: str, ledger: Ledger, tmp_path: Path, document: dict[str, Any]):
    play(ledger, url, document, "r-1", mistakes=False)
    with Runner(url) as runner:
        runner.catch_up()
    cards = seen(url)
    play(ledger, url, document, "r-2", mistakes=True)
    with Runner(url) as runner:
        runner.catch_up()
    assert seen(url) == {card: 2 * times for card, times in cards.items()}
    found = list(rows(url, "take-backs"))
    assert {row["round"] for row in found} == {"r-2"}
    assert {(row["posted_by"], row["confirmed_by"]) for row in found} == {("dealer-1", "floor-1")}
    [of_dealer] = rows(url, "take-backs-by-dealer")
    assert of_dealer["take_backs"] == len(found) == found[0]["in_round"]
    live = everything(url)
    rebuild(url)
    assert everything(url) == live

    seal(url, tmp_path)
    app = typer.Typer()
    app.command()(audit)
    audited = CliRunner().invoke(app, ["--database-url", url, "--processes", "1"])
    assert audited.exit_code == 0, audited.output
    with log_of(url) as log:
        assert verify(make(log, "r-2", tmp_path)).faults == []

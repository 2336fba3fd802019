"""The comparison of report tables with the events, while others write and rebuild."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest

from infra.ledger.ledger import Ledger
from projections.audit.checks.projection_check import compare
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.models.registry import ALL
from tests.projections.simulated_floor import record, simulated


def play(url: str, seed: int) -> None:
    with closing(Ledger(url)) as ledger:
        record(ledger, simulated(1, seed=seed, only="tcp-casino-club"))


def follow(url: str, seed: int) -> None:
    play(url, seed)
    with Runner(url) as runner:
        runner.catch_up()


def rebuild_one(url: str, seed: int) -> None:
    """It is then further than all others."""
    play(url, seed)
    rebuild(url, ["hands"])


@pytest.mark.parametrize("meanwhile", [follow, rebuild_one])
def test_what_comes_while_events_are_folded_is_compared_too(
    new_ledger: Callable[[], str], meanwhile: Callable[[str, int], None]
):
    url = new_ledger()
    follow(url, 1)
    before = compare(url, list(ALL))
    pages: list[int] = []

    def moved(events: int) -> None:
        pages.append(events)
        if len(pages) == 1:
            meanwhile(url, 2)

    compared = compare(url, list(ALL), moved)
    assert (before.findings, compared.findings) == ([], [])
    assert compared.positions["hands"] > max(before.positions.values())
    assert compared.rows > before.rows
    assert compare(url, list(ALL)).positions == compared.positions

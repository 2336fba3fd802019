"""One failover there and one back in every run of the tests; tests/infra/standby/failover.py does twenty."""

from __future__ import annotations

from pathlib import Path

from tests.infra.standby.failover import run


def test_every_acknowledged_round_is_there_once_after_the_primary_was_lost(open_folder: Path):
    figures = run(open_folder, failovers=2, tables=4, rounds=10)
    assert (figures.lost, figures.doubled, figures.findings) == (0, 0, 0)
    assert figures.acknowledged > 30
    assert figures.retried > 0  # there were commits in flight, or tables waiting

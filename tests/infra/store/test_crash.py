"""A few kills in every run of the tests; `python -m tests.infra.store.crash --kills 50` does it thoroughly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.infra.store.crash import Victim, run


@pytest.mark.parametrize(("victim", "kills"), [("recorder", 4), ("postmaster", 3), ("backend", 3)])
def test_every_answered_round_is_there_whole_after_kills_of_the(victim: Victim, kills: int, tmp_path: Path):
    report = run(tmp_path / "data", [victim] * kills, seed=kills)
    assert report.kills == {victim: kills}
    assert report.stored >= report.acknowledged > kills

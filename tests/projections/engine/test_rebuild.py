"""Rebuilding with several processes gives what one gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from psycopg.sql import SQL, Identifier

from projections.engine.connection import AlreadyRunning, connect, lock
from projections.engine.rebuild import rebuild, shares
from projections.engine.storage import LIVE, REBUILD
from projections.models.registry import ALL


def tables(url: str) -> dict[str, list[Any]]:
    """All rows of all projections."""
    found = {}
    with connect(url) as connection:
        for projection in ALL.values():
            for table in projection.tables:
                name = Identifier(LIVE, table.name)
                statement = SQL("SELECT t::text FROM {} t ORDER BY 1").format(name)
                found[table.name] = connection.execute(statement).fetchall()
    return found


def positions(url: str) -> set[int]:
    with connect(url) as connection:
        rows = connection.execute("SELECT position FROM projections.positions WHERE place = %s", [LIVE]).fetchall()
    return {position for (position,) in rows}


@pytest.mark.parametrize("processes", [2, 3])
def test_several_processes_make_the_same_rows_as_one(copied: Callable[[], str], processes: int):
    url = copied()
    applied = rebuild(url, processes=1)
    alone, at = tables(url), positions(url)
    assert sum(map(len, alone.values())) > 100
    seen: list[tuple[int, int]] = []
    assert rebuild(url, processes=processes, progress=lambda done, last: seen.append((done, last))) == applied
    assert tables(url) == alone
    assert positions(url) == at
    assert all(done <= last for done, last in seen)


def test_one_that_somebody_else_rebuilds_is_refused_and_the_rest_stays_usable(copied: Callable[[], str]):
    url = copied()
    rebuild(url, processes=1)
    before = tables(url)
    with connect(url) as other:
        lock(other, ["hands"], REBUILD)
        with pytest.raises(AlreadyRunning, match="hands"):
            rebuild(url, processes=2)
    assert tables(url) == before
    rebuild(url, processes=2)
    assert tables(url) == before


@pytest.mark.parametrize("processes", [1, 2, 3, 99])
def test_every_projection_is_rebuilt_by_exactly_one_process(processes: int):
    groups = shares(list(ALL.values()), processes)
    assert sorted(projection.name for group in groups for projection in group) == sorted(ALL)
    assert len(groups) == min(processes, len(ALL))
    costs = sorted(sum(projection.cost for projection in group) for group in groups)
    assert costs[-1] - costs[0] <= max(projection.cost for projection in ALL.values())

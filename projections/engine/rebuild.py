"""Rebuilds projections while others write and read: in separate tables, swapped in when they have caught up.

An interrupted rebuild keeps what it has built, and the next one continues. Projections are independent, so several
processes share them: each reads all events, and makes and swaps its own tables."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, wait
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier

from infra.schema.migrator import READER_ROLE
from infra.store.event_rows import LAST_POSITION
from infra.store.recorder import LedgerRecorder
from projections.engine import storage
from projections.engine.applier import Applier, MovedOn
from projections.engine.connection import connect, lock
from projections.engine.fold import PAGE
from projections.engine.projection import Projection
from projections.engine.storage import LIVE, REBUILD, Connection
from projections.models.registry import named

FEWEST_EVENTS_A_PROCESS = 250_000  # a process takes a second to start, on a busy machine several
PROGRESS_SECONDS = 0.2
SWAP_WAIT_MS = 500  # for readers of the old tables, who in turn never wait longer than this for us
SWAP_TRIES = 240
SWAP_PAUSE_SECONDS = 0.25

Progress = Callable[[int, int], None]  # events applied, events stored


def rebuild(
    database_url: str,
    names: Iterable[str] = (),
    progress: Progress | None = None,
    page: int = PAGE,
    processes: int | None = 1,
) -> int:
    """Rebuild all projections, or those named, in one pass per process; return the number of events applied. By default
    there is one process per core, if there are enough events."""
    projections = named(names)
    groups = shares(projections, _how_many(database_url) if processes is None else processes)
    if len(groups) == 1:
        return _rebuild(database_url, projections, progress, page)
    context = multiprocessing.get_context("spawn")
    reached = context.Array("q", [0] * (len(groups) + 1))  # the position of each, and the last one
    with ProcessPoolExecutor(len(groups), context, _begin, (reached,)) as pool:
        under_way = [
            pool.submit(_rebuild_share, database_url, [projection.name for projection in group], page, place)
            for place, group in enumerate(groups)
        ]
        while wait(under_way, PROGRESS_SECONDS, FIRST_EXCEPTION).not_done:
            if progress is not None:
                progress(min(reached[:-1]), reached[-1])
            if any(one.done() and one.exception() for one in under_way):
                break
        return max(one.result() for one in under_way)


def shares(projections: Sequence[type[Projection]], processes: int) -> list[list[type[Projection]]]:
    """Return what each process rebuilds: the costly ones first, each to the process with least to do."""
    groups: list[list[type[Projection]]] = [[] for _ in range(max(1, min(processes, len(projections))))]
    for projection in sorted(projections, key=lambda one: -one.cost):
        min(groups, key=lambda group: sum(one.cost for one in group)).append(projection)
    return groups


def _how_many(database_url: str) -> int:
    with connect(database_url) as connection:
        row = connection.execute(LAST_POSITION).fetchone()
    events = 0 if row is None else int(row[0])
    return max(1, min(os.cpu_count() or 1, events // FEWEST_EVENTS_A_PROCESS))


_reached: Any = None  # of a process that rebuilds a share


def _begin(reached: Any) -> None:
    global _reached
    _reached = reached


def _rebuild_share(database_url: str, names: list[str], page: int, place: int) -> int:
    def tell(position: int, last: int) -> None:
        _reached[place], _reached[-1] = position, last

    return _rebuild(database_url, named(names), tell, page)


def _rebuild(database_url: str, projections: Sequence[type[Projection]], progress: Progress | None, page: int) -> int:
    with (
        LedgerRecorder(database_url, role=READER_ROLE, connections_at_most=2) as recorder,
        connect(database_url) as connection,
    ):
        lock(connection, (projection.name for projection in projections), REBUILD)
        _drop_outdated(connection, projections)
        applier = Applier(connection, recorder, projections, REBUILD, page)
        applier.begin()
        applied = _catch_up(applier, recorder, progress)
        for projection in projections:
            storage.create_indexes(connection, REBUILD, projection.tables)
        _swap(connection, applier, projections)
    return applied


def _drop_outdated(connection: Connection, projections: Iterable[type[Projection]]) -> None:
    """Drop what another version of the program began."""
    for projection in projections:
        row = connection.execute(
            "SELECT fingerprint FROM projections.positions WHERE place = %s AND name = %s", [REBUILD, projection.name]
        ).fetchone()
        if row is None or row[0] != projection.fingerprint():
            with connection.transaction():
                storage.drop(connection, REBUILD, projection.tables)
                _forget(connection, projection, REBUILD)


def _forget(connection: Connection, projection: type[Projection], place: str) -> None:
    connection.execute("DELETE FROM projections.positions WHERE place = %s AND name = %s", [place, projection.name])


def _catch_up(applier: Applier, recorder: LedgerRecorder, progress: Progress | None) -> int:
    applied = 0
    while done := applier.step():
        applied += done
        if progress is not None:
            progress(min(applier.positions().values()), recorder.max_notification_id() or 0)
    return applied


def _swap(connection: Connection, applier: Applier, projections: Iterable[type[Projection]]) -> None:
    """Swap tables one after another, never behind those that they replace."""
    for projection in projections:
        for last_try in (*[False] * (SWAP_TRIES - 1), True):
            try:
                _swap_one(connection, applier, projection)
                break
            except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected, MovedOn):
                if last_try:
                    raise
                time.sleep(SWAP_PAUSE_SECONDS)


def _swap_one(connection: Connection, applier: Applier, projection: type[Projection]) -> None:
    position = applier.positions()[projection.name]
    live = connection.execute(
        "SELECT position FROM projections.positions WHERE place = %s AND name = %s", [LIVE, projection.name]
    ).fetchone()
    if live is not None and live[0] > position:
        applier.catch_up()
    with connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = {SWAP_WAIT_MS}")
        # The row first, as every runner does: from here on nothing is applied to either table.
        rows = connection.execute(
            "SELECT place, position FROM projections.positions WHERE name = %s ORDER BY place FOR UPDATE",
            [projection.name],
        ).fetchall()
        at: dict[str, int] = dict(rows)
        if LIVE in at and at[LIVE] > at[REBUILD]:
            raise MovedOn(f"{projection.name} has been moved on by its runner")
        _lock_old(connection, projection)
        storage.drop(connection, LIVE, projection.tables)
        for table in projection.tables:
            connection.execute(
                SQL("ALTER TABLE {} SET SCHEMA {}").format(Identifier(REBUILD, table.name), Identifier(LIVE))
            )
        _forget(connection, projection, LIVE)
        connection.execute(
            "UPDATE projections.positions SET place = %s WHERE place = %s AND name = %s",
            [LIVE, REBUILD, projection.name],
        )


def _lock_old(connection: Connection, projection: type[Projection]) -> None:
    for table in projection.tables:
        row = connection.execute("SELECT to_regclass(%s)", [f"{LIVE}.{table.name}"]).fetchone()
        if row is not None and row[0] is not None:
            connection.execute(SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(Identifier(LIVE, table.name)))

"""A log after a restore: which published events are missing, and how two people continue it under a new name."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import psycopg

from domain.audit.log_succession import LogSucceeded
from infra.log.checkpoints import Checkpoint
from infra.log.sealer import BrokenLog, Sealer
from infra.log.signed_notes import Verifier
from infra.log.stored_log import LogReader
from infra.log.succession import Succession
from infra.store.database import Database
from infra.store.encoding.mapper import RecordedEvent, TypedMapper
from infra.store.encoding.topics import TOPICS
from infra.store.event_rows import COUNT_AFTER, NEWEST
from infra.store.recorder import LedgerRecorder
from infra.store.streams import stream_id

STREAM = stream_id("log", "succession")
# counts all of them, not up to a limit as a lag does
UNSEALED = f"SELECT ({COUNT_AFTER}), (SELECT recorded_at FROM ({NEWEST}) newest)"


class Published(NamedTuple):
    """A checkpoint that somebody outside has, and when it was signed, or cosigned, if that is known."""

    checkpoint: Checkpoint
    at: datetime | None

    @classmethod
    def of_witness(cls, checkpoint: Checkpoint) -> Published:
        seconds = checkpoint.cosigned_at()
        return cls(checkpoint, None if seconds is None else datetime.fromtimestamp(seconds, UTC))


class LostEvents(NamedTuple):
    published: Published
    restored: int  # sealed events
    unsealed: int
    last_recorded_at: datetime | None

    @property
    def missing(self) -> int:
        return max(0, self.published.checkpoint.size - self.restored - self.unsealed)

    def sentence(self) -> str:
        at = "" if self.published.at is None else f" at {_moment(self.published.at)}"
        last = "" if self.last_recorded_at is None else f", the last one recorded at {_moment(self.last_recorded_at)}"
        return (
            f"A checkpoint of {self.published.checkpoint.size:,} events was published{at}, and "
            f"{self.restored + self.unsealed:,} were restored{last}: {self.missing:,} are missing. Nothing is sealed "
            "until two people continue the log under a new name: `roundledger log succeed`."
        )


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def lost_events(database_url: str, published: Iterable[Published]) -> LostEvents | None:
    """Return what a restored log lacks of the largest checkpoint published under its name."""
    database = Database(database_url)
    try:
        log = LogReader(database)
        keys, size, latest = log.keys(), log.size(), log.latest()
        ((waiting, recorded_at),) = database.rows(UNSEALED, [0 if latest is None else latest.last_position])
    finally:
        database.close()
    ours = [one for one in published if keys and _is_of(one.checkpoint, keys)]
    largest = max(ours, key=lambda one: (one.checkpoint.size, one.at is not None), default=None)
    if largest is None or largest.checkpoint.size <= size:
        return None
    return LostEvents(largest, size, waiting, recorded_at)


def _is_of(checkpoint: Checkpoint, keys: Sequence[Verifier]) -> bool:
    return checkpoint.origin == keys[-1].name and bool(checkpoint.trusted_by(keys))


def remember_published(owner_url: str, checkpoint: Checkpoint) -> None:
    """Store a published checkpoint that the log does not reach, so that the sealer knows of it. Only the owner of the
    tables may."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO roundledger.log_published (size, note) VALUES (%s, %s)", [checkpoint.size, checkpoint.text()]
        )


def continue_log(database_url: str, key_folder: Path, by: str, second: str, reason: str) -> Verifier:
    """Record that the log continues under a new name, and sign it under that name."""
    if by == second:
        raise BrokenLog("Two different people must continue a log.")
    if not reason.strip() or not reason.isprintable() or len(reason) > 500:
        raise BrokenLog("The reason is one line of at most 500 characters.")
    with Sealer(database_url, key_folder, allow_behind=True) as sealer:
        keys = sealer.log.keys()
        published = sealer.log.published(keys[-1].name) if keys else None
        if published is None or published.size <= sealer.size:
            raise BrokenLog("The log lacks nothing that was published, and continues under its name.")
        succession = Succession(
            old_name=keys[-1].name, restored_size=sealer.size, published_size=published.size, reason=reason.strip()
        )
        _record(database_url, succession, published, by, second)
        key = sealer.rename(succession.new_name, succession.lines())
        sealer.seal()
    return key


def _record(database_url: str, succession: Succession, published: Checkpoint, by: str, second: str) -> None:
    event = LogSucceeded(
        old_name=succession.old_name,
        new_name=succession.new_name,
        published_size=published.size,
        published_root=published.root,
        restored_size=succession.restored_size,
        second=second,
        reason=succession.reason,
    )
    recorder, mapper = LedgerRecorder(database_url, connections_at_most=1), TypedMapper(TOPICS)
    try:
        versions = [row.originator_version for row in recorder.select_events(STREAM, desc=True, limit=1)]
        version = max(versions, default=0) + 1
        now_ms = time.time_ns() // 1_000_000
        recorder.insert_events(
            mapper.encode(
                [RecordedEvent(originator_id=STREAM, originator_version=version, event=event, by=by, at_ms=now_ms)]
            )
        )
    finally:
        recorder.close()

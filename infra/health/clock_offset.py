"""The offset between this machine's clock and the database's. Every event has a time of each.

The offset is measured with a query and carried forward by the monotonic clock for some seconds, so that a change of our
clock is noticed at once and at no cost."""

from __future__ import annotations

import logging
import time
from threading import Lock
from typing import NamedTuple

from infra.store.database import Database
from infra.store.errors import DATABASE_ERRORS, NotRecording
from infra.store.event_rows import NEWEST

logger = logging.getLogger(__name__)

NOTICED_SECONDS = 1.0  # reported from here on
REFUSED_SECONDS = 60.0  # nothing is written from here on: events could get times in any order
MEASURED_FOR_SECONDS = 10.0
SAMPLES = 3
QUICK_SECONDS = 0.1  # a quicker answer is exact enough
NOW_AND_LAST = (
    "SELECT extract(epoch FROM clock_timestamp())::float8, "
    f"(SELECT extract(epoch FROM recorded_at)::float8 FROM ({NEWEST}) newest)"
)


class ClocksDiffer(NotRecording):
    """Stored times would be wrong by more than a minute, here or in the database."""


class _Sample(NamedTuple):
    """The database's time at monotonic time zero, with its uncertainty."""

    database_seconds: float
    unsure_seconds: float
    at: float
    set_back_seconds: float  # by which the database's clock is behind the last recorded time

    def ahead_seconds(self) -> float:
        """Return by how much our clock is certainly ahead, or behind if negative."""
        ahead = time.time_ns() / 1e9 - (self.database_seconds + time.monotonic())
        sure = max(0.0, abs(ahead) - self.unsure_seconds)
        return sure if ahead > 0 else -sure


class Clocks:
    """The clocks of one process and its database. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sample: _Sample | None = None
        self._lock = Lock()

    def ahead_seconds(self) -> float:
        """Measure the offset now. Raises the connection's errors."""
        sample = self._sample = self._measured()
        return sample.ahead_seconds()

    def set_back_seconds(self) -> float:
        """Return by how much the database's clock was behind the last recorded time at the last measurement: it was set
        back. Recorded times then stay at that of the last event (1010_recorded_times.sql)."""
        sample = self._sample
        return 0.0 if sample is None else sample.set_back_seconds

    def check(self) -> None:
        """Refuse to write if the clocks differ too much. Costs nothing otherwise. If the database does not answer, the
        write itself reports that."""
        sample = self._sample
        fresh = sample is not None and time.monotonic() - sample.at <= MEASURED_FOR_SECONDS
        if fresh and sample is not None and not _too_far(sample.ahead_seconds()):
            return
        sample = self._look_again(sample)
        if sample is not None and _too_far(ahead := sample.ahead_seconds()):
            raise ClocksDiffer(f"{in_words(ahead)} Nothing is stored until they agree: set the clock that is wrong.")

    def _look_again(self, known: _Sample | None) -> _Sample | None:
        with self._lock:
            if self._sample is known:
                try:
                    self._sample = self._measured()
                except DATABASE_ERRORS:
                    return known
            return self._sample

    def _measured(self) -> _Sample:
        best: _Sample | None = None
        for _ in range(SAMPLES):
            with self._database.cursor() as cursor:
                began = time.monotonic()
                row = cursor.execute(NOW_AND_LAST).fetchone()
                ended = time.monotonic()
            assert row is not None
            now, last = row
            behind = 0.0 if last is None or last - now <= NOTICED_SECONDS else last - now
            sample = _Sample(now - (began + ended) / 2, (ended - began) / 2, ended, behind)
            if best is None or sample.unsure_seconds < best.unsure_seconds:
                best = sample
            if best.unsure_seconds <= QUICK_SECONDS:
                break
        assert best is not None
        if best.set_back_seconds and not self.set_back_seconds():
            logger.warning(set_back_in_words(best.set_back_seconds))
        return best


def _too_far(ahead_seconds: float) -> bool:
    return abs(ahead_seconds) > REFUSED_SECONDS


def in_words(ahead_seconds: float) -> str:
    way = "ahead of" if ahead_seconds > 0 else "behind"
    return f"The clock of this service is {abs(ahead_seconds):,.1f} seconds {way} the database's."


def set_back_in_words(seconds: float) -> str:
    return (
        f"The database's clock is {seconds:,.1f} seconds behind the time of the last recorded event: it was set back. "
        "New events are recorded at that time until the clock has passed it."
    )

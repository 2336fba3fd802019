"""Metrics for Prometheus: requests, stored commands, conflicts, how far the reports are behind, what is waiting."""

from __future__ import annotations

import math
import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

from infra.housekeeping.housekeeper import Removed
from infra.housekeeping.retention import LEAST_DAYS

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
GAUGES = {
    "lag_events": "Events that the reports lack",
    "lag_seconds": "Age of the oldest of them",
    "unsealed_events": "Events that the transparency log lacks",
    "seal_lag_seconds": "Age of the oldest of them",
    "clock_ahead_seconds": "This service's clock against the database's; negative where it is behind",
    "clock_set_back_seconds": "The database's clock behind the time of the last recorded event, where it was set back",
    "owner_login": "1 where the database login could change the record",
    "disk_free_bytes": "Free space on the database's disk; NaN where that is not known",
    "disk_reserve_bytes": "Free space below which nothing is recorded",
    "database_bytes": "Size of the database",
    "failed_sign_ins": "Attempts to sign in that failed in the last quarter of an hour",
    "audit_findings": "Findings of the last audit that was completed",
    "last_audit_timestamp_seconds": "When that was; 0 for never",
    "standby_expected": "1 where the primary keeps what a standby lacks",
    "standby_connected": "1 while that standby is connected",
    "standby_behind_bytes": "Of the write-ahead log that it lacks",
    "standby_waited_for": "1 while commits wait for it",
    "last_backup_timestamp_seconds": "When the last backup began; 0 where none is known",
}
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # set by `serve` if there are several worker processes


class Metrics:
    """The metrics of one app. They name no card, bettor or person: only routes and statuses."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "roundledger_requests", "Requests by operation and status", ["operation", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "roundledger_request_seconds", "How long requests took", buckets=BUCKETS, registry=self._registry
        )
        self._written = Counter("roundledger_appends", "Commands that were stored", registry=self._registry)
        self._removed = Counter(
            "roundledger_housekeeping_removed", "Rows past their retention, removed", ["kind"], registry=self._registry
        )
        for kind in LEAST_DAYS:
            self._removed.labels(kind)
        self._conflicts = Counter("roundledger_conflicts", "Commands that lost a race", registry=self._registry)
        self._under_way = Gauge(
            "roundledger_requests_under_way",
            "Requests being worked on",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self._gauges = {
            name: Gauge(f"roundledger_{name}", said, multiprocess_mode="mostrecent", registry=self._registry)
            for name, said in GAUGES.items()
        }
        self._gauges["disk_free_bytes"].set(math.nan)  # until the database's disk is known
        self._of: dict[tuple[str, int], Counter] = {}

    def begin(self) -> None:
        self._under_way.inc()

    def end(self, operation: str, status: int, seconds: float) -> None:
        self._under_way.dec()
        counter = self._of.get((operation, status))
        if counter is None:
            counter = self._of[operation, status] = self._requests.labels(operation, str(status))
        counter.inc()
        self._seconds.observe(seconds)

    def stored(self) -> None:
        self._written.inc()

    def removed(self, step: Removed) -> None:
        self._removed.labels(step.kind).inc(step.rows)

    def conflict(self) -> None:
        self._conflicts.inc()

    def set(self, **figures: float) -> None:
        """Set the measured ones of GAUGES."""
        for name, value in figures.items():
            self._gauges[name].set(value)

    def text(self) -> bytes:
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)

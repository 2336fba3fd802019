"""Figures for Prometheus: requests, commands stored, conflicts, how far the reports are behind, what is waiting."""

from __future__ import annotations

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

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # set by `serve` where there are several worker processes


class Metrics:
    """Of one app. Nothing in it names a card, a bettor or a person: routes and statuses only."""

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
        self._conflicts = Counter("roundledger_conflicts", "Commands that lost a race", registry=self._registry)
        self._under_way = Gauge(
            "roundledger_requests_under_way",
            "Requests being worked on",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self._lag_events = Gauge(
            "roundledger_lag_events",
            "Events that the reports lack",
            multiprocess_mode="mostrecent",
            registry=self._registry,
        )
        self._lag_seconds = Gauge(
            "roundledger_lag_seconds",
            "Age of the oldest of them",
            multiprocess_mode="mostrecent",
            registry=self._registry,
        )
        self._unsealed_events = Gauge(
            "roundledger_unsealed_events",
            "Events that the transparency log lacks",
            multiprocess_mode="mostrecent",
            registry=self._registry,
        )
        self._seal_lag_seconds = Gauge(
            "roundledger_seal_lag_seconds",
            "Age of the oldest of them",
            multiprocess_mode="mostrecent",
            registry=self._registry,
        )
        self._clock_ahead_seconds = Gauge(
            "roundledger_clock_ahead_seconds",
            "This service's clock against the database's; negative where it is behind",
            multiprocess_mode="mostrecent",
            registry=self._registry,
        )
        self._owner_login = Gauge(
            "roundledger_owner_login",
            "1 where the database login could change the record",
            multiprocess_mode="mostrecent",
            registry=self._registry,
        )
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

    def conflict(self) -> None:
        self._conflicts.inc()

    def lag(self, events: int, seconds: float) -> None:
        self._lag_events.set(events)
        self._lag_seconds.set(seconds)

    def seal_lag(self, events: int, seconds: float) -> None:
        self._unsealed_events.set(events)
        self._seal_lag_seconds.set(seconds)

    def clock(self, ahead_seconds: float) -> None:
        self._clock_ahead_seconds.set(ahead_seconds)

    def login(self, could_change_the_record: bool) -> None:
        self._owner_login.set(could_change_the_record)

    def text(self) -> bytes:
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)

"""The base of projections: tables, and what each kind of event means for them.

A projection collects rows while a page of events is folded; all rows of a page are then written in one transaction with
the position, so that each event counts exactly once however often a process dies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from projections.accumulators.accumulator import events_of
from projections.calendar.posting_days import PostingDays
from projections.engine.row_collectors import Collector
from projections.engine.storage import Connection
from projections.engine.table import Row, Table, fingerprint

Handler = Callable[[Any, Any], None]
Method = TypeVar("Method", bound=Callable[..., None])


class Window:
    """The times that a report covers: from `since_ms` on and before `until_ms`."""

    def __init__(self, since_ms: int | None = None, until_ms: int | None = None) -> None:
        self._since_ms = -(1 << 62) if since_ms is None else since_ms
        self._until_ms = 1 << 62 if until_ms is None else until_ms

    def __contains__(self, at_ms: int) -> bool:
        return self._since_ms <= at_ms < self._until_ms


ALWAYS = Window()
_fingerprints: dict[tuple[str, int], str] = {}


def handler(method: Method) -> Method:
    """Mark a method of a projection that handles the events it is annotated with; it gets the accumulator after the
    event."""
    method.__dict__["events"] = events_of(method)
    return method


class Projection:
    """One instance per fold, with collectors of its own. Raise `version` when the same events make other rows."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    needs_cards: ClassVar[bool] = False
    cost: ClassVar[int] = 2  # relative cost of a rebuild, by which work is shared
    tables: ClassVar[tuple[Table, ...]]
    _collectors: ClassVar[dict[str, Collector]]
    _handlers: ClassVar[dict[type, list[str]]]

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Collector)}
        cls._collectors = {**getattr(cls, "_collectors", {}), **own}
        cls._handlers = {event: [*names] for event, names in getattr(cls, "_handlers", {}).items()}
        for name, method in vars(cls).items():
            for event in getattr(method, "events", ()):
                cls._handlers.setdefault(event, []).append(name)
        if "tables" not in vars(cls):
            cls.tables = tuple(table for collector in cls._collectors.values() for table in collector.tables)

    def __init__(self, days: PostingDays, window: Window = ALWAYS) -> None:
        self.posting_days = days
        self.window = window
        for name, collector in self._collectors.items():
            setattr(self, name, collector.fresh())
        self.begin_page()

    def begin_page(self) -> None:
        """Forget what was noted for `resolve`."""

    @classmethod
    def fingerprint(cls) -> str:
        key = cls.name, cls.version
        if key not in _fingerprints:  # needed by every request
            _fingerprints[key] = fingerprint(cls.tables, cls.version)
        return _fingerprints[key]

    def handlers(self, event: type) -> Iterator[Handler]:
        return (getattr(self, name) for name in self._handlers.get(event, ()))

    def resolve(self, connection: Connection, schema: str) -> None:
        """Compute, before a page is written and in its transaction, what depends on rows of earlier pages."""

    def collected(self) -> Iterator[tuple[Table, Sequence[Row]]]:
        """Return the rows of the page, each key once, and empty the collectors."""
        for name in self._collectors:
            yield from getattr(self, name).collected()

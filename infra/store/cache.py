"""A cache of computed values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Cache(Generic[T]):
    """Keeps the latest values. Thread-safe.

    A key names everything that a value depends on. A value that keeps changing, such as a report of everything, also
    has a version: then only its latest version is kept."""

    def __init__(self, at_most: int) -> None:
        self._at_most = at_most
        self._values: OrderedDict[Hashable, tuple[Hashable, T]] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Hashable, version: Hashable = None) -> T | None:
        with self._lock:
            kept = self._values.get(key)
            if kept is None or kept[0] != version:
                return None
            self._values.move_to_end(key)
            return kept[1]

    def keep(self, key: Hashable, value: T, version: Hashable = None) -> None:
        with self._lock:
            self._values[key] = version, value
            self._values.move_to_end(key)
            if len(self._values) > self._at_most:
                self._values.popitem(last=False)

    def get(self, key: Hashable, make: Callable[[], T], version: Hashable = None) -> T:
        """Return the value, computing it if necessary. Two threads at once both compute it; neither waits."""
        value = self.find(key, version)
        if value is None:
            value = make()
            self.keep(key, value, version)
        return value

    def forget(self, key: Hashable) -> None:
        with self._lock:
            self._values.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._values.clear()

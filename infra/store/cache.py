"""Values that were worked out lately, kept by a key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Cache(Generic[T]):
    """The latest so many. Safe to use from several threads.

    A key names everything that a value depends on. What goes on changing, such as a report of everything, has a version
    as well: then one value of it is kept, and not one for each version.
    """

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
        """Two threads at once work it out twice, and neither waits for the other."""
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

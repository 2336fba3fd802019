"""What was worked out lately from something that never changes, such as a round up to one of its versions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakSet

T = TypeVar("T")
_there: WeakSet[Remembered[Any]] = WeakSet()


class Remembered(Generic[T]):
    """The latest so many, by a key that names everything they depend on. Safe to use from several threads.

    What goes on changing, such as a report of all that there is, has its standing beside its key: then one value of it
    is kept, and not one for each time that it was asked for.
    """

    def __init__(self, at_most: int) -> None:
        self._at_most = at_most
        self._values: OrderedDict[Hashable, tuple[Hashable, T]] = OrderedDict()
        self._lock = Lock()
        _there.add(self)

    def of(self, key: Hashable, make: Callable[[], T], standing: Hashable = None) -> T:
        with self._lock:
            kept = self._values.get(key)
            if kept is not None and kept[0] == standing:
                self._values.move_to_end(key)
                return kept[1]
        value = make()  # two at once work it out twice, and neither waits for the other
        with self._lock:
            self._values[key] = standing, value
            self._values.move_to_end(key)
            if len(self._values) > self._at_most:
                self._values.popitem(last=False)
        return value

    def forget(self) -> None:
        with self._lock:
            self._values.clear()


def forget_everything() -> None:
    """For whoever measures how long a first look takes."""
    for one in list(_there):
        one.forget()

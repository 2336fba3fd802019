"""Work of a service in a thread of its own."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod


class BackgroundWork(ABC):
    """A thread that runs from `start` to `close`, if it is wanted at all."""

    def __init__(self, thread_name: str, *, wanted: bool = True) -> None:
        self._thread_name, self._wanted = thread_name, wanted
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._wanted and self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._thread_name, daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    @abstractmethod
    def _run(self) -> None:
        """Work until `_stop` is set."""

"""Group commit: jobs that arrive while a commit is under way are committed together.

There is no extra thread: the first thread to arrive leads and commits what it finds. Those that arrive meanwhile wait;
the leader then hands over to the first of them, which commits all that have gathered. So a lone writer pays nothing,
and sixteen pay for one commit instead of sixteen.

Threads that were just served return one after the other, and the first of them would lead a group of one. So a leader
whose predecessor had company waits for as many, but not longer than the last commit took."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar, cast

LONGEST_WAIT_SECONDS = 0.01

Job = TypeVar("Job")
Result = TypeVar("Result")


class Interrupted(RuntimeError):
    """The committing thread was stopped; whether the group is stored has to be looked up."""


class _Place(Generic[Job, Result]):
    """One job in the queue. `wake` is held until there is an outcome, or until the waiting thread is to lead."""

    __slots__ = ("job", "leads", "outcome", "wake")

    def __init__(self, job: Job) -> None:
        self.job = job
        self.leads = False
        self.outcome: tuple[Result | None, BaseException | None] | None = None
        self.wake = Lock()
        self.wake.acquire()


class GroupCommit(Generic[Job, Result]):
    """`commit` gets jobs in the order of arrival and returns for each its result or its exception.

    An exception raised by `commit` goes to every job of the group, so it raises only if their outcome is unknown."""

    def __init__(
        self,
        commit: Callable[[Sequence[Job]], Sequence[Result | Exception]],
        *,
        jobs_at_most: int = 64,
    ) -> None:
        self._commit = commit
        self._jobs_at_most = jobs_at_most
        self._lock = Lock()
        self._queue: deque[_Place[Job, Result]] = deque()
        self._led = False
        self._company = 1  # how many to expect
        self._patience_seconds = 0.0  # how long to wait for them
        self._complete = Lock()  # released when that many have arrived
        self._complete.acquire()
        self._awaited = False

    @property
    def waiting(self) -> int:
        """Return how many jobs wait for the current commit."""
        return len(self._queue)

    def submit(self, job: Job) -> Result:
        place: _Place[Job, Result] = _Place(job)
        with self._lock:
            self._queue.append(place)
            place.leads = not self._led
            self._led = True
            if self._awaited and len(self._queue) >= self._company:
                self._awaited = False
                self._complete.release()
        try:
            if not place.leads:
                place.wake.acquire()
            group = [] if place.outcome is not None else self._gather()
        except BaseException:  # Ctrl-C: a thread that leaves the queue must not take the lead with it
            self._leave(place)
            raise
        if group:
            self._lead(group)
        result, error = cast("tuple[Result, BaseException | None]", place.outcome)
        if error is not None:
            raise error
        return result

    def _gather(self) -> list[_Place[Job, Result]]:
        with self._lock:
            complete = len(self._queue) >= self._company
            self._awaited = not complete
        if not complete:
            complete = self._complete.acquire(timeout=self._patience_seconds)
        with self._lock:
            if not complete and not self._awaited:
                self._complete.acquire()  # released after we gave up, and to be held again
            self._awaited = False
            group = [self._queue.popleft() for _ in range(min(len(self._queue), self._jobs_at_most))]
            self._company = max(len(group), self._company // 2)  # a latecomer is expected once more
        return group

    def _lead(self, group: list[_Place[Job, Result]]) -> None:
        started = time.perf_counter()
        try:
            outcomes = self._commit([place.job for place in group])
            for place, outcome in zip(group, outcomes, strict=True):
                place.outcome = (None, outcome) if isinstance(outcome, Exception) else (outcome, None)
        except Exception as error:
            for place in group:
                place.outcome = (None, error)
        except BaseException as error:
            for place in group:
                place.outcome = (None, Interrupted("the commit was interrupted"))
            group[0].outcome = (None, error)
        finally:
            self._patience_seconds = min(time.perf_counter() - started, LONGEST_WAIT_SECONDS)
            self._hand_over()  # first, so that the database has work while the others wake up
            for place in group[1:]:
                place.wake.release()

    def _hand_over(self) -> None:
        with self._lock:
            self._led = bool(self._queue)
            if self._led:
                self._queue[0].leads = True
                self._queue[0].wake.release()

    def _leave(self, place: _Place[Job, Result]) -> None:
        with self._lock:
            if place in self._queue:
                self._queue.remove(place)
            self._awaited = False
        if place.leads:
            self._hand_over()

"""File locks that the kernel releases when their holder ends, however it ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A thread may fork while another starts the server: the child must not keep the lock for its lifetime.
_not_for_children: set[int] = set()


def _close_in_child() -> None:
    for lock in _not_for_children:
        os.close(lock)
    _not_for_children.clear()


os.register_at_fork(after_in_child=_close_in_child)


def create(path: Path) -> None:
    """Create a lock file. Nothing else does, so that a watchdog does not recreate files that are being deleted."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def share(path: Path) -> int:
    return _lock(path, fcntl.LOCK_SH)


def try_alone(path: Path) -> int | None:
    """Return the lock, or None if somebody holds it."""
    try:
        return _lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None


def is_free(path: Path) -> bool:
    lock = try_alone(path)
    if lock is not None:
        os.close(lock)
    return lock is not None


@contextmanager
def alone(path: Path) -> Iterator[None]:
    with kept_from_children(_lock(path, fcntl.LOCK_EX)):
        yield


@contextmanager
def kept_from_children(lock: int) -> Iterator[None]:
    """Hold a lock to the end of the block; only programs that it is passed to inherit it."""
    _not_for_children.add(lock)
    try:
        yield
    finally:
        _not_for_children.discard(lock)
        os.close(lock)


def _lock(path: Path, how: int) -> int:
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, how)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor

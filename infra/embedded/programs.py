"""Running PostgreSQL's programs, and their log."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from infra.embedded.server_errors import EmbeddedPostgresError

POSTGRES_ENV = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}  # none of our variables, which may hold secrets
LOG_LIMIT_BYTES = 4 * 1024 * 1024
LOG_KEPT_BYTES = 1024 * 1024
FULL_DISK_BYTES = 16 * 1024 * 1024  # one segment of the write-ahead log; on a full disk not even a log line fits

REASON = (
    r"\b(FATAL|PANIC|error):(?!  the database system is ).*"  # but not its answer to clients that connect too early
)


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    log: Path,
    lock: int,
    uid: int | None = None,
    env: Mapping[str, str] = POSTGRES_ENV,
    detached: bool = False,
) -> int:
    """Run a program that holds a lock while it or a child of it lives, even if this process ends.

    Detached, it is not our child: it may outlive us, and we do not wait for it."""
    if detached:
        command = ["/bin/sh", "-c", '"$@" &', "sh", *command]
    with _open_to_append(log) as output:
        return subprocess.run(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=[lock],
            start_new_session=True,  # Ctrl-C on the terminal must not reach the database
            umask=0o077,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
        ).returncode


def log_size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def trim_log(log: Path) -> None:
    """Keep the end of a long log. Its writers append, so they continue at its end."""
    if log_size(log) > LOG_LIMIT_BYTES:
        with log.open("rb") as old, _open_to_append(log) as trimmed:
            old.seek(-LOG_KEPT_BYTES, os.SEEK_END)
            kept = old.read()
            os.truncate(trimmed, 0)
            os.write(trimmed, kept)


def failure(what: str, log: Path, since: int) -> EmbeddedPostgresError:
    """Return the error message of a program that failed."""
    with log.open("rb") as written:
        written.seek(since)
        lines = [line.strip() for line in written.read().decode(errors="replace").splitlines() if line.strip()]
    reasons = [found.group() for line in lines if (found := re.search(REASON, line))]
    others = [line for line in lines if not re.search(r"\b(LOG|HINT|DETAIL|STATEMENT):  ", line)]
    reason = " ".join(reasons[:1] or others[-1:]) or "it was ended from outside."
    free_bytes = shutil.disk_usage(log.parent).free
    if free_bytes < FULL_DISK_BYTES or any("No space left on device" in line for line in lines):
        todo = "The disk is full: free some space and start again."
    else:
        todo = f"More in {log}."
    return EmbeddedPostgresError(f"PostgreSQL {what}: {reason.removesuffix('.')}. {todo}")


@contextmanager
def _open_to_append(log: Path) -> Iterator[int]:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)

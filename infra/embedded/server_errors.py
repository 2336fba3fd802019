"""The one error of the embedded server; its message says what to do."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class EmbeddedPostgresError(RuntimeError):
    """The embedded PostgreSQL cannot be used."""


@contextmanager
def explained_errors(data_dir: Path) -> Iterator[None]:
    """Turn errors of the operating system into EmbeddedPostgresError, with advice."""
    try:
        yield
    except OSError as error:
        raise EmbeddedPostgresError(
            f"The embedded PostgreSQL in {data_dir} cannot be used: {error}. {_advice(error.errno)}"
        ) from error


def _advice(code: int | None) -> str:
    if code == errno.ENOSPC:
        return "The disk is full: free some space and start again."
    if code in (errno.EPERM, errno.EINVAL) and os.geteuid() == 0:
        return "PostgreSQL does not run as root, and root may not change user here: run as a normal user."
    if code == errno.EACCES:
        return (
            f"This is user id {os.geteuid()}, which may not read or write there: run as the folder's owner, give it "
            "back with `chown -R`, or choose another folder with ROUNDLEDGER_DATA_DIR."
        )
    return "Choose a folder that you may write to with ROUNDLEDGER_DATA_DIR."

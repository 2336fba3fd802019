"""The user that runs the server: the current user, unless that is root, which PostgreSQL refuses.

For root it runs under a numeric user id without an account, which owns nothing but the database. That user cannot pass
closed parents such as /root, so its folder is its working directory, known to it as /proc/self/cwd. No account is
created, and no permissions but those of our own folder are changed."""

import os
import pwd
import stat
import zlib
from contextlib import suppress
from pathlib import Path

from infra.embedded.server_errors import EmbeddedPostgresError

# Unassigned in systemd's table of user ids; ids above 65535 have no meaning in many containers.
SERVER_UIDS = range(60706, 61184)


def server_uid(home: Path, pgdata: Path) -> int | None:
    """Return the user id to run PostgreSQL under; None for our own."""
    owner = home.stat().st_uid
    if owner != os.geteuid():
        raise EmbeddedPostgresError(
            f"The data folder {home} belongs to user id {owner}, and this is user id {os.geteuid()}. "
            "Run as its owner, or choose another folder with ROUNDLEDGER_DATA_DIR."
        )
    if owner != 0:
        return None
    with suppress(FileNotFoundError):
        if (uid := pgdata.stat().st_uid) != 0:
            return uid
    first = zlib.crc32(os.fsencode(home))
    in_turn = (SERVER_UIDS[(first + step) % len(SERVER_UIDS)] for step in range(len(SERVER_UIDS)))
    return next(uid for uid in in_turn if not _has_account(uid))


def initdb_uid(server: int | None) -> int | None:
    """Return the user id for initdb, which needs an account. Its files are then given to the server's user."""
    if server is None and _has_account(os.geteuid()):
        return None
    with suppress(KeyError):
        if server is not None:
            return pwd.getpwnam("nobody").pw_uid
    missing = f"user id {os.geteuid()}" if server is None else "'nobody'"
    raise EmbeddedPostgresError(
        f"There is no account for {missing} in /etc/passwd, and PostgreSQL's initdb needs it. Add it, or use a "
        "PostgreSQL of your own with --database-url."
    )


def name() -> str | None:
    """Return the name by which peer authentication knows the user; None without an account."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return None


def data_argument(folder: Path, uid: int | None) -> str:
    """Return the path of a folder for a program that has it as its working directory."""
    working_directory = "/proc/self/cwd"
    return working_directory if uid is not None and os.path.exists(working_directory) else str(folder)


def give(folder: Path, uid: int) -> None:
    for parent, _, files in os.walk(folder):
        for name in (".", *files):
            os.chown(os.path.join(parent, name), uid, uid, follow_symlinks=False)


def open_to_anyone(path: Path) -> bool:
    """Return whether users who are neither owner nor in the group can reach, read and execute this."""
    needed = stat.S_IROTH | stat.S_IXOTH
    reachable = all(parent.stat().st_mode & stat.S_IXOTH for parent in path.resolve().parents)
    return reachable and path.stat().st_mode & needed == needed


def _has_account(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True

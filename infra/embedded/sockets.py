"""Where the server's socket is, and who listens there."""

import os
import socket
import stat
import struct
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from infra.embedded.server_errors import EmbeddedPostgresError
from infra.embedded.server_user import open_to_anyone

SOCKET = ".s.PGSQL.5432"
PARAMETERS = b"user\0postgres\0database\0postgres\0\0"
# the first message of a client of protocol 3.0
GREETING = struct.pack("!ii", len(PARAMETERS) + 8, 3 << 16) + PARAMETERS
NOT_NOW = b"57P03"  # cannot_connect_now: it is starting, recovering from a crash, or stopping
ANSWER_TIMEOUT = struct.pack("ll", 30, 0)  # the kernel's timeout: Python's would not wait for a place in the queue


class Listener(NamedTuple):
    pid: int  # 0 if it is in another container
    accepts: bool


OWN_FOLDER = "pg_stat_tmp"  # in the database folder, in a place that is neither backed up nor rewound


class SocketFolder:
    """The folder of the socket: in the database folder, or a temporary one if the path is too long or the disk does not
    support sockets."""

    def __init__(self, pgdata: Path, uid: int | None) -> None:
        self._own = pgdata / OWN_FOLDER
        self._uid = uid
        self._borrowed = pgdata.parent / "socket_folder"  # a file with the path of a temporary folder

    def current(self) -> Path:
        with suppress(FileNotFoundError):
            return Path(self._borrowed.read_text())
        return self._own

    def prepare(self) -> Path:
        """Return the folder for the next server: the same temporary one if possible, so that the URL stays the same."""
        current = self.current()
        if current != self._own and self._is_still_ours(current):
            return current
        self.give_back()
        if _takes_socket(self._own):
            return self._own
        for parent in dict.fromkeys([tempfile.gettempdir(), "/tmp"]):
            if self._uid is None or open_to_anyone(Path(parent)):
                folder = Path(tempfile.mkdtemp(prefix="roundledger-", dir=parent))
                if _takes_socket(folder):
                    return self._borrow(folder)
                folder.rmdir()
        raise EmbeddedPostgresError(
            f"There is no place for the server's socket: {self._own} has too long a path or a disk that supports no "
            "sockets, and so have the folders for temporary files. Set TMPDIR to a short path on a local disk."
        )

    def give_back(self) -> None:
        folder = self.current()
        if folder != self._own:
            for name in (SOCKET, f"{SOCKET}.lock"):
                (folder / name).unlink(missing_ok=True)
            with suppress(OSError):
                folder.rmdir()
            self._borrowed.unlink()

    def listener(self) -> Listener | None:
        """Return the process that listens, according to the kernel: files may be outdated.

        It has to answer, since the socket of a killed server still accepts connections for a moment."""
        with socket.socket(socket.AF_UNIX) as client:
            for timeout in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
                client.setsockopt(socket.SOL_SOCKET, timeout, ANSWER_TIMEOUT)
            try:
                client.connect(str(self.current() / SOCKET))
                client.sendall(GREETING)
                answer = client.recv(4096)
            except OSError:
                return None
            if sys.platform == "linux":
                peer = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            else:
                peer = client.getsockopt(0, 2, struct.calcsize("i"))  # SOL_LOCAL, LOCAL_PEERPID
        return Listener(struct.unpack_from("i", peer)[0], NOT_NOW not in answer) if answer else None

    def _borrow(self, folder: Path) -> Path:
        if self._uid is not None:
            os.chown(folder, self._uid, self._uid)
        new = self._borrowed.with_suffix(".new")
        new.write_text(str(folder))
        new.replace(self._borrowed)
        return folder

    def _is_still_ours(self, folder: Path) -> bool:
        """Return whether it is ours: anybody may write in its parent, and temporary files get cleaned up."""
        with suppress(FileNotFoundError):
            found = folder.lstat()
            owner = os.geteuid() if self._uid is None else self._uid
            return found.st_uid == owner and found.st_mode == stat.S_IFDIR | 0o700 and _takes_socket(folder)
        return False


def _takes_socket(folder: Path) -> bool:
    probe = folder / ".probe.socket"
    assert len(probe.name) == len(SOCKET), "whether the path is too long is part of the question"
    probe.unlink(missing_ok=True)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(probe))
    except OSError:
        return False
    finally:
        probe.unlink(missing_ok=True)
    return True

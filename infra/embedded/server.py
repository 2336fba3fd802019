"""Starting, adopting and stopping the server of one data folder. The caller ensures that only one process does."""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from infra.embedded import binaries, data_folder, locks, programs, server_user
from infra.embedded.server_errors import EmbeddedPostgresError
from infra.embedded.sockets import OWN_FOLDER, SOCKET, Listener, SocketFolder

ADMINISTRATOR = "postgresql://postgres@"
PROCESSES = Path("/proc")
ORPHAN_GRACE_S = 1.0
MAX_LAUNCHES = 3  # it may also be killed while it starts
STOP_PATIENCE_S = 15.0
TIMEOUT_S = 600.0  # crash recovery replays up to max_wal_size, which takes minutes on a slow disk


class Server:
    """One server. PostgreSQL and its children inherit the lock file: while it is free, none of them is alive."""

    address: Sequence[str] = ("-h", "")  # no network address: the socket is the only way in

    def __init__(self, data_dir: Path, wheel: Path, *, although_closed: bool = False) -> None:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.home = data_dir.resolve()
        self.log = self.home / "server.log"
        self.pgdata = self.home / "pgdata"
        self.lock = self.home / "server.lock"
        self.uid = server_user.server_uid(self.home, self.pgdata)
        locks.create(self.lock)
        self.bin = (wheel if self.uid is None else binaries.readable_by_anyone(wheel)) / "bin"
        self._sockets = SocketFolder(self.pgdata, self.uid)
        self._although_closed = although_closed

    def url(self) -> str:
        return f"{ADMINISTRATOR}/postgres?host={quote(str(self._sockets.current()), safe='')}&port=5432"

    def is_down(self) -> bool:
        """Return whether there is no server, without connecting."""
        if locks.is_free(self.lock):
            return True
        return PROCESSES.exists() and not self._works_here(_pid_in(self.pgdata / "postmaster.pid"))

    def ensure_running(self) -> None:
        """Adopt the running server, wait for one that is starting or stopping, or start one."""
        began = time.monotonic()
        launches = 0
        log_before = programs.log_size(self.log)
        while not self._is_ready():
            waited = time.monotonic() - began
            if self._status() == "stopping":
                self.halt()  # the process that asked it to stop may have been killed
            lock = locks.try_alone(self.lock)
            if lock is not None:
                with locks.kept_from_children(lock):
                    if launches == MAX_LAUNCHES:
                        raise programs.failure("did not start", self.log, log_before)
                    self._launch(lock)
                    launches += 1
            elif launches == 0 and waited > ORPHAN_GRACE_S:
                self._end_orphans()
            self._pause(waited)

    def recover(self) -> None:
        """Let a killed server recover and stop it cleanly, although its ledger continues elsewhere."""
        self._although_closed = True
        try:
            self.ensure_running()
            self.halt()
        finally:
            self._although_closed = False

    def halt(self) -> None:
        """Stop the server cleanly, or immediately if it does not stop. Neither loses committed data."""
        began = time.monotonic()
        found: Listener | None = None
        asked_twice = False
        while not locks.is_free(self.lock):
            waited = time.monotonic() - began
            if found is None:
                found = self._sockets.listener()
                if found is not None and found.pid == 0:
                    return  # the watchdog in that other container stops it
                if found is not None:
                    _signal(found.pid, self._gentlest_signal(found))
                elif waited > ORPHAN_GRACE_S:
                    self._end_orphans()
            elif waited > 2 * STOP_PATIENCE_S:
                self._end_all()
            elif waited > STOP_PATIENCE_S and not asked_twice:
                _signal(found.pid, signal.SIGQUIT)
                asked_twice = True
            self._pause(waited)
        self._sockets.give_back()

    def _gentlest_signal(self, found: Listener) -> signal.Signals:
        """Return SIGINT, or SIGQUIT during crash recovery: PostgreSQL 18 never stops on SIGINT then, and has nothing
        to write."""
        recovers = not found.accepts and self._status() != "stopping"
        return signal.SIGQUIT if recovers else signal.SIGINT

    def _pause(self, waited: float) -> None:
        if waited > TIMEOUT_S:
            raise EmbeddedPostgresError(f"PostgreSQL has not answered for {waited:.0f} s; {self.log} may say why.")
        time.sleep(min(0.2, 0.005 + waited / 10))

    def _is_ready(self) -> bool:
        # asked only when it reports this itself, because it logs refused connections
        listener = self._sockets.listener() if self._status() == "ready" else None
        return listener is not None and listener.accepts

    def _status(self) -> str:
        """Return the last status the server wrote: starting, ready or stopping. It may have been killed since."""
        with suppress(FileNotFoundError, IndexError):
            return (self.pgdata / "postmaster.pid").read_text().splitlines()[7].strip()
        return ""

    def _launch(self, lock: int) -> None:
        if not self._although_closed:
            data_folder.check_open(self.home)
        if not self.pgdata.exists():
            data_folder.create(self.pgdata, initdb=self.bin / "initdb", log=self.log, lock=lock, uid=self.uid)
        data_folder.check(self.pgdata, self.uid)
        data_folder.write_access(self.pgdata, server_user.name(), self.uid)
        self._drop_stale_files()
        folder = self._sockets.prepare()
        command = [str(self.bin / "postgres"), "-D", server_user.data_argument(self.pgdata, self.uid)]
        command += ["-k", OWN_FOLDER if folder == self.pgdata / OWN_FOLDER else str(folder), "-p", "5432"]
        command += ["-c", "unix_socket_permissions=0700", "-c", "summarize_wal=on", *self.address]  # which backups need
        programs.run(command, cwd=self.pgdata, log=self.log, lock=lock, uid=self.uid, detached=True)

    def _drop_stale_files(self) -> None:
        """Remove the files of a killed server: if its pid was reused, PostgreSQL would think it is alive.

        The file of a PostgreSQL started by hand in this folder stays, and ours then refuses to start."""
        for stale in (self.pgdata / "postmaster.pid", self._sockets.current() / f"{SOCKET}.lock"):
            if not self._works_here(_pid_in(stale)):
                stale.unlink(missing_ok=True)

    def _end_orphans(self) -> None:
        """End backends that lost their postmaster and are too busy to notice. To the data this is the same crash."""
        if self._sockets.listener() is None:
            self._end_all()

    def _end_all(self) -> None:
        for process in PROCESSES.glob("[0-9]*"):
            if self._works_here(int(process.name)):
                _signal(int(process.name), signal.SIGKILL)

    def _works_here(self, pid: int | None) -> bool:
        """Return whether a process is a PostgreSQL in this folder; False where there is no /proc.

        Two servers cannot run in one folder even then: PostgreSQL also checks its shared memory."""
        with suppress(OSError):
            in_folder = (PROCESSES / f"{pid}/cwd").samefile(self.pgdata)
            return in_folder and (PROCESSES / f"{pid}/exe").readlink().name.startswith("postgres")
        return False


def as_service(url: str) -> str:
    """Return the URL for the ledger's programs, which need no rights over the server."""
    return url.replace(ADMINISTRATOR, f"postgresql://{data_folder.SERVICE}@", 1)


def _signal(pid: int, what: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, what)


def _pid_in(file: Path) -> int | None:
    with suppress(FileNotFoundError, ValueError, IndexError):
        return int(file.read_text().split()[0])
    return None

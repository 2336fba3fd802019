"""One server for all users of a data folder.

The protocol consists of three lock files, held with flock. The kernel releases them when their holder ends, however it
ends, so no count can be wrong.

    door      held exclusively while starting or stopping the server, so that these cannot overlap
    users     shared by all users: a process that gets it exclusively while holding the door knows that there are none
    watchdog  held by the process that acts for users, or a server, that were killed"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.embedded import locks, programs
from infra.embedded.server import Server
from infra.embedded.server_errors import EmbeddedPostgresError

WATCH_EVERY_S = 1.0
ENDING_SECONDS = 20.0  # for a watchdog to stop a server without users
WATCH_AFTER_FAILURE_S = 10.0
WATCHDOG = """
import sys
sys.path.append(sys.argv[1])
from infra.embedded.shared_server import watch
watch(*sys.argv[2:])
"""


class SharedServer:
    def __init__(self, data_dir: Path, wheel: Path, *, although_closed: bool = False) -> None:
        self.server = Server(data_dir, wheel, although_closed=although_closed)
        self._wheel = wheel
        self.door = self.server.home / "door.lock"
        self.users = self.server.home / "users.lock"
        self._watchdog = self.server.home / "watchdog.lock"
        for lock in (self.door, self.users, self._watchdog):
            locks.create(lock)

    def url(self) -> str:
        return self.server.url()

    def enter(self) -> int:
        """Become a user of the server, which runs from here on; return what to leave with."""
        with locks.alone(self.door):
            user = locks.share(self.users)
            try:
                self._ensure_watchdog()
                self.server.ensure_running()
            except BaseException:
                os.close(user)
                raise
        return user

    def leave(self, user: int) -> None:
        with locks.alone(self.door):
            os.close(user)  # not an unlock, which would release the lock of a forked child too
            if locks.is_free(self.users):
                self.server.halt()

    @contextmanager
    def closed(self) -> Iterator[Server]:
        """Hold the stopped server, so that nobody can start it. Waits for one that was killed a moment ago."""
        deadline = time.monotonic() + ENDING_SECONDS
        while True:
            with locks.alone(self.door):
                if locks.is_free(self.users) and locks.is_free(self.server.lock):
                    yield self.server
                    return
            if time.monotonic() > deadline:
                home = self.server.home
                raise EmbeddedPostgresError(f"The server in {home} is in use. Stop every program that uses it first.")
            time.sleep(WATCH_EVERY_S / 5)

    def look_after(self, lock: int) -> bool:
        """Do one pass of the watchdog; return False when it is no longer needed."""
        with locks.alone(self.door):
            if locks.is_free(self.users):
                self.server.halt()
                os.close(lock)  # before the door opens: the next process starts a watchdog
                return False
            if self.server.is_down():
                self.server.ensure_running()
        programs.trim_log(self.server.log)
        return True

    def _ensure_watchdog(self) -> None:
        lock = locks.try_alone(self._watchdog)
        if lock is not None:
            with locks.kept_from_children(lock):
                python = [sys.executable, "-I", "-S", "-c", WATCHDOG, str(Path(__file__).resolve().parents[2])]
                command = [*python, str(self.server.home), str(self._wheel), str(lock)]
                log = self.server.log
                programs.run(command, cwd=Path("/"), log=log, lock=lock, env=os.environ, detached=True)


def watch(data_dir: str, wheel: str, lock: str) -> None:
    """Stop the server after its last user was killed; restart it if it was killed before its users."""
    server = SharedServer(Path(data_dir), Path(wheel))
    pause_s = WATCH_EVERY_S
    while Path(data_dir).exists():
        time.sleep(pause_s)
        try:
            if not server.look_after(int(lock)):
                return
            pause_s = WATCH_EVERY_S
        except (EmbeddedPostgresError, OSError) as error:
            print("watchdog:", error, file=sys.stderr, flush=True)
            pause_s = WATCH_AFTER_FAILURE_S

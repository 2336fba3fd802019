"""The embedded PostgreSQL: its first user starts it, the last one stops it.

    with embedded_postgres(default_data_dir()) as url:
        migrate(url)
        psycopg.connect(as_service(url))

The server has a unix socket in a folder that only its user may enter, and no network address. Peer authentication
identifies the user: as the administrator, who migrates, or as the service's role, which has only the rights that the
service needs.

shared_server.py explains how users share one server, server_user.py how it runs for root. A watchdog imports this
package without site-packages: use only the standard library here."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.embedded.binaries import find_in_wheel
from infra.embedded.server import as_service
from infra.embedded.server_errors import EmbeddedPostgresError, explained_errors
from infra.embedded.shared_server import SharedServer

__all__ = ["EmbeddedPostgresError", "as_service", "default_data_dir", "embedded_postgres"]


def default_data_dir() -> Path:
    """ROUNDLEDGER_DATA_DIR, or else `roundledger` in the user's data folder (XDG base directories)."""
    if chosen := os.environ.get("ROUNDLEDGER_DATA_DIR"):
        return Path(chosen).expanduser()
    user_data = Path(os.environ.get("XDG_DATA_HOME", ""))
    if not user_data.is_absolute():
        user_data = Path("~/.local/share").expanduser()
    return user_data / "roundledger"


@contextmanager
def embedded_postgres(data_dir: Path, *, although_closed: bool = False) -> Iterator[str]:
    """Use the server of this data folder, starting it if necessary; yield the administrator's URL of its database.

    The URL stays the same when the server is killed and restarted. A child forked inside the block counts as a user
    while it lives. `although_closed` is for completing a folder that nobody else may start."""
    with explained_errors(data_dir):
        server = SharedServer(data_dir, find_in_wheel(), although_closed=although_closed)
        user = server.enter()
    try:
        yield server.url()
    finally:
        with explained_errors(data_dir):
            server.leave(user)

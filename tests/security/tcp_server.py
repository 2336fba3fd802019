"""The embedded PostgreSQL on a network address with passwords: what a server of the operator's own looks like."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Literal

from infra.embedded import server_user
from infra.embedded.binaries import find_in_wheel
from infra.embedded.server import Server

PASSWORD = "the administrator's own"
HBA = "local all postgres trust\nhost all all 127.0.0.0/8 scram-sha-256\n"


_numbers = count(1)


def loopback_address() -> str:
    """One of this server alone: the port is the usual one, by which its socket is found too."""
    return f"127.{100 + next(_numbers)}.{os.getpid() >> 8 & 0xFF}.{os.getpid() & 0xFF or 1}"


@contextmanager
def tcp_server(data_dir: Path) -> Iterator[str]:
    """The administrator's URL, by password; everybody else's is made of it."""
    server = Server(data_dir, find_in_wheel())
    server.ensure_running()  # once without an address, which makes the database
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(SQL("ALTER ROLE postgres PASSWORD {}").format(Literal(PASSWORD)))
    server.halt()
    pgdata = data_dir.resolve() / "pgdata"
    hba, owner, host = pgdata / "tcp_hba.conf", pgdata.stat(), loopback_address()
    hba.write_text(HBA)
    os.chown(hba, owner.st_uid, owner.st_gid)
    seen_as = server_user.data_argument(pgdata, owner.st_uid if owner.st_uid != os.geteuid() else None)
    server.address = ("-h", host, "-c", f"hba_file={seen_as}/{hba.name}")
    server.ensure_running()
    try:
        yield make_conninfo("", host=host, port=5432, dbname="postgres", user="postgres", password=PASSWORD)
    finally:
        server.halt()

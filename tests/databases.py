"""A real PostgreSQL for every test: one server for each process that runs tests, and as many databases as they want."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from infra.embedded import embedded_postgres
from infra.ledger.ledger import Ledger
from infra.schema.migrator import migrate
from infra.store.recorder import LedgerRecorder

PATIENCE_SECONDS = 120.0
MEMORY, ROOM_BYTES = Path("/dev/shm"), 4 << 30  # a file system in memory, and what must be free there to use it
IN_MEMORY = "roundledger-tests-"  # with the process that made the folder


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """ROUNDLEDGER_TEST_DATABASE_URL, or a container where a Docker engine answers, or the embedded server."""
    if url := os.environ.get("ROUNDLEDGER_TEST_DATABASE_URL"):
        yield url
        if template := _TEMPLATES.pop(url, None):  # other servers end with all that they hold
            _drop(url, template)
    elif _docker_answers():
        from testcontainers.community.postgres import PostgresContainer

        with PostgresContainer("postgres:18", driver=None) as container:
            yield container.get_connection_url()
    else:
        with _quick_folder(tmp_path_factory) as folder, embedded_postgres(folder / "postgres") as url:
            _write_carelessly(url)
            yield url


@contextmanager
def _quick_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """In memory if there is room: a database has hundreds of files, and a disk takes many times as long to make them,
    the longer the more were deleted shortly before."""
    _remove_left_folders()
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM_BYTES:
        prefix = f"{IN_MEMORY}{os.getpid()}-"
        with TemporaryDirectory(prefix=prefix, dir=MEMORY, ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    else:
        yield tmp_path_factory.getbasetemp()


def _remove_left_folders() -> None:
    """What killed runs left would take memory until the machine restarts."""
    for folder in MEMORY.glob(f"{IN_MEMORY}*"):
        pid = folder.name.removeprefix(IN_MEMORY).partition("-")[0]
        if pid.isdecimal() and not Path("/proc", pid).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _write_carelessly(url: str) -> None:
    """Nobody pulls this server's plug; what makes commits durable is tested on servers that are killed."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("ALTER SYSTEM SET full_page_writes = off")
        connection.execute("ALTER SYSTEM SET max_wal_size = '256MB'")  # it may be in memory
        connection.execute("SELECT pg_reload_conf()")


def _docker_answers() -> bool:
    docker = shutil.which("docker")
    if docker is None:
        return False
    try:
        return subprocess.run([docker, "info"], capture_output=True, timeout=30).returncode == 0
    except subprocess.TimeoutExpired:
        return False


@contextmanager
def new_database(server_url: str, template: str = "template1") -> Iterator[str]:
    """An empty one, or a copy of one that nobody is connected to."""
    name = _create(server_url, template)
    try:
        yield make_conninfo(server_url, dbname=name)
    finally:
        _drop(server_url, name)


@contextmanager
def migrated_database(server_url: str) -> Iterator[str]:
    """A copy of one that was migrated once, which takes a fraction of the time of migrating another."""
    if server_url not in _TEMPLATES:
        template = _create(server_url)
        migrate(make_conninfo(server_url, dbname=template))
        _TEMPLATES[server_url] = template
    with new_database(server_url, _TEMPLATES[server_url]) as url:
        yield url


_TEMPLATES: dict[str, str] = {}  # by server


def _create(server_url: str, template: str = "template1") -> str:
    name = f"test_{uuid4().hex}"
    statement = SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(Identifier(name), Identifier(template))
    deadline = time.monotonic() + PATIENCE_SECONDS
    with psycopg.connect(server_url, autocommit=True) as connection:
        while True:
            try:
                connection.execute(statement)
                return name
            except psycopg.errors.ObjectInUse:  # the server has not yet noticed that a connection to it was closed
                if time.monotonic() > deadline:
                    raise


def _drop(server_url: str, name: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(scope="module")
def database_url(server_url: str) -> Iterator[str]:
    """Of an empty database."""
    with new_database(server_url) as url:
        yield url


@pytest.fixture(scope="module")
def ledger_url(server_url: str) -> Iterator[str]:
    """Of a migrated database, shared by the tests of a module."""
    with migrated_database(server_url) as url:
        yield url


@pytest.fixture
def new_ledger(server_url: str) -> Iterator[Callable[[], str]]:
    """Makes migrated databases of the test's own, for tests that count from the first position."""
    with ExitStack() as stack:

        def make() -> str:
            return stack.enter_context(migrated_database(server_url))

        yield make


@pytest.fixture
def recorder(ledger_url: str) -> Iterator[LedgerRecorder]:
    with LedgerRecorder(ledger_url) as recorder:
        yield recorder


@pytest.fixture
def url(new_ledger: Callable[[], str]) -> str:
    """Of a migrated database of the test's own."""
    return new_ledger()


@pytest.fixture
def open_ledger() -> Iterator[Callable[[str], Ledger]]:
    with ExitStack() as stack:

        def make(database_url: str) -> Ledger:
            ledger = Ledger(database_url)
            stack.callback(ledger.close)
            return ledger

        yield make


@pytest.fixture
def ledger(url: str, open_ledger: Callable[[str], Ledger]) -> Ledger:
    return open_ledger(url)

"""A ledger for the commands: the embedded server of one folder, kept running so that each command finds it warm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from infra.embedded import embedded_postgres
from tests.api.service import client

__all__ = ["client"]


@pytest.fixture(autouse=True)
def no_database_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the commands work on is said by each test, not by whoever runs it."""
    for name in ("ROUNDLEDGER_DATABASE_URL", "ROUNDLEDGER_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("ledger")
    with embedded_postgres(folder):
        yield folder


@pytest.fixture
def new_database(data_dir: Path) -> Iterator[Callable[[], str]]:
    """Makes empty databases, not migrated, and says their URLs."""
    with embedded_postgres(data_dir) as url, ExitStack() as stack:
        connection = stack.enter_context(psycopg.connect(url, autocommit=True))

        def make() -> str:
            name = f"test_{uuid4().hex}"
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
            drop = SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name))
            stack.callback(connection.execute, drop)
            return make_conninfo(url, dbname=name)

        yield make

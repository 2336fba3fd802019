"""Attacks by people inside: the service with tokens of every role, over a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.service import client
from tests.security.trails import covered_ledger

__all__ = ["client"]


@pytest.fixture(scope="session")
def covered_url(server_url: str, keys: Path) -> Iterator[str]:
    """Of a ledger with a row in every table of the record. Nobody writes to it."""
    with covered_ledger(server_url, keys) as url:
        yield url

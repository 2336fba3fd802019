"""The service in this process, over a real PostgreSQL, and clients to call it with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from fastapi.testclient import TestClient

from api.service.app import OPERATIONS, create_app
from api.service.openapi import document
from api.service.operations import Operation
from api.service.settings import Settings
from api.service.shapes import ProblemShown
from infra.ledger import Ledger
from tests.ledger.conftest import migrated_database, server_url

__all__ = ["KEY", "client", "open_service", "server_url", "service_url"]

KEY = "a key for the tests, and long enough to be one"


@pytest.fixture(scope="module")
def service_url(server_url: str) -> Iterator[str]:
    """Of a migrated database, shared by the tests of a module."""
    with migrated_database(server_url) as url:
        yield url


class CheckedClient(TestClient):
    """Holds every answer against what the operation declares: its status, its media type, its type."""

    def request(self, method: str, url: Any, **arguments: Any) -> Any:
        answer = super().request(method, url, **arguments)
        for operation, path in _PATHS:
            if operation.method == method and path.fullmatch(answer.request.url.path):
                _check(operation, answer)
                break
        return answer


_PATHS = [(operation, re.compile(re.sub(r"\{\w+\}", "[^/]+", operation.path))) for operation in OPERATIONS]
_DOCUMENT = document(OPERATIONS, authenticated=True)


def _check(operation: Operation, answer: Any) -> None:
    described = _DOCUMENT["paths"][operation.path][operation.method.lower()]["responses"]
    assert str(answer.status_code) in described, f"{operation.name} does not tell of {answer.status_code}"
    media_type = answer.headers["content-type"].partition(";")[0]
    assert media_type in described[str(answer.status_code)]["content"]
    if media_type == "application/problem+json":
        msgspec.convert(answer.json(), ProblemShown)
    elif media_type == "application/json":
        msgspec.convert(answer.json(), operation.answers[answer.status_code].shape)


@contextmanager
def open_service(database_url: str, **settings: Any) -> Iterator[TestClient]:
    ledger = Ledger(database_url)
    try:
        # Without a follower the reports fall behind for as long as a module's tests take.
        app = create_app(ledger, Settings(**{"follow": False, "lag_limit_seconds": 3600.0, **settings}))
        with CheckedClient(app, raise_server_exceptions=False) as client:
            yield client
    finally:
        ledger.close()


@pytest.fixture(scope="module")
def client(service_url: str) -> Iterator[TestClient]:
    with open_service(service_url) as client:
        yield client

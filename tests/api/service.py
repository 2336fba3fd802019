"""The service in this process, over a real PostgreSQL, and clients to call it with."""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest
from fastapi.testclient import TestClient
from jsonschema_rs import Draft202012Validator
from psycopg.conninfo import make_conninfo
from starlette.types import ASGIApp, Message

from api.app import create_app
from api.service.settings import Settings
from infra.access.staff import Staff, StaffMember
from infra.ledger.ledger import Ledger
from infra.schema.migrator import SERVICE_ROLE
from infra.store.database import Database
from projections.engine import projector
from projections.evidence import sealer_thread
from tests.api.operations import DOCUMENT

# Whoever asks for a report or a proof gets the newest, however busy the machine is.
projector.WAIT_SECONDS = sealer_thread.WAIT_SECONDS = 120.0

KEY = "a key for the tests, and long enough to be one"


PASSWORD = "correct horse battery"


def register(people: Staff, *staff: tuple[str, str]) -> None:
    """Pairs of a staff id and a part; each has chosen PASSWORD. Whoever is there already stays."""
    known = people.staff_ids()
    for staff_id, part in staff:
        if staff_id not in known:
            people.add(StaffMember(staff_id, f"Name of {staff_id}", (part,)), PASSWORD, "tests")


def register_in(database_url: str, *staff: tuple[str, str]) -> None:
    with closing(Database(database_url)) as database:
        register(Staff(database), *staff)


def signature(staff_id: str, password: str = PASSWORD) -> str:
    """The second person's own authentication, as a header has it."""
    return f"Basic {b64encode(f'{staff_id}:{password}'.encode()).decode()}"


class CheckedClient(TestClient):
    """Compares every answer with what the document says of the operation: its status, its media type, its schema."""

    def request(self, method: str, url: Any, **arguments: Any) -> Any:
        answer = super().request(method, url, **arguments)
        if operation := _operation(method.lower(), answer.request.url.path):
            _check(operation, answer)
        return answer


@cache
def _operation(method: str, asked: str) -> dict[str, Any] | None:
    if asked in DOCUMENT["paths"]:  # an address without parameters is no other's
        own: dict[str, Any] | None = DOCUMENT["paths"][asked].get(method)
        return own
    for path, operations in DOCUMENT["paths"].items():
        if method in operations and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), asked):
            found: dict[str, Any] = operations[method]
            return found
    return None


def _check(operation: dict[str, Any], answer: Any) -> None:
    name, status = operation["operationId"], str(answer.status_code)
    assert status in operation["responses"], f"{name} does not describe {status}"
    media_type = answer.headers["content-type"].partition(";")[0]
    assert media_type in operation["responses"][status]["content"], f"{name} does not describe {media_type}"
    if media_type.endswith("json"):
        errors = [error.message for error in _schema(name, status, media_type).iter_errors(answer.json())]
        assert errors == [], f"{name}: {errors[:3]}"


@cache
def _schema(name: str, status: str, media_type: str) -> Draft202012Validator:
    operations = (operation for path in DOCUMENT["paths"].values() for operation in path.values())
    (operation,) = [operation for operation in operations if operation["operationId"] == name]
    schema = operation["responses"][status]["content"][media_type]["schema"]
    return Draft202012Validator({**schema, "components": {"schemas": _reached_from(schema)}})


def _reached_from(schema: dict[str, Any]) -> dict[str, Any]:
    """The components that a schema leads to: with all of them a validator takes sixty times as long to make."""
    reached: dict[str, Any] = {}
    found = [schema]
    while found:
        for name in re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(found.pop())):
            if name not in reached:
                reached[name] = DOCUMENT["components"]["schemas"][name]
                found.append(reached[name])
    return reached


class Read(NamedTuple):
    """What an address was answered with."""

    address: str
    status_code: int
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")


def read(client: TestClient, address: str, headers: Mapping[str, str]) -> Read:
    """Get an address of the service itself: for tests that ask for so many that a client's own time counts."""
    assert client.portal is not None
    return client.portal.call(_read, client.app, address, headers)


async def _read(app: ASGIApp, address: str, headers: Mapping[str, str]) -> Read:
    path, _, query = address.partition("?")
    given = {"host": "testserver", "accept": "*/*", **{name.lower(): value for name, value in headers.items()}}
    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "root_path": "",
        "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "client": ("testclient", 50_000), "server": ("testserver", 80),
    }  # fmt: skip
    asked, answered = False, asyncio.Event()
    start: Message = {}
    parts: list[bytes] = []

    async def receive() -> Message:
        nonlocal asked
        if asked:
            await answered.wait()
            return {"type": "http.disconnect"}
        asked = True
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
        else:
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                answered.set()

    await app(scope, receive, send)
    received = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return Read(address, start["status"], received, b"".join(parts))


def of_service(database_url: str) -> str:
    """The same database by the login that the service has."""
    return make_conninfo(database_url, user=SERVICE_ROLE)


@contextmanager
def open_service(database_url: str, **settings: Any) -> Iterator[TestClient]:
    # Without a follower the reports fall behind for as long as a module's tests take.
    set_ = Settings(**{"follow": False, "lag_limit_seconds": 3600.0, **settings})
    ledger = Ledger(of_service(database_url), set_.disk(), set_.adopted_rules_only)
    try:
        app = create_app(ledger, set_)
        with CheckedClient(app, raise_server_exceptions=False) as client:
            yield client
    finally:
        ledger.close()


@pytest.fixture(scope="module")
def client(ledger_url: str) -> Iterator[TestClient]:
    with open_service(ledger_url) as client:
        yield client

"""What an operation of the service is: its address, who may call it, what it takes and gives, and its handler.

One declaration serves the router, the check of roles, the OpenAPI document and the tests that go through all of them.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from api.service import blindness
from api.service.auth import OPEN, Person
from api.service.blindness import Scope, every_table
from api.service.problems import Problem
from api.service.telling import JSON
from api.service.wrong_bodies import in_words
from domain import moments
from domain.documents import read_json
from domain.errors import BadDocument
from infra.ledger import Actor

if TYPE_CHECKING:
    from api.service.app import Service

T = TypeVar("T")
ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
KEY = re.compile(r"[\x21-\x7e]{1,200}")
HAPPENED_AT = re.compile(moments.MOMENT_PATTERN)
NO_VERSION = -1
VERSION_TAG = re.compile(r'"([1-9][0-9]{0,8})"')


class Param(Struct, frozen=True):
    name: str
    schema: dict[str, Any]
    description: str
    where: str = "query"
    required: bool = False


class Answer(Struct, frozen=True):
    """One good answer of an operation; `headers` beside those that every answer has."""

    shape: Any
    example: Any
    description: str
    headers: tuple[str, ...] = ()
    media_type: str = JSON
    also: tuple[str, ...] = ()  # other media types that can be asked for


class Operation(Struct, frozen=True):
    method: str
    path: str
    name: str
    tag: str
    summary: str
    handler: Callable[[Call], Awaitable[Response]]
    answers: Mapping[int, Answer]
    roles: frozenset[str] | None  # None: anybody, even without a token
    description: str = ""
    body: Any = None
    body_example: Any = None
    params: tuple[Param, ...] = ()
    problems: tuple[str, ...] = ()  # codes beside those that follow from the rest
    writes: bool = False  # takes an Idempotency-Key
    conditional: bool = False  # takes If-Match
    two_people: frozenset[str] = frozenset()  # the roles of the second person
    at_times_two: frozenset[str] = frozenset()  # the same, where one is needed only in some states of a round
    streams: bool = False
    about: Scope = every_table  # of which tables it tells fees, rounds or collections

    @property
    def route(self) -> str:
        """For the router: the name of a tile is the one thing in an address that may have slashes."""
        return self.path.replace("{tile}", "{tile:path}")

    @property
    def second_roles(self) -> frozenset[str]:
        return self.two_people | self.at_times_two

    def check(self, person: Person) -> None:
        if self.roles is not None and person.role != OPEN and person.role not in self.roles:
            raise Problem("forbidden", f"The role {person.role} may not do this.")


class Call:
    """One request on its way."""

    __slots__ = ("body", "operation", "person", "request", "service")

    def __init__(self, service: Service, operation: Operation, request: Request, person: Person, body: bytes) -> None:
        self.service = service
        self.operation = operation
        self.request = request
        self.person = person
        self.body = body

    # ---- what was sent

    def id(self, name: str) -> str:
        """An id in the path; one that cannot be an id is no more found than one that is not there."""
        value: str = self.request.path_params[name]
        if not ID.fullmatch(value):
            raise Problem("not_found", f"That is not the id of a {name.replace('_', ' ')}.")
        return value

    def read(self, shape: type[T]) -> T:
        """The body in that shape; a key that stands twice, or one that is not in the shape, is refused."""
        try:
            value = read_json(self.body)
        except BadDocument as refusal:
            raise Problem("bad_document", refusal.detail) from None
        try:
            return msgspec.convert(value, shape)
        except msgspec.ValidationError:
            pass  # 3.0 is an integer too, as JSON Schema has it
        try:
            return msgspec.convert(_with_integers(value), shape)
        except msgspec.ValidationError as error:
            raise Problem("bad_document", in_words(error)) from None

    def fits_its_schema(self) -> bool:
        """Whether the request is what the operation declares: some bodies are read more loosely, so that the engine can
        name what is wrong with them."""
        if self.operation.body is None:
            return self.operation.writes
        try:
            self.read(self.operation.body)
        except Problem:
            return False
        return True

    def query(self, name: str) -> str | None:
        values = self.request.query_params.getlist(name)
        if len(values) > 1:
            raise Problem("bad_document", f"`{name}` stands more than once in the address.")
        return values[0] if values else None

    @property
    def request_id(self) -> str:
        found: str = self.request.scope.get("request_id", "")
        return found

    @property
    def actor(self) -> Actor:
        """Who acts, and when it happened at the table: now, unless `Happened-At` says when it was."""
        now_ms = time.time_ns() // 1_000_000
        headers = self.request.headers
        text, late = headers.get("happened-at"), headers.get("late-entry")
        if text is None and late is None:
            return Actor(self.person.by, now_ms)
        if late not in (None, "true", "false"):
            raise Problem("bad_document", "Late-Entry is true or false.")
        if text is None:
            if late == "true":
                raise Problem("bad_choice", "A late entry says when it happened, in Happened-At.")
            return Actor(self.person.by, now_ms)
        if not HAPPENED_AT.fullmatch(text):
            raise Problem("bad_document", "Happened-At is a time with its offset, like 2026-03-08T06:00:00-08:00.")
        at_ms = moments.milliseconds(moments.read_moment(text, "Happened-At"))
        return Actor(self.person.by, *moments.said(at_ms, now_ms, late == "true"), dated=True)

    @property
    def if_match(self) -> int | None:
        """The version that is asked for; what is no ETag of a round matches none."""
        value = self.request.headers.get("if-match")
        if value is None or value == "*":
            return None
        found = VERSION_TAG.fullmatch(value)
        return NO_VERSION if found is None else int(found[1])

    @property
    def idempotency_key(self) -> str | None:
        value = self.request.headers.get("idempotency-key")
        if value is None:
            return None
        if not KEY.fullmatch(value):
            raise Problem("bad_document", "Idempotency-Key has 1 to 200 visible ASCII characters.")
        return f"{self.person.by}/{value}"

    def second_person(self, named: str) -> str:
        """Whoever stands beside this command; with authentication he proves it by a token of his own."""
        if self.person.role == OPEN:
            return named
        try:
            second = self.service.doors.person(self.request.headers, "second-authorization")
        except Problem as problem:
            raise Problem("forbidden", f"The second person has to sign, too: {problem.detail}") from None
        if second.by != named:
            raise Problem("forbidden", "Second-Authorization is not the token of the second person that is named.")
        if second.role not in self.operation.second_roles:
            raise Problem("forbidden", f"The role {second.role} may not be the second person here.")
        if second.by == self.person.by:
            raise Problem("forbidden", "Two different people are needed.")
        return second.by

    # ---- how it is answered

    async def respond(self) -> Response:
        """Every way to the answer of an operation leads through here: whoever may count learns nothing too early."""
        await self.check_blindness()
        return await self.operation.handler(self)

    async def check_blindness(self) -> None:
        about = self.operation.about
        if blindness.needs_a_thread(self, about):
            await self.in_thread(blindness.check, self, about)

    async def in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Whatever waits for the database, so that the event loop goes on with others."""
        threads: Executor = self.service.threads
        return await asyncio.get_running_loop().run_in_executor(threads, work, *arguments)


def _with_integers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_integers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_integers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(value), status, headers, JSON)

"""One visit to a page: who comes, what was sent, and how the operations of the service are asked from here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.service import blindness
from api.service.auth import OPEN, Person
from api.service.operations import ID, Call, Operation
from api.service.problems import Problem
from api.web.cookies import Cookies
from infra.people import Session, SignInRefused

if TYPE_CHECKING:
    from api.service.app import Service
    from api.web.page import Page

T = TypeVar("T")
NO_FORM = FormData()


class Visit:
    def __init__(
        self, service: Service, page: Page, request: Request, person: Person, session: Session | None, cookies: Cookies
    ) -> None:
        self.service = service
        self.page = page
        self.request = request
        self.person = person
        self.session = session
        self.cookies = cookies
        self.form: FormData = NO_FORM
        self.problem: Problem | None = None  # why the form that was sent was refused; the page is shown again with it
        self.searches = True  # False: what the address asks for was refused, and the page is shown without it

    # ---- what was sent

    def id(self, name: str) -> str:
        """An id in the address of the page."""
        value: str = self.request.path_params[name]
        if not ID.fullmatch(value):
            raise Problem("not_found", f"That is not the id of a {name.replace('_', ' ')}.")
        return value

    def query(self, name: str) -> str | None:
        """What the address asks for; an empty field of a form asks for nothing."""
        return (self.request.query_params.get(name) or None) if self.searches else None

    def field(self, name: str) -> str:
        """A field of the form, without the blanks around it; empty where it was not sent."""
        value = self.form.get(name, "")
        return value.strip() if isinstance(value, str) else ""

    def refuse_search(self, problem: Problem) -> None:
        """What was filled in stays in its fields."""
        self.problem, self.searches = problem, False
        self.form = FormData(dict(self.request.query_params))

    # ---- what is asked of the service

    def may(self, operation: str) -> bool:
        roles = _operations()[operation].roles
        return roles is None or self.person.role == OPEN or self.person.role in roles

    async def ask(
        self,
        operation: str,
        path: Mapping[str, str] | None = None,
        *,
        query: Mapping[str, str | None] | None = None,
        body: Any = None,
        if_match: int | None = None,
    ) -> Any:
        """The answer of an operation, by its name, as plain values; it is checked, recorded and refused as over HTTP.

        A form's own key goes with it, so that a form that is sent twice is carried out once.
        """
        response = await self.fetch(operation, path, query=query, body=body, if_match=if_match)
        return msgspec.json.decode(response.body)

    async def fetch(
        self,
        operation: str,
        path: Mapping[str, str] | None = None,
        *,
        query: Mapping[str, str | None] | None = None,
        body: Any = None,
        if_match: int | None = None,
    ) -> Response:
        """The same as a whole response: for files to hand on."""
        return await self._made(operation, path, query, body, if_match).respond()

    def call(
        self,
        operation: str,
        path: Mapping[str, str] | None = None,
        *,
        query: Mapping[str, str | None] | None = None,
        body: Any = None,
        if_match: int | None = None,
    ) -> Call:
        """One whose answer is worked out by whoever asks, in a thread: that the visitor may have it is checked here."""
        call = self._made(operation, path, query, body, if_match)
        blindness.check(call, call.operation.about)
        return call

    def _made(
        self,
        operation: str,
        path: Mapping[str, str] | None,
        query: Mapping[str, str | None] | None,
        body: Any,
        if_match: int | None,
    ) -> Call:
        declared = _operations()[operation]
        declared.check(self.person)
        headers: list[tuple[bytes, bytes]] = []
        if declared.writes and (key := self.field("key")):
            headers.append((b"idempotency-key", key.encode("latin-1", "replace")))
        if if_match is not None:
            headers.append((b"if-match", f'"{if_match}"'.encode()))
        asked = {name: value for name, value in (query or {}).items() if value}
        scope = {
            "type": "http",
            "method": declared.method,
            "path": declared.path.format(**{name: quote(value, safe="") for name, value in (path or {}).items()}),
            "path_params": dict(path or {}),
            "query_string": urlencode(asked).encode(),
            "headers": headers,
            "server": ("pages", 80),
            "scheme": "http",
            "request_id": self.request.scope["request_id"],
        }
        sent = b"" if body is None else msgspec.json.encode(body)
        return _PageCall(self, declared, Request(scope), sent)

    async def in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.service.threads, work, *arguments)

    # ---- where to go from here

    def go(self, path: str, notice: str | None = None) -> Response:
        """After a form: look at that page, and once at these words above it."""
        response = RedirectResponse(path, 303)
        if notice is not None:
            self.cookies.set(response, "notice", quote(notice), seconds=60)
        return response


class _PageCall(Call):
    """An operation asked from a page. A second person signs with his password, in the same form."""

    __slots__ = ("_visit",)

    def __init__(self, visit: Visit, operation: Operation, request: Request, body: bytes) -> None:
        super().__init__(visit.service, operation, request, visit.person, body)
        self._visit = visit

    def second_person(self, named: str) -> str:
        if self.person.role == OPEN:
            return named
        visit = self._visit
        if named == self.person.by:
            raise Problem("forbidden", "Two different people are needed.")
        try:
            second = visit.service.people.proved(named, visit.field("second_password"), visit.cookies.address)
        except SignInRefused as refusal:
            raise Problem("forbidden", f"The second person has to sign, too: {refusal}") from None
        roles = {part.partition(":")[0] for part in second.parts}
        if not roles & self.operation.second_roles:
            allowed = ", ".join(sorted(self.operation.second_roles))
            raise Problem("forbidden", f"The second person needs one of the roles {allowed}.")
        return named


@lru_cache
def _operations() -> dict[str, Operation]:
    from api.service.app import OPERATIONS

    return {operation.name: operation for operation in OPERATIONS}

"""Dependencies of routes: the caller and their role, safe retries, versions, and the moment at the table."""

import re
import time
from base64 import b64decode
from typing import Annotated, Literal

from fastapi import Depends, Header, Request
from fastapi.security import HTTPBearer, SecurityScopes
from pydantic import BeforeValidator, Field, WithJsonSchema

from api.service.admission import About, Admission, SecondPerson, ServiceOf, check_tables, service_of
from api.service.callers import authenticated
from api.service.fields import Omittable, matching
from api.service.idempotency import Once
from api.service.problems import Problem
from api.service.state import Service, Writing
from domain import moments
from infra.access.callers import Caller
from infra.access.signatures import Authentication, PasswordGiven
from infra.ledger.ledger import Actor
from infra.ledger.rounds_in_play import NO_VERSION

_VERSION_TAG = re.compile(r'"([1-9][0-9]{0,8})"')


class BearerToken(HTTPBearer):
    """The caller. The scopes of a route are the roles that it admits, any of them; `about` are
    the tables of which its answer reveals something, if any."""

    def __init__(self, about: About | None = None) -> None:
        self._about = about
        super().__init__(
            auto_error=False,
            scheme_name="bearerAuth",
            bearerFormat="JWT",
            description="A token with one of the roles terminal (which names its table), floor, cage, counter, "
            "accounting, auditor and admin. Each operation lists the roles that it admits, any of them. A service "
            "without authentication needs none.",
        )

    async def __call__(self, request: Request, scopes: SecurityScopes) -> Caller:  # type: ignore[override]
        caller = await authenticated(service_of(request), request)
        caller.check_role(scopes.scopes)
        return await check_tables(request, caller, self._about)


_admission = Admission(BearerToken)
plain_caller = _admission.plain_caller
caller = _admission.caller
table_caller = _admission.table_caller
round_caller = _admission.round_caller
dispute_caller = _admission.dispute_caller
searching_caller = _admission.searching_caller
neighbour_caller = _admission.neighbour_caller


# ---- writing

IdempotencyKey = Annotated[
    Omittable[Annotated[str, matching("^[!-~]{1,200}$", "has 1 to 200 visible ASCII characters")]],
    Header(description="Chosen by the caller, one per request; a retry under the same key is carried out once."),
]
HappenedAt = Annotated[
    Omittable[Annotated[str, Field(pattern=f"^{moments.MOMENT_PATTERN}$")]],
    Header(description="When it happened at the table, if not now."),
]
LateEntry = Annotated[
    Omittable[Literal["true", "false"]],
    Header(description="Entered late; anything over a minute old is too."),
]


async def writing(
    request: Request,
    idempotency_key: IdempotencyKey = None,
    happened_at: HappenedAt = None,
    late_entry: LateEntry = None,
) -> Writing:
    """Return the command's context. Resolved after the caller, who is in the request's scope by then."""
    caller: Caller = request.scope["caller"]
    parts = [request.method.encode(), request.scope["path"].encode(), await request.body()]
    if happened_at is not None:
        parts.append(happened_at.encode("latin-1"))
    key = None if idempotency_key is None else f"{caller.by}/{idempotency_key}"
    return Writing(
        service_of(request), _actor(caller, happened_at, late_entry), Once(key, tuple(parts), caller.request_id)
    )


def _actor(caller: Caller, happened_at: str | None, late_entry: str | None) -> Actor:
    now_ms = time.time_ns() // 1_000_000
    if happened_at is None:
        if late_entry == "true":
            raise Problem("bad_choice", "A late entry says when it happened, in Happened-At.")
        return Actor(caller.by, now_ms)
    at_ms = moments.milliseconds(moments.read_moment(happened_at, "Happened-At"))
    return Actor(caller.by, *moments.check_given(at_ms, now_ms, late_entry == "true"), dated=True)


def _version_of(tag: str) -> int | None:
    if tag == "*":
        return None
    found = _VERSION_TAG.fullmatch(tag)
    return NO_VERSION if found is None else int(found[1])


IfMatch = Annotated[
    int | None,
    BeforeValidator(lambda tag: None if tag is None else _version_of(tag)),
    WithJsonSchema({"type": "string"}),
    Header(alias="if-match", description="An ETag: carried out only on this version."),
]
Command = Annotated[Writing, Depends(writing)]


async def signed_writing(request: Request, service: ServiceOf, writing: Command) -> Writing:
    """Require a person, for commands that no machine may sign."""
    await service.run(service.signatures.check_person, request.scope["caller"])
    return writing


SignedCommand = Annotated[Writing, Depends(signed_writing)]


_SECOND = {
    "second-authorization": "The second person's own authentication: `Basic` with their staff id and password, or "
    "`Bearer` with a token of the identity provider that has a fresh `auth_time`.",
    "second-code": "The code of the second person's authenticator app, or a recovery code, where they have a second "
    "factor that the identity provider did not ask for.",
}
# For the busiest route, which reads them only where somebody signs: each header takes time in every request.
SECOND_HEADERS = {
    "parameters": [
        {"name": name, "in": "header", "required": False, "schema": {"type": "string"}, "description": text}
        for name, text in _SECOND.items()
    ]
}


class SecondSigner:
    """The dependency of a route that two people sign: the second has one of these roles."""

    def __init__(self, *roles: str) -> None:
        self.roles = frozenset(roles)

    async def __call__(
        self,
        request: Request,
        second_authorization: Annotated[Omittable[str], Header(description=_SECOND["second-authorization"])] = None,
        second_code: Annotated[Omittable[str], Header(description=_SECOND["second-code"])] = None,
    ) -> SecondPerson:
        return await self.of(request)

    async def of(self, request: Request) -> SecondPerson:
        service = service_of(request)
        return SecondPerson(service, request, await second_authentication(service, request), self.roles)


async def second_authentication(service: Service, request: Request) -> Authentication | None:
    """Return the second person's authentication; None if none counts as a signature: a token of ours was made long
    before."""
    scheme, _, value = request.headers.get("second-authorization", "").partition(" ")
    code, address = request.headers.get("second-code", ""), "" if request.client is None else request.client.host
    if scheme.lower() == "bearer":
        await service.tokens.fetch_keys(request.headers, "second-authorization")
        return service.tokens.provider_authentication(value.strip(), code, address)
    if scheme.lower() != "basic":
        return None
    try:
        staff_id, colon, password = b64decode(value.strip(), validate=True).decode().partition(":")
    except ValueError:
        return None
    return PasswordGiven(password, address, staff_id=staff_id, code=code) if colon else None

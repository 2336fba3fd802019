"""Dependencies of pages: the visitor and their role, a form that was sent from here, and its safe retries."""

import time
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import SecurityScopes
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException

from api.pages.responses import Visitor, here, visitor_of, wants_json
from api.service.admission import About, Admission, SecondPerson, ServiceOf, check_tables, service_of
from api.service.callers import SAFE, Duty, anybody, as_seen, by_token, caller_of, duty_of, session_of, slow_down
from api.service.idempotency import Once
from api.service.identity.cookies import TOKEN_FIELD, TOKEN_HEADER, Cookies, check_origin
from api.service.identity.site import site_of
from api.service.problems import Problem
from api.service.state import Service, Writing
from infra.access.callers import NOBODY, Caller
from infra.access.passkeys import PasskeyGiven
from infra.access.signatures import Authentication, PasswordGiven
from infra.ledger.ledger import Actor

ACCOUNT = "/account"
PASSKEY_COOKIE = "passkey"  # what the browser keeps between the challenge and the device's answer
SUPERVISOR_COOKIE = "passkey-supervisor"  # of the first of two in one form
NO_FIELDS = frozenset(
    {TOKEN_FIELD, "key"}
    | {f"{who}_{proof}" for who in ("second", "supervisor") for proof in ("password", "code", "passkey")}
)  # fields that are not part of the command


class SignInFirst(Exception):
    """Nobody has signed in, and the page requires it."""

    def __init__(self, next_address: str, ended: bool) -> None:
        super().__init__(next_address)
        self.next_address = next_address
        self.ended = ended  # there was a session


class DutyFirst(Exception):
    """Something has to be done before the page is shown."""

    def __init__(self, duty: Duty) -> None:
        super().__init__(duty.sentence)
        self.duty = duty


async def recognised(service: Service, request: Request) -> Visitor:
    """Return the visitor, also one who has not signed in."""
    cookies = Cookies(request)
    if not service.settings.authenticated:
        return Visitor(anybody(cookies), None, cookies)
    if "authorization" in request.headers:  # a program that reads the JSON twins
        try:
            return Visitor(await by_token(service, request), None, cookies)
        except Problem:
            await slow_down(service, request)
            raise
    session = await session_of(service, request, cookies)
    caller = Caller(NOBODY, NOBODY) if session is None else caller_of(session)
    return Visitor(caller, session, cookies)


class PageCaller:
    """The caller of a page for some roles; nobody signed in leads to the sign-in page. `about` are the
    tables of which the page reveals something, if any."""

    def __init__(self, about: About | None) -> None:
        self._about = about

    async def __call__(self, request: Request, scopes: SecurityScopes) -> Caller:
        service = service_of(request)
        visitor = await recognised(service, request)
        if visitor.caller.role == NOBODY:
            _sign_in_first(request, visitor.cookies)
        _check_duty(service, request, visitor)
        visitor.caller.check_role(scopes.scopes)
        caller = await _welcomed(service, request, visitor, visitor.caller.by)
        return await check_tables(request, caller, self._about)


async def stranger(request: Request, service: ServiceOf) -> Caller:
    """Return the caller of a page for everybody, signed in or not."""
    visitor = await recognised(service, request)
    known = visitor.caller.role != NOBODY
    return await _welcomed(service, request, visitor, visitor.caller.by if known else visitor.cookies.address)


_admission = Admission(PageCaller)
plain_caller = _admission.plain_caller
caller = _admission.caller
table_caller = _admission.table_caller
round_caller = _admission.round_caller
dispute_caller = _admission.dispute_caller
searching_caller = _admission.searching_caller
neighbour_caller = _admission.neighbour_caller


def _sign_in_first(request: Request, cookies: Cookies) -> None:
    if wants_json(request):
        raise Problem("unauthenticated", "Sign in first, or send a bearer token.")
    if request.method not in SAFE:
        raise Problem("unauthenticated", "What you sent has not been stored. Sign in, and send it again.")
    raise SignInFirst(here(request), ended=cookies.session is not None)


def _check_duty(service: Service, request: Request, visitor: Visitor) -> None:
    """Require people who must add a factor or change their password to do so: until then they see only their
    account."""
    duty = None if visitor.session is None else duty_of(service, visitor.session)
    if duty is None or request.url.path.startswith(ACCOUNT):
        return
    if wants_json(request) or request.method not in SAFE:
        raise Problem("forbidden", duty.sentence)
    raise DutyFirst(duty)


async def _welcomed(service: Service, request: Request, visitor: Visitor, limited_as: str) -> Caller:
    caller = as_seen(request, visitor.caller)
    await service.rates.check(limited_as)
    if request.method not in SAFE:
        await _check_form(request, visitor.cookies)
    request.state.visitor = Visitor(caller, visitor.session, visitor.cookies)
    return caller


# ---- forms


async def form_of(request: Request) -> FormData:
    """Return the fields of a form. A NUL is refused: nobody types one, and the database cannot store it."""
    try:
        form = await request.form(max_files=0)
    except HTTPException as error:
        raise Problem("bad_document", f"That is not a form: {error.detail}") from None
    for _, value in form.multi_items():
        if not isinstance(value, str):
            raise Problem("bad_document", "That is not a form: it has a file.")
        if "\0" in value:
            raise Problem("bad_document", "A field has a character that is not text.")
    return form


async def _check_form(request: Request, cookies: Cookies) -> None:
    """Check that a form that changes something was sent from one of our pages."""
    check_origin(request)
    form = await form_of(request)
    if "authorization" not in request.headers:
        given = form.get(TOKEN_FIELD) or request.headers.get(TOKEN_HEADER)
        cookies.check_token(given if isinstance(given, str) else None)


async def form_writing(request: Request, caller: Caller) -> Writing:
    """Return the command's context. A form has a key: sent twice, it is carried out once."""
    form = await request.form()
    key = form.get("key")
    sent = sorted(f"{name}={value}" for name, value in form.multi_items() if name not in NO_FIELDS)
    parts = (b"POST", request.url.path.encode(), "\n".join(sent).encode())
    once = Once(f"{caller.by}/{key}" if isinstance(key, str) and key else None, parts, caller.request_id)
    return Writing(service_of(request), Actor(caller.by, time.time_ns() // 1_000_000), once)


async def visitors_writing(request: Request) -> Writing:
    return await form_writing(request, visitor_of(request).caller)


Command = Annotated[Writing, Depends(visitors_writing)]


async def signed_writing(request: Request, service: ServiceOf, writing: Command) -> Writing:
    """Require a person, for commands that no machine may sign."""
    await service.run(service.signatures.check_person, visitor_of(request).caller)
    return writing


SignedCommand = Annotated[Writing, Depends(signed_writing)]


class SecondSigner:
    """The dependency of a form that two people sign: the second has one of these roles."""

    def __init__(self, *roles: str) -> None:
        self.roles = frozenset(roles)

    async def __call__(self, request: Request, service: ServiceOf) -> SecondPerson:
        return SecondPerson(service, request, await proof_of(service, request, "second"), self.roles)


async def proof_of(service: Service, request: Request, who: str) -> Authentication | None:
    """Return the authentication in a form: a passkey, or a password with the code of a second factor."""
    form, cookies = await request.form(), visitor_of(request).cookies
    password, code, passkey = (str(form.get(f"{who}_{proof}", "")) for proof in ("password", "code", "passkey"))
    if passkey:
        return given_passkey(service, request, passkey, SUPERVISOR_COOKIE if who == "supervisor" else PASSKEY_COOKIE)
    return PasswordGiven(password, cookies.address, cookies.device, code=code) if password else None


def given_passkey(service: Service, request: Request, credential: str, kept_in: str = PASSKEY_COOKIE) -> PasskeyGiven:
    """Return the passkey that a page's script got from the browser, with the kept challenge."""
    cookies = visitor_of(request).cookies
    site = site_of(service.settings, request)
    return PasskeyGiven(credential, cookies.get(kept_in), site, cookies.address)

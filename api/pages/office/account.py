"""Signing in and out, the first two admins, one's own account, and the theme of the pages."""

import hmac
import secrets
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Form, Query, Request, Response, Security
from pydantic import Tag

from api.pages.dependencies import plain_caller, stranger
from api.pages.forms import BY_DO, FormModel, NewPassword, PageQuery, Password
from api.pages.page_route import page_router
from api.pages.responses import go, render, visitor_of
from api.service import roles
from api.service.admission import ServiceOf
from api.service.cookies import YEAR_SECONDS, Cookies
from api.service.fields import Id, matching
from api.service.identity.provider import ProviderFailed
from api.service.identity.site import site_of
from api.service.problems import Problem
from api.service.settings import SHORTEST_KEY, secret_of
from api.service.state import Service
from infra.access.callers import STAFF_ID, Caller
from infra.access.passwords import SHORTEST
from infra.access.passwords import check as check_password
from infra.access.role_matrix import GRANTING, NotAllowed
from infra.access.sessions import SecondFactorNeeded, SignInRefused
from infra.access.signatures import PasswordGiven

router = page_router()
Stranger = Annotated[Caller, Depends(stranger)]
Anybody = Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
LONGEST_NAME = 80
NO_SETUP = {
    "open": "The service runs without authentication, so nobody signs in.",
    "done": "There are two admins, who add the others.",
}
SECOND = "/sign-in/second"
HALF_COOKIE = "half"  # what the browser keeps between the two halves of a sign-in
HALF_SECONDS = 600
TOKEN_COOKIE = "provider-token"  # the token by which the identity provider recognises a sign-out
PersonName = Annotated[str, matching(r"^[^\x00-\x1f\x7f]+$", "is one line", min_length=1, max_length=LONGEST_NAME)]


def local_address(text: str | None) -> str:
    """Return an address of this site; anything else becomes the first page, so that nobody can be redirected
    elsewhere."""
    if text is None or not text.startswith("/") or text.startswith("//") or "\\" in text or not text.isprintable():
        return "/"
    return text


# ---- signing in and out


class SignInQuery(PageQuery):
    next: str | None = None


class SignInForm(FormModel):
    """Anything sent is at most wrong, so that nobody learns which ids exist."""

    staff_id: str = ""
    password: Password = ""
    next: str | None = None


@router.get("/sign-in")
async def show_sign_in(
    request: Request, service: ServiceOf, caller: Stranger, asked: Annotated[SignInQuery, Query()]
) -> Response:
    if not service.settings.authenticated:
        return go(request, "/")
    if not await service.run(service.people.any):
        return go(request, "/setup")
    provider = None if service.provider is None else service.provider.name
    data = {"next": local_address(asked.next), "provider": provider}
    return await render(request, "sign_in.html", data, title="Sign in", section="sign-in")


@router.post("/sign-in")
async def sign_in(
    request: Request, service: ServiceOf, caller: Stranger, form: Annotated[SignInForm, Form()]
) -> Response:
    cookies, staff_id = visitor_of(request).cookies, form.staff_id.lower()
    if not STAFF_ID.fullmatch(staff_id):
        raise Problem("forbidden", "That is not the id and password of anybody who may sign in.")
    try:
        cookie = await service.run(service.sessions.sign_in, staff_id, form.password, cookies.address, cookies.device)
    except SignInRefused as refusal:
        raise Problem("forbidden", str(refusal)) from None
    except SecondFactorNeeded as half:
        return halfway(request, half, local_address(form.next))
    response = go(request, local_address(form.next))
    await signed_in(service, cookies, response, staff_id, cookie)
    return response


def halfway(request: Request, half: SecondFactorNeeded, next_address: str) -> Response:
    """Continue with the second factor, without a session yet."""
    response = go(request, f"{SECOND}?{urlencode({'next': next_address})}")
    visitor_of(request).cookies.set(response, HALF_COOKIE, half.kept, HALF_SECONDS)
    return response


async def signed_in(service: Service, cookies: Cookies, response: Response, staff_id: str, cookie: str) -> None:
    """Return the cookie of the session, and that of the device on which its owner is known from now on."""
    device = cookies.device or secrets.token_urlsafe(32)
    await service.run(service.sessions.remember, staff_id, device)
    cookies.set(response, "session", cookie, None)
    cookies.set(response, "device", device, YEAR_SECONDS)
    cookies.drop(response, HALF_COOKIE)


@router.get("/sign-out")
async def show_sign_out(request: Request, caller: Stranger) -> Response:
    return go(request, "/account")


@router.post("/sign-out")
async def sign_out(request: Request, service: ServiceOf, caller: Stranger) -> Response:
    cookies, session = visitor_of(request).cookies, visitor_of(request).session
    if cookies.session is not None:
        await service.run(service.sessions.sign_out, cookies.session)
    by_provider = session is not None and session.way.startswith("provider")
    there = await _logout_address(service, request) if by_provider else None
    response = go(request, there or "/sign-in", "You have signed out.")
    cookies.drop(response, "session")
    cookies.drop(response, TOKEN_COOKIE)
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


async def _logout_address(service: Service, request: Request) -> str | None:
    """Return where somebody whom the identity provider signed in signs out there as well, if it supports that."""
    if service.provider is None:
        return None
    try:
        return await service.provider.logout(
            site_of(service.settings, request).origin + "/sign-in", visitor_of(request).cookies.get(TOKEN_COOKIE)
        )
    except ProviderFailed:
        return None


# ---- the first two admins


class SetupForm(NewPassword):
    """Each of the two types their own password. If there is one admin already, that one signs as the first."""

    code: str
    staff_id: Id
    name: PersonName
    first_id: Id
    first_name: PersonName | None = None
    first_password: Password
    first_again: Password = ""
    first_code: str = ""


@router.get("/setup")
async def show_setup(request: Request, service: ServiceOf, caller: Stranger) -> Response:
    data = {
        "state": await _setup_state(service),
        "shortest": SHORTEST,
        "shortest_key": SHORTEST_KEY,
        "one_admin": await service.run(service.people.admins) == 1,
    }
    return await render(request, "setup.html", data, title="The first two admins", section="setup")


@router.post("/setup")
async def set_up(
    request: Request, service: ServiceOf, caller: Stranger, form: Annotated[SetupForm, Form()]
) -> Response:
    if (state := await _setup_state(service)) in NO_SETUP:
        raise Problem("out_of_turn", NO_SETUP[state])
    cookies, code = visitor_of(request).cookies, secret_of(service.settings.setup_code)
    if code is None or not hmac.compare_digest(form.code.encode(), code.encode()):
        await service.failures.check(cookies.address)
        raise Problem("forbidden", "That is not the code that the service made when it started.")
    await service.run(_make_admins, service, form, cookies)
    try:
        cookie = await service.run(
            service.sessions.sign_in, form.first_id, form.first_password, cookies.address, cookies.device
        )
    except SecondFactorNeeded as half:  # the code is used up
        return halfway(request, half, "/")
    response = go(request, "/", f"Welcome, {form.first_id} and {form.staff_id}. Add the others under Staff.")
    await signed_in(service, cookies, response, form.first_id, cookie)
    return response


def _make_admins(service: Service, form: SetupForm, cookies: Cookies) -> None:
    """Create both, or only the second if there is one."""
    people = service.people
    if form.first_id == form.staff_id:
        raise Problem("bad_choice", "Two admins are two people, with an id each.")
    check_password(form.password, form.staff_id)
    if people.admins() == 1:
        given = PasswordGiven(form.first_password, cookies.address, cookies.device, code=form.first_code)
        service.signatures.authenticated(form.first_id, given, GRANTING)
        people.add_admin(form.staff_id, form.name, form.password)
        return
    if form.first_name is None or form.first_password != form.first_again:
        raise Problem("bad_choice", "The first admin has a name, and types the same password twice.")
    if people.find(form.staff_id) is not None:
        raise Problem("bad_choice", f"There is somebody with the id {form.staff_id} already.")
    people.add_admin(form.first_id, form.first_name, form.first_password)
    people.add_admin(form.staff_id, form.name, form.password)


async def _setup_state(service: Service) -> str:
    """Return what can be done: nothing without authentication or once there are two admins; otherwise with a code, or
    by command."""
    if not service.settings.authenticated:
        return "open"
    if await service.run(service.people.admins) >= 2:
        return "done"
    return "command" if service.settings.setup_code is None else "code"


# ---- one's own account; it has several forms, and `do` says which


class ActAsForm(FormModel):
    do: Literal["staff"]
    staff_id: Id


class PartForm(FormModel):
    do: Literal["part"]
    part: str


class PasswordForm(NewPassword):
    do: Literal["password"]
    old: Password


AccountForm = Annotated[
    Annotated[ActAsForm, Tag("Staff")] | Annotated[PartForm, Tag("Part")] | Annotated[PasswordForm, Tag("Password")],
    BY_DO,
]


@router.get("/account")
async def show_account(request: Request, service: ServiceOf, caller: Anybody) -> Response:
    session = visitor_of(request).session
    data: dict[str, Any] = {
        "by": caller.by,
        "role": caller.role,
        "table": caller.table,
        "name": None if session is None else session.name,
        "part": None if session is None else session.part,
        "parts": [] if session is None else list(session.parts),
        "since": None if session is None else session.began_at.isoformat(),
        "factors": [] if session is None else await service.run(_factor_names, service, session.staff_id),
        "shortest": SHORTEST,
        "idle_minutes": service.settings.session_idle_minutes,
    }
    return await render(request, "account.html", data, title="Your account", section="account")


def _factor_names(service: Service, staff_id: str) -> list[str]:
    kinds = service.factors.everybodys().get(staff_id, ())
    return [{"totp": "an authenticator app", "passkey": "a passkey"}[kind] for kind in kinds]


@router.post("/account")
async def change_account(
    request: Request, service: ServiceOf, caller: Anybody, form: Annotated[AccountForm, Form()]
) -> Response:
    match form:
        case ActAsForm():
            return _act_as(request, service, form.staff_id)
        case PartForm():
            return await _take_part(request, service, form.part)
        case PasswordForm():
            return await _change_password(request, service, form)


def _act_as(request: Request, service: Service, staff_id: str) -> Response:
    if service.settings.authenticated:
        raise Problem("forbidden", "Only where nobody signs in does somebody choose their staff id.")
    response = go(request, "/account", "What you do is recorded under this id now.")
    visitor_of(request).cookies.set(response, "staff", staff_id, YEAR_SECONDS)
    return response


async def _take_part(request: Request, service: Service, part: str) -> Response:
    visitor = visitor_of(request)
    if visitor.session is None or visitor.cookies.session is None:
        raise Problem("bad_document", "There is no session to take a part in.")
    try:
        await service.run(service.sessions.take_part, visitor.cookies.session, part)
    except NotAllowed as refusal:
        raise Problem("forbidden", str(refusal)) from None
    return go(request, "/account", f"You act as {part} now.")


async def _change_password(request: Request, service: Service, form: PasswordForm) -> Response:
    visitor, people = visitor_of(request), service.people
    session, cookie, address = visitor.session, visitor.cookies.session, visitor.cookies.address
    if session is None:
        raise Problem("bad_document", "Only somebody who signed in with a password can change it.")
    staff_id = session.staff_id
    try:
        await service.run(service.sessions.prove, staff_id, form.old, address, visitor.cookies.device)
    except SignInRefused:
        raise Problem("forbidden", "That is not the current password.") from None
    await service.run(people.check_unused, staff_id, form.password, service.settings.password_history)
    await service.run(people.change, staff_id, staff_id, password=form.password, keep=cookie)
    return go(request, "/account", "The password is changed; all your other sessions have ended.")


# ---- theme


class PreferencesForm(FormModel):
    back: str | None = None
    theme: Literal["auto", "light", "dark"] | None = None
    suits: Literal["two", "four"] | None = None


@router.get("/preferences")
async def show_preferences(request: Request, caller: Stranger) -> Response:
    return go(request, "/account")


@router.post("/preferences")
async def prefer(request: Request, caller: Stranger, form: Annotated[PreferencesForm, Form()]) -> Response:
    cookies, response = visitor_of(request).cookies, go(request, local_address(form.back))
    if form.theme is not None:
        cookies.set(response, "theme", form.theme, YEAR_SECONDS)
    if form.suits is not None:
        cookies.set(response, "suits", form.suits, YEAR_SECONDS)
    return response

"""Signing in and out, one's own account, and the theme of the pages."""

import secrets
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Form, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import plain_caller, stranger
from api.pages.forms import FormModel, NewPassword, PageQuery, Password
from api.pages.page_route import page_router
from api.pages.responses import go, render, visitor_of
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import Id
from api.service.identity.cookies import YEAR_SECONDS, Cookies
from api.service.identity.provider import ProviderFailed
from api.service.identity.site import site_of
from api.service.problems import Problem
from api.service.state import Service
from infra.access.callers import STAFF_ID, Caller
from infra.access.passwords import SHORTEST
from infra.access.role_matrix import NotAllowed
from infra.access.sessions import SecondFactorNeeded, SignInRefused

router = page_router()
Stranger = Annotated[Caller, Depends(stranger)]
Anybody = Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
HOME = "/"
TABLE = "/dealer"  # which leads a terminal to its own
SECOND = "/sign-in/second"
HALF_COOKIE = "half"  # what the browser keeps between the two halves of a sign-in
HALF_SECONDS = 600
TOKEN_COOKIE = "provider-token"  # the token by which the identity provider recognises a sign-out


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
    """Return the cookie of the session, and that of the device on which its owner is known from now on. Dealers who
    wanted no other page go to their table."""
    if response.headers["location"] == HOME and await service.run(_only_deals, service, staff_id):
        response.headers["location"] = TABLE
    device = cookies.device or secrets.token_urlsafe(32)
    await service.run(service.sessions.remember, staff_id, device)
    cookies.set(response, "session", cookie, None)
    cookies.set(response, "device", device, YEAR_SECONDS)
    cookies.drop(response, HALF_COOKIE)


def _only_deals(service: Service, staff_id: str) -> bool:
    member = service.people.find(staff_id)
    return member is not None and member.roles == {"terminal"}


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
    ActAsForm | PartForm | PasswordForm,
    Field(discriminator="do"),
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

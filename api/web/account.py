"""Signing in and out, the first admin, one's own account, and how the pages look."""

from __future__ import annotations

import hmac
from typing import Any

from starlette.responses import Response

from api.service.auth import STAFF_ID
from api.service.blindness import no_table
from api.service.problems import Problem
from api.web.cookies import THEMES, YEAR_SECONDS
from api.web.page import ANYBODY, Page, View
from api.web.visit import Visit
from infra.passwords import SHORTEST, WeakPassword
from infra.people import NotAllowed, SignInRefused

LONGEST_NAME = 80


def local_address(text: str | None) -> str:
    """An address of this site; anything else leads home, so that nobody can be sent elsewhere from here."""
    if text is None or not text.startswith("/") or text.startswith("//") or "\\" in text or not text.isprintable():
        return "/"
    return text


def read_staff_id(text: str) -> str:
    if not STAFF_ID.fullmatch(text):
        raise Problem("bad_document", "A staff id has small letters, digits and hyphens, at most 40.")
    return text


def read_name(text: str) -> str:
    if not text or len(text) > LONGEST_NAME or not text.isprintable():
        raise Problem("bad_document", f"A name has 1 to {LONGEST_NAME} characters.")
    return text


def read_new_password(visit: Visit) -> str:
    """A password is taken as it was typed, blanks included, and typed twice."""
    first, again = visit.form.get("password", ""), visit.form.get("again", "")
    if not isinstance(first, str) or first != again:
        raise Problem("bad_document", "The two passwords are not the same.")
    return first


# ---- signing in and out


async def show_sign_in(visit: Visit) -> View | Response:
    if not visit.service.settings.authenticated:
        return visit.go("/")
    if not await visit.in_thread(visit.service.people.any):
        return visit.go("/setup")
    return View({"next": local_address(visit.query("next"))})


async def sign_in(visit: Visit) -> Response:
    password = visit.form.get("password", "")
    staff_id = visit.field("staff_id").lower()
    if not isinstance(password, str) or not STAFF_ID.fullmatch(staff_id):
        raise Problem("forbidden", "That is not the id and password of anybody who may sign in.")
    try:
        people = visit.service.people
        cookie = await visit.in_thread(people.sign_in, staff_id, password, visit.cookies.address)
    except SignInRefused as refusal:
        raise Problem("forbidden", str(refusal)) from None
    response = visit.go(local_address(visit.field("next") or None))
    visit.cookies.set(response, "session", cookie, None)
    return response


async def sign_out(visit: Visit) -> Response:
    if visit.cookies.session is not None:
        await visit.in_thread(visit.service.people.sign_out, visit.cookies.session)
    response = visit.go("/sign-in", "You have signed out.")
    visit.cookies.drop(response, "session")
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


async def show_sign_out(visit: Visit) -> Response:
    return visit.go("/account")


# ---- the first admin


async def show_setup(visit: Visit) -> View | Response:
    await _check_setup(visit)
    return View({"by_code": visit.service.settings.setup_code is not None, "shortest": SHORTEST})


async def set_up(visit: Visit) -> Response:
    await _check_setup(visit)
    code = visit.service.settings.setup_code
    if code is None or not hmac.compare_digest(visit.field("code").encode(), code.encode()):
        visit.service.failures.check(visit.cookies.address)
        raise Problem("forbidden", "That is not the code that the service made when it started.")
    staff_id, name = read_staff_id(visit.field("staff_id")), read_name(visit.field("name"))
    people, password = visit.service.people, read_new_password(visit)
    try:
        await visit.in_thread(people.add_first, staff_id, name, "admin", password)
        cookie = await visit.in_thread(people.sign_in, staff_id, password, visit.cookies.address)
    except (WeakPassword, NotAllowed) as refusal:
        raise Problem("bad_document", str(refusal)) from None
    response = visit.go("/", f"Welcome, {name}. Add the others under Staff.")
    visit.cookies.set(response, "session", cookie, None)
    return response


async def _check_setup(visit: Visit) -> None:
    if not visit.service.settings.authenticated or await visit.in_thread(visit.service.people.any):
        raise Problem("not_found", "There is somebody already, who can add others.")


# ---- one's own account


async def show_account(visit: Visit) -> View:
    session = visit.session
    data: dict[str, Any] = {
        "by": visit.person.by,
        "role": visit.person.role,
        "table": visit.person.table,
        "name": None if session is None else session.name,
        "part": None if session is None else session.part,
        "parts": [] if session is None else list(session.parts),
        "since": None if session is None else session.began_at.isoformat(),
        "shortest": SHORTEST,
        "idle_minutes": visit.service.settings.session_idle_minutes,
    }
    return View(data)


async def change_account(visit: Visit) -> Response:
    match visit.field("do"):
        case "staff" if not visit.service.settings.authenticated:
            response = visit.go("/account", "What you do is recorded under this id now.")
            visit.cookies.set(response, "staff", read_staff_id(visit.field("staff_id")), YEAR_SECONDS)
            return response
        case "part":
            return await _take_part(visit)
        case "password":
            return await _change_password(visit)
    raise Problem("bad_document", "That is nothing that can be done here.")


async def _take_part(visit: Visit) -> Response:
    cookie, part = visit.cookies.session, visit.field("part")
    if visit.session is None or cookie is None:
        raise Problem("bad_document", "There is no session to take a part in.")
    try:
        await visit.in_thread(visit.service.people.take_part, cookie, part)
    except NotAllowed as refusal:
        raise Problem("forbidden", str(refusal)) from None
    return visit.go("/account", f"You act as {part} now.")


async def _change_password(visit: Visit) -> Response:
    people, session = visit.service.people, visit.session
    if session is None:
        raise Problem("bad_document", "Only somebody who signed in with a password can change it.")
    old, new = visit.form.get("old", ""), read_new_password(visit)
    try:
        await visit.in_thread(people.proved, session.staff_id, str(old), visit.cookies.address)
        await visit.in_thread(_set_password, visit, session.staff_id, new)
    except SignInRefused:
        raise Problem("forbidden", "The present password is another one.") from None
    except WeakPassword as refusal:
        raise Problem("bad_document", str(refusal)) from None
    return visit.go("/account", "The password is changed; all your other sessions have ended.")


def _set_password(visit: Visit, staff_id: str, password: str) -> None:
    visit.service.people.change(staff_id, staff_id, password=password, keep=visit.cookies.session)


# ---- how the pages look


async def show_preferences(visit: Visit) -> Response:
    return visit.go("/account")


async def prefer(visit: Visit) -> Response:
    response = visit.go(local_address(visit.field("back") or None))
    theme, suits = visit.field("theme"), visit.field("suits")
    if theme in THEMES:
        visit.cookies.set(response, "theme", theme, YEAR_SECONDS)
    if suits in ("two", "four"):
        visit.cookies.set(response, "suits", suits, YEAR_SECONDS)
    return response


PAGES = (
    Page("/sign-in", "sign-in", "Sign in", "sign_in.html", show_sign_in, None, submit=sign_in, about=no_table),
    Page("/sign-out", "sign-out", "Sign out", "account.html", show_sign_out, None, submit=sign_out, about=no_table),
    Page("/setup", "setup", "The first admin", "setup.html", show_setup, None, submit=set_up, about=no_table),
    Page(
        "/account",
        "account",
        "Your account",
        "account.html",
        show_account,
        ANYBODY,
        submit=change_account,
        about=no_table,
    ),
    Page(
        "/preferences",
        "preferences",
        "Preferences",
        "account.html",
        show_preferences,
        None,
        submit=prefer,
        about=no_table,
    ),
)

"""All pages, and how a visit becomes an answer: a page, its JSON twin, a sign-in, or what went wrong."""

from __future__ import annotations

import gzip
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import msgspec
import psycopg
from eventsourcing.persistence import InterfaceError, InternalError, OperationalError, ProgrammingError
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.service import blindness
from api.service.auth import Person
from api.service.callers import by_token, slow_down
from api.service.database_failures import unavailable
from api.service.gate import within
from api.service.problems import TITLES, Problem, of_refusal
from api.web import (
    account,
    audit,
    collections,
    days,
    dealer,
    disputes,
    drop,
    floor,
    hands,
    home,
    people,
    replay,
    reports,
    rules,
    staff,
    trays,
)
from api.web.assets import accepts_gzip, read_assets
from api.web.cookies import TOKEN_FIELD, TOKEN_HEADER, Cookies, check_origin
from api.web.page import Page, View
from api.web.rendering import Clock, environment
from api.web.visit import Visit
from api.web.visitors import SAFE, anybody, person_of, session_of
from domain.errors import Refusal
from infra.clocks import ClocksDiffer
from infra.people import Session

if TYPE_CHECKING:
    from fastapi import FastAPI

    from api.service.app import Service

logger = logging.getLogger(__name__)

# In the order of the navigation. Addresses that are fixed come before those with a name in their place.
PAGES: tuple[Page, ...] = (
    *home.PAGES,
    *floor.PAGES,
    *hands.PAGES,
    *replay.PAGES,
    *dealer.PAGES,
    *disputes.PAGES,
    *collections.PAGES,
    *drop.PAGES,
    *trays.PAGES,
    *days.PAGES,
    *reports.PAGES,
    *audit.PAGES,
    *people.PAGES,
    *rules.PAGES,
    *staff.PAGES,
    *account.PAGES,
)
NOBODY = Person("nobody", "nobody")
ERROR_PAGE = Page("", "error", "Something went wrong", "error.html", home.show, None)
# Where the words for programs would be no words for people.
FOR_PEOPLE = {
    "forbidden": "You may not do that.",
    "unauthenticated": "You are no longer signed in.",
    "bad_document": "That cannot be read.",
    "method_not_allowed": "That cannot be sent here.",
}
UNREADABLE = ("bad_document", "bad_choice")  # what somebody filled in, and can fill in otherwise
PASSING = ("unavailable", "too_many_requests")  # worth another try in a moment
SHORTEST_ZIPPED = 1000
WORKER = "/dealer/worker.js"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "Cache-Control": "no-store",
    "Vary": "Accept, Accept-Encoding, Cookie",
}


class Site:
    def __init__(self, service: Service) -> None:
        self.service = service
        self.assets = read_assets()
        self.clock = Clock(service.database_url)
        self._environment = environment(self.assets, self.clock)
        self._by_address = {asset.address: asset for asset in self.assets.values()}

    def mount(self, app: FastAPI) -> None:
        app.add_route(WORKER, self._worker, ["GET"], "dealer worker")  # before the page whose address could be that
        for page in PAGES:
            methods = ["GET"] if page.submit is None else ["GET", "POST"]
            app.add_route(page.path, self._endpoint(page), methods, f"page {page.name}")
        app.add_route("/static/{name}", self._static, ["GET"], "static")

    # ---- a visit

    def _endpoint(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        seconds = self.service.settings.time_limit_seconds

        async def answer(request: Request) -> Response:
            request.scope["operation"] = page
            try:
                response: Response = await within(seconds, self._visit(page, request))
            except Exception as error:
                response = await self.failure(request, _problem_of(error))
            return response

        return answer

    async def _visit(self, page: Page, request: Request) -> Response:
        cookies = Cookies(request)
        person, session = await self._who(request, cookies)
        if person is None:
            if page.roles is not None:
                return self._to_sign_in(request, cookies)
            person = NOBODY
        request.scope["person"] = person
        page.check(person)
        self.service.rates.check(person.by if person is not NOBODY else cookies.address)
        visit = Visit(self.service, page, request, person, session, cookies)
        if blindness.needs_a_thread(visit, page.about):
            await visit.in_thread(blindness.check, visit, page.about)
        if request.method in SAFE:
            return await self._looked_for(visit)
        return await self._submitted(visit)

    async def _who(self, request: Request, cookies: Cookies) -> tuple[Person | None, Session | None]:
        service = self.service
        if not service.settings.authenticated:
            return anybody(cookies), None
        if "authorization" in request.headers:  # a program that reads the JSON twins
            return await self._program(request), None
        session = await session_of(service, request, cookies)
        return (None, None) if session is None else (person_of(session), session)

    async def _program(self, request: Request) -> Person:
        try:
            return await by_token(self.service, request)
        except Problem:
            slow_down(self.service, request)
            raise

    def _to_sign_in(self, request: Request, cookies: Cookies) -> Response:
        if wants_json(request):
            raise Problem("unauthenticated", "Sign in first, or send a bearer token.")
        if request.method not in SAFE:
            raise Problem("unauthenticated", "What you sent has not been stored. Sign in, and send it again.")
        response = RedirectResponse(_sign_in(request), 303, HEADERS)
        if cookies.session is not None:
            cookies.set(response, "notice", quote("Your session has ended. Sign in to go on."), seconds=60)
        return response

    async def _looked_for(self, visit: Visit) -> Response:
        """Filters that cannot be read come back like a refused form, on the page without them."""
        try:
            return await self._shown(visit)
        except (Problem, Refusal) as refused:
            problem = _problem_of(refused)
            is_list = visit.page.nav is not None and visit.request.url.query
            if not is_list or problem.code not in UNREADABLE or wants_json(visit.request):
                raise
            visit.refuse_search(problem)
            return await self._shown(visit)

    async def _submitted(self, visit: Visit) -> Response:
        """A form that is refused comes back as the page with the reason and what had been filled in."""
        request, page = visit.request, visit.page
        if page.submit is None:
            raise Problem("method_not_allowed", "There is nothing to send here.")
        check_origin(request)
        visit.form = await _form_of(request)
        if "authorization" not in request.headers:
            given = visit.form.get(TOKEN_FIELD) or request.headers.get(TOKEN_HEADER)
            visit.cookies.check_token(given if isinstance(given, str) else None)
        try:
            response = await page.submit(visit)
        except (Problem, Refusal) as refused:
            if wants_json(request):
                raise
            visit.problem = _problem_of(refused)
            return await self._shown(visit)
        visit.cookies.keep(response)
        return response

    async def _shown(self, visit: Visit) -> Response:
        view = await visit.page.show(visit)
        if isinstance(view, Response):
            visit.cookies.keep(view)
            return view
        if wants_json(visit.request):
            headers = {"Cache-Control": "no-store", "Vary": "Accept, Cookie"}
            return Response(msgspec.json.encode(view.data), view.status, headers, "application/json")
        return await visit.in_thread(self._rendered, visit, view)

    # ---- what it looks like

    def _rendered(self, visit: Visit, view: View) -> Response:
        self.clock.refresh()
        cookies = visit.cookies
        notice = cookies.get("notice")
        context = {
            "title": view.title or visit.page.title,
            "crumbs": view.crumbs,
            "section": visit.page.section or visit.page.name,
            "nav": [page for page in PAGES if page.nav is not None and page.admits(visit.person.role)],
            "person": visit.person,
            "session": visit.session,
            "signed_in": visit.person is not NOBODY,
            "open_to_all": not self.service.settings.authenticated,
            "theme": cookies.theme,
            "suits": cookies.suits,
            "zone": self.clock.zone(),
            "csrf": cookies.token,
            "form_key": secrets.token_urlsafe(16),
            "here": _here(visit.request),
            "notice": None if notice is None else unquote(notice)[:500],
            "problem": visit.problem,
            "searches": visit.searches,
            "sent": {name: value for name, value in visit.form.items() if isinstance(value, str)},
            "request_id": visit.request.scope["request_id"],
        }
        html = self._environment.get_template(visit.page.template).render({**view.data, **context}).encode()
        status = view.status if visit.problem is None else visit.problem.status
        response = _html(visit.request, html, status)
        if notice is not None:
            cookies.drop(response, "notice")
        cookies.keep(response)
        return response

    async def failure(self, request: Request, problem: Problem) -> Response:
        """A problem for programs, a page for people."""
        if problem.code == "internal":
            logger.error("Request %s failed", request.scope.get("request_id"), exc_info=True)
        if wants_json(request):
            return problem.response(request.scope.get("request_id"))
        try:
            return await self._error_page(request, problem)
        except Exception:
            logger.exception("The page for an error could not be made")
            return problem.response(request.scope.get("request_id"))

    async def _error_page(self, request: Request, problem: Problem) -> Response:
        cookies, person, session = Cookies(request), None, None
        if problem.code != "unavailable":  # he would wait once more for the database that does not answer
            with suppress(Exception):
                person, session = await self._who(request, cookies)
        visit = Visit(self.service, ERROR_PAGE, request, person or NOBODY, session, cookies)
        asks = request.method in SAFE
        data = {
            "status": problem.status,
            "what": FOR_PEOPLE.get(problem.code, TITLES[problem.code]),
            "detail": problem.detail,
            "sign_in": _sign_in(request) if problem.code == "unauthenticated" else None,
            "again": _here(request) if asks and problem.code in PASSING else None,
        }
        response = await visit.in_thread(self._rendered, visit, View(data, status=problem.status))
        for name, value in problem.headers.items():
            response.headers[name] = value
        return response

    async def _static(self, request: Request) -> Response:
        asset = self._by_address.get(request.url.path)
        if asset is None:
            raise Problem("not_found", "There is nothing at this address.")
        return asset.response(request)

    async def _worker(self, request: Request) -> Response:
        """At an address that stays, because that is how browsers know it again, and above the pages that it serves."""
        worker = self.assets["dealer_worker.js"]
        headers = {"Content-Security-Policy": HEADERS["Content-Security-Policy"], "Cache-Control": "no-cache"}
        return Response(worker.body, 200, headers, worker.media_type)


async def _form_of(request: Request) -> FormData:
    """What was filled in. A NUL is in no text that anybody types, and the database has no place for it."""
    try:
        form = await request.form(max_files=0)
    except HTTPException as error:
        raise Problem("bad_document", f"That is no form: {error.detail}") from None
    if any("\0" in value for value in form.values() if isinstance(value, str)):
        raise Problem("bad_document", "A field has a character that is not text.")
    return form


def wants_json(request: Request) -> bool:
    """`?format=json`, or a caller that takes JSON and no HTML."""
    if request.query_params.get("format") == "json":
        return True
    accept = request.headers.get("accept", "")
    return "json" in accept and "text/html" not in accept


def wants_html(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "") and not wants_json(request)


def _sign_in(request: Request) -> str:
    return f"/sign-in?next={quote(_here(request))}"


def _here(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def _problem_of(error: Exception) -> Problem:
    match error:
        case Problem():
            return error
        case Refusal():
            return of_refusal(error)
        case TimeoutError():
            return Problem("unavailable", "It took too long. Try again in a moment.")
        case ClocksDiffer() | InternalError() | ProgrammingError() | psycopg.InternalError():
            return unavailable(error)
        case OperationalError() | InterfaceError() | psycopg.OperationalError():
            return Problem(
                "unavailable",
                "The database does not answer. What was stored before is safe; try again in a moment.",
                headers={"Retry-After": "1"},
            )
    return Problem("internal", "The mistake is the program's, and it has been logged.")


def _html(request: Request, html: bytes, status: int) -> Response:
    headers: dict[str, str] = dict(HEADERS)
    if len(html) > SHORTEST_ZIPPED and accepts_gzip(request):
        html = gzip.compress(html, 2, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return Response(html, status, headers, "text/html; charset=utf-8")


__all__ = ["PAGES", "Site", "wants_html"]

"""Answers of pages: rendered, as JSON twin, or as a redirect."""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.templating import Jinja2Templates

from api.pages.rendering.assets import accepts_gzip
from api.pages.rendering.navigation import entries_for
from api.service.identity.cookies import Cookies
from api.service.problems import Problem
from infra.access.callers import NOBODY, Caller
from infra.access.sessions import Session

SHORTEST_ZIPPED = 1000
FORM_ACTION = "form-action 'self'"
HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; {FORM_ACTION}; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "Cache-Control": "no-store",
    "Vary": "Accept, Accept-Encoding, Cookie",
}


class Visitor(Struct, frozen=True):
    """Who looks at a page; in `request.state.visitor`."""

    caller: Caller
    session: Session | None
    cookies: Cookies


class Refused(Struct, frozen=True):
    """Why a form was refused: `fields` has a sentence for each invalid field, `sent` what was filled in. In
    `request.state.refused` while the page is shown again."""

    problem: Problem
    fields: Mapping[str, str]
    sent: Mapping[str, str]
    searches: bool  # it was a search: the page is shown without its filters


def visitor_of(request: Request) -> Visitor:
    visitor: Visitor = request.state.visitor
    return visitor


async def render(
    request: Request,
    template: str,
    data: Mapping[str, Any],
    *,
    title: str,
    section: str,
    crumbs: Sequence[tuple[str, str]] = (),
    status: int = 200,
) -> Response:
    """Render a page. `data` is plain values (text, numbers, lists, mappings): the JSON twin is exactly that, and the
    template has each key as a name."""
    cookies = visitor_of(request).cookies
    if wants_json(request):
        headers = {"Cache-Control": "no-store", "Vary": "Accept, Cookie"}
        response = Response(msgspec.json.encode(data), status, headers, "application/json")
        cookies.keep(response)
        return response
    refused: Refused | None = getattr(request.state, "refused", None)
    context = {**data, "title": title, "section": section, "crumbs": crumbs}
    status = status if refused is None else refused.problem.status
    service, templates = request.app.state.service, request.app.state.templates
    response = _zipped(request, await service.run(_rendered, templates, request, template, context), status)
    if cookies.get("notice") is not None:
        cookies.drop(response, "notice")
    cookies.keep(response)
    return response


def _rendered(templates: Jinja2Templates, request: Request, template: str, context: dict[str, Any]) -> bytes:
    service = request.app.state.service
    service.clock.refresh()
    service.property.refresh()
    return bytes(templates.TemplateResponse(request, template, context).body)


def layout(request: Request) -> dict[str, Any]:
    """Return the context of the layout: a context processor of the templates."""
    visitor, service = visitor_of(request), request.app.state.service
    cookies, caller = visitor.cookies, visitor.caller
    refused: Refused | None = getattr(request.state, "refused", None)
    notice = cookies.get("notice")
    return {
        "nav": entries_for(caller),
        "person": caller,
        "session": visitor.session,
        "signed_in": caller.role != NOBODY,
        "open_to_all": not service.settings.authenticated,
        "theme": cookies.theme,
        "suits": cookies.suits,
        "zone": service.clock.zone(),
        "property": service.property.current,
        "csrf": cookies.token,
        "form_key": secrets.token_urlsafe(16),
        "here": here(request),
        "notice": None if notice is None else unquote(notice)[:500],
        "problem": None if refused is None else refused.problem,
        "refused": {} if refused is None else refused.fields,
        "searches": refused is None or not refused.searches,
        "sent": {} if refused is None else refused.sent,
        "request_id": request.scope["request_id"],
    }


def go(request: Request, path: str, notice: str | None = None) -> Response:
    """Redirect after a form to that page, which shows these words once."""
    cookies = visitor_of(request).cookies
    response = RedirectResponse(path, 303)
    if notice is not None:
        cookies.set(response, "notice", quote(notice), seconds=60)
    cookies.keep(response)
    return response


def attached(body: bytes, media_type: str, name: str) -> Response:
    """Return a file to download."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(body, 200, headers, media_type)


def wants_json(request: Request) -> bool:
    """Return whether JSON is requested: `?format=json`, or a caller that accepts JSON and no HTML."""
    if request.query_params.get("format") == "json":
        return True
    accept = request.headers.get("accept", "")
    return "json" in accept and "text/html" not in accept


def wants_html(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "") and not wants_json(request)


def here(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def _zipped(request: Request, html: bytes, status: int) -> Response:
    headers: dict[str, str] = dict(HEADERS)
    if (provider := request.app.state.service.provider) is not None:  # where signing out leads to
        policy = headers["Content-Security-Policy"]
        headers["Content-Security-Policy"] = policy.replace(FORM_ACTION, f"{FORM_ACTION} {provider.origin}")
    if len(html) > SHORTEST_ZIPPED and accepts_gzip(request):
        html = gzip.compress(html, 2, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return Response(html, status, headers, "text/html; charset=utf-8")

"""The cookies of the pages, and the token that a form must carry because browsers send cookies by themselves.

The token is derived from the session's cookie, which no other site can read; so it is bound to the session, and nothing
has to be stored. Visitors who have not signed in have a separate cookie for this."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from starlette.requests import Request
from starlette.responses import Response

from api.service.problems import Problem

COOKIE = re.compile(r"[A-Za-z0-9_-]{43}")
VISIT_SECONDS = 12 * 60 * 60
YEAR_SECONDS = 365 * 24 * 60 * 60
TOKEN_HEADER = "csrf-token"
TOKEN_FIELD = "csrf"
THEMES = ("auto", "light", "dark")


class Cookies:
    def __init__(self, request: Request) -> None:
        self.secure = request.url.scheme == "https"
        self.address = "" if request.client is None else request.client.host
        self._given = request.cookies
        self._new_visit: str | None = None

    def name(self, what: str) -> str:
        """Return the name; with https, one that only this host can set, and only over https."""
        return f"__Host-roundledger-{what}" if self.secure else f"roundledger-{what}"

    def get(self, what: str) -> str | None:
        return self._given.get(self.name(what)) or None

    @property
    def session(self) -> str | None:
        cookie = self.get("session")
        return cookie if cookie is not None and COOKIE.fullmatch(cookie) else None

    @property
    def device(self) -> str | None:
        """Return the cookie of the browser, by which people who have signed in there are known."""
        cookie = self.get("device")
        return cookie if cookie is not None and COOKIE.fullmatch(cookie) else None

    @property
    def theme(self) -> str:
        chosen = self.get("theme")
        return chosen if chosen in THEMES else "auto"

    @property
    def suits(self) -> str:
        """Return two colours of suits, as cards are printed, or four, which are easier to tell apart."""
        return "four" if self.get("suits") == "four" else "two"

    def set(self, response: Response, what: str, value: str, seconds: int | None) -> None:
        """Set a cookie: Lax, not Strict, so that people who follow a link to a hand are signed in. An address alone
        changes nothing, and a form needs its token as well (decision 32)."""
        response.set_cookie(
            self.name(what), value, max_age=seconds, path="/", secure=self.secure, httponly=True, samesite="lax"
        )

    def drop(self, response: Response, what: str) -> None:
        self.set(response, what, "", 0)

    # ---- the token of forms

    @property
    def token(self) -> str:
        secret = self.session or self._visit_cookie()
        return hmac.new(secret.encode(), b"roundledger form", hashlib.sha256).hexdigest()

    def _visit_cookie(self) -> str:
        given = self.get("visit")
        if given is not None and COOKIE.fullmatch(given):
            return given
        if self._new_visit is None:
            self._new_visit = secrets.token_urlsafe(32)
        return self._new_visit

    def check_token(self, given: str | None) -> None:
        known = self.session is not None or self.get("visit") is not None
        if not known or given is None or not hmac.compare_digest(given.encode(), self.token.encode()):
            raise Problem(
                "forbidden", "The form was not sent from this page, or the page has grown old. Send it again."
            )

    def keep(self, response: Response) -> None:
        """Keep what was created for this visit for the next one."""
        if self._new_visit is not None:
            self.set(response, "visit", self._new_visit, VISIT_SECONDS)


def check_origin(request: Request) -> None:
    """Refuse a request that another site caused, as browsers report."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Problem("forbidden", "This came from another site.")

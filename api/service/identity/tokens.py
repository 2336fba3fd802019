"""Bearer tokens (JWT): made with a role, and for a terminal with its table, and verified into a caller."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from hmac import compare_digest
from typing import Any
from uuid import uuid4

import jwt

from api.service.identity.provider_keys import ProviderKeys
from api.service.problems import Problem
from api.service.settings import Settings, secret_of
from infra.access.callers import OPEN, ROLES, STAFF_ID, Caller, Forbidden
from infra.access.role_matrix import Way
from infra.access.signatures import ProviderGiven
from infra.access.tokens import Tokens as TokenRecords

OWN_ALGORITHM = "HS256"
PROVIDER_ALGORITHMS = ["RS256", "RS384", "RS512", "ES256", "ES384", "PS256", "EdDSA"]
MOST_REMEMBERED = 4096
CHALLENGE = {"WWW-Authenticate": "Bearer"}


def make_token(key: str, settings: Settings, by: str, role: str, table: str | None, days: float) -> tuple[str, str]:
    """Return a signed token and its id, by which it can be revoked."""
    now = int(time.time())
    token_id = uuid4().hex
    claims: dict[str, Any] = {"sub": by, "role": role, "iat": now, "exp": now + round(days * 86_400), "jti": token_id}
    if table is not None:
        claims["table"] = table
    if settings.token_issuer is not None:
        claims["iss"] = settings.token_issuer
    if settings.token_audience is not None:
        claims["aud"] = settings.token_audience
    return jwt.encode(claims, key, algorithm=OWN_ALGORITHM), token_id


class Tokens:
    """Turns a request's headers into a caller. A token is verified once and cached until it expires."""

    def __init__(self, settings: Settings, access: TokenRecords) -> None:
        self._settings = settings
        self._access = access
        self._key = secret_of(settings.token_key)
        self._metrics_token = secret_of(settings.metrics_token)
        self._known: dict[str, Caller] = {}
        self._provider = None if settings.token_jwks_url is None else ProviderKeys.at(settings.token_jwks_url)

    def needs_a_thread(self, headers: Mapping[str, str]) -> bool:
        """Return whether `caller` would need a query."""
        if not self._settings.authenticated:
            return False
        return not self._access.is_fresh() or _bearer(headers.get("authorization")) not in self._known

    async def fetch_keys(self, headers: Mapping[str, str], header: str = "authorization") -> None:
        """Fetch the identity provider's key of an unknown token. Awaited before `caller`, which runs in a thread:
        threads are for the database."""
        token = _bearer(headers.get(header))
        if self._provider is None or token is None or token in self._known:
            return
        with suppress(jwt.PyJWTError):
            head = jwt.get_unverified_header(token)
            if head.get("alg") in PROVIDER_ALGORITHMS:
                await self._provider.fetch_for(head.get("kid"))

    def may_scrape(self, headers: Mapping[str, str]) -> bool:
        """Return whether it is Prometheus, with the token that only reads metrics."""
        expected, given = self._metrics_token, _bearer(headers.get("authorization"))
        return expected is not None and given is not None and compare_digest(given.encode(), expected.encode())

    def caller(self, headers: Mapping[str, str], header: str = "authorization") -> Caller:
        if not self._settings.authenticated:
            return _anybody(headers)
        token = _bearer(headers.get(header))
        if token is None:
            raise Problem("unauthenticated", f"There is no bearer token in {header.title()}.", headers=CHALLENGE)
        caller = self._known.get(token)
        if caller is None:
            caller, way = self._verified(token)
            self._access.see(str(caller.token_id), caller.by, caller.part, way, caller.expires_at)
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            self._known[token] = caller
        if caller.expires_at <= time.time():
            raise _refused("The token has ended.")
        if not self._access.is_fresh():
            self._access.refresh()
        if caller.token_id is None or self._access.is_revoked(caller.token_id):
            raise _refused("The token has been revoked.")
        if self._access.is_disabled(caller.by):
            raise _refused(f"{caller.by} has been disabled.")
        if (clash := self._access.clash(caller.token_id)) is not None:
            raise Forbidden(clash)
        self._access.use(caller.token_id)
        return caller

    def provider_authentication(self, token: str, code: str, address: str) -> ProviderGiven | None:
        """Return who authenticated with the identity provider, and when, by its own token; None for any other. A token
        of ours only says that it was made once. Call `fetch_keys` first."""
        with suppress(Problem, jwt.PyJWTError):
            claims, way = self._claims(token)
            authenticated_at = claims.get("auth_time")
            if way == "claim" and isinstance(authenticated_at, int | float):
                twice = self._settings.oidc_second_factor
                return ProviderGiven(str(claims["sub"]), float(authenticated_at), twice, code, address)
        return None

    def _verified(self, token: str) -> tuple[Caller, Way]:
        claims, way = self._claims(token)
        return _caller(claims), way

    def _claims(self, token: str) -> tuple[dict[str, Any], Way]:
        settings = self._settings
        try:
            key, algorithms = self._key_for(token)
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=algorithms,
                issuer=settings.token_issuer,
                audience=settings.token_audience,
                options={"require": ["exp", "sub", "jti"], "verify_aud": settings.token_audience is not None},
            )
        except (jwt.PyJWTError, ValueError) as error:
            ended = isinstance(error, jwt.ExpiredSignatureError)
            raise _refused("The token has ended." if ended else "The token cannot be verified.") from None
        return claims, "token" if algorithms == [OWN_ALGORITHM] else "claim"

    def _key_for(self, token: str) -> tuple[Any, list[str]]:
        head = jwt.get_unverified_header(token)
        algorithm = head.get("alg")
        if algorithm == OWN_ALGORITHM and self._key is not None:
            return self._key, [OWN_ALGORITHM]
        if self._provider is not None and algorithm in PROVIDER_ALGORITHMS:
            return self._provider.find(head.get("kid")), PROVIDER_ALGORITHMS
        raise jwt.InvalidAlgorithmError("not an algorithm that is accepted here")


def _caller(claims: Mapping[str, Any]) -> Caller:
    by, role, table = claims["sub"], claims.get("role"), claims.get("table")
    if not isinstance(by, str) or not STAFF_ID.fullmatch(by):
        raise _refused("The token's subject is not a staff id.")
    if role not in ROLES:
        raise _refused("The token has none of the roles.")
    if (role == "terminal") != isinstance(table, str):
        raise _refused("A terminal's token names its table, and nobody else's does.")
    return Caller(by, role, table, str(claims["jti"]), float(claims["exp"]))


def _anybody(headers: Mapping[str, str]) -> Caller:
    """Return the caller without authentication: everybody may do everything, under the staff id that they give."""
    by = headers.get("staff-id", OPEN)
    if not STAFF_ID.fullmatch(by):
        raise Problem("bad_document", "Staff-Id is a staff id: lower-case letters, digits and hyphens, at most 40.")
    return Caller(by, OPEN)


def _bearer(value: str | None) -> str | None:
    if value is None or value[:7].lower() != "bearer ":
        return None
    return value[7:].strip() or None


def _refused(detail: str) -> Problem:
    return Problem("unauthenticated", detail, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})

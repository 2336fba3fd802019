"""The property's identity provider (OpenID Connect): authorization code with PKCE, discovery, logout.

It says who somebody is. What they may do is in the staff register; a claim can add roles that sign nothing."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import jwt
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from msgspec import Struct

from api.service.identity.provider_keys import FETCH_SECONDS, ProviderKeys, fetch_json
from api.service.identity.tokens import PROVIDER_ALGORITHMS
from api.service.settings import Settings, secret_of
from infra.access.callers import STAFF_ID

DISCOVERY = "/.well-known/openid-configuration"
KNOWN_SECONDS = 300.0  # how long discovered data is used
TOKEN_SECONDS = 5.0  # for the provider to exchange a code
LEEWAY_SECONDS = 30.0  # by which its clock may differ
VERIFIER_LENGTH = 64


class ProviderFailed(Exception):
    """The provider does not answer, or not as it should."""


class Identity(Struct, frozen=True):
    """Whom the provider names: their staff id, and the roles that its claims are mapped to."""

    staff_id: str
    roles: tuple[str, ...]
    token: str  # the provider's token, by which it recognises the sign-out


class IdentityProvider:
    def __init__(self, settings: Settings) -> None:
        assert settings.oidc_issuer is not None
        self.name = settings.oidc_name
        self._settings = settings
        self._issuer = settings.oidc_issuer
        self._keys = ProviderKeys(self._keys_address)
        self._discovered: tuple[float, dict[str, Any]] | None = None

    @property
    def origin(self) -> str:
        parts = urlsplit(self._issuer)
        return f"{parts.scheme}://{parts.netloc}"

    # ---- to the provider

    async def begin(self, back: str) -> tuple[str, dict[str, str]]:
        """Return the address that the browser goes to, and what the answer must match."""
        metadata = await self._metadata()
        state = {name: secrets.token_urlsafe(32) for name in ("state", "nonce")}
        state["verifier"] = secrets.token_urlsafe(VERIFIER_LENGTH)
        async with self._client(back) as client:
            address, _ = client.create_authorization_url(
                metadata["authorization_endpoint"],
                state=state["state"],
                nonce=state["nonce"],
                code_verifier=state["verifier"],
            )
        return str(address), state

    # ---- back

    async def finish(self, answer: Mapping[str, str], began: Mapping[str, str], back: str) -> Identity:
        """Return who came back from the provider. `began` is what `begin` returned, which is used once."""
        if not hmac.compare_digest(answer.get("state", "").encode(), began["state"].encode()):
            raise ProviderFailed("The answer is to another sign-in than the one that was begun here.")
        if "error" in answer:
            raise ProviderFailed(f"{self.name} refused: {answer.get('error_description') or answer['error']}.")
        async with self._client(back) as client:
            token = await self._id_token(client, answer.get("code", ""), began["verifier"])
            claims = await self._verified(token, began["nonce"])
            claims = await self._with_profile(client, claims)
        return self._identity(claims, token)

    async def _id_token(self, client: AsyncOAuth2Client, code: str, verifier: str) -> str:
        metadata = await self._metadata()
        try:
            given = await client.fetch_token(metadata["token_endpoint"], code=code, code_verifier=verifier)
        except (OAuthError, httpx.HTTPError, ValueError) as error:
            raise ProviderFailed(f"{self.name} did not confirm the sign-in: {error}") from None
        token = given.get("id_token")
        if not isinstance(token, str):
            raise ProviderFailed(f"{self.name} does not say who it was: the answer has no id_token.")
        return token

    async def _verified(self, token: str, nonce: str) -> dict[str, Any]:
        try:
            key_id = jwt.get_unverified_header(token).get("kid")
            await self._keys.fetch_for(key_id)
            claims: dict[str, Any] = jwt.decode(
                token,
                self._keys.find(key_id),
                algorithms=PROVIDER_ALGORITHMS,
                issuer=self._issuer,
                audience=self._settings.oidc_client_id,
                leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iat", "iss", "sub", "aud"]},
            )
        except (jwt.PyJWTError, ValueError) as error:
            raise ProviderFailed(f"What {self.name} gave cannot be verified: {error}") from None
        if claims.get("azp", self._settings.oidc_client_id) != self._settings.oidc_client_id:
            raise ProviderFailed(f"What {self.name} gave is for another program.")
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise ProviderFailed(f"What {self.name} gave is for another sign-in.")
        return claims

    async def _with_profile(self, client: AsyncOAuth2Client, claims: dict[str, Any]) -> dict[str, Any]:
        """Add claims from the userinfo endpoint, where many providers keep them, for the same subject."""
        wanted = {self._settings.oidc_staff_claim, self._settings.oidc_role_claim} - {None}
        endpoint = (await self._metadata()).get("userinfo_endpoint")
        if endpoint is None or wanted <= claims.keys():
            return claims
        try:
            answer = await client.get(endpoint)
            profile = answer.raise_for_status().json()
        except (OAuthError, httpx.HTTPError, ValueError) as error:
            raise ProviderFailed(f"{self.name} does not say who it was: {error}") from None
        if not isinstance(profile, dict) or profile.get("sub") != claims["sub"]:
            raise ProviderFailed(f"{self.name} says that it was somebody else.")
        return {**profile, **claims}

    def _identity(self, claims: Mapping[str, Any], token: str) -> Identity:
        named = str(claims.get(self._settings.oidc_staff_claim, "")).lower()
        if not STAFF_ID.fullmatch(named):
            raise ProviderFailed(
                f"{self.name} names nobody by a staff id: its claim {self._settings.oidc_staff_claim} is {named!r}."
            )
        given = claims.get(self._settings.oidc_role_claim or "", [])
        values = given if isinstance(given, list) else [given]
        roles = [self._settings.oidc_roles[value] for value in values if value in self._settings.oidc_roles]
        return Identity(named, tuple(dict.fromkeys(roles)), token)

    # ---- signing out

    async def logout(self, back: str, token: str | None) -> str | None:
        """Return the address at which the browser signs out at the provider as well; None if it has none. Without its
        token, a provider asks the person to confirm."""
        endpoint = (await self._metadata()).get("end_session_endpoint")
        if endpoint is None:
            return None
        asked = {"client_id": self._settings.oidc_client_id, "post_logout_redirect_uri": back, "id_token_hint": token}
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{query}"

    # ---- discovery

    async def _metadata(self) -> dict[str, Any]:
        known = self._discovered
        if known is None or time.monotonic() - known[0] > KNOWN_SECONDS:
            try:
                async with httpx.AsyncClient(timeout=FETCH_SECONDS) as client:
                    found = await fetch_json(client, self._issuer.rstrip("/") + DISCOVERY)
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                raise ProviderFailed(f"{self.name} does not answer: {str(error) or type(error).__name__}") from None
            if found.get("issuer") != self._issuer:
                raise ProviderFailed(f"{self.name} says that it is {found.get('issuer')}, not {self._issuer}.")
            missing = [name for name in ("authorization_endpoint", "token_endpoint", "jwks_uri") if name not in found]
            if missing:
                raise ProviderFailed(f"{self.name} does not say its {missing[0]}.")
            known = self._discovered = time.monotonic(), found
        return known[1]

    async def _keys_address(self, client: httpx.AsyncClient) -> str:
        return str((await self._metadata())["jwks_uri"])

    def _client(self, back: str) -> AsyncOAuth2Client:
        settings = self._settings
        secret = secret_of(settings.oidc_client_secret)
        return AsyncOAuth2Client(
            settings.oidc_client_id,
            secret,
            token_endpoint_auth_method="none" if secret is None else "client_secret_basic",
            scope=settings.oidc_scope,
            redirect_uri=back,
            code_challenge_method="S256",
            timeout=TOKEN_SECONDS,
        )

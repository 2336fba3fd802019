"""The keys of an identity provider: fetched on the event loop, one request at a time, and rarely for nothing."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import jwt

logger = logging.getLogger(__name__)

FETCH_SECONDS = 2.0  # for the whole answer of the provider
PAUSE_SECONDS = 10.0  # between two fetches, whatever they brought: an unknown key stays unknown that long
LASTING_SECONDS = 300.0  # after which known keys are fetched again
LONGEST_SECONDS = 3600.0  # how long they stay valid while the provider does not answer
LONGEST_BYTES = 1 << 20


class ProviderKeys:
    """Signing keys by id. `fetch_for` is awaited before `find`, which never waits."""

    def __init__(self, url: Callable[[httpx.AsyncClient], Awaitable[str]]) -> None:
        self._url = url
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._fetched_at = float("-inf")
        self._tried_at = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    @classmethod
    def at(cls, url: str) -> ProviderKeys:
        async def known(client: httpx.AsyncClient) -> str:
            return url

        return cls(known)

    def find(self, key_id: str | None) -> Any:
        """Return the key with this id; a provider with a single key need not name it."""
        if time.monotonic() - self._fetched_at > LONGEST_SECONDS:
            raise jwt.PyJWKClientError("the identity provider's keys are not known")
        key = self._keys.get(key_id)
        if key is None and key_id is None and len(self._keys) == 1:
            (key,) = self._keys.values()
        if key is None:
            raise jwt.PyJWKClientError("not a key of the identity provider")
        return key.key

    async def fetch_for(self, key_id: str | None) -> None:
        """Fetch the keys if they are old, or if this one is unknown and the last attempt was a while ago. Callers who
        need an unknown key during a fetch wait for the same answer."""
        now = time.monotonic()
        age = now - self._fetched_at
        known = age < LONGEST_SECONDS and (key_id in self._keys or (key_id is None and bool(self._keys)))
        if known and age < LASTING_SECONDS:
            return
        if self._fetching is None:
            if now - self._tried_at < PAUSE_SECONDS:
                return
            self._tried_at = now
            self._fetching = asyncio.create_task(self._fetch())
        if not known:
            await asyncio.shield(self._fetching)  # one caller who gives up does not cancel it for the others

    async def _fetch(self) -> None:
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                keys = jwt.PyJWKSet.from_dict(await self._document()).keys
        except (httpx.HTTPError, httpx.InvalidURL, jwt.PyJWTError, TimeoutError, ValueError, TypeError) as error:
            logger.warning("The identity provider's keys cannot be fetched: %s", str(error) or type(error).__name__)
        else:
            self._keys = {key.key_id: key for key in keys if key.public_key_use in (None, "sig")}
            self._fetched_at = time.monotonic()
        finally:
            self._fetching = None

    async def _document(self) -> dict[str, Any]:
        async with httpx.AsyncClient(timeout=FETCH_SECONDS) as client:
            return await fetch_json(client, await self._url(client))


async def fetch_json(client: httpx.AsyncClient, url: str) -> dict[str, Any]:
    """Return the JSON object at an address, up to a generous length."""
    content = b""
    async with client.stream("GET", url, headers={"Accept": "application/json"}) as answer:
        answer.raise_for_status()
        async for piece in answer.aiter_bytes():
            content += piece
            if len(content) > LONGEST_BYTES:
                raise ValueError("the answer is too long")
    found = httpx.Response(200, content=content).json()
    if not isinstance(found, dict):
        raise ValueError("the answer is not a JSON object")
    return found

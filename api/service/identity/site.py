"""The public address of the service: passkeys and the return from a provider are bound to it."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

from api.service.settings import Settings
from infra.access.passkeys import Site


def site_of(settings: Settings, request: Request) -> Site:
    parts = urlsplit(settings.public_url or str(request.base_url))
    return Site(f"{parts.scheme}://{parts.netloc}", parts.hostname or "")

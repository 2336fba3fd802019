"""Stylesheets, scripts, fonts and pictures: read once, named by their content, and so cached by browsers for good."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}
NAMED = re.compile(rb'"\./([a-z0-9_.-]+)"')  # another static file, in a script or a stylesheet
FOREVER = "public, max-age=31536000, immutable"


class Asset(Struct, frozen=True):
    address: str
    media_type: str
    body: bytes
    zipped: bytes

    def response(self, request: Request) -> Response:
        headers = {"Cache-Control": FOREVER, "Vary": "Accept-Encoding"}
        if accepts_gzip(request):
            return Response(self.zipped, 200, {**headers, "Content-Encoding": "gzip"}, self.media_type)
        return Response(self.body, 200, headers, self.media_type)


def accepts_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


def read_assets() -> dict[str, Asset]:
    """Return assets by name, like app.css; the address contains the content's hash."""
    found: dict[str, Asset] = {}
    bodies = {
        entry.name: entry.read_bytes()
        for entry in (files("api.pages") / "static").iterdir()
        if entry.name.rpartition(".")[2] in MEDIA_TYPES
    }
    for name in bodies:
        _add(found, bodies, name)
    return found


def _add(found: dict[str, Asset], bodies: Mapping[str, bytes], name: str) -> Asset:
    """Add a file after the files that it names, since their addresses are part of its content."""
    if name not in found:
        stem, _, kind = name.rpartition(".")
        body = bodies[name]
        if kind in ("css", "js"):
            body = NAMED.sub(lambda named: f'"{_add(found, bodies, named[1].decode()).address}"'.encode(), body)
        address = f"/static/{stem}.{hashlib.sha256(body).hexdigest()[:12]}.{kind}"
        found[name] = Asset(address, MEDIA_TYPES[kind], body, gzip.compress(body, 9, mtime=0))
    return found[name]

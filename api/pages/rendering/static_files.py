"""Stylesheet, scripts and pictures at the addresses that templates name, and the dealer screen's service worker."""

from functools import lru_cache

from fastapi import APIRouter, Request, Response

from api.pages.rendering.assets import Asset, read_assets
from api.pages.responses import HEADERS
from projections.views.read_side import NotFound

router = APIRouter(include_in_schema=False)


@lru_cache
def assets() -> dict[str, Asset]:
    return read_assets()


@router.get("/static/{name}")
async def static_file(request: Request, name: str) -> Response:
    for asset in assets().values():
        if asset.address == request.url.path:
            return asset.response(request)
    raise NotFound("There is nothing at this address.")


@router.get("/dealer/worker.js")
async def worker() -> Response:
    """Serve the worker at a permanent address, by which browsers recognise it, above the pages that it serves."""
    found = assets()["dealer_worker.js"]
    headers = {"Content-Security-Policy": HEADERS["Content-Security-Policy"], "Cache-Control": "no-cache"}
    return Response(found.body, 200, headers, found.media_type)

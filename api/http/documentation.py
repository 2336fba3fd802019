"""/docs and /redoc without a network: FastAPI's own pages, with the scripts that fastapi-offline includes."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from fastapi import APIRouter
from fastapi.openapi.docs import get_redoc_html, get_swagger_ui_html
from fastapi.responses import HTMLResponse, Response

from api.http.examples import EXAMPLES
from api.service.problems import Problem

ASSETS = {
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
    "redoc.standalone.js": "text/javascript; charset=utf-8",
    "favicon.png": "image/png",
}
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
ADDRESS = "/docs/assets"
LOGO = b"https://cdn.redoc.ly/redoc/logo-mini.svg"  # ReDoc loads its vendor's logo from the network

TAGS = {
    "rounds": "Rounds of play, action by action: opening, playing, replaying, searching and correcting them.",
    "tables": "Tables from opening to closing: seats, chips, trays, dealers, and the floor as it is now.",
    "rule sets": "What rounds are judged by: figures with their clauses, adopted versions, adjudication of documents.",
    "regulation": "What tables post and the property offers, facts about rounds, proposition players, explanations.",
    "reports": "Every report, summaries of days, and what an inspector asks, as JSON or files.",
    "bettors": "Bettors, their bankrolls, and how they banked.",
    "boxes": "Drop boxes: swapped, counted blind, signed off.",
    "meters": "Progressive meters.",
    "slips": "Numbered fills, credits and counts of trays.",
    "machines": "Count machines, and boxes counted by their files.",
    "cash": "Cash at the cage by patron and gaming day.",
    "closings": "Gaming days and months: what they lack, closing and reopening them.",
    "journals": "A gaming day in the property's own accounts.",
    "disputes": "Claims on wagers, from opening to ruling, appeal and closing.",
    "audits": "Stored rounds decided again, with findings and notes.",
    "log": "The transparency log: checkpoints, tiles, proofs, evidence.",
    "holds": "Legal holds on rounds and disputes.",
    "feed": "Live events, resumable and without gaps.",
    "access": "People, tokens, reviews of access, and who looked at what.",
    "service": "Liveness, readiness and metrics.",
}

router = APIRouter(include_in_schema=False)


def with_examples(document: dict[str, Any]) -> dict[str, Any]:
    """Add an example to each model. Done afterwards, because FastAPI drops every null from what it derives."""
    for name, schema in document["components"]["schemas"].items():
        if name in EXAMPLES:
            schema["examples"] = [EXAMPLES[name]]
    return document


@router.get("/docs")
async def swagger() -> Response:
    page = get_swagger_ui_html(
        openapi_url="/openapi.json",
        title="roundledger",
        swagger_js_url=f"{ADDRESS}/swagger-ui-bundle.js",
        swagger_css_url=f"{ADDRESS}/swagger-ui.css",
        swagger_favicon_url=f"{ADDRESS}/favicon.png",
    )
    return _within_policy(page)


@router.get("/redoc")
async def redoc() -> Response:
    page = get_redoc_html(
        openapi_url="/openapi.json",
        title="roundledger",
        redoc_js_url=f"{ADDRESS}/redoc.standalone.js",
        redoc_favicon_url=f"{ADDRESS}/favicon.png",
        with_google_fonts=False,
    )
    return _within_policy(page)


@router.get(f"{ADDRESS}/{{name}}")
async def asset(name: str) -> Response:
    if name not in ASSETS:
        raise Problem("not_found", "There is nothing at this address.")
    return Response(_content(name), headers={"Cache-Control": "public, max-age=86400"}, media_type=ASSETS[name])


@cache
def _content(name: str) -> bytes:
    content = (files("fastapi_offline") / "static" / name).read_bytes()
    return content.replace(LOGO, f"{ADDRESS}/favicon.png".encode())


def _within_policy(page: HTMLResponse) -> Response:
    """Allow the page's own scripts by their hash; both interfaces set inline styles."""
    scripts = INLINE_SCRIPT.findall(bytes(page.body).decode())
    hashes = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
    page.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return page

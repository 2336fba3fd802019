"""Promise: a browser that has come over https once does not come over http again, where somebody could listen in."""

from __future__ import annotations

import pytest

PATHS = ("/healthz", "/sign-in", "/v1/rounds/nowhere", "/nowhere", "/static/app.css")


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_over_https_says_so(client, path: str):
    assert "max-age=31536000" in client.get(f"https://localhost{path}").headers["strict-transport-security"]


@pytest.mark.parametrize("path", PATHS)
def test_no_answer_over_http_does(client, path: str):
    """There it means nothing, and a browser on the machine itself must go on reaching it."""
    assert "strict-transport-security" not in client.get(path).headers

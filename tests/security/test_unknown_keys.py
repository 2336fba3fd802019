"""Promise: tokens that name unknown keys of the identity provider hold up nobody else, however slow the provider is."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from api.service.identity import provider_keys
from tests.api.pages.conftest import KEY, serving

TOKENS = 44
PATIENCE_SECONDS = 120.0


class KeyServer:
    """Answers nobody before it is released, and counts who asks."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.asked = 0
        self.called = threading.Event()
        self.released = threading.Event()
        public: dict[str, Any] = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.private.public_key()))
        document = json.dumps({"keys": [{**public, "kid": "k1", "use": "sig"}]}).encode()
        waited_on = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                waited_on.asked += 1
                waited_on.called.set()
                waited_on.released.wait(PATIENCE_SECONDS)
                try:
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(document)
                except OSError:
                    pass  # the service has given up

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/keys"

    def token(self, key_id: str) -> str:
        claims = {"sub": "floor-1", "role": "floor", "exp": time.time() + 600, "jti": f"provider-{key_id}"}
        return jwt.encode(claims, self.private, "ES256", {"kid": key_id})


@pytest.fixture
def keys() -> Iterator[KeyServer]:
    keys = KeyServer()
    thread = threading.Thread(target=keys.server.serve_forever)
    thread.start()
    try:
        yield keys
    finally:
        keys.released.set()
        keys.server.shutdown()
        thread.join()
        keys.server.server_close()


def status(url: str, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.get(f"{url}/v1/rulesets", headers=headers, timeout=PATIENCE_SECONDS).status_code


def own_token(number: int) -> str:
    claims = {"sub": "auditor-1", "role": "auditor", "exp": time.time() + 600, "jti": f"own-{number}"}
    return jwt.encode(claims, KEY, "HS256")


@pytest.fixture
def service(ledger_url: str, keys: KeyServer) -> Iterator[str]:
    """With fewer threads than there are tokens."""
    options = {"token_key": KEY, "token_jwks_url": keys.url, "threads": 2, "rate_limit": 0, "follow": False}
    with serving(ledger_url, **options) as site:
        yield site.url


def test_others_go_on_while_a_slow_provider_is_asked_once(
    keys: KeyServer, service: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(provider_keys, "FETCH_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(provider_keys, "PAUSE_SECONDS", PATIENCE_SECONDS)
    with ThreadPoolExecutor(TOKENS) as pool:
        waiting = [pool.submit(status, service, keys.token(f"unknown-{number}")) for number in range(TOKENS)]
        assert keys.called.wait(PATIENCE_SECONDS)
        assert [status(service, own_token(number)) for number in range(8)] == [200] * 8
        assert not any(one.done() for one in waiting)
        keys.released.set()
        assert {one.result() for one in waiting} == {401}
        again = [pool.submit(status, service, keys.token(f"other-{number}")) for number in range(TOKENS)]
        assert {one.result() for one in again} == {401}
    assert status(service, keys.token("k1")) == 200
    assert keys.asked == 1


def test_a_provider_that_never_answers_is_given_up(keys: KeyServer, service: str):
    """Long before the time limit of the request, which would be 503."""
    assert status(service, keys.token("k1")) == 401
    assert status(service, own_token(1)) == 200
    assert keys.called.is_set()


def test_a_new_key_is_fetched_after_a_pause(keys: KeyServer, service: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(provider_keys, "FETCH_SECONDS", PATIENCE_SECONDS)
    keys.released.set()
    assert status(service, keys.token("k0")) == 401
    monkeypatch.setattr(provider_keys, "PAUSE_SECONDS", 0.0)
    assert status(service, keys.token("k2")) == 401
    assert keys.asked == 2

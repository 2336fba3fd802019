"""Promise: whoever leaves is cut off everywhere at once: sessions, tokens and open feeds, in every process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import httpx
import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from infra.ledger.ledger import Ledger
from tests.api.processes import PATIENCE_SECONDS, free_port, serving
from tests.api.service import KEY, PASSWORD, register

HERE = "http://127.0.0.1"


class Listener:
    """Somebody who listens to the floor until the feed ends."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._address, self._headers = f"{HERE}:{port}/v1/feed", headers
        self._listening, self._ended = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        assert self._listening.wait(PATIENCE_SECONDS), "the feed did not begin"

    def _listen(self) -> None:
        """A feed that ends is complete; the connection of one that goes on breaks when the service is stopped."""
        with suppress(httpx.RemoteProtocolError):
            with httpx.stream("GET", self._address, headers=self._headers, timeout=PATIENCE_SECONDS) as answer:
                answer.raise_for_status()
                for _ in answer.iter_lines():
                    self._listening.set()  # the first comment
            self._ended.set()

    @property
    def is_listening(self) -> bool:
        return not self._ended.is_set()

    def ends(self) -> bool:
        return self._ended.wait(PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def ledger(ledger_url: str) -> Iterator[Ledger]:
    ledger = Ledger(ledger_url)
    register(ledger.staff, ("boss-1", "admin"), ("boss-2", "admin"), ("floor-1", "floor"), ("floor-2", "floor"))
    yield ledger
    ledger.close()


@contextmanager
def two_processes(ledger_url: str) -> Iterator[tuple[int, int]]:
    with ExitStack() as stack:
        ports = free_port(), free_port()
        for port in ports:
            stack.enter_context(serving(ledger_url, port, ROUNDLEDGER_TOKEN_KEY=KEY))
        yield ports


def bearer(by: str, role: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(KEY, Settings(token_key=KEY), by, role, None, 1.0)[0]}"}


def session(ledger: Ledger, staff_id: str) -> dict[str, str]:
    return {"Cookie": f"roundledger-session={ledger.sessions.sign_in(staff_id, PASSWORD, 'here')}"}


def test_whoever_is_disabled_hears_nothing_more_in_any_process(ledger: Ledger, ledger_url: str):
    """Disabled through the first process, while they listen with a token and with a session to both."""
    with two_processes(ledger_url) as (one, other):
        token, cookie = bearer("floor-1", "floor"), session(ledger, "floor-1")
        leavers = [Listener(port, headers) for port in (one, other) for headers in (token, cookie)]
        stayers = [Listener(port, bearer("floor-2", "floor")) for port in (one, other)]
        assert all(listener.is_listening for listener in leavers)
        answer = httpx.post(
            f"{HERE}:{one}/v1/people/floor-1/changes",
            json={"disabled": True},
            headers=bearer("boss-1", "admin"),
            timeout=PATIENCE_SECONDS,
        )
        assert answer.status_code == 200, answer.text
        assert all(listener.ends() for listener in leavers)
        assert all(listener.is_listening for listener in stayers)
        for port in (one, other):
            for headers in (token, cookie):
                refused = httpx.get(f"{HERE}:{port}/v1/feed", headers=headers, timeout=PATIENCE_SECONDS)
                assert refused.status_code in (401, 403), refused.text

"""Promise: nobody keeps connections that others need, by never coming to an end or by opening all of them."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.api.processes import free_port, serving

MOST = 8
HEAD = b"HTTP/1.1\r\nHost: localhost\r\n"
PATIENCE_SECONDS = 120.0


@pytest.fixture(scope="module")
def port(ledger_url: str) -> Iterator[int]:
    """Of a service that waits for nobody longer than a second."""
    port = free_port()
    with serving(ledger_url, port, ROUNDLEDGER_TIME_LIMIT_SECONDS="1"):
        yield port


@pytest.fixture(scope="module")
def patient_port(ledger_url: str) -> Iterator[int]:
    """Of a service that waits for a test on a busy machine, with few connections for each address."""
    port, most = free_port(), str(MOST)
    with serving(ledger_url, port, ROUNDLEDGER_TIME_LIMIT_SECONDS="60", ROUNDLEDGER_CONNECTIONS_PER_ADDRESS=most):
        yield port


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)


def goes_on_until_closed(connection: socket.socket, piece: bytes) -> bytes:
    """A byte now and then for ever, as somebody does who wants to keep the connection; all that came back."""
    closed = threading.Event()

    def go_on() -> None:
        while not closed.wait(0.2):
            try:
                connection.sendall(piece)
            except OSError:
                return

    sender = threading.Thread(target=go_on)
    sender.start()
    answered = b""
    try:
        while some := connection.recv(10_000):
            answered += some
    except ConnectionResetError:
        pass
    finally:
        closed.set()
        sender.join()
    return answered


@pytest.mark.parametrize(
    ("request_", "piece", "status"),
    [
        (b"POST /v1/adjudications " + HEAD + b"Content-Length: 1000000\r\n\r\n", b" ", b"503"),
        (b"POST /v1/adjudications " + HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", b"503"),
        (b"POST /nowhere " + HEAD + b"Content-Length: 1000000\r\n\r\n", b" ", b"404"),
        (b"GET /healthz " + HEAD + b"Content-Length: 1000000\r\n\r\n", b" ", b"200"),
        (b"POST /v1/adjudications " + HEAD + b"Content-Length: 9000000\r\n\r\n", b" ", b"413"),
        (b"POST /sign-in " + HEAD + b"Content-Length: 1000000\r\n\r\n", b" ", b"403"),
    ],
    ids=["body", "chunks", "nowhere", "a body to a GET", "too large", "a page's form"],
)
def test_a_body_that_never_ends_is_answered_and_the_connection_closed(
    port: int, request_: bytes, piece: bytes, status: bytes
):
    """The test ends only if the service ends the connection, however many bytes still come."""
    with connected(port) as connection:
        connection.sendall(request_)
        answered = goes_on_until_closed(connection, piece)
    assert answered.startswith(b"HTTP/1.1 " + status), answered


def test_a_body_that_ends_after_its_answer_leaves_the_connection_open(patient_port: int):
    with connected(patient_port) as connection:
        connection.sendall(b"GET /healthz " + HEAD + b"Content-Length: 4\r\n\r\nbo")
        answer(connection)
        connection.sendall(b"dy" + b"GET /healthz " + HEAD + b"\r\n")
        assert answer(connection).startswith(b"HTTP/1.1 200 ")


def answer(connection: socket.socket) -> bytes:
    answered = b""
    while not answered.endswith(b'{"status":"ok"}'):
        some = connection.recv(10_000)
        assert some, answered
        answered += some
    return answered


def test_one_address_has_so_many_connections_and_no_more(patient_port: int):
    with ExitStack() as stack:
        kept = []
        for _ in range(MOST):
            kept.append(stack.enter_context(connected(patient_port)))
            kept[-1].sendall(b"GET /healthz " + HEAD + b"\r\n")
            answer(kept[-1])
        with connected(patient_port) as one_too_many:
            refused = one_too_many.recv(10_000)
        assert refused.startswith(b"HTTP/1.1 429 "), refused
        assert b"too many connections from this address" in refused
        kept[0].close()
        assert comes_in(patient_port), "one that was closed makes room for another"


def comes_in(port: int) -> bool:
    """The service learns of a closed connection a little later than whoever closed it."""
    for _ in range(1000):
        with connected(port) as connection:
            try:
                connection.sendall(b"GET /healthz " + HEAD + b"\r\n")
                if connection.recv(10_000).startswith(b"HTTP/1.1 200 "):
                    return True
            except ConnectionError:
                continue
    return False


def test_the_unit_allows_more_files_than_addresses_have_connections(project_root: Path):
    unit = (project_root / "infra" / "deploy" / "roundledger.service").read_text(encoding="utf-8")
    found = re.search(r"^LimitNOFILE=(\d+)$", unit, re.MULTILINE)
    assert found is not None
    assert int(found[1]) >= 65_536

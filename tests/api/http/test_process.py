"""A served process: what it acknowledged survives SIGTERM and kill -9, feeds resume, and it keeps to loopback."""

from __future__ import annotations

import json
import signal
import socket
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from api.cli.main import app
from api.service.identity.tokens import make_token
from api.service.settings import Settings
from tests.api.http.crash import ANTE, kill_under_load, new_round
from tests.api.processes import PATIENCE_SECONDS, free_port, serving, until_gone
from tests.api.service import KEY


@pytest.fixture(scope="module")
def port(ledger_url: str) -> Iterator[int]:
    """Of a service that may be reached from elsewhere, and waits a few seconds for the rest of a request."""
    port = free_port()
    serve = partial(serving, ROUNDLEDGER_TOKEN_KEY=KEY, ROUNDLEDGER_TIME_LIMIT_SECONDS="3")
    with serve(ledger_url, port, "--host", "0.0.0.0"):
        yield port


def test_nothing_acknowledged_is_lost_and_nothing_is_stored_twice(ledger_url: str):
    signals = (signal.SIGTERM, signal.SIGKILL)
    figures = kill_under_load(ledger_url, free_port(), signals, connections=64, answers=128)
    assert figures.lost == figures.doubled == 0
    assert figures.acknowledged >= 3 * 128


def read_feed(port: int, path: str, count: int, after: int | None) -> list[dict[str, Any]]:
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    seen: list[dict[str, Any]] = []
    with httpx.stream("GET", f"http://127.0.0.1:{port}{path}", headers=headers, timeout=PATIENCE_SECONDS) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("data: "):
                seen.append(json.loads(line[6:]))
                if len(seen) == count:
                    break
    return seen


def test_a_feed_resumes_with_nothing_skipped_and_ends_with_the_service(ledger_url: str):
    port = free_port()
    with serving(ledger_url, port) as process:
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_SECONDS)
        round_id = new_round(client)
        other = new_round(client)
        table = client.get(f"/v1/rounds/{round_id}").json()["table"]
        for _ in range(6):
            for each in (round_id, other):
                client.post(f"/v1/rounds/{each}/actions", json={"actions": [ANTE]})
        first = read_feed(port, f"/v1/tables/{table}/feed", 4, 0)
        rest = read_feed(port, f"/v1/tables/{table}/feed", 5, first[-1]["position"])
        bets = [item for item in first + rest if item["event"] == "round.wager_placed.v1"]
        assert [item["version"] for item in bets] == [2, 3, 4, 5, 6, 7]
        assert {item["table"] for item in first + rest} == {table}
        whole = read_feed(port, f"/v1/feed?after={first[0]['position'] - 1}", 16, None)
        assert {item["round"] for item in whole if "round" in item} >= {round_id, other}

        listening, ended = threading.Event(), threading.Event()

        def listen() -> None:
            with httpx.stream("GET", f"http://127.0.0.1:{port}/v1/feed", timeout=PATIENCE_SECONDS) as answer:
                listening.set()
                for _ in answer.iter_lines():
                    pass
            ended.set()

        listener = threading.Thread(target=listen)
        listener.start()
        assert listening.wait(PATIENCE_SECONDS)
        client.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) in (0, -signal.SIGTERM)
        listener.join(PATIENCE_SECONDS)
        assert ended.is_set()


def test_a_body_is_counted_whatever_its_head_says(port: int):
    """Of two lengths the one that does not count must not be the one that is looked at."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        token, _ = make_token(KEY, Settings(token_key=KEY), "oli", "auditor", None, 1.0)
        head = f"POST /v1/adjudications HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        head += "Content-Length: 2\r\nTransfer-Encoding: chunked"
        connection.sendall(f"{head}\r\n\r\n".encode())
        for _ in range(17):  # the last of which is over the limit
            connection.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_whoever_never_comes_to_the_end_of_their_request_is_not_waited_for(port: int):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")
        with answered_connection(port) as another:
            another.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
            assert another.recv(1000) == b""
        assert connection.recv(1000) == b""


def answered_connection(port: int) -> socket.socket:
    """One on which a request has been answered; on a busy machine one may be closed before its request is there."""
    while True:
        connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answered = b""
        while some := connection.recv(10_000):
            answered += some
            if answered.endswith(b'{"status":"ok"}'):
                return connection
        connection.close()


def test_beyond_loopback_only_with_authentication(ledger_url: str, port: int):
    refused = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0", "--database-url", ledger_url])
    assert refused.exit_code == 2
    assert "no authentication is configured" in refused.stderr
    assert httpx.get(f"http://127.0.0.1:{port}/v1/rulesets").status_code == 401


def test_several_workers_serve_one_ledger(ledger_url: str, tmp_path: Path):
    port, log = free_port(), tmp_path / "log"
    address: dict[str, Any] = {"base_url": f"http://127.0.0.1:{port}", "timeout": PATIENCE_SECONDS, "verify": False}
    with serving(ledger_url, port, "--workers", "2", log=log):
        said = log.read_text(encoding="utf-8")
        assert "no authentication: anybody who can reach this address may do everything" in said
        assert "to have people sign in, set ROUNDLEDGER_TOKEN_KEY to a secret of at least 32 characters" in said
        for _ in range(4):
            with httpx.Client(**address) as client:
                round_id = new_round(client)
            version = 0
            for _ in range(4):
                with httpx.Client(**address) as client:  # perhaps the other one
                    answer = client.post(f"/v1/rounds/{round_id}/actions", json={"actions": [ANTE]})
                    assert answer.status_code == 200, answer.text
                    version = answer.json()["version"]
            assert version == 5
        text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
        assert 'roundledger_requests_total{operation="act",status="200"} 16.0' in text
    assert until_gone(port)  # the workers end with the process that started them

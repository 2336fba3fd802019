"""The log over HTTP: checkpoint, keys, tiles, entries and proofs that hold; evidence that verifies; who may see it."""

from __future__ import annotations

import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
import uvicorn

from api.app import create_app
from api.service.settings import Settings
from infra.ledger.ledger import Actor, Ledger
from infra.log.checkpoints import Checkpoint, parse_checkpoint
from infra.log.leaves import row_of
from infra.log.merkle import is_consistent, leaf_hash, root_from_inclusion, root_of
from infra.log.remote_log import RemoteLog
from infra.log.sealer import seal_now
from infra.log.signed_notes import parse_verifier
from infra.log.stored_log import LogReader
from infra.log.tiles import tile_path
from infra.log.witness import Refused, Witness
from infra.simulation import documents
from infra.store.database import Database
from projections.evidence.verification import verify
from tests.api.http import examples
from tests.api.http.test_roles import bearer, token
from tests.api.service import KEY, open_service

AT_MS = 1_789_000_000_000


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys")


def record(url: str, ruleset: str, rounds: int) -> list[str]:
    ledger = Ledger(url)
    try:
        lines = zip(range(rounds), documents(ruleset, 5, 1), strict=False)
        return [ledger.record(msgspec.json.decode(line), Actor("dealer-1", AT_MS))["id"] for _, line in lines]
    finally:
        ledger.close()


@pytest.fixture(scope="module")
def rounds(ledger_url: str, keys: Path) -> list[str]:
    recorded = record(ledger_url, "uth-bgc", 5)
    seal_now(ledger_url, keys)
    recorded += record(ledger_url, "tcp-casino-club", 3)
    seal_now(ledger_url, keys)
    return recorded


@pytest.fixture(scope="module")
def client(ledger_url: str, rounds: list[str], keys: Path) -> Iterator[Any]:
    with open_service(ledger_url, token_key=KEY, rate_limit=0, seal=False, log_keys=str(keys)) as client:
        client.headers.update(bearer(token("auditor")))
        yield client


def checkpoint(client) -> Checkpoint:
    answer = client.get("/v1/log/checkpoint")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    return parse_checkpoint(answer.text)


def test_the_checkpoint_is_signed_with_the_key_that_is_shown(client):
    shown = client.get("/v1/log/key").json()
    assert checkpoint(client).trusted_by([parse_verifier(shown["key"])])
    assert shown["earlier"] == []
    assert shown["pem"].startswith("-----BEGIN PUBLIC KEY-----")


def test_tiles_and_entries_give_the_signed_root(client):
    signed = checkpoint(client)
    hashes = b""
    for number in range(signed.size // 256 + 1):
        width = min(256, signed.size - number * 256)
        tile = client.get(f"/v1/log/tile/0/{tile_path(number, width)}")
        entries = client.get(f"/v1/log/tile/entries/{tile_path(number, width)}").content
        assert tile.headers["cache-control"].endswith("immutable")
        at, leaves = 0, []
        while at < len(entries):
            length = int.from_bytes(entries[at : at + 2], "big")
            leaves.append(leaf_hash(entries[at + 2 : at + 2 + length]))
            assert row_of(entries[at + 2 : at + 2 + length]).position
            at += 2 + length
        assert b"".join(leaves) == tile.content
        hashes += tile.content
    assert root_of(hashes) == signed.root
    assert client.get("/v1/log/tile/1/000.p/1").content == root_of(hashes[: 256 * 32])


@pytest.mark.parametrize(
    "path", ["0/999", "0/000.p/300", "0/x", "9/000", "x/000", "1/000", "entries/999", "entries/a/b", "0/x999/999/999"]
)
def test_there_is_no_such_tile(client, path: str):
    assert client.get(f"/v1/log/tile/{path}").status_code == 404


def test_a_round_is_proved_event_by_event(client, rounds: list[str]):
    answer = client.get(f"/v1/rounds/{rounds[2]}/proofs").json()
    signed = parse_checkpoint(answer["checkpoint"])
    assert signed == checkpoint(client)
    assert [proof["version"] for proof in answer["proofs"]] == list(range(1, len(answer["proofs"]) + 1))
    for proof in answer["proofs"]:
        path = [b64decode(hash_) for hash_ in proof["hashes"]]
        assert root_from_inclusion(b64decode(proof["leaf"]), proof["index"], signed.size, path) == signed.root


@pytest.fixture
def log(ledger_url: str) -> Iterator[LogReader]:
    database = Database(ledger_url)
    yield LogReader(database)
    database.close()


def test_the_log_is_proved_to_have_only_grown(client, log: LogReader):
    signed = checkpoint(client)
    earlier = next(log.checkpoints()).parsed()
    assert 0 < earlier.size < signed.size
    answer = client.get(f"/v1/log/consistency?from={earlier.size}").json()
    assert answer["to"] == signed.size
    hashes = [b64decode(hash_) for hash_ in answer["hashes"]]
    assert is_consistent(earlier.size, earlier.root, signed.size, signed.root, hashes)
    assert client.get("/v1/log/consistency").status_code == 400
    assert client.get("/v1/log/consistency?from=x").status_code == 400
    assert client.get("/v1/log/consistency?from=5&to=4").status_code == 409
    assert client.get(f"/v1/log/consistency?from=5&to={signed.size + 1}").status_code == 409


def test_proofs_lead_between_signed_sizes_only(client, log: LogReader):
    """Any others would give away the hashes of single events."""
    signed = {stored.size for stored in log.checkpoints()}
    sizes = [*range(1, max(signed) + 1)]
    answers = {
        (first, second): client.get(f"/v1/log/consistency?from={first}&to={second}")
        for first, second in [*pairwise(sizes), *((size, max(signed)) for size in sizes)]
    }
    assert {asked for asked, answer in answers.items() if answer.status_code == 200} == {
        asked for asked in answers if signed.issuperset(asked)
    }
    refused = answers[1, 2]
    assert (refused.status_code, refused.json()["code"]) == (409, "bad_choice")
    assert "No checkpoint was signed at 1 events" in refused.json()["detail"]


def test_evidence_of_a_round_verifies_and_that_it_was_taken_is_recorded(client, rounds: list[str]):
    key = parse_verifier(client.get("/v1/log/key").json()["key"])
    answer = client.get(f"/v1/rounds/{rounds[0]}/evidence")
    assert answer.headers["content-disposition"] == f'attachment; filename="{rounds[0]}.zip"'
    verdict = verify(answer.content, [key])
    assert verdict.faults == []
    assert verdict.trusted
    reads = client.get("/v1/reads?limit=1000").json()["reads"]
    assert ("evidence", rounds[0]) in [(read["what"], read["subject"]) for read in reads]
    assert client.get("/v1/rounds/no-such-round/evidence").status_code == 404


def test_what_is_not_sealed_yet_is_sealed_for_whoever_asks(client, ledger_url: str, rounds: list[str]):
    before = checkpoint(client).size
    (fresh,) = record(ledger_url, "uth-house", 1)
    assert client.get("/readyz").json()["unsealed_events"] > 10
    assert "roundledger_unsealed_events" in client.get("/metrics").text
    assert verify(client.get(f"/v1/rounds/{fresh}/evidence").content).good
    assert checkpoint(client).size > before
    assert client.get("/readyz").json()["unsealed_events"] == 0


def test_without_a_key_there_is_no_evidence_of_what_is_not_sealed(ledger_url: str, rounds: list[str]):
    (fresh,) = record(ledger_url, "uth-club", 1)
    with open_service(ledger_url) as bare:
        assert bare.get(f"/v1/rounds/{rounds[0]}/evidence").status_code == 200
        answer = bare.get(f"/v1/rounds/{fresh}/evidence")
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


@pytest.mark.parametrize("role", ["terminal", "floor", "cage", "counter", "accounting", "admin"])
def test_entries_and_tiles_are_the_auditors_alone(client, role: str):
    """Counts are blind, and a count is an event like any other."""
    for path in ("/v1/log/tile/0/000", "/v1/log/tile/entries/000"):
        assert client.get(path, headers=bearer(token(role))).status_code == 403
    assert client.get("/v1/log/checkpoint", headers=bearer(token(role))).status_code == 200


# ---- a running service, and a witness on another machine


@pytest.fixture
def address(ledger_url: str, rounds: list[str], keys: Path) -> Iterator[str]:
    """A server that seals by itself."""
    ledger = Ledger(ledger_url)
    app = create_app(ledger, Settings(follow=False, log_keys=str(keys)))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        ledger.close()


def until(condition) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_witness_follows_a_service_that_seals(address: str, ledger_url: str, tmp_path: Path):
    witness, log = Witness(tmp_path, "auditor.example/w1"), RemoteLog(address)

    def look() -> Checkpoint:
        return witness.look(log.checkpoint(), log.prove, 1_790_000_000, offered=log.keys())

    first = look()
    record(ledger_url, "uth-sd", 2)
    until(lambda: parse_checkpoint(log.checkpoint()).size > first.size)
    second = look()
    assert second.size > first.size
    assert second.note.signed_by([witness.key])
    with pytest.raises(Refused, match=r"^shorter"):
        witness.look(first.text(), log.prove, 1_790_000_000)
    # A log that never signed what the witness has seen proves nothing, and that is no failure of the network.
    with pytest.raises(Refused, match=r"^unproved.*No checkpoint was signed at 1 events"):
        log.prove(1, second.size)


def test_examples_are_those_of_a_log():
    assert parse_checkpoint(examples.CHECKPOINT).size == 20852

"""Boxes counted by a machine's file over HTTP: blind like any count, beside a typed one, and each file once."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from tests.api.service import KEY, open_service
from tests.tables_in_play import bank_round

SETTINGS = Settings(token_key=KEY)
ROLES = {"acct-1": "accounting", "floor-1": "floor"}
MACHINE = 'denomination = "D"\npieces = "P"\n'
WITH_BOXES = f'box = "B"\n{MACHINE}'
FILE = b"D,P\r\n1.00,3\r\n0.59,1\r\n"
DIGEST = sha256(FILE).hexdigest()
FIGURES = ("3.59", "359", "0.59", DIGEST, b64encode(FILE).decode())


@pytest.fixture(scope="module")
def client(ledger_url: str) -> Iterator[Any]:
    """Three boxes off their tables."""
    ledger = Ledger(ledger_url)
    actor = Actor("floor-1", 1_790_000_000_000)
    for table in ("m-1", "m-2", "m-3"):
        ledger.record(bank_round(table, round_id=f"{table}-r", end="void"), actor)
        Floor(ledger).swap_box(table, f"{table}-box-2", "S-1", "cage-1", actor)
    ledger.close()
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        for name, text in (("one", MACHINE), ("many", WITH_BOXES)):
            assert client.put(f"/v1/machines/{name}", json={"text": text}, headers=bearer("acct-1")).status_code == 200
        yield client


def bearer(by: str) -> dict[str, str]:
    role = ROLES.get(by, "counter")
    return {"Authorization": f"Bearer {make_token(KEY, SETTINGS, by, role, None, 1.0)[0]}"}


def sent(client: Any, by: str, box: str, content: bytes = FILE, of: str = "", key: str = "") -> Any:
    body = {"machine": "one", "file": b64encode(content).decode()}
    headers = bearer(by) | ({"Idempotency-Key": key} if key else {})
    return client.post(f"/v1/boxes/{box}-box-1/counts/file{of}", json=body, headers=headers)


def test_a_file_is_one_of_the_counts_and_stays_blind_until_a_typed_one_agrees(client: Any):
    shown = sent(client, "count-1", "m-1", of="/preview").json()
    assert shown == {"pieces": {"1.00": 3, "0.59": 1}, "total": "3.59", "file_sha256": DIGEST}
    stored = sent(client, "count-1", "m-1", key="k")
    assert (stored.status_code, stored.json()["counts"]) == (200, 1)
    assert sent(client, "count-1", "m-1", key="k").json() == stored.json()
    # The second one is typed, whoever has the file; that tells nothing of what is in it.
    for content in (FILE, b"D,P\r\n1.00,4\r\n"):
        refused = sent(client, "count-2", "m-1", content)
        assert (refused.status_code, refused.json()["code"]) == (409, "bad_choice")
        assert refused.json()["detail"].startswith(
            "count-1 has already read a count of box m-1-box-1 from a file of one"
        )
    for by in ("count-2", "acct-1", "floor-1"):
        paths = ["/v1/boxes/m-1-box-1/history", "/drop/m-1-box-1"]
        paths += ["/v1/reports/machine-counts"] if by == "acct-1" else []
        for path in paths:
            text = client.get(path, headers=bearer(by)).text
            assert [figure for figure in FIGURES if re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", text)] == []
    typed = {"pieces": {"1.00": 3, "0.59": 1}}
    client.post("/v1/boxes/m-1-box-1/counts", json=typed, headers=bearer("count-2"))
    history = client.get("/v1/boxes/m-1-box-1/history", headers=bearer("acct-1")).json()
    counts = [moment for moment in history["moments"] if moment["what"] == "counted"]
    assert [(count["by"], count["machine"], count["file"], count["total"]) for count in counts] == [
        ("count-1", "one", DIGEST, "3.59"),
        ("count-2", None, None, "3.59"),
    ]
    (row,) = [
        row
        for row in client.get("/v1/reports/machine-counts", headers=bearer("acct-1")).json()
        if row["box"] == "m-1-box-1"
    ]
    figures = [row[name] for name in ("counter", "file", "boxes_of_file", "by_machine", "counted", "difference")]
    assert figures == ["count-1", DIGEST, 1, "3.59", "3.59", "0.00"]


def test_the_same_file_for_another_box_is_recognised_unless_it_says_which_line_is_whose(client: Any):
    own = b"D,P\n1.00,2\n"
    assert sent(client, "count-3", "m-2", own).status_code == 200
    refused = sent(client, "count-3", "m-3", own, of="/preview")
    assert refused.json()["detail"] == "You have already read this file for box m-2-box-1."
    assert sent(client, "count-3", "m-3", own).status_code == 409
    # Somebody else's file is not compared: the answer would say what is in it. The report does, once it may.
    client.post("/v1/boxes/m-2-box-1/counts", json={"pieces": {"1.00": 2}}, headers=bearer("count-5"))
    assert sent(client, "count-4", "m-3", own).status_code == 200
    client.post("/v1/boxes/m-3-box-1/counts", json={"pieces": {"1.00": 2}}, headers=bearer("count-5"))
    rows = client.get("/v1/reports/machine-counts", headers=bearer("acct-1")).json()
    assert {row["box"]: row["boxes_of_file"] for row in rows if row["counter"] in ("count-3", "count-4")} == {
        "m-2-box-1": 2,
        "m-3-box-1": 2,
    }


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        ({"machine": "one", "file": "no base64!"}, 400, "Base64"),
        ({"machine": "one", "file": ""}, 409, "has no count in it"),
        ({"machine": "one", "file": b64encode(b"D\n1\n").decode()}, 409, "has no column 'P'"),
        ({"machine": "many", "file": b64encode(FILE).decode()}, 409, "has no column 'B'"),
        ({"machine": "none", "file": b64encode(FILE).decode()}, 409, "There is no count machine none."),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_words(client: Any, body: dict[str, str], status: int, why: str):
    for of in ("", "/preview"):
        refused = client.post(f"/v1/boxes/m-1-box-1/counts/file{of}", json=body, headers=bearer("count-9"))
        assert refused.status_code == status
        assert why in refused.json()["detail"]


def test_accounting_describes_machines_and_counters_use_them(client: Any):
    body = {"text": WITH_BOXES}
    assert client.put("/v1/machines/mine", json=body, headers=bearer("count-1")).status_code == 403
    refused = client.put("/v1/machines/mine", json={"text": "x = 1"}, headers=bearer("acct-1"))
    assert (refused.status_code, refused.json()["code"]) == (409, "bad_document")
    assert "line 1: `x` is not known" in refused.json()["detail"]
    listed = client.get("/v1/machines", headers=bearer("count-1")).json()["machines"]
    assert [(one["machine"], one["text"]) for one in listed] == [("many", WITH_BOXES), ("one", MACHINE)]
    assert sent(client, "acct-1", "m-1").status_code == 403

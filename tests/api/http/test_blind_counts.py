"""Two people count a box, and neither learns what the other found or what it should hold, whatever they ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from tests.api.service import KEY, open_service
from tests.tables_in_play import bank_round

SETTINGS = Settings(token_key=KEY)
BOX = "t-1-box-1"
# Odd amounts, so that they can be found: what it should hold is seven fees of $1.00.
FIRST, SECOND = {"1.00": 4, "0.37": 1}, {"1.00": 3, "0.59": 1}
FIGURES = {"count-1": ("4.37", "437", "0.37"), "count-2": ("3.59", "359", "0.59"), "expected": ("7.00", "700")}


def bearer(by: str, role: str = "counter") -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(KEY, SETTINGS, by, role, None, 1.0)[0]}"}


@pytest.fixture(scope="module")
def locked(ledger_url: str) -> Iterator[Any]:
    """A service with authentication, and a box with seven fees that has been taken off its table."""
    ledger = Ledger(ledger_url)
    actor = Actor("floor-1", 1_790_000_000_000)
    for number in range(7):
        ledger.record(bank_round("t-1", round_id=f"r-{number}", end="void"), actor)
    Floor(ledger).swap_box("t-1", "t-1-box-2", "S-1", "cage-1", actor)
    ledger.close()
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        yield client


def seen(client: Any, by: str) -> str:
    """What a counter reads of boxes. Everything else that they could ask for is in tests/security."""
    paths = ("/v1/boxes", f"/v1/boxes/{BOX}/history", "/drop", f"/drop/{BOX}")
    return "\n".join(client.get(path, headers=bearer(by)).text for path in paths)


def hidden(text: str, *whose: str) -> None:
    for who in whose:
        for figure in FIGURES[who]:
            found = re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d])", text)
            assert found is None, f"{figure} of {who}: {text[max(0, found.start() - 200) : found.end() + 50]}"


def count(client: Any, by: str, pieces: dict[str, int], key: str) -> Any:
    headers = {**bearer(by), "Idempotency-Key": key}
    return client.post(f"/v1/boxes/{BOX}/counts", json={"pieces": pieces}, headers=headers)


def test_counters_learn_no_figure_but_their_own(locked):
    hidden(seen(locked, "count-1"), *FIGURES)
    answer = count(locked, "count-1", FIRST, "k-1")
    assert answer.status_code == 200
    hidden(answer.text, "expected")
    hidden(seen(locked, "count-2"), *FIGURES)
    hidden(seen(locked, "count-1"), "count-2", "expected")
    # Neither a guess at the other's request nor a second count tells anything.
    hidden(count(locked, "count-2", SECOND, "k-1").text, "count-1", "expected")
    again = count(locked, "count-1", SECOND, "k-2")
    assert again.status_code == 409
    hidden(again.text, "count-2", "expected")
    for by, other in (("count-1", "count-2"), ("count-2", "count-1"), ("count-3", "count-1")):
        hidden(seen(locked, by), other, "expected")
    # They differ, so a third one counts; figures stay closed to all of them until the box is signed off.
    third = count(locked, "count-3", FIRST, "k-1")
    assert third.json()["status"] == "counted"
    for by, *others in (("count-1", "count-2", "expected"), ("count-2", "count-1", "expected")):
        hidden(seen(locked, by), *others)


def test_accounting_sees_them_once_two_agree(locked):
    history = locked.get(f"/v1/boxes/{BOX}/history", headers=bearer("acc-1", "accounting")).json()
    assert (history["status"], history["expected"], history["counted"], history["variance"], history["fees"]) == (
        "variance",
        "7.00",
        "4.37",
        "-2.63",
        7,
    )
    counts = [(moment["by"], moment["total"]) for moment in history["moments"] if moment["what"] == "counted"]
    assert counts == [("count-1", "4.37"), ("count-2", "3.59"), ("count-3", "4.37")]
    assert history["moments"][2]["pieces"] == {"1.00": 4, "0.37": 1}
    (listed,) = locked.get("/v1/boxes", params={"status": "variance"}, headers=bearer("acc-1", "accounting")).json()[
        "boxes"
    ]
    assert (listed["box"], listed["variance"], listed["counters"]) == (BOX, "-2.63", ["count-1", "count-2", "count-3"])
    assert listed["removed_by"] == ["floor-1", "cage-1"]


def test_a_list_goes_on_where_the_page_before_ended(locked):
    headers = bearer("acc-1", "accounting")
    first = locked.get("/v1/boxes", params={"limit": 1}, headers=headers).json()
    second = locked.get("/v1/boxes", params={"limit": 1, "cursor": first["cursor"]}, headers=headers).json()
    assert [page["boxes"][0]["box"] for page in (first, second)] == ["t-1-box-2", BOX]
    assert second["cursor"] is None
    refused = locked.get("/v1/boxes", params={"cursor": "nonsense"}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "bad_choice")


def test_a_box_that_was_never_there_has_no_history(locked):
    assert locked.get("/v1/boxes/b-none/history", headers=bearer("acc-1", "accounting")).status_code == 404

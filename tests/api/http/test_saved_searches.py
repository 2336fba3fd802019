"""Saved searches over HTTP and on the page: kept under a name, shared with a role, opened and deleted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from infra.access.saved_searches import MOST_OF_A_PERSON
from infra.access.staff import Staff
from infra.store.database import Database
from tests.api.http.test_disputes import bearer
from tests.api.service import KEY, open_service, register_in

OLI, PIA, RAJ = bearer("audit-oli", "auditor"), bearer("audit-pia", "auditor"), bearer("floor-raj", "floor")
COMPLAINT = "weekday=tuesday&part_of_day=evening&happened=split&lost_about=60.00"


@pytest.fixture(scope="module")
def locked(ledger_url: str) -> Iterator[Any]:
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        register_in(ledger_url, ("audit-oli", "auditor"), ("audit-pia", "auditor"), ("floor-raj", "floor"))
        yield client


def save(client: Any, who: dict[str, str], name: str, search: str = COMPLAINT, **more: Any) -> Any:
    return client.post("/v1/searches", json={"name": name, "search": search, **more}, headers=who)


def names(client: Any, who: dict[str, str]) -> list[str]:
    return [one["name"] for one in client.get("/v1/searches", headers=who).json()["searches"]]


def number_of(client: Any, who: dict[str, str], name: str) -> int:
    found = client.get("/v1/searches", headers=who).json()["searches"]
    return next(int(one["number"]) for one in found if one["name"] == name)


def test_a_search_is_saved_opened_replaced_and_deleted_by_whoever_saved_it(locked):
    saved = save(locked, OLI, "Complaint", f"{COMPLAINT}&limit=5&cursor=x&unheard=of").json()
    assert (saved["search"], saved["saved_by"], saved["shared_with"]) == (COMPLAINT, "audit-oli", None)
    assert locked.get(f"/v1/rounds?{saved['search']}", headers=OLI).status_code == 200
    assert save(locked, OLI, "Complaint", "table=t1&sort=lost").json()["number"] == saved["number"]
    assert (names(locked, OLI), names(locked, PIA)) == (["Complaint"], [])
    assert locked.delete(f"/v1/searches/{saved['number']}", headers=PIA).status_code == 404
    assert locked.delete(f"/v1/searches/{saved['number']}", headers=OLI).json() == {"searches": []}


def test_a_role_sees_what_is_shared_with_it_and_deletes_it_once_its_owner_has_left(locked, ledger_url: str):
    save(locked, OLI, "Of the auditors", shared_with="auditor")
    save(locked, OLI, "Own")
    save(locked, PIA, "apart", shared_with="floor")
    assert names(locked, PIA) == ["apart", "Of the auditors"], "their own come first"
    assert names(locked, RAJ) == ["apart"]
    shared = number_of(locked, PIA, "Of the auditors")
    assert locked.delete(f"/v1/searches/{shared}", headers=PIA).status_code == 404
    with closing(Database(ledger_url)) as database:
        Staff(database).change("audit-oli", "tests", disabled=True)
    assert locked.delete(f"/v1/searches/{shared}", headers=RAJ).status_code == 404
    assert locked.delete(f"/v1/searches/{shared}", headers=PIA).status_code == 200
    with closing(Database(ledger_url)) as database:
        Staff(database).change("audit-oli", "tests", disabled=False)
    assert names(locked, OLI) == ["Own"]


@pytest.mark.parametrize(
    ("name", "search", "status", "says"),
    [
        ("Nothing", "limit=5", 409, "at least one filter"),
        ("No day", "weekday=someday", 400, "`weekday`"),
        ("No amount", "lost_about=-3", 400, "`lost_about`"),
        (" ", COMPLAINT, 409, "A name is one line"),
        ("x" * 61, COMPLAINT, 400, "`name`"),
        ("Blank", "a b", 400, "`search`"),
    ],
)
def test_what_is_no_search_is_refused_with_the_reason(locked, name: str, search: str, status: int, says: str):
    refused = save(locked, RAJ, name, search)
    assert (refused.status_code, says in refused.json()["detail"]) == (status, True), refused.text


def test_nobody_saves_without_end(locked):
    for number in range(MOST_OF_A_PERSON):
        assert save(locked, RAJ, f"n{number}").status_code == 201
    assert save(locked, RAJ, "one more").status_code == 409
    assert save(locked, RAJ, "n7", "table=t1").status_code == 201


def test_the_page_saves_lists_and_deletes_a_search(ledger_url: str):
    html = {"Accept": "text/html"}
    with open_service(ledger_url) as client:
        form = client.get(f"/hands?{COMPLAINT}", headers=html).text
        assert "Save this search" in form
        sent = {"csrf": form.partition('name="csrf" value="')[2].partition('"')[0], "search": COMPLAINT, "do": "save"}
        page = client.post("/hands/saved", data={**sent, "name": "Sixty dollars"}, headers=html)
        assert page.url.query.decode() == COMPLAINT
        assert "Saved as “Sixty dollars”." in page.text
        (one,) = (s for s in client.get("/hands/saved?format=json").json()["saved"] if s["name"] == "Sixty dollars")
        assert one["words"] == ["weekday tuesday", "time of day evening", "split", "loss 60.00"]
        refused = client.post("/hands/saved", data={**sent, "search": "weekday=x", "name": "Bad"}, headers=html)
        assert (refused.status_code, "Save this search" in refused.text) == (400, True)
        gone = client.post("/hands/saved", data={**sent, "do": "delete", "number": str(one["number"])}, headers=html)
        assert "The search is deleted." in gone.text
        assert "Sixty dollars" not in client.get("/hands", headers=html).text

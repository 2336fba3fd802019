"""The badge of the replay page: what the browser itself finds when it holds a round against the log."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from infra.ledger.ledger import Actor, Ledger
from infra.log.checkpoints import parse_checkpoint
from infra.log.merkle import LEAF, root_from_inclusion
from infra.log.sealer import Sealer
from tests.api.pages.conftest import Site, serving
from tests.databases import migrated_database
from tests.domain.replayed_rounds import bank_runs_dry, four_hands
from tests.sealed_ledger import as_superuser

START_MS = 1_772_900_000_000


@pytest.fixture(scope="module")
def logged(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Three rounds that are sealed, one of them changed since by somebody who could, and one that is not sealed."""
    with migrated_database(server_url) as url:
        ledger = Ledger(url)
        changed = {**bank_runs_dry(), "round": "changed-since", "table": "u3"}
        for document in (four_hands(), bank_runs_dry(), changed):
            assert ledger.record(document, Actor("dealer-1", START_MS))["status"] == "settled"
        with Sealer(url, tmp_path_factory.mktemp("keys")) as sealer:
            sealer.seal()
        later = {**bank_runs_dry(), "round": "not-sealed", "table": "u4"}
        assert ledger.record(later, Actor("dealer-1", START_MS))["status"] == "settled"
        ledger.note("four-hands", "other", "After the seal.", None, Actor("floor-1", START_MS))
        ledger.close()
        with as_superuser(url) as connection:
            connection.execute(
                "UPDATE roundledger.events SET state = convert_to(replace(convert_from(state, 'UTF8'), '10000,7500,0', "
                "'10000,9500,0'), 'UTF8') WHERE originator_version = 38 AND originator IN (SELECT originator FROM "
                "roundledger.events WHERE originator_version = 1 "
                "AND convert_from(state, 'UTF8') LIKE '%changed-since%')"
            )
        with serving(url) as site:
            yield site


def judged(page: Page, site: Site, round_id: str) -> tuple[str, str, str]:
    page.goto(f"{site.url}/rounds/{round_id}")
    badge = page.locator("#seal[data-state]")
    expect(badge).to_be_visible()
    return badge.get_attribute("data-state") or "", badge.inner_text(), page.locator("#seal-more").inner_text()


def log_of(site: Site, round_id: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{site.url}/v1/rounds/{round_id}/log").json()
    return found


def test_a_sealed_round_is_verified_in_the_browser(logged: Site, page: Page):
    state, words, more = judged(page, logged, "bank-runs-dry")
    assert (state, words) == ("verified", "verified in this browser")
    log = log_of(logged, "bank-runs-dry")
    first, last = log["entries"][0]["index"], log["entries"][-1]["index"]
    assert f"44 events of this round stand at {first} to {last} in the log" in more
    assert f"Signed by {'+'.join(log['keys'][0].split('+')[:2])}." in more


def test_what_is_not_sealed_yet_says_so(logged: Site, page: Page):
    assert judged(page, logged, "not-sealed")[:2] == ("unsealed", "not yet sealed")
    assert judged(page, logged, "four-hands")[:2] == ("unsealed", "1 of 46 events not yet sealed")


def test_a_row_that_was_changed_in_the_database_is_named(logged: Site, page: Page):
    state, words, more = judged(page, logged, "changed-since")
    assert (state, words) == ("mismatch", "MISMATCH: step 38 is not as it was sealed")
    assert "tell an auditor" in more
    expect(page.locator("#step-38")).to_contain_text("$95.00")  # which is what the page shows, and what is wrong


Answer = dict[str, Any]


def _other_byte(answer: Answer) -> None:
    entry = bytearray(b64decode(answer["entries"][20]["entry"]))
    entry[12] ^= 1  # of the time at which it was recorded, which the page does not show
    answer["entries"][20]["entry"] = b64encode(entry).decode()


def _other_amount(answer: Answer) -> None:
    entry = b64decode(answer["entries"][37]["entry"]).replace(b'"win"', b'"won"')
    answer["entries"][37]["entry"] = b64encode(entry.replace(b"10000,7500,0", b"10000,7400,0")).decode()


def _one_less(answer: Answer) -> None:
    answer["entries"].pop()


def _two_exchanged(answer: Answer) -> None:
    entries = answer["entries"]
    entries[3], entries[4] = entries[4], entries[3]


def _other_path(answer: Answer) -> None:
    answer["entries"][5]["path"].reverse()


def _other_root(answer: Answer) -> None:
    lines = answer["checkpoint"].split("\n")
    lines[2] = b64encode(bytes(32)).decode()
    answer["checkpoint"] = "\n".join(lines)


def _other_key(answer: Answer) -> None:
    name, id_, key = answer["keys"][0].split("+", 2)
    answer["keys"] = [f"{name}+{id_}+{b64encode(b64decode(key)[:1] + bytes(32)).decode()}"]


def _other_round(answer: Answer) -> None:
    answer["round"] = "four-hands"


def _not_base64(answer: Answer) -> None:
    answer["entries"][0]["entry"] = "*"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_other_byte, "MISMATCH: step 21 is not as it was sealed"),
        (_other_amount, "MISMATCH: the settlement line of step 38 differs from what is stored"),
        (_one_less, "MISMATCH: step 44 is on this page and no longer stored"),
        (_two_exchanged, "MISMATCH: step 4 is another event in the log"),
        (_other_path, "MISMATCH: step 6 is not as it was sealed"),
        (_other_root, "MISMATCH: the checkpoint is not signed by a key of this log"),
        (_other_key, "MISMATCH: the checkpoint is not signed by a key of this log"),
        (_other_round, "MISMATCH: step 1 belongs to another round in the log"),
        (_not_base64, "MISMATCH"),
    ],
)
def test_whatever_is_changed_on_the_way_is_found(
    logged: Site, page: Page, change: Callable[[Answer], None], words: str
):
    def forge(route: Route) -> None:
        answer = route.fetch().json()
        change(answer)
        route.fulfill(content_type="application/json", body=json.dumps(answer))

    page.route("**/v1/rounds/*/log", forge)
    assert judged(page, logged, "bank-runs-dry")[:2] == ("mismatch", words)


def test_a_browser_without_ed25519_says_what_it_did_not_check(logged: Site, page: Page):
    page.add_init_script("crypto.subtle.importKey = () => Promise.reject(new Error('not known'))")
    state, words, more = judged(page, logged, "bank-runs-dry")
    assert (state, words) == ("partly", "sealed; the signature was not checked")
    assert "does not know Ed25519" in more


def test_the_paths_lead_to_the_root_for_others_too(logged: Site):
    log = log_of(logged, "bank-runs-dry")
    checkpoint = parse_checkpoint(log["checkpoint"])
    hashes = [b64decode(hash_) for hash_ in log["hashes"]]

    for entry in log["entries"]:
        leaf = sha256(LEAF + b64decode(entry["entry"])).digest()
        path = [hashes[number] for number in entry["path"]]
        assert root_from_inclusion(leaf, entry["index"], checkpoint.size, path) == checkpoint.root
    assert len(hashes) < 2 * len(log["entries"]) + 20


def test_a_ledger_without_a_log(server_url: str, page: Page):
    with migrated_database(server_url) as url:
        ledger = Ledger(url)
        ledger.record(four_hands(), Actor("dealer-1", START_MS))
        ledger.close()
        with serving(url) as site:
            assert judged(page, site, "four-hands")[:2] == ("unsealed", "not yet sealed")
            assert httpx.get(f"{site.url}/v1/rounds/none-such/log").status_code == 404

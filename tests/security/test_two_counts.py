"""Two ledgers that differ in how many rounds a table has played with its box, and so in what the box should hold, and
in a count of it that is still sealed, answer alike to whoever may count: not the figures alone, but nothing that
follows from them. Only the size of the log, which is everybody's, tells them apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from infra.access.role_matrix import why_apart
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.log.sealer import seal_now
from projections.engine.runner import Runner
from tests.api.operations import OPERATIONS, PAGE_PATHS
from tests.api.service import KEY, open_service, read
from tests.databases import migrated_database
from tests.projections.simulated_floor import NOON_MS
from tests.security.test_blind_counts import GAMING_DAY, SCHEDULE, bearer
from tests.security.test_two_worlds import RANDOM, filled
from tests.tables_in_play import bank_round, progressive_round

ROUNDS, COUNTED = (2, 5), ({100_00: 3}, {100_00: 7})  # in either
# Whoever counts may have these roles too.
ROLES = [role for role in ("terminal", "floor", "cage", "counter", "admin") if not why_apart("counter", role)]
EXCEPT = ("/v1/log/checkpoint", "/readyz", "/metrics")
PLACES = {
    **{"table": "t-1", "box": "t-1-box-1", "round": "r-1", "bettor": "a", "ruleset": "uth-bgc", "name": "collections"},
    **{"day": GAMING_DAY, "period": GAMING_DAY, "number": "1", "tile": "000.p/9", "level": "0"},
}
SEARCHED = ("r", "t", "a", "2026-09-21")


@pytest.fixture(scope="module")
def worlds(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    with ExitStack() as stack:
        clients = []
        for world in (0, 1):
            url, keys = stack.enter_context(migrated_database(server_url)), tmp_path_factory.mktemp("keys")
            ledger = Ledger(url)
            try:
                play(ledger, ROUNDS[world], COUNTED[world])
            finally:
                ledger.close()
            with Runner(url) as runner:
                runner.catch_up()
            seal_now(url, keys)
            service = open_service(url, token_key=KEY, rate_limit=0, follow=True, seal=False, log_keys=str(keys))
            clients.append(stack.enter_context(service))
        yield clients


def play(ledger: Ledger, rounds: int, pieces: dict[int, int]) -> None:
    """Several banks, each with one fee; the last one is the same, as everybody sees who sits at the table."""
    banks = [*[("a", 7), ("b", 6), ("c", 5), ("d", 4)][: rounds - 1], ("e", 3)]
    for number, bank in enumerate(banks, start=1):
        terms: dict[str, Any] = {"ruleset": "uth-bgc", "trips": "UTH-01", "schedule": SCHEDULE}
        raw = bank_round("t-1", *bank, **terms, round_id=f"r-{number}", end="void" if number > 1 else "settle")
        assert ledger.record(raw, Actor("floor-0", NOON_MS + number))["error"] is None
    house = {**progressive_round("t-2", {}), "round": "house-1"}
    assert ledger.record(house, Actor("floor-0", NOON_MS + 10))["error"] is None
    floor = Floor(ledger)
    floor.swap_box("t-1", "t-1-box-2", "S-1", "cage-0", Actor("floor-0", NOON_MS + 20))
    floor.count_box("t-1-box-1", pieces, Actor("count-9", NOON_MS + 30))


def addresses(role: str) -> Iterator[str]:
    """Of this table, and of one that nobody counts at."""
    reads = [it for it in OPERATIONS if it.method == "GET" and not it.streams and it.path not in EXCEPT]
    for operation in reads:
        if operation.roles is None or role in operation.roles:
            path = filled(operation.path, PLACES)
            yield path
            if "table" in {param.name for param in operation.params}:
                yield f"{path}?table=t-2"
    for path in PAGE_PATHS:
        yield from (filled(path, PLACES), filled(path, PLACES) + "?format=json&table=t-2")
    yield from (f"/v1/find?q={text}" for text in SEARCHED)


def answer(client: Any, address: str, headers: dict[str, str]) -> Any:
    found = read(client, address, {**headers, "X-Request-Id": "two-counts"})
    kind = found.headers.get("content-type", "")
    text = "" if kind.startswith(("application/pdf", "application/octet-stream")) else found.text
    return found.status_code, sorted(found.headers), found.headers.get("etag"), RANDOM.sub("*", text)


@pytest.mark.parametrize("role", ROLES)
def test_what_follows_from_rounds_and_counts_is_in_no_answer(worlds: list[Any], role: str):
    by, seen = f"both-{role}", 0
    for client in worlds:
        assert client.get("/v1/boxes", headers=bearer(by, "counter")).status_code == 200
    for address in addresses(role):
        one, other = (answer(client, address, bearer(by, role)) for client in worlds)
        assert one == other, address
        seen += one[0] == 200
    assert seen > 5


def test_the_two_are_not_the_same_to_the_books(worlds: list[Any]):
    for address in ("/v1/boxes/t-1-box-1", "/v1/reports/collections", "/v1/tables", "/collections?format=json"):
        one, other = (answer(client, address, bearer("books-9", "accounting")) for client in worlds)
        assert (one[0], one != other) == (200, True), address


def test_the_sealed_count_is_in_no_report(worlds: list[Any]):
    """Nor is it for those who keep the books."""
    for address in ("/v1/boxes/t-1-box-1/history", "/v1/reports/machine-counts", "/v1/reports/journal"):
        for client in worlds:
            text = answer(client, address, bearer("books-9", "accounting"))[3]
            assert not any(f"{100 * number}.00" in text for pieces in COUNTED for number in pieces.values()), address

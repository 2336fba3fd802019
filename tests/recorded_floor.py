"""A small floor on which everything happens that can happen: for an audit to find nothing in, until it is spoilt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from domain.disputes import disputes
from domain.disputes.disputes import Claim
from domain.floor.table_sessions import ChipsBought, ChipsCashed, TrayCredited, TrayFilled
from domain.round.corrections import Entry
from domain.round.events import PaymentReported
from domain.round.replay import fact_documents
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.log.sealer import Sealer
from projections.engine.runner import Runner
from tests.databases import migrated_database, new_database
from tests.projections.simulated_floor import NOON_MS, record, simulated
from tests.tables_in_play import METER, REST, bank_round, progressive_round

DEALER, SECOND, THIRD, MANAGER = (Actor(by, NOON_MS) for by in ("d-1", "c-1", "c-2", "m-1"))
ROUNDS = 9  # simulated ones of each rule set


@pytest.fixture(scope="session")
def clean_url(server_url: str, keys: Path) -> Iterator[str]:
    """Of the floor as it was recorded. Nobody writes to it."""
    with migrated_database(server_url) as url:
        play_floor(url, keys)
        yield url


@pytest.fixture
def copied(server_url: str, clean_url: str) -> Iterator[Callable[[], str]]:
    """Makes copies of the floor, which a test may spoil."""
    original = str(conninfo_to_dict(clean_url)["dbname"])
    with ExitStack() as stack:
        yield lambda: stack.enter_context(new_database(server_url, original))


def play_floor(url: str, keys: Path) -> None:
    """And sealed, all but the last round."""
    ledger = Ledger(url)
    try:
        play_everything(ledger)
        seal(url, keys)
        record(ledger, [bank_round("t-9", round_id="r-90")])
    finally:
        ledger.close()
    with Runner(url) as runner:
        runner.catch_up()


def seal(url: str, keys: Path) -> None:
    with Sealer(url, keys) as sealer:
        sealer.seal()


def play_everything(ledger: Ledger) -> None:
    """Simulated rounds of all rule sets over two days, and by hand what the simulation does not do."""
    record(ledger, simulated(ROUNDS, seed=21), apart_ms=45 * 60_000)
    floor = Floor(ledger)
    record(ledger, [bank_round("t-1", round_id="r-1", players={1: "p-1", 2: "p-2"}), bank_round("t-1", round_id="r-2")])
    voided = bank_round("t-1", "b", 6, round_id="r-3", end="void")
    record(ledger, [voided, bank_round("t-1", "b", 6, round_id="r-4", end="void")])
    ledger.waive_fee("r-3", "not dropped", "The shuffler stopped.", DEALER)
    ledger.waive_fee("r-4", "refunded", "A card was found on the floor.", DEALER)
    ledger.note("r-1", "late bet", "Seat 2 bet late.", 2, MANAGER)
    ledger.correct("r-1", "Paid to the wrong seat", "m-1", [Entry(1, "p-1", "ante", 500, "player-dealer")], DEALER)
    _correct_a_card(ledger, "r-2")
    floor.move_chips("t-1", ChipsBought("p-1", 50_000), DEALER)
    floor.move_chips("t-1", ChipsCashed("p-1", 20_000), DEALER)
    floor.swap_box("t-1", "t-1-box-2", "seal-7", "c-1", DEALER)
    for counter in (SECOND, THIRD):
        floor.count_blind("t-1-box-1", {100: 1}, counter)
    floor.reconcile_box("t-1-box-1", MANAGER, explanation="Counted twice, and short by it.")
    record(ledger, [bank_round("t-1", "c", 5, round_id="r-5")])
    floor.close_session("t-1", DEALER)
    _play_progressive(ledger, floor)
    _play_by_hand(ledger)
    _dispute(ledger, floor)
    floor.register_bettor("tp-1", "proposition", DEALER)


def _correct_a_card(ledger: Ledger, round_id: str) -> None:
    """The dealer's queens were kings."""
    stored = ledger.load(round_id)
    actions = fact_documents(entry.event for entry in stored.entries)
    at = next(at for at, action in enumerate(actions) if action.get("of") == "dealer")
    changes = {at: {**actions[at], "cards": ["Ks", "Kc"]}}
    ledger.correct_facts(round_id, changes, "The dealer's cards were misread", "m-1", "player-dealer", DEALER)


def _play_progressive(ledger: Ledger, floor: Floor) -> None:
    shared = {**METER, "id": "m-1"}
    tables = ("t-sd-1", "t-sd-2")
    record(ledger, [progressive_round(table, shared) for table in tables])
    record(ledger, [progressive_round("t-sd-1", shared, royal=True), progressive_round("t-sd-2", shared, end="void")])
    floor.adjust_meter("m-1", 300_000, 5_000, "A promotion", "m-1", DEALER)
    floor.count_tray("t-sd-1", 1_000_000, "opening", DEALER)
    floor.move_chips("t-sd-1", TrayFilled(100_000, "fill-1"), DEALER)
    floor.move_chips("t-sd-1", TrayCredited(50_000, "credit-1"), DEALER)
    record(ledger, [progressive_round("t-sd-1", shared)])
    floor.count_tray("t-sd-1", 1_000_000, "closing", DEALER)


def _play_by_hand(ledger: Ledger) -> None:
    """Action by action, with others played meanwhile; one entered late, one left open."""
    record(ledger, [bank_round("t-2", round_id="r-20", end="open")])
    ledger.note("r-20", "exposed card", "The board was seen.", None, MANAGER)
    record(ledger, [bank_round("t-3", round_id="r-30")])
    for action in REST:
        ledger.act("r-20", [action], DEALER)
    ledger.record(bank_round("t-3", round_id="r-31"), Actor("d-2", NOON_MS - 60_000, late=True))
    record(ledger, [bank_round("t-3", "d", 6, round_id="r-32", end="open")])


def _dispute(ledger: Ledger, floor: Floor) -> None:
    """A claim that is upheld, on a round whose dealer has reported what was paid; and a dealer who taps in and out."""
    floor.tap_in("t-sd-2", "d-7", DEALER)
    floor.tap_in("t-sd-2", "d-8", DEALER)
    record(ledger, [bank_round("t-4", round_id="r-40")])
    floor.tap_in("t-4", "d-9", DEALER)
    record(ledger, [bank_round("t-4", round_id="r-41")])
    line = next(line for line in ledger.load("r-30").round.lines if line.outcome == "lose")
    wager = (line.seat, line.bettor, line.hand, line.spot)
    ledger.dealer_paid("r-30", [PaymentReported(*wager, line.paid, line.collected)], DEALER)
    filed = Disputes(ledger)
    claim = Claim(line.seat, line.spot, "hand reading", line.wager, "My hand was better.", NOON_MS + 1, line.bettor)
    filed.open("r-30", claim, MANAGER, "d-30")
    said = "I read the hand aloud."
    filed.add("d-30", lambda dispute: disputes.give_statement(dispute, "d-1", "dealer", said), MANAGER)
    entries = [Entry(line.seat, line.bettor, line.spot, 1_000, "house", line.hand)]
    arbiter = Actor("a-1", NOON_MS)
    filed.rule("d-30", "partly upheld", "It was read wrongly", "a-2", entries, NOON_MS + 1, arbiter)


# ---- spoiling it


SEALED_OFF = ("events", "originators", "topics", "sealed_cards", "log_hashes", "log_checkpoints")


class Spoiler:
    """What a superuser can do with the triggers off, who then puts them on again as they were."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)

    def __enter__(self) -> Spoiler:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def run(self, statement: str, *values: Any) -> list[Any]:
        if statement.startswith("SELECT"):
            return self._connection.execute(statement.encode(), values).fetchall()
        with self._connection.transaction():
            self._guard("DISABLE TRIGGER {}")
            cursor = self._connection.execute(statement.encode(), values)
            found = cursor.fetchall() if cursor.description else []
            self._guard("ENABLE ALWAYS TRIGGER {}")
        return found

    def _guard(self, change: LiteralString) -> None:
        triggers = self._connection.execute(
            "SELECT relname, tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid "
            "WHERE NOT tgisinternal AND relnamespace = 'roundledger'::regnamespace AND relname = ANY(%s)",
            [list(SEALED_OFF)],
        ).fetchall()
        for table, trigger in triggers:
            statement = SQL("ALTER TABLE {} ").format(Identifier("roundledger", table))
            self._connection.execute(statement + SQL(change).format(Identifier(trigger)))

    def rows(self, topic: str, holding: str = "") -> list[tuple[int, int, int, list[Any]]]:
        """(position, originator, version, state) of the events of a topic whose text holds something."""
        found = self.run(
            "SELECT position, originator, originator_version, convert_from(state, 'UTF8') FROM roundledger.events "
            "JOIN roundledger.topics USING (topic_id) WHERE topic = %s AND strpos(convert_from(state, 'UTF8'), %s) > 0 "
            "ORDER BY position",
            topic,
            holding,
        )
        return [(position, originator, version, json.loads(state)) for position, originator, version, state in found]

    def round(self, round_id: str, topic: str) -> list[tuple[int, int, int, list[Any]]]:
        (opened,) = self.rows("round.opened.v2", f'["{round_id}",')
        return [row for row in self.rows(topic) if row[1] == opened[1]]

    def write(self, position: int, state: list[Any]) -> None:
        text = json.dumps(state, separators=(",", ":")).encode()
        self.run("UPDATE roundledger.events SET state = %s WHERE position = %s", text, position)

    def delete(self, position: int) -> None:
        self.run("DELETE FROM roundledger.events WHERE position = %s", position)

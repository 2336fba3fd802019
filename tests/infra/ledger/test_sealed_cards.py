"""With the reader's rights, nothing of a card that is face down can be found anywhere in the database."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import msgspec
import psycopg
import pytest
from psycopg import sql

from domain.cards import DECK
from infra.ledger.ledger import Ledger
from infra.ledger.record import document_digest
from infra.schema.migrator import READER_ROLE
from tests.domain.stored_rounds import cards_in
from tests.rules.hold_em import HoldEm
from tests.tables_in_play import ACTOR, REST, bank_round, document, new_table


@pytest.fixture
def ledger_and_reader(new_ledger) -> Iterator[tuple[Ledger, psycopg.Connection]]:
    """A ledger of the test's own, and a connection with the rights of whoever reads it."""
    url = new_ledger()
    ledger = Ledger(url)
    with psycopg.connect(url, autocommit=True) as reader:
        reader.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(READER_ROLE)))
        yield ledger, reader
    ledger.close()


def readable(reader: psycopg.Connection) -> dict[str, str]:
    """Everything that the reader can see in any table or view of any schema of ours, as text."""
    relations = reader.execute(
        "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND c.relkind IN ('r', 'v', 'm', 'p')"
    ).fetchall()
    assert ("roundledger", "events") in relations
    found = {}
    for schema, name in relations:
        try:
            query = sql.SQL("SELECT * FROM {}").format(sql.Identifier(schema, name))
            rows = reader.execute(query).fetchall()
        except psycopg.errors.InsufficientPrivilege:
            continue
        found[name] = "\n".join(as_text(value) for row in rows for value in row)
    return found


def as_text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def cards_readable(reader: psycopg.Connection) -> set[str]:
    return set().union(*(cards_in(text) for text in readable(reader).values()))


def test_the_reader_sees_events_and_no_openings(ledger_and_reader):
    ledger, reader = ledger_and_reader
    ledger.record(bank_round(new_table(), end="open"), ACTOR)
    assert {"events", "originators", "topics", "event_log"} <= readable(reader).keys()
    assert not {"sealed_cards", "receipts"} & readable(reader).keys()
    for statement in (
        "SELECT * FROM roundledger.sealed_cards",
        "SELECT count(*) FROM roundledger.sealed_cards",
        "SELECT card FROM roundledger.sealed_cards LIMIT 1",
        "COPY roundledger.sealed_cards TO STDOUT",
        "SELECT * FROM roundledger.receipts",
        "SET ROLE roundledger_service; SELECT * FROM roundledger.sealed_cards",
    ):
        if statement.startswith("SET ROLE"):
            continue  # the test's own login may do that; a reader's login is not a member of the other role
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(statement)


def test_a_card_can_be_read_from_the_moment_it_is_turned_over_and_not_before(ledger_and_reader):
    ledger, reader = ledger_and_reader
    raw = bank_round(new_table(), end="open")
    ledger.record({**raw, "actions": []}, ACTOR)
    seen: set[str] = set()
    for action in [*raw["actions"], *REST]:
        ledger.act(raw["round"], [action], ACTOR)
        turned = {
            "flop": {"Kd", "9c", "7h"},
            "turn_river": {"4s", "2d"},
            "dealer": {"Qs", "Qc"},
        }
        seen |= turned.get(action.get("of"), set())
        if action["do"] == "settle":
            seen |= {"As", "Ad"}  # the live hand; the threes were folded
        assert cards_readable(reader) == seen, action
    assert not cards_readable(reader) & {"3c", "3d"}


def test_a_whole_document_at_once_leaves_its_folded_hand_closed(ledger_and_reader):
    ledger, reader = ledger_and_reader
    assert ledger.record(bank_round(new_table()), ACTOR)["status"] == "settled"
    assert cards_readable(reader) == {"Kd", "9c", "7h", "4s", "2d", "Qs", "Qc", "As", "Ad"}


def test_a_voided_round_leaves_every_hand_closed(ledger_and_reader):
    ledger, reader = ledger_and_reader
    assert ledger.record(bank_round(new_table(), end="void"), ACTOR)["status"] == "void"
    assert cards_readable(reader) == set()


def test_the_hole_card_of_pure_21_5(ledger_and_reader):
    ledger, reader = ledger_and_reader
    play = HoldEm.at("p215-casino-club", banker=8, schedule=1).bet(1, game=25).close_bets()
    for place, card in ((1, "Ts"), ("dealer", "9h"), (1, "8c"), ("dealer", "7d")):
        play = play.deal(place, card)
    result = ledger.record(document(play, new_table()), ACTOR)
    assert result["error"] is None, result["error"]
    assert result["status"] == "open"
    assert cards_readable(reader) == {"Ts", "9h", "8c"}


def test_the_document_cannot_be_guessed_from_what_is_stored_of_it(ledger_and_reader):
    """Whoever knows all of a document but one hand could try every hand, if a plain digest of it could be read."""
    ledger, reader = ledger_and_reader
    raw = bank_round(new_table(), end="open")
    ledger.record(raw, ACTOR)
    stored = "\n".join(readable(reader).values())
    assert document_digest(raw) not in stored
    (deal,) = [action for action in raw["actions"] if action.get("to") == 2]
    for hand in combinations(DECK, 2):
        deal["cards"] = list(hand)
        plain = msgspec.json.encode(raw, order="deterministic")
        assert hashlib.sha256(plain).hexdigest()[:16] not in stored


def test_the_write_path_reads_its_cards_again(ledger_and_reader):
    ledger, _ = ledger_and_reader
    raw = bank_round(new_table(), end="open")
    ledger.record(raw, ACTOR)
    hands = ledger.load(raw["round"]).round.hands
    assert (hands[1], hands[2], hands["dealer"]) == (("As", "Ad"), ("3c", "3d"), ("Qs", "Qc"))

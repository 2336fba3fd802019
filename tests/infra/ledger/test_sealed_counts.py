"""A blind count is stored sealed: with the reader's rights no figure of it can be found before two counts agree."""

from __future__ import annotations

import re

import pytest

from domain.errors import Conflict
from domain.floor.drop_boxes import BoxCounted, BoxEvent, CountSealed, CountsOpened
from infra.aggregates.changes import Changes
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.store.streams import stream_id
from projections.engine.runner import Runner
from tests.infra.ledger.test_sealed_cards import ledger_and_reader, readable
from tests.tables_in_play import ACTOR, bank_round, new_table

__all__ = ["ledger_and_reader"]

# Odd amounts, so that they can be found.
FIRST, SECOND = {437: 3, 11: 1}, {359: 2, 13: 1}
FIGURES = ("437", "1322", "359", "731")


def removed_box(ledger: Ledger) -> str:
    table = new_table()
    ledger.record(bank_round(table), ACTOR)
    Floor(ledger).swap_box(table, f"{table}-box-2", "seal-1", "s-2", ACTOR)
    return f"{table}-box-1"


def events_of(ledger: Ledger, box: str) -> list[BoxEvent]:
    return [entry.event for entry in ledger.events.load(stream_id("box", box))][3:]


def found_in(reader, url: str) -> set[str]:
    """The figures that whoever reads can find anywhere, in the projections too."""
    with Runner(url) as runner:
        runner.catch_up()
    text = "\n".join(readable(reader).values())
    return {figure for figure in FIGURES if re.search(rf"(?<![\d.]){figure}(?!\d)", text)}


def test_nobody_reads_a_count_before_two_agree(ledger_and_reader):
    ledger, reader = ledger_and_reader
    url = ledger.events.recorder.database.url
    box = removed_box(ledger)
    floor = Floor(ledger)
    assert floor.count_box(box, FIRST, Actor("c-1", 1)).counted is None
    assert floor.count_box(box, SECOND, Actor("c-2", 1)).counted is None
    assert [type(event) for event in events_of(ledger, box)] == [CountSealed, CountSealed]
    assert found_in(reader, url) == set()
    assert floor.count_box(box, FIRST, Actor("c-3", 1)).counted == 1322
    assert [type(event) for event in events_of(ledger, box)] == [CountSealed] * 3 + [CountsOpened]
    assert found_in(reader, url) == set(FIGURES)


def test_each_count_has_a_salt_of_its_own(ledger_and_reader):
    ledger, _ = ledger_and_reader
    box = removed_box(ledger)
    for counter in ("c-1", "c-2"):
        Floor(ledger).count_box(box, FIRST, Actor(counter, 1))
    first, second, opened = events_of(ledger, box)
    assert isinstance(first, CountSealed)
    assert isinstance(second, CountSealed)
    assert isinstance(opened, CountsOpened)
    assert first.seal != second.seal
    assert len({count.salt for count in opened.counts}) == 2
    assert all(len(count.salt) == 16 for count in opened.counts)
    assert [count.seal for count in opened.counts] == [first.seal, second.seal]


def test_a_count_that_was_stored_open_is_counted_on(ledger_and_reader):
    """A box that was counted once before counts were sealed."""
    ledger, _ = ledger_and_reader
    box = removed_box(ledger)
    append = Changes(Actor("c-1", 1))
    append.add("box", box, 3, [BoxCounted("c-1", FIRST, 1322)])
    ledger.save_changes(append, "The box")
    assert Floor(ledger).count_box(box, FIRST, Actor("c-2", 1)).counted == 1322
    assert [type(event) for event in events_of(ledger, box)] == [BoxCounted, CountSealed, CountsOpened]


def test_an_opening_that_was_exchanged_is_not_believed(ledger_and_reader):
    ledger, reader = ledger_and_reader
    box = removed_box(ledger)
    Floor(ledger).count_box(box, FIRST, Actor("c-1", 1))
    reader.execute("RESET ROLE")
    reader.execute("ALTER TABLE roundledger.sealed_cards DISABLE TRIGGER ALL")
    reader.execute("UPDATE roundledger.sealed_cards SET card = '359x2,13x1' WHERE card = '11x1,437x3'")
    with pytest.raises(Conflict, match=r"by c-1 is not the one that was sealed\. Run an audit"):
        Floor(ledger).count_box(box, SECOND, Actor("c-2", 1))
    assert [type(event) for event in events_of(ledger, box)] == [CountSealed]

"""The property's name: the last one that was set counts, and what no paper can show is refused."""

from __future__ import annotations

import pytest

from infra.ledger.ledger import Ledger
from infra.ledger.property import (
    UNNAMED,
    BadProperty,
    LiveProperty,
    Property,
    properties_set,
    property_of,
    set_property,
)

HOUSE = Property("Harbor Card Club", "1 Example Wharf, Oakland")


def test_the_last_name_counts_and_every_change_is_listed(ledger: Ledger):
    database = ledger.events.recorder.database
    assert property_of(database) == UNNAMED
    set_property(database, Property("Harbour"), "ada")
    set_property(database, HOUSE, "bo")
    assert property_of(database) == HOUSE
    changes = [(one["name"], one["address"], one["set_by"]) for one in properties_set(database)]
    assert changes == [("Harbour", "", "ada"), (HOUSE.name, HOUSE.address, "bo")]


@pytest.mark.parametrize(
    "wrong",
    [
        Property(""),
        Property(" "),
        Property("a\nb"),
        Property("x" * 81),
        Property("a", "b\tc"),
        Property("a", "y" * 201),
    ],
)
def test_what_no_paper_can_show_is_refused(ledger: Ledger, wrong: Property):
    with pytest.raises(BadProperty):
        set_property(ledger.events.recorder.database, wrong, "ada")
    assert property_of(ledger.events.recorder.database) == UNNAMED


def test_a_process_shows_its_own_change_at_once(ledger: Ledger):
    live = LiveProperty(ledger.events.recorder.database)
    live.refresh()
    assert live.current == UNNAMED
    live.set(HOUSE, "ada")
    live.refresh()
    assert live.current == HOUSE

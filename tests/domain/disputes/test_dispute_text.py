"""The sentences of a dispute."""

from __future__ import annotations

import pytest

from domain.disputes.dispute_text import card_text
from domain.disputes.whatif import CardChange


@pytest.mark.parametrize(
    ("card", "text"),
    [
        (CardChange(3, 2, "Td"), "card 2 of seat 3 had been 10♦"),
        (CardChange(3, 2, "Td", hand=2), "card 2 of seat 3, hand 2 had been 10♦"),
        (CardChange("dealer", 1, "As"), "card 1 of the dealer had been A♠"),
    ],
)
def test_the_hand_of_another_card_is_named_where_there_are_several(card: CardChange, text: str):
    assert card_text(card) == text

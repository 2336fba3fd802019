"""What does not have its shape is said in words, without types and patterns."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.round.actions import Action
from domain.rules.terms import TermsDocument
from domain.shape_errors import in_words

BET = {"do": "bet", "seat": 1, "spot": "ante", "amount": "25.00"}


@pytest.mark.parametrize(
    ("shape", "value", "words"),
    [
        (Action, {"do": "bet"}, "`seat` is missing"),
        (Action, {"do": "raise"}, "`do` cannot be 'raise'"),
        (Action, ["bet"], "it has to be an object"),
        (Action, {**BET, "seat": "1"}, "`seat` has to be a whole number"),
        (Action, {**BET, "amount": None}, "`amount` has to be text"),
        (Action, {**BET, "tip": 1}, "`tip` is not a field here"),
        (Action, {**BET, "bettor": "P 1"}, "`bettor` is an id: lower-case letters, digits and hyphens, at most 40"),
        (Action, {"do": "deal", "to": 1.5, "cards": []}, "`to` has to be a whole number or text"),
        (Action, {"do": "deal", "to": 1, "cards": ["1x"]}, "`cards[0]` cannot be '1x'"),
        (
            Action,
            {"do": "decide", "seat": 1, "choice": "hit", "amount": "5"},
            "`amount` is an amount with two decimals, like 12.50",
        ),
        (TermsDocument, {"limits": {"ante": ["1.00"]}}, "`limits` has exactly 2 entries"),
        (TermsDocument, {"meter": {"seed": 1}}, "`meter.seed` has to be text"),
    ],
)
def test_in_words(shape: Any, value: Any, words: str):
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(value, shape)
    assert in_words(caught.value) == words

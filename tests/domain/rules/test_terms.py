"""Terms that a cardroom supplies, and what is missing or wrong in them."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import BadTerms
from domain.rules import rulesets
from domain.rules.terms import TermsDocument, resolve
from tests.rules.hold_em import HoldEm

LIMITS, TIERS = ["5.00", "500.00"], [["100.00", "1.00"], [None, "2.00"]]


def refused(**terms: Any) -> tuple[str, str]:
    error = HoldEm.at("uth-club", banker=7, **terms).adjudicated()["error"]
    return error["code"], error["detail"]


@pytest.mark.parametrize("schedule", [{"limits": LIMITS}, {"tiers": TIERS}, {}], ids=["tiers", "limits", "both"])
def test_a_supplied_schedule_needs_its_limits_and_its_tiers(schedule: dict[str, Any]):
    assert refused(schedule=schedule) == ("bad_terms", "A supplied schedule needs its limits and its tiers.")


@pytest.mark.parametrize(
    ("tiers", "detail"),
    [
        ([], "A schedule has one to 5 tiers."),
        ([*([f"{at}00.00", "1.00"] for at in range(1, 6)), [None, "2.00"]], "A schedule has one to 5 tiers."),
        ([["100.00", "1.00"]], "The last tier of a schedule, and only the last, has no upper bound."),
        ([[None, "1.00"], [None, "2.00"]], "The last tier of a schedule, and only the last, has no upper bound."),
        ([["2.00", "1.00"], ["2.00", "1.00"], [None, "2.00"]], "The upper bounds of a schedule's tiers must rise."),
        ([["3.00", "1.00"], ["2.00", "1.00"], [None, "2.00"]], "The upper bounds of a schedule's tiers must rise."),
    ],
    ids=["none", "six", "no last one", "two last ones", "equal", "falling"],
)
def test_the_tiers_of_a_supplied_schedule(tiers: list[list[str | None]], detail: str):
    assert refused(schedule={"limits": LIMITS, "tiers": tiers}) == ("bad_terms", detail)


def test_limits_that_leave_one_amount_are_limits():
    schedule = {"limits": ["5.00", "5.00"], "tiers": TIERS}
    table = HoldEm.at("uth-club", banker=7, schedule=schedule)
    assert table.bet(1, ante=5, blind=5).close_bets().result()["fee"]["amount"] == "1.00"
    upside_down = {"limits": ["5.00", "4.99"], "tiers": TIERS}
    assert refused(schedule=upside_down) == ("bad_terms", "Limits from 5.00 to 4.99 leave nothing to bet.")


def test_a_fixed_number_of_decks_is_in_the_terms():
    """A rule set that a property brings may fix it. Reports of the cards read it in what a round stores."""
    rules = rulesets.changed(rulesets.load("p215-casino-club"), {"decks.fewest": 6, "decks.most": 6})
    terms = resolve(rules, TermsDocument(schedule=1))
    assert (terms.decks, terms.document["decks"]) == (6, 6)
    assert resolve(rules, TermsDocument(schedule=1, decks=6)) == terms
    with pytest.raises(BadTerms) as refused:
        resolve(rules, TermsDocument(decks=5))
    assert refused.value.detail == "p215-casino-club is played with 6 decks."
    assert "decks" not in resolve(rulesets.load("uth-club"), TermsDocument()).document

"""What a property chooses and a table posts: which terms, from when on, until when."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import BadChoice, BadTerms
from domain.regulation.postings import (
    LONGEST_NOTICE,
    LONGEST_TEXT,
    MINUTE_MS,
    NOTHING_POSTED,
    PostingEvent,
    TablePostings,
    TermsChosen,
    choose,
    designate,
    fold,
    not_chosen,
    not_designated,
    not_posted,
    post,
    take_down,
)
from domain.rules import rulesets
from domain.rules.terms import TermsDocument, resolve

BLACKJACK = rulesets.load("p215-casino-club")
HOLDEM = rulesets.load("uth-casino-club")
TRIPS = rulesets.load("uth-bgc")  # with a choice of tables for trips
FIRST, THIRD = TermsDocument(schedule=1), TermsDocument(schedule=3)
NOON = 1_789_000_000_000


def ms(minutes: int) -> int:
    return NOON + minutes * MINUTE_MS


def posted(*events: tuple[PostingEvent, int]) -> TablePostings:
    return fold((event, "floor-1", at_ms) for event, at_ms in events)


def post_at(given: TermsDocument, minute: int, made: int | None = None) -> tuple[PostingEvent, int]:
    made = minute if made is None else made
    return post(BLACKJACK, given, "t-1", None, ms(minute), ms(made)), ms(made)


def schedule(postings: TablePostings, minute: int) -> Any:
    posting = postings.at(ms(minute))
    return None if posting is None else posting.posted.terms["schedule"]


# ---- what applies when


def test_a_posting_applies_from_its_moment_until_the_next_one_begins():
    postings = posted(post_at(FIRST, 0), post_at(THIRD, 60, made=30))
    assert [schedule(postings, minute) for minute in (-1, 0, 59, 60, 600)] == [None, 1, 1, 3, 3]
    assert [one.until_ms for one in postings.postings] == [ms(60), None]
    assert [one.notice_ms for one in postings.postings] == [0, 30 * MINUTE_MS]
    assert postings.since_ms == ms(0)


def test_a_posting_replaced_before_it_began_never_applies():
    postings = posted(post_at(FIRST, 60, made=0), post_at(THIRD, 30, made=10))
    assert [schedule(postings, minute) for minute in (29, 30, 60, 600)] == [None, 3, 3, 3]
    assert [one.until_ms for one in postings.postings] == [ms(30), None]


def test_an_end_does_not_move_the_end_of_an_earlier_posting():
    down = take_down(posted(post_at(FIRST, 0)), "t-1", ms(90), ms(80)), ms(80)
    postings = posted(post_at(FIRST, 0), post_at(THIRD, 60), down)
    assert [one.until_ms for one in postings.postings] == [ms(60), ms(90)]
    assert [schedule(postings, minute) for minute in (59, 89, 90)] == [1, 3, None]


def test_only_what_is_still_posted_is_taken_down():
    postings = posted(post_at(FIRST, 0))
    ended = posted(post_at(FIRST, 0), (take_down(postings, "t-1", ms(60), ms(50)), ms(50)))
    assert take_down(ended, "t-1", ms(59), ms(55)).from_ms == ms(59)
    for before, minute in ((NOTHING_POSTED, 0), (ended, 60)):
        with pytest.raises(BadChoice, match="Nothing is posted"):
            take_down(before, "t-1", ms(minute), ms(0))
    with pytest.raises(BadChoice, match="what is over"):
        take_down(postings, "t-1", ms(9), ms(10))


# ---- the property's choice


def test_a_choice_is_something_that_the_rule_set_has():
    chosen = choose(BLACKJACK, None, (3, 1, 3), {"game": ("10.00", "10.00")}, LONGEST_NOTICE)
    assert (chosen.schedules, chosen.limits, chosen.notice_minutes) == ((1, 3), {"game": (10_00, 10_00)}, 60 * 24 * 366)
    assert choose(TRIPS, "UTH-02", None, {}, 0).trips == "UTH-02"


@pytest.mark.parametrize(
    ("trips", "schedules", "limits", "notice"),
    [
        ("UTH-99", None, {}, 0),
        (None, (), {}, 0),
        (None, (1, 99), {}, 0),
        (None, None, {}, -1),
        (None, None, {}, LONGEST_NOTICE + 1),
        (None, None, {"play": ("5.00", "10.00")}, 0),
        (None, None, {"lucky": ("5.00", "10.00")}, 0),
        (None, None, {"ante": ("10.01", "10.00")}, 0),
    ],
)
def test_what_the_rule_set_does_not_have_is_no_choice(trips: Any, schedules: Any, limits: Any, notice: int):
    with pytest.raises((BadTerms, BadChoice)):
        choose(HOLDEM, trips, schedules, limits, notice)


def chosen_terms(**fields: Any) -> TermsChosen:
    plain: dict[str, Any] = {"trips": None, "schedules": None, "limits": {}, "notice_minutes": 0}
    return TermsChosen("p215-casino-club", **{**plain, **fields})


def test_a_posting_needs_the_notice_that_the_property_gives():
    chosen = chosen_terms(notice_minutes=30)
    assert post(BLACKJACK, FIRST, "t-1", chosen, ms(30), ms(0)).from_ms == ms(30)
    with pytest.raises(BadChoice, match="at least 30 minutes ahead"):
        post(BLACKJACK, FIRST, "t-1", chosen, ms(30) - 1, ms(0))
    with pytest.raises(BadChoice, match="what is over"):
        post(BLACKJACK, FIRST, "t-1", None, ms(0) - 1, ms(0))


@pytest.mark.parametrize(
    ("limits", "allowed"),
    [((10_00, 300_00), True), ((20_00, 300_00), True), ((5_00, 300_00), False), ((10_00, 301_00), False)],
)
def test_limits_are_within_those_of_the_property(limits: tuple[int, int], allowed: bool):
    low, high = (f"{cents / 100:.2f}" for cents in limits)
    terms = resolve(BLACKJACK, TermsDocument(schedule=1, limits={"game": (low, high)}))
    outside = list(not_chosen(chosen_terms(limits={"game": (10_00, 300_00), "buster": (5_00, 5_00)}), terms))
    assert [line for line in outside if " game " in line] == ([] if allowed else [outside[0]])


def test_a_schedule_or_trips_table_that_the_property_does_not_offer_is_named():
    terms = resolve(BLACKJACK, THIRD)
    assert list(not_chosen(chosen_terms(schedules=(3,)), terms)) == []
    assert list(not_chosen(chosen_terms(schedules=(1, 2)), terms)) == [
        "The property offers the schedules 1, 2 of p215-casino-club, and this is 3."
    ]
    with pytest.raises(BadTerms, match="offers the schedules 1, 2"):
        post(BLACKJACK, THIRD, "t-1", chosen_terms(schedules=(1, 2)), ms(0), ms(0))
    trips = resolve(TRIPS, TermsDocument(trips="UTH-02"))
    assert list(not_chosen(chosen_terms(trips="UTH-02"), trips)) == []
    assert len(list(not_chosen(chosen_terms(trips="UTH-01"), trips))) == 1


# ---- a session against what is posted


def test_a_session_has_what_its_table_has_posted():
    postings = posted(post_at(FIRST, 10), (take_down(posted(post_at(FIRST, 10)), "t-1", ms(60), ms(50)), ms(50)))
    first, third = resolve(BLACKJACK, FIRST), resolve(BLACKJACK, THIRD)
    assert not_posted(NOTHING_POSTED, "t-1", BLACKJACK, third, ms(20)) is None
    assert not_posted(postings, "t-1", BLACKJACK, third, ms(10) - 1) is None
    assert not_posted(postings, "t-1", BLACKJACK, first, ms(10)) is None
    assert not_posted(postings, "t-1", BLACKJACK, first, ms(60)) == "Nothing is posted at table t-1."
    assert "has p215-casino-club posted" in (not_posted(postings, "t-1", HOLDEM, first, ms(20)) or "")
    different = not_posted(postings, "t-1", BLACKJACK, third, ms(20))
    assert different is not None
    assert different.startswith("Table t-1 has posted schedule 1 and not 3")


# ---- designations


def test_a_table_is_designated_for_one_game_at_a_time():
    designated = [
        (designate(rules, "t-1", " 7 ", "Game", "Sign"), ms(at)) for rules, at in ((HOLDEM, 0), (BLACKJACK, 9))
    ]
    postings = posted(*designated)
    assert designated[0][0].box == "7"
    assert not_designated(postings, "t-1", BLACKJACK, ms(-1)) is None
    assert not_designated(postings, "t-1", HOLDEM, ms(8)) is None
    assert not_designated(postings, "t-1", BLACKJACK, ms(9)) is None
    assert not_designated(postings, "t-1", HOLDEM, ms(9)) == (
        "Table t-1 is designated for p215-casino-club, and not for uth-casino-club."
    )


@pytest.mark.parametrize("text", ["", "  ", "x" * (LONGEST_TEXT + 1), "two\nlines"])
def test_a_label_is_one_line_that_can_be_read(text: str):
    assert LONGEST_TEXT == 200
    assert designate(HOLDEM, "t-1", "x" * 200, "i", "p").box == "x" * 200
    for texts in ((text, "i", "p"), ("b", text, "p"), ("b", "i", text)):
        with pytest.raises(BadChoice, match="one line"):
            designate(HOLDEM, "t-1", *texts)

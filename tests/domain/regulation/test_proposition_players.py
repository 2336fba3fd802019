"""The register of proposition players: for which company somebody plays, and on which days."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from domain.errors import BadChoice, Rotation
from domain.regulation.proposition_players import (
    PropositionPlayer,
    check_bank,
    end,
    fold,
    not_registered,
    register,
)
from domain.rules import rulesets

FIRST, LAST = date(2026, 3, 2), date(2026, 3, 31)
DAY = timedelta(days=1)


def registered(last_day: date | None = LAST) -> PropositionPlayer:
    return fold([register(PropositionPlayer(), "pp-1", " Acme ", "R-1", FIRST, last_day)])


def test_a_registration_covers_its_first_and_its_last_day():
    player = registered()
    days = (FIRST - DAY, FIRST, LAST, LAST + DAY)
    assert [player.on(day) is not None for day in days] == [False, True, True, False]
    assert player.registrations[0].company == "Acme"
    open_ended = registered(None)
    assert open_ended.on(date(2030, 1, 1)) is open_ended.registrations[0]


def test_nobody_plays_for_two_companies_on_one_day():
    player = registered()
    for first, last in ((FIRST - DAY, FIRST), (LAST, None), (FIRST - DAY, None), (FIRST, LAST)):
        with pytest.raises(BadChoice, match="is already registered for Acme from 2026-03-02 to 2026-03-31"):
            register(player, "pp-1", "Other", "R-2", first, last)
    for first, last in ((FIRST - 9 * DAY, FIRST - DAY), (LAST + DAY, None)):
        assert register(player, "pp-1", "Other", "R-2", first, last).first_day == first
    with pytest.raises(BadChoice, match="already registered for Acme from 2026-03-02 on"):
        register(registered(None), "pp-1", "Other", "R-2", LAST, None)


def test_a_registration_is_of_at_least_one_day_and_in_words():
    assert register(PropositionPlayer(), "pp-1", "A" * 120, "R", FIRST, FIRST).last_day == FIRST
    for company, number, last in (
        ("Acme", "R-1", FIRST - DAY),
        (" ", "R-1", LAST),
        ("A" * 121, "R-1", LAST),
        ("Acme", "R\n1", LAST),
        ("Acme", "", LAST),
    ):
        with pytest.raises(BadChoice):
            register(PropositionPlayer(), "pp-1", company, number, FIRST, last)


def test_only_the_last_registration_ends_and_only_earlier():
    next_one = register(registered(), "pp-1", "Other", "R-2", LAST + DAY, None)
    player = fold([*registered().registrations, next_one])
    ended = fold([*player.registrations, end(player, "pp-1", LAST + 9 * DAY)])
    assert [one.last_day for one in ended.registrations] == [LAST, LAST + 9 * DAY]
    assert end(player, "pp-1", LAST + DAY).last_day == LAST + DAY  # its first day
    for before, day in ((PropositionPlayer(), FIRST), (player, LAST), (registered(), LAST), (registered(), LAST + DAY)):
        with pytest.raises(BadChoice):
            end(before, "pp-1", day)
    assert end(registered(), "pp-1", LAST - DAY).last_day == LAST - DAY


def test_somebody_on_the_register_banks_on_registered_days_only():
    rules = rulesets.load("uth-casino-club")
    assert not_registered(PropositionPlayer(), FIRST) is None
    check_bank(PropositionPlayer(), rules, FIRST)
    check_bank(registered(), rules, LAST)
    with pytest.raises(Rotation, match="does not cover 2026-04-01") as refused:
        check_bank(registered(), rules, LAST + DAY)
    assert refused.value.clause == rules.clause("bank")

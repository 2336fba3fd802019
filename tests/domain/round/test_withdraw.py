"""A wager is taken back until bets are closed, whole or in part, in every rule set."""

from __future__ import annotations

from typing import Any

import pytest

from domain.documents.document import read_document
from domain.round.decide import expects
from domain.round.replay import play
from domain.rules import rulesets
from tests.rules.rounds import Play

BASE = {"uth": {"ante": "10.00", "blind": "10.00"}, "tcp": {"ante": "10.00"}, "p215": {"game": "10.00"}}


def opened(ruleset: str) -> Play:
    rules = rulesets.load(ruleset)
    terms = {"trips": next(iter(rules.tables_for("trips")))} if rules.family == "uth" else {"schedule": 1}
    return Play.at(ruleset, banker=3 if rules.player_banked else None, **terms)


def base(ruleset: str) -> dict[str, str]:
    return BASE[rulesets.load(ruleset).family]


def bet(so_far: Play, seat: int) -> Play:
    """What a player must bet to play."""
    for spot, amount in base(str(so_far.envelope["ruleset"])).items():
        so_far = so_far.do("bet", seat=seat, spot=spot, amount=amount)
    return so_far


def take(so_far: Play, seat: int, spot: str, amount: str | None = None, bettor: str | None = None) -> Play:
    return so_far.do("withdraw", seat=seat, spot=spot, amount=amount, bettor=bettor)


def expected(so_far: Play, do: str) -> list[dict[str, Any]]:
    document = read_document({**so_far.envelope, "actions": [dict(action) for action in so_far.actions]})
    return [entry for entry in expects(play(document.opening, document.actions)[0]) if entry["do"] == do]


def layout(so_far: Play) -> dict[int, dict[str, dict[str, int]]]:
    document = read_document({**so_far.envelope, "actions": [dict(action) for action in so_far.actions]})
    round_, _ = play(document.opening, document.actions)
    return {
        seat: {bettor: dict(stakes.spots) for bettor, stakes in there.items()} for seat, there in round_.layout.items()
    }


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_part_of_a_wager_or_all_of_it_goes_back(ruleset):
    spots = base(ruleset)
    spot = next(iter(spots))
    bets = bet(bet(opened(ruleset), 1), 2)
    part = take(bets, 1, spot, "4.00")
    assert layout(part)[1]["seat-1"][spot] == 6_00
    assert layout(take(part, 1, spot, "6.00")) == layout(take(part, 1, spot))
    assert spot not in layout(take(part, 1, spot)).get(1, {}).get("seat-1", {})


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_whoever_has_nothing_left_is_forgotten_and_gets_no_cards(ruleset):
    spots = base(ruleset)
    bets = bet(bet(opened(ruleset), 1), 2)
    for spot in spots:
        bets = take(bets, 1, spot)
    assert list(layout(bets)) == [2]
    (deal,) = expected(bets.close_bets(), "deal")
    assert deal["to"] != 1
    assert 1 not in (deal["to"] if isinstance(deal["to"], list) else [])
    assert bets.close_bets().deal(1, "AsAd").last_refused()[0] in ("out_of_turn", "wrong_cards")


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_what_does_not_lie_there_is_not_taken_back(ruleset):
    rules, spots = rulesets.load(ruleset), base(ruleset)
    spot = next(iter(spots))
    bets = bet(opened(ruleset), 1)
    refused = ("bad_choice", rules.clause("withdraw"))
    assert take(bets, 1, spot, "10.01").last_refused() == refused
    assert take(bets, 2, spot).last_refused() == refused
    assert take(bets, 1, spot, bettor="p-9").last_refused() == refused
    assert take(take(bets, 1, spot), 1, spot).last_refused() == refused
    assert take(bets, 1, spot, "0.00").last_refused()[0] == "bad_document"


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_nothing_is_taken_back_once_bets_are_closed(ruleset):
    rules, spots = rulesets.load(ruleset), base(ruleset)
    spot = next(iter(spots))
    closed = bet(opened(ruleset), 1).close_bets()
    assert expected(closed, "withdraw") == []
    assert take(closed, 1, spot).last_refused() == ("out_of_turn", rules.clause("no_more_bets"))


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_it_is_expected_as_soon_as_a_wager_lies_and_no_longer(ruleset):
    spots = base(ruleset)
    spot = next(iter(spots))
    table = opened(ruleset)
    assert expected(table, "withdraw") == []
    bets = table.do("bet", seat=1, spot=spot, amount="10.00")
    assert expected(bets, "withdraw") == [{"do": "withdraw", "seat": [1], "spot": [spot]}]
    assert expected(take(bets, 1, spot), "withdraw") == []
    assert expected(take(bets, 1, spot), "close_bets") == []
    assert take(bets, 1, spot).close_bets().last_refused()[0] == "missing_wager"


def test_a_bettor_behind_a_seat_is_forgotten_with_their_kind_and_their_place():
    bets = opened("uth-club").bet(1, ante=10, blind=10)
    bets = bets.bet(1, "b-1", "backline", ante=10, blind=10).bet(1, "b-2", "backline", ante=10, blind=10)
    for spot in ("ante", "blind"):
        bets = take(bets, 1, spot, bettor="b-1")
    assert list(layout(bets)[1]) == ["seat-1", "b-2"]
    assert list(layout(bets.bet(1, "b-1", "backline", ante=10, blind=10))[1]) == ["seat-1", "b-2", "b-1"]


def test_the_kind_may_be_another_after_it():
    tip = opened("uth-sd").bet(1, ante=10, blind=10).bet(1, "friend", "toke", trips=5)
    again = take(tip, 1, "trips", bettor="friend")
    assert again.bet(1, "friend", "toke", trips=5).status == "open"
    assert tip.bet(1, "friend", "backline", ante=10).last_refused()[0] == "bad_document"
    assert again.bet(1, "friend", "backline", ante=10).last_refused()[0] == "bad_choice"  # there are none, but no clash

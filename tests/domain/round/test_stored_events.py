"""What is stored of an action, to the cent: amounts that followers put up, and nothing of a meter that nobody fed."""

from __future__ import annotations

import pytest

from domain.round.events import DecisionFollowed, DecisionMade, MeterPaid, ProgressiveWagersTaken
from tests.rules.button_games import p215, tcp
from tests.rules.hold_em import MADE, PAIR_OF_QUEENS, HoldEm
from tests.rules.rounds import Play

METER = {"seed": "1000.00", "shown": "2000.00", "reserve": "0.00", "percent": 25, "reserve_percent": 5}


def followed(play: Play) -> list[DecisionFollowed]:
    return [event for event in play.events() if isinstance(event, DecisionFollowed)]


@pytest.mark.parametrize("times", [4, 3])
def test_a_raise_that_is_followed_costs_a_multiple_of_the_followers_own_ante(times: int):
    play = HoldEm.at("uth-club", banker=7).bet(1, ante=10, blind=10).bet(1, "b-1", "backline", ante=7, blind=7)
    play = play.deal_out({1: "AsAc"}, PAIR_OF_QUEENS).raise_(1, times)
    assert play.events()[-1] == DecisionMade(seat=1, bettor="seat-1", choice="raise", times=times, amount=times * 10_00)
    assert followed(play.raise_(1, times, "b-1")) == [
        DecisionFollowed(seat=1, bettor="b-1", choice="raise", times=times, amount=times * 7_00)
    ]
    assert followed(play.fold(1, "b-1")) == [DecisionFollowed(seat=1, bettor="b-1", choice="fold")]


def test_a_play_wager_that_is_followed_costs_the_followers_own_ante():
    play = tcp("1 ante 10.00", "1/b-1 ante 25.00", cards="1: As Ad Kc, dealer: Qs Qd 2c").then("1 play")
    (made,) = [event for event in play.events() if isinstance(event, DecisionMade)]
    assert (made.choice, made.amount) == ("play", 10_00)
    (event,) = followed(play.then("1/b-1 play"))
    assert (event.bettor, event.choice, event.amount) == ("b-1", "play", 25_00)
    (event,) = followed(play.then("1/b-1 fold"))
    assert (event.bettor, event.choice, event.amount) == ("b-1", "fold", 0)


def test_a_split_that_is_followed_costs_the_followers_own_wager():
    play = p215("1 game 10.00", "1/b-1 game 25.00", cards="1: 8h 8c, dealer: 6d 5c").then("1 split")
    (event,) = followed(play.then("1/b-1 split"))
    assert (event.bettor, event.choice, event.amount, event.hand) == ("b-1", "split", 25_00, 1)


@pytest.mark.parametrize("made", ["royal flush", "high card"])
def test_a_meter_is_neither_fed_nor_read_where_nobody_bets_on_it(made: str):
    """The table has a meter, and a hand on it would have won all of it."""
    hole, board = MADE[made]
    table = HoldEm.at("uth-sd", trips="UTH-01", progressive="UTHP-01", meter=METER)
    play = table.bet(1, ante=10, blind=10).played({1: (hole, 4)}, "2c2s", board)
    assert [event for event in play.events() if isinstance(event, ProgressiveWagersTaken | MeterPaid)] == []
    meter = play.result()["meter"]
    assert meter["before"] == meter["after"] == {"shown": "2000.00", "reserve": "0.00"}


def test_a_meter_is_fed_once_and_pays_whoever_bet_on_it():
    hole, board = MADE["royal flush"]
    table = HoldEm.at("uth-sd", trips="UTH-01", progressive="UTHP-01", meter=METER)
    play = table.bet(1, ante=10, blind=10, progressive=1).played({1: (hole, 4)}, "2c2s", board)
    assert [event for event in play.events() if isinstance(event, ProgressiveWagersTaken | MeterPaid)] == [
        ProgressiveWagersTaken(wagers=1_00, shown=2000_25, reserve=5),
        MeterPaid(seat=1, bettor="seat-1", percent=100, amount=2000_25, shown=1000_05, reserve=0),
    ]

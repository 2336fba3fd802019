"""What a terminal is offered, entry by entry: every seat, every follower, every choice, and nothing else."""

from __future__ import annotations

from typing import Any

from tests.rules.button_games import p215, tcp
from tests.rules.hold_em import PAIR_OF_QUEENS, HoldEm

VOID = {"do": "void"}
CHECK, FOLD = {"choice": "check"}, {"choice": "fold"}


def decide(seat: int, *choices: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"do": "decide", "seat": seat, **more, "choices": [*choices]}


def raise_(*times: int) -> dict[str, Any]:
    return {"choice": "raise", "times": [*times]}


def test_bets_are_offered_at_every_seat_but_the_player_dealers():
    empty = HoldEm.at("uth-club", banker=3)
    bets = {"do": "bet", "seat": [1, 2, 4, 5, 6, 7], "spot": ["ante", "blind", "trips"]}
    assert empty.expects() == [bets, VOID]
    seated = empty.bet(7, ante=10, blind=10).bet(1, ante=10, trips=5)
    taken_back = {"do": "withdraw", "seat": [1, 7], "spot": ["ante", "blind", "trips"]}
    assert seated.expects() == [bets, taken_back, {"do": "close_bets"}, VOID]


def test_the_house_leaves_every_seat_to_players():
    assert HoldEm.at("uth-house").expects()[0]["seat"] == [1, 2, 3, 4, 5, 6, 7]


def test_a_progressive_wager_is_offered_where_there_is_a_table_for_it():
    meter = {"seed": "1000.00", "shown": "2000.00", "reserve": "0.00", "percent": 25, "reserve_percent": 5}
    linked = HoldEm.at("uth-sd", trips="UTH-01", progressive="UTHP-01", meter=meter)
    assert "progressive" in linked.expects()[0]["spot"]
    assert "progressive" not in HoldEm.at("uth-sd", trips="UTH-01").expects()[0]["spot"]


def test_hold_em_offers_every_seat_its_decision_and_every_follower_theirs():
    play = HoldEm.at("uth-club", banker=7).bet(1, ante=10, blind=10).bet(3, ante=20, blind=20)
    play = play.bet(1, "b-1", "backline", ante=5, blind=5).bet(3, "b-2", "backline", ante=5, blind=5)
    dealt = play.deal_out({1: "AsAc", 3: "3c3d"}, PAIR_OF_QUEENS)
    shown = {"do": "reveal", "of": [1, 3]}
    assert dealt.expects() == [decide(1, CHECK, raise_(3, 4)), decide(3, CHECK, raise_(3, 4)), shown, VOID]
    raised = dealt.raise_(1, 4)
    follow = decide(1, raise_(4), FOLD, bettor="b-1")
    assert raised.expects() == [follow, decide(3, CHECK, raise_(3, 4)), shown, VOID]
    assert raised.raise_(3, 3).expects() == [follow, decide(3, raise_(3), FOLD, bettor="b-2"), shown, VOID]
    flop = raised.raise_(1, 4, "b-1").check(3).reveal("flop")
    assert flop.expects() == [decide(3, CHECK, raise_(2)), shown, VOID]
    river = flop.check(3).reveal("turn_river")
    assert river.expects() == [decide(3, FOLD, raise_(1)), shown, VOID]


def test_three_card_poker_offers_one_seat_after_the_other_and_followers_as_soon_as_theirs_plays():
    play = tcp(
        *("1 ante 10.00", "4 ante 10.00", "1/b-1 ante 10.00", "4/b-4 ante 10.00"),
        cards="1: As Ad Kc, 4: 2s 3d 8c, dealer: Qs Qd 2c",
    )
    either = [{"choice": "play"}, FOLD]
    assert [entry for entry in play.expects() if entry["do"] == "decide"] == [decide(1, *either)]
    after = play.then("1 play")
    assert [entry for entry in after.expects() if entry["do"] == "decide"] == [
        decide(4, *either),
        decide(1, *either, bettor="b-1"),
    ]
    folded = play.then("1 fold", "4 play")
    assert [entry for entry in folded.expects() if entry["do"] == "decide"] == [decide(4, *either, bettor="b-4")]


def test_pure_21_5_offers_the_hand_whose_turn_it_is_and_those_behind_it():
    play = p215(
        *("1 game 10.00", "4 game 10.00", "1/b-1 game 5.00"),
        cards="1: 8h 8c, 4: 5s 4d, dealer: 6d 5c",
    )

    def decisions(*steps: str) -> list[tuple[int, str | None, int | None, list[str]]]:
        offered = [entry for entry in play.then(*steps).expects() if entry["do"] == "decide"]
        return [
            (entry["seat"], entry.get("bettor"), entry.get("hand"), [choice["choice"] for choice in entry["choices"]])
            for entry in offered
        ]

    assert decisions() == [(1, None, None, ["hit", "stand", "double", "split", "surrender"])]
    assert decisions("1 stand") == [(4, None, None, ["hit", "double", "surrender"])]  # nine is no hand to stand on
    assert decisions("1 double 10.00") == [(1, "b-1", None, ["double"])]

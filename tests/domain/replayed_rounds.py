"""Rounds that never change, to be replayed: four split hands, a bank that runs dry, a folded hand that stays closed."""

from __future__ import annotations

from typing import Any

from tests.rules.button_games import p215
from tests.rules.rounds import Play


def _document(play: Play, **names: Any) -> dict[str, Any]:
    bank = play.envelope.get("player_dealer")
    named = {} if bank is None else {"player_dealer": {**bank, "bettor": "tp-1"}}
    return {**play.envelope, **named, **names, "actions": list(play.actions)}


def four_hands() -> dict[str, Any]:
    """Pure 21.5: eights split to four hands, one doubled, one over; a backline bettor stays on the first hand."""
    play = (
        p215(
            "1 game 50.00",
            "1 red_flex 5.00",
            "1/b-7 game 20.00",
            "4 game 25.00",
            "4 buster 5.00",
            cards="1: 8h 8c, 4: Ah Kd, dealer: 6d 5s",
            wager="1000.00",
        )
        .then("1 split", "1 gets 8s", "1#2 gets 3h")
        .then("1 split", "1 gets Td", "1#3 gets 8d")
        .then("1 stand")
        .then("1#2 double 50.00", "1#2 gets 9c")
        .then("1#3 split", "1#3 gets 7c", "1#4 gets 4h")
        .then("1#3 hit", "1#3 gets Jc")
        .then("1#4 hit", "1#4 gets 6h", "1#4 stand")
        .then("reveal dealer", "dealer gets 2h", "dealer gets 4d", "settle")
    )
    players = {"1": "p-11", "4": "p-14"}
    return _document(play, round="four-hands", table="p1", players=players)


def bank_runs_dry() -> dict[str, Any]:
    """Casino Club hold'em: three hands beat the player-dealer, whose wager pays the first and part of the second.

    Seat 5 folds; its cards were read by the shoe and are never turned over.
    """
    play = (
        Play.at("uth-casino-club", banker=3, wager=250, trips="UTH-04", schedule=1)
        .bet(1, ante=25, blind=25)
        .bet(2, ante=25, blind=25, trips=5)
        .bet(4, ante=25, blind=25)
        .bet(5, ante=25, blind=25)
        .close_bets()
        .deal(1, "AsAd")
        .deal(2, "QhJh")
        .deal(4, "KsKd")
        .deal(5, "7s3d")
        .deal("dealer", "Tc4d")
        .deal("board", "AhKh9h4s2c")
        .decide(1, "raise", times=4)
        .decide(2, "check")
        .decide(4, "raise", times=3)
        .decide(5, "check")
        .reveal("flop")
        .decide(2, "raise", times=2)
        .decide(5, "check")
        .reveal("turn_river")
        .decide(5, "fold")
        .reveal("dealer")
        .settle()
    )
    players = {"1": "p-21", "2": "p-22", "4": "p-24", "5": "p-25"}
    return _document(play, round="bank-runs-dry", table="u1", players=players)

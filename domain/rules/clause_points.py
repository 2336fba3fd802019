"""The questions that are asked of every rule set, by feature; each game has more, and a rule set answers them all.

The engine asks nearly all. `rounding`, `backline`, `qualify` and `one_play_wager` are asked by people only: they say by
which clause something is always so, which no line and no refusal could name, and the tests of each rule set hold it.
"""

from __future__ import annotations

COMMON = (
    "seats",
    "chip",
    "rounding",
    "limits",
    "no_more_bets",
    "withdraw",
    "required_wagers",
    "deck",
    "dealing",
    "deal_order",
    "wrong_cards",
    "settlement_order",
    "void",
)
PLAYER_DEALER = ("bank", "coverage", "rotation", "fee", "backline", "follow")
HOUSE = ("bank", "no_backline")

AGGREGATE = ("aggregate",)
CUSTOMER_LIMIT = ("customer_limit",)
SUPERVISOR = ("supervisor",)
TOKE = ("toke", "toke.follow")
PROGRESSIVE = (
    "progressive",
    "progressive.percent",
    "progressive.pays",
    "progressive.lose",
    "envy",
    "meter",
)

# Asked by earlier versions of the program; files of version 1 answer them, and later ones say it elsewhere.
VERSION_1 = ("preflop", "flop", "river", "side_wagers")

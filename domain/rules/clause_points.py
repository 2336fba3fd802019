"""Points: the questions that every rule set must answer, by feature. Each game adds its own.

The engine uses nearly all. `rounding`, `backline`, `qualify` and `one_play_wager` are for people only: they name the
clause for something that is always so and that no line or refusal could cite; each rule set's tests cover them."""

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

# Used by earlier versions of the program; files of version 1 answer them, and later ones say it elsewhere.
VERSION_1 = ("preflop", "flop", "river", "side_wagers")

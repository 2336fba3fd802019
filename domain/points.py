"""The questions that are asked of a rule set, by game family and feature; a rule set must answer each of them.

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

UTH = (
    "qualify",
    "one_play_wager",
    "show_hands",
    "play.win",
    "play.lose",
    "play.tie",
    "ante.win",
    "ante.lose",
    "ante.tie",
    "ante.not_qualified",
    "blind.win",
    "blind.below",
    "blind.lose",
    "blind.tie",
    "fold",
    "trips.win",
    "trips.lose",
)
FOLDED_SEEN = ("folded_hands",)
FOLDED_UNSEEN = ("trips.unseen",)
PROGRESSIVE_UNSEEN = ("progressive.unseen",)
AGGREGATE = ("aggregate",)
CUSTOMER_LIMIT = ("customer_limit",)
TOKE = ("toke", "toke.follow")
TRIPS_ALONE = ("trips_alone",)
PROGRESSIVE = (
    "progressive",
    "progressive.percent",
    "progressive.pays",
    "progressive.lose",
    "envy",
    "meter",
)

TCP = (
    "qualify",
    "decide",
    "show_hands",
    "play.win",
    "play.lose",
    "play.tie",
    "play.not_qualified",
    "ante.win",
    "ante.lose",
    "ante.tie",
    "ante.not_qualified",
    "fold",
    "pair_plus.win",
    "pair_plus.lose",
    "pair_plus.fold",
    "six_card.win",
    "six_card.lose",
    "button",
)

P215 = (
    "buster.alone",
    "red_flex.alone",
    "insurance",
    "insurance.win",
    "insurance.lose",
    "peek",
    "hit_or_stand",
    "must_hit",
    "must_stand",
    "double",
    "split",
    "surrender",
    "dealer_draws",
    "dealer_completes",
    "pure.win",
    "pure.push",
    "pure.lose",
    "game.win",
    "game.lose",
    "game.push",
    "bust",
    "three_eights",
    "dealer_bust",
    "buster.win",
    "buster.lose",
    "red_flex.win",
    "red_flex.lose",
    "button",
)

# Asked by earlier versions of the program; files of version 1 answer them, and later ones say it elsewhere.
VERSION_1 = ("preflop", "flop", "river", "side_wagers")

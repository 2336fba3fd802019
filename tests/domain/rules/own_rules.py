"""Rule sets that no file of the program has: one of each family, with other seats and other figures."""

from __future__ import annotations

import datetime

from domain.rules import rulesets
from domain.rules.new_file import new_text

_CHANGES = {
    "hill-three-card": (
        "tcp-casino-club",
        [
            ("count = 7", "count = 5"),
            ('straight = "6:1"', 'straight = "5:1"'),
            ('order = ["play", "ante", "pair_plus", "six_card"]', 'order = ["ante", "six_card", "play", "pair_plus"]'),
            ('{ up_to = "50.00", fee = "0.50" },', '{ up_to = "75.00", fee = "0.75" },'),
        ],
    ),
    "uth-hill": (
        "uth-house",
        [
            ("count = 7", "count = 6"),
            ('flush = "3:2"', 'flush = "2:1"'),
            ('["5.00", "500.00"]', '["10.00", "300.00"]'),
            ('seats = "highest-first"', 'seats = "lowest-first"'),
            ('order = ["play", "ante", "blind", "trips"]', 'order = ["trips", "blind", "ante", "play"]'),
        ],
    ),
    "p215-hill": (
        "p215-casino-club",
        [
            ("count = 8", "count = 6"),
            ("must_stand = 19", "must_stand = 18"),
            ('usual = "1.00"', 'usual = "5.00"'),
            ('{ up_to = "400.00", fee = "3.00" },', '{ up_to = "450.00", fee = "3.50" },'),
            (
                'order = ["insurance", "game", "double", "red_flex", "buster"]',
                'order = ["buster", "red_flex", "insurance", "game", "double"]',
            ),
        ],
    ),
}
IDS = tuple(_CHANGES)


def own_text(ruleset: str, since: datetime.date, version: int = 1) -> str:
    like, changes = _CHANGES[ruleset]
    text = new_text(rulesets.load(like), ruleset, since)
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after)
    return text.replace("version = 1\n", f"version = {version}\n", 1)

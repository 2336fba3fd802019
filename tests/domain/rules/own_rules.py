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
    # As far from what ships as a file can go.
    "tcp-fen": (
        "tcp-casino-club",
        [
            ("count = 7", "count = 12"),
            ("rounds = 2", "rounds = 3"),
            ("multiples = [1]", "multiples = [1, 2, 3]"),
            ("base = 2", "base = 4"),
            ('at_least = "queen high"', 'at_least = "pair"'),
            ('seats = "action-button"', 'seats = "highest-first"'),
            ('usual = "1.00"', 'usual = "0.50"'),
            ('pair = "1:1"\n', ""),
            ('"three of a kind" = "7:1"\n', '"three of a kind" = "7:2"\n"two pair" = "1:2"\n'),
            (
                '    { to = "seats", count = 3 },\n    { to = "dealer", count = 3 },\n',
                '    { to = "burn", count = 2 },\n    { to = "dealer", count = 1 },\n'
                '    { to = "seats", count = 2 },\n    { to = "dealer", count = 2 },\n'
                '    { to = "seats", count = 1 },\n',
            ),
        ],
    ),
    "uth-fen": (
        "uth-sd",
        [
            ("[seats]\ncount = 7", "[seats]\ncount = 10"),
            ('seats = "lowest-first"', 'seats = "highest-first"'),
            ('at_least = "pair"', 'at_least = "ace high"'),
            ("multiples = [3, 4]", "multiples = [1, 2, 6]"),
            ("turns = 3\nmultiples = [2]", "turns = 4\nmultiples = [1, 2]"),
            ("turns = 2\nmultiples = [1]", "turns = 1\nmultiples = [1, 3]"),
            ("count = 3, street = 1", "count = 4, street = 1"),
            ("count = 2, street = 2", "count = 1, street = 2"),
            ("base = 5", "base = 7"),
            ("play_in_advance = 4", "play_in_advance = 6"),
            ('straight = "1:1"\n', 'straight = "1:1"\n"three of a kind" = "1:2"\n'),
            (
                'order = ["play", "ante", "blind", "trips", "progressive", "envy"]',
                'order = ["progressive", "envy", "trips", "blind", "play", "ante"]',
            ),
        ],
    ),
    "p215-fen": (
        "p215-casino-club",
        [
            ("count = 8", "count = 3"),
            ("fewest = 1\nmost = 8", "fewest = 2\nmost = 10"),
            ('rounds = 2\nafterwards = "offered"', 'rounds = 1\nafterwards = "strict"'),
            ("most_hands = 4", "most_hands = 2"),
            ("must_hit = 11\nmust_stand = 19", "must_hit = 8\nmust_stand = 17"),
            ("hits_hard = 16\nhits_soft = 17", "hits_hard = 17\nhits_soft = 18"),
            ('[surrender]\nshare = "1:2"', '[surrender]\nshare = "1:3"'),
            ('[insurance]\nshare = "1:2"', '[insurance]\nshare = "1:1"'),
            ('pays = "6:5"', 'pays = "7:5"'),
            ('8 = "250:1"\n', '9 = "400:1"\n8 = "250:1"\n'),
            ('2 = "1:1"\n', '2 = "3:2"\n1 = "1:5"\n'),
            ('7 = "200:1"\n6 = "100:1"\n5 = "50:1"\n', '5 = "60:1"\n'),
            (
                'order = ["insurance", "game", "double", "red_flex", "buster"]',
                'order = ["double", "buster", "game", "red_flex", "insurance"]',
            ),
            ("A = 1, 2 = 2", "A = 14, 2 = 2"),
            (
                '    { to = "seats", count = 1 },\n    { to = "dealer", count = 1 },\n'
                '    { to = "seats", count = 1 },\n    { to = "dealer", count = 1 },\n',
                '    { to = "dealer", count = 1 },\n    { to = "seats", count = 1 },\n'
                '    { to = "burn", count = 1 },\n    { to = "seats", count = 1 },\n'
                '    { to = "dealer", count = 1 },\n',
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

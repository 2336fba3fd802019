"""Rule sets that no file of the program has: one of each family, with other seats and other figures."""

from __future__ import annotations

import datetime

from domain.rules import rulesets
from domain.rules.new_file import new_text

_CHANGES = {
    "hill-three-card": ("tcp-casino-club", [("count = 7", "count = 5"), ('straight = "6:1"', 'straight = "5:1"')]),
    "uth-hill": ("uth-house", [('flush = "3:2"', 'flush = "2:1"'), ('["5.00", "500.00"]', '["10.00", "300.00"]')]),
    "p215-hill": ("p215-casino-club", [("must_stand = 19", "must_stand = 18"), ('usual = "1.00"', 'usual = "5.00"')]),
}
IDS = tuple(_CHANGES)


def own_text(ruleset: str, since: datetime.date, version: int = 1) -> str:
    like, changes = _CHANGES[ruleset]
    text = new_text(rulesets.load(like), ruleset, since)
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after)
    return text.replace("version = 1\n", f"version = {version}\n", 1)

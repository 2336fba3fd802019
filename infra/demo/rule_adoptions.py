"""Adopts the shipped rule sets on the demo's first day."""

from __future__ import annotations

from functools import partial

from domain.rules import rulesets
from domain.rules.adoption import Approval, Days, day_of
from infra.demo.roster import CALLED, FLOOR, SECOND_FLOOR
from infra.demo.single_steps import Once
from infra.ledger.ledger import Actor


def adopt_shipped(once: Once, at_ms: int) -> None:
    """Adopt the versions in force then, and later ones from their own first days."""
    today = day_of(at_ms)
    for number, ruleset in enumerate(CALLED, start=1):
        first = rulesets.in_force(ruleset, today).version
        for version in rulesets.versions(ruleset):
            if version < first:
                continue
            rules = rulesets.load(ruleset, version)
            adopt = partial(
                once.ledger.adopt_rules,
                rules.text,
                ruleset,
                Days(max(rules.in_force.since, today)),
                Approval(f"DEMO-{number}"),
                SECOND_FLOOR,
                Actor(FLOOR, at_ms),
            )
            once.do(f"adopt/{ruleset}/{version}", adopt)

"""What if past rounds had been settled by another pay table, schedule, coverage policy, limit or any other figure of
their rule set: the same facts, decided under changed rules, and the money beside what it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from domain import rulesets
from domain.auditing import BESIDE
from domain.errors import BadTerms
from domain.events import RoundCorrected, RoundEvent
from domain.facts import actions_of, decide_again, put_right
from domain.retracing import play_again
from domain.ruleset import RuleSet
from domain.state import Round, fold
from domain.terms import Terms, TermsDocument, resolve

UNCHANGED = "unchanged"


class Changes(Struct, frozen=True):
    """What is to be another; terms as a document states them, figures by their place in the rule-set file."""

    trips: str | None = None
    schedule: Any = UNCHANGED  # a printed option's number, a supplied one, or None for no fee
    coverage: str | None = None
    limits: Mapping[str, tuple[str, str]] = {}
    figures: Mapping[str, Any] = {}


def changed_rules(rules: RuleSet, changes: Changes) -> RuleSet:
    """The rule set with the changed figures; a place that it does not have, or a wrong value, is refused."""
    if not changes.figures:
        return rules
    try:
        return rulesets.changed(rules, changes.figures)
    except rulesets.RuleSetError as error:
        raise BadTerms(f"{rules.id} cannot have these figures: {error.message}.") from None


def changed_terms(rules: RuleSet, document: Mapping[str, Any], changes: Changes) -> Terms:
    """A round's terms with the changes; what the rule set does not offer is refused as when a table opens."""
    changed = dict(document)
    if changes.trips is not None:
        changed["trips"] = changes.trips
    if changes.coverage is not None:
        changed["coverage"] = changes.coverage
    limits = dict(document.get("limits", {}))
    if changes.schedule != UNCHANGED:
        changed["schedule"] = changes.schedule
        limits.pop(rules.base_spot, None)  # a schedule brings its own
    changed["limits"] = {**limits, **changes.limits}
    return resolve(rules, msgspec.convert(changed, TermsDocument))


class Settled(Struct, frozen=True):
    """The money of a round: to and from each bettor, the player-dealer too, and the fee."""

    fee: int
    paid: int
    collected: int
    nets: Mapping[str, int]


def settled(round_: Round) -> Settled:
    nets: dict[str, int] = {}
    for line in round_.lines:
        nets[line.bettor] = nets.get(line.bettor, 0) + line.paid - line.collected
    if round_.bank is not None and round_.lines:
        nets[round_.bank.bettor] = nets.get(round_.bank.bettor, 0) + round_.collected - round_.paid
    fee = 0 if round_.fee is None else round_.fee.amount
    return Settled(fee, round_.paid, round_.collected, nets)


def settled_as_it_was(opening: Round, events: Sequence[RoundEvent]) -> Settled:
    """What is stored of a round, or what its facts lead to as they were put right."""
    facts = _put_right(events)
    return settled(fold(opening, _played(events)) if facts is None else decide_again(opening, facts))


def settle_otherwise(opening: Round, events: Sequence[RoundEvent]) -> Settled:
    """The same facts from another opening, under other rules; a Refusal where it could not have been played so."""
    facts = _put_right(events)
    return settled(play_again(opening, _played(events)) if facts is None else decide_again(opening, facts))


def _played(events: Sequence[RoundEvent]) -> list[RoundEvent]:
    return [event for event in events if type(event) not in BESIDE]


def _put_right(events: Sequence[RoundEvent]) -> list[dict[str, Any]] | None:
    """The facts as the last correction of facts has them, which counts for all before it; None where there is none.
    Corrections that name amounts only are beside the play."""
    for event in reversed(events):
        if type(event) is RoundCorrected and event.facts is not None:
            return put_right(list(actions_of(events)), {int(at): fact for at, fact in event.facts.items()})
    return None

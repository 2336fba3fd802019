"""The terms of a simulated table, drawn so that over many tables every choice occurs."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from domain.errors import BadTerms
from domain.money import money
from domain.rules.ruleset import RuleSet
from domain.rules.terms import TermsDocument, resolve

CHIPS = (100, 100, 100, 50, 500)
# Lowest and highest base wager where nothing is printed; the highest reach a table aggregate.
OPEN_LIMITS = ((500, 50_000), (1_000, 20_000), (2_500, 100_000), (10_000, 250_000))
CUSTOMER_LIMITS = ((500, 10_000), (500, 14_000), (1_000, 5_000))  # where a customer limit applies
SUPPLIED_TIERS = (
    ((10_000, 100), (30_000, 200), (60_000, 500), (100_000, 800), (None, 1_000)),
    ((5_000, 50), (20_000, 150), (None, 300)),
    ((None, 200),),
)


def draw_terms(rules: RuleSet, rng: Random) -> dict[str, Any]:
    """Draw the terms of one session, without a meter. A default is sometimes stated and sometimes left out."""
    terms: dict[str, Any] = {}
    trips = list(rules.tables_for("trips"))
    if trips and (rules.usual_trips is None or rng.random() < 0.7):
        terms["trips"] = rng.choice(trips)
        if rules.one_trips_table is not None:
            terms["trips"] = trips[0]  # also unlike another run, which may be recorded into the same ledger
    if len(rules.dealings) > 1 or rng.random() < 0.3:
        terms["dealing"] = rng.choice(list(rules.dealings))
    fewest, most = rules.decks
    if fewest != most and rng.random() < 0.7:
        terms["decks"] = rng.randint(fewest, most)
    if rules.player_banked:
        _draw_bank(rules, rng, terms)
    chip = rng.choice(CHIPS)
    if chip != 100:
        terms["chip"] = money(chip)
    if rng.random() < 0.6 and (limits := _draw_limits(rules, rng, terms.get("schedule"))):
        terms["limits"] = limits
    return terms if _is_playable(rules, terms) else {**terms, "chip": money(rules.chip), "limits": {}}


def _is_playable(rules: RuleSet, terms: dict[str, Any]) -> bool:
    """Whether every spot takes an amount in whole chips; what a rule set prints may leave little room."""
    try:
        found = resolve(rules, msgspec.convert(terms, TermsDocument))
    except BadTerms:
        return False
    return all(low <= high - high % found.chip for low, high in found.limits.values())


def draw_meter(table: str, rng: Random) -> dict[str, Any]:
    """Draw a meter and its settings, which a table keeps over all sessions."""
    seed = rng.choice((100_000, 1_000_000, 2_500_000))
    return {
        "id": f"m-{table}",
        "seed": money(seed),
        "shown": money(seed + rng.randrange(seed)),
        "reserve": money(rng.choice((0, 12_345))),
        "percent": rng.choice((20, 25, 33)),
        "reserve_percent": rng.choice((0, 5, 10)),
    }


def _draw_bank(rules: RuleSet, rng: Random, terms: dict[str, Any]) -> None:
    if rng.random() < 0.5:
        terms["coverage"] = rng.choice(("single-pool", "separate-limits"))
    if rules.schedules:
        if len(rules.schedules) > 1 or rng.random() < 0.5:
            terms["schedule"] = rng.choice(list(rules.schedules))
    elif rng.random() < 0.6 and rules.supplied_schedule:
        drawn = rng.choice([tiers for tiers in SUPPLIED_TIERS if len(tiers) <= rules.most_tiers])
        tiers = [[None if bound is None else money(bound), money(fee)] for bound, fee in drawn]
        terms["schedule"] = {"limits": [money(bound) for bound in rng.choice(OPEN_LIMITS)], "tiers": tiers}


def _draw_limits(rules: RuleSet, rng: Random, schedule: Any) -> dict[str, list[str]]:
    """Draw limits narrower than those printed or the schedule's, or the table's own if neither has any."""
    base = rules.base_spot
    limits: dict[str, list[str]] = {}
    if isinstance(schedule, int):
        low, high = rules.schedules[schedule].limits
        limits[base] = [money(low * rng.choice((1, 2))), money(high // rng.choice((1, 2, 5)))]
    elif schedule is None and not rules.spots[base].printed:
        choices = OPEN_LIMITS if rules.customer_limit is None else CUSTOMER_LIMITS
        limits[base] = [money(bound) for bound in rng.choice(choices)]
    for spot in rules.spots.values():
        if spot.name != base and spot.limits is not None and rng.random() < 0.5:
            low, high = spot.limits
            limits[spot.name] = [money(max(low, 500)), money(high // rng.choice((1, 2)))]
    return limits

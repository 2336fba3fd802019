"""A table's terms: what a rule set leaves to the table, checked against it and filled in with its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.errors import BadTerms
from domain.money import cents, dollars, money
from domain.round.actions import Id, MoneyText, SpotName
from domain.rules.ruleset import Dealing, PayTable, ProgressiveTable, RuleSet, Schedule, Tier

COVERAGE_POLICIES = ("single-pool", "separate-limits")


class ScheduleDocument(Struct, frozen=True, forbid_unknown_fields=True):
    limits: tuple[MoneyText, MoneyText] | UnsetType = UNSET
    tiers: list[tuple[MoneyText | None, MoneyText]] | UnsetType = UNSET


class MeterDocument(Struct, frozen=True, forbid_unknown_fields=True):
    seed: MoneyText | UnsetType = UNSET
    shown: MoneyText | UnsetType = UNSET
    reserve: MoneyText | UnsetType = UNSET
    percent: int | UnsetType = UNSET
    reserve_percent: int | UnsetType = UNSET
    id: Id | UnsetType = UNSET

    @property
    def figures(self) -> tuple[MoneyText, MoneyText, MoneyText, int, int] | None:
        """Return all figures but the id; None if one is missing."""
        found = self.seed, self.shown, self.reserve, self.percent, self.reserve_percent
        return None if UNSET in found else cast("tuple[MoneyText, MoneyText, MoneyText, int, int]", found)


class TermsDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """The shape of `terms` in a document; `resolve` checks what the rule set allows."""

    trips: str | UnsetType = UNSET
    dealing: str | UnsetType = UNSET
    decks: int | UnsetType = UNSET
    schedule: int | ScheduleDocument | UnsetType | None = UNSET
    chip: MoneyText | UnsetType = UNSET
    limits: dict[SpotName, tuple[MoneyText, MoneyText]] | UnsetType = UNSET
    coverage: str | UnsetType = UNSET
    progressive: str | UnsetType | None = UNSET
    meter: MeterDocument | UnsetType = UNSET


class Meter(Struct, frozen=True):
    seed: int
    shown: int
    reserve: int
    percent: int
    reserve_percent: int
    id: str | None = None


class Terms(Struct, frozen=True):
    trips: PayTable | None
    dealing: Dealing
    decks: int
    schedule: Schedule | None
    chip: int
    limits: Mapping[str, tuple[int, int]]
    coverage: str | None
    progressive: ProgressiveTable | None
    meter: Meter | None
    document: dict[str, Any] = {}  # as in a document, every default filled in

    def limits_of(self, spot: str) -> tuple[int, int]:
        """Return the limits. The blind equals the ante, and so has its limits."""
        return self.limits["ante" if spot == "blind" else spot]


NO_TERMS = TermsDocument()


def resolve(rules: RuleSet, given: TermsDocument) -> Terms:
    """Return a table's terms. Raises BadTerms for what the rule set does not offer."""
    trips, dealing, decks = _trips(rules, given.trips), _dealing(rules, given.dealing), _decks(rules, given.decks)
    schedule = _schedule(rules, given.schedule)
    chip = rules.chip if given.chip is UNSET else cents(given.chip)
    if chip == 0:
        raise BadTerms("A chip unit of 0.00 is not a chip.", rules.clause("chip"))
    limits = _limits(rules, schedule, {} if given.limits is UNSET else given.limits)
    coverage = _coverage(rules, given.coverage)
    progressive = _progressive(rules, given.progressive)
    _check_posted_limits(rules, limits, progressive)
    terms = Terms(
        trips=trips,
        dealing=dealing,
        decks=decks,
        schedule=schedule,
        chip=chip,
        limits=limits,
        coverage=coverage,
        progressive=progressive,
        meter=_meter(rules, progressive, given.meter),
    )
    return replace(terms, document=_document(rules, terms))


def _trips(rules: RuleSet, given: str | UnsetType) -> PayTable | None:
    offered = rules.tables_for("trips")
    if not offered:
        if given is not UNSET:
            raise BadTerms(f"{rules.id} has no trips wager.")
        return None
    name = rules.usual_trips if given is UNSET else given
    if name is None:
        raise BadTerms(
            f"{rules.id} needs one of the trips tables {', '.join(offered)} named.", rules.clause("trips.win")
        )
    if name not in offered:
        tables = ", ".join(offered)
        raise BadTerms(f"{rules.id} does not offer the trips table {name!r}, only {tables}.", rules.clause("trips.win"))
    return offered[name]


def _dealing(rules: RuleSet, given: str | UnsetType) -> Dealing:
    mode = rules.usual_dealing if given is UNSET else given
    if mode not in rules.dealings:
        raise BadTerms(f"{rules.id} is not dealt by {mode!r}.", rules.clause("dealing"))
    return rules.dealings[mode]


def _decks(rules: RuleSet, given: int | UnsetType) -> int:
    if given is UNSET:
        return rules.usual_decks
    fewest, most = rules.decks
    if most == 1:
        raise BadTerms(f"{rules.id} leaves no choice of decks.", rules.clause("deck"))
    if not fewest <= given <= most:
        number = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise BadTerms(f"{rules.id} is played with {number} decks.", rules.clause("deck"))
    return given


def _schedule(rules: RuleSet, given: int | ScheduleDocument | UnsetType | None) -> Schedule | None:
    if not rules.player_banked:
        if given is not UNSET and given is not None:
            raise BadTerms(f"{rules.id} has a house bank and takes no collection fee.")
        return None
    clause = rules.clause("fee")
    if isinstance(given, ScheduleDocument) and rules.supplied_schedule:
        return _supplied_schedule(given, clause, rules.most_tiers)
    if rules.schedules:
        if given is UNSET and len(rules.schedules) == 1:
            return next(iter(rules.schedules.values()))
        if not isinstance(given, int) or given not in rules.schedules:
            options = ", ".join(str(option) for option in rules.schedules)
            raise BadTerms(f"{rules.id} takes one of its printed schedules: {options}.", clause)
        return rules.schedules[given]
    if given is UNSET or given is None:
        return None
    if isinstance(given, int):
        raise BadTerms(f"{rules.id} prints no schedule with a number.", clause)
    raise BadTerms(f"{rules.id} takes no fee: a cardroom supplies no schedule for it.", clause)


def _supplied_schedule(given: ScheduleDocument, clause: str, most_tiers: int) -> Schedule:
    if given.limits is UNSET or given.tiers is UNSET:
        raise BadTerms("A supplied schedule needs its limits and its tiers.", clause)
    if not 1 <= len(given.tiers) <= most_tiers:
        raise BadTerms(f"A schedule has one to {most_tiers} tiers.", clause)
    bounds = [None if bound is None else cents(bound) for bound, _ in given.tiers]
    closed = [bound for bound in bounds[:-1] if bound is not None]
    if bounds[-1] is not None or len(closed) != len(bounds) - 1:
        raise BadTerms("The last tier of a schedule, and only the last, has no upper bound.", clause)
    if any(low >= high for low, high in pairwise(closed)):
        raise BadTerms("The upper bounds of a schedule's tiers must rise.", clause)
    tiers = tuple(Tier(bound, cents(fee)) for bound, (_, fee) in zip(bounds, given.tiers, strict=True))
    return Schedule(option="supplied", limits=_range(given.limits, clause), tiers=tiers, clause=clause)


def _range(given: tuple[str, str], clause: str | None) -> tuple[int, int]:
    low, high = cents(given[0]), cents(given[1])
    if low > high:
        raise BadTerms(f"Limits from {given[0]} to {given[1]} leave nothing to bet.", clause)
    return low, high


def _limits(
    rules: RuleSet, schedule: Schedule | None, given: Mapping[SpotName, tuple[str, str]]
) -> dict[str, tuple[int, int]]:
    limits: dict[str, tuple[int, int]] = {}
    bounds: dict[str, tuple[int, int]] = {}  # what a table's own limits must be inside
    for spot in rules.spots.values():
        if spot.limits is not None:
            limits[spot.name] = spot.limits
            if spot.printed:
                bounds[spot.name] = spot.limits
    if schedule is not None:
        base = rules.base_spot
        limits[base] = bounds[base] = _narrower(schedule.limits, bounds.get(base))
    for name, pair in given.items():
        clause = rules.limit_clause(name, by_schedule=schedule is not None and name == rules.base_spot)
        words = name.replace("_", " ")
        if name not in limits:
            raise BadTerms(f"{rules.id} has no limits for {words}.", clause)
        low, high = _range(pair, clause)
        if name in bounds and not (bounds[name][0] <= low and high <= bounds[name][1]):
            printed = " to ".join(money(bound) for bound in bounds[name])
            raise BadTerms(f"The limits for {words} must be inside {printed}.", clause)
        limits[name] = (low, high)
    return limits


def _narrower(limits: tuple[int, int], printed: tuple[int, int] | None) -> tuple[int, int]:
    """Return a schedule's limits, inside those printed for every table."""
    return limits if printed is None else (max(limits[0], printed[0]), min(limits[1], printed[1]))


def _check_posted_limits(
    rules: RuleSet, limits: Mapping[str, tuple[int, int]], progressive: ProgressiveTable | None
) -> None:
    """Check that one spot at the table's maximums, with the largest play wager, stays within the customer limit."""
    customer = rules.customer_limit
    if customer is None or not customer.posted:
        return
    game = rules.game
    most = limits[rules.base_spot][1] * (len(game.base_spots) + customer.play_in_advance)
    most += sum(limits[spot][1] for spot in game.bonus_spots) + (0 if progressive is None else progressive.wager)
    if most > customer.most:
        raise BadTerms(
            f"By these limits one spot could be bet with {dollars(most)}: every wager before the deal at its maximum,"
            f" and a play wager of {customer.play_in_advance} times the {rules.base_spot}; at most"
            f" {dollars(customer.most)} is allowed.",
            rules.clause("customer_limit"),
        )


def _coverage(rules: RuleSet, given: str | UnsetType) -> str | None:
    if not rules.player_banked:
        if given is not UNSET:
            raise BadTerms(f"{rules.id} has a house bank: its wager has no coverage limit.")
        return None
    if given is UNSET:
        return COVERAGE_POLICIES[0]
    if given not in COVERAGE_POLICIES:
        policies = " and ".join(COVERAGE_POLICIES)
        raise BadTerms(f"There is no coverage policy {given!r}, only {policies}.", rules.clause("coverage"))
    return given


def _progressive(rules: RuleSet, given: str | UnsetType | None) -> ProgressiveTable | None:
    if given is UNSET:
        return None
    if not rules.progressives:
        raise BadTerms(f"{rules.id} has no progressive wager.")
    if given is None:
        return None
    if given not in rules.progressives:
        raise BadTerms(f"{rules.id} does not offer the progressive {given!r}.", rules.clause("progressive"))
    return rules.progressives[given]


def _meter(rules: RuleSet, progressive: ProgressiveTable | None, given: MeterDocument | UnsetType) -> Meter | None:
    if progressive is None:
        if given is not UNSET:
            raise BadTerms("A meter goes with a progressive wager, and only with it.")
        return None
    clause = rules.clause("meter")
    if given is UNSET or given.figures is None:
        raise BadTerms("A progressive needs its meter: seed, shown, reserve, percent and reserve_percent.", clause)
    seed, shown, reserve, percent, reserve_percent = given.figures
    if percent < 0 or reserve_percent < 0 or percent + reserve_percent > 100:
        raise BadTerms("The meter's two shares total from 0 to 100 percent of a wager.", clause)
    return Meter(
        seed=cents(seed),
        shown=cents(shown),
        reserve=cents(reserve),
        percent=percent,
        reserve_percent=reserve_percent,
        id=None if given.id is UNSET else given.id,
    )


def _document(rules: RuleSet, terms: Terms) -> dict[str, Any]:
    schedule, meter = terms.schedule, terms.meter
    document: dict[str, Any] = {"dealing": terms.dealing.mode, "chip": money(terms.chip)}
    document["limits"] = {spot: [money(low), money(high)] for spot, (low, high) in terms.limits.items()}
    if terms.trips is not None:
        document["trips"] = terms.trips.id
    if rules.decks[1] > 1:
        document["decks"] = terms.decks
    if terms.coverage is not None:
        document["coverage"] = terms.coverage
        document["schedule"] = None if schedule is None else schedule.option
    if schedule is not None and schedule.option == "supplied":
        document["schedule"] = {
            "limits": [money(bound) for bound in schedule.limits],
            "tiers": [[None if tier.up_to is None else money(tier.up_to), money(tier.fee)] for tier in schedule.tiers],
        }
    if terms.progressive is not None:
        document["progressive"] = terms.progressive.id
    if meter is not None:
        amounts = {name: money(getattr(meter, name)) for name in ("seed", "shown", "reserve")}
        document["meter"] = {**amounts, "percent": meter.percent, "reserve_percent": meter.reserve_percent}
        if meter.id is not None:
            document["meter"]["id"] = meter.id
    return document

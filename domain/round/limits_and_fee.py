"""What happens when bets close: limits are checked, the fee and the progressive wagers are taken, and the liability of
the bank is fixed."""

from __future__ import annotations

from domain.errors import OverLimit, needed
from domain.money import dollars
from domain.round.events import BetsClosed, FeeTaken, ProgressiveWagersTaken, RoundEvent
from domain.round.state import Round
from domain.round.wagers import on_layout, spot_words
from domain.rules.ruleset import CustomerLimit


def check_limits(round_: Round) -> None:
    rules, terms = round_.rules, round_.terms
    for seat, bettor, stakes, spot, amount in on_layout(round_):
        if spot == "progressive":
            fixed_wager = needed(terms.progressive).wager
            if amount != fixed_wager:
                fixed = dollars(fixed_wager)
                where = _wager(seat, bettor, spot, amount)
                raise OverLimit(f"{where} is not the table's {fixed}.", rules.clause("progressive"))
            continue
        low, high = terms.limits_of(spot)
        if stakes.kind == "toke" and spot not in rules.toke_minimum_on:
            low = 0
        if not low <= amount <= high:
            where = _wager(seat, bettor, spot, amount)
            raise OverLimit(f"{where} is outside {dollars(low)} to {dollars(high)}.", rules.limit_clause(spot))
        if amount % terms.chip:
            where = _wager(seat, bettor, spot, amount)
            raise OverLimit(f"{where} is off the chip unit of {dollars(terms.chip)}.", rules.clause("chip"))
    if rules.customer_limit is not None:
        _check_customers(round_, rules.customer_limit)


def _wager(seat: int, bettor: str, spot: str, amount: int) -> str:
    return f"{bettor}'s {spot_words(spot)} wager of {dollars(amount)} at seat {seat}"


def _check_customers(round_: Round, limit: CustomerLimit) -> None:
    total: dict[str, int] = {}
    for _, bettor, stakes, spot, amount in on_layout(round_):
        if stakes.kind != "toke":
            counted = amount * (1 + limit.play_in_advance) if spot == round_.rules.base_spot else amount
            total[bettor] = total.get(bettor, 0) + counted
            if total[bettor] > limit.most:
                raise OverLimit(
                    f"{bettor}'s wagers, with the largest play wager, total more than {dollars(limit.most)}.",
                    round_.rules.clause("customer_limit"),
                )


def close_bets(round_: Round) -> list[RoundEvent]:
    """Return the events of closing bets: action and liability, the fee, and the progressive wagers."""
    totals: dict[str, int] = {}
    for _, _, _, spot, amount in on_layout(round_):
        totals[spot] = totals.get(spot, 0) + amount
    liability = sum([round_.game.liability(round_, spot, amount) for spot, amount in totals.items()])
    progressive = totals.pop("progressive", 0)
    action = sum(totals.values())
    events: list[RoundEvent] = [BetsClosed(action, liability)]
    schedule, meter = round_.terms.schedule, round_.terms.meter
    if schedule is not None:
        tier = schedule.tier_of(action)
        events.append(FeeTaken(action=action, amount=schedule.tiers[tier - 1].fee, schedule=schedule.option, tier=tier))
    if meter is not None and progressive:
        shown = round_.meter_shown + progressive * meter.percent // 100
        reserve = round_.meter_reserve + progressive * meter.reserve_percent // 100
        events.append(ProgressiveWagersTaken(progressive, shown, reserve))
    return events

"""Rule sets and adoptions for programs: plain values, money as text."""

from __future__ import annotations

from msgspec import to_builtins

from domain.moments import format_ms
from domain.money import money
from domain.rules import rulesets
from domain.rules.description.version_comparison import since_version_before
from domain.rules.rulebook import SHIPPED, Adoption, RuleBook
from domain.rules.ruleset import RuleSet


def summary(rules: RuleSet) -> dict[str, object]:
    """Return what a list of rule sets shows of each."""
    return {
        "id": rules.id,
        "version": rules.version,
        "title": rules.title,
        "family": rules.family,
        "bank": rules.bank,
        "seats": rules.seats,
        "source": rules.source,
        "source_hash": rules.source_hash,
        "in_force": to_builtins({"since": rules.in_force.since, "until": rules.in_force.until}),
        "hash": rules.content_hash,
    }


def titles(book: RuleBook) -> list[tuple[str, str]]:
    """Return the titles to choose a rule set from."""
    return [(id, book.load(id).title) for id in book.ids()]


def contents(rules: RuleSet, book: RuleBook = SHIPPED) -> dict[str, object]:
    """Return everything for programs: money and odds are text, as in round documents."""
    return {
        **summary(rules),
        "versions": [_version(version) for version in book.versions(rules.id)],
        "changes": [difference._asdict() for difference in since_version_before(rules, book)],
        "rotation": rules.rotation,
        "rotation_rounds": rules.rotation_rounds,
        "decks": {"fewest": rules.decks[0], "most": rules.decks[1], "usual": rules.usual_decks},
        "alternating_decks": rules.alternating_decks,
        "kinds": list(rules.kinds),
        "table_aggregate": _money(rules.table_aggregate),
        "customer_limit": None if rules.customer_limit is None else money(rules.customer_limit.most),
        "spots": [
            {**to_builtins(spot), "limits": None if spot.limits is None else [money(limit) for limit in spot.limits]}
            for spot in rules.spots.values()
        ],
        "dealings": to_builtins(list(rules.dealings.values())),
        "settlement": to_builtins(rules.settlement),
        "figures": [to_builtins(figure._asdict()) for figure in rulesets.figures(rules)],
        "paytables": [
            {
                "id": table.id,
                "spot": table.spot,
                "usual": table.id == rules.usual_trips,
                "pays": {hand: str(odds) for hand, odds in table.pays.items()},
                "clause": table.clause,
            }
            for table in rules.paytables.values()
        ],
        "schedules": [
            {
                "option": schedule.option,
                "limits": [money(limit) for limit in schedule.limits],
                "tiers": [{"up_to": _money(tier.up_to), "fee": money(tier.fee)} for tier in schedule.tiers],
                "clause": schedule.clause,
            }
            for schedule in rules.schedules.values()
        ],
        "supplied_schedule": rules.supplied_schedule,
        "progressives": [
            {
                "id": table.id,
                "wager": money(table.wager),
                "reads": table.reads,
                "awards": [
                    {"hand": award.hand, "pays": str(award), "envy": _money(award.envy)} for award in table.awards
                ],
                "clause": table.clause,
            }
            for table in rules.progressives.values()
        ],
        "clauses": to_builtins(list(rules.clauses.values())),
    }


def adoption_document(adoption: Adoption) -> dict[str, object]:
    """Return an adoption for programs and pages, without the text, which the rule set shows."""
    event = adoption.event
    days = {"approved_on": event.approved_on, "first_day": event.first_day, "last_day": adoption.last_day}
    return {
        "ruleset": event.ruleset,
        "version": event.version,
        "hash": event.content_hash,
        "source_hash": event.source_hash,
        "approval": event.approval,
        **to_builtins(days),
        "by": adoption.by,
        "second_person": event.second_person,
        "at": format_ms(adoption.at_ms),
    }


def _version(rules: RuleSet) -> dict[str, object]:
    short = summary(rules)
    return {name: short[name] for name in ("version", "in_force", "hash")}


def _money(amount_cents: int | None) -> str | None:
    return None if amount_cents is None else money(amount_cents)

"""Putting versions of rule sets into force and retiring them, by two people."""

from __future__ import annotations

from datetime import date

from domain.rules import adoption, rulesets
from domain.rules.adoption import Approval, Days, RulebookEvent
from domain.rules.rulebook import Adoption
from domain.rules.ruleset import RuleSet
from domain.two_people import TwoPeople
from infra.aggregates.rulebook import ADOPTIONS
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication


def adopt_rules(
    ledger: LedgerApplication,
    text: str,
    ruleset: str,
    days: Days | None,
    approval: Approval,
    second_person: str,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> Adoption:
    """Adopt the rule set of a file's text; by default from the first day that the file names."""
    rules = adoption.read_file(text, ruleset)
    book, version = ledger.rulebook.latest()
    days = days or Days(rules.in_force.since)
    adopted = adoption.adopt(book, rules, days, approval, TwoPeople(actor.by, second_person), actor.at_ms)
    outcome = Adoption(adopted, rules, actor.by, actor.at_ms, adopted.last_day)
    _save(ledger, version, adopted, actor, receipt, outcome)
    return outcome


def adopt_shipped(
    ledger: LedgerApplication,
    ruleset: str,
    approval: str,
    second_person: str,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> Adoption:
    """Adopt what ships with the program, as it is in force today, from today on."""
    today = adoption.day_of(actor.at_ms)
    text = rulesets.in_force(ruleset, today).text
    return adopt_rules(ledger, text, ruleset, Days(today), Approval(approval), second_person, actor, receipt)


def retire_rules(
    ledger: LedgerApplication,
    ruleset: str,
    from_day: date,
    reason: str,
    second_person: str,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> RuleSet:
    """Retire the newest version, with its last day."""
    book, version = ledger.rulebook.latest()
    retired = adoption.retire(book, ruleset, from_day, reason, TwoPeople(actor.by, second_person), actor.at_ms)
    outcome = book.ended(ruleset, retired.last_day)
    _save(ledger, version, retired, actor, receipt, outcome)
    return outcome


def _save(
    ledger: LedgerApplication,
    version: int,
    event: RulebookEvent,
    actor: Actor,
    receipt: CommandReceipt,
    outcome: Adoption | RuleSet,
) -> None:
    ledger.append(ADOPTIONS, event, actor, "The rulebook", version, receipt, outcome)
    ledger.rulebook.latest()

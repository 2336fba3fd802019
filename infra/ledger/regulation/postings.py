"""Choosing terms for the property, posting them at tables, and designating tables for a game."""

from __future__ import annotations

from collections.abc import Mapping

from domain.regulation import postings
from domain.regulation.postings import Posting, TableDesignated, TermsChosen
from domain.rules.terms import TermsDocument
from infra.aggregates.stored_postings import OFFERING, POSTING
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication


def choose_terms(
    ledger: LedgerApplication,
    ruleset: str,
    trips: str | None,
    schedules: tuple[int, ...] | None,
    limits: Mapping[str, tuple[str, str]],
    notice_minutes: int,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> TermsChosen:
    """Choose what the whole property offers of a rule set, from now on."""
    rules = ledger.rulebook.in_force(ruleset, actor.at_ms)
    chosen = postings.choose(rules, trips, schedules, limits, notice_minutes)
    ledger.append((OFFERING, ruleset), chosen, actor, f"The choice of {ruleset}", receipt=receipt)
    return chosen


def post_terms(
    ledger: LedgerApplication,
    table: str,
    ruleset: str,
    terms: TermsDocument,
    from_ms: int | None,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> Posting:
    """Post terms at a table from a moment on; by default from now on."""
    from_ms = actor.at_ms if from_ms is None else from_ms
    rules = ledger.rulebook.in_force(ruleset, from_ms)
    chosen = ledger.postings.choices(ruleset)
    posted = postings.post(rules, terms, table, chosen[-1][0] if chosen else None, from_ms, actor.at_ms)
    posting = Posting(posted, actor.by, actor.at_ms)
    ledger.append((POSTING, table), posted, actor, _posted_at(table), receipt=receipt, outcome=posting)
    return posting


def take_down(
    ledger: LedgerApplication, table: str, from_ms: int | None, actor: Actor, receipt: CommandReceipt = None
) -> postings.PostingTakenDown:
    posted, version = ledger.postings.of_table(table)
    down = postings.take_down(posted, table, actor.at_ms if from_ms is None else from_ms, actor.at_ms)
    ledger.append((POSTING, table), down, actor, _posted_at(table), version, receipt)
    return down


def designate_table(
    ledger: LedgerApplication,
    table: str,
    ruleset: str,
    box: str,
    inscription: str,
    placard: str,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> TableDesignated:
    rules = ledger.rulebook.in_force(ruleset, actor.at_ms)
    designated = postings.designate(rules, table, box, inscription, placard)
    ledger.append((POSTING, table), designated, actor, _posted_at(table), receipt=receipt)
    return designated


def _posted_at(table: str) -> str:
    return f"What is posted at table {table}"

"""Stating facts about a round that its own events do not show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from domain.regulation import round_facts
from domain.regulation.round_facts import MisdealOutcome, PlayedRound, RoundFact
from infra.aggregates.rounds import UnknownRound
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.store.streams import stream_id

FACTS = "facts"  # kind of aggregate: one for each round that has any


def facts_of(ledger: LedgerApplication, round_id: str) -> list[RoundFact]:
    return [entry.event for entry in ledger.events.load(stream_id(FACTS, round_id))]


def call_supervisor(
    ledger: LedgerApplication, round_id: str, supervisor: str, actor: Actor, receipt: CommandReceipt = None
) -> RoundFact:
    return _state(ledger, round_id, lambda round_, _: round_facts.call_supervisor(round_, supervisor), actor, receipt)


def see_deck(
    ledger: LedgerApplication, round_id: str, colour: str, actor: Actor, receipt: CommandReceipt = None
) -> RoundFact:
    return _state(ledger, round_id, lambda round_, before: round_facts.see_deck(round_, before, colour), actor, receipt)


def notice_misdeal(
    ledger: LedgerApplication,
    round_id: str,
    place: str,
    expected: int,
    found: int,
    outcome: MisdealOutcome,
    note: str,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> RoundFact:
    said = place, expected, found, outcome, note
    return _state(ledger, round_id, lambda round_, _: round_facts.notice_misdeal(round_, *said), actor, receipt)


def hold_hands(
    ledger: LedgerApplication, round_id: str, seats: Sequence[int], actor: Actor, receipt: CommandReceipt = None
) -> RoundFact:
    return _state(
        ledger, round_id, lambda round_, _: round_facts.hold_hands(round_, seats, actor.at_ms), actor, receipt
    )


def _state(
    ledger: LedgerApplication,
    round_id: str,
    decide: Callable[[PlayedRound, list[RoundFact]], RoundFact],
    actor: Actor,
    receipt: CommandReceipt,
) -> RoundFact:
    entries = ledger.entries(round_id)
    if not entries:
        raise UnknownRound(f"There is no round {round_id}.")
    opened = entries[0].event
    rules = ledger.rulebook.rules(opened.ruleset, opened.ruleset_hash)
    round_ = round_facts.played(rules, ((entry.event, entry.at_ms) for entry in entries))
    assert round_ is not None
    before = ledger.events.load(stream_id(FACTS, round_id))
    actor = actor.after(entries[0].at_ms, f"round {round_id} was opened,")
    fact = decide(round_, [entry.event for entry in before])
    ledger.append((FACTS, round_id), fact, actor, f"What is known of round {round_id}", len(before), receipt)
    return fact

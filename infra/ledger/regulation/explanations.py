"""Explaining a result that chance does not explain."""

from __future__ import annotations

from domain.regulation.explanations import ResultExplained, explain
from infra.aggregates.changes import Changes
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.store.streams import stream_id

EXPLANATIONS = "explanations"  # kind of aggregate: one for each table that has any


def explain_result(
    ledger: LedgerApplication, given: ResultExplained, actor: Actor, receipt: CommandReceipt = None
) -> ResultExplained:
    explained = explain(given)
    before = ledger.events.last(stream_id(EXPLANATIONS, given.table))
    version = 0
    if before:
        version, actor = before[0].originator_version, actor.after(before[0].at_ms, "the last explanation")
    changes = Changes(actor)
    changes.add(EXPLANATIONS, given.table, version, [explained])
    ledger.save_changes(changes, f"The explanation of table {given.table}", receipt, explained)
    return explained

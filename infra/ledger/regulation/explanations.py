"""Explaining a result that chance does not explain."""

from __future__ import annotations

from domain.regulation.explanations import ResultExplained, explain
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication

EXPLANATIONS = "explanations"  # kind of aggregate: one for each table that has any


def explain_result(
    ledger: LedgerApplication, given: ResultExplained, actor: Actor, receipt: CommandReceipt = None
) -> ResultExplained:
    explained = explain(given)
    ledger.append(
        (EXPLANATIONS, given.table),
        explained,
        actor,
        f"The explanation of table {given.table}",
        receipt=receipt,
        after="the last explanation",
    )
    return explained

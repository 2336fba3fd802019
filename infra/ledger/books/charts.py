"""The property's chart of accounts, as accounting last gave it."""

from __future__ import annotations

from domain.books import chart_of_accounts
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.store.encoding.mapper import RecordedEvent
from infra.store.streams import stream_id

CHART = "chart", "books"


def kept_chart(ledger: LedgerApplication) -> RecordedEvent | None:
    """Return the chart; None if nobody has given one."""
    last = ledger.events.last(stream_id(*CHART))
    return last[0] if last else None


def keep_chart(
    ledger: LedgerApplication, text: str, actor: Actor, receipt: CommandReceipt = None
) -> chart_of_accounts.ChartKept:
    kept = chart_of_accounts.keep_chart(text)
    ledger.append(CHART, kept, actor, "The chart of accounts", receipt=receipt, after="the chart before")
    return kept

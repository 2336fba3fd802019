"""Changing a dispute that the caller may have seen in an older version."""

from __future__ import annotations

from collections.abc import Callable

from domain.errors import Refusal
from infra.ledger.disputes.disputes import Disputes, StoredDispute
from infra.ledger.ledger import CommandReceipt, Ledger
from infra.ledger.rounds_in_play import with_version


def change_dispute(
    ledger: Ledger,
    name: str,
    expected: int | None,
    receipt: CommandReceipt,
    command: Callable[[Disputes], StoredDispute],
) -> StoredDispute:
    """Change a dispute; if it is past the expected version, that is the reason given for a refusal."""
    try:
        return command(Disputes(ledger, receipt))
    except Refusal as refusal:
        raise with_version(refusal, f"Dispute {name}", Disputes(ledger).get(name).version, expected) from None

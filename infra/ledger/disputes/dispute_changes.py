"""A change of a dispute's file by somebody who may have seen an older version of it."""

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
    """Where the file has moved on since the version that was expected, that is the reason of a refusal."""
    try:
        return command(Disputes(ledger, receipt))
    except Refusal as refusal:
        raise with_version(refusal, f"Dispute {name}", Disputes(ledger).get(name).version, expected) from None

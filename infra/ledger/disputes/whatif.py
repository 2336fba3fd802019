"""How a stored round would have ended with other facts. Nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.disputes import whatif
from domain.round.replay import facts_of
from infra.ledger.application import LedgerApplication


def what_if(
    ledger: LedgerApplication,
    round_id: str,
    cards: Sequence[whatif.CardChange],
    changes: Mapping[int, dict[str, Any]],
) -> whatif.WhatIf:
    """Settle a round with other facts. Cards that were never turned over stay unknown."""
    stored = ledger.load(round_id)
    opening = ledger.rulebook.opening(stored.round.opened)
    return whatif.what_if(stored.round, opening, facts_of(stored.events()), cards, changes)

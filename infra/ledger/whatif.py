"""How a stored round would have ended with other facts; nothing is stored."""

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
    """No card that was not turned over is known here."""
    stored = ledger.load(round_id)
    opening = ledger.rulebook.opening(stored.round.opened)
    return whatif.what_if(stored.round, opening, facts_of(stored.events()), cards, changes)

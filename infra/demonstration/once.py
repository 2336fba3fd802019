"""Steps that are carried out once, however often the story is told.

The receipt of a step is stored in the step's own transaction. Whoever was killed while telling tells again from the
beginning: what is stored is passed over, and the rest is what it would have been.
"""

from __future__ import annotations

from infra.appender import Receipt
from infra.floor import Floor
from infra.ledger import Ledger

PREFIX = "demo/"


class Once:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def is_done(self, step: str) -> bool:
        return self.note_of(step) is not None

    def note_of(self, step: str) -> bytes | None:
        """What was noted with a step, or none if it has not been carried out."""
        receipt = self._ledger.events.recorder.receipt(PREFIX + step)
        return None if receipt is None else receipt.outcome

    def receipt(self, step: str, note: bytes = b"") -> Receipt:
        return Receipt(PREFIX + step, b"", note)

    def floor(self, step: str, note: bytes = b"") -> Floor | None:
        """A floor for this one command, or none if it has been given already."""
        return None if self.is_done(step) else Floor(self._ledger, self.receipt(step, note))

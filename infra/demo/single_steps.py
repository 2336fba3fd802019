"""Steps that are carried out once, however often the demo is started.

The receipt of a step is stored in the step's own transaction. A demo that was killed starts from the beginning, skips
what is stored and does the rest as it would have."""

from __future__ import annotations

from collections.abc import Callable

from infra.ledger.floor import Floor
from infra.ledger.ledger import Ledger
from infra.store.appender import Receipt

PREFIX = "demo/"


class Once:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def is_done(self, step: str) -> bool:
        return self.note_of(step) is not None

    def note_of(self, step: str) -> bytes | None:
        """Return the note of a step; None if it was not carried out."""
        receipt = self.ledger.events.recorder.receipt(PREFIX + step)
        return None if receipt is None else receipt.outcome

    def do(self, step: str, command: Callable[..., object], note: bytes = b"") -> None:
        """Carry out a command, which stores the given `receipt`, unless it was carried out before."""
        if not self.is_done(step):
            command(receipt=Receipt(PREFIX + step, b"", note))

    def on_floor(self, step: str, command: Callable[[Floor], object], note: bytes = b"") -> None:
        """Carry out a command of the floor once."""
        self.do(step, lambda receipt: command(Floor(self.ledger, receipt)), note)

"""A card-reading shoe at a table of the demo. Whenever cards are due there, it posts the next packet, as a real one
does: over HTTP (`POST /v1/tables/{table}/cards`), with a token of its own for the table's terminal."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import httpx

from domain.cards import DECK
from domain.round.decide import expects
from infra.demo.roster import SHOE_TABLE
from infra.ledger.ledger import Ledger

READER = "shoe-1"
BETWEEN_LOOKS_S = 1.0


class CardReader:
    """A reader that runs like a simulated table: `next_at` is when it looks again, in seconds since the start.
    `service` has its address and its token; what is due is read from the ledger, as a real one sees the table."""

    def __init__(self, ledger: Ledger, service: httpx.Client, start: str) -> None:
        self._ledger, self._service = ledger, service
        self._rng = Random(start)
        self._round: str | None = None
        self._shoe: list[str] = []
        self.next_at = 0.0

    def go_on(self, elapsed_s: float) -> None:
        self.next_at = elapsed_s + BETWEEN_LOOKS_S
        session = self._ledger.tables.reload(SHOE_TABLE).session
        if session is None or session.playing is None:
            return
        stored = self._ledger.load(session.playing.round)
        if stored.id != self._round:  # a fresh shoe for each round, so that nothing has to be remembered
            self._round, self._shoe = stored.id, list(DECK) * stored.round.terms.decks
            self._rng.shuffle(self._shoe)
        entry = next((one for one in expects(stored.public) if one["do"] == "deal"), None)
        if entry is None:
            return
        packet = [self._shoe.pop() for _ in range(entry["count"])]
        key = f"{READER}-{stored.id}-{stored.version}"
        with suppress(httpx.HTTPError):  # the service has not started yet; a refusal means that somebody was quicker
            self._service.post(
                f"/v1/tables/{SHOE_TABLE}/cards", json={"packets": [packet]}, headers={"Idempotency-Key": key}
            )

    def finish(self) -> None:
        """Do nothing: the dealer there continues without the reader."""

    def void_open(self) -> None:
        """Do nothing: the dealer ends a round that was left open."""

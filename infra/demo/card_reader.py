"""A card-reading shoe at a table of the demo. Whenever cards are due there, it sends the next packet.

A real one posts the same packets over HTTP (`POST /v1/tables/{table}/cards`) with a token of the table's terminal."""

from __future__ import annotations

import time
from contextlib import suppress
from random import Random

from domain.cards import DECK
from domain.errors import Refusal
from domain.round.decide import expects
from infra.access.callers import Caller
from infra.demo.roster import SHOE_TABLE
from infra.ledger.ledger import Actor, Ledger
from infra.ledger.rounds_in_play import RoundsInPlay

READER = "shoe-1"
BETWEEN_LOOKS_S = 1.0


class CardReader:
    """A reader that runs like a simulated table: `next_at` is when it looks again, in seconds since the start."""

    def __init__(self, ledger: Ledger, start: str) -> None:
        self._ledger, self._play = ledger, RoundsInPlay(ledger)
        self._caller = Caller(READER, "terminal", SHOE_TABLE)
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
        with suppress(Refusal):  # somebody was quicker
            self._play.deal(self._caller, SHOE_TABLE, [packet], Actor(READER, time.time_ns() // 1_000_000), None)

    def finish(self) -> None:
        """Do nothing: the dealer there continues without the reader."""

    def void_open(self) -> None:
        """Do nothing: the dealer ends a round that was left open."""

"""Tables that stay in play: each round is played action by action, at the pace of people.

Every start seats new people, so nothing has to be remembered about earlier ones."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from random import Random
from typing import Any

import httpx

from domain.errors import Refusal
from domain.rules import rulesets
from infra.aggregates.stored_slips import last_number, stored_slip
from infra.demo.card_reader import CardReader
from infra.demo.roster import SECOND_FLOOR, TABLES, dealer_at
from infra.ledger.books.slips import Slips
from infra.ledger.ledger import Actor, Ledger, StoredRound
from infra.simulation.table import Table

BETWEEN_ROUNDS_S = (3.0, 8.0)
BETWEEN_ACTIONS_S = (0.4, 1.6)
SOMEBODY_ELSE_DEALS_S = 15.0
ASKS_FOR_CHIPS = "house-1"
FILL = {100_00: 20, 25_00: 40}
CROWDS = 60  # one of these is used at each start


class LiveTable:
    """A table in play. `start` names this start of the demo, and so its rounds: `house-1-1116-112345-000001`."""

    def __init__(self, ledger: Ledger, name: str, ruleset: str, number: int, start: str) -> None:
        self._ledger, self._name, self._ruleset = ledger, name, ruleset
        rng = Random(f"{name}/{start}")
        crowd = len(TABLES) + 1 + (rng.randrange(CROWDS) * len(TABLES)) + number
        session = ledger.tables.get(name).session
        last = 0 if session is None or session.run is None else session.run.seat
        self._simulated = Table(rulesets.load(ruleset), name, crowd, rng, f"{name}-{start}", last)
        self._pace = Random(f"{name}/{start}/pace")
        self._round: StoredRound | None = None
        self._actions: Iterator[dict[str, Any]] = iter(())
        self._has_asked = False
        self.next_at = self._pace.uniform(0.0, BETWEEN_ROUNDS_S[1])  # seconds since the start

    def go_on(self, elapsed_s: float) -> None:
        """Do the next thing at the table."""
        try:
            if self._round is None:
                self._open()
            else:
                self._act(1)
            pause_s = self._pace.uniform(*(BETWEEN_ROUNDS_S if self._round is None else BETWEEN_ACTIONS_S))
        except Refusal:  # somebody else deals here, or has voided the round
            self._round = None
            pause_s = SOMEBODY_ELSE_DEALS_S
        self.next_at = elapsed_s + pause_s

    def finish(self) -> None:
        """Play the current round to its end."""
        if self._round is not None:
            try:
                self._act(None)
            except Refusal:
                self._round = None

    def void_open(self) -> None:
        """Void a round that an earlier start left unfinished."""
        session = self._ledger.tables.get(self._name).session
        if session is None or session.playing is None or not session.playing.round.startswith(f"{self._name}-"):
            return
        void = {"do": "void", "reason": "malfunction", "detail": "The demo was ended in the middle of the round."}
        self._ledger.act(session.playing.round, [void], self._dealer())

    def _open(self) -> None:
        dealer = self._dealer()
        self._simulated.play_by(self._ledger.rulebook.in_force(self._ruleset, dealer.at_ms))
        document = json.loads(self._simulated.next_document())
        self._round = self._ledger.record_round({**document, "actions": []}, dealer)
        self._actions = iter(document["actions"])
        if self._name == ASKS_FOR_CHIPS and not self._has_asked:
            self._has_asked = True
            self._ask_for_chips()

    def _ask_for_chips(self) -> None:
        """Ask the cage for a fill, which waits for a visitor to issue it; if none waits from an earlier start."""
        number = last_number(self._ledger.events)
        if number and stored_slip(self._ledger.events, number).slip.status == "requested":
            return
        with suppress(Refusal):  # somebody has closed the table
            actor = Actor(SECOND_FLOOR, time.time_ns() // 1_000_000)
            Slips(self._ledger).request("fill", self._name, FILL, actor)

    def _act(self, count: int | None) -> None:
        assert self._round is not None
        actions = list(islice(self._actions, count))
        if actions:
            self._round = self._ledger.act(self._round.id, actions, self._dealer())
        if not actions or self._round.round.status != "open":
            self._round = None

    def _dealer(self) -> Actor:
        now_ms = time.time_ns() // 1_000_000
        return Actor(dealer_at(self._name, now_ms), now_ms)


class LiveFloor:
    def __init__(self, ledger: Ledger, shoe: httpx.Client, start: str) -> None:
        self._began_at = time.monotonic()
        self._tables: list[LiveTable | CardReader] = [
            LiveTable(ledger, name, ruleset, number, start) for number, (name, ruleset) in enumerate(TABLES.items())
        ]
        self._tables.append(CardReader(ledger, shoe, start))
        for table in self._tables:
            table.void_open()

    def go_on(self) -> float:
        """Do what is due at the tables; return the seconds until something is due again."""
        for table in self._tables:
            elapsed_s = time.monotonic() - self._began_at
            if table.next_at <= elapsed_s:
                table.go_on(elapsed_s)
        due_at = min(table.next_at for table in self._tables)
        return max(due_at - (time.monotonic() - self._began_at), 0.0)

    def finish(self) -> None:
        for table in self._tables:
            table.finish()

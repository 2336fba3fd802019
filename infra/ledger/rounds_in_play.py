"""Actions onto a round that this process may know already, and what is said where somebody else was first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from domain.errors import BadChoice, Conflict, OutOfTurn, Refusal
from domain.round import hidden_cards
from domain.round.actions import TakeBack
from infra.access.callers import Caller
from infra.ledger.ledger import Actor, CommandReceipt, Contradicted, Ledger, StoredRound
from infra.store.cache import Cache

MOST_ROUNDS = 4096  # in play, that a process keeps
NO_VERSION = -1  # what is no version matches none


class StaleVersion(Exception):
    """What is stored is at another version than the one that was asked for."""

    def __init__(self, what: str, version: int, expected: int) -> None:
        asked = "the one asked for" if expected == NO_VERSION else expected
        super().__init__(f"{what} is at version {version}, not {asked}.")
        self.version = version


class VersionConflict(Conflict):
    """A lost race, with the version that is stored now."""

    def __init__(self, refusal: Refusal, version: int) -> None:
        super().__init__(refusal.detail, refusal.clause)
        self.action = refusal.action
        self.version = version


class RoundsInPlay:
    """The play of rounds in one process, which keeps them as it last saw them: an action need not read its round again.
    If another process has written since, the store refuses the version and the round is read again."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rounds: Cache[StoredRound] = Cache(MOST_ROUNDS)

    def open(self, table: str, raw: dict[str, Any], actor: Actor, receipt: CommandReceipt) -> StoredRound:
        return self._keep(self._ledger.open_round(table, raw, actor, receipt))

    def act(
        self,
        caller: Caller,
        round_id: str,
        actions: list[Any],
        actor: Actor,
        expected: int | None,
        receipt: CommandReceipt,
        second: str | None,
        check_key: Callable[[], None],
    ) -> StoredRound:
        """Onto the round as this process knows it; where that leads to a refusal, onto the round as it is stored.
        `check_key` is called before anything is compared with hidden cards."""
        known = self._rounds.find(round_id)
        remembered = known is not None and expected in (None, known.version)
        if known is None or not remembered:
            known = self._ledger.load(round_id)
        caller.check_table(known.round.opened.table)
        if expected is not None and known.version != expected:
            raise StaleVersion(f"Round {round_id}", known.version, expected)
        if receipt is not None and hidden_cards.may_contradict(known.public, known.round, actions):
            check_key()
        try:
            stored = self._ledger.act(round_id, actions, actor, expected, receipt, known, second)
        except Contradicted:
            self._rounds.forget(round_id)
            raise
        except Refusal as refusal:
            self._rounds.forget(round_id)
            if not remembered:
                raise self._refused(round_id, refusal, expected) from None
            return self.act(caller, round_id, actions, actor, expected, receipt, second, check_key)
        return self._keep(stored)

    def deal(
        self,
        caller: Caller,
        table: str,
        packets: Sequence[Sequence[str | None]],
        actor: Actor,
        receipt: CommandReceipt,
        check_key: Callable[[], None] = lambda: None,
    ) -> StoredRound:
        """Packets as a shoe or shuffler reads them: each goes where the next cards of the table's round go."""
        caller.check_table(table)
        session = self._ledger.tables.reload(table).open_session(table)
        if session.playing is None:
            raise OutOfTurn(f"No round is open at table {table}.")
        stored = self._ledger.load(session.playing.round)
        deals = hidden_cards.deals_of(stored.public, packets)
        return self.act(caller, stored.id, deals, actor, None, receipt, None, check_key)

    def take_back(
        self,
        caller: Caller,
        round_id: str,
        mistake: TakeBack,
        actor: Actor,
        expected: int | None,
        receipt: CommandReceipt,
    ) -> StoredRound:
        """The last entry of the play, by two people where the round's own rules or earlier attempts need them."""
        if mistake.confirmed_by == actor.by:
            raise BadChoice("Two different people are needed: whoever takes back does not confirm it.")
        attempts = self._ledger.load(round_id).round.contradictions
        second = mistake.confirmed_by if attempts >= hidden_cards.MOST_CONTRADICTIONS else None
        return self.act(caller, round_id, [mistake], actor, expected, receipt, second, lambda: None)

    def annotate(self, round_id: str, expected: int | None, command: Callable[[], StoredRound]) -> StoredRound:
        """A note, a waiver, a payment or a correction, after which the round is read again."""
        self._rounds.forget(round_id)
        try:
            return command()
        except Contradicted:
            raise
        except Refusal as refusal:
            raise self._refused(round_id, refusal, expected) from None

    def _keep(self, stored: StoredRound) -> StoredRound:
        """A round that is over is not kept: hardly anybody writes to it again."""
        if stored.round.status == "open":
            self._rounds.keep(stored.id, stored)
        else:
            self._rounds.forget(stored.id)
        return stored

    def _refused(self, round_id: str, refusal: Refusal, expected: int | None) -> Exception:
        if not isinstance(refusal, Conflict):
            return refusal
        return with_version(refusal, f"Round {round_id}", self._ledger.load(round_id).version, expected)


def with_version(refusal: Refusal, what: str, version: int, expected: int | None) -> Exception:
    """A refusal of what is at a version now: that it is not the expected one comes first, and a lost race names it."""
    if expected is not None and version != expected:
        return StaleVersion(what, version, expected)
    return VersionConflict(refusal, version) if isinstance(refusal, Conflict) else refusal

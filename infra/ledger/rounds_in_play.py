"""Actions on rounds that this process has cached, and the refusals when somebody else was first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from domain.errors import BadChoice, Conflict, OutOfTurn, Refusal
from domain.round import hidden_cards
from domain.round.actions import TakeBack
from infra.access.callers import Caller
from infra.ledger.ledger import Actor, CommandReceipt, Contradicted, Ledger, StoredRound
from infra.store.cache import Cache

MOST_ROUNDS = 4096  # rounds in play that a process caches
NO_VERSION = -1  # a version that matches none


class StaleVersion(Exception):
    """The stored version is not the requested one."""

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
    """Rounds in play in one process. They are cached, so that an action need not reread its round. If another process
    has written since, the store refuses the version and the round is reread."""

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
        """Act on the cached round; if that is refused, on the stored one. `check_key` is called before anything is
        compared with hidden cards."""
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
        """Add packets as a shoe or shuffler reads them: each goes where the next cards of the table's round go."""
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
        """Take back the last entry, by two people if the rules or earlier attempts require it."""
        if mistake.confirmed_by == actor.by:
            raise BadChoice("Two different people are needed: whoever takes back does not confirm it.")
        attempts = self._ledger.load(round_id).round.contradictions
        second = mistake.confirmed_by if attempts >= hidden_cards.MOST_CONTRADICTIONS else None
        return self.act(caller, round_id, [mistake], actor, expected, receipt, second, lambda: None)

    def annotate(self, round_id: str, expected: int | None, command: Callable[[], StoredRound]) -> StoredRound:
        """Annotate a round with a note, a waiver, a payment or a correction; it is then reread."""
        self._rounds.forget(round_id)
        try:
            return command()
        except Contradicted:
            raise
        except Refusal as refusal:
            raise self._refused(round_id, refusal, expected) from None

    def _keep(self, stored: StoredRound) -> StoredRound:
        """Cache the round, unless it is over."""
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
    """Return the refusal with the current version. An unexpected version is reported first."""
    if expected is not None and version != expected:
        return StaleVersion(what, version, expected)
    return VersionConflict(refusal, version) if isinstance(refusal, Conflict) else refusal

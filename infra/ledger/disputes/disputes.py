"""Commands on disputes. Each changes the dispute and its round in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from msgspec import Struct

from domain.books.accounts import check_named
from domain.disputes import disputes
from domain.disputes.disputes import Dispute, DisputeEvent, Evidence
from domain.disputes.whatif import CardChange, WhatIf
from domain.documents.result import result_of
from domain.errors import BadDocument, Conflict
from domain.round import corrections
from domain.round.corrections import Entry
from domain.round.state import Round, fold
from infra.aggregates.accounts import ACCOUNTS, stored_accounts
from infra.aggregates.changes import Changes
from infra.aggregates.rounds import StoredRound
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.ledger.disputes.whatif import what_if
from infra.store.encoding.mapper import RecordedEvent
from infra.store.streams import stream_id


class UnknownDispute(LookupError):
    """No dispute is stored under that id."""


class StoredDispute(Struct, frozen=True):
    """A dispute and its events, with who and when."""

    dispute: Dispute
    entries: list[RecordedEvent]

    @property
    def version(self) -> int:
        return len(self.entries)


class Disputes:
    """Commands on disputes. `receipt` is stored with the command, so make one instance per command that has one."""

    def __init__(self, ledger: LedgerApplication, receipt: CommandReceipt = None) -> None:
        self._ledger = ledger
        self._receipt = receipt

    # ---- reading

    def find(self, dispute_id: str) -> StoredDispute | None:
        return self._ledger.find("dispute", dispute_id, _project)

    def get(self, dispute_id: str) -> StoredDispute:
        found = self.find(dispute_id)
        if found is None:
            raise UnknownDispute(f"There is no dispute {dispute_id}.")
        return found

    def evidence(self, round_id: str, version: int) -> Evidence:
        """Return the evidence from stored events up to a version: always the same, unless a row was changed."""
        rows = self._ledger.recorder.select_events(stream_id("round", round_id), lte=version)
        hash_ = disputes.frozen_hash((row.topic, bytes(row.state)) for row in rows)
        return Evidence(version, hash_, disputes.result_hash(result_of(self.frozen_round(round_id, version))))

    def frozen_round(self, round_id: str, version: int) -> Round:
        """Return the round as everybody may know it at a version, from its stored events alone."""
        entries = self._ledger.events.load(stream_id("round", round_id), lte=version)
        return fold(self._ledger.rulebook.opening(entries[0].event), (entry.event for entry in entries[1:]))

    # ---- commands

    def open(
        self,
        round_id: str,
        claim: disputes.Claim,
        actor: Actor,
        dispute_id: str | None = None,
        expected_version: int | None = None,
    ) -> StoredDispute:
        """Freeze the evidence and mark the round as disputed."""
        stored = self._ledger.load(round_id, expected_version=expected_version)
        dispute_id = dispute_id or f"d-{uuid4().hex[:12]}"
        if self.find(dispute_id) is not None:
            raise Conflict(f"Another dispute is stored as {dispute_id}.")
        actor = actor.after(stored.entries[0].at_ms, f"round {round_id} was opened,")
        people = disputes.people_of((entry.event, entry.by) for entry in stored.entries)
        evidence = self.evidence(round_id, stored.version)
        opened = disputes.open_dispute(dispute_id, round_id, stored.round, claim, evidence, people, actor.at_ms)
        disputes.check_not_disputed(opened, [self.get(other.dispute).dispute for other in stored.round.disputes])
        changes = Changes(actor)
        changes.add("dispute", dispute_id, 0, [opened])
        changes.add("round", round_id, stored.version, [disputes.disputed(opened)])
        after = _project([_entry(dispute_id, 1, opened, actor)])
        self._save(changes, f"Round {round_id}", after, stored)
        return after

    def add(
        self,
        dispute_id: str,
        decide: Callable[[Dispute], DisputeEvent],
        actor: Actor,
        expected_version: int | None = None,
    ) -> StoredDispute:
        """Add something that concerns the file alone: a statement, a reference, a note, a deadline, an appeal, its
        closing."""
        before = self._get_at(dispute_id, expected_version)
        return self._append(before, decide(before.dispute), _in_order(before, actor))

    def ask_what_if(
        self,
        dispute_id: str,
        cards: Sequence[CardChange],
        changes: Mapping[int, dict[str, Any]],
        text: str,
        actor: Actor,
        expected_version: int | None = None,
    ) -> StoredDispute:
        """Store a what-if question in the file; refused if it cannot be asked."""
        before = self._get_at(dispute_id, expected_version)
        what_if(self._ledger, before.dispute.opened.round, cards, changes)
        asked = disputes.ask_what_if(before.dispute, cards, changes, text)
        return self._append(before, asked, _in_order(before, actor))

    def rule(
        self,
        dispute_id: str,
        outcome: disputes.Outcome,
        reason: str,
        second_person: str | None,
        entries: Sequence[Entry],
        appeal_until_ms: int,
        actor: Actor,
        expected_version: int | None = None,
        new_account: bool = False,
    ) -> StoredDispute:
        """`new_account`: an account that an entry names and that is not on the list is opened."""
        before = self._get_at(dispute_id, expected_version)
        by, actor = (actor.by, second_person), _in_order(before, actor)
        ruled = disputes.rule(before.dispute, outcome, reason, by, entries, appeal_until_ms, actor.at_ms)
        return self._rule(before, ruled, reason, entries, actor, new_account)

    def rule_appeal(
        self,
        dispute_id: str,
        outcome: disputes.Outcome,
        reason: str,
        second_person: str | None,
        entries: Sequence[Entry],
        actor: Actor,
        expected_version: int | None = None,
        new_account: bool = False,
    ) -> StoredDispute:
        before = self._get_at(dispute_id, expected_version)
        ruled = disputes.rule_appeal(before.dispute, outcome, reason, (actor.by, second_person), entries)
        return self._rule(before, ruled, reason, entries, _in_order(before, actor), new_account)

    def _rule(
        self,
        before: StoredDispute,
        ruled: disputes.DisputeRuled | disputes.AppealRuled,
        reason: str,
        entries: Sequence[Entry],
        actor: Actor,
        new_account: bool,
    ) -> StoredDispute:
        """Store the ruling, its entries on the round and the accounts that it opens, in one transaction."""
        changes = Changes(actor)
        dispute = before.dispute
        stored = None
        if entries:
            stored = self._ledger.load(dispute.opened.round)
            why = f"{disputes.dispute_name(dispute.id)}: {reason}"
            by = (actor.by, ruled.second_person or "")
            posted = corrections.correct(stored.round, why, by, entries, dispute=dispute.id)
            changes.add("round", dispute.opened.round, stored.version, posted)
            accounts = stored_accounts(self._ledger.events)
            named = (entry.account for entry in entries)
            opened = check_named(accounts.listed, named, new_account, corrections.ENTRIES)
            changes.add(*ACCOUNTS, accounts.version, opened)
        return self._append(before, ruled, actor, changes, stored)

    # ---- what-if questions

    def answers(self, found: StoredDispute) -> list[tuple[disputes.WhatIfAsked, WhatIf]]:
        """Return each question of the file with its answer, for the round as it was settled."""
        asked = [entry.event for entry in found.entries if isinstance(entry.event, disputes.WhatIfAsked)]
        return [(question, self._answer(found.dispute.opened.round, question)) for question in asked]

    def _answer(self, round_id: str, question: disputes.WhatIfAsked) -> WhatIf:
        changes = {int(at): fact for at, fact in question.facts.items()}
        try:
            return what_if(self._ledger, round_id, question.cards, changes)
        except BadDocument as refusal:  # earlier versions filed questions that are refused today
            return WhatIf(changes, refusal=refusal)

    # ---- carrying out a command

    def _get_at(self, dispute_id: str, expected_version: int | None) -> StoredDispute:
        found = self.get(dispute_id)
        if expected_version is not None and found.version != expected_version:
            raise Conflict(f"Dispute {dispute_id} is at version {found.version}, not {expected_version}.")
        return found

    def _append(
        self,
        before: StoredDispute,
        event: DisputeEvent,
        actor: Actor,
        changes: Changes | None = None,
        stored: StoredRound | None = None,
    ) -> StoredDispute:
        dispute, changes = before.dispute, changes or Changes(actor)
        version = changes.add("dispute", dispute.id, before.version, [event])
        entries = [*before.entries, _entry(dispute.id, version, event, actor)]
        after = StoredDispute(disputes.evolve(dispute, event, actor.by), entries)
        self._save(changes, f"Dispute {dispute.id}, or its round,", after, stored)
        return after

    def _save(self, changes: Changes, what: str, after: StoredDispute, stored: StoredRound | None) -> None:
        try:
            self._ledger.save_changes(changes, what, self._receipt, after)
        finally:
            if stored is not None:
                self._ledger.tables.forget(stored.table)


def _project(entries: list[RecordedEvent]) -> StoredDispute:
    first = disputes.start(entries[0].event, entries[0].by)
    return StoredDispute(disputes.fold(first, ((entry.event, entry.by) for entry in entries[1:])), entries)


def _in_order(before: StoredDispute, actor: Actor) -> Actor:
    return actor.after(before.entries[-1].at_ms, f"what was filed last in dispute {before.dispute.id},")


def _entry(dispute_id: str, version: int, event: DisputeEvent, actor: Actor) -> RecordedEvent:
    return RecordedEvent(
        originator_id=stream_id("dispute", dispute_id),
        originator_version=version,
        event=event,
        by=actor.by,
        at_ms=actor.at_ms,
        late=actor.late,
    )

"""Disputes in the ledger: what one command changes in the dispute and in its round is one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from msgspec import Struct

from domain import corrections, disputes
from domain.corrections import Entry
from domain.disputes import Dispute, DisputeEvent, Evidence
from domain.errors import Conflict
from domain.results import result_of
from domain.state import Round, fold
from domain.supposing import CardSupposed, Supposed
from infra import appender, mapper
from infra.aggregates import Actor, Append, Stored, stream
from infra.ledger import Ledger, Receipted, what_if


class UnknownDispute(LookupError):
    """No dispute is stored under that id."""


class Filed(Struct, frozen=True):
    """A dispute as it is stored: where it stands, and every event of it with who and when."""

    dispute: Dispute
    entries: list[mapper.Entry[Any]]

    @property
    def version(self) -> int:
        return len(self.entries)


class Disputes:
    """Commands on disputes. `receipt` is stored with each, so whoever gives one makes this for that one command."""

    def __init__(self, ledger: Ledger, receipt: Receipted = None) -> None:
        self._ledger = ledger
        self._receipt = receipt

    # ---- reading

    def find(self, dispute_id: str) -> Filed | None:
        entries = self._ledger.events.load(stream("dispute", dispute_id))
        return _filed(entries) if entries else None

    def get(self, dispute_id: str) -> Filed:
        found = self.find(dispute_id)
        if found is None:
            raise UnknownDispute(f"There is no dispute {dispute_id}.")
        return found

    def evidence(self, round_id: str, version: int) -> Evidence:
        """Worked out from the stored events up to a version: the same for ever, unless somebody changed a row."""
        ledger = self._ledger
        originator = stream("round", round_id)
        name = ledger.events.recorder.topic_ids.name
        rows = ledger.events.recorder.rows_of(originator, lte=version)
        hash_ = disputes.frozen_hash((name(topic_id), bytes(state)) for _, topic_id, state in rows)
        return Evidence(version, hash_, disputes.result_hash(result_of(self.frozen_round(round_id, version))))

    def frozen_round(self, round_id: str, version: int) -> Round:
        """The round as everybody may know it at a version: from its stored events alone."""
        entries = self._ledger.events.load(stream("round", round_id), lte=version)
        return fold(self._ledger.aggregates.opening(entries[0].event), (entry.event for entry in entries[1:]))

    # ---- commands

    def open(
        self,
        round_id: str,
        claim: disputes.Claim,
        actor: Actor,
        dispute_id: str | None = None,
        expected_version: int | None = None,
    ) -> Filed:
        """Freezes the evidence and marks the round, which from then on says of itself that it is disputed."""
        stored = self._ledger.load(round_id)
        if expected_version is not None and stored.version != expected_version:
            raise Conflict(f"Round {round_id} is at version {stored.version}, not {expected_version}.")
        dispute_id = dispute_id or f"d-{uuid4().hex[:12]}"
        if self.find(dispute_id) is not None:
            raise Conflict(f"Another dispute is stored as {dispute_id}.")
        actor = actor.in_round(stored.entries[0].at_ms, f"round {round_id} was opened,")
        people = disputes.people_of((entry.event, entry.by) for entry in stored.entries)
        evidence = self.evidence(round_id, stored.version)
        opened = disputes.open_dispute(dispute_id, round_id, stored.round, claim, evidence, people, actor.at_ms)
        disputes.check_not_disputed(opened, [self.get(other.dispute).dispute for other in stored.round.disputes])
        append = Append(actor)
        append.add(stream("dispute", dispute_id), 0, [opened])
        append.add(stream("round", round_id), stored.version, [disputes.disputed(opened)])
        filed = _filed([_entry(opened, actor)])
        self._commit(append, f"Round {round_id}", filed, stored)
        return filed

    def add(
        self,
        dispute_id: str,
        decide: Callable[[Dispute], DisputeEvent],
        actor: Actor,
        expected_version: int | None = None,
    ) -> Filed:
        """Whatever concerns the file alone: a statement, a reference, a note, a deadline, an appeal, its end."""
        before = self._get_at(dispute_id, expected_version)
        actor = _in_order(before, actor)
        return self._append(before, decide(before.dispute), Append(actor), actor)

    def ask_what_if(
        self,
        dispute_id: str,
        cards: Sequence[CardSupposed],
        changes: Mapping[int, dict[str, Any]],
        text: str,
        actor: Actor,
        expected_version: int | None = None,
    ) -> Filed:
        """Kept in the file with the question; one that cannot even be asked is refused."""
        before = self._get_at(dispute_id, expected_version)
        self._ledger.what_if(before.dispute.opened.round, cards, changes)
        asked = disputes.ask_what_if(before.dispute, cards, changes, text)
        actor = _in_order(before, actor)
        return self._append(before, asked, Append(actor), actor)

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
    ) -> Filed:
        before = self._get_at(dispute_id, expected_version)
        by, actor = (actor.by, second_person), _in_order(before, actor)
        ruled = disputes.rule(before.dispute, outcome, reason, by, entries, appeal_until_ms, actor.at_ms)
        return self._rule(before, ruled, reason, entries, actor)

    def rule_appeal(
        self,
        dispute_id: str,
        outcome: disputes.Outcome,
        reason: str,
        second_person: str | None,
        entries: Sequence[Entry],
        actor: Actor,
        expected_version: int | None = None,
    ) -> Filed:
        before = self._get_at(dispute_id, expected_version)
        ruled = disputes.rule_appeal(before.dispute, outcome, reason, (actor.by, second_person), entries)
        return self._rule(before, ruled, reason, entries, _in_order(before, actor))

    def _rule(
        self,
        before: Filed,
        ruled: disputes.DisputeRuled | disputes.AppealRuled,
        reason: str,
        entries: Sequence[Entry],
        actor: Actor,
    ) -> Filed:
        """The ruling and its entries on the round, together or not at all."""
        append = Append(actor)
        dispute = before.dispute
        stored = None
        if entries:
            stored = self._ledger.load(dispute.opened.round)
            why = f"{disputes.called(dispute.id)}: {reason}"
            by = (actor.by, ruled.second_person or "")
            posted = corrections.correct(stored.round, why, by, entries, dispute=dispute.id)
            append.add(stream("round", dispute.opened.round), stored.version, posted)
        return self._append(before, ruled, append, actor, stored)

    # ---- what ifs of a file

    def answers(self, filed: Filed) -> list[tuple[disputes.WhatIfAsked, Supposed]]:
        """Every question of the file with its answer, from the round as it was settled."""
        asked = [entry.event for entry in filed.entries if isinstance(entry.event, disputes.WhatIfAsked)]
        if not asked:
            return []
        stored = self._ledger.load(filed.dispute.opened.round)
        opening = self._ledger.aggregates.opening(stored.round.opened)
        return [(question, _answer(stored, opening, question)) for question in asked]

    # ---- how a command is carried out

    def _get_at(self, dispute_id: str, expected_version: int | None) -> Filed:
        filed = self.get(dispute_id)
        if expected_version is not None and filed.version != expected_version:
            raise Conflict(f"Dispute {dispute_id} is at version {filed.version}, not {expected_version}.")
        return filed

    def _append(
        self, before: Filed, event: DisputeEvent, append: Append, actor: Actor, stored: Stored | None = None
    ) -> Filed:
        dispute = before.dispute
        append.add(stream("dispute", dispute.id), before.version, [event])
        filed = Filed(disputes.evolve(dispute, event, actor.by), [*before.entries, _entry(event, actor)])
        self._commit(append, f"Dispute {dispute.id}, or its round,", filed, stored)
        return filed

    def _commit(self, append: Append, what: str, after: Filed, stored: Stored | None) -> None:
        try:
            self._ledger.commit(append, self._receipt, after)
        except appender.Conflict:
            raise Conflict(f"{what} has moved on in the meantime.") from None
        finally:
            if stored is not None and stored.round.opened.table is not None:
                self._ledger.aggregates.forget(stored.round.opened.table)


def _filed(entries: list[mapper.Entry[Any]]) -> Filed:
    first = disputes.start(entries[0].event, entries[0].by)
    return Filed(disputes.fold(first, ((entry.event, entry.by) for entry in entries[1:])), entries)


def _in_order(before: Filed, actor: Actor) -> Actor:
    return actor.in_round(before.entries[-1].at_ms, f"what was filed last of dispute {before.dispute.id},")


def _entry(event: DisputeEvent, actor: Actor) -> mapper.Entry[Any]:
    return mapper.Entry(event, actor.by, actor.at_ms, actor.late)


def _answer(stored: Stored, opening: Round, question: disputes.WhatIfAsked) -> Supposed:
    return what_if(stored, opening, question.cards, {int(at): fact for at, fact in question.facts.items()})

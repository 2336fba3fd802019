"""The ledger: commands in, events stored, all of a command's events in one transaction.

Rules are asked in `domain/`; what is here brings the aggregates of a command together, gives versions, seals face-down
cards and appends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal
from uuid import UUID, uuid4

import msgspec
from eventsourcing.application import Application
from msgspec.structs import replace

from domain import boxes, corrections, eligibility, facts, hidden_cards, meters, payments, supposing, tables
from domain.documents import Document, play, read_document, refused_document
from domain.errors import BadDocument, Conflict, DuplicateCard, OutOfTurn, Refusal, Rotation, WrongCards
from domain.events import (
    FeeTaken,
    MeterPaid,
    MeterRead,
    PaymentReported,
    ProgressiveWagersTaken,
    RoundCorrected,
    RoundEvent,
    RoundOpened,
    RoundVoided,
)
from domain.moments import OutOfOrder
from domain.results import result_of
from domain.sealing import Openings
from domain.state import Round, fold, start
from domain.terms import Meter, TermsDocument
from infra import appender
from infra.aggregates import Actor, Aggregates, Append, Desk, Stored, same_terms, stream
from infra.appender import Receipt, SealedCard
from infra.event_store import LedgerEventStore
from infra.mapper import Entry
from infra.people import People

__all__ = ["Actor", "Ledger", "Stored", "content_digest"]

MASKED = "masked-"  # begins the digest of a document in which cards that lie face down are masked

# Stored with a command so that the same request again is recognised: ready, or made of what the command leads to.
Receipted = Receipt | Callable[[Any], Receipt] | None


class UnknownRound(LookupError):
    """No round is stored under that id."""


class Contradicted(Refusal):
    """Refused by a card that lies face down. Of all refusals, this one was stored, and left the round at `version`."""

    def __init__(self, refusal: Refusal, version: int) -> None:
        super().__init__(refusal.detail, refusal.clause)
        self.code = refusal.code
        self.version = version


class Ledger(Application[UUID]):
    """One for each process and database; safe to use from several threads."""

    events: LedgerEventStore

    def __init__(self, database_url: str) -> None:
        super().__init__(
            env={
                "PERSISTENCE_MODULE": "infra.event_store",
                "ROUNDLEDGER_DATABASE_URL": database_url,
                "ROUNDLEDGER_TOPICS": "infra.topics:TOPICS",
            }
        )
        self.aggregates = Aggregates(self.events)
        self.people = People(self.events.recorder.database)

    def commit(self, append: Append, receipt: Receipted = None, outcome: object = None) -> None:
        """`outcome` is what a receipt that is still to be made is made of."""
        if callable(receipt):
            receipt = receipt(outcome)
        self.events.append(append.recorded, sealed_cards=append.sealed, receipt=receipt)

    # ---- whole rounds

    def record(self, raw: Any, actor: Actor) -> dict[str, Any]:
        """Store the round of a document and answer as `adjudicate` does, with `id` and `events`."""
        try:
            document = read_document(self._with_stored_meter(raw), actor.rules_of)
            stored = self.record_document(document, raw, actor)
            return {**result_of(stored.round), "id": stored.id, "events": stored.version}
        except Refusal as refusal:
            before = self._recorded_before(raw)
            if before is not None:
                return {**result_of(before.round), "id": before.id, "events": before.version}
            return {**refused_document(raw, refusal), "id": None, "events": 0}

    def _recorded_before(self, raw: Any) -> Stored | None:
        """The round of a document that is refused today, if the same one was recorded under the rules of its day."""
        name, actions = (raw.get("round"), raw.get("actions")) if isinstance(raw, dict) else (None, None)
        stored = self.aggregates.round(name) if isinstance(name, str) else None
        if stored is None or stored.content is None or not isinstance(actions, list):
            return None
        return stored if self._same_content(stored, actions, raw) else None

    def _with_stored_meter(self, raw: Any) -> Any:
        """A document whose progressive leaves its meter to the ledger; any other, and one out of shape, as it is."""
        terms, table = (raw.get("terms"), raw.get("table")) if isinstance(raw, dict) else (None, None)
        if not isinstance(terms, dict) or not terms.get("progressive") or not isinstance(table, str):
            return raw
        try:
            given = msgspec.convert(terms, TermsDocument)
        except msgspec.ValidationError:
            return raw
        metered = self.aggregates.with_stored_meter(table, given)
        return raw if metered is given else {**raw, "terms": msgspec.to_builtins(metered)}

    def record_document(self, document: Document, raw: Any, actor: Actor, receipt: Receipted = None) -> Stored:
        """`raw`: the document as it came, by which it is recognised when it comes again."""
        table = document.opening.opened.table
        if table is None:
            raise BadDocument("A round that is recorded needs its table.")
        round_id = document.opening.opened.round or f"r-{uuid4().hex}"
        fresh = not self.aggregates.knows(table)
        while True:
            desk = self.aggregates.desk(table)
            try:
                dated = actor.after(desk.at_ms, f"what happened last at table {table},")
                _check_version(document.opening, dated)
                return self._append_document(desk, table, round_id, document, raw, dated, receipt)
            except (appender.Conflict, Conflict, Rotation, OutOfOrder) as refusal:
                self.aggregates.forget(table)
                stored = self._stored_before(round_id, document, raw)
                if stored is not None:
                    return stored
                if fresh and isinstance(refusal, Refusal):
                    raise
                if fresh and self.aggregates.desk(table).session_version != desk.session_version:
                    raise Conflict(f"Another round was begun at table {table} at the same time.") from None
                fresh = True  # what was known of the table or of its meter was old: look once more

    def _append_document(
        self,
        desk: Desk,
        table: str,
        round_id: str,
        document: Document,
        raw: Any,
        actor: Actor,
        receipt: Receipted,
    ) -> Stored:
        rules, opened = document.opening.rules, document.opening.opened
        terms, meter, meter_version = self.aggregates.metered(table, document.opening.terms)
        append = Append(actor)
        session = desk.session
        if session is None or session.closed or not _plays_by(session, document.opening):
            if session is not None and not session.closed:
                desk = self.aggregates.append_table(desk, [_close_for_other_terms(session)], append)
            desk = self.aggregates.open_session(desk, table, rules, terms, append)
        assert desk.session is not None
        seating = tables.seat_players(desk.session, opened.players)
        bank = None if opened.bank_seat is None else (opened.bank_seat, opened.bank_bettor or "")
        if bank is not None:
            eligibility.check_bank(rules, bank[1], desk.session.dealer, self.people.staff_ids())
        begun = tables.begin_round(
            tables.fold(desk.session, seating), round_id, bank, opened.declined, _occupied(document)
        )
        desk = self.aggregates.append_table(desk, [*seating, *begun], append)
        assert desk.session is not None
        assert desk.session.playing is not None
        playing = desk.session.playing
        opened = replace(
            opened,
            round=round_id,
            terms=terms.document,
            turn=playing.turn,
            deck=playing.deck,
            dealer=desk.session.dealer,
        )
        opening = start(rules, terms, opened)
        round_, happened = self._play(opening, document.actions)
        content = content_digest(raw, hidden_cards.masked_actions(document.actions, round_, happened))
        opened = replace(opened, content=append.seal_content(stream("round", round_id), content))
        opening, round_ = replace(opening, opened=opened), replace(round_, opened=opened)
        blank = Stored(round_id, opening, 0, Openings(rules.flop), opening)
        stored = self._append_play(blank, round_, [opened, *happened], desk, meter, meter_version, append)
        self._commit_play(append, receipt, *stored)
        return stored[0]

    def _stored_before(self, round_id: str, document: Document, raw: Any) -> Stored | None:
        """The round, if the same document has been recorded already; another one under its id is a conflict."""
        stored = self.aggregates.round(round_id)
        if stored is None:
            return None
        if stored.content is None or not self._same_content(stored, document.actions, raw):
            raise Conflict(f"Another round is stored as {round_id}.")
        return stored

    def _same_content(self, stored: Stored, actions: list[Any], raw: Any) -> bool:
        """A digest from before they were masked is not compared where it would tell of a card that still lies face
        down."""
        assert stored.content is not None
        if not stored.content.startswith(MASKED):
            seals = hidden_cards.seals_of((entry.event for entry in stored.entries), stored.round.rules.flop)
            hidden = any(seal.opened_by not in stored.round.turned for seal in seals)
            return not hidden and MASKED + stored.content == content_digest(raw)
        try:
            round_, happened = play(self.aggregates.opening(stored.round.opened), actions)
        except Refusal:
            return False
        return stored.content == content_digest(raw, hidden_cards.masked_actions(actions, round_, happened))

    # ---- action by action

    def entries(self, round_id: str) -> list[Entry[Any]]:
        """A round's events as they are stored, with who and when; none if there is no such round."""
        return self.events.load(stream("round", round_id))

    def sealed_cards(self, round_id: str) -> list[SealedCard]:
        """What was dealt face down, in order, whether it has been turned over since or not."""
        sealed = self.events.recorder.sealed_cards(stream("round", round_id))
        return [card for card in sealed if card.originator_version > 1]  # the first seals the document's digest

    def load(self, round_id: str, upto: int | None = None) -> Stored:
        stored = self.aggregates.round(round_id, upto)
        if stored is None:
            raise UnknownRound(f"There is no round {round_id}.")
        return stored

    def open_round(self, table: str, raw: dict[str, Any], actor: Actor, receipt: Receipted = None) -> Stored:
        """A round at a table whose session is open: by its rule set and terms, with its players unless named anew."""
        self.aggregates.forget(table)
        session = self.aggregates.desk(table).session
        if session is None or session.closed:
            raise OutOfTurn(f"Table {table} has no session open.")
        seated = {str(seat): bettor for seat, bettor in session.seats.items()}
        document = {
            "actions": [],
            "players": seated,
            **raw,
            "table": table,
            "ruleset": session.rules.id,
            "terms": session.terms.document,
        }
        return self.record_document(read_document(document, actor.rules_of), document, actor, receipt)

    def act(
        self,
        round_id: str,
        actions: list[Any],
        actor: Actor,
        expected_version: int | None = None,
        receipt: Receipted = None,
        known: Stored | None = None,
        second_person: str | None = None,
    ) -> Stored:
        """All of the actions or none, onto the round as it stands; `known`: as the caller has it, and may be mistaken.

        Whoever is refused on what he knew asks again without it. What is refused is refused on the public round, on
        which no card is known that lies face down; where only such a card refuses it, the attempt is stored.
        """
        stored = known or self._load_at(round_id, expected_version)
        actor = actor.in_round(stored.at_ms, f"what happened last in round {round_id},")
        supervised = hidden_cards.supervised(stored.round, actor.by, second_person)
        if stored.public is not stored.round:
            hidden_cards.judge(stored.public, actions)
        table = stored.round.opened.table
        assert table is not None
        for last_try in (False, True):
            desk = self.aggregates.desk(table)
            _, meter, meter_version = self.aggregates.metered(table, stored.round.terms)
            before, read = _with_meter(stored.round, meter)
            try:
                round_, happened = self._play(before, actions)
            except Refusal as refusal:
                if stored.public is stored.round:
                    raise
                raise self._append_contradiction(stored, refusal, supervised, actor, receipt) from None
            append = Append(actor)
            happened = [*supervised, *read, *happened]
            after = self._append_play(stored, round_, happened, desk, meter, meter_version, append)
            try:
                self._commit_play(append, receipt, *after)
                return after[0]
            except appender.Conflict:
                self.aggregates.forget(table)
                if last_try or self.load(round_id).version != stored.version:
                    raise Conflict(f"Round {round_id} has moved on in the meantime.") from None
        raise AssertionError("the last try returns or raises")

    def _play(self, round_: Round, actions: list[Any]) -> tuple[Round, list[RoundEvent]]:
        """As a document's actions are played; a bet by somebody who may not bet is refused in its turn among them."""
        try:
            after, happened = play(round_, actions)
        except Refusal as refusal:
            self._check_bettors(round_, actions[: refusal.action or 0])
            raise
        staff, dealer = self.people.staff_ids(), round_.opened.dealer
        if eligibility.refused_wager(happened, dealer, staff) is not None:
            self._check_bettors(round_, actions)
        return after, happened

    def _check_bettors(self, round_: Round, actions: list[Any]) -> None:
        """One action after the other, to say which of them it was."""
        staff, dealer = self.people.staff_ids(), round_.opened.dealer
        for at, action in enumerate(actions):
            round_, happened = play(round_, [action])
            wager = eligibility.refused_wager(happened, dealer, staff)
            if wager is not None:
                refusal = eligibility.refusal_of(wager, round_, staff)
                refusal.action = at
                raise refusal

    def _append_contradiction(
        self,
        stored: Stored,
        refusal: Refusal,
        supervised: Sequence[RoundEvent],
        actor: Actor,
        receipt: Receipted,
    ) -> Contradicted:
        """A request that only a card that lies face down refuses is stored as an attempt, and nothing else of it."""
        refusal = hidden_cards.contradiction(stored.round, refusal)
        events = [*supervised, hidden_cards.contradicted(refusal)]
        append = Append(actor)
        version = append.add(stream("round", stored.id), stored.version, events)
        contradicted = Contradicted(refusal, version)
        try:
            self.commit(append, receipt, contradicted)
        except appender.Conflict:
            raise Conflict(f"Round {stored.id} has moved on in the meantime.") from None
        return contradicted

    def _append_play(
        self,
        stored: Stored,
        round_: Round,
        happened: Sequence[RoundEvent],
        desk: Desk,
        meter: Meter | None,
        meter_version: int,
        append: Append,
    ) -> tuple[Stored, Desk, Meter | None, int]:
        """The round's events, and what they move at its table, in the box and in the meter."""
        originator = stream("round", stored.id)
        openings = stored.openings.copy()
        version = append.add_round(originator, stored.version, happened, openings)
        if round_.status != "open" and desk.session is not None:
            desk = self.aggregates.append_table(desk, [tables.RoundEnded(stored.id, round_.status)], append)
        for event in happened:
            if isinstance(event, FeeTaken) and desk.session is not None and desk.session.box is not None:
                dropped = boxes.FeeDropped(stored.id, event.amount, event.schedule, event.tier)
                box_version = append.add(stream("box", desk.session.box), desk.box_version, [dropped])
                desk = replace(desk, box_version=box_version)
        if meter is not None and meter.id is not None:
            moved, meter = _meter_events(meter, meter_version, stored.id, round_, happened)
            meter_version = append.add(stream("meter", meter.id or ""), meter_version, moved)
        at_ms = max(stored.at_ms, append.at_ms)
        public = hidden_cards.public_after(stored.public, stored.round, round_, happened)
        return Stored(stored.id, round_, version, openings, public, at_ms=at_ms), desk, meter, meter_version

    def _commit_play(
        self, append: Append, receipt: Receipted, stored: Stored, desk: Desk, meter: Meter | None, version: int
    ) -> None:
        if meter is not None and meter.id is not None and not append.touches(stream("meter", meter.id)):
            self._check_meter(append, stored, meter.id, version)
        self.commit(append, receipt, stored)
        table = stored.round.opened.table
        assert table is not None
        self.aggregates.keep(table, desk)
        if meter is not None:
            self.aggregates.keep_meter(meter, version)

    def _check_meter(self, append: Append, stored: Stored, meter_id: str, version: int) -> None:
        """A round without a progressive wager writes nothing to its meter, so nothing would notice that another process
        has moved it: what the round shows before and after is looked up."""
        begins = any(isinstance(recorded.event, RoundOpened) for recorded in append.recorded)
        if (begins or stored.round.status != "open") and self.aggregates.meter_version(meter_id) != version:
            raise appender.Conflict(f"meter {meter_id} has moved on")

    # ---- beside the play

    def waive_fee(
        self,
        round_id: str,
        how: Literal["not dropped", "refunded"],
        reason: str,
        actor: Actor,
        expected_version: int | None = None,
        receipt: Receipted = None,
    ) -> Stored:
        """The fee of a voided round; chips that never went in make the box expect less, if it is still there."""
        stored = self._load_at(round_id, expected_version)
        waived = corrections.waive_fee(stored.round, how, reason)
        append = Append(_after_the_round(stored, actor))
        if how == "not dropped":
            box, version = self._box_of_fee(stored)
            dropped = boxes.drop_fee(box, boxes.FeeNotDropped(round_id, waived.amount))
            append.add(stream("box", box.box), version, [dropped])
        return self._append_beside(stored, [waived], append, receipt)

    def _box_of_fee(self, stored: Stored) -> tuple[boxes.DropBox, int]:
        table = stored.round.opened.table
        session = None if table is None else self.aggregates.desk(table).session
        found = None if session is None or session.box is None else self.aggregates.box(session.box)
        if found is None:
            raise OutOfTurn("There is no box on the table to expect less.")
        dropped = (entry.event for entry in self.events.load(stream("box", found[0].box)))
        if not any(isinstance(event, boxes.FeeDropped) and event.round == stored.id for event in dropped):
            raise OutOfTurn("The fee went into a box that is no longer on the table.")
        return found

    def note(
        self,
        round_id: str,
        kind: Literal["exposed card", "late bet", "irregularity", "other"],
        text: str,
        seat: int | None,
        actor: Actor,
        expected_version: int | None = None,
        receipt: Receipted = None,
    ) -> Stored:
        stored = self._load_at(round_id, expected_version)
        noted = corrections.note(stored.round, kind, text, seat)
        append = Append(actor.in_round(stored.entries[0].at_ms, f"round {round_id} was opened,"))
        return self._append_beside(stored, [noted], append, receipt)

    def dealer_paid(
        self,
        round_id: str,
        reported: Sequence[PaymentReported],
        actor: Actor,
        expected_version: int | None = None,
        receipt: Receipted = None,
    ) -> Stored:
        """What the dealer says he paid and collected, to stand beside the lines of a settled round."""
        stored = self._load_at(round_id, expected_version)
        events: list[RoundEvent] = [*payments.dealer_paid(stored.round, reported)]
        return self._append_beside(stored, events, Append(_after_the_round(stored, actor)), receipt)

    def what_if(
        self, round_id: str, cards: Sequence[supposing.CardSupposed], changes: Mapping[int, dict[str, Any]]
    ) -> supposing.Supposed:
        """How the round would have ended with other facts; nothing is stored, and no card is known here that was not
        turned over."""
        stored = self.load(round_id)
        return what_if(stored, self.aggregates.opening(stored.round.opened), cards, changes)

    def correct(
        self,
        round_id: str,
        reason: str,
        second_person: str,
        entries: Sequence[corrections.Entry],
        actor: Actor,
        expected_version: int | None = None,
        receipt: Receipted = None,
    ) -> Stored:
        """Compensating entries on a settled round, by two people."""
        stored = self._load_at(round_id, expected_version)
        events = corrections.correct(stored.round, reason, (actor.by, second_person), entries)
        return self._append_beside(stored, events, Append(_after_the_round(stored, actor)), receipt)

    def correct_facts(
        self,
        round_id: str,
        changes: Mapping[int, dict[str, Any]],
        reason: str,
        second_person: str,
        account: str,
        actor: Actor,
        expected_version: int | None = None,
        receipt: Receipted = None,
    ) -> Stored:
        """A misread fact put right: the round is decided again and the difference posted line by line.

        Where the right facts would have left the progressive meter elsewhere, it is adjusted by that.
        """
        stored = self._load_at(round_id, expected_version)
        opening = self.aggregates.opening(stored.round.opened)
        actions = list(facts.actions_of(entry.event for entry in stored.entries))
        by = (actor.by, second_person)
        events = corrections.correct_facts(stored.round, opening, actions, changes, reason, by, account)
        actor = _after_the_round(stored, actor)
        refusal = self._refusal_by_hidden_cards(stored, opening, changes)
        if refusal is not None:
            raise self._append_contradiction(stored, refusal, [], actor, receipt)
        append = Append(actor)
        self._correct_meter(stored, events, append)
        return self._append_beside(stored, events, append, receipt)

    def _refusal_by_hidden_cards(
        self, stored: Stored, opening: Round, changes: Mapping[int, dict[str, Any]]
    ) -> Refusal | None:
        """Facts that are put right may name a card that lies in a hand that was never turned over."""
        openings = self.aggregates.seals(stored.id)
        events = hidden_cards.with_hidden(stored.round, [entry.event for entry in stored.entries], openings)
        try:
            facts.decide_again(opening, facts.put_right(list(facts.actions_of(events)), changes))
        except (DuplicateCard, WrongCards) as refusal:
            return refusal
        return None

    def _correct_meter(self, stored: Stored, events: Sequence[RoundEvent], append: Append) -> None:
        corrected = events[0]
        assert isinstance(corrected, RoundCorrected)
        shown_by, reserve_by = corrected.meter_shown_by, corrected.meter_reserve_by
        terms = stored.round.terms
        if terms.meter is None or terms.meter.id is None or not (shown_by or reserve_by):
            return
        self.aggregates.forget(stored.round.opened.table or "")
        found = self.aggregates.meter(terms.meter.id)
        if found is None:
            return  # the round was never stored with its meter
        meter, version = found
        reason = f"Round {stored.id} was corrected: {corrected.reason}"
        adjusted = meters.adjust(meter, meter.shown + shown_by, meter.reserve + reserve_by, reason, corrected.by)
        append.add(stream("meter", terms.meter.id), version, [adjusted])

    def _load_at(self, round_id: str, expected_version: int | None) -> Stored:
        stored = self.load(round_id)
        if expected_version is not None and stored.version != expected_version:
            raise Conflict(f"Round {round_id} is at version {stored.version}, not {expected_version}.")
        return stored

    def _append_beside(
        self, stored: Stored, events: Sequence[RoundEvent], append: Append, receipt: Receipted = None
    ) -> Stored:
        version = append.add(stream("round", stored.id), stored.version, events)
        after = _beside(stored, events, version)
        try:
            self.commit(append, receipt, after)
        except appender.Conflict:
            raise Conflict(f"Round {stored.id} has moved on in the meantime.") from None
        finally:
            if stored.round.opened.table is not None:
                self.aggregates.forget(stored.round.opened.table)
        return after


def what_if(
    stored: Stored, opening: Round, cards: Sequence[supposing.CardSupposed], changes: Mapping[int, dict[str, Any]]
) -> supposing.Supposed:
    actions = list(facts.actions_of(entry.event for entry in stored.entries))
    return supposing.suppose(stored.round, opening, actions, cards, changes)


def _beside(stored: Stored, events: Sequence[RoundEvent], version: int) -> Stored:
    """The round after events that are no part of its play."""
    round_ = fold(stored.round, events)
    public = hidden_cards.public_after(stored.public, stored.round, round_, events)
    return replace(stored, round=round_, version=version, public=public)


def _after_the_round(stored: Stored, actor: Actor) -> Actor:
    return actor.in_round(stored.at_ms, f"round {stored.id} was over,")


def content_digest(raw: Any, masked_actions: list[Any] | None = None) -> str:
    """The same for the same content, whatever the order of its keys and whatever lies face down when it ends: else
    whoever sends a document again, with another card there, would learn whether it was that one."""
    if masked_actions is not None:
        raw = {**raw, "actions": masked_actions} if isinstance(raw, dict) else replace(raw, actions=masked_actions)
    return MASKED + sha256(msgspec.json.encode(raw, order="deterministic")).hexdigest()[:32]


def _check_version(opening: Round, actor: Actor) -> None:
    """A time that is put right by a minute may fall on the first day of another version of the rules."""
    rules = actor.rules_of(opening.rules.id)
    if rules.content_hash != opening.rules.content_hash:
        raise OutOfOrder(
            f"Version {rules.version} of {rules.id} is in force since {rules.in_force.since}, and what happened last at"
            " the table was on that day: say that the round was opened after it."
        )


def _plays_by(session: tables.TableSession, opening: Round) -> bool:
    same_rules = session.rules.content_hash == opening.rules.content_hash
    return same_rules and same_terms(session.table, session.terms, opening.terms)


def _close_for_other_terms(session: tables.TableSession) -> tables.SessionClosed:
    if session.playing is not None:
        raise Conflict(f"Round {session.playing.round} is open at table {session.table}.")
    return tables.close_session(session)


def _occupied(document: Document) -> set[int]:
    """The seats with a player: those named, and those with a bet that was not taken back."""
    named = set(document.opening.opened.players)
    bets = [action for action in document.actions if _field(action, "do") in ("bet", "withdraw")]
    if any(_field(action, "do") == "withdraw" for action in bets):
        try:
            return named | set(play(document.opening, bets)[0].layout)
        except Refusal:
            pass  # the round's own actions are refused in their turn, where nothing is refused before them
    seats = [_field(action, "seat") for action in bets if _field(action, "do") == "bet"]
    return named | {seat for seat in seats if type(seat) is int}


def _field(action: Any, name: str) -> Any:
    """Of an action as a document has it, or as one that was read in its shape already."""
    if isinstance(action, msgspec.Struct):
        return action.__struct_config__.tag if name == "do" else getattr(action, name, None)
    return action.get(name) if isinstance(action, dict) else None


def _with_meter(round_: Round, meter: Meter | None) -> tuple[Round, list[RoundEvent]]:
    """A meter shared with other tables may show something else by now: the round takes note of it first."""
    if meter is None or (round_.meter_shown, round_.meter_reserve) == (meter.shown, meter.reserve):
        return round_, []
    read = MeterRead(meter.shown, meter.reserve)
    return fold(round_, [read]), [read]


def _meter_events(
    meter: Meter, version: int, round_id: str, round_: Round, happened: Iterable[RoundEvent]
) -> tuple[list[meters.MeterEvent], Meter]:
    events: list[meters.MeterEvent] = []
    if version == 0:
        events.append(meters.seed(meter))
    for event in happened:
        if isinstance(event, ProgressiveWagersTaken):
            shares = _shares(event.wagers, meter)
            events.append(meters.contribute(meter, round_id, *shares))
        elif isinstance(event, MeterPaid):
            award = (event.seat, event.bettor, event.percent, event.amount, event.shown, event.reserve)
            events.append(meters.MeterAwarded(round_id, *award))
        elif isinstance(event, RoundVoided):
            wagers = sum(
                stakes.spots.get("progressive", 0) for seat in round_.layout.values() for stakes in seat.values()
            )
            if round_.seats is not None and wagers:
                events.append(meters.give_back(meter, round_id, *_shares(wagers, meter)))
        if events:
            meter = meters.evolve(meter, events[-1])
    return events, meter


def _shares(wagers: int, meter: Meter) -> tuple[int, int]:
    return wagers * meter.percent // 100, wagers * meter.reserve_percent // 100

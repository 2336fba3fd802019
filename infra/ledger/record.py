"""Recording whole documents, and opening a round, which is recording a document without actions."""

from __future__ import annotations

from hashlib import sha256
from typing import Any
from uuid import uuid4

import msgspec
from msgspec.structs import replace

from domain.documents.document import Document, read_document, refused_document
from domain.documents.result import result_of
from domain.errors import BadDocument, Conflict, Refusal, Rotation
from domain.floor import eligibility, table_sessions
from domain.floor.table_sessions import TableSession
from domain.moments import OutOfOrder
from domain.round import hidden_cards, sealing
from domain.round.replay import play
from domain.round.state import Round, start
from domain.rules.terms import TermsDocument
from infra.aggregates.changes import Changes, new_salt
from infra.aggregates.meters import same_terms
from infra.aggregates.rounds import StoredRound
from infra.aggregates.tables import TableState
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication, Overtaken
from infra.ledger.regulation.proposition_players import check_registered
from infra.ledger.round_changes import add_play, play_actions, save_play

MASKED = "masked-"  # prefix of the digest of a document with masked face-down cards


def record(ledger: LedgerApplication, raw: Any, actor: Actor) -> dict[str, Any]:
    """Store the round of a document; answer as `adjudicate` does, with `id` and `events`."""
    try:
        stored = record_round(ledger, raw, actor)
    except Refusal as refusal:
        return {**refused_document(raw, refusal), "id": None, "events": 0}
    return {**result_of(stored.round), "id": stored.id, "events": stored.version}


def open_round(
    ledger: LedgerApplication, table: str, raw: dict[str, Any], actor: Actor, receipt: CommandReceipt = None
) -> StoredRound:
    """Open a round at a table with an open session: with its rule set, terms and, unless given, its players."""
    session = ledger.tables.reload(table).open_session(table)
    document = {
        "actions": [],
        "players": {str(seat): bettor for seat, bettor in session.seats.items()},
        **raw,
        "table": table,
        "ruleset": session.rules.id,
        "terms": session.terms.document,
    }
    return record_round(ledger, document, actor, receipt)


def record_round(ledger: LedgerApplication, raw: Any, actor: Actor, receipt: CommandReceipt = None) -> StoredRound:
    """Return the stored round of a document. One recorded before is found again, even if today's rules would refuse
    it."""
    try:
        document = read_document(_with_stored_meter(ledger, raw), ledger.rulebook.rules_at(actor.at_ms))
        return _record_document(ledger, document, raw, actor, receipt)
    except Refusal:
        before = _recorded_before(ledger, raw)
        if before is None:
            raise
        return before


def _with_stored_meter(ledger: LedgerApplication, raw: Any) -> Any:
    """Return the document with the stored meter's figures if its progressive leaves them to the ledger; others
    unchanged."""
    terms, table = (raw.get("terms"), raw.get("table")) if isinstance(raw, dict) else (None, None)
    if not isinstance(terms, dict) or not terms.get("progressive") or not isinstance(table, str):
        return raw
    try:
        given = msgspec.convert(terms, TermsDocument)
    except msgspec.ValidationError:
        return raw
    metered = ledger.tables.with_stored_meter(table, given)
    return raw if metered is given else {**raw, "terms": msgspec.to_builtins(metered)}


def _record_document(
    ledger: LedgerApplication, document: Document, raw: Any, actor: Actor, receipt: CommandReceipt
) -> StoredRound:
    table = document.opening.opened.table
    if table is None:
        raise BadDocument("A round that is recorded needs its table.")
    round_id = document.opening.opened.round or f"r-{uuid4().hex}"
    reloaded = not ledger.tables.knows(table)
    while True:
        state = ledger.tables.get(table)
        try:
            dated = actor.after(state.at_ms, f"what happened last at table {table},")
            _check_version(ledger, document.opening, dated)
            return _append_document(ledger, state, table, round_id, document, raw, dated, receipt)
        except (Conflict, Rotation, OutOfOrder) as refusal:
            ledger.tables.forget(table)
            if ledger.find_round(round_id) is not None:
                raise Conflict(f"Another round is stored as {round_id}.") from None
            if reloaded and not isinstance(refusal, Overtaken):
                raise
            if reloaded and ledger.tables.get(table).session_version != state.session_version:
                raise Conflict(f"Another round was begun at table {table} at the same time.") from None
            reloaded = True  # the cached table or meter was outdated: try once more


def _append_document(
    ledger: LedgerApplication,
    state: TableState,
    table: str,
    round_id: str,
    document: Document,
    raw: Any,
    actor: Actor,
    receipt: CommandReceipt,
) -> StoredRound:
    rules, opened = document.opening.rules, document.opening.opened
    terms, meter = ledger.meters.for_terms(table, document.opening.terms)
    changes = Changes(actor)
    session = state.session
    if session is None or session.closed or not _plays_by(session, document.opening):
        if session is not None and not session.closed:
            state = state.with_events([_close_for_other_terms(session)], changes)
        state = ledger.tables.open_session(state, table, rules, terms, changes)
    state = _begin_round(ledger, state, round_id, document, changes)
    assert state.session is not None
    assert state.session.playing is not None
    playing = state.session.playing
    opened = replace(
        opened,
        round=round_id,
        terms=terms.document,
        turn=playing.turn,
        deck=playing.deck,
        dealer=state.session.dealer,
    )
    opening = start(rules, terms, opened)
    round_, happened = play_actions(ledger, opening, document.actions)
    digest = document_digest(raw, hidden_cards.masked_actions(document.actions, round_, happened))
    sealed = sealing.SealedUnit(0, digest, new_salt())
    # A document names face-down cards too, so its digest is sealed as well: few cards are easy to guess.
    opened = replace(opened, content=sealing.commitment(sealed.cards, sealed.salt).hex())
    opening, round_ = replace(opening, opened=opened), replace(round_, opened=opened)
    version = changes.add("round", round_id, 0, [opened], [sealed])
    blank = StoredRound(
        id=round_id, round=opening, version=version, openings=sealing.Openings(rules.flop), public=opening
    )
    played = add_play(blank, round_, happened, state, meter, changes)
    return save_play(ledger, played, changes, receipt, begins=True)


def _begin_round(
    ledger: LedgerApplication, state: TableState, round_id: str, document: Document, changes: Changes
) -> TableState:
    session, opened = state.session, document.opening.opened
    assert session is not None
    if ledger.rulebook.adopted_only:  # another posting may have begun since the session was opened
        ledger.postings.check(session.table, session.rules, session.terms, changes.at_ms)
    seating = table_sessions.seat_players(session, opened.players)
    bank = None if opened.bank_seat is None else (opened.bank_seat, opened.bank_bettor or "")
    if bank is not None:
        eligibility.check_bank(document.opening.rules, bank[1], session.dealer, ledger.staff.staff_ids())
        if ledger.rulebook.adopted_only:
            check_registered(ledger, document.opening.rules, bank[1], changes.at_ms)
    seated = table_sessions.fold(session, seating)
    begun = table_sessions.begin_round(seated, round_id, bank, opened.declined, _occupied(document))
    return state.with_events([*seating, *begun], changes)


def _check_version(ledger: LedgerApplication, opening: Round, actor: Actor) -> None:
    """Refuse a corrected time that falls on the first day of another version of the rules."""
    rules = ledger.rulebook.in_force(opening.rules.id, actor.at_ms)
    if rules.content_hash != opening.rules.content_hash:
        raise OutOfOrder(
            f"Version {rules.version} of {rules.id} is in force since {rules.in_force.since}, and what happened last at"
            " the table was on that day: say that the round was opened after it."
        )


def _plays_by(session: TableSession, opening: Round) -> bool:
    same_rules = session.rules.content_hash == opening.rules.content_hash
    return same_rules and same_terms(session.table, session.terms, opening.terms)


def _close_for_other_terms(session: TableSession) -> table_sessions.SessionClosed:
    if session.playing is not None:
        raise Conflict(f"Round {session.playing.round} is open at table {session.table}.")
    return table_sessions.close_session(session)


def _occupied(document: Document) -> set[int]:
    """Return the seats with a player: those named, and those with a bet that was not withdrawn."""
    named = set(document.opening.opened.players)
    bets = [action for action in document.actions if _field(action, "do") in ("bet", "withdraw")]
    if any(_field(action, "do") == "withdraw" for action in bets):
        try:
            return named | set(play(document.opening, bets)[0].layout)
        except Refusal:
            pass  # the round's own actions are refused in order, unless something before them is
    seats = [_field(action, "seat") for action in bets if _field(action, "do") == "bet"]
    return named | {seat for seat in seats if type(seat) is int}


def _field(value: Any, name: str) -> Any:
    """Return a field of a document or an action, decoded or not."""
    if isinstance(value, msgspec.Struct):
        return value.__struct_config__.tag if name == "do" else getattr(value, name, None)
    return value.get(name) if isinstance(value, dict) else None


# ---- the same document again


def _recorded_before(ledger: LedgerApplication, raw: Any) -> StoredRound | None:
    """Return the round of a document that is refused now, if the same document was recorded before."""
    name, actions = _field(raw, "round"), _field(raw, "actions")
    stored = ledger.find_round(name) if isinstance(name, str) else None
    if stored is None or stored.digest is None or not isinstance(actions, list):
        return None
    return stored if _is_document_of(ledger, stored, actions, raw) else None


def _is_document_of(ledger: LedgerApplication, stored: StoredRound, actions: list[Any], raw: Any) -> bool:
    """Compare documents. A digest from before masking is not compared if that could reveal a face-down card."""
    assert stored.digest is not None
    if not stored.digest.startswith(MASKED):
        seals = hidden_cards.seals_of(stored.events(), stored.round.rules.flop)
        hidden = any(seal.opened_by not in stored.round.turned for seal in seals)
        return not hidden and MASKED + stored.digest == document_digest(raw)
    try:
        round_, happened = play(ledger.rulebook.opening(stored.round.opened), actions)
    except Refusal:
        return False
    return stored.digest == document_digest(raw, hidden_cards.masked_actions(actions, round_, happened))


def document_digest(raw: Any, masked_actions: list[Any] | None = None) -> str:
    """Return a digest that ignores the order of keys and masks cards that are face down at the end. Otherwise resending
    a document with another card would reveal whether it was that one."""
    if masked_actions is not None:
        raw = {**raw, "actions": masked_actions} if isinstance(raw, dict) else replace(raw, actions=masked_actions)
    return MASKED + sha256(msgspec.json.encode(raw, order="deterministic")).hexdigest()[:32]

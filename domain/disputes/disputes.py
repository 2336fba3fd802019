"""A dispute from a patron's claim to its closing: evidence frozen at opening, statements, a ruling, perhaps an appeal.

It does not change the round. A ruling that moves money posts compensating entries on the round, and everything stays in
the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.disputes.whatif import CardChange
from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn
from domain.event import Event
from domain.moments import format_ms
from domain.money import dollars
from domain.round.corrections import ENTRIES, AnyEntry, wagers_of
from domain.round.events import RoundCorrected, RoundDisputed, WagerEvent
from domain.round.state import Round
from domain.round.wagers import WagerKey, on_layout, wager_key

ErrorKind = Literal["payout", "hand reading", "card", "wager", "decision", "coverage", "procedure", "other"]
Part = Literal["patron", "player-dealer", "dealer", "floor", "surveillance", "witness"]
Outcome = Literal["upheld", "partly upheld", "denied"]
Ending = Literal["final", "accepted", "withdrawn"]
Status = Literal["open", "ruled", "appealed", "decided", "closed"]

HOUSE = "house"  # as a party of a dispute
DAYS_TO_RULE = 3  # unless the claim is given another deadline
DAYS_TO_APPEAL = 7  # unless the ruling gives others

# The sections of docs/disputes.md, which refusals cite as those of a round cite a clause.
IN_A_FILE, EVIDENCE = "disputes/what-is-in-a-file", "disputes/frozen-evidence"
WHO_RULES, APPEALS = "disputes/who-may-rule", "disputes/appeal-and-end"


class Evidence(Event, frozen=True):
    """The round as it was stored when the dispute opened: number of events, their hash and that of the result."""

    version: int
    events_hash: str
    result_hash: str


def dispute_name(dispute_id: str) -> str:
    """Return "dispute d-1", or the id alone if it begins with the word."""
    return dispute_id.capitalize() if dispute_id.startswith("dispute") else f"Dispute {dispute_id}"


class DisputeOpened(Event, frozen=True):
    """The claim, what it is about, and who may not rule on it because they took part."""

    dispute: str
    round: str
    table: str
    seat: int
    bettor: str
    hand: int
    spot: str
    kind: ErrorKind
    claimed: int
    claim: str
    deadline_ms: int
    evidence: Evidence
    dealer: str | None = None
    bank: str | None = None
    recorded_by: tuple[str, ...] = ()


class StatementGiven(Event, frozen=True):
    who: str
    part: Part
    text: str


class SurveillanceReferred(Event, frozen=True):
    """Where to look: a camera or recording, and the time shown."""

    camera: str
    since_ms: int
    until_ms: int
    text: str


class DisputeNoted(Event, frozen=True):
    text: str


class DeadlineMoved(Event, frozen=True):
    deadline_ms: int
    reason: str


class WhatIfAsked(Event, frozen=True):
    """A question in the file. Its answer is computed from the round whenever the file is read."""

    cards: tuple[CardChange, ...]
    facts: dict[str, dict[str, Any]]
    text: str


class EntryRuled(WagerEvent, frozen=True):
    amount: int
    account: str


class Ruling(Event, frozen=True):
    """A ruling by one arbiter. If money moves, a second person signs, and the same entries are posted on the round."""

    outcome: Outcome
    reason: str
    arbiter: str
    second_person: str | None
    entries: tuple[EntryRuled, ...]


class DisputeRuled(Ruling, frozen=True):
    appeal_until_ms: int


class DisputeAppealed(Event, frozen=True):
    appellant: str
    grounds: str
    deadline_ms: int


class AppealRuled(Ruling, frozen=True):
    """The final ruling. Its entries are added to those of the first."""


class DisputeClosed(Event, frozen=True):
    how: Ending
    reason: str


DisputeEvent = (
    DisputeOpened
    | StatementGiven
    | SurveillanceReferred
    | DisputeNoted
    | DeadlineMoved
    | WhatIfAsked
    | DisputeRuled
    | DisputeAppealed
    | AppealRuled
    | DisputeClosed
)

DISPUTE_TOPICS: dict[str, type[DisputeEvent]] = {
    "dispute.opened.v1": DisputeOpened,
    "dispute.statement_given.v1": StatementGiven,
    "dispute.surveillance_referred.v1": SurveillanceReferred,
    "dispute.noted.v1": DisputeNoted,
    "dispute.deadline_moved.v1": DeadlineMoved,
    "dispute.what_if_asked.v1": WhatIfAsked,
    "dispute.ruled.v1": DisputeRuled,
    "dispute.appealed.v1": DisputeAppealed,
    "dispute.appeal_ruled.v1": AppealRuled,
    "dispute.closed.v1": DisputeClosed,
}


class Dispute(Struct, frozen=True):
    opened: DisputeOpened
    opened_by: str
    deadline_ms: int
    statements: tuple[StatementGiven, ...] = ()
    ruling: DisputeRuled | None = None
    appeal: DisputeAppealed | None = None
    appealed_by: str | None = None  # who recorded it
    decision: AppealRuled | None = None
    closed: DisputeClosed | None = None

    @property
    def id(self) -> str:
        return self.opened.dispute

    @property
    def status(self) -> Status:
        if self.closed is not None:
            return "closed"
        if self.decision is not None:
            return "decided"
        if self.appeal is not None:
            return "appealed"
        return "open" if self.ruling is None else "ruled"

    @property
    def entries(self) -> tuple[EntryRuled, ...]:
        """All entries posted by rulings."""
        ruled = () if self.ruling is None else self.ruling.entries
        return ruled if self.decision is None else (*ruled, *self.decision.entries)

    @property
    def awarded(self) -> int:
        """Cents to the claimant, negative if from them."""
        return sum(entry.amount for entry in self.entries if entry.bettor == self.opened.bettor)

    def overdue(self, now_ms: int) -> bool:
        return self.status in ("open", "appealed") and now_ms > self.deadline_ms


# ---- evolving


def start(opened: DisputeOpened, by: str) -> Dispute:
    return Dispute(opened=opened, opened_by=by, deadline_ms=opened.deadline_ms)


def evolve(dispute: Dispute, event: DisputeEvent, by: str = "") -> Dispute:
    """Return the dispute after an event. `by` is who recorded it, which the event itself does not say."""
    if isinstance(event, DisputeAppealed):
        return replace(dispute, appeal=event, appealed_by=by, deadline_ms=event.deadline_ms)
    remember = _REMEMBER.get(type(event))
    return dispute if remember is None else remember(dispute, event)


def fold(dispute: Dispute, events: Iterable[tuple[DisputeEvent, str]]) -> Dispute:
    for event, by in events:
        dispute = evolve(dispute, event, by)
    return dispute


_REMEMBER: Mapping[type[DisputeEvent], Callable[[Dispute, Any], Dispute]] = {
    StatementGiven: lambda dispute, event: replace(dispute, statements=(*dispute.statements, event)),
    DeadlineMoved: lambda dispute, event: replace(dispute, deadline_ms=event.deadline_ms),
    DisputeRuled: lambda dispute, event: replace(dispute, ruling=event),
    AppealRuled: lambda dispute, event: replace(dispute, decision=event),
    DisputeClosed: lambda dispute, event: replace(dispute, closed=event),
}


# ---- evidence


def frozen_hash(stored: Iterable[tuple[str, bytes]]) -> str:
    """Return the hash of a round's stored events: topic and exact bytes of each with their lengths, so that no two
    sequences have the same text."""
    digest = sha256()
    for topic, state in stored:
        name = topic.encode()
        digest.update(len(name).to_bytes(4) + name + len(state).to_bytes(4) + state)
    return digest.hexdigest()


def result_hash(result: Mapping[str, Any]) -> str:
    """Return the hash of the result document."""
    return sha256(msgspec.json.encode(result, order="deterministic")).hexdigest()


# ---- deciding


class Claim(Struct, frozen=True):
    """What a patron says is wrong, and with which wager; without a bettor it is the seated player's."""

    seat: int
    spot: str
    kind: ErrorKind
    claimed: int
    text: str
    deadline_ms: int
    bettor: str | None = None
    hand: int = 1


def open_dispute(
    dispute: str, round_id: str, round_: Round, claim: Claim, evidence: Evidence, people: Iterable[str], now_ms: int
) -> DisputeOpened:
    """Open a dispute. `people` recorded the round's events, or signed something in them."""
    if round_.status == "open":
        raise OutOfTurn("The round is still being played: a claim is taken once it is settled or void.", EVIDENCE)
    opened = round_.opened
    if not 1 <= claim.seat <= round_.rules.seats:
        raise BadDocument(f"{round_.rules.id} has seats 1 to {round_.rules.seats}.", round_.rules.clause("seats"))
    bettor = claim.bettor or round_.seated[claim.seat]
    if WagerKey(claim.seat, bettor, claim.hand, claim.spot) not in _wagers(round_):
        hand = f" on hand {claim.hand}" if claim.hand > 1 else ""
        raise BadDocument(f"{bettor} had no {claim.spot} wager at seat {claim.seat}{hand} in this round.", EVIDENCE)
    if claim.claimed <= 0:
        raise BadDocument("A claim is for more than 0.00.", IN_A_FILE)
    _check_words(claim.text, "A claim says what is wrong.")
    _check_deadline(claim.deadline_ms, now_ms)
    return DisputeOpened(
        dispute=dispute,
        round=round_id,
        table=opened.table or "",
        seat=claim.seat,
        bettor=bettor,
        hand=claim.hand,
        spot=claim.spot,
        kind=claim.kind,
        claimed=claim.claimed,
        claim=claim.text,
        deadline_ms=claim.deadline_ms,
        evidence=evidence,
        dealer=opened.dealer,
        bank=opened.bank_bettor,
        recorded_by=tuple(sorted(set(people))),
    )


def disputed(opened: DisputeOpened) -> RoundDisputed:
    """Return the annotation of the round."""
    return RoundDisputed(opened.dispute, *wager_key(opened))


def check_not_disputed(opened: DisputeOpened, others: Iterable[Dispute]) -> None:
    """Refuse a second open dispute on a wager. A closed one may be followed by another."""
    for other in others:
        if other.status != "closed" and wager_key(other.opened) == wager_key(opened):
            detail = f"{dispute_name(other.id)} on this wager is {other.status}: there is one file for it at a time."
            raise Conflict(detail, EVIDENCE)


def people_of(events: Iterable[tuple[Any, str]]) -> set[str]:
    """Return who recorded a round's events, or signed a correction in them."""
    people: set[str] = set()
    for event, by in events:
        people.add(by)
        if isinstance(event, RoundCorrected):
            people.update(event.by)
    return people - {""}


def _wagers(round_: Round) -> set[WagerKey]:
    """Return the wagers with a line; for a voided round those on the layout."""
    if round_.status == "settled":
        return wagers_of(round_)
    return {WagerKey(seat, bettor, 1, spot) for seat, bettor, _, spot, _ in on_layout(round_)}


def give_statement(dispute: Dispute, who: str, part: Part, text: str) -> StatementGiven:
    _check_under_way(dispute)
    _check_words(text, "A statement needs its text.")
    if who in _arbiters(dispute):
        raise BadChoice(f"{who} has ruled on {_named(dispute)} and cannot be a witness in it.", WHO_RULES)
    return StatementGiven(who, part, text)


def refer(dispute: Dispute, camera: str, since_ms: int, until_ms: int, text: str) -> SurveillanceReferred:
    _check_under_way(dispute)
    _check_words(camera, "A reference names the camera or the recording.")
    if until_ms < since_ms:
        raise BadDocument("A reference ends no earlier than it begins.", IN_A_FILE)
    return SurveillanceReferred(camera=camera, since_ms=since_ms, until_ms=until_ms, text=text)


def note(dispute: Dispute, text: str) -> DisputeNoted:
    """Add a note, at any time, even to a closed file."""
    _check_words(text, "A note needs its text.")
    return DisputeNoted(text)


def move_deadline(dispute: Dispute, deadline_ms: int, reason: str, now_ms: int) -> DeadlineMoved:
    if dispute.status not in ("open", "appealed"):
        raise OutOfTurn(f"{dispute_name(dispute.id)} is {dispute.status}: it is not waiting for a ruling.", APPEALS)
    _check_words(reason, "A new deadline needs its reason.")
    _check_deadline(deadline_ms, now_ms)
    return DeadlineMoved(deadline_ms, reason)


def ask_what_if(
    dispute: Dispute, cards: Iterable[CardChange], facts: Mapping[int, dict[str, Any]], text: str
) -> WhatIfAsked:
    _check_under_way(dispute)
    return WhatIfAsked(tuple(cards), {str(at): dict(fact) for at, fact in facts.items()}, text)


def rule(
    dispute: Dispute,
    outcome: Outcome,
    reason: str,
    by: tuple[str, str | None],
    entries: Iterable[AnyEntry],
    appeal_until_ms: int,
    now_ms: int,
) -> DisputeRuled:
    """Rule on a claim. `domain.round.corrections` posts the entries, and checks them against the round's wagers."""
    if dispute.ruling is not None:
        raise Conflict(f"{dispute_name(dispute.id)} has been ruled on by {dispute.ruling.arbiter}.", APPEALS)
    _check_under_way(dispute)
    ruled = _check_ruling(dispute, outcome, reason, by, entries)
    if appeal_until_ms <= now_ms:
        raise BadChoice(f"The time for an appeal is in the past: {format_ms(appeal_until_ms)}.", APPEALS)
    return DisputeRuled(
        outcome=outcome,
        reason=reason,
        arbiter=by[0],
        second_person=by[1],
        entries=ruled,
        appeal_until_ms=appeal_until_ms,
    )


def appeal(dispute: Dispute, appellant: str, grounds: str, deadline_ms: int, now_ms: int) -> DisputeAppealed:
    if dispute.appeal is not None:
        detail = (
            f"{dispute_name(dispute.id)} has been appealed by {dispute.appeal.appellant}, and an appeal is ruled once."
        )
        raise Conflict(detail, APPEALS)
    ruling = dispute.ruling
    if ruling is None or dispute.closed is not None:
        detail = f"{dispute_name(dispute.id)} is {dispute.status}: there is no ruling to appeal."
        raise OutOfTurn(detail, APPEALS)
    if now_ms > ruling.appeal_until_ms:
        until = format_ms(ruling.appeal_until_ms)
        raise OutOfTurn(f"The ruling on {_named(dispute)} could be appealed until {until}, which has passed.", APPEALS)
    parties = [party for party in (dispute.opened.bettor, dispute.opened.bank, HOUSE) if party is not None]
    if appellant not in parties:
        raise BadChoice(f"{appellant} is not a party to the dispute: {', '.join(parties)} may appeal.", APPEALS)
    _check_words(grounds, "An appeal gives its grounds.")
    _check_deadline(deadline_ms, now_ms)
    return DisputeAppealed(appellant, grounds, deadline_ms)


def rule_appeal(
    dispute: Dispute, outcome: Outcome, reason: str, by: tuple[str, str | None], entries: Iterable[AnyEntry]
) -> AppealRuled:
    if dispute.decision is not None:
        by_whom = f"has been ruled on by {dispute.decision.arbiter}, which is the last word"
        raise Conflict(f"The appeal in {_named(dispute)} {by_whom}.", APPEALS)
    if dispute.appeal is None or dispute.closed is not None:
        raise OutOfTurn(f"{dispute_name(dispute.id)} is {dispute.status}: there is no appeal to rule on.", APPEALS)
    ruled = _check_ruling(dispute, outcome, reason, by, entries)
    return AppealRuled(outcome=outcome, reason=reason, arbiter=by[0], second_person=by[1], entries=ruled)


def close(dispute: Dispute, how: Ending, reason: str, now_ms: int) -> DisputeClosed:
    """Close a dispute: as final if nothing can follow; accepted before that; withdrawn if no ruling is wanted any
    longer."""
    if dispute.closed is not None:
        raise Conflict(f"{dispute_name(dispute.id)} has already been closed.", APPEALS)
    _check_words(reason, "Closing a dispute needs its reason.")
    status, ruling = dispute.status, dispute.ruling
    if how == "withdrawn" and status not in ("open", "appealed"):
        raise OutOfTurn(
            f"{dispute_name(dispute.id)} is {status}: there is no claim or appeal left to withdraw.", APPEALS
        )
    if how == "accepted" and status != "ruled":
        raise OutOfTurn(f"{dispute_name(dispute.id)} is {status}: there is no ruling to accept.", APPEALS)
    if how == "final":
        if status not in ("ruled", "decided"):
            raise OutOfTurn(f"{dispute_name(dispute.id)} is {status}: a ruling comes first.", APPEALS)
        if status == "ruled" and ruling is not None and now_ms <= ruling.appeal_until_ms:
            until = format_ms(ruling.appeal_until_ms)
            detail = f"The ruling on {_named(dispute)} can still be appealed until {until}: it is final after that."
            raise OutOfTurn(detail, APPEALS)
    return DisputeClosed(how, reason)


# ---- who may rule


def involved(dispute: Dispute) -> dict[str, str]:
    """Return everybody who may not rule, and why."""
    opened = dispute.opened
    people = {statement.who: "gave a statement" for statement in dispute.statements}
    people |= dict.fromkeys(opened.recorded_by, "recorded the round")
    if dispute.appealed_by is not None:
        people[dispute.appealed_by] = "took the appeal"
    people[dispute.opened_by] = "opened the dispute"
    if opened.dealer is not None:
        people[opened.dealer] = "dealt the round"
    if opened.bank is not None:
        people[opened.bank] = "banked the round"
    people[opened.bettor] = "made the claim"
    return people | dict.fromkeys(_arbiters(dispute), "has ruled on it before")


def _arbiters(dispute: Dispute) -> set[str]:
    rulings = [ruling for ruling in (dispute.ruling, dispute.decision) if ruling is not None]
    return {who for ruling in rulings for who in (ruling.arbiter, ruling.second_person) if who is not None}


def _check_ruling(
    dispute: Dispute, outcome: Outcome, reason: str, by: tuple[str, str | None], entries: Iterable[AnyEntry]
) -> tuple[EntryRuled, ...]:
    arbiter, second = by
    ruled = tuple(EntryRuled(*wager_key(entry), amount=entry.amount, account=entry.account) for entry in entries)
    people = involved(dispute)
    for who in (arbiter, second):
        if who is not None and who in people:
            raise BadChoice(f"{who} {people[who]} and may not rule on {_named(dispute)}.", WHO_RULES)
    _check_words(reason, "A ruling needs its reason.")
    if ruled and second is None:
        raise BadChoice("A ruling that moves money needs a second person.", WHO_RULES)
    if second == arbiter:
        raise BadChoice("Two different people rule where money moves.", WHO_RULES)
    to_claimant = sum(entry.amount for entry in ruled if entry.bettor == dispute.opened.bettor)
    if outcome == "denied" and to_claimant > 0:
        raise BadChoice(f"A denied claim pays nothing, and these entries pay {dollars(to_claimant)}.", ENTRIES)
    return ruled


def _check_under_way(dispute: Dispute) -> None:
    if dispute.closed is not None:
        raise OutOfTurn(f"{dispute_name(dispute.id)} is closed: only notes are added to it.", IN_A_FILE)


def _check_words(text: str, otherwise: str) -> None:
    if not text.strip():
        raise BadDocument(otherwise, IN_A_FILE)


def _check_deadline(deadline_ms: int, now_ms: int) -> None:
    if deadline_ms <= now_ms:
        raise BadChoice(f"The deadline is in the past: {format_ms(deadline_ms)}.", IN_A_FILE)


def _named(dispute: Dispute) -> str:
    """Return the name for the middle of a sentence."""
    name = dispute_name(dispute.id)
    return f"{name[0].lower()}{name[1:]}"

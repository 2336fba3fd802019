"""A dispute from a patron's claim to its end: evidence frozen when it opens, statements, a ruling, perhaps an appeal.

Nothing of the round is changed by it. A ruling that moves money posts compensating entries onto the round, and every
word that was said stays in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.corrections import ENTRIES, Entry, Wager, wager_of
from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn
from domain.events import RoundCorrected, RoundDisputed
from domain.moments import shown
from domain.money import dollars
from domain.state import Round
from domain.supposing import CardSupposed

ErrorKind = Literal["payout", "hand reading", "card", "wager", "decision", "coverage", "procedure", "other"]
Part = Literal["patron", "player-dealer", "dealer", "floor", "surveillance", "witness"]
Outcome = Literal["upheld", "partly upheld", "denied"]
Ending = Literal["final", "accepted", "withdrawn"]
Status = Literal["open", "ruled", "appealed", "decided", "closed"]

HOUSE = "house"  # as a party of a dispute
DAY_MS = 24 * 60 * 60 * 1000
DAYS_TO_RULE = 3  # unless the claim is given another deadline
DAYS_TO_APPEAL = 7  # unless the ruling gives other ones

# The sections of docs/disputes.md, which refusals name as those of a round name a clause of its rule set.
IN_A_FILE, EVIDENCE = "disputes/what-is-in-a-file", "disputes/frozen-evidence"
WHO_RULES, APPEALS = "disputes/who-may-rule", "disputes/appeal-and-end"


class Evidence(Struct, frozen=True, array_like=True):
    """The round as it was stored when the dispute opened: how many events, their hash and that of the result."""

    version: int
    events_hash: str
    result_hash: str


def called(dispute_id: str) -> str:
    """Dispute d-1; an id that says itself what it is stands alone."""
    return dispute_id.capitalize() if dispute_id.startswith("dispute") else f"Dispute {dispute_id}"


class DisputeOpened(Struct, frozen=True, array_like=True):
    """The claim, what it is about, and who may not rule on it because he was there."""

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


class StatementGiven(Struct, frozen=True, array_like=True):
    who: str
    part: Part
    text: str


class SurveillanceReferred(Struct, frozen=True, array_like=True):
    """Where to look: a camera or recording, and the time that it shows."""

    camera: str
    since_ms: int
    until_ms: int
    text: str


class DisputeNoted(Struct, frozen=True, array_like=True):
    text: str


class DeadlineMoved(Struct, frozen=True, array_like=True):
    deadline_ms: int
    reason: str


class WhatIfAsked(Struct, frozen=True, array_like=True):
    """A question that belongs to the file; its answer is worked out from the round whenever the file is read."""

    cards: tuple[CardSupposed, ...]
    facts: dict[str, dict[str, Any]]
    text: str


class EntryRuled(Struct, frozen=True, array_like=True):
    seat: int
    bettor: str
    hand: int
    spot: str
    amount: int
    account: str


class DisputeRuled(Struct, frozen=True, array_like=True):
    """By one arbiter; where money moves a second person signs, and the same entries stand on the round."""

    outcome: Outcome
    reason: str
    arbiter: str
    second_person: str | None
    entries: tuple[EntryRuled, ...]
    appeal_until_ms: int


class DisputeAppealed(Struct, frozen=True, array_like=True):
    appellant: str
    grounds: str
    deadline_ms: int


class AppealRuled(Struct, frozen=True, array_like=True):
    """The last word. Its entries come on top of those of the ruling."""

    outcome: Outcome
    reason: str
    arbiter: str
    second_person: str | None
    entries: tuple[EntryRuled, ...]


class DisputeClosed(Struct, frozen=True, array_like=True):
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


class Dispute(Struct, frozen=True, gc=False):
    opened: DisputeOpened
    opened_by: str
    deadline_ms: int
    statements: tuple[StatementGiven, ...] = ()
    ruling: DisputeRuled | None = None
    appeal: DisputeAppealed | None = None
    appealed_by: str | None = None  # who took it down
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
        """All that rulings have posted."""
        ruled = () if self.ruling is None else self.ruling.entries
        return ruled if self.decision is None else (*ruled, *self.decision.entries)

    @property
    def awarded(self) -> int:
        """Cents to the claimant, or from him where negative."""
        return sum(entry.amount for entry in self.entries if entry.bettor == self.opened.bettor)

    def overdue(self, now_ms: int) -> bool:
        return self.status in ("open", "appealed") and now_ms > self.deadline_ms


# ---- remembering


def start(opened: DisputeOpened, by: str) -> Dispute:
    return Dispute(opened, by, opened.deadline_ms)


def evolve(dispute: Dispute, event: DisputeEvent, by: str = "") -> Dispute:
    """`by` is who recorded the event, which the event itself does not say."""
    if isinstance(event, DisputeAppealed):
        return replace(dispute, appeal=event, appealed_by=by, deadline_ms=event.deadline_ms)
    return _REMEMBER.get(type(event), _nothing_to_remember)(dispute, event)


def fold(dispute: Dispute, events: Iterable[tuple[DisputeEvent, str]]) -> Dispute:
    for event, by in events:
        dispute = evolve(dispute, event, by)
    return dispute


def _nothing_to_remember(dispute: Dispute, event: DisputeEvent) -> Dispute:
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
    """Of a round's stored events in order, each its topic and the exact bytes of its state, with their lengths, so
    that no two sequences of events have the same text."""
    digest = sha256()
    for topic, state in stored:
        name = topic.encode()
        digest.update(len(name).to_bytes(4) + name + len(state).to_bytes(4) + state)
    return digest.hexdigest()


def result_hash(result: Mapping[str, Any]) -> str:
    """Of the result document that those events make."""
    return sha256(msgspec.json.encode(result, order="deterministic")).hexdigest()


# ---- deciding


class Claim(Struct, frozen=True):
    """What a patron says is wrong, and with which of his wagers; without a bettor it is the seated one's."""

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
    """`people` recorded the round's events, or signed something in them."""
    if round_.status == "open":
        raise OutOfTurn("The round is still being played: a claim is taken once it is settled or void.", EVIDENCE)
    opened = round_.opened
    if not 1 <= claim.seat <= round_.rules.seats:
        raise BadDocument(f"{round_.rules.id} has seats 1 to {round_.rules.seats}.", round_.rules.clause("seats"))
    bettor = claim.bettor or round_.seated[claim.seat]
    if (claim.seat, bettor, claim.hand, claim.spot) not in _wagers(round_):
        hand = f" on hand {claim.hand}" if claim.hand > 1 else ""
        raise BadDocument(f"{bettor} had no {claim.spot} wager at seat {claim.seat}{hand} in this round.", EVIDENCE)
    if claim.claimed <= 0:
        raise BadDocument("A claim is for more than 0.00.", IN_A_FILE)
    _check_words(claim.text, "A claim says what is wrong.")
    _check_deadline(claim.deadline_ms, now_ms)
    return DisputeOpened(
        dispute,
        round_id,
        opened.table or "",
        claim.seat,
        bettor,
        claim.hand,
        claim.spot,
        claim.kind,
        claim.claimed,
        claim.text,
        claim.deadline_ms,
        evidence,
        opened.dealer,
        opened.bank_bettor,
        tuple(sorted(set(people))),
    )


def disputed(opened: DisputeOpened) -> RoundDisputed:
    """What the round itself remembers of it."""
    return RoundDisputed(opened.dispute, opened.seat, opened.bettor, opened.hand, opened.spot)


def check_not_disputed(opened: DisputeOpened, others: Iterable[Dispute]) -> None:
    """One file for a wager at a time; a closed one may be followed by another."""
    for other in others:
        about = (other.opened.seat, other.opened.bettor, other.opened.hand, other.opened.spot)
        if other.status != "closed" and about == (opened.seat, opened.bettor, opened.hand, opened.spot):
            detail = f"{called(other.id)} on this wager is {other.status}: there is one file for it at a time."
            raise Conflict(detail, EVIDENCE)


def people_of(events: Iterable[tuple[Any, str]]) -> set[str]:
    """Who recorded a round's events, or signed a correction in them."""
    people: set[str] = set()
    for event, by in events:
        people.add(by)
        if isinstance(event, RoundCorrected):
            people.update(event.by)
    return people - {""}


def _wagers(round_: Round) -> set[Wager]:
    """Those with a line; of a voided round what lay on the layout."""
    if round_.status == "settled":
        wagers = {wager_of(line) for line in round_.lines}
        return wagers | {(line.seat, line.bettor, 1, "envy") for line in round_.lines if line.spot == "progressive"}
    return {
        (seat, bettor, 1, spot)
        for seat, bettors in round_.layout.items()
        for bettor, stakes in bettors.items()
        for spot in stakes.spots
    }


def give_statement(dispute: Dispute, who: str, part: Part, text: str) -> StatementGiven:
    _check_under_way(dispute)
    _check_words(text, "A statement says something.")
    if who in _arbiters(dispute):
        raise BadChoice(f"{who} has ruled on {_named(dispute)} and can be no witness in it.", WHO_RULES)
    return StatementGiven(who, part, text)


def refer(dispute: Dispute, camera: str, since_ms: int, until_ms: int, text: str) -> SurveillanceReferred:
    _check_under_way(dispute)
    _check_words(camera, "A reference names the camera or the recording.")
    if until_ms < since_ms:
        raise BadDocument("A reference ends no earlier than it begins.", IN_A_FILE)
    return SurveillanceReferred(camera, since_ms, until_ms, text)


def note(dispute: Dispute, text: str) -> DisputeNoted:
    """At any time, also on a closed file."""
    _check_words(text, "A note needs its text.")
    return DisputeNoted(text)


def move_deadline(dispute: Dispute, deadline_ms: int, reason: str, now_ms: int) -> DeadlineMoved:
    if dispute.status not in ("open", "appealed"):
        raise OutOfTurn(f"{called(dispute.id)} is {dispute.status}: no ruling is waited for.", APPEALS)
    _check_words(reason, "A new deadline needs its reason.")
    _check_deadline(deadline_ms, now_ms)
    return DeadlineMoved(deadline_ms, reason)


def ask_what_if(
    dispute: Dispute, cards: Iterable[CardSupposed], facts: Mapping[int, dict[str, Any]], text: str
) -> WhatIfAsked:
    _check_under_way(dispute)
    return WhatIfAsked(tuple(cards), {str(at): dict(fact) for at, fact in facts.items()}, text)


def rule(
    dispute: Dispute,
    outcome: Outcome,
    reason: str,
    by: tuple[str, str | None],
    entries: Iterable[Entry],
    appeal_until_ms: int,
    now_ms: int,
) -> DisputeRuled:
    """The entries are posted by `domain.corrections`, which holds them against the round's wagers."""
    if dispute.ruling is not None:
        raise Conflict(f"{called(dispute.id)} has been ruled on by {dispute.ruling.arbiter}.", APPEALS)
    _check_under_way(dispute)
    ruled = _check_ruling(dispute, outcome, reason, by, entries)
    if appeal_until_ms <= now_ms:
        raise BadChoice(f"The time for an appeal lies in the past: {shown(appeal_until_ms)}.", APPEALS)
    return DisputeRuled(outcome, reason, by[0], by[1], ruled, appeal_until_ms)


def appeal(dispute: Dispute, appellant: str, grounds: str, deadline_ms: int, now_ms: int) -> DisputeAppealed:
    if dispute.appeal is not None:
        detail = f"{called(dispute.id)} has been appealed by {dispute.appeal.appellant}, and an appeal is ruled once."
        raise Conflict(detail, APPEALS)
    ruling = dispute.ruling
    if ruling is None or dispute.closed is not None:
        detail = f"{called(dispute.id)} is {dispute.status}: there is no ruling that could be appealed."
        raise OutOfTurn(detail, APPEALS)
    if now_ms > ruling.appeal_until_ms:
        until = shown(ruling.appeal_until_ms)
        raise OutOfTurn(f"The ruling on {_named(dispute)} could be appealed until {until}, which has passed.", APPEALS)
    parties = [party for party in (dispute.opened.bettor, dispute.opened.bank, HOUSE) if party is not None]
    if appellant not in parties:
        raise BadChoice(f"{appellant} is no party of the dispute: {', '.join(parties)} may appeal.", APPEALS)
    _check_words(grounds, "An appeal gives its grounds.")
    _check_deadline(deadline_ms, now_ms)
    return DisputeAppealed(appellant, grounds, deadline_ms)


def rule_appeal(
    dispute: Dispute, outcome: Outcome, reason: str, by: tuple[str, str | None], entries: Iterable[Entry]
) -> AppealRuled:
    if dispute.decision is not None:
        by_whom = f"has been ruled on by {dispute.decision.arbiter}, which is the last word"
        raise Conflict(f"The appeal in {_named(dispute)} {by_whom}.", APPEALS)
    if dispute.appeal is None or dispute.closed is not None:
        raise OutOfTurn(f"{called(dispute.id)} is {dispute.status}: there is no appeal to rule on.", APPEALS)
    ruled = _check_ruling(dispute, outcome, reason, by, entries)
    return AppealRuled(outcome, reason, by[0], by[1], ruled)


def close(dispute: Dispute, how: Ending, reason: str, now_ms: int) -> DisputeClosed:
    """Final where nothing more can come; accepted before that; withdrawn where no ruling is waited for any longer."""
    if dispute.closed is not None:
        raise Conflict(f"{called(dispute.id)} has been closed already.", APPEALS)
    _check_words(reason, "Closing a dispute needs its reason.")
    status, ruling = dispute.status, dispute.ruling
    if how == "withdrawn" and status not in ("open", "appealed"):
        raise OutOfTurn(f"{called(dispute.id)} is {status}: there is no claim or appeal left to withdraw.", APPEALS)
    if how == "accepted" and status != "ruled":
        raise OutOfTurn(f"{called(dispute.id)} is {status}: there is no ruling to accept.", APPEALS)
    if how == "final":
        if status not in ("ruled", "decided"):
            raise OutOfTurn(f"{called(dispute.id)} is {status}: a ruling comes first.", APPEALS)
        if status == "ruled" and ruling is not None and now_ms <= ruling.appeal_until_ms:
            until = shown(ruling.appeal_until_ms)
            detail = f"The ruling on {_named(dispute)} can still be appealed until {until}: it is final after that."
            raise OutOfTurn(detail, APPEALS)
    return DisputeClosed(how, reason)


# ---- who may rule


def involved(dispute: Dispute) -> dict[str, str]:
    """Everybody who may not rule, and why."""
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
    dispute: Dispute, outcome: Outcome, reason: str, by: tuple[str, str | None], entries: Iterable[Entry]
) -> tuple[EntryRuled, ...]:
    arbiter, second = by
    ruled = tuple(
        EntryRuled(entry.seat, entry.bettor, entry.hand, entry.spot, entry.amount, entry.account) for entry in entries
    )
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
        raise BadChoice(f"A claim that is denied pays nothing, and these entries pay {dollars(to_claimant)}.", ENTRIES)
    return ruled


def _check_under_way(dispute: Dispute) -> None:
    if dispute.closed is not None:
        raise OutOfTurn(f"{called(dispute.id)} is closed: only notes are added to it.", IN_A_FILE)


def _check_words(text: str, otherwise: str) -> None:
    if not text.strip():
        raise BadDocument(otherwise, IN_A_FILE)


def _check_deadline(deadline_ms: int, now_ms: int) -> None:
    if deadline_ms <= now_ms:
        raise BadChoice(f"The deadline lies in the past: {shown(deadline_ms)}.", IN_A_FILE)


def _named(dispute: Dispute) -> str:
    """In the middle of a sentence."""
    name = called(dispute.id)
    return f"{name[0].lower()}{name[1:]}"

"""Audit of tables, boxes, meters and disputes: each is followed event by event, and every decision decided again.

The audit of a stream takes one event at a time and keeps only the current state, however long the stream is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple, replace

from domain.audit.comparison import differing_fields
from domain.audit.findings import Finding
from domain.audit.round_audit import Claim, ruled_claim
from domain.disputes import disputes
from domain.errors import OutOfTurn, Refusal
from domain.floor import drop_boxes, meters, table_sessions
from domain.floor.rotation import Offers
from domain.round.events import RoundOpened
from domain.round.sealing import SealedUnit, commitment
from domain.round.wagers import wager_key
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Meter, Terms

ANY_DIFFERENCE = 1 << 62  # cents; the tolerance of counts is a setting that no event has


def claims_of(event: Any) -> Iterator[Claim]:
    """Return what a table, box, meter or dispute says of a round, as `domain.audit.round_audit.claims_of` does for
    rounds."""
    claim = CLAIMING.get(type(event))
    if claim is not None:
        yield claim(event)


CLAIMING: Mapping[type, Callable[[Any], Claim]] = {
    table_sessions.RoundBegun: lambda event: ("begun", *astuple(event)),
    table_sessions.RoundEnded: lambda event: ("ended", *astuple(event)),
    drop_boxes.FeeDropped: lambda event: ("fee", *astuple(event)),
    drop_boxes.FeeNotDropped: lambda event: ("not dropped", *astuple(event)),
    meters.MeterContributed: lambda event: ("contributed", event.round, event.shown, event.reserve),
    meters.MeterAwarded: lambda event: ("awarded", *astuple(event)),
    meters.MeterReturned: lambda event: ("returned", event.round, event.shown_by, event.reserve_by),
    disputes.DisputeOpened: lambda event: ("disputed", event.round, event.dispute, *wager_key(event)),
}


def ruled_claims(dispute: str, event: disputes.Ruling) -> Iterator[Claim]:
    return (ruled_claim(dispute, entry) for entry in event.entries)


_WORDS: Mapping[str, tuple[str, str, str]] = {
    "begun": ("begun", "the round itself says how it began", "the table's session says how it began"),
    "ended": ("begun", "the round itself ended", "the table's session says that it ended"),
    "fee": ("drop", "a fee was taken in the round", "a fee went into the box"),
    "not dropped": ("drop", "the fee was waived as not dropped", "a fee was not dropped into the box"),
    "contributed": ("meter", "the round's progressive wagers were taken", "progressive wagers went into the meter"),
    "awarded": ("meter", "the round paid an award off the meter", "the meter paid an award"),
    "disputed": ("dispute", "the round says that it is disputed", "a dispute was opened on it"),
    "ruled": ("dispute", "an entry is posted on the round", "a ruling says so"),
    "returned": ("meter", "a voided round gave its progressive wagers back", "the meter gave shares back"),
}


def unmatched(claim: Claim, *, by_round: bool) -> Finding:
    """Report a claim that only one side makes: the round, or the floor."""
    what, name, *figures = claim
    kind, of_round, of_floor = _WORDS[what]
    listed = ", ".join("none" if figure is None else str(figure) for figure in figures)
    says, other = (of_round, of_floor) if by_round else (of_floor, of_round)
    sentence = f"For {name}, {says} ({listed}), but it is not stored that {other}."
    claimed, counterpart = (listed, None) if by_round else (None, listed)
    if what == "ruled":
        return Finding(kind, sentence, stream=f"dispute/{name}", expected=counterpart, found=claimed)
    return Finding(kind, sentence, round=name, expected=claimed, found=counterpart)


# ---- a table's session


class Begun(Struct, frozen=True):
    """What a table knows of a round when it begins, besides the event."""

    round: str
    table: str
    ruleset_hash: str
    dealer: str | None
    players: Mapping[int, str]
    declined: tuple[int, ...]


def begun_otherwise(begun: Begun, opened: RoundOpened) -> Iterator[Finding]:
    """Report where a round and its table differ: table, rules, dealer, players, or who declined the bank."""
    for field, kind, name, in_words in _BEGUN_WITH:
        ours, theirs = getattr(begun, field), getattr(opened, field)
        if ours != theirs:
            expected, found = f"{name} {in_words(ours)}", f"{name} {in_words(theirs)}"
            yield Finding(
                kind=kind,
                what=f"Round {begun.round} says that it began with {found}; its table says {expected}.",
                round=begun.round,
                table=opened.table,
                ruleset=opened.ruleset,
                expected=expected,
                found=found,
            )


def _seated(players: Mapping[int, str]) -> str:
    return ", ".join(f"{seat} {bettor}" for seat, bettor in sorted(players.items())) or "none"


def _seats(seats: tuple[int, ...]) -> str:
    return ", ".join(map(str, seats)) or "nobody"


_BEGUN_WITH: Sequence[tuple[str, str, str, Callable[[Any], str]]] = (
    ("table", "begun", "table", str),
    ("ruleset_hash", "begun", "rules", str),
    ("dealer", "begun", "dealer", lambda dealer: dealer or table_sessions.NOBODY),
    ("players", "begun", "players", _seated),
    ("declined", "rotation", "declined by", _seats),
)


# ---- deciding an event again


def _checked(event: Any, again: Callable[[], Any], about: Finding, head: str) -> Iterator[Finding]:
    """Report an event that was not allowed, or that `again` decides differently."""
    try:
        should = again()
    except Refusal as refusal:
        yield _not_allowed(event, refusal, about)
    else:
        yield from _compared(should, event, about, head)


def _not_allowed(event: Any, refusal: Refusal, about: Finding) -> Finding:
    return replace(about, what=f"{type(event).__name__} is stored, but it was not allowed: {refusal.detail}")


def _compared(should: Any, event: Any, about: Finding, head: str) -> Iterator[Finding]:
    if should != event:
        expected, found = differing_fields(should, event)
        yield replace(about, what=f"{head} {expected}; stored is {found}.", expected=expected, found=found)


# ---- a table's session


class SessionAudit:
    """`before` is the table's previous session, audited to its end; `whole` says that all earlier ones are audited.
    `begun` is the round that began last; `jump` reports who was passed over by its bank."""

    def __init__(
        self,
        rules: RuleSet,
        terms: Terms,
        opened: table_sessions.SessionOpened,
        before: SessionAudit | None = None,
        *,
        whole: bool = True,
    ) -> None:
        self.session = table_sessions.start(rules, terms, opened)
        self._before = None if before is None else before.session
        self._terms = terms
        self._offers: list[table_sessions.TableEvent] = []
        self._asked: Offers = Offers(whole or opened.run is None) if before is None else before._asked
        self.begun: Begun | None = None
        self.jump: Finding | None = None

    def opening(self) -> Iterator[Finding]:
        opened, rules = self.session.opened, self.session.rules
        try:
            should = table_sessions.open_session(rules, self._terms, opened.table, self._before, opened.box)
        except Refusal as refusal:
            yield self._finding(f"The session could not be opened: {refusal.detail}", clause=refusal.clause)
        else:
            yield from _compared(should, opened, self._finding(""), "The session should have opened with")

    def go_on_from(self, event: table_sessions.TableEvent) -> None:
        """Take the state from an event, whatever came before."""
        self.session = table_sessions.evolve(self.session, event)

    def take(self, event: table_sessions.TableEvent) -> Iterator[Finding]:
        """Report what is wrong with this event, and continue from it."""
        kind = "rotation" if isinstance(event, table_sessions.RoundBegun) else "session"
        about = self._finding("", kind=kind)
        try:
            yield from self._check(event, about)
        except Refusal as refusal:
            yield _not_allowed(event, refusal, replace(about, clause=refusal.clause))
        self.go_on_from(event)

    def _check(self, event: table_sessions.TableEvent, about: Finding) -> Iterator[Finding]:
        session = self.session
        match event:
            case table_sessions.BankOffered() | table_sessions.BankDeclined():
                self._offers.append(event)
                self._asked.offered(event.bettor)
                return
            case table_sessions.RoundBegun():
                yield from self._begun(event, about)
            case table_sessions.RoundEnded(name, status):
                self._asked.ended(status)
                if session.playing is None or session.playing.round != name:
                    yield replace(about, what=f"Round {name} ended at the table and was not being played there.")
            case table_sessions.SessionNoted():
                yield from _compared(
                    table_sessions.noted(session), event, about, "The note of the session's state should say"
                )
            case table_sessions.SessionClosed():
                closed = table_sessions.close_session(session)
                yield from _compared(closed, event, about, "The closing of the session should say")
            case table_sessions.SeatTaken(seat, bettor):
                taken = table_sessions.take_seat(session, seat, bettor)
                yield from _compared(taken, event, about, "A seat taken should say")
            case table_sessions.SeatLeft(seat, _):
                yield from _compared(table_sessions.leave_seat(session, seat), event, about, "A seat left should say")
            case table_sessions.DealerTappedOut(dealer):
                if session.playing is not None or session.dealer != dealer:
                    yield replace(about, what=f"{dealer} tapped out, and did not deal there.")
            case table_sessions.DealerTappedIn(dealer):
                tapped_in = table_sessions.tap_in(session, dealer)[-1]
                yield from _compared(tapped_in, event, about, "A dealer tapped in should say")
            case table_sessions.TrayCounted(amount, when):
                table_sessions.count_tray(session, amount, when)
            case table_sessions.BoxChanged(box):
                table_sessions.change_box(session, box)
            case (
                table_sessions.ChipsBought()
                | table_sessions.ChipsCashed()
                | table_sessions.TrayFilled()
                | table_sessions.TrayCredited()
            ):
                table_sessions.move_chips(session, event)

    def _begun(self, event: table_sessions.RoundBegun, about: Finding) -> Iterator[Finding]:
        """Check the beginning of a round. Only people who sat there can have been offered the bank; other refusals have
        no effect."""
        session, offers = self.session, self._offers
        self._offers = []
        declined = tuple(offer.seat for offer in offers if isinstance(offer, table_sessions.BankDeclined))
        opened = session.opened
        self.begun = Begun(
            round=event.round,
            table=opened.table,
            ruleset_hash=opened.ruleset_hash,
            dealer=session.dealer,
            players=session.seats,
            declined=declined,
        )
        bank = None
        self.jump = None
        if event.bank_seat is not None:
            bank = event.bank_seat, event.bank_bettor or ""
            self.jump = self._passed_over(event.round, *bank)
            self._asked.begun(bank[1])
        should = table_sessions.begin_round(session, event.round, bank, declined, session.seats)
        if should != [*offers, event]:
            yield from _compared(should[-1], event, about, f"The beginning of round {event.round} should say")
            if should[:-1] != offers:
                yield replace(about, what="The bank was declined by somebody to whom it was not offered.")

    def _passed_over(self, round_id: str, seat: int, bettor: str) -> Finding | None:
        session = self.session
        run, seats = session.run, session.seats
        over = self._asked.passed_over(run, seats, seat, bettor)
        if not over or run is None or not session.rules.player_banked:
            return None
        who = ", ".join(f"{seats[other]} at seat {other}" for other in over)
        what = (
            f"The bank went from {run.bettor} at seat {run.seat} to {bettor} at seat {seat}, past {who}, "
            "to whom it was not offered."
        )
        return self._finding(
            what,
            kind="rotation",
            round=round_id,
            seat=seat,
            bettor=bettor,
            expected=f"offered to {_seats(over)}",
            found="not offered",
            clause=session.rules.clause("rotation"),
        )

    def _finding(self, what: str, **more: Any) -> Finding:
        opened, playing = self.session.opened, self.session.playing
        place = {
            "kind": "session",
            "round": None if playing is None else playing.round,
            "table": opened.table,
            "ruleset": opened.ruleset,
            "stream": f"session/{opened.table}/{opened.session}",
        }
        return Finding(what=what, **place | more)


# ---- a drop box


class BoxAudit:
    def __init__(self, installed: drop_boxes.BoxInstalled) -> None:
        self.box = drop_boxes.start(installed)

    def take(self, event: drop_boxes.BoxEvent) -> Iterator[Finding]:
        yield from _checked(event, partial(_box_event, self.box, event), self._finding(), "The box leads to")
        self.box = drop_boxes.evolve(self.box, event)

    def opens(self, event: drop_boxes.CountSealed, units: Sequence[SealedUnit]) -> Iterator[Finding]:
        """Report a stored opening that does not match the sealed count."""
        if [(unit.number, commitment(unit.cards, unit.salt)) for unit in units] != [(0, event.seal)]:
            yield self._finding(f"The stored opening of the count by {event.counter} is not what was sealed.")

    def _finding(self, what: str = "") -> Finding:
        return Finding("box", what, table=self.box.table, stream=f"box/{self.box.box}")


def _box_event(box: drop_boxes.DropBox, event: drop_boxes.BoxEvent) -> drop_boxes.BoxEvent:
    match event:
        case drop_boxes.FeeDropped() | drop_boxes.FeeNotDropped():
            return drop_boxes.drop_fee(box, event)
        case drop_boxes.BoxRemoved(by, seal):
            return drop_boxes.remove(box, by, seal)
        case drop_boxes.BoxCounted(counter, pieces, _):
            return drop_boxes.count(box, counter, pieces)
        case drop_boxes.CountSealed(counter, _, machine):
            drop_boxes.check_counter(box, counter, machine is not None)
            return event
        case drop_boxes.CountsOpened():
            return drop_boxes.open_counts(box, event)
        case drop_boxes.BoxReconciled(_, _, signed_by, explanation):
            return drop_boxes.reconcile(box, signed_by, ANY_DIFFERENCE, explanation)
    raise OutOfTurn("The box is installed a second time.")


# ---- a progressive meter


class MeterAudit:
    def __init__(self, seeded: meters.MeterSeeded) -> None:
        self.meter: Meter = meters.start(seeded)

    def go_on_from(self, event: meters.MeterEvent) -> None:
        """Take what the meter showed then, whatever came before."""
        self.meter = meters.evolve(self.meter, event)

    def take(self, event: meters.MeterEvent) -> Iterator[Finding]:
        about = Finding("meter", "", round=getattr(event, "round", None), stream=f"meter/{self.meter.id}")
        head = "From what the meter showed before it goes on to"
        yield from _checked(event, partial(_meter_event, self.meter, event), about, head)
        self.go_on_from(event)


def _meter_event(meter: Meter, event: meters.MeterEvent) -> meters.MeterEvent:
    match event:
        case meters.MeterContributed(name, shown_by, reserve_by, _, _):
            return meters.contribute(meter, name, shown_by, reserve_by)
        case meters.MeterReturned(name, shown_by, reserve_by, _, _):
            return meters.give_back(meter, name, shown_by, reserve_by)
        case meters.MeterAwarded(_, _, _, percent, _, _, _):
            amount = meter.shown * percent // 100
            shown, reserve = meter.shown - amount, meter.reserve
            if percent == 100:
                shown, reserve = meter.seed + meter.reserve, 0
            return replace(event, amount=amount, shown=shown, reserve=reserve)
        case meters.MeterAdjusted(shown, reserve, reason, by):
            return meters.adjust(meter, shown, reserve, reason, by)
    raise OutOfTurn("The meter is seeded a second time.")


# ---- a dispute


class DisputeAudit:
    """`by` is who recorded an event and `at_ms` when: both decide whether it was allowed."""

    def __init__(self, opened: disputes.DisputeOpened, by: str) -> None:
        self.dispute = disputes.start(opened, by)

    def take(self, event: disputes.DisputeEvent, by: str, at_ms: int) -> Iterator[Finding]:
        again = partial(_dispute_event, self.dispute, event, at_ms)
        yield from _checked(event, again, self.finding(), f"{type(event).__name__} was decided as")
        self.dispute = disputes.evolve(self.dispute, event, by)

    def finding(self, what: str = "", expected: str | None = None, found: str | None = None) -> Finding:
        opened = self.dispute.opened
        return Finding(
            kind="dispute",
            what=what,
            round=opened.round,
            table=opened.table,
            seat=opened.seat,
            bettor=opened.bettor,
            spot=opened.spot,
            expected=expected,
            found=found,
            stream=f"dispute/{opened.dispute}",
        )


def _dispute_event(dispute: disputes.Dispute, event: disputes.DisputeEvent, at_ms: int) -> disputes.DisputeEvent:
    match event:
        case disputes.StatementGiven(who, part, text):
            return disputes.give_statement(dispute, who, part, text)
        case disputes.DisputeRuled(outcome, reason, arbiter, second, entries, until_ms):
            return disputes.rule(dispute, outcome, reason, (arbiter, second), entries, until_ms, at_ms)
        case disputes.AppealRuled(outcome, reason, arbiter, second, entries):
            return disputes.rule_appeal(dispute, outcome, reason, (arbiter, second), entries)
        case disputes.DisputeAppealed(appellant, grounds, deadline_ms):
            return disputes.appeal(dispute, appellant, grounds, deadline_ms, at_ms)
        case disputes.DisputeClosed(how, reason):
            return disputes.close(dispute, how, reason, at_ms)
    return event

"""Tables, boxes, meters and disputes audited: each followed event by event, and every decision decided again.

An audit of a stream takes one event at a time and keeps only the state after it, however long the stream is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple, replace

from domain.audit.comparison import differing_fields
from domain.audit.findings import Finding
from domain.audit.round_audit import Claim, ruled_claim
from domain.disputes import disputes
from domain.errors import Refusal
from domain.floor import drop_boxes, meters, table_sessions
from domain.floor.rotation import Offers
from domain.money import money
from domain.round.events import RoundOpened
from domain.round.sealing import SealedUnit, commitment
from domain.round.wager_key import wager_key
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Meter, Terms

ANY_DIFFERENCE = 1 << 62  # cents; how much a count may be off is a setting that no event has


def claims_of(event: Any) -> Iterator[Claim]:
    """What table, box, meter or dispute say of a round, in the words of `domain.audit.round_audit.claims_of`."""
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


def ruled_claims(dispute: str, event: disputes.DisputeRuled | disputes.AppealRuled) -> Iterator[Claim]:
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


def unmatched(claim: Claim, count: int) -> Finding:
    """A claim that only one side makes: the round if `count` is positive, else the floor."""
    what, name, *figures = claim
    kind, by_round, by_floor = _WORDS[what]
    listed = ", ".join("none" if figure is None else str(figure) for figure in figures)
    says, other = (by_round, by_floor) if count > 0 else (by_floor, by_round)
    sentence = f"Of {name} {says} ({listed}), and nowhere is it stored that {other}."
    claimed, counterpart = (listed, None) if count > 0 else (None, listed)
    if what == "ruled":
        return Finding(kind, sentence, stream=f"dispute/{name}", expected=counterpart, found=claimed)
    return Finding(kind, sentence, round=name, expected=claimed, found=counterpart)


# ---- a table's session


class Begun(Struct, frozen=True):
    """What a table knows of a round when it begins, apart from what its event says."""

    round: str
    table: str
    ruleset_hash: str
    dealer: str | None
    players: Mapping[int, str]
    declined: tuple[int, ...]


def begun_otherwise(begun: Begun, opened: RoundOpened) -> Iterator[Finding]:
    """Where a round and its table differ: in table, rules, dealer, players, or who declined the bank."""
    if (begun.table, begun.ruleset_hash, begun.dealer, begun.players, begun.declined) == (
        opened.table,
        opened.ruleset_hash,
        opened.dealer,
        opened.players,
        opened.declined,
    ):
        return  # nearly always: then no text is made
    for kind, ours, theirs in (
        ("begun", f"table {begun.table}", f"table {opened.table}"),
        ("begun", f"rules {begun.ruleset_hash}", f"rules {opened.ruleset_hash}"),
        (
            "begun",
            f"dealer {begun.dealer or table_sessions.NOBODY}",
            f"dealer {opened.dealer or table_sessions.NOBODY}",
        ),
        ("begun", f"players {_seated(begun.players)}", f"players {_seated(opened.players)}"),
        ("rotation", f"declined by {_seats(begun.declined)}", f"declined by {_seats(opened.declined)}"),
    ):
        if ours != theirs:
            what = f"Round {begun.round} says that it began with {theirs}; its table says {ours}."
            yield Finding(
                kind=kind,
                what=what,
                round=begun.round,
                table=opened.table,
                ruleset=opened.ruleset,
                expected=ours,
                found=theirs,
            )


def _seated(players: Mapping[int, str]) -> str:
    return ", ".join(f"{seat} {bettor}" for seat, bettor in sorted(players.items())) or "none"


def _seats(seats: tuple[int, ...]) -> str:
    return ", ".join(map(str, seats)) or "nobody"


class SessionAudit:
    """`before` is the table's session before this one, audited to its end; `whole` says that all earlier ones are
    among those audited. `begun` is the round that began last, and `jump` reports whom its bank passed over."""

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
            yield self._finding("session", f"The session could not be opened: {refusal.detail}", refusal.clause)
            return
        if should != opened:
            expected, found = differing_fields(should, opened, cents=())
            what = f"The session should have opened with {expected}; stored is {found}."
            yield self._finding("session", what, None, expected, found)

    def go_on_from(self, noted: table_sessions.SessionNoted) -> None:
        """Start again from the state that was noted, whatever came before."""
        self.session = table_sessions.evolve(self.session, noted)

    def take(self, event: table_sessions.TableEvent) -> Iterator[Finding]:
        """What is wrong with this event; the session goes on from it."""
        try:
            yield from self._check(event)
        except Refusal as refusal:
            kind = "rotation" if isinstance(event, table_sessions.RoundBegun) else "session"
            what = f"{type(event).__name__} is stored, but it was not allowed: {refusal.detail}"
            yield self._finding(kind, what, refusal.clause)
        self.session = table_sessions.evolve(self.session, event)

    def _check(self, event: table_sessions.TableEvent) -> Iterator[Finding]:
        session = self.session
        match event:
            case table_sessions.BankOffered() | table_sessions.BankDeclined():
                self._offers.append(event)
                self._asked.offered(event.bettor)
                return
            case table_sessions.RoundBegun():
                yield from self._begun(event)
            case table_sessions.RoundEnded(name, status):
                self._asked.ended(status)
                if session.playing is None or session.playing.round != name:
                    yield self._finding("session", f"Round {name} ended at the table and was not being played there.")
            case table_sessions.SessionNoted():
                yield from self._same(table_sessions.noted(session), event, "The note of the session's state")
            case table_sessions.SessionClosed():
                yield from self._same(table_sessions.close_session(session), event, "The closing of the session")
            case table_sessions.SeatTaken(seat, bettor):
                yield from self._same(table_sessions.take_seat(session, seat, bettor), event, "A seat taken")
            case table_sessions.SeatLeft(seat, _):
                yield from self._same(table_sessions.leave_seat(session, seat), event, "A seat left")
            case table_sessions.DealerTappedOut(dealer):
                if session.playing is not None or session.dealer != dealer:
                    yield self._finding("session", f"{dealer} tapped out, and did not deal there.")
            case table_sessions.DealerTappedIn(dealer):
                yield from self._same(table_sessions.tap_in(session, dealer)[-1], event, "A dealer tapped in")
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

    def _begun(self, event: table_sessions.RoundBegun) -> Iterator[Finding]:
        """The bank could be offered to those who sat there; anybody else who declined did so for the record."""
        session, offers = self.session, self._offers
        self._offers = []
        declined = tuple(offer.seat for offer in offers if isinstance(offer, table_sessions.BankDeclined))
        opened = session.opened
        self.begun = Begun(event.round, opened.table, opened.ruleset_hash, session.dealer, session.seats, declined)
        bank = None
        self.jump = None
        if event.bank_seat is not None:
            bank = event.bank_seat, event.bank_bettor or ""
            self.jump = self._passed_over(event.round, *bank)
            self._asked.begun(bank[1])
        should = table_sessions.begin_round(session, event.round, bank, declined, session.seats)
        if should != [*offers, event]:
            yield from self._same(should[-1], event, f"The beginning of round {event.round}", "rotation")
            if should[:-1] != offers:
                yield self._finding("rotation", "The bank was declined by somebody to whom it was not offered.")

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
        expected = f"offered to {_seats(over)}"
        finding = self._finding("rotation", what, session.rules.clause("rotation"), expected, "not offered")
        return replace(finding, round=round_id, seat=seat, bettor=bettor)

    def _same(self, should: Any, event: Any, what: str, kind: str = "session") -> Iterator[Finding]:
        if should == event:
            return
        expected, found = differing_fields(should, event, cents=())
        yield self._finding(kind, f"{what} should say {expected}; stored is {found}.", None, expected, found)

    def _finding(
        self,
        kind: str,
        what: str,
        clause: str | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> Finding:
        opened, playing = self.session.opened, self.session.playing
        return Finding(
            kind,
            what,
            round=None if playing is None else playing.round,
            table=opened.table,
            ruleset=opened.ruleset,
            expected=expected,
            found=found,
            clause=clause,
            stream=f"session/{opened.table}/{opened.session}",
        )


# ---- a drop box


class BoxAudit:
    def __init__(self, installed: drop_boxes.BoxInstalled) -> None:
        self.box = drop_boxes.start(installed)

    def take(self, event: drop_boxes.BoxEvent) -> Iterator[Finding]:
        box = self.box
        try:
            should = _box_event(box, event)
        except Refusal as refusal:
            yield self._finding(f"{type(event).__name__} is stored, but it was not allowed: {refusal.detail}")
        else:
            if should is None:
                yield self._finding("The box is installed a second time.")
            elif should != event:
                expected, found = differing_fields(should, event, cents=("amount", "total", "expected", "counted"))
                yield self._finding(f"The box leads to {expected}; stored is {found}.", expected, found)
        if type(event) is not drop_boxes.BoxInstalled:
            self.box = drop_boxes.evolve(box, event)

    def opens(self, event: drop_boxes.CountSealed, units: Sequence[SealedUnit]) -> Iterator[Finding]:
        """Whether what is kept of a sealed count is that count."""
        if [commitment(unit.cards, unit.salt) for unit in units] != [event.seal]:
            yield self._finding(f"What is kept of the count by {event.counter} is not what was sealed.")

    def _finding(self, what: str, expected: str | None = None, found: str | None = None) -> Finding:
        box = self.box
        return Finding("box", what, table=box.table, expected=expected, found=found, stream=f"box/{box.box}")


def _box_event(box: drop_boxes.DropBox, event: drop_boxes.BoxEvent) -> drop_boxes.BoxEvent | None:
    match event:
        case drop_boxes.FeeDropped() | drop_boxes.FeeNotDropped():
            return drop_boxes.drop_fee(box, event)
        case drop_boxes.BoxRemoved(by, seal):
            return drop_boxes.remove(box, by, seal)
        case drop_boxes.BoxCounted(counter, pieces, _):
            return drop_boxes.count(box, counter, pieces)
        case drop_boxes.CountSealed(counter, _):
            drop_boxes.check_counter(box, counter)
            return event
        case drop_boxes.CountsOpened():
            return drop_boxes.open_counts(box, event)
        case drop_boxes.BoxReconciled(_, _, signed_by, explanation):
            return drop_boxes.reconcile(box, signed_by, ANY_DIFFERENCE, explanation)
    return None


# ---- a progressive meter


class MeterAudit:
    def __init__(self, seeded: meters.MeterSeeded) -> None:
        self.meter: Meter = meters.start(seeded)

    def go_on_from(self, event: meters.MeterEvent) -> None:
        """Start again from what the meter showed then, whatever came before."""
        self.meter = meters.evolve(self.meter, event)

    def take(self, event: meters.MeterEvent) -> Iterator[Finding]:
        meter = self.meter
        try:
            should = _meter_event(meter, event)
        except Refusal as refusal:
            yield self._finding(event, f"{type(event).__name__} is stored, but it was not allowed: {refusal.detail}")
        else:
            if should is None:
                yield self._finding(event, "The meter is seeded a second time.")
            elif should != event:
                expected = f"shown {money(should.shown)}, reserve {money(should.reserve)}"
                found = f"shown {money(event.shown)}, reserve {money(event.reserve)}"
                if isinstance(should, meters.MeterAwarded) and isinstance(event, meters.MeterAwarded):
                    expected = f"award {money(should.amount)}, {expected}"
                    found = f"award {money(event.amount)}, {found}"
                what = f"From what the meter showed before it goes on to {expected}; stored is {found}."
                yield self._finding(event, what, expected, found)
        self.meter = meters.evolve(meter, event)

    def _finding(
        self, event: meters.MeterEvent, what: str, expected: str | None = None, found: str | None = None
    ) -> Finding:
        name = getattr(event, "round", None)
        return Finding("meter", what, round=name, expected=expected, found=found, stream=f"meter/{self.meter.id}")


def _meter_event(meter: Meter, event: meters.MeterEvent) -> meters.MeterEvent | None:
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
    return None


# ---- a dispute


class DisputeAudit:
    """`by` is who recorded an event and `at_ms` when: both decide whether it was allowed."""

    def __init__(self, opened: disputes.DisputeOpened, by: str) -> None:
        self.dispute = disputes.start(opened, by)

    def take(self, event: disputes.DisputeEvent, by: str, at_ms: int) -> Iterator[Finding]:
        try:
            should = self._again(event, at_ms)
        except Refusal as refusal:
            yield self.finding(f"{type(event).__name__} is stored, but it was not allowed: {refusal.detail}")
        else:
            if should is not None and should != event:
                yield self.finding(f"{type(event).__name__} is not what it was decided as.", str(should), str(event))
        self.dispute = disputes.evolve(self.dispute, event, by)

    def _again(self, event: disputes.DisputeEvent, at_ms: int) -> disputes.DisputeEvent | None:
        dispute = self.dispute
        match event:
            case disputes.StatementGiven(who, part, text):
                return disputes.give_statement(dispute, who, part, text)
            case disputes.DisputeRuled():
                by = (event.arbiter, event.second_person)
                until_ms = event.appeal_until_ms
                return disputes.rule(dispute, event.outcome, event.reason, by, event.entries, until_ms, at_ms)
            case disputes.AppealRuled():
                by = (event.arbiter, event.second_person)
                return disputes.rule_appeal(dispute, event.outcome, event.reason, by, event.entries)
            case disputes.DisputeAppealed(appellant, grounds, deadline_ms):
                return disputes.appeal(dispute, appellant, grounds, deadline_ms, at_ms)
            case disputes.DisputeClosed(how, reason):
                return disputes.close(dispute, how, reason, at_ms)
        return None

    def finding(self, what: str, expected: str | None = None, found: str | None = None) -> Finding:
        opened = self.dispute.opened
        return Finding(
            "dispute",
            what,
            round=opened.round,
            table=opened.table,
            seat=opened.seat,
            bettor=opened.bettor,
            spot=opened.spot,
            expected=expected,
            found=found,
            stream=f"dispute/{opened.dispute}",
        )

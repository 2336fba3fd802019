"""Tables, boxes and meters audited: each followed event by event, and decided again where something was decided.

An audit of a stream takes one event at a time and keeps only where the stream stands, however long it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain import boxes, disputes, meters, tables
from domain.auditing import ENTRY, Claim
from domain.corrections import Entry
from domain.errors import Refusal
from domain.events import RoundOpened
from domain.findings import Finding
from domain.money import money
from domain.rotation import Offers
from domain.ruleset import RuleSet
from domain.sealing import SealedUnit, commitment
from domain.terms import Meter, Terms

ANY_DIFFERENCE = 1 << 62  # cents; how much a count may be off is a setting that no event has


def claims_of(event: Any) -> Iterator[Claim]:
    """What table, box, meter or dispute say of a round, in the words of `domain.auditing.claims_of`."""
    match event:
        case tables.RoundBegun(name, seat, bettor, turn, deck):
            yield "begun", name, seat, bettor, turn, deck
        case tables.RoundEnded(name, status):
            yield "ended", name, status
        case boxes.FeeDropped(name, amount, schedule, tier):
            yield "fee", name, amount, schedule, tier
        case boxes.FeeNotDropped(name, amount):
            yield "not dropped", name, amount
        case meters.MeterContributed(name, _, _, shown, reserve):
            yield "contributed", name, shown, reserve
        case meters.MeterAwarded():
            yield ("awarded", *(getattr(event, field) for field in event.__struct_fields__))
        case meters.MeterReturned(name, shown_by, reserve_by, _, _):
            yield "returned", name, shown_by, reserve_by
        case disputes.DisputeOpened():
            wager = (event.seat, event.bettor, event.hand, event.spot)
            yield "disputed", event.round, event.dispute, *wager


def ruled_claims(dispute: str, event: disputes.DisputeRuled | disputes.AppealRuled) -> Iterator[Claim]:
    """The entries of a ruling, which stand on the round too."""
    for entry in event.entries:
        yield ("ruled", dispute, *(getattr(entry, field) for field in ENTRY))


CLAIMING = frozenset(
    {
        tables.RoundBegun,
        tables.RoundEnded,
        boxes.FeeDropped,
        boxes.FeeNotDropped,
        meters.MeterContributed,
        meters.MeterAwarded,
        meters.MeterReturned,
        disputes.DisputeOpened,
    }
)
_WORDS: Mapping[str, tuple[str, str, str]] = {
    "begun": ("begun", "the round itself says how it began", "the table's session says how it began"),
    "ended": ("begun", "the round itself ended", "the table's session says that it ended"),
    "fee": ("drop", "a fee was taken in the round", "a fee went into the box"),
    "not dropped": ("drop", "the fee was waived as not dropped", "the box was told that a fee was not dropped"),
    "contributed": ("meter", "the round's progressive wagers were taken", "the meter was told of progressive wagers"),
    "awarded": ("meter", "the round paid an award off the meter", "the meter paid an award"),
    "disputed": ("dispute", "the round says that it is disputed", "a dispute was opened on it"),
    "ruled": ("dispute", "an entry stands on the round", "a ruling says so"),
    "returned": ("meter", "a voided round gave its progressive wagers back", "the meter gave shares back"),
}


def unmatched(claim: Claim, count: int) -> Finding:
    """A claim that only one side makes; `count` is above nothing where it is the round's."""
    what, name, *figures = claim
    kind, by_round, by_floor = _WORDS[what]
    told = ", ".join("none" if figure is None else str(figure) for figure in figures)
    says, other = (by_round, by_floor) if count > 0 else (by_floor, by_round)
    sentence = f"Of {name} {says} ({told}), and nowhere is it stored that {other}."
    by_whom = (told, None) if count > 0 else (None, told)
    if what == "ruled":
        return Finding(kind, sentence, stream=f"dispute/{name}", expected=by_whom[1], found=by_whom[0])
    return Finding(kind, sentence, round=name, expected=by_whom[0], found=by_whom[1])


# ---- a table's session


class Begun(Struct, frozen=True):
    """What a table knows of a round when it begins, beside what its event says."""

    round: str
    table: str
    ruleset_hash: str
    dealer: str | None
    players: Mapping[int, str]
    declined: tuple[int, ...]


def begun_otherwise(begun: Begun, opened: RoundOpened) -> Iterator[Finding]:
    """Where a round says otherwise than its table where and by which rules it was played, who dealt, who sat there, or
    who had declined the bank."""
    if (begun.table, begun.ruleset_hash, begun.dealer, begun.players, begun.declined) == (
        opened.table,
        opened.ruleset_hash,
        opened.dealer,
        opened.players,
        opened.declined,
    ):
        return  # nearly always, and then nothing need be put into words
    for kind, ours, theirs in (
        ("begun", f"table {begun.table}", f"table {opened.table}"),
        ("begun", f"rules {begun.ruleset_hash}", f"rules {opened.ruleset_hash}"),
        ("begun", f"dealer {begun.dealer or tables.NOBODY}", f"dealer {opened.dealer or tables.NOBODY}"),
        ("begun", f"players {_seated(begun.players)}", f"players {_seated(opened.players)}"),
        ("rotation", f"declined by {_seats(begun.declined)}", f"declined by {_seats(opened.declined)}"),
    ):
        if ours != theirs:
            what = f"Round {begun.round} says of its beginning: {theirs}; where it began it was {ours}."
            yield Finding(kind, what, begun.round, opened.table, opened.ruleset, expected=ours, found=theirs)


def _seated(players: Mapping[int, str]) -> str:
    return ", ".join(f"{seat} {bettor}" for seat, bettor in sorted(players.items())) or "none"


def _seats(seats: tuple[int, ...]) -> str:
    return ", ".join(map(str, seats)) or "nobody"


class SessionAudit:
    """`before` is the table's session before this one, audited to its end; `whole` says whether it and all that comes
    before would be here. `begun` is the round that began last, and `jump` is what its bank passed over."""

    def __init__(
        self,
        rules: RuleSet,
        terms: Terms,
        opened: tables.SessionOpened,
        before: SessionAudit | None = None,
        *,
        whole: bool = True,
    ) -> None:
        self.session = tables.start(rules, terms, opened)
        self._before = None if before is None else before.session
        self._terms = terms
        self._offers: list[tables.TableEvent] = []
        self._asked: Offers = Offers(whole or opened.run is None) if before is None else before._asked
        self.begun: Begun | None = None
        self.jump: Finding | None = None

    def opening(self) -> Iterator[Finding]:
        opened, rules = self.session.opened, self.session.rules
        try:
            should = tables.open_session(rules, self._terms, opened.table, self._before, opened.box)
        except Refusal as refusal:
            yield self._finding("session", f"The session could not be opened: {refusal.detail}", refusal.clause)
            return
        if should != opened:
            names = [name for name in opened.__struct_fields__ if getattr(should, name) != getattr(opened, name)]
            expected = ", ".join(f"{name} {getattr(should, name)}" for name in names)
            found = ", ".join(f"{name} {getattr(opened, name)}" for name in names)
            what = f"The session should have opened with {expected}; stored is {found}."
            yield self._finding("session", what, None, expected, found)

    def go_on_from(self, noted: tables.SessionNoted) -> None:
        """From where the session stood then, whatever came before."""
        self.session = tables.evolve(self.session, noted)

    def take(self, event: tables.TableEvent) -> Iterator[Finding]:
        """What is wrong with this event; the session goes on from it."""
        try:
            yield from self._check(event)
        except Refusal as refusal:
            kind = "rotation" if isinstance(event, tables.RoundBegun) else "session"
            what = f"{type(event).__name__} is stored, but it was not allowed: {refusal.detail}"
            yield self._finding(kind, what, refusal.clause)
        self.session = tables.evolve(self.session, event)

    def _check(self, event: tables.TableEvent) -> Iterator[Finding]:
        session = self.session
        match event:
            case tables.BankOffered() | tables.BankDeclined():
                self._offers.append(event)
                self._asked.offered(event.bettor)
                return
            case tables.RoundBegun():
                yield from self._begun(event)
            case tables.RoundEnded(name, status):
                self._asked.ended(status)
                if session.playing is None or session.playing.round != name:
                    yield self._finding("session", f"Round {name} ended at the table and was not being played there.")
            case tables.SessionNoted():
                yield from self._same(tables.noted(session), event, "Where the session stood")
            case tables.SessionClosed():
                yield from self._same(tables.close_session(session), event, "The closing of the session")
            case tables.SeatTaken(seat, bettor):
                yield from self._same(tables.take_seat(session, seat, bettor), event, "A seat taken")
            case tables.SeatLeft(seat, _):
                yield from self._same(tables.leave_seat(session, seat), event, "A seat left")
            case tables.DealerTappedOut(dealer):
                if session.playing is not None or session.dealer != dealer:
                    yield self._finding("session", f"{dealer} tapped out, and did not deal there.")
            case tables.DealerTappedIn(dealer):
                yield from self._same(tables.tap_in(session, dealer)[-1], event, "A dealer tapped in")
            case tables.TrayCounted(amount, when):
                tables.count_tray(session, amount, when)
            case tables.BoxChanged(box):
                tables.change_box(session, box)
            case tables.ChipsBought() | tables.ChipsCashed() | tables.TrayFilled() | tables.TrayCredited():
                tables.move_chips(session, event)

    def _begun(self, event: tables.RoundBegun) -> Iterator[Finding]:
        """Who could have been offered the bank are those who sat there; whoever else declined did so for the record."""
        session, offers = self.session, self._offers
        self._offers = []
        declined = tuple(offer.seat for offer in offers if isinstance(offer, tables.BankDeclined))
        opened = session.opened
        self.begun = Begun(event.round, opened.table, opened.ruleset_hash, session.dealer, session.seats, declined)
        bank = None
        self.jump = None
        if event.bank_seat is not None:
            bank = event.bank_seat, event.bank_bettor or ""
            self.jump = self._passed_over(event.round, *bank)
            self._asked.begun(bank[1])
        should = tables.begin_round(session, event.round, bank, declined, session.seats)
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
        names = [name for name in event.__struct_fields__ if getattr(should, name) != getattr(event, name)]
        expected = ", ".join(f"{name} {getattr(should, name)}" for name in names)
        found = ", ".join(f"{name} {getattr(event, name)}" for name in names)
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
    def __init__(self, installed: boxes.BoxInstalled) -> None:
        self.box = boxes.start(installed)

    def take(self, event: boxes.BoxEvent) -> Iterator[Finding]:
        box = self.box
        try:
            should = _box_event(box, event)
        except Refusal as refusal:
            yield self._finding(f"{type(event).__name__} is stored, but it was not allowed: {refusal.detail}")
        else:
            if should != event:
                names = [name for name in event.__struct_fields__ if getattr(should, name) != getattr(event, name)]
                expected = ", ".join(f"{name} {_figure(getattr(should, name))}" for name in names)
                found = ", ".join(f"{name} {_figure(getattr(event, name))}" for name in names)
                yield self._finding(f"The box leads to {expected}; stored is {found}.", expected, found)
        if type(event) is not boxes.BoxInstalled:
            self.box = boxes.evolve(box, event)

    def opens(self, event: boxes.CountSealed, units: Sequence[SealedUnit]) -> Iterator[Finding]:
        """Whether what is kept beside a sealed count is that count."""
        if [commitment(unit.cards, unit.salt) for unit in units] != [event.seal]:
            yield self._finding(f"What is kept beside the count by {event.counter} is not what was sealed.")

    def _finding(self, what: str, expected: str | None = None, found: str | None = None) -> Finding:
        box = self.box
        return Finding("box", what, table=box.table, expected=expected, found=found, stream=f"box/{box.box}")


def _box_event(box: boxes.DropBox, event: boxes.BoxEvent) -> boxes.BoxEvent | None:
    match event:
        case boxes.FeeDropped() | boxes.FeeNotDropped():
            return boxes.drop_fee(box, event)
        case boxes.BoxRemoved(by, seal):
            return boxes.remove(box, by, seal)
        case boxes.BoxCounted(counter, pieces, _):
            return boxes.count(box, counter, pieces)
        case boxes.CountSealed(counter, _):
            boxes.check_counter(box, counter)
            return event
        case boxes.CountsOpened():
            return boxes.open_counts(box, event)
        case boxes.BoxReconciled(_, _, signed_by, explanation):
            return boxes.reconcile(box, signed_by, ANY_DIFFERENCE, explanation)
    return None


def _figure(value: Any) -> str:
    return money(value) if type(value) is int else str(value)


# ---- a progressive meter


class MeterAudit:
    def __init__(self, seeded: meters.MeterSeeded) -> None:
        self.meter: Meter = meters.start(seeded)

    def go_on_from(self, event: meters.MeterEvent) -> None:
        """From what the meter showed then, whatever came before."""
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
    """`by` is who recorded an event and `at_ms` when, by which it is judged whether he might."""

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
                entries = _entries(event)
                return disputes.rule(dispute, event.outcome, event.reason, by, entries, event.appeal_until_ms, at_ms)
            case disputes.AppealRuled():
                by = (event.arbiter, event.second_person)
                return disputes.rule_appeal(dispute, event.outcome, event.reason, by, _entries(event))
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


def _entries(event: disputes.DisputeRuled | disputes.AppealRuled) -> list[Entry]:
    return [Entry(it.seat, it.bettor, it.spot, it.amount, it.account, it.hand) for it in event.entries]

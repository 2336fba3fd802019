"""What projections need to know of a round, a session, a box or a meter to understand its next event.

Plain accumulators: a fold over the events of one aggregate that keeps what reports ask for and no more. Nothing here
decides anything; `Streams` has them at hand, and reads an aggregate's earlier events from the store where it has not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from domain import boxes, disputes, meters, rulesets, tables
from domain.events import (
    BetsClosed,
    CardsDealt,
    CardsTurned,
    DecisionMade,
    FeeTaken,
    FeeWaived,
    LineSettled,
    NoteMade,
    Place,
    RoundCorrected,
    RoundDisputed,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
    WagerWithdrawn,
)
from domain.rotation import Offers
from infra.mapper import Entry
from infra.topics import TOPICS
from projections.feed import Feed
from projections.gaming_days import Belongs, GamingDays


class Now:
    """The event at hand: its place in the order of all events, who did it and when. One object, filled anew."""

    __slots__ = ("at_ms", "by", "late", "position")

    def __init__(self, position: int = 0, by: str = "", at_ms: int = 0, late: bool = False) -> None:
        self.position = position
        self.by = by
        self.at_ms = at_ms
        self.late = late


class Facts:
    """Of one aggregate; `version` is that of the last event taken in, `late` whether any of them was entered late."""

    __slots__ = ("late", "version")

    def __init__(self) -> None:
        self.version = 0
        self.late = False


# ---- rounds


class RoundFacts(Facts):
    __slots__ = (
        "action",
        "belongs",
        "bettors",
        "cards",
        "closed_at_ms",
        "corrected",
        "deal_over",
        "disputed",
        "ended_at_ms",
        "fee",
        "liability",
        "lines",
        "notes",
        "opened",
        "opened_at_ms",
        "round",
        "seats",
        "shown",
        "status",
        "table",
        "tips",
        "voided",
        "wagers",
        "waived",
    )

    def __init__(self) -> None:
        super().__init__()
        self.opened: RoundOpened = _UNOPENED
        self.round = ""
        self.table = ""
        self.opened_at_ms = 0
        self.belongs: Belongs = _NO_DAY
        self.status = "open"
        self.closed_at_ms: int | None = None
        self.ended_at_ms: int | None = None
        self.action = 0
        self.liability = 0
        self.fee: FeeTaken | None = None
        self.waived: FeeWaived | None = None
        self.voided: RoundVoided | None = None
        self.corrected = 0
        self.notes = 0
        self.disputed = 0
        self.bettors: dict[str, set[int]] = {}  # in the order of their first wager, with the seats they bet at
        self.tips: set[str] = set()  # the bettors whose wagers are tips for the dealer
        self.seats: dict[int, None] = {}
        self.wagers: dict[tuple[str, int, str], str | None] = {}  # by bettor, seat and spot: the kind of bettor
        self.lines: list[LineSettled] = []
        self.cards: dict[tuple[Place, int], list[str | None]] = {}
        self.shown = 0  # cards that everybody sees whatever they are (`always_shown`)
        self.deal_over = False

    @property
    def finished(self) -> bool:
        return self.status != "open"

    @property
    def bank(self) -> str | None:
        return self.opened.bank_bettor

    @property
    def meter(self) -> str:
        return (self.opened.terms.get("meter") or {}).get("id") or f"meter-{self.table}"


STREETS = frozenset({"flop", "turn_river"})
_UNOPENED = RoundOpened("", "", "", "", {}, {})
_NO_DAY = GamingDays().of(0)


def _wager_placed(facts: RoundFacts, event: WagerPlaced, now: Now) -> None:
    facts.bettors.setdefault(event.bettor, set()).add(event.seat)
    facts.seats[event.seat] = None
    facts.wagers[event.bettor, event.seat, event.spot] = event.kind
    if event.kind == "toke":
        facts.tips.add(event.bettor)


def _wager_withdrawn(facts: RoundFacts, event: WagerWithdrawn, now: Now) -> None:
    """A bettor without a wager did not play, and a seat without one was not played; part of a wager is one."""
    if event.left:
        return
    del facts.wagers[event.bettor, event.seat, event.spot]
    others = [(seat, kind) for (bettor, seat, _), kind in facts.wagers.items() if bettor == event.bettor]
    facts.bettors[event.bettor] = {seat for seat, _ in others}
    if not others:
        del facts.bettors[event.bettor]
    if all(kind != "toke" for _, kind in others):
        facts.tips.discard(event.bettor)
    if all(seat != event.seat for _, seat, _ in facts.wagers):
        facts.seats.pop(event.seat, None)


def _bets_closed(facts: RoundFacts, event: BetsClosed, now: Now) -> None:
    facts.closed_at_ms = now.at_ms
    facts.action, facts.liability = event.action, event.liability


def _fee_taken(facts: RoundFacts, event: FeeTaken, now: Now) -> None:
    facts.fee = event


def _line_settled(facts: RoundFacts, event: LineSettled, now: Now) -> None:
    facts.lines.append(event)


def _round_settled(facts: RoundFacts, event: RoundSettled, now: Now) -> None:
    facts.status, facts.ended_at_ms = "settled", now.at_ms


def _round_voided(facts: RoundFacts, event: RoundVoided, now: Now) -> None:
    facts.status, facts.ended_at_ms, facts.voided = "void", now.at_ms, event


def _fee_waived(facts: RoundFacts, event: FeeWaived, now: Now) -> None:
    facts.waived = event


def _corrected(facts: RoundFacts, event: RoundCorrected, now: Now) -> None:
    facts.corrected += 1


def _note_made(facts: RoundFacts, event: NoteMade, now: Now) -> None:
    facts.notes += 1


def _disputed(facts: RoundFacts, event: RoundDisputed, now: Now) -> None:
    facts.disputed += 1


def always_shown(facts: RoundFacts, event: CardsDealt | CardsTurned) -> tuple[str | None, ...]:
    """The cards of an event that lie face up whatever they are: those dealt before anybody decides, and the board.

    A hand that is turned over because it was not folded, or that grows because it is low, is no fair sample of a deck.
    """
    if isinstance(event, CardsTurned):
        return event.cards if event.of in STREETS else ()
    return () if facts.deal_over else event.cards[event.face_down :]


def _cards_dealt(facts: RoundFacts, event: CardsDealt, now: Now) -> None:
    facts.shown += len(always_shown(facts, event))
    if event.to != "burn":
        facts.cards.setdefault((event.to, event.hand), []).extend(event.cards)


def _cards_turned(facts: RoundFacts, event: CardsTurned, now: Now) -> None:
    facts.shown += len(always_shown(facts, event))
    facts.deal_over = True
    if event.of == "flop" or event.of == "turn_river":
        board = facts.cards[("board", 1)]
        at = 0 if event.of == "flop" else 3
        board[at : at + len(event.cards)] = event.cards
    else:
        facts.cards[(event.of, 1)][: len(event.cards)] = event.cards


def _decision_made(facts: RoundFacts, event: DecisionMade, now: Now) -> None:
    facts.deal_over = True
    if event.choice == "split":
        hand = facts.cards[(event.seat, event.hand)]
        number = 1 + sum(place == event.seat for place, _ in facts.cards)
        facts.cards[(event.seat, number)] = [hand.pop()]


MONEY: Mapping[type, Callable[[Any, Any, Now], None]] = {
    WagerPlaced: _wager_placed,
    WagerWithdrawn: _wager_withdrawn,
    BetsClosed: _bets_closed,
    FeeTaken: _fee_taken,
    LineSettled: _line_settled,
    RoundSettled: _round_settled,
    RoundVoided: _round_voided,
    FeeWaived: _fee_waived,
    RoundCorrected: _corrected,
    NoteMade: _note_made,
    RoundDisputed: _disputed,
}
CARDS: Mapping[type, Callable[[Any, Any, Now], None]] = {
    CardsDealt: _cards_dealt,
    CardsTurned: _cards_turned,
    DecisionMade: _decision_made,
}


# ---- sessions, boxes, meters


class TrayFacts:
    """What went into and out of the tray since its opening count, or since somebody played there uncounted.

    The positions are those of the events with which the stretch began and ended: what the tray pays for a correction
    belongs to the stretch in which it pays.
    """

    __slots__ = (
        "began_at_ms",
        "began_position",
        "bought",
        "cashed",
        "closing",
        "credits",
        "ended_at_ms",
        "ended_position",
        "fills",
        "opening",
    )

    def __init__(self, now: Now, opening: int | None = None) -> None:
        self.began_at_ms, self.began_position = now.at_ms, now.position
        self.ended_at_ms: int | None = None
        self.ended_position: int | None = None
        self.opening = opening
        self.closing: int | None = None
        self.fills = 0
        self.credits = 0
        self.bought = 0
        self.cashed = 0


class SessionFacts(Facts):
    """`begun` is the last round that began, and what is told of its bank is kept until the next one begins."""

    __slots__ = (
        "begun",
        "begun_at_ms",
        "box",
        "closed",
        "dealer",
        "declined",
        "ended",
        "house",
        "offers",
        "opened",
        "opened_at_ms",
        "passed_over",
        "rounds",
        "run",
        "seats",
        "session",
        "stretch",
        "table",
        "tray",
        "waiting",
    )

    def __init__(self) -> None:
        super().__init__()
        self.table = ""
        self.session = 0
        self.opened: tables.SessionOpened | None = None
        self.opened_at_ms = 0
        self.closed = False
        self.box: str | None = None
        self.dealer: str | None = None
        self.rounds = 0
        self.ended: str | None = None  # how the last round that began ended, once it has
        self.run: tables.BankRun | None = None
        self.seats: dict[int, str] = {}
        self.waiting: list[int] = []  # declined for the round that is to begin
        self.begun: tables.RoundBegun | None = None
        self.begun_at_ms = 0
        self.declined: list[int] = []
        self.offers = Offers()
        self.passed_over: tuple[int, ...] = ()
        self.house = False
        self.stretch = 0
        self.tray = TrayFacts(Now())

    def tray_in_use(self, now: Now) -> TrayFacts:
        """A closing count ends a stretch: what happens before the next opening count is in one that nobody counted."""
        if self.tray.ended_position is not None:
            self.stretch += 1
            self.tray = TrayFacts(now)
        return self.tray


def _session_opened(facts: SessionFacts, event: tables.SessionOpened, now: Now) -> None:
    facts.table, facts.session, facts.run = event.table, event.session, event.run
    facts.opened, facts.opened_at_ms = event, now.at_ms
    facts.box, facts.dealer = event.box, event.dealer
    facts.house = event.ruleset in rulesets.ids() and not rulesets.load(event.ruleset).player_banked
    facts.tray = TrayFacts(now)


def _seat_taken(facts: SessionFacts, event: tables.SeatTaken, now: Now) -> None:
    facts.seats[event.seat] = event.bettor


def _seat_left(facts: SessionFacts, event: tables.SeatLeft, now: Now) -> None:
    facts.seats.pop(event.seat, None)


def _bank_offered(facts: SessionFacts, event: tables.BankOffered, now: Now) -> None:
    facts.offers.offered(event.bettor)


def _bank_declined(facts: SessionFacts, event: tables.BankDeclined, now: Now) -> None:
    facts.waiting.append(event.seat)


def _round_begun(facts: SessionFacts, event: tables.RoundBegun, now: Now) -> None:
    facts.declined, facts.waiting = facts.waiting, []
    facts.passed_over = ()
    if event.bank_seat is not None and event.bank_bettor is not None:
        facts.passed_over = facts.offers.passed_over(facts.run, facts.seats, event.bank_seat, event.bank_bettor)
        facts.offers.begun(event.bank_bettor)
    facts.begun, facts.begun_at_ms, facts.ended = event, now.at_ms, None
    facts.rounds += 1
    if event.bank_bettor is None:
        facts.house = True
        facts.tray_in_use(now)


def _round_ended(facts: SessionFacts, event: tables.RoundEnded, now: Now) -> None:
    begun = facts.begun
    facts.ended = event.status
    facts.offers.ended(event.status)
    if begun is not None and begun.bank_seat is not None and event.status == "settled":
        facts.run = tables.BankRun(begun.bank_bettor or "", begun.bank_seat, begun.turn or 1)


def _session_closed(facts: SessionFacts, event: tables.SessionClosed, now: Now) -> None:
    facts.closed = True


def _box_changed(facts: SessionFacts, event: tables.BoxChanged, now: Now) -> None:
    facts.box = event.box


def _dealer_tapped_in(facts: SessionFacts, event: tables.DealerTappedIn, now: Now) -> None:
    facts.dealer = event.dealer


def _dealer_tapped_out(facts: SessionFacts, event: tables.DealerTappedOut, now: Now) -> None:
    facts.dealer = None


def _session_noted(facts: SessionFacts, event: tables.SessionNoted, now: Now) -> None:
    facts.seats, facts.run = dict(event.seats), event.run


def _chips_bought(facts: SessionFacts, event: tables.ChipsBought, now: Now) -> None:
    facts.tray_in_use(now).bought += event.amount


def _chips_cashed(facts: SessionFacts, event: tables.ChipsCashed, now: Now) -> None:
    facts.tray_in_use(now).cashed += event.amount


def _tray_filled(facts: SessionFacts, event: tables.TrayFilled, now: Now) -> None:
    facts.house = True
    facts.tray_in_use(now).fills += event.amount


def _tray_credited(facts: SessionFacts, event: tables.TrayCredited, now: Now) -> None:
    facts.house = True
    facts.tray_in_use(now).credits += event.amount


def _tray_counted(facts: SessionFacts, event: tables.TrayCounted, now: Now) -> None:
    facts.house = True
    if event.when == "opening":
        facts.stretch += 1
        facts.tray = TrayFacts(now, event.amount)
    else:
        tray = facts.tray
        tray.closing, tray.ended_at_ms, tray.ended_position = event.amount, now.at_ms, now.position


SESSION: Mapping[type, Callable[[Any, Any, Now], None]] = {
    tables.SessionOpened: _session_opened,
    tables.SeatTaken: _seat_taken,
    tables.SeatLeft: _seat_left,
    tables.BankOffered: _bank_offered,
    tables.BankDeclined: _bank_declined,
    tables.RoundBegun: _round_begun,
    tables.RoundEnded: _round_ended,
    tables.SessionNoted: _session_noted,
    tables.SessionClosed: _session_closed,
    tables.BoxChanged: _box_changed,
    tables.DealerTappedIn: _dealer_tapped_in,
    tables.DealerTappedOut: _dealer_tapped_out,
    tables.ChipsBought: _chips_bought,
    tables.ChipsCashed: _chips_cashed,
    tables.TrayFilled: _tray_filled,
    tables.TrayCredited: _tray_credited,
    tables.TrayCounted: _tray_counted,
}


class BoxFacts(Facts):
    __slots__ = ("box", "fees", "installed_at_ms", "reconciled_at_ms", "removed_at_ms")

    def __init__(self) -> None:
        super().__init__()
        self.box = boxes.DropBox("", "")
        self.installed_at_ms = 0
        self.removed_at_ms: int | None = None
        self.reconciled_at_ms: int | None = None
        self.fees = 0


def _on_box(facts: BoxFacts, event: boxes.BoxEvent, now: Now) -> None:
    if isinstance(event, boxes.BoxInstalled):
        facts.box, facts.installed_at_ms = boxes.start(event), now.at_ms
        return
    facts.box = boxes.evolve(facts.box, event)
    if isinstance(event, boxes.FeeDropped):
        facts.fees += 1
    elif isinstance(event, boxes.BoxRemoved):
        facts.removed_at_ms = now.at_ms
    elif isinstance(event, boxes.BoxReconciled):
        facts.reconciled_at_ms = now.at_ms


class MeterFacts(Facts):
    """`before` is what shown and reserve together were before the event at hand."""

    __slots__ = ("before", "meter", "reserve", "shown")

    def __init__(self) -> None:
        super().__init__()
        self.meter = ""
        self.before = 0
        self.shown = 0
        self.reserve = 0


def _on_meter(facts: MeterFacts, event: meters.MeterEvent, now: Now) -> None:
    if isinstance(event, meters.MeterSeeded):
        facts.meter = event.meter
    facts.before = facts.shown + facts.reserve
    facts.shown, facts.reserve = event.shown, event.reserve


class DisputeFacts(Facts):
    """`dispute` is there from its first event on; moments are those of the events that they are named for."""

    __slots__ = ("appealed_at_ms", "closed_at_ms", "decided_at_ms", "dispute", "opened_at_ms", "ruled_at_ms")

    def __init__(self) -> None:
        super().__init__()
        self.dispute: disputes.Dispute | None = None
        self.opened_at_ms = 0
        self.ruled_at_ms: int | None = None
        self.appealed_at_ms: int | None = None
        self.decided_at_ms: int | None = None
        self.closed_at_ms: int | None = None


def _on_dispute(facts: DisputeFacts, event: disputes.DisputeEvent, now: Now) -> None:
    if isinstance(event, disputes.DisputeOpened):
        facts.dispute, facts.opened_at_ms = disputes.start(event, now.by), now.at_ms
        return
    assert facts.dispute is not None
    facts.dispute = disputes.evolve(facts.dispute, event, now.by)
    match event:
        case disputes.DisputeRuled():
            facts.ruled_at_ms = now.at_ms
        case disputes.DisputeAppealed():
            facts.appealed_at_ms = now.at_ms
        case disputes.AppealRuled():
            facts.decided_at_ms = now.at_ms
        case disputes.DisputeClosed():
            facts.closed_at_ms = now.at_ms


class BettorFacts(Facts):
    __slots__ = ()


BOX = dict.fromkeys(boxes.BOX_TOPICS.values(), _on_box)
METER = dict.fromkeys(meters.METER_TOPICS.values(), _on_meter)
DISPUTE = dict.fromkeys(disputes.DISPUTE_TOPICS.values(), _on_dispute)


# ---- at hand, or from the store


FACTS_OF: dict[str, type[Facts]] = {
    "round": RoundFacts,
    "table": SessionFacts,
    "box": BoxFacts,
    "meter": MeterFacts,
    "bettor": BettorFacts,
    "dispute": DisputeFacts,
}


class Streams:
    """The aggregates whose next event may come; finished rounds are let go of and read again if need be."""

    def __init__(self, feed: Feed, gaming_days: GamingDays, *, cards: bool) -> None:
        self._feed = feed
        self._gaming_days = gaming_days
        self.known: dict[int, Facts] = {}
        self.remember: dict[type, Callable[[Any, Any, Now], None]] = {
            RoundOpened: self._round_opened,
            **MONEY,
            **(CARDS if cards else {}),
            **SESSION,
            **BOX,
            **METER,
            **DISPUTE,
        }

    def before(self, kind: type[Facts], originator: int, version: int) -> Facts:
        """An aggregate that is not at hand, as it was just before this version."""
        facts = kind() if version == 1 else self._read(kind, originator, version)
        self.known[originator] = facts
        return facts

    def _round_opened(self, facts: RoundFacts, event: RoundOpened, now: Now) -> None:
        facts.opened, facts.opened_at_ms = event, now.at_ms
        facts.round, facts.table = event.round or "", event.table or ""
        facts.belongs = self._gaming_days.of(now.at_ms)
        if event.bank_bettor is not None:
            facts.bettors[event.bank_bettor] = set() if event.bank_seat is None else {event.bank_seat}

    def _read(self, kind: type[Facts], originator: int, version: int) -> Facts:
        """From all earlier events; of a meter the first and the last tell everything."""
        facts = kind()
        since = version - 1 if kind is MeterFacts else 1
        for position, topic_id, state in self._feed.earlier(originator, version, since):
            entry: Entry[Any] = TOPICS.decoder(self._feed.topic(topic_id))(state)
            facts.late = facts.late or entry.late
            remember = self.remember.get(type(entry.event))
            if remember is not None:
                remember(facts, entry.event, Now(position, entry.by, entry.at_ms, entry.late))
        facts.version = version - 1
        return facts

"""The events of a round; amounts are cents.

Events cannot be part of cycles, so the garbage collector does not track them.

A topic is the permanent name of an event: it stays when the class moves, and a changed shape gets a new version and an
upcast, never an edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from msgspec.structs import astuple

from domain.cards import Cards as Cards
from domain.cards import Place as Place
from domain.event import Event

Outcome = Literal["win", "lose", "push", "surrender", "no_action"]

# Raised when the engine decides differently than before, or an audit gets a new check. A round stores the version it
# was opened under, so that a fixed bug is not taken for tampering.
ENGINE_VERSION = 2


class RoundOpenedV1(Event, frozen=True):
    """The shape of `round.opened.v1`, from before openings had an engine version; there was only one engine."""

    round: str | None
    table: str | None
    ruleset: str
    ruleset_hash: str
    terms: dict[str, Any]  # as a document states them, defaults filled in
    players: dict[int, str]
    bank_seat: int | None = None
    bank_bettor: str | None = None
    bank_wager: int | None = None
    declined: tuple[int, ...] = ()
    turn: int | None = None  # the player-dealer's first or second consecutive round, if the ledger knows
    deck: str | None = None  # the colour of the deck in play, if the ledger knows
    content: str | None = None  # a salted commitment to the document, which may name face-down cards
    dealer: str | None = None  # the dealer who was tapped in at the table, if the ledger knows

    def upcast(self) -> RoundOpened:
        return RoundOpened(*astuple(self))


class RoundOpened(RoundOpenedV1, frozen=True):
    """The round with a copy of everything that decides it, so that it can be replayed from its own events alone."""

    engine: int = 1  # the ENGINE_VERSION that opened it


class WagerPlaced(Event, frozen=True):
    seat: int
    spot: str
    bettor: str
    kind: str | None
    amount: int


class WagerWithdrawn(Event, frozen=True):
    """Part or all of a wager withdrawn before bets close; `left` is what stays on the spot."""

    seat: int
    spot: str
    bettor: str
    amount: int
    left: int


class BetsClosed(Event, frozen=True):
    action: int
    liability: int


class FeeTaken(Event, frozen=True):
    action: int
    amount: int
    schedule: int | str
    tier: int


class ProgressiveWagersTaken(Event, frozen=True):
    """The progressive wagers are collected before the cards; includes what the meter shows afterwards."""

    wagers: int
    shown: int
    reserve: int


class CardsDealt(Event, frozen=True):
    """One packet of the rule set's dealing; None is a card that nobody has seen, or one that the ledger has sealed.

    The first `face_down` cards are face down; `seals` are the commitments to them (domain.round.sealing)."""

    to: Place
    cards: Cards
    hand: int = 1
    face_down: int = 0
    seals: tuple[bytes, ...] = ()


class CardsTurned(Event, frozen=True):
    """Cards turned face up: a street, the dealer hand, or a seat's hand, with the salts of their seals."""

    of: Place
    cards: tuple[str, ...]
    salts: tuple[bytes, ...] = ()


class ButtonPlaced(Event, frozen=True):
    seat: int
    card: str


class Decision(Event, frozen=True):
    """`amount` is what the decision puts on the layout."""

    seat: int
    bettor: str
    choice: str
    times: int = 0
    amount: int = 0
    hand: int = 1


class DecisionMade(Decision, frozen=True):
    """The seated player decides for the hand."""


class DecisionFollowed(Decision, frozen=True):
    """A backline bettor or a tip follows the seat's decision, or folds."""


class InsurancePlaced(Event, frozen=True):
    seat: int
    bettor: str
    amount: int


class HoleCardPeeked(Event, frozen=True):
    pure: bool


class WagerEvent(Event, frozen=True):
    """Something about one wager of a settled round."""

    seat: int
    bettor: str
    hand: int
    spot: str


class LineSettled(WagerEvent, frozen=True):
    """The outcome of one wager, by which clause and why."""

    wager: int
    outcome: Outcome
    odds: str | None
    owed: int
    paid: int
    collected: int
    source: str  # "bank", "tray" or "meter"
    clause: str
    reason: str

    @property
    def returned(self) -> int:
        return self.wager - self.collected

    @property
    def shortfall(self) -> int:
        # the wager is collected whether it wins or loses, so it is not part of what was owed
        if self.spot == "progressive":
            return 0
        return self.owed - self.paid - self.collected


class MeterPaid(Event, frozen=True):
    """An award from the meter, and what it shows afterwards."""

    seat: int
    bettor: str
    percent: int
    amount: int
    shown: int
    reserve: int


class RoundSettled(Event, frozen=True):
    paid: int
    collected: int


class RoundVoided(Event, frozen=True):
    reason: str
    detail: str | None = None


class MeterRead(Event, frozen=True):
    """What a shared meter showed just before this round's awards."""

    shown: int
    reserve: int


class FeeWaived(Event, frozen=True):
    """`how` says whether the chips never went into the box or were refunded from the cage."""

    amount: int
    how: Literal["not dropped", "refunded"]
    reason: str


NoteKind = Literal["exposed card", "late bet", "irregularity", "other"]


class NoteMade(Event, frozen=True):
    """What the floor saw and the money does not show."""

    kind: NoteKind
    text: str
    seat: int | None = None


class RoundCorrected(Event, frozen=True):
    """A settled round corrected by two people; the entries follow, the lines stay as they were."""

    reason: str
    by: tuple[str, str]
    facts: dict[str, dict[str, Any]] | None = None  # misread facts by number
    meter_shown_by: int = 0  # by how much the right facts would have moved the progressive meter differently
    meter_reserve_by: int = 0


class CorrectionPosted(WagerEvent, frozen=True):
    """Cents to a bettor, negative if from them, and the account that pays or receives them."""

    amount: int
    account: str
    reason: str
    dispute: str | None = None  # the dispute whose ruling posted it


class PaymentReported(WagerEvent, frozen=True):
    """What the dealer says was paid and collected on one wager, to be compared with its line."""

    paid: int
    collected: int


class RoundDisputed(Event, frozen=True):
    """A claim on one of the round's wagers; the dispute has the rest."""

    dispute: str
    seat: int
    bettor: str
    hand: int
    spot: str


class HiddenCardContradicted(Event, frozen=True):
    """A request that only the value of a face-down card refused; which card is not recorded."""

    code: str  # of the refusal: "duplicate_card" or "wrong_cards"


class EntryTakenBack(Event, frozen=True):
    """The last entry of the play was a mistake: the round continues from before it. Both stay in the record."""

    entry: dict[str, Any]  # as a document states the action; a face-down card is null
    was: Cards  # if cards were turned over: as they were seen before
    reason: str
    confirmed_by: str | None = None  # the floor supervisor, if one person was not enough
    counts: bool = False  # it named cards, so it counts as an attempt at hidden ones


class PlaySupervised(Event, frozen=True):
    """What follows was posted by a floor supervisor together with a second person."""

    by: tuple[str, str]


RoundEvent = (
    RoundOpened
    | WagerPlaced
    | WagerWithdrawn
    | BetsClosed
    | FeeTaken
    | ProgressiveWagersTaken
    | CardsDealt
    | CardsTurned
    | ButtonPlaced
    | DecisionMade
    | DecisionFollowed
    | InsurancePlaced
    | HoleCardPeeked
    | LineSettled
    | MeterPaid
    | RoundSettled
    | RoundVoided
    | MeterRead
    | FeeWaived
    | NoteMade
    | RoundCorrected
    | CorrectionPosted
    | PaymentReported
    | RoundDisputed
    | HiddenCardContradicted
    | PlaySupervised
    | EntryTakenBack
)

# Added to a round outside its play: in any order, and without effect on when the play continued.
ANNOTATIONS: frozenset[type] = frozenset(
    {
        FeeWaived,
        NoteMade,
        RoundCorrected,
        CorrectionPosted,
        PaymentReported,
        RoundDisputed,
        HiddenCardContradicted,
        PlaySupervised,
    }
)

ROUND_TOPICS: dict[str, type[RoundEvent]] = {
    "round.opened.v2": RoundOpened,
    "round.wager_placed.v1": WagerPlaced,
    "round.wager_withdrawn.v1": WagerWithdrawn,
    "round.bets_closed.v1": BetsClosed,
    "round.fee_taken.v1": FeeTaken,
    "round.progressive_wagers_taken.v1": ProgressiveWagersTaken,
    "round.cards_dealt.v1": CardsDealt,
    "round.cards_turned.v1": CardsTurned,
    "round.button_placed.v1": ButtonPlaced,
    "round.decision_made.v1": DecisionMade,
    "round.decision_followed.v1": DecisionFollowed,
    "round.insurance_placed.v1": InsurancePlaced,
    "round.hole_card_peeked.v1": HoleCardPeeked,
    "round.line_settled.v1": LineSettled,
    "round.meter_paid.v1": MeterPaid,
    "round.settled.v1": RoundSettled,
    "round.voided.v1": RoundVoided,
    "round.meter_read.v1": MeterRead,
    "round.fee_waived.v1": FeeWaived,
    "round.note_made.v1": NoteMade,
    "round.corrected.v1": RoundCorrected,
    "round.correction_posted.v1": CorrectionPosted,
    "round.payment_reported.v1": PaymentReported,
    "round.disputed.v1": RoundDisputed,
    "round.hidden_card_contradicted.v1": HiddenCardContradicted,
    "round.play_supervised.v1": PlaySupervised,
    "round.entry_taken_back.v1": EntryTakenBack,
}

# No longer written, but readable for ever: the shape of the old rows, the topic that follows, and the conversion.
RETIRED_ROUND_TOPICS: dict[str, tuple[type[RoundOpenedV1], str, Callable[[RoundOpenedV1], RoundOpened]]] = {
    "round.opened.v1": (RoundOpenedV1, "round.opened.v2", RoundOpenedV1.upcast),
}

"""A stored round audited: what the rules of its day make of its facts, against all that was recorded of it.

Nothing here reads a store. Whoever does hands over the round's events in order, and the openings of its seals where he
may read them; without those, cards that were never turned over stay closed, and all else is checked just the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain import corrections, payments, sealing
from domain.errors import Refusal
from domain.events import (
    BESIDE_PLAY,
    CardsDealt,
    CardsTurned,
    CorrectionPosted,
    FeeTaken,
    FeeWaived,
    HiddenCardContradicted,
    MeterPaid,
    NoteMade,
    PaymentReported,
    Place,
    PlaySupervised,
    ProgressiveWagersTaken,
    RoundCorrected,
    RoundDisputed,
    RoundEvent,
    RoundOpened,
    RoundSettled,
    RoundVoided,
)
from domain.facts import actions_of
from domain.findings import Finding
from domain.hidden_cards import MOST_CONTRADICTIONS
from domain.money import money
from domain.retracing import UNPLAYABLE, Numbered, retrace
from domain.sealing import SealedUnit
from domain.state import Round, fold

BESIDE = frozenset(BESIDE_PLAY)
Sealed = Mapping[int, Sequence[SealedUnit]]  # by the index of the event that they lie beside, -1 for the opening
Claim = tuple[Any, ...]


def audit_round(opening: Round, events: Sequence[RoundEvent], sealed: Sealed | None = None) -> list[Numbered]:
    """Every difference, with the index of its event; `events` are all after the opening, in the order of versions."""
    if BESIDE.isdisjoint(map(type, events)):
        round_, found = retrace(opening, events)
    else:
        at_table = [at for at, event in enumerate(events) if type(event) not in BESIDE]
        round_, numbered = retrace(opening, [events[at] for at in at_table])
        found = [(at_table[at], finding) for at, finding in numbered]
        found += _as_far_as_it_goes(_beside(opening, events))
        found += _supervision(events)
    found += _opening(opening)
    found += _as_far_as_it_goes(_seals(round_, events, sealed))
    return [(at, _placed(opening.opened, finding)) for at, finding in found] if found else found


def _as_far_as_it_goes(found: Iterator[Numbered]) -> Iterator[Numbered]:
    try:
        yield from found
    except UNPLAYABLE:
        what = "What was recorded beside the play does not fit the events of the round, and was not checked further."
        yield -1, Finding("event_missing", what)


def _placed(opened: RoundOpened, finding: Finding) -> Finding:
    return replace(finding, round=opened.round, table=opened.table, ruleset=opened.ruleset)


def _opening(opening: Round) -> Iterator[Numbered]:
    rules, opened = opening.rules, opening.opened
    if rules.player_banked != (opening.bank is not None):
        bank = "a player-dealer" if rules.player_banked else "the house"
        yield (
            -1,
            Finding("opening", f"{rules.id} is banked by {bank}, and the round is not.", clause=rules.clause("bank")),
        )
    if opening.terms.document != opened.terms:
        what = "The terms of the round are not in the form in which the ledger stores them."
        yield -1, Finding("opening", what, expected=str(opening.terms.document), found=str(opened.terms))


# ---- cards and their seals


class _Seal(Struct, frozen=True, gc=False):
    """A commitment that waits for its cards: the event and its place there, and which cards of the reveal it covers."""

    at: int
    number: int
    commitment: bytes
    first: int
    size: int


def _seals(round_: Round, events: Sequence[RoundEvent], sealed: Sealed | None) -> Iterator[Numbered]:
    """What was turned over is what was sealed; what stayed closed is what lies sealed, and in no deck too often."""
    waiting: dict[Place, list[_Seal]] = {}
    dealt: dict[Place, int] = {}
    opened = 0
    for at, event in [(at, event) for at, event in enumerate(events) if type(event) in sealing.WITH_CARDS]:
        if type(event) is CardsDealt:
            to = event.to
            before = dealt.get(to, 0)
            dealt[to] = before + len(event.cards)
            if event.seals and to != "board":
                waiting.setdefault(to, []).append(_Seal(at, 0, event.seals[0], before, event.face_down))
            elif event.seals:
                units = sealing.covered(event, before, round_.rules.flop)
                for number, (seal, unit) in enumerate(zip(event.seals, units, strict=False)):
                    if seal:
                        seals = waiting.setdefault(unit.opened_by, [])
                        seals.append(_Seal(at, number, seal, unit.first, len(unit.cards)))
        elif type(event) is CardsTurned and event.of in waiting:
            seals = waiting.pop(event.of)
            opened += len(seals)
            if not _as_sealed(event, seals, sealed):
                yield from _not_as_sealed(at, event, seals, sealed)
    if sealed is None:
        return
    yield from _content(round_.opened, sealed)
    if waiting:
        opened += sum(map(len, waiting.values()))
        yield from _closed(round_, waiting, sealed)
    if sum(map(len, sealed.values())) > opened + (round_.opened.content is not None):
        yield -1, Finding("seal", "More lies sealed beside the round than was dealt face down in it.")


def _as_sealed(turned: CardsTurned, seals: Sequence[_Seal], sealed: Sealed | None) -> bool:
    """Whether a reveal opens its seals, and beside them lies what was turned over: so it is nearly always."""
    cards, salts = turned.cards, turned.salts
    if len(salts) != len(seals):
        return False
    for seal, salt in zip(seals, salts, strict=True):
        text = "".join(cards[seal.first : seal.first + seal.size])
        if sealing.commitment(text, salt) != seal.commitment:
            return False
        if sealed is not None and SealedUnit(seal.number, text, salt) not in sealed.get(seal.at, ()):
            return False
    return True


def _not_as_sealed(at: int, turned: CardsTurned, seals: Sequence[_Seal], sealed: Sealed | None) -> Iterator[Numbered]:
    if not _opens(turned, seals):
        shown = " ".join(turned.cards)
        what = f"The cards turned over ({shown}) are not those that were sealed when they were dealt."
        yield at, Finding("seal", what, seat=_seat(turned.of))
    elif sealed is not None:
        yield from _still_beside(turned, seals, sealed)


def _opens(turned: CardsTurned, seals: Sequence[_Seal]) -> bool:
    """Whether the salts and cards of a reveal open the seals; a card that no shoe had read was sealed as unread."""
    if len(turned.salts) != len(seals):
        return False
    for seal, salt in zip(seals, turned.salts, strict=True):
        read_or_not = product(*((card, "??") for card in turned.cards[seal.first : seal.first + seal.size]))
        if not any(sealing.commitment("".join(cards), salt) == seal.commitment for cards in read_or_not):
            return False
    return True


def _seat(place: Place) -> int | None:
    return place if isinstance(place, int) else None


GONE = "Cards were sealed here, and what opens the seal is gone."
OTHER = "What lies in the sealed cards does not open the seal of this event."


def _unit(seal: _Seal, sealed: Sealed) -> SealedUnit | None:
    return next((unit for unit in sealed.get(seal.at, ()) if unit.number == seal.number), None)


def _still_beside(turned: CardsTurned, seals: Sequence[_Seal], sealed: Sealed) -> Iterator[Numbered]:
    """What lies beside a seal that has been opened still opens it."""
    for seal, salt in zip(seals, turned.salts, strict=True):
        unit = _unit(seal, sealed)
        if unit is None:
            yield seal.at, Finding("seal", GONE, seat=_seat(turned.of))
        elif unit.salt != salt or sealing.commitment(unit.cards, salt) != seal.commitment:
            yield seal.at, Finding("seal", OTHER, seat=_seat(turned.of))


def _content(opened: RoundOpened, sealed: Sealed) -> Iterator[Numbered]:
    units = sealed.get(-1, ())
    if opened.content is not None and not units:
        yield -1, Finding("seal", "What was sealed of the round's document is gone.")
    elif opened.content is not None:
        unit = units[0]
        if unit.number or sealing.commitment(unit.cards, unit.salt).hex() != opened.content:
            yield -1, Finding("seal", "What the round says of its document is not what was sealed beside it.")


def _closed(round_: Round, waiting: Mapping[Place, Sequence[_Seal]], sealed: Sealed) -> Iterator[Numbered]:
    deck = dict(round_.deck)
    for place, seals in waiting.items():
        seat = _seat(place)
        for seal in seals:
            at, unit = seal.at, _unit(seal, sealed)
            if unit is None:
                yield at, Finding("seal", GONE, seat=seat)
                continue
            if sealing.commitment(unit.cards, unit.salt) != seal.commitment:
                yield at, Finding("seal", OTHER, seat=seat)
            for card in sealing.cards_of(unit.cards):
                if card is not None:
                    deck[card] = deck.get(card, 0) + 1
                    if deck[card] > round_.terms.decks:
                        what = "A card that stayed face down was dealt more often than the decks hold it."
                        yield at, Finding("card", what, seat=seat, clause=round_.rules.clause("deck"))


# ---- what was added beside the play


def _beside(opening: Round, events: Sequence[RoundEvent]) -> Iterator[Numbered]:
    """Waivers, notes and corrections decided again on the round as it was stored when they were made."""
    for at, event in enumerate(events):
        kind = type(event)
        if kind not in _BESIDE_KIND:
            continue
        try:
            before = fold(opening, events[:at])
        except UNPLAYABLE:
            continue  # the play itself cannot be followed, which has been said
        after = at + 1
        try:
            if isinstance(event, FeeWaived):
                decided: list[RoundEvent] = [corrections.waive_fee(before, event.how, event.reason)]
            elif isinstance(event, NoteMade):
                decided = [corrections.note(before, event.kind, event.text, event.seat)]
            elif isinstance(event, PaymentReported):
                decided = [*payments.dealer_paid(before, [event])]
            else:
                assert isinstance(event, RoundCorrected)
                while after < len(events) and type(events[after]) is CorrectionPosted:
                    after += 1
                decided = _corrected(opening, before, events[:at], event, events[at + 1 : after])
        except Refusal as refusal:
            what = f"{kind.__name__} is stored, but it could not be entered: {refusal.detail}"
            yield at, Finding(_BESIDE_KIND[kind], what, clause=refusal.clause)
            continue
        yield from _beside_differs(at, decided, events[at:after])


def _supervision(events: Sequence[RoundEvent]) -> Iterator[Numbered]:
    """After too many requests that contradicted hidden cards, two people went on with the round, or nobody did."""
    contradictions, by_two = 0, False
    for at, event in enumerate(events):
        if isinstance(event, HiddenCardContradicted):
            contradictions, by_two = contradictions + 1, False
        elif isinstance(event, PlaySupervised):
            by_two = event.by[0] != event.by[1]
        elif contradictions >= MOST_CONTRADICTIONS and not by_two and type(event) not in BESIDE:
            what = f"After {contradictions} contradictions of hidden cards the play went on without two people."
            yield at, Finding("refused", what)
            return


_BESIDE_KIND: Mapping[type, str] = {
    FeeWaived: "waiver",
    NoteMade: "note",
    RoundCorrected: "correction",
    PaymentReported: "payment",
}


def _corrected(
    opening: Round, before: Round, earlier: Sequence[RoundEvent], event: RoundCorrected, posted: Sequence[Any]
) -> list[RoundEvent]:
    if event.facts is None:
        entries = [
            corrections.Entry(entry.seat, entry.bettor, entry.spot, entry.amount, entry.account, entry.hand)
            for entry in posted
        ]
        dispute = posted[0].dispute if posted else None
        return corrections.correct(before, event.reason, event.by, entries, dispute=dispute)
    changes = {int(at): change for at, change in event.facts.items()}
    account = posted[0].account if posted else "bank"
    actions = list(actions_of(earlier))
    return corrections.correct_facts(before, opening, actions, changes, event.reason, event.by, account)


def _beside_differs(at: int, decided: Sequence[RoundEvent], stored: Sequence[RoundEvent]) -> Iterator[Numbered]:
    if list(decided) == list(stored):
        return
    kind = _BESIDE_KIND[type(stored[0])]
    if decided[0] != stored[0]:
        what = f"{type(stored[0]).__name__} is not what the round leads to."
        yield at, Finding(kind, what, expected=str(decided[0]), found=str(stored[0]))
    should = {_wager(entry): entry for entry in decided[1:] if isinstance(entry, CorrectionPosted)}
    posted = set()
    for offset, entry in enumerate(stored[1:], start=1):
        if isinstance(entry, CorrectionPosted):
            posted.add(_wager(entry))
            mine = decided[offset] if offset < len(decided) else None
            if not isinstance(mine, CorrectionPosted) or _wager(mine) != _wager(entry):
                mine = should.get(_wager(entry))
            if mine != entry:
                yield at + offset, _entry_differs(mine, entry)
    for wager, entry in should.items():
        if wager not in posted:
            what = f"{money(entry.amount)} on {entry.bettor}'s {entry.spot} at seat {entry.seat} was never posted."
            yield at, _of_entry("correction", what, entry, money(entry.amount), None)


def _entry_differs(decided: CorrectionPosted | None, stored: CorrectionPosted) -> Finding:
    if decided is not None and replace(decided, reason=stored.reason) == stored:
        what = (
            "The sentence of a correction is worded differently by this version of the program. "
            f'Stored: "{stored.reason}" Worded now: "{decided.reason}"'
        )
        return replace(_of_entry("wording", what, stored, decided.reason, stored.reason), severity="note")
    owed = 0 if decided is None else decided.amount
    what = (
        f"The correction of {stored.bettor}'s {stored.spot} at seat {stored.seat} comes to {money(owed)}; "
        f"posted is {money(stored.amount)} against {stored.account}."
    )
    return _of_entry("correction", what, stored, money(owed), money(stored.amount))


def _of_entry(kind: str, what: str, entry: CorrectionPosted, expected: str, found: str | None) -> Finding:
    return Finding(
        kind,
        what,
        seat=entry.seat,
        bettor=entry.bettor,
        hand=entry.hand,
        spot=entry.spot,
        expected=expected,
        found=found,
    )


def _wager(entry: CorrectionPosted) -> tuple[int, str, int, str]:
    return entry.seat, entry.bettor, entry.hand, entry.spot


# ---- what a round says of its table, box and meter

ENTRY = ("seat", "bettor", "hand", "spot", "amount", "account")


def claims_of(opening: Round, events: Sequence[RoundEvent]) -> Iterator[Claim]:
    """What must be found again in the events of table, box and meter, each once (`domain.floor_auditing`)."""
    opened = opening.opened
    yield "begun", opened.round, opened.bank_seat, opened.bank_bettor, opened.turn, opened.deck
    for event in events:
        if type(event) in CLAIMING:
            yield from _claims(opening, events, event)


CLAIMING = frozenset(
    {
        FeeTaken,
        RoundSettled,
        RoundVoided,
        FeeWaived,
        ProgressiveWagersTaken,
        RoundDisputed,
        CorrectionPosted,
        MeterPaid,
    }
)


def _claims(opening: Round, events: Sequence[RoundEvent], event: RoundEvent) -> Iterator[Claim]:
    name = opening.opened.round
    match event:
        case FeeTaken():
            yield "fee", name, event.amount, event.schedule, event.tier
        case RoundSettled():
            yield "ended", name, "settled"
        case RoundVoided():
            yield "ended", name, "void"
            yield from _given_back(opening, events)
        case FeeWaived(how="not dropped"):
            yield "not dropped", name, event.amount
        case ProgressiveWagersTaken():
            yield "contributed", name, event.shown, event.reserve
        case RoundDisputed():
            yield ("disputed", name, *(getattr(event, field) for field in event.__struct_fields__))
        case CorrectionPosted() if event.dispute is not None:
            yield ("ruled", event.dispute, *(getattr(event, field) for field in ENTRY))
        case MeterPaid():
            yield ("awarded", name, *(getattr(event, field) for field in event.__struct_fields__))


def _given_back(opening: Round, events: Sequence[RoundEvent]) -> Iterator[Claim]:
    meter = opening.terms.meter
    wagers = sum(event.wagers for event in events if type(event) is ProgressiveWagersTaken)
    if meter is not None and wagers:
        shares = wagers * meter.percent // 100, wagers * meter.reserve_percent // 100
        yield ("returned", opening.opened.round, *shares)

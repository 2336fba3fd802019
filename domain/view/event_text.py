"""Events in words, as a replay shows them."""

from __future__ import annotations

from msgspec import Struct

from domain.money import dollars
from domain.round.events import (
    BetsClosed,
    ButtonPlaced,
    CardsDealt,
    CardsTurned,
    CorrectionPosted,
    Decision,
    DecisionFollowed,
    EntryTakenBack,
    FeeTaken,
    FeeWaived,
    HiddenCardContradicted,
    HoleCardPeeked,
    InsurancePlaced,
    LineSettled,
    MeterPaid,
    MeterRead,
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
    WagerPlaced,
    WagerWithdrawn,
)

FACE_DOWN = "▮▮"


class EventText(Struct, frozen=True):
    """One event for a reader: what happened, where, the cards, the money it moved and the clause behind it."""

    what: str
    seat: int | None = None
    cards: tuple[str, ...] = ()
    amount: int | None = None
    clause: str | None = None


def describe(event: RoundEvent) -> EventText:
    match event:
        case RoundOpened():
            return _opened(event)
        case WagerPlaced(seat, spot, bettor, kind, amount):
            return EventText(f"{bettor} bets {_words(spot)}{f' ({kind})' if kind else ''}", seat, amount=amount)
        case WagerWithdrawn():
            return _withdrawn(event)
        case BetsClosed(action, _):
            return EventText("No more bets", amount=action)
        case FeeTaken(action, amount, schedule, tier):
            return EventText(
                f"Fee from the player-dealer: schedule {schedule}, tier {tier}, action {dollars(action)}", amount=amount
            )
        case ProgressiveWagersTaken(wagers, shown, _):
            return EventText(f"Progressive wagers taken; the meter shows {dollars(shown)}", amount=wagers)
        case CardsDealt():
            hand = f", hand {event.hand}" if event.hand > 1 else ""
            return EventText(f"Dealt to {_place(event.to)}{hand}", _seat(event.to), _faces(event.cards))
        case CardsTurned():
            return EventText(f"Turned over: {_place(event.of)}", _seat(event.of), event.cards)
        case ButtonPlaced(seat, card):
            return EventText(f"Action button at seat {seat}", seat, (card,))
        case Decision():
            return _decision(event)
        case InsurancePlaced(seat, bettor, amount):
            return EventText(f"{bettor} takes insurance", seat, amount=amount)
        case HoleCardPeeked(pure):
            return EventText(f"Hole card checked: {'a Pure 21.5' if pure else 'no Pure 21.5'}")
        case LineSettled():
            moved = event.paid - event.collected
            head = f"{event.bettor}, {_words(event.spot)} {dollars(event.wager)}: {_words(event.outcome)}"
            return EventText(f"{head}. {event.reason}", event.seat, amount=moved, clause=event.clause)
        case _:
            return _describe_other(event)


def _describe_other(event: RoundEvent) -> EventText:
    match event:
        case MeterRead(shown, _):
            return EventText(f"The meter shows {dollars(shown)}")
        case MeterPaid(seat, bettor, percent, amount, shown, _):
            return EventText(f"{percent}% off the meter to {bettor}; it shows {dollars(shown)}", seat, amount=amount)
        case RoundSettled(paid, collected):
            return EventText(f"Settled: paid {dollars(paid)}, collected {dollars(collected)}", amount=collected - paid)
        case RoundVoided(reason, detail):
            return EventText(f"Void: {reason}{f', {detail}' if detail else ''}")
        case FeeWaived(amount, how, reason):
            return EventText(f"Fee waived, {how}: {reason}", amount=amount)
        case NoteMade(kind, text, seat):
            return EventText(f"Note, {kind}: {text}", seat)
        case RoundCorrected(reason, by, _):
            return EventText(f"Corrected by {by[0]} and {by[1]}: {reason}")
        case CorrectionPosted():
            return EventText(event.reason, event.seat, amount=event.amount)
        case PaymentReported(seat, bettor, _, spot, paid, collected):
            moved = [f"paid {dollars(paid)}"] if paid else []
            moved += [f"collected {dollars(collected)}"] if collected else []
            what = f"The dealer reports for {bettor}, {_words(spot)}: {', '.join(moved) or 'nothing moved'}"
            return EventText(what, seat, amount=paid - collected)
        case RoundDisputed(dispute, seat, bettor, _, spot):
            return EventText(f"Disputed by {bettor}, {_words(spot)}: {dispute}", seat)
        case HiddenCardContradicted(code):
            return EventText(f"Refused: what was posted contradicts a card that is face down ({_words(code)})")
        case EntryTakenBack():
            return _taken_back(event)
        case PlaySupervised(by):
            return EventText(f"The play continues under {by[0]} and {by[1]}")
        case _:
            raise AssertionError(f"no words for {type(event).__name__}")


def _opened(event: RoundOpened) -> EventText:
    where = f" at table {event.table}" if event.table else ""
    deck = (f", {event.deck} deck" if event.deck else "") + (f", dealt by {event.dealer}" if event.dealer else "")
    if event.bank_bettor is None:
        return EventText(f"{event.ruleset}{where}, house bank{deck}")
    turn = f", round {event.turn} of their turn" if event.turn else ""
    bank = f"{event.bank_bettor} banks at seat {event.bank_seat}{turn}"
    return EventText(f"{event.ruleset}{where}: {bank}{deck}", event.bank_seat, amount=event.bank_wager)


def _taken_back(event: EntryTakenBack) -> EventText:
    entry = event.entry
    seat = next((entry[name] for name in ("seat", "to", "of") if isinstance(entry.get(name), int)), None)
    match entry["do"]:
        case "deal":
            what = f"the cards dealt to {_place(entry['to'])}"
        case "reveal":
            what = f"turning over {_place(entry['of'])}"
        case "peek":
            what = "what was said of the hole card"
        case _:
            what = f"{entry.get('bettor') or f'seat {seat}'}'s decision to {entry['choice']}"
    confirmed = "" if event.confirmed_by is None else f", confirmed by {event.confirmed_by}"
    cards = _faces(tuple(entry.get("cards", ())))
    return EventText(f"Taken back: {what}{confirmed}. {event.reason}", seat, cards)


def _withdrawn(event: WagerWithdrawn) -> EventText:
    spot = _words(event.spot)
    if event.left:
        what = f"{dollars(event.amount)} of the {spot} wager; {dollars(event.left)} stays"
    else:
        what = f"the whole {spot} wager"
    return EventText(f"{event.bettor} takes back {what}", event.seat, amount=event.amount)


def _decision(event: Decision) -> EventText:
    times = f" {event.times}x" if event.times and event.choice == "raise" else ""
    hand = f", hand {event.hand}" if event.hand > 1 else ""
    verb = "follows with" if isinstance(event, DecisionFollowed) else "chooses"
    return EventText(f"{event.bettor} {verb} {event.choice}{times}{hand}", event.seat, amount=event.amount or None)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _faces(cards: tuple[str | None, ...]) -> tuple[str, ...]:
    return tuple(card or FACE_DOWN for card in cards)


def _seat(place: Place) -> int | None:
    return place if isinstance(place, int) else None


def _place(place: Place) -> str:
    if isinstance(place, int):
        return f"seat {place}"
    return {"dealer": "the dealer hand", "turn_river": "turn and river"}.get(place, f"the {place}")

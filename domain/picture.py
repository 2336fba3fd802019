"""The table as it lay at one moment of a round: seats, chips on their spots, cards, buttons, the bank, the meter.

A plain document, like a result. It shows only cards that lie face up, so it may go wherever the round's events may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from domain.cards import whole
from domain.events import (
    BetsClosed,
    Cards,
    CardsDealt,
    CardsTurned,
    CorrectionPosted,
    DecisionFollowed,
    DecisionMade,
    FeeTaken,
    InsurancePlaced,
    LineSettled,
    NoteMade,
    PaymentReported,
    ProgressiveWagersTaken,
    RoundDisputed,
    RoundEvent,
    RoundSettled,
    WagerPlaced,
)
from domain.games.showdown import folded
from domain.making import name_at
from domain.money import money
from domain.rounds import expects
from domain.showing import face_up
from domain.state import Round

Wager = tuple[int, str, int, str]  # seat, bettor, hand, spot: what a settlement line is about
Settled = dict[Wager, list[LineSettled]]
OF_A_SEAT = (WagerPlaced, DecisionMade, DecisionFollowed, InsurancePlaced, LineSettled, CorrectionPosted)
OF_NO_SEAT = (BetsClosed, FeeTaken, ProgressiveWagersTaken, RoundSettled, NoteMade, PaymentReported, RoundDisputed)


def picture_of(round_: Round) -> dict[str, Any]:
    """The round as its events so far leave the table; money is text, a card face down is null."""
    acting, settled, corrected = _acting(round_), _settled(round_.lines), _corrected(round_)
    return {
        **_picture(round_),
        "seats": [_seat(round_, seat, acting, settled, corrected) for seat in _all_seats(round_)],
        "dealer": _dealer(round_),
        "board": list(face_up(round_, "board")),
        "bank": _bank(round_),
    }


def pictures_of(steps: Iterable[tuple[RoundEvent, Round]]) -> list[dict[str, Any]]:
    """A picture for each event, with the round as it is after it. Seats that an event does not touch are the very ones
    of the picture before, and so are the dealer hand, the board and the bank: most events touch one seat."""
    pictures: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    before: Round | None = None
    for event, round_ in steps:
        acting, corrected = _acting(round_), _corrected(round_)
        touched = _touched(event, round_) if seats else _all_seats(round_)
        settled = _settled(line for line in round_.lines if line.seat in touched)
        seats = [seat if seat["acting"] is (seat["seat"] in acting) else _turned_to(seat) for seat in seats]
        for seat in touched:
            seats[seat - 1 : seat] = [_seat(round_, seat, acting, settled, corrected)]
        picture = {**_picture(round_), "seats": seats}
        if before is not None and before.hands is round_.hands and before.turned is round_.turned:
            picture |= {"dealer": pictures[-1]["dealer"], "board": pictures[-1]["board"]}
        else:
            picture |= {"dealer": _dealer(round_), "board": list(face_up(round_, "board"))}
        same = before is not None and before.lines is round_.lines
        picture["bank"] = pictures[-1]["bank"] if same else _bank(round_)
        pictures.append(picture)
        before = round_
    return pictures


def _turned_to(seat: dict[str, Any]) -> dict[str, Any]:
    return {**seat, "acting": not seat["acting"]}


def _touched(event: RoundEvent, round_: Round) -> Iterable[int]:
    """The seats that may look otherwise after an event, but for whether it is their turn."""
    if isinstance(event, OF_A_SEAT):
        return (event.seat,)
    if isinstance(event, OF_NO_SEAT):
        return ()
    match event:
        case CardsDealt(int() as seat) | CardsTurned(int() as seat):
            return (seat,)
        case CardsDealt() | CardsTurned("dealer"):
            return ()
    return _all_seats(round_)


def _all_seats(round_: Round) -> range:
    return range(1, round_.rules.seats + 1)


def _picture(round_: Round) -> dict[str, Any]:
    """But for seats, cards and the bank, whose places are kept."""
    return {
        "status": round_.status,
        "seats": None,
        "dealer": None,
        "board": None,
        "button": round_.button,
        "bank": None,
        "fee": None if round_.fee is None else money(round_.fee.amount),
        "waived": None if round_.waived is None else round_.waived.how,
        "action": money(round_.action) if round_.seats is not None else None,
        "liability": money(round_.liability) if round_.seats is not None else None,
        "meter": _meter(round_),
    }


def _acting(round_: Round) -> frozenset[int]:
    """The seats that have a decision to make."""
    if round_.status != "open" or round_.seats is None or round_.lines:
        return frozenset()
    return frozenset(entry["seat"] for entry in expects(round_) if entry["do"] == "decide")


def _seat(
    round_: Round, seat: int, acting: frozenset[int], settled: dict[int, Settled], corrected: dict[Wager, int]
) -> dict[str, Any]:
    banks = round_.bank is not None and round_.bank.seat == seat
    bettors = round_.layout.get(seat, {})
    seated = round_.seated[seat]
    known = banks or seat in round_.opened.players or seated in bettors
    bank = round_.bank.bettor if banks and round_.bank is not None else None
    return {
        "seat": seat,
        "bettor": bank or (seated if known else None),
        "banks": banks,
        "button": round_.button == seat,
        "acting": seat in acting,
        "hands": list(_hands(round_, seat)),
        "piles": list(_piles(round_, seat, settled.get(seat, {}), corrected)),
    }


# ---- cards


def _hands(round_: Round, seat: int) -> Iterator[dict[str, Any]]:
    if round_.family == "p215":
        for number, hand in enumerate(round_.boxes.get(seat, ()), start=1):
            yield _hand(round_, seat, hand.cards, number, hand.end)
        return
    cards = face_up(round_, seat)
    if cards:
        yield _hand(round_, seat, cards, 1, "folded" if folded(round_, seat) else None)


def _dealer(round_: Round) -> dict[str, Any] | None:
    cards = face_up(round_, "dealer")
    return _hand(round_, "dealer", cards, 1, None) if cards else None


def _hand(round_: Round, place: int | str, cards: Cards, number: int, state: str | None) -> dict[str, Any]:
    made = None if whole(cards) is None else name_at(round_, place, number)
    return {"hand": number, "cards": list(cards), "made": made, "state": state}


# ---- chips


def _settled(lines: Iterable[LineSettled]) -> dict[int, Settled]:
    """The lines so far, by seat and wager."""
    seats: dict[int, Settled] = {}
    for line in lines:
        key = (line.seat, line.bettor, line.hand, line.spot)
        seats.setdefault(line.seat, {}).setdefault(key, []).append(line)
    return seats


def _corrected(round_: Round) -> dict[Wager, int]:
    corrected: dict[Wager, int] = {}
    for posted in round_.corrections:
        key = (posted.seat, posted.bettor, posted.hand, posted.spot)
        corrected[key] = corrected.get(key, 0) + posted.amount
    return corrected


def _piles(round_: Round, seat: int, lines: Settled, corrected: dict[Wager, int]) -> Iterator[dict[str, Any]]:
    """Every wager at a seat, and what became of it once its line is settled."""
    wagers = dict(_wagers(round_, seat))
    for key in lines:
        wagers.setdefault(key, 0)  # envy is paid without a wager
    for key, amount in wagers.items():
        _, bettor, hand, spot = key
        stakes = round_.layout.get(seat, {}).get(bettor)
        settled = lines.get(key)  # several for envy, one for each hand that causes it
        yield {
            "spot": spot,
            "bettor": bettor,
            "kind": None if stakes is None else stakes.kind,
            "hand": hand,
            "wager": money(amount),
            "outcome": settled[0].outcome if settled else None,
            "paid": money(sum(line.paid for line in settled)) if settled else None,
            "collected": money(sum(line.collected for line in settled)) if settled else None,
            "corrected": money(corrected[key]) if key in corrected else None,
        }


def on_layout(round_: Round) -> dict[int, int]:
    """What lies at each seat where anything does, in cents."""
    sums = {seat: sum(amount for _, amount in _wagers(round_, seat)) for seat in round_.layout}
    return sums | {line.seat: 0 for line in round_.lines if line.seat not in sums}


def _wagers(round_: Round, seat: int) -> Iterator[tuple[Wager, int]]:
    bettors = round_.layout.get(seat, {})
    box = round_.boxes.get(seat, ())
    for bettor, stakes in bettors.items():
        for spot, amount in stakes.spots.items():
            if spot != "game" or not box:
                yield (seat, bettor, 1, spot), amount
        times = round_.plays.get((seat, bettor), 0)
        if times:
            yield (seat, bettor, 1, "play"), stakes.spots["ante"] * times
        if (seat, bettor) in round_.insurance:
            yield (seat, bettor, 1, "insurance"), round_.insurance[seat, bettor]
    for number, hand in enumerate(box, start=1):
        for spot, on_hand in (("game", hand.stakes), ("double", hand.doubles)):
            for bettor, amount in on_hand.items():
                yield (seat, bettor, number, spot), amount


# ---- who pays


def _bank(round_: Round) -> dict[str, Any]:
    """`to_pay` and `to_collect`: what is left of the player-dealer's wager for each; one pool has one figure."""
    paid, collected = sum(line.paid for line in round_.lines), sum(line.collected for line in round_.lines)
    shown: dict[str, Any] = {"wager": None, "to_pay": None, "to_collect": None}
    bank = round_.bank
    if bank is not None:
        single = round_.terms.coverage == "single-pool"
        shown = {
            "wager": money(bank.wager),
            "to_pay": money(bank.wager - paid - (collected if single else 0)),
            "to_collect": money(bank.wager - collected - (paid if single else 0)),
        }
    return {
        "seat": None if bank is None else bank.seat,
        "bettor": None if bank is None else bank.bettor,
        "turn": round_.opened.turn,
        **shown,
        "paid": money(paid),
        "collected": money(collected),
        "shortfall": money(sum(line.shortfall for line in round_.lines)),
    }


def _meter(round_: Round) -> dict[str, str] | None:
    if round_.terms.meter is None:
        return None
    if round_.status == "void":
        return {"shown": money(round_.terms.meter.shown), "reserve": money(round_.terms.meter.reserve)}
    return {"shown": money(round_.meter_shown), "reserve": money(round_.meter_reserve)}

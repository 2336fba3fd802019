"""The table at one moment of a round: seats, chips on their spots, cards, buttons, the bank, the meter.

A plain document, like a result. It shows only face-up cards, so it may go wherever the round's events may."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from domain.cards import whole
from domain.money import money
from domain.round.dealing import face_up
from domain.round.decide import decisions
from domain.round.events import (
    BetsClosed,
    Cards,
    CardsDealt,
    CardsTurned,
    CorrectionPosted,
    DecisionFollowed,
    DecisionMade,
    FeeTaken,
    HiddenCardContradicted,
    InsurancePlaced,
    LineSettled,
    NoteMade,
    PaymentReported,
    PlaySupervised,
    ProgressiveWagersTaken,
    RoundDisputed,
    RoundEvent,
    RoundSettled,
    WagerPlaced,
    WagerWithdrawn,
)
from domain.round.state import Round
from domain.round.wagers import WagerKey, wager_key

OF_A_SEAT = (
    WagerPlaced,
    WagerWithdrawn,
    LineSettled,
    DecisionMade,
    DecisionFollowed,
    InsurancePlaced,
    CorrectionPosted,
)
OF_NO_SEAT = (
    BetsClosed,
    FeeTaken,
    ProgressiveWagersTaken,
    RoundSettled,
    NoteMade,
    PaymentReported,
    RoundDisputed,
    HiddenCardContradicted,
    PlaySupervised,
)


def table_view(round_: Round) -> dict[str, Any]:
    """Return the table after the round's events so far; money is text, a face-down card is null."""
    (picture,) = table_views([(round_.opened, round_)])
    return picture


def table_views(steps: Iterable[tuple[RoundEvent, Round]]) -> list[dict[str, Any]]:
    """Return a picture for each event and the round after it. Unchanged parts are shared with the previous picture
    (seats, their hands and piles, the dealer hand, the board, the bank), because most events change one seat."""
    pictures: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    before: Round | None = None
    acted: frozenset[int] = frozenset()
    for event, round_ in steps:
        acting = _acting(round_)
        touched = _touched(event, round_) if seats else _all_seats(round_)
        same_cards, same_chips = before and _same_cards(before, round_), before and _same_chips(before, round_)
        if acting != acted:
            seats = [seat if seat["acting"] is (seat["seat"] in acting) else _turned_to(seat) for seat in seats]
        elif touched:
            seats = seats.copy()
        for number in touched:
            seat = _seat(round_, number, acting)
            seat["hands"] = seats[number - 1]["hands"] if same_cards else list(_hands(round_, number))
            seat["piles"] = seats[number - 1]["piles"] if same_chips else list(_piles(round_, number))
            seats[number - 1 : number] = [seat]
        picture = _picture(round_)
        picture["seats"] = seats
        if before and _same_board(before, round_):
            picture["dealer"], picture["board"] = pictures[-1]["dealer"], pictures[-1]["board"]
        else:
            picture["dealer"], picture["board"] = _dealer(round_), list(face_up(round_, "board"))
        picture["bank"] = pictures[-1]["bank"] if before and before.lines is round_.lines else _bank(round_)
        pictures.append(picture)
        before, acted = round_, acting
    return pictures


def _same_cards(before: Round, after: Round) -> bool:
    """Return whether an event left the hands of all seats unchanged: both rounds then share them."""
    return before.hands is after.hands and before.turned is after.turned and before.game_state is after.game_state


def _same_chips(before: Round, after: Round) -> bool:
    return (
        before.layout is after.layout
        and before.lines is after.lines
        and before.game_state is after.game_state
        and before.corrections is after.corrections
    )


def _same_board(before: Round, after: Round) -> bool:
    """Return whether board and dealer hand are unchanged."""
    was, now = before.hands, after.hands
    return (
        before.turned is after.turned
        and was.get("board") is now.get("board")
        and was.get("dealer") is now.get("dealer")
    )


def _turned_to(seat: dict[str, Any]) -> dict[str, Any]:
    return {**seat, "acting": not seat["acting"]}


def _touched(event: RoundEvent, round_: Round) -> Iterable[int]:
    """Return the seats that may look different after an event, except for whose turn it is."""
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
    """Return the picture without seats, cards and bank, whose places are kept."""
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
    """Return the seats that have a decision to make."""
    return frozenset() if round_.lines else frozenset([entry["seat"] for entry in decisions(round_)])


def _seat(round_: Round, seat: int, acting: frozenset[int]) -> dict[str, Any]:
    """Return the seat without its hands and piles, whose places are kept."""
    banks = round_.bank is not None and round_.bank.seat == seat
    seated = round_.seated[seat]
    known = banks or seat in round_.opened.players or seated in round_.layout.get(seat, {})
    bank = round_.bank.bettor if banks and round_.bank is not None else None
    return {
        "seat": seat,
        "bettor": bank or (seated if known else None),
        "banks": banks,
        "button": round_.button == seat,
        "acting": seat in acting,
        "hands": None,
        "piles": None,
    }


# ---- cards


def _hands(round_: Round, seat: int) -> Iterator[dict[str, Any]]:
    for number, hand in enumerate(round_.game.hands(round_, seat), start=1):
        yield _hand(round_, seat, hand.cards, number, hand.state)


def _dealer(round_: Round) -> dict[str, Any] | None:
    cards = face_up(round_, "dealer")
    return _hand(round_, "dealer", cards, 1, None) if cards else None


def _hand(round_: Round, place: int | str, cards: Cards, number: int, state: str | None) -> dict[str, Any]:
    made = None if whole(cards) is None else round_.game.name_at(round_, place, number)
    return {"hand": number, "cards": list(cards), "made": made, "state": state}


# ---- chips


def _piles(round_: Round, seat: int) -> Iterator[dict[str, Any]]:
    """Return every wager at a seat, and its outcome once settled."""
    wagers = {wager_key(wager): wager.amount for wager in round_.game.wagers(round_, seat)}
    settled: dict[WagerKey, list[LineSettled]] = {}
    for line in round_.lines:
        if line.seat == seat:
            key = wager_key(line)
            settled.setdefault(key, []).append(line)  # several for envy, one for each hand that causes it
            wagers.setdefault(key, 0)  # envy is paid without a wager
    corrected: dict[WagerKey, int] = {}
    for posted in round_.corrections:
        key = wager_key(posted)
        corrected[key] = corrected.get(key, 0) + posted.amount
    bettors = round_.layout.get(seat, {})
    for key, amount in wagers.items():
        _, bettor, hand, spot = key
        lines = settled.get(key)
        yield {
            "spot": spot,
            "bettor": bettor,
            "kind": bettors[bettor].kind if bettor in bettors else None,
            "hand": hand,
            "wager": money(amount),
            "outcome": lines[0].outcome if lines else None,
            "paid": money(sum([line.paid for line in lines])) if lines else None,
            "collected": money(sum([line.collected for line in lines])) if lines else None,
            "corrected": money(corrected[key]) if key in corrected else None,
        }


def on_layout(round_: Round) -> dict[int, int]:
    """Return what is wagered at each seat with wagers, in cents."""
    sums = {seat: sum(wager.amount for wager in round_.game.wagers(round_, seat)) for seat in round_.layout}
    return sums | {line.seat: 0 for line in round_.lines if line.seat not in sums}


# ---- who pays


def _bank(round_: Round) -> dict[str, Any]:
    """`to_pay` and `to_collect` are what is left of the player-dealer's wager for each; one pool has one figure."""
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

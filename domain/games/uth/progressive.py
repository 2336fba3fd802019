"""The progressive wager of South Dakota's Ultimate Texas Hold'em: prizes from the meter or the tray, and envy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from domain.cards import whole
from domain.hands.poker import PokerHand, best_of
from domain.money import dollars
from domain.round.events import MeterPaid, RoundEvent
from domain.round.settlement import DROPPED, UNSEEN, Verdict
from domain.round.state import Round, Stakes, Wager
from domain.rules.ruleset import Award, ProgressiveTable


class Prize(Struct, frozen=True):
    award: Award
    amount: int
    exact: bool  # false if a fraction of a cent was dropped
    story: str


class Awards(Struct, frozen=True):
    """What the progressive table pays in a round, computed before any line is written."""

    prizes: Mapping[int, Prize] = {}
    losses: Mapping[int, str] = {}  # why a seat's progressive wager is not paid
    causes: Mapping[int, Award] = {}  # seats whose hand pays envy to the others
    events: tuple[RoundEvent, ...] = ()

    def verdict(self, wager: Wager) -> Verdict:
        """Return the verdict. The wager was collected before the cards and is never returned, win or lose."""
        prize = self.prizes.get(wager.seat)
        if prize is None:
            story = self.losses.get(wager.seat)
            point = "progressive.unseen" if story is None else "progressive.lose"
            story = UNSEEN if story is None else story
            reason = f"{story}: the progressive wager of {dollars(wager.amount)} is lost."
            return Verdict(wager, outcome="lose", owed=wager.amount, point=point, story=story, reason=reason)
        award = prize.award
        if award.percent is not None:
            how, point, source = f"{award.percent}% of the meter", "progressive.percent", "meter"
        else:
            how, point, source = f"{award.times:,} for 1", "progressive.pays", "tray"
        dropped = "" if prize.exact else f" {DROPPED}"
        reason = (
            f"{prize.story}: the progressive pays {how}, {dollars(prize.amount)}{dropped}; the wager itself stays in."
        )
        return Verdict(
            wager,
            outcome="win",
            owed=prize.amount,
            point=point,
            story=prize.story,
            reason=reason,
            odds=str(award),
            source=source,
        )

    def envy(self, seat: int, bettor: str, stakes: Stakes) -> Iterator[Verdict]:
        """Return what each other seat with a progressive wager is paid, once for each hand that causes it."""
        if "progressive" in stakes.spots:
            for cause, award in sorted(self.causes.items()):
                if cause != seat and award.envy is not None:
                    story = f"Seat {cause} made a {award.hand}"
                    reason = f"{story}: your progressive wager earns envy of {dollars(award.envy)}."
                    wager = Wager(seat=seat, bettor=bettor, hand=1, spot="envy", amount=0)
                    yield Verdict(wager, outcome="win", owed=award.envy, point="envy", story=story, reason=reason)


NO_AWARDS = Awards()


def awards(round_: Round) -> Awards:
    """Return the awards. Meter awards are taken from the highest seat down, each from what the meter then shows."""
    table, meter = round_.terms.progressive, round_.terms.meter
    if table is None or meter is None:
        return NO_AWARDS
    shown, reserve = round_.meter_shown, round_.meter_reserve
    prizes: dict[int, Prize] = {}
    losses: dict[int, str] = {}
    events: list[RoundEvent] = []
    for seat in reversed(round_.seats or ()):
        bettor = round_.seated[seat]
        stake = round_.layout[seat][bettor].spots.get("progressive") if bettor in round_.layout[seat] else None
        hand = None if stake is None else _read(round_, table, seat)
        if stake is None or hand is None:
            continue
        award = hand.award
        if award is None:
            losses[seat] = hand.story
            continue
        amount, exact = stake * (award.times or 0), True
        if award.percent is not None:
            amount, exact = shown * award.percent // 100, shown * award.percent % 100 == 0
            shown -= amount
            if award.percent == 100:
                shown, reserve = meter.seed + reserve, 0
            paid = MeterPaid(
                seat=seat, bettor=bettor, percent=award.percent, amount=amount, shown=shown, reserve=reserve
            )
            events.append(paid)
        prizes[seat] = Prize(award=award, amount=amount, exact=exact, story=hand.story)
    return Awards(prizes=prizes, losses=losses, causes=_envy_causes(round_), events=tuple(events))


def _envy_causes(round_: Round) -> dict[int, Award]:
    """Return hands that pay envy, with or without a progressive wager of their own."""
    table = round_.terms.progressive
    if table is None or not any(award.envy for award in table.awards):
        return {}
    if not any("progressive" in stakes.spots for seat in round_.layout.values() for stakes in seat.values()):
        return {}
    causes = {}
    for seat in round_.seats or ():
        hand = _read(round_, table, seat)
        if hand is not None and hand.award is not None and hand.award.envy:
            causes[seat] = hand.award
    return causes


class _Read(Struct, frozen=True):
    """A hand as the progressive table reads it; no award if it pays nothing."""

    award: Award | None
    story: str


BOARD_ROYAL, FIRST_FIVE_ROYAL = "royal flush on the board", "royal flush in the first five"
_ROYALS = {
    BOARD_ROYAL: "The five cards of the board are a royal flush",
    FIRST_FIVE_ROYAL: "Your two cards and the flop make a royal flush",
}


def _read(round_: Round, table: ProgressiveTable, seat: int) -> _Read | None:
    """Return the best line of the table that a hand reaches; None while any card of it is unseen."""
    hole, board = whole(round_.hands[seat]), whole(round_.hands["board"])
    if hole is None or board is None:
        return None
    first_five, seven = best_of(hole + board[: round_.rules.flop]), best_of(hole + board)
    if table.reads == "first five":
        names = [first_five.name]
    else:
        names = [BOARD_ROYAL] if best_of(board).name == "royal flush" else []
        names += [FIRST_FIVE_ROYAL] if first_five.name == "royal flush" else []
        names.append(seven.name)
    award = next((award for award in table.awards if award.hand in names), None)
    return _Read(award, _story(table, award, first_five, seven))


def _story(table: ProgressiveTable, award: Award | None, first_five: PokerHand, seven: PokerHand) -> str:
    hands = [line.hand for line in table.awards]
    if award is not None and award.hand in _ROYALS:
        return _ROYALS[award.hand]
    if table.reads == "first five":
        story, later = f"Your two cards and the flop make {first_five.text}", seven.name in hands
        unpaid = f"; the later cards, with which you have {seven.text}, do not count" if later else ""
    else:
        story, unpaid = f"You made {seven.text}", ""
        if award is not None and award.hand == "royal flush" and FIRST_FIVE_ROYAL in hands:
            story = f"{story}, though not with your two cards and the flop alone"
    return story if award is not None else f"{story}, which the progressive does not pay{unpaid}"

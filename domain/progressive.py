"""The progressive wager of South Dakota's Ultimate Texas Hold'em: prizes off the meter or from the tray, and envy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from domain.cards import whole
from domain.events import MeterPaid, RoundEvent
from domain.money import dollars
from domain.poker import PokerHand, best_of
from domain.ruleset import Award, ProgressiveTable
from domain.settlement import Verdict
from domain.state import Round, Stakes


class Prize(Struct, frozen=True):
    award: Award
    amount: int
    hand: str


class Awards(Struct, frozen=True):
    """What the progressive table pays in a round, worked out before any line is written."""

    prizes: Mapping[int, Prize] = {}
    causes: Mapping[int, Award] = {}  # seats whose hand pays envy to the others
    unseen: frozenset[int] = frozenset()
    events: tuple[RoundEvent, ...] = ()

    def verdict(self, seat: int, bettor: str, stake: int) -> Verdict:
        """The wager itself went in before the cards and never comes back, win or lose."""
        prize = self.prizes.get(seat)
        if prize is None:
            point, why = "progressive.lose", "The hand is not on the progressive table"
            if seat in self.unseen:
                point, why = "progressive.unseen", "The hand was folded and never turned over"
            reason = f"{why}: the progressive wager of {dollars(stake)} is lost."
            return Verdict(seat, bettor, 1, "progressive", stake, "lose", None, stake, point, reason, "tray")
        award = prize.award
        if award.percent is not None:
            how, point, source = f"{award.percent}% of the meter", "progressive.percent", "meter"
        else:
            how, point, source = f"{award.times:,} for 1", "progressive.pays", "tray"
        reason = (
            f"You made {prize.hand}: the progressive pays {how}, {dollars(prize.amount)}; the wager itself stays in."
        )
        return Verdict(seat, bettor, 1, "progressive", stake, "win", str(award), prize.amount, point, reason, source)

    def envy(self, seat: int, bettor: str, stakes: Stakes) -> Iterator[Verdict]:
        """Paid to each other seat with a progressive wager, once for each hand that causes it."""
        if "progressive" in stakes.spots:
            for cause, award in sorted(self.causes.items()):
                if cause != seat and award.envy is not None:
                    reason = (
                        f"Seat {cause} made a {award.hand}: your progressive wager earns envy of {dollars(award.envy)}."
                    )
                    yield Verdict(seat, bettor, 1, "envy", 0, "win", None, award.envy, "envy", reason, "tray")


NO_AWARDS = Awards()


def awards(round_: Round) -> Awards:
    """Meter awards are taken from the highest seat down, each of what the meter shows at that moment."""
    table, meter = round_.terms.progressive, round_.terms.meter
    if table is None or meter is None:
        return NO_AWARDS
    shown, reserve = round_.meter_shown, round_.meter_reserve
    prizes: dict[int, Prize] = {}
    events: list[RoundEvent] = []
    for seat in reversed(round_.seats or ()):
        bettor = round_.seated[seat]
        stake = round_.layout[seat][bettor].spots.get("progressive") if bettor in round_.layout[seat] else None
        found = None if stake is None else _award(round_, table, seat)
        if stake is None or found is None:
            continue
        award, hand = found
        amount = stake * (award.times or 0)
        if award.percent is not None:
            amount = shown * award.percent // 100
            shown -= amount
            if award.percent == 100:
                shown, reserve = meter.seed + reserve, 0
            events.append(MeterPaid(seat, bettor, award.percent, amount, shown, reserve))
        prizes[seat] = Prize(award, amount, hand.text)
    unseen = frozenset(seat for seat in round_.seats or () if None in round_.hands[seat])
    return Awards(prizes, envy_causes(round_), unseen, tuple(events))


def envy_causes(round_: Round) -> dict[int, Award]:
    """Hands that pay envy, whether or not they had a progressive wager themselves."""
    table = round_.terms.progressive
    if table is None or not any(award.envy for award in table.awards):
        return {}
    if not any("progressive" in stakes.spots for seat in round_.layout.values() for stakes in seat.values()):
        return {}
    causes = {}
    for seat in round_.seats or ():
        found = _award(round_, table, seat)
        if found is not None and found[0].envy:
            causes[seat] = found[0]
    return causes


def _award(round_: Round, table: ProgressiveTable, seat: int) -> tuple[Award, PokerHand] | None:
    """The best line of the table that a wholly seen hand reaches."""
    hole, board = whole(round_.hands[seat]), whole(round_.hands["board"])
    if hole is None or board is None:
        return None
    names = []
    first_five = best_of(hole + board[: round_.rules.flop])
    if table.reads == "first five":
        hand = first_five
    else:
        hand = best_of(hole + board)
        if best_of(board).name == "royal flush":
            names.append("royal flush on the board")
        if first_five.name == "royal flush":
            names.append("royal flush in the first five")
    names.append(hand.name)
    for award in table.awards:
        if award.hand in names:
            return award, hand
    return None

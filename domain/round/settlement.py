"""Settlement: the verdicts of a game, in its order of action, become lines as far as the bank covers them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import needed
from domain.money import dollars
from domain.round.dealing import clockwise
from domain.round.events import LineSettled, Outcome
from domain.round.state import Round, Stakes, Wager
from domain.rules.ruleset import Odds

UNSEEN = "The hand was folded and never turned over"
DROPPED = "(a fraction of a cent is dropped)"
WOULD_HAVE_WON = "it would have won "  # in the sentence of a wager that had no action


class Verdict(Struct, gc=False):
    """What the rules say of one wager, before coverage is considered.

    `story` is what happened to the hand, `reason` the same with what it means for the wager."""

    wager: Wager
    outcome: Outcome
    owed: int
    point: str
    story: str
    reason: str
    odds: str | None = None
    source: str = "tray"


def won(wager: Wager, odds: Odds, point: str, story: str) -> Verdict:
    stake = wager.amount
    owed = odds.of(stake)
    dropped = f" {DROPPED}" if stake * odds.to % odds.per else ""
    text = f"{story}: {wager.spot.replace('_', ' ')} pays {odds.words}, {dollars(owed)} on {dollars(stake)}{dropped}."
    return Verdict(wager, outcome="win", owed=owed, point=point, story=story, reason=text, odds=str(odds))


def lost(wager: Wager, point: str, story: str) -> Verdict:
    text = f"{story}: the {dollars(wager.amount)} {wager.spot.replace('_', ' ')} wager is lost."
    return Verdict(wager, outcome="lose", owed=wager.amount, point=point, story=story, reason=text)


def pushed(wager: Wager, point: str, story: str, how: str = "pushes") -> Verdict:
    text = f"{story}: the {dollars(wager.amount)} {wager.spot.replace('_', ' ')} wager {how}."
    return Verdict(wager, outcome="push", owed=0, point=point, story=story, reason=text)


def paid_by_table(wager: Wager, odds: Odds | None, story: str, lowest: str) -> Verdict:
    """Return a verdict by a pay table: won at its odds, or lost if it has no line for the hand; `lowest` is its last
    line."""
    spot = wager.spot
    if odds is None:
        return lost(wager, f"{spot}.lose", f"{story}, and {spot.replace('_', ' ')} is paid from {lowest} up")
    return won(wager, odds, f"{spot}.win", story)


def seats_in_order(round_: Round) -> tuple[int, ...]:
    """Return the seats with wagers in the order in which they get action."""
    seats = round_.seats or ()
    match round_.rules.settlement.seats:
        case "player-dealer-left":
            return clockwise(seats, needed(round_.bank).seat)
        case "action-button":
            return clockwise(seats, needed(round_.button) - 1)
        case "highest-first":
            return seats[::-1]
        case "lowest-first":
            return seats


def bettors_in_order(round_: Round, seat: int) -> list[tuple[str, Stakes]]:
    """Return the seated player first, then the others by their first bet at this seat."""
    bettors = list(round_.layout[seat].items())
    if len(bettors) > 1:
        seated = round_.seated[seat]
        bettors.sort(key=lambda bettor: bettor[0] != seated)  # stable: the others keep their order
    return bettors


def lines_of(round_: Round, verdicts: Iterable[Verdict]) -> list[LineSettled]:
    if round_.bank is not None:
        return _covered(round_, round_.bank.wager, verdicts)
    lines = [_line(round_, verdict, verdict.owed, verdict.source, verdict.reason) for verdict in verdicts]
    limit = round_.rules.table_aggregate
    if limit is not None and sum(line.paid for line in lines) > limit:
        return _scaled(round_, limit, lines)
    return lines


def _line(round_: Round, verdict: Verdict, amount: int, source: str, reason: str) -> LineSettled:
    """Return the line of a verdict of which `amount` is paid or collected."""
    wager, wins = verdict.wager, verdict.outcome == "win"
    collected = 0 if wins else amount
    if wager.spot == "progressive":
        collected = wager.amount
    return LineSettled(
        seat=wager.seat,
        bettor=wager.bettor,
        hand=wager.hand,
        spot=wager.spot,
        wager=wager.amount,
        outcome=verdict.outcome,
        odds=verdict.odds,
        owed=verdict.owed,
        paid=amount if wins else 0,
        collected=collected,
        source=source,
        clause=round_.rules.points[verdict.point],
        reason=reason,
    )


def _covered(round_: Round, wager: int, verdicts: Iterable[Verdict]) -> list[LineSettled]:
    """Settle in one pass in the order of action; the bank's wager is used up by what it pays and collects.

    Under `single-pool` one amount serves both; under `separate-limits` payouts and collections each have their own."""
    single_pool = round_.terms.coverage == "single-pool"
    to_pay = to_collect = wager
    lines: list[LineSettled] = []
    for verdict in verdicts:
        outcome = verdict.outcome
        left = to_pay if outcome == "win" else to_collect if outcome != "push" else max(to_pay, to_collect)
        if left == 0:
            lines.append(_no_action(round_, verdict, wager, single_pool))
            continue
        amount, reason = verdict.owed, verdict.reason
        if amount > left:
            amount = left
            reason = f"{reason} {_cut_short(verdict, amount, single_pool)}"
        lines.append(_line(round_, verdict, amount, "bank", reason))
        if single_pool or outcome == "win":
            to_pay -= amount
        if single_pool or outcome != "win":
            to_collect -= amount
    return lines


def _cut_short(verdict: Verdict, amount: int, single_pool: bool) -> str:
    wins = verdict.outcome == "win"
    for_what = "for it" if single_pool else "to pay with" if wins else "to collect by"
    left = f"Only {dollars(amount)} of the player-dealer's wager was left {for_what}"
    if wins:
        return f"{left}, so {dollars(amount)} is paid and {dollars(verdict.owed - amount)} is not covered."
    return f"{left}, so {dollars(amount)} is collected and {dollars(verdict.wager.amount - amount)} goes back."


def _no_action(round_: Round, verdict: Verdict, wager: int, single_pool: bool) -> LineSettled:
    used_up = f"The player-dealer's wager of {dollars(wager)} was used up"
    if not single_pool:
        moved = {"win": "paid out", "push": "paid out and collected"}.get(verdict.outcome, "collected")
        used_up = f"The player-dealer had already {moved} as much as the wager of {dollars(wager)}"
    back = f"before it came to this wager, so it has no action and {dollars(verdict.wager.amount)} goes back"
    story = verdict.story[0].lower() + verdict.story[1:]
    reason = f"{used_up} {back}. Had it been covered, it would have {_would_have(verdict)}, because {story}."
    line = _line(round_, verdict, 0, "bank", reason)
    return replace(line, outcome="no_action", odds=None, clause=round_.rules.clause("coverage"))


def by_the_rules(line: LineSettled) -> int:
    """Return what the bank wins on a wager by its verdict, negative if it loses, whether or not it was covered."""
    if line.outcome == "win" or (line.outcome == "no_action" and WOULD_HAVE_WON in line.reason):
        return -line.owed
    return line.owed


def _would_have(verdict: Verdict) -> str:
    match verdict.outcome:
        case "win":
            return f"won {dollars(verdict.owed)}"
        case "push":
            return "pushed"
        case _:
            return f"lost {dollars(verdict.owed)}"


def _scaled(round_: Round, limit: int, lines: list[LineSettled]) -> list[LineSettled]:
    """Reduce payouts in proportion to the table aggregate; odd cents go to the largest remainders."""
    total = sum(line.owed for line in lines if line.outcome == "win")
    winners = [at for at, line in enumerate(lines) if line.outcome == "win"]
    paid = {at: lines[at].owed * limit // total for at in winners}
    by_remainder = sorted(winners, key=lambda at: (-(lines[at].owed * limit % total), at))
    for at in by_remainder[: limit - sum(paid.values())]:
        paid[at] += 1
    scaled = list(lines)
    for at, amount in paid.items():
        line = lines[at]
        reason = (
            f"{line.reason} The winners of this round were owed a total of {dollars(total)}; the table pays at most"
            f" {dollars(limit)}, so this payout is reduced in proportion to {dollars(amount)}."
        )
        scaled[at] = replace(line, paid=amount, collected=0, clause=round_.rules.clause("aggregate"), reason=reason)
    return scaled

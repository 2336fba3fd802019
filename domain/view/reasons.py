"""Why something happened in a round: the clause behind it, a sentence, and the hands that decided it.

`domain.view.event_text` says what happened. Settlement lines have their own reason; for everything else the rule set
names the clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from domain.hands.made_hands import MadeHand
from domain.money import dollars
from domain.round.events import (
    BetsClosed,
    ButtonPlaced,
    CardsDealt,
    CardsTurned,
    Decision,
    DecisionFollowed,
    FeeTaken,
    FeeWaived,
    HoleCardPeeked,
    InsurancePlaced,
    LineSettled,
    MeterPaid,
    ProgressiveWagersTaken,
    RoundEvent,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
    WagerWithdrawn,
)
from domain.round.state import Round
from domain.rules.ruleset import Schedule


class Why(Struct, frozen=True):
    """`says` is the clause in the rule set's words; `decided` distinguishes a decision of ours from the source's
    text."""

    clause: str | None = None
    says: str | None = None
    decided: bool = False
    sentence: str | None = None
    made: tuple[MadeHand, ...] = ()


def why(after: Round, event: RoundEvent) -> Why:
    """Return why an event happened; `after` is the round after it."""
    match event:
        case LineSettled():
            decided_by = [made for made in after.game.decided_by(after, event) if made is not None]
            return _under(after, event.clause, event.reason, decided_by)
        case CardsTurned():
            return _turned(after, event)
        case Decision():
            return _under(after, _choice_clause(after, event))
        case FeeTaken():
            return _fee(after, event)
        case _:
            return _asked(after, event)


def _under(round_: Round, clause: str | None, sentence: str | None = None, made: Sequence[MadeHand] = ()) -> Why:
    found = None if clause is None else round_.rules.clauses.get(clause)
    if found is None:
        return Why(clause, sentence=sentence, made=tuple(made))
    return Why(clause=clause, says=found.says, decided=found.decided is not None, sentence=sentence, made=tuple(made))


# The point that the rule set answers.
_POINTS: Mapping[type[RoundEvent], str] = {
    RoundOpened: "bank",
    WagerPlaced: "required_wagers",
    WagerWithdrawn: "withdraw",
    BetsClosed: "no_more_bets",
    ProgressiveWagersTaken: "meter",
    CardsDealt: "deal_order",
    ButtonPlaced: "button",
    InsurancePlaced: "insurance",
    HoleCardPeeked: "peek",
    MeterPaid: "progressive.percent",
    RoundSettled: "settlement_order",
    RoundVoided: "void",
    FeeWaived: "void",
}


def _asked(after: Round, event: RoundEvent) -> Why:
    point = _POINTS.get(type(event), "")
    if isinstance(event, CardsDealt) and event.to == "dealer" and "dealer" in after.turned:
        point = "dealer_draws"
    return _under(after, after.rules.points.get(point), _beyond_the_clause(after, event))


def _beyond_the_clause(after: Round, event: RoundEvent) -> str | None:
    match event:
        case BetsClosed(action, liability):
            return f"{dollars(action)} is on the layout; at most {dollars(liability)} could be owed on it."
        case ButtonPlaced(seat, card):
            return _counted(after, seat, card)
        case RoundSettled():
            return _settled(after)
    return None


def _choice_clause(after: Round, event: Decision) -> str | None:
    if isinstance(event, DecisionFollowed):
        stakes = after.layout.get(event.seat, {}).get(event.bettor)
        return after.rules.points.get("toke.follow" if stakes is not None and stakes.kind == "toke" else "follow")
    return after.game.choice_clause(after, event)


def _turned(after: Round, event: CardsTurned) -> Why:
    point = "deal_order" if event.of in ("flop", "turn_river") else "show_hands"
    if event.of == "dealer":
        point = "qualify"
    clause = after.rules.points.get(point) or after.rules.points.get("deal_order")
    made = None if event.of in ("flop", "turn_river") else after.game.made_at(after, event.of)
    sentence = None
    if made is not None:
        whose = f"The {after.banker}" if event.of == "dealer" else f"Seat {event.of}"
        sentence = f"{whose} has {made.text}."
    return _under(after, clause, sentence, [] if made is None else [made])


def _fee(after: Round, event: FeeTaken) -> Why:
    schedule = after.terms.schedule
    clause = after.rules.points.get("fee") if schedule is None else schedule.clause
    if schedule is None or not 1 <= event.tier <= len(schedule.tiers):
        return _under(after, clause)
    return _under(after, clause, f"{_tier(schedule, event)} is {dollars(event.amount)}.")


def _tier(schedule: Schedule, event: FeeTaken) -> str:
    bound = schedule.tiers[event.tier - 1].up_to
    reach = "above the last bound" if bound is None else f"up to {dollars(bound)}"
    return f"The fee for a total action of {dollars(event.action)}, in tier {event.tier} ({reach}),"


def _counted(after: Round, seat: int, card: str) -> str:
    value = after.rules.game_rules.button_values[card[0]]
    return f"The card counts {value}: round the seats other than the player-dealer's that comes to seat {seat}."


def _settled(after: Round) -> str:
    short = sum(line.shortfall for line in after.lines)
    lines = f"{len(after.lines)} {'wager' if len(after.lines) == 1 else 'wagers'} settled"
    if not short:
        return f"{lines}, all in full."
    return f"{lines}; {dollars(short)} of what was owed was not covered by the player-dealer's wager."

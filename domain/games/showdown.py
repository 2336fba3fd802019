"""What the two poker games share: hands that fold or play, backline bettors behind them, hands turned over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from msgspec.structs import replace

from domain.cards import Cards, Place
from domain.errors import OutOfTurn
from domain.games.game import Entry, Game
from domain.games.poker_rules import rules_of
from domain.hands.poker import PokerHand
from domain.round.actions import Decide, Reveal
from domain.round.dealing import DealStep, check_turned
from domain.round.events import CardsTurned, Decision, DecisionFollowed, DecisionMade, RoundEvent
from domain.round.settlement import Verdict, lost, pushed, won
from domain.round.state import EVOLVERS, Evolvers, GameState, Round, Stakes, Wager, entered


class PokerState(GameState, frozen=True, gc=False):
    street: int = 0  # board reveals so far
    acted: frozenset[int] = frozenset()  # seats that have acted on this street
    plays: Mapping[tuple[int, str], int] = {}  # the multiple of the ante that a bettor plays; 0: folded


# A getter in C: every action reads the state many times, and this game has no other state class.
state_of: Callable[[Round], PokerState] = attrgetter("game_state")


def _decision_made(round_: Round, event: DecisionMade) -> Round:
    state = state_of(round_)
    acted, plays = state.acted | {event.seat}, state.plays
    if event.choice != "check":
        plays = {**plays, (event.seat, event.bettor): event.times}
    return entered(round_, event, game_state=PokerState(state.street, acted, plays))


def _decision_followed(round_: Round, event: DecisionFollowed) -> Round:
    state = state_of(round_)
    plays = {**state.plays, (event.seat, event.bettor): event.times}
    return entered(round_, event, game_state=replace(state, plays=plays))


POKER_EVOLVERS: Evolvers = {**EVOLVERS, DecisionMade: _decision_made, DecisionFollowed: _decision_followed}


class PokerGame(Game):
    """What the two poker games have in common for callers outside."""

    state = PokerState()
    evolvers = POKER_EVOLVERS
    later_spots = ("play",)
    most_decks = 1

    def folded(self, round_: Round, seat: int) -> bool:
        return folded(round_, seat)

    def wagers(self, round_: Round, seat: int) -> Iterator[Wager]:
        for bettor, stakes in round_.layout.get(seat, {}).items():
            for spot in (*stakes.spots, "play"):
                if (wager := wager_on(round_, seat, bettor, stakes, spot)) is not None:
                    yield wager

    def choice_clause(self, round_: Round, event: Decision) -> str:
        streets = rules_of(round_).streets
        return streets[min(state_of(round_).street, len(streets) - 1)].clause

    # ---- order of play, as far as both have the same

    def next_packet(self, round_: Round) -> DealStep | None:
        """Return the packet that may be dealt now."""
        raise NotImplementedError

    def next_reveal(self, round_: Round) -> str | None:
        """Return the street or hand to turn over next, once everything before it is done."""
        raise NotImplementedError

    def to_reveal(self, round_: Round, of: str) -> Cards:
        return round_.hands[of]

    def reveal_clause(self, round_: Round) -> str:
        """Return the clause of a reveal that comes too early."""
        raise NotImplementedError

    def reveal(self, round_: Round, action: Reveal) -> list[RoundEvent]:
        of = action.of
        if isinstance(of, int):
            return [reveal_seat(round_, of, action, self.hole_cards)]
        if of != self.next_reveal(round_):
            raise OutOfTurn(f"The {of.replace('_', ' and ')} is not turned over now.", self.reveal_clause(round_))
        return [CardsTurned(of, check_turned(round_, self.to_reveal(round_, of), action.cards))]

    def expects(self, round_: Round) -> list[Entry]:
        entries: list[Entry] = []
        step = self.next_packet(round_)
        if step is not None:
            entries.append({"do": "deal", "to": step.to, "count": step.size})
        entries.extend(self.decisions(round_))
        due = self.next_reveal(round_)
        if due is not None:
            entries.append(reveal_entry(due, self.to_reveal(round_, due)))
        entries.extend(seat_reveals(round_, self.hole_cards))
        if self.may_settle(round_):
            entries.append({"do": "settle"})
        return entries


def decision_of(round_: Round, action: Decide, bettor: str, times: int) -> DecisionMade | DecisionFollowed:
    """Return the decision of a seated player, or of a bettor behind them, for a multiple of the ante."""
    stakes = round_.layout[action.seat][bettor]
    kind = DecisionMade if stakes.kind is None else DecisionFollowed
    amount = stakes.spots["ante"] * times
    return kind(seat=action.seat, bettor=bettor, choice=action.choice, times=times, amount=amount)


def wager_on(round_: Round, seat: int, bettor: str, stakes: Stakes, spot: str) -> Wager | None:
    """Return what a bettor has on a spot; a play wager is a multiple of the ante."""
    if spot == "play":
        amount = stakes.spots.get("ante", 0) * state_of(round_).plays.get((seat, bettor), 0)
    else:
        amount = stakes.spots.get(spot, 0)
    return Wager(seat=seat, bettor=bettor, hand=1, spot=spot, amount=amount) if amount else None


def folded(round_: Round, seat: int) -> bool:
    return state_of(round_).plays.get((seat, round_.seated[seat])) == 0


def live_seats(round_: Round) -> list[int]:
    """Return the seats whose hands have not been folded."""
    plays, seated = state_of(round_).plays, round_.seated
    return [seat for seat in round_.seats or () if plays.get((seat, seated[seat])) != 0]


def waiting_followers(round_: Round, seat: int, kind: str) -> list[str]:
    """Return who at a seat that plays has still to follow or fold."""
    plays = state_of(round_).plays
    return [
        bettor
        for bettor, stakes in round_.layout[seat].items()
        if stakes.kind == kind and (seat, bettor) not in plays and "ante" in stakes.spots
    ]


def _all_dealt(round_: Round, cards: int) -> bool:
    """Return whether everybody has all hole cards."""
    places: tuple[Place, ...] = ("dealer", *(round_.seats or ()))
    return all(len(round_.hands.get(place, ())) >= cards for place in places)


def reveal_seat(round_: Round, seat: int, action: Reveal, cards: int) -> CardsTurned:
    """Turn over a seat's hand, once, at any time after everybody has their cards."""
    if not _all_dealt(round_, cards) or seat not in (round_.seats or ()) or seat in round_.turned:
        raise OutOfTurn(f"There is nothing to turn over at seat {seat} now.", round_.rules.clause("show_hands"))
    return CardsTurned(seat, check_turned(round_, round_.hands[seat], action.cards))


def reveal_entry(of: Place | list[int], known: tuple[str | None, ...]) -> dict[str, Any]:
    entry: dict[str, Any] = {"do": "reveal", "of": of}
    if None in known:
        entry["count"] = len(known)
    return entry


def seat_reveals(round_: Round, cards: int) -> Iterator[dict[str, Any]]:
    if not _all_dealt(round_, cards):
        return
    seats = [seat for seat in round_.seats or () if seat not in round_.turned]
    for unseen in (False, True):
        some = [seat for seat in seats if (None in round_.hands[seat]) == unseen]
        if some:
            yield reveal_entry(some[0] if len(some) == 1 else some, round_.hands[some[0]])


class Addressee(NamedTuple):
    """Whom a sentence about a hand addresses: its player, or the tip on it."""

    you: str
    your: str


PLAYER, TIP = Addressee("You", "your"), Addressee("The player", "the player's")


def addressee_of(stakes: Stakes) -> Addressee:
    return TIP if stakes.kind == "toke" else PLAYER


def comparison_text(banker: str, mine: PokerHand, dealer: PokerHand, sign: int, addressee: Addressee = PLAYER) -> str:
    you, your = addressee
    if sign == 0:
        return f"{you} and the {banker} tie with {mine.text}"
    if mine.text == dealer.text:
        whose = your if sign > 0 else f"the {banker}'s"
        return f"{you} and the {banker} both made {mine.text}, and {whose} other cards are higher"
    several = mine.text.startswith(("three ", "four "))
    beats = ("beat" if several else "beats") if sign > 0 else ("lose to" if several else "loses to")
    comma = "," if "," in mine.text else ""
    whose = f"{your[0].upper()}{your[1:]}"
    return f"{whose} {_without_article(mine)}{comma} {beats} the {banker}'s {_without_article(dealer)}"


def _without_article(hand: PokerHand) -> str:
    return hand.text.removeprefix("a ").removeprefix("an ")


def compared(round_: Round, wager: Wager, sign: int, story: str) -> Verdict:
    """Return the verdict of a comparison: `sign` is 1 if the bettor's hand is higher, -1 if the dealer's, 0 for a
    tie."""
    spot = wager.spot
    if sign > 0:
        return won(wager, round_.rules.odds[spot], f"{spot}.win", story)
    if sign < 0:
        return lost(wager, f"{spot}.lose", story)
    return pushed(wager, f"{spot}.tie", story)


def given_up(round_: Round, wager: Wager, point: str) -> Verdict:
    """Return the verdict of a wager lost by the seat's fold, or by a backline bettor's own."""
    if folded(round_, wager.seat):
        return lost(wager, point, "The hand was folded")
    return lost(wager, "follow", "You did not follow the seat's play wager")

"""One round from the first bet to the last: the engine lists what may come next, and the table chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from msgspec import UNSET

from domain.money import cents, money
from domain.round.actions import Action, Bet, CloseBets, Deal, Decide, Peek, Reveal, Settle, Void, Withdraw
from domain.round.dealing import face_down
from domain.round.decide import decide, expects, fold
from domain.round.state import Round
from infra.simulation.patrons import Person

Entry = Mapping[str, Any]  # one of those that `expects` lists, or one choice of it
Cards = tuple[Any, ...]  # from the deck, so that mypy need not see that each is one of the 52
DOUBLES_FOR_LESS = 0.1
TOKE_FOLLOWS = 0.6
SHOWS_A_FOLD = 0.2  # chance that an unseen folded hand is turned over
LEAVES_DEALER_CLOSED = 0.5  # if every hand has folded and nothing depends on the dealer's


@dataclass(slots=True, frozen=True)
class Style:
    """How a table's house dealers work in a session."""

    hides_hands: bool  # players' cards are recorded only when turned over
    hides_dealer: bool  # and so are the dealer's hand and the board
    turns_hands: bool  # each hand is turned over by an action of its own, although it was seen
    any_order: bool  # simultaneous decisions are not taken in the order of the seats

    @staticmethod
    def draw(rng: Random) -> Style:
        return Style(
            hides_hands=rng.random() < 0.4,
            hides_dealer=rng.random() < 0.4,
            turns_hands=rng.random() < 0.2,
            any_order=rng.random() < 0.3,
        )


class OutOfCards(Exception):
    """The shoe ran out in the middle of a round."""


class Play:
    """Plays one round. `shoe` is used up from its end; `people` are its bettors by id."""

    def __init__(self, round_: Round, shoe: list[str], style: Style, people: Mapping[str, Person], rng: Random) -> None:
        self.round = round_
        self._shoe, self._style, self._people, self._rng = shoe, style, people, rng
        self._lies: dict[tuple[int | str, int], Cards] = {}  # the cards of each hand, seen or not
        self._passed: set[tuple[object, ...]] = set()  # offers that somebody did not take

    def through(self, bets: Sequence[Bet | Withdraw], void: tuple[int, Void] | None) -> list[Action]:
        """Return the actions of the round; `void` is the number of actions after which it is voided, unless it ended
        before."""
        actions: list[Action] = []
        moves = self._moves(bets)
        while self.round.status == "open":
            if void is not None and len(actions) == void[0]:
                action: Action = void[1]
            else:
                try:
                    action = next(moves)
                except OutOfCards:
                    action = Void("irregularity", "The shoe ran out.")
            self.round = fold(self.round, decide(self.round, action))
            actions.append(action)
        return actions

    def _moves(self, bets: Sequence[Bet | Withdraw]) -> Iterator[Action]:
        """Yield moves. Each is made before the next is requested, so `self.round` is always up to date."""
        yield from bets
        yield CloseBets()
        while True:
            entries = expects(self.round)
            # Simultaneous decisions do not affect each other.
            decisions = [self._decision(entry) for entry in entries if entry["do"] == "decide"]
            made = [decision for decision in decisions if decision is not None]
            if self._style.any_order:
                self._rng.shuffle(made)
            yield from made or self._dealer_moves(entries)

    # ---- house dealer

    def _dealer_moves(self, entries: Sequence[Entry]) -> Iterator[Action]:
        may_settle = any(entry["do"] == "settle" for entry in entries)
        for entry in entries:
            match entry["do"]:
                case "deal":
                    yield self._deal(entry["to"], entry["count"], entry.get("hand", 1))
                    return
                case "peek":
                    yield self._peek()
                    return
                case "reveal" if isinstance(entry["of"], str):
                    if not may_settle or self._rng.random() >= LEAVES_DEALER_CLOSED:
                        yield self._reveal(entry["of"], "count" in entry)
                        return
        for entry in entries:
            if entry["do"] == "reveal" and not isinstance(entry["of"], str):
                for seat in [entry["of"]] if isinstance(entry["of"], int) else entry["of"]:
                    if self._is_shown(seat, unseen="count" in entry):
                        yield self._reveal(seat, "count" in entry)
        yield Settle()

    def _deal(self, to: Any, count: int, hand: int) -> Deal:
        if len(self._shoe) < count:
            raise OutOfCards
        cards = tuple(self._shoe.pop() for _ in range(count))
        if to != "burn":
            self._lies[to, hand] = self._lies.get((to, hand), ()) + cards
        return Deal(to, self._as_recorded(to, cards), UNSET if hand == 1 else hand)

    def _as_recorded(self, to: int | str, cards: Cards) -> Cards:
        """Return None for cards that nobody sees when they are dealt."""
        if to == "burn":
            return (None,) * len(cards)
        if not (self._style.hides_hands if isinstance(to, int) else self._style.hides_dealer):
            return cards
        down = face_down(self.round, to, len(cards))
        return (None,) * down + cards[down:]

    def _peek(self) -> Peek:
        unseen = None in self.round.hands["dealer"]
        return Peek(self.round.game.peek_finds(self._lies["dealer", 1]) if unseen else UNSET)

    def _reveal(self, of: Any, unseen: bool) -> Reveal:
        if not unseen:
            return Reveal(of)
        if of == "flop" or of == "turn_river":
            board, flop = self._lies["board", 1], self.round.rules.flop
            return Reveal(of, board[:flop] if of == "flop" else board[flop:])
        return Reveal(of, self._lies[of, 1])

    def _is_shown(self, seat: int, unseen: bool) -> bool:
        if self.round.game.folded(self.round, seat):
            # A live wager on a folded hand requires the hand to be shown; for others chance decides.
            spots = {spot for stakes in self.round.layout[seat].values() for spot in stakes.spots}
            alive = "folded_hands" in self.round.rules.points and not spots.isdisjoint(("trips", "progressive"))
            return unseen and ("six_card" in spots or self._rng.random() < SHOWS_A_FOLD or alive)
        return unseen or self._style.turns_hands

    # ---- bettors

    def _decision(self, entry: Entry) -> Decide | None:
        """Return a bettor's decision, or None if they decline an optional offer."""
        seat, hand = entry["seat"], entry.get("hand", 1)
        bettor = entry.get("bettor")
        choices = {choice["choice"]: choice for choice in entry["choices"]}
        if "insure" in choices or bettor is not None:
            choice = self._once(seat, hand, bettor, choices)
        else:
            choice = self._for_the_hand(seat, hand, choices)
        if choice is None:
            return None
        return Decide(
            seat,
            choice["choice"],
            times=choice["times"][-1] if "times" in choice else UNSET,
            amount=choice.get("max", UNSET),
            hand=UNSET if hand == 1 else hand,
            bettor=UNSET if bettor is None else bettor,
        )

    def _once(self, seat: int, hand: int, bettor: str | None, choices: Mapping[str, Entry]) -> Entry | None:
        """Offer insurance or following the seat once. No answer means no, unless they have to fold."""
        offer = (self.round.packets, seat, hand, bettor)
        if offer in self._passed:
            return None
        who = self._people.get(bettor or self.round.seated[seat])
        first, *others = choices.values()
        chance = TOKE_FOLLOWS if who is None else who.insures if "insure" in choices else who.follows
        if self._rng.random() < chance:
            if "max" not in first:
                return first
            amount = self._in_chips(cents(first["max"]))
            if amount:
                return {**first, "max": money(amount)}
        if others:
            return others[0]
        self._passed.add(offer)
        return None

    def _for_the_hand(self, seat: int, hand: int, choices: Mapping[str, Entry]) -> Entry:
        person, round_ = self._people[self.round.seated[seat]], self.round
        cards = self._lies.get((seat, hand), ())
        choice = choices[round_.game.strategy(round_, seat, hand, cards, list(choices), person.likes)]
        if len(choice.get("times", ())) > 1 and self._rng.random() < person.timid:
            return {**choice, "times": choice["times"][:-1]}
        if "max" in choice and self._rng.random() < DOUBLES_FOR_LESS:
            most = cents(choice["max"])
            return {**choice, "max": money(self._in_chips(most // 2) or most)}
        return choice

    def _in_chips(self, amount: int) -> int:
        return amount - amount % self.round.terms.chip

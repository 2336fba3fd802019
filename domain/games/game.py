"""The interface of a game: order of play, verdicts, hands and the shape of its rule sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from domain.cards import Cards, Place, whole
from domain.errors import BadChoice, OutOfTurn
from domain.hands.made_hands import MadeHand, made_of_all, made_of_best
from domain.round.dealing import face_up
from domain.round.state import EVOLVERS, Evolvers, GameState, Round, Wager
from domain.rules.file_schema import RuleSetFile

if TYPE_CHECKING:
    from domain.games.house_edge import HouseEdge
    from domain.round.actions import Deal, Decide, Peek, Reveal, SpotName
    from domain.round.events import Decision, LineSettled, RoundEvent
    from domain.rules.ruleset import RuleSet

Entry = dict[str, Any]  # what may come next, in the form of an action (see `expects`)


class SeatHand(NamedTuple):
    """One hand of a seat as the table sees it: a face-down card is None."""

    cards: Cards
    state: str | None = None  # "folded", "stand", ...


class Game(Protocol):
    """A family of rule sets. Methods with a body are what most games do; the others every game implements."""

    family: str  # as a rule-set file names it
    title: str

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)  # a game has no state, so a copy is the same

    def __hash__(self) -> int:
        return hash(self.family)

    # ---- contents of a rule-set file
    file: type[RuleSetFile] = RuleSetFile
    base_spots: tuple[SpotName, ...]  # wagers that a hand needs
    bonus_spots: tuple[SpotName, ...] = ()
    later_spots: tuple[SpotName, ...] = ()  # wagers after the deal
    hole_cards: int  # of a seat, and of the dealer hand
    board_cards: int = 0
    cards_at_once: int | None = None  # if every packet has the same number
    odds_on: tuple[str, ...]  # wagers with odds instead of a pay table
    pays_by: Mapping[str, Sequence[str]] = {}  # spots with a pay table, and its possible lines, best first
    points: tuple[str, ...]  # the questions that its rule sets answer
    optional_points: tuple[str, ...] = ()
    one_order: bool = True  # a seat's wagers are settled in one order, whatever happened to its hand
    needs_player_dealer: bool = False
    most_decks: int | None = None  # where hands are ranked, no card may come twice
    takes_tips: bool = False

    # ---- cards on the table
    up_card: int | None = None  # index of the dealer's card that is dealt face up
    seats_face_up: bool = False
    numbers_hands: bool = False
    plays_by_hole_card: bool = False  # what may come next depends on a face-down card
    deciding: str = "decisions"  # the names of two streets
    showdown: str = "showdown"

    # ---- state
    state: GameState = GameState()  # at the start of a round
    evolvers: Evolvers = EVOLVERS

    # ---- order of play

    def check_wagers(self, round_: Round) -> None:
        """Refuse to close bets if somebody lacks a wager."""
        ...

    def deal(self, round_: Round, action: Deal) -> list[RoundEvent]: ...

    def reveal(self, round_: Round, action: Reveal) -> list[RoundEvent]: ...

    def choose(self, round_: Round, action: Decide, bettor: str) -> list[RoundEvent]:
        raise OutOfTurn("Nobody decides anything in this game.", round_.rules.clause("deal_order"))

    def peek(self, round_: Round, action: Peek) -> list[RoundEvent]:
        raise OutOfTurn("There is no hole card to check in this game.")

    def may_settle(self, round_: Round) -> bool: ...

    def not_yet(self, round_: Round) -> OutOfTurn:
        """Return why the round cannot be settled now."""
        return OutOfTurn("The round cannot be settled yet.", round_.rules.clause("settlement_order"))

    def expects(self, round_: Round) -> list[Entry]:
        """Return what may come next once bets are closed. `void` is always possible and not listed."""
        ...

    def decisions(self, round_: Round) -> list[Entry]:
        """Return those of `expects` that are decisions of people."""
        return [entry for entry in self.expects(round_) if entry["do"] == "decide"]

    # ---- settlement

    def settle(self, round_: Round) -> list[RoundEvent]:
        """Return the hands that are turned over and the line of every wager, in the order of settlement."""
        ...

    def liability(self, round_: Round, spot: str, amount_cents: int) -> int:
        """Return the most that an amount on a spot could be owed."""
        rules = round_.rules
        if spot == rules.base_spot:
            return amount_cents * rules.liability
        table = round_.terms.trips if spot == "trips" else rules.paytable_of.get(spot)
        return 0 if table is None else max(odds.of(amount_cents) for odds in table.pays.values())

    def house_edges(self, rules: RuleSet) -> Iterator[HouseEdge]:
        """Return the house edge of each side wager, by pay table and number of decks."""
        return iter(())

    # ---- hands and wagers for display

    def hand(self, cards: tuple[str, ...], board: tuple[str, ...], *, split: bool) -> tuple[str, str] | None:
        """Return the name of a hand and its words for a sentence; None if too few cards are seen."""
        ...

    def name_of(self, own: Cards, board: Cards = (), *, split: bool = False) -> str | None:
        """Return the name of a hand from face-up cards; None while any of its own cards is face down."""
        cards = whole(own)
        found = self.hand(cards, _seen(board), split=split) if cards else None
        return None if found is None else found[0]

    def hands(self, round_: Round, seat: int) -> Sequence[SeatHand]:
        cards = face_up(round_, seat)
        return [SeatHand(cards, "folded" if self.folded(round_, seat) else None)] if cards else []

    def folded(self, round_: Round, seat: int) -> bool:
        return False

    def name_at(self, round_: Round, place: Place, hand: int = 1) -> str | None:
        """Return the name of what `made_at` finds; quicker, because it does not find the cards."""
        cards, split = self._cards_at(round_, place, hand)
        return self.name_of(cards, face_up(round_, "board"), split=split)

    def made_at(self, round_: Round, place: Place, hand: int = 1) -> MadeHand | None:
        """Return what a seat or the dealer has made; None while a card is face down or missing."""
        own, split = self._cards_at(round_, place, hand)
        cards, on_board = whole(own), face_up(round_, "board")
        board = _seen(on_board)
        found = self.hand(cards, board, split=split) if cards else None
        if not cards or found is None:
            return None
        if board:
            return made_of_best(place, cards, board, "board", on_board)
        return made_of_all(place, hand, *found, cards)

    def _cards_at(self, round_: Round, place: Place, hand: int) -> tuple[Cards, bool]:
        """Return the cards of a hand, and whether it is one of several."""
        if not isinstance(place, int):
            return face_up(round_, place), False
        hands = self.hands(round_, place)
        return (hands[hand - 1].cards if 1 <= hand <= len(hands) else ()), len(hands) > 1

    def decided_by(self, round_: Round, line: LineSettled) -> list[MadeHand | None]:
        """Return the hands that decided a wager, None for one that nobody has seen."""
        return [self.made_at(round_, line.seat, line.hand), self.made_at(round_, "dealer")]

    def qualifies(self, round_: Round) -> bool | None:
        """Return whether the dealer hand, all face up, qualifies; None if the game has no qualifying hand."""
        return None

    def wagers(self, round_: Round, seat: int) -> Iterator[Wager]:
        """Return every wager at a seat that has not been settled."""
        for bettor, stakes in round_.layout.get(seat, {}).items():
            for spot, amount in stakes.spots.items():
                yield Wager(seat=seat, bettor=bettor, hand=1, spot=spot, amount=amount)

    def choice_clause(self, round_: Round, event: Decision) -> str | None:
        return round_.rules.points.get("decide")

    # ---- strategy

    def strategy(self, round_: Round, seat: int, hand: int, cards: Any, offered: Sequence[str], likes: Any) -> str:
        raise BadChoice("There is nothing to decide in this game.")

    def peek_finds(self, cards: Sequence[str]) -> bool:
        """Return what a peek at the dealer's two cards finds."""
        return False


def _seen(cards: Cards) -> tuple[str, ...]:
    return whole(cards) or tuple([card for card in cards if card is not None])

"""The published basic strategy for Ultimate Texas Hold'em: when to raise, as a multiple of the ante."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from domain.cards import DECK, RANKS
from domain.hands.poker import FIVE_CARD_NAMES, best_of
from domain.round.dealing import face_up
from domain.round.state import Round

_PLACE = {rank: place for place, rank in enumerate(RANKS)}
_TEN, _THREE = _PLACE["T"], _PLACE["3"]
# The lowest second card with each high card that is worth four times the ante, suited and not.
_LOWEST_SUITED = {"A": "2", "K": "2", "Q": "6", "J": "8"}
_LOWEST_OFFSUIT = {"A": "2", "K": "5", "Q": "8", "J": "T"}
_FLOP, _WHOLE_BOARD = 3, 5
DEALER_OUTS = 21  # with fewer cards that beat it, a hand is worth one ante at the end

Cards = tuple[str, ...]


def choice(round_: Round, seat: int, hand: int, cards: Cards, offered: Sequence[str], likes: Container[str]) -> str:
    board = tuple([card for card in face_up(round_, "board") if card is not None])
    return "raise" if multiple(cards, board) else next(name for name in offered if name != "raise")


def multiple(hole: Cards, board: Cards) -> int:
    """Return 4, 2 or 1 by the face-up cards, or 0: check, and at the end fold."""
    if len(board) < _FLOP:
        return 4 if _strong_hole_cards(hole) else 0
    if len(board) < _WHOLE_BOARD:
        return 2 if _strong_flop(hole, board) else 0
    return 1 if _has_hidden_pair(hole, board) or _outs(hole, board) < DEALER_OUTS else 0


def _strong_hole_cards(hole: Cards) -> bool:
    low, high = sorted(hole, key=lambda card: _PLACE[card[0]])
    if low[0] == high[0]:
        return _PLACE[low[0]] >= _THREE
    lowest = _LOWEST_SUITED if low[1] == high[1] else _LOWEST_OFFSUIT
    return high[0] in lowest and _PLACE[low[0]] >= _PLACE[lowest[high[0]]]


def _strong_flop(hole: Cards, board: Cards) -> bool:
    if FIVE_CARD_NAMES.index(best_of(hole + board).name) >= FIVE_CARD_NAMES.index("two pair"):
        return True
    if _has_hidden_pair(hole, board):
        return not hole[0][0] == hole[1][0] == "2"
    suit, count = Counter(card[1] for card in hole + board).most_common(1)[0]
    return count == 4 and any(card[1] == suit and _PLACE[card[0]] >= _TEN for card in hole)


def _has_hidden_pair(hole: Cards, board: Cards) -> bool:
    on_board = {card[0] for card in board}
    return hole[0][0] == hole[1][0] or hole[0][0] in on_board or hole[1][0] in on_board


def _outs(hole: Cards, board: Cards) -> int:
    """Return how many unseen cards would each give the dealer the better hand."""
    mine = best_of(hole + board).strength
    seen = hole + board
    return sum(best_of((*board, card)).strength > mine for card in DECK if card not in seen)

"""What is certain of a round before its cards are known, for a terminal that continues without the service.

A round is played through with placeholder cards. What comes out the same for any cards is certain: the order of the
deal, who is asked on which street and what follows a choice. If it depends on the cards, only the deal is forecast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from domain.cards import DECK, Cards
from domain.errors import Refusal
from domain.round.actions import Bet, CloseBets, Deal, Decide, Reveal
from domain.round.dealing import face_down, order_of_deal
from domain.round.decide import decide, expects
from domain.round.events import CardsDealt, RoundOpened
from domain.round.state import Round, cards_dealt, fold, start
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms

ORDERS = 6  # orders of cards, under which the play must be the same
MOST_STEPS = 60
BANK = "bank"  # ids of the people in the trial; nobody else sees them
Entry = dict[str, Any]


class CertainPacket(Struct, frozen=True):
    """Cards of the deal: the first `down` of them are dealt face down."""

    to: int | str
    count: int
    down: int
    street: int


class Asked(Struct, frozen=True):
    """A decision of a seat: what it may choose, and what follows each choice."""

    choices: list[Entry]
    after: list[Branch]


class Branch(Struct, frozen=True):
    """After a choice: what those behind the seat may do, by kind, and how the play continues for the seat."""

    choice: Entry
    followers: dict[str, Follower]
    then: Segment


class Follower(Struct, frozen=True):
    choices: list[Entry]
    optional: bool  # the next cards do not wait for them


class Segment(Struct, frozen=True):
    """What is turned over before a seat is asked again; `asks` is None if it is not."""

    turned: list[Entry]
    asks: Asked | None


class Forecast(Struct, frozen=True):
    deal: list[CertainPacket]  # with every seat in play; a seat without wagers gets none
    seat: Segment | None  # how the play goes for one seat; None if it depends on the cards
    turns: list[int]  # the order in which seats decide, if one after another
    shown: int | None  # cards of a seat's hand that is turned over


class _Uncertain(Exception):
    """What comes next depends on a card."""


def forecast(rules: RuleSet, terms: Terms, bank_seat: int | None) -> Forecast:
    """Return the forecast: the same for every round under these terms with this player-dealer."""
    return _forecast(_Table(rules, terms, bank_seat))


class _Table(Struct, frozen=True):
    """Compared by what the forecast depends on."""

    rules: RuleSet
    terms: Terms
    bank_seat: int | None

    def __hash__(self) -> int:
        return hash((self.rules.content_hash, self.bank_seat))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Table)
            and self.rules.content_hash == other.rules.content_hash
            and self.bank_seat == other.bank_seat
            and self.terms.document == other.terms.document
        )

    @property
    def seats(self) -> list[int]:
        return [seat for seat in range(1, self.rules.seats + 1) if seat != self.bank_seat]


@lru_cache(maxsize=512)
def _forecast(table: _Table) -> Forecast:
    seats = table.seats
    try:
        full = _closed(table, seats, ())
    except Refusal:  # a table whose own limits let nobody play
        return Forecast([], None, [], None)
    deal = list(_packets(full))
    try:
        plays = [_trial(table, order) for order in range(ORDERS)]
    except (_Uncertain, Refusal, StopIteration):
        return Forecast(deal, None, [], None)
    if any(play != plays[0] for play in plays):
        return Forecast(deal, None, [], None)
    segment, shown, turns = plays[0]
    return Forecast(deal, segment, turns, shown)


def _trial(table: _Table, order: int) -> tuple[Segment, int | None, list[int]]:
    seats, cards = table.seats, _cards(order)
    one = _dealt(_closed(table, seats[:1], table.rules.kinds), cards)
    shown = next((entry["count"] for entry in expects(one) if _is_seats(entry)), None)
    return _segment(one, seats[0], cards), shown, _turns(_dealt(_closed(table, seats, ()), _cards(order)))


# ---- the trial round


def _closed(table: _Table, seats: Sequence[int], kinds: Sequence[str]) -> Round:
    """Return a round in which each seat has the least wager, and so has one bettor of each kind behind the first
    seat."""
    rules, terms = table.rules, table.terms
    bank = (None, None, None) if table.bank_seat is None else (table.bank_seat, BANK, 1)
    opened = RoundOpened(None, None, rules.id, rules.content_hash, terms.document, {}, *bank)
    round_ = start(rules, terms, opened)
    for seat in seats:
        for spot in rules.game.base_spots:
            amount = _least(terms, spot)
            round_ = _play(round_, Bet(seat, spot, amount))
            for kind in kinds if seat == seats[0] else ():
                round_ = _play(round_, Bet(seat, spot, amount, f"a-{kind}", kind))  # type: ignore[arg-type]
    return _play(round_, CloseBets())


def _least(terms: Terms, spot: str) -> str:
    low, _ = terms.limits_of(spot)
    chips = max(1, -(-low // terms.chip))
    return f"{chips * terms.chip // 100}.{chips * terms.chip % 100:02d}"


def _play(round_: Round, action: Any) -> Round:
    return fold(round_, decide(round_, action))


def _packets(round_: Round) -> Iterator[CertainPacket]:
    for step in order_of_deal(round_).steps:
        down = face_down(round_, step.to, step.size)
        yield CertainPacket(to=step.to, count=step.size, down=down, street=step.street)
        round_ = cards_dealt(round_, CardsDealt(step.to, (None,) * step.size))


def _cards(order: int) -> Iterator[str]:
    """Return the deck in one of several orders."""
    return (DECK[(at * 5 + order * 7) % len(DECK)] for at in range(len(DECK)))


def _dealt(round_: Round, cards: Iterator[str]) -> Round:
    """Deal as far as cards come before anything else."""
    while (entry := next((one for one in expects(round_) if one["do"] == "deal"), None)) is not None:
        if any(one["do"] == "decide" for one in expects(round_)):
            break
        round_ = _play(round_, _deal(round_, entry, cards))
    return round_


def _deal(round_: Round, entry: Entry, cards: Iterator[str]) -> Deal:
    down = face_down(round_, entry["to"], entry["count"])
    packet: Cards = (None,) * down + tuple(next(cards) for _ in range(entry["count"] - down))
    return Deal(entry["to"], packet)  # type: ignore[arg-type]


def _turns(round_: Round) -> list[int]:
    order: list[int] = []
    while len(asked := [entry for entry in expects(round_) if entry["do"] == "decide"]) == 1:
        seat = asked[0]["seat"]
        if seat in order:
            break
        order.append(seat)
        round_ = _play(round_, Decide(seat, **next(_each(asked[0]["choices"]))))
    return order if len(order) > 1 else []


# ---- the play of one seat


def _segment(round_: Round, seat: int, cards: Iterator[str]) -> Segment:
    turned: list[Entry] = []
    for _ in range(MOST_STEPS):
        entries = [entry for entry in expects(round_) if entry["do"] != "void" and not _is_seats(entry)]
        deciding = [entry for entry in entries if entry["do"] == "decide"]
        if deciding:
            if len(entries) > 1 or "bettor" in deciding[0] or any("max" in one for one in deciding[0]["choices"]):
                raise _Uncertain
            return Segment(turned, _asked(round_, seat, deciding[0], cards))
        if not entries or entries[0]["do"] == "settle":
            return Segment(turned, None)
        entry = entries[0]
        if entry["do"] == "deal":
            round_ = _play(round_, _deal(round_, entry, cards))
        elif entry["do"] == "reveal":
            turned.append(entry)
            round_ = _play(round_, _reveal(round_, entry, cards))
        else:
            raise _Uncertain
    raise _Uncertain


def _asked(round_: Round, seat: int, entry: Entry, cards: Iterator[str]) -> Asked:
    left = list(cards)
    branches = []
    for choice in _each(entry["choices"]):
        after = _play(round_, Decide(seat, **choice))
        kinds = {bettor: stakes.kind for bettor, stakes in round_.layout[seat].items()}
        followers: dict[str, Follower] = {}
        while True:
            entries = [one for one in expects(after) if one["do"] != "void" and not _is_seats(one)]
            behind = next((one for one in entries if one["do"] == "decide" and "bettor" in one), None)
            if behind is None:
                break
            optional = any(one["do"] != "decide" for one in entries)
            followers[str(kinds[behind["bettor"]])] = Follower(behind["choices"], optional)
            first = next(_each(behind["choices"]))
            after = _play(after, Decide(seat, bettor=behind["bettor"], **first))
        branches.append(Branch(choice, followers, _segment(after, seat, iter(left))))
    return Asked(entry["choices"], branches)


def _each(choices: Sequence[Mapping[str, Any]]) -> Iterator[Entry]:
    """Return choices with each of their multiples."""
    for one in choices:
        if "times" in one:
            yield from ({"choice": one["choice"], "times": times} for times in one["times"])
        else:
            yield {"choice": one["choice"]}


def _reveal(round_: Round, entry: Entry, cards: Iterator[str]) -> Reveal:
    known, count = round_.hands.get(entry["of"], ()), entry["count"]
    seen = known if len(known) == count else (None,) * count
    turned = tuple(next(cards) if card is None else card for card in seen)
    return Reveal(entry["of"], turned)  # type: ignore[arg-type]


def _is_seats(entry: Entry) -> bool:
    """Return whether it turns over a seat's hand: that may come at any time, and hinders nothing."""
    return entry["do"] == "reveal" and not isinstance(entry["of"], str)


def document(found: Forecast) -> dict[str, Any]:
    """Return the forecast for programs."""
    shown: dict[str, Any] = msgspec.to_builtins(found)
    return shown

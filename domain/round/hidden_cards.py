"""Deciding requests without knowledge of face-down cards: each of them could be any card.

The public round is what everybody at the table knows: it has SEALED for each card that an earlier request sealed and
nobody has turned over. Every refusal is decided on that round alone, so none can depend on a hidden card. Only a
request that the public round accepts is played on the round with its cards; if that refuses it, it contradicts a hidden
card, and the attempt is stored (decision 47)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from domain.cards import DECK, SEALED
from domain.errors import BadChoice, BadDocument, DuplicateCard, OutOfTurn, Refusal, SecondPersonNeeded, WrongCards
from domain.round.actions import Action, Settle
from domain.round.dealing import face_down
from domain.round.decide import check_settle, decide, expects
from domain.round.events import (
    CardsDealt,
    EntryTakenBack,
    HiddenCardContradicted,
    Place,
    PlaySupervised,
    RoundEvent,
    RoundOpened,
    RoundSettled,
)
from domain.round.replay import play
from domain.round.sealing import Openings, SealedUnit, unseal
from domain.round.state import Round, fold

MOST_CONTRADICTIONS = 3  # per round, before two people have to continue it
CONTRADICTS = "The request contradicts a card that is face down. The attempt has been recorded."


# ---- the public round


def masked(event: RoundEvent) -> RoundEvent:
    """Return the event with SEALED for every known card that is face down."""
    if type(event) is not CardsDealt or not event.face_down:
        return event
    cards = event.cards
    hidden = tuple([None if card is None else SEALED for card in cards[: event.face_down]])
    return replace(event, cards=hidden + cards[event.face_down :])


def public_after(public: Round, before: Round, after: Round, happened: Sequence[RoundEvent]) -> Round:
    """Return the public round after events that took the whole one from `before` to `after`; while nothing is hidden,
    both are the same object."""
    if after.status != "open":
        return after  # nobody plays on
    if public is before and not any(type(event) is CardsDealt and event.face_down for event in happened):
        return after
    public = fold(public, [masked(event) for event in happened if type(event) is not RoundOpened])
    return after if _cards_known(public) == _cards_known(after) else public


def public_of(opening: Round, whole: Round, events: Iterable[RoundEvent]) -> Round:
    """Return the public round of a loaded one, with all of its events."""
    return public_after(opening, opening, whole, list(events))


def _cards_known(round_: Round) -> int:
    return sum(round_.deck.values()) - round_.deck.get(SEALED, 0)


# ---- masked documents


def masked_actions(actions: list[Any], round_: Round, happened: Iterable[RoundEvent]) -> list[Any] | None:
    """Return a document's actions with SEALED for every card that is still face down at its end; None if there is
    none."""
    hidden = [seal for seal in seals_of(happened, round_.rules.flop) if seal.opened_by not in round_.turned]
    if not hidden:
        return None
    places = [at for at, action in enumerate(actions) if _do(action) == "deal"]  # each deals one packet
    actions = list(actions)
    for seal in hidden:
        place, start, end = places[seal.packet], seal.start, seal.start + seal.size
        action = actions[place]
        read = isinstance(action, Struct)
        cards = action.cards if read else action["cards"]
        cards = [SEALED if start <= at < end and card is not None else card for at, card in enumerate(cards)]
        actions[place] = replace(action, cards=cards) if read else {**action, "cards": cards}
    return actions


def with_hidden(
    round_: Round, events: Sequence[RoundEvent], units: Mapping[int, Sequence[SealedUnit]]
) -> list[RoundEvent]:
    """Return a round's events with the cards named that were never turned over, and no others; `units` by version."""
    opened, openings = list(events), Openings(round_.rules.flop)
    for at, event in enumerate(events):
        if isinstance(event, EntryTakenBack):
            openings.take_back(event)
        elif isinstance(event, CardsDealt):
            seals = openings.covered(event)
            hidden = [number for number, seal in enumerate(seals) if seal.opened_by not in round_.turned]
            opened[at] = unseal(openings, event, [unit for unit in units.get(at + 1, ()) if unit.number in hidden])
    return opened


class Seal(NamedTuple):
    """Cards that are face down together: their packet, where they start in it, and what opens them."""

    packet: int
    start: int
    size: int
    opened_by: Place


def seals_of(events: Iterable[RoundEvent], flop: int) -> Iterator[Seal]:
    """Return the seals of a round. `flop`: how many cards of the board are turned over first."""
    openings = Openings(flop)
    packets = (event for event in events if isinstance(event, CardsDealt))
    for packet, event in enumerate(packets):
        start = 0
        for seal in openings.covered(event):
            yield Seal(packet=packet, start=start, size=len(seal.cards), opened_by=seal.opened_by)
            start += len(seal.cards)
        openings.add(event, ())


# ---- requests


def judge(public: Round, actions: list[Any]) -> None:
    """Refuse a request that is wrong whatever is face down."""
    if public.game.plays_by_hole_card and SEALED in public.hands.get("dealer", ()):
        _judge_by_hole_card(public, actions)
    else:
        play(public, actions, _decide)


def _decide(round_: Round, action: Action) -> list[RoundEvent]:
    """Decide an action. Settling depends on hidden hands; whether it may happen now does not."""
    if type(action) is Settle and any(SEALED in cards for cards in round_.hands.values()):
        check_settle(round_)
        return [RoundSettled(0, 0)]
    return decide(round_, action)


def _judge_by_hole_card(public: Round, actions: list[Any]) -> None:
    """Judge a request in Pure 21.5, where the hole card determines the play: whether anybody decides, and whether
    another card is drawn. The request is possible if some card there allows it; otherwise the refusal that got furthest
    is raised."""
    first = next((at for at, action in enumerate(actions) if _looks_at_hole_card(action)), len(actions))
    public, _ = play(public, actions[:first])
    rest = actions[first:]
    if not rest:
        return
    furthest: Refusal | None = None
    for card in _possible_hole_cards(rest):
        try:
            play(_with_hole_card(public, card), rest)
        except BadDocument as refusal:
            furthest = refusal
            break  # no card there could change that
        except Refusal as refusal:
            if furthest is None or _index(refusal) > _index(furthest):
                furthest = refusal
        else:
            return
    assert furthest is not None
    furthest.action = _index(furthest) + first
    raise furthest


def deals_of(public: Round, packets: Iterable[Sequence[str | None]]) -> list[dict[str, Any]]:
    """Return packets without a place as actions: each goes where the next cards go. A face-down card does not affect
    where the next one goes."""
    deals: list[dict[str, Any]] = []
    for cards in packets:
        entry = next((one for one in expects(public) if one["do"] == "deal"), None)
        if entry is None:
            refusal = OutOfTurn("No cards are dealt now.", public.rules.clause("deal_order"))
            refusal.action = len(deals)
            raise refusal
        hand = {"hand": entry["hand"]} if "hand" in entry else {}
        deals.append({"do": "deal", "to": entry["to"], **hand, "cards": list(cards)})
        down = face_down(public, entry["to"], entry["count"])
        shown = [None if at < down else card for at, card in enumerate(cards)]
        try:
            public, _ = play(public, [{**deals[-1], "cards": shown}])
        except Refusal as refusal:
            refusal.action = len(deals) - 1
            raise
    return deals


def may_contradict(public: Round, whole: Round, actions: Iterable[Any]) -> bool:
    """Return whether a face-down card could refuse a request: only actions that name cards can be refused."""
    return public is not whole and any(_do(action) in ("deal", "reveal", "peek") for action in actions)


def _index(refusal: Refusal) -> int:
    assert refusal.action is not None
    return refusal.action


def _looks_at_hole_card(action: Any) -> bool:
    return _do(action) in ("peek", "reveal")


def _do(action: Any) -> Any:
    """Return the name of an action, parsed or not."""
    if isinstance(action, Struct):
        return action.__struct_config__.tag
    return action.get("do") if isinstance(action, dict) else None


def _possible_hole_cards(actions: Iterable[Any]) -> Iterator[str]:
    """Return all of them, those that the request itself names first: one of them is likely to fit."""
    named = {card for action in actions for card in _named(action)}
    yield from sorted(named)
    for card in DECK:
        if card not in named:
            yield card


def _named(action: Any) -> Iterator[str]:
    cards = action.get("cards") if isinstance(action, dict) else getattr(action, "cards", None)
    if _looks_at_hole_card(action) and isinstance(cards, list | tuple):
        for card in cards:
            if isinstance(card, str) and card in DECK:
                yield card


def _with_hole_card(public: Round, card: str) -> Round:
    up, _ = public.hands["dealer"]
    deck = {**public.deck, card: public.deck.get(card, 0) + 1}
    return replace(public, hands={**public.hands, "dealer": (up, card)}, deck=deck)


# ---- contradictions


def contradiction(round_: Round, refusal: Refusal) -> Refusal:
    """Return the answer to a request that only a hidden card refuses: the same for all of its kind, without an
    index."""
    if isinstance(refusal, DuplicateCard):
        return DuplicateCard(CONTRADICTS, round_.rules.clause("deck"))
    return WrongCards(CONTRADICTS, round_.rules.clause("deal_order"))


def contradicted(refusal: Refusal) -> HiddenCardContradicted:
    return HiddenCardContradicted(refusal.code)


def supervised(round_: Round, by: str, second_person: str | None) -> list[RoundEvent]:
    """Record who makes a request; after too many contradictions one person is not enough."""
    if second_person is None:
        if round_.contradictions >= MOST_CONTRADICTIONS:
            raise SecondPersonNeeded(
                f"{round_.contradictions} requests of this round contradicted cards that are face down, or named cards"
                " that were taken back: only a floor supervisor together with a second person may continue it."
            )
        return []
    if second_person == by:
        raise BadChoice("Two different people are needed.")
    return [PlaySupervised((by, second_person))]

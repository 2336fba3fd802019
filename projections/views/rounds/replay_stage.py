"""A replay as a stage: everything that is ever on the felt, and what each step changes.

The page is drawn once, with a place for each thing; a step only says which of them look different now. So the browser
receives little, knows no rules, and steps back as easily as forward."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

from domain.money import cents
from domain.view.reasons import Why

Facts = dict[str, Any]  # by the name of a place on the felt; empty places are absent
Kinds = Mapping[tuple[int, str], str | None]  # by seat and bettor: the seated player has none
BY_HAND = frozenset({"game", "double"})
DENOMINATIONS = (1000, 500, 100, 25, 5)  # dollars, by which chips are coloured
FACE_DOWN = ""
FIGURES = ("fee", "action", "liability", "waived", "meter")  # of a picture
OF_FIGURES = itemgetter(*FIGURES)
NOTHING: Mapping[str, Any] = dict.fromkeys(("seats", "dealer", "board", "bank", *FIGURES))  # before the first picture
NOBODY: Mapping[str, Any] = dict.fromkeys(("hands", "piles"))
SEEN_ANYWAY = frozenset({"stand", "double", "split aces"})  # chips and cards show it


def changes_of(pictures: Iterable[Mapping[str, Any]]) -> list[Facts]:
    """Return for each step what differs from the previous one, in words that can be shown as they are; None if
    something is gone. An object shared with the previous picture has not changed."""
    changes: list[Facts] = []
    known: dict[Hashable, Facts] = {}
    before: Mapping[str, Any] = NOTHING
    for picture in pictures:
        changed: Facts = {}
        seats = picture["seats"]
        for was, seat in zip(before["seats"] or [NOBODY] * len(seats), seats, strict=True):
            if was is not seat:
                number = seat["seat"]
                if was["hands"] is not seat["hands"]:
                    _diff(changed, known, ("hands", number), _hands(number, seat["hands"]))
                if was["piles"] is not seat["piles"]:
                    _diff(changed, known, ("piles", number), _piles(number, seat["piles"]))
                _diff(changed, known, ("looks", number), _looks(number, seat))
        if before["dealer"] is not picture["dealer"]:
            _diff(changed, known, "dealer", _hands("dealer", [picture["dealer"]]))
        if before["board"] is not picture["board"]:
            _diff(changed, known, "board", _cards("board", 1, picture["board"]))
        if (figures := OF_FIGURES(picture)) != OF_FIGURES(before):
            _diff(changed, known, "figures", _figures(*figures))
        if before["bank"] is not picture["bank"]:
            _diff(changed, known, "bank", _bank(picture["bank"]))
        changes.append(changed)
        before = picture
    return changes


def _diff(changed: Facts, known: dict[Hashable, Facts], part: Hashable, now: Facts) -> None:
    """Return what differs in one part of the table."""
    before = known.get(part, {})
    known[part] = now
    for name, value in now.items():
        if before.get(name) != value:
            changed[name] = value
    for name in before:
        if name not in now:
            changed[name] = None


def _hands(place: int | str, hands: Iterable[Mapping[str, Any]]) -> Facts:
    facts: Facts = {}
    for hand in hands:
        number = hand["hand"]
        facts |= _cards(place, number, hand["cards"])
        words = [word for word in (hand["made"], hand["state"]) if word and word not in SEEN_ANYWAY]
        facts[f"hand/{place}/{number}"] = ", ".join(words)
    return facts


def _cards(place: int | str, hand: int, cards: Iterable[str | None]) -> Facts:
    return {f"card/{place}/{hand}/{at}": FACE_DOWN if card is None else card for at, card in enumerate(cards)}


def _piles(seat: int, piles: Iterable[Mapping[str, Any]]) -> Facts:
    return {f"pile/{seat}/{pile['spot']}/{pile['bettor']}/{pile['hand']}": _pile(pile) for pile in piles}


def _looks(number: int, seat: Mapping[str, Any]) -> Facts:
    facts: Facts = {}
    folded = bool(seat["hands"]) and all(hand["state"] == "folded" for hand in seat["hands"])
    looks = [word for word, holds in (("acting", seat["acting"]), ("folded", folded)) if holds]
    if looks:
        facts[f"seat/{number}"] = " ".join(looks)
    if seat["button"]:
        facts[f"button/{number}"] = "ON"
    return facts


def _figures(fee: Any, action: Any, liability: Any, waived: Any, meter: Mapping[str, Any] | None) -> Facts:
    facts = {"fee": fee, "action": action, "liability": liability, "waived": waived}
    if meter is not None:
        facts |= {"meter": meter["shown"], "reserve": meter["reserve"]}
    return {name: value for name, value in facts.items() if value is not None}


def _bank(bank: Mapping[str, Any]) -> Facts:
    facts: Facts = {"paid": bank["paid"], "collected": bank["collected"]}
    if bank["shortfall"] != "0.00":
        facts["short"] = bank["shortfall"]
    if bank["wager"] is not None:
        for name in ("to_pay", "to_collect"):
            facts[name] = bank[name]
            facts[f"{name}/bar"] = _share(bank[name], bank["wager"])
    return facts


def _share(part: str, whole: str) -> int:
    """Return a whole percentage; in a tampered store more may have been paid than there was."""
    return 0 if part.startswith("-") else min(100, round(100 * cents(part) / cents(whole)))


# ---- chips


def _pile(pile: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the chips, what moved when the wager was settled, and their styles."""
    return _chips(pile["spot"], pile["wager"], pile["outcome"], pile["paid"], pile["collected"], pile["corrected"])


@lru_cache(4096)  # the same few amounts are on every table
def _chips(
    spot: str, wager: str, outcome: str | None, paid: str, collected: str, corrected: str | None
) -> tuple[str, str, str]:
    looks = [_colour(cents(wager))]
    if outcome is not None:
        looks.append(outcome)
    moved = _moved(spot, outcome, paid, collected)
    if corrected is not None:
        looks.append("corrected")
        moved = f"{moved}, corrected {_with_sign(corrected)}"
    return short(wager), moved, " ".join(looks)


def _moved(spot: str, outcome: str | None, paid: str, collected: str) -> str:
    match outcome:
        case None:
            return ""
        case "no_action":
            return "no action"
        case "push":
            return "push"
        case "win" if spot != "progressive":
            return f"+{short(paid)}"
        case "win":
            return f"+{short(paid)}, wager taken"
        case _:
            return f"−{short(collected)}"


def _with_sign(amount: str) -> str:
    return f"−{short(amount[1:])}" if amount.startswith("-") else f"+{short(amount)}"


def _colour(amount_cents: int) -> str:
    return f"chip-{next((least for least in DENOMINATIONS if amount_cents >= least * 100), 1)}"


def short(amount: str) -> str:
    """Return 25 for "25.00", as people say it at the table; cents if there are any."""
    whole, _, decimals = amount.partition(".")
    return f"{int(whole):,}" if decimals == "00" else f"{int(whole):,}.{decimals}"


# ---- the stage


def stage_of(last: Mapping[str, Any], changes: Iterable[Facts], kinds: Kinds) -> dict[str, Any]:
    """Return a place for everything that any step has; `last` is the final picture. Bettors who withdrew everything are
    not in it, so `kinds` says of everybody who ever bet whether the seat was theirs."""
    seated = {seat: bettor for (seat, bettor), kind in kinds.items() if kind is None}
    cards: dict[str, dict[int, list[str]]] = {}  # by place and hand
    piles: dict[str, list[str]] = {}  # by seat
    others: list[str] = []
    for name in dict.fromkeys(chain.from_iterable(changes)):
        kind, *rest = name.split("/")
        if kind == "card":
            cards.setdefault(rest[0], {}).setdefault(int(rest[1]), []).append(name)
        elif kind == "pile":
            piles.setdefault(rest[0], []).append(name)
        elif not rest:
            others.append(name)
    return {
        "seats": [
            {
                "seat": seat["seat"],
                "bettor": seat["bettor"] or seated.get(seat["seat"]),
                "banks": seat["banks"],
                "hands": _hands_at(cards.get(str(seat["seat"]), {})),
                "piles": _piles_at(piles.get(str(seat["seat"]), []), seat["seat"], kinds, str(seat["seat"]) in cards),
            }
            for seat in last["seats"]
        ],
        "dealer": _hands_at(cards.get("dealer", {})),
        "board": [name for hand in _hands_at(cards.get("board", {})) for name in hand["cards"]],
        "bank": {name: last["bank"][name] for name in ("seat", "bettor", "turn", "wager")},
        "others": others,
    }


def _hands_at(hands: Mapping[int, list[str]]) -> list[dict[str, Any]]:
    """Return the hands of a place, each with the names of its cards."""
    return [{"hand": number, "cards": sorted(cards, key=_at)} for number, cards in sorted(hands.items())]


def _at(card: str) -> int:
    return int(card.rpartition("/")[2])


def _piles_at(names: Iterable[str], seat: int, kinds: Kinds, dealt: bool) -> list[dict[str, Any]]:
    """Return the seated player's first, then the others'; a spot with numbered hands has one for each that was
    dealt."""
    piles = []
    for name in names:
        _, _, spot, bettor, hand = name.split("/")
        kind = kinds.get((seat, bettor), "other")
        hand_of = int(hand) if dealt and spot in BY_HAND else None
        piles.append({"name": name, "spot": spot, "bettor": bettor, "kind": kind, "hand": hand_of})
    return sorted(piles, key=lambda pile: (pile["kind"] is not None, pile["hand"] or 0))


def marks_of(why: Why) -> list[str]:
    """Return the names of the cards that make the hands behind a step."""
    return [f"card/{mark.place}/{mark.hand}/{mark.at}" for made in why.made for mark in made.marks]


def left_words(bank: Mapping[str, Any]) -> str | None:
    """Return what is left of the player-dealer's wager, as a sentence."""
    if bank["wager"] is None:
        return None
    if bank["to_pay"] == bank["to_collect"]:
        return f"${short(bank['to_pay'])} of ${short(bank['wager'])} is left."
    return f"${short(bank['to_pay'])} is left to pay with, ${short(bank['to_collect'])} to collect."

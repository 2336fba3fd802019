"""Legal rounds of all seven rule sets: what the engine says it expects is what gets played.

`documents()` is a Hypothesis strategy for round documents as a table's terminal would post them. An action that
`expects` offers and `decide` then refuses fails the test that asked for a round, so the strategy is a law by itself.

Hypothesis chooses the dice and the dice choose the round: ten times as fast as choosing every card by itself, and a
failure is found again from its seed. Two environment variables help to look for failures and into them:
ROUNDLEDGER_EXAMPLES=50 tries fifty times as many rounds, others each time; ROUNDLEDGER_SHRINK=1 lets Hypothesis choose
every single step, which is slow, and makes the round that fails as small as it can.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

from domain.cards import DECK, RANKS, SUITS
from domain.documents.document import read_document
from domain.errors import Refusal
from domain.money import cents, money
from domain.round.actions import parse_action
from domain.round.decide import decide, expects, fold
from domain.round.events import RoundEvent
from domain.round.state import Round

Json = dict[str, Any]
T = TypeVar("T")

MOST_CENTS = 10**14 - 1  # the largest amount that the contract can write
MOST_ACTIONS = 500
UTH_TRIPS = ("UTH-01", "UTH-02", "UTH-03", "UTH-04")
PROGRESSIVES = ("UTHP-01", "UTHP-02", "PMG-01", "PMG-02")
NAMES = ("p-1", "p-2", "p-3", "seat-2", "seat-5", "0", "z" * 40)
FOLLOWERS = ("b-1", "b-2", "b-3", "p-1", "p-2")


def laws(examples: int) -> settings:
    """The same examples on every run, unless more of them are asked for."""
    more = int(os.environ.get("ROUNDLEDGER_EXAMPLES", "0"))
    return settings(
        max_examples=examples * (more or 1),
        derandomize=not more,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )


def dice() -> st.SearchStrategy[random.Random]:
    if os.environ.get("ROUNDLEDGER_SHRINK"):
        return st.randoms(use_true_random=False)
    half = st.integers(0, 2**20)  # one wide range would favour small numbers, and so the same rounds
    return st.tuples(half, half).map(lambda seed: random.Random(str(seed)))


class Offer(NamedTuple):
    """What the contract lets the terms of a rule set say; written out here so that the data files are held to it."""

    seats: int
    trips: tuple[str, ...] = ()
    usual_trips: bool = True  # may be left out
    dealings: tuple[str, ...] = ("shuffler",)
    schedules: tuple[int, ...] = ()
    supplied: bool = False
    house: bool = False
    printed: Mapping[str, tuple[int, int]] = {}
    open_limits: tuple[str, ...] = ()  # spots whose limits are the table's own to set


OFFERS: Mapping[str, Offer] = {
    "uth-club": Offer(7, ("UTH-03",), dealings=("shoe",), supplied=True, open_limits=("ante", "trips")),
    "uth-bgc": Offer(8, UTH_TRIPS, False, ("shuffler", "shoe"), supplied=True, open_limits=("ante", "trips")),
    "uth-casino-club": Offer(
        7, ("UTH-04",), True, ("shuffler", "shoe"), (1,), printed={"ante": (500, 50000), "trips": (0, 5000)}
    ),
    "uth-house": Offer(7, UTH_TRIPS, house=True, open_limits=("ante", "trips")),
    "uth-sd": Offer(7, UTH_TRIPS, False, ("shuffler", "hand"), house=True, open_limits=("ante", "trips")),
    "tcp-casino-club": Offer(
        7, schedules=(1, 2, 3, 4, 5), printed={"ante": (500, 50000), "pair_plus": (0, 5000), "six_card": (0, 2500)}
    ),
    "p215-casino-club": Offer(
        8,
        dealings=("shoe",),
        schedules=tuple(range(1, 13)),
        printed={"buster": (100, 5000), "red_flex": (100, 5000)},
    ),
}
RULESETS = tuple(OFFERS)


# ---- what a law looks at


class Step(NamedTuple):
    before: Round
    action: Json
    events: list[RoundEvent]
    after: Round


def steps_of(document: Json) -> Iterator[Step]:
    """A legal document, action by action."""
    round_ = read_document(document).opening
    for action in document["actions"]:
        events = decide(round_, parse_action(action))
        after = fold(round_, events)
        yield Step(round_, action, events, after)
        round_ = after


def seating(document: Json) -> dict[int, str]:
    """Who sits where by the contract: whom `players` names, the player-dealer, and "seat-4" at seat 4."""
    seated = {seat: f"seat-{seat}" for seat in range(1, OFFERS[document["ruleset"]].seats + 1)}
    seated |= {int(seat): bettor for seat, bettor in document.get("players", {}).items()}
    bank = document.get("player_dealer", {})
    return seated | ({bank["seat"]: bank["bettor"]} if "bettor" in bank else {})


def matches(entry: Json, action: Json, seated: Mapping[int, str]) -> bool:
    """Whether everything that an entry of `expects` fixes agrees with the action; a field left out has its default."""
    if entry["do"] != action["do"]:
        return False
    for field in ("seat", "to", "of", "spot"):
        if field in entry and action.get(field) not in _one_or_more(entry[field]):
            return False
    if entry["do"] in ("deal", "decide") and action.get("hand", 1) != entry.get("hand", 1):
        return False
    if entry["do"] == "decide":
        who = seated[action["seat"]]
        if action.get("bettor", who) not in _one_or_more(entry.get("bettor", who)):
            return False
        return any(_choice_matches(choice, action) for choice in entry["choices"])
    return "count" not in entry or len(action.get("cards", ())) == entry["count"]


def _one_or_more(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _choice_matches(choice: Json, action: Json) -> bool:
    if choice["choice"] != action["choice"]:
        return False
    if "times" in choice and action.get("times") not in choice["times"]:
        return False
    return "max" not in choice or ("amount" in action and cents(action["amount"]) <= cents(choice["max"]))


# ---- terms


def _one_in(dice: random.Random, several: int) -> bool:
    return dice.randrange(several) == 0


def _amount(dice: random.Random, low: int, high: int) -> int:
    """From low to high, either of them more often than by chance, and a small one as often as a large one."""
    match dice.randrange(8):
        case 0:
            return low
        case 1:
            return high
        case 2:
            return dice.randint(low, high)
        case _:
            return min(high, low + dice.randrange(10 ** dice.randint(1, 6)))


def _whole_chips(dice: random.Random, chip: int, low: int, high: int) -> int | None:
    fewest, most = -(-max(low, 1) // chip), high // chip
    return chip * _amount(dice, fewest, most) if fewest <= most else None


def _terms(dice: random.Random, ruleset: str) -> Json:
    offer = OFFERS[ruleset]
    terms: Json = {}
    if offer.trips and not (offer.usual_trips and _one_in(dice, 2)):
        terms["trips"] = dice.choice(offer.trips)
    if _one_in(dice, 2):
        terms["dealing"] = dice.choice(offer.dealings)
    if ruleset == "p215-casino-club" and _one_in(dice, 2):
        terms["decks"] = dice.randint(1, 8)
    chip = 100
    if _one_in(dice, 2):
        chip = dice.choice((100, 1, 5, 50, 250, 500, 2500, 10000))
        terms["chip"] = money(chip)
    bounds = dict(offer.printed)
    _schedule(dice, ruleset, chip, terms, bounds)
    limits = {}
    for spot in dict.fromkeys((*bounds, *offer.open_limits)):
        drawn = _limits(dice, ruleset, chip, bounds.get(spot)) if _one_in(dice, 5) else None
        if drawn is not None:
            limits[spot] = [money(bound) for bound in drawn]
    if limits or _one_in(dice, 10):
        terms["limits"] = limits
    if not offer.house and _one_in(dice, 2):
        terms["coverage"] = dice.choice(("single-pool", "separate-limits"))
    if ruleset == "uth-sd":
        _progressive(dice, terms)
    return terms


def _limits(dice: random.Random, ruleset: str, chip: int, bounds: tuple[int, int] | None) -> tuple[int, int] | None:
    """Limits of a table's own that leave at least one whole number of chips to bet; None where there are none."""
    low, high = bounds or (0, dice.choice((10_000, 1_000_000, MOST_CENTS)))
    if ruleset == "uth-sd":  # six times the ante, trips and progressive must stay within the customer limit
        high = 13_000
    some = _whole_chips(dice, chip, low, high)
    return None if some is None else (dice.randint(low, some), _amount(dice, some, high))


def _schedule(dice: random.Random, ruleset: str, chip: int, terms: Json, bounds: dict[str, tuple[int, int]]) -> None:
    """A printed option, none, or one that the cardroom supplies; it also bounds what the base wager may be."""
    offer = OFFERS[ruleset]
    if offer.schedules:
        option = dice.choice(offer.schedules)
        if len(offer.schedules) > 1 or _one_in(dice, 2):
            terms["schedule"] = option
        if ruleset == "p215-casino-club":
            bounds["game"] = (500, 50000) if option <= 5 else (500, 100000) if option <= 10 else (2500, 200000)
    elif offer.supplied and _one_in(dice, 2):
        rising = sorted({_amount(dice, 1, 200_000) for _ in range(dice.randint(0, 4))})
        tiers = [[bound, money(dice.randint(0, 2_000))] for bound in (*map(money, rising), None)]
        limits = _limits(dice, ruleset, chip, None)
        assert limits is not None
        terms["schedule"] = {"limits": [money(bound) for bound in limits], "tiers": tiers}
        bounds["ante"] = limits
    elif _one_in(dice, 2):
        terms["schedule"] = None


def _progressive(dice: random.Random, terms: Json) -> None:
    if _one_in(dice, 5):
        if _one_in(dice, 2):
            terms["progressive"] = None
        return
    terms["progressive"] = dice.choice(PROGRESSIVES)
    percent = dice.randint(0, 100)
    meter: Json = {field: money(_amount(dice, 0, MOST_CENTS)) for field in ("seed", "shown", "reserve")}
    meter |= {"percent": percent, "reserve_percent": dice.randint(0, 100 - percent)}
    terms["meter"] = meter | ({"id": "meter-1"} if _one_in(dice, 2) else {})


# ---- bets


class _Layout:
    """The wagers that a round is going to be played with, each of them legal and with the required ones."""

    def __init__(self, dice: random.Random, opening: Round, seated: Mapping[int, str]) -> None:
        self.dice, self.opening, self.seated = dice, opening, seated
        self.bets: list[Json] = []
        self.left: dict[str, int] = {}  # what the customer limit still leaves a bettor

    def fill(self) -> list[Json]:
        seats = [seat for seat, bettor in self.seated.items() if self._may_bet(bettor)]
        for seat in sorted(self.dice.sample(seats, self.dice.randint(1, len(seats)))):
            if self._own_wagers(seat):
                for bettor in self.dice.sample(FOLLOWERS, self.dice.choice((0, 0, 1, 2))):
                    if bettor != self.seated[seat] and self._may_bet(bettor):
                        self._followers_wagers(seat, bettor)
        if _one_in(self.dice, 2):
            self.dice.shuffle(self.bets)
        return self.bets

    def _may_bet(self, bettor: str) -> bool:
        return self.opening.bank is None or bettor != self.opening.bank.bettor

    def _own_wagers(self, seat: int) -> bool:
        bettor = self.seated[seat]
        if self.opening.rules.id == "uth-sd" and _one_in(self.dice, 4):
            base = self._bet(seat, "trips", bettor)
        else:
            base = self._base(seat, bettor)
            if base:
                self._bonus(seat, bettor)
        table = self.opening.terms.progressive
        if base and table is not None and not _one_in(self.dice, 3) and self._budget(bettor) >= table.wager:
            self._spend(bettor, table.wager)
            self._place(seat, "progressive", table.wager, bettor)
        return base

    def _base(self, seat: int, bettor: str, kind: str | None = None) -> bool:
        if self.opening.rules.family == "p215":
            return self._bet(seat, "game", bettor, kind)
        if self.opening.rules.family == "tcp":
            return self._bet(seat, "ante", bettor, kind)
        ante = self._stake("ante", self._budget(bettor) // 6)
        if ante is None:
            return False
        self._spend(bettor, 6 * ante)
        for spot in ("ante", "blind"):
            self._place(seat, spot, ante, bettor, kind)
        return True

    def _bonus(self, seat: int, bettor: str, kind: str | None = None) -> None:
        spots = {"uth": ("trips",), "tcp": ("pair_plus", "six_card"), "p215": ("buster", "red_flex")}
        for spot in spots[self.opening.rules.family]:
            if _one_in(self.dice, 2):
                self._bet(seat, spot, bettor, kind)

    def _followers_wagers(self, seat: int, bettor: str) -> None:
        if self.opening.rules.id == "uth-house":
            return
        if self.opening.rules.id != "uth-sd":
            if self._base(seat, bettor, "backline"):
                self._bonus(seat, bettor, "backline")
            return
        own = {bet["spot"] for bet in self.bets if bet["seat"] == seat and "kind" not in bet}
        for spot in ("ante", "blind", "trips") if "ante" in own else ("trips",):
            tip = self._stake(spot, MOST_CENTS, tip=True) if _one_in(self.dice, 2) else None
            if tip is not None:
                self._place(seat, spot, tip, bettor, "toke")

    def _budget(self, bettor: str) -> int:
        limit = self.opening.rules.customer_limit
        return MOST_CENTS * 6 if limit is None else self.left.get(bettor, limit.most)

    def _spend(self, bettor: str, amount: int) -> None:
        self.left[bettor] = self._budget(bettor) - amount

    def _stake(self, spot: str, most: int, tip: bool = False) -> int | None:
        low, high = self.opening.terms.limits["ante" if spot == "blind" else spot]
        if tip and spot != "trips":
            low = 0
        return _whole_chips(self.dice, self.opening.terms.chip, low, min(high, most))

    def _bet(self, seat: int, spot: str, bettor: str, kind: str | None = None) -> bool:
        amount = self._stake(spot, self._budget(bettor))
        if amount is None:
            return False
        self._spend(bettor, amount)
        self._place(seat, spot, amount, bettor, kind)
        return True

    def _place(self, seat: int, spot: str, amount: int, bettor: str, kind: str | None = None) -> None:
        bet: Json = {"do": "bet", "seat": seat, "spot": spot, "amount": money(amount)}
        if kind is not None:
            bet |= {"bettor": bettor, "kind": kind}
        elif _one_in(self.dice, 6):
            bet["bettor"] = bettor
        if amount > 1 and _one_in(self.dice, 10):  # a second bet on a spot adds to the first
            part = self.dice.randint(1, amount - 1)
            self.bets.append({**bet, "amount": money(amount - part)})
            bet["amount"] = money(part)
        self.bets.append(bet)


# ---- cards

Wishes = dict[Any, list[str | None]]  # for a place: ranks, or whole cards, in the order they are dealt; None: any card


class _Shoe:
    """The real cards, also where a document leaves them unseen. Some places have cards set aside for them."""

    def __init__(self, cards: list[str], wishes: Wishes) -> None:
        self.cards = cards
        self.dealt: dict[Any, list[str]] = {}
        self.set_aside = {place: [self._find(wish) for wish in cards] for place, cards in wishes.items()}

    def _find(self, wish: str | None) -> str | None:
        for card in self.cards:
            if wish is not None and card.startswith(wish):
                self.cards.remove(card)
                return card
        return None

    def take(self, place: Any, count: int) -> list[str]:
        waiting = self.set_aside.get(place, [])
        assume(len(self.cards) >= count)  # a single deck may not last for eight seats that split and hit
        cards = [(waiting.pop(0) if waiting else None) or self.cards.pop() for _ in range(count)]
        self.dealt.setdefault(place, []).extend(cards)
        return cards


def _shoe(dice: random.Random, opening: Round, seats: list[int]) -> _Shoe:
    cards = list(DECK) * opening.terms.decks
    dice.shuffle(cards)
    if _one_in(dice, 4):  # few ranks or few suits on top make high hands common
        top = dice.sample(*dice.choice(((RANKS, 4), (RANKS, 6), (SUITS, 1), (SUITS, 2))))
        cards.sort(key=lambda card: card[0] in top or card[1] in top)
    if opening.terms.progressive is not None and _one_in(dice, 2):
        return _Shoe(cards, _run_in_reach(dice, seats))
    themes = {"uth": _holdem_cards, "tcp": _three_cards, "p215": _point_cards}
    return _Shoe(cards, themes[opening.rules.family](dice, seats))


def _run(dice: random.Random) -> list[str]:
    """A royal flush or a lower straight flush, in any order."""
    top, suit = dice.choice((12, 12, 8, 3)), dice.choice(SUITS)
    return dice.sample([RANKS[top - back] + suit for back in range(5)], 5)


def _run_in_reach(dice: random.Random, seats: list[int]) -> Wishes:
    """A royal or straight flush for one seat, in its first five cards or not, or on the board for everybody."""
    run, held = _run(dice), dice.choice((0, 1, 2, 2))
    before: list[str | None] = [None] * dice.randint(0, held)
    return {dice.choice(seats): [*run[:held]], "board": [*before, *run[held:]]}


def _holdem_cards(dice: random.Random, seats: list[int]) -> Wishes:
    lucky, other = dice.choice(seats), dice.choice((*seats, "dealer"))
    match dice.randrange(8):
        case 0 | 1:
            return _run_in_reach(dice, seats)
        case 2:
            rank, second = dice.sample(RANKS, 2)
            return {lucky: [rank, rank], "board": [rank, dice.choice((rank, second)), second]}
        case 3:  # the board plays for everybody
            return {"board": list(dice.choice(("TJQKA", "AAAAK", "KKK22", "23456")))}
        case 4:  # two who share the suit of one long run
            run = _run(dice)
            return {"board": [*run[:3]], other: ["9" + run[0][1], "8" + run[0][1]], lucky: [*run[3:]]}
        case _:
            return {}


def _three_cards(dice: random.Random, seats: list[int]) -> Wishes:
    lucky, suit = dice.choice((*seats, "dealer")), dice.choice(SUITS)
    match dice.randrange(8):
        case 0:
            run = _run(dice)
            return {seats[0]: [*run[:3]], "dealer": [*run[3:]]}
        case 1:
            return {lucky: list(dice.choice(("AKQ", "A23", "777", "QQ2", "Q32")))}
        case 2:
            return {lucky: [rank + suit for rank in dice.choice(("AKQ", "KQJ", "A32", "AK9"))]}
        case 3:
            return {"dealer": ["J", "9", "3"], seats[0]: ["5", "5"]}
        case _:
            return {}


def _point_cards(dice: random.Random, seats: list[int]) -> Wishes:
    dealers = ("", "", "888", "AT", "A6", "KA", "A9", "2222222A", "AA2A32", "6T", "TTT", "5665", "T6T", "86")
    hands = ("", "", "", "AK", "8888888", "AAAA", "TKQJ", "TTTTTT", "992299", "5A5A", "T9", "A7", "T5T")
    wishes: Wishes = {seat: list(dice.choice(hands)) for seat in seats}
    if _one_in(dice, 4):
        return wishes | {"dealer": [rank + dice.choice("dh") for rank in "2A32A32A"]}
    return wishes | {"dealer": list(dice.choice(dealers))}


# ---- play


class _Table:
    """Plays one round to its end."""

    def __init__(self, dice: random.Random, opening: Round, seated: Mapping[int, str], bets: list[Json]) -> None:
        self.dice, self.round, self.seated, self.actions = dice, opening, seated, list[Json]()
        self.chip = opening.terms.chip
        self.style = dice.choice(("any", "any", "any", "timid", "bold"))
        self.unseen = dice.choice((0, 0, 1, 3))  # of four packets that may be face down
        for bet in bets:
            self.post(bet)
            if _one_in(dice, 8):
                self._change_a_wager(bet)
        self.post({"do": "close_bets"})
        self.shoe = _shoe(dice, opening, sorted(self.round.layout))

    def _change_a_wager(self, bet: Json) -> None:
        """More than intended, and the rest taken back; or the whole wager taken back and placed again."""
        who: Json = {key: value for key, value in bet.items() if key in ("seat", "spot", "bettor")}
        if _one_in(self.dice, 2):
            self.post({**bet, "amount": "1.37"})
            self.post({"do": "withdraw", **who, "amount": "1.37"})
        else:
            placed = self.round.layout[bet["seat"]][bet.get("bettor", self.seated[bet["seat"]])].spots[bet["spot"]]
            whole = placed == cents(bet["amount"]) and _one_in(self.dice, 2)
            amount = {} if whole else {"amount": bet["amount"]}
            self.post({"do": "withdraw", **who, **amount})
            self.post(bet)

    def post(self, action: Json) -> None:
        self.actions.append(action)
        try:
            events = decide(self.round, parse_action(action))
        except Refusal as refusal:
            raise AssertionError(f"expected and yet refused: {action}: {refusal.code}: {refusal.detail}") from refusal
        self.round = fold(self.round, events)

    def play(self) -> list[Json]:
        while self.round.status == "open":
            offered = [open_ for entry in expects(self.round) if (open_ := self._playable(entry)) is not None]
            self.post(self._action(self.dice.choice(offered)))
        return self.actions

    def _playable(self, entry: Json) -> Json | None:
        """The entry unless it ends the round early, and without amounts too small for a single chip."""
        if entry["do"] == "void":
            return None
        if entry["do"] != "decide":
            return entry
        choices = [choice for choice in entry["choices"] if "max" not in choice or cents(choice["max"]) >= self.chip]
        return {**entry, "choices": choices} if choices else None

    def _action(self, entry: Json) -> Json:
        match entry["do"]:
            case "deal":
                return self._deal(entry)
            case "reveal":
                return self._reveal(entry)
            case "decide":
                return self._decide(entry)
            case "peek":
                return self._peek()
            case _:
                return dict(entry)

    def _deal(self, entry: Json) -> Json:
        place, count = entry["to"], entry["count"]
        face_up = self._face_up(place, count)
        cards: list[str | None] = [*self.shoe.take(place, count)]
        if self.dice.randrange(4) < self.unseen:
            hidden = self.dice.sample(range(count), self.dice.randint(1, count))
            cards = [None if at in hidden and at not in face_up else card for at, card in enumerate(cards)]
        return self._with_hand({"do": "deal", "to": place, "cards": cards}, entry)

    def _face_up(self, place: Any, count: int) -> Sequence[int]:
        """Which cards of the next packet are face up and so must be named."""
        family = self.round.rules.family
        if family == "p215" and not (place == "dealer" and len(self.shoe.dealt.get("dealer", ())) == 1):
            return range(count)
        return (2,) if family == "tcp" and place == "dealer" else ()

    def _with_hand(self, action: Json, entry: Json) -> Json:
        if "hand" in entry:
            action["hand"] = entry["hand"]
        elif self.round.rules.family == "p215" and _one_in(self.dice, 6):
            action["hand"] = 1
        return action

    def _reveal(self, entry: Json) -> Json:
        of = self.dice.choice(_one_or_more(entry["of"]))
        board = {"flop": slice(0, 3), "turn_river": slice(3, 5)}
        cards = self.shoe.dealt["board"][board[of]] if of in board else self.shoe.dealt[of]
        action: Json = {"do": "reveal", "of": of}
        if "count" in entry or _one_in(self.dice, 4):
            action["cards"] = list(cards)
        return action

    def _peek(self) -> Json:
        up, hole = (card[0] for card in self.shoe.dealt["dealer"])
        if self.round.hands["dealer"][1] is not None and _one_in(self.dice, 2):
            return {"do": "peek"}
        return {"do": "peek", "pure": (up == "A" and hole in "TJQK") or (hole == "A" and up in "TJQK")}

    def _decide(self, entry: Json) -> Json:
        choice = self._choice(entry["choices"])
        seat = entry["seat"]
        action: Json = {"do": "decide", "seat": seat, "choice": choice["choice"]}
        if "times" in choice:
            action["times"] = self.dice.choice(choice["times"])
        if "max" in choice:
            most = cents(choice["max"])
            action["amount"] = money(_whole_chips(self.dice, self.chip, self.chip, most) or most)
        if "bettor" in entry:
            action["bettor"] = entry["bettor"]
        elif _one_in(self.dice, 6):
            action["bettor"] = self.seated[seat]
        return self._with_hand(action, entry)

    def _choice(self, choices: list[Json]) -> Json:
        """The timid fold and the bold play, where there is such a choice."""
        liked = {"timid": ("check", "fold", "surrender"), "bold": ("raise", "play", "split"), "any": ()}[self.style]
        for choice in choices:
            if choice["choice"] in liked or (choice["choice"] == "split" and _one_in(self.dice, 2)):
                return choice
        return self.dice.choice(choices)


# ---- documents


def _envelope(dice: random.Random, ruleset: str) -> Json:
    offer = OFFERS[ruleset]
    document: Json = {"ruleset": ruleset, "terms": _terms(dice, ruleset)}
    if not document["terms"] and _one_in(dice, 2):
        del document["terms"]
    if _one_in(dice, 2):
        document |= {"round": dice.choice(("r-1", "0")), "table": "t-1"}
    if _one_in(dice, 2):
        seats = dice.sample(range(1, offer.seats + 1), dice.randint(0, 4))
        document["players"] = {str(seat): dice.choice(NAMES) for seat in seats}
    if not offer.house:
        document["player_dealer"] = _player_dealer(dice, document.get("players", {}), offer)
    return document


def _player_dealer(dice: random.Random, players: Json, offer: Offer) -> Json:
    seat = dice.randint(1, offer.seats)
    most = dice.choice((500, 20_000, 200_000, 1_000_000, 10**8, MOST_CENTS))
    wager = most if most == MOST_CENTS else dice.randint(1, most)
    bank: Json = {"seat": seat, "wager": money(wager)}
    if _one_in(dice, 2):
        bank["bettor"] = players.get(str(seat)) or dice.choice(("tp-1", "p-1"))
    others = [other for other in range(1, offer.seats + 1) if other != seat]
    if _one_in(dice, 4):
        bank["declined"] = dice.sample(others, dice.randint(0, len(others)))
    return bank


def play_round(dice: random.Random, ruleset: str, whole: bool = False) -> Json:
    document = _envelope(dice, ruleset)
    opening = read_document({**document, "actions": []}).opening
    seated = seating(document)
    bets = _Layout(dice, opening, seated).fill()
    assume(bets)  # limits, chip unit and customer limit may leave nobody anything to bet
    actions = _Table(dice, opening, seated, bets).play()
    assume(len(actions) < MOST_ACTIONS)
    ending = "settle" if whole else dice.choice(("settle", "settle", "settle", "early", "void"))
    if ending != "settle":
        actions = actions[: dice.randrange(len(actions))]
    if ending == "void":
        void: Json = {"do": "void", "reason": dice.choice(("misdeal", "malfunction", "irregularity"))}
        if _one_in(dice, 2):
            void["detail"] = dice.choice(("", "Two cards: 4s and 4h.", "☂ \n\0\\"))
        actions = [*actions, void]
    return {**document, "actions": actions}


def documents(ruleset: str | None = None, whole: bool = False) -> st.SearchStrategy[Json]:
    """Legal round documents; some end early and some in a void, unless they shall be `whole`."""
    rulesets = st.sampled_from(RULESETS) if ruleset is None else st.just(ruleset)
    return st.builds(play_round, dice(), rulesets, st.just(whole))

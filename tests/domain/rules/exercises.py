"""Rounds and questions that exercise every figure of a rule set, and what comes of them under any version of it.

What comes of a round is what may happen at each step of it, all its events without their sentences, and the refusal
that ends it. Each exercise says which figures it is about, so that those are asked first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from itertools import product
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from domain.documents.document import read_document
from domain.errors import Refusal
from domain.floor import table_sessions
from domain.floor.trips_tables import used_at
from domain.round.actions import parse_action
from domain.round.decide import decide, expects
from domain.round.events import LineSettled
from domain.round.state import Round, fold
from domain.rules import rulesets
from domain.rules.loader import of_day
from domain.rules.ruleset import RuleSet
from domain.rules.terms import NO_TERMS, TermsDocument, resolve
from tests.rules.button_games import ButtonGame, p215, spread, tcp
from tests.rules.hold_em import BOARD, DEUCES, FEES, FIVE_TIERS, KING_HIGH, MADE, PAIR_OF_QUEENS, STREETS, HoldEm
from tests.rules.rounds import Play

METER = {"seed": "1000.00", "shown": "50000.00", "reserve": "500.00", "percent": 10, "reserve_percent": 5}
SIX_TIERS = [["50.00", "0.50"], *FIVE_TIERS]
RANKS = "A23456789TJQK"


class Exercise(NamedTuple):
    about: str  # how the places of the figures begin that this is about
    outcome: Callable[[RuleSet], Any]


def exercises(ruleset: str) -> list[Exercise]:
    rules = rulesets.load(ruleset)
    games = {"uth": _hold_em, "tcp": _three_card_poker, "p215": _pure_21_5}
    return [
        Exercise("in_force", _day),
        Exercise("rotation", _rotation),
        Exercise("trips_table", _trips_table),
        *(Exercise(about, _opened_with(terms)) for about, terms in _terms(rules)),
        *(Exercise(f"dealing.{mode}", played(_dealt_out(rules, mode))) for mode in rules.dealings),
        *(Exercise(about, played(play)) for about, play in games[rules.family](rules)),
    ]


# ---- what comes of a round, of terms, of a table, of a day


def played(play: Play) -> Callable[[RuleSet], Any]:
    document = {**play.envelope, "actions": []}

    def outcome(rules: RuleSet) -> Any:
        seen: list[Any] = []
        try:
            round_ = read_document(document, lambda _: rules).opening
            seen.append(round_.terms.document)
            for action in play.actions:
                seen.append(expects(round_))
                happened = decide(round_, parse_action(dict(action)))
                round_ = fold(round_, happened)
                seen += [replace(event, reason="") if type(event) is LineSettled else event for event in happened]
            seen.append(expects(round_))
        except Refusal as refusal:
            seen.append((refusal.code, refusal.clause))
        return seen

    return outcome


def _opened_with(terms: Mapping[str, Any]) -> Callable[[RuleSet], Any]:
    given = msgspec.convert(terms, TermsDocument)

    def outcome(rules: RuleSet) -> Any:
        try:
            resolved = resolve(rules, given)
        except Refusal as refusal:
            return refusal.code, refusal.clause
        return resolved.document, resolved.decks

    return outcome


def _session(rules: RuleSet) -> table_sessions.TableSession | None:
    try:
        terms = resolve(rules, _needed(rules))
    except Refusal:
        return None
    return table_sessions.start(rules, terms, table_sessions.open_session(rules, terms, "t-1", None, None))


def _needed(rules: RuleSet) -> TermsDocument:
    """The fewest terms that a table of the rule set needs."""
    trips = next(iter(rules.tables_for("trips")), None)
    options = list(rules.schedules)
    terms = NO_TERMS if trips is None else replace(NO_TERMS, trips=trips)
    return replace(terms, schedule=options[0]) if options else terms


def _rotation(rules: RuleSet) -> Any:
    """The same player banks as long as nobody objects, then with every other seat declining; and the decks' colours."""
    session = _session(rules)
    if session is None or not rules.player_banked:
        return None
    seen: list[Any] = []
    for number, declined in enumerate([(), (), (), (1, 3), (1, 3), (1, 3)]):
        try:
            begun = table_sessions.begin_round(session, f"r-{number}", (4, "p-4"), declined, occupied=(1, 3, 4))
        except Refusal as refusal:
            seen.append((refusal.code, refusal.clause))
            continue
        seen.append(begun[-1])
        session = table_sessions.fold(session, [*begun, table_sessions.RoundEnded(f"r-{number}", "settled")])
    return seen


def _day(rules: RuleSet) -> list[int]:
    """Which version counts on the days around the release of this one."""
    known = [rulesets.load(rules.id, 1), rules]
    release = rulesets.load(rules.id).in_force.since
    return [of_day(known, release + timedelta(days=days)).version for days in (-1, 0, 1)]


def _trips_table(rules: RuleSet) -> bool:
    """Whether the audit compares the pay table of a round with that of the day's first."""
    bank = {"player_dealer": {"seat": 7, "wager": "1000.00"}} if rules.player_banked else {}
    terms = msgspec.to_builtins(_needed(rules))
    opening = read_document({"ruleset": rules.id, "terms": terms, "actions": [], **bank}, lambda _: rules).opening
    return used_at(opening, "2026-11-18", 0, 1) is not None


def _terms(rules: RuleSet) -> Iterator[tuple[str, dict[str, Any]]]:
    """Terms at the edges of what a rule set leaves to a table."""
    needed = msgspec.to_builtins(_needed(rules))
    yield "paytable", {key: value for key, value in needed.items() if key != "trips"}
    yield "chip", needed
    for decks in (1, 2, 7, 8, 9):
        yield "decks", {**needed, "decks": decks}
    for mode in ("shuffler", "shoe", "hand"):
        yield f"dealing.{mode}.usual", {**needed, "dealing": mode}
    for spot, name in product(rules.spots, ("0.01 10.00", "5.00 51.00", "5.00 200.00", "6.00 600.00")):
        yield f"spot.{spot}", {**needed, "limits": {spot: name.split()}}
    for option in rules.schedules:
        yield f"schedule.{option}.", {**needed, "schedule": option}
    for tiers in (FIVE_TIERS, SIX_TIERS):
        yield "collection", {**needed, "schedule": {**FEES, "tiers": tiers}}
    yield "collection", {**needed, "schedule": None}


# ---- a round that plays itself by what is expected next


def _dealt_out(rules: RuleSet, mode: str) -> Play:
    """Three seats round the player-dealer, each doing the least it can, with cards that nobody has seen."""
    play = _seats_round_the_bank(rules, dealing=mode).close_bets()
    deck = iter([rank + suit for suit in "cdhs" for rank in "23456789TJQKA"])
    document = {**play.envelope, "actions": []}
    round_ = read_document(document, lambda _: rules).opening
    for action in play.actions:
        round_ = fold(round_, decide(round_, parse_action(dict(action))))
    while round_.status == "open":
        action = _least(expects(round_), round_, deck)
        play = play.do(**action)
        round_ = fold(round_, decide(round_, parse_action(action)))
    return play


def _least(entries: list[dict[str, Any]], round_: Round, deck: Iterator[str]) -> dict[str, Any]:
    ways = {entry["do"]: entry for entry in reversed(entries)}
    if "deal" in ways:
        to, count = ways["deal"]["to"], ways["deal"]["count"]
        return {"do": "deal", "to": to, "cards": [next(deck) for _ in range(count)]}
    if "peek" in ways:
        return {"do": "peek"}
    if "decide" in ways:
        entry = ways["decide"]
        choices = [choice["choice"] for choice in entry["choices"]]
        least = next(choice for choice in ("check", "fold", "stand", "hit") if choice in choices)
        return {"do": "decide", "seat": entry["seat"], "choice": least}
    if "settle" in ways:
        return {"do": "settle"}
    return {"do": "reveal", "of": ways["reveal"]["of"]}


def _seats_round_the_bank(rules: RuleSet, **terms: Any) -> Play:
    needed = msgspec.to_builtins(_needed(rules))
    play = Play.at(rules.id, banker=4 if rules.player_banked else None, **needed, **terms)
    spots = {"uth": {"ante": 10, "blind": 10, "trips": 5}, "tcp": {"ante": 10, "six_card": 5}, "p215": {"game": 10}}
    for seat in (1, 3, 6):
        play = play.bet(seat, None, None, **spots[rules.family])
    return play


# ---- Ultimate Texas Hold'em

ROYAL_BOARD = "AsKsQsJsTs"


def _hold_em(rules: RuleSet) -> Iterator[tuple[str, Play]]:
    yield from _made_hands(rules)
    yield from _orders(rules)
    one = _table(rules).bet(1, ante=10, blind=10, trips=5)
    unseen = one.deal_out({1: "????"}, PAIR_OF_QUEENS).check(1).reveal("flop").check(1).reveal("turn_river")
    yield "folded_hands", unseen.fold(1).settle()
    yield "street", one.deal_out({1: "KsKh"}, PAIR_OF_QUEENS, "?" * 10).check(1).reveal("flop", BOARD[:6])
    yield "qualify", _shown(one, {1: ("AsAh", 4)}, PAIR_OF_QUEENS)
    for spot in ("ante", "trips"):
        own = {"ante": 10, "blind": 10, "trips": 5} | {spot: 700} | ({"blind": 700} if spot == "ante" else {})
        yield f"spot.{spot}", _table(rules).bet(1, None, None, **own).close_bets()
    for kind in ("backline", "toke"):
        yield "bettors", one.bet(1, "b-1", kind, ante=10, blind=10).close_bets()
    yield "toke", one.bet(1, "b-1", "toke", ante=1, blind=1, trips=1).close_bets()
    for option in rules.schedules:
        for total in _totals(rules, option):
            whole, cents = total[:-3], total[-2:]
            assert cents == "00"
            trips = 2 - int(whole) % 2
            ante = (int(whole) - trips) // 2
            yield f"schedule.{option}.", _table(rules).bet(1, ante=ante, blind=ante, trips=trips).close_bets()
    if rules.table_aggregate is not None:
        hole, board = MADE["royal flush"]
        yield "table_aggregate", _shown(_table(rules).bet(1, ante=500, blind=500), {1: (hole, 4)}, DEUCES, board)
    if rules.customer_limit is not None:
        yield from _customers(rules)
    for table in rules.progressives:
        yield from _progressive(rules, table)


def _table(rules: RuleSet, trips: str | None = None, **terms: Any) -> HoldEm:
    needed = {**msgspec.to_builtins(_needed(rules)), **({} if trips is None else {"trips": trips})}
    return HoldEm.at(rules.id, banker=4 if rules.player_banked else None, **{**needed, **terms})


def _shown(play: HoldEm, hands: Mapping[int, tuple[str, int]], dealer: str, board: str = BOARD) -> HoldEm:
    """As `HoldEm.showdown` plays a round, but with the actions and not their result."""
    play = play.deal_out({seat: cards for seat, (cards, _) in hands.items()}, dealer, board)
    for multiples, otherwise, next_cards in STREETS:
        for seat, (_, times) in hands.items():
            if times in multiples:
                play = play.raise_(seat, times)
            elif times < min(multiples):
                play = play.decide(seat, otherwise)
        play = play.reveal(next_cards)
    return play.settle()


def _made_hands(rules: RuleSet) -> Iterator[tuple[str, Play]]:
    for table, name in product(rules.tables_for("trips"), MADE):
        hole, board = MADE[name]
        play = _table(rules, table).bet(1, ante=10, blind=10, trips=5)
        for about in (f"paytable.{table}", "paytable.BLIND", "odds"):
            yield about, _shown(play, {1: (hole, 4)}, DEUCES, board)


def _orders(rules: RuleSet) -> Iterator[tuple[str, Play]]:
    """Winners, losers and a fold round the table; ties; and a dealer hand that does not qualify."""
    play, spots = _table(rules), {"ante": 10, "blind": 10, "trips": 5}
    if rules.progressives:
        play, spots = _table(rules, progressive="PMG-01", meter=METER), {**spots, "progressive": 1}
    for seat in (1, 3, 6):
        play = play.bet(seat, None, None, **spots)
    hands = {1: ("KsKh", 4), 3: ("TsTd", 4), 6: ("3s5h", 0)}
    yield "settlement", _shown(play, hands, PAIR_OF_QUEENS)
    yield "settlement", _shown(play, {1: ("2c3d", 4), 3: ("4c5d", 4), 6: ("6c7d", 4)}, "8c9d", ROYAL_BOARD)
    yield "settlement", _shown(play, {1: ("AsTd", 4), 3: ("3s5h", 4), 6: ("6s8h", 0)}, KING_HIGH)
    if rules.progressives:
        royals = {1: ("AsKs", 4), 3: ("9s8s", 4), 6: ("2c3d", 4)}
        yield "settlement", _shown(play, royals, "4c4h", "QsJsTs4d3h")


def _customers(rules: RuleSet) -> Iterator[tuple[str, Play]]:
    """One customer at two seats: 1,001.00 with the play wagers, then 960.00."""
    for ante, trips in ((83, 5), (80, 0)):
        play = HoldEm.at(rules.id, trips="UTH-01", players={1: "p-1", 2: "p-1"})
        play = play.bet(1, ante=ante, blind=ante).bet(2, ante=ante, blind=ante)
        yield "customer_limit", (play.bet(1, trips=trips) if trips else play).close_bets()
    limits = {"ante": ["5.00", "200.00"]}
    yield "customer_limit", HoldEm.at(rules.id, trips="UTH-01", limits=limits).bet(1, ante=10, blind=10).close_bets()


def _progressive(rules: RuleSet, table: str) -> Iterator[tuple[str, Play]]:
    about = f"progressive.{table}"
    own = {"ante": 10, "blind": 10, "progressive": rules.progressives[table].wager // 100}
    play = _table(rules, progressive=table, meter=METER).bet(1, None, None, **own).bet(2, None, None, **own)
    hands = [*MADE.values(), ("2d3d", ROYAL_BOARD), ("AsKs", "Qs4dJs3hTs"), ("9s9d", "9hKc4sKd6h")]
    for hole, board in hands:
        cards = {1: (hole, 4), 2: ("2c5c" if "2c" not in hole + board else "5c6c", 4)}
        yield about, _shown(play, cards, "7c8c" if "7c" not in hole + board else "TcJc", board)


# ---- Three Card Poker

THREE_CARD_HANDS = ("As Ks Qs", "9s 8s 7s", "9s 9d 9h", "9s 8d 7c", "As 9s 4s", "9s 9d 4c")
SIX_CARD_HANDS = (
    ("As Ks Qs", "Js Ts 2d"),
    ("9s 8s 7s", "6s 5s Qd"),
    ("9s 9d 9h", "9c Kd 2s"),
    ("9s 9d 9h", "Kc Kd 2s"),
    ("As Ks 9s", "6s 3s 2d"),
    ("9s 8d 7c", "6h 5s Qd"),
    ("9s 9d 4h", "9c Kd 2s"),
)


def _three_card_poker(rules: RuleSet) -> Iterator[tuple[str, Play]]:
    bets = ("1 ante 10.00", "1 pair_plus 5.00", "1 six_card 5.00")
    finish = ("1 play", "reveal dealer", "settle")
    for hand in THREE_CARD_HANDS:
        yield "paytable.PAIR-PLUS", tcp(*bets, cards=f"1: {hand}, dealer: Qd 5c 2h").then(*finish)
    for hand, dealer in SIX_CARD_HANDS:
        yield "paytable.TCB-6B4", tcp(*bets, cards=f"1: {hand}, dealer: {dealer}").then(*finish)
    for dealer in ("Qd 5c 2h", "Jd 5c 2h"):
        for about in ("odds", "qualify", "street"):
            yield about, tcp(*bets, cards=f"1: As Kd 4c, dealer: {dealer}").then(*finish)
    for rank in RANKS:
        yield f"button.values.{rank}", tcp("1 ante 10.00", cards=f"1: As Kd 4c, dealer: Qd 5c {rank}h")
    three = [f"{seat} {bet}" for seat in (1, 3, 6) for bet in ("ante 10.00", "pair_plus 5.00", "six_card 5.00")]
    round_the_bank = tcp(*three, cards="1: As Kd 4c, 3: 7s 7d 2c, 6: 9c 8h 3s, dealer: Qd 5c 9h", banker=4)
    yield "settlement", round_the_bank.then("6 fold", "1 play", "3 play", "reveal dealer", "settle")
    yield "bettors", tcp("1 ante 10.00", "1/b-1 ante 10.00").then("close")
    for spot, amount in (("ante", "700.00"), ("pair_plus", "60.00"), ("six_card", "30.00")):
        own = bets if spot != "ante" else ()
        yield f"spot.{spot}", tcp(*own, f"1 {spot} {amount}").then("close")
    for option in rules.schedules:
        for total in _totals(rules, option):
            yield f"schedule.{option}.", _spread("ante", total, rules, option, tcp)


# ---- Pure 21.5

DEALER_HANDS = (  # busts with three to eight cards, then runs of two to seven red ones
    "6d Ts Th",
    "6d 4s 5h Th",
    "2d 3s 4h 5c Tc",
    "2d 2s 3h 4c 4d Th",
    "2d 2s 2h 3c 3d 4s Tc",
    "2d 2s 2h 2c 3d 3s 2h Tc",
    "6d Th 5s",
    "2d 3h 4d Ts",
    "2d 3h 4d 2h Ts",
    "2d 3h 4d 2h 3d 5s",
    "2d 2h 2d 2h 3d 3h 5s",
    "2d 2h 2d 2h 2d 2h 3d 5s",
)


def _pure_21_5(rules: RuleSet) -> Iterator[tuple[str, Play]]:
    bets = ("1 game 10.00", "1 buster 5.00", "1 red_flex 5.00")
    for hand in DEALER_HANDS:
        up, hole, *rest = hand.split()
        play = p215(*bets, cards=f"1: Td 9c, dealer: {up} {hole}").then("1 stand", "reveal dealer")
        play = play.then(*(f"dealer gets {card}" for card in rest), "settle")
        for about in ("paytable", "odds.game"):
            yield about, play
    for rank in RANKS:
        play = p215("1 game 10.00", cards=f"1: Td 9c, dealer: 6d {rank}h")
        yield f"button.values.{rank}", play.then("1 stand", "reveal dealer")
    for hand in ("Td 2c", "Td 8c", "Ad Kc", "8d 8c"):
        yield "player_totals", p215("1 game 10.00", cards=f"1: {hand}, dealer: 6d 5s")
        yield "split", p215("1 game 10.00", cards=f"1: {hand}, dealer: 6d 5s")
    for hand in ("6d Ts", "7d Ts", "6d As", "7d As"):
        yield "dealer_totals", p215("1 game 10.00", cards=f"1: Td 9c, dealer: {hand}").then("1 stand", "reveal dealer")
    yield (
        "surrender",
        p215("1 game 10.00", cards="1: Td 6c, dealer: 6d 5s").then("1 surrender", "reveal dealer", "settle"),
    )
    yield "odds.pure", p215("1 game 10.00", cards="1: Ad Kc, dealer: 6d 5s").then("reveal dealer", "settle")
    insured = p215("1 game 10.00", cards="1: Td 9c, dealer: Ad Ks").then("1 insure 5.00", "peek")
    for about in ("odds.insurance", "insurance"):
        yield about, insured.then("reveal dealer", "settle")
    yield from _p215_order(bets)
    yield "bettors", p215("1 game 10.00", "1/b-1 game 10.00").then("close")
    for spot in ("buster", "red_flex"):
        yield f"spot.{spot}", p215("1 game 10.00", f"1 {spot} 60.00").then("close")
    for option in rules.schedules:
        for total in _totals(rules, option):
            yield f"schedule.{option}.", _spread("game", total, rules, option, p215)


def _p215_order(bets: Iterable[str]) -> Iterator[tuple[str, Play]]:
    """Three seats round the player-dealer, with every wager that there is."""
    three = [f"{seat} {bet[2:]}" for seat in (1, 3, 6) for bet in bets]
    play = p215(*three, cards="1: 5d 6c, 3: Td 8c, 6: 9d 9c, dealer: Ad 6s", banker=4)
    play = play.then("1 insure 5.00", "3 insure 5.00", "peek", "6 stand", "1 double 10.00", "1 gets 9h", "3 stand")
    for about in ("settlement", "odds.double"):
        yield about, play.then("reveal dealer", "dealer gets 2s", "settle")


# ---- fees


def _totals(rules: RuleSet, option: int) -> list[str]:
    """Total actions in every tier: in the first one, and a dollar above each bound."""
    bounds = [tier.up_to for tier in rules.schedules[option].tiers if tier.up_to is not None]
    return [f"{cents // 100}.00" for cents in (bounds[0], *(bound + 100 for bound in bounds))]


def _spread(spot: str, total: str, rules: RuleSet, option: int, game: Callable[..., ButtonGame]) -> Play:
    low, high = (f"{cents // 100}.00" for cents in rules.schedules[option].limits)
    return game(*spread(spot, total, low, high), schedule=option).then("close")

"""What a rule-set file must say beyond having the right keys. A check that fails names the path that is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from domain import points
from domain.money import MONEY_PATTERN, cents
from domain.poker import FIVE_CARD_NAMES, THREE_CARD_NAMES
from domain.ruleset import Family
from domain.rulesets.lines import Path
from domain.rulesets.shape import AwardSection, PacketSection, PayTableSection, RuleSetFile, ScheduleSection

MOST_TIERS = 5
NO_BOUND = "no limit"

_MONEY = re.compile(MONEY_PATTERN)
_ODDS = re.compile(r"[1-9][0-9]*:[1-9][0-9]*")
_CLAUSE_ID = re.compile(r"[a-z0-9]+(/[A-Za-z0-9][A-Za-z0-9.-]*)+")

_SPOTS_BEFORE_THE_DEAL = {
    "uth": ("ante", "blind", "trips"),
    "tcp": ("ante", "pair_plus", "six_card"),
    "p215": ("game", "buster", "red_flex"),
}
_SPOTS_LATER = {"uth": ("play",), "tcp": ("play",), "p215": ("insurance", "double")}
_HOLE_CARDS = {"uth": 2, "tcp": 3, "p215": 2}
_BOARD_CARDS = {"uth": 5, "tcp": 0, "p215": 0}
_FAMILY_POINTS = {"uth": points.UTH, "tcp": points.TCP, "p215": points.P215}

_FIVE_CARD_HANDS = tuple(reversed(FIVE_CARD_NAMES))
_THREE_CARD_HANDS = tuple(reversed(THREE_CARD_NAMES))
_CARD_COUNTS = tuple(str(count) for count in range(12, 0, -1))
_KEYS_OF_SPOT = {
    "blind": _FIVE_CARD_HANDS,
    "trips": _FIVE_CARD_HANDS,
    "six_card": _FIVE_CARD_HANDS,
    "pair_plus": _THREE_CARD_HANDS,
    "buster": _CARD_COUNTS,
    "red_flex": _CARD_COUNTS,
}
_SPOTS_WITH_TABLES = {
    "uth": ("blind", "trips"),
    "tcp": ("pair_plus", "six_card"),
    "p215": ("buster", "red_flex"),
}
_PROGRESSIVE_HANDS = (
    "royal flush on the board",
    "royal flush in the first five",
    *_FIVE_CARD_HANDS,
)

# The clause beside a figure and the clause that the engine quotes for it are one and the same.
_POINTS_OF_SECTION = {
    "seats": ("seats",),
    "bank": ("bank",),
    "rotation": ("rotation",),
    "decks": ("deck",),
    "bettors": ("backline", "no_backline", "toke"),
    "collection": ("fee",),
    "table_aggregate": ("aggregate",),
    "customer_limit": ("customer_limit",),
}


class Fault(Exception):
    """Something is wrong at a path of the file; whoever knows the text turns the path into a line."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def check(file: RuleSetFile, expected_id: str) -> None:
    if file.id != expected_id:
        raise Fault(("id",), f"the rule set calls itself {file.id!r} in the file of {expected_id!r}")
    _texts(file)
    _dates(file)
    _clauses(file)
    _clause_references(file)
    _table_facts(file)
    _spots(file)
    _dealings(file)
    _settlement(file)
    _paytables(file)
    _collection(file)
    _progressives(file)
    _sums(file)
    _points(file)
    _section_points(file)


def required_points(file: RuleSetFile) -> tuple[str, ...]:
    """Every question that the engine may ask of a rule set with these features."""
    return (
        *points.COMMON,
        *(points.PLAYER_DEALER if file.bank.held_by == "player-dealer" else points.HOUSE),
        *_FAMILY_POINTS[file.family],
        *(points.AGGREGATE if file.table_aggregate else ()),
        *(points.CUSTOMER_LIMIT if file.customer_limit else ()),
        *(points.TOKE if "toke" in file.bettors.kinds else ()),
        *(points.PROGRESSIVE if file.progressive else ()),
    )


def _optional_points(file: RuleSetFile) -> tuple[str, ...]:
    """A clause that answers one of these is what switches the feature on."""
    return points.TRIPS_ALONE if file.family == "uth" else ()


def _texts(file: RuleSetFile) -> None:
    for key in ("title", "source"):
        if not getattr(file, key).strip():
            raise Fault((key,), f"{key} is empty")


def _dates(file: RuleSetFile) -> None:
    until = file.in_force.until
    if until is not None and until < file.in_force.since:
        raise Fault(("in_force", "until"), f"in force until {until}, before {file.in_force.since}")


def _clauses(file: RuleSetFile) -> None:
    seen: set[str] = set()
    for number, clause in enumerate(file.clause):
        path = ("clause", number)
        if not _CLAUSE_ID.fullmatch(clause.id):
            raise Fault((*path, "id"), f"{clause.id!r} is no clause id; one looks like bgc/round/6a")
        if clause.id in seen:
            raise Fault((*path, "id"), f"there are two clauses {clause.id!r}")
        seen.add(clause.id)
        if not clause.says.strip():
            raise Fault((*path, "says"), f"clause {clause.id!r} has no text")
        if clause.decided is not None and not clause.decided.strip():
            raise Fault((*path, "decided"), f"clause {clause.id!r} is decided without a reason")
        if "/decision/" in clause.id and clause.decided is None:
            raise Fault((*path, "id"), f"clause {clause.id!r} is a decision without a reason")


def _references(file: RuleSetFile) -> Iterator[tuple[Path, str]]:
    for name in (*_POINTS_OF_SECTION, "deck_colours", "settlement"):
        section = getattr(file, name)
        if section is not None:
            yield (name, "clause"), section.clause
    yield ("settlement", "seats_clause"), file.settlement.seats_clause
    for name in ("spot", "dealing", "paytable", "schedule", "progressive"):
        for number, section in enumerate(getattr(file, name)):
            yield (name, number, "clause"), section.clause


def _clause_references(file: RuleSetFile) -> None:
    known = {clause.id for clause in file.clause}
    for path, clause in _references(file):
        if clause not in known:
            raise Fault(path, f"there is no clause {clause!r}")


def _table_facts(file: RuleSetFile) -> None:
    if file.seats.count < 2:
        raise Fault(("seats", "count"), "a table has at least two seats")
    decks = file.decks
    if not 1 <= decks.fewest <= decks.usual <= decks.most:
        raise Fault(("decks", "usual"), "the usual number of decks lies outside the fewest and the most")
    _no_doubles(("bettors", "kinds"), file.bettors.kinds)
    player_banked = file.bank.held_by == "player-dealer"
    if player_banked and file.rotation is None:
        raise Fault(("bank",), "a player-dealer game says how the bank rotates: [rotation] is missing")
    if not player_banked and file.rotation is not None:
        raise Fault(("rotation",), "the house's bank does not rotate")
    if not player_banked and "backline" in file.bettors.kinds:
        raise Fault(("bettors", "kinds"), "nobody bets behind a seat where the house banks")


def _spots(file: RuleSetFile) -> None:
    expected = _spots_before_the_deal(file)
    names = [spot.name for spot in file.spot]
    for number, spot in enumerate(file.spot):
        path = ("spot", number)
        if spot.name not in expected:
            raise Fault((*path, "name"), f"{spot.name!r} takes no wager before the deal in this game")
        if spot.name in names[:number]:
            raise Fault((*path, "name"), f"there are two spots {spot.name!r}")
        if spot.limits is not None:
            _limits((*path, "limits"), spot.limits)
        elif spot.printed:
            raise Fault((*path, "printed"), f"the limits of {spot.name!r} are printed, but not given")
    for name in expected:
        if name not in names:
            raise Fault(("spot",), f"the spot {name!r} is missing")


def _spots_before_the_deal(file: RuleSetFile) -> tuple[str, ...]:
    return _SPOTS_BEFORE_THE_DEAL[file.family] + (("progressive",) if file.progressive else ())


def _dealings(file: RuleSetFile) -> None:
    for number, dealing in enumerate(file.dealing):
        if dealing.mode in [other.mode for other in file.dealing[:number]]:
            raise Fault(("dealing", number, "mode"), f"there are two ways of dealing {dealing.mode!r}")
        _packets(("dealing", number, "packets"), dealing.packets, file.family)
    _one_usual("dealing", [dealing.usual for dealing in file.dealing])


def _packets(path: Path, packets: Sequence[PacketSection], family: Family) -> None:
    hole, board = _HOLE_CARDS[family], _BOARD_CARDS[family]
    for place, wanted in (("seats", hole), ("dealer", hole), ("board", board)):
        dealt = sum(packet.count for packet in packets if packet.to == place)
        if dealt != wanted:
            raise Fault(path, f"{dealt} cards go to {place!r}, not {wanted}")
    street = 0
    for number, packet in enumerate(packets):
        if packet.count < 1:
            raise Fault((*path, number), "a packet has at least one card")
        if packet.street < street:
            raise Fault((*path, number), "a packet comes after those of a later street")
        street = packet.street


def _one_usual(name: str, usual: Sequence[bool]) -> None:
    if usual.count(True) == 0:
        raise Fault((name,), f"no {name} is marked as the usual one")
    if usual.count(True) > 1:
        second = [number for number, is_usual in enumerate(usual) if is_usual][1]
        raise Fault((name, second, "usual"), f"two are marked as the usual {name}")


def _settlement(file: RuleSetFile) -> None:
    wanted = {*_spots_before_the_deal(file), *_SPOTS_LATER[file.family]}
    if file.progressive:
        wanted.add("envy")
    for case in ("won", "lost", "tied"):
        order: tuple[str, ...] = getattr(file.settlement, case)
        path = ("settlement", case)
        _no_doubles(path, order)
        for number, spot in enumerate(order):
            if spot not in wanted:
                raise Fault((*path, number), f"{spot!r} is no wager of this game")
        if missing := wanted.difference(order):
            raise Fault(path, f"the order of settlement leaves out {_list(missing)}")


def _paytables(file: RuleSetFile) -> None:
    spots = _SPOTS_WITH_TABLES[file.family]
    for number, table in enumerate(file.paytable):
        path = ("paytable", number)
        if table.spot not in spots:
            raise Fault((*path, "spot"), f"no pay table belongs to {table.spot!r} in this game")
        if table.id in [other.id for other in file.paytable[:number]]:
            raise Fault((*path, "id"), f"there are two pay tables {table.id!r}")
        if table.spot != "trips" and table.spot in [other.spot for other in file.paytable[:number]]:
            raise Fault((*path, "spot"), f"there are two pay tables for {table.spot!r}, and no way to choose")
        if table.usual and table.spot != "trips":
            raise Fault((*path, "usual"), "only a trips table can be the usual one of several")
        _pays((*path, "pays"), table)
    for spot in spots:
        if spot not in [table.spot for table in file.paytable]:
            raise Fault(("paytable",), f"the pay table for {spot!r} is missing")
    usual = [number for number, table in enumerate(file.paytable) if table.usual]
    if len(usual) > 1:
        raise Fault(("paytable", usual[1], "usual"), "two are marked as the usual trips table")


def _pays(path: Path, table: PayTableSection) -> None:
    """A table starts at the best hand, or the most cards, and leaves none out down to the last that pays."""
    hands = _KEYS_OF_SPOT[table.spot]
    if not table.pays:
        raise Fault(path, f"the pay table {table.id!r} pays nothing")
    for hand, odds in table.pays.items():
        if hand not in hands:
            raise Fault((*path, hand), f"{hand!r} is no line of a table for {table.spot!r}")
        if not isinstance(odds, str) or not _ODDS.fullmatch(odds):
            raise Fault((*path, hand), f'{odds!r} are no odds; they look like "3:2"')
    first = hands[0] if hands is not _CARD_COUNTS else next(iter(table.pays))
    start = hands.index(first)
    for hand, expected in zip(table.pays, hands[start:], strict=False):
        if hand != expected:
            raise Fault((*path, hand), f"a gap: {hand!r} stands where {expected!r} belongs")


def _collection(file: RuleSetFile) -> None:
    if file.bank.held_by == "house":
        for name in ("collection", "schedule"):
            if getattr(file, name):
                raise Fault((name,), "the house collects no fee from its own bank")
        return
    if file.collection is None:
        raise Fault(("bank",), "a player-dealer game says how the fee is set: [collection] is missing")
    if file.collection.supplied_schedule == bool(file.schedule):
        raise Fault(
            ("collection", "supplied_schedule"),
            "a cardroom supplies a schedule where the rule set prints none, and only there",
        )
    for number, schedule in enumerate(file.schedule):
        path = ("schedule", number)
        if schedule.option in [other.option for other in file.schedule[:number]]:
            raise Fault((*path, "option"), f"there are two schedules {schedule.option}")
        _limits((*path, "limits"), schedule.limits)
        _tiers((*path, "tiers"), schedule)


def _tiers(path: Path, schedule: ScheduleSection) -> None:
    if not schedule.tiers:
        raise Fault(path, "a schedule has at least one tier")
    if len(schedule.tiers) > MOST_TIERS:
        raise Fault((*path, MOST_TIERS), f"a schedule has at most {MOST_TIERS} tiers")
    *bounded, last = schedule.tiers
    below = 0
    for number, tier in enumerate(bounded):
        if tier.up_to == NO_BOUND:
            raise Fault((*path, number, "up_to"), "only the last tier is without an upper bound")
        bound = _money((*path, number, "up_to"), tier.up_to)
        if bound <= below:
            raise Fault((*path, number, "up_to"), f"the bounds do not rise: {tier.up_to}")
        below = bound
    if last.up_to != NO_BOUND:
        raise Fault((*path, len(bounded), "up_to"), f'the last tier goes up to "{NO_BOUND}"')
    for number, tier in enumerate(schedule.tiers):
        if "%" in tier.fee:
            raise Fault((*path, number, "fee"), f"a fee is a flat amount, never a percentage: {tier.fee!r}")
        _money((*path, number, "fee"), tier.fee)


def _progressives(file: RuleSetFile) -> None:
    if file.progressive and file.bank.held_by != "house":
        raise Fault(("progressive",), "only the house runs a progressive")
    for number, table in enumerate(file.progressive):
        path = ("progressive", number)
        if table.id in [other.id for other in file.progressive[:number]]:
            raise Fault((*path, "id"), f"there are two progressive tables {table.id!r}")
        _money((*path, "wager"), table.wager)
        if not table.awards:
            raise Fault((*path, "awards"), f"the progressive table {table.id!r} awards nothing")
        _award_hands((*path, "awards"), table.awards)
        for line, award in enumerate(table.awards):
            _award_amount((*path, "awards", line), award)


def _award_hands(path: Path, awards: Sequence[AwardSection]) -> None:
    """From the best down without a gap; the special royal flushes above the plain one may be left out."""
    royal = _PROGRESSIVE_HANDS.index("royal flush")
    above = -1
    for line, award in enumerate(awards):
        if award.hand not in _PROGRESSIVE_HANDS:
            raise Fault((*path, line, "hand"), f"{award.hand!r} is no hand of a progressive table")
        rank = _PROGRESSIVE_HANDS.index(award.hand)
        if rank <= above:
            raise Fault((*path, line, "hand"), f"{award.hand!r} stands below a lesser hand, or twice")
        if rank > max(above + 1, royal):
            raise Fault((*path, line, "hand"), f"a gap above {award.hand!r}")
        above = rank


def _award_amount(path: Path, award: AwardSection) -> None:
    if (award.percent is None) == (award.times is None):
        raise Fault(path, "an award is either a percentage of the meter or a multiple of the wager")
    if award.percent is not None and not 1 <= award.percent <= 100:
        raise Fault((*path, "percent"), "a share of the meter is 1 to 100 percent")
    if award.times is not None and award.times < 1:
        raise Fault((*path, "times"), "a multiple of the wager is at least 1")
    if award.envy is not None:
        _money((*path, "envy"), award.envy)


def _sums(file: RuleSetFile) -> None:
    for name in ("table_aggregate", "customer_limit"):
        section = getattr(file, name)
        if section is not None:
            _money((name, "most"), section.most)


def _points(file: RuleSetFile) -> None:
    required = required_points(file)
    allowed = {*required, *_optional_points(file)}
    answered: dict[str, str] = {}
    for number, clause in enumerate(file.clause):
        for place, point in enumerate(clause.points):
            path = ("clause", number, "points", place)
            if point not in allowed:
                raise Fault(path, f"the engine never asks {point!r} of this rule set")
            if point in answered:
                raise Fault(path, f"{point!r} is already answered by {answered[point]!r}")
            answered[point] = clause.id
    if missing := [point for point in required if point not in answered]:
        raise Fault(("clause",), f"no clause answers {_list(missing)}")


def _section_points(file: RuleSetFile) -> None:
    answers = {clause.id: clause.points for clause in file.clause}
    for name, wanted in _POINTS_OF_SECTION.items():
        section = getattr(file, name)
        if section is not None and not set(wanted).intersection(answers[section.clause]):
            raise Fault((name, "clause"), f"clause {section.clause!r} does not answer {_list(wanted)}")


def _limits(path: Path, limits: tuple[str, str]) -> None:
    lowest, highest = (_money((*path, place), text) for place, text in enumerate(limits))
    if lowest > highest:
        raise Fault(path, f"the minimum {limits[0]} is above the maximum {limits[1]}")


def _money(path: Path, text: str) -> int:
    if not _MONEY.match(text):
        raise Fault(path, f'{text!r} is no amount; it looks like "12.50"')
    return cents(text)


def _no_doubles(path: Path, names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise Fault((*path, place), f"{name!r} stands there twice")


def _list(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))

"""What a rule-set file must say beyond having the right keys. A check that fails names the path that is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from domain import points
from domain.money import MONEY_PATTERN, cents
from domain.poker import FIVE_CARD_NAMES, RANKS, THREE_CARD_NAMES, lowest_strength
from domain.ruleset import Family
from domain.rulesets.lines import Path
from domain.rulesets.shape import AwardSection, PacketSection, PayTableSection, RuleSetFile, ScheduleSection

NO_BOUND = "no limit"

_MONEY = re.compile(MONEY_PATTERN)
_ODDS = re.compile(r"[1-9][0-9]*:[1-9][0-9]*")
_SHARE = re.compile(r"[1-9][0-9]?:[1-9][0-9]?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CLAUSE_ID = re.compile(r"[a-z0-9]+(/[A-Za-z0-9][A-Za-z0-9.-]*)+")

_SPOTS_BEFORE_THE_DEAL = {
    "uth": ("ante", "blind", "trips"),
    "tcp": ("ante", "pair_plus", "six_card"),
    "p215": ("game", "buster", "red_flex"),
}
_SPOTS_LATER = {"uth": ("play",), "tcp": ("play",), "p215": ("insurance", "double")}
_HOLE_CARDS = {"uth": 2, "tcp": 3, "p215": 2}
_BOARD_CARDS = {"uth": 5, "tcp": 0, "p215": 0}
_STREETS = {"uth": 3, "tcp": 1, "p215": 0}
_ODDS_ON = {
    "uth": ("ante", "play"),
    "tcp": ("ante", "ante_unqualified", "play"),
    "p215": ("game", "double", "pure", "insurance"),
}
_OF_FAMILY = {  # sections that one game has and another does not
    "qualify": ("uth", "tcp"),
    "folded_hands": ("uth",),
    "trips_table": ("uth",),
    "button": ("tcp", "p215"),
    "player_totals": ("p215",),
    "dealer_totals": ("p215",),
    "split": ("p215",),
    "insurance": ("p215",),
    "surrender": ("p215",),
}
_NEEDS_PLAYER_DEALER = ("tcp", "p215")
_ONE_ORDER = ("tcp", "p215")  # games that settle a seat's wagers alike whatever became of its hand
_CARDS_AT_ONCE = {"tcp": 3, "p215": 1}  # where every packet has as many
_FLOP_FOR_PROGRESSIVE = 3
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
    "chip": ("chip",),
    "qualify": ("qualify",),
    "button": ("button",),
    "player_totals": ("hit_or_stand", "must_hit", "must_stand"),
    "dealer_totals": ("dealer_draws",),
    "split": ("split",),
    "insurance": ("insurance",),
    "surrender": ("surrender",),
    "toke": ("toke",),
}
_OTHER_SECTIONS = ("in_force", "deck_colours", "settlement", "liability", "folded_hands", "trips_table")


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
    _game_sections(file)
    _streets(file)
    _odds(file)
    _figures(file)
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
        *_folded_points(file),
    )


def _folded_points(file: RuleSetFile) -> tuple[str, ...]:
    """What becomes of a bonus wager on a folded hand: it waits until the hand is seen, or is lost unseen."""
    if file.folded_hands is None:
        return ()
    if file.folded_hands.seen_for_bonus:
        return points.FOLDED_SEEN
    return points.FOLDED_UNSEEN + (points.PROGRESSIVE_UNSEEN if file.progressive else ())


def _optional_points(file: RuleSetFile) -> tuple[str, ...]:
    """A clause that answers one of these switches the feature on, or is of a time when it was asked for."""
    trips_alone = points.TRIPS_ALONE if file.family == "uth" else ()
    return trips_alone + (points.VERSION_1 if file.version == 1 else ())


def _texts(file: RuleSetFile) -> None:
    for key in ("title", "source"):
        if not getattr(file, key).strip():
            raise Fault((key,), f"{key} is empty")


def _dates(file: RuleSetFile) -> None:
    until = file.in_force.until
    if until is not None and until < file.in_force.since:
        raise Fault(("in_force", "until"), f"in force until {until}, before {file.in_force.since}")

    if file.version > 1 and file.in_force.clause is None:
        raise Fault(("in_force",), "no document has a date: the clause that decides on this one is missing")
    if file.version > 1 and not (file.source_hash and _SHA256.fullmatch(file.source_hash)):
        raise Fault(("source_hash",), "the SHA-256 of the source document is missing")


def _clauses(file: RuleSetFile) -> None:
    ids = {clause.id for clause in file.clause}
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
        if not clause.checked and (clause.points or clause.decided is not None):
            raise Fault((*path, "checked"), f"clause {clause.id!r} is not checked, but the engine rests on it")
        for place, other in enumerate(clause.contradicts):
            if other not in ids or other == clause.id:
                raise Fault((*path, "contradicts", place), f"there is no other clause {other!r}")


def _references(file: RuleSetFile) -> Iterator[tuple[Path, str]]:
    for name in (*_POINTS_OF_SECTION, *_OTHER_SECTIONS):
        section = getattr(file, name)
        if section is not None and section.clause is not None:
            yield (name, "clause"), section.clause
    yield ("settlement", "seats_clause"), file.settlement.seats_clause
    if file.settlement.unqualified_clause is not None:
        yield ("settlement", "unqualified_clause"), file.settlement.unqualified_clause
    for name in ("spot", "dealing", "street", "odds", "paytable", "schedule", "progressive"):
        for number, section in enumerate(getattr(file, name)):
            yield (name, number, "clause"), section.clause


def _clause_references(file: RuleSetFile) -> None:
    known = {clause.id: clause for clause in file.clause}
    for path, clause in _references(file):
        if clause not in known:
            raise Fault(path, f"there is no clause {clause!r}")
        if not known[clause].checked:
            raise Fault(path, f"clause {clause!r} is marked as not checked, but a figure rests on it")


def _table_facts(file: RuleSetFile) -> None:
    if file.seats.count < 2:
        raise Fault(("seats", "count"), "a table has at least two seats")
    decks = file.decks
    if not 1 <= decks.fewest <= decks.usual <= decks.most:
        raise Fault(("decks", "usual"), "the usual number of decks lies outside the fewest and the most")
    _no_doubles(("bettors", "kinds"), file.bettors.kinds)
    if ("toke" in file.bettors.kinds) != (file.toke is not None):
        raise Fault(("bettors", "kinds"), "[toke] goes with tips, and only with them")
    player_banked = file.bank.held_by == "player-dealer"
    if not player_banked and file.family in _NEEDS_PLAYER_DEALER:
        raise Fault(("bank", "held_by"), "this game counts its action button from the player-dealer's seat")
    if player_banked and file.rotation is None:
        raise Fault(("bank",), "a player-dealer game says how the bank rotates: [rotation] is missing")
    if not player_banked and file.rotation is not None:
        raise Fault(("rotation",), "the house's bank does not rotate")
    if not player_banked and "backline" in file.bettors.kinds:
        raise Fault(("bettors", "kinds"), "nobody bets behind a seat where the house banks")


def _game_sections(file: RuleSetFile) -> None:
    for name, families in _OF_FAMILY.items():
        has = getattr(file, name) is not None
        if has and file.family not in families:
            raise Fault((name,), f"[{name}] is no part of this game")
        if not has and file.family in families:
            raise Fault(("family",), f"this game needs [{name}]")


def _streets(file: RuleSetFile) -> None:
    """A multiple says on which street a play wager was made, so none occurs on two of them."""
    wanted = _STREETS[file.family]
    if len(file.street) != wanted:
        path = ("street", wanted) if len(file.street) > wanted else ("street",)
        raise Fault(path, f"this game has {wanted} streets, not {len(file.street)}")
    seen: set[int] = set()
    for number, street in enumerate(file.street):
        path = ("street", number)
        if not street.multiples or min(street.multiples) < 1:
            raise Fault((*path, "multiples"), "a play wager is at least once the ante")
        if len(set(street.multiples)) != len(street.multiples) or not seen.isdisjoint(street.multiples):
            raise Fault((*path, "multiples"), "a multiple occurs twice")
        seen.update(street.multiples)
        last = number == wanted - 1
        if (street.otherwise == "fold") != last:
            raise Fault((*path, "otherwise"), "a hand folds on the last street, and only there")
        if (street.turns < 1) == (number > 0):
            raise Fault((*path, "turns"), "board cards are turned over before every street but the first")
    if file.progressive and file.street[1].turns < _FLOP_FOR_PROGRESSIVE:
        raise Fault(("street", 1, "turns"), "a progressive reads the two hole cards and a flop of at least three")
    turned = sum(street.turns for street in file.street)
    if wanted and turned != _BOARD_CARDS[file.family]:
        wrong = f"{turned} board cards are turned over, not {_BOARD_CARDS[file.family]}"
        raise Fault(("street", wanted - 1, "turns"), wrong)


def _odds(file: RuleSetFile) -> None:
    wanted = _ODDS_ON[file.family]
    named = [one.on for one in file.odds]
    for number, one in enumerate(file.odds):
        if one.on not in wanted or one.on in named[:number]:
            raise Fault(("odds", number, "on"), f"{one.on!r} has no odds of its own in this game, or has them twice")
        if not _ODDS.fullmatch(one.pays):
            raise Fault(("odds", number, "pays"), f'{one.pays!r} are no odds; they look like "3:2"')
    if missing := set(wanted).difference(named):
        raise Fault(("odds",), f"the odds on {_list(missing)} are missing")


def _figures(file: RuleSetFile) -> None:
    """Single figures that must make sense by themselves."""
    if not _money(("chip", "usual"), file.chip.usual):
        raise Fault(("chip", "usual"), "a chip is worth something")
    if file.liability.base < 1:
        raise Fault(("liability", "base"), "what could be owed is at least the wager itself")
    if file.rotation is not None and file.rotation.rounds < 1:
        raise Fault(("rotation", "rounds"), "a player-dealer banks at least one round")
    if file.collection is not None and file.collection.most_tiers < 1:
        raise Fault(("collection", "most_tiers"), "a schedule has at least one tier")
    if file.customer_limit is not None and file.customer_limit.play_in_advance < 0:
        raise Fault(("customer_limit", "play_in_advance"), "a play wager is not less than nothing")
    names = THREE_CARD_NAMES if file.family == "tcp" else FIVE_CARD_NAMES
    if file.qualify is not None and lowest_strength(file.qualify.at_least, names) is None:
        raise Fault(("qualify", "at_least"), f"{file.qualify.at_least!r} is no hand of this game")
    if file.button is not None and (set(file.button.values) != set(RANKS) or min(file.button.values.values()) < 1):
        raise Fault(("button", "values"), "every rank counts one or more")
    for name in ("insurance", "surrender"):
        section = getattr(file, name)
        if section is not None and not _SHARE.fullmatch(section.share):
            raise Fault((name, "share"), f'{section.share!r} is no share; one looks like "1:2"')
    if file.player_totals is not None and not 4 <= file.player_totals.must_hit < file.player_totals.must_stand <= 21:
        raise Fault(("player_totals", "must_stand"), "a hand cannot have to hit and to stand")
    if file.split is not None and file.split.most_hands < 1:
        raise Fault(("split", "most_hands"), "a seat has at least one hand")
    if file.toke is not None:
        for number, spot in enumerate(file.toke.minimum_on):
            if spot not in ("ante", "blind", "trips"):
                raise Fault(("toke", "minimum_on", number), f"no tip is wagered on {spot!r}")


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
        path = ("dealing", number)
        if dealing.first_seat == "player-dealer-left" and file.bank.held_by == "house":
            raise Fault((*path, "first_seat"), "a house bank has no player-dealer to begin beside")
        _packets((*path, "packets"), dealing.packets, file.family)
        _board_in_time((*path, "packets"), dealing.packets, file)
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
        at_once = _CARDS_AT_ONCE.get(family, packet.count)
        if packet.count != at_once:
            raise Fault((*path, number, "count"), f"cards are dealt {at_once} at a time in this game")
        if packet.street < street:
            raise Fault((*path, number), "a packet comes after those of a later street")
        street = packet.street


def _board_in_time(path: Path, packets: Sequence[PacketSection], file: RuleSetFile) -> None:
    """The cards that are turned over before a street lie there by then."""
    turned = 0
    for number, street in enumerate(file.street):
        turned += street.turns
        dealt = sum(packet.count for packet in packets if packet.to == "board" and packet.street <= number)
        if dealt < turned:
            raise Fault(path, f"{turned} board cards are turned over by street {number + 1}, but {dealt} are dealt")


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
    settlement = file.settlement
    if settlement.seats == "action-button" and file.button is None:
        raise Fault(("settlement", "seats"), "this game has no action button")
    if settlement.seats == "player-dealer-left" and file.bank.held_by == "house":
        raise Fault(("settlement", "seats"), "a house bank has no player-dealer to begin beside")
    if not settlement.order and file.family in _ONE_ORDER:
        raise Fault(("settlement",), "this game settles in one order, whatever became of the hand")
    if settlement.order and (settlement.won or settlement.lost or settlement.tied):
        raise Fault(("settlement", "order"), "one order for all hands leaves no other for some")
    if (settlement.unqualified or settlement.unqualified_first) and file.family != "uth":
        raise Fault(("settlement",), "this game settles in one order whether or not the dealer hand qualifies")
    if (settlement.unqualified_clause is not None) != bool(settlement.unqualified):
        raise Fault(("settlement",), "the order where the dealer hand does not qualify needs its clause, and only it")
    if not set(settlement.unqualified_first) <= set(settlement.unqualified):
        raise Fault(("settlement", "unqualified_first"), "a wager that is settled first is one of those settled at all")
    cases = ("order",) if settlement.order else ("won", "lost", "tied")
    for case in (*cases, *(("unqualified",) if settlement.unqualified else ())):
        order: tuple[str, ...] = getattr(settlement, case)
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
    for number, schedule in enumerate(file.schedule):
        path = ("schedule", number)
        if schedule.option in [other.option for other in file.schedule[:number]]:
            raise Fault((*path, "option"), f"there are two schedules {schedule.option}")
        _limits((*path, "limits"), schedule.limits)
        _inside_printed((*path, "limits"), schedule.limits, file)
        _tiers((*path, "tiers"), schedule, file.collection.most_tiers)


def _inside_printed(path: Path, limits: tuple[str, str], file: RuleSetFile) -> None:
    """Both bind the wager that the schedule is by, so some amount is inside both."""
    for spot in file.spot:
        if spot.name in ("ante", "game") and spot.printed and spot.limits is not None:
            low, high = (_money(path, text) for text in limits)
            if cents(spot.limits[0]) > high or cents(spot.limits[1]) < low:
                raise Fault(path, f"no wager is inside these limits and those printed for {spot.name!r}")


def _tiers(path: Path, schedule: ScheduleSection, most: int) -> None:
    if not schedule.tiers:
        raise Fault(path, "a schedule has at least one tier")
    if len(schedule.tiers) > most:
        raise Fault((*path, most), f"a schedule has at most {most} tiers")
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

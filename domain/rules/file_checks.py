"""What a rule-set file must say beyond having the right keys. A check that fails names the path that is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from domain.hands.poker import FIVE_CARD_NAMES
from domain.money import MONEY_PATTERN, cents
from domain.rules import clause_points
from domain.rules.file_schema import AwardSection, PayTableSection, RuleSetFile, ScheduleSection
from domain.rules.line_numbers import Path
from domain.rules.ruleset import Packet, Section

if TYPE_CHECKING:
    from domain.games.game import Game

NO_BOUND = "no limit"

_MONEY = re.compile(MONEY_PATTERN)
_ODDS = re.compile(r"[1-9][0-9]*:[1-9][0-9]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CLAUSE_ID = re.compile(r"[a-z0-9]+(/[A-Za-z0-9][A-Za-z0-9.-]*)+")

_PROGRESSIVE_HANDS = (
    "royal flush on the board",
    "royal flush in the first five",
    *reversed(FIVE_CARD_NAMES),
)


class Fault(Exception):
    """Something is wrong at a path of the file; whoever knows the text turns the path into a line."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def check(file: RuleSetFile, game: Game, expected_id: str) -> None:
    if file.id != expected_id:
        raise Fault(("id",), f"the rule set calls itself {file.id!r} in the file of {expected_id!r}")
    _texts(file)
    _dates(file)
    _clauses(file)
    _clause_references(file)
    _table_facts(file, game)
    _odds(file, game)
    _figures(file, game)
    _spots(file, game)
    _dealings(file, game)
    file.check_game()
    _settlement(file, game)
    _paytables(file, game)
    _collection(file, game)
    _progressives(file)
    _sums(file)
    _points(file, game)
    _section_points(file)


def _required_points(file: RuleSetFile, game: Game) -> tuple[str, ...]:
    """Every question that the engine may ask of a rule set with these features."""
    return (
        *clause_points.COMMON,
        *(clause_points.PLAYER_DEALER if file.bank.held_by == "player-dealer" else clause_points.HOUSE),
        *game.points,
        *(clause_points.AGGREGATE if file.table_aggregate else ()),
        *(clause_points.CUSTOMER_LIMIT if file.customer_limit else ()),
        *(clause_points.TOKE if "toke" in file.bettors.kinds else ()),
        *(clause_points.PROGRESSIVE if file.progressive else ()),
        *file.points(),
    )


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
    """Every clause that a section names, be it alone or one of several."""
    for name in file.__struct_fields__:
        value = getattr(file, name)
        if isinstance(value, Section):
            yield from _references_of((name,), value)
        elif isinstance(value, tuple) and name != "clause":
            for number, section in enumerate(value):
                yield from _references_of((name, number), section)


def _references_of(path: Path, section: Section) -> Iterator[tuple[Path, str]]:
    for name in section.__struct_fields__:
        if name.endswith("clause") and (clause := getattr(section, name)) is not None:
            yield (*path, name), clause


def _clause_references(file: RuleSetFile) -> None:
    known = {clause.id: clause for clause in file.clause}
    for path, clause in _references(file):
        if clause not in known:
            raise Fault(path, f"there is no clause {clause!r}")
        if not known[clause].checked:
            raise Fault(path, f"clause {clause!r} is marked as not checked, but a figure rests on it")


def _table_facts(file: RuleSetFile, game: Game) -> None:
    if file.seats.count < 2:
        raise Fault(("seats", "count"), "a table has at least two seats")
    decks = file.decks
    if not 1 <= decks.fewest <= decks.usual <= decks.most:
        raise Fault(("decks", "usual"), "the usual number of decks is outside the fewest and the most")
    _no_doubles(("bettors", "kinds"), file.bettors.kinds)
    if ("toke" in file.bettors.kinds) != (file.toke is not None):
        raise Fault(("bettors", "kinds"), "[toke] goes with tips, and only with them")
    player_banked = file.bank.held_by == "player-dealer"
    if not player_banked and game.needs_player_dealer:
        raise Fault(("bank", "held_by"), "this game counts its action button from the player-dealer's seat")
    if player_banked and file.rotation is None:
        raise Fault(("bank",), "a player-dealer game says how the bank rotates: [rotation] is missing")
    if not player_banked and file.rotation is not None:
        raise Fault(("rotation",), "the house's bank does not rotate")
    if not player_banked and "backline" in file.bettors.kinds:
        raise Fault(("bettors", "kinds"), "nobody bets behind a seat where the house banks")


def _odds(file: RuleSetFile, game: Game) -> None:
    wanted = game.odds_on
    named = [one.on for one in file.odds]
    for number, one in enumerate(file.odds):
        if one.on not in wanted or one.on in named[:number]:
            raise Fault(("odds", number, "on"), f"{one.on!r} has no odds of its own in this game, or has them twice")
        if not _ODDS.fullmatch(one.pays):
            raise Fault(("odds", number, "pays"), f'{one.pays!r} are no odds; they look like "3:2"')
    if missing := set(wanted).difference(named):
        raise Fault(("odds",), f"the odds on {_list(missing)} are missing")


def _figures(file: RuleSetFile, game: Game) -> None:
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
    if file.toke is not None:
        for number, spot in enumerate(file.toke.minimum_on):
            if spot not in game.base_spots + game.bonus_spots:
                raise Fault(("toke", "minimum_on", number), f"no tip is wagered on {spot!r}")


def _spots(file: RuleSetFile, game: Game) -> None:
    expected = _spots_before_the_deal(file, game)
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


def _spots_before_the_deal(file: RuleSetFile, game: Game) -> tuple[str, ...]:
    return game.base_spots + game.bonus_spots + (("progressive",) if file.progressive else ())


def _dealings(file: RuleSetFile, game: Game) -> None:
    for number, dealing in enumerate(file.dealing):
        if dealing.mode in [other.mode for other in file.dealing[:number]]:
            raise Fault(("dealing", number, "mode"), f"there are two ways of dealing {dealing.mode!r}")
        path = ("dealing", number)
        if dealing.first_seat == "player-dealer-left" and file.bank.held_by == "house":
            raise Fault((*path, "first_seat"), "a house bank has no player-dealer to begin next to")
        _packets((*path, "packets"), dealing.packets, game)
    _one_usual("dealing", [dealing.usual for dealing in file.dealing])


def _packets(path: Path, packets: Sequence[Packet], game: Game) -> None:
    for place, wanted in (("seats", game.hole_cards), ("dealer", game.hole_cards), ("board", game.board_cards)):
        dealt = sum(packet.count for packet in packets if packet.to == place)
        if dealt != wanted:
            raise Fault(path, f"{dealt} cards go to {place!r}, not {wanted}")
    street = 0
    for number, packet in enumerate(packets):
        if packet.count < 1:
            raise Fault((*path, number), "a packet has at least one card")
        if packet.count != (game.cards_at_once or packet.count):
            raise Fault((*path, number, "count"), f"cards are dealt {game.cards_at_once} at a time in this game")
        if packet.street < street:
            raise Fault((*path, number), "a packet comes after those of a later street")
        street = packet.street


def _one_usual(name: str, usual: Sequence[bool]) -> None:
    if usual.count(True) == 0:
        raise Fault((name,), f"no {name} is marked as the usual one")
    if usual.count(True) > 1:
        second = [number for number, is_usual in enumerate(usual) if is_usual][1]
        raise Fault((name, second, "usual"), f"two are marked as the usual {name}")


def _settlement(file: RuleSetFile, game: Game) -> None:
    wanted = {*_spots_before_the_deal(file, game), *game.later_spots}
    if file.progressive:
        wanted.add("envy")
    settlement = file.settlement
    if settlement.seats == "action-button" and not file.game_rules().button_values:
        raise Fault(("settlement", "seats"), "this game has no action button")
    if settlement.seats == "player-dealer-left" and file.bank.held_by == "house":
        raise Fault(("settlement", "seats"), "a house bank has no player-dealer to begin next to")
    if not settlement.order and game.one_order:
        raise Fault(("settlement",), "this game settles in one order, whatever became of the hand")
    if settlement.order and (settlement.won or settlement.lost or settlement.tied):
        raise Fault(("settlement", "order"), "one order for all hands leaves no other for some")
    if (settlement.unqualified or settlement.unqualified_first) and game.one_order:
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


def _paytables(file: RuleSetFile, game: Game) -> None:
    for number, table in enumerate(file.paytable):
        path = ("paytable", number)
        if table.spot not in game.pays_by:
            raise Fault((*path, "spot"), f"no pay table belongs to {table.spot!r} in this game")
        if table.id in [other.id for other in file.paytable[:number]]:
            raise Fault((*path, "id"), f"there are two pay tables {table.id!r}")
        if table.spot != "trips" and table.spot in [other.spot for other in file.paytable[:number]]:
            raise Fault((*path, "spot"), f"there are two pay tables for {table.spot!r}, and no way to choose")
        if table.usual and table.spot != "trips":
            raise Fault((*path, "usual"), "only a trips table can be the usual one of several")
        _pays((*path, "pays"), table, game.pays_by[table.spot])
    for spot in game.pays_by:
        if spot not in [table.spot for table in file.paytable]:
            raise Fault(("paytable",), f"the pay table for {spot!r} is missing")
    usual = [number for number, table in enumerate(file.paytable) if table.usual]
    if len(usual) > 1:
        raise Fault(("paytable", usual[1], "usual"), "two are marked as the usual trips table")


def _pays(path: Path, table: PayTableSection, hands: Sequence[str]) -> None:
    """A table starts at the best hand, or the most cards, and leaves none out down to the last that pays."""
    if not table.pays:
        raise Fault(path, f"the pay table {table.id!r} pays nothing")
    for hand, odds in table.pays.items():
        if hand not in hands:
            raise Fault((*path, hand), f"{hand!r} is no line of a table for {table.spot!r}")
        if not isinstance(odds, str) or not _ODDS.fullmatch(odds):
            raise Fault((*path, hand), f'{odds!r} are no odds; they look like "3:2"')
    first = next(iter(table.pays)) if hands[0].isdigit() else hands[0]
    start = hands.index(first)
    for hand, expected in zip(table.pays, hands[start:], strict=False):
        if hand != expected:
            raise Fault((*path, hand), f"a gap: {hand!r} is where {expected!r} belongs")


def _collection(file: RuleSetFile, game: Game) -> None:
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
        _inside_printed((*path, "limits"), schedule.limits, file, game)
        _tiers((*path, "tiers"), schedule, file.collection.most_tiers)


def _inside_printed(path: Path, limits: tuple[str, str], file: RuleSetFile, game: Game) -> None:
    """Both bind the wager that the schedule is by, so some amount is inside both."""
    for spot in file.spot:
        if spot.name == game.base_spots[0] and spot.printed and spot.limits is not None:
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
            raise Fault((*path, line, "hand"), f"{award.hand!r} is below a lesser hand, or occurs twice")
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


def _points(file: RuleSetFile, game: Game) -> None:
    required = _required_points(file, game)
    allowed = {*required, *game.optional_points, *(clause_points.VERSION_1 if file.version == 1 else ())}
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
    for name, wanted in file.section_points.items():
        section = getattr(file, name, None)
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
            raise Fault((*path, place), f"{name!r} occurs twice")


def _list(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))

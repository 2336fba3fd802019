"""Checks of a rule-set file beyond its keys: each yields the paths that are wrong, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from domain.hands.poker import FIVE_CARD_NAMES
from domain.money import MONEY_PATTERN, cents
from domain.rules import clause_points
from domain.rules.file_schema import (
    NO_BOUND,
    ODDS_PATTERN,
    AwardSection,
    Faults,
    PayTableSection,
    RuleSetFile,
    ScheduleSection,
)
from domain.rules.line_numbers import Path
from domain.rules.ruleset import Packet, Section

if TYPE_CHECKING:
    from domain.games.game import Game

_MONEY = re.compile(MONEY_PATTERN)
_ODDS = re.compile(ODDS_PATTERN)
_PROGRESSIVE_HANDS = (
    "royal flush on the board",
    "royal flush in the first five",
    *reversed(FIVE_CARD_NAMES),
)


def faults(file: RuleSetFile, game: Game, expected_id: str) -> Faults:
    """Yield every fault of a file whose keys and types are right; one fault must not hide another."""
    if file.id != expected_id:
        yield ("id",), f"the rule set calls itself {file.id!r} in the file of {expected_id!r}"
    yield from _dates(file)
    yield from _names(file)
    yield from _clauses(file)
    yield from _clause_references(file)
    yield from _table_facts(file, game)
    yield from _odds(file, game)
    yield from _spots(file, game)
    yield from _dealings(file, game)
    yield from file.faults()
    yield from _settlement(file, game)
    yield from _paytables(file, game)
    yield from _collection(file, game)
    yield from _progressives(file)
    yield from _points(file, game)
    yield from _section_points(file)


def questions(file: RuleSetFile, game: Game) -> tuple[str, ...]:
    """Return every question that the engine may ask of a rule set with these features."""
    return (
        *clause_points.COMMON,
        *(clause_points.PLAYER_DEALER if file.bank.held_by == "player-dealer" else clause_points.HOUSE),
        *game.points,
        *(clause_points.AGGREGATE if file.table_aggregate else ()),
        *(clause_points.CUSTOMER_LIMIT if file.customer_limit else ()),
        *(clause_points.SUPERVISOR if file.supervisor else ()),
        *(clause_points.TOKE if "toke" in file.bettors.kinds else ()),
        *(clause_points.PROGRESSIVE if file.progressive else ()),
        *file.points(),
    )


def _dates(file: RuleSetFile) -> Faults:
    until = file.in_force.until
    if until is not None and until < file.in_force.since:
        yield ("in_force", "until"), f"in force until {until}, before {file.in_force.since}"
    if file.version > 1 and file.in_force.clause is None:
        yield ("in_force",), "no document has a date: the clause that decides on this one is missing"
    if file.version > 1 and file.source_hash is None:
        yield ("source_hash",), "the SHA-256 of the source document is missing"


NAMED_BY = {
    "clause": "id",
    "spot": "name",
    "odds": "on",
    "dealing": "mode",
    "paytable": "id",
    "schedule": "option",
    "progressive": "id",
}


def _names(file: RuleSetFile) -> Faults:
    """Check that no two sections of one kind have the same name."""
    for section, key in NAMED_BY.items():
        names = [getattr(one, key) for one in getattr(file, section)]
        for number, name in _doubles(names):
            yield (section, number, key), f"{section} {name!r} occurs twice"


def _doubles(names: Sequence[str]) -> Iterator[tuple[int, str]]:
    return ((place, name) for place, name in enumerate(names) if name in names[:place])


def _clauses(file: RuleSetFile) -> Faults:
    ids = {clause.id for clause in file.clause}
    for number, clause in enumerate(file.clause):
        path = ("clause", number)
        if "/decision/" in clause.id and clause.decided is None:
            yield (*path, "id"), f"clause {clause.id!r} is a decision without a reason"
        if not clause.checked and (clause.points or clause.decided is not None):
            yield (*path, "checked"), f"clause {clause.id!r} is not checked, but the engine rests on it"
        for place, other in enumerate(clause.contradicts):
            if other not in ids or other == clause.id:
                yield (*path, "contradicts", place), f"there is no other clause {other!r}"


def clause_references(file: RuleSetFile) -> Iterator[tuple[Path, str]]:
    """Yield every clause that a section names, alone or in a list."""
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


def _clause_references(file: RuleSetFile) -> Faults:
    known = {clause.id: clause for clause in file.clause}
    for path, clause in clause_references(file):
        if clause not in known:
            yield path, f"there is no clause {clause!r}"
        elif not known[clause].checked:
            yield path, f"clause {clause!r} is marked as not checked, but a figure rests on it"


def _table_facts(file: RuleSetFile, game: Game) -> Faults:
    decks, kinds = file.decks, file.bettors.kinds
    if decks.most < decks.fewest:
        for name in ("most", "fewest"):
            yield ("decks", name), f"at least {decks.fewest} decks are in play, and at most {decks.most}"
    elif not decks.fewest <= decks.usual <= decks.most:
        outside = "fewest" if decks.usual < decks.fewest else "most"
        for name in ("usual", outside):
            yield (
                ("decks", name),
                f"the usual number of decks, {decks.usual}, is outside {decks.fewest} to {decks.most}",
            )
    if game.most_decks is not None and decks.most > game.most_decks:
        yield ("decks", "most"), "hands are ranked as in one deck, so this game is played with one"
    for place, kind in _doubles(kinds):
        yield ("bettors", "kinds", place), f"{kind!r} occurs twice"
    if ("toke" in kinds) != (file.toke is not None):
        yield ("bettors", "kinds"), "[toke] goes with tips, and only with them"
    if "toke" in kinds and not game.takes_tips:
        yield ("bettors", "kinds"), "no tips are wagered in this game"
    for number, spot in enumerate(file.toke.minimum_on if file.toke else ()):
        if spot not in game.base_spots + game.bonus_spots:
            yield ("toke", "minimum_on", number), f"no tip is wagered on {spot!r}"
    if not cents(file.chip.usual):
        yield ("chip", "usual"), "a chip must be worth more than 0.00"
    if file.bank.held_by == "player-dealer":
        if file.rotation is None:
            yield ("bank", "held_by"), "a player-dealer game says how the bank rotates: [rotation] is missing"
        if file.table_aggregate is not None:
            yield ("table_aggregate",), "a player-dealer pays up to their own wager, and by no aggregate"
        return
    if game.needs_player_dealer:
        yield ("bank", "held_by"), "this game counts its action button from the player-dealer's seat"
    if file.rotation is not None:
        for path in (("rotation",), ("bank", "held_by")):
            yield path, "the house's bank does not rotate"
    if "backline" in kinds:
        yield ("bettors", "kinds"), "nobody bets behind a seat where the house banks"


def _odds(file: RuleSetFile, game: Game) -> Faults:
    for number, one in enumerate(file.odds):
        if one.on not in game.odds_on:
            yield ("odds", number, "on"), f"{one.on!r} has no odds of its own in this game"
    if missing := set(game.odds_on).difference(one.on for one in file.odds):
        yield ("odds",), f"the odds on {_list(missing)} are missing"


def _spots(file: RuleSetFile, game: Game) -> Faults:
    expected = _spots_before_the_deal(file, game)
    for number, spot in enumerate(file.spot):
        path = ("spot", number)
        if spot.name not in expected:
            yield (*path, "name"), f"{spot.name!r} takes no wager before the deal in this game"
        if spot.limits is not None:
            yield from _limits((*path, "limits"), spot.limits)
        elif spot.printed:
            yield (*path, "printed"), f"the limits of {spot.name!r} are printed, but not given"
        elif spot.name in _limited_by_their_own(file, game):
            yield path, f"the limits of {spot.name!r} are missing"
    if missing := set(expected).difference(spot.name for spot in file.spot):
        yield ("spot",), f"the spot {_list(missing)} is missing"


def _limited_by_their_own(file: RuleSetFile, game: Game) -> tuple[str, ...]:
    """Return the spots with limits of their own. A printed schedule limits the first base spot; the others equal it."""
    return game.bonus_spots if file.schedule else (game.base_spots[0], *game.bonus_spots)


def _spots_before_the_deal(file: RuleSetFile, game: Game) -> tuple[str, ...]:
    return game.base_spots + game.bonus_spots + (("progressive",) if file.progressive else ())


def _dealings(file: RuleSetFile, game: Game) -> Faults:
    for number, dealing in enumerate(file.dealing):
        path = ("dealing", number)
        if dealing.first_seat == "player-dealer-left" and file.bank.held_by == "house":
            yield (*path, "first_seat"), "a house bank has no player-dealer to begin next to"
        yield from _packets((*path, "packets"), dealing.packets, game)
    usual = [number for number, dealing in enumerate(file.dealing) if dealing.usual]
    if not usual:
        yield ("dealing",), "no dealing is marked as the usual one"
    for number in usual[1:]:
        yield ("dealing", number, "usual"), "two are marked as the usual dealing"


def _packets(path: Path, packets: Sequence[Packet], game: Game) -> Faults:
    for place, wanted in (("seats", game.hole_cards), ("dealer", game.hole_cards), ("board", game.board_cards)):
        dealt = sum(packet.count for packet in packets if packet.to == place)
        if dealt != wanted:
            rows = [(*path, number) for number, packet in enumerate(packets) if packet.to == place]
            for where in rows or [path]:
                yield where, f"{dealt} {'card goes' if dealt == 1 else 'cards go'} to {place!r}, not {wanted}"
    street, last = 0, 2 if game.board_cards else 0
    for number, packet in enumerate(packets):
        if not 0 <= packet.street <= last:
            yield (*path, number), f"this game has no street {packet.street}: its streets are 0 to {last}"
        if packet.street and packet.to in ("seats", "dealer"):
            yield (*path, number), "hands are dealt on street 0, before anybody decides"
        if packet.count != (game.cards_at_once or packet.count):
            yield (*path, number, "count"), f"cards are dealt {game.cards_at_once} at a time in this game"
        if packet.street < street:
            yield (*path, number), "a packet comes after those of a later street"
        street = packet.street


def _settlement(file: RuleSetFile, game: Game) -> Faults:
    wanted = {*_spots_before_the_deal(file, game), *game.later_spots, *(("envy",) if file.progressive else ())}
    settlement = file.settlement
    if settlement.seats == "action-button" and not file.has_button:
        yield ("settlement", "seats"), "this game has no action button"
    if settlement.seats == "player-dealer-left" and file.bank.held_by == "house":
        yield ("settlement", "seats"), "a house bank has no player-dealer to begin next to"
    if not settlement.order and game.one_order:
        yield ("settlement",), "this game settles in one order, whatever happened to the hand"
    if settlement.order and (settlement.won or settlement.lost or settlement.tied):
        yield ("settlement", "order"), "with one order for all hands, none can have another"
    if (settlement.unqualified or settlement.unqualified_first) and game.one_order:
        yield ("settlement",), "this game settles in one order whether or not the dealer hand qualifies"
    if (settlement.unqualified_clause is not None) != bool(settlement.unqualified):
        yield ("settlement",), "the order where the dealer hand does not qualify needs its clause, and only it"
    if not set(settlement.unqualified_first) <= set(settlement.unqualified):
        yield ("settlement", "unqualified_first"), "a wager that is settled first is one of those settled at all"
    cases = ("order",) if settlement.order else ("won", "lost", "tied")
    for case in (*cases, *(("unqualified",) if settlement.unqualified else ())):
        order: tuple[str, ...] = getattr(settlement, case)
        path = ("settlement", case)
        for number, spot in _doubles(order):
            yield (*path, number), f"{spot!r} occurs twice"
        for number, spot in enumerate(order):
            if spot not in wanted:
                yield (*path, number), f"{spot!r} is not a wager of this game"
        if missing := wanted.difference(order):
            yield path, f"the order of settlement leaves out {_list(missing)}"


def _paytables(file: RuleSetFile, game: Game) -> Faults:
    spots = [table.spot for table in file.paytable]
    for number, table in enumerate(file.paytable):
        path = ("paytable", number)
        if table.spot != "trips" and table.spot in spots[:number]:
            yield (*path, "spot"), f"there are two pay tables for {table.spot!r}, and no way to choose"
        if table.usual and table.spot != "trips":
            yield (*path, "usual"), "only a trips table can be the usual one of several"
        if table.spot not in game.pays_by:
            yield (*path, "spot"), f"no pay table belongs to {table.spot!r} in this game"
        else:
            yield from _pays((*path, "pays"), table, game.pays_by[table.spot])
    if missing := set(game.pays_by).difference(spots):
        yield ("paytable",), f"the pay table for {_list(missing)} is missing"
    for number in [number for number, table in enumerate(file.paytable) if table.usual][1:]:
        yield ("paytable", number, "usual"), "two are marked as the usual trips table"


def _pays(path: Path, table: PayTableSection, hands: Sequence[str]) -> Faults:
    """Check that a table starts at the best hand, or the most cards, and has no gap down to the last that pays."""
    for hand, odds in table.pays.items():
        if hand not in hands:
            yield (*path, hand), f"{hand!r} is not a line of a table for {table.spot!r}"
        if not isinstance(odds, str) or not _ODDS.fullmatch(odds):
            yield (*path, hand), f'{odds!r} are not odds; odds look like "3:2"'
    first = next(iter(table.pays)) if hands[0].isdigit() else hands[0]
    start = hands.index(first) if first in hands else 0
    for hand, expected in zip(table.pays, hands[start:], strict=False):
        if hand != expected:
            yield (*path, hand), f"a gap: {hand!r} is where {expected!r} belongs"
            return  # all after it are out of place, too


def _collection(file: RuleSetFile, game: Game) -> Faults:
    if file.bank.held_by == "house":
        for name in ("collection", "schedule"):
            if getattr(file, name):
                yield (name,), "the house collects no fee from its own bank"
        return
    if file.collection is None:
        yield ("bank", "held_by"), "a player-dealer game says how the fee is set: [collection] is missing"
        return
    for number, schedule in enumerate(file.schedule):
        path = ("schedule", number)
        yield from _limits((*path, "limits"), schedule.limits)
        yield from _inside_printed((*path, "limits"), schedule.limits, file, game)
        yield from _tiers((*path, "tiers"), schedule, file.collection.most_tiers)


def _inside_printed(path: Path, limits: tuple[str, str], file: RuleSetFile, game: Game) -> Faults:
    """Check that some amount is inside both the schedule's and the printed limits, which both bind the wager."""
    base = next((spot for spot in file.spot if spot.name == game.base_spots[0]), None)
    if base is not None and base.printed and base.limits is not None:
        low, high = base.limits
        if cents(low) > cents(limits[1]) or cents(high) < cents(limits[0]):
            yield path, f"no wager is inside these limits and those printed for {base.name!r}"


def _tiers(path: Path, schedule: ScheduleSection, most: int) -> Faults:
    if len(schedule.tiers) > most:
        yield (*path, most), f"a schedule has at most {most} tiers"
    *bounded, last = schedule.tiers
    below = 0
    for number, tier in enumerate(bounded):
        place = (*path, number, "up_to")
        if tier.up_to == NO_BOUND:
            yield place, "only the last tier is without an upper bound"
        elif not _MONEY.match(tier.up_to):
            yield place, f'{tier.up_to!r} is not an amount; an amount looks like "12.50"'
        elif cents(tier.up_to) <= below:
            yield place, f"the bounds do not rise: {tier.up_to}"
        else:
            below = cents(tier.up_to)
    if last.up_to != NO_BOUND:
        yield (*path, len(bounded), "up_to"), f'the last tier goes up to "{NO_BOUND}"'
    for number, tier in enumerate(schedule.tiers):
        if not _MONEY.match(tier.fee):
            yield (*path, number, "fee"), f"a fee is a flat amount, never a percentage: {tier.fee!r}"


def _progressives(file: RuleSetFile) -> Faults:
    if file.progressive and file.bank.held_by != "house":
        yield ("progressive",), "only the house runs a progressive"
    if file.supervisor is not None and not file.progressive:
        yield ("supervisor",), "a supervisor is called for progressive wins, and there is no progressive"
    for number, table in enumerate(file.progressive):
        path = ("progressive", number, "awards")
        yield from _award_hands(path, table.awards)
        for line, award in enumerate(table.awards):
            if (award.percent is None) == (award.times is None):
                yield (*path, line), "an award is either a percentage of the meter or a multiple of the wager"


def _award_hands(path: Path, awards: Sequence[AwardSection]) -> Faults:
    """Check awards from the best down without a gap; the special royal flushes may be left out."""
    royal = _PROGRESSIVE_HANDS.index("royal flush")
    above = -1
    for line, award in enumerate(awards):
        place = (*path, line, "hand")
        if award.hand not in _PROGRESSIVE_HANDS:
            yield place, f"{award.hand!r} is not a hand of a progressive table"
            return
        rank = _PROGRESSIVE_HANDS.index(award.hand)
        if rank <= above:
            yield place, f"{award.hand!r} is below a lesser hand, or occurs twice"
        if rank > max(above + 1, royal):
            yield place, f"a gap above {award.hand!r}"
        above = rank


def _points(file: RuleSetFile, game: Game) -> Faults:
    required = questions(file, game)
    allowed = {*required, *game.optional_points, *(clause_points.VERSION_1 if file.version == 1 else ())}
    answered: dict[str, tuple[str, int, str, int]] = {}
    for number, clause in enumerate(file.clause):
        for place, point in enumerate(clause.points):
            path = ("clause", number, "points", place)
            if point not in allowed:
                yield path, f"the engine never asks {point!r} of this rule set"
            if point in answered:
                first = answered[point]
                yield path, f"{point!r} is already answered by {file.clause[first[1]].id!r}"
                yield first, f"{point!r} is answered again by {clause.id!r}"
            answered.setdefault(point, path)
    if missing := set(required).difference(answered):
        yield ("clause",), f"no clause answers {_list(missing)}"


def _section_points(file: RuleSetFile) -> Faults:
    answers = {clause.id: clause.points for clause in file.clause}
    for name, wanted in file.section_points.items():
        section = getattr(file, name, None)
        if section is None or section.clause not in answers:
            continue
        if not set(wanted).intersection(answers[section.clause]):
            yield (name, "clause"), f"clause {section.clause!r} does not answer {_list(wanted)}"


def _limits(path: Path, limits: tuple[str, str]) -> Faults:
    if cents(limits[0]) > cents(limits[1]):
        yield path, f"the minimum {limits[0]} is above the maximum {limits[1]}"


def _list(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))

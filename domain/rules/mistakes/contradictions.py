"""Figures of a rule-set file that contradict each other. A stored file that has them is still read: only its author is
asked to put them right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from domain.cards import DECK
from domain.money import MONEY_PATTERN, cents
from domain.rules.file_schema import ODDS_PATTERN, AwardSection, Faults, RuleSetFile
from domain.rules.line_numbers import Path
from domain.rules.ruleset import Odds

if TYPE_CHECKING:
    from domain.games.game import Game

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_TABLE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}")
_MOST_DECKS = 99  # far more than anybody deals from; without a limit, counting hands would not end
_MONEY = re.compile(MONEY_PATTERN)
_ODDS = re.compile(ODDS_PATTERN)


def contradictions(file: RuleSetFile, game: Game) -> Faults:
    if not _ID.fullmatch(file.id):
        yield ("id",), f"{file.id!r} is not a rule-set id: lower-case letters, digits and hyphens, at most 40"
    yield from _table_ids(file)
    yield from _cards(file)
    yield from _wagers(file)
    yield from _fees(file)
    yield from _odds(file)
    yield from _awards(file)
    yield from _liability(file, game)
    yield from _customer_limit(file, game)


def _table_ids(file: RuleSetFile) -> Faults:
    for section in ("paytable", "progressive"):
        for number, table in enumerate(getattr(file, section)):
            if not _TABLE_ID.fullmatch(table.id):
                why = f"{table.id!r} is not the id of a table: letters, digits, dots and hyphens, at most 40"
                yield (section, number, "id"), why


def _cards(file: RuleSetFile) -> Faults:
    """Check that the deck has enough cards to deal to every seat."""
    if file.decks.most > _MOST_DECKS:
        yield ("decks", "most"), f"nobody deals from {file.decks.most} decks; {_MOST_DECKS} are the most"
    seats = file.seats.count - (file.bank.held_by == "player-dealer")
    cards = file.decks.fewest * len(DECK)
    for number, dealing in enumerate(file.dealing):
        dealt = sum(packet.count * (seats if packet.to == "seats" else 1) for packet in dealing.packets)
        if dealt > cards:
            why = f"{dealt} cards are dealt to a full table, and there are {cards}"
            most = max(range(len(dealing.packets)), key=lambda place: dealing.packets[place].count)
            yield ("dealing", number, "packets", most), why


def _wagers(file: RuleSetFile) -> Faults:
    """Check that something can be wagered on every spot."""
    chip, small = cents(file.chip.usual), False
    for path, limits in _limits(file):
        if not cents(limits[1]):
            yield path, "with a maximum of 0.00 nothing can be wagered"
        elif cents(limits[1]) < chip:
            small = True
            yield path, f"the maximum {limits[1]} is less than the usual chip of {file.chip.usual}"
    if small:
        yield ("chip", "usual"), f"with a usual chip of {file.chip.usual} nothing can be wagered on some spots"
    for number, table in enumerate(file.progressive):
        if not cents(table.wager):
            yield ("progressive", number, "wager"), "a progressive wager is more than 0.00"


def _limits(file: RuleSetFile) -> Iterator[tuple[Path, tuple[str, str]]]:
    for number, spot in enumerate(file.spot):
        if spot.limits is not None:
            yield ("spot", number, "limits"), spot.limits
    for number, schedule in enumerate(file.schedule):
        yield ("schedule", number, "limits"), schedule.limits


def _fees(file: RuleSetFile) -> Faults:
    for number, schedule in enumerate(file.schedule):
        fees = [cents(tier.fee) if _MONEY.match(tier.fee) else None for tier in schedule.tiers]
        for place, (below, fee) in enumerate(pairwise(fees), start=1):
            if below is not None and fee is not None and fee < below:
                tiers, pair = ("schedule", number, "tiers"), (schedule.tiers[place - 1].fee, schedule.tiers[place].fee)
                yield (*tiers, place, "fee"), f"the fee {pair[1]} is below that of the tier before"
                yield (*tiers, place - 1, "fee"), f"the fee {pair[0]} is above that of the next tier"


def _odds(file: RuleSetFile) -> Faults:
    """Check that no line of a pay table pays more than a better one."""
    for number, table in enumerate(file.paytable):
        pays = {hand: str(odds) for hand, odds in table.pays.items()}
        lines = [(hand, _share(odds)) for hand, odds in pays.items() if _ODDS.match(odds)]
        for (better, more), (hand, share) in pairwise(lines):
            if share > more:
                place = "paytable", number, "pays"
                yield (*place, hand), f"{hand!r} pays more than {better!r}, which is better"
                yield (*place, better), f"{better!r} pays less than {hand!r}, which is not as good"


def _awards(file: RuleSetFile) -> Faults:
    for number, table in enumerate(file.progressive):
        for kind in ("times", "percent"):
            for (above, more), (line, value) in pairwise(_values(table.awards, kind)):
                if value > more:
                    awards, hand, better = ("progressive", number, "awards"), table.awards[line], table.awards[above]
                    yield (*awards, line, kind), f"{hand.hand!r} pays more than {better.hand!r}, which is better"
                    yield (*awards, above, kind), f"{better.hand!r} pays less than {hand.hand!r}, which is not as good"


def _values(awards: Sequence[AwardSection], kind: str) -> list[tuple[int, int]]:
    values = [(line, getattr(award, kind)) for line, award in enumerate(awards) if award.hand not in _ROYALS]
    return [(line, value) for line, value in values if value is not None]


_ROYALS = ("royal flush on the board", "royal flush in the first five")  # of one rank, each paid as the house likes


def _liability(file: RuleSetFile, game: Game) -> Faults:
    owed = file.most_owed({one.on: _share(one.pays) for one in file.odds})
    if file.liability.base < owed:
        what = f"a cent on {game.base_spots[0]!r} can be owed up to {float(owed):g} cents, with what may follow it"
        yield ("liability", "base"), f"{what}, not {file.liability.base}"
        for path in file.what_follows():
            yield path, f"{what}, and [liability] has {file.liability.base}"


def _customer_limit(file: RuleSetFile, game: Game) -> Faults:
    limit = file.customer_limit
    if limit is None:
        return
    highest = file.highest_multiple()
    if limit.play_in_advance < highest:
        why = f"a play wager may be {highest} times the ante, and {limit.play_in_advance} times is counted in advance"
        yield ("customer_limit", "play_in_advance"), why
        for path in file.what_follows():
            yield path, why
    most = {spot.name: cents(spot.limits[1]) for spot in file.spot if spot.limits is not None}
    base = most.get(game.base_spots[0], 0) * (len(game.base_spots) + limit.play_in_advance)
    if limit.posted and base + sum(most.get(spot, 0) for spot in game.bonus_spots) > cents(limit.most):
        why = f"by the usual limits one spot could be bet with more than the {limit.most} that a customer may bet"
        for number, spot in enumerate(file.spot):
            if spot.limits is not None:
                yield ("spot", number, "limits"), why
        yield ("customer_limit", "most"), why


def _share(text: str) -> Fraction:
    odds = Odds.read(text)
    return Fraction(odds.to, odds.per)

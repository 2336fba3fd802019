"""Loading a rule-set file as a typed rule set, or reporting its errors with file and line."""

from __future__ import annotations

import datetime
import functools
import hashlib
import pathlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.errors import UnknownRuleset
from domain.games.game import Game
from domain.games.registry import GAMES
from domain.money import cents
from domain.rules.figures import Figure, figures_of, set_figure
from domain.rules.file_checks import faults
from domain.rules.file_schema import (
    NO_BOUND,
    AwardSection,
    CustomerLimitSection,
    Faults,
    RuleSetFile,
    ScheduleSection,
    SettlementSection,
)
from domain.rules.file_shape import shape_faults
from domain.rules.line_numbers import Lines
from domain.rules.ruleset import (
    Award,
    CustomerLimit,
    Odds,
    PayTable,
    ProgressiveTable,
    RuleSet,
    Schedule,
    Settlement,
    Spot,
    Tier,
)
from domain.rules.toml_reader import read_toml
from domain.rules.version_1 import completed

_SHIPPED = pathlib.Path(__file__).parent / "rulesets"
_FOLDERS = [_SHIPPED]
_VERSION_FOLDER = re.compile(r"v([1-9][0-9]*)")
_KEPT: dict[str, RuleSet] = {}  # by hash
for _game in GAMES.values():  # built while only one thread imports: two at once would crash the process
    msgspec.json.Decoder(_game.file)
_SYNTAX_LINE = re.compile(r"\(at line (\d+), column \d+\)")


class RuleSetError(Exception):
    """A rule-set file that must not be used, with its line."""

    def __init__(self, file: str, line: int, message: str) -> None:
        super().__init__(f"{file}:{line}: {message}")
        self.file = file
        self.line = line
        self.message = message


def look_in(*folders: pathlib.Path) -> None:
    """Also look for rule sets in these folders, each with v1/, v2/ and so on; only the latest call applies."""
    _FOLDERS[1:] = folders
    _files.cache_clear()


@functools.cache
def _files() -> dict[str, dict[int, pathlib.Path]]:
    """Return the file of every version of every rule set; its folder names the version."""
    found: dict[str, dict[int, pathlib.Path]] = {}
    for path in sorted(path for folder in _FOLDERS for path in folder.glob("v*/*.toml")):
        if version := _VERSION_FOLDER.fullmatch(path.parent.name):
            found.setdefault(path.stem, {})[int(version[1])] = path
    return {name: dict(sorted(found[name].items())) for name in sorted(found)}


@functools.cache
def _last_days() -> dict[str, dict[str, datetime.date]]:
    return tomllib.loads((_SHIPPED / "index.toml").read_text(encoding="utf-8"))


def ids() -> tuple[str, ...]:
    return tuple(_files())


def versions(ruleset_id: str) -> tuple[int, ...]:
    """Return every version of a rule set, newest last."""
    return tuple(_known(ruleset_id))


def _known(ruleset_id: str) -> dict[int, pathlib.Path]:
    if ruleset_id not in _files():
        raise UnknownRuleset(f"There is no rule set {ruleset_id!r}. There are {', '.join(ids())}.")
    return _files()[ruleset_id]


def load(ruleset_id: str, version: int | None = None) -> RuleSet:
    """Load that version of a rule set, or its newest. Only its own file is read, and only once."""
    known = _known(ruleset_id)
    number = max(known) if version is None else version
    if number not in known:
        numbers = " and ".join(str(number) for number in known)
        raise UnknownRuleset(f"{ruleset_id} has no version {number}. It has {numbers}.")
    return _loaded(ruleset_id, number)


@functools.cache
def _loaded(ruleset_id: str, version: int) -> RuleSet:
    path = _known(ruleset_id)[version]
    rules = parse(path.read_text(encoding="utf-8"), path.name)
    if rules.version != version:
        raise RuleSetError(path.name, 1, f"the file of version {version} calls itself version {rules.version}")
    last_day = _last_days().get(ruleset_id, {}).get(str(version))
    return replace(rules, in_force=replace(rules.in_force, until=last_day)) if last_day else rules


def in_force(ruleset_id: str, day: datetime.date) -> RuleSet:
    """Return the version that rounds of that day (UTC) open under; before the first day of the first one, that one."""
    return of_day([_loaded(ruleset_id, version) for version in _known(ruleset_id)], day)


def of_day(known: Sequence[RuleSet], day: datetime.date) -> RuleSet:
    """Return the version in force on a day, of several with the newest last."""
    return next((rules for rules in reversed(known) if rules.in_force.since <= day), known[0])


def with_hash(ruleset_id: str, content_hash: str) -> RuleSet | None:
    """Return the version whose file has this hash, of those that ship and those that were kept."""
    for version in _files().get(ruleset_id, {}):
        rules = _loaded(ruleset_id, version)
        if rules.content_hash == content_hash:
            return rules
    kept = _KEPT.get(content_hash)
    return kept if kept is not None and kept.id == ruleset_id else None


def keep(rules: RuleSet) -> None:
    """Let a rule set be found by the hash of its text."""
    _KEPT[rules.content_hash] = rules


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def parse(text: str, name: str) -> RuleSet:
    """Parse a file's text; `name` is the file's and is the expected id."""
    text = text.replace("\r\n", "\n")
    return _read(_toml(text, name), text, name)


def _toml(text: str, name: str) -> dict[str, Any]:
    try:
        return read_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleSetError(name, _syntax_line(text, error), str(error)) from None


def changed(rules: RuleSet, figures: Mapping[str, Any]) -> RuleSet:
    """Return the rule set with other figures, each by its place in the file ("odds.play.pays"); checked like a file."""
    raw = completed(tomllib.loads(rules.text))
    for place, value in figures.items():
        set_figure(raw, place, value)
    digest = hashlib.sha256(repr(sorted(figures.items())).encode()).hexdigest()
    return replace(_read(raw, rules.text, f"{rules.id}.toml"), content_hash=f"{rules.content_hash}+{digest}")


def figures(rules: RuleSet) -> list[Figure]:
    """Return every figure by its place in the file, including those that version 1 leaves to the program."""
    return list(figures_of(completed(tomllib.loads(rules.text))))


def _read(raw: dict[str, Any], text: str, name: str) -> RuleSet:
    raw = completed(raw)
    for path, message in _faults(raw, name):
        raise RuleSetError(name, Lines(text).of(path), message)
    game = GAMES[raw["family"]]
    return _build(msgspec.convert(raw, game.file), game, text)


def _faults(raw: Mapping[str, Any], name: str) -> Faults:
    """Yield faults. What the values mean is checked only if all of them can be read."""
    yield from section_faults(raw)
    family = raw.get("family")
    if not isinstance(family, str) or family not in GAMES:
        return
    game = GAMES[family]
    try:
        file = msgspec.convert(raw, game.file)
    except msgspec.ValidationError:
        yield from shape_faults(raw, game.file)
    else:
        yield from faults(file, game, expected_id=name.removesuffix(".toml"))


def section_faults(raw: Mapping[str, Any]) -> Faults:
    """Check that a file has the sections of its game and of no other."""
    if "family" not in raw:
        yield (), "`family` is missing: it names the game"
        return
    family = raw["family"]
    if not isinstance(family, str) or family not in GAMES:
        yield ("family",), f"there is no game {family!r}; there are {', '.join(GAMES)}"
        return
    file, common = GAMES[family].file, RuleSetFile.__struct_fields__
    for field in msgspec.structs.fields(file):
        if field.required and field.name not in raw and field.name not in common:
            yield ("family",), f"this game needs [{field.name}]"
    for other in GAMES.values():
        for name in other.file.__struct_fields__:
            if name in raw and name not in file.__struct_fields__:
                yield (name,), f"[{name}] is not part of this game"


def _syntax_line(text: str, error: tomllib.TOMLDecodeError) -> int:
    """Return the line named in the parser's message, or the last if the text ended too early."""
    found = _SYNTAX_LINE.search(str(error))
    return int(found[1]) if found else text.count("\n") + 1


def _build(file: RuleSetFile, game: Game, text: str) -> RuleSet:
    usual_trips = [table.id for table in file.paytable if table.usual]
    paytables = {
        table.id: PayTable(
            id=table.id,
            spot=table.spot,
            pays={hand: Odds.read(str(odds)) for hand, odds in table.pays.items()},
            clause=table.clause,
        )
        for table in file.paytable
    }
    spots_with_tables = [table.spot for table in file.paytable]
    return RuleSet(
        id=file.id,
        version=file.version,
        title=file.title,
        game=game,
        source=file.source,
        source_hash=file.source_hash,
        in_force=file.in_force,
        text=text,
        content_hash=hash_of(text),
        bank=file.bank.held_by,
        seats=file.seats.count,
        rotation=file.rotation.afterwards if file.rotation else None,
        rotation_rounds=file.rotation.rounds if file.rotation else 0,
        decks=(file.decks.fewest, file.decks.most),
        usual_decks=file.decks.usual,
        alternating_decks=file.deck_colours is not None and file.deck_colours.alternate,
        kinds=file.bettors.kinds,
        toke_minimum_on=file.toke.minimum_on if file.toke else (),
        chip=cents(file.chip.usual),
        spots={
            spot.name: Spot(
                name=spot.name, limits=_cents_or_none(spot.limits), printed=spot.printed, clause=spot.clause
            )
            for spot in file.spot
        },
        dealings={dealing.mode: dealing for dealing in file.dealing},
        usual_dealing=next(dealing.mode for dealing in file.dealing if dealing.usual),
        settlement=_settlement(file.settlement),
        odds={one.on: Odds.read(one.pays) for one in file.odds},
        liability=file.liability.base,
        game_rules=file.game_rules(),
        paytables=paytables,
        usual_trips=usual_trips[0] if usual_trips else None,
        schedules={schedule.option: _schedule(schedule) for schedule in file.schedule},
        supplied_schedule=file.collection is not None and file.collection.supplied_schedule,
        most_tiers=file.collection.most_tiers if file.collection else 0,
        progressives={
            table.id: ProgressiveTable(
                id=table.id,
                wager=cents(table.wager),
                reads=table.reads,
                awards=tuple(_award(award) for award in table.awards),
                clause=table.clause,
            )
            for table in file.progressive
        },
        table_aggregate=cents(file.table_aggregate.most) if file.table_aggregate else None,
        customer_limit=_customer_limit(file.customer_limit),
        supervisor_minutes=None if file.supervisor is None else file.supervisor.minutes,
        clauses={clause.id: clause for clause in file.clause},
        points={point: clause.id for clause in file.clause for point in clause.points},
        paytable_of={table.spot: table for table in paytables.values() if spots_with_tables.count(table.spot) == 1},
    )


def _cents_or_none(limits: tuple[str, str] | None) -> tuple[int, int] | None:
    return None if limits is None else (cents(limits[0]), cents(limits[1]))


def _settlement(section: SettlementSection) -> Settlement:
    return Settlement(
        seats=section.seats,
        won=section.won or section.order,
        lost=section.lost or section.order,
        tied=section.tied or section.order,
        unqualified=section.unqualified,
        unqualified_first=section.unqualified_first,
        clause=section.clause,
        seats_clause=section.seats_clause,
    )


def _customer_limit(section: CustomerLimitSection | None) -> CustomerLimit | None:
    if section is None:
        return None
    return CustomerLimit(cents(section.most), section.play_in_advance, section.posted)


def _schedule(schedule: ScheduleSection) -> Schedule:
    return Schedule(
        option=schedule.option,
        limits=(cents(schedule.limits[0]), cents(schedule.limits[1])),
        tiers=tuple(
            Tier(None if tier.up_to == NO_BOUND else cents(tier.up_to), cents(tier.fee)) for tier in schedule.tiers
        ),
        clause=schedule.clause,
    )


def _award(award: AwardSection) -> Award:
    return Award(
        hand=award.hand,
        percent=award.percent,
        times=award.times,
        envy=None if award.envy is None else cents(award.envy),
    )

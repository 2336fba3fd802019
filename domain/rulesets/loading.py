"""From a rule-set file to the typed rule set that the engine reads, or to a complaint with file and line."""

from __future__ import annotations

import functools
import hashlib
import pathlib
import re
import tomllib

import msgspec

from domain.errors import UnknownRuleset
from domain.money import cents
from domain.ruleset import (
    Award,
    Clause,
    Dealing,
    InForce,
    Odds,
    Packet,
    PayTable,
    ProgressiveTable,
    RuleSet,
    Schedule,
    Settlement,
    Spot,
    Tier,
)
from domain.rulesets.checks import NO_BOUND, Fault, check
from domain.rulesets.lines import Lines, Path
from domain.rulesets.shape import AwardSection, RuleSetFile, ScheduleSection

_FOLDER = pathlib.Path(__file__).parent
_STEP = re.compile(r"\.([a-z_]+)|\[(\d+)\]")
_FIELD = re.compile(r"unknown field `([^`]*)`")
_SYNTAX_LINE = re.compile(r"\(at line (\d+), column \d+\)")


class RuleSetError(Exception):
    """A rule-set file that must not be used, with the line to look at."""

    def __init__(self, file: str, line: int, message: str) -> None:
        super().__init__(f"{file}:{line}: {message}")
        self.file = file
        self.line = line
        self.message = message


@functools.cache
def ids() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


@functools.cache
def load(ruleset_id: str) -> RuleSet:
    """The rule set of that id. Only its own file is read, and only once."""
    if ruleset_id not in ids():
        raise UnknownRuleset(f"There is no rule set {ruleset_id!r}. There are {', '.join(ids())}.")
    return parse(text(ruleset_id), f"{ruleset_id}.toml")


def text(ruleset_id: str) -> str:
    """The file of a rule set, word for word."""
    return (_FOLDER / f"{ruleset_id}.toml").read_text(encoding="utf-8")


def parse(text: str, name: str) -> RuleSet:
    """The rule set in a file's text; `name` is the file's, and says which id is expected inside."""
    text = text.replace("\r\n", "\n")
    try:
        file = msgspec.convert(tomllib.loads(text), RuleSetFile)
        check(file, expected_id=name.removesuffix(".toml"))
    except tomllib.TOMLDecodeError as error:
        raise RuleSetError(name, _syntax_line(text, error), str(error)) from None
    except msgspec.ValidationError as error:
        message, path = _shape_fault(error)
        raise RuleSetError(name, Lines(text).of(path), message) from None
    except Fault as fault:
        raise RuleSetError(name, Lines(text).of(fault.path), fault.message) from None
    return _build(file, hashlib.sha256(text.encode()).hexdigest())


def _syntax_line(text: str, error: tomllib.TOMLDecodeError) -> int:
    """The reader names the line in its message, or says that the text has ended too early."""
    found = _SYNTAX_LINE.search(str(error))
    return int(found[1]) if found else text.count("\n") + 1


def _shape_fault(error: msgspec.ValidationError) -> tuple[str, Path]:
    """msgspec writes the place as `$.schedule[0].tiers`; an unknown field it names only in words."""
    message, _, place = str(error).partition(" - at ")
    path: Path = tuple(int(index) if index else key for key, index in _STEP.findall(place))
    if field := _FIELD.search(message):
        path += (field[1],)
    where = place.strip("`").removeprefix("$.")
    return (f"{message} in {where}" if where else message), path


def _build(file: RuleSetFile, content_hash: str) -> RuleSet:
    usual_trips = [table.id for table in file.paytable if table.usual]
    return RuleSet(
        id=file.id,
        title=file.title,
        family=file.family,
        source=file.source,
        in_force=InForce(file.in_force.since, file.in_force.until),
        content_hash=content_hash,
        bank=file.bank.held_by,
        seats=file.seats.count,
        rotation=file.rotation.after_two_rounds if file.rotation else None,
        decks=(file.decks.fewest, file.decks.most),
        usual_decks=file.decks.usual,
        alternating_decks=file.deck_colours is not None and file.deck_colours.alternate,
        kinds=file.bettors.kinds,
        spots={
            spot.name: Spot(spot.name, _cents_or_none(spot.limits), spot.printed, spot.clause) for spot in file.spot
        },
        dealings={
            dealing.mode: Dealing(
                dealing.mode,
                dealing.first_seat,
                tuple(Packet(packet.to, packet.count, packet.street) for packet in dealing.packets),
                dealing.clause,
            )
            for dealing in file.dealing
        },
        usual_dealing=next(dealing.mode for dealing in file.dealing if dealing.usual),
        settlement=Settlement(
            seats=file.settlement.seats,
            won=file.settlement.won,
            lost=file.settlement.lost,
            tied=file.settlement.tied,
            clause=file.settlement.clause,
            seats_clause=file.settlement.seats_clause,
        ),
        paytables={
            table.id: PayTable(
                table.id,
                table.spot,
                {hand: _odds(str(odds)) for hand, odds in table.pays.items()},
                table.clause,
            )
            for table in file.paytable
        },
        usual_trips=usual_trips[0] if usual_trips else None,
        schedules={schedule.option: _schedule(schedule) for schedule in file.schedule},
        supplied_schedule=file.collection is not None and file.collection.supplied_schedule,
        progressives={
            table.id: ProgressiveTable(
                table.id,
                cents(table.wager),
                table.reads,
                tuple(_award(award) for award in table.awards),
                table.clause,
            )
            for table in file.progressive
        },
        table_aggregate=cents(file.table_aggregate.most) if file.table_aggregate else None,
        customer_limit=cents(file.customer_limit.most) if file.customer_limit else None,
        clauses={clause.id: Clause(clause.id, clause.says, clause.decided, clause.points) for clause in file.clause},
        points={point: clause.id for clause in file.clause for point in clause.points},
    )


def _cents_or_none(limits: tuple[str, str] | None) -> tuple[int, int] | None:
    return None if limits is None else (cents(limits[0]), cents(limits[1]))


def _odds(text: str) -> Odds:
    to, per = text.split(":")
    return Odds(int(to), int(per))


def _schedule(schedule: ScheduleSection) -> Schedule:
    return Schedule(
        schedule.option,
        (cents(schedule.limits[0]), cents(schedule.limits[1])),
        tuple(Tier(None if tier.up_to == NO_BOUND else cents(tier.up_to), cents(tier.fee)) for tier in schedule.tiers),
        schedule.clause,
    )


def _award(award: AwardSection) -> Award:
    return Award(award.hand, award.percent, award.times, None if award.envy is None else cents(award.envy))

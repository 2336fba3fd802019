"""Other lines on which a mistake may be: a file says which two things do not fit, and not which of them is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from domain.money import cents
from domain.rules import loader
from domain.rules.file_checks import NAMED_BY, clause_references, questions
from domain.rules.file_schema import NO_BOUND, Faults, RuleSetFile
from domain.rules.line_numbers import Path

if TYPE_CHECKING:
    from domain.games.game import Game

_MOST_COMPARED = 20  # ids, each with all others


def hints(file: RuleSetFile, game: Game) -> Faults:
    yield from _repeated_names(file)
    yield from _nearly_the_clause(file)
    yield from _unanswered(file, game)
    yield from _bounds(file)


def _repeated_names(file: RuleSetFile) -> Faults:
    for section, key in NAMED_BY.items():
        names = [getattr(one, key) for one in getattr(file, section)]
        counts = Counter(names)
        for number, name in enumerate(names):
            if counts.pop(name, 0) > 1:
                yield (section, number, key), f"{section} {name!r} occurs twice; this is the first one"


def _nearly_the_clause(file: RuleSetFile) -> Faults:
    """Yield the clause whose id may be mistyped, where a reference names one that does not exist."""
    places = {clause.id: number for number, clause in enumerate(file.clause)}
    unused = places.keys() - {clause for _, clause in clause_references(file)}
    shipped = {clause for rules in map(loader.load, loader.ids()) for clause in rules.clauses}
    for _, wanted in islice(_unknown_clauses(file), _MOST_COMPARED):
        for near in get_close_matches(wanted, unused - shipped or unused, 1, 0.75):
            yield ("clause", places[near], "id"), f"perhaps {wanted!r}, which is referred to and does not exist"


def _unknown_clauses(file: RuleSetFile) -> Iterator[tuple[Path, str]]:
    known = {clause.id for clause in file.clause}
    yield from ((path, clause) for path, clause in clause_references(file) if clause not in known)
    for number, clause in enumerate(file.clause):
        for place, other in enumerate(clause.contradicts):
            if other not in known:
                yield ("clause", number, "contradicts", place), other


def _unanswered(file: RuleSetFile, game: Game) -> Faults:
    """Yield for each question without an answer what answers it in a rule set that ships."""
    places = {clause.id: number for number, clause in enumerate(file.clause)}
    answered = {point for clause in file.clause for point in clause.points}
    for point in sorted(set(questions(file, game)).difference(answered)):
        answers = [
            (rules.id, rules.clauses[rules.points[point]])
            for rules in map(loader.load, loader.ids())
            if rules.family == game.family and point in rules.points
        ]
        if answers:
            ruleset, clause = next((one for one in answers if one[1].id in places), answers[0])
            path: Path = ("clause", places[clause.id]) if clause.id in places else ("clause",)
            yield path, f"{point!r} is answered by {clause.id!r} in {ruleset}: {clause.says}"


def _bounds(file: RuleSetFile) -> Faults:
    for number, schedule in enumerate(file.schedule):
        for place, (one, other) in enumerate(pairwise(schedule.tiers)):
            try:
                falls = NO_BOUND not in (one.up_to, other.up_to) and cents(one.up_to) >= cents(other.up_to)
            except ValueError:  # no amounts
                continue
            if falls:
                yield ("schedule", number, "tiers", place, "up_to"), f"the next bound is not above {one.up_to}"

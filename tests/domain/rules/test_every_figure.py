"""Every figure of a rule set is in its file, under its hash, and read by the program.

Each figure of each file is changed in turn: the file has another hash, and a verdict, a limit or an order of the
exercises is another. A figure that changes nothing is one that the engine does not read.
"""

from __future__ import annotations

import copy
import datetime
import functools
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from domain.games.registry import GAMES
from domain.money import cents, money
from domain.rules import rulesets
from domain.rules.figures import figures_of, set_figure
from domain.rules.ruleset import RuleSet
from domain.rules.rulesets import RuleSetError
from tests.domain.rules.exercises import Exercise, exercises

Raw = dict[str, Any]
every_rule_set = pytest.mark.parametrize("ruleset", rulesets.ids())

# Figures that have one sensible value in their game: any other is refused, with the line.
ONE_VALUE = {
    "uth": r"decks\.\w+|street\.1\.turns|street\.\d\.otherwise|dealing\.\w+\.first_seat@house",
    "tcp": r"decks\.\w+|street\.1\.(turns|otherwise)|bank\.held_by|dealing\.\w+\.packets\.\d\.count"
    r"|paytable\.[\w-]+\.spot",
    "p215": r"bank\.held_by|dealing\.\w+\.packets\.\d\.count",
}
LAST_BOUND = "no limit"

OTHER_WORDS = {
    "house-dealer-left": "player-dealer-left",
    "player-dealer-left": "house-dealer-left",
    "strict": "offered",
    "offered": "strict",
    "seven": "first five",
    "first five": "seven",
    "pair": "two pair",
    "queen high": "king high",
    "check": "fold",
    "fold": "check",
}


# ---- files with another figure


def contents(ruleset: str) -> Raw:
    """A file's contents with short sentences, which nothing depends on and which take long to read."""
    raw = copy.deepcopy(_read(ruleset))
    for clause in raw["clause"]:
        clause["says"] = "."
    return raw


@functools.cache
def _read(ruleset: str) -> Raw:
    return tomllib.loads(rulesets.load(ruleset).text)


def file_of(raw: Raw) -> str:
    return "".join(f"{_value(key)} = {_value(value)}\n" for key, value in raw.items())


def _value(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case list() | tuple():
            return f"[{', '.join(_value(one) for one in value)}]"
        case dict():
            return f"{{{', '.join(f'{_value(key)} = {_value(one)}' for key, one in value.items())}}}"
        case datetime.date():
            return value.isoformat()
    return str(value)


def loaded(raw: Raw) -> RuleSet:
    return rulesets.parse(file_of(raw), f"{raw['id']}.toml")


def test_what_is_written_here_is_what_was_read():
    for ruleset in rulesets.ids():
        assert tomllib.loads(file_of(_read(ruleset))) == _read(ruleset)


# ---- another value for each figure, and what must change with it


def other_value(place: str, value: Any) -> Any:
    name = place.rpartition(".")[2]
    match value:
        case bool():
            return not value
        case int():
            return value - 1 if name in ("percent", "must_stand") else value + 1
        case datetime.date():
            return value + datetime.timedelta(days=1)
        case list():
            return other_list(place, value)
    if name == "share" or (place.startswith(("odds.", "paytable.")) and ":" in value):
        to, per = value.split(":")
        return f"{to}:{int(per) + 1}"
    if re.fullmatch(r"\d+\.\d\d", value):
        return money(cents(value) + 100)
    return OTHER_WORDS[value]


def other_list(place: str, value: list[Any]) -> list[Any]:
    if place.endswith(".limits"):
        return [value[0], money(cents(value[1]) - 100)]
    if place.endswith(".multiples"):
        return [*value[:-1], value[-1] + 4]
    if place.endswith("unqualified_first"):
        return [*value, "blind"]
    if place == "toke.minimum_on":
        return ["ante"]
    return value[::-1]


def changes(place: str, value: Any) -> Callable[[Raw], None]:
    """What to do to a file's contents to give a figure another value, with whatever has to follow it."""
    for pattern, change in TOGETHER.items():
        if re.fullmatch(pattern, place):
            return functools.partial(change, place=place)
    return lambda raw: set_figure(raw, place, other_value(place, value))


def _other_decks(raw: Raw, place: str) -> None:
    """A range of decks has another end or another usual number."""
    name = place.rpartition(".")[2]
    raw["decks"][name] += -1 if name == "most" else 1


def _other_usual(raw: Raw, place: str) -> None:
    """Another way of dealing becomes the usual one; where there is no other, one like it."""
    mode = place.split(".")[1]
    others = [dealing for dealing in raw["dealing"] if dealing["mode"] != mode]
    if not others:
        others = [{**raw["dealing"][0], "mode": "hand"}]
        raw["dealing"] += others
    others[0]["usual"] = True
    set_figure(raw, place, False)


def _packets(raw: Raw, place: str) -> tuple[list[Raw], int]:
    mode, number = place.split(".")[1], int(place.split(".")[3])
    return next(dealing["packets"] for dealing in raw["dealing"] if dealing["mode"] == mode), number - 1


def _other_place(raw: Raw, place: str) -> None:
    """A packet changes places with the one after it, or with the one before it at the end of a street."""
    packets, at = _packets(raw, place)
    streets = [packet.get("street", 0) for packet in packets]
    neighbour = at + 1 if streets[at : at + 2].count(streets[at]) == 2 else at - 1
    for key in ("to", "count"):
        packets[at][key], packets[neighbour][key] = packets[neighbour][key], packets[at][key]


def _other_count(raw: Raw, place: str) -> None:
    """A card of a packet comes later, or those of a later packet come with it."""
    packets, at = _packets(raw, place)
    packet = packets[at]
    if packet["to"] == "burn":
        packet["count"] += 1
    elif packet["count"] > 1:
        packet["count"] -= 1
        packets.insert(at + 1, {**packet, "count": 1})
        if packets[at + 2 : at + 3] and packets[at + 2]["to"] == packet["to"]:
            packets[at + 1]["street"] = packet["street"]
    else:
        other = next(number for number, one in enumerate(packets) if number != at and one["to"] == packet["to"])
        packet["count"] += packets.pop(other)["count"]


def _other_street(raw: Raw, place: str) -> None:
    """A packet is dealt a street earlier, with all before it."""
    packets, at = _packets(raw, place)
    street = packets[at]["street"] - 1
    for packet in packets[: at + 1]:
        if packet.get("street", 0) > street:
            packet["street"] = street


def _other_flop(raw: Raw, place: str) -> None:
    """A card of the board is turned over a street earlier, and dealt so where the board comes in packets."""
    _, second, third = raw["street"]
    second["turns"] += 1
    third["turns"] -= 1
    for dealing in raw["dealing"]:
        board = [packet for packet in dealing["packets"] if packet["to"] == "board"]
        if len(board) > 1:
            board[0]["count"] += 1
            board[1]["count"] -= 1


def _other_spot(raw: Raw, place: str) -> None:
    """Two pay tables change their spots, and with them which one is usual."""
    first, second = raw["paytable"][:2]
    first["spot"], second["spot"] = second["spot"], first["spot"]
    if second.pop("usual", False):
        first["usual"] = True
    if first["spot"] == "trips" and len(raw["paytable"]) > 2:
        _blind_is(raw, place)


def _blind_is(raw: Raw, place: str) -> None:
    """Of several trips tables the one whose spot it is about pays the blind."""
    name = place.split(".")[1]
    for table in raw["paytable"]:
        table["spot"] = "trips"
    chosen = raw["paytable"][1] if name == raw["paytable"][0]["id"] else _table(raw, name)
    chosen["spot"] = "blind"
    chosen.pop("usual", None)


def _table(raw: Raw, name: str) -> Raw:
    return next(table for table in raw["paytable"] if table["id"] == name)


def _other_kinds(raw: Raw, place: str) -> None:
    """Backline or tips are no longer taken; where nobody took any, tips are."""
    if raw["bettors"]["kinds"]:
        raw["bettors"]["kinds"] = []
        raw.pop("toke", None)
    else:
        raw["bettors"]["kinds"] = ["toke"]
        raw["toke"] = {"minimum_on": [], "clause": _first_clause(raw)["id"]}
    _answer_points(raw)


def _other_folds(raw: Raw, place: str) -> None:
    raw["folded_hands"]["seen_for_bonus"] = not raw["folded_hands"]["seen_for_bonus"]
    _answer_points(raw)


def _other_bank(raw: Raw, place: str) -> None:
    """The house banks where a player-dealer did, or the other way round, with all that goes with either."""
    clause = _first_clause(raw)["id"]
    if raw["bank"]["held_by"] == "player-dealer":
        raw["bank"]["held_by"] = "house"
        for name in ("rotation", "collection", "schedule"):
            raw.pop(name, None)
        raw["bettors"]["kinds"] = []
        raw["settlement"]["seats"] = "lowest-first"
    else:
        raw["bank"]["held_by"] = "player-dealer"
        raw.pop("table_aggregate", None)
        raw["rotation"] = {"rounds": 2, "afterwards": "strict", "clause": clause}
        raw["collection"] = {"supplied_schedule": True, "most_tiers": 5, "clause": clause}
        if raw.pop("progressive", None):
            raw["spot"] = [spot for spot in raw["spot"] if spot["name"] != "progressive"]
            settlement = raw["settlement"]
            settlement["order"] = [spot for spot in settlement["order"] if spot not in ("progressive", "envy")]
    _answer_points(raw)


def _first_clause(raw: Raw) -> Raw:
    """The first that a figure may rest on."""
    return next(clause for clause in raw["clause"] if clause.get("checked", True))


def _answer_points(raw: Raw) -> None:
    """Let the first clause answer what is asked from now on, and none what no longer is."""
    first = _first_clause(raw)
    while True:
        try:
            loaded(raw)
            return
        except RuleSetError as error:
            asked = re.findall(r"'([a-z_0-9.]+)'", error.message)
            if error.message.startswith("no clause answers"):
                first.setdefault("points", []).extend(asked)
            elif error.message.startswith("the engine never asks"):
                for clause in raw["clause"]:
                    clause["points"] = [point for point in clause.get("points", ()) if point != asked[0]]
            elif "does not answer" in error.message:
                _rest_elsewhere(raw, asked)
            else:
                raise


def _rest_elsewhere(raw: Raw, asked: list[str]) -> None:
    """Let a section rest on the clause that answers its point."""
    name = next(name for name, wanted in GAMES[raw["family"]].file.section_points.items() if sorted(wanted) == asked)
    raw[name]["clause"] = next(
        clause["id"] for clause in raw["clause"] if set(asked).intersection(clause.get("points", ()))
    )


def _six_tiers(raw: Raw, place: str) -> None:
    """Six tiers may be supplied; where schedules are printed one of them has six, which would be refused otherwise."""
    raw["collection"]["most_tiers"] = 6
    if raw.get("schedule"):
        *tiers, last = raw["schedule"][0]["tiers"]
        raw["schedule"][0]["tiers"] = [*tiers, {"up_to": "5000.00", "fee": "20.00"}, {**last, "fee": "30.00"}]


TOGETHER: Mapping[str, Callable[..., None]] = {
    r"bank\.held_by": _other_bank,
    r"bettors\.kinds": _other_kinds,
    r"folded_hands\.seen_for_bonus": _other_folds,
    r"decks\.\w+": _other_decks,
    r"dealing\.\w+\.usual": _other_usual,
    r"dealing\.\w+\.packets\.\d\.to": _other_place,
    r"dealing\.\w+\.packets\.\d\.count": _other_count,
    r"dealing\.\w+\.packets\.\d\.street": _other_street,
    r"street\.[23]\.turns": _other_flop,
    r"paytable\.[\w-]+\.spot": _other_spot,
    r"split\.most_hands": lambda raw, place: set_figure(raw, place, 1),
    r"collection\.most_tiers": _six_tiers,
    r"settlement\.seats": lambda raw, place: set_figure(
        raw, place, "highest-first" if raw["settlement"]["seats"] == "lowest-first" else "lowest-first"
    ),
}


# ---- the walk


class Bank:
    """The exercises of a rule set, each worked out once under the rules as they are."""

    def __init__(self, ruleset: str) -> None:
        self.exercises = exercises(ruleset)
        self._rules = rulesets.load(ruleset)
        self._expected: dict[int, Any] = {}

    def differs(self, place: str, rules: RuleSet) -> Exercise | None:
        """The first exercise that ends otherwise, beginning with those about this figure."""
        order = sorted(range(len(self.exercises)), key=lambda at: not place.startswith(self.exercises[at].about))
        for at in order:
            exercise = self.exercises[at]
            if at not in self._expected:
                self._expected[at] = exercise.outcome(self._rules)
            if exercise.outcome(rules) != self._expected[at]:
                return exercise
        return None


@every_rule_set
def test_every_figure_changes_the_hash_and_a_verdict_a_limit_or_an_order(ruleset: str):
    bank, rules = Bank(ruleset), rulesets.load(ruleset)
    one_value = re.compile(ONE_VALUE[rules.family])
    idle, same_hash = [], []
    unchanged = loaded(contents(ruleset)).content_hash
    for figure in figures_of(contents(ruleset)):
        place = figure.place
        asked = f"{place}@house" if not rules.player_banked and place.endswith("first_seat") else place
        if one_value.fullmatch(asked) or figure.value == LAST_BOUND:
            refused_in_its_place(ruleset, place, figure.value)
            continue
        raw = contents(ruleset)
        changes(place, figure.value)(raw)
        changed = loaded(raw)
        if changed.content_hash == unchanged:
            same_hash.append(place)
        if bank.differs(place, changed) is None:
            idle.append(place)
    assert same_hash == []
    assert idle == [], "the engine does not read these figures"


def refused_in_its_place(ruleset: str, place: str, value: Any) -> None:
    raw = contents(ruleset)
    other = {"player-dealer": "house", LAST_BOUND: "9000.00", "pair_plus": "six_card", "six_card": "pair_plus"}
    set_figure(raw, place, other[value] if value in other else other_value(place, value))
    with pytest.raises(RuleSetError):
        loaded(raw)


@every_rule_set
def test_a_file_with_the_same_figures_changes_nothing(ruleset: str):
    """Other words and another hash are no other rules: the walk would find any figure that the engine does not read."""
    same = loaded(contents(ruleset))
    assert same.content_hash != rulesets.load(ruleset).content_hash
    assert Bank(ruleset).differs("", same) is None


@every_rule_set
def test_a_what_if_changes_figures_as_a_file_would(ruleset: str):
    for figure in rulesets.figures(rulesets.load(ruleset)):
        if figure.place.startswith(("odds.", "paytable.", "schedule.")) and figure.value != LAST_BOUND:
            break
    other = other_value(figure.place, figure.value)
    raw = contents(ruleset)
    set_figure(raw, figure.place, other)
    in_a_file, supposed = loaded(raw), rulesets.changed(rulesets.load(ruleset), {figure.place: other})
    assert supposed.content_hash not in (in_a_file.content_hash, rulesets.load(ruleset).content_hash)
    words = {"text", "content_hash", "clauses"}
    for name in set(supposed.__struct_fields__) - words:
        assert getattr(supposed, name) == getattr(in_a_file, name)

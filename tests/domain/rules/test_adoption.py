"""What two people may adopt and retire, and which version is in force on which day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec.structs import replace

from domain.errors import BadChoice, UnknownRuleset
from domain.rules import adoption, rulesets
from domain.rules.adoption import Approval, Days, RulebookEvent, contradictions
from domain.rules.loader import RuleSetError
from domain.rules.rulebook import RuleBook
from domain.two_people import TwoPeople
from tests.domain.rules.own_rules import IDS, own_text

TODAY = date(2027, 3, 1)
NOON_MS = round(datetime(2027, 3, 1, 12, tzinfo=UTC).timestamp() * 1000)
APPROVAL = Approval("GEGA-1", date(2027, 2, 1))
PEOPLE = TwoPeople("floor-1", "floor-2")
Decision = tuple[RulebookEvent, str, int]


def later(days: int) -> date:
    return TODAY + timedelta(days=days)


class House:
    """A property and what it has decided so far, at noon of the same day."""

    def __init__(self) -> None:
        self.decisions: list[Decision] = []

    @property
    def book(self) -> RuleBook:
        return RuleBook(self.decisions)

    def adopt(
        self,
        first_day: date,
        version: int = 1,
        *,
        ruleset: str = "uth-hill",
        last_day: date | None = None,
        people: TwoPeople = PEOPLE,
        approval: Approval = APPROVAL,
        at_ms: int = NOON_MS,
    ) -> None:
        self.adopt_text(own_text(ruleset, TODAY, version), ruleset, first_day, last_day, people, approval, at_ms)

    def adopt_text(
        self,
        text: str,
        ruleset: str,
        first_day: date,
        last_day: date | None = None,
        people: TwoPeople = PEOPLE,
        approval: Approval = APPROVAL,
        at_ms: int = NOON_MS,
    ) -> None:
        rules = adoption.read_file(text, ruleset)
        event = adoption.adopt(self.book, rules, Days(first_day, last_day), approval, people, at_ms)
        self.decisions.append((event, people.first, at_ms))

    def retire(self, from_day: date, ruleset: str = "uth-hill", people: TwoPeople = PEOPLE) -> None:
        event = adoption.retire(self.book, ruleset, from_day, "No longer offered.", people, NOON_MS)
        self.decisions.append((event, people.first, NOON_MS))


@pytest.fixture
def house() -> House:
    return House()


@pytest.mark.parametrize("ruleset", IDS)
def test_a_new_rule_set_is_in_force_from_its_first_day_on(house: House, ruleset: str) -> None:
    house.adopt(TODAY, ruleset=ruleset)
    assert house.book.in_force(ruleset, TODAY).version == 1
    assert ruleset in house.book.ids()
    assert ruleset not in rulesets.ids()
    with pytest.raises(UnknownRuleset, match=f"{ruleset} is in force from 2027-03-01 on, and not on 2027-02-28"):
        house.book.in_force(ruleset, later(-1))


def test_a_next_version_ends_the_one_before(house: House) -> None:
    house.adopt(TODAY)
    house.adopt(later(10), 2)
    assert [house.book.in_force("uth-hill", later(day)).version for day in (0, 9, 10, 400)] == [1, 1, 2, 2]
    assert [rules.in_force.until for rules in house.book.versions("uth-hill")] == [later(9), None]
    assert [one.last_day for one in house.book.adoptions()] == [later(9), None]


def test_a_next_version_of_what_ships(house: House) -> None:
    newest = rulesets.load("uth-house")
    text = newest.text.replace("version = 2\n", "version = 3\n", 1)
    house.adopt_text(text, "uth-house", later(1))
    assert [house.book.in_force("uth-house", later(day)).version for day in (-500, 0, 1)] == [1, 2, 3]
    assert house.book.in_force("uth-bgc", later(1)) == rulesets.load("uth-bgc"), "others are as they ship"


def test_what_ships_is_adopted_as_it_is_and_nothing_changes(house: House) -> None:
    house.adopt_text(rulesets.load("uth-bgc").text, "uth-bgc", TODAY)
    for day in (date(2020, 1, 1), date(2026, 11, 17), date(2026, 11, 18), TODAY, later(1)):
        assert house.book.in_force("uth-bgc", day).content_hash == rulesets.in_force("uth-bgc", day).content_hash
    house.book.check_adopted(house.book.in_force("uth-bgc", TODAY), TODAY)
    with pytest.raises(UnknownRuleset, match="is not adopted for 2027-02-28"):
        house.book.check_adopted(house.book.in_force("uth-bgc", later(-1)), later(-1))
    with pytest.raises(UnknownRuleset, match="version 2 of uth-house is not adopted"):
        house.book.check_adopted(rulesets.load("uth-house"), TODAY)


def test_a_retired_rule_set_opens_nothing_until_a_next_version_is_adopted(house: House) -> None:
    house.adopt(TODAY)
    house.retire(later(5))
    assert house.book.in_force("uth-hill", later(4)).version == 1
    with pytest.raises(UnknownRuleset, match="its last day was 2027-03-05"):
        house.book.in_force("uth-hill", later(5))
    house.adopt(later(20), 2)
    with pytest.raises(UnknownRuleset):
        house.book.in_force("uth-hill", later(19))
    assert house.book.in_force("uth-hill", later(20)).version == 2


def test_what_ships_can_be_retired(house: House) -> None:
    house.retire(later(1), "uth-sd")
    assert house.book.in_force("uth-sd", TODAY).version == 2
    with pytest.raises(UnknownRuleset, match="its last day was 2027-03-01"):
        house.book.in_force("uth-sd", later(1))


# ---- what is refused, and why


def test_a_first_adoption_that_is_refused(house: House) -> None:
    for reason, arguments in {
        "Two different people adopt a rule set": {"people": TwoPeople("floor-1", "floor-1")},
        "The approval number is one line": {"approval": Approval("  ")},
        "The approval is dated 2027-03-02, and today is 2027-03-01": {"approval": Approval("1", later(1))},
        "The last day in force, 2027-02-28, is before the first": {"last_day": later(-1)},
        "its first version is 1, and the file calls itself version 2": {"version": 2},
    }.items():
        with pytest.raises(BadChoice, match=reason):
            house.adopt(TODAY, **arguments)  # type: ignore[arg-type]
    with pytest.raises(BadChoice, match="The file is for rounds from 2027-03-01 on"):
        house.adopt(later(-1))
    with pytest.raises(BadChoice, match="2027-03-01 is over, today is 2027-03-02"):
        house.adopt(TODAY, at_ms=NOON_MS + 86_400_000)
    assert house.decisions == []


@pytest.mark.parametrize(
    ("first_day", "version", "reason"),
    [
        (later(5), 3, "The next version of uth-hill is 2, and the file calls itself version 3"),
        (later(5), 1, "Version 1 of uth-hill with this text is already adopted"),
        (TODAY, 2, "Version 1 of uth-hill begins on 2027-03-01: the next one begins after that day"),
    ],
)
def test_a_next_version_that_is_refused(house: House, first_day: date, version: int, reason: str) -> None:
    house.adopt(TODAY)
    with pytest.raises(BadChoice, match=reason):
        house.adopt(first_day, version)


def test_versions_do_not_overlap(house: House) -> None:
    house.adopt(TODAY, last_day=later(30))
    with pytest.raises(BadChoice, match="is in force until 2027-03-31: the next one begins after it"):
        house.adopt(later(30), 2)
    house.adopt(later(31), 2)
    with pytest.raises(BadChoice, match="begins on 2027-04-01"):
        house.adopt(later(31), 3)


def test_a_change_does_not_begin_on_the_day_on_which_it_is_recorded(house: House) -> None:
    house.adopt(TODAY)
    tomorrow_noon = NOON_MS + 86_400_000
    with pytest.raises(BadChoice, match="Rounds of today open under version 1"):
        house.adopt(later(1), 2, at_ms=tomorrow_noon)
    last_minute = round(datetime(2027, 3, 1, 23, 59, 30, tzinfo=UTC).timestamp() * 1000)
    with pytest.raises(BadChoice, match="at least a minute before"):
        house.adopt(later(1), 2, at_ms=last_minute)
    house.adopt(later(1), 2, at_ms=last_minute - 60_000)


def test_another_game_needs_another_id(house: House) -> None:
    house.adopt(TODAY)
    text = own_text("p215-hill", TODAY, 2).replace('id = "p215-hill"', 'id = "uth-hill"', 1)
    with pytest.raises(BadChoice, match="another game needs another id"):
        house.adopt_text(text, "uth-hill", later(1))


def test_retiring_that_is_refused(house: House) -> None:
    house.adopt(TODAY)
    with pytest.raises(BadChoice, match="Two different people retire"):
        house.retire(later(3), people=TwoPeople("floor-1", "floor-1"))
    with pytest.raises(BadChoice, match="it is retired from a later day on"):
        house.retire(TODAY)
    house.retire(later(3))
    with pytest.raises(BadChoice, match="The last day of uth-hill is already 2027-03-03"):
        house.retire(later(4))
    with pytest.raises(UnknownRuleset):
        house.retire(later(3), "uth-nowhere")


def test_a_file_with_mistakes_is_refused_with_every_one_of_them() -> None:
    text = own_text("uth-hill", TODAY).replace('"2:1"', '"two"').replace("chip", "chips")
    with pytest.raises(BadChoice) as refused:
        adoption.read_file(text, "uth-hill")
    assert refused.value.detail.count("uth-hill.toml:") > 1
    for odd in ("[" * 100_000, "id = '\ud800'"):
        with pytest.raises(BadChoice):
            adoption.read_file(odd, "uth-hill")


# ---- what an audit says of stored decisions


def test_decisions_as_they_are_made_do_not_contradict_one_another(house: House) -> None:
    house.adopt(TODAY)
    house.adopt(later(3), 2)
    house.retire(later(9))
    house.adopt(later(20), 3)
    assert list(contradictions(house.decisions)) == []


def test_damaged_decisions_do(house: House) -> None:
    house.adopt(TODAY)
    house.adopt(later(3), 2)
    (first, by, at_ms), (second, _, _) = house.decisions
    for damaged, what in (
        ([(first, "floor-2", at_ms)], "One person alone"),
        ([(replace(first, text="id = 1"), by, at_ms)], "another hash"),
        ([(first, by, at_ms + 86_400_000)], "was over when it was adopted"),
        ([(second, by, at_ms), (first, by, at_ms)], "overlap"),
    ):
        assert [found for _, found in contradictions(damaged) if what in found], what


def test_a_damaged_text_is_left_out_of_the_book(house: House) -> None:
    house.adopt(TODAY)
    event, by, at_ms = house.decisions[0]
    damaged = RuleBook([(replace(event, text="no file"), by, at_ms)])
    assert "uth-hill" not in damaged.ids()
    with pytest.raises(RuleSetError):
        rulesets.parse("no file", "uth-hill.toml")

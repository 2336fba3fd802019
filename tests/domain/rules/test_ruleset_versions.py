"""A rule set has versions: old files never change, what they lack is in one table, and a day says which one counts."""

import datetime
import hashlib
import itertools
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.documents.document import read_document
from domain.errors import BadTerms, OutOfTurn, UnknownRuleset
from domain.games.p215.rules import Pure215Rules
from domain.games.poker_rules import PokerRules
from domain.round.replay import play
from domain.rules import rulesets
from domain.rules.ruleset import RuleSet, Section

DAY = datetime.timedelta(days=1)
# Rounds are stored with these: a file of version 1 that has another hash is another rule set.
VERSION_1 = {
    "p215-casino-club": "43617cb962ce",
    "tcp-casino-club": "375193e7a4be",
    "uth-bgc": "0fa56c8ebf87",
    "uth-casino-club": "c56e33407e4d",
    "uth-club": "d9d9f848e19d",
    "uth-house": "af7efb2e4613",
    "uth-sd": "0cedbbd82353",
}
HOLD_EM = [id for id in rulesets.ids() if id.startswith("uth")]
every_rule_set = pytest.mark.parametrize("ruleset", rulesets.ids())


@every_rule_set
def test_files_of_version_1_are_byte_for_byte_what_rounds_were_stored_with(ruleset: str, project_root: Path):
    file = project_root / "domain" / "rules" / "rulesets" / "v1" / f"{ruleset}.toml"
    assert hashlib.sha256(file.read_bytes()).hexdigest().startswith(VERSION_1[ruleset])
    assert rulesets.load(ruleset, 1).content_hash.startswith(VERSION_1[ruleset])


@every_rule_set
def test_the_newest_version_is_loaded_unless_another_is_named(ruleset: str):
    assert rulesets.versions(ruleset) == (1, 2)
    assert rulesets.load(ruleset) is rulesets.load(ruleset, 2)
    assert [rulesets.load(ruleset, version).version for version in (1, 2)] == [1, 2]


def test_a_version_that_there_is_not_is_refused():
    with pytest.raises(UnknownRuleset, match=r"uth-bgc has no version 3\. It has 1 and 2\."):
        rulesets.load("uth-bgc", 3)
    with pytest.raises(UnknownRuleset):
        rulesets.versions("uth-mars")


@every_rule_set
def test_versions_follow_each_other_without_a_gap(ruleset: str):
    known = [rulesets.load(ruleset, version) for version in rulesets.versions(ruleset)]
    for before, after in itertools.pairwise(known):
        assert before.in_force.until is not None
        assert before.in_force.until + DAY == after.in_force.since
    assert known[-1].in_force.until is None


@every_rule_set
def test_a_day_says_which_version_counts(ruleset: str):
    old, new = rulesets.load(ruleset, 1), rulesets.load(ruleset, 2)
    first = new.in_force.since
    assert rulesets.in_force(ruleset, first - DAY) is old
    assert rulesets.in_force(ruleset, first) is new
    assert rulesets.in_force(ruleset, first + 1000 * DAY) is new
    assert rulesets.in_force(ruleset, old.in_force.since - DAY) is old


@every_rule_set
def test_the_last_day_of_a_version_is_outside_its_hash(ruleset: str, project_root: Path):
    index = tomllib.loads((project_root / "domain" / "rules" / "rulesets" / "index.toml").read_text(encoding="utf-8"))
    assert index[ruleset] == {"1": rulesets.load(ruleset, 1).in_force.until}
    assert "until" not in tomllib.loads(rulesets.load(ruleset, 1).text)["in_force"]


@every_rule_set
def test_the_dates_of_version_2_are_a_decision(ruleset: str):
    rules = rulesets.load(ruleset, 2)
    assert rules.in_force.clause is not None
    assert rules.clauses[rules.in_force.clause].decided


@every_rule_set
def test_a_shipped_version_is_found_by_its_hash(ruleset: str):
    for version in (1, 2):
        rules = rulesets.load(ruleset, version)
        assert rulesets.with_hash(ruleset, rules.content_hash) is rules
    assert rulesets.with_hash(ruleset, "0" * 64) is None
    assert rulesets.with_hash("uth-mars", rules.content_hash) is None


@every_rule_set
def test_a_stored_text_of_version_1_is_completed_like_the_file(ruleset: str):
    shipped = rulesets.load(ruleset, 1)
    parsed = rulesets.parse(shipped.text, f"{ruleset}.toml")
    assert parsed.in_force.until is None
    assert {**figures(parsed), "in_force": None} == {**figures(shipped), "in_force": None}


def figures(rules: RuleSet) -> dict[str, object]:
    """Those of its game are among them."""
    parts = (rules, rules.game_rules)
    found = {name: getattr(part, name) for part in parts for name in part.__struct_fields__}
    return {name: value for name, value in found.items() if name != "game_rules"}


def without_clauses_of_totals(found: dict[str, object]) -> dict[str, object]:
    totals = {name: value for name, value in found.items() if isinstance(value, Section)}
    return found | {name: replace(value, clause="") for name, value in totals.items()}


@every_rule_set
def test_what_version_1_left_to_the_program_is_what_version_2_says_itself(ruleset: str):
    """But for the readings that changed, which are named here one by one."""
    said_otherwise = {"version", "text", "content_hash", "in_force", "source", "source_hash", "clauses", "points"}
    said_otherwise.add("one_trips_table")  # version 1 says so of every rule set whose cardroom has one table to choose
    changed = {
        "uth-club": {"settlement", "folded_hands_seen"},
        "uth-bgc": {"settlement", "folded_hands_seen"},
        "uth-house": {"settlement", "folded_hands_seen"},
        "uth-casino-club": {"folded_hands_seen"},
        "uth-sd": {"folded_hands_seen", "customer_limit", "toke_minimum_on"},
    }
    with_clauses = {
        "spots",
        "dealings",
        "streets",
        "paytables",
        "paytable_of",
        "schedules",
        "progressives",
        "settlement",
    }
    old, new = (without_clauses_of_totals(figures(rulesets.load(ruleset, version))) for version in (1, 2))
    names = old.keys() - said_otherwise - with_clauses - changed.get(ruleset, set())
    assert {name: old[name] for name in names} == {name: new[name] for name in names}
    for name in changed.get(ruleset, set()) - with_clauses:
        assert old[name] != new[name]


# ---- the readings that changed, under both versions

BETS: list[dict[str, object]] = [
    {"do": "bet", "seat": 1, "spot": "ante", "amount": "10.00"},
    {"do": "bet", "seat": 1, "spot": "blind", "amount": "10.00"},
    {"do": "bet", "seat": 1, "spot": "trips", "amount": "10.00"},
    {"do": "close_bets"},
]


def played(ruleset: str, version: int, unseen: bool = True) -> list[str]:
    """Seat 1 folds with a trips wager on it; the outcome of that wager."""
    document: dict[str, object] = {"ruleset": ruleset, "actions": []}
    if rulesets.load(ruleset).player_banked:
        document["player_dealer"] = {"seat": 7, "wager": "1000.00"}
    if len(rulesets.load(ruleset).tables_for("trips")) > 1:
        document["terms"] = {"trips": "UTH-01"}
    round_ = read_document(document, lambda name: rulesets.load(name, version)).opening
    hole: list[str | None] = [None, None] if unseen else ["Ks", "Kh"]
    packets: dict[int | str, list[str | None]] = {
        1: hole,
        "dealer": ["8s", "8h"],
        "board": ["Kd", "9c", "7h", "4s", "2d"],
    }
    dealt = dict.fromkeys(packets, 0)
    actions = list(BETS)
    mode = round_.terms.dealing
    for packet in mode.packets:
        place: int | str = 1 if packet.to == "seats" else packet.to
        cards = packets[place][dealt[place] : dealt[place] + packet.count]
        dealt[place] += packet.count
        actions.append({"do": "deal", "to": place, "cards": cards})
    check = {"do": "decide", "seat": 1, "choice": "check"}
    actions += [check, {"do": "reveal", "of": "flop"}, check, {"do": "reveal", "of": "turn_river"}]
    actions += [{"do": "decide", "seat": 1, "choice": "fold"}, {"do": "settle"}]
    after, _ = play(round_, actions)
    return [line.outcome for line in after.lines if line.spot == "trips"]


@pytest.mark.parametrize("ruleset", HOLD_EM)
def test_a_folded_trips_wager_is_lost_unseen_under_version_1_and_waits_under_version_2(ruleset: str):
    assert played(ruleset, 1) == ["lose"]
    with pytest.raises(OutOfTurn) as refused:
        played(ruleset, 2)
    assert refused.value.clause == rulesets.load(ruleset, 2).clause("folded_hands")
    assert played(ruleset, 1, unseen=False) == played(ruleset, 2, unseen=False) == ["win"]


def test_posted_limits_that_let_a_spot_exceed_the_customer_limit_are_refused_under_version_2():
    document = {
        "ruleset": "uth-sd",
        "terms": {"trips": "UTH-01", "limits": {"ante": ["5.00", "200.00"]}},
        "actions": [],
    }
    read_document(document, lambda name: rulesets.load(name, 1))
    with pytest.raises(BadTerms, match=r"\$1,300.00"):
        read_document(document)


# ---- other figures for a what-if


def test_a_figure_is_changed_by_its_place_in_the_file():
    rules = rulesets.changed(rulesets.load("p215-casino-club"), {"odds.pure.pays": "3:2", "split.most_hands": 2})
    assert str(rules.odds["pure"]) == "3:2"
    assert isinstance(rules.game_rules, Pure215Rules)
    assert rules.game_rules.most_hands == 2
    assert rules.content_hash != rulesets.load("p215-casino-club").content_hash


def test_figures_of_version_1_that_its_file_lacks_can_be_changed_too():
    rules = rulesets.changed(
        rulesets.load("uth-club", 1), {"street.1.multiples": [5], "paytable.BLIND.pays.flush": "2:1"}
    )
    assert isinstance(rules.game_rules, PokerRules)
    assert rules.game_rules.streets[0].multiples == (5,)
    assert str(rules.paytables["BLIND"].pays["flush"]) == "2:1"


@pytest.mark.parametrize("place", ["odds.pure.pays", "nothing", "street.9.multiples", "seats.count.more"])
def test_a_place_that_the_file_does_not_have_is_refused(place: str):
    with pytest.raises(BadTerms):
        rulesets.changed(rulesets.load("uth-club"), {place: "3:2"})


def test_a_figure_that_makes_no_sense_is_refused_like_a_wrong_file():
    with pytest.raises(rulesets.RuleSetError, match="odds"):
        rulesets.changed(rulesets.load("uth-club"), {"odds.play.pays": "often"})

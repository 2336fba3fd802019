"""`roundledger rules` for people and for programs."""

import json

from typer.testing import CliRunner

from api.cli.rules import app
from domain.rules.description import contents, differences
from domain.rules.rulesets import figures, ids, load


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100", "TERM": "dumb"})


def test_all_rule_sets_are_listed():
    result = run()
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == list(ids())


def test_the_list_is_json_too():
    result = run("--json")
    assert result.exit_code == 0
    listed = json.loads(result.stdout)
    assert [rules["id"] for rules in listed] == list(ids())
    assert listed[0]["hash"] == load(ids()[0]).content_hash


def test_one_rule_set_is_shown_for_people():
    result = run("show", "uth-bgc")
    assert result.exit_code == 0
    for text in ("Pay tables", "UTH-04", "3 to 2", "Order of settlement", "bgc/decision/backline", "Why:"):
        assert text in result.stdout


def test_one_rule_set_is_json_too_wherever_the_option_stands():
    for arguments in (("show", "uth-sd", "--json"), ("--json", "show", "uth-sd")):
        result = run(*arguments)
        assert result.exit_code == 0
        assert json.loads(result.stdout) == json.loads(json.dumps(contents(load("uth-sd"))))


def test_an_unknown_one_is_exit_code_2_with_the_known_ones():
    result = run("show", "uth-mars")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "There is no rule set 'uth-mars'." in result.stderr
    assert "uth-casino-club" in result.stderr


def test_another_version_is_shown_by_its_number():
    for version in (1, 2):
        shown = json.loads(run("show", "uth-sd", "--version", str(version), "--json").stdout)
        assert shown == json.loads(json.dumps(contents(load("uth-sd", version))))
        assert shown["version"] == version
    result = run("show", "uth-sd", "--version", "3")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "uth-sd has no version 3. It has 1 and 2." in result.stderr


def test_figures_are_listed_by_the_names_that_whatif_knows():
    lines = run("figures", "p215-casino-club").stdout.splitlines()
    assert 'odds.pure.pays = "6:5"' in lines
    assert "split.most_hands = 4" in lines
    assert len(lines) == len(figures(load("p215-casino-club")))
    assert (
        json.loads(run("figures", "p215-casino-club", "--json").stdout) == contents(load("p215-casino-club"))["figures"]
    )
    assert "split.most_hands = 4" in run("figures", "p215-casino-club", "--version", "1").stdout


def test_two_versions_are_compared_figure_by_figure_and_clause_by_clause():
    result = run("diff", "uth-sd", "1", "2")
    assert result.exit_code == 0
    assert "figure toke.minimum_on\n  - trips\n" in result.stdout
    assert "figure customer_limit.posted\n  - no\n  + yes\n" in result.stdout
    assert "clause sd/decision/folded-hands\n  + " in result.stdout
    found = json.loads(run("diff", "uth-sd", "1", "2", "--json").stdout)
    assert found == [difference._asdict() for difference in differences(load("uth-sd", 1), load("uth-sd", 2))]


def test_a_version_does_not_differ_from_itself():
    assert run("diff", "uth-sd", "2", "2").stdout == "No figure and no clause differs.\n"
    assert run("diff", "uth-sd", "1", "7").exit_code == 2

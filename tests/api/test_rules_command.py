"""`roundledger rules` for people and for programs."""

import json

from typer.testing import CliRunner

from api.rules_command import app
from domain.rulebook import contents
from domain.rulesets import ids, load


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

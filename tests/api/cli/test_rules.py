"""`roundledger rules` for people and for programs."""

import json
from hashlib import sha256
from pathlib import Path

from typer.testing import CliRunner

from api.cli.rules import app
from domain.rules.description.contents import contents
from domain.rules.description.version_comparison import differences
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
    assert "figure customer_limit.posted\n  - no\n  + yes\n  concerns bettors\n" in result.stdout
    assert "clause sd/decision/folded-hands\n  + " in result.stdout
    found = json.loads(run("diff", "uth-sd", "1", "2", "--json").stdout)
    assert found == [
        {**difference._asdict(), "concerns": difference.concerns}
        for difference in differences(load("uth-sd", 1), load("uth-sd", 2))
    ]


def test_a_version_does_not_differ_from_itself():
    assert run("diff", "uth-sd", "2", "2").stdout == "No figure and no clause differs.\n"
    assert run("diff", "uth-sd", "1", "7").exit_code == 2


# ---- a rule set of one's own


def begun(folder: Path, like: str = "tcp-casino-club") -> Path:
    file = folder / "three-card-hill.toml"
    result = run("new", str(file), "--from", like, "--since", "2027-01-01")
    assert result.exit_code == 0, result.stderr
    return file


def test_a_new_rule_set_begins_with_another_and_has_no_mistakes(tmp_path: Path):
    file = begun(tmp_path)
    assert run("check", str(file)).stdout == "three-card-hill.toml: no mistakes.\n"
    assert run("diff", "tcp-casino-club", str(file)).stdout == (
        "figure in_force.since\n  - 2026-11-18\n  + 2027-01-01\n  concerns rounds from its first day on\n"
    )
    again = run("new", str(file), "--from", "uth-sd")
    assert (again.exit_code, "already exists" in again.stderr) == (2, True)
    assert run("check", str(file)).exit_code == 0
    text = file.read_text(encoding="utf-8").replace('pair = "1:1"', 'pair = "2:1"')
    file.write_text(
        text.replace('{ to = "seats", count = 3 }', '{ to = "burn", count = 1 },\n    { to = "seats", count = 3 }')
    )
    shown = run("diff", "tcp-casino-club", str(file)).stdout
    assert (
        "figure dealing.shuffler.packets\n  - 3 to each seat, 3 to the dealer's hand\n"
        "  + 1 burned, 3 to each seat, 3 to the dealer's hand\n  concerns the dealer\n"
    ) in shown
    assert "house edge pair_plus PAIR-PLUS\n  - 4.3801 %\n  + -12.5611 %\n  concerns bettors on pair plus" in shown
    badly_named = run("new", str(tmp_path / "Three Card.toml"), "--from", "uth-sd")
    assert (badly_named.exit_code, "not a rule-set id" in badly_named.stderr) == (2, True)


def test_every_mistake_of_a_file_is_reported_with_its_line(tmp_path: Path):
    file = begun(tmp_path)
    text = file.read_text().replace('share = "1:2"', "").replace("count = 7", "count = 1").replace("200:1", "200-1")
    file.write_text(text)
    result = run("check", str(file))
    assert result.exit_code == 1
    lines = text.split("\n")
    assert (
        f"three-card-hill.toml:{lines.index('count = 1') + 1}: `seats.count` must be a whole number of at least 2"
        in result.stdout
    )
    file.write_text(text.replace("count = 1", "count = 7"))
    found = json.loads(run("check", str(file), "--json").stdout)
    assert [lines[mistake["line"] - 1] for mistake in found] == ['"mini royal" = "200-1"', '"straight flush" = "200-1"']
    for command in ("test", "diff"):
        refused = run(command, *(["uth-sd"] if command == "diff" else []), str(file))
        assert (refused.exit_code, "three-card-hill.toml:" in refused.stderr) == (2, True)


def test_a_file_that_cannot_be_read_is_exit_code_2(tmp_path: Path):
    for path in (tmp_path / "missing.toml", tmp_path):
        result = run("check", str(path))
        assert (result.exit_code, "cannot be read" in result.stderr) == (2, True)


def test_a_trial_prints_what_the_bank_kept_and_exact_edges(tmp_path: Path):
    file = begun(tmp_path)
    file.write_text(file.read_text().replace('"mini royal" = "200:1"', '"mini royal" = "250:1"'))
    result = run("test", str(file), "--rounds", "20")
    assert result.exit_code == 0
    assert "The laws of money held in every round." in result.stdout
    found = json.loads(run("test", str(file), "--rounds", "20", "--json").stdout)
    edges = {edge["spot"]: edge["edge_percent"] for edge in found["edges"]}
    assert edges == {"pair_plus": "3.4751", "six_card": "8.5614"}  # 50 more for 4 of 22,100 hands
    assert found["broken"] == []


def test_a_trial_takes_what_a_meter_shows():
    edge = {
        meter: json.loads(run("test", "uth-sd", "--rounds", "1", *meter, "--json").stdout)["edges"][5]["edge_percent"]
        for meter in ((), ("--meter", "25000.00"))
    }
    assert edge == {(): "54.3173", ("--meter", "25000.00"): "-22.6365"}
    assert run("test", "uth-sd", "--meter", "a lot").exit_code == 2


def test_the_text_of_a_rule_set_has_its_hash():
    for version in (1, 2):
        text = run("show", "uth-sd", "--version", str(version), "--text").stdout
        assert sha256(text.encode()).hexdigest() == load("uth-sd", version).content_hash


def test_a_file_in_another_encoding_is_a_mistake_on_its_line(tmp_path: Path):
    file = tmp_path / "tcp-hill.toml"
    file.write_bytes(b'id = "tcp-hill"\ntitle = "Caf\xe9"\n')
    result = run("check", str(file))
    assert (result.exit_code, result.stdout) == (1, "tcp-hill.toml:2: the text is not in UTF-8\n")
    file.write_bytes(b'\xef\xbb\xbfid = "tcp-hill"\n')
    assert "tcp-hill.toml:1: the text begins with a byte order mark" in run("check", str(file)).stdout

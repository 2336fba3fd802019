"""The pages under docs/rules are those of the rule sets, and they show what a person wants to know."""

from datetime import date
from pathlib import Path

import pytest

from domain.rules.description.contents import contents
from domain.rules.description.markdown import markdown
from domain.rules.description.version_comparison import differences
from domain.rules.rulesets import figures, ids, load, parse
from tests.domain.rules.own_rules import own_text
from tests.rules import rule_pages


def test_pages_are_not_stale(project_root: Path):
    assert rule_pages.stale(project_root) == [], "run python -m tests.rules.rule_pages"


def test_a_changed_a_missing_and_a_left_over_page_are_stale(tmp_path: Path):
    rule_pages.write(tmp_path)
    assert rule_pages.stale(tmp_path) == []
    folder = tmp_path / "docs" / "rules"
    (folder / "uth-bgc.md").write_text("changed", encoding="utf-8")
    (folder / "uth-sd.md").unlink()
    (folder / "uth-mars.md").write_text("left over", encoding="utf-8")
    assert rule_pages.stale(tmp_path) == ["uth-bgc.md", "uth-mars.md", "uth-sd.md"]
    rule_pages.write(tmp_path)
    assert rule_pages.stale(tmp_path) == []


def test_check_says_by_its_exit_code_whether_pages_are_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(rule_pages, "ROOT", tmp_path)
    assert rule_pages.main(["--check"]) == 1
    assert "docs/rules/uth-bgc.md is stale" in capsys.readouterr().err
    assert not (tmp_path / "docs").exists()
    assert rule_pages.main([]) == 0
    assert rule_pages.main(["--check"]) == 0


def test_a_page_names_the_tests_that_hold_a_clause(tmp_path: Path):
    folder = tmp_path / "tests" / "rules"
    folder.mkdir(parents=True)
    (folder / "test_bgc.py").write_text(
        "def test_bgc_round_6a__a_fold_loses_the_ante():\n    ...\n\n"
        "def test_bgc_pay_tables_uth_01__pays_a_flush_7_to_1(table: str):\n    ...\n\n"
        "def test_bgc_round__no_clause_of_this_name():\n    ...\n",
        encoding="utf-8",
    )
    page = rule_pages.pages(tmp_path)["uth-bgc.md"]
    assert "Tests: `test_bgc.py::test_bgc_round_6a__a_fold_loses_the_ante`." in page
    assert "Tests: `test_bgc.py::test_bgc_pay_tables_uth_01__pays_a_flush_7_to_1`." in page
    assert page.count("Tests: none yet.") == sum(clause.checked for clause in load("uth-bgc").clauses.values()) - 2
    assert "no_clause_of_this_name" not in page


@pytest.mark.parametrize("ruleset_id", ids())
def test_a_page_leaves_nothing_out(ruleset_id: str):
    rules = load(ruleset_id)
    page = markdown(rules)
    wanted = [rules.title, rules.source, rules.content_hash, str(rules.in_force.since), *rules.paytables]
    for clause in rules.clauses.values():
        wanted += [f"**{clause.id}** {clause.says}", *([clause.decided] if clause.decided else [])]
    for schedule in rules.schedules.values():
        wanted.append(f"| {schedule.option} | ")
    wanted += [f"### {table}" for table in rules.progressives]
    assert [text for text in wanted if text not in page] == []
    assert "Tests:" not in page


def test_figures_are_printed_as_a_person_reads_them():
    page = markdown(load("uth-casino-club"))
    assert "| flush | 3 to 2 |" in page
    assert "| trips | $0.00 to $50.00 | its own inside these | `cc/collection/trips-limit` |" in page
    assert "up to $1,000.00: $8.00; above: $10.00 |" in page
    assert "The wagers of a seat: ante, play, blind, trips (`cc/dealing/19`)." in page
    sd = markdown(load("uth-sd"))
    assert "| royal flush on the board | 3,000 times the wager |  |" in sd
    assert "| straight flush | 10 % of the meter | $300.00 |" in sd
    assert "; after the first decisions 1 burned, 3 to the board; after the second" in sd
    p215 = markdown(load("p215-casino-club"))
    assert "| 8 or more | 250 to 1 |" in p215
    assert "| 7 | 100 to 1 |" in p215
    assert "$30,000.00" in markdown(load("uth-house"))


def test_a_table_of_markdown_has_as_many_cells_in_every_row():
    for id in ids():
        for block in markdown(load(id)).split("\n\n"):
            rows = block.splitlines()
            if rows[0].startswith("|"):
                assert len({row.count("|") for row in rows}) == 1, block


def test_contents_for_programs_have_money_and_odds_as_text():
    found = contents(load("uth-sd"))
    assert found["customer_limit"] == "1000.00"
    progressives = found["progressives"]
    assert isinstance(progressives, list)
    assert progressives[2]["awards"][0] == {"hand": "royal flush", "pays": "100%", "envy": "1000.00"}
    schedules = contents(load("uth-casino-club"))["schedules"]
    assert isinstance(schedules, list)
    assert schedules[0]["tiers"][0] == {"up_to": "100.00", "fee": "1.00"}
    assert schedules[0]["tiers"][-1] == {"up_to": None, "fee": "10.00"}


@pytest.mark.parametrize("ruleset_id", ids())
def test_every_version_has_its_page(ruleset_id: str, tmp_path: Path):
    pages = rule_pages.pages(tmp_path)
    assert load(ruleset_id, 1).content_hash in pages[f"{ruleset_id}-v1.md"]
    assert load(ruleset_id, 2).content_hash in pages[f"{ruleset_id}.md"]
    assert f"[1]({ruleset_id}-v1.md)" in pages["README.md"]


@pytest.mark.parametrize("ruleset_id", ids())
def test_contents_have_every_figure_every_version_and_what_changed(ruleset_id: str):
    new, old = (contents(load(ruleset_id, version)) for version in (2, 1))
    assert isinstance(new["figures"], list)
    assert isinstance(new["changes"], list)
    assert [figure["place"] for figure in new["figures"]] == [one.place for one in figures(load(ruleset_id))]
    assert [change["name"] for change in new["changes"] if change["what"] == "figure"]
    assert old["changes"] == []
    assert new["versions"] == old["versions"]


def test_a_clause_that_is_not_checked_and_a_contradiction_are_marked():
    text = load("uth-bgc").text + (
        '\n[[clause]]\nid = "bgc/new"\nsays = "Rates are posted."\nchecked = false\ncontradicts = ["bgc/deck/2"]\n'
    )
    page = markdown(parse(text, "uth-bgc.toml"))
    assert "## Not checked by the ledger" in page
    assert page.index("## Not checked by the ledger") < page.index("Rates are posted.") < page.index("## Decisions")
    assert "*Contradicts* `bgc/deck/2`." in page


def test_differences_have_both_sides():
    found = {one.name: one for one in differences(load("uth-house", 1), load("uth-house", 2))}
    assert (found["folded_hands.seen_for_bonus"].before, found["folded_hands.seen_for_bonus"].after) == ("no", "yes")
    assert found["settlement.unqualified_first"].before is None
    assert found["house/decision/folded-hands"].before is None
    assert differences(load("uth-house", 2), load("uth-house", 2)) == []


def test_a_rule_set_unlike_those_that_ship_is_described_as_it_is():
    p215 = markdown(parse(own_text("p215-fen", date(2026, 12, 1)), "p215-fen.toml"))
    assert "| bank | a player-dealer; after one round somebody else banks |" in p215
    assert "| 9 or more | 400 to 1 |" in p215
    text = own_text("uth-hill", date(2026, 12, 1)).replace('"three of a kind" = "3:1"\n', "", 1)  # of UTH-01 alone
    assert "| three of a kind | – | 3 to 1 | 3 to 1 | 3 to 1 |" in markdown(parse(text, "uth-hill.toml"))
    tcp = markdown(parse(own_text("tcp-fen", date(2026, 12, 1)), "tcp-fen.toml"))
    assert "after three rounds in a row it is offered to every other player" in tcp

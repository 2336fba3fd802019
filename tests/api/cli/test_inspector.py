"""The ten questions of docs/inspector.md: each command runs as it is printed there, and answers."""

from __future__ import annotations

import json
import re
import shlex
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random

import psycopg
import pytest
from typer.testing import CliRunner

from api.cli.main import app
from domain.documents.result import result_of
from domain.errors import BadChoice, Rotation
from domain.rules import rulesets
from domain.rules.adoption import Approval, Days
from domain.rules.terms import TermsDocument
from infra.ledger.ledger import Actor, Ledger
from infra.simulation.table import Table
from projections.audit.run import Audit

NOON_MS = round(datetime(2026, 3, 2, 20, tzinfo=UTC).timestamp() * 1000)
GUIDE = Path("docs/inspector.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL) for line in block.strip().splitlines()]


def at(minutes: float) -> Actor:
    return Actor("floor-1", round(NOON_MS + minutes * 60_000))


@pytest.fixture(scope="module")
def inspected(ledger_url: str) -> str:
    """A day with everything that is asked for."""
    day = date(2026, 3, 2)
    with closing(Ledger(ledger_url)) as ledger:
        rules = rulesets.in_force("p215-casino-club", day)
        ledger.adopt_rules(rules.text, rules.id, Days(day), Approval("GEGA-1"), "floor-2", at(-300))
        simulated = Table(rules, "p215-1", 1, Random(4))
        documents = [json.loads(simulated.next_document()) for _ in range(12)]
        terms = TermsDocument(schedule=documents[0]["terms"]["schedule"])
        ledger.post_terms("p215-1", rules.id, terms, at(-10).at_ms, at(-200))
        bank = documents[0]["player_dealer"]["bettor"]
        ledger.register_proposition(bank, "Northern Gaming", "TPP-1", day, None, at(-100))
        for number, document in enumerate(documents):
            ledger.record(document, at(number))
        opened = ledger.record_round({**json.loads(simulated.next_document()), "actions": []}, at(30)).id
        ledger.act(opened, [{"do": "void", "reason": "misdeal"}], at(31))
        bgc = Table(rulesets.in_force("uth-bgc", day), "bgc-1", 1, Random(5))
        seen = ledger.record(json.loads(bgc.next_document()), at(0))
        ledger.see_deck(str(seen["id"]), "blue", at(1))
        jackpot = Path("tests/rules/examples/uth-sd.jsonl").read_text(encoding="utf-8").splitlines()[7]
        won = ledger.record({**json.loads(jackpot), "table": "sd-1"}, at(0))
        ledger.call_supervisor(str(won["id"]), "floor-9", at(4))
    return ledger_url


def run(command: str, url: str, folder: Path) -> str:
    words = [str(folder / word) if word.endswith(".pdf") else word for word in shlex.split(command)[1:]]
    result = CliRunner().invoke(app, [*words, "--database-url", url])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_there_are_ten_questions():
    assert len(re.findall(r"^\d+\. \*\*", GUIDE, re.MULTILINE)) == 10
    assert len(COMMANDS) == 11


@pytest.mark.parametrize("command", COMMANDS)
def test_a_question_is_answered_by_one_command(command: str, inspected: str, tmp_path: Path):
    answer = run(command, inspected, tmp_path)
    if "inspection" in command:
        assert (tmp_path / "inspection.pdf").read_bytes().startswith(b"%PDF")
    elif "disputes" not in command:  # of which there are none
        assert len(answer.splitlines()) > 1, answer


def test_the_inspection_has_every_section(inspected: str, tmp_path: Path):
    found = json.loads(
        run("roundledger report inspection --first 2026-03-01 --last 2026-03-03 --format json", inspected, tmp_path)
    )
    for section in ("adoptions", "played", "postings", "rotation", "fees", "exceptions", "decks", "jackpots"):
        assert found[section], section
    assert found["totals"]["fees"] == 0, "no fee differs from its schedule"
    assert {row["company"] for row in found["proposition_banks"]} == {"Northern Gaming"}
    assert found["integrity"]["waiting"] > 0
    table = run("roundledger report inspection --gaming-day 2026-03-02 --table p215-1", inspected, tmp_path)
    assert "Fees by tier, against the schedule" in table
    assert "sd-1" not in table
    wrong = CliRunner().invoke(app, ["report", "inspection", "--format", "csv", "--database-url", inspected])
    assert wrong.exit_code == 2


def test_what_an_inspection_adds_up_by_day_is_what_its_rounds_add_up_to(inspected: str, tmp_path: Path):
    days = "--first 2026-03-01 --last 2026-03-03"
    found = json.loads(run(f"roundledger report inspection {days} --format json", inspected, tmp_path))
    within = "WHERE gaming_day BETWEEN '2026-03-01' AND '2026-03-03'"
    with psycopg.connect(inspected) as connection:
        played = connection.execute(
            "SELECT ruleset, ruleset_hash, count(*), (array_agg(round ORDER BY opened_at, round))[1], min(opened_at), "
            f"max(opened_at) FROM projections.hands {within} GROUP BY 1, 2 ORDER BY 1, 5"
        ).fetchall()
        banked = connection.execute(
            "SELECT table_id, count(*), count(DISTINCT bettor), max(turn), sum(cardinality(declined))::int, "
            f"count(breach) FROM projections.rotation {within} GROUP BY 1 ORDER BY 1"
        ).fetchall()
    assert len(played) > 1
    assert [
        (
            *(row[name] for name in ("ruleset", "hash", "rounds", "first_round")),
            *(datetime.fromisoformat(row[name]) for name in ("first_at", "last_at")),
        )
        for row in found["played"]
    ] == played
    names = ("table", "rounds", "player_dealers", "longest", "declined", "breaches")
    assert [tuple(row[name] for name in names) for row in found["rotation"]] == banked


def test_a_version_that_begins_in_the_course_of_a_gaming_day_is_listed(inspected: str, tmp_path: Path):
    """A day in UTC ends in the afternoon of a property in California."""
    listed = [
        json.loads(run(f"roundledger report adoptions --gaming-day {day} --format json", inspected, tmp_path))
        for day in ("2026-02-28", "2026-03-01", "2026-03-02")
    ]
    assert [sum(row["ruleset"] == "p215-casino-club" for row in rows) for rows in listed] == [0, 1, 1]


def test_a_proposition_player_banks_on_registered_days_only(inspected: str):
    with closing(Ledger(inspected)) as ledger:
        simulated = Table(rulesets.load("uth-bgc"), "bgc-7", 1, Random(6))
        raw = json.loads(simulated.next_document())
        bank = raw["player_dealer"]["bettor"] = "tp-late"
        raw["players"][str(raw["player_dealer"]["seat"])] = bank
        with pytest.raises(BadChoice, match="not registered for any company"):
            ledger.end_proposition(bank, date(2026, 2, 1), at(40))
        ledger.register_proposition(bank, "Southern Gaming", "TPP-2", date(2026, 1, 1), None, at(40))
        with pytest.raises(BadChoice, match="registered for Southern Gaming"):
            ledger.register_proposition(bank, "Other", "TPP-3", date(2026, 2, 1), None, at(40))
        ledger.name_proposition(bank, "Ana Ruiz", "acct-nia")
        assert ledger.database.rows("SELECT name FROM roundledger.proposition_names") == [("Ana Ruiz",)]
        ledger.erase_name(bank)
        assert ledger.database.rows("SELECT name FROM roundledger.proposition_names") == []
        ledger.end_proposition(bank, date(2026, 2, 1), at(40))
        stored = ledger.record_round(raw, at(50))
        assert result_of(stored.round)["status"] == "settled"
    found: list[str] = []
    Audit(inspected, processes=1, without=("log",), report=lambda one: found.append(one.what)).run()
    expected = "tp-late is a proposition player whose registration does not cover 2026-03-02, and banked the round."
    assert expected in found
    with closing(Ledger(inspected, adopted_only=True)) as strict:
        rules = rulesets.in_force("uth-bgc", date(2026, 3, 2))
        strict.adopt_rules(rules.text, rules.id, Days(date(2026, 3, 2)), Approval("GEGA-2"), "floor-2", at(60))
        with pytest.raises(Rotation, match="does not cover 2026-03-02: they may not bank"):
            strict.record_round({**raw, "round": "again", "table": "bgc-8", "actions": []}, at(61))

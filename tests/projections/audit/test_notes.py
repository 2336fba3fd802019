"""An audit judges money, not prose: a sentence that today's program words differently is a note and never a finding."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from api.cli.audit import archive, audit
from api.cli.evidence import verify
from domain.audit.findings import Finding, new_check
from domain.round.events import ENGINE_VERSION
from infra.log.stored_log import LogReader
from infra.store.recorder import LedgerRecorder
from projections.audit.run import Audit
from projections.audit.scope import Scope
from projections.evidence.current_bundle import make
from tests.api.http.test_audits import until
from tests.api.service import open_service
from tests.recorded_floor import Spoiler

CLAUSE, REASON, PAID, OWED = 11, 12, 8, 7  # in a settled line as it is stored
OTHER = "So it is."
UNSEALED = "r-90"

app = typer.Typer()
for command in (audit, archive, verify):
    app.command()(command)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments])


def change(url: str, round_id: str, *changes: tuple[int, Callable[[Any], Any]], line: int = 0) -> None:
    """Fields of a stored line, by their place in it."""
    with Spoiler(url) as spoiler:
        position, _, _, state = spoiler.round(round_id, "round.line_settled.v1")[line]
        for field, changed in changes:
            state[0][field] = changed(state[0][field])
        spoiler.write(position, state)


def other_words(_: str) -> str:
    return OTHER


def reported(url: str, *options: str) -> tuple[int, list[Any], str]:
    """The exit code, what was reported on standard output, and the error output."""
    answered = run("audit", "--database-url", url, "--processes", "1", "--format", "jsonl", *options)
    return answered.exit_code, [json.loads(line) for line in answered.stdout.splitlines()], answered.stderr


def test_a_sentence_alone_is_a_note_and_exit_code_0(url: str):
    change(url, UNSEALED, (REASON, other_words))
    code, (note,), said = reported(url)
    assert code == 0
    assert (note["severity"], note["kind"], note["round"], note["found"]) == ("note", "wording", UNSEALED, OTHER)
    assert note["expected"] not in (None, OTHER)
    assert "No findings.\n1 note:\n  1 × Settlement sentences that this version of the program words diff" in said


def test_an_amount_is_a_finding_and_a_sentence_beside_it_a_note(url: str):
    change(url, UNSEALED, (PAID, lambda paid: paid + 100))
    change(url, UNSEALED, (REASON, other_words), line=1)
    code, (finding, note), said = reported(url, "--table", "t-9")
    assert code == 1
    assert (finding["severity"], finding["kind"]) == ("finding", "line")
    assert (note["severity"], note["kind"]) == ("note", "wording")
    assert "1 finding:\n" in said


def test_a_line_whose_amount_and_sentence_differ_is_one_finding_about_the_amount(url: str):
    change(url, UNSEALED, (PAID, lambda paid: paid + 100), (REASON, other_words))
    code, (finding,), _ = reported(url, "--round", UNSEALED)
    assert code == 1
    assert "paid" in finding["expected"]
    assert "reason" not in finding["expected"]
    assert OTHER not in finding["what"]


@pytest.mark.parametrize(
    ("field", "changed"),
    [(CLAUSE, lambda clause: f"{clause}x"), (5, lambda _: "surrender"), (6, lambda _: "7:1"), (OWED, lambda _: 1)],
    ids=["clause", "outcome", "odds", "owed"],
)
def test_whatever_else_differs_in_a_line_is_a_finding(url: str, field: int, changed: Callable[[Any], Any]):
    change(url, UNSEALED, (field, changed))
    code, found, _ = reported(url, "--round", UNSEALED)
    assert code == 1
    assert {finding["kind"] for finding in found} == {"line"}


def test_lines_in_another_order_are_a_finding_whatever_their_words(url: str):
    with Spoiler(url) as spoiler:
        (one, _, _, first), (other, _, _, second) = spoiler.round(UNSEALED, "round.line_settled.v1")[:2]
        first[0][REASON] = OTHER
        spoiler.write(one, second)
        spoiler.write(other, first)
    code, found, _ = reported(url, "--round", UNSEALED)
    assert code == 1
    assert [finding["kind"] for finding in found] == ["line_order", "wording"]


def test_many_rounds_of_other_words_are_one_note_for_each_rule_set(url: str, tmp_path: Path):
    """And the same with more than one process, and over an archive. The evidence of a dispute is frozen, so that round
    is left as it is."""
    names = set()
    with Spoiler(url) as spoiler:
        disputed = spoiler.round("r-30", "round.opened.v2")[0][1]
        for position, originator, _, state in spoiler.rows("round.line_settled.v1"):
            if originator != disputed:
                state[0][REASON] = OTHER
                spoiler.write(position, state)
                names.add(originator)
    without = ("--without", "log", "--without", "projections")
    code, notes, said = reported(url, *without)
    assert code == 0
    assert len(notes) == len({note["ruleset"] for note in notes}) == 7
    assert sum(int(note["what"].split()[0]) for note in notes) == len(names)
    assert all(f"engine version {ENGINE_VERSION}" in note["what"] for note in notes)
    assert "7 notes:" in said
    assert reported(url, *without, "--processes", "2")[:2] == (code, notes)
    run("archive", str(tmp_path / "archive"), "--database-url", url)
    answered = run("audit", "--archive", str(tmp_path / "archive"), "--format", "jsonl", "--processes", "1")
    of_archive = [json.loads(line) for line in answered.stdout.splitlines()]
    assert [found for found in of_archive if found["severity"] == "note"] == notes
    assert {found["kind"] for found in of_archive if found["severity"] == "finding"} == {"row_changed"}


def test_the_sentence_of_a_correction_is_a_note_too(url: str):
    with Spoiler(url) as spoiler:
        position, _, _, state = spoiler.round("r-1", "round.correction_posted.v1")[0]
        state[0][6] = OTHER
        spoiler.write(position, state)
    code, (note,), _ = reported(url, "--round", "r-1", "--without", "log")
    assert (code, note["kind"], note["severity"], note["found"]) == (0, "wording", "note", OTHER)


def test_notes_for_people_follow_the_findings(url: str, tmp_path: Path):
    change(url, UNSEALED, (PAID, lambda paid: paid + 100))
    change(url, UNSEALED, (REASON, other_words), line=1)
    answered = run("audit", "--database-url", url, "--round", UNSEALED)
    assert answered.exit_code == 1
    findings, _, notes = answered.stdout.partition("\nNotes, which are not findings:\n")
    assert findings.startswith(f"line  {UNSEALED} · table t-9")
    assert notes.startswith(f"wording  {UNSEALED} · table t-9")
    assert "\n1 note:\n  1 × Settlement sentences that this version of the program words differently\n" in notes
    file = tmp_path / "audit.pdf"
    run("audit", "--database-url", url, "--round", UNSEALED, "--format", "pdf", "--output", str(file))
    assert file.read_bytes().startswith(b"%PDF")


def test_a_bundle_with_other_words_holds_and_says_so(url: str, keys: Path, tmp_path: Path):
    change(url, UNSEALED, (REASON, other_words))
    with LedgerRecorder(url) as recorder:
        bundle = make(LogReader(recorder.database), UNSEALED, keys)
    file = tmp_path / "bundle.zip"
    file.write_bytes(bundle)
    answered = run("verify", str(file))
    assert answered.exit_code == 0, answered.stdout
    (note,) = [line for line in answered.stdout.splitlines() if "worded differently" in line]
    assert note.startswith("note   Event ")


def test_over_http_notes_have_a_list_and_a_count_of_their_own(url: str):
    change(url, UNSEALED, (REASON, other_words))
    change(url, UNSEALED, (PAID, lambda paid: paid + 100), line=1)
    with open_service(url) as client:
        started = client.post("/v1/audits", json={"round": UNSEALED}).json()
        assert started["asked"]["round"] == UNSEALED
        name = started["audit"]
        done = until(client, name, lambda found: found["state"] != "running")
        assert (done["state"], done["findings"], done["notes"]) == ("done", 1, 1)
        assert done["summary"]["rounds"] == 1
        assert (done["summary"]["by_kind"], done["summary"]["notes_by_kind"]) == ({"line": 1}, {"wording": 1})
        (finding,) = client.get(f"/v1/audits/{name}/findings").json()["findings"]
        (note,) = client.get(f"/v1/audits/{name}/notes").json()["notes"]
        assert (finding["number"], finding["kind"], finding["severity"]) == (1, "line", "finding")
        assert (note["number"], note["kind"], note["severity"]) == (1, "wording", "note")
        assert client.get(f"/v1/audits/{name}/notes", params={"after": 1}).json()["notes"] == []


# ---- checks that are newer than a round


@pytest.mark.parametrize(("opened_under", "severity"), [(1, "note"), (2, "finding"), (3, "finding")])
def test_a_new_check_is_a_note_for_rounds_of_an_earlier_engine(opened_under: int, severity: str):
    finding = Finding("rotation", "A seat was passed over.", "r-1")
    judged = new_check(finding, since=2, opened_under=opened_under)
    assert judged.severity == severity
    assert (judged.kind, judged.what, judged.round) == (finding.kind, finding.what, finding.round)


# ---- one round


def test_one_round_is_audited_with_what_it_touches(url: str):
    change(url, "r-5", (PAID, lambda paid: paid + 100))
    for name, kinds in (("r-5", {"line", "row_changed"}), ("r-1", set[str]())):
        code, found, said = reported(url, "--round", name)
        assert code == (1 if kinds else 0)
        assert {finding["kind"] for finding in found} == kinds
        assert said.startswith("1 rounds and ")
        assert "that these rounds touch followed" in said


def test_of_one_round_only_its_own_events_are_read(clean_url: str):
    """However many others there are: with what table, box and meter say of it, no more than a hundred."""
    summary = Audit(clean_url, Scope(round="r-5"), processes=1).run()
    assert (summary.rounds, summary.clean) == (1, True)
    assert summary.events < 100 < summary.last_position


def test_a_round_without_its_opening_is_found_by_what_its_table_says(url: str):
    with Spoiler(url) as spoiler:
        (opened,) = spoiler.rows("round.opened.v2", '["r-5",')
        spoiler.delete(opened[0])
    code, found, _ = reported(url, "--round", "r-5", "--without", "log")
    assert code == 1
    assert "begun" in {finding["kind"] for finding in found}


def test_one_round_of_an_archive(url: str, tmp_path: Path):
    change(url, "r-5", (PAID, lambda paid: paid + 100))
    run("archive", str(tmp_path / "archive"), "--database-url", url)
    options = ("--archive", str(tmp_path / "archive"), "--processes", "1", "--format", "jsonl")
    for name, kinds in (("r-5", {"line", "row_changed"}), ("r-1", {"row_changed"})):  # the log is checked as a whole
        answered = run("audit", *options, "--round", name)
        assert {json.loads(line)["kind"] for line in answered.stdout.splitlines()} == kinds
        assert answered.stderr.startswith("1 rounds and ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "roundledger: there is no round r-none\n"),
        (("--table", "t-1"), "roundledger: there is no round r-none that matches the other filters\n"),
    ],
)
def test_a_round_that_is_not_there_is_exit_code_2(clean_url: str, options: tuple[str, ...], said: str):
    answered = run("audit", "--database-url", clean_url, "--round", "r-none", *options)
    assert answered.exit_code == 2
    assert answered.stderr == said

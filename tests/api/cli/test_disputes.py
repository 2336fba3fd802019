"""`roundledger dispute` and `roundledger dealer` as somebody on the floor uses them, and what they say to bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from tests.tables_in_play import bank_round

OPEN = ("--seat", "1", "--spot", "ante", "--kind", "payout", "--claimed", "5.00", "--claim", "Paid short.")


def run(*arguments: str | Path, stdin: bytes | None = None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def done(data_dir: Path, *arguments: str) -> str:
    result = run(*arguments, "--data-dir", data_dir)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def refused(data_dir: Path, words: str, *arguments: str) -> None:
    result = run(*arguments, "--data-dir", data_dir)
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert "Traceback" not in result.output


@pytest.fixture(scope="module")
def recorded(data_dir: Path) -> str:
    """Two rounds at table dc-1: the second, dc-2, dealt by dealer-7."""
    for number in (1, 2):
        raw = json.dumps(bank_round("dc-1", round_id=f"dc-{number}")).encode()
        assert run("record", "--by", "floor-9", "--data-dir", data_dir, stdin=raw).exit_code == 0
        if number == 1:
            done(data_dir, "dealer", "in", "dc-1", "dealer-7")
    return "dc-2"


def shown(data_dir: Path, dispute: str) -> dict[str, Any]:
    file = json.loads(done(data_dir, "dispute", "show", dispute, "--json"))
    assert isinstance(file, dict)
    return file


def test_a_dispute_by_command(recorded: str, data_dir: Path, tmp_path: Path):
    done(data_dir, "dealer", "paid", recorded, "1:ante:15.00:0.00", "2:ante:0.00:20.00", "--by", "dealer-7")
    dispute = done(data_dir, "dispute", "open", recorded, *OPEN, "--id", "dc-d-1", "--by", "floor-1").strip()
    assert dispute == "dc-d-1"
    done(data_dir, "dispute", "state", dispute, "--who", "dealer-7", "--part", "dealer", "--text", "One stack.")
    times = ("--from", "2026-03-08T20:15:00-08:00", "--to", "2026-03-08T20:16:00-08:00")
    done(data_dir, "dispute", "refer", dispute, "--camera", "cam-12", *times, "--text", "The payout.")
    done(data_dir, "dispute", "note", dispute, "--text", "They are waiting.")
    done(data_dir, "dispute", "deadline", dispute, "--to", "2150-01-01T00:00:00Z", "--reason", "The tape is late.")
    asked = done(data_dir, "dispute", "whatif", recorded, "--card", "dealer:1=Ks", "--card", "dealer:2=Kc")
    assert "seat-1 -110.00" in asked
    kept = ("--dispute", dispute, "--text", "Had it been a king?", "--json")
    assert (
        json.loads(done(data_dir, "dispute", "whatif", recorded, "--card", "dealer:1=Ks", *kept))["round"] == recorded
    )
    rule = ("dispute", "rule", dispute, "--outcome", "upheld", "--reason", "Short.", "--second", "floor-3")
    entries = ("--entry", "1:ante:3.00:house", "--entry", "2:ante:-1.00:player-dealer:seat-2")
    refused(data_dir, "floor-1 opened the dispute and may not rule", *rule, *entries, "--by", "floor-1")
    refused(data_dir, "may not rule on dispute dc-d-1. (disputes/who-may-rule)", *rule, *entries, "--by", "dealer-7")
    refused(data_dir, "seat-1 had no trips wager", *rule, "--entry", "1:trips:3.00:house", "--by", "floor-2")
    done(data_dir, *rule, *entries, "--by", "floor-2")
    refused(data_dir, "has been ruled on by floor-2. (disputes/appeal-and-end)", *rule, *entries, "--by", "floor-4")
    appeal = ("dispute", "appeal", dispute, "--appellant", "seat-1", "--grounds", "More.", "--by", "floor-1")
    done(data_dir, *appeal)
    again = ("dispute", "rule", dispute, "--appeal", "--outcome", "denied", "--reason", "Enough.")
    refused(data_dir, "floor-2 has ruled on it before", *again, "--by", "floor-2")
    done(data_dir, *again, "--by", "floor-4")
    done(data_dir, "dispute", "close", dispute, "--how", "final", "--reason", "Decided.", "--by", "floor-1")
    file = shown(data_dir, dispute)
    assert (file["status"], file["awarded"], file["intact"], file["dealer"]) == ("closed", "3.00", True, "dealer-7")
    text = done(data_dir, "dispute", "show", dispute)
    for words in ("closed", "unchanged since", "floor-9 (recorded the round)", "Had it been a king?", "15.00", "facts"):
        assert words in text
    assert "cam-12 from 2026-03-08 21:15:00-07:00 to 2026-03-08 21:16:00-07:00: The payout." in text
    assert "Deadline moved to 2149-12-31 16:00:00-08:00" in text
    assert "00:00Z" not in text
    assert "2150-01-01T00:00:00Z" in json.dumps(file)  # for programs it stays as it is stored
    listed = json.loads(done(data_dir, "dispute", "list", "--dealer", "dealer-7", "--status", "closed", "--json"))
    assert [row["dispute"] for row in listed] == [dispute]
    assert dispute in done(data_dir, "dispute", "list", "--table", "dc-1")
    pdf = tmp_path / "dossier.pdf"
    done(data_dir, "dispute", "dossier", dispute, "--output", str(pdf))
    assert pdf.read_bytes().startswith(b"%PDF")
    report = json.loads(done(data_dir, "report", "irregular-payments", "--round", recorded, "--format", "json"))
    assert [(row["difference"], row["dealer"]) for row in report] == [("5.00", "dealer-7")]


def test_bad_input_is_named(recorded: str, data_dir: Path, tmp_path: Path):
    refused(data_dir, "There is no round nowhere", "dispute", "open", "nowhere", *OPEN)
    refused(data_dir, "'weather' is not one of", "dispute", "open", recorded, *OPEN, "--kind", "weather")
    refused(data_dir, "not an amount", "dispute", "open", recorded, *OPEN, "--claimed", "five")
    refused(data_dir, "more than 0.00", "dispute", "open", recorded, *OPEN, "--claimed", "0.00")
    refused(data_dir, "--id is an id", "dispute", "open", recorded, *OPEN, "--id", "Dispute 1")
    refused(data_dir, "--deadline is a time", "dispute", "open", recorded, *OPEN, "--deadline", "soon")
    epoch = ("--deadline", "1970-01-01T00:00:00Z")
    refused(data_dir, "in the past: 1969-12-31 16:00:00-08:00", "dispute", "open", recorded, *OPEN, *epoch)
    past = ("--deadline", "2001-01-01T00:00:00Z")
    refused(data_dir, "in the past: 2000-12-31 16:00:00-08:00", "dispute", "open", recorded, *OPEN, *past)
    refused(data_dir, "There is no dispute d-none", "dispute", "show", "d-none")
    refused(data_dir, "There is no dispute d-none", "dispute", "note", "d-none", "--text", "x")
    refused(data_dir, "'judge' is not one of", "dispute", "state", "d", "--who", "x", "--part", "judge", "--text", "x")
    refused(data_dir, "--who is an id", "dispute", "state", "d", "--who", "Mr X", "--part", "patron", "--text", "x")
    named = ("dispute", "rule", "d", "--outcome", "denied", "--reason", "x", "--second", "Ms Y")
    refused(data_dir, "--second is an id", *named)
    refused(data_dir, "none of", "dispute", "list", "--status", "lost")
    refused(data_dir, "at least one", "dispute", "whatif", recorded)
    refused(data_dir, "--card is a place", "dispute", "whatif", recorded, "--card", "dealer=Kd")
    refused(data_dir, "not a card", "dispute", "whatif", recorded, "--card", "dealer:1=Zz")
    refused(data_dir, "--fact is a number", "dispute", "whatif", recorded, "--fact", "6=settle")
    refused(data_dir, "SEAT:SPOT:PAID:COLLECTED", "dealer", "paid", recorded, "1:ante")
    refused(data_dir, "not an amount", "dealer", "paid", recorded, "1:ante:x:0.00")
    refused(data_dir, "3.2 is hand 2 of seat 3", "dealer", "paid", recorded, "x:ante:0.00:0.00")
    refused(data_dir, "no ante wager at seat 1", "dealer", "paid", recorded, "1.2:ante:0.00:0.00")
    refused(data_dir, "no trips wager", "dealer", "paid", recorded, "1:trips:0.00:0.00")
    refused(data_dir, "dealer-7 is already dealing at table dc-1", "dealer", "in", "dc-1", "dealer-7")
    refused(data_dir, "no session open", "dealer", "in", "dc-nowhere", "dealer-7")
    refused(data_dir, "DEALER is an id", "dealer", "in", "dc-1", "Dealer Seven")


def test_facts_that_could_not_have_been_are_told_with_their_clause(recorded: str, data_dir: Path):
    said = done(data_dir, "dispute", "whatif", recorded, "--card", "dealer:1=Qc")
    assert said.startswith("That is impossible: ")
    assert "(" in said
    same = done(data_dir, "dispute", "whatif", recorded, "--card", "dealer:1=Qs")
    assert same == "No line would change.\n"

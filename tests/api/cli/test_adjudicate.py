"""`roundledger adjudicate` as it is installed: files and standard input, exit codes, pipes."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from domain.documents.document import adjudicate, encode_result
from tests.domain.legal_rounds import RULESETS, Json, dice, laws, play_round

COMMAND = Path(sys.executable).with_name("roundledger")
VOID: Json = {"ruleset": "uth-house", "actions": [{"do": "void", "reason": "malfunction"}]}


def run(*arguments: str | Path, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([COMMAND, "adjudicate", *arguments], capture_output=True, check=False, timeout=60, **options)


def lines(documents: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def numbered(count: int) -> list[Json]:
    return [{**VOID, "round": f"r-{number}"} for number in range(count)]


def test_results_come_in_the_order_of_the_documents(tmp_path: Path):
    file = tmp_path / "rounds.jsonl"
    file.write_bytes(lines(numbered(500)))
    result = run(file)
    assert (result.returncode, result.stderr) == (0, b"")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["round"] for answer in answers] == [f"r-{number}" for number in range(500)]
    assert {answer["status"] for answer in answers} == {"void"}


def test_standard_input_is_read_without_a_file(tmp_path: Path):
    data = lines(numbered(3))
    (tmp_path / "rounds.jsonl").write_bytes(data)
    result = run(input=data)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == run(tmp_path / "rounds.jsonl").stdout
    assert len(result.stdout.splitlines()) == 3


def test_no_documents_are_no_results(tmp_path: Path):
    (tmp_path / "empty.jsonl").touch()
    for result in (run(tmp_path / "empty.jsonl"), run(input=b""), run(input=b"\n\r\n \n")):
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


def test_the_last_document_needs_no_line_end():
    assert run(input=lines([VOID]).rstrip()).stdout == run(input=lines([VOID])).stdout != b""


def test_refused_rounds_are_results_and_the_exit_code_is_0():
    result = run(input=lines([{}, VOID, {**VOID, "ruleset": "uth-mars"}, [], VOID]))
    assert (result.returncode, result.stderr) == (0, b"")
    statuses = [json.loads(line)["status"] for line in result.stdout.splitlines()]
    assert statuses == ["refused", "void", "refused", "refused", "void"]


def test_only_refused_rounds_are_exit_code_0_too():
    result = run(input=b"no document\n")
    assert result.returncode == 0
    assert json.loads(result.stdout)["error"]["code"] == "bad_document"


def test_a_file_that_cannot_be_read_is_exit_code_2_with_a_message(tmp_path: Path):
    missing = tmp_path / "missing.jsonl"
    for file in (missing, tmp_path, missing / "below"):
        result = run(file)
        assert (result.returncode, result.stdout) == (2, b"")
        message = result.stderr.decode()
        assert str(file) in message
        assert "Traceback" not in message


@pytest.mark.parametrize(("closed", "named"), [("<&-", b"input"), (">&-", b"output")])
def test_a_standard_stream_that_is_closed_is_exit_code_2_with_a_message(closed, named):
    result = subprocess.run(["sh", "-c", f'"$0" adjudicate {closed}', COMMAND], capture_output=True, check=False)
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"no standard " + named in result.stderr
    assert b"Traceback" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_results_that_cannot_be_written_are_said_to_be_so():
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [COMMAND, "adjudicate"], input=lines([VOID]), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert result.returncode != 0
    assert b"No space left" in result.stderr
    assert b"cannot be read" not in result.stderr
    assert b"Traceback" not in result.stderr


def test_an_unknown_option_or_a_second_file_is_exit_code_2(tmp_path: Path):
    (tmp_path / "rounds.jsonl").write_bytes(lines([VOID]))
    for arguments in (("--colour",), (tmp_path / "rounds.jsonl", tmp_path / "rounds.jsonl")):
        result = run(*arguments)
        assert (result.returncode, result.stdout) == (2, b"")
        assert result.stderr


def test_help_says_what_it_reads_and_gives():
    result = run("--help", env={**os.environ, "COLUMNS": "100", "TERM": "dumb"})
    assert (result.returncode, result.stderr) == (0, b"")
    text = result.stdout.decode()
    assert "[file]" in text.lower()
    assert "standard input" in text
    listed = subprocess.run([COMMAND, "--help"], capture_output=True, check=True, text=True)
    assert "adjudicate" in listed.stdout


def test_whoever_reads_the_results_may_stop_early_without_a_complaint(tmp_path: Path):
    """As with `roundledger adjudicate FILE | head -1`; far more results than a pipe holds."""
    file = tmp_path / "rounds.jsonl"
    file.write_bytes(lines(numbered(20_000)))
    with subprocess.Popen([COMMAND, "adjudicate", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        first = command.stdout.readline()
        command.stdout.close()
        complaint = command.stderr.read()
        command.wait(timeout=60)
    assert json.loads(first)["round"] == "r-0"
    assert complaint == b""
    assert command.returncode in (0, -13, 141)


def test_a_pipe_that_nobody_reads_is_no_complaint_either(tmp_path: Path):
    """Few results stay in the buffer until the end: the break is then found when it is emptied."""
    file = tmp_path / "rounds.jsonl"
    file.write_bytes(lines([VOID]))
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = subprocess.run([COMMAND, "adjudicate", file], stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert result.stderr == b""


def test_results_leave_while_documents_still_come_in():
    """A file of any length takes the same memory; few enough that neither pipe fills up while nobody reads."""
    with subprocess.Popen([COMMAND, "adjudicate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as command:
        assert command.stdin is not None
        assert command.stdout is not None
        command.stdin.write(lines(numbered(100)))
        command.stdin.flush()
        assert json.loads(command.stdout.readline())["round"] == "r-0"
        command.stdin.close()
        assert len(command.stdout.readlines()) == 99


@laws(1)
@given(dice())
def test_the_command_gives_the_results_of_the_engine_in_every_process(roll: random.Random):
    """Whatever order sets and hashes have in a process, the bytes are the same."""
    rounds = [play_round(roll, ruleset) for ruleset in RULESETS * 3]
    expected = b"".join(encode_result(adjudicate(json.dumps(document).encode())) + b"\n" for document in rounds)
    for seed in ("1", "2"):
        result = run(input=lines(rounds), env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "0", "LC_ALL": "C"})
        assert (result.returncode, result.stderr) == (0, b"")
        assert result.stdout == expected


@pytest.mark.parametrize("text", ["résumé ☂", "🂡", "\u2028", "\0", "\\ud800"])
def test_text_comes_out_as_it_went_in(text: str):
    document = {**VOID, "round": text}
    result = run(input=json.dumps(document, ensure_ascii=False).encode() + b"\n", env={**os.environ, "LC_ALL": "C"})
    (line,) = result.stdout.removesuffix(b"\n").split(b"\n")
    assert json.loads(line)["round"] == text
    assert json.loads(line)["error"]["code"] == "bad_document"

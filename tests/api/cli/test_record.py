"""`roundledger record`: documents in, results out, and what the exit code says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from domain.documents.document import adjudicate
from infra.schema.migrator import migrate
from infra.simulation import documents

COMMAND = [sys.executable, "-c", "from api.cli.main import main; main()"]


@pytest.fixture
def lines(seed: int) -> Callable[..., list[bytes]]:
    """Rounds at tables that no other test knows."""
    seeds = count(seed)

    def simulated(rounds: int = 5, ruleset: str = "uth-casino-club") -> list[bytes]:
        return list(islice(documents(ruleset, next(seeds), 2), rounds))

    return simulated


def file_of(tmp_path: Path, documents: list[bytes]) -> Path:
    path = tmp_path / f"{uuid4().hex}.jsonl"
    path.write_bytes(b"\n".join(documents) + b"\n")
    return path


def run(*arguments: str | Path, stdin: bytes | None = None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def results(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_each_document_gets_its_result_with_an_id_and_its_events(data_dir, tmp_path, lines):
    wanted = lines()
    done = run("record", file_of(tmp_path, wanted), "--data-dir", data_dir)
    assert done.exit_code == 0, done.stderr
    found = results(done.stdout)
    for line, result in zip(wanted, found, strict=True):
        assert result.pop("id") == json.loads(line)["round"]
        assert result.pop("events") > len(json.loads(line)["actions"])  # its opening, and each action
        assert result == adjudicate(line)
    assert done.stderr == ""


def test_standard_input_without_a_file(data_dir, lines):
    wanted = lines(2)
    done = run("record", "--data-dir", data_dir, stdin=b"\n\n".join(wanted))
    assert (done.exit_code, len(results(done.stdout))) == (0, 2)


def test_what_is_stored_already_is_answered_again(data_dir, tmp_path, lines):
    file = file_of(tmp_path, lines())
    first, second = (run("record", file, "--data-dir", data_dir) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert second.stdout == first.stdout


def test_exit_code_1_if_anything_was_refused_and_the_rest_is_stored(data_dir, tmp_path, lines):
    good, other = lines(2)
    changed = json.dumps({**json.loads(good), "actions": []}).encode()
    done = run("record", file_of(tmp_path, [good, b"{", changed, b"[]", other]), "--data-dir", data_dir)
    assert done.exit_code == 1
    found = results(done.stdout)
    assert [result["error"] and result["error"]["code"] for result in found] == [
        None,
        "bad_document",
        "conflict",
        "bad_document",
        None,
    ]
    assert [(result["id"], result["events"]) for result in found if result["error"]] == [(None, 0)] * 3


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_exit_code_2_if_the_file_cannot_be_read(data_dir, tmp_path, name):
    done = run("record", tmp_path / name, "--data-dir", data_dir)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "cannot be read" in done.stderr


def test_a_database_that_is_not_migrated_is_told_to_migrate(new_database, tmp_path, lines):
    url = new_database()
    file = file_of(tmp_path, lines(1))
    done = run("record", file, "--database-url", url)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "run `roundledger migrate` first" in done.stderr
    migrate(url)
    assert run("record", file, "--database-url", url).exit_code == 0


def test_a_database_that_does_not_answer(tmp_path, lines):
    done = run("record", file_of(tmp_path, lines(1)), "--database-url", f"postgresql:///x?host={tmp_path}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "does not answer" in done.stderr


def test_the_environment_says_where_too(data_dir, tmp_path, monkeypatch, lines):
    wanted = lines(1)
    monkeypatch.setenv("ROUNDLEDGER_DATA_DIR", str(data_dir))
    assert run("record", file_of(tmp_path, wanted)).exit_code == 0
    monkeypatch.delenv("ROUNDLEDGER_DATA_DIR")
    done = run("replay", json.loads(wanted[0])["round"], "--data-dir", data_dir)
    assert done.exit_code == 0


def test_a_data_dir_of_its_own_is_made_and_has_a_ledger_of_its_own(data_dir, tmp_path, lines):
    wanted = lines(1)
    folder = tmp_path / "new" / "ledger"
    assert run("record", file_of(tmp_path, wanted), "--data-dir", folder).exit_code == 0
    assert (folder / "pgdata" / "PG_VERSION").exists()
    round_id = json.loads(wanted[0])["round"]
    assert run("replay", round_id, "--data-dir", folder).exit_code == 0
    assert run("replay", round_id, "--data-dir", data_dir).exit_code == 2


def test_who_recorded_it_is_kept(data_dir, tmp_path, lines):
    wanted = lines(1)
    assert run("record", file_of(tmp_path, wanted), "--data-dir", data_dir, "--by", "s-17").exit_code == 0
    shown = json.loads(run("replay", json.loads(wanted[0])["round"], "--json", "--data-dir", data_dir).stdout)
    assert {event["by"] for event in shown["events"]} == {"s-17"}


def test_no_progress_bar_in_a_pipe_and_a_reader_that_stops_early(data_dir, tmp_path, lines):
    file = file_of(tmp_path, lines(40))
    command = [*COMMAND, "record", str(file), "--data-dir", str(data_dir)]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stderr == b""
    assert len(done.stdout.splitlines()) == 40
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_each_answer_comes_as_soon_as_its_round_is_stored(data_dir, lines):
    """Whoever sends one document at a time can wait for its result before the next."""
    command = [*COMMAND, "record", "--data-dir", str(data_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in lines(3):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == json.loads(line)["round"]
        process.stdin.close()
        assert process.wait() == 0


def test_two_files_of_different_tables_at_once(data_dir, tmp_path, lines):
    files = [file_of(tmp_path, lines(30, ruleset)) for ruleset in ("uth-casino-club", "uth-casino-club", "uth-sd")]
    environment = {**os.environ, "ROUNDLEDGER_DATA_DIR": str(data_dir)}
    running = [
        subprocess.Popen([*COMMAND, "record", str(file)], stdout=subprocess.PIPE, env=environment) for file in files
    ]
    for file, process in zip(files, running, strict=True):
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        for line, result in zip(file.read_bytes().splitlines(), results(out.decode()), strict=True):
            assert {name: value for name, value in result.items() if name not in ("id", "events")} == adjudicate(line)


def test_simulated_rounds_go_straight_in(data_dir, seed):
    simulated = run("simulate", "--ruleset", "tcp-casino-club", "--rounds", "25", "--seed", str(seed))
    done = run("record", "--data-dir", data_dir, stdin=simulated.stdout.encode())
    assert done.exit_code == 0
    assert len(results(done.stdout)) == 25

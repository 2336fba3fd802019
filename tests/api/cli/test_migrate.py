"""`roundledger migrate`: the schema brought up to date, once, from however many places."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
from typer.testing import CliRunner

from api.cli.main import app

COMMAND = [sys.executable, "-c", "from api.cli.main import main; main()", "migrate", "--database-url"]


def run(*arguments: str | Path):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_new_database_gets_every_migration_and_then_no_more(new_database):
    url = new_database()
    first, second = (run("migrate", "--database-url", url) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.stdout.startswith("Applied: 0001_")
    assert second.stdout == "Nothing to apply: up to date.\n"


def test_several_at_once(new_database):
    url = new_database()
    running = [subprocess.Popen([*COMMAND, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    said = []
    for process in running:
        out, error = process.communicate(timeout=120)
        assert (process.returncode, error) == (0, b"")
        said.append(out.decode().split(":")[0])
    assert sorted(said) == ["Applied", "Nothing to apply", "Nothing to apply"]


def test_the_embedded_database(tmp_path):
    done = run("migrate", "--data-dir", tmp_path / "ledger")
    assert (done.exit_code, done.stdout) == (0, "The embedded database is up to date.\n")


def test_a_database_newer_than_the_program_is_left_alone(new_database):
    url = new_database()
    assert run("migrate", "--database-url", url).exit_code == 0
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO roundledger.migrations (number, name, checksum) VALUES (9999, 'of_tomorrow', 'x')"
        )
    for command in (["migrate"], ["record"], ["replay", "r-1"]):
        done = run(*command, "--database-url", url)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "9999_of_tomorrow" in done.stderr


def test_a_database_that_does_not_answer(tmp_path):
    done = run("migrate", "--database-url", f"postgresql:///x?host={tmp_path}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("roundledger: ")

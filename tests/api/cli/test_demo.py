"""`roundledger demo`: built once however often it was killed, with something to find, and gone when it is ended."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, LiteralString

import httpx
import psycopg
import pytest

from domain.round.floor_annotations import compared
from domain.rules import rulesets
from infra.demo import PASSWORD, PEOPLE, TABLES, Past, Plan
from infra.embedded import embedded_postgres
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.ledger import Ledger
from infra.log.stored_log import LogReader
from projections.engine.runner import Runner
from tests.api.processes import environment, free_port, until_gone
from tests.databases import migrated_database
from tests.projections.simulated_floor import everything

DEMO = [sys.executable, "-c", "from api.cli.main import main; main()", "demo"]
SMALL = ("--days", "1", "--rounds-a-day", "2")
PLAN = Plan(days=2, rounds_a_day=5)
DAY_MS = 1_790_000_000_000
PATIENCE_S = 300


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.1)
    return found


# ---- what is built


@contextmanager
def ledger_of(url: str) -> Iterator[Ledger]:
    ledger = Ledger(url)
    try:
        yield ledger
    finally:
        ledger.close()


@pytest.fixture(scope="module")
def built(server_url: str) -> Iterator[str]:
    """A past that was built in one go."""
    with migrated_database(server_url) as url:
        with ledger_of(url) as ledger:
            assert len(list(Past(ledger, PLAN).make(DAY_MS))) == PLAN.rounds
        with Runner(url) as runner:
            runner.catch_up()
        yield url


def rows(url: str, statement: LiteralString) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(statement).fetchall()


def test_all_rule_sets_are_played_at_two_tables_each(built: str):
    tables = {row[0] for row in rows(built, "SELECT DISTINCT table_id FROM projections.hands")}
    assert tables == set(TABLES)
    assert set(TABLES.values()) == set(rulesets.ids())


def test_all_seven_rule_sets_are_adopted_by_two_people(built: str):
    with ledger_of(built) as ledger:
        adoptions = ledger.rulebook.latest()[0].adoptions()
    assert {one.event.ruleset for one in adoptions} == set(rulesets.ids())
    assert all(one.by != one.event.second_person for one in adoptions)


def test_one_box_is_short_by_exactly_five_dollars_and_nobody_has_signed_for_it(built: str):
    statement = "SELECT box, expected, counted, status FROM projections.drops WHERE counted <> expected"
    ((box, expected, counted, status),) = rows(built, statement)
    assert (expected - counted, status) == (500, "variance")
    with ledger_of(built) as ledger:
        found = ledger.find_box(box)
        assert found is not None
        assert len({count.counter for count in found[0].counts}) == 2


def test_boxes_are_in_every_state(built: str):
    states = {row[0] for row in rows(built, "SELECT DISTINCT status FROM projections.drops")}
    assert states == {"installed", "removed", "counted", "variance", "reconciled"}


def test_trays_were_counted_at_both_ends_and_agree_with_what_was_won(built: str):
    stretches = rows(built, "SELECT table_id, opening, closing FROM projections.inventory WHERE stretch > 0")
    assert {table for table, _, _ in stretches} == {"house-1", "house-2", "sd-1", "sd-2"}
    assert all(opening is not None and closing is not None for _, opening, closing in stretches)
    kinds = {row[0] for row in rows(built, "SELECT DISTINCT kind FROM projections.slips WHERE status = 'issued'")}
    assert kinds >= {"opener", "closer", "swap"}


def test_trays_are_counted_where_another_version_of_the_rules_begins_during_the_day(new_ledger: Callable[[], str]):
    url, change_ms = new_ledger(), 1_794_960_000_000  # 2026-11-18, the first day of the second versions, in UTC
    with ledger_of(url) as ledger:
        list(Past(ledger, Plan(days=1, rounds_a_day=2)).make(change_ms - 14 * 3_600_000))
    with Runner(url) as runner:
        runner.catch_up()
    counted = rows(url, "SELECT opening, closing FROM projections.inventory WHERE stretch > 0 AND table_id = 'house-1'")
    assert len(counted) == 2
    assert all(None not in both for both in counted)


def test_one_dealer_paid_a_stake_more_than_the_rules(built: str):
    with ledger_of(built) as ledger:
        rounds = [ledger.load(row[0]).round for row in rows(built, "SELECT round FROM projections.hands")]
    reported = [one for round_ in rounds if round_.payments for one in compared(round_)]
    (wrong,) = [one for one in reported if one.difference]
    assert wrong.difference == wrong.due.wager
    assert len(reported) > 20


def test_there_is_a_dispute_a_day_and_one_is_closed(built: str):
    with ledger_of(built) as ledger:
        filed = Disputes(ledger)
        assert [filed.get(f"dispute-{number}").dispute.status for number in (1, 2)] == ["closed", "appealed"]
        assert filed.find("dispute-3") is None, "there is no third day"
        claims = [filed.get(f"dispute-{number}").dispute.opened for number in (1, 2)]
        rounds = [ledger.load(claim.round).round for claim in claims]
    for claim, round_ in zip(claims, rounds, strict=True):
        (line,) = [
            one
            for one in round_.lines
            if (one.seat, one.spot, one.bettor, one.hand) == (claim.seat, claim.spot, claim.bettor, 1)
        ]
        assert "folded" not in line.reason


def test_telling_it_again_adds_nothing(built: str):
    count = "SELECT count(*) FROM roundledger.events"
    before = rows(built, count)
    with ledger_of(built) as ledger:
        past = Past(ledger, Plan(days=9, rounds_a_day=9))  # the plan that it was begun with counts
        assert past.is_complete
        assert len(list(past.make(DAY_MS + 12_345))) == PLAN.rounds
    assert rows(built, count) == before


def test_broken_off_at_any_round_it_is_told_on_to_the_same_end(server_url: str, built: str):
    with migrated_database(server_url) as url:
        for rounds in (1, 37, 75, 76, 139):
            with ledger_of(url) as ledger:
                past = Past(ledger, PLAN)
                assert len(list(islice(past.make(DAY_MS), rounds))) == rounds
                assert not past.is_complete
        with ledger_of(url) as ledger:
            past = Past(ledger, PLAN)
            list(past.make(DAY_MS))
            assert past.is_complete
        with Runner(url) as runner:
            runner.catch_up()
        assert everything(url) == everything(built)


# ---- the process


@contextmanager
def demo(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [*DEMO, "--data-dir", str(folder), *SMALL, *options]
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=60)


def answers(process: subprocess.Popen[str], port: int) -> None:
    def look() -> bool:
        assert process.poll() is None, "the demo ended"
        with suppress(httpx.TransportError):
            return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=5).status_code == 200
        return False

    until(look)


def server_is_down(folder: Path) -> bool:
    return not list(folder.glob("**/postmaster.pid"))


def events_of(url: str) -> int:
    count: int = rows(url, "SELECT count(*) FROM roundledger.events")[0][0]
    return count


def test_killed_while_building_killed_while_playing_and_ended_by_ctrl_c(tmp_path: Path):
    """One story, because every start of it takes seconds."""
    folder, port = tmp_path / "demo", free_port()
    with demo(folder, "--build-only") as process:
        until(lambda: process.poll() is not None or list(folder.glob("**/postmaster.pid")))
        with embedded_postgres(folder) as url:
            until(lambda: _has_rounds(url))
            process.kill()
    until(lambda: server_is_down(folder))

    with demo(folder, "--port", str(port)) as process:
        answers(process, port)
        with embedded_postgres(folder) as url, ledger_of(url) as ledger:
            assert Past(ledger, Plan()).is_complete
            sessions = ledger.sessions
            for staff_id, part in PEOPLE.items():
                assert sessions.prove(staff_id, PASSWORD, "127.0.0.1").parts == (part,)
            assert LogReader(ledger.events.recorder.database).size() > 0
            built = events_of(url)
            playing = until(lambda: _open_rounds(ledger))
            process.kill()
            process.wait(60)
    assert until_gone(port)

    with demo(folder, "--port", str(port)) as process:
        answers(process, port)
        with embedded_postgres(folder) as url, ledger_of(url) as ledger:
            until(lambda: all(ledger.load(round_id).round.status != "open" for round_id in playing))
            until(lambda: _open_rounds(ledger))
            assert events_of(url) > built
        process.send_signal(signal.SIGINT)
        answer, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0
    assert f"http://127.0.0.1:{port}/" in answer
    assert PASSWORD in answer
    for staff_id, part in PEOPLE.items():
        assert staff_id in answer
        assert part in answer
    assert "The floor is closed" in answer
    assert until_gone(port)
    until(lambda: server_is_down(folder))
    with embedded_postgres(folder) as url, ledger_of(url) as ledger:
        assert not _open_rounds(ledger), "rounds are played to their end before it stops"


def _has_rounds(url: str) -> bool:
    with suppress(psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return events_of(url) > 50
    return False


def _open_rounds(ledger: Ledger) -> list[str]:
    found = []
    for table in TABLES:
        ledger.tables.forget(table)
        session = ledger.tables.get(table).session
        if session is not None and session.playing is not None:
            found.append(session.playing.round)
    return found


def test_a_port_that_is_in_use_is_refused_before_anything_is_built(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [*DEMO, "--data-dir", str(tmp_path / "demo"), "--port", str(port)]
        result = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60)
    assert result.returncode == 2
    assert f"port {port} of 127.0.0.1 is in use" in result.stderr
    assert not (tmp_path / "demo").exists()

"""Exactly once: whatever happens to the runner, its figures are those of a rebuild."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from domain.round.events import PaymentReported
from infra.ledger.ledger import Actor, Ledger
from projections.engine import rebuild as rebuilding
from projections.engine.applier import Stale
from projections.engine.connection import AlreadyRunning
from projections.engine.projection import Projection
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.models.hands import Hands
from projections.models.registry import UnknownProjection
from tests.projections.engine.crash import Blow, run
from tests.projections.simulated_floor import NOON_MS, everything, record, simulated


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def catch_up(url: str, page: int = 4000) -> None:
    with Runner(url, page=page) as runner:
        runner.catch_up()
        assert runner.lag().events == 0


@pytest.mark.parametrize("page", [1, 7, 4000])
def test_a_rebuild_equals_the_live_rows_whatever_the_pages_were(url: str, ledger: Ledger, page: int):
    rounds = simulated(3, tables=1) if page == 1 else simulated(6)
    results = record(ledger, rounds[: len(rounds) // 2])
    settled = next(result for result in results if result["status"] == "settled")
    line = settled["lines"][0]
    wager = line["seat"], line["bettor"], line["hand"], line["spot"]
    # Entered late, and makes no hand late, even if it is read in one page with the hand.
    ledger.dealer_paid(settled["round"], [PaymentReported(*wager, 0, 0)], Actor("d-1", NOON_MS, late=True))
    catch_up(url, page=page)
    record(ledger, rounds[len(rounds) // 2 :], NOON_MS + 86_400_000)
    catch_up(url, page=page)
    live = everything(url)
    assert all(
        live[table] for table in ("hands", "bankroll", "exposure", "collections", "drops", "journal", "rotation")
    )
    rebuild(url, page=11)
    assert everything(url) == live


def test_a_round_played_action_by_action_gives_the_same_rows_as_one_recorded_whole(
    url: str, ledger: Ledger, new_ledger
):
    other_url = new_ledger()
    other = Ledger(other_url)
    rounds = simulated(2, tables=1)
    record(other, rounds, apart_ms=0)
    catch_up(other_url)
    other.close()
    dice = random.Random(1)
    with Runner(url) as runner:
        for document in rounds:
            actions = document["actions"]
            actor = Actor("d-1", NOON_MS)
            result = ledger.record({**document, "actions": []}, actor)
            for action in actions:
                ledger.act(result["id"], [action], actor)
                if dice.random() < 0.3:
                    runner.catch_up()
        runner.catch_up()
    rows, whole = everything(url), everything(other_url)
    for table in ("bankroll", "exposure", "collections", "drops", "hands_bettors"):
        assert rows[table] == whole[table]
    live = everything(url)
    rebuild(url)
    assert everything(url) == live


def test_it_is_killed_and_postgresql_restarted_under_load(tmp_path: Path):
    """A few of each in every run of the tests; `python -m tests.projections.engine.crash` does it thoroughly."""
    blows: list[Blow] = ["kill", "restart", "kill", "restart", "kill"]
    report = run(tmp_path / "data", blows)
    assert (report.kills, report.restarts) == (3, 2)
    assert report.rounds > 0


def test_a_second_runner_of_the_same_projection_is_refused(url: str):
    with Runner(url, ["bankroll"]) as first:
        first.start()
        with Runner(url, ["exposure"]) as other:
            other.start()
        with Runner(url) as second, pytest.raises(AlreadyRunning, match="bankroll"):
            second.start(wait_seconds=0.1)
    with Runner(url) as third:
        third.start()


def test_it_follows_live_through_lost_connections_and_without_notices(url: str, ledger: Ledger):
    stop = threading.Event()
    with Runner(url) as runner:
        following = threading.Thread(target=runner.follow, args=(stop,))
        following.start()
        try:
            rounds = simulated(4, tables=1)
            half = len(rounds) // 2
            record(ledger, rounds[:half])
            wait_for(lambda: len(_hands(url)) == half)
            _end_other_connections(url)
            record(ledger, rounds[half:], NOON_MS + 86_400_000)
            wait_for(lambda: len(_hands(url)) == len(rounds))
        finally:
            stop.set()
            following.join()
    live = everything(url)
    rebuild(url)
    assert everything(url) == live


def _hands(url: str) -> list[tuple[str]]:
    with psycopg.connect(url) as connection:
        if connection.execute("SELECT to_regclass('projections.hands')").fetchone() == (None,):
            return []
        return connection.execute("SELECT round FROM projections.hands").fetchall()


def _end_other_connections(url: str) -> None:
    """What a restart of the server does to whoever is connected."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_transaction_left_open_does_not_make_it_skip(url: str, ledger: Ledger):
    """The open one has drawn its positions before others that are visible already."""
    rounds = simulated(3, tables=1, only="uth-casino-club")
    record(ledger, rounds[:1])
    catch_up(url)
    with psycopg.connect(url) as reader, psycopg.connect(url) as writer:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM roundledger.events").fetchone()
        writer.execute(
            "INSERT INTO roundledger.originators (originator_id) VALUES ('6f1c2f0e-8a55-4f0e-9a3c-000000000001')"
        )
        writer.execute("INSERT INTO roundledger.topics (topic) VALUES ('bettor.registered.v1') ON CONFLICT DO NOTHING")
        writer.execute(
            "INSERT INTO roundledger.events (originator, originator_version, topic_id, state) "
            "SELECT max(originator), 1, "
            "(SELECT topic_id FROM roundledger.topics WHERE topic = 'bettor.registered.v1'), "
            'convert_to(\'[["tp-9","proposition"],"m-1",1]\', \'UTF8\') FROM roundledger.originators'
        )
        record(ledger, rounds[1:2], NOON_MS + 60_000)
        with Runner(url) as runner:
            runner.catch_up()
            assert runner.lag().events > 0
        writer.commit()
        with Runner(url) as runner:
            runner.catch_up()
            assert runner.lag().events == 0
        reader.rollback()
    assert ("tp-9", "proposition") in everything(url)["bankroll_kinds"]
    assert len(everything(url)["hands"]) == 2


def test_a_rebuild_beside_a_live_writer_and_a_live_runner(url: str, ledger: Ledger):
    stop = threading.Event()
    rounds = simulated(6)
    record(ledger, rounds[:10])
    with Runner(url) as runner:
        following = threading.Thread(target=runner.follow, args=(stop,))
        writing = threading.Thread(target=record, args=(ledger, rounds[10:], NOON_MS + 86_400_000))
        following.start()
        writing.start()
        try:
            while writing.is_alive():
                rebuild(url, page=100)
            writing.join()
            wait_for(lambda: len(_hands(url)) == len(rounds))
            wait_for(lambda: runner_is_level(url))
        finally:
            stop.set()
            following.join()
    live = everything(url)
    rebuild(url)
    assert everything(url) == live


def runner_is_level(url: str) -> bool:
    from projections.engine.lag import lag
    from projections.models.registry import ALL

    with psycopg.connect(url) as connection:
        return lag(connection, ALL).events == 0


def test_a_rebuild_that_was_stopped_goes_on_from_there(url: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch):
    record(ledger, simulated(4, tables=1))
    catch_up(url)
    live = everything(url)
    monkeypatch.setattr(rebuilding, "_swap", _stop)
    with pytest.raises(KeyboardInterrupt):
        rebuild(url)
    monkeypatch.undo()
    assert everything(url) == live
    assert rebuild(url) == 0
    assert everything(url) == live


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def test_rows_of_another_version_of_the_program_are_refused_until_rebuilt(
    url: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
):
    record(ledger, simulated(1, tables=1))
    catch_up(url)
    monkeypatch.setattr(Projection, "version", 2)
    with pytest.raises(Stale, match="rebuild"):
        catch_up(url)
    rebuild(url)
    catch_up(url)


def test_whoever_follows_rebuilds_tables_of_another_version_and_makes_missing_indexes(
    url: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
):
    """Two at once: one of them does it, and the other is refused as ever."""
    record(ledger, simulated(2, tables=1))
    catch_up(url)
    live = everything(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP INDEX projections.journal_0")
        connection.execute("DROP TABLE projections.hands_days")
    monkeypatch.setattr(Hands, "version", 99)
    stop = threading.Event()
    refused: list[str] = []

    def follow() -> None:
        with Runner(url) as runner:
            try:
                runner.follow(stop, wait_seconds=0.0)
            except AlreadyRunning:
                refused.append("refused")

    both = [threading.Thread(target=follow) for _ in range(2)]
    for thread in both:
        thread.start()
    try:
        wait_for(lambda: len(refused) == 1 and _is_followed(url))
    finally:
        stop.set()
        for thread in both:
            thread.join()
    assert everything(url) == live
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT to_regclass('projections.journal_0')").fetchone() != (None,)


def _is_followed(url: str) -> bool:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT true FROM projections.positions WHERE place = 'projections' AND name = 'hands' "
            "AND fingerprint = %s",
            [Hands.fingerprint()],
        ).fetchone()
    return row is not None


def test_readers_may_read_rebuilt_tables_and_change_nothing(url: str, ledger: Ledger):
    record(ledger, simulated(1, tables=1))
    catch_up(url)
    rebuild(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET ROLE roundledger_reader")
        assert connection.execute("SELECT count(*) FROM projections.journal").fetchone() != (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("UPDATE projections.journal SET debit = 0")


def test_an_unknown_name_is_refused(url: str):
    with pytest.raises(UnknownProjection, match="there are hands"):
        Runner(url, ["profits"])

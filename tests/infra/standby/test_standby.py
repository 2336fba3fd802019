"""A primary and its standby: what is read there, what waits for it, what is refused, and who takes over."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from api.app import create_app
from api.cli.main import app
from infra.embedded import EmbeddedPostgresError, as_service, embedded_postgres, shared_server
from infra.ledger.ledger import Ledger
from infra.log import sealer
from infra.log.sealer import StandbyBehind
from infra.schema.migrator import migrate
from infra.simulation import documents
from infra.standby import standby_watch
from infra.standby.promotion import promote
from infra.standby.replica import REWINDING, Primary, StandbyRefused, create, rejoin, remove
from infra.standby.standby_state import StandbyState, is_standby, standby_state
from infra.standby.standby_watch import StandbyWatch
from infra.store.recorder import LedgerRecorder
from projections.archive.writer import write_archive
from projections.audit.run import Audit
from projections.engine.runner import Runner
from tests.infra.embedded.test_embedded import eventually
from tests.sealed_ledger import record_rounds, seal


class Pair:
    """The primary runs all the time; the standby when it is started."""

    def __init__(self, root: Path, url: str) -> None:
        self.primary, self.standby = root / "a", root / "b"
        self.keys = self.primary / "keys"
        self.url, self.service_url = url, as_service(url)
        self.standby_url = ""
        self.running = ExitStack()

    def start(self) -> None:
        self.standby_url = self.running.enter_context(embedded_postgres(self.standby))
        eventually(lambda: (state := self.state()) is not None and state.connected)

    def stop(self) -> None:
        self.running.close()
        eventually(lambda: (state := self.state()) is not None and not state.connected)

    def state(self) -> StandbyState | None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return standby_state(connection.cursor())

    def level(self) -> None:
        """Until the standby shows what the primary has."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            row = connection.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
        assert row is not None
        with psycopg.connect(self.standby_url, autocommit=True) as connection:
            replayed = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
            eventually(lambda: connection.execute(replayed, [row[0]]).fetchone() == (True,))


@pytest.fixture(scope="module")
def pair(open_folder: Path) -> Iterator[Pair]:
    with embedded_postgres(open_folder / "a") as url:
        migrate(url)
        made = Pair(open_folder, url)
        record_rounds(made.service_url, "uth-casino-club", 3)
        with Runner(made.service_url) as runner:
            runner.catch_up()
        seal(made.service_url, made.keys)
        create(Primary(url, made.primary), made.standby, with_keys=True)
        made.start()
        StandbyWatch(url, "wait").look()
        yield made
        made.running.close()


def positions(url: str) -> list[int]:
    with closing(LedgerRecorder(url)) as recorder:
        return [row.position for row in recorder.read(0, 100_000)]


def test_commits_wait_for_the_standby(pair: Pair):
    assert is_standby(pair.standby_url)
    assert not is_standby(pair.url)
    with psycopg.connect(pair.url) as connection:
        row = connection.execute("SELECT sync_state FROM pg_stat_replication").fetchone()
    assert row == ("sync",)
    state = pair.state()
    assert state is not None
    assert (state.connected, state.waited_for, state.warnings()) == (True, True, [])


def test_a_missing_number_is_settled_on_a_standby_by_the_next_checkpoint_alone(pair: Pair):
    """Whoever writes on the primary is not seen there, and may still fill the gap."""
    with psycopg.connect(pair.url, autocommit=True) as connection:
        connection.execute("SELECT nextval('roundledger.events_position_seq')")
    before = positions(pair.service_url)
    record_rounds(pair.service_url, "tcp-casino-club", 1)
    pair.level()
    with psycopg.connect(pair.standby_url) as connection:
        stored = connection.execute("SELECT count(*) FROM roundledger.events").fetchone()
    assert stored is not None
    assert stored[0] > len(before)
    assert positions(as_service(pair.standby_url)) == before
    seal(pair.service_url, pair.keys)
    pair.level()
    assert positions(as_service(pair.standby_url)) == positions(pair.service_url) > before


def test_reports_pages_and_archives_come_from_the_standby_and_nothing_is_stored(pair: Pair, tmp_path: Path):
    url = as_service(pair.standby_url)
    written = write_archive(url, tmp_path / "archive")
    assert written.rounds >= 3
    with closing(Ledger(url)) as ledger, TestClient(create_app(ledger)) as client:
        for path in ("/v1/reports/collections", "/v1/rounds", "/v1/log/checkpoint", "/floor", "/hands", "/collections"):
            assert client.get(path).status_code == 200, path
        round_id = client.get("/v1/reports/hands").json()[0]["round"]
        assert client.get(f"/rounds/{round_id}").status_code == 200
        assert client.get(f"/v1/rounds/{round_id}/replay").status_code == 200
        refused = client.post("/v1/tables/t-9/sessions", json={"ruleset": "uth-house", "terms": {"trips": "UTH-01"}})
        assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        ready = client.get("/readyz")
        assert ready.status_code == 503
        assert "This is a standby: it only reads." in ready.json()["warnings"]


@pytest.mark.parametrize("command", [["property", "set", "--name", "A"], ["audit"], ["record"]])
def test_a_command_that_would_write_to_a_standby_names_the_reason(pair: Pair, command: list[str]):
    line = next(iter(documents("uth-house", 5, 1)))
    done = CliRunner().invoke(app, [*command, "--data-dir", str(pair.standby)], input=line)
    assert (done.exit_code, "this is a standby, which only reads" in done.output) == (2, True), done.output


def test_a_primary_that_has_a_standby_says_how_it_is(pair: Pair):
    with closing(Ledger(pair.service_url)) as ledger, TestClient(create_app(ledger)) as client:
        assert client.get("/readyz").json()["warnings"] == []
        figures = client.get("/metrics").text
    assert "roundledger_standby_connected 1.0" in figures
    assert "roundledger_standby_waited_for 1.0" in figures


def test_while_it_is_away_nothing_is_sealed_and_writers_wait_or_go_on_as_set(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(sealer, "STANDBY_SECONDS", 0.3)
    monkeypatch.setattr(standby_watch, "AWAY_SECONDS", 0.0)
    caplog.set_level(logging.INFO)
    pair.stop()
    StandbyWatch(pair.url, "wait").look()
    assert "nothing is stored until it is back" in caplog.text
    state = pair.state()
    assert state is not None
    assert state.waited_for
    watch = StandbyWatch(pair.url, "alone")
    watch.look()
    watch.look()
    assert caplog.text.count("What is stored now is on one server only, and is not sealed.") == 1
    record_rounds(pair.service_url, "uth-sd", 1)
    with pytest.raises(StandbyBehind):
        seal(pair.service_url, pair.keys)
    pair.start()
    pair.level()
    watch.look()
    assert "The standby is connected: commits wait for it." in caplog.text
    assert seal(pair.service_url, pair.keys) > 0


def test_what_is_refused(pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    primary = Primary(pair.url, pair.primary)
    with pytest.raises(StandbyRefused, match="The primary has a standby"):
        create(primary, tmp_path / "c", with_keys=True)
    with pytest.raises(StandbyRefused, match="is not empty"):
        create(primary, pair.standby, with_keys=True)
    with pytest.raises(StandbyRefused, match="is a standby itself"):
        create(Primary(pair.standby_url, pair.standby), tmp_path / "c", with_keys=True)
    with pytest.raises(StandbyRefused, match="The primary still answers"):
        promote(pair.standby)
    with pytest.raises(StandbyRefused, match="is not a standby"):
        promote(pair.primary)
    with pytest.raises(StandbyRefused, match="has no ledger"):
        promote(tmp_path / "c")
    assert not (tmp_path / "c").exists()
    monkeypatch.setattr(shared_server, "ENDING_SECONDS", 0.0)
    with pytest.raises(EmbeddedPostgresError, match="is in use"):
        rejoin(pair.standby, primary)
    with pytest.raises(StandbyRefused, match="The standby is connected"):
        remove(pair.url)
    StandbyWatch(pair.url, "wait").look()


def test_a_stopped_primary_is_closed_for_good_until_it_rejoins(open_folder: Path):
    old, new = open_folder / "old", open_folder / "new"
    with embedded_postgres(old) as url:
        migrate(url)
        record_rounds(as_service(url), "uth-casino-club", 1)
        seal(as_service(url), old / "keys")
        create(Primary(url, old), new, with_keys=True)
    assert promote(new).log_size > 0
    with pytest.raises(EmbeddedPostgresError, match="was continued in"), embedded_postgres(old):
        pass
    with embedded_postgres(new) as url:
        record_rounds(as_service(url), "tcp-casino-club", 1)
        seal(as_service(url), new / "keys")
        (old / REWINDING).touch()
        with pytest.raises(StandbyRefused, match="was interrupted"):
            rejoin(old, Primary(url, new))
        (old / REWINDING).unlink()
        rejoin(old, Primary(url, new))
        with embedded_postgres(old) as back:
            assert is_standby(back)
        assert remove(url)
        assert not remove(url)
        with Runner(as_service(url)) as runner:
            runner.catch_up()
        assert Audit(as_service(url), processes=1).run().clean

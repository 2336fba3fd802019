"""A data folder of an earlier PostgreSQL: it explains itself, moves to this release's, and the old one is kept."""

from __future__ import annotations

import shutil
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import psycopg
import pytest
from typer.testing import CliRunner

from api.cli.main import app
from infra.embedded import EmbeddedPostgresError, as_service, embedded_postgres
from infra.embedded.major_upgrade import DONE, WORK, upgrade, written_by
from infra.ledger.ledger import Ledger
from infra.ledger.replay import replay_of
from infra.log.sealer import Sealer
from tests.infra.embedded.postgres_16 import fill_with_16
from tests.infra.embedded.upgrade_kills import Original, copied, kill_upgrades


@pytest.fixture(scope="module")
def original(open_folder: Path) -> Original:
    """Whose server was killed: it recovers on the copy."""
    return Original(open_folder / "original", fill_with_16(open_folder / "original", killed=True))


class Moved(NamedTuple):
    home: Path
    explained: str  # before, by whoever wanted to use it
    printed: str
    seconds: float


@pytest.fixture(scope="module")
def moved(open_folder: Path, original: Original) -> Moved:
    home = copied(original.home, open_folder / "moved")
    with pytest.raises(EmbeddedPostgresError) as told, embedded_postgres(home):
        pass
    began = time.monotonic()
    done = CliRunner().invoke(app, ["upgrade", "--data-dir", str(home)])
    assert done.exit_code == 0, done.output
    return Moved(home, str(told.value), done.output, time.monotonic() - began)


def test_it_explains_itself_and_is_moved_with_everything_in_it(moved: Moved, original: Original):
    assert "was written by PostgreSQL 16, and this release brings 18" in moved.explained
    assert f"roundledger upgrade --data-dir {moved.home}" in moved.explained
    assert "Audit: 3 rounds, 0 findings." in moved.printed
    assert (moved.home / "pgdata.before-18" / "PG_VERSION").read_text() == "16\n"
    with embedded_postgres(moved.home) as url:
        with psycopg.connect(url) as connection:
            row = connection.execute("SELECT current_setting('server_version_num')::int / 10000").fetchone()
        assert row == (18,)
        with closing(Ledger(as_service(url))) as ledger:
            assert all(replay_of(ledger, round_id) is not None for round_id in original.rounds)
        with Sealer(as_service(url), moved.home / "keys") as sealer:  # under its old key and name
            sealer.seal()
    again = CliRunner().invoke(app, ["upgrade", "--data-dir", str(moved.home)])
    assert again.exit_code == 2
    assert "there is nothing to do" in again.output


def test_one_that_was_interrupted_before_its_last_step_does_not_start_empty_and_is_finished(moved: Moved):
    home = moved.home
    (home / "pgdata").rename(home / DONE)
    with pytest.raises(EmbeddedPostgresError, match=r"An upgrade of .* was interrupted"), embedded_postgres(home):
        pass
    upgrade(home)
    assert written_by(home) == 18
    with embedded_postgres(home) as url, closing(Ledger(as_service(url))) as ledger:
        assert ledger.recorder.max_notification_id()


def test_killed_in_between_nothing_is_lost_and_the_next_one_works(open_folder: Path, original: Original, moved: Moved):
    figures = kill_upgrades(open_folder, original, [moved.seconds / 4])
    assert (figures.kills, figures.lost) == (1, 0)


def test_a_copy_that_does_not_fit_is_not_begun(original: Original, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1 << 20))
    with pytest.raises(EmbeddedPostgresError, match=r"works on a copy, which needs \d+ MiB, and 1 MiB are free"):
        upgrade(original.home)
    assert not (original.home / WORK).exists()


def test_what_cannot_be_upgraded_says_why(tmp_path: Path):
    home = tmp_path / "home"
    with pytest.raises(EmbeddedPostgresError, match="has no database"):
        upgrade(tmp_path / "nothing")
    (home / "pgdata").mkdir(parents=True)
    for version, why in (("14", "PostgreSQL 14 do not come with this release"), ("99", "newer than 18")):
        (home / "pgdata" / "PG_VERSION").write_text(f"{version}\n")
        with pytest.raises(EmbeddedPostgresError, match=why):
            upgrade(home)
    (home / "pgdata" / "PG_VERSION").write_text("14\n")
    with pytest.raises(EmbeddedPostgresError, match="has no bin/postgres"):
        upgrade(home, tmp_path)

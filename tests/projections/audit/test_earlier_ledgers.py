"""Ledgers that earlier versions filled: each opens, says the same of every round, and nothing is found in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from domain.audit.findings import Finding
from domain.documents.result import result_of
from domain.floor.drop_boxes import RETIRED_BOX_TOPICS
from domain.floor.table_sessions import RETIRED_TABLE_TOPICS
from domain.round.events import ENGINE_VERSION, RETIRED_ROUND_TOPICS, LineSettled, RoundOpened
from infra.ledger.feed import FeedReader
from infra.ledger.ledger import Actor, Ledger
from infra.ledger.replay import replay_of
from infra.schema.migrator import migrate, pending
from infra.store.encoding.mapper import Entry, RecordedEvent, TypedMapper
from infra.store.encoding.topics import TOPICS
from projections.archive.archive_audit import ArchiveAudit
from projections.archive.writer import write_archive
from projections.audit.checks.round_check import OPENINGS
from projections.audit.run import Audit
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.evidence.verification import verify
from tests.databases import new_database
from tests.fixtures.ledgers import EARLIER, EarlierLedger, restore, results
from tests.tables_in_play import bank_round

AFTERWARDS_MS = 1_794_970_000_000
NOBODY = UUID(int=0)


def test_every_released_version_has_left_a_ledger(project_root: Path):
    """The newest may still lack its own: it is made right after the release."""
    changes = (project_root / "CHANGELOG.md").read_text(encoding="utf-8")
    _, *before = re.findall(r"^## \[([0-9.]+)\]", changes, re.MULTILINE)
    assert before
    assert {*before} <= {ledger.version for ledger in EARLIER}


@pytest.fixture(scope="module", params=EARLIER, ids=lambda earlier: earlier.version)
def earlier(request: pytest.FixtureRequest) -> EarlierLedger:
    found: EarlierLedger = request.param
    return found


@pytest.fixture(scope="module")
def opened_url(server_url: str, earlier: EarlierLedger) -> Iterator[str]:
    """Of the ledger restored, migrated, and its read models built once more. Nobody writes to it."""
    with new_database(server_url) as url:
        restore(url, earlier)
        assert migrate(url).warnings == ()
        assert pending(url) == []
        rebuild(url)
        yield url


@pytest.fixture
def url(server_url: str, opened_url: str) -> Iterator[str]:
    with new_database(server_url, str(conninfo_to_dict(opened_url)["dbname"])) as copy:
        yield copy


@pytest.fixture
def ledger(opened_url: str) -> Iterator[Ledger]:
    with closing(Ledger(opened_url)) as ledger:
        yield ledger


def stored(url: str) -> list[tuple[str, bytes]]:
    """Topic and state of every event."""
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT topic, state FROM roundledger.events JOIN roundledger.topics USING (topic_id) ORDER BY position"
        ).fetchall()


def test_every_event_is_read_and_written_again_byte_for_byte(opened_url: str):
    mapper, found = TypedMapper(TOPICS), stored(opened_url)
    retired: dict[str, Any] = {**RETIRED_ROUND_TOPICS, **RETIRED_TABLE_TOPICS, **RETIRED_BOX_TOPICS}
    assert len(found) > 2_000
    for topic, state in found:
        entry = mapper.decode(topic, state)
        if topic in retired:
            shape, _, upcast = retired[topic]
            old = msgspec.json.decode(state, type=Entry[shape])  # type: ignore[valid-type]
            assert upcast(old.event) == entry.event
            fields = [old.event, old.by, old.at_ms, *([True] if old.late else [])]
            assert msgspec.json.encode(fields) == state
        else:
            nobody = RecordedEvent(NOBODY, 1, entry.event, entry.by, entry.at_ms, entry.late)
            (written,) = mapper.encode([nobody])
            assert (written.topic, written.state) == (topic, state)


def test_rounds_keep_their_engine_version_and_new_ones_have_the_present(url: str, earlier: EarlierLedger):
    """An opening is read in today's form whatever it was stored as, and what reads it by topic finds both."""
    before = {topic for topic, _ in stored(url) if topic.startswith("round.opened")}
    with closing(Ledger(url)) as ledger:
        ledger.record(bank_round("t-new", round_id="r-new"), Actor("d-1", AFTERWARDS_MS))
        engines = {name: ledger.entries(name)[0].event.engine for name in (*results(earlier), "r-new")}
        feed, _ = FeedReader(ledger).read(0, 100_000, None)
    assert engines.pop("r-new") == ENGINE_VERSION
    assert set(engines.values()) == {earlier.engine}
    assert before | {"round.opened.v2"} == {topic for topic, _ in stored(url) if topic.startswith("round.opened")}
    assert before <= OPENINGS
    shown = [item["round"] for item in feed if item["event"] == "round.opened.v2"]
    assert sorted(shown) == sorted([*results(earlier), "r-new"])


def test_every_round_is_told_as_it_was(ledger: Ledger, earlier: EarlierLedger):
    """From the ledger's own round, and from its events one by one."""
    expected = results(earlier)
    assert len(expected) == earlier.rounds
    for name, result in expected.items():
        entries = ledger.entries(name)
        lines = [entry.event for entry in entries if isinstance(entry.event, LineSettled)]
        round_ = ledger.load(name).round
        assert list(round_.lines) == lines
        assert _plain(result_of(round_)) == result
        replayed = replay_of(ledger, name)
        assert replayed is not None
        assert _plain(replayed.result) == result


def _plain(result: Any) -> Any:
    return json.loads(msgspec.json.encode(result))


def test_an_audit_has_no_finding(opened_url: str, earlier: EarlierLedger, tmp_path: Path):
    """Of the database, and of an archive of it."""
    found: list[Finding] = []
    summary = Audit(opened_url, processes=1, report=found.append).run()
    assert [finding for finding in found if not finding.is_note] == []
    assert summary.clean
    assert {check.name for check in summary.checks if check.done} == {"rounds", "floor", "projections", "log", "trail"}
    assert summary.rounds == earlier.rounds
    write_archive(opened_url, tmp_path / "archive")
    in_archive: list[Finding] = []
    assert ArchiveAudit(tmp_path / "archive", processes=1, report=in_archive.append).run().clean
    assert [note for note in in_archive if note.kind == "wording"] == [note for note in found if note.kind == "wording"]


def test_its_evidence_holds(earlier: EarlierLedger):
    verdict = verify((earlier.folder / "r-1.zip").read_bytes())
    assert verdict.faults == []
    assert verdict.result is not None
    assert _plain(verdict.result) == results(earlier)["r-1"]


def test_play_goes_on_in_it(url: str):
    """The open round is closed, the next one recorded at the same table, and nothing is found afterwards."""
    actor = Actor("d-1", AFTERWARDS_MS)
    with closing(Ledger(url)) as ledger:
        ledger.act("r-32", [{"do": "void", "reason": "irregularity"}], actor)
        result = ledger.record(bank_round("t-3", "d", 6, round_id="r-33"), actor)
        assert result["status"] == "settled", result["error"]
        assert isinstance(ledger.entries("r-33")[0].event, RoundOpened)
    with Runner(url) as runner:
        runner.catch_up()
    found: list[Finding] = []
    Audit(url, processes=1, report=found.append).run()
    assert [finding for finding in found if not finding.is_note] == []

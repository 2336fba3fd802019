"""Sealing: every event once and in order, by one sealer at a time, under a key that is made once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import LiteralString
from uuid import UUID

import psycopg
import pytest
from eventsourcing.persistence import StoredEvent
from psycopg.sql import SQL, Identifier
from pymerkle import InmemoryTree

from infra.log import sealer as sealing
from infra.log.keys import KeyProblem
from infra.log.leaves import LONGEST_STATE, entry_of, form_of, leaf_hash_of, leaf_hashes, row_of
from infra.log.merkle import root_from_inclusion
from infra.log.proofs import Nodes, inclusion
from infra.log.sealer import AlreadySealing, BrokenLog, Sealer
from infra.log.signed_notes import parse_verifier
from infra.store.recorder import LedgerRecorder
from tests.sealed_ledger import as_superuser, log_of, record_rounds, seal

ONE = UUID(int=1)


def append(
    recorder: LedgerRecorder, first: int, count: int, state: bytes = b'["x"]', topic: str = "test.happened.v1"
) -> None:
    for version in range(first, first + count):
        recorder.insert_events([StoredEvent(ONE, version, topic, state)])


def test_the_tree_is_that_of_the_stored_rows(sealed_url: str):
    with log_of(sealed_url) as log:
        rows = [row for page in log.events.pages() for row in page]
        other = InmemoryTree(algorithm="sha256")
        for row in rows:
            other.append_entry(entry_of(row))
        sizes = [stored.size for stored in log.checkpoints()]
        assert sizes == sorted(set(sizes))
        assert len(sizes) == 3
        for stored in log.checkpoints():
            checkpoint = stored.parsed()
            assert checkpoint.trusted_by(log.keys())
            assert checkpoint.root == other.get_root(checkpoint.size)
        assert sizes[-1] == len(rows) == log.size()
        assert sizes[-1] > 2 * 256, "or no full tile is tested"


def test_postgresql_and_python_hash_a_row_alike(sealed_url: str):
    with log_of(sealed_url) as log:
        rows = [row for page in log.events.pages() for row in page]
        assert log.hashes(0, 0, len(rows)) == leaf_hashes(rows) == b"".join(map(leaf_hash_of, rows))


def test_an_entry_can_be_read_back(sealed_url: str):
    with log_of(sealed_url) as log:
        for page in log.events.pages():
            assert [row_of(entry_of(row)) for row in page] == page


def test_every_event_has_its_place_and_its_proof(sealed_url: str):
    with log_of(sealed_url) as log:
        rows = [row for page in log.events.pages() for row in page]
        latest = log.latest()
        assert latest is not None
        checkpoint, nodes = latest.parsed(), Nodes(log, latest.size)
        for index in (*range(0, len(rows), 7), len(rows) - 1):
            assert log.index_of(rows[index].position) == index
            assert log.rows_from(index, 3) == rows[index : index + 3]
            proof = inclusion(nodes, index, latest.size)
            leaf = leaf_hash_of(rows[index])
            assert root_from_inclusion(leaf, index, latest.size, proof) == checkpoint.root


def test_numbers_that_no_event_has_are_passed_over(new_ledger: Callable[[], str], tmp_path: Path, monkeypatch):
    """Conflicts and rollbacks leave gaps, of topics too; pages end inside and next to them."""
    monkeypatch.setattr(sealing, "PAGE", 7)
    monkeypatch.setattr(sealing, "AT_ONCE", 40)
    url = new_ledger()
    with LedgerRecorder(url) as recorder, psycopg.connect(url, autocommit=True) as connection:
        version = 0
        for count in (1, 5, 12, 3, 30):
            append(recorder, version + 1, count, topic=f"test.happened_{count}.v1")
            version += count
            connection.execute("SELECT nextval('roundledger.events_position_seq') FROM generate_series(1, 11)")
            connection.execute("SELECT nextval('roundledger.topics_topic_id_seq') FROM generate_series(1, 3)")
    with Sealer(url, tmp_path) as sealer:
        assert sealer.seal() == version
        assert sealer.seal() == 0
    with log_of(url) as log:
        rows = [row for page in log.events.pages() for row in page]
        assert rows[-1].position > len(rows)
        assert log.hashes(0, 0, 1000) == leaf_hashes(rows)
        assert [log.index_of(row.position) for row in rows] == list(range(len(rows)))
        assert log.index_of(rows[-1].position + 1) is None
        assert log.lag().events == 0


@pytest.mark.parametrize("table", ["topics", "originators"])
def test_an_event_whose_topic_or_aggregate_is_gone_is_not_sealed(
    new_ledger: Callable[[], str], tmp_path: Path, table: LiteralString
):
    url = new_ledger()
    with LedgerRecorder(url) as recorder, Sealer(url, tmp_path) as sealer:
        append(recorder, 1, 3)
        with as_superuser(url) as connection:
            connection.execute(SQL("DELETE FROM roundledger.{}").format(Identifier(table)))
        with pytest.raises(BrokenLog, match="without an originator or a topic"):
            sealer.seal()
        assert sealer.log.size() == 0


def test_a_row_of_an_open_transaction_is_waited_for_and_not_passed_over(new_ledger: Callable[[], str], tmp_path: Path):
    url = new_ledger()
    with LedgerRecorder(url) as recorder, Sealer(url, tmp_path) as sealer, psycopg.connect(url) as slow:
        append(recorder, 1, 3)
        slow.execute(
            "INSERT INTO roundledger.events (originator, originator_version, topic_id, state) VALUES (1, 9, 1, '')"
        )
        append(recorder, 4, 2)
        assert sealer.seal() == 3, "as far as is certain"
        slow.commit()
        assert sealer.seal() == 3


def test_a_state_that_is_too_long_for_a_bundle_is_sealed_by_its_digest(new_ledger: Callable[[], str], tmp_path: Path):
    url = new_ledger()
    with LedgerRecorder(url) as recorder:
        append(recorder, 1, 1, b"x" * LONGEST_STATE)
        append(recorder, 2, 1, b"x" * (LONGEST_STATE + 1))
    seal(url, tmp_path)
    with log_of(url) as log:
        rows = [row for page in log.events.pages() for row in page]
        assert log.hashes(0, 0, 2) == leaf_hashes(rows)
        assert [form_of(entry_of(row)) for row in rows] == [1, 2]
        assert all(len(entry_of(row)) < 65_536 for row in rows)


def test_there_is_one_sealer_at_a_time(new_ledger: Callable[[], str], tmp_path: Path):
    url = new_ledger()
    with Sealer(url, tmp_path), pytest.raises(AlreadySealing):
        Sealer(url, tmp_path).__enter__()
    with Sealer(url, tmp_path):
        pass


def test_a_sealer_that_follows_seals_what_comes(new_ledger: Callable[[], str], tmp_path: Path):
    url, stop = new_ledger(), threading.Event()
    thread = threading.Thread(target=sealing.run, args=(url, tmp_path, stop, 0.05))
    thread.start()
    try:
        with LedgerRecorder(url) as recorder, log_of(url) as log:
            for first in (1, 11, 21):
                append(recorder, first, 10)
                until(lambda: log.lag().events == 0)
            assert log.size() == 30
    finally:
        stop.set()
        thread.join()


def until(condition: Callable[[], bool]) -> None:
    import time

    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_lag_counts_what_is_not_sealed(new_ledger: Callable[[], str], tmp_path: Path):
    url = new_ledger()
    with LedgerRecorder(url) as recorder, log_of(url) as log:
        assert log.lag() == (0, 0.0)
        append(recorder, 1, 4)
        assert log.lag().events == 4
        seal(url, tmp_path)
        assert log.lag() == (0, 0.0)


# ---- keys


def test_the_key_is_made_once_and_rotated_when_asked(copy: Callable[[], str], keys: Path, tmp_path: Path):
    url = copy()
    own = tmp_path / "keys"
    own.mkdir()
    for file in keys.iterdir():
        (own / file.name).write_bytes(file.read_bytes())
        (own / file.name).chmod(0o600)
    with log_of(url) as log:
        (old,) = log.keys()
        assert old.name.startswith("roundledger/")
        with Sealer(url, own) as sealer:
            new = sealer.rotate_key()
        assert log.keys() == [old, new]
        latest = log.latest()
        assert latest is not None
        assert latest.parsed().trusted_by([old]) == [old], "the old key vouches for the new one"
        assert latest.parsed().trusted_by([new]) == [new]
        record_rounds(url, "uth-house", 2)
        assert seal(url, own)
        latest = log.latest()
        assert latest is not None
        assert latest.parsed().trusted_by([old, new]) == [new]
    assert sorted(file.suffix for file in own.iterdir()) == [".key", ".retired"]


def test_a_key_that_is_missing_is_never_replaced_unasked(copy: Callable[[], str], tmp_path: Path):
    url = copy()
    record_rounds(url, "uth-house", 1)
    with Sealer(url, tmp_path) as sealer:
        with pytest.raises(KeyProblem, match="rotate --lost"):
            sealer.seal()
        assert not list(tmp_path.iterdir())
        new = sealer.rotate_key(lost=True)
        assert sealer.seal()
    with log_of(url) as log:
        assert log.keys()[-1] == new
        latest = log.latest()
        assert latest is not None
        assert latest.parsed().trusted_by(log.keys()) == [new]


def test_a_rotation_that_was_killed_is_finished(copy: Callable[[], str], keys: Path, tmp_path: Path):
    url = copy()
    (name,) = [file.name for file in keys.iterdir()]
    (tmp_path / name).write_bytes((keys / name).read_bytes())
    (tmp_path / name).chmod(0o600)
    with Sealer(url, tmp_path) as sealer:
        new = sealer.rotate_key()
    aside = next(file for file in tmp_path.iterdir() if file.suffix == ".retired")
    (tmp_path / name).rename(tmp_path / f"{name}.next")  # as if only the database had been changed
    aside.rename(tmp_path / name)
    record_rounds(url, "uth-house", 1)
    assert seal(url, tmp_path)
    with Sealer(url, tmp_path) as sealer:
        assert sealer.signer().verifier == new


def test_a_key_of_another_log_is_refused(copy: Callable[[], str], keys: Path, tmp_path: Path):
    url = copy()
    (name,) = [file.name for file in keys.iterdir()]
    from infra.log.keys import KeyFile, new_signer

    KeyFile(tmp_path / name).save(new_signer("roundledger/another"))
    record_rounds(url, "uth-house", 1)
    with Sealer(url, tmp_path) as sealer, pytest.raises(KeyProblem, match="is not the key that signs this log"):
        sealer.seal()


def test_a_name_of_ones_own(new_ledger: Callable[[], str], tmp_path: Path):
    url = new_ledger()
    with Sealer(url, tmp_path) as sealer:
        key = sealer.create_key("casino.example/floor-2")
        assert parse_verifier(key.text()).name == "casino.example/floor-2"
        with pytest.raises(KeyProblem, match="already has a key"):
            sealer.create_key()


# ---- nothing is built on what is broken


def test_nothing_is_signed_on_top_of_a_tree_that_does_not_fit(copy: Callable[[], str], keys: Path):
    url = copy()
    with as_superuser(url) as connection:
        connection.execute(
            "UPDATE roundledger.log_hashes SET hashes = set_byte(hashes, 5, get_byte(hashes, 5) # 1) "
            "WHERE level = 0 AND first = (SELECT max(first) FROM roundledger.log_hashes WHERE level = 0)"
        )
    with pytest.raises(BrokenLog, match="do not give the root"):
        seal(url, keys)


def test_nothing_is_signed_on_top_of_a_checkpoint_that_is_not_ours(copy: Callable[[], str], keys: Path):
    url = copy()
    with as_superuser(url) as connection:
        connection.execute(
            "UPDATE roundledger.log_checkpoints SET note = regexp_replace(note, '— .*\n', '— x AAAAAAAA\n')"
        )
    with pytest.raises(BrokenLog, match="not signed with a key of this log"):
        seal(url, keys)

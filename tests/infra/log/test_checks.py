"""Faults that a superuser makes with the triggers off: each is found and named, and a clean log has no finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, LiteralString

import pytest

from domain.audit.findings import Finding
from infra.log.checkpoints import Checkpoint, parse_checkpoint, sign
from infra.log.checks.full_check import Checker
from infra.log.keys import KeyFile
from infra.log.leaves import leaf_hashes
from infra.log.sealer import Sealer
from infra.log.signed_notes import SIGNATURE, Signer, Verifier
from infra.log.stored_log import LogReader
from infra.log.tiles import Tree
from tests.sealed_ledger import as_superuser, log_of, record_rounds, seal

Copy = Callable[[], str]


def check_log(
    log: LogReader, outside: Sequence[Checkpoint] = (), keys: Sequence[Verifier] = ()
) -> tuple[Checker, list[Finding]]:
    """All stored events against the log."""
    checker = Checker(log, outside=outside, keys=keys, row_at=log.events.at)
    for rows in log.events.pages():
        checker.feed([row.position for row in rows], leaf_hashes(rows))
    return checker, checker.finish()


def checked(url: str, outside: Sequence[Checkpoint] = (), keys: Sequence[Verifier] = ()) -> list[Finding]:
    with log_of(url) as log:
        return check_log(log, outside=outside, keys=keys)[1]


def harm(url: str, statement: LiteralString, values: list[Any] | None = None) -> None:
    with as_superuser(url) as connection:
        connection.execute(statement, values)


def position_at(url: str, index: int) -> int:
    with log_of(url) as log:
        return log.rows_from(index, 1)[0].position


def latest(url: str) -> Checkpoint:
    with log_of(url) as log:
        stored = log.latest()
        assert stored is not None
        return stored.parsed()


def test_a_clean_log_has_no_finding(sealed_url: str):
    assert checked(sealed_url, [latest(sealed_url)]) == []


def test_what_is_not_sealed_yet_is_no_finding(copy: Copy, keys: Path):
    url = copy()
    record_rounds(url, "uth-house", 1)
    with log_of(url) as log:
        checker, found = check_log(log)
    assert found == []
    assert checker.unsealed > 10
    seal(url, keys)
    assert checked(url) == []


@pytest.mark.parametrize("index", [0, -1])
@pytest.mark.parametrize(
    "change",
    [
        "state = convert_to(replace(convert_from(state, 'UTF8'), '0', '1') || ' ', 'UTF8')",
        "recorded_at = recorded_at + interval '1 microsecond'",
        "originator_version = originator_version + 1000",
        "topic_id = (SELECT min(topic_id) FROM roundledger.topics t WHERE t.topic_id <> events.topic_id)",
        "originator = (SELECT min(originator) FROM roundledger.originators o WHERE o.originator <> events.originator), "
        "originator_version = 5000",
    ],
)
def test_a_changed_row(copy: Copy, index: int, change: LiteralString):
    url = copy()
    index = latest(url).size - 1 if index == -1 else index
    position = position_at(url, index)
    harm(url, f"UPDATE roundledger.events SET {change} WHERE position = %s", [position])
    (finding,) = checked(url)
    assert (finding.kind, finding.position, finding.version) == ("row_changed", position, index)
    assert f"position {position}" in finding.what


@pytest.mark.parametrize(("index", "count"), [(0, 1), (300, 1), (255, 3), (10, 200), (-1, 1), (-40, 40)])
def test_deleted_rows(copy: Copy, index: int, count: int):
    url = copy()
    size = latest(url).size
    index = size + index if index < 0 else index
    first, last = position_at(url, index), position_at(url, index + count - 1)
    harm(url, "DELETE FROM roundledger.events WHERE position BETWEEN %s AND %s", [first, last])
    (finding,) = checked(url)
    assert (finding.kind, finding.version) == ("row_deleted", index)
    assert (f"index {index} of the log is gone" if count == 1 else f"{count} events are gone") in finding.what


@pytest.mark.parametrize("where", ["in a gap", "before all others"])
def test_an_inserted_row(copy: Copy, where: str):
    url = copy()
    with log_of(url) as log:
        positions = [row.position for page in log.events.pages() for row in page]
    gap = next(position for position in positions if position + 1 not in positions)
    assert gap < positions[-1]
    position = gap + 2 if where == "in a gap" else -5
    harm(
        url,
        "INSERT INTO roundledger.events (position, originator, originator_version, topic_id, state) "
        "VALUES (%s, 1, 9999, 1, '[]')",
        [position],
    )
    (finding,) = checked(url)
    assert (finding.kind, finding.position) == ("row_inserted", position)


def test_a_row_put_in_the_place_of_a_deleted_one_is_a_changed_one(copy: Copy):
    url = copy()
    position = position_at(url, 77)
    with as_superuser(url) as connection:
        connection.execute("DELETE FROM roundledger.events WHERE position = %s", [position])
        connection.execute(
            "INSERT INTO roundledger.events (position, originator, originator_version, topic_id, state) "
            "VALUES (%s, 1, 9999, 1, '[]')",
            [position],
        )
    (finding,) = checked(url)
    assert (finding.kind, finding.position) == ("row_changed", position)


@pytest.mark.parametrize("what", ["position", "state"])
@pytest.mark.parametrize(("one", "other"), [(40, 41), (100, 500)])
def test_two_rows_exchanged(copy: Copy, what: str, one: int, other: int):
    url = copy()
    first, second = position_at(url, one), position_at(url, other)
    with as_superuser(url) as connection:
        if what == "position":
            for old, new in ((first, -1), (second, first), (-1, second)):
                connection.execute("UPDATE roundledger.events SET position = %s WHERE position = %s", [new, old])
        else:
            connection.execute(
                "UPDATE roundledger.events e SET state = f.state, topic_id = f.topic_id FROM roundledger.events f "
                "WHERE (e.position, f.position) IN ((%s, %s), (%s, %s))",
                [first, second, second, first],
            )
    (finding,) = checked(url)
    assert (finding.kind, finding.position) == ("rows_exchanged", first)
    assert f"positions {first} and {second}" in finding.what


def test_several_faults_at_once(copy: Copy):
    url = copy()
    size = latest(url).size
    places = {index: position_at(url, index) for index in (3, 50, 260, 400, size - 2)}
    with as_superuser(url) as connection:
        connection.execute("UPDATE roundledger.events SET state = state || ' ' WHERE position = %s", [places[3]])
        connection.execute("DELETE FROM roundledger.events WHERE position = %s", [places[50]])
        connection.execute("UPDATE roundledger.events SET state = state || ' ' WHERE position = %s", [places[260]])
        connection.execute("DELETE FROM roundledger.events WHERE position = %s", [places[400]])
        connection.execute("UPDATE roundledger.events SET state = state || ' ' WHERE position = %s", [places[size - 2]])
    found = [(finding.kind, finding.version) for finding in checked(url)]
    assert found == [
        ("row_changed", 3),
        ("row_deleted", 50),
        ("row_changed", 260),
        ("row_deleted", 400),
        ("row_changed", size - 2),
    ]


def test_a_topic_or_an_aggregate_under_another_name(copy: Copy):
    url = copy()
    harm(url, "UPDATE roundledger.topics SET topic = 'round.other.v1' WHERE topic = 'round.bets_closed.v1'")
    found = checked(url)
    assert {finding.kind for finding in found} == {"row_changed"}
    assert len(found) == 18, "each round has one such event"


def test_a_changed_hash_of_the_log(copy: Copy):
    """The events still give every signed root, so they are believed."""
    url = copy()
    harm(
        url,
        "UPDATE roundledger.log_hashes SET hashes = set_byte(hashes, 33, get_byte(hashes, 33) # 255) "
        "WHERE level = 0 AND first = 0",
    )
    (finding,) = checked(url)
    assert (finding.kind, finding.version) == ("hash_changed", 1)


def test_changed_hashes_above_the_leaves(copy: Copy):
    url = copy()
    harm(url, "UPDATE roundledger.log_hashes SET hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) WHERE level = 1")
    found = checked(url)
    assert {finding.kind for finding in found} == {"tree_damaged"}
    assert "level 1" in found[0].what


def test_hashes_taken_out_of_the_log(copy: Copy):
    url = copy()
    harm(url, "DELETE FROM roundledger.log_hashes WHERE level = 0 AND first = 256")
    assert "tree_damaged" in {finding.kind for finding in checked(url)}


def rewritten(url: str, index: int) -> None:
    """A row changed, and the hashes of the log with it, as somebody would who knows how it works."""
    position = position_at(url, index)
    harm(url, "UPDATE roundledger.events SET state = state || ' ' WHERE position = %s", [position])
    with log_of(url) as log, as_superuser(url) as connection:
        rows = [row for page in log.events.pages() for row in page]
        sizes = [stored.size for stored in log.checkpoints()]
        connection.execute("DELETE FROM roundledger.log_hashes")
        tree, hashes, before = Tree(), leaf_hashes(rows), 0
        for size in sizes:
            for piece in tree.add(hashes[before * 32 : size * 32]):
                place = None if piece.level else rows[piece.first].position
                connection.execute(
                    "INSERT INTO roundledger.log_hashes VALUES (%s, %s, %s, %s)",
                    [piece.level, piece.first, place, piece.hashes],
                )
            before = size


def test_events_and_hashes_rewritten_alike_do_not_fit_what_was_signed(copy: Copy):
    url = copy()
    rewritten(url, 20)
    (finding,) = checked(url)
    assert finding.kind == "history_rewritten"
    assert "was signed at " in finding.what


def resign(url: str, keys: Path, cut: int | None = None) -> None:
    """All checkpoints signed anew, with the log's own key: only somebody outside can tell."""
    with log_of(url) as log, as_superuser(url) as connection:
        signer = KeyFile.of_log(keys, log.log_id()).load()
        assert signer is not None
        stored = [checkpoint for checkpoint in log.checkpoints() if cut is None or checkpoint.size <= cut]
        connection.execute("DELETE FROM roundledger.log_checkpoints")
        for checkpoint in stored:
            note = sign(signer.name, checkpoint.size, log.tree(checkpoint.size).root(), [signer]).text()
            connection.execute(
                "INSERT INTO roundledger.log_checkpoints (size, last_position, note) VALUES (%s, %s, %s)",
                [checkpoint.size, checkpoint.last_position, note],
            )


def test_history_rewritten_and_signed_anew_is_a_fork_of_what_was_kept_outside(copy: Copy, keys: Path):
    url = copy()
    kept = latest(url)
    rewritten(url, 20)
    resign(url, keys)
    assert checked(url) == [], "it cannot be known from inside"
    (finding,) = checked(url, [kept])
    assert finding.kind == "fork"
    assert f"another root at {kept.size} events" in finding.what


def test_a_shorter_tree_signed_anew_is_found_by_what_was_kept_outside(copy: Copy, keys: Path):
    url = copy()
    kept = latest(url)
    with log_of(url) as log:
        shorter = [checkpoint.size for checkpoint in log.checkpoints()][1]
        last = log.rows_from(shorter - 1, 1)[0].position
    with as_superuser(url) as connection:
        connection.execute("DELETE FROM roundledger.events WHERE position > %s", [last])
        connection.execute("DELETE FROM roundledger.log_hashes WHERE level = 0 AND first >= %s", [shorter])
        connection.execute("DELETE FROM roundledger.log_hashes WHERE level = 1 AND first >= %s", [shorter // 256])
    resign(url, keys, cut=shorter)
    assert checked(url) == []
    (finding,) = checked(url, [kept])
    assert finding.kind == "tree_shorter"
    assert f"kept outside has {kept.size} events" in finding.what
    assert f"{kept.size - shorter} that were sealed are lost" in finding.what


def test_a_lost_tail_is_found_by_a_checkpoint_that_was_kept_outside(copy: Copy, keys: Path):
    """The database was set back to an earlier day: what was sealed since is gone, and with it every trace of it."""
    url, earlier = copy(), copy()
    record_rounds(url, "uth-house", 2)
    seal(url, keys)
    kept = latest(url)
    assert checked(earlier) == []
    (finding,) = checked(earlier, [kept])
    assert finding.kind == "tree_shorter"
    record_rounds(earlier, "uth-house", 3, seed=2)
    seal(earlier, keys)
    assert [finding.kind for finding in checked(earlier, [kept])] == ["fork"], "and when others have taken its place"


def test_a_shorter_checkpoint_after_a_longer_one(copy: Copy, keys: Path):
    url = copy()
    with log_of(url) as log, as_superuser(url) as connection:
        first = next(log.checkpoints())
        connection.execute(
            "INSERT INTO roundledger.log_checkpoints (size, last_position, note) VALUES (%s, %s, %s)",
            [first.size, first.last_position, first.note],
        )
    (finding,) = checked(url)
    assert finding.kind == "tree_shorter"
    assert f"of {first.size} events" in finding.what


def test_broken_and_unreadable_checkpoints(copy: Copy):
    url = copy()
    other: LiteralString = "CASE WHEN note ~ '\n\n— \\S+ B' THEN 'C' ELSE 'B' END"  # than the signature begins with
    broken: LiteralString = f"regexp_replace(note, '\n\n— (\\S+) .', '\n\n— \\1 ' || {other})"
    harm(url, f"UPDATE roundledger.log_checkpoints SET note = {broken} WHERE number = 2")
    harm(url, "UPDATE roundledger.log_checkpoints SET note = 'nonsense' WHERE number = 1")
    assert [(finding.kind) for finding in checked(url)] == ["checkpoint_unreadable", "signature_broken"]


def test_a_log_signed_by_a_key_that_the_auditor_does_not_know(copy: Copy):
    url = copy()
    stranger = Signer(latest(url).origin, SIGNATURE, bytes(32)).verifier
    found = checked(url, keys=[stranger])
    assert {finding.kind for finding in found} == {"signature_broken"}


def test_an_outside_checkpoint_that_nobody_has_signed_is_named(sealed_url: str):
    checkpoint = latest(sealed_url)
    signer = Signer(checkpoint.origin, SIGNATURE, bytes(32))
    forged = sign(checkpoint.origin, checkpoint.size, checkpoint.root, [signer])
    assert [finding.kind for finding in checked(sealed_url, [parse_checkpoint(forged.text())])] == ["signature_broken"]


def test_rows_may_be_fed_in_pages_of_any_size(copy: Copy):
    """An audit reads them once, for its own purposes, and hands on what it has."""
    url = copy()
    position = position_at(url, 130)
    harm(url, "DELETE FROM roundledger.events WHERE position = %s", [position])
    for page in (1, 10, 64, 65, 1000):
        with log_of(url) as log:
            checker = Checker(log, row_at=log.events.at)
            for rows in log.events.pages(page):
                checker.feed([row.position for row in rows], leaf_hashes(rows))
            (finding,) = checker.finish()
        assert (finding.kind, finding.version) == ("row_deleted", 130)


def test_a_sealer_goes_on_after_an_unsealed_row_was_lost(copy: Copy, keys: Path):
    url = copy()
    record_rounds(url, "uth-house", 1)
    harm(url, "DELETE FROM roundledger.events WHERE position = (SELECT max(position) FROM roundledger.events)")
    with Sealer(url, keys) as sealer:
        assert sealer.seal()
    assert checked(url) == []

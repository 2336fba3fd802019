"""A witness lets a log grow and nothing else: forks, shorter trees and strangers' keys are refused by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from infra.log.checkpoints import Checkpoint, parse_checkpoint, sign
from infra.log.keys import new_signer
from infra.log.merkle import leaf_hash
from infra.log.proofs import Nodes, consistency
from infra.log.tiles import Tree
from infra.log.witness import Refused, Witness

NOW = 1_790_000_000
SIGNER = new_signer("casino.example/log")


class Log:
    """A log of plain entries, which may fork from another."""

    def __init__(self, entries: Sequence[bytes]) -> None:
        self.leaves = b"".join(map(leaf_hash, entries))

    def tile(self, level: int, number: int, width: int) -> bytes:
        return self.leaves[: width * 32]

    def checkpoint(self, size: int, *signers) -> Checkpoint:
        tree = Tree()
        tree.add(self.leaves[: size * 32])
        return sign(SIGNER.name, size, tree.root(), signers or [SIGNER])

    def prove(self, old_size: int, size: int) -> list[bytes]:
        return consistency(Nodes(self, size), old_size, size)


LOG = Log([b"event %d" % at for at in range(100)])
FORK = Log([b"event %d" % at for at in range(40)] + [b"another %d" % at for at in range(60)])


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    return Witness(tmp_path / "witness", "auditor.example/w1")


@pytest.fixture
def look(witness: Witness) -> Callable[..., Checkpoint]:
    def look(log: Log, size: int, *signers, trusted=(SIGNER.verifier,), offered=()) -> Checkpoint:
        text = log.checkpoint(size, *signers).text()
        return witness.look(text, log.prove, NOW, trusted=trusted, offered=offered)

    return look


def refused(kind: str):
    return pytest.raises(Refused, match=f"^{kind}: ")


def test_a_log_that_grows_is_cosigned_each_time(look, witness: Witness, tmp_path: Path):
    for size in (1, 30, 30, 64, 100):
        cosigned = parse_checkpoint(look(LOG, size).text())
        assert cosigned.note.signed_by([SIGNER.verifier, witness.key]) == [SIGNER.verifier, witness.key]
    (folder,) = [path for path in (tmp_path / "witness").iterdir() if path.is_dir()]
    assert sorted(file.name for file in folder.iterdir()) == [
        *sorted(["1.checkpoint", "30.checkpoint", "64.checkpoint", "100.checkpoint"]),
        "keys",
    ]
    again = Witness(tmp_path / "witness", "another name counts only for a new key")
    assert again.key == witness.key
    last = again.last_of(SIGNER.name)
    assert last is not None
    assert last.size == 100


def test_a_fork_is_refused(look):
    look(LOG, 50)
    with refused("fork"):
        look(FORK, 50)
    with refused("fork"):
        look(FORK, 70)
    look(LOG, 70)


def test_a_fork_behind_what_was_seen_is_no_fork_for_us(look):
    look(LOG, 40)
    look(FORK, 70)
    with refused("fork"):
        look(LOG, 100)


def test_a_shorter_log_is_refused(look):
    look(LOG, 50)
    with refused("shorter"):
        look(LOG, 49)


def test_a_signature_of_somebody_else_is_refused(look):
    stranger = new_signer(SIGNER.name)
    with refused("unknown_key"):
        look(LOG, 50, stranger)
    look(LOG, 50)
    with refused("unknown_key"):
        look(LOG, 60, stranger, trusted=(), offered=[stranger.verifier])


def test_without_any_key_nothing_is_believed(look):
    with refused("unknown_key"):
        look(LOG, 50, trusted=())


def test_the_key_that_a_log_offers_counts_at_first_sight_only(look):
    look(LOG, 10, trusted=(), offered=[SIGNER.verifier])
    look(LOG, 20, trusted=())


def test_a_new_key_is_taken_over_from_the_old_one(look):
    new = new_signer(SIGNER.name)
    look(LOG, 10)
    look(LOG, 20, new, SIGNER, trusted=(), offered=[new.verifier, SIGNER.verifier])
    look(LOG, 30, new, trusted=())


@pytest.mark.parametrize("text", ["", "nonsense", "casino.example/log\n1\nAAAA\n\n— casino.example/log AAAAAAAA\n"])
def test_what_is_no_checkpoint_is_refused(witness: Witness, text: str):
    with refused("unreadable"):
        witness.look(text, LOG.prove, NOW, trusted=[SIGNER.verifier])


def test_a_memory_that_somebody_has_changed_is_not_believed(look, tmp_path: Path):
    look(LOG, 50)
    (kept,) = (tmp_path / "witness").rglob("50.checkpoint")
    kept.write_text(LOG.checkpoint(50).text())
    with refused("unreadable"):
        look(LOG, 60)


def test_two_logs_are_kept_apart(look, witness: Witness):
    look(LOG, 50)
    other = new_signer("other.example/log")
    checkpoint = sign(other.name, 1, leaf_hash(b"x"), [other])
    witness.look(checkpoint.text(), LOG.prove, NOW, trusted=[other.verifier])
    look(LOG, 60)

"""What a bundle needs from the ledger and its log."""

from __future__ import annotations

import msgspec

from domain.round.events import RoundOpened
from domain.rules import rulesets
from infra.ledger.ledger import UnknownRound
from infra.log.checkpoints import Checkpoint
from infra.log.leaves import entry_of, leaf_hash_of
from infra.log.proofs import Nodes, Proof, inclusion, root_at
from infra.log.stored_log import LogReader
from infra.store.encoding.topics import TOPICS
from infra.store.event_rows import LogRow
from infra.store.streams import stream_id
from projections.evidence.bundle import Evidence, Sealed


class NotSealed(Exception):
    """The round has events that are not in the log yet, or not in the requested part of it."""


class NoEvidence(Exception):
    """The log lacks what it should have: stored data was changed since it was sealed."""


def gather(log: LogReader, round_id: str, checkpoint: Checkpoint | None = None) -> Evidence:
    """Gather the evidence under the log's last checkpoint, or under another one with its cosignatures."""
    rows = log.events.of(stream_id("round", round_id))
    if not rows:
        raise UnknownRound(f"There is no round {round_id}.")
    opened: RoundOpened = TOPICS.decoder(rows[0].topic)(rows[0].state).event
    adopted = log.events.of(stream_id("rules", opened.ruleset_hash))[:1]
    checkpoint = checkpoint or _latest(log)
    keys = log.keys()
    signed_by = checkpoint.trusted_by(keys)
    if not signed_by:
        raise NoEvidence("The checkpoint is not signed with a key of this log.")
    if checkpoint.size > log.size():
        raise NoEvidence(f"The checkpoint is of {checkpoint.size} events, and the log has only {log.size()}.")
    nodes = Nodes(log, checkpoint.size)
    if root_at(nodes, checkpoint.size) != checkpoint.root:
        raise NoEvidence(f"The log does not have the root of the checkpoint of {checkpoint.size} events.")
    sealed = tuple(_sealed(log, nodes, row, checkpoint) for row in [*adopted, *rows])
    log.name(checkpoint.size, f"evidence of round {round_id}")
    return Evidence(
        round_id=round_id,
        ruleset_text=_ruleset_text(opened, adopted),
        sealed=sealed,
        checkpoint=checkpoint,
        key=signed_by[-1],
    )


def _latest(log: LogReader) -> Checkpoint:
    latest = log.latest()
    if latest is None:
        raise NotSealed("Nothing has been sealed yet.")
    return latest.parsed()


def _ruleset_text(opened: RoundOpened, adopted: list[LogRow]) -> str:
    if adopted:
        text: str = TOPICS.decoder(adopted[0].topic)(adopted[0].state).event.text
        return text
    shipped = rulesets.with_hash(opened.ruleset, opened.ruleset_hash)
    if shipped is not None:
        return shipped.text
    raise NoEvidence(f"The text of the rule set {opened.ruleset} of that day is not stored.")


def _sealed(log: LogReader, nodes: Nodes, row: LogRow, checkpoint: Checkpoint) -> Sealed:
    index = log.index_of(row.position)
    if index is None or index >= checkpoint.size:
        raise NotSealed(f"The event at position {row.position} is not sealed yet.")
    proof = Proof(index, tuple(inclusion(nodes, index, checkpoint.size)), checkpoint)
    if not proof.proves(leaf_hash_of(row)):
        changed = f"The event at position {row.position} is not as it was sealed"
        raise NoEvidence(f"{changed}, so nothing proves this round. An audit shows what was changed.")
    return Sealed(entry_of(row), proof)


def proofs_of(evidence: Evidence) -> list[dict[str, object]]:
    """Return, for programs, where each event of the round is in the log, and its path to the root."""
    return [
        {
            "version": sealed.row.originator_version,
            "position": sealed.row.position,
            "index": sealed.proof.index,
            "leaf": msgspec.to_builtins(leaf_hash_of(sealed.row)),
            "hashes": msgspec.to_builtins(list(sealed.proof.hashes)),
        }
        for sealed in evidence.of_round
    ]

"""Views of the transparency log: tiles, proofs, a round as evidence, and the bytes to check it elsewhere.

Nothing is judged here. What was changed since it was sealed is returned as it is now, so that a verifier finds that it
does not lead to the signed root."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, LiteralString

from domain.errors import Conflict
from infra.access.callers import Caller
from infra.ledger.ledger import UnknownRound
from infra.log.leaves import entry_of
from infra.log.proofs import Nodes, consistency, inclusion
from infra.log.stored_log import LogReader, NotSigned
from infra.log.tiles import WIDTH, TileName
from infra.store.event_rows import LogRow
from infra.store.streams import stream_id
from projections.evidence.bundle import files_of
from projections.evidence.sources import proofs_of
from projections.evidence.zip_file import pack
from projections.views.read_side import BadQuestion, NotFound, ReadSide

COUNTED_ONCE: LiteralString = "SELECT box FROM projections.drops WHERE status = 'removed' AND counters <> '{}'"
OPEN_COUNT = "box.counted.v1"  # as counts were stored before they were sealed


def consistency_between(log: LogReader, old_size: int, size: int | None) -> dict[str, Any]:
    latest = log.latest()
    sealed = 0 if latest is None else latest.size
    size = sealed if size is None else size
    if not old_size <= size <= sealed:
        raise BadQuestion(f"The log has {sealed} events, and a log grows: `from` is not more than `to`.")
    try:
        log.check_signed(old_size, size)
    except NotSigned as refusal:
        raise BadQuestion(str(refusal)) from None
    log.name(old_size, "a proof that the log has only grown")
    hashes = consistency(Nodes(log, size), old_size, size)
    return {"from": old_size, "to": size, "hashes": [b64encode(hash_).decode() for hash_ in hashes]}


def tile_of(read_side: ReadSide, level: int, name: TileName) -> bytes:
    tile = read_side.sealing.log.tile(level, name.number, name.width)
    if len(tile) != name.width * 32:
        raise NotFound("The log does not have this tile yet.")
    if level == 0:
        _check_counts(read_side, name)
    return tile


def entries_of(read_side: ReadSide, caller: Caller, name: TileName) -> bytes:
    log, first = read_side.sealing.log, name.number * WIDTH
    if first + name.width > log.size():
        raise NotFound("The log does not have these entries yet.")
    _check_counts(read_side, name)
    read_side.record_look(caller, "log entries", f"{first} to {first + name.width - 1}")
    entries = [entry_of(row) for row in log.rows_from(first, name.width)]
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def _check_counts(read_side: ReadSide, name: TileName) -> None:
    """Refuse entries with a blind count that was stored open, before counts were sealed, until a second one agrees.
    Sealed counts need no protection."""
    read_side.bring_up_to_date("drops")
    first = name.number * WIDTH
    boxes = [stream_id("box", box) for (box,) in read_side.database.rows(COUNTED_ONCE)]
    for position in read_side.sealing.log.events.positions_of(boxes, OPEN_COUNT) if boxes else ():
        index = read_side.sealing.log.index_of(position)
        if index is not None and first <= index < first + name.width:
            raise Conflict("These have a blind count that no second count agrees with yet.")


def proofs_for(read_side: ReadSide, caller: Caller, round_id: str) -> dict[str, Any]:
    evidence = read_side.sealing.evidence(round_id)
    read_side.record_look(caller, "proofs", round_id)
    return {"round": round_id, "checkpoint": evidence.checkpoint.text(), "proofs": proofs_of(evidence)}


def evidence_for(read_side: ReadSide, caller: Caller, round_id: str) -> bytes:
    evidence = read_side.sealing.evidence(round_id)
    read_side.record_look(caller, "evidence", round_id)
    return pack(files_of(evidence))


def round_log_for(read_side: ReadSide, caller: Caller, round_id: str) -> dict[str, Any]:
    """Return the stored bytes of a round, and their paths to the signed root."""
    log = LogReader(read_side.database)
    rows = log.events.of(stream_id("round", round_id))
    if not rows:
        raise UnknownRound(f"There is no round {round_id}.")
    caller.check_table(read_side.ledger.entries(round_id)[0].event.table)
    read_side.record_look(caller, "log", round_id)
    latest = log.latest()
    size = 0 if latest is None else _size(latest.note)
    nodes, verifiers = Nodes(log, size), log.keys()
    hashes: dict[bytes, int] = {}
    entries = [_entry(log, nodes, row, size, hashes) for row in rows]
    return {
        "round": round_id,
        "checkpoint": None if latest is None else latest.note,
        "sealed_at": None if latest is None else latest.sealed_at.isoformat(),
        "keys": [verifier.text() for verifier in verifiers],
        "hashes": [b64encode(hash_).decode() for hash_ in hashes],
        "entries": entries,
    }


def _size(note: str) -> int:
    """Return the size in the checkpoint; 0 if it cannot be read, which a verifier will find."""
    try:
        return int(note.split("\n", 2)[1])
    except (IndexError, ValueError):
        return 0


def _entry(log: LogReader, nodes: Nodes, row: LogRow, size: int, hashes: dict[bytes, int]) -> dict[str, Any]:
    """Return an entry; `hashes` gathers those of all paths: neighbouring events share nearly all of them."""
    index = log.index_of(row.position)
    path: list[bytes] | None = None
    if index is not None and index < size:
        try:
            path = inclusion(nodes, index, size)
        except LookupError:  # the log itself has lost something
            path = []
    return {
        "version": row.originator_version,
        "index": index if path is not None else None,
        "entry": b64encode(entry_of(row)).decode(),
        "path": None if path is None else [hashes.setdefault(hash_, len(hashes)) for hash_ in path],
    }

"""A round in the transparency log, for whoever wants to check it himself: stored bytes, paths, checkpoint and keys.

Nothing is judged here. What was changed since it was sealed is handed out as it is now, so that whoever checks finds
that it does not lead to the signed root.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from starlette.responses import Response

from api.service import shapes
from api.service.operations import Answer, Call, Operation, answer
from api.service.problems import Problem
from api.service.rounds import SEEING, record_look
from infra.aggregates import stream
from infra.event_reader import LogRow
from infra.tlog.leaves import entry_of
from infra.tlog.proofs import Nodes, inclusion
from infra.tlog.reading import LogReader


async def get_round_log(call: Call) -> Response:
    return answer(await call.in_thread(_round_log, call))


def _round_log(call: Call) -> dict[str, Any]:
    round_id = call.id("round")
    log = LogReader(call.service.ledger.events.recorder.database)
    rows = log.rows_of(stream("round", round_id))
    if not rows:
        raise Problem("not_found", f"There is no round {round_id}.")
    call.person.check_table(call.service.ledger.entries(round_id)[0].event.table)
    record_look(call, "log", round_id)
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
    """What the checkpoint says; one that cannot be read says nothing, and whoever checks it will find that."""
    try:
        return int(note.split("\n", 2)[1])
    except (IndexError, ValueError):
        return 0


def _entry(log: LogReader, nodes: Nodes, row: LogRow, size: int, hashes: dict[bytes, int]) -> dict[str, Any]:
    """`hashes` gathers those of all paths: the events of a round stand side by side and share nearly all of them."""
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


_EXAMPLE = {
    "round": "r-0001",
    "checkpoint": "club.example/log\n2\nqINS1GRFhWHwdkUeqLEoP4yEMkTBBzxBkGwGQlVlVcs=\n\n— club.example/log Lptf…\n",
    "sealed_at": "2026-03-08T20:16:41.007000+00:00",
    "keys": ["club.example/log+2e9b4f5c+AdaGt…"],
    "hashes": ["EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs="],
    "entries": [{"version": 1, "index": 1, "entry": "AQAAAAAAAAAC…", "path": [0]}],
}

OPERATIONS = (
    Operation(
        "GET",
        "/v1/rounds/{round}/log",
        "getRoundLog",
        "log",
        "The stored bytes of a round, and their paths to the signed root of the log",
        get_round_log,
        {200: Answer(shapes.RoundLog, _EXAMPLE, "What it takes to check the round without trusting this answer.")},
        SEEING,
        "For checking elsewhere, as the replay page does in the browser. An event that is not sealed yet has no index."
        " A card that lies face down is not in the bytes, only the commitment to it.",
    ),
)

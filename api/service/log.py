"""The transparency log over HTTP (C2SP tlog-tiles under /v1/log), proofs, and a round as evidence."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from starlette.responses import Response

from api.service import examples, shapes
from api.service.blindness import no_table
from api.service.operations import Answer, Call, Operation, Param, answer
from api.service.problems import Problem
from api.service.rounds import read_number, record_look
from api.service.rules import ANY_ROLE
from infra.tlog.leaves import entry_of
from infra.tlog.proofs import Nodes, NotSigned, check_signed, consistency
from infra.tlog.tiles import MOST_LEVELS, WIDTH, TileName, parse_name
from projections.boxes_search import open_counts

BYTES = "application/octet-stream"
PLAIN = "text/plain"
ZIP = "application/zip"
SIZE = {"type": "integer", "minimum": 1, "maximum": 999_999_999_999}
LEVEL = {"type": "integer", "minimum": 0, "maximum": MOST_LEVELS - 1}
TILE = {"type": "string", "pattern": r"^(x[0-9]{3}/)*[0-9]{3}(\.p/[1-9][0-9]{0,2})?$"}
FOR_EVER = {"Cache-Control": "private, max-age=31536000, immutable"}  # a tile never changes
PROVING = frozenset({"floor", "accounting", "auditor"})


async def get_checkpoint(call: Call) -> Response:
    latest = await call.in_thread(call.service.sealing.log.latest)
    if latest is None:
        raise Problem("not_found", "Nothing has been sealed yet.")
    return Response(latest.note, media_type=PLAIN, headers={"Cache-Control": "no-store"})


async def get_key(call: Call) -> Response:
    keys = (await call.in_thread(call.service.sealing.log.keys))[::-1]
    if not keys:
        raise Problem("not_found", "The log has no key yet.")
    earlier = [key.text() for key in keys[1:]]
    return answer({"log": keys[0].name, "key": keys[0].text(), "pem": keys[0].pem(), "earlier": earlier})


async def get_consistency(call: Call) -> Response:
    old_size, size = read_number(call, "from", SIZE), read_number(call, "to", SIZE)
    if old_size is None:
        raise Problem("bad_document", "`from` is the size that was seen before.")
    return answer(await call.in_thread(_consistency, call, old_size, size))


def _consistency(call: Call, old_size: int, size: int | None) -> dict[str, Any]:
    log = call.service.sealing.log
    latest = log.latest()
    sealed = 0 if latest is None else latest.size
    size = sealed if size is None else size
    if not old_size <= size <= sealed:
        raise Problem("bad_choice", f"The log has {sealed} events, and a log grows: `from` is not more than `to`.")
    try:
        check_signed(log, old_size, size)
    except NotSigned as refusal:
        raise Problem("bad_choice", str(refusal)) from None
    hashes = consistency(Nodes(log, size), old_size, size)
    return {"from": old_size, "to": size, "hashes": [b64encode(hash_).decode() for hash_ in hashes]}


async def get_tile(call: Call) -> Response:
    level, name = _level(call), _tile(call)
    tile = await call.in_thread(_hashes, call, level, name)
    return Response(tile, media_type=BYTES, headers=FOR_EVER)


def _hashes(call: Call, level: int, name: TileName) -> bytes:
    tile = call.service.sealing.log.tile(level, name.number, name.width)
    if len(tile) != name.width * 32:
        raise Problem("not_found", "The log has no such tile yet.")
    if level == 0:
        _check_counts(call, name)
    return tile


async def get_entries(call: Call) -> Response:
    name = _tile(call)
    return Response(await call.in_thread(_entries, call, name), media_type=BYTES, headers=FOR_EVER)


def _entries(call: Call, name: TileName) -> bytes:
    log = call.service.sealing.log
    first = name.number * WIDTH
    if first + name.width > log.size():
        raise Problem("not_found", "The log has no such entries yet.")
    _check_counts(call, name)
    record_look(call, "log entries", f"{first} to {first + name.width - 1}")
    entries = [entry_of(row) for row in log.rows_from(first, name.width)]
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def _check_counts(call: Call, name: TileName) -> None:
    """Sealed counts are closed by themselves. One that was stored open, before counts were sealed, is closed to
    everybody as long as no second one agrees with it."""
    call.service.projecting.bring_up_to_date("drops")
    first = name.number * WIDTH
    for position in open_counts(call.service.ledger.events.recorder.database):
        index = call.service.sealing.log.index_of(position)
        if index is not None and first <= index < first + name.width:
            raise Problem("conflict", "These have a blind count that no second count agrees with yet.")


def _level(call: Call) -> int:
    text: str = call.request.path_params["level"]
    if not text.isascii() or not text.isdecimal() or len(text) > 1 or int(text) >= MOST_LEVELS:
        raise Problem("not_found", f"There are levels 0 to {MOST_LEVELS - 1}.")
    return int(text)


def _tile(call: Call) -> TileName:
    name = parse_name(call.request.path_params["tile"])
    if name is None or name.number >= 1 << 48:
        raise Problem("not_found", "A tile is named like x001/x234/067, or 067.p/12 if it is not full.")
    return name


async def get_proofs(call: Call) -> Response:
    return answer(await call.in_thread(_proofs, call))


def _proofs(call: Call) -> dict[str, Any]:
    from projections.evidence.gathering import proofs_of

    round_id = call.id("round")
    evidence = call.service.sealing.evidence(round_id)
    record_look(call, "proofs", round_id)
    return {"round": round_id, "checkpoint": evidence.checkpoint.text(), "proofs": proofs_of(evidence)}


async def get_evidence(call: Call) -> Response:
    round_id = call.id("round")
    data = await call.in_thread(_evidence, call, round_id)
    return Response(data, media_type=ZIP, headers={"Content-Disposition": f'attachment; filename="{round_id}.zip"'})


def _evidence(call: Call, round_id: str) -> bytes:
    from projections.evidence.bundle import files_of
    from projections.evidence.zips import pack

    evidence = call.service.sealing.evidence(round_id)
    record_look(call, "evidence", round_id)
    return pack(files_of(evidence))


# ---- declared

_TILE = Param("tile", TILE, "Its number in groups of three digits, and its width if it is not full.", "path", True)

OPERATIONS = (
    Operation(
        "GET",
        "/v1/log/checkpoint",
        "getCheckpoint",
        "log",
        "The log's size and root, signed",
        get_checkpoint,
        {200: Answer(str, examples.CHECKPOINT, "A signed note (C2SP tlog-checkpoint).", media_type=PLAIN)},
        ANY_ROLE,
        problems=("not_found",),
        about=no_table,
    ),
    Operation(
        "GET",
        "/v1/log/key",
        "getLogKey",
        "log",
        "The keys that have signed checkpoints",
        get_key,
        {200: Answer(shapes.LogKeys, examples.LOG_KEYS, "The one that signs now, and those before it.")},
        ANY_ROLE,
        problems=("not_found",),
        about=no_table,
    ),
    Operation(
        "GET",
        "/v1/log/consistency",
        "proveConsistency",
        "log",
        "That the log has only grown",
        get_consistency,
        {200: Answer(shapes.Consistency, examples.CONSISTENCY, "The hashes that prove it.")},
        ANY_ROLE - {"counter"},  # a proof may have the hash of a fee's event, and fees are few
        "Between the sizes of two checkpoints, and no others: other proofs would give away hashes of single events.",
        params=(
            Param("from", SIZE, "The size of the checkpoint that was seen before.", required=True),
            Param("to", SIZE, "That of the checkpoint that it has grown to; the last one without it."),
        ),
        problems=("bad_choice",),
    ),
    Operation(
        "GET",
        "/v1/log/tile/entries/{tile}",
        "getLogEntries",
        "log",
        "Entries of the log, 256 at a time",
        get_entries,
        {
            200: Answer(
                bytes, "AAA…", "Each with its length in two bytes before it (C2SP tlog-tiles).", media_type=BYTES
            )
        },
        frozenset({"auditor"}),
        "The events as they are stored; a card that lies face down or a count that nobody else's agrees with is not in "
        "them. That they were read is recorded.",
        params=(_TILE,),
        problems=("conflict",),
    ),
    Operation(
        "GET",
        "/v1/log/tile/{level}/{tile}",
        "getLogTile",
        "log",
        "Hashes of the log, 256 at a time",
        get_tile,
        {200: Answer(bytes, "AAA…", "Hashes side by side, 32 bytes each (C2SP tlog-tiles).", media_type=BYTES)},
        frozenset({"auditor"}),
        "At level 0 those of the events, above that those of the tiles below.",
        problems=("conflict",),
        params=(Param("level", LEVEL, "From 0.", "path", True), _TILE),
    ),
    Operation(
        "GET",
        "/v1/rounds/{round}/proofs",
        "proveRound",
        "log",
        "Where the events of a round stand in the log",
        get_proofs,
        {200: Answer(shapes.RoundProofs, examples.ROUND_PROOFS, "A path to the signed root for each event.")},
        PROVING,
        problems=("conflict",),
    ),
    Operation(
        "GET",
        "/v1/rounds/{round}/evidence",
        "getEvidence",
        "log",
        "A round as evidence",
        get_evidence,
        {200: Answer(bytes, "UEsDBBQ…", "A zip that `roundledger verify` checks without us.", media_type=ZIP)},
        PROVING,
        "Its events as they are stored, rule set, terms, result, proofs, checkpoint and key, a page and a PDF. What "
        "was folded and never turned over stays closed. That it was taken is recorded.",
        problems=("conflict",),
    ),
)

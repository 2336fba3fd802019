"""The transparency log (C2SP tlog-tiles under /v1/log), proofs, and a round as evidence."""

from typing import Annotated, Any

from fastapi import Path, Query, Response, Security
from pydantic import Field

from api.http import dependencies
from api.http.answers import attached, encoded
from api.http.dependencies import plain_caller
from api.http.examples import EXAMPLES
from api.http.problems import answers, problems
from api.http.resource import resource
from api.http.schemas.log import ConsistencyOut, LogKeysOut, RoundLogOut, RoundProofsOut
from api.service import roles
from api.service.admission import RoundId, ServiceOf
from api.service.fields import Omittable
from infra.access.callers import Caller
from infra.log.tiles import MOST_LEVELS, TileName, parse_name
from projections.views import log_views
from projections.views.read_side import NotFound

router = resource("log")
BYTES = "application/octet-stream"
PLAIN = "text/plain"
ZIP = "application/zip"
FOR_EVER = {"Cache-Control": "private, max-age=31536000, immutable"}  # a tile never changes
Anybody = Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
Auditor = Annotated[Caller, Security(dependencies.caller, scopes=roles.AUDITING)]
Proving = Annotated[Caller, Security(dependencies.caller, scopes=roles.READING)]
Size = Annotated[int, Field(ge=1, le=999_999_999_999)]
Tile = Annotated[
    str,
    Path(
        pattern=r"^(x[0-9]{3}/)*[0-9]{3}(\.p/[1-9][0-9]{0,2})?$",
        description="Its number in groups of three digits, and its width if it is not full.",
        examples=["000.p/12"],
    ),
]


def _binary(media_type: str, description: str) -> dict[int | str, dict[str, Any]]:
    schema = {"type": "string"} if media_type == PLAIN else {"type": "string", "format": "binary"}
    return answers(200, description, content={media_type: {"schema": schema}})


@router.get(
    "/log/checkpoint",
    response_class=Response,
    responses=answers(
        200,
        "A signed note (C2SP tlog-checkpoint).",
        content={PLAIN: {"schema": {"type": "string"}, "examples": {"checkpoint": {"value": EXAMPLES["checkpoint"]}}}},
    ),
)
async def get_checkpoint(service: ServiceOf, caller: Anybody) -> Response:
    """The log's size and root, signed."""
    latest = await service.run(service.sealing.log.latest)
    if latest is None:
        raise NotFound("Nothing has been sealed yet.")
    return Response(latest.note, media_type=PLAIN, headers={"Cache-Control": "no-store"})


@router.get("/log/key", response_model=LogKeysOut)
async def get_log_key(service: ServiceOf, caller: Anybody) -> Any:
    """The keys that have signed checkpoints: the current one, and earlier ones."""
    keys = (await service.run(service.sealing.log.keys))[::-1]
    if not keys:
        raise NotFound("The log has no key yet.")
    earlier = [key.text() for key in keys[1:]]
    return {"log": keys[0].name, "key": keys[0].text(), "pem": keys[0].pem(), "earlier": earlier}


@router.get("/log/consistency", response_model=ConsistencyOut, responses=problems("bad_choice"))
async def prove_consistency(
    service: ServiceOf,
    # Not for counters: a proof may contain the hash of a fee's event, and fees are few.
    caller: Annotated[
        Caller,
        Security(dependencies.caller, scopes=["terminal", "floor", "cage", "accounting", "auditor", "admin"]),
    ],
    old_size: Annotated[Size, Query(alias="from", description="The size of the checkpoint that was seen before.")],
    size: Annotated[
        Omittable[Size], Query(alias="to", description="That of the one it has grown to; the last one without it.")
    ] = None,
) -> Any:
    """A proof that the log has only grown.

    Only between the sizes of two checkpoints: other proofs would reveal hashes of single events."""
    return await service.run(log_views.consistency_between, service.sealing.log, old_size, size)


@router.get(
    "/log/tile/entries/{tile:path}",
    response_class=Response,
    responses={
        **problems("conflict"),
        **_binary(BYTES, "Each with its length in two bytes before it (C2SP tlog-tiles)."),
    },
)
async def get_log_entries(service: ServiceOf, caller: Auditor, tile: Tile) -> Response:
    """Entries of the log, 256 at a time: the events as they are stored.

    They contain no face-down card, and no count without a second one that agrees. The read is recorded."""
    body = await service.run(log_views.entries_of, service.read_side, caller, _named(tile))
    return Response(body, media_type=BYTES, headers=FOR_EVER)


@router.get(
    "/log/tile/{level}/{tile:path}",
    response_class=Response,
    responses={**problems("conflict"), **_binary(BYTES, "Concatenated hashes, 32 bytes each (C2SP tlog-tiles).")},
)
async def get_log_tile(
    service: ServiceOf,
    caller: Auditor,
    level: Annotated[int, Path(ge=0, le=MOST_LEVELS - 1, description="From 0.", examples=[0])],
    tile: Tile,
) -> Response:
    """Hashes of the log, 256 at a time: at level 0 those of the events, above that those of the tiles below."""
    body = await service.run(log_views.tile_of, service.read_side, level, _named(tile))
    return Response(body, media_type=BYTES, headers=FOR_EVER)


def _named(tile: str) -> TileName:
    name = parse_name(tile)
    if name is None or name.number >= 1 << 48:
        raise NotFound("A tile is named like x001/x234/067, or 067.p/12 if it is not full.")
    return name


@router.get("/rounds/{round}/proofs", response_model=RoundProofsOut, responses=problems("conflict"))
async def prove_round(service: ServiceOf, caller: Proving, round: RoundId) -> Any:
    """Where the events of a round are in the log: a path to the signed root for each."""
    return await service.run(log_views.proofs_for, service.read_side, caller, round)


@router.get(
    "/rounds/{round}/evidence",
    response_class=Response,
    responses={**problems("conflict"), **_binary(ZIP, "A zip that `roundledger verify` checks without us.")},
)
async def get_evidence(service: ServiceOf, caller: Proving, round: RoundId) -> Response:
    """A round as evidence.

    Its events as they are stored, rule set, terms, result, proofs, checkpoint and key, a page and a PDF. Folded hands
    that were never turned over stay closed. The read is recorded."""
    body = await service.run(log_views.evidence_for, service.read_side, caller, round)
    return attached(body, ZIP, f"{round}.zip")


@router.get("/rounds/{round}/log", response_model=RoundLogOut)
async def get_round_log(
    service: ServiceOf, caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.SEEING)], round: RoundId
) -> Response:
    """The stored bytes of a round, and their paths to the signed root of the log.

    For checking elsewhere, as the replay page does in the browser. An event that is not sealed yet has no index. A
    face-down card is not in the bytes, only the commitment to it."""
    return encoded(await service.run(log_views.round_log_for, service.read_side, caller, round))

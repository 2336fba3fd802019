"""How the outcome of a command is answered, and what is kept of the answer for whoever asks again."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from starlette.responses import Response

from api.service.problems import MEDIA_TYPE as PROBLEM
from api.service.problems import of_refusal
from domain.results import result_of
from domain.rounds import expects
from infra.ledger import Contradicted, Stored

JSON = "application/json"
REPEATED = "Idempotent-Replayed"
_NO_BODY = msgspec.Raw(b"null")


class Told(Struct, frozen=True):
    """An answer, and for a round its version: that is all a receipt needs, since the events give the answer again."""

    status: int
    body: bytes
    round_id: str | None = None
    version: int | None = None
    address: str | None = None  # of what was made, where that is no round

    def response(self, repeated: bool = False) -> Response:
        headers = {} if self.version is None else {"ETag": f'"{self.version}"'}
        if self.status == 201 and self.round_id is not None:
            headers["Location"] = f"/v1/rounds/{self.round_id}"
        if self.address is not None:
            headers["Location"] = self.address
        if repeated:
            headers[REPEATED] = "true"
        return Response(self.body, self.status, headers, JSON if self.status < 400 else PROBLEM)

    def kept(self) -> bytes:
        body = _NO_BODY if self.round_id is not None else msgspec.Raw(self.body)
        return msgspec.json.encode(Kept(self.status, self.round_id, self.version, body, self.address))


class Kept(Struct, frozen=True, array_like=True):
    """What a receipt holds."""

    status: int
    round_id: str | None
    version: int | None
    body: msgspec.Raw  # null for a round's
    address: str | None = None


def round_answer(stored: Stored) -> dict[str, Any]:
    """The result of section 3 with what a terminal needs to go on. Face-down cards are in neither part of it: a result
    shows only what was turned over, and what may come next says how many cards, never which. It is made of the public
    round, so that what it does not show is not even there."""
    return {
        **result_of(stored.public),
        "id": stored.id,
        "table": stored.public.opened.table,
        "version": stored.version,
        "expects": expects(stored.public),
    }


def tell_contradiction(refusal: Contradicted, request_id: str) -> Told:
    """A refusal that has been stored, and so is answered alike when the request comes again."""
    problem = of_refusal(refusal, version=refusal.version).response(request_id)
    return Told(problem.status_code, bytes(problem.body), version=refusal.version)


def tell_round(stored: Stored, status: int = 200) -> Told:
    return Told(status, msgspec.json.encode(round_answer(stored)), stored.id, stored.version)

"""A log over HTTP, as a witness on another machine reads it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from infra.log.proofs import read_hashes
from infra.log.signed_notes import BadNote, Verifier, parse_verifier
from infra.log.witness import Refused

MOST_BYTES = 1 << 20
WAIT_SECONDS = 30.0
CONFLICT = 409


class Unreachable(Exception):
    """The service does not answer, or not with what was requested. `status` is its status, if it answered."""

    def __init__(self, detail: str, status: int | None = None) -> None:
        super().__init__(detail)
        self.status = status


class RemoteLog:
    def __init__(self, address: str, token: str | None = None) -> None:
        self._address = address.rstrip("/")
        self._token = token

    def checkpoint(self) -> str:
        return self._ask("/v1/log/checkpoint").decode("utf-8", "replace")

    def keys(self) -> list[Verifier]:
        """Return the keys that the log itself names, the current one first."""
        named = self._document("/v1/log/key")
        try:
            return [parse_verifier(key) for key in [named["key"], *named["earlier"]]]
        except (KeyError, TypeError, BadNote) as error:
            raise Unreachable(f"{self._address} names no key: {error}") from None

    def prove(self, old_size: int, size: int) -> Sequence[bytes]:
        """Return a consistency proof. Raises Refused if the log says that it never signed the known size."""
        try:
            answer = self._document("/v1/log/consistency?" + urlencode({"from": old_size, "to": size}))
        except Unreachable as error:
            if error.status == CONFLICT:
                raise Refused("unproved", str(error)) from None
            raise
        try:
            return read_hashes("\n".join(answer["hashes"]))
        except (KeyError, TypeError, BadNote) as error:
            raise Unreachable(f"{self._address} gives no proof: {error}") from None

    def _document(self, path: str) -> dict[str, Any]:
        try:
            document = json.loads(self._ask(path))
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise Unreachable(f"{self._address}{path} does not answer with a document")
        return document

    def _ask(self, path: str) -> bytes:
        headers = {} if self._token is None else {"Authorization": f"Bearer {self._token}"}
        try:
            with urlopen(Request(self._address + path, headers=headers), timeout=WAIT_SECONDS) as answer:
                body: bytes = answer.read(MOST_BYTES + 1)
        except HTTPError as error:
            with error:
                detail = f"{self._address}{path} answers {error.code}: {_detail(error.read(4096))}"
                raise Unreachable(detail, error.code) from None
        except (URLError, OSError, ValueError) as error:
            raise Unreachable(f"{self._address} does not answer: {getattr(error, 'reason', error)}") from None
        if len(body) > MOST_BYTES:
            raise Unreachable(f"{self._address}{path} answers with more than it should")
        return body


def _detail(body: bytes) -> str:
    try:
        return str(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        return "no reason given"

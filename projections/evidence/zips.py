"""Zip files that have one form only: nothing compressed, no times, no comments, names in order.

The same files always give the same bytes. So whoever reads one can put it together again and compare, and no byte of
it, also none of what holds the files together, can be changed unseen.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from struct import Struct
from typing import NamedTuple
from zlib import crc32

_LOCAL = Struct("<4sHHHHHIIIHH")
_CENTRAL = Struct("<4sHHHHHHIIIHHHHHII")
_END = Struct("<4sHHHHIIH")
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_NEEDS = 20  # version 2.0 of the format
_UNIX = 3 << 8 | _NEEDS
_DATE = 0x21  # 1 January 1980, where the format's time begins
_PLAIN_FILE = 0o100644 << 16
MOST_BYTES = 64 << 20


class Damaged(Exception):
    """`where`: the file in the zip, or the part of the zip itself."""

    def __init__(self, where: str, detail: str) -> None:
        super().__init__(f"{where}: {detail}")
        self.where = where
        self.detail = detail


class _Part(NamedTuple):
    where: str
    data: bytes


def pack(files: Mapping[str, bytes]) -> bytes:
    return b"".join(part.data for part in _parts(files))


def _parts(files: Mapping[str, bytes]) -> Iterator[_Part]:
    entries, offset = list[bytes](), 0
    for name, content in files.items():
        encoded, crc, size = name.encode("ascii"), crc32(content), len(content)
        local = _LOCAL.pack(_LOCAL_MARK, _NEEDS, 0, 0, 0, _DATE, crc, size, size, len(encoded), 0)
        yield _Part(name, local + encoded + content)
        entries.append(
            _CENTRAL.pack(
                _CENTRAL_MARK,
                _UNIX,
                _NEEDS,
                0,
                0,
                0,
                _DATE,
                crc,
                size,
                size,
                len(encoded),
                0,
                0,
                0,
                0,
                _PLAIN_FILE,
                offset,
            )
            + encoded
        )
        offset += len(local) + len(encoded) + size
    directory = b"".join(entries)
    yield _Part("the zip's directory", directory)
    end = _END.pack(_END_MARK, 0, 0, len(entries), len(entries), len(directory), offset, 0)
    yield _Part("the zip's directory", end)


def unpack(data: bytes) -> dict[str, bytes]:
    """The files of a zip that `pack` has made; Damaged if any byte is another."""
    if len(data) > MOST_BYTES:
        raise Damaged("the zip", f"it has more than {MOST_BYTES >> 20} MiB")
    if not data.startswith(_LOCAL_MARK):
        raise Damaged("the beginning of the zip", "this is no evidence bundle, or not from its first byte on")
    files, at, where = dict[str, bytes](), 0, "the beginning of the zip"
    while data[at : at + 4] == _LOCAL_MARK:
        try:
            _, _, _, _, _, _, _, size, _, name_length, _ = _LOCAL.unpack_from(data, at)
            start = at + _LOCAL.size + name_length
            name = data[at + _LOCAL.size : start].decode("ascii")
        except (struct.error, UnicodeDecodeError):
            raise Damaged(f"after {where}", "the next file cannot be found") from None
        if start + size > len(data) or name in files:
            raise Damaged(name, "its size or its name is not as it was")
        files[name] = data[start : start + size]
        at, where = start + size, name
    _compare(files, data)
    return files


def _compare(files: Mapping[str, bytes], data: bytes) -> None:
    at = 0
    for part in _parts(files):
        if data[at : at + len(part.data)] != part.data:
            raise Damaged(part.where, "it is not as it was put into the zip")
        at += len(part.data)
    if at != len(data):
        raise Damaged("the zip's end", "something was added after it")

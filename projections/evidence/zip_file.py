"""Zip files in one canonical form: no compression, no times, no comments, names in order.

The same files always give the same bytes. So a reader can pack them again and compare, and no byte, not even of the
zip's own structure, can be changed unnoticed. The standard library's zipfile does not promise that."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from struct import Struct
from typing import BinaryIO, NamedTuple
from zlib import crc32

_LOCAL = Struct("<4sHHHHHIIIHH")
_CENTRAL = Struct("<4sHHHHHHIIIHHHHHII")
_END = Struct("<4sHHHHIIH")
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_NEEDS = 20  # version 2.0 of the format
_UNIX = 3 << 8 | _NEEDS
_DATE = 0x21  # 1 January 1980, the format's epoch
_PLAIN_FILE = 0o100644 << 16
MOST_BYTES = 64 << 20
MOST_FILES = 10_000  # two for each event of a round; each costs more in memory than its bytes


class Damaged(Exception):
    """`where` is the file in the zip, or the part of the zip itself."""

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


def read_bounded(file: BinaryIO) -> bytes:
    """Read a file, or one byte more than `unpack` accepts: a longer one need not be in memory to be refused."""
    return file.read(MOST_BYTES + 1)


def is_zip(data: bytes) -> bool:
    """Return whether it begins or ends like a zip: a damaged one still does one of them."""
    return data.startswith(_LOCAL_MARK) or data[-_END.size :].startswith(_END_MARK)


def unpack(data: bytes) -> dict[str, bytes]:
    """Return the files of a zip that `pack` made. Raises Damaged if any byte differs."""
    if len(data) > MOST_BYTES:
        raise Damaged("the zip", f"it has more than {MOST_BYTES >> 20} MiB")
    if not data.startswith(_LOCAL_MARK):
        raise Damaged("the beginning of the zip", "this is not an evidence bundle, or it was changed at its start")
    files, at = dict[str, bytes](), 0
    while data[at : at + 4] == _LOCAL_MARK:
        if len(files) == MOST_FILES:
            raise Damaged("the zip", f"it has more than {MOST_FILES:,} files")
        try:
            _, _, _, _, _, _, _, size, _, name_length, _ = _LOCAL.unpack_from(data, at)
            start = at + _LOCAL.size + name_length
            name = data[at + _LOCAL.size : start].decode("ascii")
        except (struct.error, UnicodeDecodeError):
            raise Damaged(_whose(data, at) or "the zip", "its name is not as it was") from None
        if start + size > len(data) or name in files:
            raise Damaged(_whose(data, at) or name, "its size or its name is not as it was")
        files[name] = data[start : start + size]
        at = start + size
    _compare(files, data)
    return files


def _compare(files: Mapping[str, bytes], data: bytes) -> None:
    at = 0
    for part in _parts(files):
        found = data[at : at + len(part.data)]
        if found != part.data:
            differs = (index for index, (one, other) in enumerate(zip(found, part.data, strict=False)) if one != other)
            raise Damaged(
                _whose(data, at + next(differs, len(found))) or part.where, "it is not as it was put into the zip"
            )
        at += len(part.data)
    if at != len(data):
        raise Damaged("the zip's end", "something was added after it")


def _whose(data: bytes, at: int) -> str | None:
    """Return the file at this byte by the zip's directory: the name before the file may be what was changed."""
    try:
        _, _, _, _, count, _, directory, _ = _END.unpack_from(data, len(data) - _END.size)
        if at >= directory:
            return None
        entry, whose = directory, None
        for _ in range(count):
            fields = _CENTRAL.unpack_from(data, entry)
            name_length, offset = fields[10], fields[16]
            if offset > at:
                break
            whose = data[entry + _CENTRAL.size : entry + _CENTRAL.size + name_length].decode("ascii")
            entry += _CENTRAL.size + name_length
        return whose
    except (struct.error, UnicodeDecodeError):
        return None

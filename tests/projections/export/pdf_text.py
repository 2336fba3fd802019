"""Reads back the text of a PDF that reportlab wrote, by the maps of characters that its fonts carry."""

from __future__ import annotations

import re
import zlib
from base64 import a85decode
from collections.abc import Iterator
from typing import NamedTuple

OBJECT = re.compile(rb"(\d+) 0 obj\s*(.*?)endobj", re.DOTALL)
STREAM = re.compile(rb"<<((?:(?!endobj).)*?)>>\s*stream\r?\n(.*?)endstream", re.DOTALL)
FONT = re.compile(rb"/(F\d+\+\d+) (\d+) 0 R")
CHARACTER_MAP = re.compile(rb"/ToUnicode (\d+) 0 R")
MAPPED = re.compile(rb"^<([0-9A-F]{2})> <([0-9A-F]{4})>", re.MULTILINE)
SAID = rb"\(((?:[^()\\]|\\.)*)\) Tj"
DRAWN = re.compile(rb"/(F\d+\+\d+) ([\d.]+) Tf|1 0 0 1 ([\d.-]+) ([\d.-]+) Tm|" + SAID, re.DOTALL)
CharacterMaps = dict[bytes, dict[int, str]]


class Drawn(NamedTuple):
    """A piece of text, where it begins, and how large it is."""

    text: str
    x: float
    size: float


def pages(pdf: bytes) -> list[list[str]]:
    """Of each page, what is written on it in order."""
    return [[piece.text for piece in page] for page in _pages(pdf)]


def drawn(pdf: bytes) -> list[Drawn]:
    """All that is written on the pages, in order."""
    return [piece for page in _pages(pdf) for piece in page]


def page_count(pdf: bytes) -> int:
    """How many pages the paper itself says that it has: drawn once, and used on every page."""
    maps = _character_maps(pdf)
    (form,) = [content for about, content in _streams(pdf) if b"/Form" in about]
    return int("".join(piece.text for piece in _pieces(form, maps)))


def _pages(pdf: bytes) -> list[list[Drawn]]:
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    maps = _character_maps(pdf)
    found = [content for about, content in _streams(pdf) if b"/Form" not in about and b"BT" in content[:4000]]
    return [list(_pieces(page, maps)) for page in found if b" Tf" in page]


def _pieces(content: bytes, maps: CharacterMaps) -> Iterator[Drawn]:
    """A piece for each font that it took."""
    font, size, x = b"", 0.0, 0.0
    for block in content.split(b"BT ")[1:]:
        words = ""
        for new_font, new_size, new_x, _, said in DRAWN.findall(block):
            font, size, x = new_font or font, float(new_size or size), float(new_x or x)
            words += "".join(maps[font].get(code, "\ufffd") for code in _codes(said)) if said else ""
        if words:
            yield Drawn(words, x, size)


def _character_maps(pdf: bytes) -> CharacterMaps:
    """The characters behind the codes of each font."""
    objects = {int(number): content for number, content in OBJECT.findall(pdf)}
    found: CharacterMaps = {}
    for name, number in FONT.findall(pdf):
        (map_,) = CHARACTER_MAP.findall(objects[int(number)])
        ((_, content),) = _streams(objects[int(map_)] + b"endobj")
        found[name] = {int(code, 16): chr(int(character, 16)) for code, character in MAPPED.findall(content)}
    return found


def _streams(pdf: bytes) -> list[tuple[bytes, bytes]]:
    """Their dictionaries and contents; the fonts themselves are left out."""
    found = [(about, stream) for about, stream in STREAM.findall(pdf) if b"/Length1" not in about]
    return [(about, _unpacked(about, stream)) for about, stream in found]


def _unpacked(about: bytes, stream: bytes) -> bytes:
    packed = a85decode(stream.strip().removesuffix(b"~>")) if b"/ASCII85Decode" in about else stream
    return zlib.decompress(packed) if b"/FlateDecode" in about else packed


def _codes(said: bytes) -> bytes:
    return re.sub(rb"\\([0-7]{3}|.)", lambda match: bytes([int(match[1], 8)]) if match[1].isdigit() else match[1], said)

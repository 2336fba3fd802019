"""Reads back the text of a PDF that reportlab wrote."""

from __future__ import annotations

import re
import zlib
from base64 import a85decode
from typing import NamedTuple

STREAM = re.compile(rb"<<((?:(?!endobj).)*?)>>\s*stream\r?\n(.*?)endstream", re.DOTALL)
SAID = re.compile(rb"\(((?:[^()\\]|\\.)*)\) Tj")
DRAWN = re.compile(rb"/(F\d) ([\d.]+) Tf|1 0 0 1 ([\d.-]+) ([\d.-]+) Tm|" + SAID.pattern)


def pages(pdf: bytes) -> list[list[str]]:
    """Of each page, what is written on it in order."""
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    found = [content for about, content in _streams(pdf) if b"/Form" not in about]
    return [[_plain(said) for said in SAID.findall(page)] for page in found]


class Drawn(NamedTuple):
    """A piece of text, where it begins, and how large it is."""

    text: str
    x: float
    size: float


def drawn(pdf: bytes) -> list[Drawn]:
    """All that is written on the pages, in order."""
    found, size, x = list[Drawn](), 0.0, 0.0
    for about, content in _streams(pdf):
        if b"/Form" not in about:
            for _, new_size, new_x, _, said in DRAWN.findall(content):
                size, x = float(new_size or size), float(new_x or x)
                if said:
                    found.append(Drawn(_plain(said), x, size))
    return found


def page_count(pdf: bytes) -> int:
    """How many pages the paper itself says that it has: drawn once, and used on every page."""
    (said,) = [SAID.findall(content) for about, content in _streams(pdf) if b"/Form" in about]
    return int(said[0])


def _streams(pdf: bytes) -> list[tuple[bytes, bytes]]:
    return [
        (about, zlib.decompress(a85decode(stream.strip().removesuffix(b"~>")))) for about, stream in STREAM.findall(pdf)
    ]


def _plain(said: bytes) -> str:
    octal = re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8)]), said)
    return re.sub(rb"\\(.)", rb"\1", octal).decode("cp1252")

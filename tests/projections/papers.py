"""Reads back the text of a PDF that reportlab wrote."""

from __future__ import annotations

import re
import zlib
from base64 import a85decode

STREAM = re.compile(rb"<<((?:(?!endobj).)*?)>>\s*stream\r?\n(.*?)endstream", re.DOTALL)
SAID = re.compile(rb"\(((?:[^()\\]|\\.)*)\) Tj")


def pages(pdf: bytes) -> list[list[str]]:
    """Of each page, what is written on it in order."""
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    found = [content for about, content in _streams(pdf) if b"/Form" not in about]
    return [[_plain(said) for said in SAID.findall(page)] for page in found]


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

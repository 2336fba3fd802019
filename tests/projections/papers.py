"""Reads back the text of a PDF that reportlab wrote."""

from __future__ import annotations

import re
import zlib
from base64 import a85decode

STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
SAID = re.compile(rb"\(((?:[^()\\]|\\.)*)\) Tj")


def pages(pdf: bytes) -> list[list[str]]:
    """Of each page, what is written on it in order."""
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    found = [zlib.decompress(a85decode(stream.strip().removesuffix(b"~>"))) for stream in STREAM.findall(pdf)]
    return [[_plain(said) for said in SAID.findall(page)] for page in found]


def _plain(said: bytes) -> str:
    octal = re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8)]), said)
    return re.sub(rb"\\(.)", rb"\1", octal).decode("cp1252")

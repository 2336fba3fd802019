"""Fonts on paper: which font in `fonts/` has a character, how wide texts are, and drawing them.

Text is drawn as it was written. A character that no font has is shown by its number, such as [U+1F600]: nothing that
somebody wrote disappears from a paper."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

FONTS = Path(__file__).parent / "fonts"
REGULAR, BOLD = "NotoSans-Regular", "NotoSans-Bold"
SYMBOLS, HAN = "DejaVuSans-Symbols", "DroidSansFallback"
RED = (0.7, 0.0, 0.1)
RED_CARD = re.compile(r"((?:10|[2-9AJQK])?[♥♦])")
NO_BREAK = "\xa0"  # a space at which no line ends
UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs"})  # categories of characters without a shape of their own


@cache
def _font(name: str) -> TTFont:
    """Load a font when first needed: the largest takes a tenth of a second."""
    font = TTFont(name, FONTS / f"{name}.ttf")
    registerFont(font)
    return font


@cache
def _glyphs(name: str) -> dict[int, int]:
    glyphs: dict[int, int] = _font(name).face.charToGlyph
    return glyphs


@cache
def _fallback(character: str) -> str | None:
    """Return the font of a character that the text's own font lacks."""
    return next((name for name in (SYMBOLS, HAN) if ord(character) in _glyphs(name)), None)


class _Widths(dict[str, float]):
    """Width of each character in size 1, looked up once."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, character: str) -> float:
        name = self._name if ord(character) in _glyphs(self._name) else _fallback(character) or self._name
        wide: float = _font(name).face.getCharWidth(ord(character)) / 1000
        self[character] = wide
        return wide


_WIDTHS = {name: _Widths(name) for name in (REGULAR, BOLD)}


def width(words: str, font: str = REGULAR, size: float = 1.0) -> float:
    return sum(map(_WIDTHS[font].__getitem__, words)) * size


def shown(words: str) -> str:
    """Return text on one line, with combined accents, and characters that no font has by number."""
    line = " ".join(words.split())
    return line if line.isascii() and line.isprintable() else "".join(map(_visible, unicodedata.normalize("NFC", line)))


@cache
def _visible(character: str) -> str:
    seen = unicodedata.category(character) not in UNSEEN
    if seen and (ord(character) in _glyphs(REGULAR) or _fallback(character)):
        return character
    return f"[U+{ord(character):04X}]"


def is_han(character: str) -> bool:
    """Return whether its script is written without spaces, so that a line may end after any character."""
    return character >= "\u2e80" and _fallback(character) == HAN


def draw(canvas: Canvas, x: float, y: float, words: str, font: str, size: float) -> None:
    """Draw words that are already `shown`; hearts and diamonds are red."""
    words = words.replace(NO_BREAK, " ")
    _font(font)
    if words.isascii():
        canvas.setFont(font, size)
        canvas.drawString(x, y, words)
        return
    for at, part in enumerate(RED_CARD.split(words)):
        if at % 2:
            canvas.saveState()
            canvas.setFillColorRGB(*RED)
        for name, run in _runs(part, font):
            canvas.setFont(name, size)
            canvas.drawString(x, y, run)
            x += width(run, font, size)
        if at % 2:
            canvas.restoreState()


def _runs(words: str, font: str) -> Iterator[tuple[str, str]]:
    """Yield pieces that one font covers."""
    own = _glyphs(font)
    for name, run in groupby(words, lambda one: font if ord(one) in own else _fallback(one) or font):
        yield name, "".join(run)

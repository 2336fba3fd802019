"""Where the columns of a table are on paper, and how long texts are wrapped.

reportlab's own tables cannot put the columns of one row on several lines. With them, the 23 columns of the hands report
were cut in the middle of words at 5.5 points, took twice the pages and nine times the processor time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise, product
from typing import NamedTuple

from reportlab.lib.pagesizes import landscape, letter
from reportlab.pdfbase.pdfmetrics import stringWidth

WIDTH, HEIGHT = landscape(letter)
MARGIN = 36.0
INNER = WIDTH - 2 * MARGIN
GAP = 8.0  # between columns
REGULAR, BOLD = "Helvetica", "Helvetica-Bold"
LARGEST, READABLE, SMALLEST = 9.0, 7.0, 5.5
SENTENCE = 150.0  # the least width of a column with sentences
WIDEST_WORD = 190.0  # what is longer is cut
INDENT = 14.0  # of the further lines of one row


class Layout(NamedTuple):
    """`bands`: the columns that share each line of a row."""

    size: float
    bands: Sequence[Sequence[int]]
    places: Sequence[float]
    widths: Sequence[float]
    right: Sequence[bool]

    def lines(self, row: Sequence[str], font: str = REGULAR) -> list[list[tuple[int, str]]]:
        """The row as it is drawn, line by line: each cell that is not empty, with its column."""
        lines: list[list[tuple[int, str]]] = []
        for band in self.bands:
            parts = [(at, wrapped(row[at], self.widths[at], self.size, font)) for at in band]
            deep = max(len(part) for _, part in parts)
            lines += [
                [(at, part[line]) for at, part in parts if line < len(part) and part[line]] for line in range(deep)
            ]
        return lines


def layout_of(bold: Sequence[Sequence[str]], cells: Sequence[Sequence[str]], right: Sequence[bool]) -> Layout:
    """The largest size in which all columns fit on one line. Where that is too small to read, sentences are wrapped, or
    a row takes several lines, whichever is shorter."""
    columns = range(len(right))
    whole, least = zip(*(_needed([row[at] for row in bold], {row[at] for row in cells}) for at in columns), strict=True)
    size = (INNER - GAP * (len(columns) - 1)) / sum(whole)
    if size >= READABLE:
        size = min(LARGEST, size)
        return _layout(size, [columns], [wide * size for wide in whole], right)
    ways = []
    for lines, by in product((1, 2, 3), (whole, least)):
        bands = _split(by, lines)
        rooms = [_inner(band, at) for at, band in enumerate(bands)]
        if all(sum(least[at] for at in band) <= room for band, room in zip(bands, rooms, strict=True)):
            widths = _shared(bands, rooms, [wide * READABLE for wide in whole], least)
            ways.append(_layout(READABLE, bands, widths, right))
    if ways:
        return min(ways, key=lambda way: sum(len(way.lines(row)) for row in cells[:100]))
    wanted = [wide * SMALLEST for wide in whole]
    return _layout(SMALLEST, [columns], _shared([columns], [_inner(columns, 0)], wanted), right)


def _needed(bold: Sequence[str], values: Iterable[str]) -> tuple[float, float]:
    """The width of a column in a size of 1, and the least width where its sentences are wrapped."""
    longest = sorted(values, key=len)[-20:]
    words = sorted({word for value in longest for word in value.split(" ")}, key=len)[-20:]
    bold_words = [word for value in bold for word in value.split(" ")]
    whole = max((stringWidth(value, REGULAR, 1.0) for value in longest), default=0.0)
    word = max([*map(_wide, bold_words), *(stringWidth(word, REGULAR, 1.0) for word in words)]) * 1.01
    sentence = min(whole * READABLE, SENTENCE)
    return max(whole, *map(_wide, bold)) * 1.01, min(max(word * READABLE, sentence), WIDEST_WORD)


def _wide(name: str) -> float:
    return float(stringWidth(name, BOLD, 1.0))


def _inner(band: Sequence[int], number: int) -> float:
    left: float = INNER - GAP * (len(band) - 1)
    return left - INDENT if number else left


def _split(wide: Sequence[float], lines: int) -> list[range]:
    """Columns in their order over so many lines, as evenly as possible."""

    def widest(cuts: tuple[int, ...]) -> float:
        return max(sum(wide[start:end]) for start, end in pairwise((0, *cuts, len(wide))))

    best = min(combinations(range(1, len(wide)), lines - 1), key=widest, default=())
    return [range(start, end) for start, end in pairwise((0, *best, len(wide)))]


def _shared(
    bands: Sequence[Sequence[int]],
    rooms: Sequence[float],
    wanted: Sequence[float],
    least: Sequence[float] | None = None,
) -> list[float]:
    """The room of each line shared among its columns: what they want, or else no more than one width for all, and no
    less than they must have."""
    widths = list(wanted)
    for band, room in zip(bands, rooms, strict=True):
        floors = [least[at] if least else 0.0 for at in band]
        low, high = 0.0, room
        for _ in range(30):
            most = (low + high) / 2
            taken = [min(wanted[at], max(floor, most)) for at, floor in zip(band, floors, strict=True)]
            low, high = (most, high) if sum(taken) <= room else (low, most)
        for at, floor in zip(band, floors, strict=True):
            widths[at] = min(wanted[at], max(floor, low))
    return widths


def _layout(size: float, bands: Sequence[Sequence[int]], widths: Sequence[float], right: Sequence[bool]) -> Layout:
    places = [0.0] * len(widths)
    for number, band in enumerate(bands):
        x = MARGIN + (INDENT if number else 0.0)
        for at in band:
            places[at] = x
            x += widths[at] + GAP
    return Layout(size=size, bands=bands, places=places, widths=widths, right=right)


def wrapped(cell: str, wide: float, size: float, font: str = REGULAR) -> list[str]:
    """In lines that fit; a word that does not fit is cut."""
    wide += 0.01
    if stringWidth(cell, font, size) <= wide:
        return [cell]
    lines, line = [], ""
    for word in cell.split(" "):
        longer = f"{line} {word}" if line else word
        if stringWidth(longer, font, size) <= wide:
            line = longer
            continue
        if line:
            lines.append(line)
        line = ""
        for letter_ in word:
            if line and stringWidth(line + letter_, font, size) > wide:
                lines.append(line)
                line = ""
            line += letter_
    return [*lines, line]

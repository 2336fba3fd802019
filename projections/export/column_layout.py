"""The columns of a table on paper, and wrapping of long texts.

reportlab's own tables cannot put the columns of one row on several lines. With them, the 23 columns of the hands report
were cut in the middle of words at 5.5 points, took twice the pages and nine times the processor time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise, product, zip_longest
from typing import NamedTuple

from reportlab.lib.pagesizes import landscape, letter

from projections.export.typeface import BOLD, REGULAR, is_han, width

WIDTH, HEIGHT = landscape(letter)
MARGIN = 36.0
INNER = WIDTH - 2 * MARGIN
GAP, WIDEST_GAP = 8.0, 30.0  # between columns
LARGEST, READABLE, SMALLEST = 9.0, 7.0, 5.5
SENTENCE = 150.0  # least width of a column with sentences
WIDEST_WORD = 190.0  # longer ones are cut
INDENT = 14.0  # of the further lines of one row
NOT_FIRST = frozenset("，。、；：！？）】》」』”’")  # may exceed the end of a line, and do not begin the next


class Layout(NamedTuple):
    """`bands` are the columns that share each line of a row."""

    size: float
    bands: Sequence[Sequence[int]]
    places: Sequence[float]
    widths: Sequence[float]
    right: Sequence[bool]
    end: float  # of the widest line

    def lines(self, row: Sequence[str], font: str = REGULAR) -> list[list[tuple[int, str]]]:
        """Return the row line by line as drawn: each cell that is not empty, with its column."""
        lines: list[list[tuple[int, str]]] = []
        for band in self.bands:
            parts = [(at, wrapped(row[at], self.widths[at], self.size, font)) for at in band]
            deep = max(len(part) for _, part in parts)
            lines += [
                [(at, part[line]) for at, part in parts if line < len(part) and part[line]] for line in range(deep)
            ]
        return lines


def layout_of(bold: Sequence[Sequence[str]], cells: Sequence[Sequence[str]], right: Sequence[bool]) -> Layout:
    """Return the largest size in which all columns fit on one line. If that is too small to read, sentences are wrapped
    or a row takes several lines, whichever is shorter; the columns of several lines are below each other if there is
    room for that."""
    columns = range(len(right))
    whole, least = zip(*(_needed([row[at] for row in bold], {row[at] for row in cells}) for at in columns), strict=True)
    size = (INNER - GAP * (len(columns) - 1)) / sum(whole)
    if size >= READABLE:
        size = min(LARGEST, size)
        return _layout(size, [columns], [wide * size for wide in whole], right)
    ways = [grid for lines in (2, 3) if (grid := _grid(whole, lines, right)) is not None]
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
    """Return the width of a column in size 1, and the least width if its sentences are wrapped."""
    longest = sorted(values, key=_bytes)[-20:]
    words = sorted({word for value in longest for word in _words(value)}, key=_bytes)[-20:]
    bold_words = [word for value in bold for word in value.split(" ")]
    whole = max((width(value) for value in longest), default=0.0)
    word = max([*map(_wide, bold_words), *(width(word) for word in words)]) * 1.01
    sentence = min(whole * READABLE, SENTENCE)
    return max(whole, *map(_wide, bold)) * 1.01, min(max(word * READABLE, sentence), WIDEST_WORD)


def _bytes(value: str) -> int:
    """Return the approximate width: a Chinese character is as wide as two letters and takes three bytes."""
    return len(value) if value.isascii() else len(value.encode())


def _wide(name: str) -> float:
    return width(name, BOLD)


def _inner(band: Sequence[int], number: int) -> float:
    left: float = INNER - GAP * (len(band) - 1)
    return left - INDENT if number else left


def _split(wide: Sequence[float], lines: int) -> list[range]:
    """Distribute columns in order over a number of lines, as evenly as possible."""

    def widest(cuts: tuple[int, ...]) -> float:
        return max(sum(wide[start:end]) for start, end in pairwise((0, *cuts, len(wide))))

    best = min(combinations(range(1, len(wide)), lines - 1), key=widest, default=())
    return [range(start, end) for start, end in pairwise((0, *best, len(wide)))]


def _grid(wide: Sequence[float], lines: int, right: Sequence[bool]) -> Layout | None:
    """Return so many lines with their columns below each other, in the largest size that is readable, if there is one;
    of all ways to cut the row, the narrowest."""

    def slots(bands: Sequence[Sequence[int]]) -> list[float]:
        return [max(wide[at] for at in slot if at is not None) for slot in zip_longest(*bands)]

    every = combinations(range(1, len(wide)), lines - 1)
    cut = ([range(start, end) for start, end in pairwise((0, *cuts, len(wide)))] for cuts in every)
    bands = min(cut, key=lambda bands: sum(slots(bands)), default=[])
    if not bands:
        return None
    size = min(LARGEST, (INNER - GAP * (max(map(len, bands)) - 1)) / sum(slots(bands)))
    if size < READABLE:
        return None
    taken = [wide * size for wide in slots(bands)]
    gap = min((INNER - sum(taken)) / max(len(taken) - 1, 1), WIDEST_GAP)
    starts = [MARGIN + sum(taken[:at]) + gap * at for at in range(len(taken))]
    places, widths = [0.0] * len(wide), [0.0] * len(wide)
    for band in bands:
        for at, start, wide_ in zip(band, starts, taken, strict=False):
            places[at], widths[at] = start, wide_
    return Layout(size=size, bands=bands, places=places, widths=widths, right=right, end=starts[-1] + taken[-1])


def _shared(
    bands: Sequence[Sequence[int]],
    rooms: Sequence[float],
    wanted: Sequence[float],
    least: Sequence[float] | None = None,
) -> list[float]:
    """Share the room of each line among its columns: what they want, or at most one width for all, and at least what
    they need."""
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
    """Return the layout. Columns with room to spare are further apart, so that the table fills the page."""
    places, end = [0.0] * len(widths), 0.0
    left = INNER - sum(widths) if len(bands) == 1 else 0.0
    gap = min(max(GAP, left / max(len(widths) - 1, 1)), WIDEST_GAP)
    for number, band in enumerate(bands):
        x = MARGIN + (INDENT if number else 0.0)
        for at in band:
            places[at] = x
            x += widths[at] + gap
        end = max(end, x - gap)
    return Layout(size=size, bands=bands, places=places, widths=widths, right=right, end=end)


def wrapped(cell: str, wide: float, size: float, font: str = REGULAR) -> list[str]:
    """Wrap into lines that fit; a word that does not fit is cut, and Chinese may break anywhere."""
    wide += 0.01
    if width(cell, font, size) <= wide:
        return [cell]
    lines, line = [], ""
    for word in cell.split(" "):
        longer = f"{line} {word}" if line else word
        if width(longer, font, size) <= wide:
            line = longer
            continue
        if any(map(is_han, word)):
            line = f"{line} " if line else ""
        elif line:
            lines.append(line)
            line = ""
        for letter_ in word:
            if line and letter_ not in NOT_FIRST and width(line + letter_, font, size) > wide:
                lines.append(line)
                line = ""
            line += letter_
    return [*lines, line]


def _words(value: str) -> list[str]:
    """Split into pieces within which a line must not end."""
    return [part for word in value.split(" ") for part in (word if any(map(is_han, word)) else [word])]

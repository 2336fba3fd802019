"""Reports on paper: plain tables that go over pages, and the sheet of a day or a shift with lines to sign on.

Text is drawn as it stands and never read as markup. Letters that the standard fonts lack are shown as a question mark.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from reportlab.lib.pagesizes import landscape, letter
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from domain.findings import Finding
from projections.output import MONEY, TOGETHER, UNITS, About, Rows, stood, text
from projections.summary import SECTIONS, title

WIDTH, HEIGHT = landscape(letter)
MARGIN = 36.0
INNER = WIDTH - 2 * MARGIN
GAP = 8.0  # between columns
REGULAR, BOLD = "Helvetica", "Helvetica-Bold"
LARGEST, SMALLEST = 9.0, 5.5
TOTALS_IN_A_ROW = 4


class Sheet:
    """Writes from the top of a page to its bottom, and goes on to the next one."""

    def __init__(self, heading: str) -> None:
        self._file = io.BytesIO()
        self._canvas = Canvas(self._file, pagesize=(WIDTH, HEIGHT), invariant=1)
        self._canvas.setTitle(shown(heading))
        self._heading = heading
        self._page = 0
        self._y = 0.0
        self._section = ""
        self._begin_page()

    def finish(self) -> bytes:
        self._canvas.save()
        return self._file.getvalue()

    def _begin_page(self) -> None:
        if self._page:
            self._canvas.showPage()
        self._page += 1
        self._y = HEIGHT - MARGIN
        large = 14.0 if self._page == 1 else LARGEST
        self._say(MARGIN, self._y - large, self._heading, large, BOLD)
        self._say(WIDTH - MARGIN, MARGIN / 2, f"roundledger · page {self._page}", 7.0, right=True)
        self._y -= large + 12

    def _room(self, height: float) -> bool:
        """Whether so much still fits; if not, a page begins."""
        if self._y - height >= MARGIN:
            return True
        self._begin_page()
        return False

    def _say(
        self, x: float, y: float, words: str, size: float = LARGEST, font: str = REGULAR, *, right: bool = False
    ) -> None:
        self._canvas.setFont(font, size)
        (self._canvas.drawRightString if right else self._canvas.drawString)(x, y, shown(words))

    def heading(self, words: str) -> None:
        self._section = words
        self._room(60)
        self._y -= 24
        self._say(MARGIN, self._y, words, 11.0, BOLD)
        self._y -= 6

    def remark(self, words: str) -> None:
        self._room(14)
        self._y -= 11
        self._say(MARGIN, self._y, words)

    def text(self, words: str) -> None:
        """A paragraph, in as many lines as it takes."""
        for line in _wrapped(shown(words), INNER, LARGEST):
            self.remark(line)
        self._y -= 3

    def figures(self, figures: Mapping[str, Any]) -> None:
        """Names and figures, several in a row."""
        wide = INNER / TOTALS_IN_A_ROW
        pairs = iter(figures.items())
        while row := list(islice(pairs, TOTALS_IN_A_ROW)):
            self._room(16)
            self._y -= 14
            for at, (name, value) in enumerate(row):
                x = MARGIN + at * wide
                self._say(x, self._y, name.replace("_", " "))
                self._say(x + wide - 24, self._y, figure(value), LARGEST, BOLD, right=True)

    def table(self, columns: Sequence[str], rows: Rows, together: Mapping[str, Any] | None = None) -> None:
        """`together` is what columns add up to, in a line under the rows."""
        cells = [[shown(figure(row[column])) for column in columns] for row in rows]
        sums = [figure(together.get(column)) for column in columns] if together else []
        right = [_is_number([row[column] for row in islice(rows, 50)]) for column in columns]
        names = [column.replace("_", " ") for column in columns]
        if sums and not sums[0]:
            sums[0] = TOGETHER
        size, widths = _fitted(names, [*cells, sums] if sums else cells)
        high = size * 1.3
        self._room(4 * high)
        self._row(names, widths, right, size, BOLD)
        self._rule()
        for row in cells:
            parts = [_wrapped(cell, wide, size) for cell, wide in zip(row, widths, strict=True)]
            lines = max(map(len, parts))
            if not self._room(lines * high):
                if self._section:
                    self.remark(f"{self._section}, continued")
                    self._y -= 4
                self._row(names, widths, right, size, BOLD)
                self._rule()
            for line in range(lines):
                self._row([part[line] if line < len(part) else "" for part in parts], widths, right, size)
        if sums:
            self._room(2 * high)
            self._rule()
            self._row(sums, widths, right, size, BOLD)
        self._y -= 4

    def _rule(self) -> None:
        self._canvas.setLineWidth(0.5)
        self._canvas.line(MARGIN, self._y - 2, WIDTH - MARGIN, self._y - 2)
        self._y -= 2

    def _row(
        self, cells: Sequence[str], widths: Sequence[float], right: Sequence[bool], size: float, font: str = REGULAR
    ) -> None:
        """Of cells that are `shown` already: there may be a million of them."""
        self._y -= size * 1.3
        x = MARGIN
        canvas = self._canvas
        canvas.setFont(font, size)
        for cell, wide, to_the_right in zip(cells, widths, right, strict=True):
            if cell and to_the_right:
                canvas.drawRightString(x + wide, self._y, cell)
            elif cell:
                canvas.drawString(x, self._y, cell)
            x += wide + GAP

    def signatures(self, who: Sequence[str]) -> None:
        self._room(70)
        self._y -= 50
        wide = INNER / len(who)
        for at, name in enumerate(who):
            x = MARGIN + at * wide
            self._canvas.setLineWidth(0.7)
            self._canvas.line(x, self._y, x + wide - 20, self._y)
            self._say(x, self._y - 11, f"{name}: name, signature, date and time", 7.0)
        self._y -= 16


def figure(value: Any) -> str:
    """As it stands, but the thousands of money set apart."""
    said = text(value)
    return f"{Decimal(said):,}" if len(said) > 6 and MONEY.fullmatch(said) else said


def shown(words: str) -> str:
    """In the letters that the standard fonts have, on one line."""
    return " ".join(words.split()).encode("cp1252", "replace").decode("cp1252")


def _is_number(values: Sequence[Any]) -> bool:
    said = [value for value in values if value is not None]
    return bool(said) and all(
        (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, str) and MONEY.fullmatch(value))
        for value in said
    )


def _fitted(names: Sequence[str], cells: Sequence[Sequence[str]]) -> tuple[float, list[float]]:
    """The largest size in which all columns fit; where none does, the widest ones are narrowed and their text goes on
    in further lines."""
    at_one = []
    for at, name in enumerate(names):
        longest = sorted({row[at] for row in cells}, key=len)[-20:]
        widest = max((stringWidth(cell, REGULAR, 1.0) for cell in longest), default=0.0)
        at_one.append(max(widest, stringWidth(name, BOLD, 1.0)) * 1.01)
    room = INNER - GAP * (len(names) - 1)
    size = min(LARGEST, max(SMALLEST, room / sum(at_one)))
    widths = [wide * size for wide in at_one]
    if sum(widths) > room:
        most = _cap(widths, room)
        widths = [min(wide, most) for wide in widths]
    return size, widths


def _cap(widths: Sequence[float], room: float) -> float:
    """The width that no column may go over, so that together they take just the room there is."""
    left = room
    for done, wide in enumerate(sorted(widths)):
        share = left / (len(widths) - done)
        if wide > share:
            return share
        left -= wide
    return room


def _wrapped(cell: str, wide: float, size: float) -> list[str]:
    """In lines that fit; a word that does not is cut."""
    if stringWidth(cell, REGULAR, size) <= wide:
        return [cell]
    lines, line = [], ""
    for word in cell.split(" "):
        longer = f"{line} {word}" if line else word
        if stringWidth(longer, REGULAR, size) <= wide:
            line = longer
            continue
        if line:
            lines.append(line)
        line = ""
        for letter_ in word:
            if line and stringWidth(line + letter_, REGULAR, size) > wide:
                lines.append(line)
                line = ""
            line += letter_
    return [*lines, line]


def table_sheet(said: About, columns: Sequence[str], found: Rows, together: Mapping[str, Any] | None = None) -> bytes:
    sheet = Sheet(said.title)
    sheet.text(f"{said.standing} {UNITS}")
    if found:
        sheet.table(columns, found, together)
    else:
        sheet.remark("There is nothing to report.")
    return sheet.finish()


def findings_sheet(told: Sequence[str], found: Sequence[Finding], count: int) -> bytes:
    """An audit to file: what was looked at, each finding with its sentence, and lines to sign on."""
    sheet = Sheet("Audit")
    for line in told:
        sheet.remark(line)
    if found:
        sheet.heading("Findings")
        columns = ("kind", "round", "table", "seat", "spot", "clause", "position", "what")
        rows = [{**finding.document(), "round": finding.round or finding.stream} for finding in found]
        sheet.table(columns, rows)
    if count > len(found):
        sheet.remark(
            f"{count - len(found):,} more are left out here: `roundledger audit --format jsonl` has all of them."
        )
    sheet.signatures(["Auditor", "Witness"])
    return sheet.finish()


def summary_sheet(found: Mapping[str, Any], now: datetime) -> bytes:
    sheet = Sheet(title(found))
    sheet.remark(f"{stood(now)} {UNITS}" if found["as_of"] is None else UNITS)
    sheet.figures(found["totals"])
    for key, (heading, report, columns) in SECTIONS.items():
        sheet.heading(heading)
        if found[key]:
            sheet.table(columns, found[key], report.together(found[key]))
        else:
            sheet.remark("None.")
    sheet.signatures(found["signatures"])
    return sheet.finish()

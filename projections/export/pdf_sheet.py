"""A sheet of paper as a PDF file: headings, texts, tables that span pages, cards, and lines to sign on.

Text is drawn literally and never read as markup, in fonts that ship with the program (typeface.py)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from hashlib import md5
from itertools import islice
from typing import Any, NamedTuple

from reportlab.pdfbase.pdfdoc import PDFDictionary, PDFInfo, PDFString
from reportlab.pdfgen.canvas import Canvas

from domain.cards import face
from domain.moments import format_moment as moment
from infra.ledger.property import UNNAMED, Property
from projections.export.column_layout import GAP, HEIGHT, INNER, LARGEST, MARGIN, WIDTH, Layout, layout_of, wrapped
from projections.export.formats import MONEY, TOTAL, Rows, text
from projections.export.headings import SIGNED, heading_of
from projections.export.typeface import BOLD, NO_BREAK, REGULAR, draw, shown, width

FIGURES_IN_A_ROW = 4
HEADING = 30.0
SHADE = 0.955  # behind every second row
PAGES = "pages"  # the number of pages is drawn once it is known
SMALL = 7.0
CARD_WIDE, CARD_HIGH = 23.0, 15.0
NUMBER = re.compile(r"-?\d+(\.\d+)?")
MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)")


class Hand(NamedTuple):
    """The cards of a hand, whose they are and what they made; a face-down card is None."""

    of: str
    cards: Sequence[str | None]
    made: str = ""


class _FileInfo(PDFInfo):  # type: ignore[misc]
    """The properties of the file. Without `made_at` it has no date, so that the same paper is always the same file."""

    creator = "roundledger"

    def __init__(self, title: str, made_at: datetime | None) -> None:
        super().__init__()
        self.title, self.made_at = title, made_at

    def format(self, document: Any) -> Any:
        info = {"Title": self.title, "Creator": self.creator, "Producer": self.producer}
        if self.made_at is not None:
            offset = f"{self.made_at:%z}"[:5] or "+0000"
            info["CreationDate"] = f"D:{self.made_at:%Y%m%d%H%M%S}{offset[:3]}'{offset[3:]}'"
        return PDFDictionary({name: PDFString(value) for name, value in info.items()}).format(document)


def blank_paper(file: io.BytesIO, title: str, made_at: datetime | None) -> Canvas:
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT), invariant=1, lang="en")
    canvas._doc.info = _FileInfo(shown(title), made_at)
    canvas._doc.signature = md5(usedforsecurity=False)  # without the time that the environment may set
    return canvas


def printed(made_at: datetime, by: str) -> str:
    return f"Printed at {moment(made_at)}{by and f' by {by}'}."


class Sheet:
    """Writes from the top of a page to its bottom, and then on the next one. `foot`, who printed it and when, and the
    property's name are printed on every page, its address on the first."""

    def __init__(
        self,
        heading: str,
        foot: str = "",
        made_at: datetime | None = None,
        letterhead: Property = UNNAMED,
        printed_by: str = "",
    ) -> None:
        self._file = io.BytesIO()
        self._canvas = blank_paper(self._file, heading, made_at)
        self._heading, self._foot, self._letterhead = heading, foot, letterhead
        self._printed = "" if made_at is None else printed(made_at, printed_by)
        self._page = 0
        self._y = 0.0
        self._section = self._waiting = ""
        self._begin_page()

    def finish(self) -> bytes:
        self._room(0)
        self._canvas.showPage()
        self._canvas.beginForm(PAGES)
        self._draw(0, 0, str(self._page), SMALL)
        self._canvas.endForm()
        self._canvas.save()
        return self._file.getvalue()

    def _begin_page(self) -> None:
        if self._page:
            self._canvas.showPage()
        self._page += 1
        self._y = HEIGHT - MARGIN
        self._draw_letterhead()
        large = 14.0 if self._page == 1 else LARGEST
        for line in wrapped(shown(self._heading), INNER, large, BOLD):
            self._y -= large
            self._draw(MARGIN, self._y, line, large, BOLD)
            self._y -= 3
        self._draw_foot()
        self._y -= 9

    def _draw_foot(self) -> None:
        """Draw what the paper shows, who printed it and when, and the page number."""
        number = f"roundledger · page {self._page} of "
        left = WIDTH - MARGIN - width(f"{number}999", REGULAR, SMALL)
        for line in islice(wrapped(shown(self._foot), INNER, SMALL), 1):
            self._draw(MARGIN, MARGIN / 2 + 9, line, SMALL)
        for line in islice(wrapped(_held(shown(self._printed)), left - MARGIN - GAP, SMALL), 1):
            self._draw(MARGIN, MARGIN / 2, line, SMALL)
        self._draw(left, MARGIN / 2, number, SMALL)
        self._canvas.saveState()
        self._canvas.translate(left + width(shown(number), REGULAR, SMALL) + 2, MARGIN / 2)
        self._canvas.doForm(PAGES)
        self._canvas.restoreState()

    def _draw_letterhead(self) -> None:
        """Draw the property's name and address."""
        if not self._letterhead.name:
            return
        self._y -= LARGEST
        self._draw(MARGIN, self._y, self._letterhead.name, LARGEST, BOLD)
        if self._page == 1:
            for line in wrapped(shown(self._letterhead.address), INNER, LARGEST):
                self._y -= 11
                self._draw(MARGIN, self._y, line)
        self._y -= 6

    def _room(self, height: float) -> bool:
        """Start a page unless so much still fits. A heading is printed with what follows it."""
        waiting, self._waiting = self._waiting, ""
        fits = self._y - height - (HEADING if waiting else 0) >= MARGIN
        if not fits:
            self._begin_page()
        if waiting:
            self._y -= 24
            self._draw(MARGIN, self._y, waiting, 11.0, BOLD)
            self._y -= 6
        return fits

    def _draw(
        self, x: float, y: float, words: str, size: float = LARGEST, font: str = REGULAR, *, right: bool = False
    ) -> None:
        words = shown(words)
        draw(self._canvas, x - width(words, font, size) if right else x, y, words, font, size)

    def heading(self, words: str) -> None:
        if self._waiting:
            self._room(0)
        self._section = self._waiting = words

    def keep(self, height: float) -> None:
        """Keep what follows on one page: start a page if so much does not fit."""
        if self._y - height - (HEADING if self._waiting else 0) < MARGIN:
            self._begin_page()

    def remark(self, words: str) -> None:
        """Write a remark in as many lines as it takes."""
        for line in wrapped(_held(shown(words)), INNER, LARGEST):
            self._room(14)
            self._y -= 11
            self._draw(MARGIN, self._y, line)

    def text(self, words: str) -> None:
        """Write a paragraph."""
        self.remark(words)
        self._y -= 3

    def figures(self, figures: Mapping[str, Any]) -> None:
        """Write names and figures, several in a row."""
        wide = INNER / FIGURES_IN_A_ROW
        pairs = iter(figures.items())
        while row := list(islice(pairs, FIGURES_IN_A_ROW)):
            self._room(16)
            self._y -= 14
            for at, (name, value) in enumerate(row):
                x = MARGIN + at * wide
                said, words = heading_of(name), figure(value, signed=name in SIGNED)
                left = wide - 30 - width(shown(said), REGULAR, LARGEST)
                size = min(LARGEST, LARGEST * left / max(width(shown(words), BOLD, LARGEST), 1.0))
                self._draw(x, self._y, said)
                self._draw(x + wide - 24, self._y, words, size, BOLD, right=True)

    # ---- tables

    def table(self, columns: Sequence[str], rows: Rows, total: Mapping[str, Any] | None = None, none: str = "") -> None:
        """Draw a table. `total` is a line of totals under the rows; `none` is printed if there are no rows. If there
        are too many columns for one line in a readable size, each row and the headings take several lines."""
        if none and not rows:
            self.remark(none)
            return
        signed = [column in SIGNED for column in columns]
        cells = [
            [_held(shown(figure(row[name], sign))) for name, sign in zip(columns, signed, strict=True)] for row in rows
        ]
        names = [shown(heading_of(column)) for column in columns]
        sums = [_sum(total.get(name), sign) for name, sign in zip(columns, signed, strict=True)] if total else []
        if sums and not sums[0]:
            sums[0] = TOTAL.capitalize()
        right = [_is_number([row[column] for row in islice(rows, 50)]) for column in columns]
        layout = layout_of([names, sums] if sums else [names], cells, right)
        high = layout.size * 1.3
        self._room((2 * len(layout.bands) + 2) * high)
        self._names(names, layout)
        for at, row in enumerate(cells):
            last = (
                len(layout.bands) * high + 4 if sums and at == len(cells) - 1 else 0.0
            )  # a total is not alone on a page
            self._record(row, names, layout, last, shaded=at % 2 == 1)
        if sums:
            self._rule(layout.end)
            for line in layout.lines(sums, BOLD):
                self._row(line, layout, BOLD)
        self._y -= 4

    def _names(self, names: Sequence[str], layout: Layout) -> None:
        for line in layout.lines(names, BOLD):
            self._row(line, layout, BOLD)
        self._rule(layout.end)

    def _record(self, row: Sequence[str], names: Sequence[str], layout: Layout, more: float, *, shaded: bool) -> None:
        lines, high = layout.lines(row), layout.size * 1.3
        whole = len(lines) * high
        if whole + more < HEIGHT - 4 * MARGIN and not self._room(whole + more):
            self._go_on(names, layout)
        if shaded and self._y - whole >= MARGIN - high:
            self._canvas.setFillGray(SHADE)
            self._canvas.rect(
                MARGIN - 3, self._y - whole - high * 0.25, layout.end - MARGIN + 6, whole, stroke=0, fill=1
            )
            self._canvas.setFillGray(0)
        for line in lines:
            if not self._room(high):
                self._go_on(names, layout)
            self._row(line, layout)

    def _go_on(self, names: Sequence[str], layout: Layout) -> None:
        if self._section:
            self.remark(f"{self._section}, continued")
            self._y -= 4
        self._names(names, layout)

    def _rule(self, end: float) -> None:
        self._canvas.setLineWidth(0.5)
        self._canvas.line(MARGIN, self._y - 3, end, self._y - 3)  # below the letters that reach deepest
        self._y -= 3

    def _row(self, line: Sequence[tuple[int, str]], layout: Layout, font: str = REGULAR) -> None:
        """Draw a row of cells that are already `shown`: there may be a million of them."""
        self._y -= layout.size * 1.3
        for at, cell in line:
            right = layout.widths[at] - width(cell, font, layout.size) if layout.right[at] else 0.0
            draw(self._canvas, layout.places[at] + right, self._y, cell, font, layout.size)

    # ---- cards and signatures

    def hands(self, hands: Iterable[Hand], none: str = "") -> None:
        """Draw hands in a row, with what each made; `none` is printed if there are no hands."""
        x = WIDTH
        hands = list(hands)
        if none and not hands:
            self.remark(none)
        for hand in hands:
            cards = len(hand.cards) * (CARD_WIDE + 2)
            texts = (width(shown(hand.of), BOLD, 8.0), width(shown(hand.made), REGULAR, SMALL))
            wide = max(cards, *texts) + 16
            if x + wide > WIDTH - MARGIN + 16:
                self._room(CARD_HIGH + 32)
                self._y -= CARD_HIGH + 30
                x = MARGIN
            self._draw(x, self._y + CARD_HIGH + 14, hand.of, 8.0, BOLD)
            for at, card in enumerate(hand.cards):
                self._card(x + at * (CARD_WIDE + 2), self._y + 9, card)
            self._draw(x, self._y, hand.made, SMALL)
            x += wide
        self._y -= 4

    def _card(self, x: float, y: float, card: str | None) -> None:
        canvas = self._canvas
        canvas.setLineWidth(0.5)
        if card is None:
            canvas.setFillGray(0.6)
            canvas.roundRect(x, y, CARD_WIDE, CARD_HIGH, 2, stroke=1, fill=1)
            canvas.setFillGray(0)
            return
        canvas.roundRect(x, y, CARD_WIDE, CARD_HIGH, 2)
        said = face(card)
        self._draw(x + (CARD_WIDE - width(said, BOLD, LARGEST)) / 2, y + 4, said, LARGEST, BOLD)

    def signatures(self, who: Sequence[str], signed: str) -> None:
        """Draw lines to sign on, with what is signed above them, on the same page."""
        lines = wrapped(_held(shown(signed)), INNER, LARGEST)
        self.heading("Signatures")
        self._room(11.0 * len(lines) + 66)
        for line in lines:
            self._y -= 11
            self._draw(MARGIN, self._y, line)
        self._y -= 50
        wide = INNER / len(who)
        for at, name in enumerate(who):
            x = MARGIN + at * wide
            self._canvas.setLineWidth(0.7)
            self._canvas.line(x, self._y, x + wide - 20, self._y)
            self._draw(x, self._y - 11, f"{name}: name, signature, date and time", SMALL)
        self._y -= 16


def figure(value: Any, signed: bool = False) -> str:
    """Return a value as text, with commas in the thousands of money; a difference has its sign."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    said = text(value)
    if not MONEY.fullmatch(said):
        return said
    return f"{Decimal(said):+,}" if signed and Decimal(said) else f"{Decimal(said):,}"


def _sum(value: Any, signed: bool) -> str:
    return f"{value:,}" if isinstance(value, int) else figure(value, signed)


def _held(words: str) -> str:
    """Return a moment to the second, without a line break."""
    return MOMENT.sub(rf"\1{NO_BREAK}\2\3", words) if ":" in words else words


def _is_number(values: Sequence[Any]) -> bool:
    said = [value for value in values if value is not None]
    return bool(said) and all(
        (isinstance(value, int) and not isinstance(value, bool))
        or (isinstance(value, str) and NUMBER.fullmatch(value) is not None)
        for value in said
    )

"""Reports on paper: plain tables that go over pages, and the sheet of a day or a shift with lines to sign on.

Text is drawn as it stands and never read as markup. Letters that the standard fonts lack are shown as a question mark.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from hashlib import md5
from itertools import combinations, islice, pairwise, product
from typing import Any, NamedTuple

from reportlab.lib.pagesizes import landscape, letter
from reportlab.pdfbase.pdfdoc import PDFDictionary, PDFInfo, PDFString
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from domain.findings import Finding
from domain.moments import told as moment
from projections.clock import PropertyClock
from projections.output import MONEY, TOGETHER, UNITS, About, Rows, stood, text
from projections.summary import SECTIONS, title

WIDTH, HEIGHT = landscape(letter)
MARGIN = 36.0
INNER = WIDTH - 2 * MARGIN
GAP = 8.0  # between columns
REGULAR, BOLD, SIGNS = "Helvetica", "Helvetica-Bold", "ZapfDingbats"
LARGEST, READABLE, SMALLEST = 9.0, 7.0, 5.5
TOTALS_IN_A_ROW = 4
SENTENCE = 150.0  # wide at least, where a column has sentences
WIDEST_WORD = 190.0  # what is longer is cut
INDENT = 14.0  # of the further lines of one row
HEADING = 30.0
SHADE = 0.955  # behind every second row
PAGES = "pages"  # how many there are is drawn once, when that is known
SUITS = {"c": "\u2663", "d": "\u2666", "h": "\u2665", "s": "\u2660"}  # which only the font of signs has
RED = (0.7, 0.0, 0.1)
CARD_WIDE, CARD_HIGH = 19.0, 15.0
SIGNED = (
    "rounds",
    "net_fees",
    "expected",
    "counted",
    "variance",
    "house_win",
)  # of a day's totals, with its signatures
NUMBER = re.compile(r"-?\d+(\.\d+)?")
MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)")
HELD = "\xa0"  # a space at which no line ends


class Hand(NamedTuple):
    """Cards that lay together, whose they are and what they made; a card face down is None."""

    of: str
    cards: Sequence[str | None]
    made: str = ""


class _About(PDFInfo):  # type: ignore[misc]
    """What a reader is told of the file. Without a moment there is none in it, so that the same paper is the same file
    whenever it is made."""

    creator = "roundledger"

    def __init__(self, title: str, made_at: datetime | None) -> None:
        super().__init__()
        self.title, self.made_at = title, made_at

    def format(self, document: Any) -> Any:
        told = {"Title": self.title, "Creator": self.creator, "Producer": self.producer}
        if self.made_at is not None:
            offset = f"{self.made_at:%z}"[:5] or "+0000"
            told["CreationDate"] = f"D:{self.made_at:%Y%m%d%H%M%S}{offset[:3]}'{offset[3:]}'"
        return PDFDictionary({name: PDFString(value) for name, value in told.items()}).format(document)


class Sheet:
    """Writes from the top of a page to its bottom, and goes on to the next one. `foot` stands on every page."""

    def __init__(self, heading: str, foot: str = "", made_at: datetime | None = None) -> None:
        self._file = io.BytesIO()
        self._canvas = Canvas(self._file, pagesize=(WIDTH, HEIGHT), invariant=1, lang="en")
        self._canvas._doc.info = _About(shown(heading), made_at)
        self._canvas._doc.signature = md5(usedforsecurity=False)  # without the time that the environment may set
        self._heading, self._foot = heading, foot
        self._page = 0
        self._y = 0.0
        self._section = self._waiting = ""
        self._begin_page()

    def finish(self) -> bytes:
        self._room(0)
        self._canvas.showPage()
        self._canvas.beginForm(PAGES)
        self._say(0, 0, str(self._page), 7.0)
        self._canvas.endForm()
        self._canvas.save()
        return self._file.getvalue()

    def _begin_page(self) -> None:
        if self._page:
            self._canvas.showPage()
        self._page += 1
        self._y = HEIGHT - MARGIN
        large = 14.0 if self._page == 1 else LARGEST
        for line in _wrapped(shown(self._heading), INNER, large, BOLD):
            self._y -= large
            self._say(MARGIN, self._y, line, large, BOLD)
            self._y -= 3
        number = f"roundledger · page {self._page} of "
        left = WIDTH - MARGIN - stringWidth(f"{number}999", REGULAR, 7.0)
        for line in islice(_wrapped(shown(self._foot), left - MARGIN - GAP, 7.0), 1):
            self._say(MARGIN, MARGIN / 2, line, 7.0)
        self._say(left, MARGIN / 2, number, 7.0)
        self._canvas.saveState()
        self._canvas.translate(left + stringWidth(shown(number), REGULAR, 7.0) + 2, MARGIN / 2)
        self._canvas.doForm(PAGES)
        self._canvas.restoreState()
        self._y -= 9

    def _room(self, height: float) -> bool:
        """Whether so much still fits; if not, a page begins. A heading goes where what follows it goes."""
        waiting, self._waiting = self._waiting, ""
        fits = self._y - height - (HEADING if waiting else 0) >= MARGIN
        if not fits:
            self._begin_page()
        if waiting:
            self._y -= 24
            self._say(MARGIN, self._y, waiting, 11.0, BOLD)
            self._y -= 6
        return fits

    def _say(
        self, x: float, y: float, words: str, size: float = LARGEST, font: str = REGULAR, *, right: bool = False
    ) -> None:
        self._canvas.setFont(font, size)
        (self._canvas.drawRightString if right else self._canvas.drawString)(x, y, _drawn(shown(words)))

    def heading(self, words: str) -> None:
        if self._waiting:
            self._room(0)
        self._section = self._waiting = words

    def keep(self, height: float) -> None:
        """What follows stays together: where so much does not fit any more, a page begins."""
        if self._y - height - (HEADING if self._waiting else 0) < MARGIN:
            self._begin_page()

    def remark(self, words: str) -> None:
        """In as many lines as it takes."""
        for line in _wrapped(_held(shown(words)), INNER, LARGEST):
            self._room(14)
            self._y -= 11
            self._say(MARGIN, self._y, line)

    def text(self, words: str) -> None:
        """A paragraph of its own."""
        self.remark(words)
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
                said, words = name.replace("_", " "), figure(value)
                left = wide - 30 - stringWidth(said, REGULAR, LARGEST)
                size = min(LARGEST, LARGEST * left / max(stringWidth(shown(words), BOLD, LARGEST), 1.0))
                self._say(x, self._y, said)
                self._say(x + wide - 24, self._y, words, size, BOLD, right=True)

    # ---- tables

    def table(self, columns: Sequence[str], rows: Rows, together: Mapping[str, Any] | None = None) -> None:
        """`together` is what columns add up to, in a line under the rows. Where there are too many columns for one line
        in a size that can be read, each row takes several lines, and so do the names of the columns."""
        cells = [[_held(shown(figure(row[column]))) for column in columns] for row in rows]
        names = [column.replace("_", " ") for column in columns]
        sums = [shown(figure(together.get(column))) for column in columns] if together else []
        if sums and not sums[0]:
            sums[0] = TOGETHER
        right = [_is_number([row[column] for row in islice(rows, 50)]) for column in columns]
        laid = _laid_out([names, sums] if sums else [names], cells, right)
        high = laid.size * 1.3
        self._room((2 * len(laid.bands) + 2) * high)
        self._names(names, laid)
        for at, row in enumerate(cells):
            last = len(laid.bands) * high + 4 if sums and at == len(cells) - 1 else 0.0  # a sum stands under something
            self._record(row, names, laid, last, shaded=at % 2 == 1)
        if sums:
            self._rule()
            for line in laid.lines(sums, BOLD):
                self._row(line, laid, BOLD)
        self._y -= 4

    def _names(self, names: Sequence[str], laid: _Laid) -> None:
        for line in laid.lines(names, BOLD):
            self._row(line, laid, BOLD)
        self._rule()

    def _record(self, row: Sequence[str], names: Sequence[str], laid: _Laid, more: float, *, shaded: bool) -> None:
        lines, high = laid.lines(row), laid.size * 1.3
        whole = len(lines) * high
        if whole + more < HEIGHT - 4 * MARGIN and not self._room(whole + more):
            self._go_on(names, laid)
        if shaded and self._y - whole >= MARGIN - high:
            self._canvas.setFillGray(SHADE)
            self._canvas.rect(MARGIN - 3, self._y - whole - high * 0.25, INNER + 6, whole, stroke=0, fill=1)
            self._canvas.setFillGray(0)
        for line in lines:
            if not self._room(high):
                self._go_on(names, laid)
            self._row(line, laid)

    def _go_on(self, names: Sequence[str], laid: _Laid) -> None:
        if self._section:
            self.remark(f"{self._section}, continued")
            self._y -= 4
        self._names(names, laid)

    def _rule(self) -> None:
        self._canvas.setLineWidth(0.5)
        self._canvas.line(MARGIN, self._y - 2, WIDTH - MARGIN, self._y - 2)
        self._y -= 2

    def _row(self, line: Sequence[tuple[int, str]], laid: _Laid, font: str = REGULAR) -> None:
        """Of cells that are `shown` already: there may be a million of them."""
        self._y -= laid.size * 1.3
        canvas = self._canvas
        canvas.setFont(font, laid.size)
        for at, cell in line:
            if laid.right[at]:
                canvas.drawRightString(laid.places[at] + laid.widths[at], self._y, _drawn(cell))
            else:
                canvas.drawString(laid.places[at], self._y, _drawn(cell))

    # ---- cards and signatures

    def hands(self, hands: Iterable[Hand]) -> None:
        """Cards side by side, under them what they made."""
        x = WIDTH
        for hand in hands:
            cards = len(hand.cards) * (CARD_WIDE + 2)
            texts = (stringWidth(shown(hand.of), BOLD, 8.0), stringWidth(shown(hand.made), REGULAR, 7.0))
            wide = max(cards, *texts) + 16
            if x + wide > WIDTH - MARGIN + 16:
                self._room(CARD_HIGH + 32)
                self._y -= CARD_HIGH + 30
                x = MARGIN
            self._say(x, self._y + CARD_HIGH + 14, hand.of, 8.0, BOLD)
            for at, card in enumerate(hand.cards):
                self._card(x + at * (CARD_WIDE + 2), self._y + 9, card)
            self._say(x, self._y, hand.made, 7.0)
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
        canvas.setFillColorRGB(*(RED if card[1] in "dh" else (0, 0, 0)))
        self._say(x + 2.5, y + 4, card[0], LARGEST, BOLD)
        canvas.setFont(SIGNS, LARGEST)
        canvas.drawString(x + CARD_WIDE - 10, y + 4, SUITS[card[1]])
        canvas.setFillGray(0)

    def signatures(self, who: Sequence[str], signed: str) -> None:
        """With what is signed above the lines, on the same page."""
        lines = _wrapped(_held(shown(signed)), INNER, LARGEST)
        self.heading("Signatures")
        self._room(11.0 * len(lines) + 66)
        for line in lines:
            self._y -= 11
            self._say(MARGIN, self._y, line)
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
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    said = text(value)
    return f"{Decimal(said):,}" if len(said) > 6 and MONEY.fullmatch(said) else said


def shown(words: str) -> str:
    """In the letters that the standard fonts have, on one line."""
    return " ".join(words.split()).encode("cp1252", "replace").decode("cp1252")


def _held(words: str) -> str:
    """A moment to the second, in one piece."""
    return MOMENT.sub(rf"\1{HELD}\2\3", words) if ":" in words else words


def _drawn(words: str) -> str:
    return words.replace(HELD, " ")


def _is_number(values: Sequence[Any]) -> bool:
    said = [value for value in values if value is not None]
    return bool(said) and all(
        (isinstance(value, int) and not isinstance(value, bool))
        or (isinstance(value, str) and NUMBER.fullmatch(value) is not None)
        for value in said
    )


# ---- where columns lie


class _Laid(NamedTuple):
    """`bands`: the columns that stand beside one another in each line of a row."""

    size: float
    bands: Sequence[Sequence[int]]
    places: Sequence[float]
    widths: Sequence[float]
    right: Sequence[bool]

    def lines(self, row: Sequence[str], font: str = REGULAR) -> list[list[tuple[int, str]]]:
        """The row as it is drawn, line by line: each cell that says something there, with its column."""
        lines: list[list[tuple[int, str]]] = []
        for band in self.bands:
            parts = [(at, _wrapped(row[at], self.widths[at], self.size, font)) for at in band]
            deep = max(len(part) for _, part in parts)
            lines += [
                [(at, part[line]) for at, part in parts if line < len(part) and part[line]] for line in range(deep)
            ]
        return lines


def _laid_out(bold: Sequence[Sequence[str]], cells: Sequence[Sequence[str]], right: Sequence[bool]) -> _Laid:
    """The largest size in which all columns fit side by side. Where none can be read, sentences go on in further
    lines, or a row takes several lines, whichever makes it shorter."""
    columns = range(len(right))
    whole, least = zip(*(_needed([row[at] for row in bold], {row[at] for row in cells}) for at in columns), strict=True)
    size = (INNER - GAP * (len(columns) - 1)) / sum(whole)
    if size >= READABLE:
        size = min(LARGEST, size)
        return _placed(size, [columns], [wide * size for wide in whole], right)
    ways = []
    for lines, by in product((1, 2, 3), (whole, least)):
        bands = _split(by, lines)
        rooms = [_inner(band, at) for at, band in enumerate(bands)]
        if all(sum(least[at] for at in band) <= room for band, room in zip(bands, rooms, strict=True)):
            widths = _shared(bands, rooms, [wide * READABLE for wide in whole], least)
            ways.append(_placed(READABLE, bands, widths, right))
    if ways:
        return min(ways, key=lambda way: sum(len(way.lines(row)) for row in cells[:100]))
    wanted = [wide * SMALLEST for wide in whole]
    return _placed(SMALLEST, [columns], _shared([columns], [_inner(columns, 0)], wanted), right)


def _needed(bold: Sequence[str], values: Iterable[str]) -> tuple[float, float]:
    """How wide a column is in a size of 1, and how wide it must be at least where its sentences are broken."""
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
    """Columns in their order over so many lines, as even as can be."""

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
    """The room of each line for its columns: what they want, or else no more than a width that holds for all, and no
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


def _placed(size: float, bands: Sequence[Sequence[int]], widths: Sequence[float], right: Sequence[bool]) -> _Laid:
    places = [0.0] * len(widths)
    for number, band in enumerate(bands):
        x = MARGIN + (INDENT if number else 0.0)
        for at in band:
            places[at] = x
            x += widths[at] + GAP
    return _Laid(size, bands, places, widths, right)


def _wrapped(cell: str, wide: float, size: float, font: str = REGULAR) -> list[str]:
    """In lines that fit; a word that does not is cut."""
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


# ---- what is printed


def table_sheet(said: About, columns: Sequence[str], found: Rows, together: Mapping[str, Any] | None = None) -> bytes:
    sheet = Sheet(said.title, said.standing, said.made_at)
    sheet.text(f"{said.standing} {UNITS}")
    if found:
        sheet.table([column for column in columns if not _leads_on(row[column] for row in found)], found, together)
        if not together:
            sheet.remark(f"{len(found):,} row{'s' if len(found) > 1 else ''}.")
    else:
        sheet.remark("There is nothing to report.")
    return sheet.finish()


def _leads_on(values: Iterable[Any]) -> bool:
    """A column of addresses, which nobody can follow on paper."""
    return all(isinstance(value, str) and value.startswith("/") for value in values)


def findings_sheet(
    meant: str,
    told: Sequence[str],
    found: Sequence[Finding],
    count: int,
    notes: Sequence[Finding],
    notes_count: int,
    made_at: datetime,
) -> bytes:
    """An audit to file: what was looked at, each finding and each note with its sentence, and lines to sign on."""
    when = f"Audited at {moment(made_at)}."
    sheet = Sheet("Audit", f"{meant} {when}", made_at)
    sheet.text(f"{meant} {when}")
    for line in told:
        sheet.remark(line)
    for heading, listed, of_all in (("Findings", found, count), ("Notes, which are no findings", notes, notes_count)):
        if listed:
            sheet.heading(heading)
            columns = ("kind", "round", "table", "seat", "spot", "clause", "position", "what")
            rows = [{**finding.document(), "round": finding.round or finding.stream} for finding in listed]
            sheet.table(columns, rows)
        if of_all > len(listed):
            sheet.remark(
                f"{of_all - len(listed):,} more are left out here: `roundledger audit --format jsonl` has all of them."
            )
    result = f"{count:,} finding{'s' if count > 1 else ''}" if count else "no findings"
    sheet.signatures(["Auditor", "Witness"], f"{meant} {told[0]}: {result}. {when}")
    return sheet.finish()


def summary_sheet(found: Mapping[str, Any], now: datetime, clock: PropertyClock) -> bytes:
    of, standing = clock.words(title(found)), stood(clock.local(found["as_of"] or now))
    sheet = Sheet(of, standing, clock.local(now))
    sheet.text(f"{standing} {UNITS}")
    totals = found["totals"]
    sheet.figures(totals)
    for key, (heading, report, columns) in SECTIONS.items():
        sheet.heading(heading)
        if found[key]:
            sheet.table(columns, found[key], report.together(found[key]))
        else:
            sheet.remark("None.")
        if left_out := found["left_out"][key]:
            sheet.remark(f"{left_out:,} more are left out here; the totals are of all.")
    signed = ", ".join(f"{name.replace('_', ' ')} {figure(totals[name])}" for name in SIGNED)
    sheet.signatures(found["signatures"], f"{of}: {signed}. {standing}")
    return sheet.finish()

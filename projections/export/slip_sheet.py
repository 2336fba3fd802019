"""A slip on paper: one sheet to cut in two, a part for the cage and a part for the table."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from reportlab.pdfgen.canvas import Canvas

from infra.ledger.property import Property
from projections.calendar.property_clock import PropertyClock
from projections.export.column_layout import HEIGHT, MARGIN, WIDTH, wrapped
from projections.export.pdf_sheet import blank_paper, figure, printed
from projections.export.typeface import BOLD, REGULAR, draw, shown, width

PARTS = ("Part for the cage", "Part for the table")
WIDE = WIDTH / 2 - 2 * MARGIN  # of a part
TITLES = {
    "fill": "Fill slip",
    "credit": "Credit slip",
    "opener": "Opening count of a tray",
    "closer": "Closing count of a tray",
    "swap": "Box swap slip",
}
SIGNED_AS = {
    "fill": ("Requested for the table", "Issued by the cage", "Received at the table"),
    "credit": ("Requested for the table", "Received by the cage", "Given by the table"),
    "opener": ("Counted by", "Counted with"),
    "closer": ("Counted by", "Counted with"),
    "swap": ("Swapped by", "Swapped with"),
}
ROOM_FOR_PIECES = 250.0
TALLEST_ROW = 14.0


def slip_sheet(
    slip: Mapping[str, Any], now: datetime, clock: PropertyClock, letterhead: Property, printed_by: str
) -> bytes:
    """Return the paper of a slip, as its page shows it."""
    file = io.BytesIO()
    title, made_at = f"{TITLES[slip['kind']]} {slip['name']}", clock.local(now)
    canvas = blank_paper(file, title, made_at)
    for place, part in enumerate(PARTS):
        _Part(canvas, MARGIN + place * WIDTH / 2, slip, clock).write(
            part, title, letterhead, printed(made_at, printed_by)
        )
    canvas.setLineWidth(0.5)
    canvas.setDash(4, 4)
    canvas.line(WIDTH / 2, MARGIN / 2, WIDTH / 2, HEIGHT - MARGIN / 2)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


class _Part:
    def __init__(self, canvas: Canvas, left: float, slip: Mapping[str, Any], clock: PropertyClock) -> None:
        self._canvas, self._left, self._slip, self._clock = canvas, left, slip, clock
        self._y = HEIGHT - MARGIN

    def write(self, part: str, title: str, letterhead: Property, foot: str) -> None:
        slip = self._slip
        if letterhead.name:
            self._line(letterhead.name, 10.0, BOLD)
            self._lines(letterhead.address, 8.0)
            self._y -= 4
        self._draw(0, title, 15.0, BOLD, down=17)
        self._draw(0, part, 9.0, REGULAR, down=12)
        self._y -= 6
        if slip["status"] == "requested":
            self._line("REQUESTED, not issued: no chips have moved.", 10.0, BOLD)
        elif slip["status"] == "void":
            self._line("VOID", 22.0, BOLD)
            self._lines(f"{slip['reason']} Voided by {slip['voided_by']} and {slip['void_second_person']}.", 9.0)
        for name, value in self._facts():
            self._y -= 13
            self._draw(0, name, 9.0)
            self._draw(90, value, 9.0, BOLD)
        self._y -= 8
        if slip["kind"] != "swap":
            self._pieces(slip["pieces"])
        self._signatures()
        self._y = MARGIN / 2
        self._draw(0, foot, 6.5)

    def _facts(self) -> Sequence[tuple[str, str]]:
        slip, first = self._slip, self._slip["moments"][0]
        at = self._clock.moment(first["at"])
        facts = [("Table", slip["table"]), ("Time", at)]
        if slip["kind"] == "swap":
            facts.append(("Box taken off", slip["removed_box"] or "none"))
            facts += [("Its seal", slip["seal"]), ("Box put on", slip["installed_box"])]
        return facts

    def _pieces(self, pieces: Mapping[str, int] | None) -> None:
        if pieces is None:
            self._line("What was counted is shown to accounting and to the people who signed the count.", 9.0)
            return
        high = min(TALLEST_ROW, ROOM_FOR_PIECES / (len(pieces) + 2))
        rows = [("Denomination", "Pieces", "Amount")]
        rows += [
            (figure(worth), f"{number:,}", figure(f"{Decimal(worth) * number:.2f}")) for worth, number in pieces.items()
        ]
        total = (f"{sum(pieces.values()):,}", figure(self._slip["amount"]))
        for at, row in enumerate([*rows, ("Total", *total)]):
            strong = at in (0, len(rows))
            if at == len(rows):
                self._rule()
            self._y -= high
            for place, cell in zip((0.36, 0.62, 1.0), row, strict=True):
                self._draw(place * WIDE, cell, min(9.0, high * 0.75), BOLD if strong else REGULAR, right=True)
            if at == 0:
                self._rule()

    def _signatures(self) -> None:
        """Draw who signed in the ledger, above a line for the pen."""
        slip = self._slip
        signed = [slip["issued_by"], slip["second_person"]]
        if slip["kind"] in ("fill", "credit"):
            signed.insert(0, slip["requested_by"])
        labels = SIGNED_AS[slip["kind"]]
        self._y = MARGIN + 34.0 * len(labels) + 4
        for label, who in zip(labels, signed, strict=True):
            self._y -= 34
            self._canvas.setLineWidth(0.7)
            self._canvas.line(self._left, self._y, self._left + WIDE, self._y)
            self._draw(0, label, 7.0, down=9, keep=True)
            self._draw(WIDE, who or "", 8.0, BOLD, right=True, down=9, keep=True)

    # ---- drawing

    def _line(self, words: str, size: float, font: str = REGULAR) -> None:
        self._draw(0, words, size, font, down=size * 1.25)

    def _lines(self, words: str, size: float) -> None:
        for line in wrapped(shown(words), WIDE, size):
            self._line(line, size)

    def _rule(self) -> None:
        self._canvas.setLineWidth(0.5)
        self._canvas.line(self._left, self._y - 3, self._left + WIDE, self._y - 3)
        self._y -= 3

    def _draw(
        self,
        x: float,
        words: str,
        size: float,
        font: str = REGULAR,
        *,
        right: bool = False,
        down: float = 0.0,
        keep: bool = False,
    ) -> None:
        """`down` is how far to move down first; with `keep` the line after it stays in place."""
        words, y = shown(words), self._y - down
        if not keep:
            self._y = y
        draw(self._canvas, self._left + x - (width(words, font, size) if right else 0.0), y, words, font, size)

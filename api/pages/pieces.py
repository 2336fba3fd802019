"""Pieces by denomination in a form: for counts of boxes and trays, fills and credits."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field, create_model

from api.pages.forms import FormModel, Pieces, Typed
from api.service.fields import PositiveMoney
from api.service.problems import Problem
from domain.money import cents

# Chips and notes that are found in boxes, and chips of trays; others can be named in addition.
BOX = ("500.00", "100.00", "50.00", "25.00", "20.00", "10.00", "5.00", "1.00", "0.50")
TRAY = ("5000.00", "1000.00", *BOX)
_PIECES: Any = {f"n_{worth.replace('.', '_')}": (Pieces | None, Field(None, alias=f"n-{worth}")) for worth in TRAY}
_EachForm = create_model("_EachForm", __base__=FormModel, **_PIECES)


class PiecesForm(_EachForm):
    """So many pieces of each denomination, and of one more that can be named."""

    other: Annotated[PositiveMoney, Typed] | None = None
    n_other: Pieces | None = Field(None, alias="n-other")

    def entered(self) -> dict[str, int]:
        """Without the denominations that were left empty."""
        found = {worth: getattr(self, name) for worth, name in zip(TRAY, _PIECES, strict=True)}
        pieces = {worth: number for worth, number in found.items() if number}
        if self.other is not None:
            if pieces.get(self.other) or self.other in BOX:
                raise Problem("bad_document", f"${self.other} has a line of its own.")
            pieces[self.other] = self.n_other or 0
        elif self.n_other:
            raise Problem("bad_document", "Name the other denomination that was counted.")
        return pieces

    def in_cents(self) -> dict[int, int]:
        return {cents(worth): number for worth, number in self.entered().items()}


def total(pieces: dict[str, int]) -> Decimal:
    return sum((Decimal(worth) * number for worth, number in pieces.items()), Decimal(0))


def lines(pieces: dict[str, int]) -> list[dict[str, Any]]:
    """The largest denomination first."""
    return [
        {"denomination": worth, "pieces": number, "amount": f"{Decimal(worth) * number:.2f}"}
        for worth, number in sorted(pieces.items(), key=lambda line: Decimal(line[0]), reverse=True)
    ]

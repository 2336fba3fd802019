"""Numbered slips: fills, credits, counts of trays by denomination, swaps of boxes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from api.service.fields import (
    FromFloat,
    GamingDay,
    Id,
    Model,
    Omittable,
    PositiveMoney,
    QueryModel,
    ShownMoney,
    Text,
)
from domain.books.slips import MOST_DENOMINATIONS, MOST_PIECES, MovedKind, SlipKind, Status
from domain.floor.table_sessions import TrayCount

Pieces = Annotated[
    dict[PositiveMoney, Annotated[int, Field(ge=0, le=MOST_PIECES), FromFloat]],
    Field(
        max_length=MOST_DENOMINATIONS,
        examples=[{"100.00": 20, "25.00": 40}],
        json_schema_extra={"additionalProperties": False},
    ),
]


class SlipIn(Model):
    """`pieces`: by denomination, how many of them the table needs, or gives back."""

    kind: MovedKind
    table: Id
    pieces: Pieces


class SlipIssueIn(Model):
    """`pieces`: where they are not those that were asked for, and come to the same."""

    second_person: Id = Field(examples=["floor-2"])
    pieces: Omittable[Pieces] = None


class SlipVoidIn(Model):
    reason: Text = Field(examples=["The table closes instead."])
    second_person: Id = Field(examples=["floor-2"])


class SlipCountIn(Model):
    """What is in a house-banked table's tray; no pieces where it is empty."""

    table: Id
    when: TrayCount
    pieces: Pieces
    second_person: Id = Field(examples=["floor-2"])


class SlipOut(Model):
    """`amount` and `pieces` of an opener or a closer are null for callers who neither keep the books nor signed it:
    they may have to count that tray next."""

    number: int
    name: str
    kind: SlipKind
    table: str
    status: Status
    amount: ShownMoney | None
    pieces: dict[str, int] | None
    removed_box: str | None
    installed_box: str | None
    seal: str | None
    requested_by: str | None
    issued_by: str | None
    second_person: str | None
    voided_by: str | None
    void_second_person: str | None
    reason: str | None


class SlipMoment(Model):
    what: Literal["requested", "issued", "voided"]
    at: str
    by: str
    second_person: str | None


class SlipDetails(SlipOut):
    moments: list[SlipMoment]


class SlipFilters(QueryModel):
    status: Omittable[Status] = Field(None, description="Only with this status.")
    kind: Omittable[SlipKind] = Field(None, description="Only of this kind.")
    table: Omittable[Id] = Field(None, description="Only of this table.")
    gaming_day: Omittable[GamingDay] = Field(None, description="Only those numbered on this gaming day.")
    limit: int = Field(50, ge=1, le=500, description="How many a page has at most.")
    before: Omittable[Annotated[int, Field(ge=1, le=2_000_000_000)]] = Field(
        None, description="Only smaller numbers: where the page before ended."
    )


class ListedSlip(Model):
    number: int
    name: str
    kind: SlipKind
    table: str
    gaming_day: str
    shift: str
    at: str
    status: Status
    amount: ShownMoney | None
    boxes: str | None
    requested_by: str | None
    issued_at: str | None
    issued_by: str | None
    second_person: str | None
    voided_by: str | None
    void_second_person: str | None
    reason: str | None


class SlipsOut(Model):
    slips: list[ListedSlip]
    before: int | None

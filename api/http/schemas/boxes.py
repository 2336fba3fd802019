"""Drop boxes and meters."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from api.service.fields import (
    Cursor,
    FromFloat,
    GamingDay,
    Id,
    Model,
    Money,
    Omittable,
    PositiveMoney,
    QueryModel,
    ShownMoney,
    SignedMoney,
    Text,
    Word,
)
from domain.floor.drop_boxes import BoxStatus


class BoxFilters(QueryModel):
    table: Omittable[Id] = Field(None, description="Only of this table.")
    gaming_day: Omittable[GamingDay] = Field(None, description="Only those removed on this gaming day.")
    shift: Omittable[Word] = Field(None, description="Only those removed in this shift.")
    status: Omittable[BoxStatus] = Field(None, description="Only with this status.")
    limit: int = Field(50, ge=1, le=500, description="How many a page has at most.")
    cursor: Omittable[Cursor] = Field(None, description="Where the page before ended.")


class SwapIn(Model):
    new_box: Id = Field(examples=["t1-box-2"])
    seal: Text = Field(examples=["S-20417"])
    second_person: Id = Field(examples=["count-2"])


class CountIn(Model):
    """`pieces` is how many of each denomination were in the box."""

    pieces: dict[PositiveMoney, Annotated[int, Field(ge=0, le=1_000_000), FromFloat]] = Field(
        min_length=1,
        max_length=50,
        examples=[{"5.00": 60, "1.00": 16}],
        json_schema_extra={"additionalProperties": False},
    )


class ReconciliationIn(Model):
    explanation: Omittable[Text] = Field(None, examples=["A chip was found under the box."])


class BoxOut(Model):
    """Accounting and auditors see `expected` at any time and `counted` once two counts agree; others see both once the
    box has been signed off. For people who may count both are null while a box of that table has no agreed count."""

    box: str
    table: str
    status: BoxStatus
    counts: int
    expected: ShownMoney | None
    counted: ShownMoney | None


class ListedBox(Model):
    """For people who may not see figures they are null, and `status` is `counted` for a box with a variance."""

    box: str
    table: str
    installed_at: str
    removed_at: str | None
    gaming_day: str | None
    shift: str | None
    removed_by: list[str]
    seal: str | None
    counters: list[str]
    status: BoxStatus
    fees: int | None
    expected: ShownMoney | None
    counted: ShownMoney | None
    variance: SignedMoney | None
    signed_by: str | None
    explanation: str | None


class BoxesOut(Model):
    boxes: list[ListedBox]
    cursor: str | None


class BoxMoment(Model):
    """One event of a box. Pieces and total of a count are null for people who may not see them. A count that was read
    from a machine's file names the machine, and with the pieces the file's SHA-256."""

    what: Literal["installed", "fee not dropped", "removed", "counted", "reconciled"]
    at: str
    by: str
    second_person: str | None = None
    seal: str | None = None
    round: str | None = None
    machine: str | None = None
    file: str | None = None
    pieces: dict[str, int] | None = None
    total: ShownMoney | None = None
    explanation: str | None = None


class BoxHistory(Model):
    box: str
    table: str
    status: BoxStatus
    counts: int
    fees: int | None
    expected: ShownMoney | None
    counted: ShownMoney | None
    variance: SignedMoney | None
    tolerance: ShownMoney
    moments: list[BoxMoment]


class AdjustmentIn(Model):
    shown: Money
    reserve: Money
    reason: Text = Field(examples=["The display had been reset."])
    second_person: Id = Field(examples=["floor-2"])


class MeterOut(Model):
    meter: str
    seed: ShownMoney
    shown: ShownMoney
    reserve: ShownMoney
    percent: int
    reserve_percent: int

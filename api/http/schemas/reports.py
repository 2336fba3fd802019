"""Reports, fees, summaries, and what waits for the caller."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from api.service.fields import (
    AsOf,
    GamingDay,
    Id,
    Model,
    Omittable,
    OneOf,
    QueryModel,
    ShownMoney,
    SortColumn,
    Word,
    matching,
)
from projections.reports.report import Filters
from projections.reports.report_list import KINDS, STATUSES
from projections.views.report_views import FORMATS

Rows = Annotated[int, Field(ge=1, le=1_000_000)]
Account = Annotated[str, matching(r"^[^\x00-\x1f]{1,200}$", "is the name of an account")]


class FeeSum(Model):
    rounds: int
    action: ShownMoney
    fees: ShownMoney
    waived: ShownMoney
    net: ShownMoney
    gaming_day: Omittable[str] = None
    shift: Omittable[str] = None
    table: Omittable[str] = None
    schedule: Omittable[int | str] = None
    tier: Omittable[int] = None


class FeesOut(Model):
    first: str
    last: str
    totals: FeeSum
    by_day: list[FeeSum]
    by_shift: list[FeeSum]
    by_table: list[FeeSum]
    by_tier: list[FeeSum]
    by_day_and_shift: list[FeeSum]


class SummaryTotals(Model):
    rounds: int
    settled: int
    void: int
    open: int
    action: ShownMoney
    fees: ShownMoney
    waived: ShownMoney
    net_fees: ShownMoney
    boxes: int
    boxes_waiting: int
    expected: ShownMoney
    counted: ShownMoney
    variance: ShownMoney
    short_rounds: int
    shortfall: ShownMoney
    house_win: ShownMoney
    tray_difference: ShownMoney


class SummaryOut(Model):
    """Each list has rows with the columns of the report that it is part of; `left_out` says how many more there are."""

    gaming_day: str
    shift: str | None
    table: str | None
    as_of: str | None
    shifts: list[str]
    totals: SummaryTotals
    rounds: list[dict[str, Any]]
    fees: list[dict[str, Any]]
    boxes: list[dict[str, Any]]
    house: list[dict[str, Any]]
    inventory: list[dict[str, Any]]
    voids: list[dict[str, Any]]
    shortfalls: list[dict[str, Any]]
    adjustments: list[dict[str, Any]]
    left_out: dict[str, int]
    signatures: list[str]


# ---- what waits for somebody


class ThingOut(Model):
    """`page` is where it is done; `due` is its deadline, and it is `late` once that has passed."""

    name: str
    page: str
    note: str | None
    since: str | None
    due: str | None
    late: bool


class WaitingOut(Model):
    """Things of one kind: how many there are, and the first of them; `count` is null if the title says it all."""

    kind: str
    title: str
    count: int | None
    page: str
    urgent: bool
    things: list[ThingOut]


class FigureOut(Model):
    """Values for the last gaming day that has ended, the day before it, the same weekday of the week before, and today
    so far; null if unknown."""

    name: str
    title: str
    kind: Literal["count", "money"]
    page: str
    of_day: int | ShownMoney | None
    day_before: int | ShownMoney | None
    week_before: int | ShownMoney | None
    today: int | ShownMoney | None


class FiguresOut(Model):
    gaming_day: str
    day_before: str
    week_before: str
    figures: list[FigureOut]


class HomeOut(Model):
    """`gaming_day` and `shift` are the current ones. `figures` is null for a caller who may not see any."""

    gaming_day: str
    shift: str
    waiting: list[WaitingOut]
    figures: FiguresOut | None


class InspectionOut(Model):
    """Each list has rows of the report of that name; `totals` says how many there are, or how many are wrong;
    `integrity` how far the record is sealed, and what the last audits found."""

    first: str
    last: str
    table: str | None
    as_of: str | None
    totals: dict[str, int]
    adoptions: list[dict[str, Any]]
    played: list[dict[str, Any]]
    choices: list[dict[str, Any]]
    postings: list[dict[str, Any]]
    designations: list[dict[str, Any]]
    rotation: list[dict[str, Any]]
    breaches: list[dict[str, Any]]
    fees: list[dict[str, Any]]
    exceptions: list[dict[str, Any]]
    misdeals: list[dict[str, Any]]
    decks: list[dict[str, Any]]
    jackpots: list[dict[str, Any]]
    hands_held: list[dict[str, Any]]
    proposition_banks: list[dict[str, Any]]
    disputes: list[dict[str, Any]]
    left_out: dict[str, int]
    signatures: list[str]
    integrity: dict[str, Any]


# ---- query parameters


class FeeFilters(QueryModel):
    first: Omittable[GamingDay] = Field(None, description="From this gaming day on.")
    last: Omittable[GamingDay] = Field(None, description="Up to this gaming day.")
    table: Omittable[Id] = Field(None, description="Only of this table.")
    shift: Omittable[Word] = Field(None, description="Only of this shift.")
    as_of: Omittable[AsOf] = Field(None, description="As the ledger was then.")


class SummaryFilters(QueryModel):
    format: Literal["json", "pdf"] = Field("json", description="PDF has lines to sign on.")
    gaming_day: Omittable[GamingDay] = Field(None, description="The gaming day.")
    shift: Omittable[Word] = Field(None, description="The shift, with its gaming day.")
    table: Omittable[Id] = Field(None, description="Only of this table.")
    as_of: Omittable[AsOf] = Field(None, description="As the ledger was then.")
    limit: Omittable[Rows] = Field(None, description="How many rows each list has at most; totals are of all.")


class InspectionFilters(QueryModel):
    format: Literal["json", "pdf"] = Field("json", description="PDF has lines to sign on.")
    gaming_day: Omittable[GamingDay] = Field(None, description="One gaming day.")
    first: Omittable[GamingDay] = Field(None, description="From this gaming day on.")
    last: Omittable[GamingDay] = Field(None, description="Up to this gaming day.")
    table: Omittable[Id] = Field(None, description="Only of this table.")
    as_of: Omittable[AsOf] = Field(None, description="As the ledger was then.")
    limit: Omittable[Rows] = Field(None, description="How many rows each list has at most.")


class ReportFilters(QueryModel):
    format: Annotated[str, OneOf(FORMATS)] = Field(
        "json", description="JSON rows by default; for beancount and hledger the journal only."
    )
    table: Omittable[Id] = Field(None, description="Only of this table.")
    bettor: Omittable[Id] = Field(None, description="Only of this bettor.")
    gaming_day: Omittable[GamingDay] = Field(None, description="Only of this gaming day.")
    shift: Omittable[Word] = Field(None, description="Only of this shift.")
    box: Omittable[Id] = Field(None, description="Only of this drop box.")
    dealer: Omittable[Id] = Field(None, description="Only of this dealer; `nobody` where none was tapped in.")
    kind: Omittable[Annotated[str, OneOf(KINDS)]] = Field(
        None, description="Only disputes about this kind of error, or slips of this kind."
    )
    status: Omittable[Annotated[str, OneOf(STATUSES)]] = Field(
        None, description="Only disputes or slips with this status."
    )
    round: Omittable[Id] = Field(None, description="Only of this round.")
    account: Omittable[Account] = Field(None, description="Only of this account of the journal.")
    first: Omittable[GamingDay] = Field(None, description="Only from this gaming day on.")
    last: Omittable[GamingDay] = Field(None, description="Only up to this gaming day.")
    limit: Omittable[Rows] = Field(None, description="At most this many rows.")
    moment: Omittable[AsOf] = Field(None, description="Only what held then, of what begins and ends.")
    sort: Omittable[SortColumn] = Field(None, description="By this column; with a minus before it, the largest first.")
    as_of: Omittable[AsOf] = Field(None, description="As the ledger was then.")
    since: Omittable[AsOf] = Field(None, alias="from", description="Only what belongs to then or later.")
    until: Omittable[AsOf] = Field(None, alias="to", description="Only what belongs to before then.")

    def filters(self) -> Filters:
        return Filters(**self.model_dump(exclude={"format"}))

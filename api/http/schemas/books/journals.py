"""The journal in the property's own accounts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from api.service.fields import Model, QueryModel, ShownMoney, matching

Format = Literal["csv", "quickbooks", "xero", "beancount", "hledger"]
ChartText = Annotated[str, Field(min_length=1, max_length=100_000, description="TOML.")]
Code = Annotated[str, matching(r"^\S([^\x00-\x1f]{0,98}\S)?$", "is the code of an account")]


class ChartIn(Model):
    text: ChartText


class ChartOut(Model):
    text: str
    kept_at: str
    by: str


class ChartStored(Model):
    text: str


class JournalLineOut(Model):
    """An account's balance at the end of the day, and of how many entries and sources."""

    code: str
    name: str
    debit: ShownMoney
    credit: ShownMoney
    entries: int
    sources: int


class ExportMade(Model):
    """`same`: with the current figures."""

    at: str
    by: str
    format: Format
    digest: str
    same: bool | None


class DayJournalOut(Model):
    """`refusal` says why nothing can be exported; `exports` are earlier exports."""

    day: str
    number: str | None
    digest: str | None
    refusal: str | None
    lines: list[JournalLineOut]
    exports: list[ExportMade]


class JournalEntryOut(Model):
    source: str
    round: str | None
    at: str
    account: str
    debit: ShownMoney
    credit: ShownMoney
    what: str


class EntriesBehind(Model):
    """The entries behind a line of the day. `left_out` is how many more there are."""

    day: str
    code: str
    name: str
    entries: list[JournalEntryOut]
    left_out: int


class BehindFilters(QueryModel):
    code: Code = Field(description="The property's account.")
    limit: int = Field(500, ge=1, le=5000, description="How many entries at most.")


class JournalExportIn(Model):
    """For which program."""

    format: Format


class JournalExportOut(Model):
    """`file` is the text to import; `notice` reports an earlier export of the day."""

    day: str
    number: str
    digest: str
    format: Format
    name: str
    notice: str | None
    file: str

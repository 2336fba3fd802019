"""A gaming day of the journal as one entry in the property's own accounts, for accounting software.

Its number is the day's, so that a program can notice a day that is imported twice; its digest says whether the figures
are still the same."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from domain.books.chart_of_accounts import Chart, PropertyAccount, check_complete
from domain.money import cents, money
from projections.export.formats import inert
from projections.export.plain_text_journal import CURRENCY, hledger_account

T = TypeVar("T")
Rows = list[dict[str, Any]]


class AccountTotal(NamedTuple):
    """What was posted on one account of the journal."""

    account: str
    debit_cents: int  # less the credits; negative if they are more
    entries: int


class JournalLine(Struct, frozen=True, kw_only=True):
    account: PropertyAccount
    debit_cents: int  # less the credits; negative if they are more
    entries: int
    sources: int | None = None  # None if they were not counted


class DayJournal(Struct, frozen=True, kw_only=True):
    day: date
    lines: tuple[JournalLine, ...]

    @property
    def number(self) -> str:
        return f"RL-{self.day:%Y%m%d}"

    @property
    def digest(self) -> str:
        figures = "\n".join(f"{line.account.code}\t{line.debit_cents}" for line in self.lines)
        return hashlib.sha256(f"{self.day}\n{figures}".encode()).hexdigest()[:12]


def day_journal(entries: Rows, chart: Chart, day: date) -> DayJournal:
    """Return one line for each of the property's accounts with a balance at the end."""
    behind = _by_place(chart, [(entry["account"], entry) for entry in entries])
    return _journal(day, [_line(account, rows) for account, rows in behind.items()])


def journal_of_totals(totals: Iterable[AccountTotal], chart: Chart, day: date) -> DayJournal:
    """Return the same without reading the entries of the day, and so without counting their sources."""
    behind = _by_place(chart, [(total.account, total) for total in totals])
    return _journal(
        day,
        [
            JournalLine(
                account=account,
                debit_cents=sum(total.debit_cents for total in found),
                entries=sum(total.entries for total in found),
            )
            for account, found in behind.items()
        ],
    )


def _by_place(chart: Chart, posted: Sequence[tuple[str, T]]) -> dict[PropertyAccount, list[T]]:
    check_complete(chart, (account for account, _ in posted))
    places: dict[PropertyAccount, list[T]] = {}
    for name, one in posted:
        account = chart.account_for(name)
        assert account is not None  # the chart is complete
        places.setdefault(account, []).append(one)
    return places


def _journal(day: date, lines: Iterable[JournalLine]) -> DayJournal:
    by_code = sorted(lines, key=lambda line: line.account.code)
    return DayJournal(day=day, lines=tuple(line for line in by_code if line.debit_cents))


def entries_behind(entries: Rows, chart: Chart, code: str) -> Rows:
    """Return the entries of the journal behind a line, each with its round."""
    return [entry for entry in entries if (found := chart.account_for(entry["account"])) and found.code == code]


def _line(account: PropertyAccount, rows: Rows) -> JournalLine:
    return JournalLine(
        account=account,
        debit_cents=sum(cents(row["debit"]) - cents(row["credit"]) for row in rows),
        entries=len(rows),
        sources=len({row["source"] for row in rows}),
    )


def as_csv(journal: DayJournal) -> str:
    head = ("journal", "date", "account_code", "account_name", "debit", "credit", "description", "digest")
    return _file(
        head,
        (
            (
                *(journal.number, journal.day.isoformat(), line.account.code, line.account.name),
                *(*_sides(line), _description(line), journal.digest),
            )
            for line in journal.lines
        ),
    )


def as_quickbooks(journal: DayJournal) -> str:
    """For *Import data, Journal entries* of QuickBooks Online, which knows accounts by name."""
    head = ("JournalNo", "JournalDate", "AccountName", "Debits", "Credits", "Description")
    day = f"{journal.day:%m/%d/%Y}"
    return _file(
        head,
        (
            (journal.number, day, line.account.name, *_sides(line), f"{_description(line)}; {journal.digest}")
            for line in journal.lines
        ),
    )


def as_xero(journal: DayJournal) -> str:
    """For Xero's import of manual journals: accounts by code, debits positive, credits negative."""
    head = ("*Narration", "*Date", "Description", "*AccountCode", "*TaxRate", "*Amount")
    narration = f"{journal.number} table games; {journal.digest}"
    day = f"{journal.day:%d/%m/%Y}"
    return _file(
        head,
        (
            (narration, day, _description(line), line.account.code, "Tax Exempt", money(line.debit_cents))
            for line in journal.lines
        ),
    )


def as_beancount(journal: DayJournal) -> str:
    """Return one transaction, which bean-check refuses unless it sums to zero; each line says how to find its
    entries."""
    accounts = [beancount_name(line.account) for line in journal.lines]
    lines = [f"{journal.day} open {account} {CURRENCY}" for account in dict.fromkeys(accounts)]
    lines += ["", f'{journal.day} * "{journal.number}" "Table games" ^{journal.number}']
    lines.append(f'  digest: "{journal.digest}"')
    for account, line in zip(accounts, journal.lines, strict=True):
        lines += [f"  {account}  {money(line.debit_cents)} {CURRENCY}", f'    behind: "{_description(line)}"']
    return "\n".join([f'option "operating_currency" "{CURRENCY}"', *lines, ""])


def as_hledger(journal: DayJournal) -> str:
    """Return the same for hledger, under the property's own codes and names."""
    accounts = [hledger_account(f"{line.account.code} {line.account.name}") for line in journal.lines]
    lines = [f"commodity 1000.00 {CURRENCY}", *(f"account {account}" for account in dict.fromkeys(accounts))]
    lines += ["", f"{journal.day} * ({journal.number}) Table games  ; digest: {journal.digest}"]
    for account, line in zip(accounts, journal.lines, strict=True):
        lines.append(f"    {account}  {money(line.debit_cents)} {CURRENCY}  ; {_description(line)}")
    return "\n".join([*lines, ""])


def beancount_name(account: PropertyAccount) -> str:
    """Return the account's name. Beancount requires a type in front, which a chart does not have: all are under one."""
    words = re.findall(r"[A-Za-z0-9]+", f"{account.code} {account.name}")
    return "Equity:TableGames:" + "-".join(["N", *words])


def _sides(line: JournalLine) -> tuple[str, str]:
    amount = money(abs(line.debit_cents))
    return (amount, "") if line.debit_cents > 0 else ("", amount)


def _description(line: JournalLine) -> str:
    return f"{line.entries} entries of {line.sources} sources"


def _file(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([inert(cell) for cell in row] for row in rows)
    return file.getvalue()


WRITERS: Mapping[str, Callable[[DayJournal], str]] = {
    "csv": as_csv,
    "quickbooks": as_quickbooks,
    "xero": as_xero,
    "beancount": as_beancount,
    "hledger": as_hledger,
}
ENDINGS = {"csv": "csv", "quickbooks": "csv", "xero": "csv", "beancount": "beancount", "hledger": "journal"}

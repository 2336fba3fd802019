"""The journal on paper: what was posted on each gaming day by kind of source, and single entries if they are few.

A day has thousands of entries, which nobody reads on paper. Every line says how many sources it totals and names the
first and the last, which lead to the entries in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from domain.money import cents, money
from projections.export.formats import UNITS, About, Rows
from projections.export.pdf_sheet import Sheet

SUMMARY = ("posted_for", "account", "accounts", "sources", "entries", "debit", "credit", "first_source", "last_source")
ENTRIES = ("source", "at", "posted_for", "account", "debit", "credit", "table", "position")
SINGLE_ENTRIES = 400  # at most: some ten pages
PATRONS = {"player": "players", "player-dealer": "player-dealers", "toke": "tokes", "box": "drop boxes"}


def journal_sheet(said: About, found: Rows) -> bytes:
    sheet = Sheet(said.title, said.state, said.made_at, said.letterhead, said.printed_by)
    sheet.text(f"{said.state} {UNITS}")
    if not found:
        sheet.remark("There is nothing to report.")
        return sheet.finish()
    sheet.figures(_totals(found))
    days = sorted({row["gaming_day"] for row in found})
    for day in days:
        rows = [row for row in found if row["gaming_day"] == day]
        sheet.heading(f"Gaming day {day}: posted by kind of source")
        sheet.table(SUMMARY, list(_summary(rows)), _sums(rows))
    if len(found) <= SINGLE_ENTRIES:
        sheet.heading("Entries by source")
        sheet.table(ENTRIES, list(_entries(found)), _sums(found))
    else:
        sheet.text(
            f"The {len(found):,} entries are in the ledger: `roundledger report journal --gaming-day DATE`, or the "
            "report as a spreadsheet. A source is a round, a box, a tray or a slip; its page or `roundledger replay` "
            "shows what happened."
        )
    return sheet.finish()


def _totals(rows: Rows) -> dict[str, Any]:
    sums = _sums(rows)
    return {
        "gaming_days": f"{len({row['gaming_day'] for row in rows}):,}",
        "sources": f"{len({row['source'] for row in rows}):,}",
        "entries": f"{len(rows):,}",
        "accounts": f"{len({row['account'] for row in rows}):,}",
        **sums,
        "difference": money(cents(sums["debit"]) - cents(sums["credit"])),
    }


def _sums(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    debit = credit = 0
    for row in rows:
        debit += cents(row["debit"])
        credit += cents(row["credit"])
    return {"debit": money(debit), "credit": money(credit)}


def _summary(rows: Rows) -> Iterable[dict[str, Any]]:
    """Return the summary in the order in which each kind of source, and each account, first occurs."""
    kinds: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        kinds.setdefault(_kind(row["what"]), {}).setdefault(_account(row["account"]), []).append(row)
    for kind, accounts in kinds.items():
        for at, (account, posted) in enumerate(sorted(accounts.items())):
            yield {
                "posted_for": "" if at else kind,
                "account": account,
                "accounts": len({row["account"] for row in posted}),
                "sources": len({row["source"] for row in posted}),
                "entries": len(posted),
                **_sums(posted),
                "first_source": posted[0]["source"],
                "last_source": posted[-1]["source"],
            }


def _kind(what: str) -> str:
    """Return the kind without details of the single case: the slip of a fill, the reason of a correction."""
    kind = what.partition(":")[0].partition(",")[0]
    return kind[:1].upper() + kind[1:]


def _account(account: str) -> str:
    """Return patrons and boxes combined; an account of the property by its own name."""
    return PATRONS.get(account.partition(":")[0], account) if ":" in account else account


def _entries(rows: Rows) -> Iterable[dict[str, Any]]:
    """Return entries; what one shares with the previous one is shown once."""
    for _, posted in groupby(rows, key=lambda row: (row["position"], row["source"])):
        for at, row in enumerate(posted):
            shared = {name: None if at else row[name] for name in ("source", "at", "table", "position")}
            amounts = {side: None if cents(row[side]) == 0 else row[side] for side in ("debit", "credit")}
            yield {**shared, "posted_for": None if at else row["what"], "account": row["account"], **amounts}

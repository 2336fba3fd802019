"""The journal as a file for beancount or hledger, with every agreed count of a box as a balance assertion.

Dates are gaming days. Beancount asserts at the beginning of a day, so a box is asserted on the day after its last
entry; nothing is posted to a box once it has been counted. Beancount also tolerates a difference of a cent by
default."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any

CURRENCY = "USD"
BEANCOUNT_ROOTS = {
    "cage": "Assets:Cage",
    "tray": "Assets:Tray",
    "box": "Assets:Box",
    "meter": "Assets:Meter",
    "collection-fees": "Assets:CollectionFees",
    "player": "Liabilities:Player",
    "player-dealer": "Liabilities:PlayerDealer",
    "toke": "Liabilities:Toke",
    "house": "Equity:House",
    "over-short": "Expenses:OverShort",
}

Rows = Sequence[Mapping[str, Any]]


def beancount_account(account: str) -> str:
    """Return the account's name. Ids have lower-case letters, digits and dashes, so a capital in front marks them;
    free text is spelled out."""
    kind, _, name = account.partition(":")
    root = BEANCOUNT_ROOTS.get(kind)
    if root is None or not re.fullmatch(r"[a-z0-9-]*", name):
        return "Equity:Other:N-" + re.sub(r"[^A-Za-z0-9]", lambda found: f"-{ord(found[0]):x}-", account)
    return f"{root}:{name[0].upper()}{name[1:]}" if name else root


def hledger_account(account: str) -> str:
    """Return the account's name. Two spaces and a semicolon have a meaning in journal files."""
    return re.sub(r"[^A-Za-z0-9:._-]+", " ", account).strip() or "other"


def beancount(entries: Rows, boxes: Rows) -> Iterator[str]:
    yield f'option "operating_currency" "{CURRENCY}"\n'
    for account, opened in _first_days(entries).items():
        yield f"{opened} open {beancount_account(account)} {CURRENCY}\n"
    for head, postings in _transactions(entries):
        yield f'\n{head["gaming_day"]} * "{_quoted(head["source"])}" "{_quoted(head["what"])}"\n'
        yield f'  at: "{head["at"]}"\n'
        for account, amount in postings:
            yield f"  {beancount_account(account)}  {amount} {CURRENCY}\n"
    for box, counted, day in _counts(entries, boxes):
        yield f"\n{day} balance {beancount_account(box)}  {counted} ~ 0.00 {CURRENCY}\n"


def hledger(entries: Rows, boxes: Rows) -> Iterator[str]:
    yield f"commodity 1000.00 {CURRENCY}\n"
    for account in dict.fromkeys(hledger_account(account) for account in _first_days(entries)):
        yield f"account {account}\n"
    for head, postings in _transactions(entries):
        yield f"\n{head['gaming_day']} * {_plain(head['source'])} | {_plain(head['what'])}\n"
        for account, amount in postings:
            yield f"    {hledger_account(account)}    {amount} {CURRENCY}\n"
    for box, counted, day in _counts(entries, boxes):
        yield f"\n{day} * counted\n    {hledger_account(box)}    0.00 {CURRENCY} = {counted} {CURRENCY}\n"


def _transactions(entries: Rows) -> Iterator[tuple[Mapping[str, Any], list[tuple[str, str]]]]:
    """Return the entries of one event as one transaction; a credit is a negative amount."""
    for _, posted in groupby(entries, key=lambda entry: entry["position"]):
        rows = list(posted)
        yield rows[0], [(row["account"], _signed(row)) for row in rows]


def _signed(row: Mapping[str, Any]) -> str:
    return str(row["debit"]) if row["credit"] == "0.00" else f"-{row['credit']}"


def _first_days(entries: Rows) -> dict[str, str]:
    days: dict[str, str] = {}
    for entry in entries:
        day = days.get(entry["account"])
        days[entry["account"]] = entry["gaming_day"] if day is None else min(day, entry["gaming_day"])
    return dict(sorted(days.items()))


def _counts(entries: Rows, boxes: Rows) -> Iterator[tuple[str, str, date]]:
    last: dict[str, str] = {}
    for entry in entries:
        if entry["account"].startswith("box:"):
            last[entry["account"]] = max(last.get(entry["account"], ""), entry["gaming_day"])
    for box in boxes:
        account = f"box:{box['box']}"
        if box["counted"] is not None and account in last:
            yield account, box["counted"], date.fromisoformat(last[account]) + timedelta(days=1)


def _quoted(text: str) -> str:
    return _plain(text).replace("\\", "\\\\").replace('"', '\\"')


def _plain(text: str) -> str:
    return re.sub(r"[\s;|]+", " ", text)


FORMATS: Mapping[str, Callable[[Rows, Rows], Iterator[str]]] = {"beancount": beancount, "hledger": hledger}

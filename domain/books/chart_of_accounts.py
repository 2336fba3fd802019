"""The property's own chart of accounts: a TOML file that says where each account of the journal belongs.

    ["box:*"]
    code = "1020"
    name = "Drop boxes"

A key is an account of the journal (`cage`, `box:t1-box-2`, one that a ruling opened) or all accounts of a kind
(`box:*`); the exact one counts first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from domain.books.property_file import PropertyFile
from domain.errors import BadDocument
from domain.event import Event
from domain.rules.file_schema import TRIMMED_PATTERN

# Every kind of account of the journal, with a default code and name.
STARTER = (
    ("cage", "1000", "Cage cash and chips"),
    ("tray:*", "1010", "Table trays"),
    ("box:*", "1020", "Drop boxes"),
    ("meter:*", "1030", "Progressive meters"),
    ("collection-fees:*", "1040", "Collection fees not yet dropped"),
    ("player:*", "2000", "Chips held by players"),
    ("player-dealer:*", "2010", "Chips held by player-dealers"),
    ("toke:*", "2020", "Tips owed to dealers"),
    ("house:*", "3000", "House"),
    ("over-short", "6000", "Over and short"),
)
KINDS = tuple(key.removesuffix(":*") for key, _, _ in STARTER)
_Text = Annotated[str, Meta(pattern=TRIMMED_PATTERN, max_length=100)]


class BadChart(BadDocument):
    """A chart that cannot be used, or that lacks an account; the message is for its author."""


class ChartKept(Event, frozen=True):
    """The chart from now on, as it was written."""

    text: str


CHART_TOPICS: dict[str, type[Event]] = {"chart.kept.v1": ChartKept}


class PropertyAccount(Struct, frozen=True, forbid_unknown_fields=True):
    code: _Text
    name: _Text


class Chart(Struct, frozen=True):
    accounts: Mapping[str, PropertyAccount]

    def account_for(self, ours: str) -> PropertyAccount | None:
        kind = ours.partition(":")[0]
        return self.accounts.get(ours) or self.accounts.get(f"{kind}:*")


def read_chart(text: str) -> Chart:
    file = PropertyFile(text, "The chart of accounts", BadChart)
    accounts = {key: file.read(PropertyAccount, key) for key in file.content}
    for fault, *path in _faults(accounts):
        raise file.mistake(fault, *path)
    return Chart(accounts)


def starter() -> str:
    """Return a chart to start from; the property changes codes and names."""
    return "\n".join(f'["{key}"]\ncode = "{code}"\nname = "{name}"\n' for key, code, name in STARTER)


def keep_chart(text: str) -> ChartKept:
    """Store a chart; refused if it cannot be used."""
    read_chart(text)
    return ChartKept(text)


def _faults(accounts: Mapping[str, PropertyAccount]) -> Iterator[tuple[str, ...]]:
    """Each with the key that it is about."""
    if not accounts:
        yield ("it has no accounts",)
    names: dict[str, str] = {}
    for key, account in accounts.items():
        kind, colon, name = key.partition(":")
        if not kind or (colon and not name) or (name == "*" and kind not in KINDS):
            yield f"the journal has no account {key!r}; its kinds are {', '.join(KINDS)}", key
        if names.setdefault(account.code, account.name) != account.name:
            yield f"code {account.code} is called {names[account.code]!r} and {account.name!r}", key


def check_complete(chart: Chart, ours: Iterable[str]) -> None:
    """Refuse a chart that would leave an amount out of the books."""
    missing = sorted({account for account in ours if chart.account_for(account) is None})
    if missing:
        raise BadChart(f"The chart of accounts has no place for {', '.join(missing[:10])}.")

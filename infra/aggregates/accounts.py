"""The stored accounts that rulings can choose from."""

from __future__ import annotations

from typing import NamedTuple

from domain.books import accounts
from infra.store.event_store import LedgerEventStore
from infra.store.streams import stream_id

ACCOUNTS = "account", "books"  # one aggregate, so that two rulings cannot open the same account at once


class StoredAccounts(NamedTuple):
    listed: tuple[str, ...]
    version: int


def stored_accounts(events: LedgerEventStore) -> StoredAccounts:
    entries = events.load(stream_id(*ACCOUNTS))
    return StoredAccounts(accounts.listed(entry.event for entry in entries), len(entries))

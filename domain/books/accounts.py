"""Accounts that pay or receive what a ruling moves: those that every property has, and those that somebody opened."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from domain.errors import BadChoice
from domain.event import Event

BUILT_IN = ("player-dealer", "house", "tray", "cage")
ALIASES = frozenset({"bank"})  # another word for the player-dealer of the round


class AccountOpened(Event, frozen=True):
    """An account opened by a ruling that says that it is new."""

    account: str


ACCOUNT_TOPICS: dict[str, type[Event]] = {"account.opened.v1": AccountOpened}


def listed(events: Iterable[AccountOpened]) -> tuple[str, ...]:
    """Return all accounts that a ruling can choose from."""
    return (*BUILT_IN, *sorted({event.account for event in events}))


def check_named(accounts: Collection[str], named: Iterable[str], new: bool, clause: str) -> list[AccountOpened]:
    """Return the accounts that a ruling opens. One that is not on the list is refused unless the ruling says that it is
    new."""
    unknown = dict.fromkeys(name.strip() for name in named if name.strip() not in {*accounts, *ALIASES})
    if unknown and not new:
        found, choices = ", ".join(unknown), ", ".join(accounts)
        raise BadChoice(f"{found} is none of the accounts {choices}: say that it is a new account.", clause)
    return [AccountOpened(name) for name in unknown]

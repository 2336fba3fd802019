"""Exports of gaming days to accounting software, recorded so that a second one is recognised."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from domain.event import Event

PROGRAMS = ("csv", "quickbooks", "xero", "beancount", "hledger")


class JournalExported(Event, frozen=True):
    """`digest` is that of the figures: the same day with the same figures has the same one."""

    day: date
    program: str
    number: str
    digest: str


EXPORT_TOPICS: dict[str, type[Event]] = {"export.journal.v1": JournalExported}


def seen_before(before: Sequence[JournalExported], exported: JournalExported) -> str | None:
    """Return the remark on an export that is not the first of its day for its program."""
    same = [one for one in before if one.program == exported.program]
    if not same:
        return None
    times = f"{len(same)} time{'s' if len(same) > 1 else ''} before"
    if same[-1].digest == exported.digest:
        return f"{exported.day} was exported for {exported.program} {times}, with the same figures: import it once."
    return (
        f"{exported.day} was exported for {exported.program} {times}, with other figures: the file before says"
        f" {same[-1].digest}, this one {exported.digest}."
    )

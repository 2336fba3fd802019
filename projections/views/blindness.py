"""Blindness: people who may count boxes must not see what the boxes should hold. Every route and page passes this
check.

Blindness belongs to a person, whatever role they use. While a box of a table has no count that two people agree on,
they get no fees, rounds or collections of that table, and no figure of its boxes but their own count. Each route
declares which tables its answer is about; the default is every table, so that a new route is closed to them until
somebody has thought about it (decision 15)."""

from __future__ import annotations

from collections.abc import Collection
from typing import LiteralString

from msgspec import Struct

from domain.round.events import RoundOpened
from infra.access.callers import BOOKS, COUNTER, OPEN, Caller, Forbidden
from infra.ledger.disputes.disputes import Disputes, UnknownDispute
from infra.ledger.ledger import Ledger
from infra.store.streams import stream_id
from projections.views.read_side import ReadSide

Tables = Collection[str] | None  # None: every table, or one that is not known
UNCOUNTED: LiteralString = (
    "SELECT DISTINCT ON (table_id) table_id, box FROM projections.drops WHERE status IN ('installed', 'removed') "
    "ORDER BY table_id, installed_at, box"
)


def table_of_round(ledger: Ledger, round_id: str) -> Tables:
    """Return the table of a round; None if no such round is stored."""
    first = ledger.events.load(stream_id("round", round_id), lte=1)
    if not first:
        return None
    opened = first[0].event
    return (opened.table,) if isinstance(opened, RoundOpened) and opened.table is not None else None


def table_of_dispute(ledger: Ledger, dispute_id: str) -> Tables:
    try:
        dispute = Disputes(ledger).get(dispute_id)
    except UnknownDispute:
        return None
    return table_of_round(ledger, dispute.dispute.opened.round)


def tables_of_search_and_round(ledger: Ledger, asked: Tables, round_id: str) -> Tables:
    """Return the tables: where a round is among others reveals something of those too."""
    own = table_of_round(ledger, round_id)
    return None if asked is None or own is None else (*asked, *own)


def may_count(read_side: ReadSide, caller: Caller) -> bool:
    """Return whether the caller counts boxes: by their role, another of their parts, or a token. Without authentication
    nobody is known."""
    if caller.role == OPEN:
        return False
    if caller.role == COUNTER or caller.counts:
        return True
    if not read_side.access.is_fresh():
        read_side.access.refresh()
    return read_side.access.may_count(caller.by)


def is_surely_sighted(read_side: ReadSide, caller: Caller) -> bool:
    """Return whether it is known without a query that the caller may not count."""
    if caller.role == OPEN:
        return True
    access = read_side.access
    return not (caller.role == COUNTER or caller.counts) and access.is_fresh() and not access.may_count(caller.by)


def hidden_tables(read_side: ReadSide) -> dict[str, str]:
    """Return the tables with a box without an agreed count, each with the first such box."""
    read_side.bring_up_to_date("drops")
    return dict(read_side.database.rows(UNCOUNTED))


def check_sight(read_side: ReadSide, caller: Caller, tables: Tables) -> None:
    if not may_count(read_side, caller):
        return
    hidden = hidden_tables(read_side)
    for table in sorted(hidden.keys() if tables is None else hidden.keys() & set(tables)):
        raise Forbidden(
            f"Whoever may count boxes sees no fees, rounds or collections of table {table} until two counts of its box "
            f"{hidden[table]} agree."
        )


def check_sight_of_round(read_side: ReadSide, caller: Caller, tables: Tables) -> None:
    """Refuse a round of a hidden table, and one that is not stored, in the same words: which ids are rounds would show
    how many there are."""
    if not may_count(read_side, caller):
        return
    hidden = hidden_tables(read_side)
    if hidden and (tables is None or hidden.keys() & set(tables)):
        raise Forbidden(
            "Whoever may count boxes sees no round of a table until two counts of its box agree, and is not told "
            "whether there is one."
        )


class Sight(Struct, frozen=True):
    """What somebody may see of boxes. `hidden` are tables, empty for people who may not count."""

    books: bool  # keeps or audits the books, and may not count
    open: bool  # without authentication
    hidden: frozenset[str]

    def expected(self, table: str, agreed: bool, signed: bool) -> bool:
        """What a box should hold, and everything it follows from."""
        return self.books or self.counts(table, agreed, signed)

    def counts(self, table: str, agreed: bool, signed: bool) -> bool:
        """What others have counted, and so whether it was right."""
        if table in self.hidden:
            return False
        return signed or (agreed and (self.books or self.open))


def sight_of(read_side: ReadSide, caller: Caller) -> Sight:
    counts = may_count(read_side, caller)
    hidden = frozenset(hidden_tables(read_side)) if counts else frozenset[str]()
    return Sight(caller.role in BOOKS and not counts, caller.role == OPEN, hidden)

"""Whoever may count boxes is blind to what the boxes should hold: the one check that every operation and page passes.

Blindness belongs to a person, in whatever role they ask. As long as a box of a table has no count that two people agree
on, they get no fees, rounds or collections of that table, and no figure of its boxes but their own count. What is told
about which tables is declared with each operation and page; where nothing is declared, it is about every table, so that
a new one is closed to them until somebody has thought about it (decision 24).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from api.service.problems import Problem
from domain.events import RoundOpened
from infra.aggregates import stream
from infra.disputes import Disputes, UnknownDispute
from projections.boxes_search import uncounted_boxes

if TYPE_CHECKING:
    from api.service.app import Service
    from api.service.auth import Person

COUNTER = "counter"
OPEN = "open"
BOOKS = frozenset({"accounting", "auditor"})
FILES_OF_EVERYTHING = frozenset({"svg", "beancount", "hledger"})


class Asked(Protocol):
    """An operation that is called, or a page that is visited."""

    service: Service
    person: Person

    def id(self, name: str) -> str: ...

    def query(self, name: str) -> str | None: ...


# ---- of which tables something tells fees, rounds or collections; None is every table

Tables = Collection[str] | None
Scope = Callable[[Asked], Tables]


def every_table(asked: Asked) -> Tables:
    return None


def no_table(asked: Asked) -> Tables:
    return ()


def table_in_path(asked: Asked) -> Tables:
    return (asked.id("table"),)


def table_asked_for(asked: Asked) -> Tables:
    """The one that the address asks for; a terminal has its own. Some files are of everything all the same."""
    table = asked.query("table") or asked.person.table
    if table is None or asked.query("format") in FILES_OF_EVERYTHING:
        return None
    return (table,)


def table_of_round(asked: Asked) -> Tables:
    return _table_of(asked, asked.id("round"))


def table_of_dispute(asked: Asked) -> Tables:
    try:
        dispute = Disputes(asked.service.ledger).get(asked.id("dispute"))
    except UnknownDispute:
        return ()
    return _table_of(asked, dispute.dispute.opened.round)


def _table_of(asked: Asked, round_id: str) -> Tables:
    """Of a round that is not there nothing is told."""
    first = asked.service.ledger.events.load(stream("round", round_id), lte=1)
    if not first:
        return ()
    opened = first[0].event
    return (opened.table,) if isinstance(opened, RoundOpened) and opened.table is not None else None


# ---- who is blind, and to what


def may_count(asked: Asked) -> bool:
    """By their role, by another of their parts, or by a token. Without authentication nobody is known."""
    person, access = asked.person, asked.service.access
    if person.role == OPEN:
        return False
    if person.role == COUNTER or person.counts:
        return True
    if not access.is_fresh():
        access.refresh()
    return access.may_count(person.by)


def hidden_tables(asked: Asked) -> dict[str, str]:
    """The tables with a box that is not counted and agreed, each with such a box."""
    asked.service.projecting.bring_up_to_date("drops")
    return uncounted_boxes(asked.service.ledger.events.recorder.database)


def needs_a_thread(asked: Asked, scope: Scope) -> bool:
    """Whether `check` would have to ask the database; where not, there is nothing to refuse."""
    person, access = asked.person, asked.service.access
    if scope is no_table or person.role == OPEN:
        return False
    return person.role == COUNTER or person.counts or not access.is_fresh() or access.may_count(person.by)


def check(asked: Asked, scope: Scope) -> None:
    if scope is no_table or not may_count(asked):
        return
    hidden = hidden_tables(asked)
    tables = scope(asked)
    for table in sorted(hidden.keys() if tables is None else hidden.keys() & set(tables)):
        raise Problem(
            "forbidden",
            f"Whoever may count boxes sees no fees, rounds or collections of table {table} until two counts of its box "
            f"{hidden[table]} agree.",
        )


# ---- figures of boxes


class Reader(Struct, frozen=True):
    """What somebody may see of boxes. `hidden` has tables, and is empty for whoever may not count."""

    books: bool  # keeps or audits the books, and may not count
    open: bool  # there is no authentication
    hidden: frozenset[str]

    def expected(self, table: str, agreed: bool, signed: bool) -> bool:
        """What a box should hold, and all that it follows from."""
        return self.books or self.counts(table, agreed, signed)

    def counts(self, table: str, agreed: bool, signed: bool) -> bool:
        """What others have counted, and so whether it was right."""
        if table in self.hidden:
            return False
        return signed or (agreed and (self.books or self.open))


def reader(asked: Asked) -> Reader:
    counts = may_count(asked)
    hidden = frozenset(hidden_tables(asked)) if counts else frozenset[str]()
    return Reader(asked.person.role in BOOKS and not counts, asked.person.role == OPEN, hidden)

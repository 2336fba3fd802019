"""Admission: the dependencies by which a route or a page declares its roles and the tables it is about.

    caller: Annotated[Caller, Security(http.round_caller, scopes=["floor", "auditor"])]

The scopes are the admitted roles, any of them. The dependency says of which tables an answer reveals fees, rounds or
collections: `caller` (every table; the default, closed to people who may still have to count), `table_caller` (the one
in the path), `round_caller` and `dispute_caller` (the round's), `searching_caller` (the one searched for, else every
one), `neighbour_caller` (that and the round's), `plain_caller` (none)."""

import re
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Path, Request

from api.service.fields import ID_PATTERN
from api.service.problems import Problem
from api.service.state import Service
from infra.access.callers import Caller
from infra.access.grants import Second
from infra.access.signatures import Authentication
from projections.views.blindness import (
    Tables,
    check_sight,
    check_sight_of_round,
    is_surely_sighted,
    table_of_dispute,
    table_of_round,
    tables_of_search_and_round,
)
from projections.views.read_side import ReadSide

FILES_OF_EVERYTHING = frozenset({"svg", "beancount", "hledger"})  # whichever table they are asked for
_ID = re.compile(ID_PATTERN)


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def the_service(request: Request) -> Service:
    return service_of(request)


ServiceOf = Annotated[Service, Depends(the_service)]


def path_id(example: str, description: str) -> Any:
    return Path(pattern=ID_PATTERN, description=description, examples=[example])


TableId = Annotated[str, path_id("t1", "The table's id.")]
RoundId = Annotated[str, path_id("r-0001", "The round's id.")]
DisputeId = Annotated[str, path_id("d-0001", "The dispute's id.")]
BoxId = Annotated[str, path_id("t1-box-1", "The drop box's id.")]


WhichTables = Callable[[Service, Caller, Request], Tables]


class About(NamedTuple):
    """Of which tables an answer reveals fees, rounds or collections, and how that is checked."""

    tables: WhichTables
    check: Callable[[ReadSide, Caller, Tables], None] = check_sight


async def check_tables(request: Request, caller: Caller, about: About | None) -> Caller:
    """Refuse somebody who may still have to count a box of these tables."""
    service = service_of(request)
    if about is not None and not is_surely_sighted(service.read_side, caller):
        await service.run(lambda: about.check(service.read_side, caller, about.tables(service, caller, request)))
    return caller


def searched_table(request: Request, caller: Caller) -> str | None:
    """Return the one table that a search is about; None if it may be about others. Pages read an id without the spaces
    around it, so what is not exactly an id may be any table's."""
    table = request.query_params.get("table") or caller.table
    return table if table is not None and _ID.fullmatch(table) else None


class Admission:
    """The dependencies of one interface, each of `kind`, which recognises callers and checks their roles.

    They are one level deep, and take ids from the address themselves: each level and each parameter of dependencies
    takes time in every request."""

    def __init__(self, kind: Callable[[About | None], Any]) -> None:
        self.plain_caller = kind(None)
        self.caller = kind(EVERY_TABLE)
        self.table_caller = kind(About(lambda _, __, request: (_in_path(request, "table"),)))
        self.round_caller = kind(About(_of_round, check_sight_of_round))
        self.dispute_caller = kind(About(_of_dispute, check_sight_of_round))
        self.searching_caller = kind(About(_searched))
        self.neighbour_caller = kind(About(_searched_and_round, check_sight_of_round))


EVERY_TABLE = About(lambda *_: None)


def _in_path(request: Request, name: str) -> str:
    """Return an id in the address, which is not validated yet."""
    found = str(request.path_params[name])
    if not _ID.fullmatch(found):
        raise Problem("not_found", f"There is nothing here: `{name}` is not an id.")
    return found


def _of_round(service: Service, _: Caller, request: Request) -> Tables:
    return table_of_round(service.ledger, _in_path(request, "round"))


def _of_dispute(service: Service, _: Caller, request: Request) -> Tables:
    return table_of_dispute(service.ledger, _in_path(request, "dispute"))


def _searched(_: Service, caller: Caller, request: Request) -> Tables:
    of_everything = request.query_params.get("format") in FILES_OF_EVERYTHING
    table = None if of_everything else searched_table(request, caller)
    return None if table is None else (table,)


def _searched_and_round(service: Service, caller: Caller, request: Request) -> Tables:
    table = searched_table(request, caller)
    asked = None if table is None else (table,)
    return tables_of_search_and_round(service.ledger, asked, _in_path(request, "round"))


class SecondPerson:
    """The second signer of a command, by the authentication that came with it."""

    def __init__(self, service: Service, request: Request, given: Authentication | None, roles: frozenset[str]) -> None:
        self._service = service
        self._request = request
        self._given = given
        self._roles = roles

    def signed(self, named: str, first: Caller | None = None) -> str:
        """Return the id of the second signer, once authenticated; `first` is whom they sign with, if not the caller.
        Run in a thread."""
        caller: Caller = first or self._request.scope["caller"]
        return self._service.signatures.second(caller, named, self._given, self._roles)

    def confirmed(self, named: str) -> str:
        """Return the id of the person who alone confirms the caller's request; the caller may be a terminal. Run in a
        thread."""
        caller: Caller = self._request.scope["caller"]
        return self._service.signatures.confirmation(caller, named, self._given, self._roles)

    def named(self, named: str | None) -> Second | None:
        """Return the named second person of a grant, which two people sign only if it moves money or signs."""
        return None if named is None else Second(named, self._given)

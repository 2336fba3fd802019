"""Admission: the dependencies by which a route or a page declares its roles and the tables it is about.

    caller: Annotated[Caller, Security(http.round_caller, scopes=["floor", "auditor"])]

The scopes are the admitted roles, any of them. The dependency says of which tables an answer reveals fees, rounds or
collections: `caller` (every table; the default, closed to people who may still have to count), `table_caller` (the one
in the path), `round_caller` and `dispute_caller` (the round's), `searching_caller` (the one searched for, else every
one), `neighbour_caller` (that and the round's), `plain_caller` (none)."""

import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Path, Request, Security

from api.service.fields import ID_PATTERN
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


async def check_tables(service: Service, caller: Caller, tables: Callable[[], Tables]) -> Caller:
    if not is_surely_sighted(service.books, caller):
        await service.run(lambda: check_sight(service.books, caller, tables()))
    return caller


async def check_round(service: Service, caller: Caller, tables: Callable[[], Tables]) -> Caller:
    if not is_surely_sighted(service.books, caller):
        await service.run(lambda: check_sight_of_round(service.books, caller, tables()))
    return caller


def searched_table(request: Request, caller: Caller) -> str | None:
    """Return the one table that a search is about; None if it may be about others. Pages read an id without the spaces
    around it, so what is not exactly an id may be any table's."""
    table = request.query_params.get("table") or caller.table
    return table if table is not None and _ID.fullmatch(table) else None


class Admission:
    """The dependencies of one interface, based on how it recognises callers and checks roles.

    Each level of dependencies takes time in every request, so the service is taken from the request here."""

    def __init__(self, authenticate: Callable[..., Awaitable[Caller]]) -> None:
        Admitted = Annotated[Caller, Security(authenticate)]  # noqa: N806

        async def caller(request: Request, admitted: Admitted) -> Caller:
            return await check_tables(service_of(request), admitted, lambda: None)

        async def table_caller(request: Request, admitted: Admitted, table: TableId) -> Caller:
            return await check_tables(service_of(request), admitted, lambda: (table,))

        async def round_caller(request: Request, admitted: Admitted, round: RoundId) -> Caller:
            service = service_of(request)
            return await check_round(service, admitted, lambda: table_of_round(service.ledger, round))

        async def dispute_caller(request: Request, admitted: Admitted, dispute: DisputeId) -> Caller:
            service = service_of(request)
            return await check_round(service, admitted, lambda: table_of_dispute(service.ledger, dispute))

        async def searching_caller(request: Request, admitted: Admitted) -> Caller:
            of_everything = request.query_params.get("format") in FILES_OF_EVERYTHING
            table = None if of_everything else searched_table(request, admitted)
            return await check_tables(service_of(request), admitted, lambda: None if table is None else (table,))

        async def neighbour_caller(request: Request, admitted: Admitted, round: RoundId) -> Caller:
            service = service_of(request)
            table = searched_table(request, admitted)
            asked = None if table is None else (table,)
            return await check_round(
                service, admitted, lambda: tables_of_search_and_round(service.ledger, asked, round)
            )

        self.plain_caller = authenticate
        self.caller = caller
        self.table_caller = table_caller
        self.round_caller = round_caller
        self.dispute_caller = dispute_caller
        self.searching_caller = searching_caller
        self.neighbour_caller = neighbour_caller


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

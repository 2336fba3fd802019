"""What a page is: its address, who may see it, what it shows, what its forms do. Declared once, as operations are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from starlette.responses import Response

from api.service.auth import OPEN, Person
from api.service.blindness import Scope, every_table
from api.service.problems import Problem

if TYPE_CHECKING:
    from api.web.visit import Visit

ANYBODY = frozenset({"terminal", "floor", "cage", "counter", "accounting", "auditor", "admin"})
Crumbs = tuple[tuple[str, str], ...]  # what leads here: words and address


class View(Struct, frozen=True):
    """What a page has to show. `data` is plain values (text, numbers, lists, mappings): the JSON twin is exactly that,
    and the template has each of its keys as a name."""

    data: Mapping[str, Any]
    title: str | None = None  # where the page's own will not do
    crumbs: Crumbs = ()
    status: int = 200


class Page(Struct, frozen=True):
    path: str
    name: str
    title: str
    template: str
    show: Callable[[Visit], Awaitable[View | Response]]
    roles: frozenset[str] | None  # None: anybody, even before he has signed in
    nav: str | None = None  # its words in the navigation
    section: str | None = None  # the name of the page whose entry in the navigation is marked; itself by default
    submit: Callable[[Visit], Awaitable[Response]] | None = None  # what is done with a form that is sent here
    writes: bool = False  # for the figures of the service: a page stores nothing itself
    about: Scope = every_table  # of which tables it tells fees, rounds or collections, as operations have it

    def admits(self, role: str) -> bool:
        return self.roles is None or role == OPEN or role in self.roles

    def check(self, person: Person) -> None:
        if not self.admits(person.role):
            *others, last = sorted(self.roles or ())
            whose = f"{', '.join(others)} or {last}" if others else last
            raise Problem("forbidden", f"This page is for the role {whose}, and you are here as {person.role}.")

"""Every operation of the HTTP interface, from FastAPI's own routes and the document that it derives from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.sse import EventSourceResponse
from msgspec import Struct

from api.http import dependencies
from api.http.dependencies import SecondSigner, plain_caller, writing
from api.http.documentation import with_examples
from api.http.routes import ROUTERS
from api.pages.routes import PAGES

ADMISSIONS = {
    getattr(dependencies, name): name
    for name in ("caller", "table_caller", "round_caller", "dispute_caller", "searching_caller", "neighbour_caller")
}
PLAIN = "plain_caller"  # of no table: whoever recognises the caller is all there is
ABOUT_NO_TABLE = {PLAIN}


class Param(Struct, frozen=True):
    name: str
    where: str
    schema: dict[str, Any]


class Operation(Struct, frozen=True):
    method: str
    path: str
    name: str
    roles: frozenset[str] | None  # None: anybody, even without a token
    admission: str | None  # the dependency that says which tables it is about
    params: tuple[Param, ...]
    body_example: Any
    two_people: frozenset[str]
    writes: bool
    streams: bool
    tags: frozenset[str]

    @property
    def about_no_table(self) -> bool:
        return self.admission in ABOUT_NO_TABLE


def document() -> dict[str, Any]:
    app = FastAPI()
    for router in ROUTERS:
        app.router.routes.extend(router.routes)
    return with_examples(app.openapi())


def _dependencies(dependant: Dependant) -> Iterator[Any]:
    for dependency in dependant.dependencies:
        yield dependency.call
        yield from _dependencies(dependency)


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref", "")
    return DOCUMENT["components"]["schemas"][reference.rpartition("/")[2]] if reference else schema


def _body_example(described: dict[str, Any]) -> Any:
    content = described.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return None
    if "examples" in content:
        return next(iter(content["examples"].values()))["value"]
    schema = content["schema"]
    schema = _resolved(schema["anyOf"][0] if "anyOf" in schema else schema)
    if "examples" in schema:
        return schema["examples"][0]
    return {name: field["examples"][0] for name, field in schema["properties"].items() if "examples" in field}


def _operation(route: APIRoute) -> Operation:
    path, (method,) = re.sub(r":\w+", "", route.path), sorted(route.methods or ())
    described = DOCUMENT["paths"][path][method.lower()]
    calls = list(_dependencies(route.dependant))
    (second,) = [call.roles for call in calls if isinstance(call, SecondSigner)] or [frozenset[str]()]
    security, example = described.get("security"), _body_example(described)
    return Operation(
        method,
        path,
        described["operationId"],
        None if security is None else frozenset(security[0]["bearerAuth"]),
        next((ADMISSIONS[call] for call in calls if call in ADMISSIONS), PLAIN if plain_caller in calls else None),
        tuple(Param(one["name"], one["in"], _choices(one["schema"])) for one in described.get("parameters", ())),
        example,
        second if "second_person" in (example or ()) else frozenset(),
        writing in calls,
        route.response_class is EventSourceResponse,
        frozenset(described["tags"]),
    )


def _choices(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the null of what may be left out."""
    (first, *_) = schema.get("anyOf", [schema])
    found: dict[str, Any] = first
    return found


def _is_shown(route: APIRoute) -> bool:
    return "GET" in (route.methods or ())


DOCUMENT = document()
OPERATIONS = [_operation(route) for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
# Of every page that is shown at an address.
PAGE_PATHS = [
    route.path for router in PAGES for route in router.routes if isinstance(route, APIRoute) and _is_shown(route)
]

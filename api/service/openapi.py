"""The OpenAPI 3.1 document, put together from the declared operations and the types of their bodies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any, get_args

import msgspec

from api.service import examples, shapes
from api.service.operations import Answer, Operation, Param
from api.service.problems import MEDIA_TYPE, STATUSES, TITLES
from api.service.telling import JSON
from domain import rulesets
from domain.actions import SpotName
from domain.moments import MOMENT_PATTERN

ID = {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,39}$"}
# Without its format, which generators of clients take for an object that no header can hold.
MOMENT = {"type": "string", "pattern": f"^{MOMENT_PATTERN}$"}
SEAT = {"type": "integer", "minimum": 1, "maximum": 9}
PATH_NAME = re.compile(r"\{(\w+)\}")
EXAMPLES_OF_PATHS: dict[str, Any] = {"ruleset": "uth-house", "table": "t1", "round": "r-0001", "seat": 5}
RULES_SAY = ("out_of_turn", "bad_choice", "limit", "missing_wager", "duplicate_card", "wrong_cards")

HEADERS: dict[str, Any] = {
    "ETag": {"description": "The round's version, in quotes.", "schema": {"type": "string", "pattern": '^"[0-9]+"$'}},
    "Location": {"description": "Where the round is.", "schema": {"type": "string"}},
    "Idempotent-Replayed": {
        "description": "There, and `true`, where this is the answer to an earlier request under the same key.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "X-Request-Id": {"description": "By which the request is found in the log.", "schema": {"type": "string"}},
}
DESCRIPTION = """
Rounds of casino table games, action by action. Every round answer carries `version`, which is also its `ETag`, and
`expects`, the actions that may come next. Writes take an `Idempotency-Key`: the same request again is answered as the
first time. Cards that lie face down are in no answer before they are turned over.
""".strip()


def document(operations: Sequence[Operation], authenticated: bool) -> dict[str, Any]:
    """Of a service with or without authentication: what is not asked for is not described as needed."""
    paths: dict[str, dict[str, Any]] = {}
    types = _types(operations)
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(map(repr, types), schemas, strict=True))
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schema_of, authenticated)
    _widen(components)
    described = {
        "openapi": "3.1.0",
        "info": {
            "title": "roundledger",
            "version": version("roundledger"),
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}] if authenticated else [],
        "tags": [{"name": tag} for tag in dict.fromkeys(operation.tag for operation in operations)],
        "paths": paths,
        "components": {
            "schemas": components,
            "headers": HEADERS,
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "JWT",
                    "description": "A token with a role. A service without authentication asks for none.",
                }
            },
        },
    }
    return _as_generators_read_it(described)  # type: ignore[no-any-return]


def _types(operations: Iterable[Operation]) -> list[Any]:
    types = [answer.shape for operation in operations for answer in operation.answers.values()]
    types += [operation.body for operation in operations if operation.body is not None]
    types.append(shapes.ProblemShown)
    return list({repr(type_): type_ for type_ in types}.values())


def _widen(components: dict[str, Any]) -> None:
    """What types cannot say: the ids of the rule sets, the names of spots as keys, and an action that few have seen."""
    limits = components["TermsDocument"]["properties"]["limits"]
    limits["propertyNames"] = {"enum": list(get_args(SpotName))}
    components["SessionBody"]["properties"]["ruleset"]["enum"] = list(rulesets.ids())
    components["RoundDocument"]["properties"]["ruleset"]["examples"] = list(rulesets.ids())
    components["Withdraw"]["examples"] = [examples.WITHDRAW]


def _operation(operation: Operation, schema_of: dict[str, Any], authenticated: bool) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.tag],
        "parameters": _parameters(operation),
        "responses": _responses(operation, schema_of),
    }
    who = _who(operation)
    described["description"] = f"{operation.description} {who}".strip()
    if operation.roles is None and authenticated:
        described["security"] = []
    if operation.body is not None:
        described["requestBody"] = _request_body(operation, schema_of)
    return described


def _request_body(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    schema = schema_of[repr(operation.body)]
    if operation.body is shapes.RoundDocument:
        # Whatever is sent is judged, and refused in the result: so any JSON is taken, and this is what it should be.
        schema = {"anyOf": [schema, {"description": "Anything else is answered with a refused result."}]}
    content = {JSON: {"schema": schema, "examples": {"example": {"value": operation.body_example}}}}
    return {"required": operation.body is not shapes.Nothing, "content": content}


def _who(operation: Operation) -> str:
    if operation.roles is None:
        return "Open to anybody."
    text = f"For the roles {', '.join(sorted(operation.roles))}."
    if operation.second_roles:
        text += " With authentication the second person signs too, by a token in Second-Authorization."
    return text


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    declared = {param.name: param for param in operation.params}
    params = []
    for name in PATH_NAME.findall(operation.path):
        schema = SEAT if name == "seat" else ID
        params.append(declared.pop(name, Param(name, schema, f"The {name}'s id.", "path", True)))
    params += declared.values()
    if operation.writes:
        key = {"type": "string", "pattern": "^[!-~]{1,200}$"}
        params.append(Param("Idempotency-Key", key, "Of the caller's choice, one for each request.", "header"))
        params.append(Param("Happened-At", MOMENT, "When it happened at the table, if not now.", "header"))
        late = {"type": "string", "enum": ["true", "false"]}
        params.append(Param("Late-Entry", late, "Entered afterwards; so is what is over a minute old.", "header"))
    if operation.conditional:
        tag = {"type": "string"}
        params.append(Param("If-Match", tag, "A round's ETag: only onto this version of it.", "header"))
    if operation.second_roles:
        second = {"type": "string"}
        params.append(Param("Second-Authorization", second, "The second person's bearer token.", "header"))
    return [
        {
            "name": param.name,
            "in": param.where,
            "required": param.required,
            "description": param.description,
            "schema": param.schema,
            **({"example": _example(param)} if param.where == "path" else {}),
        }
        for param in params
    ]


def _example(param: Param) -> Any:
    if "enum" in param.schema:
        return param.schema["enum"][0]
    return EXAMPLES_OF_PATHS.get(param.name, f"{param.name}-1")


def _responses(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    responses = {str(status): _answer(answer, schema_of) for status, answer in operation.answers.items()}
    by_status: dict[int, list[str]] = {}
    for code in _codes(operation):
        by_status.setdefault(STATUSES[code], []).append(code)
    for status, codes in sorted(by_status.items()):
        if str(status) in responses:
            continue
        titles = "; ".join(f"`{code}`: {TITLES[code]}" for code in codes)
        example = {**examples.PROBLEM, "status": status, "code": codes[0], "title": TITLES[codes[0]]}
        example["type"] = f"urn:roundledger:problem:{codes[0]}"
        responses[str(status)] = {
            "description": titles,
            "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
            "content": {
                MEDIA_TYPE: {
                    "schema": schema_of[repr(shapes.ProblemShown)],
                    "examples": {"problem": {"value": example}},
                }
            },
        }
    return responses


def _codes(operation: Operation) -> list[str]:
    """Every problem that can come of it, in the order of the table of statuses."""
    codes = set(operation.problems)
    if operation.roles is not None:
        codes |= {"unauthenticated", "forbidden", "too_many_requests", "bad_document", "unavailable"}
    if "{" in operation.path:
        codes.add("not_found")
    if operation.body is not None:
        codes |= {"bad_document", "too_large", "unsupported_media_type"}
    if operation.writes:
        codes |= {"key_reused", *RULES_SAY}
    if operation.conditional:
        codes.add("stale")
    return [code for code in STATUSES if code in codes]


def _answer(answer: Answer, schema_of: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {
        answer.media_type: {"schema": schema_of[repr(answer.shape)], "examples": {"example": {"value": answer.example}}}
    }
    content.update({media_type: {"schema": {"type": "string"}} for media_type in answer.also})
    headers = ("X-Request-Id", *answer.headers)
    return {
        "description": answer.description,
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
        "content": content,
    }


def _as_generators_read_it(value: Any) -> Any:
    """What msgspec writes, as JSON Schema has patterns, and without what generators of clients stumble over.

    The beginning and end of a text are ^ and $ in a pattern. `items: false` behind a fixed list says no more than its
    `maxItems` does, and generators take no boolean for a schema.
    """
    if isinstance(value, dict):
        if value.get("items") is False and "maxItems" in value:
            value = {name: item for name, item in value.items() if name != "items"}
        return {
            name: _pattern(item) if name == "pattern" and isinstance(item, str) else _as_generators_read_it(item)
            for name, item in value.items()
        }
    return [_as_generators_read_it(item) for item in value] if isinstance(value, list) else value


def _pattern(pattern: str) -> str:
    if pattern.startswith("\\A") and pattern.endswith("\\Z"):
        return f"^{pattern[2:-2]}$"
    return pattern

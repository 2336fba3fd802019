"""A gaming day or a shift on one sheet, as JSON or as the page to print and sign."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
from starlette.responses import Response

from api.service import examples, shapes
from api.service.operations import ID, Answer, Call, Operation, Param
from api.service.problems import Problem
from api.service.reports import (
    DAY_SCHEMA,
    ID_SCHEMA,
    MOMENT_SCHEMA,
    ROWS,
    WORD,
    WORD_SCHEMA,
    read_day,
    read_matching,
    read_moment_of,
)
from api.service.rounds import read_number, record_look
from projections.reports import BadFilter, Filters
from projections.summary import NAMES, PROJECTIONS, summary, summary_for

FORMATS = {"json": "application/json", "pdf": "application/pdf"}


async def get_summary(call: Call) -> Response:
    name: str = call.request.path_params["name"]
    if name not in NAMES:
        raise Problem("not_found", f"There is a summary of a {' or a '.join(NAMES)}.")
    format_ = call.query("format") or "json"
    if format_ not in FORMATS:
        raise Problem("bad_document", f"`format` is one of {', '.join(FORMATS)}.")
    filters = Filters(
        table=read_matching(call, "table", ID.pattern),
        gaming_day=read_day(call, "gaming_day"),
        shift=read_matching(call, "shift", WORD[1:-1]),
        as_of=read_moment_of(call, "as_of"),
        limit=read_number(call, "limit", ROWS),
    )
    body = await call.in_thread(_summed_up, call, name, filters, format_)
    headers = {} if format_ == "json" else {"Content-Disposition": f'attachment; filename="{name}.{format_}"'}
    return Response(body, 200, headers, FORMATS[format_])


def _summed_up(call: Call, name: str, filters: Filters, format_: str) -> bytes:
    try:
        found = _found(call, name, filters)
    except BadFilter as error:
        raise Problem("bad_choice", str(error)) from None
    record_look(call, f"summary as {format_}", f"{name}?{call.request.url.query}"[:500])
    if format_ == "pdf":
        from projections.clock import clock_of
        from projections.pdf import summary_sheet

        return summary_sheet(found, datetime.now(UTC), clock_of(call.service.ledger.events.recorder.database))
    return msgspec.json.encode(found)


def _found(call: Call, name: str, filters: Filters) -> dict[str, Any]:
    service, now = call.service, datetime.now(UTC)
    if filters.on_the_past:
        return summary(service.database_url, name, filters, now)
    service.projecting.bring_up_to_date(*PROJECTIONS)
    return summary_for(service.ledger.events.recorder.database, name, filters, now, service.site.clock.days())


OPERATIONS = (
    Operation(
        "GET",
        "/v1/summaries/{name}",
        "getSummary",
        "reports",
        "A gaming day or a shift, summed up",
        get_summary,
        {200: Answer(shapes.Summary, examples.SUMMARY, "Totals and what they are made of.", also=(FORMATS["pdf"],))},
        frozenset({"accounting", "auditor"}),
        "Of the day, or of the shift of it, that is named; without one, of the one that it is now.",
        params=(
            Param("name", {"type": "string", "enum": list(NAMES)}, "Which summary.", "path", True),
            Param("format", {"type": "string", "enum": list(FORMATS)}, "JSON by default; PDF has lines to sign on."),
            Param("gaming_day", DAY_SCHEMA, "The gaming day."),
            Param("shift", WORD_SCHEMA, "The shift, with its gaming day."),
            Param("table", ID_SCHEMA, "Only of this table."),
            Param("as_of", MOMENT_SCHEMA, "As the ledger stood then."),
            Param("limit", ROWS, "How many rows each list has at most; totals are of all."),
        ),
        problems=("bad_choice",),
    ),
)

"""Collection fees over a stretch of days, added up for whoever looks at them."""

from __future__ import annotations

from datetime import UTC, datetime

from starlette.responses import Response

from api.service import examples, shapes
from api.service.blindness import table_asked_for
from api.service.operations import ID, Answer, Call, Operation, Param, answer
from api.service.problems import Problem
from api.service.reports import (
    DAY_SCHEMA,
    ID_SCHEMA,
    MOMENT_SCHEMA,
    READERS,
    WORD,
    WORD_SCHEMA,
    read_day,
    read_matching,
    read_moment_of,
)
from api.service.rounds import record_look
from projections import fees

READING = frozenset(role for role, names in READERS.items() if "collections" in names)


async def get_fees(call: Call) -> Response:
    wanted = fees.Wanted(
        first=read_day(call, "first"),
        last=read_day(call, "last"),
        table=read_matching(call, "table", ID.pattern),
        shift=read_matching(call, "shift", WORD[1:-1]),
        as_of=read_moment_of(call, "as_of"),
    )
    if wanted.first is not None and wanted.last is not None and wanted.first > wanted.last:
        raise Problem("bad_choice", "The first day comes before the last.")
    return answer(await call.in_thread(_found, call, wanted))


def _found(call: Call, wanted: fees.Wanted) -> object:
    if wanted.as_of is None:
        call.service.projecting.bring_up_to_date("collections")
    database = call.service.ledger.events.recorder.database
    found = fees.fees(database, wanted, datetime.now(UTC), call.service.site.clock.days())
    record_look(call, "fees", call.request.url.query[:500])
    return found


OPERATIONS = (
    Operation(
        "GET",
        "/v1/fees",
        "getFees",
        "reports",
        "Collection fees by day, shift, table and tier",
        get_fees,
        {200: Answer(shapes.Fees, examples.FEES, "The same fees added up in several ways.")},
        READING,
        "Over the last seven days with fees, or from `first` to `last`; the report `collections` has single rows.",
        params=(
            Param("first", DAY_SCHEMA, "From this gaming day on."),
            Param("last", DAY_SCHEMA, "Up to this gaming day."),
            Param("table", ID_SCHEMA, "Only of this table."),
            Param("shift", WORD_SCHEMA, "Only of this shift."),
            Param("as_of", MOMENT_SCHEMA, "As the ledger stood then."),
        ),
        problems=("bad_choice",),
        about=table_asked_for,
    ),
)

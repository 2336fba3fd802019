"""Reports in the formats of the command line, and the search among rounds."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, get_args

from msgspec.structs import replace
from starlette.responses import Response

from api.service import examples, shapes
from api.service.auth import OPEN
from api.service.blindness import table_asked_for
from api.service.operations import ID, Answer, Call, Operation, Param, answer
from api.service.problems import Problem
from api.service.remembering import Remembered
from api.service.rounds import read_number, record_look
from domain import rulesets
from domain.events import Outcome
from domain.moments import MOMENT_PATTERN, read_moment
from domain.money import MONEY_PATTERN, cents, money
from projections import pictures
from projections.clock import PropertyClock
from projections.gaming_days import GamingDays
from projections.irregular import IRREGULAR, KINDS
from projections.irregular import STATUSES as DISPUTE_STATUSES
from projections.output import WRITERS, about, ledger_file
from projections.reports import REPORTS, BadFilter, Filters, report_named, rows_for
from projections.rounds_search import Wanted, neighbours, search

DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
CURSOR = r"^[A-Za-z0-9_-]{1,120}$"
WORD = r"^[A-Za-z0-9][A-Za-z0-9 .-]{0,39}$"
ACCOUNT = r"^[^\x00-\x1f]{1,200}$"
ROWS = {"type": "integer", "minimum": 1, "maximum": 1_000_000}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}
SEAT = {"type": "integer", "minimum": 1, "maximum": 9}
ID_SCHEMA = {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,39}$"}
MOMENT_SCHEMA = {"type": "string", "pattern": f"^{MOMENT_PATTERN}$"}
DAY_SCHEMA = {"type": "string", "format": "date", "pattern": DAY}
WORD_SCHEMA = {"type": "string", "pattern": WORD}
MONEY_SCHEMA = {"type": "string", "pattern": "^(0|[1-9][0-9]{0,11})\\.[0-9]{2}$"}
FLAG = {"type": "boolean"}
OUTCOMES: tuple[str, ...] = get_args(Outcome)
STATUSES = ["open", "settled", "void"]
FORMATS = {
    "json": "application/json",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pdf": "application/pdf",
    "svg": "image/svg+xml",
    "beancount": "text/plain",
    "hledger": "text/plain",
}
# Sums over everything that was ever recorded: worked out again only once something has been recorded since.
SUMS_OF_ALL = frozenset({"bankroll", "trial-balance", "card-frequencies", "card-counts"})
SUMS_REMEMBERED = 32
_summed: Remembered[list[dict[str, Any]]] = Remembered(SUMS_REMEMBERED)
LEDGER_FILES = frozenset({"beancount", "hledger"})
NAMES = tuple(REPORTS)
READERS = {
    "floor": frozenset(
        {"exposure", "hands", "rotation", "meters", "collections", *(report.name for report in IRREGULAR)}
    ),
    "cage": frozenset({"bankroll"}),
    "accounting": frozenset(NAMES),
    "auditor": frozenset(NAMES),
}


# ---- what was asked


def read_moment_of(call: Call, name: str) -> datetime | None:
    text = call.query(name)
    if text is None:
        return None
    return read_moment(text, name)


def read_day(call: Call, name: str) -> date | None:
    text = call.query(name)
    if text is None:
        return None
    try:
        if re.fullmatch(DAY[1:-1], text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise Problem("bad_document", f"`{name}` is a date like 2026-03-08.")


def read_matching(call: Call, name: str, pattern: str) -> str | None:
    text = call.query(name)
    if text is not None and not re.fullmatch(pattern, text):
        raise Problem("bad_document", f"`{name}` is not of the form that it has.")
    return text


def read_one_of(call: Call, name: str, words: Sequence[str]) -> str | None:
    text = call.query(name)
    if text is not None and text not in words:
        raise Problem("bad_document", f"`{name}` is one of {', '.join(words)}.")
    return text


def _flag(call: Call, name: str) -> bool | None:
    text = call.query(name)
    if text is None:
        return None
    if text not in ("true", "false"):
        raise Problem("bad_document", f"`{name}` is true or false.")
    return text == "true"


def _money(call: Call, name: str) -> int | None:
    text = read_matching(call, name, MONEY_PATTERN)
    return None if text is None else cents(text)


# ---- searching


async def find_rounds(call: Call) -> Response:
    limit = read_number(call, "limit", LIMIT) or LIMIT["default"]
    assert isinstance(limit, int)
    wanted = replace(_wanted(call), after=read_cursor(call))
    return answer(await call.in_thread(_found, call, wanted, limit))


def _wanted(call: Call) -> Wanted:
    table = read_matching(call, "table", ID.pattern)
    if call.person.role == "terminal":
        table = table or call.person.table
        call.person.check_table(table)
    status = call.query("status")
    if status is not None and status not in STATUSES:
        raise Problem("bad_document", "`status` is open, settled or void.")
    ruleset = call.query("ruleset")
    if ruleset is not None and ruleset not in rulesets.ids():
        raise Problem("bad_document", "`ruleset` is the id of a rule set.")
    outcome = call.query("outcome")
    if outcome is not None and outcome not in OUTCOMES:
        raise Problem("bad_document", f"`outcome` is one of {', '.join(OUTCOMES)}.")
    return Wanted(
        table=table,
        bettor=read_matching(call, "bettor", ID.pattern),
        seat=read_number(call, "seat", SEAT),
        since=read_moment_of(call, "from"),
        until=read_moment_of(call, "to"),
        day=read_day(call, "day"),
        shift=read_matching(call, "shift", WORD[1:-1]),
        ruleset=ruleset,
        status=status,
        outcome=outcome,
        made=read_matching(call, "made", WORD[1:-1]),
        least=_money(call, "least"),
        most=_money(call, "most"),
        shortfall=_flag(call, "shortfall"),
        voided=_flag(call, "voided"),
        corrected=_flag(call, "corrected"),
        noted=_flag(call, "noted"),
        late=_flag(call, "late"),
        disputed=_flag(call, "disputed"),
        waived=_flag(call, "waived"),
        dealer=read_matching(call, "dealer", ID.pattern),
        player_dealer=read_matching(call, "player_dealer", ID.pattern),
    )


def _found(call: Call, wanted: Wanted, limit: int) -> dict[str, Any]:
    call.service.projecting.bring_up_to_date("hands")
    found = search(call.service.ledger.events.recorder.database, wanted, limit + 1)
    record_look(call, "search", call.request.url.query[:500])
    page = found[:limit]
    return {
        "rounds": [_shown(row) for row in page],
        "cursor": cursor_at(page[-1]["opened_at"], page[-1]["round"]) if len(found) > limit else None,
    }


async def get_neighbours(call: Call) -> Response:
    return answer(await call.in_thread(neighbours_for, call))


def neighbours_for(call: Call) -> dict[str, str | None]:
    round_id, wanted = call.id("round"), _wanted(call)
    call.service.projecting.bring_up_to_date("hands")
    newer, older = neighbours(call.service.ledger.events.recorder.database, wanted, round_id)
    return {"newer": newer, "older": older}


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    shown = dict(row)
    shown["table"] = shown.pop("table_id")
    shown["opened_at"] = row["opened_at"].isoformat()
    shown["ended_at"] = None if row["ended_at"] is None else row["ended_at"].isoformat()
    shown["outcomes"] = [outcome for outcome in row["outcomes"] if "/" not in outcome]
    shown["gaming_day"] = row["gaming_day"].isoformat()
    for name in ("action", "wagered", "paid", "collected", "shortfall", "fee"):
        shown[name] = money(row[name])
    return shown


def cursor_at(at: datetime, name: str) -> str:
    """Where a page ended: the moment of its last row, and the name that tells rows of one moment apart."""
    text = f"{round(at.timestamp() * 1000)}/{name}"
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(call: Call) -> tuple[datetime, str] | None:
    text = read_matching(call, "cursor", CURSOR[1:-1])
    if text is None:
        return None
    try:
        at, _, name = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition("/")
        if not ID.fullmatch(name):
            raise ValueError
        return datetime.fromtimestamp(int(at) / 1000, UTC), name
    except (ValueError, OverflowError, OSError):
        raise Problem("bad_choice", "`cursor` is one that an answer gave.") from None


# ---- reports


async def get_report(call: Call) -> Response:
    name: str = call.request.path_params["name"]
    if name not in NAMES:
        raise Problem("not_found", f"There is no report of that name; there are {', '.join(NAMES)}.")
    if call.person.role != OPEN and name not in READERS[call.person.role]:
        raise Problem("forbidden", f"The role {call.person.role} may not read {name}.")
    format_ = call.query("format") or "json"
    if format_ not in FORMATS:
        raise Problem("bad_document", f"`format` is one of {', '.join(FORMATS)}.")
    if format_ in LEDGER_FILES and name != "journal":
        raise Problem("bad_choice", f"Only the journal can be had for {format_}.")
    if format_ == "svg" and name not in pictures.ASKED:
        raise Problem("bad_choice", f"There are pictures of {', '.join(pictures.ASKED)} only.")
    filters = Filters(
        table=read_matching(call, "table", ID.pattern),
        bettor=read_matching(call, "bettor", ID.pattern),
        gaming_day=read_day(call, "gaming_day"),
        shift=read_matching(call, "shift", WORD[1:-1]),
        box=read_matching(call, "box", ID.pattern),
        account=read_matching(call, "account", ACCOUNT[1:-1]),
        first=read_day(call, "first"),
        last=read_day(call, "last"),
        limit=read_number(call, "limit", ROWS),
        as_of=read_moment_of(call, "as_of"),
        since=read_moment_of(call, "from"),
        until=read_moment_of(call, "to"),
        dealer=read_matching(call, "dealer", ID.pattern),
        kind=read_one_of(call, "kind", KINDS),
        status=read_one_of(call, "status", DISPUTE_STATUSES),
        round=read_matching(call, "round", ID.pattern),
    )
    body = await call.in_thread(_report, call, name, filters, format_)
    headers = {}
    if format_ != "json":
        headers["Content-Disposition"] = f'attachment; filename="{name}.{format_}"'
    return Response(body, 200, headers, FORMATS[format_])


def _report(call: Call, name: str, filters: Filters, format_: str) -> bytes:
    if not filters.on_the_past:
        needed = {report_named(name).projection.name}
        if format_ in LEDGER_FILES:
            needed.add("drops")
        if format_ == "svg":
            needed.update(pictures.PROJECTIONS[name])
        for projection in sorted(needed):
            call.service.projecting.bring_up_to_date(projection)
    url = call.service.database_url
    try:
        if format_ in LEDGER_FILES:
            written = "".join(ledger_file(url, format_, filters)).encode()
        elif format_ == "svg":
            written = pictures.draw(url, name, filters)
        else:
            days = call.service.site.clock.days()
            said = about(name, filters, datetime.now(UTC), PropertyClock(days))
            written = WRITERS[format_](name, _rows(call, name, filters, days), said)
    except BadFilter as error:
        raise Problem("bad_choice", str(error)) from None
    record_look(call, f"report as {format_}", f"{name}?{call.request.url.query}"[:500])
    return written


def _rows(call: Call, name: str, filters: Filters, days: GamingDays) -> list[dict[str, Any]]:
    database = call.service.ledger.events.recorder.database
    if filters.on_the_past or name not in SUMS_OF_ALL:
        return rows_for(database, name, filters, days)
    # Asked before the rows are: they may be newer than it says, never older.
    standing = call.service.projecting.standing(report_named(name).projection.name)
    key = (call.service.database_url, name, filters)
    return _summed.of(key, lambda: rows_for(database, name, filters, days), standing)


# ---- declared

_OTHERS = tuple(dict.fromkeys(media_type for media_type in FORMATS.values() if media_type != "application/json"))
_SEARCHING = frozenset({"terminal", "floor", "accounting", "auditor"})
_FILTERS = (
    Param("table", ID_SCHEMA, "Only of this table."),
    Param("bettor", ID_SCHEMA, "Only those that this bettor played in, in whatever part."),
    Param("seat", SEAT, "Only those with a wager at this seat; with `bettor`, those that he played there."),
    Param("from", MOMENT_SCHEMA, "Only those opened then or later."),
    Param("to", MOMENT_SCHEMA, "Only those opened before then."),
    Param("day", DAY_SCHEMA, "Only of this gaming day."),
    Param("shift", WORD_SCHEMA, "Only of this shift."),
    Param("ruleset", {"type": "string", "enum": list(rulesets.ids())}, "Only by this rule set."),
    Param("status", {"type": "string", "enum": STATUSES}, "Only with this status."),
    Param(
        "outcome",
        {"type": "string", "enum": list(OUTCOMES)},
        "Only those in which a wager came out so: at `seat` and of `bettor`, where they are given.",
    ),
    Param("made", WORD_SCHEMA, "Only those in which this hand was made and seen, like `full house`."),
    Param("least", MONEY_SCHEMA, "Only with at least so much wagered."),
    Param("most", MONEY_SCHEMA, "Only with at most so much wagered."),
    Param("shortfall", FLAG, "Only those in which the bank could not pay or collect all, or only the others."),
    Param("voided", FLAG, "Only voided ones, or only the others."),
    Param("corrected", FLAG, "Only corrected ones, or only the others."),
    Param("noted", FLAG, "Only those that the floor has noted something of, or only the others."),
    Param("late", FLAG, "Only those with something that was entered late, or only the others."),
    Param("disputed", FLAG, "Only those with a dispute, whatever became of it, or only the others."),
    Param("waived", FLAG, "Only those whose fee was waived, or only the others."),
    Param("dealer", ID_SCHEMA, "Only those that this dealer dealt; `nobody` where none was tapped in."),
    Param("player_dealer", ID_SCHEMA, "Only those that this bettor banked."),
)

OPERATIONS = (
    Operation(
        "GET",
        "/v1/rounds",
        "findRounds",
        "rounds",
        "Search rounds, newest first",
        find_rounds,
        {200: Answer(shapes.FoundRounds, examples.FOUND, "A page of rounds, and the cursor of the next one.")},
        _SEARCHING,
        params=(
            *_FILTERS,
            Param("limit", LIMIT, "How many a page has at most."),
            Param("cursor", {"type": "string", "pattern": CURSOR}, "Where the page before ended."),
        ),
        problems=("bad_choice",),
        about=table_asked_for,
    ),
    Operation(
        "GET",
        "/v1/rounds/{round}/neighbours",
        "findNeighbours",
        "rounds",
        "The rounds just after and just before one, among those that a search finds",
        get_neighbours,
        {200: Answer(shapes.Neighbours, {"newer": "r-0002", "older": None}, "Their ids, null at either end.")},
        _SEARCHING,
        params=_FILTERS,
        problems=("bad_choice",),
        about=table_asked_for,
    ),
    Operation(
        "GET",
        "/v1/reports/{name}",
        "getReport",
        "reports",
        "A report",
        get_report,
        {200: Answer(list[dict[str, Any]], examples.REPORT, "Its rows, or the same in another format.", also=_OTHERS)},
        frozenset(READERS),
        "Today's rows come from the projections; with `as_of`, `from` or `to` they are worked out from the events.",
        params=(
            Param("name", {"type": "string", "enum": list(NAMES)}, "Which report.", "path", True),
            Param(
                "format",
                {"type": "string", "enum": list(FORMATS)},
                "JSON rows by default; for beancount and hledger the journal only.",
            ),
            Param("table", ID_SCHEMA, "Only of this table."),
            Param("bettor", ID_SCHEMA, "Only of this bettor."),
            Param("gaming_day", DAY_SCHEMA, "Only of this gaming day."),
            Param("shift", WORD_SCHEMA, "Only of this shift."),
            Param("box", ID_SCHEMA, "Only of this drop box."),
            Param("dealer", ID_SCHEMA, "Only of this dealer; `nobody` where none was tapped in."),
            Param("kind", {"type": "string", "enum": list(KINDS)}, "Only disputes about this kind of error."),
            Param("status", {"type": "string", "enum": list(DISPUTE_STATUSES)}, "Only disputes that stand so."),
            Param("round", ID_SCHEMA, "Only of this round."),
            Param("account", {"type": "string", "pattern": ACCOUNT}, "Only of this account of the journal."),
            Param("first", DAY_SCHEMA, "Only from this gaming day on."),
            Param("last", DAY_SCHEMA, "Only up to this gaming day."),
            Param("limit", ROWS, "Only so many rows, the first ones."),
            Param("as_of", MOMENT_SCHEMA, "As the ledger stood then."),
            Param("from", MOMENT_SCHEMA, "Only what belongs to then or later."),
            Param("to", MOMENT_SCHEMA, "Only what belongs to before then."),
        ),
        problems=("bad_choice",),
        about=table_asked_for,
    ),
)

"""Hands: rounds found by every filter that the search has, page by page; their addresses carry the search along."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from api.service.blindness import table_asked_for
from api.service.problems import Problem
from api.service.reports import OUTCOMES, STATUSES
from api.service.rounds import record_look
from api.web.amounts import read_amount, read_time
from api.web.page import Page, View
from api.web.visit import Visit
from domain import rulesets
from domain.money import cents, money

SEARCHING = frozenset({"terminal", "floor", "accounting", "auditor"})
FLAGS = {
    "shortfall": "Bank fell short",
    "voided": "Voided",
    "corrected": "Corrected",
    "noted": "Noted by the floor",
    "late": "Entered late",
    "disputed": "Disputed",
    "waived": "Fee waived",
}
FILTERS = (
    "table", "bettor", "seat", "day", "shift", "from", "to", "ruleset", "status", "outcome", "made", "least", "most",
    "player_dealer", "dealer", *FLAGS,
)  # fmt: skip
ALWAYS_SHOWN = frozenset({"table", "bettor", "day", "ruleset", "made"})
MADE = (
    "royal flush", "straight flush", "four of a kind", "full house", "flush", "straight", "three of a kind", "two pair",
    "pair", "high card", "mini royal", "pure 21.5", "bust",
)  # fmt: skip
MOST_EXPORTED = 10_000
PAGE_EXPORTED = 500
PAGE_SHOWN = 25


async def show(visit: Visit) -> View:
    asked = asked_for(visit)
    found = await visit.ask("findRounds", query=_page(visit, asked))
    rounds = [{**row, "net": money(cents(row["collected"]) - cents(row["paid"]))} for row in found["rounds"]]
    data = {
        "rounds": rounds,
        "asked": asked,
        "search": urlencode(asked),
        "older": None if found["cursor"] is None else _address({**asked, "cursor": found["cursor"]}),
        "first": visit.query("cursor") is None,
        "more_filters": not visit.searches or any(name not in ALWAYS_SHOWN for name in asked),
        "choices": {
            "rulesets": [(id_, rulesets.load(id_).title) for id_ in rulesets.ids()],
            "statuses": list(STATUSES),
            "outcomes": [(outcome, outcome.replace("_", " ")) for outcome in OUTCOMES],
            "made": list(MADE),
            "shifts": visit.service.site.clock.shifts(),
            "flags": list(FLAGS.items()),
        },
    }
    return View(data)


def _page(visit: Visit, asked: Mapping[str, str]) -> dict[str, str | None]:
    return {**searched(visit, asked), "cursor": visit.query("cursor"), "limit": str(PAGE_SHOWN)}


def asked_for(visit: Visit) -> dict[str, str]:
    """The filters of the address as they were written, without empty ones: what can be sent to somebody else."""
    return {name: value for name in FILTERS if (value := visit.query(name)) is not None}


def searched(visit: Visit, asked: Mapping[str, str]) -> dict[str, str]:
    """As the search takes them: a time with its offset, an amount with its cents."""
    query = dict(asked)
    for name in ("from", "to"):
        if name in query:
            query[name] = read_time(visit, query[name], name)
    for name in ("least", "most"):
        if name in query:
            query[name] = read_amount(query[name], f"“Wagered at {name}”")
    return query


def _address(query: Mapping[str, str]) -> str:
    return f"/hands?{urlencode(query)}" if query else "/hands"


# ---- files


async def export(visit: Visit) -> Response:
    """All rounds of a search, newest first, as far as a file can sensibly go; that somebody took them is recorded."""
    format_ = visit.query("format") or "csv"
    if format_ not in ("csv", "json"):
        raise Problem("bad_document", "`format` is csv or json.")
    asked = asked_for(visit)
    query: dict[str, str | None] = {**searched(visit, asked), "limit": str(PAGE_EXPORTED)}
    rows: list[dict[str, Any]] = []
    while len(rows) < MOST_EXPORTED:
        found = await visit.ask("findRounds", query=query)
        rows += found["rounds"]
        query["cursor"] = found["cursor"]
        if found["cursor"] is None:
            break
    await visit.in_thread(record_look, visit.call("findRounds"), f"export as {format_}", urlencode(asked)[:500])
    body = msgspec.json.encode({"rounds": rows}) if format_ == "json" else _csv(rows)
    media_type = "application/json" if format_ == "json" else "text/csv; charset=utf-8"
    headers = {"Content-Disposition": f'attachment; filename="hands.{format_}"', "Cache-Control": "no-store"}
    return Response(body, 200, headers, media_type)


def _csv(rows: list[dict[str, Any]]) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file)
    names = list(rows[0]) if rows else ["round"]
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in names])
    return file.getvalue().encode()


def _cell(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list) else value


PAGES = (
    Page("/hands", "hands", "Hands", "hands.html", show, SEARCHING, nav="Hands", about=table_asked_for),
    Page(
        "/hands/export",
        "export of hands",
        "Hands",
        "hands.html",
        export,
        SEARCHING,
        section="hands",
        about=table_asked_for,
    ),
)

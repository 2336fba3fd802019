"""A round replayed: the table as it lay, step by step, and why each thing happened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from api.service.blindness import table_of_round
from api.service.problems import Problem
from api.service.reports import neighbours_for
from api.service.rounds import SEEING
from api.service.steps import told_for
from api.web.hands import asked_for, searched
from api.web.page import Page, View
from api.web.visit import Visit
from domain.events import ROUND_TOPICS
from infra.aggregates import NAMESPACE

BROKEN = (
    "The stored events do not make a round: some are gone or are not as they were written, or the program is at fault. "
    "An audit tells which."
)
NOTES = ("exposed card", "late bet", "irregularity", "other")


async def show(visit: Visit) -> View:
    round_id = visit.id("round")
    search = asked_for(visit)
    digest, told, neighbours = await visit.in_thread(_looked_at, visit, round_id, search)
    step = _wanted_step(visit, len(told["steps"]))
    data = {
        **told,
        "digest": digest,  # of all that the page tells of the round
        "step": step,
        "state": _state(told["changes"][:step]),
        "search": search,
        "neighbours": neighbours,
        "closed_hands": await _closed_hands(visit, told),
        "may": {
            "note": visit.may("noteRound"),
            "evidence": visit.may("getEvidence"),
            "dispute": told["status"] != "open" and visit.may("openDispute"),
            "see_closed": told["status"] != "open" and visit.may("getSealedCards"),
        },
        "live": _live(visit, told),
        "note_kinds": NOTES,
        "sealed": _sealed(told),
    }
    return View(data, title=f"Round {round_id}", crumbs=(("Hands", _address("/hands", search)),))


def _wanted_step(visit: Visit, last: int) -> int:
    """An address may name any step; one that is not there leads to the nearest, so that old links go on working."""
    text = visit.query("step") or ""
    return min(max(int(text), 1), last) if text.isascii() and text.isdecimal() and len(text) < 7 else last


def _state(changes: list[dict[str, Any]]) -> dict[str, Any]:
    """What lies where after these changes."""
    state: dict[str, Any] = {}
    for changed in changes:
        state |= changed
    return {name: value for name, value in state.items() if value is not None}


def _address(path: str, query: Mapping[str, Any]) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def _live(visit: Visit, told: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where the page hears of a round that is still played; without a feed it asks from time to time."""
    if told["status"] != "open":
        return None
    listens = told["table"] is not None and visit.may("tableFeed")
    return {"feed": f"/v1/tables/{told['table']}/feed" if listens else None, "topics": sorted(ROUND_TOPICS)}


def _sealed(told: Mapping[str, Any]) -> dict[str, Any]:
    """What the page says of each step, in the form in which a browser compares it with the bytes that were sealed."""
    lines = {line["step"]: [line["paid"], line["collected"], line["clause"]] for line in told["lines"]}
    events = []
    for step in told["steps"]:
        said: dict[str, Any] = {"topic": step["event"], "by": step["by"], "at": step["at"]}
        if step["step"] in lines:
            said["line"] = lines[step["step"]]
        if step["event"].startswith("round.cards_"):
            said["cards"] = step["cards"]
        events.append(said)
    return {"events": events, "namespace": NAMESPACE.hex}


def _looked_at(
    visit: Visit, round_id: str, search: Mapping[str, str]
) -> tuple[str, dict[str, Any], dict[str, str | None]]:
    """What the operations answer, without the detour over JSON, which takes as long as reading the events."""
    try:
        digest, told = told_for(visit.call("stepRound", {"round": round_id}))
    except (LookupError, ValueError, TypeError, AttributeError, AssertionError) as error:
        raise Problem("internal", BROKEN) from error
    return digest, told, _neighbours(visit, told, search)


def _neighbours(visit: Visit, told: Mapping[str, Any], search: Mapping[str, str]) -> dict[str, str | None]:
    """Addresses: within the search that led here, or else at the same table."""
    if not visit.may("findNeighbours"):
        return {"newer": None, "older": None}
    asked = searched(visit, search) if search else {"table": told["table"]}
    found = neighbours_for(visit.call("findNeighbours", {"round": told["round"]}, query=asked))
    return {way: None if id_ is None else _address(f"/rounds/{id_}", search) for way, id_ in found.items()}


async def _closed_hands(visit: Visit, told: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """What was dealt face down and never turned over: for an auditor who asks, and it is recorded that he did."""
    if visit.query("closed") is None or told["status"] == "open":
        return None
    answer = await visit.ask("getSealedCards", {"round": told["round"]})
    packets: list[dict[str, Any]] = answer["packets"]
    return packets


async def submit(visit: Visit) -> Response:
    """A note by the floor."""
    round_id = visit.id("round")
    body: dict[str, Any] = {"kind": visit.field("kind"), "text": visit.field("text")}
    if visit.field("seat").isdecimal():
        body["seat"] = int(visit.field("seat"))
    await visit.ask("noteRound", {"round": round_id}, body=body)
    return visit.go(_address(f"/rounds/{round_id}", asked_for(visit)), "The note is recorded.")


PAGES = (
    Page(
        "/rounds/{round}",
        "replay",
        "Replay",
        "replay.html",
        show,
        SEEING,
        section="hands",
        submit=submit,
        about=table_of_round,
    ),
)

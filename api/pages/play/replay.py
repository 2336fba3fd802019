"""A round replayed: the table step by step, and why each thing happened."""

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from fastapi import Form, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import Command, round_caller
from api.pages.forms import FormModel, on_the_clock, texts
from api.pages.office.holds import hold_on
from api.pages.page_route import page_router
from api.pages.rendering.addresses import address
from api.pages.responses import go, render
from api.pages.search.hands import HandsFilters
from api.service import roles
from api.service.admission import RoundId, ServiceOf
from api.service.fields import Text
from api.service.problems import Problem
from domain.errors import CannotReplay
from domain.games.registry import GAMES
from domain.round.events import ROUND_TOPICS, NoteKind
from domain.rules.ruleset import MOST_SEATS
from infra.access.callers import Caller, Forbidden
from infra.store.streams import NAMESPACE
from projections.views.blindness import check_sight
from projections.views.read_side import ReadSide
from projections.views.rounds.replay_steps import steps_for
from projections.views.rounds.round_views import sealed_cards_for
from projections.views.search.round_filter import RoundFilter
from projections.views.search.round_search import find_neighbours

router = page_router()
PATH = "/rounds/{round}"
BROKEN = (
    "The stored events do not make a round: some are gone or are not as they were written, or the program is at fault. "
    "An audit shows which."
)
NO_NEIGHBOURS: Mapping[str, str | None] = {"newer": None, "older": None}


class ReplayQuery(HandsFilters):
    """The search that led here; a step, which may be any text; and whether to show closed hands."""

    step: str | None = None
    closed: str | None = None

    def search(self) -> dict[str, str]:
        return texts(self, "step", "closed")

    def step_of(self, last: int) -> int:
        """Return the step; one that does not exist becomes the nearest, so that old links keep working."""
        text = self.step or ""
        return min(max(int(text), 1), last) if text.isascii() and text.isdecimal() and len(text) < 7 else last


@router.get(PATH)
async def show_round(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(round_caller, scopes=roles.SEEING)],
    round: RoundId,
    asked: Annotated[ReplayQuery, Query()],
) -> Response:
    asked = await on_the_clock(service, asked)
    search = asked.search()
    digest, given, neighbours, closed_hands = await service.run(_looked_at, service.read_side, caller, round, asked)
    step, ended = asked.step_of(len(given["steps"])), given["status"] != "open"
    game = GAMES[given["family"]]
    data = {
        **given,
        "numbered_hands": game.numbers_hands,
        "seat_cards": game.hole_cards,
        "digest": digest,  # of everything that the page says of the round
        "step": step,
        "state": _state(given["changes"][:step]),
        "search": search,
        "neighbours": neighbours,
        "closed_hands": closed_hands,
        "hold": await hold_on(service, caller, "round", round),
        "may": {
            "note": caller.may(roles.FLOOR),
            "evidence": caller.may(roles.READING),
            "dispute": ended and caller.may(roles.FLOOR),
            "hold": caller.may(roles.HOLDING),
            "see_closed": ended and caller.may(roles.AUDITING),
        },
        "live": _live(caller, given),
        "note_kinds": get_args(NoteKind),
        "sealed": _sealed(given),
    }
    crumbs = (("Hands", address("/hands", search)),)
    return await render(request, "replay.html", data, title=f"Round {round}", section="hands", crumbs=crumbs)


def _looked_at(
    read_side: ReadSide, caller: Caller, round_id: str, asked: ReplayQuery
) -> tuple[str, dict[str, Any], Mapping[str, str | None], list[dict[str, Any]] | None]:
    try:
        digest, given = steps_for(read_side, caller, round_id)
    except CannotReplay as error:
        raise Problem("internal", BROKEN) from error
    closed = None
    if asked.closed is not None and given["status"] != "open":
        caller.check_role(roles.AUDITING)
        closed = sealed_cards_for(read_side, caller, round_id)["packets"]
    return digest, given, _neighbours(read_side, caller, given, asked), closed


def _neighbours(
    read_side: ReadSide, caller: Caller, given: Mapping[str, Any], asked: ReplayQuery
) -> Mapping[str, str | None]:
    """Return addresses within the search that led here, or else at the same table."""
    search = asked.search()
    wanted = asked.wanted() if search else RoundFilter(table=given["table"])
    try:
        check_sight(read_side, caller, None if wanted.table is None else (wanted.table,))
    except Forbidden:
        return NO_NEIGHBOURS  # they may count boxes, and one of another table is not counted
    found = find_neighbours(read_side, caller, wanted, given["round"])
    return {way: None if id_ is None else address(f"/rounds/{id_}", search) for way, id_ in found.items()}


def _state(changes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what is where after these changes."""
    state: dict[str, Any] = {}
    for changed in changes:
        state |= changed
    return {name: value for name, value in state.items() if value is not None}


def _live(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return where the page follows a round in play; without a feed it polls."""
    if given["status"] != "open":
        return None
    listens = given["table"] is not None and caller.may(roles.LISTENING)
    return {"feed": f"/v1/tables/{given['table']}/feed" if listens else None, "topics": sorted(ROUND_TOPICS)}


def _sealed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page says of each step, in the form in which a browser compares it with the sealed bytes."""
    lines = {line["step"]: [line["paid"], line["collected"], line["clause"]] for line in given["lines"]}
    events = []
    for step in given["steps"]:
        said: dict[str, Any] = {"topic": step["event"], "by": step["by"], "at": step["at"]}
        if step["step"] in lines:
            said["line"] = lines[step["step"]]
        if step["event"].startswith("round.cards_"):
            said["cards"] = step["cards"]
        events.append(said)
    return {"events": events, "namespace": NAMESPACE.hex}


class RoundNoteForm(FormModel):
    kind: NoteKind
    text: Text
    seat: Annotated[int, Field(ge=1, le=MOST_SEATS)] | None = None


@router.post(PATH)
async def note(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(round_caller, scopes=roles.FLOOR)],
    round: RoundId,
    asked: Annotated[ReplayQuery, Query()],
    form: Annotated[RoundNoteForm, Form()],
    writing: Command,
) -> Response:
    """Add a note of the floor."""
    await writing.store(
        lambda receipt: service.play.annotate(
            round,
            None,
            lambda: service.ledger.note(round, form.kind, form.text, form.seat, writing.actor, None, receipt),
        )
    )
    return go(request, address(f"/rounds/{round}", asked.search()), "The note is recorded.")

"""Drop boxes: the list, one traced back to its rounds, blind counts, signing off, and swapping boxes."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from fastapi import Depends, Form, Query, Request, Response, Security

from api.pages.dependencies import Command, SecondSigner, SignedCommand, plain_caller
from api.pages.forms import FormModel, PageQuery, TypedId, texts
from api.pages.page_route import page_router
from api.pages.pieces import BOX, PiecesForm, lines, total
from api.pages.rendering.addresses import address, exports
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import BoxId, SecondPerson, ServiceOf
from api.service.fields import Cursor, GamingDay, Id, Text, Word
from api.service.problems import Problem
from domain.floor.drop_boxes import BoxStatus
from domain.money import cents
from infra.access.callers import Caller
from infra.ledger.floor import Floor
from projections.views.blindness import sight_of
from projections.views.floor import box_views as boxes
from projections.views.floor.box_rounds import rounds_behind
from projections.views.floor.box_views import BoxFilter, boxes_on_tables, boxes_waiting
from projections.views.floor.machine_counts import machines_shown
from projections.views.paging import read_cursor
from projections.views.read_side import ReadSide

router = page_router()
PATH = "/drop"
SECTION = "drop"
CRUMBS = (("Drop", PATH),)
FORMATS = ("csv", "xlsx", "pdf", "json")
BOXES_OF_A_PAGE = 40
MOST_TABLES = 500
STATES = {
    "": "All",
    "installed": "On their tables",
    "removed": "To be counted",
    "counted": "Counted",
    "variance": "With a variance",
    "reconciled": "Signed off",
}
CountRoom = Annotated[Caller, Security(plain_caller, scopes=roles.COUNT_ROOM)]


# ---- the list


class BoxesQuery(PageQuery):
    status: BoxStatus | None = None
    table: TypedId | None = None
    gaming_day: GamingDay | None = None
    shift: Word | None = None
    cursor: Cursor | None = None


@router.get(PATH)
async def show_boxes(
    request: Request, service: ServiceOf, caller: CountRoom, asked: Annotated[BoxesQuery, Query()]
) -> Response:
    wanted = BoxFilter(asked.table, asked.gaming_day, asked.shift, after=read_cursor(asked.cursor))
    found, figures, waiting = await service.run(_boxes, service.read_side, caller, wanted, asked.status)
    narrowed = texts(asked, "cursor")
    data = {
        **found,
        "asked": narrowed,
        "figures": figures,
        "states": [
            {
                "words": words,
                "status": state,
                "waiting": waiting.get(state, 0),
                "address": address(PATH, narrowed, status=state or None),
            }
            for state, words in STATES.items()
            if figures or state != "variance"
        ],
        "shift_names": service.clock.shifts(),
        "older": found["cursor"] and address(PATH, narrowed, cursor=found["cursor"]),
        "may_count": caller.may(roles.COUNTING),
        "may_swap": caller.may(roles.FLOOR),
        "exports": exports("drops", FORMATS, {name: narrowed[name] for name in narrowed if name != "status"})
        if caller.may(roles.REPORTS) and figures
        else [],
    }
    return await render(request, "drop.html", data, title="Drop boxes", section=SECTION)


def _boxes(
    read_side: ReadSide, caller: Caller, wanted: BoxFilter, status: str | None
) -> tuple[dict[str, Any], bool, dict[str, int]]:
    found = boxes.list_boxes(read_side, caller, wanted, status, BOXES_OF_A_PAGE)
    sight = sight_of(read_side, caller)
    figures = sight.books or sight.open
    waiting = boxes_waiting(read_side)
    if not figures:  # people who count must not learn whether a count was right
        waiting = {state: number for state, number in waiting.items() if state == "removed"}
    return found, figures, waiting


# ---- swapping; before the pages of one box, whose address it could be


class SwapForm(FormModel):
    table: Id
    new_box: Id
    seal: Text
    second_person: Id


FloorSwaps = Annotated[Caller, Security(plain_caller, scopes=roles.FLOOR)]


@router.get(f"{PATH}/swap")
async def show_swap(request: Request, service: ServiceOf, caller: FloorSwaps) -> Response:
    data = {"on_tables": await service.run(_on_tables, service.read_side), "table": request.query_params.get("table")}
    return await render(request, "swap.html", data, title="Swap a box", section=SECTION, crumbs=CRUMBS)


def _on_tables(read_side: ReadSide) -> list[dict[str, str]]:
    read_side.bring_up_to_date("drops")
    found = boxes_on_tables(read_side, MOST_TABLES)
    return [{"table": table, "box": box, "since": since.isoformat()} for table, box, since in found]


@router.post(f"{PATH}/swap")
async def swap(
    request: Request,
    service: ServiceOf,
    caller: FloorSwaps,
    form: Annotated[SwapForm, Form()],
    writing: Command,
    second: Annotated[SecondPerson, Depends(SecondSigner("floor", "cage", "counter", "accounting"))],
) -> Response:
    await writing.store(
        lambda receipt: Floor(service.ledger, receipt).swap_box(
            form.table, form.new_box, form.seal, second.signed(form.second_person), writing.actor
        )
    )
    return go(request, PATH, f"Box {form.new_box} is on table {form.table}; the full one has been taken off.")


# ---- one box


@router.get(f"{PATH}/{{box}}")
async def show_box(request: Request, service: ServiceOf, caller: CountRoom, box: BoxId) -> Response:
    tolerance = service.settings.count_tolerance_cents
    history, walked = await service.run(_box, service.read_side, caller, box, tolerance)
    counted_by = [moment["by"] for moment in history["moments"] if moment["what"] == "counted"]
    waits = history["status"] in ("counted", "variance")
    data = {
        "box": history,
        "worths": _worths(history),
        "walked": walked,
        "may_count": caller.may(roles.COUNTING) and history["status"] == "removed" and caller.by not in counted_by,
        "has_counted": caller.by in counted_by,
        "may_sign": caller.may(roles.ACCOUNTING) and waits and caller.by not in counted_by,
        "needs_explanation": _over(history),
        "exports": exports("slips", FORMATS, {"box": box}) if walked is not None else [],
    }
    return await render(request, "box.html", data, title=f"Box {box}", section=SECTION, crumbs=CRUMBS)


def _box(read_side: ReadSide, caller: Caller, box: str, tolerance: int) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return its history, and for those who may see it the rounds behind what it should hold."""
    history = boxes.box_history(read_side, caller, box, tolerance)
    return history, rounds_behind(read_side, caller, history)


def _worths(history: dict[str, Any]) -> list[str]:
    """Return every denomination that was counted and that the caller may see, largest first."""
    seen = {worth for moment in history["moments"] for worth in moment["pieces"] or ()}
    return sorted(seen, key=Decimal, reverse=True)


def _over(history: dict[str, Any]) -> bool:
    return history["variance"] is not None and abs(Decimal(history["variance"])) > Decimal(history["tolerance"])


class SignOffForm(FormModel):
    explanation: Text | None = None


@router.post(f"{PATH}/{{box}}")
async def sign_off(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)],
    box: BoxId,
    form: Annotated[SignOffForm, Form()],
    writing: SignedCommand,
) -> Response:
    tolerance = service.settings.count_tolerance_cents
    await writing.store(
        lambda receipt: Floor(service.ledger, receipt).reconcile_box(box, writing.actor, tolerance, form.explanation)
    )
    return go(request, f"{PATH}/{box}", f"Box {box} is signed off.")


# ---- counting

Counter = Annotated[Caller, Security(plain_caller, scopes=roles.COUNTING)]


class BoxCountForm(PiecesForm):
    """What was in a box, or that it is empty."""

    empty: Literal["yes"] | None = None
    step: Literal["store", "change"] | None = None  # without one the figures are shown again before they are stored

    def filled(self) -> dict[str, str]:
        """Return the form as it was filled in, by field name."""
        return texts(self, "step")

    def pieces(self) -> dict[str, int]:
        pieces = self.entered()
        if self.empty and any(pieces.values()):
            raise Problem("bad_document", "Pieces have been entered, and the box is said to be empty. Which is it?")
        if not pieces and not self.empty:
            raise Problem("bad_document", "No piece has been entered. If the box is empty, say so below.")
        return pieces or {BOX[-1]: 0}


@router.get(f"{PATH}/{{box}}/count")
async def show_count(request: Request, service: ServiceOf, caller: Counter, box: BoxId) -> Response:
    return await _count_page(request, service, caller, box)


async def _count_page(
    request: Request,
    service: ServiceOf,
    caller: Caller,
    box: str,
    filled: dict[str, str] | None = None,
    pieces: dict[str, int] | None = None,
) -> Response:
    """Return the form with what was `filled` in before; or `pieces` to be confirmed."""
    tolerance = service.settings.count_tolerance_cents
    history = await service.run(boxes.box_history, service.read_side, caller, box, tolerance)
    own = [moment for moment in history["moments"] if moment["what"] == "counted" and moment["by"] == caller.by]
    removed = next((moment for moment in history["moments"] if moment["what"] == "removed"), None)
    data = {
        "box": {name: history[name] for name in ("box", "table", "status", "counts")},
        "seal": removed and removed["seal"],
        "own": own[0] if own else None,
        "machine": next((moment for moment in history["moments"] if moment["machine"]), None),
        "machines": await service.run(machines_shown, service.ledger),
        "denominations": list(BOX),
        "filled": filled or {},
        "to_confirm": None if pieces is None else lines(pieces),
        "total": None if pieces is None else f"{total(pieces):.2f}",
    }
    return await render(request, "count.html", data, title=f"Count box {box}", section=SECTION, crumbs=CRUMBS)


@router.post(f"{PATH}/{{box}}/count")
async def count(
    request: Request,
    service: ServiceOf,
    caller: Counter,
    box: BoxId,
    form: Annotated[BoxCountForm, Form()],
    writing: SignedCommand,
) -> Response:
    """Store a count. It can never be changed, so it is shown for confirmation first."""
    pieces = form.pieces()
    if form.step != "store":
        return await _count_page(request, service, caller, box, form.filled(), pieces if form.step is None else None)
    in_cents = {cents(worth): number for worth, number in pieces.items()}
    await writing.store(lambda receipt: Floor(service.ledger, receipt).count_box(box, in_cents, writing.actor))
    return go(request, f"{PATH}?status=removed", f"Your count of box {box} is stored: ${total(pieces):,.2f}.")

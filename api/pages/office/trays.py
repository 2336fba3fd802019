"""Trays of house-banked tables: the table inventory, every count of a tray, and counting one."""

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Form, Query, Request, Response, Security

from api.pages.dependencies import Command, SecondSigner, caller, plain_caller
from api.pages.forms import LocalMoment, PageQuery, TypedId, on_the_clock, texts
from api.pages.page_route import page_router
from api.pages.pieces import TRAY, PiecesForm, total
from api.pages.rendering.addresses import address, exports
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf
from api.service.fields import GamingDay, Id
from domain.floor.table_sessions import TrayCount
from infra.access.callers import Caller
from infra.ledger.books.slips import Slips
from projections.reports.report import Filters
from projections.views.books.slip_views import open_trays
from projections.views.floor.floor_views import latest_tray_day
from projections.views.read_side import ReadSide
from projections.views.report_views import first_rows

router = page_router()
PATH = "/trays"
FORMATS = ("csv", "xlsx", "pdf", "json")
MOST_ROWS = 200
FIRST_ROWS = 15  # rows of a page by default


class TraysQuery(PageQuery):
    table: TypedId | None = None
    first: GamingDay | None = None
    last: GamingDay | None = None
    as_of: LocalMoment | None = None
    rows: Literal["200"] | None = None


@router.get(PATH)
async def show_trays(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(caller, scopes=roles.READING)],
    asked: Annotated[TraysQuery, Query()],
) -> Response:
    """Show trays. The floor counts and sees no figure here: what a tray should hold is for accounting."""
    asked = await on_the_clock(service, asked)
    inventory = counts = more = None
    narrowed = texts(asked, "rows")
    if caller.may(roles.BOOKS):
        asked, inventory, counts, cut = await service.run(_inventory, service.read_side, caller, asked)
        narrowed = texts(asked, "rows")
        more = address(PATH, narrowed, rows=MOST_ROWS) if cut and not asked.rows else None
    data = {
        "asked": narrowed,
        "inventory": inventory,
        "counts": counts,
        "more": more,
        "may_count": caller.may(roles.FLOOR),
        "exports": [] if inventory is None else exports("inventory", FORMATS, narrowed),
    }
    return await render(request, "trays.html", data, title="Trays", section="trays")


def _inventory(read_side: ReadSide, caller: Caller, asked: TraysQuery) -> tuple[TraysQuery, list[Any], list[Any], bool]:
    if not texts(asked, "rows"):
        asked = _latest(read_side, asked)
    filters, recorded = Filters(**asked.model_dump(exclude={"rows"})), urlencode(texts(asked))
    at_most = MOST_ROWS if asked.rows else FIRST_ROWS
    inventory, cut = first_rows(read_side, caller, "inventory", filters, at_most, recorded)
    counts, cut_too = first_rows(read_side, caller, "tray-counts", filters, at_most, recorded)
    return asked, inventory, counts, cut or cut_too


def _latest(read_side: ReadSide, asked: TraysQuery) -> TraysQuery:
    """Return the last day that there is, by default."""
    read_side.bring_up_to_date("inventory", "journal")
    return asked.model_copy(update={"first": latest_tray_day(read_side)})


class TrayCountForm(PiecesForm):
    table: Id
    when: TrayCount
    second_person: Id


@router.get(f"{PATH}/count")
async def show_count(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.FLOOR)],
) -> Response:
    data = {"tables": await service.run(open_trays, service.read_side), "denominations": list(TRAY)}
    crumbs = (("Trays", PATH),)
    return await render(request, "tray_count.html", data, title="Count a tray", section="trays", crumbs=crumbs)


@router.post(f"{PATH}/count")
async def count(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.FLOOR)],
    form: Annotated[TrayCountForm, Form()],
    writing: Command,
    second: Annotated[SecondPerson, Depends(SecondSigner(*roles.TRAY_COUNTING))],
) -> Response:
    """Two people count, and an opener or a closer says what they found."""
    pieces = form.in_cents()
    await writing.store(
        lambda receipt: Slips(service.ledger, receipt).count_tray(
            form.table, form.when, pieces, second.signed(form.second_person), writing.actor
        )
    )
    return go(request, PATH, f"The {form.when} count of table {form.table} is stored: ${total(form.entered()):,.2f}.")

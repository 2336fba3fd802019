"""Statistics: periods compared, what chance explains of each wager, and explanations for the regulator."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Form, Query, Request, Response, Security

from api.pages.dependencies import Command, plain_caller, searching_caller
from api.pages.forms import FormModel, PageQuery, TypedId, texts
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, Id, Text
from infra.access.callers import Caller
from projections.reports.report import Filters
from projections.statistics.explanation import Question
from projections.views import regulation_views
from projections.views.read_side import ReadSide
from projections.views.report_views import first_sections

router = page_router()
PATH = "/statistics"
MOST_ROWS = 25
NOTES = {
    "statistics-by-wager": "Theoretical is what the bank wins on average with what was staked; chance keeps the result "
    "between low and high in 95 of 100 cases."
}
Reading = Annotated[Caller, Security(searching_caller, scopes=roles.BOOKS)]
Explaining = Annotated[Caller, Security(plain_caller, scopes=roles.ACCOUNTING)]


class StatisticsQuery(PageQuery):
    table: TypedId | None = None
    first: GamingDay | None = None
    last: GamingDay | None = None


@router.get(PATH)
@router.get(f"{PATH}/explanations")
async def show_statistics(
    request: Request, service: ServiceOf, caller: Reading, asked: Annotated[StatisticsQuery, Query()]
) -> Response:
    sections = await service.run(_sections, service.read_side, caller, asked)
    data = {"asked": texts(asked), "sections": sections, "may_explain": caller.may(roles.ACCOUNTING)}
    crumbs = (("Reports", "/reports"),)
    return await render(request, "statistics.html", data, title="Statistics", section="reports", crumbs=crumbs)


def _sections(read_side: ReadSide, caller: Caller, asked: StatisticsQuery) -> list[dict[str, Any]]:
    within = Filters(table=asked.table, first=asked.first, last=asked.last)
    shown = {
        "statistics-to-date": ("To date, and the same periods before", Filters(asked.table, gaming_day=asked.last)),
        "statistics-by-table": ("By table", within),
        "statistics-by-wager": ("What chance explains", within),
        "statistics-explanations": ("Explanations", Filters(table=asked.table)),
    }
    found = first_sections(read_side, caller, shown, MOST_ROWS, urlencode(texts(asked)))
    return [{**section, "note": NOTES.get(section["name"])} for section in found]


class ExplanationForm(FormModel):
    table: Id
    game: Id
    spot: Text
    first: GamingDay
    last: GamingDay
    text: Text


@router.post(f"{PATH}/explanations")
async def explain_result(
    request: Request, service: ServiceOf, caller: Explaining, form: Annotated[ExplanationForm, Form()], writing: Command
) -> Response:
    question = Question(form.table, form.game, form.spot.strip().replace(" ", "_"), form.first, form.last)

    await writing.store(
        lambda receipt: regulation_views.explain_result(service.read_side, question, form.text, writing.actor, receipt)
    )
    words = f"The result of {form.spot} at table {form.table} is explained."
    return go(request, f"{PATH}?table={form.table}", words)

"""What tables have posted, what they are designated for, and what the property chose; with forms to change it."""

from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Form, Query, Request, Response, Security

from api.pages.dependencies import Command, plain_caller, searching_caller
from api.pages.forms import FormModel, LocalMoment, PageQuery, Typed, on_the_clock, texts
from api.pages.page_route import page_router
from api.pages.rendering.addresses import exports
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import Id, Money, RulesetName, Text
from domain import moments
from domain.rules.terms import TermsDocument
from infra.access.callers import Caller
from projections.reports.report import Filters
from projections.views.read_side import ReadSide
from projections.views.report_views import first_sections

router = page_router()
PATH = "/postings"
SECTION = "rules"
CRUMBS = (("Rules", "/rules"),)
MOST_ROWS = 200
SECTIONS = {"postings": "Posted", "designations": "Designated tables", "choices": "What the property offers"}
Reading = Annotated[Caller, Security(searching_caller, scopes=roles.READING)]
Posting = Annotated[Caller, Security(plain_caller, scopes=roles.FLOOR)]
Choosing = Annotated[Caller, Security(plain_caller, scopes=roles.ADOPTING)]


class PostingsQuery(PageQuery):
    table: Id | None = None
    moment: LocalMoment | None = None


@router.get(PATH)
@router.get(f"{PATH}/end")
@router.get(f"{PATH}/designation")
@router.get(f"{PATH}/choice")
async def show_postings(
    request: Request, service: ServiceOf, caller: Reading, asked: Annotated[PostingsQuery, Query()]
) -> Response:
    asked = await on_the_clock(service, asked)
    sections = await service.run(_sections, service.read_side, caller, asked)
    narrowed = texts(asked)
    data = {
        "asked": narrowed,
        "sections": sections,
        "may_post": caller.may(roles.FLOOR),
        "may_choose": caller.may(roles.ADOPTING),
        "rulesets": list((await service.run(service.ledger.rulebook.book)).ids()),
        "exports": exports("postings", ("csv", "xlsx", "pdf", "json"), narrowed),
    }
    return await render(request, "postings.html", data, title="Postings", section=SECTION, crumbs=CRUMBS)


def _sections(read_side: ReadSide, caller: Caller, asked: PostingsQuery) -> list[dict[str, Any]]:
    of_a_table = Filters(table=asked.table, moment=asked.moment)
    shown = {name: (title, Filters() if name == "choices" else of_a_table) for name, title in SECTIONS.items()}
    return first_sections(read_side, caller, shown, MOST_ROWS, urlencode(texts(asked)))


class PostForm(FormModel):
    table: Id
    ruleset: RulesetName
    trips: Text | None = None
    schedule: int | None = None
    low: Annotated[Money, Typed] | None = None
    high: Annotated[Money, Typed] | None = None
    begins: LocalMoment | None = None


@router.post(PATH)
async def post(
    request: Request, service: ServiceOf, caller: Posting, form: Annotated[PostForm, Form()], writing: Command
) -> Response:
    form = await on_the_clock(service, form)
    rules = await service.run(service.ledger.rulebook.in_force, form.ruleset, writing.actor.at_ms)
    given: dict[str, Any] = {name: value for name, value in form if name in ("trips", "schedule") and value is not None}
    if form.low is not None and form.high is not None:
        given["limits"] = {rules.base_spot: (form.low, form.high)}
    terms = TermsDocument(**given)
    await writing.store(
        lambda receipt: service.ledger.post_terms(
            form.table, form.ruleset, terms, _ms(form.begins), writing.actor, receipt
        )
    )
    return go(request, f"{PATH}?table={form.table}", f"Table {form.table} posts what you said.")


class PostingEndForm(FormModel):
    table: Id
    ends: LocalMoment | None = None


@router.post(f"{PATH}/end")
async def end(
    request: Request, service: ServiceOf, caller: Posting, form: Annotated[PostingEndForm, Form()], writing: Command
) -> Response:
    form = await on_the_clock(service, form)
    await writing.store(lambda receipt: service.ledger.take_down(form.table, _ms(form.ends), writing.actor, receipt))
    return go(request, f"{PATH}?table={form.table}", f"What table {form.table} has posted ends.")


class DesignationForm(FormModel):
    table: Id
    ruleset: RulesetName
    box: Text
    inscription: Text
    placard: Text


@router.post(f"{PATH}/designation")
async def designate(
    request: Request, service: ServiceOf, caller: Posting, form: Annotated[DesignationForm, Form()], writing: Command
) -> Response:
    said = form.ruleset, form.box, form.inscription, form.placard
    await writing.store(lambda receipt: service.ledger.designate_table(form.table, *said, writing.actor, receipt))
    return go(request, f"{PATH}?table={form.table}", f"Table {form.table} is designated for {form.ruleset}.")


class ChoiceForm(FormModel):
    ruleset: RulesetName
    trips: Text | None = None
    schedules: Text | None = None
    notice_minutes: int | None = None


@router.post(f"{PATH}/choice")
async def choose(
    request: Request, service: ServiceOf, caller: Choosing, form: Annotated[ChoiceForm, Form()], writing: Command
) -> Response:
    words = (form.schedules or "").replace(",", " ").split()
    schedules = tuple(int(word) if word.isdecimal() else 0 for word in words) or None
    await writing.store(
        lambda receipt: service.ledger.choose_terms(
            form.ruleset, form.trips, schedules, {}, form.notice_minutes or 0, writing.actor, receipt
        )
    )
    return go(request, PATH, f"The choice for {form.ruleset} is stored.")


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else moments.milliseconds(moment.astimezone(UTC))

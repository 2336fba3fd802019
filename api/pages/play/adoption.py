"""Adopting a rule set on a page, showing what it changes; and retiring one."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Depends, Form, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import Command, SecondSigner, plain_caller
from api.pages.forms import FormModel, PageQuery
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf, path_id
from api.service.fields import GamingDay, Id, RulesetName, Text
from domain.errors import BadChoice
from domain.rules import adoption
from domain.rules.adoption import Approval, Days
from domain.rules.description.contents import summary
from domain.rules.description.version_comparison import differences, edge_differences
from domain.rules.rulebook import RuleBook
from domain.rules.ruleset import RuleSet
from infra.access.callers import Caller
from projections.views.rule_views import existing_rules

router = page_router()
PATH = "/rules/adopt"
CHECK = f"{PATH}/check"
SECTION = "rules"
CRUMBS = (("Rules", "/rules"),)
LONGEST = 500_000
Adopting = Annotated[Caller, Security(plain_caller, scopes=roles.ADOPTING)]
Second = Annotated[SecondPerson, Depends(SecondSigner(*roles.ADOPTING))]


class AdoptQuery(PageQuery):
    ruleset: RulesetName | None = None  # an existing one, to be adopted as it is


class CheckForm(FormModel):
    text: Annotated[str, Field(max_length=LONGEST)]


class AdoptForm(CheckForm):
    first_day: GamingDay
    last_day: GamingDay | None = None
    approval: Text
    approved_on: GamingDay | None = None
    second_person: Id


class RetireForm(FormModel):
    from_day: GamingDay
    reason: Text | None = None
    second_person: Id


@router.get(PATH)
@router.get(CHECK)
async def show_adopt(
    request: Request, service: ServiceOf, caller: Adopting, asked: Annotated[AdoptQuery, Query()]
) -> Response:
    book = await service.run(service.ledger.rulebook.book)
    refused = getattr(request.state, "refused", None)
    if refused is not None or asked.ruleset is None:
        sent = "" if refused is None else refused.sent.get("text", "")
        try:
            return await _show(request, _compared(book, _rules(sent)))
        except BadChoice:
            return await _show(request, {"text": sent, "found": None})
    return await _show(request, _compared(book, existing_rules(book, asked.ruleset)))


@router.post(CHECK)
async def check(request: Request, service: ServiceOf, caller: Adopting, form: Annotated[CheckForm, Form()]) -> Response:
    """Show what the file changes; nothing is stored."""
    rules = _rules(form.text)
    return await _show(request, _compared(await service.run(service.ledger.rulebook.book), rules))


@router.post(PATH)
async def adopt(
    request: Request,
    service: ServiceOf,
    caller: Adopting,
    form: Annotated[AdoptForm, Form()],
    writing: Command,
    second: Second,
) -> Response:
    rules = _rules(form.text)
    await writing.store(
        lambda receipt: service.ledger.adopt_rules(
            rules.text,
            rules.id,
            Days(form.first_day, form.last_day),
            Approval(form.approval, form.approved_on),
            second.signed(form.second_person),
            writing.actor,
            receipt,
        )
    )
    done = f"Version {rules.version} of {rules.id} is in force from {form.first_day} on."
    return go(request, f"/rules/{rules.id}", done)


@router.get("/rules/{ruleset}/retire")
async def show_retire(
    request: Request, service: ServiceOf, caller: Adopting, ruleset: Annotated[str, path_id("uth-house", "Its id.")]
) -> Response:
    book = await service.run(service.ledger.rulebook.book)
    found = summary(existing_rules(book, ruleset))
    crumbs = (*CRUMBS, (ruleset, f"/rules/{ruleset}"))
    return await render(
        request, "rules_retire.html", {"found": found}, title="Retire a rule set", section=SECTION, crumbs=crumbs
    )


@router.post("/rules/{ruleset}/retire")
async def retire(
    request: Request,
    service: ServiceOf,
    caller: Adopting,
    ruleset: Annotated[str, path_id("uth-house", "Its id.")],
    form: Annotated[RetireForm, Form()],
    writing: Command,
    second: Second,
) -> Response:
    await writing.store(
        lambda receipt: service.ledger.retire_rules(
            ruleset, form.from_day, form.reason or "", second.signed(form.second_person), writing.actor, receipt
        )
    )
    return go(request, f"/rules/{ruleset}", f"Nothing opens under {ruleset} from {form.from_day} on.")


def _rules(text: str) -> RuleSet:
    """Return the rules; a browser sends Windows line ends."""
    text = text.replace("\r\n", "\n")
    return adoption.read_file(text.rstrip("\n") + "\n", adoption.id_in(text))


def _compared(book: RuleBook, rules: RuleSet) -> dict[str, Any]:
    """Return the rule set compared with the newest version of its id or, if it is new, with the one most like it."""
    before = book.load(rules.id) if rules.id in book.ids() else None
    other = before or _most_like(book, rules)
    changes = [*differences(other, rules), *edge_differences(other, rules)]
    today = datetime.now(UTC).date()
    return {
        "text": rules.text,
        "found": summary(rules),
        "before": None if before is None else summary(before),
        "other": summary(other),
        "changes": [{**change._asdict(), "concerns": change.concerns} for change in changes],
        "first_day": max(rules.in_force.since, today).isoformat(),
    }


def _most_like(book: RuleBook, rules: RuleSet) -> RuleSet:
    """Return the rule set of the same game that has the most clauses in common: probably the file began with it."""
    known = [known for known in map(book.load, book.ids()) if known.family == rules.family]
    return max(known, key=lambda one: len(one.clauses.keys() & rules.clauses.keys()))


async def _show(request: Request, data: dict[str, Any]) -> Response:
    return await render(request, "rules_adopt.html", data, title="Adopt a rule set", section=SECTION, crumbs=CRUMBS)

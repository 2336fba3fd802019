"""Legal holds: the list with reasons, placing and lifting."""

from typing import Annotated, Any, Literal

from fastapi import Form, Query, Request, Response, Security

from api.pages.dependencies import caller
from api.pages.forms import FormModel, PageQuery
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import Id, Text
from api.service.state import Service
from infra.access.callers import Caller
from infra.housekeeping.holds import Kind, hold_shown

router = page_router()
PATH = "/holds"
SECTION = "settings"
Holding = Annotated[Caller, Security(caller, scopes=roles.HOLDING)]


class HoldQuery(PageQuery):
    """Initial values of the form."""

    kind: Kind | None = None
    subject: Id | None = None


@router.get(PATH)
async def show_holds(
    request: Request, service: ServiceOf, caller: Holding, asked: Annotated[HoldQuery, Query()]
) -> Response:
    in_force, history = await service.run(_listed, service)
    data = {
        "holds": in_force,
        "history": history,
        "kind": asked.kind,
        "subject": asked.subject,
        "may_look": caller.may(roles.READING),
    }
    return await render(request, "holds.html", data, title="Legal holds", section=SECTION)


def _listed(service: Service) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    in_force = [hold_shown(hold) for hold in service.holds.in_force()]
    return in_force, [hold_shown(hold) for hold in reversed(service.holds.history())]


async def hold_on(service: Service, caller: Caller, kind: Kind, subject: str) -> dict[str, Any] | None:
    """Return the hold on a round or a dispute, for the pages about it; only for people who may place one."""
    found = await service.run(service.holds.find, kind, subject) if caller.may(roles.HOLDING) else None
    return None if found is None else hold_shown(found)


class HoldForm(FormModel):
    do: Literal["place", "lift"]
    kind: Kind
    subject: Id
    reason: Text


@router.post(PATH)
async def change_holds(
    request: Request, service: ServiceOf, caller: Holding, form: Annotated[HoldForm, Form()]
) -> Response:
    await service.run(service.signatures.check_person, caller)
    if form.do == "place":
        await service.run(service.holds.place, form.kind, form.subject, form.reason, caller.by)
        return go(request, PATH, f"Everything about {form.kind} {form.subject} is kept until the hold is lifted.")
    await service.run(service.holds.lift, form.kind, form.subject, form.reason, caller.by)
    return go(request, PATH, f"The hold on {form.kind} {form.subject} is lifted.")

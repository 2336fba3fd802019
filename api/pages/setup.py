"""Setting the service up: the first two admins, and then the rule sets that ship, each adopted with one click."""

import hmac
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Depends, Form, Request, Response, Security

from api.pages.dependencies import Command, SecondSigner, form_of, plain_caller, stranger
from api.pages.forms import FormModel, NewPassword, Password, PersonName
from api.pages.office.account import halfway, signed_in
from api.pages.page_route import page_router
from api.pages.responses import go, render, visitor_of
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf
from api.service.fields import Id, RulesetName
from api.service.identity.cookies import Cookies
from api.service.problems import Problem
from api.service.settings import SHORTEST_KEY, secret_of
from api.service.state import Service
from domain.rules.description.contents import summary
from domain.rules.rulebook import RuleBook
from infra.access.callers import Caller
from infra.access.passwords import SHORTEST
from infra.access.passwords import check as check_password
from infra.access.role_matrix import GRANTING
from infra.access.sessions import SecondFactorNeeded
from infra.access.signatures import PasswordGiven

router = page_router()
Stranger = Annotated[Caller, Depends(stranger)]
Adopting = Annotated[Caller, Security(plain_caller, scopes=roles.ADOPTING)]
Second = Annotated[SecondPerson, Depends(SecondSigner(*roles.ADOPTING))]
SHIPPED = "/setup/rules"
APPROVAL = "approval_"  # and the rule set's id, in the form
NO_SETUP = {
    "open": "The service runs without authentication, so nobody signs in.",
    "done": "There are two admins, who add the others.",
}


# ---- the first two admins


class SetupForm(NewPassword):
    """Each of the two types their own password. If there is one admin already, that one signs as the first."""

    code: str
    staff_id: Id
    name: PersonName
    first_id: Id
    first_name: PersonName | None = None
    first_password: Password
    first_again: Password = ""
    first_code: str = ""


@router.get("/setup")
async def show_setup(request: Request, service: ServiceOf, caller: Stranger) -> Response:
    data = {
        "state": await _setup_state(service),
        "shortest": SHORTEST,
        "shortest_key": SHORTEST_KEY,
        "one_admin": await service.run(service.people.admins) == 1,
        "may_adopt": caller.may(roles.ADOPTING),
        "is_admin": caller.may(roles.ADMIN),
    }
    return await render(request, "setup.html", data, title="The first two admins", section="setup")


@router.post("/setup")
async def set_up(
    request: Request, service: ServiceOf, caller: Stranger, form: Annotated[SetupForm, Form()]
) -> Response:
    if (state := await _setup_state(service)) in NO_SETUP:
        raise Problem("out_of_turn", NO_SETUP[state])
    cookies, code = visitor_of(request).cookies, secret_of(service.settings.setup_code)
    if code is None or not hmac.compare_digest(form.code.encode(), code.encode()):
        await service.failures.check(cookies.address)
        raise Problem("forbidden", "That is not the code that the service made when it started.")
    await service.run(_make_admins, service, form, cookies)
    try:
        cookie = await service.run(
            service.sessions.sign_in, form.first_id, form.first_password, cookies.address, cookies.device
        )
    except SecondFactorNeeded as half:  # the code is used up
        return halfway(request, half, "/")
    response = go(request, "/", f"Welcome, {form.first_id} and {form.staff_id}. Add the others under Staff.")
    await signed_in(service, cookies, response, form.first_id, cookie)
    return response


def _make_admins(service: Service, form: SetupForm, cookies: Cookies) -> None:
    """Create both, or only the second if there is one."""
    people = service.people
    if form.first_id == form.staff_id:
        raise Problem("bad_choice", "Two admins are two people, with an id each.")
    check_password(form.password, form.staff_id)
    if people.admins() == 1:
        given = PasswordGiven(form.first_password, cookies.address, cookies.device, code=form.first_code)
        service.signatures.authenticated(form.first_id, given, GRANTING)
        people.add_admin(form.staff_id, form.name, form.password)
        return
    if form.first_name is None or form.first_password != form.first_again:
        raise Problem("bad_choice", "The first admin has a name, and types the same password twice.")
    if people.find(form.staff_id) is not None:
        raise Problem("bad_choice", f"There is somebody with the id {form.staff_id} already.")
    people.add_admin(form.first_id, form.first_name, form.first_password)
    people.add_admin(form.staff_id, form.name, form.password)


async def _setup_state(service: Service) -> str:
    """Return what can be done: nothing without authentication or once there are two admins; otherwise with a code, or
    by command."""
    if not service.settings.authenticated:
        return "open"
    if await service.run(service.people.admins) >= 2:
        return "done"
    return "command" if service.settings.setup_code is None else "code"


# ---- the rule sets that ship


class ShippedForm(FormModel):
    """The button says which; each has the number of its own approval next to it."""

    adopt: RulesetName
    second_person: Id


@router.get(SHIPPED)
async def show_shipped(request: Request, service: ServiceOf, caller: Adopting) -> Response:
    book = await service.run(service.ledger.rulebook.book, 0.0)
    return await render(
        request,
        "setup_rules.html",
        {"shipped": _shipped(book), "strict": service.ledger.rulebook.adopted_only},
        title="Adopt what ships with the program",
        section="rules",
        crumbs=(("Rules", "/rules"),),
    )


@router.post(SHIPPED)
async def adopt_shipped(
    request: Request,
    service: ServiceOf,
    caller: Adopting,
    form: Annotated[ShippedForm, Form()],
    writing: Command,
    second: Second,
) -> Response:
    approval = str((await form_of(request)).get(f"{APPROVAL}{form.adopt}", ""))
    await writing.store(
        lambda receipt: service.ledger.adopt_shipped(
            form.adopt, approval, second.signed(form.second_person), writing.actor, receipt
        )
    )
    return go(request, SHIPPED, f"{form.adopt} is adopted, and in force from today on.")


def _shipped(book: RuleBook) -> list[dict[str, Any]]:
    """Return the versions of today that ship with the program, and how each was adopted."""
    found = []
    for rules in book.shipped(datetime.now(UTC).date()):
        adoption = book.adoption_of(rules.id, rules.content_hash)
        signed = None if adoption is None else f"{adoption.by} and {adoption.event.second_person}"
        approval = None if adoption is None else adoption.event.approval
        found.append({**summary(rules), "signed": signed, "approval": approval})
    return found

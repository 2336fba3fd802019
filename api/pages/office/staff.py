"""The staff register for admins: adding people, changing parts and passwords, disabling; and who changed what."""

from typing import Annotated, Any, Literal

from fastapi import Depends, Form, Request, Response, Security
from msgspec import to_builtins
from pydantic import Field

from api.pages.dependencies import SecondSigner, plain_caller
from api.pages.forms import FormModel, NewPassword, PersonName
from api.pages.page_route import page_router
from api.pages.rendering.descriptions import descriptions
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf, path_id
from api.service.fields import Id
from api.service.state import Service
from infra.access.callers import Caller, Forbidden
from infra.access.grants import Second
from infra.access.passwords import SHORTEST
from infra.access.review.violations import violations
from infra.access.role_matrix import GRANTED, GRANTING
from infra.access.staff import Staff, StaffMember
from projections.views.read_side import NotFound

router = page_router()
PATH = "/staff"
SECTION = "staff"
Reading = Annotated[Caller, Security(plain_caller, scopes=roles.STAFF_READING)]
Admin = Annotated[Caller, Security(plain_caller, scopes=roles.ADMIN)]
SecondAdmin = Annotated[SecondPerson, Depends(SecondSigner(*GRANTING))]
StaffId = Annotated[str, path_id("floor-7", "The person's staff id.")]
WHAT_FOR = descriptions("roles")
assert tuple(WHAT_FOR) == GRANTED
CHANGES_SHOWN = 20


class SignedForm(FormModel):
    """Signed by a second admin if required."""

    second_person: Id | None = None


class PartsForm(SignedForm):
    """The selected roles, and the tables whose terminal the person may be."""

    ticked: list[str] = Field([], alias="parts")
    tables: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        return *self.ticked, *(f"terminal:{table}" for table in self.tables.replace(",", " ").split())


@router.get(PATH)
async def show_staff(request: Request, service: ServiceOf, caller: Reading) -> Response:
    people, changes = await service.run(_staff, service.people)
    data = {
        "people": people,
        "changes": changes,
        "factors": await service.run(service.factors.everybodys),
        "violations": await service.run(violations, service.ledger.events.recorder.database),
        "roles": WHAT_FOR,
        "shortest": SHORTEST,
    }
    return await render(request, "staff.html", data, title="Staff", section=SECTION)


def _staff(people: Staff) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return to_builtins(people.everybody()), people.changes(CHANGES_SHOWN)


class PersonForm(PartsForm, NewPassword):
    staff_id: Id
    name: PersonName


@router.post(PATH)
async def add_person(
    request: Request, service: ServiceOf, caller: Admin, form: Annotated[PersonForm, Form()], second: SecondAdmin
) -> Response:
    somebody = StaffMember(form.staff_id, form.name, form.parts, False)
    await service.run(service.grants.add, caller, second.named(form.second_person), somebody, form.password)
    return go(request, PATH, f"{form.staff_id} can sign in.")


# ---- one of them


@router.get(f"{PATH}/{{staff}}")
async def show_person(request: Request, service: ServiceOf, caller: Reading, staff: StaffId) -> Response:
    somebody = to_builtins(await service.run(_existing, service.people, staff))
    tables = [part.partition(":")[2] for part in somebody["parts"] if ":" in part]
    factors = (await service.run(service.factors.everybodys)).get(staff, ())
    data: dict[str, Any] = {
        "factors": factors,
        "somebody": somebody,
        "roles": WHAT_FOR,
        "tables": tables,
        "shortest": SHORTEST,
    }
    return await render(
        request, "staff_person.html", data, title=somebody["name"], section=SECTION, crumbs=(("Staff", PATH),)
    )


def _existing(people: Staff, staff_id: str) -> StaffMember:
    somebody = people.find(staff_id)
    if somebody is None:
        raise NotFound(f"There is nobody with the id {staff_id}.")
    return somebody


class NewPartsForm(PartsForm):
    do: Literal["parts"]


class NewPasswordForm(NewPassword, SignedForm):
    do: Literal["password"]


class DisableForm(SignedForm):
    do: Literal["disable"]


class EnableForm(SignedForm):
    do: Literal["enable"]


class ResetForm(SignedForm):
    """Removes all second factors of somebody who lost them."""

    do: Literal["reset"]


ChangeForm = Annotated[
    NewPartsForm | NewPasswordForm | DisableForm | EnableForm | ResetForm,
    Field(discriminator="do"),
]


@router.post(f"{PATH}/{{staff}}")
async def change_person(
    request: Request,
    service: ServiceOf,
    caller: Admin,
    staff: StaffId,
    form: Annotated[ChangeForm, Form()],
    second: SecondAdmin,
) -> Response:
    if isinstance(form, ResetForm):
        await service.run(_reset, service, caller, form.second_person, second, staff)
        return go(request, f"{PATH}/{staff}", f"{staff} has no second factor any more.")
    changed, notice = _what(staff, form)
    await service.run(_change, service, caller, second.named(form.second_person), staff, changed)
    return go(request, f"{PATH}/{staff}", notice)


def _reset(service: Service, caller: Caller, named: str | None, second: SecondPerson, staff_id: str) -> None:
    _existing(service.people, staff_id)
    if named is None:
        raise Forbidden("Two admins remove second factors: the second one signs, too.")
    service.factors.reset(staff_id, caller.by, second.signed(named))


def _what(staff_id: str, form: NewPartsForm | NewPasswordForm | DisableForm | EnableForm) -> tuple[dict[str, Any], str]:
    match form:
        case NewPartsForm():
            return {"parts": form.parts}, "The parts are changed."
        case NewPasswordForm():
            return {"password": form.password}, "The password is changed, and all sessions have ended."
        case DisableForm():
            return {"disabled": True}, f"{staff_id} can no longer sign in, and all sessions and tokens have ended."
        case EnableForm():
            return {"disabled": False}, f"{staff_id} can sign in again."


def _change(service: Service, caller: Caller, second: Second | None, staff_id: str, changed: dict[str, Any]) -> None:
    _existing(service.people, staff_id)
    service.grants.change(caller, second, staff_id, **changed)

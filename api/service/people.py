"""People who may sign in to the pages: added, given other parts or a new password, and disabled, by an admin."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, to_builtins
from starlette.responses import Response

from api.service import examples, shapes
from api.service.blindness import no_table
from api.service.operations import Answer, Call, Operation, answer
from api.service.problems import Problem
from infra.passwords import WeakPassword
from infra.people import NotAllowed, Somebody


async def list_people(call: Call) -> Response:
    people = await call.in_thread(call.service.people.everybody)
    return answer({"people": [_shown(somebody) for somebody in people]})


async def add_person(call: Call) -> Response:
    body = call.read(shapes.PersonBody)
    somebody = Somebody(body.staff_id, body.name, tuple(body.parts), False)
    try:
        await call.in_thread(call.service.people.add, somebody, body.password, call.person.by)
    except (WeakPassword, NotAllowed) as refusal:
        raise Problem("bad_choice", str(refusal)) from None
    call.service.access.expire()
    return answer(_shown(somebody), 201)


async def change_person(call: Call) -> Response:
    staff_id, body = call.id("staff"), call.read(shapes.PersonChange)
    try:
        return answer(_shown(await call.in_thread(_changed, call, staff_id, body)))
    except (WeakPassword, NotAllowed) as refusal:
        raise Problem("bad_choice", str(refusal)) from None


def _changed(call: Call, staff_id: str, body: shapes.PersonChange) -> Somebody:
    people, by = call.service.people, call.person.by
    if people.find(staff_id) is None:
        raise Problem("not_found", f"There is nobody with the id {staff_id}.")
    changes = {name: value for name in body.__struct_fields__ if (value := getattr(body, name)) is not UNSET}
    changed = people.change(staff_id, by, **changes)
    call.service.access.expire()
    return changed


def _shown(somebody: Somebody) -> dict[str, Any]:
    shown: dict[str, Any] = to_builtins(somebody)
    return shown


ADMIN = frozenset({"admin"})
_PERSON = Answer(shapes.PersonShown, examples.PERSON, "The person, without a password.")

OPERATIONS = (
    Operation(
        "GET",
        "/v1/people",
        "listPeople",
        "access",
        "Who may sign in to the pages",
        list_people,
        {200: Answer(shapes.PeopleShown, {"people": [examples.PERSON]}, "Everybody, disabled ones too.")},
        frozenset({"admin", "auditor"}),
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/people",
        "addPerson",
        "access",
        "Let somebody sign in",
        add_person,
        {201: _PERSON},
        ADMIN,
        "With one or several parts: a role, or for a terminal `terminal:` and its table.",
        body=shapes.PersonBody,
        body_example={
            "staff_id": "floor-7",
            "name": "Ana Ruiz",
            "parts": ["floor", "auditor"],
            "password": "a phrase that nobody guesses",
        },
        problems=("bad_choice",),
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/people/{staff}/changes",
        "changePerson",
        "access",
        "Give somebody other parts or a new password, or disable him",
        change_person,
        {200: _PERSON},
        ADMIN,
        "His sessions end where he is disabled or gets a password, or loses the part that he has taken.",
        body=shapes.PersonChange,
        body_example={"disabled": True},
        problems=("bad_choice",),
        about=no_table,
    ),
)

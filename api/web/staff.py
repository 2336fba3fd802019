"""Who may sign in, for the admin: added, given other parts or a password, disabled; and who changed what."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from api.service.blindness import no_table
from api.service.problems import Problem
from api.web.account import read_name, read_new_password, read_staff_id
from api.web.page import Page, View
from api.web.visit import Visit
from infra.passwords import SHORTEST
from infra.people import ROLES

SEEING = frozenset({"admin", "auditor"})
WHAT_FOR = {
    "floor": "Opens tables and deals, swaps boxes, waives fees, takes claims and rules on them.",
    "cage": "Sees bankrolls, and the chips that were bought and cashed.",
    "counter": "Counts drop boxes, without seeing what they should hold.",
    "accounting": "Fees, boxes and their sign-off, trays, days and every report.",
    "auditor": "Sees everything, runs audits, changes nothing.",
    "admin": "Says who may sign in, and touches no money.",
}
assert tuple(WHAT_FOR) == ROLES
CHANGES_SHOWN = 20


async def show(visit: Visit) -> View:
    people = (await visit.ask("listPeople"))["people"]
    changes = await visit.in_thread(visit.service.people.changes, CHANGES_SHOWN)
    return View({"people": people, "changes": changes, "roles": WHAT_FOR, "shortest": SHORTEST})


async def add(visit: Visit) -> Response:
    body = {
        "staff_id": read_staff_id(visit.field("staff_id")),
        "name": read_name(visit.field("name")),
        "parts": _parts(visit),
        "password": read_new_password(visit),
    }
    await visit.ask("addPerson", body=body)
    return visit.go("/staff", f"{body['staff_id']} can sign in.")


def _parts(visit: Visit) -> list[str]:
    """The roles that are ticked, and the tables whose terminal somebody may be."""
    ticked = [str(part) for part in visit.form.getlist("parts")]
    tables = visit.field("tables").replace(",", " ").split()
    return [*ticked, *(f"terminal:{table}" for table in tables)]


async def show_person(visit: Visit) -> View:
    staff_id = visit.id("staff")
    people = (await visit.ask("listPeople"))["people"]
    somebody = next((one for one in people if one["staff_id"] == staff_id), None)
    if somebody is None:
        raise Problem("not_found", f"There is nobody with the id {staff_id}.")
    tables = [part.partition(":")[2] for part in somebody["parts"] if ":" in part]
    data = {"somebody": somebody, "roles": WHAT_FOR, "tables": tables, "shortest": SHORTEST}
    return View(data, title=somebody["name"], crumbs=(("Staff", "/staff"),))


async def change(visit: Visit) -> Response:
    staff_id = visit.id("staff")
    body: dict[str, Any]
    match visit.field("do"):
        case "parts":
            body, said = {"parts": _parts(visit)}, "The parts are changed."
        case "password":
            body, said = {"password": read_new_password(visit)}, "The password is changed, and all sessions have ended."
        case "disable":
            body, said = {"disabled": True}, f"{staff_id} can no longer sign in, and all sessions have ended."
        case "enable":
            body, said = {"disabled": False}, f"{staff_id} can sign in again."
        case _:
            raise Problem("bad_document", "That is nothing that can be done here.")
    await visit.ask("changePerson", {"staff": staff_id}, body=body)
    return visit.go(f"/staff/{staff_id}", said)


PAGES = (
    Page("/staff", "staff", "Staff", "staff.html", show, SEEING, nav="Staff", submit=add, about=no_table),
    Page(
        "/staff/{staff}",
        "staff person",
        "Staff",
        "staff_person.html",
        show_person,
        SEEING,
        section="staff",
        submit=change,
        about=no_table,
    ),
)

"""Settings of the property: its name and address at once; time zone, gaming day and shifts from a future day on."""

from datetime import UTC, datetime, time
from typing import Annotated, Any, Literal
from zoneinfo import available_timezones

from fastapi import Form, Request, Response, Security
from pydantic import Field, StringConstraints

from api.pages.dependencies import plain_caller
from api.pages.forms import FormModel
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, OneOf, Text, Word
from api.service.problems import Problem
from infra.access.callers import ROLES, Caller
from infra.ledger.property import LONGEST_ADDRESS, LONGEST_NAME, Property, properties_set
from projections.calendar.gaming_day_settings import gaming_days, gaming_days_set, set_gaming_days
from projections.calendar.gaming_days import Calendar, Shift
from projections.engine.connection import connect
from projections.views.read_side import ReadSide

router = page_router()
PATH = "/settings"
SECTION = "settings"
ZONES = sorted(available_timezones())
SHIFT_ROWS = range(1, 5)


@router.get(PATH)
async def show_settings(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.STAFF_READING)],
) -> Response:
    demanded = await service.run(service.factors.demanded)
    data = {
        **await service.run(_names, service.read_side),
        **await service.run(_calendars, service.read_side),
        "zones": ZONES,
        "rows": list(SHIFT_ROWS),
        "factor_roles": {role: role in demanded for role in ROLES},
        "may_change": caller.may(roles.ADMIN),
    }
    return await render(request, "settings.html", data, title="Settings", section=SECTION)


def _names(read_side: ReadSide) -> dict[str, Any]:
    """Return every name that was set, oldest first, and the one that applies."""
    names = properties_set(read_side.database)
    current = names[-1] if names else {"name": "", "address": ""}
    return {"names": names, "name": current["name"], "address": current["address"]}


def _calendars(read_side: ReadSide) -> dict[str, Any]:
    """Return every setting, and the current calendar, gaming day and shift."""
    now_ms = round(datetime.now(UTC).timestamp() * 1000)
    with connect(read_side.database.url) as connection:
        days, found = gaming_days(connection), gaming_days_set(connection)
    now, calendar = days.of(now_ms), days.calendar_of(now_ms)
    return {
        "calendars": found,
        "gaming_day": now.day.isoformat(),
        "shift": now.shift,
        "time_zone": calendar.time_zone,
        "shifts": [{"name": shift.name, "start": f"{shift.start:%H:%M}"} for shift in calendar.shifts],
    }


class PropertyForm(FormModel):
    do: Literal["property"]
    name: Annotated[Text, StringConstraints(max_length=LONGEST_NAME)]
    address: Annotated[Text, StringConstraints(max_length=LONGEST_ADDRESS)] | None = None


class CalendarForm(FormModel):
    """The first shift begins the gaming day; empty rows are ignored."""

    do: Literal["calendar"]
    from_day: GamingDay
    time_zone: Annotated[str, OneOf(ZONES)]
    shift_1: Word
    start_1: time
    shift_2: Word | None = None
    start_2: time | None = None
    shift_3: Word | None = None
    start_3: time | None = None
    shift_4: Word | None = None
    start_4: time | None = None

    def calendar(self) -> Calendar:
        rows = [(getattr(self, f"shift_{row}"), getattr(self, f"start_{row}")) for row in SHIFT_ROWS]
        if any((name is None) != (start is None) for name, start in rows):
            raise Problem("bad_document", "A shift has a name and a start.")
        return Calendar(self.from_day, self.time_zone, tuple(Shift(*row) for row in rows if row[0] is not None))


class FactorRolesForm(FormModel):
    do: Literal["factors"]
    ticked: list[str] = Field([], alias="roles")


SettingsForm = Annotated[
    PropertyForm | CalendarForm | FactorRolesForm,
    Field(discriminator="do"),
]


@router.post(PATH)
async def change_settings(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ADMIN)],
    form: Annotated[SettingsForm, Form()],
) -> Response:
    match form:
        case PropertyForm():
            named = Property(form.name, form.address or "")
            await service.run(service.property.set, named, caller.by)
            return go(request, PATH, "Pages and papers show this name from now on.")
        case CalendarForm():
            await service.run(_set_calendar, service.read_side, form.calendar(), caller.by)
            return go(request, PATH, f"This applies from gaming day {form.from_day:%d %b %Y} on.")
        case FactorRolesForm():
            await service.run(service.factors.demand, form.ticked, caller.by)
            return go(request, PATH, "People with such a role and no second factor must add one at their next click.")


def _set_calendar(read_side: ReadSide, calendar: Calendar, by: str) -> None:
    try:
        with connect(read_side.database.url) as connection:
            set_gaming_days(connection, calendar, by, datetime.now(UTC))
    except ValueError as refusal:
        raise Problem("bad_choice", str(refusal)) from None

"""Settings of the property: its time zone, when the gaming day begins, and its shifts, each from a future day on."""

from datetime import UTC, datetime, time
from typing import Annotated, Any
from zoneinfo import available_timezones

import psycopg
from fastapi import Form, Request, Response, Security

from api.pages.dependencies import plain_caller
from api.pages.forms import FormModel
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import GamingDay, OneOf, Word
from api.service.problems import Problem
from infra.access.callers import Caller
from projections.calendar.gaming_day_settings import gaming_days, gaming_days_set, set_gaming_days
from projections.calendar.gaming_days import BadCalendar, Calendar, Shift
from projections.engine.connection import connect
from projections.views.books import Books

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
    data = {
        **await service.run(_calendars, service.books),
        "zones": ZONES,
        "rows": list(SHIFT_ROWS),
        "may_change": caller.may(roles.ADMIN),
    }
    return await render(request, "settings.html", data, title="Settings", section=SECTION)


def _calendars(books: Books) -> dict[str, Any]:
    """Every setting, and the calendar, gaming day and shift of this moment."""
    now_ms = round(datetime.now(UTC).timestamp() * 1000)
    with connect(books.database.url) as connection:
        days, found = gaming_days(connection), gaming_days_set(connection)
    now, calendar = days.of(now_ms), days.calendar_of(now_ms)
    return {
        "calendars": found,
        "gaming_day": now.day.isoformat(),
        "shift": now.shift,
        "time_zone": calendar.time_zone,
        "shifts": [{"name": shift.name, "start": f"{shift.start:%H:%M}"} for shift in calendar.shifts],
    }


class CalendarForm(FormModel):
    """The first shift begins the gaming day; rows that are empty count for nothing."""

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


@router.post(PATH)
async def change_settings(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.ADMIN)],
    form: Annotated[CalendarForm, Form()],
) -> Response:
    await service.run(_set, service.books, form.calendar(), caller.by)
    return go(request, PATH, f"This applies from gaming day {form.from_day:%d %b %Y} on.")


def _set(books: Books, calendar: Calendar, by: str) -> None:
    try:
        with connect(books.database.url) as connection:
            set_gaming_days(connection, calendar, by, datetime.now(UTC))
    except psycopg.errors.UniqueViolation:
        raise Problem("bad_choice", "Something is set from that day on already, and stays.") from None
    except (BadCalendar, ValueError) as refusal:
        raise Problem("bad_choice", str(refusal)) from None

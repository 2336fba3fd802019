"""Closing gaming days and months by two people: from then on nothing that was posted on them changes.

A day is closed in two steps. `DayShut` ends the posting: whatever is recorded after it and belongs to the day is posted
on the next open day. `DayClosed` then has the day's balances, which nobody can have changed in between."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import BadChoice, Conflict, OutOfTurn
from domain.event import Event
from domain.money import money
from domain.two_people import TwoPeople, check_people, check_text

MOST_NAMED = 3  # of what is missing, in a refusal


class Balance(Event, frozen=True):
    """What an account received and gave, in cents."""

    account: str
    debit: int
    credit: int


class DayShut(Event, frozen=True):
    day: date
    second_person: str


class DayClosed(Event, frozen=True):
    """`balances` is the day's trial balance and `digest` its hash; `checkpoint` is the newest of the transparency log,
    if any. `explanation` says why a tray was not counted."""

    day: date
    balances: tuple[Balance, ...]
    digest: str
    checkpoint: str | None
    explanation: str | None
    second_person: str


class DayReopened(Event, frozen=True):
    day: date
    reason: str
    second_person: str


class MonthClosed(Event, frozen=True):
    """`month` is its first day. All its days are closed; none of them can be reopened before the month is."""

    month: date
    balances: tuple[Balance, ...]
    digest: str
    checkpoint: str | None
    second_person: str


class MonthReopened(Event, frozen=True):
    month: date
    reason: str
    second_person: str


ClosingEvent = DayShut | DayClosed | DayReopened | MonthClosed | MonthReopened
CLOSING_TOPICS: dict[str, type[Event]] = {
    "closing.day_shut.v1": DayShut,
    "closing.day_closed.v1": DayClosed,
    "closing.day_reopened.v1": DayReopened,
    "closing.month_closed.v1": MonthClosed,
    "closing.month_reopened.v1": MonthReopened,
}
Status = Literal["open", "shut", "closed"]


class Closings(Struct, frozen=True):
    """Which days are shut or closed, and which months are closed, by their first day."""

    days: Mapping[date, Status] = {}
    months: frozenset[date] = frozenset()

    def status(self, day: date) -> Status:
        return self.days.get(day, "open")


class Missing(Struct, frozen=True):
    """What a day or a month lacks before it can be closed; what `explains` may be explained instead."""

    what: str
    kind: Literal["round", "box", "tray", "day"]
    name: str
    table: str
    explains: bool = False


# ---- evolving


def evolve(closings: Closings, event: ClosingEvent) -> Closings:
    match event:
        case DayShut():
            return replace(closings, days={**closings.days, event.day: "shut"})
        case DayClosed():
            return replace(closings, days={**closings.days, event.day: "closed"})
        case DayReopened():
            days = {day: status for day, status in closings.days.items() if day != event.day}
            return replace(closings, days=days)
        case MonthClosed():
            return replace(closings, months=closings.months | {event.month})
        case MonthReopened():
            return replace(closings, months=closings.months - {event.month})


def fold(events: Iterable[ClosingEvent]) -> Closings:
    closings = Closings()
    for event in events:
        closings = evolve(closings, event)
    return closings


# ---- deciding


def shut_day(
    closings: Closings, day: date, today: date, missing: Sequence[Missing], explanation: str | None, people: TwoPeople
) -> DayShut:
    """Shut a day that is over and complete."""
    check_people(people, "close a day")
    if closings.status(day) != "open":
        raise Conflict(f"The gaming day {day} is already {closings.status(day)}.")
    if day >= today:
        raise OutOfTurn(f"The gaming day {day} is not over; today is {today}.")
    check_complete(day, missing, explanation)
    return DayShut(day, people.second)


def check_complete(day: date, missing: Sequence[Missing], explanation: str | None) -> None:
    """Refuse a day that lacks something, in words; a tray that nobody can count any more needs an explanation."""
    if explanation is not None:
        check_text("explanation", explanation)
    lacking = [one for one in missing if not (one.explains and explanation)]
    if lacking:
        named = " ".join(one.what for one in lacking[:MOST_NAMED])
        more = f" And {len(lacking) - MOST_NAMED} more." if len(lacking) > MOST_NAMED else ""
        raise OutOfTurn(f"The gaming day {day} cannot be closed yet. {named}{more}")


def close_day(
    closings: Closings,
    day: date,
    balances: Iterable[Balance],
    checkpoint: str | None,
    explanation: str | None,
    people: TwoPeople,
) -> DayClosed:
    check_people(people, "close a day")
    if closings.status(day) != "shut":
        raise Conflict(f"The gaming day {day} is {closings.status(day)}: it is shut first, and then closed.")
    kept = _balanced(balances, f"The gaming day {day}")
    return DayClosed(
        day=day,
        balances=kept,
        digest=digest(kept),
        checkpoint=checkpoint,
        explanation=explanation,
        second_person=people.second,
    )


def reopen_day(closings: Closings, day: date, reason: str, people: TwoPeople) -> DayReopened:
    check_people(people, "reopen a day")
    check_text("reason", reason)
    if closings.status(day) == "open":
        raise Conflict(f"The gaming day {day} is open.")
    if day.replace(day=1) in closings.months:
        raise OutOfTurn(f"The month {day:%Y-%m} is closed: it is reopened before one of its days.")
    return DayReopened(day, reason.strip(), people.second)


def days_of(month: date) -> list[date]:
    return [month.replace(day=number) for number in range(1, monthrange(month.year, month.month)[1] + 1)]


def close_month(
    closings: Closings, month: date, balances: Iterable[Balance], checkpoint: str | None, people: TwoPeople
) -> MonthClosed:
    check_people(people, "close a month")
    if month.day != 1:
        raise BadChoice("A month is named by its first day.")
    if month in closings.months:
        raise Conflict(f"The month {month:%Y-%m} is already closed.")
    if open_days := [day for day in days_of(month) if closings.status(day) != "closed"]:
        named = ", ".join(map(str, open_days[:MOST_NAMED]))
        more = f" and {len(open_days) - MOST_NAMED} more" if len(open_days) > MOST_NAMED else ""
        raise OutOfTurn(f"The month {month:%Y-%m} cannot be closed yet: {named}{more} are not closed.")
    kept = _balanced(balances, f"The month {month:%Y-%m}")
    return MonthClosed(month, kept, digest(kept), checkpoint, people.second)


def reopen_month(closings: Closings, month: date, reason: str, people: TwoPeople) -> MonthReopened:
    check_people(people, "reopen a month")
    check_text("reason", reason)
    if month not in closings.months:
        raise Conflict(f"The month {month:%Y-%m} is open.")
    return MonthReopened(month, reason.strip(), people.second)


def _balanced(balances: Iterable[Balance], what: str) -> tuple[Balance, ...]:
    kept = tuple(sorted(balances, key=lambda balance: balance.account))
    if difference := sum(balance.debit - balance.credit for balance in kept):
        raise Conflict(f"{what} does not balance: {money(difference)} is left over. Run an audit.")
    return kept


def digest(balances: Iterable[Balance]) -> str:
    """Return the digest of the accounts in order, each as a line that a person can reproduce."""
    lines = [f"{balance.account}\t{money(balance.debit)}\t{money(balance.credit)}\n" for balance in balances]
    return sha256("".join(lines).encode()).hexdigest()


# ---- auditing


def contradictions(events: Iterable[tuple[ClosingEvent, str]]) -> Iterator[tuple[int, str]]:
    """Report what is wrong with stored closings, by the index of the event; each comes with who recorded it."""
    closings = Closings()
    for index, (event, by) in enumerate(events):
        if by == event.second_person:
            yield index, f"One person alone decided on {_name(event)}."
        if isinstance(event, DayClosed | MonthClosed):
            if digest(event.balances) != event.digest:
                yield index, f"The balances of {_name(event)} are not those that were signed: they have another digest."
            if sum(balance.debit - balance.credit for balance in event.balances):
                yield index, f"The balances of {_name(event)} do not sum to zero."
        if not _follows(closings, event):
            yield index, f"What was decided on {_name(event)} does not follow what was decided before."
        closings = evolve(closings, event)


def _follows(before: Closings, event: ClosingEvent) -> bool:
    match event:
        case DayShut():
            return before.status(event.day) == "open"
        case DayClosed():
            return before.status(event.day) == "shut"
        case DayReopened():
            return before.status(event.day) != "open" and event.day.replace(day=1) not in before.months
        case MonthClosed():
            days = days_of(event.month)
            return event.month not in before.months and all(before.status(day) == "closed" for day in days)
        case MonthReopened():
            return event.month in before.months


def _name(event: ClosingEvent) -> str:
    if isinstance(event, MonthClosed | MonthReopened):
        return f"the month {event.month:%Y-%m}"
    return f"the gaming day {event.day}"

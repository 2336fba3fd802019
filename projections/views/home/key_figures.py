"""The figures of a gaming day, compared with the day before and the same weekday of the week before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import date, timedelta
from typing import Any, Literal, LiteralString

from msgspec import Struct

from domain.money import money
from infra.access.callers import Caller
from projections.views.named_rows import select, select_all
from projections.views.read_side import ReadSide

PROJECTIONS = ("collections", "disputes", "drops", "hands", "inventory")
# For whole days, from the totals that the projections keep.
ROUNDS: LiteralString = (
    "SELECT gaming_day, sum(rounds)::bigint AS rounds, sum(short_rounds)::bigint AS short_rounds, "
    "sum(shortfall)::bigint AS shortfall FROM projections.hands_days WHERE gaming_day = ANY(%(days)s) GROUP BY 1"
)
FEES: LiteralString = (
    "SELECT gaming_day, sum(fees - waived)::bigint AS fees FROM projections.collections "
    "WHERE gaming_day = ANY(%(days)s) GROUP BY 1"
)
DROP: LiteralString = (
    "SELECT gaming_day, sum(counted)::bigint AS drop FROM projections.drops "
    "WHERE gaming_day = ANY(%(days)s) AND counted IS NOT NULL GROUP BY 1"
)
WIN: LiteralString = (
    "SELECT gaming_day, sum(collected - paid - corrected)::bigint AS win FROM projections.inventory_days "
    "WHERE gaming_day = ANY(%(days)s) GROUP BY 1"
)
DISPUTES: LiteralString = (
    "SELECT day AS gaming_day, (SELECT count(*) FROM projections.disputes WHERE opened_at < ended_at "
    "AND (closed_at IS NULL OR closed_at >= ended_at)) AS open_disputes "
    "FROM unnest(%(days)s::date[], %(ends)s::timestamptz[]) AS of_day (day, ended_at)"
)
# A day without rounds, such as a holiday, is not reported on.
LAST_DAY: LiteralString = (
    "SELECT gaming_day FROM projections.hands_days WHERE gaming_day < %(today)s ORDER BY gaming_day DESC LIMIT 1"
)
DAY, WEEK = timedelta(days=1), timedelta(days=7)
SHOWN = ("floor", "accounting", "auditor")
BOOKS = ("accounting", "auditor")


class Figure(Struct, frozen=True):
    """A count, or money as text; None if nothing is known of that day."""

    name: str
    title: str
    kind: Literal["count", "money"]
    page: str
    of_day: int | str | None
    day_before: int | str | None
    week_before: int | str | None
    today: int | str | None


class KeyFigures(Struct, frozen=True):
    """`gaming_day` is the last one that has ended, or the current one if none has."""

    gaming_day: str
    day_before: str
    week_before: str
    figures: list[Figure]


class _Kind(Struct, frozen=True):
    name: str
    title: str
    kind: Literal["count", "money"]
    roles: Collection[str]
    page: Callable[[str], str]


KINDS = (
    _Kind("rounds", "Rounds", "count", SHOWN, lambda day: f"/hands?day={day}"),
    _Kind("fees", "Net fees", "money", SHOWN, lambda day: f"/collections?first={day}&last={day}"),
    _Kind("drop", "Drop counted", "money", BOOKS, lambda day: f"/drop?gaming_day={day}"),
    _Kind("win", "House-banked win", "money", BOOKS, lambda day: f"/trays?first={day}&last={day}"),
    _Kind("shortfall", "Shortfall", "money", SHOWN, lambda day: f"/hands?day={day}&shortfall=true"),
    _Kind("open_disputes", "Open disputes", "count", SHOWN, lambda day: "/disputes"),
)


def key_figures(read_side: ReadSide, caller: Caller) -> KeyFigures | None:
    """Return the figures for callers who may see every table; the caller has been checked."""
    kinds = [kind for kind in KINDS if caller.may(kind.roles)]
    if not kinds:
        return None
    read_side.bring_up_to_date(*PROJECTIONS)
    today = read_side.clock.now().day
    ended = select(read_side.database, LAST_DAY, {"today": today})
    day: date = ended[0]["gaming_day"] if ended else today
    days = (day, day - DAY, day - WEEK, today)
    found = _of_days(read_side, sorted(set(days)))
    figures = [
        Figure(
            kind.name, kind.title, kind.kind, kind.page(day.isoformat()), *_shown(kind, [found[one] for one in days])
        )
        for kind in kinds
    ]
    return KeyFigures(day.isoformat(), days[1].isoformat(), days[2].isoformat(), figures)


def _of_days(read_side: ReadSide, days: list[date]) -> dict[date, dict[str, Any]]:
    values = {"days": days, "ends": [read_side.clock.end_of(day) for day in days]}
    found: dict[date, dict[str, Any]] = {day: {} for day in days}
    for rows in select_all(read_side.database, values, ROUNDS, FEES, DROP, WIN, DISPUTES):
        for row in rows:
            found[row.pop("gaming_day")].update(row)
    return found


def _shown(kind: _Kind, of_days: list[Mapping[str, Any]]) -> list[int | str | None]:
    amounts = [of_day.get(kind.name) for of_day in of_days]
    return [money(amount) if kind.kind == "money" and amount is not None else amount for amount in amounts]

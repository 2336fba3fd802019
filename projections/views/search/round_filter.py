"""What is remembered of a round, as a filter: its fields, and how vague ones are interpreted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from domain.money import cents
from projections.views.paging import Cursor
from projections.views.read_side import BadQuestion

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
PartOfDay = Literal["morning", "afternoon", "evening", "night"]
Order = Literal["newest", "oldest", "wagered", "won", "lost"]
WEEKDAYS: tuple[str, ...] = get_args(Weekday)
BY_TIME = ("newest", "oldest")
HOUR = 60
# They overlap: nobody remembers a time of day to the hour.
PARTS_OF_DAY: dict[str, tuple[int, int]] = {
    "morning": (5 * HOUR, 12 * HOUR),
    "afternoon": (11 * HOUR, 18 * HOUR),
    "evening": (17 * HOUR, 24 * HOUR),
    "night": (21 * HOUR, 6 * HOUR),
}


class RoundFilter(Struct, frozen=True):
    """Amounts are cents. `after` is the last row of the previous page; `before` walks back from a row.

    With a bettor, `seat`, `outcome`, `happened` and the net are theirs. With a net and no bettor they are those of one
    bettor, any but the player-dealer. Otherwise an outcome is that of any wager, at `seat` if given. `clock` is a time
    of day in minutes, from and before; it may cross midnight. `round` is how its id begins."""

    round: str | None = None
    table: str | None = None
    bettor: str | None = None
    seat: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    day: date | None = None
    weekday: int | None = None  # of the gaming day; 1 is a Monday
    clock: tuple[int, int] | None = None
    shift: str | None = None
    ruleset: str | None = None
    status: str | None = None
    outcome: str | None = None
    happened: tuple[str, ...] | None = None
    made: str | None = None
    net_least: int | None = None
    net_most: int | None = None
    least: int | None = None
    most: int | None = None
    shortfall: bool | None = None
    voided: bool | None = None
    corrected: bool | None = None
    noted: bool | None = None
    late: bool | None = None
    disputed: bool | None = None
    waived: bool | None = None
    dealer: str | None = None
    player_dealer: str | None = None
    after: tuple[datetime | int | None, str] | None = None
    before: tuple[datetime | int | None, str] | None = None
    sort: str = "newest"

    @property
    def of_somebody(self) -> bool:
        """Return whether it is about one bettor, known or not: the list then shows their part."""
        return not (self.bettor is None and self.net_least is None and self.net_most is None)

    def after_cursor(self, cursor: Cursor | None) -> RoundFilter:
        """Return the filter from where a page of the same order ended."""
        if cursor is None:
            return self
        return replace(self, after=(cursor.at(self.sort, moments=self.sort in BY_TIME), cursor.name))


def about(amount: int) -> tuple[int, int]:
    """Return the range of "about so much": a fifth more or less, and at least five dollars."""
    margin = max(amount // 5, 5_00)
    return amount - margin, amount + margin


def filter_of(asked: Mapping[str, Any], **more: Any) -> RoundFilter:
    """Return the filter of a query or a form; amounts are text there, a time of day is HH:MM."""
    wanted = {name: value for name, value in asked.items() if name in RoundFilter.__struct_fields__}
    amounts = {name: cents(wanted[name]) for name in ("least", "most") if wanted.get(name) is not None}
    weekday, happened = asked.get("weekday"), (asked.get("happened"), asked.get("also"))
    return RoundFilter(
        **{
            **wanted,
            **amounts,
            **_net(asked),
            "weekday": None if weekday is None else WEEKDAYS.index(weekday) + 1,
            "clock": _clock(asked),
            "happened": tuple(what for what in happened if what is not None) or None,
            **more,
        }
    )


def _net(asked: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the narrowest range of everything stated about somebody's result."""
    least = [cents(asked["net_least"])] if asked.get("net_least") is not None else []
    most = [cents(asked["net_most"])] if asked.get("net_most") is not None else []
    if asked.get("won_about") is not None:
        low, high = about(cents(asked["won_about"]))
        least, most = [*least, low], [*most, high]
    if asked.get("lost_about") is not None:
        low, high = about(cents(asked["lost_about"]))
        least, most = [*least, -high], [*most, -low]
    return {"net_least": max(least, default=None), "net_most": min(most, default=None)}


def _clock(asked: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the time of day, from and before; a stated hour takes precedence over a part of the day."""
    since, until = (None if (text := asked.get(name)) is None else _minute(text) for name in ("clock_from", "clock_to"))
    part = asked.get("part_of_day")
    if since is None and until is None:
        return None if part is None else PARTS_OF_DAY[part]
    if since == until:
        raise BadQuestion("`clock_from` and `clock_to` are two different times of day.")
    return since or 0, until or 24 * HOUR


def _minute(text: str) -> int:
    hour, minute = text.split(":")
    return int(hour) * HOUR + int(minute)

"""The contents of the first page, for people and programs."""

from __future__ import annotations

from msgspec import Struct

from infra.access.callers import Caller, Forbidden
from projections.views.blindness import check_sight
from projections.views.home.key_figures import KeyFigures, key_figures
from projections.views.home.task_kinds import KINDS
from projections.views.home.tasks import OpenTasks, tasks_for
from projections.views.read_side import ReadSide


class FirstPage(Struct, frozen=True):
    gaming_day: str
    shift: str
    waiting: list[OpenTasks]
    figures: KeyFigures | None


def first_page_for(read_side: ReadSide, caller: Caller) -> FirstPage:
    read_side.clock.refresh()
    now = read_side.clock.now()
    return FirstPage(now.day.isoformat(), now.shift, tasks_for(read_side, caller, KINDS), _figures(read_side, caller))


def _figures(read_side: ReadSide, caller: Caller) -> KeyFigures | None:
    try:
        check_sight(read_side, caller, None)
    except Forbidden:
        return None  # they may count boxes, and some are not counted
    return key_figures(read_side, caller)

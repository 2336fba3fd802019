"""The contents of the first page, for people and programs."""

from __future__ import annotations

from msgspec import Struct

from infra.access.callers import Caller, Forbidden
from projections.views.blindness import check_sight
from projections.views.books import Books
from projections.views.home.key_figures import KeyFigures, key_figures
from projections.views.home.task_kinds import KINDS
from projections.views.home.tasks import OpenTasks, tasks_for


class FirstPage(Struct, frozen=True):
    gaming_day: str
    shift: str
    waiting: list[OpenTasks]
    figures: KeyFigures | None


def first_page_for(books: Books, caller: Caller) -> FirstPage:
    books.clock.refresh()
    now = books.clock.now()
    return FirstPage(now.day.isoformat(), now.shift, tasks_for(books, caller, KINDS), _figures(books, caller))


def _figures(books: Books, caller: Caller) -> KeyFigures | None:
    try:
        check_sight(books, caller, None)
    except Forbidden:
        return None  # they may count boxes, and some are not counted
    return key_figures(books, caller)

"""What is said of a day that is exported again."""

from __future__ import annotations

from datetime import date

import pytest

from domain.books.exports import JournalExported, seen_before

FIRST = JournalExported(date(2026, 2, 3), "qb", "n-1", "aa")


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ([], None),
        ([JournalExported(FIRST.day, "other", "n-1", "aa")], None),
        ([FIRST], "2026-02-03 was exported for qb 1 time before, with the same figures: import it once."),
        ([FIRST] * 2, "2026-02-03 was exported for qb 2 times before, with the same figures: import it once."),
        (
            [JournalExported(FIRST.day, "qb", "n-1", "bb")],
            "2026-02-03 was exported for qb 1 time before, with other figures: the file before says bb, this one aa.",
        ),
    ],
)
def test_a_day_that_was_exported_before_is_recognised(before: list[JournalExported], said: str | None):
    assert seen_before(before, FIRST) == said

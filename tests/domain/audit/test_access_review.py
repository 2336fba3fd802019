"""When the review of who holds what is due."""

from __future__ import annotations

import pytest

from domain.audit.access_review import is_due

QUARTER_MS = 92 * 86_400_000


@pytest.mark.parametrize(
    ("last_ms", "now_ms", "due"),
    [(None, 0, True), (1, 1 + QUARTER_MS, False), (1, 2 + QUARTER_MS, True)],
)
def test_a_review_is_due_where_there_was_none_and_after_a_quarter(last_ms: int | None, now_ms: int, due: bool):
    assert is_due(last_ms, now_ms) == due

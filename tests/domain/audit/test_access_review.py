"""When the review of who holds what is due."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.audit.access_review import AccessReviewed, is_due, sign_off
from domain.errors import BadChoice, OutOfTurn

QUARTER_MS = 92 * 86_400_000
PRESENT = AccessReviewed(digest="d", people=3, machines=1, violations=0, remark="")


@pytest.mark.parametrize(
    ("last_ms", "now_ms", "due"),
    [(None, 0, True), (1, 1 + QUARTER_MS, False), (1, 2 + QUARTER_MS, True)],
)
def test_a_review_is_due_where_there_was_none_and_after_a_quarter(last_ms: int | None, now_ms: int, due: bool):
    assert is_due(last_ms, now_ms) == due


@pytest.mark.parametrize(
    ("roles", "signs"),
    [
        (None, True),
        ({"auditor"}, True),
        ({"accounting", "counter"}, True),
        ({"floor"}, False),
        ({"auditor", "admin"}, False),
        (set(), False),
    ],
)
def test_accounting_or_an_auditor_signs_and_never_an_admin(roles: set[str] | None, signs: bool):
    if signs:
        assert sign_off(PRESENT, "d", roles) == PRESENT
    else:
        with pytest.raises(BadChoice, match="never by an admin"):
            sign_off(PRESENT, "d", roles)


def test_what_was_shown_is_signed_with_a_remark_that_fits():
    assert sign_off(replace(PRESENT, remark="x" * 500), "d", None).remark == "x" * 500
    with pytest.raises(BadChoice, match="at most 500 characters"):
        sign_off(replace(PRESENT, remark="x" * 501), "d", None)
    with pytest.raises(OutOfTurn, match="has changed since"):
        sign_off(PRESENT, "another", None)

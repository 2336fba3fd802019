"""A floor with everything on it, recorded once, and copies of it that a test may spoil."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def url(copied: Callable[[], str]) -> str:
    """Of a copy of the floor."""
    return copied()

"""What pages say of pages, reports, roles and words; `descriptions.toml` has it."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _sections() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("api.pages") / "descriptions.toml").read_text(encoding="utf-8"))


def descriptions(section: str) -> dict[str, str]:
    """Return what a section says, by name."""
    return _sections()[section]

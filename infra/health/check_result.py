"""The result of one check of an installation."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

State = Literal["ok", "warning", "fault"]


class Check(Struct, frozen=True):
    """A result. `found` is a sentence; `advice` says what to do if something is wrong."""

    name: str
    state: State
    found: str
    advice: str | None = None


def ok(name: str, found: str) -> Check:
    return Check(name, "ok", found)


def warning(name: str, found: str, advice: str) -> Check:
    return Check(name, "warning", found, advice)


def fault(name: str, found: str, advice: str) -> Check:
    return Check(name, "fault", found, advice)


def worst(checks: list[Check]) -> State:
    states = {check.state for check in checks}
    return "fault" if "fault" in states else "warning" if "warning" in states else "ok"

"""Addresses of pages and files with some parameters changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from projections.reports.report import Report

DAY = timedelta(days=1)


def address(path: str, query: Mapping[str, object], **changed: object) -> str:
    """Return the same address with some parameters changed; None removes one."""
    asked = {name: value for name, value in {**query, **changed}.items() if value is not None and value != ""}
    return f"{path}?{urlencode(asked)}" if asked else path


def addresses(path: str, query: Mapping[str, object], name: str, values: Iterable[str]) -> dict[str, str]:
    """Return the same address for each value of one parameter; the common part is built once."""
    shared = address(path, query, **{name: None})
    joined_by = "&" if "?" in shared else "?"
    return {value: f"{shared}{joined_by}{urlencode({name: value})}" for value in values}


def neighbouring_days(path: str, query: Mapping[str, object], day: date, today: date) -> dict[str, str | None]:
    """Return the same page of the gaming days before and after; none is after today."""
    return {
        "before": address(path, query, gaming_day=day - DAY) if day > date.min else None,
        "after": address(path, query, gaming_day=day + DAY) if day < today else None,
    }


def exports(name: str, formats: tuple[str, ...], query: Mapping[str, object]) -> list[dict[str, str]]:
    """Return a report's files, for what the page shows."""
    return [
        {"format": format_, "address": address(f"/v1/reports/{name}", query, format=format_)} for format_ in formats
    ]


def sorting(path: str, query: Mapping[str, str], report: Report) -> dict[str, Any]:
    """Return how the rows of a report are sorted, and where each heading leads: to the reverse order for the current
    column, otherwise to the largest amounts first or words from A. Sorting is by the service, since not all rows are
    shown."""
    by = query.get("sort", "")
    numbers = {
        *report.sums,
        *(name for name, kind in report.columns.items() if kind in ("money", "decimal", "p_value")),
    }
    links = {}
    for name in report.columns:
        down = by == name or (name in numbers and by != f"-{name}")
        links[name] = address(path, query, sort=f"-{name}" if down else name)
    return {"by": by.removeprefix("-"), "down": by.startswith("-"), "links": links}
